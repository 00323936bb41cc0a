//! Writes columns as CSV, Parquet or Arrow IPC.
//!
//! The bytes are a function of the columns alone: no time, host, version or hash order reaches them. A file appears
//! whole under its name or not at all.

use std::fs::File;
use std::io::{BufWriter, Write};
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
use pellucid_core::error::{Error, ErrorKind, Result};
use pellucid_core::table::schema::check_header;
use pellucid_core::table::{Codes, Column, Domain, MISSING, Table, format_date};

use crate::batches::BATCH_ROWS;

/// The digits of decimal columns.
const PRECISION: u8 = 38;

/// Bytes that are gathered before they are written.
const WRITTEN_AT_ONCE: usize = 1 << 16;

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
    /// Days since 1970-01-01, `None` being missing.
    Date(Vec<Option<i32>>),
}

impl OutputColumn {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Text { codes, .. } | Self::Values { codes, .. } => codes.len(),
            Self::Integer(cells) => cells.len(),
            Self::Date(cells) => cells.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether all codes stand for a cell.
    fn is_coded(&self) -> bool {
        let bound = match self {
            Self::Text { labels, .. } => labels.len(),
            Self::Values { domain, .. } => domain.len() + 1,
            Self::Integer(_) | Self::Date(_) => return true,
        };
        match self {
            Self::Text { codes, .. } | Self::Values { codes, .. } => codes.iter().all(|code| (code as usize) < bound),
            Self::Integer(_) | Self::Date(_) => true,
        }
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

/// Writes UTF-8 text with commas and line feeds, quotes only where needed; a missing cell is [`MISSING`].
///
/// # Cost
/// Every distinct text is quoted once; a cell is then copied.
pub fn write_csv(path: &Path, columns: &Columns) -> Result<()> {
    replace_file(path, |file| {
        let cells: Vec<Texts<'_>> =
            columns.columns.iter().map(|(_, column)| Texts::new(column)).collect::<Result<_>>()?;
        let names = columns.iter().map(|(name, _)| quoted(name)).collect::<Result<Vec<_>>>()?;
        let mut lines = Vec::with_capacity(2 * WRITTEN_AT_ONCE);
        lines.extend_from_slice(&names.join(&b','));
        lines.push(b'\n');
        for row in 0..columns.rows {
            let start = lines.len();
            for cells in &cells {
                cells.push(row, &mut lines);
                lines.push(b',');
            }
            lines.pop();
            if lines.len() == start {
                // A line with nothing on it would be no row.
                lines.extend_from_slice(b"\"\"");
            }
            lines.push(b'\n');
            if lines.len() >= WRITTEN_AT_ONCE {
                file.write_all(&lines).map_err(|error| Error::io(path.display(), error))?;
                lines.clear();
            }
        }
        file.write_all(&lines).map_err(|error| Error::io(path.display(), error))
    })
}

/// A text as it stands in a CSV file with other cells beside it.
fn quoted(text: &str) -> Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::Any(b'\n'))
        .quote_style(csv::QuoteStyle::Necessary)
        .from_writer(Vec::new());
    let failed = || Error::new(ErrorKind::Internal, "a text cannot be quoted");
    writer.write_record([text, ""]).map_err(|_| failed())?;
    let mut line = writer.into_inner().map_err(|_| failed())?;
    // The comma before the empty cell and the line feed after it.
    line.truncate(line.len() - 2);
    Ok(line)
}

