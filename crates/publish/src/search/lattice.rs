//! The lattice of granulations: one admissible partition for every quasi column, ordered by refinement.

use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::hierarchy::Hierarchy;

/// A partition of one column's domain into blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdmissiblePartition {
    /// By code, the number of its block; numbers are dense.
    pub blocks: Vec<u32>,
    /// By block, how many values of the domain it holds, whether or not they occur in the table.
    pub values: Vec<u64>,
    /// The sizes of blocks of the domain of which no value occurs in the table.
    pub outside: Vec<u64>,
}

impl AdmissiblePartition {
    /// The partition of a level of `hierarchy`: codes whose labels read alike share a block, for the public cannot tell
    /// them apart.
    pub fn of_level(hierarchy: &Hierarchy, level: usize) -> Self {
        let blocks = hierarchy.label_numbers(level);
        let mut values = vec![0; blocks.iter().max().map_or(0, |&last| last as usize + 1)];
        let mut counted = vec![false; hierarchy.nodes(level)];
        for (code, &block) in (0u32..).zip(&blocks) {
            let node = hierarchy.node(level, code);
            if !std::mem::replace(&mut counted[node as usize], true) {
                values[block as usize] += hierarchy.leaves(level, node);
            }
        }
        Self { blocks, values, outside: hierarchy.outside(level).to_vec() }
    }

    /// Number of blocks that hold a code.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no block.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Size of the domain.
    pub fn domain(&self) -> u64 {
        self.values.iter().chain(&self.outside).sum()
    }

    /// Whether codes that share a block here share one in `other`.
    pub fn refines(&self, other: &Self) -> bool {
        let mut image = vec![u32::MAX; self.len()];
        self.blocks.iter().zip(&other.blocks).all(|(&block, &above)| {
            let known = &mut image[block as usize];
            if *known == u32::MAX {
                *known = above;
            }
            *known == above
        })
    }
}

/// The admissible partitions of one column with their order.
///
/// Partitions need not form a chain. Of two that part the codes alike, the earlier in the list counts as the more
/// specific, as its labels say at least as much.
#[derive(Debug, Clone)]
pub struct ColumnLattice {
    name: String,
    partitions: Vec<AdmissiblePartition>,
    /// By partition, by block, a code of it.
    members: Vec<Vec<u32>>,
    /// `below[a][b]`: a is strictly more specific than b.
    below: Vec<Vec<bool>>,
    successors: Vec<Vec<u32>>,
    predecessors: Vec<Vec<u32>>,
    /// Length of the longest chain that ends in each partition.
    rank: Vec<u32>,
    bottom: u32,
    top: u32,
}

impl ColumnLattice {
    /// The partitions of a column called `name`, of which one must refine all others and one be refined by all.
    pub fn new(name: impl Into<String>, partitions: Vec<AdmissiblePartition>) -> Result<Self> {
        let name = name.into();
        let many = partitions.len();
        let refines: Vec<Vec<bool>> =
            partitions.iter().map(|a| partitions.iter().map(|b| a.refines(b)).collect()).collect();
        let is_below = |a: usize, b: usize| a != b && refines[a][b] && (!refines[b][a] || a < b);
        let below: Vec<Vec<bool>> = (0..many).map(|a| (0..many).map(|b| is_below(a, b)).collect()).collect();
        let end = |is_end: &dyn Fn(usize, usize) -> bool, what: &str| {
            (0..many).find(|&a| (0..many).all(|b| a == b || is_end(a, b))).map(|at| at as u32).ok_or_else(|| {
                Error::invalid(format!("the partitions of column `{name}` have no {what} one among them; add it"))
            })
        };
        let bottom = end(&|a, b| below[a][b], "most specific")?;
        let top = end(&|a, b| below[b][a], "least specific")?;
        let is_cover = |a: usize, b: usize| below[a][b] && !(0..many).any(|c| below[a][c] && below[c][b]);
        let covers = |test: &dyn Fn(usize, usize) -> bool| -> Vec<Vec<u32>> {
            (0..many).map(|a| (0..many).filter(|&b| test(a, b)).map(|b| b as u32).collect()).collect()
        };
        let successors = covers(&|a, b| is_cover(a, b));
        let predecessors = covers(&|a, b| is_cover(b, a));
        let mut order: Vec<usize> = (0..many).collect();
        order.sort_by_key(|&b| (0..many).filter(|&a| below[a][b]).count());
        let mut rank = vec![0; many];
        for b in order {
            rank[b] = predecessors[b].iter().map(|&a| rank[a as usize] + 1).max().unwrap_or(0);
        }
        let members = partitions.iter().map(|partition| {
            let mut members = vec![0; partition.len()];
            for (code, &block) in (0u32..).zip(&partition.blocks) {
                members[block as usize] = code;
            }
            members
        });
        let members = members.collect();
        Ok(Self { name, partitions, members, below, successors, predecessors, rank, bottom, top })
    }

