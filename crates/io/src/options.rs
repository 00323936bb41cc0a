//! What a file is: by option, by the end of its name, or by its first bytes.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use pellucid_model::error::{Error, Result};
use pellucid_publish::job::{Job, TableFormat};
use serde::{Deserialize, Serialize};

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileFormat {
    /// Text with a separator; `.csv`, `.txt`.
    Csv,
    /// Text with tabs; `.tsv`, `.tab`.
    Tsv,
    /// Apache Parquet; `.parquet`, `.pq`.
    Parquet,
    /// Arrow IPC, file or stream; `.arrow`, `.ipc`, `.feather`.
    Arrow,
}

impl FileFormat {
    /// The format that the end of the file's name stands for.
    pub fn from_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "csv" | "txt" => Some(Self::Csv),
            "tsv" | "tab" => Some(Self::Tsv),
            "parquet" | "pq" => Some(Self::Parquet),
            "arrow" | "ipc" | "feather" => Some(Self::Arrow),
            _ => None,
        }
    }
}

/// How to read a file; the default finds out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The format; by default from the end of the name, else from the first bytes, else CSV.
    pub format: Option<FileFormat>,
    /// What separates the cells of a CSV file; by default the one of `,`, `;`, tab and `|` that fits the first records.
    pub separator: Option<char>,
}

impl ReadOptions {
    /// Opens `path` and says what it is.
    pub(crate) fn open(&self, path: &Path) -> Result<(File, FileFormat)> {
        let fail = |error: io::Error| Error::io(path.display(), error);
        if path.is_dir() {
            return Err(fail(io::ErrorKind::IsADirectory.into()));
        }
        let mut file = File::open(path).map_err(fail)?;
        let format = match self.format.or_else(|| FileFormat::from_extension(path)) {
            Some(format) => format,
            None => sniff(&mut file).map_err(fail)?,
        };
        Ok((file, format))
    }

    /// The separator as one byte, or `None` when it is to be detected.
    pub(crate) fn separator_of(&self, format: FileFormat) -> Result<Option<u8>> {
        match (self.separator, format) {
            (None, FileFormat::Tsv) => Ok(Some(b'\t')),
            (None, _) => Ok(None),
            (Some(separator), _) => match u8::try_from(separator) {
                Ok(byte) if byte.is_ascii() && !b"\"\r\n\0".contains(&byte) => Ok(Some(byte)),
                _ => Err(Error::invalid(format!(
                    "separator ({separator:?}) must be one ASCII character other than a quote or a line end"
                ))),
            },
        }
    }
}

/// How the job's table is read.
pub fn input_options(job: &Job) -> ReadOptions {
    let format = job.input.format.map(|format| match format {
        TableFormat::Csv => FileFormat::Csv,
        TableFormat::Tsv => FileFormat::Tsv,
        TableFormat::Parquet => FileFormat::Parquet,
        TableFormat::Arrow => FileFormat::Arrow,
    });
    ReadOptions { format, separator: job.input.separator }
}

/// The format by the first bytes; a pipe cannot be put back and is taken for CSV.
fn sniff(file: &mut File) -> io::Result<FileFormat> {
    if !file.metadata()?.is_file() {
        return Ok(FileFormat::Csv);
    }
    let mut start = Vec::new();
    file.take(6).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(if start.starts_with(b"PAR1") {
        FileFormat::Parquet
    } else if start.starts_with(b"ARROW1") || start.starts_with(b"\xff\xff\xff\xff") {
        FileFormat::Arrow
    } else {
        FileFormat::Csv
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_follow_the_extension() {
        for (name, format) in [
            ("a.CSV", Some(FileFormat::Csv)),
            ("a.tab", Some(FileFormat::Tsv)),
            ("a.pq", Some(FileFormat::Parquet)),
            ("a.feather", Some(FileFormat::Arrow)),
            ("a.data", None),
            ("csv", None),
        ] {
            assert_eq!(FileFormat::from_extension(Path::new(name)), format, "{name}");
        }
    }

    #[test]
    fn separators_are_one_plain_character() {
        let with = |separator| ReadOptions { separator: Some(separator), ..ReadOptions::default() };
        assert_eq!(with('|').separator_of(FileFormat::Csv).unwrap(), Some(b'|'));
        for separator in ['"', '\n', 'é', '→'] {
            assert!(with(separator).separator_of(FileFormat::Csv).is_err(), "{separator}");
        }
        assert_eq!(ReadOptions::default().separator_of(FileFormat::Tsv).unwrap(), Some(b'\t'));
    }
}
