//! Verifying releases in memory, by code that shares nothing with publishers.

use std::fmt;

use arrow_array::RecordBatch;
use pellucid_arrow::names;
use pellucid_model::error::{Error, Result};
use pellucid_model::hierarchy::{HierarchySpec, LabelFile};
use pellucid_model::manifest::{Manifest, PublishedColumn};
use pellucid_model::table::Table;
use pellucid_model::table::schema::TableSchema;
use pellucid_verify::{
    DeclaredTable, FileChecks, NamedTable, SourceTable, VerificationInputs, VerificationReport, table_stems,
};

use crate::dataset::{read_table, read_text, schema_of};
use crate::output::OutputTable;

/// A release in memory, and what it is held against.
///
/// # Guarantee
/// The checks are those of `pellucid verify`, but for those of files. No code of a publisher or a function takes part.
///
/// # Example
/// ```
/// # use pellucid_app::{JobData, Error, PublishAnswer, JobSession};
/// use pellucid_app::ReleaseVerification;
///
/// # let (job, patients) = pellucid_app::example::six_people();
/// # let data = JobData::from_batches(&job, &patients)?;
/// # let PublishAnswer::Release(release) = JobSession::new(&job, &data).publish()? else { panic!("groups of two are possible") };
/// // ComponentTables and manifest are all that anybody needs; the owner can hold them against the table that they were made from.
/// let public = ReleaseVerification::new(release.manifest().clone(), &release.tables()?)?;
/// assert!(public.run()?.passed());
/// let owners = public.with_source(&patients).with_assignment(&release.assignment()?)?;
/// assert!(owners.run()?.passed());
/// # Ok::<(), Error>(())
/// ```
pub struct ReleaseVerification<'a> {
    claimed: Claimed,
    source: Option<&'a [RecordBatch]>,
    assignment: Option<Result<NamedTable, String>>,
}

/// What is claimed, and the tables that it is claimed of.
enum Claimed {
    Release(Box<Manifest>, Vec<NamedTable>),
    Foreign(DeclaredTable, NamedTable),
}

impl fmt::Debug for ReleaseVerification<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verification").field("source", &self.source.is_some()).finish_non_exhaustive()
    }
}

impl<'a> ReleaseVerification<'a> {
    /// Of the release with this manifest and these tables.
    ///
    /// # Errors
    /// When a table of the manifest is not among them, or its batches have different schemas.
    pub fn new(manifest: Manifest, tables: &[OutputTable]) -> Result<Self> {
        let named = table_stems(&manifest).iter().map(|stem| {
            let found = tables.iter().find(|table| table.name == *stem).ok_or_else(|| {
                Error::bad_input(format!(
                    "the release has no table `{stem}`; give every table that its manifest tells of"
                ))
            })?;
            named_table(stem, &found.batches)
        });
        let tables = named.collect::<Result<_>>()?;
        Ok(Self { claimed: Claimed::Release(Box::new(manifest), tables), source: None, assignment: None })
    }

    /// Of a table that another tool made, of which `declared` says what it is.
    ///
    /// # Errors
    /// When batches have different schemas.
    pub fn of_foreign(declared: DeclaredTable, batches: &[RecordBatch]) -> Result<Self> {
        Ok(Self { claimed: Claimed::Foreign(declared, named_table("table", batches)?), source: None, assignment: None })
    }

    /// Against the private table that it was made from.
    #[must_use]
    pub fn with_source(self, batches: &'a [RecordBatch]) -> Self {
        Self { source: Some(batches), ..self }
    }

    /// By the private record of which row became which line.
    ///
    /// # Errors
    /// When batches have different schemas.
    pub fn with_assignment(self, assignment: &OutputTable) -> Result<Self> {
        Ok(Self { assignment: Some(Ok(named_table("assignment", &assignment.batches)?)), ..self })
    }

    /// With the hierarchy of `column` by value, where the manifest names a file: lines of a leaf value and its ever coarser labels.
    ///
    /// # Errors
    /// When there is no such column.
    pub fn with_hierarchy(mut self, column: &str, lines: &str) -> Result<Self> {
        let columns = match &mut self.claimed {
            Claimed::Release(manifest, _) => &mut manifest.columns,
            Claimed::Foreign(declared, _) => &mut declared.columns,
        };
        let found = columns.iter_mut().find(|published| published.name == column);
        let published: &mut PublishedColumn =
            found.ok_or_else(|| Error::invalid(format!("the release has no column `{column}`")))?;
        let file = match published.hierarchy.take() {
            Some(HierarchySpec::File(file)) => file,
            _ => LabelFile::new(format!("{column}.csv")),
        };
        published.hierarchy = Some(HierarchySpec::File(file.with_content(lines.as_bytes())));
        Ok(self)
    }

    /// Makes the checks.
    ///
    /// # Errors
    /// When the manifest is not of a form that this version knows, or the source cannot be read. All else is a check that failed.
    pub fn run(&self) -> Result<VerificationReport> {
        let source = self.source.map(SourceBatches);
        let source = source.as_ref().map(|source| source as &dyn SourceTable);
        let inputs =
            VerificationInputs { source, assignment: self.assignment.as_ref(), ..VerificationInputs::default() };
        match &self.claimed {
            Claimed::Release(manifest, tables) => {
                pellucid_verify::verify_release(manifest, Ok(tables.clone()), FileChecks::InMemory, &inputs)
            }
            Claimed::Foreign(declared, table) => pellucid_verify::verify_table(Ok(table.clone()), declared, &inputs),
        }
    }
}

/// A private table as record batches.
struct SourceBatches<'a>(&'a [RecordBatch]);

impl SourceTable for SourceBatches<'_> {
    fn header(&self) -> Result<Vec<String>> {
        Ok(names(&schema_of(self.0)?))
    }

    fn read(&self, schema: &TableSchema) -> Result<Table> {
        read_table(self.0, schema)
    }
}

fn named_table(name: &str, batches: &[RecordBatch]) -> Result<NamedTable> {
    Ok(NamedTable { file: name.to_owned(), table: read_text(batches)? })
}
