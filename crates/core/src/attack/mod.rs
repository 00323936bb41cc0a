//! The adversary who knows the mechanism: attacks on releases.
//!
//! A publisher says what its release tells besides its groups ([`crate::publish::Evidence`]); `weigh.rs` counts what follows
//! for every person, group by group and at any scale, and `account.rs` adds up what knowing the mechanism adds to what
//! everybody sees.

mod account;
mod cuts;
mod weigh;

pub use account::{AttackAccount, BARS, Beliefs, Span, WORST, Worst, account};
pub use cuts::{Halves, rejected_cuts};
pub use weigh::{Bundle, Effort, Seen, Told, weigh};
