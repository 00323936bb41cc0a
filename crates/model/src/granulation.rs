//! Granulations: one level of a hierarchy for every quasi column.

use std::sync::Arc;

use crate::hierarchy::Hierarchy;

/// How finely one quasi column is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnGrain {
    hierarchy: Arc<Hierarchy>,
    level: usize,
}

impl ColumnGrain {
    /// Level 0 is the values themselves.
    pub fn new(hierarchy: Arc<Hierarchy>, level: usize) -> Self {
        debug_assert!(level <= hierarchy.top());
        Self { hierarchy, level }
    }

    /// Shared by all granulations over the column.
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }

    /// The level, 0 for the values as they are.
    pub fn level(&self) -> usize {
        self.level
    }

    /// By code, the number of its label; see [`Hierarchy::label_numbers`].
    pub fn numbers(&self) -> Vec<u32> {
        self.hierarchy.label_numbers(self.level)
    }

    /// By the number of a label, the codes that bear it, ascending.
    pub fn blocks(&self) -> Vec<Vec<u32>> {
        let mut blocks: Vec<Vec<u32>> = Vec::new();
        for (code, number) in (0u32..).zip(self.numbers()) {
            // Numbers follow the first code, so that each is at most one beyond those before it.
            if blocks.len() == number as usize {
                blocks.push(Vec::new());
            }
            blocks[number as usize].push(code);
        }
        blocks
    }
}

/// A grain for every quasi column, in the order of the table: people whose labels agree in all of them form a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Granulation(Vec<ColumnGrain>);

impl Granulation {
    /// From the grains of the quasi columns, in the order of the table.
    pub fn new(grains: Vec<ColumnGrain>) -> Self {
        Self(grains)
    }

    /// The grain of the quasi column `at`.
    pub fn grain(&self, at: usize) -> &ColumnGrain {
        &self.0[at]
    }

    /// All grains.
    pub fn grains(&self) -> &[ColumnGrain] {
        &self.0
    }
}
