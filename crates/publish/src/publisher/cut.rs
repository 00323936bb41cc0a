//! The canonical cut of a block: definitions 10 and 12 of Xiao, Tao and Koudas in one.
//!
//! A cut on an axis takes the first `j` rows of every column to the left half and the rest to the right; its cost is the
//! perimeter `j * E(left) + (alpha - j) * E(right)` per column, with `E` the sum of normalised extents. The canonical cut
//! has the smallest cost, then the smallest axis, then the smallest `j`. For a block of one column this is the canonical
//! l-cut of Tailor (with `j` at least l times the largest count on both sides), for a bucket the canonical division of
//! Slice.
//!
//! The extents of growing prefixes are step functions, and between two steps the cost is linear in `j`: only the ends of
//! such stretches can be canonical. All arithmetic is exact.

use super::amount::CostNumber;
use super::block::{BlockView, cell, rows};
use super::cells::CellTable;

/// The canonical cut of a block.
#[derive(Debug, Clone)]
pub struct CanonicalCut {
    /// The axis cut on.
    pub axis: usize,
    /// Rows of each column in the left half.
    pub at: u64,
    /// Whether no cut at all has a lower cost than the block uncut: every cut is as good as the first.
    pub flat: bool,
}

/// What cutting needs to know of a frame.
pub struct CutEngine<'a, C, A> {
    /// Rows that nothing public tells apart are one cell.
    pub cells: &'a C,
    /// Weighted positions by axis and code.
    pub weighted: &'a [Vec<A>],
    /// Number of codes per axis.
    pub codes: &'a [usize],
    /// Whether base order is not the order of the vectors.
    pub identified: bool,
}

/// Working memory of [`CutEngine::canonical`], reused from block to block.
pub struct CutScratch<C: CellTable, A> {
    opening: Vec<C::Box>,
    closing: Vec<C::Box>,
    costs: Vec<A>,
    steps: Steps<C::Box>,
    grown: Vec<(u64, A)>,
    shrunk: Vec<(u64, A)>,
}

impl<C: CellTable, A> CutScratch<C, A> {
    /// Empty working memory.
    pub fn new() -> Self {
        Self {
            opening: Vec::new(),
            closing: Vec::new(),
            costs: Vec::new(),
            steps: Steps { column: Vec::new(), joined: Vec::new(), spare: Vec::new() },
            grown: Vec::new(),
            shrunk: Vec::new(),
        }
    }
}

/// Columns of up to this many rows are swept row by row, longer ones step by step.
const SHORT: u64 = 48;

