//! Frames: a table's quasi-identifiers laid out for cutting.
//!
//! A [`TableFrame`] fixes the **base order** of the rows, the order that settles every tie: by identifier when one is declared,
//! then by the whole vector of quasi-identifiers, then by fresh random keys, never by the order of the input. Rows that
//! nothing public tells apart share a **cell** and are adjacent in base order; the order on an axis is by code and then by
//! base order. Cutting engines see only cells and counts.

use pellucid_model::axis::QuasiAxis;
use pellucid_model::randomness::{ChoicePurpose, RandomSource};
use pellucid_model::table::{Column, ColumnCodes};
use rayon::prelude::*;
use wide::{u8x16, u32x8};

use super::amount::WeightedPositions;
use super::cells::{DynamicCells, FixedCells, LaneVector};

/// Cells in lanes as narrow as the axes allow.
#[derive(Debug)]
pub enum CellStore {
    /// Up to 8 axes of up to 256 codes.
    Bytes(FixedCells<u8x16>),
    /// Up to 4 axes.
    Few(FixedCells<u32x8>),
    /// Up to 16 axes.
    Many(FixedCells<[u32; 32]>),
    /// More axes.
    Any(DynamicCells),
}

/// A table laid out for cutting; see the module.
#[derive(Debug)]
pub struct TableFrame {
    /// Base position to row of the table.
    pub(super) row_of: Vec<u32>,
    /// Base position to cell; ascending.
    pub(super) cell_of: Vec<u32>,
    pub(super) cells: CellStore,
    pub(super) weighted: WeightedPositions,
    /// Number of codes per axis.
    pub(super) codes: Vec<usize>,
    /// Whether identifiers take part in the base order, so that it is not the order of the vectors.
    pub(super) identified: bool,
}

impl TableFrame {
    /// Lays out `quasi` columns with their axes. `identifiers` come first in the base order.
    ///
    /// # Cost
    /// A few linear passes of radix sort; 16 bytes a row while sorting, 8 bytes a row and the cells afterwards.
    pub fn new(
        quasi: &[(&Column, QuasiAxis)],
        identifiers: &[&Column],
        rows: usize,
        randomness: RandomSource<'_>,
    ) -> Self {
        let key_columns: Vec<KeyColumn<'_>> = identifiers
            .iter()
            .map(|column| KeyColumn { column, axis: None })
            .chain(quasi.iter().map(|(column, axis)| KeyColumn { column, axis: Some(axis) }))
            .collect();
        let (mut row_of, mut cell_of, first_of_cell) = sorted(&key_columns, rows);
        shuffle_cells(&mut row_of, &cell_of, randomness);
        let axes = quasi.len();
        let mut codes = Vec::with_capacity(first_of_cell.len() * axes);
        for &first in &first_of_cell {
            let row = row_of[first as usize] as usize;
            codes.extend(quasi.iter().map(|(column, axis)| axis.rank(column.code(row))));
        }
        cell_of.shrink_to_fit();
        let cardinality: Vec<usize> = quasi.iter().map(|(_, axis)| axis.positions().len()).collect();
        let positions: Vec<Vec<i128>> = quasi.iter().map(|(_, axis)| axis.positions().to_vec()).collect();
        Self {
            row_of,
            cell_of,
            cells: store(codes, axes, &cardinality),
            weighted: WeightedPositions::new(&positions, rows),
            codes: cardinality,
            identified: !identifiers.is_empty(),
        }
    }

    /// The row of the table at a base position.
    pub fn row(&self, position: u32) -> u32 {
        self.row_of[position as usize]
    }

    /// The codes of `column` in base order.
    pub fn in_base_order(&self, column: &Column) -> Vec<u32> {
        fn gather<T: Copy + Into<u32> + Sync>(codes: &[T], rows: &[u32]) -> Vec<u32> {
            rows.par_iter().map(|&row| codes[row as usize].into()).collect()
        }
        match column.codes() {
            ColumnCodes::U8(codes) => gather(codes, &self.row_of),
            ColumnCodes::U16(codes) => gather(codes, &self.row_of),
            ColumnCodes::U32(codes) => gather(codes, &self.row_of),
        }
    }
}

