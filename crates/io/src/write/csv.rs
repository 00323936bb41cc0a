//! Writes columns as CSV.
//!
//! Every distinct text is quoted once and stands in an arena together with what follows it in the file; blocks of lines are
//! put together from these side by side.

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::table::{ColumnCodes, ColumnDomain, MISSING, ReleasedColumn, ReleasedColumns};
use rayon::prelude::*;

use super::{replace_file, replace_private_file};

/// Lines that are put together at once.
const BLOCK: usize = 1 << 14;
/// Blocks for every processor before they are written.
const BLOCKS_EACH: usize = 2;
/// Bytes that are copied of a text whatever its length.
const SHORT: usize = 16;
/// Bytes of the longest place, or of a missing one, and what follows it.
const LONGEST_ORDINAL: usize = 11;

/// The two digits of numbers below 100.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + number as u8 / 10, b'0' + number as u8 % 10];
        number += 1;
    }
    pairs
};

/// Writes UTF-8 text with commas and line feeds, quotes only where needed; a missing cell is [`MISSING`].
///
/// # Cost
/// Every distinct text is quoted once; a cell is then copied.
pub fn write_csv(path: &Path, columns: &ReleasedColumns) -> Result<()> {
    replace_file(path, |file| csv_to(file, path, columns))
}

/// The same for what only its owner may read.
pub fn write_private_csv(path: &Path, columns: &ReleasedColumns) -> Result<()> {
    replace_private_file(path, |file| csv_to(file, path, columns))
}

/// The same to an open file, which is called `path` in errors.
pub(crate) fn csv_to(file: &mut (dyn Write + Send), path: &Path, columns: &ReleasedColumns) -> Result<()> {
    let fail = |error| Error::io(path.display(), error);
    let names = columns.iter().map(|(name, _)| quoted(name)).collect::<Result<Vec<_>>>()?;
    let header = [names.join(&b','), b"\n".to_vec()].concat();
    file.write_all(&header).map_err(fail)?;
    let many = columns.iter().count();
    let cells = columns.iter().enumerate().map(|(at, (_, column))| {
        let end = if at + 1 == many { b'\n' } else { b',' };
        // A line with nothing on it would be no row.
        Texts::new(column, end, if many == 1 { b"\"\"" } else { b"" })
    });
    let cells: Vec<Texts<'_>> = cells.collect::<Result<_>>()?;
    let starts: Vec<usize> = (0..columns.rows()).step_by(BLOCK).collect();
    let at_once = BLOCKS_EACH * rayon::current_num_threads();
    let mut buffers = vec![Lines::default(); at_once.min(starts.len())];
    for starts in starts.chunks(at_once) {
        buffers.par_iter_mut().zip(starts).for_each(|(lines, &start)| {
            lines.fill(&cells, start..columns.rows().min(start + BLOCK));
        });
        for lines in &buffers[..starts.len()] {
            file.write_all(&lines.bytes[..lines.used]).map_err(fail)?;
        }
    }
    Ok(())
}

/// A text as it stands in a CSV file with other cells beside it.
fn quoted(text: &str) -> Result<Vec<u8>> {
    if !text.bytes().any(|byte| matches!(byte, b'"' | b',' | b'\r' | b'\n')) {
        return Ok(text.as_bytes().to_vec());
    }
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

/// The cells of a column as text, each followed by `end`.
struct Texts<'a> {
    cells: CellTexts<'a>,
    end: u8,
    /// Bytes of the longest cell.
    longest: usize,
}

enum CellTexts<'a> {
    /// Texts with what follows them, and by code where each begins and ends; the code after the last text is a missing
    /// cell. At least [`SHORT`] bytes follow the last.
    Coded {
        arena: Vec<u8>,
        places: Vec<(usize, usize)>,
        codes: &'a ColumnCodes,
    },
    Ordinal(&'a [u32]),
}

impl<'a> Texts<'a> {
    /// `empty` is written for an empty text.
    fn new(column: &'a ReleasedColumn, end: u8, empty: &[u8]) -> Result<Self> {
        Ok(match column {
            ReleasedColumn::Labels { labels, codes }
            | ReleasedColumn::Values { domain: ColumnDomain::Category(labels), codes } => {
                Self::coded(labels.iter().map(|label| quoted(label)), codes, end, empty)?
            }
            ReleasedColumn::Values { domain, codes } => {
                let texts = (0..domain.len() as u32).map(|code| quoted(&domain.text(code)));
                Self::coded(texts, codes, end, empty)?
            }
            ReleasedColumn::Ordinal(cells) => Self { cells: CellTexts::Ordinal(cells), end, longest: LONGEST_ORDINAL },
        })
    }

    fn coded(
        texts: impl Iterator<Item = Result<Vec<u8>>>,
        codes: &'a ColumnCodes,
        end: u8,
        empty: &[u8],
    ) -> Result<Self> {
        let (mut arena, mut places) = (Vec::new(), Vec::new());
        let mut longest = 0;
        for text in texts.chain([quoted(MISSING)]) {
            let (text, start) = (text?, arena.len());
            arena.extend_from_slice(if text.is_empty() { empty } else { &text });
            arena.push(end);
            places.push((start, arena.len()));
            longest = longest.max(arena.len() - start);
        }
        arena.resize(arena.len() + SHORT, 0);
        Ok(Self { cells: CellTexts::Coded { arena, places, codes }, end, longest })
    }