impl<C: CellTable, A: CostNumber> CutEngine<'_, C, A> {
    /// Number of axes.
    pub fn axes(&self) -> usize {
        self.codes.len()
    }

    /// The sum of weighted extents of a box.
    #[inline]
    pub fn extent(&self, bounds: &C::Box) -> A {
        let mut sum = A::zero();
        for (axis, positions) in self.weighted.iter().enumerate() {
            let (low, high) = self.cells.range(bounds, axis);
            sum.add_difference(&positions[high], &positions[low]);
        }
        sum
    }

    /// The axes on which the block has an order of its own. An axis on which the whole block has one code orders it by
    /// base order, as an earlier axis does already; ties go to the earlier one.
    pub fn orders<'s>(&'s self, bounds: &'s C::Box) -> impl Iterator<Item = usize> + 's {
        let mut base_seen = !self.identified;
        (0..self.axes()).filter(move |&axis| {
            let (low, high) = self.cells.range(bounds, axis);
            let repeats = low == high && base_seen && (axis > 0 || self.identified);
            base_seen |= low == high;
            !repeats
        })
    }

    /// The canonical cut with at least `least` rows of each column on either side.
    ///
    /// `least` is at least 1 and at most half of the block's `alpha`. `bounds` is the box around the block.
    pub fn canonical(
        &self,
        view: &BlockView<'_>,
        bounds: &C::Box,
        least: u64,
        scratch: &mut CutScratch<C, A>,
    ) -> CanonicalCut {
        let alpha = view.shape().alpha;
        let whole = self.extent(bounds);
        let uncut = A::combine(&whole, alpha, &A::zero(), 0);
        let mut best = CanonicalCut { axis: 0, at: least, flat: true };
        let mut best_cost = uncut;
        if whole == A::zero() {
            return best;
        }
        for axis in self.orders(bounds) {
            let (cost, at) = if alpha <= SHORT {
                self.sweep_rows(view, axis, least, scratch)
            } else {
                self.sweep_steps(view, axis, least, scratch)
            };
            if cost < best_cost {
                best = CanonicalCut { axis, at, flat: false };
                best_cost = cost;
            }
        }
        best
    }

    /// Lowest cost and smallest `j` on `axis`, every `j` looked at.
    fn sweep_rows(&self, view: &BlockView<'_>, axis: usize, least: u64, scratch: &mut CutScratch<C, A>) -> (A, u64) {
        let alpha = view.shape().alpha as usize;
        let CutScratch { opening, closing, costs, .. } = scratch;
        opening.clear();
        opening.resize(alpha, self.cells.nothing());
        closing.clear();
        closing.resize(alpha, self.cells.nothing());
        for column in 0..view.shape().beta {
            let mut at = 0;
            for &run in view.column(axis, column) {
                self.cells.grow(&mut opening[at], cell(run));
                at += rows(run) as usize;
                self.cells.grow(&mut closing[at - 1], cell(run));
            }
        }
        let (first, last) = (least as usize, alpha - least as usize);
        // costs[last - j]: extent of the rows from j on, swept from the end; a box that did not grow keeps its extent.
        costs.clear();
        let mut bounds = self.cells.nothing();
        for closed in closing[last + 1..].iter().rev() {
            self.cells.join(&mut bounds, closed);
        }
        for closed in closing[first..=last].iter().rev() {
            let before = bounds.clone();
            self.cells.join(&mut bounds, closed);
            let extent = match costs.last() {
                Some(extent) if before == bounds => extent.clone(),
                _ => self.extent(&bounds),
            };
            costs.push(extent);
        }
        let mut bounds = self.cells.nothing();
        for opened in &opening[..first - 1] {
            self.cells.join(&mut bounds, opened);
        }
        let mut extent = A::zero();
        let mut best: Option<(A, u64)> = None;
        for at in first..=last {
            let before = bounds.clone();
            self.cells.join(&mut bounds, &opening[at - 1]);
            if at == first || before != bounds {
                extent = self.extent(&bounds);
            }
            let cost = A::combine(&extent, at as u64, &costs[last - at], (alpha - at) as u64);
            if best.as_ref().is_none_or(|(lowest, _)| cost < *lowest) {
                best = Some((cost, at as u64));
            }
        }
        best.expect("least is at most half of alpha")
    }

    /// Lowest cost and smallest `j` on `axis`, looking only at the ends of the stretches on which the cost is linear.
    fn sweep_steps(&self, view: &BlockView<'_>, axis: usize, least: u64, scratch: &mut CutScratch<C, A>) -> (A, u64) {
        let alpha = view.shape().alpha;
        let CutScratch { steps, grown, shrunk, .. } = scratch;
        // A run from `start` is in the left half once j > start.
        steps.joined.clear();
        for column in 0..view.shape().beta {
            let mut start = 0;
            self.join_steps(steps, view.column(axis, column).iter(), |run| {
                start += rows(run);
                start - rows(run)
            });
        }
        grown.clear();
        grown.extend(steps.joined.iter().map(|(start, bounds)| (*start, self.extent(bounds))));
        // A run up to `end` is in the right half while j < end. Places count from the end, so that both sweeps ascend.
        steps.joined.clear();
        for column in 0..view.shape().beta {
            let mut behind = 0;
            self.join_steps(steps, view.column(axis, column).iter().rev(), |run| {
                behind += rows(run);
                behind - rows(run)
            });
        }
        shrunk.clear();
        shrunk.extend(steps.joined.iter().map(|(behind, bounds)| (alpha - behind, self.extent(bounds))));

        let most = alpha - least;
        let mut best: Option<(A, u64)> = None;
        let mut left = 0;
        let mut right = shrunk.len() - 1;
        let mut at = least;
        loop {
            while left + 1 < grown.len() && grown[left + 1].0 < at {
                left += 1;
            }
            while shrunk[right].0 <= at {
                right -= 1;
            }
            // Both extents stay as they are up to the next step.
            let next_left = grown.get(left + 1).map_or(most, |step| step.0);
            let next_right = shrunk[right].0 - 1;
            let end = next_left.min(next_right).min(most);
            for j in [at, end] {
                let cost = A::combine(&grown[left].1, j, &shrunk[right].1, alpha - j);
                if best.as_ref().is_none_or(|(lowest, _)| cost < *lowest) {
                    best = Some((cost, j));
                }
            }
            if end == most {
                break;
            }
            at = end + 1;
        }
        best.expect("least is at most half of alpha")
    }

    /// Joins the steps of one column, whose `place`s ascend, into those of the columns before.
    fn join_steps<'r>(
        &self,
        steps: &mut Steps<C::Box>,
        runs: impl Iterator<Item = &'r u64>,
        mut place: impl FnMut(u64) -> u64,
    ) {
        let Steps { column, joined, spare } = steps;
        column.clear();
        let mut bounds = self.cells.nothing();
        for &run in runs {
            let at = place(run);
            let mut larger = bounds.clone();
            self.cells.grow(&mut larger, cell(run));
            if larger != bounds {
                bounds = larger;
                column.push((at, bounds.clone()));
            }
        }
        spare.clear();
        let (mut ours, mut theirs) = (column.iter().peekable(), joined.iter().peekable());
        let mut bounds = self.cells.nothing();
        loop {
            let at = match (ours.peek(), theirs.peek()) {
                (Some(our), Some(their)) => our.0.min(their.0),
                (Some(step), None) | (None, Some(step)) => step.0,
                (None, None) => break,
            };
            let mut larger = bounds.clone();
            while let Some(step) = ours.next_if(|step| step.0 == at) {
                self.cells.join(&mut larger, &step.1);
            }
            while let Some(step) = theirs.next_if(|step| step.0 == at) {
                self.cells.join(&mut larger, &step.1);
            }
            if larger != bounds {
                bounds = larger;
                spare.push((at, bounds.clone()));
            }
        }
        std::mem::swap(joined, spare);
    }
}

/// Places where the box around a growing prefix grows, each with the box from there on, places ascending.
#[derive(Debug)]
struct Steps<B> {
    /// Of the column at hand.
    column: Vec<(u64, B)>,
    /// Of all columns so far.
    joined: Vec<(u64, B)>,
    /// Room for the next `joined`.
    spare: Vec<(u64, B)>,
}
