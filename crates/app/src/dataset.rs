//! Tables in memory: coded as a job declares their columns, with their hierarchies.

use arrow_array::RecordBatch;
use arrow_schema::Schema as ArrowSchema;
use pellucid_arrow::{names, read_batches};
use pellucid_model::error::{Error, Result};
use pellucid_model::hierarchy::{Hierarchy, HierarchySpec};
use pellucid_model::table::reading::ReadingPlan;
use pellucid_model::table::schema::TableSchema;
use pellucid_model::table::{Role, Table, TextTable, unique_rows};
use pellucid_publish::job::Job;

use crate::fingerprint::{TableFingerprint, fingerprint};
use crate::known::{people_schema, register_job};
use crate::register::PopulationRegister;
use crate::roster;

/// A table in memory, coded as a job declares its columns, with their hierarchies.
///
/// # Example
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
/// use pellucid_app::{JobData, Job};
///
/// let job = Job::read(
///     r#"
///     columns.age = { role = "quasi" }
///     columns.disease = { role = "sensitive" }
///     privacy = { principle = "k-anonymity", k = 2 }
///     "#,
///     &[],
/// )?;
/// let age: ArrayRef = Arc::new(Int64Array::from(vec![21, 27, 54, 60]));
/// let disease: ArrayRef = Arc::new(StringArray::from(vec!["flu", "gout", "flu", "cold"]));
/// let batch = RecordBatch::try_from_iter([("age", age), ("disease", disease)]).unwrap();
/// let data = JobData::from_batches(&job, &[batch])?;
/// assert_eq!(data.rows(), 4);
/// # Ok::<(), pellucid_app::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct JobData {
    table: Table,
    hierarchies: Vec<Option<Hierarchy>>,
    register: Option<PopulationRegister>,
    contents: Contents,
}

/// What tells the table from every other one.
#[derive(Debug, Clone)]
enum Contents {
    /// The batches, dropped columns included.
    Batches(Vec<RecordBatch>),
    /// Digest and numbers, found by whoever read the table.
    Known(TableFingerprint),
    Unknown,
}

impl JobData {
    /// Codes `batches`, all of one schema, with the columns that `job` declares.
    ///
    /// # Errors
    /// When a column is not declared or missing, a cell cannot be read as its type, there is no row, or a hierarchy of the job is a
    /// file whose content was not given (see [`Job::with_hierarchy`]).
    pub fn from_batches(job: &Job, batches: &[RecordBatch]) -> Result<Self> {
        let table = read_table(batches, &job.schema()?)?;
        if let Some(roster) = job.rosters()?.into_iter().find(|roster| roster.file.is_some()) {
            return Err(Error::invalid(format!(
                "whose sentences are whose is in a file, by column `{}`; put that column into the table, with role `drop`, and leave \
                 `file` out",
                roster.column
            )));
        }
        let data = Self::from_table(job, table)?;
        Ok(Self { contents: Contents::Batches(batches.to_vec()), ..data })
    }

    /// A table that is coded already, as [`JobData::from_batches`] codes it.
    ///
    /// # Errors
    /// When a hierarchy cannot be made.
    pub fn from_table(job: &Job, table: Table) -> Result<Self> {
        if let Some((name, _)) = job.columns.iter().find(|(_, column)| is_unread(column.hierarchy.as_ref())) {
            return Err(Error::bad_hierarchy(format!(
                "the hierarchy of column `{name}` is a file that was not read; give its content with `Job::with_hierarchy`"
            )));
        }
        let hierarchies = job.hierarchies(&table)?;
        Ok(Self { table, hierarchies, register: None, contents: Contents::Unknown })
    }

    /// The same with a register of the population: everybody who could be in the table, with at least the quasi columns. It serves the
    /// risk of being found by somebody who has it.
    ///
    /// # Errors
    /// When it lacks a quasi column, or has fewer people than the table.
    pub fn with_register(mut self, job: &Job, batches: &[RecordBatch]) -> Result<Self> {
        let people = read_people(&register_job(job), batches, Some(&self.table), &names_of(&self.table))?;
        self.register = Some(PopulationRegister::new(people, &self.table, "the register")?);
        Ok(self)
    }

