//! The adversary who knows the mechanism: attacks on releases, small and large.
//!
//! **Small tables**: every possible original is tried, so any publisher can be attacked exactly. The adversary knows an [`ExternalSource`] of people, sees what a [`Mechanism`] made public (or that it answered
//! nothing), and knows the mechanism. [`Worlds`] are the originals held possible beforehand, all equally likely;
//! [`reverse_engineer`] weighs each by the probability that the mechanism answers so (proposition 1 of Xiao, Tao and
//! Koudas 2010) and [`reverse_engineer_all`] does it for every possible answer in one pass.
//!
//! - `worlds.rs`: possible originals, walked through by all processors, never held in memory together.
//! - `reverse.rs`: belief by proposition 1; `blind.rs`: belief of one who ignores the mechanism.
//! - `sample.rs`: the same estimated from originals drawn at random.
//! - `credibility.rs`: proposition 2, of one who knows only that a release is minimal.
//! - `publisher.rs`: any publisher of the registry as a mechanism; `mask.rs`: Mask on a partition that is given; `family.rs`:
//!   the best of several strategies along a sequence.
//! - `external.rs`: people, boxes and releases; `lines.rs`: what is seen of releases that are files.
//!
//! **At any scale**: a publisher says what its release tells besides its groups ([`crate::publish::Evidence`]).
//!
//! - `cuts.rs`: the cuts that a publisher which cuts groups in two must have rejected.
//! - `weigh.rs`: gathers the groups that evidence ties together; `question.rs` has each cluster counted, or estimated.
//! - `outlook.rs`: which parts pass, or fail, whatever the values are.
//! - `blocks.rs`, `columns.rs` and `counted.rs`: count a cluster block by block, and a block value by value.
//! - `tails.rs`: how likely at most a large part fails; `draw.rs`: estimates from worlds drawn at random.
//! - `populations.rs`: estimates where evidence is too rare for that; `matrix.rs`: the worlds of these, and moves between them.
//! - `account.rs`: adds up what knowing the mechanism adds to what everybody sees, in the numbers of `beliefs.rs`.
//!
//! # Guarantee
//! On small tables probabilities are exact fractions and every world within [`Worlds`] is tried: nothing is sampled.
//!
//! # Cost
//! The number of worlds times a run of the mechanism for every combination of its random choices. That is for tables of
//! about ten people; the number of worlds is checked against a limit before the first is tried.
//!
//! # Reference
//! Xiao, Tao, Koudas: Transparent Anonymization, ACM TODS 35(2), 2010, definitions 3 to 8.

mod account;
mod beliefs;
mod blind;
mod blocks;
mod columns;
mod counted;
mod credibility;
mod cuts;
mod draw;
mod external;
mod family;
mod lines;
mod mask;
mod matrix;
mod outlook;
mod populations;
mod publisher;
mod question;
mod reverse;
mod sample;
mod tails;
mod weigh;
mod worlds;

pub use account::{AttackAccount, Believed, WORST, Worst, account, account_of_people};
pub use beliefs::{BARS, Beliefs, Promise, Span};
pub use blind::{Row, blind, blind_rows};
pub use credibility::{Credibility, credibility};
pub use cuts::{Halves, rejected_cuts};
pub use external::{Bounds, ExternalSource, Release};
pub use family::{EarliestOf, Step};
pub use lines::{Lines, TableLines};
pub use mask::{MaskOnPartition, masked};
pub use publisher::{Draws, Published, ValueOrder};
pub use reverse::{Posterior, reverse_engineer, reverse_engineer_all};
pub use sample::{Sampled, Urn, sample};
pub use weigh::{Bounded, Cluster, Effort, Seen, Told, weigh};
pub use worlds::{LIMIT, Worlds};

use crate::error::Result;
use crate::exact::Fraction;

/// One possible original: some people of an external source, each with a sensitive value.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct World {
    rows: Vec<(usize, u32)>,
}

impl World {
    /// The world in which exactly the people of `rows` are in the table, with these codes of values; a person listed
    /// twice has the first of both values.
    pub fn new(mut rows: Vec<(usize, u32)>) -> Self {
        rows.sort_by_key(|row| row.0);
        rows.dedup_by_key(|row| row.0);
        Self { rows }
    }

    /// People, numbered as in the external source, and the codes of their values, in order of the people.
    pub fn rows(&self) -> &[(usize, u32)] {
        &self.rows
    }

    /// The value of `person`; `None` when not in the table.
    pub fn value_of(&self, person: usize) -> Option<u32> {
        self.rows.binary_search_by_key(&person, |row| row.0).ok().map(|at| self.rows[at].1)
    }
}

/// Anything that makes something public of a table, as one sees it who knows how it works.
pub trait Mechanism: Sync {
    /// What can be seen of an answer.
    type Seen: Ord + Clone + Send + Sync;

    /// Every possible answer on `world` with its probability, each once; `None` is *nothing*. Probabilities are positive
    /// and sum to 1. An error ends the attack.
    fn answers(&self, world: &World) -> Result<Vec<(Option<Self::Seen>, Fraction)>>;
}
