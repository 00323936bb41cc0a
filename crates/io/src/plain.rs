//! Reads CSV text without quotes with all processors.
//!
//! The text is cut into parts at line ends, each part is coded on its own, and the columns are put together. A part goes
//! through memory in blocks of whole lines: the ends of all cells of a block are found sixteen bytes at a time, then column
//! after column is coded. At a quote, a ragged line or a cell that cannot be coded everything is given up: the reader of
//! records knows what to make of it, and which fault is the first.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pellucid_model::table::coder::ColumnCoder;
use rayon::prelude::*;
use wide::u8x16;

/// Bytes of a part that is worth a processor of its own.
const PART: u64 = 1 << 18;
/// Bytes that are coded at once; more when a line is longer.
const BLOCK: usize = 1 << 16;
/// Most bytes of a block; a longer line is left to the reader of records.
const LARGEST_BLOCK: usize = 1 << 26;
/// Bytes that are compared at once.
const LANES: usize = 16;

/// Coders of the wanted columns with their places in the header.
pub(crate) type PlacedCoders = Vec<(usize, ColumnCoder)>;

/// What lines look like.
#[derive(Clone, Copy)]
pub(crate) struct LineShape {
    /// Between the cells of a line.
    pub separator: u8,
    /// Cells of every line.
    pub width: usize,
}

/// Codes the bytes `text` of `source` with coders that `fresh` makes, all alike; `None` when records must be read one by one.
///
/// # Guarantee
/// The coders have seen what they would have seen record by record.
pub(crate) fn read<R: Read + Seek + Send>(
    source: R,
    text: Range<u64>,
    shape: LineShape,
    fresh: impl Fn() -> Option<PlacedCoders> + Sync,
) -> Option<PlacedCoders> {
    let most = rayon::current_num_threads() as u64;
    let parts = (text.end.saturating_sub(text.start) / PART).clamp(1, most);
    let step = (text.end.checked_sub(text.start)?).div_ceil(parts);
    let cuts = (1..parts).map(|part| text.start + part * step).collect();
    read_parts(source, text, cuts, BLOCK, shape, fresh)
}

/// The same with a part from the first line that begins at each of `cuts` or after, and blocks of `block` bytes.
fn read_parts<R: Read + Seek + Send>(
    source: R,
    text: Range<u64>,
    cuts: Vec<u64>,
    block: usize,
    shape: LineShape,
    fresh: impl Fn() -> Option<PlacedCoders> + Sync,
) -> Option<PlacedCoders> {
    // The only cell of a line may be empty, and a blank line is then a fault.
    if shape.width < 2 {
        return None;
    }
    let source = Source { reader: Mutex::new(source), given_up: AtomicBool::new(false) };
    let mut starts = vec![text.start];
    for cut in cuts {
        starts.push(source.line_start(cut.min(text.end), text.end)?);
    }
    let ends = starts.iter().skip(1).copied().chain([text.end]);
    let parts: Vec<Range<u64>> = starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect();
    let coded = parts.into_par_iter().map(|part| {
        let coders = fresh().and_then(|coders| Part { source: &source, shape, coders }.code(part, block));
        if coders.is_none() {
            source.given_up.store(true, Ordering::Relaxed);
        }
        coders
    });
    let mut coded: Vec<PlacedCoders> = coded.collect::<Option<_>>()?;
    let mut columns: Vec<(usize, Vec<ColumnCoder>)> = Vec::new();
    for (at, coder) in coded.remove(0) {
        columns.push((at, vec![coder]));
    }
    for coders in coded {
        for ((_, parts), (_, coder)) in columns.iter_mut().zip(coders) {
            parts.push(coder);
        }
    }
    let joined = columns.into_par_iter().map(|(at, parts)| {
        let mut parts = parts.into_iter();
        let mut whole = parts.next()?;
        parts.try_for_each(|part| whole.append(part)).ok()?;
        Some((at, whole))
    });
    joined.collect()
}

/// Bytes that several threads read.
struct Source<R> {
    reader: Mutex<R>,
    given_up: AtomicBool,
}

impl<R: Read + Seek> Source<R> {
    /// Fills `buffer` with the bytes from `at` on; `false` when there are not so many.
    fn fill(&self, at: u64, buffer: &mut [u8]) -> bool {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let filled: io::Result<()> = reader.seek(SeekFrom::Start(at)).and_then(|_| reader.read_exact(buffer));
        filled.is_ok()
    }

