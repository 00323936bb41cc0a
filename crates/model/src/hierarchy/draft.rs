//! From labelled leaves to a [`Hierarchy`]: the one place where nesting is checked, missing cells find their node, the
//! top level is added and nodes are numbered.

use super::{ANY, Hierarchy, Level};
use crate::error::{Error, ErrorKind, Result};
use crate::table::{Column, MISSING};

/// A partition of the leaves into labelled blocks.
#[derive(Debug)]
pub(super) struct LeafPartition {
    /// Block of each leaf, below `labels.len()`.
    pub blocks: Vec<u32>,
    /// Label of each block.
    pub labels: Vec<String>,
}

/// A hierarchy of leaves that is not yet bound to the codes of a column.
#[derive(Debug)]
pub(super) struct HierarchyDraft {
    /// Number of leaves; their order decides the order of siblings.
    pub leaves: usize,
    /// The leaf of each value of the column, missing cells left out.
    pub leaf_of: Vec<u32>,
    /// Levels 1 and up, each a partition of the leaves.
    pub levels: Vec<LeafPartition>,
    /// Whether a last level of one block stands for everything, missing cells included. An interval does not.
    pub covering: bool,
}

/// Two leaves that share a block of `level` but not of the level above.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NestingClash {
    pub level: usize,
    pub first: usize,
    pub second: usize,
}

impl HierarchyDraft {
    /// A draft whose leaves are the values of `column`.
    pub fn of_values(column: &Column, levels: Vec<LeafPartition>) -> Self {
        let leaves = column.domain().len();
        Self { leaves, leaf_of: (0..leaves as u32).collect(), levels, covering: false }
    }

    /// Binds to `column` a draft that is nested by its construction.
    pub fn nested(self, column: &Column) -> Result<Hierarchy> {
        self.bind(column).map_err(|clash| {
            let (name, level) = (column.name(), clash.level);
            Error::new(ErrorKind::Internal, format!("hierarchy of column `{name}` is not nested at level {level}"))
        })
    }

    /// Binds a draft without levels, in which nothing can clash.
    pub fn flat(mut self, column: &Column) -> Hierarchy {
        self.levels.clear();
        let first = self.first_leaves();
        self.number(column, &first)
    }

    /// Binds to the codes of `column`, or says which leaves are not nested.
    pub fn bind(self, column: &Column) -> Result<Hierarchy, NestingClash> {
        let first = self.first_leaves();
        for (at, pair) in self.levels.windows(2).enumerate() {
            for (leaf, &block) in pair[0].blocks.iter().enumerate() {
                let earlier = first[at][block as usize] as usize;
                if pair[1].blocks[leaf] != pair[1].blocks[earlier] {
                    return Err(NestingClash { level: at + 1, first: earlier, second: leaf });
                }
            }
        }
        Ok(self.number(column, &first))
    }

    /// For levels 1 and up, the first leaf of each block.
    fn first_leaves(&self) -> Vec<Vec<u32>> {
        let of_level = |level: &LeafPartition| {
            let mut first = vec![u32::MAX; level.labels.len()];
            for (leaf, &block) in level.blocks.iter().enumerate() {
                let slot = &mut first[block as usize];
                *slot = (*slot).min(leaf as u32);
            }
            first
        };
        self.levels.iter().map(of_level).collect()
    }

    /// Orders the codes by a depth-first walk and numbers the nodes of every level along it.
    fn number(self, column: &Column, first: &[Vec<u32>]) -> Hierarchy {
        let missing = column.missing();
        let single = self.levels.last().is_some_and(|top| top.labels.len() == 1);
        let joined = single && self.covering;
        let blocks = self.levels.last().map_or(self.leaves, |top| top.labels.len());
        let needs_top = blocks + usize::from(missing.is_some() && !joined) > 1;

        let mut order: Vec<u32> = (0..self.leaf_of.len() as u32).collect();
        let rank = |code: u32, level: usize| {
            let leaf = self.leaf_of[code as usize] as usize;
            first[level][self.levels[level].blocks[leaf] as usize]
        };
        order.sort_unstable_by(|&a, &b| {
            let by_level = (0..self.levels.len()).rev().map(|level| rank(a, level).cmp(&rank(b, level)));
            by_level
                .fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
                .then(self.leaf_of[a as usize].cmp(&self.leaf_of[b as usize]))
        });
        order.extend(missing);

        let leaf_count = self.leaves as u64 + u64::from(missing.is_some());
        let mut levels = vec![values(column, &order, leaf_count)];
        let last = self.levels.len();
        for (at, level) in self.levels.into_iter().enumerate() {
            let joins = joined && at + 1 == last;
            levels.push(number_level(level, &self.leaf_of, &order, missing, joins));
        }
        if needs_top {
            // Without codes there is no node either.
            let nodes = usize::from(!order.is_empty());
            levels.push(Level {
                nodes: vec![0; order.len()],
                labels: vec![ANY.to_owned(); nodes],
                leaves: vec![leaf_count; nodes],
                starts: vec![0; nodes],
                outside: Vec::new(),
            });
        }
        Hierarchy { levels, order, leaf_count }
    }
}

/// Level 0: every code is its own node.
fn values(column: &Column, order: &[u32], leaf_count: u64) -> Level {
    let nodes: Vec<u32> = (0..order.len() as u32).collect();
    let mut starts = vec![0; order.len()];
    for (at, &code) in order.iter().enumerate() {
        starts[code as usize] = at as u32;
    }
    let labels = nodes.iter().map(|&code| column.text(code)).collect();
    Level {
        labels,
        leaves: vec![1; nodes.len()],
        outside: vec![1; (leaf_count as usize).saturating_sub(nodes.len())],
        nodes,
        starts,
    }
}

/// Numbers the blocks of `level` that hold a code, along `order`; `joins` puts a missing cell into the only block.
fn number_level(level: LeafPartition, leaf_of: &[u32], order: &[u32], missing: Option<u32>, joins: bool) -> Level {
    let LeafPartition { blocks, mut labels } = level;
    let mut sizes = vec![0_u64; labels.len()];
    for &block in &blocks {
        sizes[block as usize] += 1;
    }
    let mut numbered = Level {
        nodes: vec![0; order.len()],
        labels: Vec::new(),
        leaves: Vec::new(),
        starts: Vec::new(),
        outside: Vec::new(),
    };
    // Codes of a block are adjacent in `order`, so a change of block is a new node.
    let mut current = None;
    for (at, &code) in order.iter().enumerate() {
        let block = if missing != Some(code) {
            Some(blocks[leaf_of[code as usize] as usize])
        } else if joins {
            Some(0)
        } else {
            None
        };
        if at == 0 || block != current {
            current = block;
            numbered.starts.push(at as u32);
            if let Some(block) = block {
                numbered.labels.push(std::mem::take(&mut labels[block as usize]));
                numbered.leaves.push(std::mem::take(&mut sizes[block as usize]));
            } else {
                numbered.labels.push(MISSING.to_owned());
                numbered.leaves.push(0);
            }
        }
        let node = numbered.labels.len() - 1;
        numbered.nodes[code as usize] = node as u32;
        if missing == Some(code) {
            numbered.leaves[node] += 1;
        }
    }
    numbered.outside = sizes.into_iter().filter(|&size| size > 0).collect();
    numbered
}
