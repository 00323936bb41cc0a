//! Publishers: algorithms from a table to groups, or to nothing.
//!
//! Start with [`Publisher`] and [`PUBLISHERS`]. The way of the data: a [`Plan`] binds principles to columns, a frame lays out
//! the quasi-identifiers (`frame.rs`), the cutting engine (`cut.rs`, `block.rs`, `slice.rs`, `tailor.rs`, `ace.rs`) makes
//! [`Groups`], and `transparent.rs` holds the registry entries. How groups are shown is the business of
//! [`crate::function`].

mod ace;
mod amount;
mod assign;
mod block;
mod cells;
mod cut;
mod frame;
mod partition;
mod plan;
mod randomness;
mod slice;
mod tailor;
mod tally;
mod transparent;

use std::fmt::Debug;

pub use assign::{Signature, signatures};
pub use frame::{Axis, unique_rows};
pub use partition::Groups;
pub use plan::{Goal, Nothing, Plan};
pub use randomness::Randomness;

use crate::error::Result;
use crate::registry::Entry;

/// What a publisher answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Groups of rows of the table; their order and the order inside them have no meaning.
    Groups(Groups),
    /// Nothing can be disclosed.
    Nothing(Nothing),
}

/// An algorithm from a table to groups, or to nothing.
pub trait Publisher: Debug + Send + Sync {
    /// Fails when the publisher cannot meet what the plan asks for, whatever the table holds.
    fn accepts(&self, plan: &Plan<'_>) -> Result<()>;

    /// Makes the groups.
    fn publish(&self, plan: &Plan<'_>, randomness: Randomness) -> Result<Outcome>;
}

/// All publishers.
pub static PUBLISHERS: &[Entry<dyn Publisher>] = &[transparent::HYBRID, transparent::TAILOR, transparent::ACE];
