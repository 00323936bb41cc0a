//! Attacks at any scale: what follows from a release and from what its mechanism is known to have rejected.
//!
//! A publisher says what its release tells besides its groups ([`crate::evidence::Evidence`]).
//!
//! - `weigh.rs`: gathers the groups that evidence ties together; `question.rs` has each cluster counted, or estimated.
//! - `outlook.rs`: which parts pass, or fail, whatever the values are.
//! - `blocks.rs`, `columns.rs` and `counted.rs`: count a cluster block by block, and a block value by value.
//! - `tails.rs`: how likely at most a large part fails; `draw.rs`: estimates from worlds drawn at random.
//! - `populations.rs`: estimates where evidence is too rare for that; `matrix.rs`: the worlds of these, and moves between them.
//! - `account.rs`: adds up what knowing the mechanism adds to what everybody sees.

mod account;
mod blocks;
mod columns;
mod counted;
mod draw;
mod matrix;
mod outlook;
mod populations;
mod question;
mod tails;
mod weigh;

pub use account::{AttackAccount, WORST, WorstRow, account, account_of_beliefs, account_of_proof};
pub use weigh::{EvidenceCluster, SeenRelease, weigh};