    /// Writes the cell of `row` to `bytes` from `at` on and returns where it ends; [`SHORT`] bytes more may be written over.
    #[inline]
    fn put(&self, row: usize, bytes: &mut [u8], at: usize) -> usize {
        let last = match &self.cells {
            CellTexts::Coded { arena, places, codes } => {
                let (start, end) = places[codes.get(row) as usize];
                // Mostly all, and without a call for so few bytes.
                bytes[at..at + SHORT].copy_from_slice(&arena[start..start + SHORT]);
                if end - start > SHORT {
                    put(&arena[start..end], bytes, at);
                }
                return at + (end - start);
            }
            CellTexts::Ordinal(cells) => match cells[row] {
                0 => put(MISSING.as_bytes(), bytes, at),
                place => put_digits(place, bytes, at),
            },
        };
        bytes[last] = self.end;
        last + 1
    }
}

/// Writes `text` to `bytes` from `at` on and returns where it ends.
fn put(text: &[u8], bytes: &mut [u8], at: usize) -> usize {
    let end = at + text.len();
    bytes[at..end].copy_from_slice(text);
    end
}

/// Writes the digits of `left` to `bytes` from `at` on and returns where they end.
#[inline]
fn put_digits(mut left: u32, bytes: &mut [u8], at: usize) -> usize {
    let end = at + left.checked_ilog10().map_or(1, |log| log as usize + 1);
    let mut pairs = bytes[at..end].rchunks_exact_mut(2);
    for pair in &mut pairs {
        pair.copy_from_slice(&PAIRS[left as usize % 100]);
        left /= 100;
    }
    if let [first] = pairs.into_remainder() {
        *first = b'0' + left as u8;
    }
    end
}

/// Lines that are put together.
#[derive(Clone, Default)]
struct Lines {
    bytes: Vec<u8>,
    used: usize,
}

impl Lines {
    /// The lines of `rows`, instead of what there was.
    fn fill(&mut self, cells: &[Texts<'_>], rows: Range<usize>) {
        let longest = cells.iter().map(|cells| cells.longest).sum::<usize>() + SHORT;
        self.used = 0;
        for row in rows {
            if self.bytes.len() < self.used + longest {
                self.bytes.resize((2 * self.bytes.len()).max(self.used + longest), 0);
            }
            for cells in cells {
                self.used = cells.put(row, &mut self.bytes, self.used);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_written_as_the_standard_library_writes_them() {
        for place in [1, 7, 10, 99, 120, 600_000, 1_234_567, u32::MAX] {
            let mut line = b"x".repeat(LONGEST_ORDINAL);
            let end = put_digits(place, &mut line, 1);
            assert_eq!(String::from_utf8(line[..end].to_vec()).unwrap(), format!("x{place}"));
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
        let column =
            ReleasedColumn::Labels { labels: vec![String::new(), "a".into()], codes: ColumnCodes::U8(vec![1, 0, 1]) };
        write_csv(&path, &ReleasedColumns::new(vec![("x".into(), column)]).unwrap()).unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "x\na\n\"\"\na\n");
    }

    #[test]
    fn lines_are_those_of_a_writer_of_records() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("many.csv");
        let rows = 3 * BLOCK + 7;
        let labels: Vec<String> = [
            "",
            "a",
            "a,b",
            "sixteen letters!",
            "fifteen letters",
            "\"",
            "ein längeres Wort als die anderen",
            "#",
            "\r",
        ]
        .map(str::to_owned)
        .to_vec();
        let code = |row: usize, salt: usize| (row * 31 + salt) * 7919 % 9;
        let codes = |salt: usize| ColumnCodes::narrow((0..rows).map(|row| code(row, salt) as u32).collect(), 9);
        let places: Vec<u32> = (0..rows as u32).map(|row| if row % 5 > 0 { row * row } else { 0 }).collect();
        let domain = ColumnDomain::Decimal { scale: 1, unscaled: (0..8).map(|at| 5 * at - 20).collect() };
        let columns = vec![
            ("words, quoted".to_owned(), ReleasedColumn::Labels { labels: labels.clone(), codes: codes(0) }),
            ("n".to_owned(), ReleasedColumn::Ordinal(places.clone())),
            ("d".to_owned(), ReleasedColumn::Values { domain: domain.clone(), codes: codes(3) }),
        ];
        write_csv(&path, &ReleasedColumns::new(columns).unwrap()).unwrap();
        let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(Vec::new());
        writer.write_record(["words, quoted", "n", "d"]).unwrap();
        for row in 0..rows {
            let missing = || MISSING.to_owned();
            let decimal = code(row, 3) as u32;
            writer
                .write_record([
                    labels[code(row, 0)].clone(),
                    if places[row] == 0 { missing() } else { places[row].to_string() },
                    if decimal == 8 { missing() } else { domain.text(decimal) },
                ])
                .unwrap();
        }
        assert!(std::fs::read(path).unwrap() == writer.into_inner().unwrap());
    }

    #[test]
    fn every_character_is_quoted_as_a_writer_of_records_does() {
        for character in (0..=255u8).map(char::from) {
            let text = format!("a{character}");
            let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(Vec::new());
            writer.write_record([&text, ""]).unwrap();
            let line = writer.into_inner().unwrap();
            assert_eq!([quoted(&text).unwrap().as_slice(), b",\n"].concat(), line, "{text:?}");
        }
    }
}
