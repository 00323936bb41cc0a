//! Which codes of a column occur in some rows, and the codes of rows in another order.

use super::{Column, ColumnCodes};

/// Finds distinct codes, keeping its memory from one group of rows to the next.
#[derive(Debug, Default)]
pub struct DistinctCodes {
    /// A bit for every code; all are 0 between two questions.
    bits: Vec<u64>,
    codes: Vec<u32>,
}

impl DistinctCodes {
    /// The distinct codes of `column` in `rows`, ascending.
    ///
    /// # Cost
    /// Linear in the rows where these are at least one in 64 codes of the column; otherwise they are sorted.
    pub fn of(&mut self, column: &Column, rows: &[u32]) -> &[u32] {
        let cardinality = column.cardinality();
        match &column.codes {
            ColumnCodes::U8(codes) => self.find(codes, cardinality, rows),
            ColumnCodes::U16(codes) => self.find(codes, cardinality, rows),
            ColumnCodes::U32(codes) => self.find(codes, cardinality, rows),
        }
        &self.codes
    }

    fn find<T: Copy + Into<u32>>(&mut self, codes: &[T], cardinality: usize, rows: &[u32]) {
        self.codes.clear();
        let words = cardinality.div_ceil(64);
        let of_rows = rows.iter().map(|&row| codes[row as usize].into());
        if words > rows.len() {
            self.codes.extend(of_rows);
            self.codes.sort_unstable();
            self.codes.dedup();
            return;
        }
        if self.bits.len() < words {
            self.bits.resize(words, 0);
        }
        for code in of_rows {
            self.bits[code as usize / 64] |= 1 << (code % 64);
        }
        for (word, bits) in (0u32..).zip(&mut self.bits[..words]) {
            while *bits != 0 {
                self.codes.push(64 * word + bits.trailing_zeros());
                *bits &= *bits - 1;
            }
        }
    }
}

impl Column {
    /// The smallest code in `rows`.
    pub fn smallest(&self, rows: &[u32]) -> Option<u32> {
        fn least<T: Copy + Ord + Into<u32>>(codes: &[T], rows: &[u32]) -> Option<u32> {
            rows.iter().map(|&row| codes[row as usize]).min().map(Into::into)
        }
        match &self.codes {
            ColumnCodes::U8(codes) => least(codes, rows),
            ColumnCodes::U16(codes) => least(codes, rows),
            ColumnCodes::U32(codes) => least(codes, rows),
        }
    }

    /// Appends the code of each row to its key, as one more digit in the base of the column's cardinality.
    pub fn append_digits(&self, rows: &[u32], keys: &mut [u64]) {
        fn append<T: Copy + Into<u32>>(codes: &[T], base: u64, rows: &[u32], keys: &mut [u64]) {
            for (key, &row) in keys.iter_mut().zip(rows) {
                *key = *key * base + u64::from(codes[row as usize].into());
            }
        }
        let base = self.cardinality() as u64;
        match &self.codes {
            ColumnCodes::U8(codes) => append(codes, base, rows, keys),
            ColumnCodes::U16(codes) => append(codes, base, rows, keys),
            ColumnCodes::U32(codes) => append(codes, base, rows, keys),
        }
    }

    /// The codes in the order of `rows`, stored as narrowly as `bound` allows, below which they lie.
    pub fn codes_of(&self, rows: &[u32], bound: usize) -> ColumnCodes {
        fn picked<T: Copy + Into<u32>>(codes: &[T], rows: &[u32], bound: usize) -> ColumnCodes {
            ColumnCodes::collect(rows.iter().map(|&row| codes[row as usize].into()), bound)
        }
        match &self.codes {
            ColumnCodes::U8(codes) => picked(codes, rows, bound),
            ColumnCodes::U16(codes) => picked(codes, rows, bound),
            ColumnCodes::U32(codes) => picked(codes, rows, bound),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{ColumnDomain, Role};

    #[test]
    fn distinct_codes_ascend_however_they_are_found() {
        let codes: Vec<u32> = (0..500u32).map(|row| row.wrapping_mul(7919) % 400).collect();
        let domain = ColumnDomain::Integer((0..400).collect());
        let column = Column::new("x", Role::Quasi, domain, false, codes.clone()).unwrap();
        let mut distinct = DistinctCodes::default();
        for many in [0, 1, 3, 6, 7, 8, 100, 500] {
            let rows: Vec<u32> = (0..many).map(|at| at * 31 % 500).collect();
            let mut expected: Vec<u32> = rows.iter().map(|&row| codes[row as usize]).collect();
            let picked = column.codes_of(&rows, 400);
            assert_eq!(picked, ColumnCodes::narrow(expected.clone(), 400));
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(distinct.of(&column, &rows), expected, "{many} rows");
            assert_eq!(column.smallest(&rows), expected.first().copied());
        }
    }
}
