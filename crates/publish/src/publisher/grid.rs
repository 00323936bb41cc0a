//! Grids: the quasi-identifiers of all rows as ranks on their axes, for publishers that look at whole groups of rows.

use std::cmp::Ordering;

use dashu_int::UBig;
use rayon::prelude::*;

use super::input::PublisherInput;

/// Rows per piece of parallel work.
const CHUNK: usize = 1 << 14;

/// By row, its rank on every axis.
#[derive(Debug)]
pub struct RankGrid<'a> {
    /// By axis, where ranks stand.
    positions: Vec<&'a [i128]>,
    ranks: Vec<u32>,
}

impl<'a> RankGrid<'a> {
    /// The grid of all rows of `plan`.
    pub fn new(plan: &'a PublisherInput<'_>) -> Self {
        let (quasi, axes) = (&plan.quasi, plan.quasi.len());
        let mut ranks = vec![0; plan.rows * axes];
        ranks.par_chunks_mut(axes.max(1) * CHUNK).enumerate().for_each(|(at, chunk)| {
            for (row, places) in (at * CHUNK..).zip(chunk.chunks_mut(axes)) {
                for (place, (column, axis)) in places.iter_mut().zip(quasi) {
                    *place = axis.rank(column.code(row));
                }
            }
        });
        Self { positions: quasi.iter().map(|(_, axis)| axis.positions()).collect(), ranks }
    }

    /// Number of axes.
    pub fn axes(&self) -> usize {
        self.positions.len()
    }

    /// The ranks of `row`.
    #[inline]
    pub fn of(&self, row: u32) -> &[u32] {
        let axes = self.axes();
        &self.ranks[row as usize * axes..][..axes]
    }

    /// The smallest and the largest rank of `rows` on every axis.
    pub fn bounds(&self, rows: &[u32], bounds: &mut Vec<(u32, u32)>) {
        bounds.clear();
        let Some(&first) = rows.first() else { return };
        bounds.extend(self.of(first).iter().map(|&rank| (rank, rank)));
        for &row in rows {
            for (side, &rank) in bounds.iter_mut().zip(self.of(row)) {
                *side = (side.0.min(rank), side.1.max(rank));
            }
        }
    }

    /// The axes on which `bounds` have an extent, by descending share of the axis' own; ties to the earlier axis.
    pub fn widest_first(&self, bounds: &[(u32, u32)], axes: &mut Vec<usize>) {
        axes.clear();
        axes.extend((0..bounds.len()).filter(|&axis| bounds[axis].0 < bounds[axis].1));
        let width = |axis: usize| {
            let (places, (low, high)) = (self.positions[axis], bounds[axis]);
            let whole = (places[places.len() - 1]).abs_diff(places[0]);
            (places[high as usize].abs_diff(places[low as usize]), whole)
        };
        axes.sort_by(|&a, &b| compare_shares(width(b), width(a)));
    }

    /// The rank of the lower median of `rows` on `axis`; `scratch` is overwritten.
    pub fn lower_median(&self, rows: &[u32], axis: usize, scratch: &mut Vec<u32>) -> u32 {
        scratch.clear();
        scratch.extend(rows.iter().map(|&row| self.of(row)[axis]));
        let middle = (rows.len() - 1) / 2;
        *scratch.select_nth_unstable(middle).1
    }

    /// All rows by identifier, then by the whole vector, then as `last` has it, which gives every row a number.
    pub fn base_order(&self, plan: &PublisherInput<'_>, last: impl Fn(u32) -> u32 + Sync) -> Vec<u32> {
        let identifiers = &plan.identifiers;
        let codes = |row: u32| identifiers.iter().map(move |column| column.code(row as usize));
        let mut rows: Vec<u32> = (0..plan.rows as u32).collect();
        rows.par_sort_by(|&a, &b| {
            let by_identifier = codes(a).cmp(codes(b));
            by_identifier.then_with(|| self.of(a).cmp(self.of(b))).then_with(|| last(a).cmp(&last(b)))
        });
        rows
    }
}

/// Compares two shares, each a part of a whole that is not 0.
fn compare_shares(a: (u128, u128), b: (u128, u128)) -> Ordering {
    match (a.0.checked_mul(b.1), b.0.checked_mul(a.1)) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => (UBig::from(a.0) * UBig::from(b.1)).cmp(&(UBig::from(b.0) * UBig::from(a.1))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_huge_axes_are_compared_exactly() {
        let huge = u128::MAX;
        assert_eq!(compare_shares((1, 2), (2, 4)), Ordering::Equal);
        assert_eq!(compare_shares((huge - 1, huge), (huge, huge)), Ordering::Less);
        // (h-1)/h against (h-2)/(h-1): the larger whole lacks the smaller part.
        assert_eq!(compare_shares((huge - 1, huge), (huge - 2, huge - 1)), Ordering::Greater);
        assert_eq!(compare_shares((huge, huge), (1, 1)), Ordering::Equal);
    }
}
