//! Tailor: cuts the table like a kd-tree, deciding by quasi-identifiers and histograms alone.
//!
//! Figure 3 and definitions 9 and 10 of Xiao, Tao and Koudas, for every principle on histograms that is closed under
//! mixtures: a cut of a group is allowed when both halves have at least `robust(h)` rows (see
//! [`BoundPrinciple::robust`](pellucid_model::principle::Test::robust)), and for "at most 1/l" that is l times the largest count.
//!
//! # Guarantee
//! The decision to cut and where depends on public data and on the group's multiset of sensitive values only, so tables
//! that are isomorphic on the final groups are cut alike (lemma 3) and the belief of an adversary who knows everything is
//! a mixture of the histograms of passing groups (theorem 1), hence passes.
//!
//! # Cost
//! Of every cut the time is linear in the group's cells. A cut that leaves nearly everything on one side must lower the
//! extents by a constant factor, because the cut in the middle of the widest axis would; so cuts are at most of order
//! `log n` plus the bits of the positions deep. A group without extent, from which the tie rule cuts off piece by piece, is
//! peeled in linear time.

use pellucid_model::partition::Partition;

use super::amount::CostNumber;
use super::block::{BlockHalves, BlockShape, BlockStack, BlockView, assemble, cell, rows, run};
use super::cells::CellTable;
use super::cut::{CutEngine, CutScratch};
use super::histograms::{GroupHistograms, GroupTally};

/// Groups of more rows are cut by two threads.
const PARALLEL: u64 = 1 << 15;

impl<C: CellTable, A: CostNumber> CutEngine<'_, C, A> {
    /// Cuts the rows whose cells are `cell_of` (by base position) until no cut is allowed; `None` when not even the
    /// whole passes. The order of the groups has no meaning.
    pub fn tailor(&self, cell_of: &[u32], ledger: &GroupHistograms<'_>) -> Option<Vec<Partition>> {
        let everything = cell_of.len() as u64;
        let mut tally = ledger.tally();
        tally.add(0..cell_of.len() as u32);
        let least = tally.least(everything)?;
        if 2 * least > everything {
            return Some(vec![Partition::single((0..cell_of.len() as u32).collect())]);
        }
        drop(tally);
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for (position, &place) in cell_of.iter().enumerate() {
            match runs.last_mut() {
                Some(last) if cell(last.0) == place => last.0 += 1,
                _ => runs.push((run(place, 1), position as u64)),
            }
        }
        let (words, shape) = assemble(&[runs], everything, self.cells, self.codes, self.identified);
        let mut parts = Vec::new();
        self.tailor_block(words, shape, ledger, &mut parts);
        Some(parts)
    }

    fn tailor_block(
        &self,
        words: Vec<u64>,
        shape: BlockShape,
        ledger: &GroupHistograms<'_>,
        parts: &mut Vec<Partition>,
    ) {
        if shape.alpha > PARALLEL {
            let view = BlockView::new(&words, shape, self.axes());
            let mut tally = ledger.tally();
            let least = count(&view, &mut tally);
            drop(tally);
            if 2 * least <= shape.alpha {
                let bounds = view.bounds(self.cells);
                let cut = self.canonical(&view, &bounds, least, &mut CutScratch::new());
                if !cut.flat {
                    let [left, right] = BlockHalves::blocks(&view, self.cells, cut.axis, cut.at);
                    drop(words);
                    let mut others = Vec::new();
                    rayon::join(
                        || self.tailor_block(left.0, left.1, ledger, parts),
                        || self.tailor_block(right.0, right.1, ledger, &mut others),
                    );
                    parts.append(&mut others);
                    return;
                }
            }
        }
        let mut worker = Worker {
            engine: self,
            tally: ledger.tally(),
            groups: Partition::with_capacity(shape.alpha as usize, 0),
            scratch: CutScratch::new(),
        };
        worker.work(words, shape);
        parts.push(worker.groups);
    }
}

