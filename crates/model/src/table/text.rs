//! Tables as text, for releases made by anyone.

use crate::error::{Error, ErrorKind, Result};
use crate::registry::did_you_mean;

use super::{Column, ColumnDomain};

/// One column of text; each distinct cell is kept once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextColumn(Column);

impl TextColumn {
    /// The column's name.
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// The distinct cells in the order of their bytes; [`Self::code`] is an index here.
    pub fn distinct(&self) -> &[String] {
        match self.0.domain() {
            ColumnDomain::Category(cells) => cells,
            _ => &[],
        }
    }

    /// The place of the cell in `row`, counted from 0, among [`Self::distinct`].
    pub fn code(&self, row: usize) -> u32 {
        self.0.code(row)
    }

    /// The cell in `row`, counted from 0.
    pub fn cell(&self, row: usize) -> &str {
        &self.distinct()[self.code(row) as usize]
    }

    /// All cells in row order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let distinct = self.distinct();
        self.0.codes().iter().map(move |code| distinct[code as usize].as_str())
    }
}

/// A header and columns of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextTable {
    columns: Vec<TextColumn>,
    rows: usize,
}

impl TextTable {
    /// The table with these columns of text, all of one length.
    pub fn new(columns: Vec<Column>) -> Self {
        let rows = columns.first().map_or(0, |column| column.codes().len());
        Self { columns: columns.into_iter().map(TextColumn).collect(), rows }
    }

    /// The same table with the rows `kept` alone, counted from 0, and the cells that these have.
    pub fn part(&self, kept: &[u32]) -> Result<Self> {
        let part = |column: &TextColumn| {
            let codes: Vec<u32> = kept.iter().map(|&row| column.code(row as usize)).collect();
            let mut used: Vec<u32> = codes.clone();
            used.sort_unstable();
            used.dedup();
            let cells = used.iter().map(|&code| column.distinct()[code as usize].clone()).collect();
            let codes = codes.iter().filter_map(|code| used.binary_search(code).ok()).map(|code| code as u32).collect();
            Column::new(column.name(), column.0.role(), ColumnDomain::Category(cells), false, codes).map(TextColumn)
        };
        let columns = self.columns.iter().map(part).collect::<Result<_>>()?;
        Ok(Self { columns, rows: kept.len() })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The column names in the order of the file.
    pub fn header(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(TextColumn::name)
    }

    /// All columns in the order of the file.
    pub fn columns(&self) -> &[TextColumn] {
        &self.columns
    }

    /// The column called `name`.
    pub fn column(&self, name: &str) -> Result<&TextColumn> {
        self.columns.iter().find(|column| column.name() == name).ok_or_else(|| {
            let hint = did_you_mean(name, self.header());
            Error::new(ErrorKind::UnknownColumn, format!("no column `{name}`{hint}"))
        })
    }
}
