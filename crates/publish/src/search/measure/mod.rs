//! Measures: how much a granulation keeps, or costs. One search minimises one of them.
//!
//! A [`SearchMeasure`] is bound to the table by [`SearchMeasure::gauge`], which does what can be done once; the resulting [`BoundMeasure`]
//! scores granulations from their classes. With n rows, s of them suppressed, every measure states what suppressed rows
//! count for. `columns.rs` has the measures that add up over columns, `classes.rs` those of class sizes, `benefit.rs` the
//! security and quality of Wang, Liau and Hsu.

mod benefit;
mod classes;
mod columns;

use std::fmt::Debug;

use pellucid_model::error::Result;
use pellucid_model::registry::{ParamKind, ParamSpec, RegistryEntry, ids};

use super::instance::{GranulationView, SearchInstance};
use super::score::MeasureScore;

/// How much a granulation keeps or costs.
pub trait SearchMeasure: Debug + Send + Sync {
    /// Whether scores depend on sensitive values even where nothing is suppressed.
    fn looks_at_sensitive_values(&self) -> bool {
        false
    }

    /// Binds the measure to a table.
    fn gauge(&self, ground: &SearchInstance<'_>) -> Result<Box<dyn BoundMeasure>>;
}

/// A measure bound to a table.
pub trait BoundMeasure: Debug + Send + Sync {
    /// A lower bound on the cost of the granulation and of every less specific one, from the levels alone; negative
    /// infinity when they tell nothing.
    fn floor(&self, levels: &[u32]) -> f64;

    /// The same once the classes are known.
    fn floor_seen(&self, view: &GranulationView<'_>) -> f64 {
        self.floor(view.levels)
    }

    /// Whether a less specific granulation never scores better, when nothing is suppressed.
    fn is_monotone(&self) -> bool {
        true
    }

    /// A lower bound on what the suppression of rows adds, here and under every more specific granulation, to the
    /// [`BoundMeasure::floor`] of that granulation.
    fn excess(&self, _view: &GranulationView<'_>) -> f64 {
        0.0
    }

    /// Whether scores look at the histograms of classes.
    fn looks_at_histograms(&self) -> bool {
        false
    }

    /// The score of a granulation whose failing classes are suppressed.
    fn score(&self, view: &GranulationView<'_>) -> MeasureScore;
}

/// How much each quasi column counts.
pub const WEIGHTS: ParamSpec = ParamSpec {
    name: "weights",
    kind: ParamKind::Text,
    default: Some(pellucid_model::registry::LEFT_OUT),
    help: "how much quasi columns count, e.g. { age = 2, zip = 1 }; 1 for those left out",
};

/// All measures.
pub static MEASURES: &[RegistryEntry<dyn SearchMeasure>] = &[
    columns::LOSS,
    columns::ENTROPY,
    columns::PRECISION,
    columns::HEIGHT,
    classes::DISCERNIBILITY,
    classes::AVERAGE_SIZE,
    benefit::SECURITY,
    benefit::QUALITY,
    benefit::PRODUCT,
];

/// The ids of all measures, in the order of [`MEASURES`].
pub const MEASURE_IDS: &[&str] = &ids::<_, { MEASURES.len() }>(MEASURES);
