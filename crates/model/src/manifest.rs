//! Manifests: what is published beside the tables, stating the complete mechanism.
//!
//! Privacy does not rest on hiding the mechanism. A [`Manifest`] holds nothing that the released tables, the job and public data do not
//! imply: no path, no time, no fingerprint of the private table. Whoever reads releases needs this module and nothing that makes them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::hierarchy::HierarchySpec;
use crate::principle::PRINCIPLES;
use crate::promise::PromiseClass;
use crate::registry::{ParamKind, ParamSpec};
use crate::statistic::ColumnStatistic;
use crate::table::{ColumnType, Role};

/// Version of the manifest's layout.
pub const MANIFEST_FORMAT: u32 = 1;

/// What readers are told of a column: nothing that depends on the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedColumn {
    /// As in the released tables.
    pub name: String,
    /// Identifiers and dropped columns are never listed.
    pub role: Role,
    /// The type of its values.
    #[serde(rename = "type")]
    pub kind: ColumnType,
    /// How its values are joined; a file is named relative to the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<HierarchySpec>,
    /// The values that are protected, when not all are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protect: Option<Vec<String>>,
    /// The statistic that is shown of a quasi column, when its function shows one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aggregate: Option<ColumnStatistic>,
    /// The spellings that were read as missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// What was lost of a quasi column, where the released cells imply it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<PublishedLoss>,
}

/// What was lost of a quasi column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedLoss {
    /// The mean over rows of the share of the column's span that is lost, as an exact fraction.
    pub mean: String,
    /// The largest such share.
    pub highest: String,
    /// Rows of which a single value is shown.
    pub intact: u64,
}

/// A principle that the release meets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedPrinciple {
    /// The registry id.
    pub principle: String,
    /// By name, as text, defaults filled in.
    pub parameters: BTreeMap<String, String>,
    /// In words.
    pub means: String,
}

/// How finely a function of a sequence sees one quasi column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PublishedGrain {
    /// A level of the column's hierarchy.
    Level(usize),
    /// Intervals from each border to below the next.
    Borders(Vec<String>),
}

/// A function of the sequence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedFunction {
    /// By quasi column; one that is left out is shown as it is.
    pub columns: BTreeMap<String, PublishedGrain>,
    /// The principle on group sizes that rules the function out whatever the sensitive values are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruled_out: Option<String>,
}

/// The sequence of functions, how it was walked along, and where that ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedSequence {
    /// The strategy's registry id.
    pub strategy: String,
    /// Where the strategy is defined.
    pub strategy_reference: String,
    /// The strategy in words; jumps that are secret are not among them.
    pub means: String,
    /// For secret jumps, how many there were to draw from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// Whether somebody may see that nothing is released: `unknown` or `observable`.
    pub silence: String,
    /// The functions, in order.
    pub functions: Vec<PublishedFunction>,
    /// The function that is released, from 1.
    pub released: usize,
}

/// The granulation that was searched for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedSearch {
    /// The measure in which it is the best.
    pub measure: String,
    /// By quasi column, its level.
    pub levels: BTreeMap<String, usize>,
    /// Rows that might be left out.
    pub may_leave_out: u64,
}

/// How the release was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(expecting = "struct Mechanism")]
pub struct PublishedMechanism {
    /// The publisher's registry id.
    pub publisher: String,
    /// Where the publisher is defined.
    pub publisher_reference: String,
    /// The publisher's parameters.
    pub publisher_parameters: BTreeMap<String, String>,
    /// The function's registry id.
    pub function: String,
    /// Where the function is defined.
    pub function_reference: String,
    /// The sequence that was walked along, when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence: Option<PublishedSequence>,
    /// The granulation that was searched for, when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<PublishedSearch>,
    /// The levels by which the groups were made, by quasi column, when the best of several answers was kept; one that is left
    /// out is shown as it is. Whose answer it was is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<BTreeMap<String, PublishedGrain>>,
    /// The sensitive column whose values the publisher may have replaced, when it does such things; whether it did, and for
    /// whom, is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub altered: Option<String>,
    /// What settles ties between rows.
    pub ties: String,
    /// Where random choices came from.
    pub randomness: String,
    /// The class of what is promised; releases of version 0.1.0 do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<PromiseClass>,
    /// What is promised, against whom.
    pub guarantee: String,
}

