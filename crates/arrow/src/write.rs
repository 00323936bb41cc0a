//! From released columns to record batches.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, Date32Array, Decimal128Array, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray,
};
use arrow_schema::{DataType, Field, Schema};
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::table::{ColumnCodes, ColumnDomain, ReleasedColumn, ReleasedColumns};

use crate::BATCH_ROWS;

/// The digits of decimal columns.
const PRECISION: u8 = 38;

/// Released columns as Arrow arrays, a batch at a time; dictionaries are built once.
#[derive(Debug)]
pub struct ColumnBatches<'a> {
    columns: &'a ReleasedColumns,
    schema: Arc<Schema>,
    dictionaries: Vec<Option<ArrayRef>>,
}

impl<'a> ColumnBatches<'a> {
    /// Batches of `columns`; text columns are dictionaries, which all batches share.
    ///
    /// # Errors
    /// When a column has more than 2 GiB of distinct text.
    pub fn new(columns: &'a ReleasedColumns) -> Result<Self> {
        let mut fields = Vec::new();
        let mut dictionaries = Vec::new();
        for (name, column) in columns.iter() {
            let data_type = match column {
                ReleasedColumn::Labels { .. } | ReleasedColumn::Values { domain: ColumnDomain::Category(_), .. } => {
                    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
                }
                ReleasedColumn::Ordinal(_) | ReleasedColumn::Values { domain: ColumnDomain::Integer(_), .. } => {
                    DataType::Int64
                }
                ReleasedColumn::Values { domain: ColumnDomain::Date(_), .. } => DataType::Date32,
                ReleasedColumn::Values { domain: ColumnDomain::Decimal { scale, .. }, .. } => {
                    let scale = i8::try_from(*scale).map_err(|_| {
                        Error::new(ErrorKind::Internal, format!("column `{name}` has too many digits after the point"))
                    })?;
                    DataType::Decimal128(PRECISION, scale)
                }
            };
            fields.push(Field::new(name, data_type, !matches!(column, ReleasedColumn::Labels { .. })));
            dictionaries.push(match column {
                ReleasedColumn::Labels { labels, .. }
                | ReleasedColumn::Values { domain: ColumnDomain::Category(labels), .. } => {
                    if labels.iter().map(String::len).sum::<usize>() > i32::MAX as usize {
                        return Err(Error::new(
                            ErrorKind::LimitExceeded,
                            format!("column `{name}` has more than 2 GiB of distinct text; write it as CSV"),
                        ));
                    }
                    Some(Arc::new(StringArray::from_iter_values(labels)) as ArrayRef)
                }
                _ => None,
            });
        }
        Ok(Self { columns, schema: Arc::new(Schema::new(fields)), dictionaries })
    }

    /// The schema of every batch.
    pub fn schema(&self) -> Arc<Schema> {
        self.schema.clone()
    }

    /// All rows, [`BATCH_ROWS`] at a time.
    pub fn iter(&self) -> impl Iterator<Item = Result<RecordBatch>> {
        let rows = self.columns.rows();
        (0..rows).step_by(BATCH_ROWS).map(move |start| self.batch(start..rows.min(start + BATCH_ROWS)))
    }

    fn batch(&self, rows: Range<usize>) -> Result<RecordBatch> {
        let failed = |_| Error::new(ErrorKind::Internal, "the columns do not fit their own types");
        let mut arrays = Vec::with_capacity(self.dictionaries.len());
        for ((_, column), dictionary) in self.columns.iter().zip(&self.dictionaries) {
            let rows = rows.clone();
            let array: ArrayRef = match (column, dictionary) {
                (ReleasedColumn::Labels { codes, .. } | ReleasedColumn::Values { codes, .. }, Some(labels)) => {
                    // A missing cell is a null, not an entry of the dictionary.
                    let keys: Int32Array = picked(codes, rows, |code| (code < labels.len()).then_some(code as i32));
                    Arc::new(DictionaryArray::<Int32Type>::try_new(keys, labels.clone()).map_err(failed)?)
                }
                (ReleasedColumn::Values { domain: ColumnDomain::Integer(values), codes }, _) => {
                    Arc::new(picked::<_, Int64Array>(codes, rows, |code| values.get(code).copied()))
                }
                (ReleasedColumn::Values { domain: ColumnDomain::Date(values), codes }, _) => {
                    Arc::new(picked::<_, Date32Array>(codes, rows, |code| values.get(code).copied()))
                }
                (ReleasedColumn::Values { domain: ColumnDomain::Decimal { scale, unscaled }, codes }, _) => {
                    let array: Decimal128Array = picked(codes, rows, |code| unscaled.get(code).copied());
                    Arc::new(array.with_precision_and_scale(PRECISION, *scale as i8).map_err(failed)?)
                }
                (ReleasedColumn::Ordinal(cells), _) => {
                    let cells = cells[rows].iter().map(|&cell| (cell > 0).then_some(i64::from(cell)));
                    Arc::new(cells.collect::<Int64Array>())
                }
                (ReleasedColumn::Labels { .. } | ReleasedColumn::Values { .. }, None) => {
                    return Err(Error::new(ErrorKind::Internal, "a text column without its dictionary"));
                }
            };
            arrays.push(array);
        }
        RecordBatch::try_new(self.schema.clone(), arrays).map_err(failed)
    }
}

/// An array of the values that `value` gives for the codes of `rows`.
fn picked<T, A: FromIterator<Option<T>>>(
    codes: &ColumnCodes,
    rows: Range<usize>,
    value: impl Fn(usize) -> Option<T>,
) -> A {
    rows.map(|row| value(codes.get(row) as usize)).collect()
}
