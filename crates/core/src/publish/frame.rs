//! Frames: a table's quasi-identifiers laid out for cutting.
//!
//! A [`Frame`] fixes the **base order** of the rows, the order that settles every tie: by identifier when one is declared,
//! then by the whole vector of quasi-identifiers, then by fresh random keys, never by the order of the input. Rows that
//! nothing public tells apart share a **cell** and are adjacent in base order; the order on an axis is by code and then by
//! base order. Cutting engines see only cells and counts.

use rand::seq::SliceRandom;
use rayon::prelude::*;
use wide::{u8x16, u32x8};

use super::amount::Weighted;
use super::cells::{Any, Fixed, Lanes};
use super::randomness::{Purpose, Randomness};
use crate::error::{Error, ErrorKind, Result};
use crate::table::{Column, Kind};

/// One quasi column as a line: codes in their order on it, and where they stand.
#[derive(Debug, Clone)]
pub struct Axis {
    rank: Vec<u32>,
    position: Vec<i128>,
}

impl Axis {
    /// The axis of `column`: numbers and dates stand where they are, categories at their rank in `order` (the walk of a
    /// hierarchy that keeps siblings together) or in the domain. A missing number stands one full extent below the
    /// smallest, so that it is far from every value.
    pub fn new(column: &Column, order: Option<&[u32]>) -> Self {
        let domain = column.domain();
        if domain.kind() == Kind::Category {
            let count = column.cardinality();
            let mut rank = vec![0; count];
            match order {
                Some(order) => order.iter().zip(0..).for_each(|(&code, at)| rank[code as usize] = at),
                None => rank = (0..count as u32).collect(),
            }
            return Self { rank, position: (0..count as i128).collect() };
        }
        let values = domain.len() as u32;
        let positions = (0..values).map(|code| domain.position(code));
        let Some(missing) = column.missing() else {
            return Self { rank: (0..values).collect(), position: positions.collect() };
        };
        let mut position: Vec<i128> = positions.collect();
        let extent = position.last().zip(position.first()).map_or(0, |(last, first)| last - first);
        let outside = position.first().map_or(0, |first| first - extent.max(1));
        position.insert(0, outside);
        let rank = (0..=values).map(|code| if code == missing { 0 } else { code + 1 }).collect();
        Self { rank, position }
    }

    /// The axis of plain numbers: `positions` ascending, ranks as they are.
    pub fn of_positions(positions: Vec<i128>) -> Self {
        Self { rank: (0..positions.len() as u32).collect(), position: positions }
    }

    /// Where the codes stand, by rank.
    pub fn positions(&self) -> &[i128] {
        &self.position
    }

    /// The rank of `code` on the axis.
    pub fn rank(&self, code: u32) -> u32 {
        self.rank[code as usize]
    }
}

/// Cells in lanes as narrow as the axes allow.
#[derive(Debug)]
pub enum CellStore {
    /// Up to 8 axes of up to 256 codes.
    Bytes(Fixed<u8x16>),
    /// Up to 4 axes.
    Few(Fixed<u32x8>),
    /// Up to 16 axes.
    Many(Fixed<[u32; 32]>),
    /// More axes.
    Any(Any),
}

/// A table laid out for cutting; see the module.
#[derive(Debug)]
pub struct Frame {
    /// Base position to row of the table.
    pub(super) row_of: Vec<u32>,
    /// Base position to cell; ascending.
    pub(super) cell_of: Vec<u32>,
    pub(super) cells: CellStore,
    pub(super) weighted: Weighted,
    /// Number of codes per axis.
    pub(super) codes: Vec<usize>,
    /// Whether identifiers take part in the base order, so that it is not the order of the vectors.
    pub(super) identified: bool,
}

