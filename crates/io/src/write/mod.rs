//! Writes columns as CSV, Parquet or Arrow IPC.
//!
//! The bytes are a function of the columns alone: no time, host, version or hash order reaches them. A file appears
//! whole under its name or not at all.

mod arrow;
mod csv;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::table::schema::check_header;
use pellucid_model::table::{Codes, Column, Domain, Table};

use crate::private::{create_file, own_file_with};

pub(crate) use self::arrow::parquet_to;
pub use self::arrow::{write_arrow, write_parquet};
pub(crate) use self::csv::csv_to;
pub use self::csv::{write_csv, write_private_csv};

/// One column to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputColumn {
    /// Text: the cell of a row is `labels[code]`.
    Text {
        /// The distinct texts, in any order.
        labels: Vec<String>,
        /// One code per row, below `labels.len()`.
        codes: Codes,
    },
    /// Values of a table's own type; the code after the last value stands for a missing cell.
    Values {
        /// The distinct values.
        domain: Domain,
        /// One code per row, at most `domain.len()`.
        codes: Codes,
    },
    /// Whole numbers, `None` being missing.
    Integer(Vec<Option<i64>>),
    /// Places counted from 1, 0 being missing.
    Ordinal(Vec<u32>),
    /// Days since 1970-01-01, `None` being missing.
    Date(Vec<Option<i32>>),
}

impl OutputColumn {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Text { codes, .. } | Self::Values { codes, .. } => codes.len(),
            Self::Integer(cells) => cells.len(),
            Self::Ordinal(cells) => cells.len(),
            Self::Date(cells) => cells.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether all codes stand for a cell.
    fn is_coded(&self) -> bool {
        let (bound, codes) = match self {
            Self::Text { labels, codes } => (labels.len(), codes),
            Self::Values { domain, codes } => (domain.len() + 1, codes),
            Self::Integer(_) | Self::Ordinal(_) | Self::Date(_) => return true,
        };
        // Folds, which the processor does for many codes at once.
        let largest = match codes {
            Codes::U8(codes) => u32::from(codes.iter().fold(0, |largest, &code| code.max(largest))),
            Codes::U16(codes) => u32::from(codes.iter().fold(0, |largest, &code| code.max(largest))),
            Codes::U32(codes) => codes.iter().fold(0, |largest, &code| code.max(largest)),
        };
        codes.is_empty() || (largest as usize) < bound
    }
}

impl From<&Column> for OutputColumn {
    fn from(column: &Column) -> Self {
        Self::Values { domain: column.domain().clone(), codes: column.codes().clone() }
    }
}

/// Named columns of equal length, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    columns: Vec<(String, OutputColumn)>,
    rows: usize,
}

impl Columns {
    /// Columns with distinct names, equal lengths and codes that stand for something.
    pub fn new(columns: Vec<(String, OutputColumn)>) -> Result<Self> {
        let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
        check_header(&names)?;
        let internal = |what: String| Error::new(ErrorKind::Internal, what);
        let rows = columns.first().map(|(_, column)| column.len());
        let rows = rows.ok_or_else(|| internal("there is no column to write".into()))?;
        for (name, column) in &columns {
            if column.len() != rows {
                return Err(internal(format!("column `{name}` has another number of rows than the first")));
            }
            if !column.is_coded() {
                return Err(internal(format!("column `{name}` has a code that stands for nothing")));
            }
        }
        Ok(Self { columns, rows })
    }

    /// All columns of `table`, in their own types.
    pub fn from_table(table: &Table) -> Result<Self> {
        Self::new(table.columns().iter().map(|column| (column.name().to_owned(), column.into())).collect())
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Names and columns in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &OutputColumn)> {
        self.columns.iter().map(|(name, column)| (name.as_str(), column))
    }
}

/// Writes a file under another name in the same folder and moves it to `path` when `write` is done.
///
/// What is not a regular file (a pipe, a device) is written in place.
pub fn replace_file(path: &Path, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
    // What a plain new file has, less the user's mask.
    replace_with_mode(path, 0o666, write)
}

/// The same for what only its owner may read.
pub fn replace_private_file(path: &Path, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
    replace_with_mode(path, 0o600, write)
}

fn replace_with_mode(path: &Path, mode: u32, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
    let fail = |error| Error::io(path.display(), error);
    if path.is_dir() {
        return Err(fail(std::io::ErrorKind::IsADirectory.into()));
    }
    if path.exists() && !path.is_file() {
        let mut file = BufWriter::new(File::options().write(true).open(path).map_err(fail)?);
        write(&mut file)?;
        return file.flush().map_err(fail);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = BufWriter::with_capacity(1 << 16, own_file_with(folder, mode).map_err(fail)?);
    write(&mut file)?;
    let file = file.into_inner().map_err(|error| fail(error.into_error()))?;
    file.as_file().sync_all().map_err(fail)?;
    file.persist(path).map_err(|error| fail(error.error)).map(drop)
}

/// Writes a new file in a folder that nobody looks into yet. It need not have reached the disk.
pub(crate) fn stage_file(path: &Path, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<File> {
    let fail = |error| Error::io(path.display(), error);
    let mut file = BufWriter::with_capacity(1 << 16, create_file(path).map_err(fail)?);
    write(&mut file)?;
    file.into_inner().map_err(|error| fail(error.into_error()))
}