/// Writes Parquet: snappy, dictionaries, one fixed creator, no metadata of its own.
pub fn write_parquet(path: &Path, columns: &Columns) -> Result<()> {
    let properties = WriterProperties::builder()
        .set_created_by("pellucid".to_owned())
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(true)
        .build();
    let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
    replace_file(path, |file| {
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
    })
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

/// Writes a file under another name in the same folder and moves it to `path` when `write` is done.
///
/// What is not a regular file (a pipe, a device) is written in place.
pub fn replace_file(path: &Path, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
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
    let mut builder = tempfile::Builder::new();
    builder.prefix(".pellucid-");
    #[cfg(unix)]
    {
        // What a plain new file has, less the user's mask; temporary files are private by default.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let mut file = BufWriter::with_capacity(1 << 16, builder.tempfile_in(folder).map_err(fail)?);
    write(&mut file)?;
    let file = file.into_inner().map_err(|error| fail(error.into_error()))?;
    file.as_file().sync_all().map_err(fail)?;
    file.persist(path).map_err(|error| fail(error.error)).map(drop)
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

/// The cells of a column as text, each distinct value written out once.
enum Texts<'a> {
    /// The code after the last text stands for a missing cell.
    Coded {
        texts: Vec<Vec<u8>>,
        codes: &'a Codes,
    },
    Integer(&'a [Option<i64>]),
    Date(&'a [Option<i32>]),
}

impl<'a> Texts<'a> {
    fn new(column: &'a OutputColumn) -> Result<Self> {
        Ok(match column {
            OutputColumn::Text { labels, codes } | OutputColumn::Values { domain: Domain::Category(labels), codes } => {
                let texts = labels.iter().map(String::as_str).chain([MISSING]).map(quoted);
                Self::Coded { texts: texts.collect::<Result<_>>()?, codes }
            }
            OutputColumn::Values { domain, codes } => {
                let texts = (0..domain.len() as u32).map(|code| quoted(&domain.text(code))).chain([quoted(MISSING)]);
                Self::Coded { texts: texts.collect::<Result<_>>()?, codes }
            }
            OutputColumn::Integer(cells) => Self::Integer(cells),
            OutputColumn::Date(cells) => Self::Date(cells),
        })
    }

    /// Appends the cell of `row`.
    fn push(&self, row: usize, line: &mut Vec<u8>) {
        match self {
            Self::Coded { texts, codes } => line.extend_from_slice(&texts[codes.get(row) as usize]),
            Self::Integer(cells) => match cells[row] {
                Some(cell) => push_integer(cell, line),
                None => line.extend_from_slice(MISSING.as_bytes()),
            },
            Self::Date(cells) => {
                line.extend_from_slice(cells[row].map_or_else(|| MISSING.to_owned(), format_date).as_bytes());
            }
        }
    }
}

/// Appends the digits of `cell`.
fn push_integer(cell: i64, line: &mut Vec<u8>) {
    if cell < 0 {
        line.push(b'-');
    }
    let start = line.len();
    let mut left = cell.unsigned_abs();
    loop {
        line.push(b'0' + (left % 10) as u8);
        left /= 10;
        if left == 0 {
            break;
        }
    }
    line[start..].reverse();
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
                OutputColumn::Integer(_) | OutputColumn::Values { domain: Domain::Integer(_), .. } => DataType::Int64,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_written_as_the_standard_library_writes_them() {
        for cell in [0, 7, -1, 10, -120, 600_000, i64::MAX, i64::MIN] {
            let mut line = b"x".to_vec();
            push_integer(cell, &mut line);
            assert_eq!(String::from_utf8(line).unwrap(), format!("x{cell}"));
        }
    }

    #[test]
    fn a_text_is_quoted_only_where_it_must_be() {
        for (text, shown) in
            [("", ""), ("a b", "a b"), ("a,b", "\"a,b\""), ("say \"x\"", "\"say \"\"x\"\"\""), ("a\nb", "\"a\nb\"")]
        {
            assert_eq!(quoted(text).unwrap(), shown.as_bytes());
        }
    }

    #[test]
    fn a_lone_empty_cell_is_still_a_row() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one.csv");
        let column = OutputColumn::Text { labels: vec![String::new(), "a".into()], codes: Codes::U8(vec![1, 0, 1]) };
        write_csv(&path, &Columns::new(vec![("x".into(), column)]).unwrap()).unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "x\na\n\"\"\na\n");
    }
}