impl Frame {
    /// Lays out `quasi` columns with their axes. `identifiers` come first in the base order.
    ///
    /// # Cost
    /// A few linear passes of radix sort; 16 bytes a row while sorting, 8 bytes a row and the cells afterwards.
    pub fn new(
        quasi: &[(&Column, Axis)],
        identifiers: &[&Column],
        rows: usize,
        randomness: Randomness,
    ) -> Result<Self> {
        if rows > u32::MAX as usize {
            return Err(Error::new(
                ErrorKind::LimitExceeded,
                format!("the table has {rows} rows; at most {} are numbered, publish it in parts", u32::MAX),
            ));
        }
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
        let cardinality: Vec<usize> = quasi.iter().map(|(_, axis)| axis.position.len()).collect();
        let positions: Vec<Vec<i128>> = quasi.iter().map(|(_, axis)| axis.position.clone()).collect();
        Ok(Self {
            row_of,
            cell_of,
            cells: store(codes, axes, &cardinality),
            weighted: Weighted::new(&positions, rows),
            codes: cardinality,
            identified: !identifiers.is_empty(),
        })
    }

    /// The row of the table at a base position.
    pub fn row(&self, position: u32) -> u32 {
        self.row_of[position as usize]
    }

    /// The codes of `column` in base order.
    pub fn in_base_order(&self, column: &Column) -> Vec<u32> {
        self.row_of.par_iter().map(|&row| column.code(row as usize)).collect()
    }
}

fn store(codes: Vec<u32>, axes: usize, cardinality: &[usize]) -> CellStore {
    let widest = cardinality.iter().copied().max().unwrap_or(0);
    if axes <= u8x16::AXES && widest <= 1 << 8 {
        CellStore::Bytes(Fixed::new(&codes, axes))
    } else if axes <= u32x8::AXES {
        CellStore::Few(Fixed::new(&codes, axes))
    } else if axes <= <[u32; 32]>::AXES {
        CellStore::Many(Fixed::new(&codes, axes))
    } else {
        CellStore::Any(Any::new(codes, axes))
    }
}

/// A column of the sort key: an identifier by its code, or a quasi column by its rank.
struct KeyColumn<'a> {
    column: &'a Column,
    axis: Option<&'a Axis>,
}

impl KeyColumn<'_> {
    fn digits(&self) -> u64 {
        self.column.cardinality().max(1) as u64
    }

    fn digit(&self, row: usize) -> u64 {
        let code = self.column.code(row);
        u64::from(self.axis.map_or(code, |axis| axis.rank(code)))
    }
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
    let mut entries: Vec<u64> = (0..rows as u64).collect();
    let mut buffer = vec![0u64; rows];
    // Marks where a new cell begins; positions are final only after the last pack, so marks are made by rows: two rows
    // share a cell when all their packed keys agree.
    let several = packs.len() > 1;
    let mut keys_of: Vec<Vec<u32>> = Vec::new();
    for pack in packs.iter().rev() {
        let size: u64 = pack.iter().map(|key| key.digits()).product();
        let key_at = |row: usize| pack.iter().fold(0, |packed, key| packed * key.digits() + key.digit(row));
        if several {
            keys_of.push((0..rows).into_par_iter().map(|row| key_at(row) as u32).collect());
            let keys = &keys_of[keys_of.len() - 1];
            entries.par_iter_mut().for_each(|entry| {
                let row = *entry & 0xffff_ffff;
                *entry = u64::from(keys[row as usize]) << 32 | row;
            });
        } else {
            entries.par_iter_mut().for_each(|entry| *entry |= key_at(*entry as usize) << 32);
        }
        radix_sort(&mut entries, &mut buffer, 64 - (size.max(2) - 1).leading_zeros());
    }
    drop(buffer);
    let mut cell_of = Vec::with_capacity(rows);
    let mut first_of_cell = Vec::new();
    let mut previous = None;
    for (position, &entry) in entries.iter().enumerate() {
        let row = (entry & 0xffff_ffff) as usize;
        let same = previous.is_some_and(|before: u64| {
            entry >> 32 == before >> 32
                && (!several || keys_of.iter().all(|keys| keys[row] == keys[(before & 0xffff_ffff) as usize]))
        });
        if !same {
            first_of_cell.push(position as u32);
        }
        cell_of.push(first_of_cell.len() as u32 - 1);
        previous = Some(entry);
    }
    let row_of = entries.into_iter().map(|entry| entry as u32).collect();
    (row_of, cell_of, first_of_cell)
}