fn store(codes: Vec<u32>, axes: usize, cardinality: &[usize]) -> CellStore {
    let widest = cardinality.iter().copied().max().unwrap_or(0);
    if axes <= u8x16::AXES && widest <= 1 << 8 {
        CellStore::Bytes(FixedCells::new(&codes, axes))
    } else if axes <= u32x8::AXES {
        CellStore::Few(FixedCells::new(&codes, axes))
    } else if axes <= <[u32; 32]>::AXES {
        CellStore::Many(FixedCells::new(&codes, axes))
    } else {
        CellStore::Any(DynamicCells::new(codes, axes))
    }
}

/// A column of the sort key: an identifier by its code, or a quasi column by its rank.
struct KeyColumn<'a> {
    column: &'a Column,
    axis: Option<&'a QuasiAxis>,
}

impl KeyColumn<'_> {
    fn digits(&self) -> u64 {
        self.column.cardinality().max(1) as u64
    }

    /// Appends the digits of the rows from `start` on to the numbers in `keys`.
    fn append_digits(&self, start: usize, keys: &mut [u64]) {
        fn append<T: Copy + Into<u32>>(codes: &[T], digits: u64, rank: impl Fn(u32) -> u32, keys: &mut [u64]) {
            for (key, &code) in keys.iter_mut().zip(codes) {
                *key = *key * digits + u64::from(rank(code.into()));
            }
        }
        let digits = self.digits();
        let rank = |code: u32| self.axis.map_or(code, |axis| axis.rank(code));
        match self.column.codes() {
            ColumnCodes::U8(codes) => append(&codes[start..], digits, rank, keys),
            ColumnCodes::U16(codes) => append(&codes[start..], digits, rank, keys),
            ColumnCodes::U32(codes) => append(&codes[start..], digits, rank, keys),
        }
    }
}

/// Rows per piece of parallel work.
const CHUNK: usize = 1 << 16;

