//! Slice: divides the buckets of Ace until every column has one row (figure 8 of the paper).
//!
//! A bucket that no division improves is cut off row by row, as the tie rule wants (axis 0, smallest left half). Such
//! flat buckets are peeled with pointers into the sorted columns, so that a bucket of equal rows costs linear time.

use super::amount::Amount;
use super::block::{Shape, View, assemble, cell, rows, run, split};
use super::cells::Cells;
use super::cut::{Engine, SHORT, Scratch};
use super::partition::Groups;

/// Blocks of more runs are divided by two threads.
const PARALLEL: usize = 1 << 13;

/// A bucket: column after column, one per value of its signature, the base positions of its rows, ascending.
#[derive(Debug, Clone, Copy)]
pub struct Bucket<'a> {
    /// The rows of all columns.
    pub rows: &'a [u32],
    /// Rows per column.
    pub alpha: usize,
}

impl<'a> Bucket<'a> {
    /// The columns.
    pub fn columns(&self) -> impl Iterator<Item = &'a [u32]> + use<'a> {
        self.rows.chunks_exact(self.alpha)
    }
}

impl<C: Cells, A: Amount> Engine<'_, C, A> {
    /// Slices one bucket and appends its groups, whose order has no meaning.
    pub fn slice(&self, bucket: Bucket<'_>, cell_of: &[u32], parts: &mut Vec<Groups>) {
        if bucket.alpha == 1 {
            parts.push(Groups::single(bucket.rows.to_vec()));
            return;
        }
        let columns: Vec<Vec<(u64, u64)>> = bucket.columns().map(|column| runs_of(column, cell_of)).collect();
        let alpha = bucket.alpha as u64;
        let (words, shape) = assemble(&columns, alpha, self.cells, self.codes, self.identified);
        drop(columns);
        self.slice_block(words, shape, bucket, parts);
    }

    fn slice_block(&self, words: Vec<u64>, shape: Shape, bucket: Bucket<'_>, parts: &mut Vec<Groups>) {
        if shape.runs > PARALLEL {
            let view = View::new(&words, shape, self.axes());
            let bounds = view.bounds(self.cells);
            let cut = self.canonical(&view, &bounds, 1, &mut Scratch::new());
            if !cut.flat {
                let (mut left, mut right) = (Vec::new(), Vec::new());
                let at = (cut.axis, cut.at);
                let shapes = split(&view, self.cells, at, &mut Vec::new(), &mut left, &mut right);
                drop(words);
                let mut others = Vec::new();
                rayon::join(
                    || self.slice_block(left, shapes.0, bucket, parts),
                    || self.slice_block(right, shapes.1, bucket, &mut others),
                );
                parts.append(&mut others);
                return;
            }
        }
        let mut worker = Worker { engine: self, bucket, groups: Groups::default(), scratch: Scratch::new() };
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
struct Worker<'e, C: Cells, A> {
    engine: &'e Engine<'e, C, A>,
    bucket: Bucket<'e>,
    groups: Groups,
    scratch: Scratch<C, A>,
}

impl<C: Cells, A: Amount> Worker<'_, C, A> {
    /// Divides the block and its parts, the last made first, on one growing stack of words.
    fn work(&mut self, mut words: Vec<u64>, shape: Shape) {
        let axes = self.engine.axes();
        let mut shapes = vec![shape];
        let mut borders = Vec::new();
        let (mut left, mut right) = (Vec::new(), Vec::new());
        while let Some(shape) = shapes.pop() {
            let bottom = words.len() - shape.words(axes);
            let view = View::new(&words[bottom..], shape, axes);
            if shape.runs == shape.beta {
                self.emit_equal(&view);
                words.truncate(bottom);
                continue;
            }
            let bounds = view.bounds(self.engine.cells);
            if shape.alpha == 2 {
                self.emit_pair(&view, &bounds);
                words.truncate(bottom);
                continue;
            }
            left.clear();
            right.clear();
            let cut = self.engine.canonical(&view, &bounds, 1, &mut self.scratch);
            // A short flat bucket is cut like any other: that costs no more than its few rows.
            if cut.flat && shape.alpha > SHORT {
                let rest = Peel::new(self.engine, &view, &bounds).peel(self, &view, &mut left);
                words.truncate(bottom);
                words.extend_from_slice(&left);
                shapes.extend(rest);
                continue;
            }
            let halves = split(&view, self.engine.cells, (cut.axis, cut.at), &mut borders, &mut left, &mut right);
            words.truncate(bottom);
            words.extend_from_slice(&right);
            words.extend_from_slice(&left);
            shapes.push(halves.1);
            shapes.push(halves.0);
        }
    }

    /// Every column has one cell: all divisions are alike, and the groups take one row of each column in turn.
    fn emit_equal(&mut self, view: &View<'_>) {
        for offset in 0..view.shape().alpha {
            for (column, &start) in self.bucket.columns().zip(view.starts()) {
                self.groups.push_row(column[(start + offset) as usize]);
            }
            self.groups.close();
        }
    }

    /// Two rows a column: the only division on each axis is after the first.
    fn emit_pair(&mut self, view: &View<'_>, bounds: &C::Box) {
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

/// A flat bucket being peeled: each piece is the first row of every column on axis 0.
struct Peel<'e, C: Cells, A> {
    engine: &'e Engine<'e, C, A>,
    /// Extent of the whole bucket; the bucket is flat while every first and last piece has it too.
    extent: A,
    axes: Vec<usize>,
    /// Rows left of each run on axis 0.
    left: Vec<u64>,
    /// For the axes above, the index of each run on axis 0.
    links: Vec<Vec<u32>>,
    /// First and last run with rows left, by axis and column.
    front: Vec<Vec<usize>>,
    back: Vec<Vec<usize>>,
}