    /// Where the first line begins at `at` or after, `end` when none does.
    fn line_start(&self, at: u64, end: u64) -> Option<u64> {
        let mut bytes = [0; 1 << 10];
        // A line begins where the byte before ends one.
        let mut at = at.saturating_sub(1);
        while at < end {
            let piece = bytes.len().min((end - at) as usize);
            if !self.fill(at, &mut bytes[..piece]) {
                return None;
            }
            if let Some(found) = bytes[..piece].iter().position(|byte| is_line_end(*byte)) {
                return Some(at + found as u64 + 1);
            }
            at += piece as u64;
        }
        Some(end)
    }
}

fn is_line_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

/// Codes one part.
struct Part<'a, R> {
    source: &'a Source<R>,
    shape: LineShape,
    coders: PlacedCoders,
}

impl<R: Read + Seek> Part<'_, R> {
    fn code(mut self, part: Range<u64>, block: usize) -> Option<PlacedCoders> {
        // A byte before the first line, the block, a line end where the text has none, and room to look beyond cells.
        let mut bytes = vec![0; 1 + block + 1 + LANES];
        let (mut next, mut kept) = (part.start, 1);
        let mut bounds = Vec::new();
        while next < part.end {
            if self.source.given_up.load(Ordering::Relaxed) {
                return None;
            }
            if kept + 1 + LANES == bytes.len() {
                // Not one line end in the whole block.
                if bytes.len() > LARGEST_BLOCK {
                    return None;
                }
                bytes.resize(2 * bytes.len(), 0);
            }
            let room = bytes.len() - 1 - LANES - kept;
            let read = room.min((part.end - next) as usize);
            if !self.source.fill(next, &mut bytes[kept..kept + read]) {
                return None;
            }
            next += read as u64;
            let mut filled = kept + read;
            if next == part.end {
                bytes[filled] = b'\n';
                filled += 1;
            }
            let Some(last) = bytes[1..filled].iter().rposition(|&byte| is_line_end(byte)) else {
                kept = filled;
                continue;
            };
            let lines = 1 + last + 1;
            find_cells(&bytes, lines, self.shape, &mut bounds)?;
            for (at, coder) in &mut self.coders {
                let cells = bounds.chunks_exact(self.shape.width + 1);
                let cells = cells.map(|row| row[*at] as usize + 1..row[*at + 1] as usize);
                coder.push_cells(&bytes, cells).ok()?;
            }
            bytes.copy_within(lines..filled, 1);
            kept = 1 + filled - lines;
        }
        Some(self.coders)
    }
}

/// Finds the cells of the lines `bytes[1..lines]`, of which the last ends there. For every line that is not blank `bounds`
/// gets the place before its first cell and the end of each cell; `None` at a quote and where a line has another width.
///
/// At least [`LANES`] bytes follow the lines.
fn find_cells(bytes: &[u8], lines: usize, shape: LineShape, bounds: &mut Vec<u32>) -> Option<()> {
    let LineShape { separator, width } = shape;
    let marks = [separator, b'\n', b'\r', b'"'].map(u8x16::splat);
    bounds.clear();
    bounds.push(0);
    let mut line = 0;
    for (start, lanes) in (1..lines).step_by(LANES).zip(bytes[1..].chunks_exact(LANES)) {
        let lanes = u8x16::from(<[u8; LANES]>::try_from(lanes).ok()?);
        let found = marks.map(|mark| lanes.simd_eq(mark));
        let mut found = (found[0] | found[1] | found[2] | found[3]).to_bitmask();
        if lines - start < LANES {
            found &= (1 << (lines - start)) - 1;
        }
        while found != 0 {
            let at = start + found.trailing_zeros() as usize;
            found &= found - 1;
            let byte = bytes[at];
            if byte == separator {
                bounds.push(at as u32);
            } else if byte == b'"' {
                return None;
            } else if bounds.len() == line + 1 && bounds[line] as usize + 1 == at {
                // A blank line, or the second half of a line end.
                bounds[line] = at as u32;
            } else {
                bounds.push(at as u32);
                line += width + 1;
                if bounds.len() != line {
                    return None;
                }
                bounds.push(at as u32);
            }
        }
    }
    bounds.pop();
    Some(())
}

#[cfg(test)]
#[path = "plain_tests.rs"]
mod tests;
