//! Writes columns as CSV, Parquet or Arrow IPC.
//!
//! The bytes are a function of the columns alone: no time, host, version or hash order reaches them. A file appears
//! whole under its name or not at all.

mod columnar;
mod csv;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use pellucid_model::error::{Error, Result};

use crate::private::{create_file, own_file_with};

pub(crate) use self::columnar::parquet_to;
pub use self::columnar::{write_arrow, write_parquet};
pub(crate) use self::csv::csv_to;
pub use self::csv::{write_csv, write_private_csv};

/// Writes a file under another name in the same folder and moves it to `path` when `write` is done.
///
/// What is not a regular file (a pipe, a device) is written in place.
pub fn replace_file(path: &Path, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
    // What a plain new file has, less the user's mask.
    replace_with_mode(path, 0o666, write)
}

/// The same for what only its owner may read.
pub fn replace_private_file(path: &Path, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
    replace_with_mode(path, 0o600, write)
}

fn replace_with_mode(path: &Path, mode: u32, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
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
    let mut file = BufWriter::with_capacity(1 << 16, own_file_with(folder, mode).map_err(fail)?);
    write(&mut file)?;
    let file = file.into_inner().map_err(|error| fail(error.into_error()))?;
    file.as_file().sync_all().map_err(fail)?;
    file.persist(path).map_err(|error| fail(error.error)).map(drop)
}

/// Writes a new file in a folder that nobody looks into yet. It need not have reached the disk.
pub(crate) fn stage_file(path: &Path, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<File> {
    let fail = |error| Error::io(path.display(), error);
    let mut file = BufWriter::with_capacity(1 << 16, create_file(path).map_err(fail)?);
    write(&mut file)?;
    file.into_inner().map_err(|error| fail(error.into_error()))
}
