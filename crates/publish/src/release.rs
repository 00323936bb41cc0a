//! Releases in memory: what the public gets, and what only the owner may know of it.

use std::collections::BTreeMap;

use pellucid_model::exact::{Fraction, decimal, format_fraction};
use pellucid_model::manifest::{Manifest, PublishedLoss};

use crate::function::{ReleaseSupport, ReleasedTables};
use crate::publisher::{SearchAccount, SequenceAccount};
use crate::utility::{ColumnLoss, MetricValue};

/// What a release costs, by all metrics and columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReleaseCosts {
    /// By metric.
    pub utility: BTreeMap<String, serde_json::Value>,
    /// By quasi column.
    pub losses: BTreeMap<String, PublishedLoss>,
}

/// A release in memory.
#[derive(Debug, Clone)]
pub struct Release {
    /// The published tables and classes.
    pub exhibit: ReleasedTables,
    /// The manifest, without files yet.
    pub manifest: Manifest,
    /// The largest share of one (protected) value, or confidential sentence, in a class, over all sensitive columns.
    pub highest_share: Option<Fraction>,
    /// The largest share of one value in a class, protected or not, whatever the principles look at.
    pub shown_share: Option<Fraction>,
    /// People in a class where all have one value of some sensitive column, protected or not, which is thereby disclosed.
    pub single_value: u64,
    /// What it costs, for the owner: more than the manifest may say.
    pub costs: ReleaseCosts,
    /// Whether no principle looks at sensitive values, so that shares are not capped.
    pub is_blind: bool,
    /// The bound on belief that people are promised, when the principles have one.
    pub bound: Option<Fraction>,
    /// What a sequence publisher saw on its way; never published.
    pub account: Option<Box<SequenceAccount>>,
    /// What a search saw; never published.
    pub search: Option<Box<SearchAccount>>,
    /// What a reader takes the published cells for, when that was asked for.
    pub spreads: Option<ReleaseSupport>,
}

impl From<ColumnLoss> for PublishedLoss {
    fn from(loss: ColumnLoss) -> Self {
        Self { mean: format_fraction(&loss.mean), highest: format_fraction(&loss.highest), intact: loss.intact }
    }
}

/// A reading as it stands in the manifest.
pub fn reading_to_json(reading: &MetricValue) -> serde_json::Value {
    match reading {
        MetricValue::Number(number) => serde_json::json!({
            "exact": format_fraction(number),
            "decimal": decimal(number),
        }),
        MetricValue::Histogram(bins) => bins
            .iter()
            .map(|(low, high, count)| serde_json::json!({ "from": low, "to": high, "classes": count }))
            .collect(),
    }
}
