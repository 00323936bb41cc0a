//! Writes columns as Parquet or Arrow IPC.

use std::io::Write;
use std::path::Path;

use arrow_ipc::writer::FileWriter;
use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::{WriterProperties, WriterVersion};
use pellucid_arrow::ColumnBatches;
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::table::ReleasedColumns;

use super::replace_file;

/// Writes Parquet: snappy, dictionaries, one fixed creator, no metadata of its own.
pub fn write_parquet(path: &Path, columns: &ReleasedColumns) -> Result<()> {
    replace_file(path, |file| parquet_to(file, path, columns))
}

/// The same to an open file, which is called `path` in errors.
pub(crate) fn parquet_to(file: &mut (dyn Write + Send), path: &Path, columns: &ReleasedColumns) -> Result<()> {
    let properties = WriterProperties::builder()
        .set_created_by("pellucid".to_owned())
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(true)
        .build();
    let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
    let arrays = ColumnBatches::new(columns)?;
    let fail = |error: ParquetError| match error {
        ParquetError::External(error) => match error.downcast::<std::io::Error>() {
            Ok(error) => Error::io(path.display(), *error),
            Err(error) => write_error(path, ParquetError::External(error).into()),
        },
        error => write_error(path, error.into()),
    };
    let mut writer = ArrowWriter::try_new_with_options(file, arrays.schema(), options).map_err(fail)?;
    for batch in arrays.iter() {
        writer.write(&batch?).map_err(fail)?;
    }
    writer.close().map_err(fail).map(drop)
}

/// Writes an Arrow IPC file; text columns are dictionaries.
pub fn write_arrow(path: &Path, columns: &ReleasedColumns) -> Result<()> {
    replace_file(path, |file| {
        let arrays = ColumnBatches::new(columns)?;
        let fail = |error| write_error(path, error);
        let mut writer = FileWriter::try_new(file, &arrays.schema()).map_err(fail)?;
        for batch in arrays.iter() {
            writer.write(&batch?).map_err(fail)?;
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
