//! The account of a search: what it found and how much it looked at. It depends on sensitive values and is for the data
//! owner alone.

use pellucid_model::claim::EntryClaim;
use pellucid_model::exact::format_fraction;
use pellucid_model::registry::{EntryArgs, RegistryEntry};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::publisher::input::PublisherInput;
use crate::publisher::{PUBLISHERS, Publisher};
use crate::search::{PassingNode, SearchEffort, SearchInstance};

/// A granulation that passes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundGranulation {
    /// By quasi column, its level.
    pub levels: Map<String, Value>,
    /// Classes that are released.
    pub classes: u64,
    /// Rows that are left out.
    pub suppressed: u64,
    /// What the measure says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The same as a fraction, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_exact: Option<String>,
    /// How many granulations are more specific.
    pub more_specific: String,
}

impl FoundGranulation {
    pub(super) fn new(ground: &SearchInstance<'_>, hit: &PassingNode) -> Self {
        let columns = ground.lattice().columns();
        let below = columns.iter().zip(&hit.levels).try_fold(1u64, |many, (column, &level)| {
            let below = (0..column.partitions().len() as u32).filter(|&other| column.is_at_most(other, level)).count();
            many.checked_mul(below as u64)
        });
        Self {
            levels: columns
                .iter()
                .zip(&hit.levels)
                .map(|(column, &level)| (column.name().to_owned(), Value::from(level)))
                .collect(),
            classes: hit.classes,
            suppressed: hit.suppressed,
            score: hit.score.as_ref().map(crate::search::MeasureScore::value),
            score_exact: hit.score.as_ref().and_then(crate::search::MeasureScore::exact).map(format_fraction),
            more_specific: below.map_or_else(|| "more than 2^64".to_owned(), |many| (many - 1).to_string()),
        }
    }

    /// `age 2, zip 1`, with all columns.
    pub fn label(&self) -> String {
        let words: Vec<String> = self.levels.iter().map(|(name, level)| format!("{name} {level}")).collect();
        words.join(", ")
    }
}

/// What a search found, and how.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, told as such")]
pub struct SearchAccount {
    /// The best granulation; `None` when none passes.
    pub best: Option<FoundGranulation>,
    /// All maximally specific granulations, when they were asked for.
    pub minimal: Option<Vec<FoundGranulation>>,
    /// The measure that the best one is best in.
    pub measure: String,
    /// The search's registry id.
    pub search: String,
    /// Whether nothing better can exist.
    pub exact: bool,
    /// Whether everything more specific than the best fails: nothing may be left out, and the measure favours what is more
    /// specific.
    pub most_specific: bool,
    /// Whether not even the whole table as one class passes.
    pub whole_fails: bool,
    /// Publishers that hold against an adversary who knows the mechanism, and take what the job asks for.
    pub transparent_publishers: Vec<&'static str>,
    /// What classes must pass, in words.
    pub principles: Vec<String>,
    /// Rows of the table.
    pub rows: u64,
    /// Rows that may be left out.
    pub may_leave_out: u64,
    /// Whether granulations could be ruled out by others: principles allow it, asked with what may be left out.
    pub monotone: bool,
    /// Granulations in the lattice.
    pub nodes: String,
    /// Granulations whose classes were made.
    pub checked: u64,
    /// Classes and counts that were read for it.
    pub read: u64,
    /// The most memory that stored class tables took, in bytes.
    pub bytes: usize,
    /// Whether the choice follows from quasi-identifiers alone, so that knowing the search tells nothing.
    pub transparent: bool,
}

/// The publishers that are suggested for what the plan asks, which they take.
pub(in crate::publisher) fn alternatives(plan: &PublisherInput<'_>) -> Vec<&'static str> {
    let place = |entry: &'static RegistryEntry<dyn Publisher>| {
        let suggested = entry.claims.iter().find_map(|claim| match claim {
            EntryClaim::Suggested { place, .. } => Some(*place),
            _ => None,
        });
        // Of a publisher, which of its parameters are given makes no difference to what it takes.
        let takes = |args: EntryArgs| entry.make(&args).is_ok_and(|publisher| publisher.accepts(plan).is_ok());
        suggested.filter(|_| entry.examples().next().is_some_and(takes)).map(|place| (place, entry.id))
    };
    let mut taking: Vec<(u8, &str)> = PUBLISHERS.iter().filter_map(place).collect();
    taking.sort_unstable();
    taking.into_iter().map(|(_, id)| id).collect()
}

impl SearchAccount {
    pub(super) fn new(search: &str, measure: &str, plan: &PublisherInput<'_>, ground: &SearchInstance<'_>) -> Self {
        Self {
            best: None,
            minimal: None,
            measure: measure.to_owned(),
            search: search.to_owned(),
            exact: true,
            most_specific: false,
            whole_fails: plan.obstacle().is_some(),
            transparent_publishers: alternatives(plan),
            principles: plan.goals.iter().map(|goal| goal.principle.describe()).collect(),
            rows: ground.rows(),
            may_leave_out: ground.limit(),
            monotone: ground.is_monotone(),
            nodes: ground.lattice().size_words(),
            checked: 0,
            read: 0,
            bytes: 0,
            transparent: plan.is_blind(),
        }
    }

    pub(super) fn add(&mut self, effort: &SearchEffort) {
        self.checked += effort.checked;
        self.read += effort.read;
        self.bytes = self.bytes.max(effort.bytes);
    }
}