    /// The levels of `hierarchy`.
    pub fn of_hierarchy(name: impl Into<String>, hierarchy: &Hierarchy) -> Result<Self> {
        Self::new(name, (0..hierarchy.levels()).map(|level| AdmissiblePartition::of_level(hierarchy, level)).collect())
    }

    /// The column's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// In the order in which they were given; a granulation names them by their index.
    pub fn partitions(&self) -> &[AdmissiblePartition] {
        &self.partitions
    }

    /// The most specific partition.
    pub fn bottom(&self) -> u32 {
        self.bottom
    }

    /// The least specific partition.
    pub fn top(&self) -> u32 {
        self.top
    }

    /// Length of the longest chain from the bottom to `at`; in a chain its level.
    pub fn rank(&self, at: u32) -> u32 {
        self.rank[at as usize]
    }

    /// Whether `a` is `b` or more specific.
    #[inline]
    pub fn is_at_most(&self, a: u32, b: u32) -> bool {
        a == b || self.below[a as usize][b as usize]
    }

    /// The next less specific partitions.
    pub fn successors(&self, at: u32) -> &[u32] {
        &self.successors[at as usize]
    }

    /// The next more specific partitions.
    pub fn predecessors(&self, at: u32) -> &[u32] {
        &self.predecessors[at as usize]
    }

    /// The block of partition `to` that each block of the finer partition `from` lies in.
    pub fn lift(&self, from: u32, to: u32) -> Vec<u32> {
        let blocks = &self.partitions[to as usize].blocks;
        self.members[from as usize].iter().map(|&code| blocks[code as usize]).collect()
    }
}

/// A granulation: by column, the number of its partition.
pub type GranulationLevels = Box<[u32]>;

/// A node of a lattice that can be walked: a granulation in a mixed-radix number, the last column varying fastest.
pub type LatticeNode = u64;

/// All granulations over the admissible partitions of the quasi columns (definition in section 2.2 of Wang et al.).
///
/// # Reference
/// Da-Wei Wang, Churn-Jung Liau, Tsan-sheng Hsu: Granulation as a privacy protection mechanism, Transactions on Rough
/// Sets VII, 2007.
#[derive(Debug, Clone)]
pub struct GranulationLattice {
    columns: Vec<ColumnLattice>,
    strides: Vec<u64>,
    size: Option<u64>,
}

impl GranulationLattice {
    /// The product of `columns`.
    pub fn new(columns: Vec<ColumnLattice>) -> Self {
        let mut strides = vec![1; columns.len()];
        let mut size = Some(1u64);
        for (stride, column) in strides.iter_mut().zip(&columns).rev() {
            *stride = size.unwrap_or(0);
            size = size.and_then(|size| size.checked_mul(column.partitions.len() as u64));
        }
        Self { columns, strides, size }
    }

    /// In the order of the levels of a granulation.
    pub fn columns(&self) -> &[ColumnLattice] {
        &self.columns
    }

    /// Number of nodes; `None` when it exceeds 64 bits.
    pub fn size(&self) -> Option<u64> {
        self.size
    }

    /// Number of nodes in words.
    pub fn size_words(&self) -> String {
        self.size.map_or_else(|| "more than 2^64".to_owned(), |size| size.to_string())
    }

    /// Number of nodes, at most `most`: what an algorithm that tags every node can take.
    pub fn walkable(&self, most: u64) -> Result<u64> {
        self.size.filter(|&size| size <= most).ok_or_else(|| {
            Error::new(
                ErrorKind::LimitExceeded,
                format!(
                    "the lattice has {} granulations, and a search that keeps a tag for each takes at most {most}; leave \
                     levels out of the hierarchies or use search = \"genetic\"",
                    self.size_words()
                ),
            )
        })
    }

    /// The most specific granulation.
    pub fn bottom(&self) -> GranulationLevels {
        self.columns.iter().map(ColumnLattice::bottom).collect()
    }

    /// The least specific granulation.
    pub fn top(&self) -> GranulationLevels {
        self.columns.iter().map(ColumnLattice::top).collect()
    }

    /// The node of a granulation; the lattice must have a [`GranulationLattice::size`].
    pub fn node(&self, levels: &[u32]) -> LatticeNode {
        levels.iter().zip(&self.strides).map(|(&level, stride)| u64::from(level) * stride).sum()
    }

