//! Pages for the people who answer for a release: a data steward, a disclosure officer, a board.
//!
//! [`ReleaseReport`] is a release with what it risks and what it costs, [`ComparisonPage`] several publishers side by side. Both are
//! values that somebody else computed; `to_html` writes them as one file without scripts and without anything from elsewhere, for
//! screens of any width, light or dark, and for paper. Nothing is computed here, no file is read and no table is seen.
//!
//! # Guarantee
//! The same value is always the same bytes. Text of the value is never markup, whatever it holds. The public edition, which is
//! the one without [`InternalFacts`], holds nothing but its value: no time, no path.
//!
//! - `value.rs`, `compared.rs`: the values;
//! - `words.rs`: numbers and clauses as people read them;
//! - `page.rs`, `page.css`: the shell of a page, tables and figures;
//! - `release/`: the page of a release, one file for each part of it;
//! - `comparison/`: the page of a comparison: tables, and charts.

mod compared;
mod comparison;
mod page;
mod release;
mod value;
mod words;

pub use compared::{ComparedMethod, ComparisonPage, MethodFigures, MethodOutcome};
pub use value::{
    ColumnLine, InternalFacts, MetricLine, ReleaseReport, ReportNumber, RiskLine, RiskTable, WorkloadLine,
};
