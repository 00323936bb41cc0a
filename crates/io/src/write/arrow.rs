//! Writes columns as Parquet or Arrow IPC.

use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, Date32Array, Decimal128Array, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray,
};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::{WriterProperties, WriterVersion};
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::table::{Codes, Domain};

use super::{Columns, OutputColumn, replace_file};
use crate::batches::BATCH_ROWS;

/// The digits of decimal columns.
const PRECISION: u8 = 38;

/// Writes Parquet: snappy, dictionaries, one fixed creator, no metadata of its own.
pub fn write_parquet(path: &Path, columns: &Columns) -> Result<()> {
    replace_file(path, |file| parquet_to(file, path, columns))
}

/// The same to an open file, which is called `path` in errors.
pub(crate) fn parquet_to(file: &mut (dyn Write + Send), path: &Path, columns: &Columns) -> Result<()> {
    let properties = WriterProperties::builder()
        .set_created_by("pellucid".to_owned())
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(true)
        .build();
    let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
    let arrays = Arrays::new(columns)?;
    let fail = |error: ParquetError| match error {
        ParquetError::External(error) => match error.downcast::<std::io::Error>() {
            Ok(error) => Error::io(path.display(), *error),
            Err(error) => write_error(path, ParquetError::External(error).into()),
        },
        error => write_error(path, error.into()),
    };
    let mut writer = ArrowWriter::try_new_with_options(file, arrays.schema.clone(), options).map_err(fail)?;
    for rows in chunks(columns.rows) {
        writer.write(&arrays.batch(rows)?).map_err(fail)?;
    }
    writer.close().map_err(fail).map(drop)
}

/// Writes an Arrow IPC file; text columns are dictionaries.
pub fn write_arrow(path: &Path, columns: &Columns) -> Result<()> {
    replace_file(path, |file| {
        let arrays = Arrays::new(columns)?;
        let fail = |error| write_error(path, error);
        let mut writer = FileWriter::try_new(file, &arrays.schema).map_err(fail)?;
        for rows in chunks(columns.rows) {
            writer.write(&arrays.batch(rows)?).map_err(fail)?;
        }
        writer.finish().map_err(fail)
    })
}

fn write_error(path: &Path, error: arrow_schema::ArrowError) -> Error {
    match error {
        arrow_schema::ArrowError::IoError(_, error) => Error::io(path.display(), error),
        _ => Error::new(ErrorKind::Internal, format!("the columns cannot be written to `{}`", path.display())),
    }
}

fn chunks(rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows).step_by(BATCH_ROWS).map(move |start| start..rows.min(start + BATCH_ROWS))
}

/// The columns as Arrow arrays, a batch at a time; dictionaries are built once.
struct Arrays<'a> {
    columns: &'a Columns,
    schema: Arc<Schema>,
    dictionaries: Vec<Option<ArrayRef>>,
}

impl<'a> Arrays<'a> {
    fn new(columns: &'a Columns) -> Result<Self> {
        let mut fields = Vec::new();
        let mut dictionaries = Vec::new();
        for (name, column) in columns.iter() {
            let data_type = match column {
                OutputColumn::Text { .. } | OutputColumn::Values { domain: Domain::Category(_), .. } => {
                    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
                }
                OutputColumn::Integer(_)
                | OutputColumn::Ordinal(_)
                | OutputColumn::Values { domain: Domain::Integer(_), .. } => DataType::Int64,
                OutputColumn::Date(_) | OutputColumn::Values { domain: Domain::Date(_), .. } => DataType::Date32,
                OutputColumn::Values { domain: Domain::Decimal { scale, .. }, .. } => {
                    let scale = i8::try_from(*scale).map_err(|_| {
                        Error::new(ErrorKind::Internal, format!("column `{name}` has too many digits after the point"))
                    })?;
                    DataType::Decimal128(PRECISION, scale)
                }
            };
            fields.push(Field::new(name, data_type, !matches!(column, OutputColumn::Text { .. })));
            dictionaries.push(match column {
                OutputColumn::Text { labels, .. } | OutputColumn::Values { domain: Domain::Category(labels), .. } => {
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

    fn batch(&self, rows: Range<usize>) -> Result<RecordBatch> {
        let failed = |_| Error::new(ErrorKind::Internal, "the columns do not fit their own types");
        let mut arrays = Vec::with_capacity(self.dictionaries.len());
        for ((_, column), dictionary) in self.columns.iter().zip(&self.dictionaries) {
            let rows = rows.clone();
            let array: ArrayRef = match (column, dictionary) {
                (OutputColumn::Text { codes, .. } | OutputColumn::Values { codes, .. }, Some(labels)) => {
                    // A missing cell is a null, not an entry of the dictionary.
                    let keys: Int32Array = picked(codes, rows, |code| (code < labels.len()).then_some(code as i32));
                    Arc::new(DictionaryArray::<Int32Type>::try_new(keys, labels.clone()).map_err(failed)?)
                }
                (OutputColumn::Values { domain: Domain::Integer(values), codes }, _) => {
                    Arc::new(picked::<_, Int64Array>(codes, rows, |code| values.get(code).copied()))
                }
                (OutputColumn::Values { domain: Domain::Date(values), codes }, _) => {
                    Arc::new(picked::<_, Date32Array>(codes, rows, |code| values.get(code).copied()))
                }
                (OutputColumn::Values { domain: Domain::Decimal { scale, unscaled }, codes }, _) => {
                    let array: Decimal128Array = picked(codes, rows, |code| unscaled.get(code).copied());
                    Arc::new(array.with_precision_and_scale(PRECISION, *scale as i8).map_err(failed)?)
                }
                (OutputColumn::Integer(cells), _) => Arc::new(Int64Array::from(cells[rows].to_vec())),
                (OutputColumn::Ordinal(cells), _) => {
                    let cells = cells[rows].iter().map(|&cell| (cell > 0).then_some(i64::from(cell)));
                    Arc::new(cells.collect::<Int64Array>())
                }
                (OutputColumn::Date(cells), _) => Arc::new(Date32Array::from(cells[rows].to_vec())),
                (OutputColumn::Text { .. } | OutputColumn::Values { .. }, None) => {
                    return Err(Error::new(ErrorKind::Internal, "a text column without its dictionary"));
                }
            };
            arrays.push(array);
        }
        RecordBatch::try_new(self.schema.clone(), arrays).map_err(failed)
    }
}

/// An array of the values that `value` gives for the codes of `rows`.
fn picked<T, A: FromIterator<Option<T>>>(codes: &Codes, rows: Range<usize>, value: impl Fn(usize) -> Option<T>) -> A {
    rows.map(|row| value(codes.get(row) as usize)).collect()
}
