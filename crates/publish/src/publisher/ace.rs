//! Ace: assign and slice (figure 5 of the paper).
//!
//! # Guarantee
//! `Assign` looks at sensitive values only, `Slice` at the quasi-identifiers of columns only; swapping the values of two
//! columns of a bucket gives an equally likely original with the same release (theorem 2), so no value of a person has a
//! probability above 1/l.
//!
//! With protected values, every row with an unprotected value is labelled by a throw-away value of its own before
//! `Assign`: which row gets which label of its value is drawn at random. Given the multiset of labelled values all
//! labelled tables are equally likely, the argument above bounds every labelled value, in particular the protected ones,
//! and erasing labels is post-processing.
//!
//! # Cost
//! `O(n log n)` on data without adversarial ties; every division is linear in the cells of its bucket.

use pellucid_model::partition::Partition;
use pellucid_model::randomness::{ChoicePurpose, RandomSource};
use rayon::prelude::*;

use super::amount::CostNumber;
use super::assign::{DealtRows, signatures};
use super::cells::CellTable;
use super::cut::CutEngine;

/// The sensitive column as Ace sees it, in base order.
pub struct SensitiveCodes<'a> {
    /// Codes by base position.
    pub codes: &'a [u32],
    /// Number of codes.
    pub cardinality: usize,
    /// By code, whether the value is protected; `None` when all are.
    pub protected: Option<&'a [bool]>,
}

impl SensitiveCodes<'_> {
    /// The rows (base positions, ascending) by value in the public order; unprotected rows each under a label of their
    /// own, the labels of one value next to each other.
    fn rows_by_label(&self, rows: &[u32], randomness: RandomSource<'_>, group: u64) -> Partition {
        let mut by_value = sorted_by_code(self.codes, self.cardinality, rows);
        let Some(protected) = self.protected else { return by_value.0 };
        let mut labelled = Partition::default();
        let mut source = randomness.stream(ChoicePurpose::Labels, group, 0);
        for (value, &code) in by_value.1.iter().enumerate() {
            let members = by_value.0.group_mut(value);
            if protected[code as usize] {
                members.iter().for_each(|&row| labelled.push_row(row));
                labelled.close();
            } else {
                source.shuffle(members);
                for &row in members.iter() {
                    labelled.push_row(row);
                    labelled.close();
                }
            }
        }
        labelled
    }
}

/// `rows` by code, with the codes that occur; rows keep their order.
fn sorted_by_code(codes: &[u32], cardinality: usize, rows: &[u32]) -> (Partition, Vec<u32>) {
    let code_of = |row: u32| codes[row as usize];
    if rows.len() * 4 < cardinality {
        let mut sorted = rows.to_vec();
        sorted.sort_by_key(|&row| code_of(row));
        let mut present: Vec<u32> = Vec::new();
        let mut groups = Partition::default();
        for same in sorted.chunk_by(|&a, &b| code_of(a) == code_of(b)) {
            present.push(code_of(same[0]));
            same.iter().for_each(|&row| groups.push_row(row));
            groups.close();
        }
        return (groups, present);
    }
    // Counted and placed in two halves side by side: of each value the rows of the first half come first.
    let halves = rows.split_at(if rows.len() > PARALLEL { rows.len() / 2 } else { rows.len() });
    let count = |rows: &[u32]| {
        let mut counts = vec![0u32; cardinality];
        rows.iter().for_each(|&row| counts[code_of(row) as usize] += 1);
        counts
    };
    let counts = rayon::join(|| count(halves.0), || count(halves.1));
    let mut members = vec![0; rows.len()];
    let (mut present, mut ends, mut total) = (Vec::new(), Vec::new(), 0);
    let mut places = (Vec::with_capacity(cardinality), Vec::with_capacity(cardinality));
    let mut rest: &mut [u32] = &mut members;
    for (code, (&first, &second)) in counts.0.iter().zip(&counts.1).enumerate() {
        let (place, tail) = rest.split_at_mut(first as usize);
        places.0.push(place.iter_mut());
        let (place, tail) = tail.split_at_mut(second as usize);
        places.1.push(place.iter_mut());
        rest = tail;
        total += first + second;
        if first + second > 0 {
            present.push(code as u32);
            ends.push(total);
        }
    }
    let place = |rows: &[u32], mut places: Vec<std::slice::IterMut<'_, u32>>| {
        for &row in rows {
            *places[code_of(row) as usize].next().expect("every row was counted") = row;
        }
    };
    rayon::join(|| place(halves.0, places.0), || place(halves.1, places.1));
    (Partition::from_parts(members, ends), present)
}

impl<C: CellTable, A: CostNumber> CutEngine<'_, C, A> {
    /// Runs Ace on `rows` (base positions, ascending), which must be l-eligible. `group` tells groups apart for the
    /// random choices.
    pub fn ace(
        &self,
        rows: &[u32],
        values: &SensitiveCodes<'_>,
        l: u64,
        cell_of: &[u32],
        randomness: RandomSource<'_>,
        group: u64,
    ) -> Vec<Partition> {
        let by_label = values.rows_by_label(rows, randomness, group);
        let counts: Vec<u64> = by_label.iter().map(|rows| rows.len() as u64).collect();
        let made = signatures(&counts, l);
        let source = |value: usize| randomness.stream(ChoicePurpose::Deal, group, value as u64);
        let dealt = DealtRows::deal(&made, &by_label, source);
        drop(by_label);
        let mut parts = Vec::new();
        if rows.len() > PARALLEL {
            let buckets: Vec<_> = dealt.buckets().collect();
            let sliced = buckets.into_par_iter().with_max_len(1).map(|bucket| {
                let mut parts = Vec::new();
                self.slice(bucket, cell_of, &mut parts);
                parts
            });
            parts = sliced.collect::<Vec<_>>().into_iter().flatten().collect();
        } else {
            for bucket in dealt.buckets() {
                self.slice(bucket, cell_of, &mut parts);
            }
        }
        parts
    }
}

/// Tables of more rows have their buckets sliced side by side.
const PARALLEL: usize = 1 << 16;