    /// The same with a register that was read elsewhere.
    #[must_use]
    pub fn with_register_table(mut self, register: Option<PopulationRegister>) -> Self {
        self.register = register;
        self
    }

    /// The same with the column of `roster` from `file`, keyed by the table's identifiers.
    ///
    /// # Errors
    /// When the file has nobody's line or several for a person of the table, or names an unknown set.
    pub fn joined(table: Table, roster: &pellucid_model::principle::SetRoster, file: &Table) -> Result<Table> {
        roster::join(table, roster, file)
    }

    /// The same with a fingerprint that was found elsewhere.
    #[must_use]
    pub fn with_fingerprint(mut self, fingerprint: TableFingerprint) -> Self {
        self.contents = Contents::Known(fingerprint);
        self
    }

    /// Columns are in the order of the job, coded over their sorted domains.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// By column of the table, its hierarchy.
    pub fn hierarchies(&self) -> &[Option<Hierarchy>] {
        &self.hierarchies
    }

    /// Number of rows, one for each person.
    pub fn rows(&self) -> usize {
        self.table.rows()
    }

    /// Rows whose quasi-identifiers nobody else in the table has.
    pub fn unique_rows(&self) -> u64 {
        let quasi: Vec<_> = self.table.with_role(Role::Quasi).collect();
        unique_rows(&quasi, self.table.rows())
    }

    pub(crate) fn register(&self) -> Option<&PopulationRegister> {
        self.register.as_ref()
    }

    /// What tells the table from every other one, whatever the order of its rows and columns.
    pub(crate) fn fingerprint(&self) -> Result<TableFingerprint> {
        match &self.contents {
            Contents::Known(fingerprint) => Ok(fingerprint.clone()),
            Contents::Batches(batches) => fingerprint(&read_text(batches)?),
            Contents::Unknown => Err(Error::invalid(
                "a ledger needs the whole table, dropped columns included; give it as record batches",
            )),
        }
    }
}

/// Whether a hierarchy is a file of which only the path is known.
fn is_unread(spec: Option<&HierarchySpec>) -> bool {
    matches!(spec, Some(HierarchySpec::File(file)) if file.content().is_none())
}

/// People whom an attacker knows of, typed as in `table` where that is at hand, with the columns of `order` first.
pub(crate) fn read_people(
    job: &Job,
    batches: &[RecordBatch],
    table: Option<&Table>,
    order: &[String],
) -> Result<Table> {
    let header = names(&schema_of(batches)?);
    people_schema(job, &header, table)?.in_order(order, &header, |schema| read_table(batches, schema))
}

/// The names of the columns of `table`, in their order.
pub(crate) fn names_of(table: &Table) -> Vec<String> {
    table.columns().iter().map(|column| column.name().to_owned()).collect()
}

/// Codes `batches` as `schema` declares their columns.
pub(crate) fn read_table(batches: &[RecordBatch], schema: &TableSchema) -> Result<Table> {
    let columns = read_batches(&schema_of(batches)?, ReadingPlan::Declared(schema), |wanted| {
        Ok(batches.iter().map(move |batch| batch.project(&wanted)))
    })?;
    Table::new(columns)
}

/// The cells of `batches` as text.
pub(crate) fn read_text(batches: &[RecordBatch]) -> Result<TextTable> {
    let columns = read_batches(&schema_of(batches)?, ReadingPlan::Verbatim, |wanted| {
        Ok(batches.iter().map(move |batch| batch.project(&wanted)))
    })?;
    Ok(TextTable::new(columns))
}

/// The schema that all batches have.
pub(crate) fn schema_of(batches: &[RecordBatch]) -> Result<ArrowSchema> {
    let Some(first) = batches.first() else {
        return Err(Error::bad_input("there is no record batch; give at least one"));
    };
    if batches.iter().any(|batch| batch.schema() != first.schema()) {
        return Err(Error::bad_input("the record batches have different schemas; give batches of one table"));
    }
    Ok(first.schema().as_ref().clone())
}
