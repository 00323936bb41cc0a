//! Blocks: what the cutting engine works on.
//!
//! A block has `beta` columns of `alpha` rows each, and every column is a list of **runs** (a cell and how many rows of
//! it) in the order of each axis. Tailor's group is a block of one column; Ace's bucket has one column per value of its
//! signature. Rows of one cell stay adjacent on every axis, so a cell occurs at most once in a column of a block.
//!
//! A block lies flat in one slice of words: the runs on axis 0, on axis 1, ... (`cell << 32 | rows`), then for each run on
//! axis 0 where its rows start, then where each column ends.

use super::cells::CellTable;

/// Shape of a block; its words lie elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct BlockShape {
    /// Number of runs over all columns.
    pub runs: usize,
    /// Number of columns.
    pub beta: usize,
    /// Rows in each column.
    pub alpha: u64,
}

impl BlockShape {
    /// Number of words of a block of this shape.
    pub fn words(self, axes: usize) -> usize {
        (axes + 1) * self.runs + self.beta
    }
}

/// A block in place.
#[derive(Debug, Clone, Copy)]
pub struct BlockView<'a> {
    words: &'a [u64],
    shape: BlockShape,
    axes: usize,
}

/// A run's cell.
#[inline]
pub fn cell(run: u64) -> u32 {
    (run >> 32) as u32
}

/// A run's number of rows.
#[inline]
pub fn rows(run: u64) -> u64 {
    run & 0xffff_ffff
}

/// The run of `rows` rows of `cell`.
#[inline]
pub fn run(cell: u32, rows: u64) -> u64 {
    u64::from(cell) << 32 | rows
}

impl<'a> BlockView<'a> {
    /// The block of `shape` at the beginning of `words`.
    pub fn new(words: &'a [u64], shape: BlockShape, axes: usize) -> Self {
        Self { words, shape, axes }
    }

    /// The block's shape.
    pub fn shape(&self) -> BlockShape {
        self.shape
    }

    /// All runs in the order of `axis`, column after column.
    #[inline]
    pub fn runs(&self, axis: usize) -> &'a [u64] {
        &self.words[axis * self.shape.runs..][..self.shape.runs]
    }

    /// Where the rows of each run on axis 0 start.
    #[inline]
    pub fn starts(&self) -> &'a [u64] {
        &self.words[self.axes * self.shape.runs..][..self.shape.runs]
    }

    /// Where the runs of each column end.
    #[inline]
    pub fn ends(&self) -> &'a [u64] {
        &self.words[(self.axes + 1) * self.shape.runs..][..self.shape.beta]
    }

    /// The runs of `column` as a range.
    #[inline]
    pub fn range(&self, column: usize) -> std::ops::Range<usize> {
        let ends = self.ends();
        let start = if column == 0 { 0 } else { ends[column - 1] as usize };
        start..ends[column] as usize
    }

    /// The runs of `column` in the order of `axis`.
    #[inline]
    pub fn column(&self, axis: usize, column: usize) -> &'a [u64] {
        &self.runs(axis)[self.range(column)]
    }

    /// The box around the whole block.
    pub fn bounds<C: CellTable>(&self, cells: &C) -> C::Box {
        let mut bounds = cells.nothing();
        for &run in self.runs(0) {
            cells.grow(&mut bounds, cell(run));
        }
        bounds
    }
}

/// Where a cut on an axis falls in one column: the last run that reaches into the left half.
#[derive(Debug, Clone, Copy)]
pub struct CutBorder {
    code: u32,
    cell: u32,
    /// Rows of that run that go left; at least 1.
    left: u64,
    /// Number of runs before it on the axis of the cut.
    before: usize,
    /// Whether all its rows go left.
    whole: bool,
}

impl CutBorder {
    /// The border after `at` rows of `runs`, which are in the order of `axis`.
    fn find<C: CellTable>(cells: &C, runs: &[u64], axis: usize, at: u64) -> Self {
        let mut reached = 0;
        let mut before = 0;
        for &run_here in runs {
            reached += rows(run_here);
            if reached >= at {
                break;
            }
            before += 1;
        }
        let (place, count) = (cell(runs[before]), rows(runs[before]));
        Self { code: cells.code(place, axis), cell: place, left: count - (reached - at), before, whole: reached == at }
    }

    /// Where `place` stands on the axis of the cut, comparable with [`CutBorder::key`].
    #[inline]
    fn key_of<C: CellTable>(cells: &C, place: u32, axis: usize) -> u64 {
        u64::from(cells.code(place, axis)) << 32 | u64::from(place)
    }

    /// Where the border's cell stands on the axis of the cut.
    #[inline]
    fn key(&self) -> u64 {
        u64::from(self.code) << 32 | u64::from(self.cell)
    }
}

