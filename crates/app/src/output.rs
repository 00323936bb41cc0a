//! A release in memory: tables as record batches, manifest, reports, and what only the owner may see.

use std::time::Duration;

use arrow_array::RecordBatch;
use pellucid_arrow::ColumnBatches;
use pellucid_model::error::Result;
use pellucid_model::exact::{Fraction, format_fraction};
use pellucid_model::manifest::Manifest;
use pellucid_model::progress::Stage;
use pellucid_model::table::{ReleasedColumn, ReleasedColumns};
use pellucid_publish::release::Release;
use pellucid_report::ReleaseReport;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::report::{OwnerFacts, owner_report, public_report};
use crate::session::Session;

/// A release in memory.
///
/// # Guarantee
/// [`ReleaseOutput::tables`], [`ReleaseOutput::manifest`], [`Session::hierarchy_files`] and [`ReleaseOutput::public_report`] are what
/// `pellucid publish` writes into the public folder; everything else is for the owner alone.
///
/// # Example
/// ```
/// # use std::sync::Arc;
/// # use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
/// # use pellucid_app::{Dataset, Job, PublishAnswer, Session};
/// # let job = Job::read("columns.age = { role = \"quasi\" }\nprivacy = { principle = \"k-anonymity\", k = 2 }", &[])?;
/// # let age: ArrayRef = Arc::new(Int64Array::from(vec![21, 27, 54, 60]));
/// # let data = Dataset::from_batches(&job, &[RecordBatch::try_from_iter([("age", age)]).unwrap()])?;
/// # let session = Session::new(&job, &data);
/// let PublishAnswer::Release(release) = session.publish()? else { panic!("two groups of two are possible") };
/// for table in release.tables()? {
///     let rows: usize = table.batches()?.iter().map(|batch| batch.num_rows()).sum();
///     assert_eq!((table.name(), rows), ("data", 4));
/// }
/// let manifest = serde_json::to_string(release.manifest()).unwrap();
/// assert!(manifest.contains("\"publisher\":\"tailor\""));
/// assert!(release.public_report()?.to_html().starts_with("<!DOCTYPE html>"));
/// # Ok::<(), pellucid_app::Error>(())
/// ```
#[derive(Debug)]
pub struct ReleaseOutput {
    release: Release,
    threshold: Fraction,
    unique_rows: u64,
    timings: Vec<(Stage, Duration)>,
}

/// One released table.
///
/// # Example
/// ```
/// # use pellucid_app::{ReleasedBatches, Result};
/// fn rows(table: &ReleasedBatches) -> Result<usize> {
///     Ok(table.batches()?.iter().map(|batch| batch.num_rows()).sum())
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleasedBatches {
    name: String,
    columns: ReleasedColumns,
}

impl ReleasedBatches {
    /// The name from which that of its file is made.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its columns, for writers.
    pub fn columns(&self) -> &ReleasedColumns {
        &self.columns
    }

    /// Its rows; text is in dictionaries that all batches share.
    ///
    /// # Errors
    /// When a column has more than 2 GiB of distinct text.
    pub fn batches(&self) -> Result<Vec<RecordBatch>> {
        ColumnBatches::new(&self.columns)?.iter().collect()
    }
}

impl ReleaseOutput {
    pub(crate) fn new(
        release: Release,
        threshold: Fraction,
        unique_rows: u64,
        timings: Vec<(Stage, Duration)>,
    ) -> Self {
        Self { release, threshold, unique_rows, timings }
    }

    /// The manifest; it lists no files, for there are none.
    pub fn manifest(&self) -> &Manifest {
        &self.release.manifest
    }

    /// The same, for whoever writes files and lists them.
    pub fn manifest_mut(&mut self) -> &mut Manifest {
        &mut self.release.manifest
    }

    /// The released tables.
    ///
    /// # Errors
    /// When a function of the publisher made columns of different lengths, which is a defect.
    pub fn tables(&self) -> Result<Vec<ReleasedBatches>> {
        let sheets = self.release.exhibit.sheets.iter();
        sheets
            .map(|sheet| {
                Ok(ReleasedBatches {
                    name: sheet.name.to_owned(),
                    columns: ReleasedColumns::new(sheet.columns.clone())?,
                })
            })
            .collect()
    }

    /// Which row of the table became which line of each released table, 0 where it is left out; for the owner alone.
    ///
    /// # Errors
    /// Those of [`ReleaseOutput::tables`].
    pub fn assignment(&self) -> Result<ReleasedBatches> {
        let sheets = &self.release.exhibit.sheets;
        let rows = (self.manifest().rows + self.manifest().left_out) as usize;
        let mut columns = vec![("row".to_owned(), ReleasedColumn::Ordinal((1..=rows as u32).collect()))];
        for sheet in sheets {
            // A row that is left out has no line.
            let mut line_of = vec![0; rows];
            for (&row, line) in sheet.row_of.iter().zip(1..) {
                line_of[row as usize] = line;
            }
            let name = if sheets.len() == 1 { "line".to_owned() } else { format!("{}_line", sheet.name) };
            columns.push((name, ReleasedColumn::Ordinal(line_of)));
        }
        Ok(ReleasedBatches { name: "assignment".to_owned(), columns: ReleasedColumns::new(columns)? })
    }

    /// The report that may be published: it follows from the released tables and the manifest.
    ///
    /// # Errors
    /// When the manifest names what this version does not know.
    pub fn public_report(&self) -> Result<ReleaseReport<'_>> {
        self.public_report_with(&self.release.manifest)
    }

    /// The same with a manifest that lists files.
    ///
    /// # Errors
    /// Those of [`ReleaseOutput::public_report`].
    pub fn public_report_with<'r>(&'r self, manifest: &'r Manifest) -> Result<ReleaseReport<'r>> {
        public_report(&self.release, manifest, &self.threshold)
    }

    /// The report for the owner: risk and utility before and after, and how well counts come out of the release.
    ///
    /// # Errors
    /// Those of [`ReleaseOutput::public_report`].
    pub fn owner_report(&self, session: &Session<'_>, facts: &OwnerFacts) -> Result<ReleaseReport<'_>> {
        owner_report(&self.release, &self.threshold, session, facts, self.unique_rows)
    }

    /// Rows of the table whose quasi-identifiers nobody else has.
    pub fn unique_rows(&self) -> u64 {
        self.unique_rows
    }

    /// How long each stage took.
    pub fn timings(&self) -> &[(Stage, Duration)] {
        &self.timings
    }

    /// The same after more work, which took until now.
    #[must_use]
    pub fn with_timings(self, timings: Vec<(Stage, Duration)>) -> Self {
        Self { timings, ..self }
    }

    /// Everything that was made, for the crates of this project.
    pub fn release(&self) -> &Release {
        &self.release
    }
}

/// For the owner alone: what the release shows and costs, what its publisher saw on its way, and how long it took.
impl Serialize for ReleaseOutput {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let release = &self.release;
        let seconds = self.timings.iter().map(|(stage, time)| (stage.words().to_owned(), json!(time.as_secs_f64())));
        json!({
            "manifest": release.manifest,
            "highest_share": release.highest_share.as_ref().map(format_fraction),
            "people_in_groups_with_a_single_value": release.single_value,
            "unique_rows_in_source": self.unique_rows,
            "account": release.account,
            "search": release.search,
            "seconds": seconds.collect::<Map<String, Value>>(),
        })
        .serialize(serializer)
    }
}
