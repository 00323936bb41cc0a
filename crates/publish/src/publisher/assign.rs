//! Assign: deals the rows of a table into buckets whose columns are equally long (figure 6 of the paper).
//!
//! Each round makes a bucket of the `beta` most frequent remaining values, `alpha` rows each, with `beta` starting at l
//! and `alpha` the largest number that leaves the rest l-eligible. Ties between values go by the public order of the
//! domain. Which rows of a value go where is drawn uniformly at random and does not look at quasi-identifiers.
//!
//! # Difference
//! As printed, line 9 of the figure goes back to the line that resets `beta` and would loop forever; it must go back to
//! the line that computes `alpha`. When `beta` is the number of values left, the next count is 0.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use pellucid_model::partition::Partition;
use pellucid_model::randomness::RandomStream;
use rayon::prelude::*;

use super::slice::RowBucket;

/// The values of a bucket and how many rows of each it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketSignature {
    /// Rows per value.
    pub alpha: u64,
    /// Indices of the values, most frequent first.
    pub values: Vec<usize>,
}

/// The buckets that `Assign` makes of `counts` (by value, in the public order of the domain).
///
/// `counts` must be l-eligible: no count above `1/l` of the sum.
///
/// # Cost
/// `O(n log w)` for n rows and w values: every round takes at least one row of each value it touches.
pub fn signatures(counts: &[u64], l: u64) -> Vec<BucketSignature> {
    let mut left: u64 = counts.iter().sum();
    let mut ranked: BTreeSet<(Reverse<u64>, usize)> = counts
        .iter()
        .enumerate()
        .filter(|&(_, &count)| count > 0)
        .map(|(value, &count)| (Reverse(count), value))
        .collect();
    let mut signatures = Vec::new();
    while left > 0 {
        let mut members: Vec<(u64, usize)> = Vec::new();
        let mut candidates = ranked.iter().map(|&(Reverse(count), value)| (count, value)).peekable();
        let mut alpha = 0;
        while let Some(candidate) = candidates.next() {
            members.push(candidate);
            let beta = members.len() as u64;
            if beta < l {
                continue;
            }
            let next = candidates.peek().map_or(0, |candidate| candidate.0);
            // n_1 - alpha <= (left - alpha beta) / l, and n_{beta+1} <= (left - alpha beta) / l.
            let spare = left.saturating_sub(l * members[0].0).checked_div(beta - l).unwrap_or(u64::MAX);
            alpha = candidate.0.min(spare).min(left.saturating_sub(l * next) / beta);
            if alpha > 0 {
                break;
            }
        }
        assert!(alpha > 0, "counts must be l-eligible");
        for &(count, value) in &members {
            ranked.remove(&(Reverse(count), value));
            if count > alpha {
                ranked.insert((Reverse(count - alpha), value));
            }
        }
        left -= alpha * members.len() as u64;
        signatures.push(BucketSignature { alpha, values: members.into_iter().map(|member| member.1).collect() });
    }
    signatures
}

/// Rows dealt into buckets, bucket after bucket and in each column after column.
#[derive(Debug)]
pub struct DealtRows {
    rows: Vec<u32>,
    /// First row and rows per column of each bucket.
    buckets: Vec<(usize, usize)>,
}

impl DealtRows {
    /// Deals `rows` (by value, base positions ascending) into the buckets of `signatures`. `source` gives the random
    /// numbers for a value.
    pub fn deal<'s>(
        signatures: &[BucketSignature],
        rows: &Partition,
        source: impl Fn(usize) -> RandomStream<'s> + Sync,
    ) -> Self {
        let mut dealt = vec![0; rows.rows()];
        let mut buckets = Vec::with_capacity(signatures.len());
        // The columns that the rows of each value go to.
        let mut columns: Vec<Vec<&mut [u32]>> = (0..rows.len()).map(|_| Vec::new()).collect();
        let mut rest: &mut [u32] = &mut dealt;
        let mut start = 0;
        for signature in signatures {
            let alpha = signature.alpha as usize;
            buckets.push((start, alpha));
            start += alpha * signature.values.len();
            for &value in &signature.values {
                let (column, tail) = rest.split_at_mut(alpha);
                columns[value].push(column);
                rest = tail;
            }
        }
        let deal_value = |(value, columns): (usize, Vec<&mut [u32]>)| {
            deal_value(columns, rows.group(value), || source(value));
        };
        if rows.rows() > PARALLEL {
            columns.into_par_iter().enumerate().for_each(deal_value);
        } else {
            columns.into_iter().enumerate().for_each(deal_value);
        }
        Self { rows: dealt, buckets }
    }

    /// In the order in which they were dealt.
    pub fn buckets(&self) -> impl ExactSizeIterator<Item = RowBucket<'_>> {
        (0..self.buckets.len()).map(|at| {
            let (start, alpha) = self.buckets[at];
            let end = self.buckets.get(at + 1).map_or(self.rows.len(), |next| next.0);
            RowBucket { rows: &self.rows[start..end], alpha }
        })
    }
}

/// Tables of more rows are dealt by two threads.
const PARALLEL: usize = 1 << 16;

/// Deals the rows of one value, ascending, into its columns: every way of doing so is equally likely, and the rows of
/// each column stay ascending.
fn deal_value<'s>(mut columns: Vec<&mut [u32]>, rows: &[u32], source: impl FnOnce() -> RandomStream<'s>) {
    if let [column] = &mut columns[..] {
        column.copy_from_slice(rows);
        return;
    }
    let sizes: Vec<usize> = columns.iter().map(|column| column.len()).collect();
    let tickets = source().arrange(&sizes);
    let mut filled = vec![0; columns.len()];
    for (&ticket, &row) in tickets.iter().zip(rows) {
        let filled = &mut filled[ticket as usize];
        columns[ticket as usize][*filled] = row;
        *filled += 1;
    }
}

#[cfg(test)]
mod tests {
    use pellucid_model::randomness::{ChoicePurpose, RandomSource};

    use super::*;

    #[test]
    fn example_6_makes_three_buckets() {
        // bronchitis, diabetes, dyspepsia, flu, gastritis in alphabetical order.
        let made = signatures(&[1, 1, 2, 2, 2], 2);
        let expected = [(2, vec![2, 3]), (1, vec![4, 0]), (1, vec![1, 4])];
        let expected = expected.map(|(alpha, values)| BucketSignature { alpha, values });
        assert_eq!(made, expected);
    }

    #[test]
    fn every_row_is_dealt_once_and_columns_are_even() {
        let counts = [5, 3, 3, 2, 1, 1];
        let made = signatures(&counts, 3);
        let mut next = 0;
        let mut rows = Partition::default();
        for count in counts {
            (next..next + count as u32).for_each(|row| rows.push_row(row));
            rows.close();
            next += count as u32;
        }
        let dealt = DealtRows::deal(&made, &rows, |value| {
            RandomSource::InsecureSeed(3).stream(ChoicePurpose::Deal, 0, value as u64)
        });
        let mut seen: Vec<u32> = dealt.buckets().flat_map(|bucket| bucket.rows.iter().copied()).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..15).collect::<Vec<u32>>());
        for (bucket, signature) in dealt.buckets().zip(&made) {
            assert_eq!(bucket.alpha as u64, signature.alpha);
            assert!(bucket.columns().count() >= 3);
            assert!(bucket.columns().all(<[u32]>::is_sorted));
        }
    }
}
