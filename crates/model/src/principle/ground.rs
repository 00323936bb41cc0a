//! The earth mover's distance to a whole column, for ground distances that are paths in a tree.
//!
//! Legend: N rows of the column, `Q_v` of them below node v; s rows of a group, `X_v` of them below v. All edges of a
//! tree weigh 1/scale, so the distance of a group is the sum over all nodes but the root of
//! `|X_v / s - Q_v / N| / scale`, and its [`spread`](GroundTree::spread), the sum of `|N X_v - s Q_v|`, is the distance
//! times `scale * s * N`. Nodes with `X_v = 0` add `s Q_v`, known in advance, so only nodes above values of the group
//! are visited.
//!
//! A group may also be belief, with weights for rows: everything but the search for the worst group is written once for
//! both kinds of [`TransportWeight`].
//!
//! Sums for groups fit in 128 bits: nodes, rows of a group and rows of a column are each below 2^40.

use std::collections::BTreeMap;
use std::ops::{Add, Mul, Sub};

use dashu_int::{IBig, UBig};

use crate::histogram::Histogram;

/// A tree whose first nodes are the codes of a column, parents after children and the root last.
#[derive(Debug)]
pub(super) struct GroundTree {
    /// The node above; the root's is itself.
    parent: Vec<u32>,
    /// Rows of the column below each node, `Q_v`.
    below: Vec<u64>,
    /// `sums[v]` is the sum of `below[..v]`.
    sums: Vec<i128>,
    /// The inverse of an edge's weight.
    scale: u64,
    /// Rows of the column, N.
    rows: u64,
    /// Whether every node's parent is the next node.
    line: bool,
}

/// Nodes `low..high`, each the parent of the one before, all with the same rows of the group below them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NodeRun<W = u64> {
    low: u32,
    high: u32,
    /// The run above, or the number of runs when there is only the root.
    parent: usize,
    /// Rows of the group at the lowest node itself.
    rows: W,
}

/// How many rows of a group, or how much of belief, have a value.
pub(super) trait TransportWeight: Clone + Default {
    /// Signed numbers that hold every spread.
    type Wide: Clone
        + Ord
        + From<i128>
        + Add<Output = Self::Wide>
        + Sub<Output = Self::Wide>
        + Mul<Output = Self::Wide>
        + Into<IBig>;

    fn wide(&self) -> Self::Wide;
}

impl TransportWeight for u64 {
    type Wide = i128;
    fn wide(&self) -> i128 {
        i128::from(*self)
    }
}

impl TransportWeight for UBig {
    type Wide = IBig;
    fn wide(&self) -> IBig {
        IBig::from(self.clone())
    }
}

/// A number in the tables of [`GroundTree::worst_spread`].
trait Cell: Copy + Ord + Add<Output = Self> {
    const LEAST: Self;
    const ZERO: Self;
    fn narrow(value: i128) -> Self;
    fn widen(self) -> i128;
}

impl Cell for i64 {
    const LEAST: Self = Self::MIN;
    const ZERO: Self = 0;
    fn narrow(value: i128) -> Self {
        value as Self
    }
    fn widen(self) -> i128 {
        i128::from(self)
    }
}

impl Cell for i128 {
    const LEAST: Self = Self::MIN;
    const ZERO: Self = 0;
    fn narrow(value: i128) -> Self {
        value
    }
    fn widen(self) -> i128 {
        self
    }
}

impl GroundTree {
    /// All values at distance 1: a star with edges of 1/2.
    pub(super) fn equal(whole: &Histogram, cardinality: usize) -> Self {
        Self::new(vec![cardinality as u32; cardinality + 1], 2, false, whole)
    }

    /// Values i and j at distance |i - j| / (m - 1): a line with edges of 1 / (m - 1).
    pub(super) fn ordered(whole: &Histogram, cardinality: usize) -> Self {
        let last = cardinality.saturating_sub(1) as u32;
        let parent = (0..=last).map(|node| (node + 1).min(last)).collect();
        Self::new(parent, u64::from(last).max(1), true, whole)
    }

    /// Values at distance height(lowest common ancestor) / height(root); `levels[k][code]` names the node of a value at
    /// level k, level 0 being the values. Two leaves that meet at level j are 2j edges apart, so edges weigh
    /// 1 / (2 height). Where the last level has several nodes, a root is put above them.
    pub(super) fn hierarchical(levels: &[Vec<u32>], whole: &Histogram) -> Self {
        let codes = levels.first().map_or(0, Vec::len);
        // The node of every code on the way up, and the number of nodes so far.
        let mut at: Vec<u32> = (0..codes as u32).collect();
        let mut parent: Vec<u32> = Vec::new();
        let mut nodes = codes as u32;
        let mut height = 0;
        let mut single = codes <= 1;
        let root = vec![0; codes];
        for level in levels.iter().skip(1).chain(std::iter::once(&root)) {
            if single && height + 1 == levels.len() as u64 {
                break;
            }
            let mut ids: BTreeMap<u32, u32> = level.iter().map(|&id| (id, 0)).collect();
            for (rank, id) in (nodes..).zip(ids.values_mut()) {
                *id = rank;
            }
            parent.resize(nodes as usize, 0);
            for (node, id) in at.iter_mut().zip(level) {
                parent[*node as usize] = ids[id];
                *node = ids[id];
            }
            nodes += ids.len() as u32;
            single = ids.len() == 1;
            height += 1;
        }
        parent.push(nodes.saturating_sub(1));
        Self::new(parent, (2 * height).max(1), false, whole)
    }