    /// The granulation of a node.
    pub fn levels(&self, node: LatticeNode) -> GranulationLevels {
        let level = |(column, stride): (&ColumnLattice, &u64)| (node / stride % column.partitions.len() as u64) as u32;
        self.columns.iter().zip(&self.strides).map(level).collect()
    }

    /// Whether granulation `a` is `b` or more specific.
    pub fn is_at_most(&self, a: &[u32], b: &[u32]) -> bool {
        self.columns.iter().zip(a.iter().zip(b)).all(|(column, (&a, &b))| column.is_at_most(a, b))
    }

    /// Sum of the ranks of the columns: strictly greater for a less specific granulation.
    pub fn rank(&self, levels: &[u32]) -> u32 {
        self.columns.iter().zip(levels).map(|(column, &level)| column.rank(level)).sum()
    }

    /// The direct successors of `node`, which is `levels`: the next less specific granulations.
    pub fn successors<'a>(&'a self, node: LatticeNode, levels: &'a [u32]) -> impl Iterator<Item = LatticeNode> + 'a {
        self.neighbours(node, levels, |column| &column.successors)
    }

    /// The direct predecessors of `node`, which is `levels`: the next more specific granulations.
    pub fn predecessors<'a>(&'a self, node: LatticeNode, levels: &'a [u32]) -> impl Iterator<Item = LatticeNode> + 'a {
        self.neighbours(node, levels, |column| &column.predecessors)
    }

