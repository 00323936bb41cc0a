//! Granulation search: the most specific, or the best, levels of the quasi columns whose classes pass.
//!
//! A [`SearchInstance`] binds a table to its [`GranulationLattice`] and to the principles that classes must pass; a [`LatticeSearch`] of [`SEARCHES`]
//! walks the lattice and gives all maximally specific granulations that pass, or the best one under a [`SearchMeasure`].
//! `classes.rs` makes class tables, with the keys of `layout.rs`, and rolls them up; `requirements.rs` says which classes pass;
//! `store.rs` keeps some tables, `state.rs` and `tags.rs` are what the searches share, and there is one file for each search.
//!
//! What a search finds is minimal or optimal, and whoever knows that it was searched for learns that everything better
//! failed: such a release is not transparent.

mod classes;
mod counting;
mod fast;
mod genetic;
mod instance;
mod lattice;
mod layout;
mod measure;
mod requirements;
mod score;
mod state;
mod store;
mod tags;
#[cfg(test)]
mod tests;

use std::fmt::Debug;

pub use genetic::{GeneticSearch, GranulationGenome, PARAMS as GENETIC_PARAMS, cross};
pub use instance::{GranulationView, JudgedCodes, SearchInstance};
pub use lattice::{AdmissiblePartition, ColumnLattice, GranulationLattice, GranulationLevels, LatticeNode};
pub use measure::{BoundMeasure, MEASURE_IDS, MEASURES, SearchMeasure, WEIGHTS};
pub use score::MeasureScore;
pub use state::{PassingNode, SearchEffort, SearchLimits};

use pellucid_model::error::Result;
use pellucid_model::registry::{RegistryEntry, ids};

/// A way of searching a lattice.
pub trait LatticeSearch: Debug + Send + Sync {
    /// All maximally specific granulations that pass, in the order of their levels.
    ///
    /// # Errors
    /// When the search gives up: the lattice is too large for it, or [`SearchLimits::watch`] says so.
    fn minimal(
        &self,
        ground: &SearchInstance<'_>,
        limits: &SearchLimits<'_>,
    ) -> Result<(Vec<PassingNode>, SearchEffort)>;

    /// The best granulation that passes; of equally good ones the one of lowest rank, then of lowest levels. `None` when
    /// none passes.
    fn best(
        &self,
        ground: &SearchInstance<'_>,
        gauge: &dyn BoundMeasure,
        limits: &SearchLimits<'_>,
    ) -> Result<(Option<PassingNode>, SearchEffort)>;

    /// Whether what [`LatticeSearch::best`] gives is the best there is.
    fn is_exact(&self) -> bool {
        true
    }
}

/// All searches.
pub static SEARCHES: &[RegistryEntry<dyn LatticeSearch>] = &[fast::ENTRY, genetic::ENTRY];

/// The ids of all searches, in the order of [`SEARCHES`].
pub const SEARCH_IDS: &[&str] = &ids::<_, { SEARCHES.len() }>(SEARCHES);
