//! A release in memory: tables as record batches, manifest, reports, and what only the owner may see.

use std::time::Duration;

use arrow_array::RecordBatch;
use pellucid_arrow::ColumnBatches;
use pellucid_model::error::Result;
use pellucid_model::exact::{Fraction, format_fraction};
use pellucid_model::manifest::Manifest;
use pellucid_model::progress::RunStage;
use pellucid_model::table::{ReleasedColumn, ReleasedColumns};
use pellucid_publish::function::ReleasedTable;
use pellucid_publish::release::Release;
use pellucid_report::ReleaseReport;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::report::{OwnerFacts, owner_report, public_report};
use crate::session::JobSession;

/// A release in memory, and all that its owner may know of it.
///
/// # Guarantee
/// [`tables`](Self::tables), [`manifest`](Self::manifest), [`JobSession::hierarchy_files`] and [`public_report`](Self::public_report) are
/// what `pellucid publish` writes into the public folder, and may be handed out. Everything else is for the owner alone, and so is what
/// it serializes as.
///
/// # Example
/// ```
/// # use pellucid_app::{JobData, Error, PublishAnswer, JobSession};
/// # let (job, patients) = pellucid_app::example::six_people();
/// # let data = JobData::from_batches(&job, &patients)?;
/// # let session = JobSession::new(&job, &data);
/// let PublishAnswer::Release(release) = session.publish()? else { panic!("groups of two are possible") };
/// let table = &release.tables()?[0];
/// assert_eq!((table.name.as_str(), table.rows()), ("data", 6));
/// assert_eq!(release.manifest().mechanism.publisher, "tailor");
/// assert!(release.public_report()?.to_html().starts_with("<!DOCTYPE html>"));
///
/// // For the owner alone: whose line is whose, and what it costs.
/// assert_eq!(release.assignment()?.rows(), 6);
/// let owners = release.owner_report(&session, &Default::default())?;
/// assert_eq!(owners.internal.as_ref().map(|internal| internal.unique_rows), Some(6));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct ReleaseOutput {
    release: Release,
    threshold: Fraction,
    unique_rows: u64,
    timings: Vec<(RunStage, Duration)>,
}

/// A table of a release: one that was just made, or one that somebody has.
///
/// # Example
/// A release that was written elsewhere, to be verified or attacked:
/// ```
/// use pellucid_app::OutputTable;
///
/// # let (_, batches) = pellucid_app::example::six_people();
/// let table = OutputTable::new("data", batches);
/// assert_eq!(table.rows(), 6);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct OutputTable {
    /// `data`; `quasi` and `sensitive` where a release has two tables.
    pub name: String,
    /// All of one schema. In a table that was just made, text is in dictionaries that all batches share.
    pub batches: Vec<RecordBatch>,
}

impl OutputTable {
    /// The table called `name` with these rows.
    pub fn new(name: impl Into<String>, batches: Vec<RecordBatch>) -> Self {
        Self { name: name.into(), batches }
    }

    /// How many rows all batches have together.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// One released table as columns, for writers of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleasedFile {
    /// From which that of its file is made.
    pub name: String,
    /// Equally long.
    pub columns: ReleasedColumns,
}

impl ReleasedFile {
    /// The same as record batches.
    fn table(&self) -> Result<OutputTable> {
        Ok(OutputTable::new(self.name.clone(), ColumnBatches::new(&self.columns)?.iter().collect::<Result<_>>()?))
    }
}

/// The released tables of `output`, for writers of files.
///
/// # Errors
/// When a function of the publisher made columns of different lengths, which is a defect.
pub fn released_files(output: &ReleaseOutput) -> Result<Vec<ReleasedFile>> {
    let sheets = output.release.exhibit.sheets.iter();
    let file = |sheet: &ReleasedTable| {
        Ok(ReleasedFile { name: sheet.name.to_owned(), columns: ReleasedColumns::new(sheet.columns.clone())? })
    };
    sheets.map(file).collect()
}

/// Which row of the table became which line of each released table of `output`, 0 where it is left out; for the owner alone.
///
/// # Errors
/// Those of [`released_files`].
pub fn assignment_file(output: &ReleaseOutput) -> Result<ReleasedFile> {
    let sheets = &output.release.exhibit.sheets;
    let rows = (output.manifest().rows + output.manifest().left_out) as usize;
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
    Ok(ReleasedFile { name: "assignment".to_owned(), columns: ReleasedColumns::new(columns)? })
}

impl ReleaseOutput {
    pub(crate) fn new(
        release: Release,
        threshold: Fraction,
        unique_rows: u64,
        timings: Vec<(RunStage, Duration)>,
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
    /// When a column has more than 2 GiB of distinct text.
    pub fn tables(&self) -> Result<Vec<OutputTable>> {
        released_files(self)?.iter().map(ReleasedFile::table).collect()
    }

    /// Which row of the table became which line of each released table, 0 where it is left out; for the owner alone.
    ///
    /// # Errors
    /// Those of [`ReleaseOutput::tables`].
    pub fn assignment(&self) -> Result<OutputTable> {
        assignment_file(self)?.table()
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
    pub fn owner_report(&self, session: &JobSession<'_>, facts: &OwnerFacts) -> Result<ReleaseReport<'_>> {
        owner_report(&self.release, &self.threshold, session, facts, self.unique_rows)
    }

    /// Rows of the table whose quasi-identifiers nobody else has.
    pub fn unique_rows(&self) -> u64 {
        self.unique_rows
    }

    /// How long each stage took.
    pub fn timings(&self) -> &[(RunStage, Duration)] {
        &self.timings
    }

    /// The same after more work, which took until now.
    #[must_use]
    pub fn with_timings(self, timings: Vec<(RunStage, Duration)>) -> Self {
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
        let seconds = self.timings.iter().map(|(stage, time)| (stage.label().to_owned(), json!(time.as_secs_f64())));
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
