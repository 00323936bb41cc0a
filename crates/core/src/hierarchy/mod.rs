//! Hierarchies: chains of ever coarser partitions of one column's domain.

/// A chain of ever coarser partitions of a column's domain; level 0 is the values themselves.
#[derive(Debug, Clone)]
pub struct Hierarchy {}