/// The packed key of every row, shifted up, with the row below it.
fn keyed_rows(pack: &[&KeyColumn<'_>], rows: usize) -> Vec<u64> {
    let mut entries = vec![0u64; rows];
    entries.par_chunks_mut(CHUNK).enumerate().for_each(|(at, chunk)| {
        let start = at * CHUNK;
        for key in pack {
            key.append_digits(start, chunk);
        }
        for (entry, row) in chunk.iter_mut().zip(start as u64..) {
            *entry = *entry << 32 | row;
        }
    });
    entries
}

fn row_in(entry: u64) -> usize {
    (entry & 0xffff_ffff) as usize
}

/// Sorts the rows by the key columns: `(rows in order, cell of each position, first position of each cell)`.
///
/// Key columns are packed into 32-bit keys, as many as fit, and the rows sorted by the packs from the last to the first.
fn sorted(key_columns: &[KeyColumn<'_>], rows: usize) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let mut packs: Vec<Vec<&KeyColumn<'_>>> = Vec::new();
    let mut size = u64::MAX;
    for key in key_columns {
        if size.saturating_mul(key.digits()) > 1 << 32 {
            packs.push(Vec::new());
            size = 1;
        }
        size *= key.digits();
        packs.last_mut().expect("a pack was just made").push(key);
    }
    let bits = |pack: &[&KeyColumn<'_>]| {
        let size: u64 = pack.iter().map(|key| key.digits()).product();
        64 - (size.max(2) - 1).leading_zeros()
    };
    let (last, earlier) = packs.split_last().expect("there is a key column");
    let mut entries = sort_by_key(keyed_rows(last, rows), bits(last));
    // With several packs, two rows share a cell when all their packed keys agree.
    let mut keys_of: Vec<Vec<u64>> = Vec::new();
    if !earlier.is_empty() {
        keys_of.push(keyed_rows(last, rows));
    }
    for pack in earlier.iter().rev() {
        let keys = keyed_rows(pack, rows);
        entries.par_iter_mut().for_each(|entry| *entry = keys[row_in(*entry)]);
        entries = sort_by_key(entries, bits(pack));
        keys_of.push(keys);
    }
    let same_cell = |a: u64, b: u64| {
        a >> 32 == b >> 32 && keys_of.iter().all(|keys| keys[row_in(a)] >> 32 == keys[row_in(b)] >> 32)
    };
    let mut cell_of = Vec::with_capacity(rows);
    let mut first_of_cell = Vec::new();
    let mut previous = None;
    for (position, &entry) in entries.iter().enumerate() {
        if !previous.is_some_and(|before| same_cell(before, entry)) {
            first_of_cell.push(position as u32);
        }
        cell_of.push(first_of_cell.len() as u32 - 1);
        previous = Some(entry);
    }
    let row_of = entries.into_iter().map(|entry| entry as u32).collect();
    (row_of, cell_of, first_of_cell)
}

/// Sorts stably by the upper half of each entry, of which `bits` bits are used: two halves by radix, side by side, then
/// merged from both ends of the key's range.
fn sort_by_key(mut entries: Vec<u64>, bits: u32) -> Vec<u64> {
    let mut buffer = vec![0u64; entries.len()];
    let middle = entries.len() / 2;
    let (first, second) = entries.split_at_mut(middle);
    let (first_buffer, second_buffer) = buffer.split_at_mut(middle);
    let passes = bits.div_ceil(11);
    rayon::join(|| radix_sort(first, first_buffer, bits, passes), || radix_sort(second, second_buffer, bits, passes));
    // Every pass moves the entries to the other vector.
    let (sorted, mut target) = if passes.is_multiple_of(2) { (entries, buffer) } else { (buffer, entries) };
    let (first, second) = sorted.split_at(middle);
    let pivot = second.get(second.len() / 2).map_or(0, |entry| entry >> 32);
    let (first_low, first_high) = first.split_at(first.partition_point(|entry| entry >> 32 < pivot));
    let (second_low, second_high) = second.split_at(second.partition_point(|entry| entry >> 32 < pivot));
    let (low, high) = target.split_at_mut(first_low.len() + second_low.len());
    rayon::join(|| merge(first_low, second_low, low), || merge(first_high, second_high, high));
    target
}

/// Merges two sorted slices; of equal keys those of `first` come first.
fn merge(first: &[u64], second: &[u64], target: &mut [u64]) {
    let (mut a, mut b) = (0, 0);
    for place in target {
        let take_first = b == second.len() || (a < first.len() && first[a] >> 32 <= second[b] >> 32);
        if take_first {
            *place = first[a];
            a += 1;
        } else {
            *place = second[b];
            b += 1;
        }
    }
}

/// Sorts stably by the upper half of each entry, of which `bits` bits are used; an odd number of `passes` leaves the result
/// in `buffer`.
fn radix_sort<'a>(mut entries: &'a mut [u64], mut buffer: &'a mut [u64], bits: u32, passes: u32) {
    let width = bits.div_ceil(passes);
    for pass in 0..passes {
        let shift = 32 + pass * width;
        let mask = (1u64 << width) - 1;
        let digit = |entry: u64| (entry >> shift & mask) as usize;
        let mut next = vec![0usize; 1 << width];
        for &entry in entries.iter() {
            next[digit(entry)] += 1;
        }
        let mut total = 0;
        for slot in &mut next {
            total += std::mem::replace(slot, total);
        }
        for &entry in entries.iter() {
            let slot = &mut next[digit(entry)];
            buffer[*slot] = entry;
            *slot += 1;
        }
        std::mem::swap(&mut entries, &mut buffer);
    }
}

/// Puts the rows of each cell in random order: nothing public tells them apart, and the input's order must not.
fn shuffle_cells(row_of: &mut [u32], cell_of: &[u32], randomness: RandomSource<'_>) {
    // Chunks end at the border of a cell so that they can be shuffled side by side.
    let mut chunks = Vec::new();
    let mut rest: &mut [u32] = row_of;
    let mut start = 0;
    while !rest.is_empty() {
        let mut len = rest.len().min(CHUNK);
        while start + len < cell_of.len() && cell_of[start + len] == cell_of[start + len - 1] {
            len += 1;
        }
        let (chunk, tail) = rest.split_at_mut(len);
        chunks.push((start, chunk));
        rest = tail;
        start += len;
    }
    chunks.into_par_iter().for_each(|(start, chunk)| {
        let mut source = randomness.stream(ChoicePurpose::Ties, start as u64, 0);
        let mut rest = chunk;
        let mut at = start;
        while !rest.is_empty() {
            let cell = cell_of[at];
            let len = cell_of[at..at + rest.len()].iter().take_while(|&&other| other == cell).count();
            let (members, tail) = rest.split_at_mut(len);
            if len > 1 {
                source.shuffle(members);
            }
            rest = tail;
            at += len;
        }
    });
}

#[cfg(test)]
mod tests {
    use pellucid_model::table::{ColumnDomain, Role};

    use super::*;

    fn column(name: &str, codes: &[u32]) -> Column {
        let values = codes.iter().max().map_or(0, |max| i64::from(*max) + 1);
        Column::new(name, Role::Quasi, ColumnDomain::Integer((0..values).collect()), false, codes.to_vec()).unwrap()
    }

    #[test]
    fn base_order_is_by_vector_and_cells_are_runs() {
        let (a, b) = (column("a", &[2, 0, 2, 0]), column("b", &[0, 1, 0, 0]));
        let quasi = [(&a, QuasiAxis::new(&a, None)), (&b, QuasiAxis::new(&b, None))];
        let frame = TableFrame::new(&quasi, &[], 4, RandomSource::InsecureSeed(1));
        assert_eq!(frame.cell_of, [0, 1, 2, 2]);
        assert_eq!(frame.row_of[..2], [3, 1]);
        let mut last = frame.row_of[2..].to_vec();
        last.sort_unstable();
        assert_eq!(last, [0, 2]);
    }

    #[test]
    fn identifiers_come_first() {
        let (id, a) = (column("id", &[3, 1, 2, 0]), column("a", &[0, 0, 1, 1]));
        let frame = TableFrame::new(&[(&a, QuasiAxis::new(&a, None))], &[&id], 4, RandomSource::InsecureSeed(1));
        assert_eq!(frame.row_of, [3, 1, 2, 0]);
        assert_eq!(frame.cell_of, [0, 1, 2, 3]);
    }

    #[test]
    fn wide_keys_are_sorted_in_several_packs() {
        let spread: Vec<u32> = (0..300u32).map(|at| at * 7919 % 100_003).collect();
        let (a, b, c) = (column("a", &vec![5; 300]), column("b", &spread), column("c", &spread));
        let quasi: Vec<_> = [&a, &b, &c].map(|column| (column, QuasiAxis::new(column, None))).into();
        let frame = TableFrame::new(&quasi, &[], 300, RandomSource::InsecureSeed(1));
        assert!(frame.row_of.windows(2).all(|pair| spread[pair[0] as usize] < spread[pair[1] as usize]));
        assert_eq!(frame.cell_of.last(), Some(&299));
    }

    #[test]
    fn missing_numbers_stand_apart() {
        let codes = vec![0, 1, 2];
        let column = Column::new("a", Role::Quasi, ColumnDomain::Integer(vec![10, 30]), true, codes).unwrap();
        let axis = QuasiAxis::new(&column, None);
        assert_eq!(axis.positions(), [-10, 10, 30]);
        assert_eq!([axis.rank(0), axis.rank(1), axis.rank(2)], [1, 2, 0]);
    }
}