/// Room for the two halves of a cut, kept from one cut to the next.
#[derive(Debug, Default)]
pub struct BlockHalves {
    left: Vec<u64>,
    right: Vec<u64>,
    borders: Vec<CutBorder>,
    shapes: Option<(BlockShape, BlockShape)>,
}

impl BlockHalves {
    /// The left half, with its words.
    pub fn left(&self, axes: usize) -> (BlockShape, &[u64]) {
        let shape = self.shapes.expect("halves are asked for after a cut").0;
        (shape, &self.left[..shape.words(axes)])
    }

    /// The right half, with its words.
    pub fn right(&self, axes: usize) -> (BlockShape, &[u64]) {
        let shape = self.shapes.expect("halves are asked for after a cut").1;
        (shape, &self.right[..shape.words(axes)])
    }

    /// The two halves of `view`, cut on `axis` after `at` rows of every column, as blocks of their own.
    pub fn blocks<C: CellTable>(view: &BlockView<'_>, cells: &C, axis: usize, at: u64) -> [(Vec<u64>, BlockShape); 2] {
        let mut halves = Self::default();
        halves.split(view, cells, axis, at);
        let (left, right) = halves.shapes.expect("the view was just cut");
        halves.left.truncate(left.words(view.axes));
        halves.right.truncate(right.words(view.axes));
        [(halves.left, left), (halves.right, right)]
    }

    /// Cuts `view` on `axis` after `at` rows of every column.
    pub fn split<C: CellTable>(&mut self, view: &BlockView<'_>, cells: &C, axis: usize, at: u64) {
        let Self { left, right, borders, shapes } = self;
        let (axes, beta) = (view.axes, view.shape.beta);
        borders.clear();
        borders.extend((0..beta).map(|column| CutBorder::find(cells, view.column(axis, column), axis, at)));
        let runs_left: usize = borders.iter().map(|border| border.before + 1).sum();
        let split_runs = borders.iter().filter(|border| !border.whole).count();
        let shape_left = BlockShape { runs: runs_left, beta, alpha: at };
        let shape_right =
            BlockShape { runs: view.shape.runs - runs_left + split_runs, beta, alpha: view.shape.alpha - at };
        *shapes = Some((shape_left, shape_right));
        // One word more than needed: every run is written to both sides, and counts on the side where it belongs.
        for (side, shape) in [(&mut *left, shape_left), (&mut *right, shape_right)] {
            if side.len() <= shape.words(axes) {
                side.resize(shape.words(axes) + 1, 0);
            }
        }
        let mut dealer = Dealer { cells, axis, left, right, to_left: 0, to_right: 0 };
        for other in 0..axes {
            for (column, border) in borders.iter().enumerate() {
                let runs = view.column(other, column);
                let parts = |run_here| (run(border.cell, border.left), run(border.cell, rows(run_here) - border.left));
                if other == axis {
                    dealer.deal_sorted(border, runs, parts);
                } else {
                    dealer
                        .deal(border, runs.iter().map(|&run_here| (run_here, run_here)), |_, run_here| parts(run_here));
                }
            }
        }
        for (column, border) in borders.iter().enumerate() {
            let starts = &view.starts()[view.range(column)];
            let runs = view.column(0, column).iter().copied().zip(starts.iter().copied());
            dealer.deal(border, runs, |start, _| (start, start + border.left));
        }
        let Dealer { to_left, to_right, .. } = dealer;
        let mut ends = (0, 0);
        for (column, border) in borders.iter().enumerate() {
            ends.0 += border.before + 1;
            ends.1 += view.range(column).len() - border.before - usize::from(border.whole);
            left[to_left + column] = ends.0 as u64;
            right[to_right + column] = ends.1 as u64;
        }
    }
}

/// Hands the words of a block out to two halves.
struct Dealer<'a, C> {
    cells: &'a C,
    axis: usize,
    left: &'a mut [u64],
    right: &'a mut [u64],
    to_left: usize,
    to_right: usize,
}

impl<C: CellTable> Dealer<'_, C> {
    /// Deals one word per run of a column, in any order; `parts` gives what either half gets of a run that is split.
    #[inline]
    fn deal(
        &mut self,
        border: &CutBorder,
        words: impl Iterator<Item = (u64, u64)>,
        parts: impl Fn(u64, u64) -> (u64, u64),
    ) {
        let key = border.key();
        for (run_here, word) in words {
            let place = cell(run_here);
            if place == border.cell && !border.whole {
                self.deal_both(parts(word, run_here));
                continue;
            }
            // Written to both sides, and counted on the side where it belongs: no branch to mispredict.
            let goes_left = CutBorder::key_of(self.cells, place, self.axis) <= key;
            self.left[self.to_left] = word;
            self.right[self.to_right] = word;
            self.to_left += usize::from(goes_left);
            self.to_right += usize::from(!goes_left);
        }
    }

    /// Deals the runs of a column that are in the order of the axis of the cut.
    fn deal_sorted(&mut self, border: &CutBorder, runs: &[u64], parts: impl Fn(u64) -> (u64, u64)) {
        let (whole, mut rest) = runs.split_at(border.before + usize::from(border.whole));
        self.left[self.to_left..][..whole.len()].copy_from_slice(whole);
        self.to_left += whole.len();
        if let (false, [split, others @ ..]) = (border.whole, rest) {
            self.deal_both(parts(*split));
            rest = others;
        }
        self.right[self.to_right..][..rest.len()].copy_from_slice(rest);
        self.to_right += rest.len();
    }

    fn deal_both(&mut self, (left, right): (u64, u64)) {
        self.left[self.to_left] = left;
        self.right[self.to_right] = right;
        (self.to_left, self.to_right) = (self.to_left + 1, self.to_right + 1);
    }
}

