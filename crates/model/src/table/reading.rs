//! Which columns of a file or of record batches are coded, and how.

use rayon::prelude::*;

use super::coder::ColumnCoder;
use super::schema::{TableSchema, check_header};
use super::{Column, ColumnType};
use crate::error::{Error, Result};

/// What is wanted of a file.
#[derive(Debug, Clone, Copy)]
pub enum ReadingPlan<'a> {
    /// The declared columns.
    Declared(&'a TableSchema),
    /// Every column, as text.
    Verbatim,
}

impl ReadingPlan<'_> {
    /// Whether cells are taken as the text they are.
    pub fn is_verbatim(self) -> bool {
        matches!(self, Self::Verbatim)
    }

    /// A coder for each column of `header` that is wanted, with its place there.
    ///
    /// `kind_of` maps a place and a declared kind to the kind to read.
    pub fn coders(
        self,
        header: &[String],
        kind_of: impl Fn(usize, Option<ColumnType>) -> Result<ColumnType>,
    ) -> Result<Vec<(usize, ColumnCoder)>> {
        let mut coders = Vec::with_capacity(header.len());
        match self {
            Self::Declared(schema) => {
                for (at, column) in schema.resolve(header)?.into_iter().enumerate() {
                    if let Some(column) = column {
                        coders.push((at, ColumnCoder::new(schema, column, kind_of(at, column.kind)?)));
                    }
                }
            }
            Self::Verbatim => {
                check_header(header)?;
                for (at, name) in header.iter().enumerate() {
                    kind_of(at, None)?;
                    coders.push((at, ColumnCoder::verbatim(name)));
                }
            }
        }
        Ok(coders)
    }
}

/// The finished columns; a table without rows is refused.
pub fn finish(coders: Vec<(usize, ColumnCoder)>) -> Result<Vec<Column>> {
    if coders.iter().all(|(_, coder)| coder.rows() == 0) {
        return Err(Error::bad_input("has a header but no rows; add rows or name another file"));
    }
    let columns: Vec<Result<Column>> = coders.into_par_iter().map(|(_, coder)| coder.finish()).collect();
    columns.into_iter().collect()
}
