//! What an attacker knows beforehand: people with their public columns, typed as those of the table.

use pellucid_model::error::Result;
use pellucid_model::table::schema::{ColumnSpec, TableSchema};
use pellucid_model::table::{Role, Table};
use pellucid_publish::job::Job;

/// How a table of people is read of whom an attacker knows.
#[derive(Debug)]
pub struct PeopleSchema(TableSchema);

/// The columns of a table with the names `header` that an attacker may know, typed as those of `table` where that is at hand; all others
/// are left unread.
pub fn people_schema(job: &Job, header: &[String], table: Option<&Table>) -> Result<PeopleSchema> {
    let declared = job.schema()?;
    let wanted = |column: &&ColumnSpec| {
        matches!(column.role, Role::Identifier | Role::Quasi) || declared.read_dropped.contains(&column.name)
    };
    let mut columns: Vec<ColumnSpec> = declared.columns.iter().filter(wanted).cloned().collect();
    for column in &mut columns {
        if let Some(kind) = table.and_then(|table| Some(table.column(&column.name).ok()?.domain().kind())) {
            column.kind = Some(kind);
        }
    }
    let known: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let unread = header.iter().filter(|name| !known.contains(name));
    columns.extend(unread.map(|name| ColumnSpec::new(name.clone(), Role::Drop)));
    Ok(PeopleSchema(TableSchema { columns, ..declared }))
}

impl PeopleSchema {
    /// What `read` reads by this schema, the columns in `order` first and then the others as in `header`.
    pub fn in_order(
        &self,
        order: &[String],
        header: &[String],
        read: impl FnOnce(&TableSchema) -> Result<Table>,
    ) -> Result<Table> {
        let table = read(&self.0)?;
        let rest = header.iter().filter(|name| !order.contains(name));
        let in_order = order.iter().chain(rest).filter_map(|name| table.column(name).ok()).cloned();
        Table::new(in_order.collect())
    }
}

/// `job` with its quasi columns alone: of a register of the population nothing else matters.
pub fn register_job(job: &Job) -> Job {
    let quasi = job.columns.iter().filter(|(_, column)| column.role == Role::Quasi);
    let columns = quasi.map(|(name, column)| (name.clone(), column.clone())).collect();
    Job { columns, ..job.clone() }
}
