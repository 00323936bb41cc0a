//! Reads files that say whose sentences are whose.

use std::path::Path;

use pellucid_app::JobData;
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::principle::SetRoster;
use pellucid_model::registry::did_you_mean;
use pellucid_model::table::schema::{ColumnSpec, OnMissing, TableSchema};
use pellucid_model::table::{Column, ColumnType, Role, Table};

use crate::{ReadOptions, in_file, read_header, read_table};

/// The table with the column of `roster` from the file at `path`.
///
/// # Errors
/// When the file lacks a column, and those of [`JobData::joined`].
pub(crate) fn join(table: Table, roster: &SetRoster, path: &Path) -> Result<Table> {
    let file = read(&table, roster, path)?;
    JobData::joined(table, roster, &file).map_err(|error| in_file(path, error))
}

/// Reads the identifiers, of the table's types, and the names of sets.
fn read(table: &Table, roster: &SetRoster, path: &Path) -> Result<Table> {
    let identifiers: Vec<&Column> = table.with_role(Role::Identifier).collect();
    let options = ReadOptions::default();
    let header = read_header(path, &options)?;
    let wanted = identifiers.iter().map(|column| column.name()).chain([roster.column.as_str()]);
    for name in wanted {
        if !header.iter().any(|known| known == name) {
            let hint = did_you_mean(name, header.iter().map(String::as_str));
            let message =
                format!("no column `{name}`{hint}; it needs the identifiers of the table and `{}`", roster.column);
            return Err(in_file(path, Error::new(ErrorKind::UnknownColumn, message)));
        }
    }
    let spec = |name: &String| {
        if *name == roster.column {
            return ColumnSpec::new(name, Role::Keep).with_kind(ColumnType::Category);
        }
        match identifiers.iter().find(|column| column.name() == name) {
            Some(column) => ColumnSpec::new(name, Role::Identifier).with_kind(column.domain().kind()),
            None => ColumnSpec::new(name, Role::Drop),
        }
    };
    let schema =
        TableSchema::new(header.iter().map(spec).collect()).with_missing([""]).with_on_missing(OnMissing::Category);
    read_table(path, &options, &schema)
}
