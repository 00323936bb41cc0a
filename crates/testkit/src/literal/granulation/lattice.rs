//! Admissible partitions of columns, granulations and their order.

use std::collections::BTreeMap;

/// A partition of a column's values: by value, the number of its block. Numbers need not be consecutive.
pub type Partition = Vec<usize>;

/// A granulation: by column, the index of one of its admissible partitions.
pub type Granulation = Vec<usize>;

/// The rows of a table: by row and column, the index of the value.
pub type Rows = Vec<Vec<usize>>;

/// Rows that share a block in every column, by index.
pub type Class = Vec<usize>;

/// Whether every block of `fine` lies inside one block of `coarse`.
pub fn refines(fine: &Partition, coarse: &Partition) -> bool {
    assert_eq!(fine.len(), coarse.len(), "both are partitions of the same values");
    let mut inside: BTreeMap<usize, usize> = BTreeMap::new();
    fine.iter().zip(coarse).all(|(&block, &outer)| *inside.entry(block).or_insert(outer) == outer)
}

/// The partitions that are admissible for each column, with the order of refinement between granulations.
///
/// Any set of partitions will do, chain or not. Two equal partitions in one column are told apart by their place: the
/// earlier one counts as finer.
#[derive(Debug, Clone)]
pub struct Lattice {
    columns: Vec<Vec<Partition>>,
    /// By column and two partitions, whether the first is at least as fine as the second.
    finer: Vec<Vec<Vec<bool>>>,
    nodes: Vec<Granulation>,
}

impl Lattice {
    /// From the admissible partitions of every column, in the order in which they are numbered.
    pub fn new(columns: Vec<Vec<Partition>>) -> Self {
        let finer = columns.iter().map(|partitions| order(partitions)).collect();
        let mut nodes: Vec<Granulation> = vec![Vec::new()];
        for partitions in &columns {
            let longer = |node: &Granulation, at: usize| node.iter().copied().chain([at]).collect::<Granulation>();
            nodes = nodes.iter().flat_map(|node| (0..partitions.len()).map(move |at| longer(node, at))).collect();
        }
        Self { columns, finer, nodes }
    }

    /// The admissible partitions by column.
    pub fn columns(&self) -> &[Vec<Partition>] {
        &self.columns
    }

    /// How many partitions are admissible, by column.
    pub fn sizes(&self) -> Vec<usize> {
        self.columns.iter().map(Vec::len).collect()
    }

    /// All granulations, in the order of their numbers.
    pub fn nodes(&self) -> &[Granulation] {
        &self.nodes
    }

    /// The partition that `node` takes for `column`.
    pub fn partition(&self, node: &[usize], column: usize) -> &Partition {
        &self.columns[column][node[column]]
    }

    /// Whether partition `a` of `column` is at least as fine as partition `b` of the same column.
    pub fn is_finer_or_same(&self, column: usize, a: usize, b: usize) -> bool {
        self.finer[column][a][b]
    }

    /// Whether `a` is at least as specific as `b`: in every column it takes the same partition or a finer one.
    pub fn is_at_least_as_specific(&self, a: &[usize], b: &[usize]) -> bool {
        (0..self.columns.len()).all(|column| self.finer[column][a[column]][b[column]])
    }

    /// Whether `a` is more specific than `b`.
    pub fn is_more_specific(&self, a: &[usize], b: &[usize]) -> bool {
        a != b && self.is_at_least_as_specific(a, b)
    }

    /// The granulations above `node` with nothing admissible between, in the order of their numbers.
    pub fn direct_successors(&self, node: &[usize]) -> Vec<Granulation> {
        let above: Vec<&Granulation> = self.nodes.iter().filter(|other| self.is_more_specific(node, other)).collect();
        let between = |other: &Granulation| above.iter().any(|middle| self.is_more_specific(middle, other));
        above.iter().filter(|other| !between(other)).map(|other| (*other).clone()).collect()
    }

    /// The granulation that is at least as specific as every other, if there is one.
    pub fn bottom(&self) -> Option<Granulation> {
        let below_all = |node: &Granulation| self.nodes.iter().all(|other| self.is_at_least_as_specific(node, other));
        self.nodes.iter().find(|node| below_all(node)).cloned()
    }

    /// The granulation that every other is at least as specific as, if there is one.
    pub fn top(&self) -> Option<Granulation> {
        let above_all = |node: &Granulation| self.nodes.iter().all(|other| self.is_at_least_as_specific(other, node));
        self.nodes.iter().find(|node| above_all(node)).cloned()
    }

    /// Length of the longest chain of finer partitions below partition `at` of `column`; in a chain that is listed from
    /// fine to coarse it is `at`.
    pub fn level(&self, column: usize, at: usize) -> usize {
        let below = (0..self.columns[column].len()).filter(|&other| other != at && self.finer[column][other][at]);
        below.map(|other| self.level(column, other) + 1).max().unwrap_or(0)
    }

    /// The highest level of a column.
    pub fn top_level(&self, column: usize) -> usize {
        (0..self.columns[column].len()).map(|at| self.level(column, at)).max().unwrap_or(0)
    }

    /// Whether any two partitions of a column are comparable, in every column.
    pub fn is_of_chains(&self) -> bool {
        let chain = |finer: &Vec<Vec<bool>>| {
            let all = 0..finer.len();
            all.clone().all(|a| all.clone().all(|b| finer[a][b] || finer[b][a]))
        };
        self.finer.iter().all(chain)
    }

    /// Whether in every column a partition is one level above those directly below it; then all ways from the bottom to a
    /// granulation are equally long.
    pub fn is_graded(&self) -> bool {
        (0..self.columns.len()).all(|column| {
            let all = 0..self.columns[column].len();
            let below = |a: usize, b: usize| a != b && self.finer[column][a][b];
            let directly = |a: usize, b: usize| below(a, b) && !all.clone().any(|c| below(a, c) && below(c, b));
            let one_up = |a: usize, b: usize| self.level(column, b) == self.level(column, a) + 1;
            all.clone().all(|a| all.clone().all(|b| !directly(a, b) || one_up(a, b)))
        })
    }

    /// The classes of rows that share the block of `node` in every column, by their first row.
    pub fn classes(&self, rows: &Rows, node: &[usize]) -> Vec<Class> {
        let alike = |a: usize, b: usize| {
            let block = |row: usize, column: usize| self.partition(node, column)[rows[row][column]];
            (0..self.columns.len()).all(|column| block(a, column) == block(b, column))
        };
        let mut classes: Vec<Class> = Vec::new();
        for row in 0..rows.len() {
            match classes.iter_mut().find(|class| alike(class[0], row)) {
                Some(class) => class.push(row),
                None => classes.push(vec![row]),
            }
        }
        classes
    }
}

/// Refinement between the partitions of one column; of equal ones the earlier is the finer.
fn order(partitions: &[Partition]) -> Vec<Vec<bool>> {
    let finer = |a: usize, b: usize| {
        let (fine, coarse) = (&partitions[a], &partitions[b]);
        refines(fine, coarse) && (a <= b || !refines(coarse, fine))
    };
    let all = 0..partitions.len();
    all.clone().map(|a| all.clone().map(|b| finer(a, b)).collect()).collect()
}
