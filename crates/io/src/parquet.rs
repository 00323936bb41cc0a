//! Reads Parquet files batch by batch.

use std::fs::File;
use std::path::Path;

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use pellucid_arrow::{BATCH_ROWS, read_batches};
use pellucid_model::error::{Error, Result};
use pellucid_model::table::Column;
use pellucid_model::table::reading::ReadingPlan;

use crate::in_row;

pub(crate) fn read_header(file: File) -> Result<Vec<String>> {
    Ok(pellucid_arrow::names(open(file)?.schema()))
}

pub(crate) fn read(path: &Path, file: File, plan: ReadingPlan<'_>) -> Result<Vec<Column>> {
    let builder = open(file).map_err(|error| in_row(path, error))?;
    let schema = builder.schema().clone();
    let columns = read_batches(&schema, plan, |wanted| {
        let mask = ProjectionMask::roots(builder.parquet_schema(), wanted);
        builder.with_projection(mask).with_batch_size(BATCH_ROWS).build().map_err(|_| unreadable())
    });
    columns.map_err(|error| in_row(path, error))
}

fn open(file: File) -> Result<ParquetRecordBatchReaderBuilder<File>> {
    ParquetRecordBatchReaderBuilder::try_new(file).map_err(|_| unreadable())
}

fn unreadable() -> Error {
    Error::bad_input("cannot be read as Parquet; the file is cut off, encrypted or of another format")
}
