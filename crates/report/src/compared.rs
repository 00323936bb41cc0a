//! What the page of a comparison shows.

use pellucid_inference::verdict::Verdict;

use crate::value::RiskTable;

/// Publishers side by side.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ComparisonPage {
    /// The title of the page.
    pub title: String,
    /// Facts that all share: rows, columns, principles, each with its name.
    pub about: Vec<(String, String)>,
    /// The parameter that is varied, if one is.
    pub vary: Option<String>,
    /// What each method came to, in order.
    pub methods: Vec<ComparedMethod>,
    /// The workload behind errors, in words.
    pub workload: String,
    /// What is to be kept in mind when reading it.
    pub note: String,
    /// The command that makes it.
    pub command: String,
}

/// A method, and what it came to.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedMethod {
    /// Its name.
    pub name: String,
    /// The value of the parameter that is varied.
    pub at: Option<String>,
    /// What it came to.
    pub outcome: MethodOutcome,
}

/// What a method came to.
#[derive(Debug, Clone, PartialEq)]
pub enum MethodOutcome {
    /// It releases something.
    Released(Box<MethodFigures>),
    /// It answers nothing, for this reason.
    Nothing(String),
    /// It does not take the job, for this reason.
    Refused(String),
}

/// Figures of a release.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MethodFigures {
    /// Whether the principles hold against somebody who knows how it was made.
    pub transparent: bool,
    /// The class of its promise.
    pub promise: String,
    /// Why it may not be published, or what it does not bound.
    pub caveat: Option<String>,
    /// Classes of rows published alike.
    pub classes: u64,
    /// Rows released.
    pub rows: u64,
    /// Rows left out.
    pub left_out: u64,
    /// The mean error of counting queries.
    pub error: Option<f64>,
    /// Metrics by id.
    pub metrics: Vec<(String, f64)>,
    /// Risks of being re-identified.
    pub risks: RiskTable,
    /// What is believed by somebody who ignores the mechanism.
    pub blind: Option<Verdict>,
    /// What is believed by somebody who knows it.
    pub knowing: Option<Verdict>,
    /// Why it is not known what somebody believes who knows the mechanism.
    pub unattacked: Option<String>,
    /// How long it took.
    pub seconds: f64,
    /// Classes by size: from, to, how many.
    pub sizes: Vec<(u64, u64, u64)>,
    /// Error by number of columns that a query names.
    pub by_qd: Vec<(f64, f64)>,
    /// Error by share of the table that a query is expected to select.
    pub by_s: Vec<(f64, f64)>,
}
