//! Rows that nothing in some columns tells apart from others.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use rayon::prelude::*;

use crate::table::{Column, ColumnCodes};

/// Rows per piece of parallel work.
const CHUNK: usize = 1 << 14;
/// Keys per row up to which every possible key gets a place.
const ROOM: u64 = 4;

/// How many of the rows have values in `columns` that no other row has.
///
/// # Cost
/// Linear in the cells.
pub fn unique_rows(columns: &[&Column], rows: usize) -> u64 {
    if columns.is_empty() {
        return rows as u64;
    }
    counts(columns, rows).iter().map(|&count| u64::from(count == 1)).sum()
}

/// How many rows have the same values in `columns`, for each combination that occurs, ascending.
pub fn sizes_alike(columns: &[&Column], rows: usize) -> Vec<u64> {
    let mut sizes: Vec<u64> = counts(columns, rows).into_iter().filter(|&count| count > 0).map(u64::from).collect();
    sizes.par_sort_unstable();
    sizes
}

/// How often each combination of values occurs, in any order; there may be zeros.
fn counts(columns: &[&Column], rows: usize) -> Vec<u32> {
    // The codes of a row as the digits of one number below `size`.
    let mut keys = vec![0u64; rows];
    let mut size = 1u64;
    for column in columns {
        let many = column.cardinality().max(1) as u64;
        size = size.checked_mul(many).unwrap_or_else(|| renumber(&mut keys) * many);
        match column.codes() {
            ColumnCodes::U8(codes) => append(&mut keys, codes, many),
            ColumnCodes::U16(codes) => append(&mut keys, codes, many),
            ColumnCodes::U32(codes) => append(&mut keys, codes, many),
        }
    }
    if size <= ROOM * rows as u64 { counts_by_place(&keys, size) } else { counts_by_hash(&keys) }
}

fn append<T: Copy + Into<u32> + Sync>(keys: &mut [u64], codes: &[T], many: u64) {
    keys.par_chunks_mut(CHUNK).zip(codes.par_chunks(CHUNK)).for_each(|(keys, codes)| {
        for (key, &code) in keys.iter_mut().zip(codes) {
            *key = *key * many + u64::from(code.into());
        }
    });
}

/// Replaces equal keys by equal numbers, from 0 on, and says how many there are.
fn renumber(keys: &mut [u64]) -> u64 {
    let hasher = DefaultHashBuilder::default();
    let mut known: HashTable<(u64, u64)> = HashTable::new();
    for key in keys {
        let next = known.len() as u64;
        let found = known.entry(hasher.hash_one(*key), |known| known.0 == *key, |known| hasher.hash_one(known.0));
        *key = found.or_insert((*key, next)).get().1;
    }
    known.len() as u64
}

/// How often each of the numbers below `size` occurs among keys.
fn counts_by_place(keys: &[u64], size: u64) -> Vec<u32> {
    let mut counts = vec![0; size as usize];
    for &key in keys {
        counts[key as usize] += 1;
    }
    counts
}

/// How often each key occurs; each processor counts those with hashes of its own.
fn counts_by_hash(keys: &[u64]) -> Vec<u32> {
    let hasher = DefaultHashBuilder::default();
    let parts = rayon::current_num_threads() as u64;
    let of_part = |part: u64| {
        let mut counts: HashTable<(u64, u32)> = HashTable::with_capacity(keys.len() / parts as usize);
        for &key in keys {
            let hash = hasher.hash_one(key);
            if (hash >> 32) % parts == part {
                let found = counts.entry(hash, |known| known.0 == key, |known| hasher.hash_one(known.0));
                found.or_insert((key, 0)).get_mut().1 += 1;
            }
        }
        counts.iter().map(|&(_, count)| count).collect::<Vec<_>>()
    };
    (0..parts).into_par_iter().flat_map_iter(of_part).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::table::{ColumnDomain, Role};

    /// A column of `cardinality` values.
    fn column(name: &str, cardinality: u32, codes: impl Iterator<Item = u32>) -> Column {
        let domain = ColumnDomain::Integer((0..i64::from(cardinality)).collect());
        Column::new(name, Role::Quasi, domain, false, codes.collect()).unwrap()
    }

    #[test]
    fn unique_rows_are_those_that_occur_once_whatever_the_columns_are() {
        let rows = 5000u32;
        let drawn = |salt: u32, below: u32| {
            (0..rows).map(move |row| (row ^ salt).wrapping_mul(2_654_435_761) >> 7 & (below - 1))
        };
        let few = [column("a", 4, drawn(1, 4)), column("b", 1024, drawn(2, 512))];
        // Five columns of 2^14 values need more than 64 bits.
        let many: Vec<Column> = (0..5).map(|at| column("x", 1 << 14, drawn(8 * at, 16))).collect();
        let wide = [column("a", 1 << 14, drawn(1, 64)), column("b", 1 << 14, drawn(5, 64))];
        for columns in [&few[..], &few[..1], &wide, &many] {
            let columns: Vec<&Column> = columns.iter().collect();
            let mut counts: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
            for row in 0..rows as usize {
                *counts.entry(columns.iter().map(|column| column.code(row)).collect()).or_default() += 1;
            }
            let expected = counts.values().filter(|&&count| count == 1).count() as u64;
            assert_eq!(unique_rows(&columns, rows as usize), expected);
            let mut sizes: Vec<u64> = counts.into_values().collect();
            sizes.sort_unstable();
            assert_eq!(sizes_alike(&columns, rows as usize), sizes);
        }
        assert_eq!(unique_rows(&[], 3), 3);
    }
}
