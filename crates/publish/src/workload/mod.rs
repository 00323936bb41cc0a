//! Workloads: count queries, answered on a table and estimated from a release, to see what analysts can still do with it.
//!
//! A query counts the people whose values lie in a range of every column that it names:
//!
//! ```sql
//! SELECT COUNT(*) FROM table WHERE age BETWEEN 30 AND 52 AND sex BETWEEN 1 AND 1 AND illness BETWEEN 4 AND 31
//! ```
//!
//! A [`QueryWorkload`] is many random ones of the same dimensionality and expected selectivity ([`WorkloadSettings`]). [`QueryTable`] is the table
//! that they are asked about and answers exactly; a [`ReleaseReader`] has the release and estimates. The error of an estimate is
//! `|estimate - answer| / max(answer, delta)` with delta of [`DELTA`] of the rows, and that of a workload is the mean ([`WorkloadErrors`]).
//!
//! Ranges are of ranks: numbers and dates in their order, categories in the order of their hierarchy or by the alphabet. A missing
//! cell is in no range.
//!
//! # Reference
//! Xiao, Tao, Koudas: Transparent Anonymization, ACM TODS 35(2), 2010, section 4.1.

mod draw;
mod reader;
mod table;

pub use reader::ReleaseReader;
pub use table::QueryTable;

use pellucid_model::error::{Error, Result};

/// Answers below this share of the rows are taken to be that share when errors are relative to them.
pub const DELTA: f64 = 0.005;

/// What a workload is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorkloadSettings {
    /// Number of queries.
    pub queries: usize,
    /// Columns that each names: the sensitive one, and others among the quasi columns. `None` for as many as there are.
    pub dimensions: Option<usize>,
    /// Share of the rows that a query is expected to count, if values were even and columns independent.
    pub selectivity: f64,
    /// What the random choices follow from; a workload protects nobody.
    pub seed: u64,
}

impl Default for WorkloadSettings {
    fn default() -> Self {
        Self { queries: 1000, dimensions: None, selectivity: 0.06, seed: 1 }
    }
}

impl WorkloadSettings {
    /// Fails on settings that no table has queries for.
    pub fn check(&self) -> Result<()> {
        if self.queries == 0 {
            return Err(Error::invalid("a workload needs queries; ask for at least 1"));
        }
        if !(self.selectivity > 0.0 && self.selectivity <= 1.0) {
            return Err(Error::invalid(
                "the expected selectivity of queries must be above 0 and at most 1; 0.06 means 6 % of the rows",
            ));
        }
        Ok(())
    }
}

/// The ranks `from..to` of one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankRange {
    /// The column, as [`QueryTable::columns`] numbers them.
    pub column: usize,
    /// The first rank.
    pub from: u32,
    /// The rank after the last.
    pub to: u32,
}

/// One query: whose values lie in all ranges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountQuery {
    /// At most one of a column.
    pub ranges: Vec<RankRange>,
}

/// Queries of the same kind.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryWorkload {
    /// Columns that each query names.
    pub dimensions: usize,
    /// Their expected selectivity.
    pub selectivity: f64,
    /// In the order in which they were drawn.
    pub queries: Vec<CountQuery>,
}

/// How far estimates are off; measured in floating point, and decides nothing.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct WorkloadErrors {
    /// The mean over all queries: the error of the workload.
    pub mean: f64,
    /// The median; of two the smaller.
    pub median: f64,
    /// The largest.
    pub highest: f64,
}

impl WorkloadErrors {
    /// The errors of `estimates` of `answers` on a table of `rows` rows; as many of both, and at least one.
    pub fn of(rows: usize, answers: &[u64], estimates: &[f64]) -> Self {
        let delta = DELTA * rows as f64;
        let error = |(&answer, &estimate): (&u64, &f64)| (estimate - answer as f64).abs() / (answer as f64).max(delta);
        let mut errors: Vec<f64> = answers.iter().zip(estimates).map(error).collect();
        let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
        errors.sort_by(f64::total_cmp);
        let at = |place: usize| errors.get(place).copied().unwrap_or(0.0);
        Self { mean, median: at(errors.len().saturating_sub(1) / 2), highest: at(errors.len().saturating_sub(1)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_relative_to_the_answer_but_not_to_less_than_delta() {
        // Of 1000 rows, delta is 5.
        let errors = WorkloadErrors::of(1000, &[10, 0, 4], &[11.0, 1.0, 0.0]);
        assert!((errors.mean - (0.1 + 0.2 + 0.8) / 3.0).abs() < 1e-12);
        assert!((errors.median - 0.2).abs() < 1e-12 && (errors.highest - 0.8).abs() < 1e-12);
    }

    #[test]
    fn settings_without_queries_are_refused() {
        assert!(WorkloadSettings::default().check().is_ok());
        assert!(WorkloadSettings { queries: 0, ..WorkloadSettings::default() }.check().is_err());
        for selectivity in [0.0, -1.0, 1.5, f64::NAN] {
            assert!(WorkloadSettings { selectivity, ..WorkloadSettings::default() }.check().is_err());
        }
    }
}
