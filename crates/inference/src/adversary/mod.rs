//! The exhaustive adversary: attacks on small tables, of which every possible original is tried.
//!
//! Any publisher can be attacked exactly this way. The adversary knows an [`ExternalSource`] of people, sees what a [`Mechanism`] made
//! public (or that it answered nothing), and knows the mechanism. [`PossibleWorlds`] are the originals held possible beforehand, all equally
//! likely; [`reverse_engineer`] weighs each by the probability that the mechanism answers so (proposition 1 of Xiao, Tao and Koudas
//! 2010) and [`reverse_engineer_all`] does it for every possible answer in one pass.
//!
//! - `worlds.rs`: possible originals, walked through by all processors, never held in memory together.
//! - `reverse.rs`: belief by proposition 1; `blind.rs`: belief of one who ignores the mechanism.
//! - `sample.rs`: the same estimated from originals drawn at random.
//! - `credibility.rs`: proposition 2, of one who knows only that a release is minimal.
//! - `family.rs`: the best of several strategies along a sequence, as a mechanism; `external.rs`: people, boxes and releases.
//!
//! # Guarantee
//! Probabilities are exact fractions and every world within [`PossibleWorlds`] is tried: nothing is sampled.
//!
//! # Cost
//! The number of worlds times a run of the mechanism for every combination of its random choices. That is for tables of
//! about ten people; the number of worlds is checked against a limit before the first is tried.
//!
//! # Reference
//! Xiao, Tao, Koudas: Transparent Anonymization, ACM TODS 35(2), 2010, definitions 3 to 8.

mod blind;
mod credibility;
mod external;
mod family;
mod reverse;
mod sample;
mod worlds;

pub use blind::{ReleaseRow, blind, blind_rows};
pub use credibility::{MinimalityBelief, credibility};
pub use external::{BoxRelease, ExternalSource, QuasiBounds};
pub use family::{EarliestOf, FamilyStep};
pub use reverse::{PosteriorBelief, reverse_engineer, reverse_engineer_all};
pub use sample::{WorldUrn, sample};
pub use worlds::{LIMIT, PossibleWorlds};

use pellucid_model::error::Result;
use pellucid_model::exact::Fraction;

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
