//! What the ledger keeps, as callers give it and get it back.

use pellucid_model::promise::PromiseClass;
use serde::{Deserialize, Serialize};

/// A table to be registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTable {
    /// What people call it.
    pub name: String,
    /// Tells it from every other table; made of all its cells, so it stays in the ledger.
    pub fingerprint: String,
    /// How many people it has.
    pub rows: u64,
    /// The gate through which everything shown of it goes.
    pub gate: String,
}

/// A registered table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TableRecord {
    /// What people call it.
    pub name: String,
    /// Tells it from every other table.
    pub fingerprint: String,
    /// How many people it has.
    pub rows: u64,
    /// The gate through which everything shown of it goes.
    pub gate: String,
    /// How many times something was shown of it.
    pub version: u64,
    /// When it was registered.
    pub since: String,
}

/// What kind of thing was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EvidenceKind {
    /// Some people, and the multiset of their values.
    View,
    /// Groups that cover a table.
    Release,
}

/// People that were shown together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Their numbers in the canonical order of the table.
    pub members: Vec<u32>,
    /// Each value that was published of them, with how many of them have it.
    pub values: Vec<(String, u64)>,
}

/// Something shown, to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvidence {
    /// What kind of thing.
    pub kind: EvidenceKind,
    /// The sensitive column whose values were shown.
    pub column: String,
    /// What was asked for, in words or as a query.
    pub statement: String,
    /// What was shown.
    pub groups: Vec<Group>,
    /// Of a release, the class of what it promises; `None` when its manifest does not say it.
    pub promise: Option<PromiseClass>,
    /// Of a release, the other columns that it shows, kept ones and quasi-identifiers.
    pub others: Vec<String>,
    /// What it tells besides the multisets of its groups, a clause each.
    pub gaps: Vec<String>,
}

/// Something shown, as recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// The first thing shown of a table has number 1.
    pub number: u64,
    /// When it was recorded.
    pub at: String,
    /// Who decided to show it.
    pub by: String,
    /// What kind of thing.
    pub kind: EvidenceKind,
    /// The sensitive column whose values were shown.
    pub column: String,
    /// What was asked for, in words or as a query.
    pub statement: String,
    /// What was shown.
    pub groups: Vec<Group>,
    /// Of a release, the class of what it promises; `None` when that was not recorded.
    pub promise: Option<PromiseClass>,
    /// Of a release, the other columns that it shows; `None` when that was not recorded.
    pub others: Option<Vec<String>>,
    /// What it tells besides the multisets of its groups; `None` when that was not recorded.
    pub gaps: Option<Vec<String>>,
    /// That it was never handed out, on somebody's word.
    pub withdrawn: Option<Withdrawal>,
}

/// That a release was never handed out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Withdrawal {
    /// When that was recorded.
    pub at: String,
    /// On whose word.
    pub by: String,
    /// Why.
    pub reason: String,
}

/// How a decision ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It was shown, for the gate let it pass.
    Released,
    /// It was not shown.
    Refused,
    /// It was shown although the gate did not let it pass; somebody gave a reason.
    Forced,
}

/// A decision to be recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct NewDecision {
    /// Who decided.
    pub by: String,
    /// What was asked for.
    pub statement: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What the gate found, in a few words.
    pub verdict: String,
    /// What the gate found, in full.
    pub detail: serde_json::Value,
    /// Why; [`Outcome::Forced`] needs one.
    pub reason: Option<String>,
}

/// A decision, as recorded.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decision {
    /// The first decision on a table has number 1.
    pub number: u64,
    /// When it was recorded.
    pub at: String,
    /// The number of what was shown, when something was.
    pub evidence: Option<u64>,
    /// Who decided.
    pub by: String,
    /// What was asked for.
    pub statement: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What the gate found, in a few words.
    pub verdict: String,
    /// What the gate found, in full.
    pub detail: serde_json::Value,
    /// Why, when a reason was given.
    pub reason: Option<String>,
}

/// A table and everything shown of it, as of one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct History {
    /// The table.
    pub table: TableRecord,
    /// Everything shown of it, by number.
    pub evidence: Vec<Evidence>,
}

/// What became of a decision that was to be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "a decision that was not recorded must be made again"]
pub enum Recorded {
    /// It is recorded, and stays so whatever happens to this machine's power.
    Done {
        /// The number of the decision.
        decision: u64,
        /// The number of what was shown, when something was.
        evidence: Option<u64>,
    },
    /// Nothing is recorded, for something else was shown in the meantime: read the history and decide again.
    Moved,
}

/// The words by which an enumeration is kept.
macro_rules! words {
    ($type:ident { $($variant:ident = $word:literal),+ }) => {
        impl $type {
            /// The word by which it is kept and told.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// What is kept by this word.
            pub(crate) fn of(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

words!(EvidenceKind { View = "view", Release = "release" });
words!(Outcome { Released = "released", Refused = "refused", Forced = "forced" });