    fn neighbours<'a>(
        &'a self,
        node: LatticeNode,
        levels: &'a [u32],
        list: impl Fn(&'a ColumnLattice) -> &'a Vec<Vec<u32>> + 'a,
    ) -> impl Iterator<Item = LatticeNode> + 'a {
        self.columns.iter().zip(&self.strides).zip(levels).flat_map(move |((column, &stride), &level)| {
            let others = list(column)[level as usize].iter();
            others.map(move |&other| node - u64::from(level) * stride + u64::from(other) * stride)
        })
    }

    /// All nodes, more specific ones before less specific ones, in order of rank and then of number.
    pub fn by_rank(&self, size: u64) -> Vec<u32> {
        let most: u32 = self.columns.iter().map(|column| column.rank(column.top)).sum();
        let mut levels = vec![0u32; self.columns.len()];
        let mut ranks = Vec::with_capacity(size as usize);
        let mut starts = vec![0usize; most as usize + 2];
        for _ in 0..size {
            let rank = self.rank(&levels);
            ranks.push(rank);
            starts[rank as usize + 1] += 1;
            for (level, column) in levels.iter_mut().zip(&self.columns).rev() {
                *level += 1;
                if (*level as usize) < column.partitions.len() {
                    break;
                }
                *level = 0;
            }
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut order = vec![0; size as usize];
        for (node, &rank) in (0u32..).zip(&ranks) {
            let place = &mut starts[rank as usize];
            order[*place] = node;
            *place += 1;
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks by code; all values of the domain have codes.
    fn partition(blocks: &[u32]) -> AdmissiblePartition {
        let mut values = vec![0; blocks.iter().max().map_or(0, |&last| last as usize + 1)];
        blocks.iter().for_each(|&block| values[block as usize] += 1);
        AdmissiblePartition { blocks: blocks.to_vec(), values, outside: Vec::new() }
    }

    fn column(partitions: &[&[u32]]) -> ColumnLattice {
        ColumnLattice::new("x", partitions.iter().map(|blocks| partition(blocks)).collect()).unwrap()
    }

    /// Pairs, then fours; and beside them the ends joined. From 0 to 4 there are chains of two and of three steps.
    fn forked() -> ColumnLattice {
        column(&[
            &[0, 1, 2, 3, 4, 5, 6, 7],
            &[0, 1, 2, 3, 4, 5, 6, 0],
            &[0, 0, 1, 1, 2, 2, 3, 3],
            &[0, 0, 0, 0, 1, 1, 1, 1],
            &[0, 0, 0, 0, 0, 0, 0, 0],
        ])
    }

    #[test]
    fn the_order_is_refinement_and_need_not_be_a_chain() {
        let column = forked();
        assert_eq!((column.bottom(), column.top()), (0, 4));
        assert!(column.is_at_most(2, 3) && column.is_at_most(0, 3) && column.is_at_most(3, 3));
        assert!(!column.is_at_most(3, 2));
        assert!(!column.is_at_most(1, 2) && !column.is_at_most(2, 1) && !column.is_at_most(1, 3));
        assert_eq!(column.successors, [vec![1, 2], vec![4], vec![3], vec![4], vec![]]);
        assert_eq!(column.predecessors, [vec![], vec![0], vec![0], vec![2], vec![1, 3]]);
    }

    #[test]
    fn the_rank_is_the_length_of_the_longest_chain() {
        let column = forked();
        assert_eq!((0..5).map(|at| column.rank(at)).collect::<Vec<_>>(), [0, 1, 1, 2, 3]);
    }

    #[test]
    fn of_equal_partitions_the_earlier_counts_as_more_specific() {
        let column = column(&[&[0, 1, 2], &[0, 0, 1], &[1, 1, 0], &[0, 0, 0]]);
        assert!(column.is_at_most(1, 2) && !column.is_at_most(2, 1));
        assert_eq!(column.successors, [vec![1], vec![2], vec![3], vec![]]);
        assert_eq!((0..4).map(|at| column.rank(at)).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(column.lift(1, 2), [1, 0]);
    }

    #[test]
    fn the_ends_may_stand_anywhere_in_the_list_but_must_be_there() {
        let turned = column(&[&[0, 0, 0], &[0, 0, 1], &[0, 1, 2]]);
        assert_eq!((turned.bottom(), turned.top()), (2, 0));
        assert_eq!(turned.lift(2, 1), [0, 0, 1]);
        let missing = |partitions: &[&[u32]]| {
            let partitions = partitions.iter().map(|blocks| partition(blocks)).collect();
            ColumnLattice::new("x", partitions).unwrap_err().to_string()
        };
        let message = missing(&[&[0, 0, 1], &[0, 1, 1], &[0, 0, 0]]);
        assert_eq!(message, "the partitions of column `x` have no most specific one among them; add it");
        let message = missing(&[&[0, 1, 2], &[0, 0, 1], &[0, 1, 1]]);
        assert_eq!(message, "the partitions of column `x` have no least specific one among them; add it");
    }

    #[test]
    fn nodes_number_granulations_and_neighbours_differ_in_one_column() {
        let lattice = GranulationLattice::new(vec![forked(), column(&[&[0, 1], &[0, 0]]), forked()]);
        let size = lattice.walkable(50).unwrap();
        assert_eq!((size, lattice.size_words().as_str()), (50, "50"));
        for node in 0..size {
            let levels = lattice.levels(node);
            assert_eq!(lattice.node(&levels), node);
            let literal = |is_next: &dyn Fn(&[u32]) -> bool| -> Vec<LatticeNode> {
                let between = |other: &[u32]| {
                    (0..size).map(|middle| lattice.levels(middle)).any(|middle| {
                        let apart = *middle != *levels && *middle != *other;
                        let above = lattice.is_at_most(&levels, &middle) && lattice.is_at_most(&middle, other);
                        let below = lattice.is_at_most(other, &middle) && lattice.is_at_most(&middle, &levels);
                        apart && (above || below)
                    })
                };
                (0..size)
                    .filter(|&other| other != node && is_next(&lattice.levels(other)))
                    .filter(|&other| !between(&lattice.levels(other)))
                    .collect()
            };
            let sorted = |nodes: Vec<LatticeNode>| {
                let mut nodes = nodes;
                nodes.sort_unstable();
                nodes
            };
            let successors = sorted(lattice.successors(node, &levels).collect());
            assert_eq!(successors, literal(&|other| lattice.is_at_most(&levels, other)));
            let predecessors = sorted(lattice.predecessors(node, &levels).collect());
            assert_eq!(predecessors, literal(&|other| lattice.is_at_most(other, &levels)));
        }
    }

    #[test]
    fn nodes_by_rank_come_after_all_that_is_more_specific() {
        let lattice = GranulationLattice::new(vec![forked(), forked()]);
        let order = lattice.by_rank(25);
        let place = |node: LatticeNode| order.iter().position(|&other| LatticeNode::from(other) == node).unwrap();
        for node in 0..25 {
            let levels = lattice.levels(node);
            assert!(lattice.predecessors(node, &levels).all(|below| place(below) < place(node)));
        }
        let key = |&node: &u32| (lattice.rank(&lattice.levels(node.into())), node);
        assert!(order.is_sorted_by_key(key));
    }

    #[test]
    fn a_lattice_beyond_64_bits_has_no_size() {
        let lattice = GranulationLattice::new(vec![forked(); 28]);
        assert_eq!((lattice.size(), lattice.size_words().as_str()), (None, "more than 2^64"));
        assert_eq!(lattice.rank(&lattice.top()), 3 * 28);
        let lattice = GranulationLattice::new(vec![forked(); 27]);
        assert_eq!(lattice.size(), 5u64.checked_pow(27));
        assert_eq!(lattice.levels(lattice.node(&lattice.top())), lattice.top());
    }
}
