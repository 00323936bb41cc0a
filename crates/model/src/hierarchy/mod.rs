//! Hierarchies: chains of ever coarser partitions of one column's domain.
//!
//! A [`HierarchySpec`] says in a job file how a hierarchy is made, one file here per way: read from a file, by interval
//! widths or borders, by masking characters, by truncating dates, or written out as a tree. [`HierarchySpec::build`] binds it to a
//! [`Column`] and yields a [`Hierarchy`], which knows only codes, nodes and labels. [`BalancedGroups`] is a rule that only makes
//! files; [`LabelFile::text`] writes them and [`LabelFile::check`] says all that is wrong with one. Choosing levels is not
//! done here.

mod balanced;
mod borders;
mod check;
mod cuts;
mod date;
mod draft;
mod file;
mod leaves;
mod mask;
mod spec;
mod taxonomy;
mod warnings;
mod widths;
mod write;

pub use balanced::BalancedGroups;
pub use borders::BorderIntervals;
pub use check::{FileCoverage, FileReport, FindingSeverity, HierarchyFinding};
pub use date::{DatePart, DateTruncation};
pub use file::LabelFile;
pub use mask::{CharacterMask, MaskSide};
pub use spec::HierarchySpec;
pub use taxonomy::{TaxonomyBranch, TaxonomyTree};
pub use widths::WidthIntervals;

use crate::table::Column;

/// The label of the level that is added on top when nothing else joins all values.
pub const ANY: &str = "*";

/// A chain of ever coarser partitions of a column's domain; level 0 is the values themselves.
///
/// A block of a level is a *node*. Nodes of level 0 are the codes of the column; nodes of a higher level are numbered
/// in the order of [`Hierarchy::order`], and only nodes that hold a code of the column exist. A missing cell is a leaf
/// of its own, labelled [`crate::table::MISSING`], up to a level that covers everything.
///
/// # Guarantee
/// Codes that share a node share the nodes of all higher levels. The last level has a single node (none when the column
/// has no codes), so any codes have a lowest common ancestor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hierarchy {
    levels: Vec<Level>,
    order: Vec<u32>,
    leaf_count: u64,
}

/// One partition of the domain.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Level {
    /// Node of each code.
    nodes: Vec<u32>,
    labels: Vec<String>,
    /// Leaves under each node.
    leaves: Vec<u64>,
    /// Where the codes of each node start in `Hierarchy::order`; they are adjacent there.
    starts: Vec<u32>,
    /// Leaves under each block that has no code of the column.
    outside: Vec<u64>,
}

impl Hierarchy {
    /// The hierarchy that only knows the values and, above them, [`ANY`].
    pub fn flat(column: &Column) -> Self {
        draft::HierarchyDraft::of_values(column, Vec::new()).flat(column)
    }

    /// Number of levels, level 0 included.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// The highest level, on which everything is joined.
    pub fn top(&self) -> usize {
        self.levels.len() - 1
    }

    /// Number of nodes of `level`; node ids lie below it.
    pub fn nodes(&self, level: usize) -> usize {
        self.levels[level].labels.len()
    }

    /// The node of `code` on `level`.
    #[inline]
    pub fn node(&self, level: usize, code: u32) -> u32 {
        self.levels[level].nodes[code as usize]
    }

    /// The node one level above `node` of `level`; `None` on the highest level.
    pub fn parent(&self, level: usize, node: u32) -> Option<u32> {
        let code = self.order[self.levels[level].starts[node as usize] as usize];
        self.levels.get(level + 1).map(|above| above.nodes[code as usize])
    }

    /// The published text of `node`: on level 0 the value itself.
    pub fn label(&self, level: usize, node: u32) -> &str {
        &self.levels[level].labels[node as usize]
    }

    /// Number of leaves under `node`.
    ///
    /// Leaves are the values that the hierarchy itself lists (file and tree), whether or not the table has them, or
    /// else the values of the column; a missing cell is one more.
    pub fn leaves(&self, level: usize, node: u32) -> u64 {
        self.levels[level].leaves[node as usize]
    }

    /// Leaves under each block of `level` of which no value is in the column, counted as in [`Hierarchy::leaves`].
    pub fn outside(&self, level: usize) -> &[u64] {
        &self.levels[level].outside
    }

    /// By code, the number of its label on `level`; codes whose labels bear the same text have the same number, for the
    /// public cannot tell them apart. Numbers follow the first code that has the label.
    pub fn label_numbers(&self, level: usize) -> Vec<u32> {
        let mut known = hashbrown::HashMap::new();
        let nodes: Vec<u32> = (0..self.nodes(0) as u32).map(|code| self.node(level, code)).collect();
        let mut number = vec![u32::MAX; self.nodes(level)];
        for &node in &nodes {
            if number[node as usize] == u32::MAX {
                let next = known.len() as u32;
                number[node as usize] = *known.entry(self.label(level, node)).or_insert(next);
            }
        }
        nodes.into_iter().map(|node| number[node as usize]).collect()
    }

    /// Number of all leaves, counted as in [`Hierarchy::leaves`].
    pub fn leaf_count(&self) -> u64 {
        self.leaf_count
    }

    /// The codes under `node`, in the order of [`Hierarchy::order`].
    pub fn codes(&self, level: usize, node: u32) -> &[u32] {
        let level = &self.levels[level];
        let start = level.starts[node as usize] as usize;
        let rest = &self.order[start..];
        let end = rest.iter().position(|&code| level.nodes[code as usize] != node).unwrap_or(rest.len());
        &rest[..end]
    }

    /// The lowest level on which all `codes` share a node, and that node; `None` when there are no codes.
    ///
    /// # Cost
    /// One pass over `codes`: as levels are nested, the level only ever rises.
    pub fn lowest_common_ancestor(&self, codes: impl IntoIterator<Item = u32>) -> Option<(usize, u32)> {
        let mut codes = codes.into_iter();
        let first = codes.next()?;
        let mut level = 0;
        for code in codes {
            while self.node(level, code) != self.node(level, first) {
                level += 1;
            }
            if level == self.top() {
                break;
            }
        }
        Some((level, self.node(level, first)))
    }

    /// The codes of the column as a depth-first walk of the tree meets them, so that siblings are adjacent.
    ///
    /// Children come in the order of their first line (file), by label with values as written (tree), or in the order
    /// of their smallest value (rules). A missing cell comes last.
    pub fn order(&self) -> Vec<u32> {
        self.order.clone()
    }
}

#[cfg(test)]
mod tests;
