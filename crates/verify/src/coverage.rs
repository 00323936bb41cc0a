//! Which classes cover which vectors of quasi values of the source.

use pellucid_model::table::Column;

use crate::cells::QuasiCells;
use crate::number::NumberBuckets;
use crate::shown::ClassedTables;

/// Most pairs of a vector and a class that covers it; keeps memory below a gigabyte.
const MAX_PAIRS: usize = 50_000_000;

/// Bytes that bit sets of classes may take at a time.
const BLOCK_BYTES: usize = 64 << 20;

/// The classes that cover each vector.
#[derive(Debug)]
pub(crate) struct ClassCoverage {
    starts: Vec<u32>,
    classes: Vec<u32>,
}

impl ClassCoverage {
    /// The classes that cover `vector`.
    pub fn get(&self, vector: usize) -> &[u32] {
        &self.classes[self.starts[vector] as usize..self.starts[vector + 1] as usize]
    }

    /// Finds the classes that cover each of `vectors`, given by one row of the source each.
    ///
    /// Column by column, each value of the source has a bit set of the classes whose cell covers it; their meet is
    /// what covers a vector. Classes are taken in blocks so that the bit sets stay small.
    ///
    /// # Errors
    /// When more than `limit` tests are needed, or more pairs are found than are kept; says so.
    pub fn find(
        shown: &ClassedTables,
        cells: &[QuasiCells],
        columns: &[&Column],
        vectors: &[u32],
        limit: u64,
    ) -> Result<Self, String> {
        let classes = shown.classes;
        let lines = NumberBuckets::new(shown.quasi_class(), classes);
        let raw = shown.quasi_columns();
        let cell_of = |column: usize, class: usize| raw[column].code(lines.get(class)[0] as usize);
        let mut listed = 0u64;
        for (column, cells) in cells.iter().enumerate() {
            let reach: Vec<usize> = (0..cells.covers.len() as u32).map(|cell| cells.reach(cell)).collect();
            listed += (0..classes).map(|class| reach[cell_of(column, class) as usize] as u64).sum::<u64>();
        }
        let tests = (vectors.len() as u64).saturating_mul(classes as u64).saturating_add(listed);
        if tests > limit {
            return Err(format!("needs about {tests} cover tests, limit {limit}; pass the assignment"));
        }
        let values: usize = columns.iter().map(|column| column.cardinality()).sum();
        let words = (BLOCK_BYTES / 8 / values.max(1)).clamp(1, 64);
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut block_start = 0;
        while block_start < classes {
            let block_end = classes.min(block_start + words * 64);
            let bits: Vec<Vec<u64>> = (0..raw.len())
                .map(|column| {
                    let mut bits = vec![0u64; columns[column].cardinality() * words];
                    for class in block_start..block_end {
                        let bit = class - block_start;
                        cells[column].for_codes(cell_of(column, class), |code| {
                            bits[code as usize * words + bit / 64] |= 1 << (bit % 64);
                        });
                    }
                    bits
                })
                .collect();
            let mut meet = vec![0u64; words];
            for (vector, &row) in (0u32..).zip(vectors) {
                meet.fill(u64::MAX);
                for (column, bits) in columns.iter().zip(&bits) {
                    let start = column.code(row as usize) as usize * words;
                    meet.iter_mut().zip(&bits[start..start + words]).for_each(|(meet, bits)| *meet &= bits);
                }
                for (at, &word) in meet.iter().enumerate() {
                    let mut word = word;
                    while word != 0 {
                        let class = block_start + at * 64 + word.trailing_zeros() as usize;
                        word &= word - 1;
                        // Bits beyond the last class are set only when there is no quasi column.
                        if class < block_end {
                            pairs.push((vector, class as u32));
                        }
                    }
                }
                if pairs.len() > MAX_PAIRS {
                    return Err(format!(
                        "more than {MAX_PAIRS} pairs of quasi values and classes fit each other; pass the assignment"
                    ));
                }
            }
            block_start = block_end;
        }
        let of: Vec<u32> = pairs.iter().map(|&(vector, _)| vector).collect();
        let by_vector = NumberBuckets::new(&of, vectors.len());
        let mut starts = vec![0];
        let mut covering = Vec::with_capacity(pairs.len());
        for vector in 0..vectors.len() {
            covering.extend(by_vector.get(vector).iter().map(|&pair| pairs[pair as usize].1));
            starts.push(covering.len() as u32);
        }
        Ok(Self { starts, classes: covering })
    }
}