/// Fills `tally` with the rows of the block and gives the smallest half allowed; every part made by allowed cuts passes.
fn count(view: &BlockView<'_>, tally: &mut GroupTally<'_>) -> u64 {
    tally.clear();
    for (&run_here, &start) in view.runs(0).iter().zip(view.starts()) {
        tally.add(start as u32..(start + rows(run_here)) as u32);
    }
    // A part that did not pass would contradict `robust`; it is then left whole.
    tally.least(view.shape().alpha).unwrap_or(u64::MAX / 2)
}

/// One thread's work on a group and everything cut from it.
struct Worker<'e, C: CellTable, A> {
    engine: &'e CutEngine<'e, C, A>,
    tally: GroupTally<'e>,
    groups: Partition,
    scratch: CutScratch<C, A>,
}

impl<C: CellTable, A: CostNumber> Worker<'_, C, A> {
    fn work(&mut self, words: Vec<u64>, shape: BlockShape) {
        let mut stack = BlockStack::new(words, shape, self.engine.axes());
        let mut peeled = Vec::new();
        while let Some(view) = stack.top() {
            let least = count(&view, &mut self.tally);
            if 2 * least > view.shape().alpha {
                self.emit(&view);
                stack.pop();
                continue;
            }
            let bounds = view.bounds(self.engine.cells);
            let cut = self.engine.canonical(&view, &bounds, least, &mut self.scratch);
            if cut.flat {
                peeled.clear();
                let pieces = self.peel(&view, least, &mut peeled);
                stack.pop();
                stack.push(&peeled, &pieces);
            } else {
                stack.split(self.engine.cells, cut.axis, cut.at);
            }
        }
    }

    fn emit(&mut self, view: &BlockView<'_>) {
        for (&run_here, &start) in view.runs(0).iter().zip(view.starts()) {
            for position in start..start + rows(run_here) {
                self.groups.push_row(position as u32);
            }
        }
        self.groups.close();
    }

    /// Cuts pieces off a flat group, each as small as allowed, and appends them to `words`; gives their shapes. The tally
    /// holds the group when called.
    ///
    /// A group is flat only when it has no extent: were there some on an axis, the first `least` rows would have to reach
    /// its upper end and the last `least` its lower end, and a row in the middle would lie at both. So every axis has the
    /// base order, what remains is flat again, and nothing needs to be looked at twice.
    fn peel(&mut self, view: &BlockView<'_>, least: u64, words: &mut Vec<u64>) -> Vec<BlockShape> {
        let mut runs = view.runs(0).iter().map(|&run_here| (cell(run_here), rows(run_here))).zip(view.starts());
        let mut open: Option<(u32, u64, u64)> = None;
        let mut remaining = view.shape().alpha;
        let mut next_size = least;
        let mut shapes = Vec::new();
        let mut piece: Vec<(u64, u64)> = Vec::new();
        while remaining > 0 {
            piece.clear();
            let mut wanted = next_size;
            while wanted > 0 {
                let Some((place, count, start)) =
                    open.take().or_else(|| runs.next().map(|((place, count), &start)| (place, count, start)))
                else {
                    break;
                };
                let taken = count.min(wanted);
                piece.push((run(place, taken), start));
                self.tally.remove(start as u32..(start + taken) as u32);
                wanted -= taken;
                if taken < count {
                    open = Some((place, count - taken, start + taken));
                }
            }
            shapes.push(self.append(&mut piece, next_size, words));
            remaining -= next_size;
            // What remains is one piece when it cannot be cut.
            next_size = self.tally.least(remaining).filter(|least| 2 * least <= remaining).unwrap_or(remaining);
        }
        shapes
    }

    /// Appends the block of `runs` to `words`. Cells are numbered in base order, so sorting by cell restores it.
    fn append(&self, runs: &mut Vec<(u64, u64)>, alpha: u64, words: &mut Vec<u64>) -> BlockShape {
        runs.sort_unstable();
        let column = [std::mem::take(runs)];
        let engine = self.engine;
        let (block, shape) = assemble(&column, alpha, engine.cells, engine.codes, engine.identified);
        words.extend_from_slice(&block);
        let [column] = column;
        *runs = column;
        shape
    }
}