/// Blocks waiting to be worked on, the last one first, in one growing vector.
#[derive(Debug)]
pub struct BlockStack {
    axes: usize,
    words: Vec<u64>,
    shapes: Vec<BlockShape>,
    halves: BlockHalves,
}

impl BlockStack {
    /// A stack of one block.
    pub fn new(words: Vec<u64>, shape: BlockShape, axes: usize) -> Self {
        Self { axes, words, shapes: vec![shape], halves: BlockHalves::default() }
    }

    /// The block on top.
    pub fn top(&self) -> Option<BlockView<'_>> {
        let &shape = self.shapes.last()?;
        Some(BlockView::new(&self.words[self.words.len() - shape.words(self.axes)..], shape, self.axes))
    }

    /// Takes the block on top off.
    pub fn pop(&mut self) {
        if let Some(shape) = self.shapes.pop() {
            self.words.truncate(self.words.len() - shape.words(self.axes));
        }
    }

    /// Puts the blocks of `shapes`, whose words lie one after the other, on top.
    pub fn push(&mut self, words: &[u64], shapes: &[BlockShape]) {
        self.words.extend_from_slice(words);
        self.shapes.extend_from_slice(shapes);
    }

    /// Replaces the block on top by its two halves, the left one on top.
    pub fn split<C: CellTable>(&mut self, cells: &C, axis: usize, at: u64) {
        let mut halves = std::mem::take(&mut self.halves);
        if let Some(view) = self.top() {
            halves.split(&view, cells, axis, at);
            self.pop();
            for (shape, block) in [halves.right(self.axes), halves.left(self.axes)] {
                self.push(block, &[shape]);
            }
        }
        self.halves = halves;
    }
}

/// The words of a block whose columns are given as runs in base order with the starts of their rows.
///
/// `codes` is the number of codes per axis; `identified` says that base order is not the order of the vectors, so that
/// axis 0 has to be sorted too.
pub fn assemble<C: CellTable>(
    columns: &[Vec<(u64, u64)>],
    alpha: u64,
    cells: &C,
    codes: &[usize],
    identified: bool,
) -> (Vec<u64>, BlockShape) {
    let shape = BlockShape { runs: columns.iter().map(Vec::len).sum(), beta: columns.len(), alpha };
    let axes = codes.len();
    let mut words = Vec::with_capacity(shape.words(axes));
    let mut order = Vec::new();
    let mut starts = Vec::with_capacity(shape.runs);
    for (axis, &codes) in codes.iter().enumerate() {
        for column in columns {
            sort_on_axis(column, cells, axis, codes, axis > 0 || identified, &mut order);
            words.extend(order.iter().map(|&at| column[at as usize].0));
            if axis == 0 {
                starts.extend(order.iter().map(|&at| column[at as usize].1));
            }
        }
    }
    words.append(&mut starts);
    let mut end = 0;
    for column in columns {
        end += column.len();
        words.push(end as u64);
    }
    (words, shape)
}

/// The stable order of `column`, which is in base order, by code on `axis`.
fn sort_on_axis<C: CellTable>(
    column: &[(u64, u64)],
    cells: &C,
    axis: usize,
    codes: usize,
    needed: bool,
    order: &mut Vec<u32>,
) {
    order.clear();
    let key = |at: usize| cells.code(cell(column[at].0), axis);
    if !needed {
        order.extend(0..column.len() as u32);
    } else if column.len() > codes / 4 {
        let mut next = vec![0u32; codes];
        for at in 0..column.len() {
            next[key(at) as usize] += 1;
        }
        let mut total = 0;
        for slot in &mut next {
            total += std::mem::replace(slot, total);
        }
        order.resize(column.len(), 0);
        for at in 0..column.len() {
            let slot = &mut next[key(at) as usize];
            order[*slot as usize] = at as u32;
            *slot += 1;
        }
    } else {
        order.extend(0..column.len() as u32);
        order.sort_unstable_by_key(|&at| (key(at as usize), at));
    }
}
