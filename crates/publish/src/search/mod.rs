//! Granulation search: the most specific, or the best, levels of the quasi columns whose classes pass.
//!
//! A [`Ground`] binds a table to its [`Lattice`] and to the principles that classes must pass; a [`Search`] of [`SEARCHES`]
//! walks the lattice and gives all maximally specific granulations that pass, or the best one under a [`Measure`].
//! `classes.rs` makes class tables, with the keys of `layout.rs`, and rolls them up; `judge.rs` says which classes pass;
//! `store.rs` keeps some tables, `walk.rs` and `tags.rs` are what the searches share, and there is one file for each search.
//!
//! What a search finds is minimal or optimal, and whoever knows that it was searched for learns that everything better
//! failed: such a release is not transparent.

mod classes;
mod counting;
mod fast;
mod genetic;
mod ground;
mod judge;
mod lattice;
mod layout;
mod measure;
mod score;
mod store;
mod tags;
#[cfg(test)]
mod tests;
mod walk;

use std::fmt::Debug;

pub use genetic::{Genetic, Genome, PARAMS as GENETIC_PARAMS, cross};
pub use ground::{Ground, Judged, View};
pub use lattice::{Admissible, Lattice, Levels, Node, Partition};
pub use measure::{Gauge, MEASURE_IDS, MEASURES, Measure, WEIGHTS};
pub use score::Score;
pub use walk::{Effort, Hit, Limits};

use pellucid_model::error::Result;
use pellucid_model::registry::{Entry, ids};

/// A way of searching a lattice.
pub trait Search: Debug + Send + Sync {
    /// All maximally specific granulations that pass, in the order of their levels.
    ///
    /// # Errors
    /// When the search gives up: the lattice is too large for it, or [`Limits::watch`] says so.
    fn minimal(&self, ground: &Ground<'_>, limits: &Limits<'_>) -> Result<(Vec<Hit>, Effort)>;

    /// The best granulation that passes; of equally good ones the one of lowest rank, then of lowest levels. `None` when
    /// none passes.
    fn best(&self, ground: &Ground<'_>, gauge: &dyn Gauge, limits: &Limits<'_>) -> Result<(Option<Hit>, Effort)>;

    /// Whether what [`Search::best`] gives is the best there is.
    fn is_exact(&self) -> bool {
        true
    }
}

/// All searches.
pub static SEARCHES: &[Entry<dyn Search>] = &[fast::ENTRY, genetic::ENTRY];

/// The ids of all searches, in the order of [`SEARCHES`].
pub const SEARCH_IDS: &[&str] = &ids::<_, { SEARCHES.len() }>(SEARCHES);
