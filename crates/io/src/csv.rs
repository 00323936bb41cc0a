//! Reads CSV and TSV: quotes, any line ends, a byte-order mark, and a separator that is detected when none is given.
//!
//! Text without quotes goes through [`crate::plain`]. Otherwise records are read into one buffer and each cell goes to its
//! column's coder as bytes. Line numbers are worked out only when there is something to report.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use csv::{ByteRecord, Reader, ReaderBuilder};
use pellucid_model::error::{Error, Result};
use pellucid_model::table::reading::{ReadingPlan, finish};
use pellucid_model::table::{Column, ColumnType};

use crate::guard::QuoteGuard;
use crate::in_file;
use crate::plain::{self, LineShape, PlacedCoders};

/// How many bytes are looked at to detect the separator.
const PREFIX: u64 = 1 << 18;
/// How many records are looked at to detect the separator.
const RECORDS: usize = 50;
/// In order of preference when several fit alike.
const SEPARATORS: &[u8] = b",;\t|";
const BOM: &[u8] = b"\xef\xbb\xbf";

type Source = QuoteGuard<std::io::Chain<Cursor<Vec<u8>>, File>>;

pub(crate) fn read_header(path: &Path, file: File, separator: Option<u8>) -> Result<Vec<String>> {
    Ok(Lines::open(path, file, separator)?.header)
}

pub(crate) fn read(path: &Path, file: File, separator: Option<u8>, plan: ReadingPlan<'_>) -> Result<Vec<Column>> {
    let in_file = |error| in_file(path, error);
    let again = file.try_clone().ok();
    let lines = Lines::open(path, file, separator).map_err(in_file)?;
    let coders = coders(plan, &lines.header).map_err(in_file)?;
    let coded = match again.and_then(|file| read_plain(file, &lines, plan)) {
        Some(coded) => coded,
        None => read_records(lines, coders)?,
    };
    finish(coded).map_err(in_file)
}

pub(crate) fn coders(plan: ReadingPlan<'_>, header: &[String]) -> Result<PlacedCoders> {
    plan.coders(header, |_, declared: Option<ColumnType>| Ok(declared.unwrap_or(ColumnType::Category)))
}

/// Codes what follows the header when it can be read twice and is plain; otherwise `file`, another handle of the one that
/// `lines` read, is left as it was.
fn read_plain(mut file: File, lines: &Lines<'_>, plan: ReadingPlan<'_>) -> Option<PlacedCoders> {
    let about = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let text = lines.skipped + lines.reader.position().byte()..about.len();
    let shape = LineShape { separator: lines.separator, width: lines.header.len() };
    let place = file.stream_position().ok()?;
    let coded = plain::read(&mut file, text, shape, || coders(plan, &lines.header).ok());
    if coded.is_none() {
        file.seek(SeekFrom::Start(place)).ok()?;
    }
    coded
}

/// The same columns, or the same error, without the way through plain text.
#[cfg(test)]
pub(crate) fn read_by_records(
    path: &Path,
    file: File,
    separator: Option<u8>,
    plan: ReadingPlan<'_>,
) -> Result<Vec<Column>> {
    let lines = Lines::open(path, file, separator).map_err(|error| in_file(path, error))?;
    let coders = coders(plan, &lines.header).map_err(|error| in_file(path, error))?;
    read_records(lines, coders).and_then(|coded| finish(coded).map_err(|error| in_file(path, error)))
}

/// Codes all records after the header.
fn read_records(mut lines: Lines<'_>, mut coders: PlacedCoders) -> Result<PlacedCoders> {
    let path = lines.path;
    let width = lines.header.len();
    let mut record = ByteRecord::new();
    while lines.next(&mut record).map_err(|error| in_file(path, error))? {
        if record.len() != width {
            return Err(lines.ragged(&record));
        }
        for (at, coder) in &mut coders {
            if let Err(fault) = coder.push_bytes(&record[*at]) {
                let place = format!("{}, line {}, column `{}`", path.display(), lines.line(&record), coder.name());
                return Err(Error::bad_input(fault.to_string()).context(place));
            }
        }
    }
    lines.check_end()?;
    Ok(coders)
}

/// The records of a CSV file.
struct Lines<'a> {
    path: &'a Path,
    reader: Reader<Source>,
    separator: u8,
    header: Vec<String>,
    /// Bytes before the first one that the reader sees.
    skipped: u64,
}

impl<'a> Lines<'a> {
    fn open(path: &'a Path, mut file: File, separator: Option<u8>) -> Result<Self> {
        let mut prefix = Vec::new();
        (&mut file).take(PREFIX).read_to_end(&mut prefix).map_err(|error| Error::io(path.display(), error))?;
        let complete = (prefix.len() as u64) < PREFIX;
        if prefix.starts_with(b"\xff\xfe") || prefix.starts_with(b"\xfe\xff") {
            return Err(Error::bad_input("the text is UTF-16; save the file as UTF-8"));
        }
        if prefix.starts_with(b"\x1f\x8b") || prefix.starts_with(b"PK\x03\x04") {
            return Err(Error::bad_input("the file is compressed or a spreadsheet; unpack it or export it as CSV"));
        }
        let skipped = if prefix.starts_with(BOM) { BOM.len() } else { 0 };
        prefix.drain(..skipped);
        let separator = separator.unwrap_or_else(|| detect_separator(&prefix, complete));
        let source = QuoteGuard::new(Cursor::new(prefix).chain(file), separator);
        let reader = builder(separator).buffer_capacity(1 << 16).from_reader(source);
        let mut lines = Self { path, reader, separator, header: Vec::new(), skipped: skipped as u64 };
        let mut record = ByteRecord::new();
        if !lines.next(&mut record)? {
            return Err(Error::bad_input("the file is empty; it must begin with a line of column names"));
        }
        for (at, name) in record.iter().enumerate() {
            let name = std::str::from_utf8(name).map_err(|_| {
                let line = lines.line(&record);
                Error::bad_input(format!(
                    "line {line}, name of column {}: not UTF-8 text; save the file as UTF-8",
                    at + 1
                ))
            })?;
            lines.header.push(name.to_owned());
        }
        Ok(lines)
    }