impl<'e, C: Cells, A: Amount> Peel<'e, C, A> {
    fn new(engine: &'e Engine<'e, C, A>, view: &View<'_>, bounds: &C::Box) -> Self {
        let beta = view.shape().beta;
        let axes: Vec<usize> = engine.orders(bounds).collect();
        let links = axes.iter().map(|&axis| link(view, axis)).collect();
        let front: Vec<usize> = (0..beta).map(|column| view.range(column).start).collect();
        let back: Vec<usize> = (0..beta).map(|column| view.range(column).end - 1).collect();
        Self {
            engine,
            extent: engine.extent(bounds),
            left: view.runs(0).iter().map(|&run| rows(run)).collect(),
            front: vec![front; axes.len()],
            back: vec![back; axes.len()],
            links,
            axes,
        }
    }

    /// Emits pieces while the bucket stays flat; leaves what remains in `rest` and gives its shape.
    fn peel(mut self, worker: &mut Worker<'_, C, A>, view: &View<'_>, rest: &mut Vec<u64>) -> Option<Shape> {
        let Shape { beta, mut alpha, .. } = view.shape();
        let starts = view.starts();
        let first_axis = self.axes.iter().position(|&axis| axis == 0).expect("axis 0 always has an order");
        loop {
            for column in 0..beta {
                self.advance(first_axis, column);
                let at = self.links[first_axis][self.front[first_axis][column]] as usize;
                let used = rows(view.runs(0)[at]) - self.left[at];
                let row = column * worker.bucket.alpha + (starts[at] + used) as usize;
                worker.groups.push_row(worker.bucket.rows[row]);
                self.left[at] -= 1;
            }
            worker.groups.close();
            alpha -= 1;
            if alpha == 0 {
                return None;
            }
            if !self.is_flat(view, beta) {
                break;
            }
        }
        Some(self.remaining(view, alpha, rest))
    }

    /// Moves the front and back of `column` on an axis past the runs that are used up.
    fn advance(&mut self, axis: usize, column: usize) {
        let links = &self.links[axis];
        while self.left[links[self.front[axis][column]] as usize] == 0 {
            self.front[axis][column] += 1;
        }
        while self.left[links[self.back[axis][column]] as usize] == 0 {
            self.back[axis][column] -= 1;
        }
    }

    /// The first and the last row of every column span the whole on every axis; so do all larger pieces.
    fn is_flat(&mut self, view: &View<'_>, beta: usize) -> bool {
        for (at, axis) in self.axes.clone().into_iter().enumerate() {
            let (mut first, mut last) = (self.engine.cells.nothing(), self.engine.cells.nothing());
            for column in 0..beta {
                self.advance(at, column);
                self.engine.cells.grow(&mut first, cell(view.runs(axis)[self.front[at][column]]));
                self.engine.cells.grow(&mut last, cell(view.runs(axis)[self.back[at][column]]));
            }
            if self.engine.extent(&first) != self.extent || self.engine.extent(&last) != self.extent {
                return false;
            }
        }
        true
    }

    /// The block of the rows that are left.
    fn remaining(&self, view: &View<'_>, alpha: u64, words: &mut Vec<u64>) -> Shape {
        let beta = view.shape().beta;
        let mut ends = Vec::with_capacity(beta);
        let mut starts = Vec::new();
        for axis in 0..self.engine.axes() {
            let links = link(view, axis);
            for column in 0..beta {
                for at in view.range(column) {
                    let index = links[at] as usize;
                    if self.left[index] > 0 {
                        words.push(run(cell(view.runs(axis)[at]), self.left[index]));
                        if axis == 0 {
                            starts.push(view.starts()[at] + rows(view.runs(0)[at]) - self.left[index]);
                        }
                    }
                }
                if axis == 0 {
                    ends.push(starts.len() as u64);
                }
            }
        }
        let shape = Shape { runs: starts.len(), beta, alpha };
        words.append(&mut starts);
        words.append(&mut ends);
        shape
    }
}

/// For every run on `axis` the index of the same run on axis 0.
pub fn link(view: &View<'_>, axis: usize) -> Vec<u32> {
    if axis == 0 {
        return (0..view.shape().runs as u32).collect();
    }
    let mut links = vec![0; view.shape().runs];
    for column in 0..view.shape().beta {
        let range = view.range(column);
        let mut known: Vec<(u32, u32)> = range.clone().map(|at| (cell(view.runs(0)[at]), at as u32)).collect();
        known.sort_unstable();
        for at in range {
            let place = cell(view.runs(axis)[at]);
            let found = known.binary_search_by_key(&place, |entry| entry.0).expect("a run is on every axis");
            links[at] = known[found].1;
        }
    }
    links
}
