//! What an adversary has, as it is read: an external source of people, and a release of anybody's making.

use std::path::{Path, PathBuf};

use pellucid_model::error::{Error, Result};
use pellucid_model::table::schema::{ColumnSpec, Schema};
use pellucid_model::table::{Role, Table};
use pellucid_publish::job::Job;
use pellucid_publish::mechanism::{Lines, TableLines};

use crate::{Format, RawTable, ReadOptions, read_header, read_strings, read_table};

/// Reads the external source with the columns, types and order of those of `table` that an adversary may know.
pub(crate) fn read_people(job: &Job, base_dir: &Path, path: &Path, table: &Table) -> Result<Table> {
    let order: Vec<String> = table.columns().iter().map(|column| column.name().to_owned()).collect();
    read_people_like(job, base_dir, path, Some(table), &order)
}

/// Reads the quasi columns of a register, typed as those of `table`; its other columns do not matter.
pub(crate) fn read_register(job: &Job, base_dir: &Path, path: &Path, table: &Table) -> Result<Table> {
    let quasi = job.columns.iter().filter(|(_, column)| column.role == Role::Quasi);
    let columns = quasi.map(|(name, column)| (name.clone(), column.clone())).collect();
    read_people(&Job { columns, ..job.clone() }, base_dir, path, table)
}

/// Reads the external source, its columns typed as those of `table`; those in `order` come first.
pub(crate) fn read_people_like(
    job: &Job,
    base_dir: &Path,
    path: &Path,
    table: Option<&Table>,
    order: &[String],
) -> Result<Table> {
    let path = base_dir.join(path);
    let options = ReadOptions { format: None, separator: job.input.separator.filter(|_| is_text(&path)) };
    let header = read_header(&path, &options)?;
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
    columns.extend(
        header.iter().filter(|name| !known.contains(name)).map(|name| ColumnSpec::new(name.clone(), Role::Drop)),
    );
    let read = read_table(&path, &options, &Schema { columns, ..declared })?;
    let rest = header.iter().filter(|name| !order.contains(name));
    let in_order = order.iter().chain(rest).filter_map(|name| read.column(name).ok()).cloned();
    Table::new(in_order.collect())
}

/// The columns of a release in the order of its file, which is that of its table.
pub(crate) fn release_columns(path: &Path) -> Result<Vec<String>> {
    let files = release_files(path)?;
    let headers = files.iter().map(|(_, file, options)| read_header(file, options)).collect::<Result<Vec<_>>>()?;
    Ok(headers.concat())
}

fn is_text(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    !matches!(extension, "parquet" | "arrow" | "feather" | "ipc")
}

/// The names of the tables of a release.
const TABLES: [&str; 3] = ["data", "quasi", "sensitive"];

/// The tables of a release by name: of a public folder, or the file of the only table.
pub(crate) fn release_files(path: &Path) -> Result<Vec<(&'static str, PathBuf, ReadOptions)>> {
    if !path.is_dir() {
        return Ok(vec![(TABLES[0], path.to_owned(), ReadOptions::default())]);
    }
    let mut files = Vec::new();
    for name in TABLES {
        for (extension, format) in [("csv", Format::Csv), ("parquet", Format::Parquet)] {
            let file = path.join(format!("{name}.{extension}"));
            if file.is_file() {
                files.push((name, file, ReadOptions { format: Some(format), separator: None }));
            }
        }
    }
    if files.is_empty() {
        return Err(Error::bad_input(format!(
            "{}: there is no table of a release in this folder; name the public folder that `publish` made",
            path.display()
        )));
    }
    Ok(files)
}

pub(crate) fn read_release(job: &Job, path: &Path) -> Result<Lines> {
    let kept = |name: &str| job.columns.get(name).is_some_and(|column| column.role == Role::Keep);
    let files = release_files(path)?;
    let tables = files.iter().map(|(name, file, options)| Ok(table_lines(name, &read_strings(file, options)?, kept)));
    Ok(Lines::new(tables.collect::<Result<_>>()?))
}

/// The lines of tables of text.
pub(crate) fn lines_of(tables: &[(&'static str, RawTable)]) -> Lines {
    Lines::new(tables.iter().map(|(name, table)| table_lines(name, table, |_| false)).collect())
}

fn table_lines(name: &str, table: &RawTable, left_out: impl Fn(&str) -> bool) -> TableLines {
    let columns: Vec<_> = table.columns().iter().filter(|column| !left_out(column.name())).collect();
    TableLines {
        name: name.to_owned(),
        columns: columns.iter().map(|column| column.name().to_owned()).collect(),
        lines: (0..table.rows())
            .map(|line| columns.iter().map(|column| column.cell(line).to_owned()).collect())
            .collect(),
    }
}
