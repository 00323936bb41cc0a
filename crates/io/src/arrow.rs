//! Reads Arrow IPC, the file format and the stream format, batch by batch.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::ArrowError;
use pellucid_arrow::read_batches;
use pellucid_model::error::{Error, Result};
use pellucid_model::table::Column;
use pellucid_model::table::reading::ReadingPlan;

use crate::in_row;

type Batches = Box<dyn RecordBatchReader<Item = Result<RecordBatch, ArrowError>>>;

pub(crate) fn read_header(file: File) -> Result<Vec<String>> {
    Ok(pellucid_arrow::names(&open(file, None)?.schema()))
}

pub(crate) fn read(path: &Path, file: File, plan: ReadingPlan<'_>) -> Result<Vec<Column>> {
    let again = file.try_clone().map_err(|error| Error::io(path.display(), error))?;
    let schema = open(file, None).map_err(|error| in_row(path, error))?.schema();
    let columns = read_batches(&schema, plan, |wanted| open(again, Some(wanted)));
    columns.map_err(|error| in_row(path, error))
}

/// The batches from the beginning of the file, the places of `wanted` only.
fn open(mut file: File, wanted: Option<Vec<usize>>) -> Result<Batches> {
    let (start, length) = start_of(&mut file).map_err(|_| unreadable())?;
    let file = BufReader::with_capacity(1 << 16, file);
    match start {
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] => {
            Ok(Box::new(FileReader::try_new(file, wanted).map_err(|_| unreadable())?))
        }
        // A stream begins with a marker and the length of its schema, for which the reader makes room unseen.
        [0xff, 0xff, 0xff, 0xff, size @ ..] if u64::from(u32::from_le_bytes(size)) <= length => {
            Ok(Box::new(StreamReader::try_new(file, wanted).map_err(|_| unreadable())?))
        }
        _ => Err(unreadable()),
    }
}

/// The first eight bytes and the length of `file`, which is left at its beginning.
fn start_of(file: &mut File) -> io::Result<([u8; 8], u64)> {
    let mut start = [0; 8];
    file.rewind()?;
    file.read_exact(&mut start)?;
    file.rewind()?;
    Ok((start, file.metadata()?.len()))
}

fn unreadable() -> Error {
    Error::bad_input("cannot be read as Arrow; the file is cut off or of another format")
}