/// Sorts stably by the upper half of each entry, of which `bits` bits are used.
fn radix_sort(entries: &mut Vec<u64>, buffer: &mut Vec<u64>, bits: u32) {
    let passes = bits.div_ceil(11);
    for pass in 0..passes {
        let width = bits.div_ceil(passes);
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
        std::mem::swap(entries, buffer);
    }
}

/// Puts the rows of each cell in random order: nothing public tells them apart, and the input's order must not.
fn shuffle_cells(row_of: &mut [u32], cell_of: &[u32], randomness: Randomness) {
    const CHUNK: usize = 1 << 16;
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
        let mut source = randomness.stream(Purpose::Ties, start as u64, 0);
        let mut rest = chunk;
        let mut at = start;
        while !rest.is_empty() {
            let cell = cell_of[at];
            let len = cell_of[at..at + rest.len()].iter().take_while(|&&other| other == cell).count();
            let (members, tail) = rest.split_at_mut(len);
            if len > 1 {
                members.shuffle(&mut source);
            }
            rest = tail;
            at += len;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Domain, Role};

    fn column(name: &str, codes: &[u32]) -> Column {
        let values = codes.iter().max().map_or(0, |max| i64::from(*max) + 1);
        Column::new(name, Role::Quasi, Domain::Integer((0..values).collect()), false, codes.to_vec()).unwrap()
    }

    #[test]
    fn base_order_is_by_vector_and_cells_are_runs() {
        let (a, b) = (column("a", &[2, 0, 2, 0]), column("b", &[0, 1, 0, 0]));
        let quasi = [(&a, Axis::new(&a, None)), (&b, Axis::new(&b, None))];
        let frame = Frame::new(&quasi, &[], 4, Randomness::InsecureSeed(1)).unwrap();
        assert_eq!(frame.cell_of, [0, 1, 2, 2]);
        assert_eq!(frame.row_of[..2], [3, 1]);
        let mut last = frame.row_of[2..].to_vec();
        last.sort_unstable();
        assert_eq!(last, [0, 2]);
    }

    #[test]
    fn identifiers_come_first() {
        let (id, a) = (column("id", &[3, 1, 2, 0]), column("a", &[0, 0, 1, 1]));
        let frame = Frame::new(&[(&a, Axis::new(&a, None))], &[&id], 4, Randomness::InsecureSeed(1)).unwrap();
        assert_eq!(frame.row_of, [3, 1, 2, 0]);
        assert_eq!(frame.cell_of, [0, 1, 2, 3]);
    }

    #[test]
    fn wide_keys_are_sorted_in_several_packs() {
        let spread: Vec<u32> = (0..300u32).map(|at| at * 7919 % 100_003).collect();
        let (a, b, c) = (column("a", &vec![5; 300]), column("b", &spread), column("c", &spread));
        let quasi: Vec<_> = [&a, &b, &c].map(|column| (column, Axis::new(column, None))).into();
        let frame = Frame::new(&quasi, &[], 300, Randomness::InsecureSeed(1)).unwrap();
        assert!(frame.row_of.windows(2).all(|pair| spread[pair[0] as usize] < spread[pair[1] as usize]));
        assert_eq!(frame.cell_of.last(), Some(&299));
    }

    #[test]
    fn missing_numbers_stand_apart() {
        let codes = vec![0, 1, 2];
        let column = Column::new("a", Role::Quasi, Domain::Integer(vec![10, 30]), true, codes).unwrap();
        let axis = Axis::new(&column, None);
        assert_eq!(axis.positions(), [-10, 10, 30]);
        assert_eq!([axis.rank(0), axis.rank(1), axis.rank(2)], [1, 2, 0]);
    }
}