    fn new(parent: Vec<u32>, scale: u64, line: bool, whole: &Histogram) -> Self {
        let mut below = vec![0; parent.len()];
        for &(code, count) in whole.entries() {
            below[code as usize] = count;
        }
        for node in 0..parent.len().saturating_sub(1) {
            below[parent[node] as usize] += below[node];
        }
        let mut sums = vec![0];
        for &rows in &below {
            sums.push(sums[sums.len() - 1] + i128::from(rows));
        }
        Self { parent, below, sums, scale, rows: whole.total(), line }
    }

    /// `scale * rows * N`: the spread of a group of `rows` rows at distance 1.
    pub(super) fn unit<W: TransportWeight>(&self, rows: &W) -> W::Wide {
        W::Wide::from(i128::from(self.scale) * i128::from(self.rows)) * rows.wide()
    }

    /// `rows * N`: the spread of a group of `rows` rows at the distance of one edge.
    pub(super) fn edge_spread(&self, rows: u64) -> i128 {
        i128::from(rows) * i128::from(self.rows)
    }

    /// The root's number.
    fn root(&self) -> u32 {
        self.parent.len() as u32 - 1
    }

    /// The distance of two values in edges.
    pub(super) fn edges(&self, a: u32, b: u32) -> u64 {
        if self.line {
            return u64::from(a.abs_diff(b));
        }
        // All values are equally far below the root.
        let (mut a, mut b, mut edges) = (a, b, 0);
        while a != b {
            (a, b, edges) = (self.parent[a as usize], self.parent[b as usize], edges + 2);
        }
        edges
    }

    /// `entries` in an order in which the values of every subtree stand together.
    pub(super) fn neighbours(&self, entries: &[(u32, u64)]) -> Vec<(u32, u64)> {
        let mut sorted = entries.to_vec();
        if !self.line {
            let path = |code: u32| {
                let mut path = vec![code];
                while path[path.len() - 1] != self.root() {
                    path.push(self.parent[path[path.len() - 1] as usize]);
                }
                path.reverse();
                path
            };
            sorted.sort_by_cached_key(|entry| path(entry.0));
        }
        sorted
    }

