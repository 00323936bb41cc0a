//! Slice: divides the buckets of Ace until every column has one row (figure 8 of the paper).
//!
//! A bucket that no division improves is cut off row by row, as the tie rule wants (axis 0, smallest left half), which
//! takes linear time.

use pellucid_model::partition::Partition;

use super::amount::CostNumber;
use super::block::{BlockHalves, BlockShape, BlockStack, BlockView, assemble, cell, rows, run};
use super::cells::CellTable;
use super::cut::{CutEngine, CutScratch};

/// Blocks of more runs are divided by two threads.
const PARALLEL: usize = 1 << 13;

/// A bucket: column after column, one per value of its signature, the base positions of its rows, ascending.
#[derive(Debug, Clone, Copy)]
pub struct RowBucket<'a> {
    /// The rows of all columns.
    pub rows: &'a [u32],
    /// Rows per column.
    pub alpha: usize,
}

impl<'a> RowBucket<'a> {
    /// One slice of rows for each value of the signature, in its order.
    pub fn columns(&self) -> impl Iterator<Item = &'a [u32]> + use<'a> {
        self.rows.chunks_exact(self.alpha)
    }
}

impl<C: CellTable, A: CostNumber> CutEngine<'_, C, A> {
    /// Slices one bucket and appends its groups, whose order has no meaning.
    pub fn slice(&self, bucket: RowBucket<'_>, cell_of: &[u32], parts: &mut Vec<Partition>) {
        if bucket.alpha == 1 {
            parts.push(Partition::single(bucket.rows.to_vec()));
            return;
        }
        let columns: Vec<Vec<(u64, u64)>> = bucket.columns().map(|column| runs_of(column, cell_of)).collect();
        let alpha = bucket.alpha as u64;
        let (words, shape) = assemble(&columns, alpha, self.cells, self.codes, self.identified);
        drop(columns);
        self.slice_block(words, shape, bucket, parts);
    }

    fn slice_block(&self, words: Vec<u64>, shape: BlockShape, bucket: RowBucket<'_>, parts: &mut Vec<Partition>) {
        if shape.runs > PARALLEL {
            let view = BlockView::new(&words, shape, self.axes());
            let bounds = view.bounds(self.cells);
            let cut = self.canonical(&view, &bounds, 1, &mut CutScratch::new());
            if !cut.flat {
                let [left, right] = BlockHalves::blocks(&view, self.cells, cut.axis, cut.at);
                drop(words);
                let mut others = Vec::new();
                rayon::join(
                    || self.slice_block(left.0, left.1, bucket, parts),
                    || self.slice_block(right.0, right.1, bucket, &mut others),
                );
                parts.append(&mut others);
                return;
            }
        }
        let groups = Partition::with_capacity(shape.alpha as usize * shape.beta, shape.alpha as usize);
        let mut worker = Worker { engine: self, bucket, groups, scratch: CutScratch::new() };
        worker.work(words, shape);
        parts.push(worker.groups);
    }
}

/// The runs of `rows` (base positions, ascending), each with the index of its first row.
pub fn runs_of(positions: &[u32], cell_of: &[u32]) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    let mut last = u32::MAX;
    for (at, &position) in positions.iter().enumerate() {
        let place = cell_of[position as usize];
        match runs.last_mut() {
            Some(previous) if place == last => previous.0 += 1,
            _ => runs.push((run(place, 1), at as u64)),
        }
        last = place;
    }
    runs
}

/// One thread's work on a block and everything cut from it.
struct Worker<'e, C: CellTable, A> {
    engine: &'e CutEngine<'e, C, A>,
    bucket: RowBucket<'e>,
    groups: Partition,
    scratch: CutScratch<C, A>,
}

impl<C: CellTable, A: CostNumber> Worker<'_, C, A> {
    /// Divides the block and its parts, the last made first.
    fn work(&mut self, words: Vec<u64>, shape: BlockShape) {
        let mut stack = BlockStack::new(words, shape, self.engine.axes());
        while let Some(view) = stack.top() {
            let shape = view.shape();
            if shape.runs == shape.beta {
                self.emit_equal(&view);
                stack.pop();
                continue;
            }
            let bounds = view.bounds(self.engine.cells);
            if shape.alpha == 2 {
                self.emit_pair(&view, &bounds);
                stack.pop();
                continue;
            }
            let cut = self.engine.canonical(&view, &bounds, 1, &mut self.scratch);
            if cut.flat {
                self.emit_in_order(&view);
                stack.pop();
            } else {
                stack.split(self.engine.cells, cut.axis, cut.at);
            }
        }
    }

    /// No division lowers the perimeter: the tie rule cuts off the first row of every column on axis 0, again and again.
    ///
    /// A flat bucket stays flat. The first rows of all columns reach the upper end of an axis only when some column lies
    /// there as a whole, the last rows its lower end only when some column lies there; so all that remains spans the
    /// same box, however many rows are cut off.
    fn emit_in_order(&mut self, view: &BlockView<'_>) {
        let beta = view.shape().beta;
        // By column: the run at hand and how many of its rows are used.
        let mut places: Vec<(usize, u64)> = (0..beta).map(|column| (view.range(column).start, 0)).collect();
        for _ in 0..view.shape().alpha {
            for (members, place) in self.bucket.columns().zip(&mut places) {
                if place.1 == rows(view.runs(0)[place.0]) {
                    *place = (place.0 + 1, 0);
                }
                self.groups.push_row(members[(view.starts()[place.0] + place.1) as usize]);
                place.1 += 1;
            }
            self.groups.close();
        }
    }

    /// Every column has one cell: all divisions are alike, and the groups take one row of each column in turn.
    fn emit_equal(&mut self, view: &BlockView<'_>) {
        for offset in 0..view.shape().alpha {
            for (column, &start) in self.bucket.columns().zip(view.starts()) {
                self.groups.push_row(column[(start + offset) as usize]);
            }
            self.groups.close();
        }
    }

    /// Two rows a column: the only division on each axis is after the first.
    fn emit_pair(&mut self, view: &BlockView<'_>, bounds: &C::Box) {
        let cells = self.engine.cells;
        let mut best: Option<(A, usize)> = None;
        for axis in self.engine.orders(bounds) {
            let (mut first, mut second) = (cells.nothing(), cells.nothing());
            for column in 0..view.shape().beta {
                let runs = view.column(axis, column);
                cells.grow(&mut first, cell(runs[0]));
                cells.grow(&mut second, cell(runs[runs.len() - 1]));
            }
            let cost = A::combine(&self.engine.extent(&first), 1, &self.engine.extent(&second), 1);
            if best.as_ref().is_none_or(|(lowest, _)| cost < *lowest) {
                best = Some((cost, axis));
            }
        }
        let axis = best.map_or(0, |(_, axis)| axis);
        for second in [false, true] {
            for (column, members) in self.bucket.columns().enumerate() {
                let starts = &view.starts()[view.range(column)];
                let row = if starts.len() == 1 {
                    starts[0] + u64::from(second)
                } else {
                    let swapped = cell(view.column(axis, column)[0]) != cell(view.column(0, column)[0]);
                    starts[usize::from(second != swapped)]
                };
                self.groups.push_row(members[row as usize]);
            }
            self.groups.close();
        }
    }
}
