//! Reads Arrow IPC, the file format and the stream format, batch by batch.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::ArrowError;
use pellucid_core::error::{Error, Result};
use pellucid_core::table::Column;

use crate::batches;
use crate::in_file;
use crate::plan::Plan;

type Batches = Box<dyn RecordBatchReader<Item = Result<RecordBatch, ArrowError>>>;

pub(crate) fn read_header(file: File) -> Result<Vec<String>> {
    Ok(batches::names(&open(file, None)?.schema()))
}

pub(crate) fn read(path: &Path, file: File, plan: Plan<'_>) -> Result<Vec<Column>> {
    let again = file.try_clone().map_err(|error| Error::io(path.display(), error))?;
    let schema = open(file, None).map_err(|error| in_file(path, error))?.schema();
    batches::read(path, &schema, plan, |wanted| open(again, Some(wanted)))
}

/// The batches from the beginning of the file, the places of `wanted` only.
fn open(mut file: File, wanted: Option<Vec<usize>>) -> Result<Batches> {
    let mut start = Vec::new();
    file.rewind().and_then(|()| (&mut file).take(6).read_to_end(&mut start)).map_err(|_| unreadable())?;
    file.rewind().map_err(|_| unreadable())?;
    let file = BufReader::with_capacity(1 << 16, file);
    if start == b"ARROW1" {
        Ok(Box::new(FileReader::try_new(file, wanted).map_err(|_| unreadable())?))
    } else {
        Ok(Box::new(StreamReader::try_new(file, wanted).map_err(|_| unreadable())?))
    }
}

fn unreadable() -> Error {
    Error::bad_input("cannot be read as Arrow; the file is cut off or of another format")
}