    /// The runs above the values of `entries`, which are in order of their codes; children before parents.
    pub(super) fn runs<W: TransportWeight>(&self, entries: &[(u32, W)]) -> Vec<NodeRun<W>> {
        let root = self.root();
        if self.line {
            let next = |at: usize| entries.get(at + 1).map_or(root, |entry| entry.0);
            let run = |(at, (code, rows)): (usize, &(u32, W))| NodeRun {
                low: *code,
                high: next(at),
                parent: at + 1,
                rows: rows.clone(),
            };
            return entries.iter().enumerate().map(run).collect();
        }
        let mut nodes = Vec::new();
        for (code, _) in entries {
            let mut node = *code;
            while node != root {
                nodes.push(node);
                node = self.parent[node as usize];
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        // Codes come first among the nodes, in the order of the entries.
        let mut counts = entries.iter().map(|entry| entry.1.clone());
        let mut runs = Vec::with_capacity(nodes.len());
        for &low in &nodes {
            let parent = nodes.binary_search(&self.parent[low as usize]).unwrap_or(nodes.len());
            let rows = counts.next().unwrap_or_default();
            runs.push(NodeRun { low, high: low + 1, parent, rows });
        }
        runs
    }

    /// What a run with x of s rows below it adds to the spread beyond the `s Q_v` it would add with none.
    ///
    /// Along a run `Q_v` does not decrease; the nodes with `s Q_v < N x`, its first k, add `N x - 2 s Q_v` and the
    /// others `-N x`.
    fn excess<W: TransportWeight>(&self, run: &NodeRun<W>, x: &W::Wide, s: &W::Wide) -> W::Wide {
        let (low, high) = (run.low as usize, run.high as usize);
        let reach = W::Wide::from(i128::from(self.rows)) * x.clone();
        let falls_short = |rows: &u64| s.clone() * W::Wide::from(i128::from(*rows)) < reach;
        let first = self.below[low..high].partition_point(falls_short);
        let taken = self.sums[low + first] - self.sums[low];
        W::Wide::from(2 * first as i128 - (high - low) as i128) * reach - W::Wide::from(2 * taken) * s.clone()
    }

    /// The spread of a group of `s` rows with no row below any node but the root.
    fn base<W: TransportWeight>(&self, s: &W::Wide) -> W::Wide {
        W::Wide::from(self.sums[self.parent.len() - 1]) * s.clone()
    }

    /// The spread of a group with these entries: its distance times [`unit`](Self::unit).
    pub(super) fn spread<W: TransportWeight>(&self, entries: &[(u32, W)]) -> W::Wide {
        let zero = W::Wide::from(0);
        let s = entries.iter().fold(zero.clone(), |sum, entry| sum + entry.1.wide());
        let runs = self.runs(entries);
        let mut below: Vec<W::Wide> = runs.iter().map(|run| run.rows.wide()).collect();
        below.push(zero);
        let mut spread = self.base::<W>(&s);
        for (at, run) in runs.iter().enumerate() {
            spread = spread + self.excess(run, &below[at], &s);
            below[run.parent] = below[run.parent].clone() + below[at].clone();
        }
        spread
    }

    /// The largest spread of `s` rows when each run has at most its rows at its lowest node.
    ///
    /// The table of a run gives, for every number of rows below it, the largest sum of excesses at and below it; tables
    /// of siblings are joined by trying every way to share the rows. All numbers up to a run's capacity occur.
    pub(super) fn worst_spread(&self, runs: &[NodeRun], s: u64) -> i128 {
        // No sum of excesses is larger in absolute value than 4 N s times the number of nodes.
        let largest = 4 * u128::from(self.rows) * u128::from(s) * self.parent.len() as u128;
        if largest < 1 << 62 { self.worst_in::<i64>(runs, s) } else { self.worst_in::<i128>(runs, s) }
    }

    fn worst_in<T: Cell>(&self, runs: &[NodeRun], s: u64) -> i128 {
        let room = |rows: u64| vec![T::ZERO; rows.min(s) as usize + 1];
        let mut tables: Vec<Vec<T>> = runs.iter().map(|run| room(run.rows)).chain([room(0)]).collect();
        for (at, run) in runs.iter().enumerate() {
            let mut table = std::mem::take(&mut tables[at]);
            for (x, cell) in (0i128..).zip(&mut table) {
                *cell = *cell + T::narrow(self.excess(run, &x, &i128::from(s)));
            }
            tables[run.parent] = join(&tables[run.parent], &table, s);
        }
        let best = tables[runs.len()].get(s as usize).map_or(0, |cell| cell.widen());
        self.base::<u64>(&i128::from(s)) + best
    }
}

impl NodeRun {
    /// The run with its rows counted in units of `unit` rows, rounded up.
    pub(super) fn in_units(self, unit: u64) -> Self {
        Self { rows: self.rows.div_ceil(unit), ..self }
    }
}

/// The largest `a[i] + b[j]` for every `i + j` up to `s`.
fn join<T: Cell>(a: &[T], b: &[T], s: u64) -> Vec<T> {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let length = (a.len() + b.len() - 1).min(s as usize + 1);
    let mut joined = vec![T::LEAST; length];
    for (shift, &x) in short.iter().enumerate().take(length) {
        for (cell, &y) in joined[shift..].iter_mut().zip(long) {
            *cell = (*cell).max(x + y);
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_have_the_distances_they_are_made_for() {
        let whole = Histogram::from_counts([1, 1, 1, 1, 1]);
        let equal = GroundTree::equal(&whole, 5);
        assert_eq!((equal.edges(0, 4), equal.edges(2, 2), equal.scale), (2, 0, 2));
        let ordered = GroundTree::ordered(&whole, 5);
        assert_eq!((ordered.edges(0, 4), ordered.edges(1, 3), ordered.scale), (4, 2, 4));
        // {0, 1}, {2, 3, 4} below one root: height 2, so 0 and 1 are 1/2 apart and 0 and 4 are 1 apart.
        let levels = [vec![0, 1, 2, 3, 4], vec![7, 7, 9, 9, 9], vec![0; 5]];
        for levels in [&levels[..], &levels[..2]] {
            let tree = GroundTree::hierarchical(levels, &whole);
            assert_eq!((tree.edges(0, 1), tree.edges(0, 4), tree.scale), (2, 4, 4), "the root may be left out");
        }
        // Only the values themselves: the equal distance.
        let tree = GroundTree::hierarchical(&levels[..1], &whole);
        assert_eq!((tree.edges(0, 1), tree.scale), (2, 2));
    }

    #[test]
    fn both_widths_of_cells_agree() {
        let whole = Histogram::from_counts([3, 1, 4, 1, 5]);
        for tree in [GroundTree::equal(&whole, 5), GroundTree::ordered(&whole, 5)] {
            let runs = tree.runs(&[(0, 2), (2, 3), (4, 1)]);
            for s in 1..=6 {
                assert_eq!(tree.worst_in::<i64>(&runs, s), tree.worst_in::<i128>(&runs, s));
            }
        }
    }
}
