//! What the page of a release shows.

use pellucid_model::manifest::Manifest;

/// A number.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReportNumber {
    /// As a fraction, `1/8`; `None` where it was measured as a decimal number.
    pub exact: Option<String>,
    /// As a decimal number, `0.125`.
    pub decimal: f64,
}

impl From<f64> for ReportNumber {
    fn from(decimal: f64) -> Self {
        Self { exact: None, decimal }
    }
}

/// The risk of being re-identified under one model of an attacker.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RiskLine {
    /// The name of the model.
    pub model: String,
    /// What it assumes, and what its risk is the probability of.
    pub means: String,
    /// The highest risk of a record, where the model has one.
    pub highest: Option<ReportNumber>,
    /// The average over all records.
    pub average: ReportNumber,
    /// The share of records above the threshold.
    pub above: Option<ReportNumber>,
}

/// Risks of being re-identified.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RiskTable {
    /// The risk above which a record counts as at risk.
    pub threshold: ReportNumber,
    /// One line for each model.
    pub lines: Vec<RiskLine>,
    /// The register of the population that was used, in words; `None` without one.
    pub population: Option<String>,
}

/// A column of the release.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ColumnLine {
    /// As in the released tables.
    pub name: String,
    /// As a job file writes it.
    pub role: String,
    /// How it is shown, in words.
    pub shown: String,
    /// The mean share of the column's span that a row lost.
    pub lost: Option<ReportNumber>,
    /// The largest such share.
    pub worst: Option<ReportNumber>,
    /// Rows that are shown with a single value.
    pub intact: Option<u64>,
}

/// A metric of utility.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MetricLine {
    /// The registry id.
    pub id: String,
    /// What it measures.
    pub means: String,
    /// Of the table before; only in the internal edition.
    pub before: Option<ReportNumber>,
    /// Of the release.
    pub after: ReportNumber,
}

/// A release, for the people who answer for it.
#[derive(Debug, Clone)]
pub struct ReleaseReport<'a> {
    /// The manifest, complete; its files are all but this page and the manifest itself.
    pub manifest: &'a Manifest,
    /// The promised bound on belief, if the principles have one.
    pub bound: Option<ReportNumber>,
    /// The largest share of one value in a class, protected or not.
    pub highest_share: Option<ReportNumber>,
    /// People in a class where all have one sensitive value, protected or not.
    pub single_value: u64,
    /// Risks of the release.
    pub risks: RiskTable,
    /// The published columns.
    pub columns: Vec<ColumnLine>,
    /// What it costs.
    pub metrics: Vec<MetricLine>,
    /// Classes by size: from, to, how many.
    pub sizes: Vec<(u64, u64, u64)>,
    /// Records of the smallest class; 0 where there is none.
    pub smallest: u64,
    /// The job file that makes such a release from the source.
    pub job: String,
    /// The command that makes it.
    pub command: String,
    /// The command that checks it.
    pub verify: String,
    /// What the public must not see; with it, this is the internal edition.
    pub internal: Option<InternalFacts>,
}

/// What only the data owner may see.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InternalFacts {
    /// Where the table came from.
    pub source: String,
    /// Its BLAKE3 checksum.
    pub source_checksum: String,
    /// When the release was begun.
    pub started: String,
    /// Rows whose quasi-identifiers nobody else in the table has.
    pub unique_rows: u64,
    /// Risks of the table as it is.
    pub risks_before: RiskTable,
    /// Risks of the release, with the register if there is one.
    pub risks_after: RiskTable,
    /// How well counts come out of the release.
    pub workload: Option<WorkloadLine>,
    /// What was seen on the way, in paragraphs.
    pub account: Vec<String>,
    /// Stages and how long they took.
    pub seconds: Vec<(String, f64)>,
}

/// Counting queries answered from the release, held against the table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WorkloadLine {
    /// How many queries.
    pub queries: u64,
    /// Columns that each names, the sensitive one among them.
    pub qd: u64,
    /// The share of the table that each is expected to select.
    pub s: f64,
    /// The mean error, relative to the answer or to 0.5 % of the rows where that is more.
    pub error: f64,
}