/// A principle's parameter as measured on the classes of the release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(expecting = "struct Measured")]
pub struct MeasuredPrinciple {
    /// The registry id.
    pub principle: String,
    /// The sensitive column.
    pub column: String,
    /// The parameter at which the worst class just passes.
    pub value: String,
}

/// The name under which sizes of classes are measured when there is no sensitive column.
pub const NO_COLUMN: &str = "(none)";

impl MeasuredPrinciple {
    /// What was measured on what: the principle and the column, without the column where sizes of classes are all that is
    /// looked at, and with the parameter in its place where the principle has sentences.
    pub fn subject(&self) -> String {
        let (id, name) = (&self.principle, &self.column);
        if name == NO_COLUMN {
            id.clone()
        } else if self.is_of_sentences() {
            format!("{id}, `{name}`")
        } else {
            format!("{id}, column `{name}`")
        }
    }

    /// What was measured, as a sentence without its full stop.
    pub fn label(&self) -> String {
        let (id, name, value) = (&self.principle, &self.column, self.value.as_str());
        if self.is_of_sentences() {
            return match value {
                "never" => format!("Worst class: all its rows satisfy one of the `{name}` of {id}"),
                "0" => format!("Worst class: none of its rows satisfies one of the `{name}` of {id}"),
                share => format!("Worst class: one of the `{name}` of {id} is satisfied by {share} of its rows"),
            };
        }
        let of = if name == NO_COLUMN { id.clone() } else { format!("{id} of column `{name}`") };
        match value {
            "never" => format!("Achieved by every group: {of} at no parameter"),
            "unbounded" => format!("Achieved by every group: {of} at every parameter"),
            value => format!("Achieved by every group: {of}, {value}"),
        }
    }

    /// Whether the principle looks at sentences, which are a parameter, and not at a column.
    fn is_of_sentences(&self) -> bool {
        let entry = PRINCIPLES.iter().find(|entry| entry.id == self.principle);
        let is_text = |param: &ParamSpec| param.name == self.column && param.kind == ParamKind::Text;
        entry.is_some_and(|entry| entry.params.iter().any(is_text))
    }
}

/// What `pellucid verify` checks a file of the release against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedFile {
    /// Its path in the release.
    pub name: String,
    /// Its BLAKE3 checksum.
    pub blake3: String,
    /// Its size.
    pub bytes: u64,
}

/// What is published beside the tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of this layout.
    pub format: u32,
    /// What made it.
    pub made_by: String,
    /// Whether it may be published.
    pub for_publication: bool,
    /// Why it may not be published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caveat: Option<String>,
    /// Why an adversary who knows the mechanism learns more than the principles say, where that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_transparent: Option<String>,
    /// That an earlier result had been seen before this release was made, where that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier_result: Option<String>,
    /// Number of people whose rows are released.
    pub rows: u64,
    /// Number of people whose rows are left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
    /// Number of classes of rows published alike.
    pub classes: u64,
    /// The published columns, in the order of the table.
    pub columns: Vec<PublishedColumn>,
    /// The column that numbers groups, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_column: Option<String>,
    /// What holds.
    pub privacy: Vec<PublishedPrinciple>,
    /// How it was made.
    pub mechanism: PublishedMechanism,
    /// What holds at the most.
    pub measured: Vec<MeasuredPrinciple>,
    /// What it costs, by metric, as far as the released cells imply it.
    pub utility: BTreeMap<String, serde_json::Value>,
    /// The files of the release but this one.
    pub files: Vec<PublishedFile>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
