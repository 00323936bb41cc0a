//! Hierarchies: chains of ever coarser partitions of one column's domain.

/// A chain of ever coarser partitions of a column's domain; level 0 is the values themselves.
#[derive(Debug, Clone)]
pub struct Hierarchy {}

impl Hierarchy {
    /// Number of levels, level 0 included.
    pub fn levels(&self) -> usize {
        1
    }

    /// The node of the value `code` at `level`.
    pub fn node(&self, _level: usize, code: u32) -> u32 {
        code
    }
}