    #[inline]
    fn next(&mut self, record: &mut ByteRecord) -> Result<bool> {
        self.reader.read_byte_record(record).map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(error) => Error::io(self.path.display(), error),
            _ => Error::bad_input("cannot be read as CSV; check that it is a text file"),
        })
    }

    /// The line of the file on which `record` begins.
    fn line(&self, record: &ByteRecord) -> u64 {
        let Some(position) = record.position() else { return 1 };
        line_at(self.path, position.byte() + self.skipped).unwrap_or_else(|| position.line())
    }

    fn ragged(&self, record: &ByteRecord) -> Error {
        if let Err(error) = self.check_end() {
            return error;
        }
        let (found, expected) = (record.len(), self.header.len());
        let cells = if found == 1 { "cell" } else { "cells" };
        Error::bad_input(format!(
            "{found} {cells} where the header has {expected}; put quotes round cells that contain the separator, or name \
             the right separator"
        ))
        .context(format!("{}, line {}", self.path.display(), self.line(record)))
    }

    /// What went unnoticed while records were read.
    fn check_end(&self) -> Result<()> {
        let guard = self.reader.get_ref();
        let fault = if let Some(line) = guard.unclosed_quote() {
            Some((line, "a quote is opened and never closed; close it, or double it if it belongs to the text"))
        } else if self.header.len() == 1 {
            let remedy = "a blank line between the rows of a single column; delete it, or write \"\" for an empty cell";
            guard.blank_inside().map(|line| (line, remedy))
        } else {
            None
        };
        match fault {
            Some((line, what)) => Err(Error::bad_input(what).context(format!("{}, line {line}", self.path.display()))),
            None => Ok(()),
        }
    }
}

fn builder(separator: u8) -> ReaderBuilder {
    let mut builder = ReaderBuilder::new();
    builder.has_headers(false).flexible(true).delimiter(separator);
    builder
}

/// The separator that gives the first records most cells, the same number in each.
///
/// Without one that does, the separator that splits the header most; the reader then reports the first ragged record.
fn detect_separator(prefix: &[u8], complete: bool) -> u8 {
    let score = |separator: u8| {
        let mut counts = Vec::with_capacity(RECORDS);
        let mut reader = builder(separator).from_reader(prefix);
        let mut record = ByteRecord::new();
        while counts.len() < RECORDS && matches!(reader.read_byte_record(&mut record), Ok(true)) {
            counts.push(record.len());
        }
        if !complete && counts.len() < RECORDS && counts.len() > 1 {
            // The prefix may end within a record.
            counts.pop();
        }
        let cells = counts.first().copied().unwrap_or(0);
        (cells > 1 && counts.iter().all(|&count| count == cells), cells)
    };
    let mut best = (b',', score(b','));
    for &separator in &SEPARATORS[1..] {
        let score = score(separator);
        if score > best.1 {
            best = (separator, score);
        }
    }
    best.0
}

/// The line on which the record lies that the reader found at `offset`, which may still be before blank lines or within
/// a pair of return and line feed; `None` for what cannot be read twice.
fn line_at(path: &Path, offset: u64) -> Option<u64> {
    let file = File::open(path).ok().filter(|file| file.metadata().is_ok_and(|about| about.is_file()))?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let (mut line, mut at, mut after_return) = (1, 0, false);
    loop {
        let chunk = reader.fill_buf().ok()?;
        if chunk.is_empty() {
            return Some(line);
        }
        for &byte in chunk {
            let line_end = byte == b'\n' || byte == b'\r';
            if at >= offset && !line_end {
                return Some(line);
            }
            line += u64::from(byte == b'\r' || (byte == b'\n' && !after_return));
            after_return = byte == b'\r';
            at += 1;
        }
        let read = chunk.len();
        reader.consume(read);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_detected() {
        for (text, separator) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2,5\n", b';'),
            ("a\tb\n1\t2\n", b'\t'),
            ("a|b|c\n1|2|\"x,|y\"\n", b'|'),
            ("a\n1\n", b','),
            ("\"x;y\",b\n\"p;q;r\",2\n", b','),
            ("a;b;c\n1;2;3\n4;5\n", b';'),
            ("", b','),
        ] {
            assert_eq!(detect_separator(text.as_bytes(), true), separator, "{text:?}");
        }
    }

    #[test]
    fn a_cut_record_does_not_count() {
        assert_eq!(detect_separator(b"a;b\n1;2\n3", false), b';');
    }
}
