//! Reads tables and writes releases.
//!
//! [`read_table`] reads CSV, TSV, Parquet and Arrow files into coded tables, [`read_strings`] reads a release made by
//! anyone as the text it is, and [`write_csv`], [`write_parquet`] and [`write_arrow`] write columns so that the bytes
//! are a function of the contents alone. Errors name file, line or row, and column, never the value of a cell.

mod arrow;
pub mod attack;
pub mod black_box;
pub mod compare;
mod csv;
pub mod earlier;
pub mod folders;
mod gates;
mod guard;
mod known;
mod options;
mod parquet;
mod plain;
mod private;
mod program;
pub mod publish;
mod roster;
mod summary;
pub mod verify;
mod write;

use std::path::Path;

use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::table::reading::ReadingPlan;
use pellucid_model::table::schema::TableSchema;
use pellucid_model::table::{Column, Table, TextTable};

pub use gates::load_source;
pub use options::{FileFormat, ReadOptions, input_options};
pub use private::own_file as private_temporary_file;
pub use summary::{reading_words, summary};
pub use write::{replace_file, replace_private_file, write_arrow, write_csv, write_parquet, write_private_csv};

/// Reads the file at `path` into a table with the columns that `schema` declares, in the order of the file.
///
/// Columns of role `drop` are not even decoded.
pub fn read_table(path: &Path, options: &ReadOptions, schema: &TableSchema) -> Result<Table> {
    let columns = read_columns(path, options, ReadingPlan::Declared(schema))?;
    Table::new(columns).map_err(|error| in_file(path, error))
}

/// The column names of the file at `path`.
pub fn read_header(path: &Path, options: &ReadOptions) -> Result<Vec<String>> {
    let (file, format) = options.open(path)?;
    let header = match format {
        FileFormat::Csv | FileFormat::Tsv => csv::read_header(path, file, options.separator_of(format)?),
        FileFormat::Parquet => parquet::read_header(file),
        FileFormat::Arrow => arrow::read_header(file),
    };
    header.map_err(|error| in_file(path, error))
}

/// Reads the file at `path` as text: no cell is refused, numbers and dates of typed files are written canonically.
///
/// A null of a typed file is [`pellucid_model::table::MISSING`], as a release in CSV has it.
pub fn read_strings(path: &Path, options: &ReadOptions) -> Result<TextTable> {
    Ok(TextTable::new(read_columns(path, options, ReadingPlan::Verbatim)?))
}

fn read_columns(path: &Path, options: &ReadOptions, plan: ReadingPlan<'_>) -> Result<Vec<Column>> {
    let (file, format) = options.open(path)?;
    match format {
        FileFormat::Csv | FileFormat::Tsv => csv::read(path, file, options.separator_of(format)?, plan),
        FileFormat::Parquet => parquet::read(path, file, plan),
        FileFormat::Arrow => arrow::read(path, file, plan),
    }
}

/// The same error with the file's name before it; errors of the operating system name it already.
fn in_file(path: &Path, error: Error) -> Error {
    if error.kind() == ErrorKind::Io { error } else { error.context(path.display()) }
}

/// The same for an error that may begin with a row, which follows the name of the file after a comma.
fn in_row(path: &Path, error: Error) -> Error {
    if error.message().starts_with("row ") { error.after(path.display()) } else { in_file(path, error) }
}
