//! Columns as they are released: labels, or values in the types of their table.

use super::schema::check_header;
use super::{Column, ColumnCodes, ColumnDomain, MISSING, Table};
use crate::error::{Error, ErrorKind, Result};

/// A column as it is released or written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReleasedColumn {
    /// Text: the cell of a row is `labels[code]`.
    Labels {
        /// The distinct texts, in any order.
        labels: Vec<String>,
        /// One code per row, below `labels.len()`.
        codes: ColumnCodes,
    },
    /// Values of a table's own type; the code after the last value stands for a missing cell.
    Values {
        /// The distinct values.
        domain: ColumnDomain,
        /// One code per row, at most `domain.len()`.
        codes: ColumnCodes,
    },
    /// Places counted from 1, 0 being missing.
    Ordinal(Vec<u32>),
}

impl ReleasedColumn {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Labels { codes, .. } | Self::Values { codes, .. } => codes.len(),
            Self::Ordinal(cells) => cells.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A code per row, where cells are labels or values.
    pub fn codes(&self) -> Option<&ColumnCodes> {
        match self {
            Self::Labels { codes, .. } | Self::Values { codes, .. } => Some(codes),
            Self::Ordinal(_) => None,
        }
    }

    /// The cell of `line` as it stands in a file of text.
    pub fn text(&self, line: usize) -> String {
        match self {
            Self::Labels { labels, codes } => labels[codes.get(line) as usize].clone(),
            Self::Values { domain, codes } => match codes.get(line) {
                code if (code as usize) < domain.len() => domain.text(code),
                _ => MISSING.to_owned(),
            },
            Self::Ordinal(cells) => match cells[line] {
                0 => MISSING.to_owned(),
                place => place.to_string(),
            },
        }
    }

    /// Whether all codes stand for a cell.
    fn is_coded(&self) -> bool {
        let (bound, codes) = match self {
            Self::Labels { labels, codes } => (labels.len(), codes),
            Self::Values { domain, codes } => (domain.len() + 1, codes),
            Self::Ordinal(_) => return true,
        };
        // Folds, which the processor does for many codes at once.
        let largest = match codes {
            ColumnCodes::U8(codes) => u32::from(codes.iter().fold(0, |largest, &code| code.max(largest))),
            ColumnCodes::U16(codes) => u32::from(codes.iter().fold(0, |largest, &code| code.max(largest))),
            ColumnCodes::U32(codes) => codes.iter().fold(0, |largest, &code| code.max(largest)),
        };
        codes.is_empty() || (largest as usize) < bound
    }
}

impl From<&Column> for ReleasedColumn {
    fn from(column: &Column) -> Self {
        Self::Values { domain: column.domain().clone(), codes: column.codes().clone() }
    }
}

/// Named columns of equal length, in the order in which they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleasedColumns {
    columns: Vec<(String, ReleasedColumn)>,
    rows: usize,
}

impl ReleasedColumns {
    /// Columns with distinct names, equal lengths and codes that stand for something.
    pub fn new(columns: Vec<(String, ReleasedColumn)>) -> Result<Self> {
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
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ReleasedColumn)> {
        self.columns.iter().map(|(name, column)| (name.as_str(), column))
    }
}
