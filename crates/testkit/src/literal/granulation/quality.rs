//! The usual measures of what generalization and suppression cost, cell by cell.

use pellucid_core::exact::{Fraction, fraction};

use super::lattice::{Lattice, Rows};
use super::search::Outcome;

/// A table under a granulation, with some rows suppressed.
#[derive(Debug, Clone, Copy)]
pub struct Recoding<'a> {
    /// The admissible partitions.
    pub lattice: &'a Lattice,
    /// The original rows.
    pub rows: &'a Rows,
    /// The granulation.
    pub node: &'a [usize],
    /// The classes that are kept and the rows that are not.
    pub outcome: &'a Outcome,
}

impl Recoding<'_> {
    /// Sum over the rows of how many rows each is like: those of its class, or all of the table when suppressed.
    pub fn discernibility(&self) -> u64 {
        let mut sum = 0;
        for class in &self.outcome.kept {
            sum += class.len() * class.len();
        }
        for _ in &self.outcome.suppressed {
            sum += self.rows.len();
        }
        sum as u64
    }

    /// Rows that are kept by classes that are kept; `None` when none is.
    pub fn average_class_size(&self) -> Option<Fraction> {
        let kept = self.rows.len() - self.outcome.suppressed.len();
        let classes = self.outcome.kept.len();
        (classes > 0).then(|| fraction(kept, classes))
    }

    /// Sum of the levels of all columns.
    pub fn height(&self) -> usize {
        (0..self.node.len()).map(|column| self.lattice.level(column, self.node[column])).sum()
    }

    /// Mean over cells of level by highest level. A suppressed cell counts 1, and any other cell of a column with one
    /// level 0.
    pub fn precision_loss(&self) -> Fraction {
        self.mean(|_, column| {
            let (level, top) = (self.lattice.level(column, self.node[column]), self.lattice.top_level(column));
            fraction(level, top.max(1))
        })
    }

    /// Mean over cells of the other values in a value's block by all other values of the column. A suppressed cell
    /// counts 1, and any other cell of a column with one value 0.
    pub fn loss(&self) -> Fraction {
        self.mean(|row, column| {
            let partition = self.lattice.partition(self.node, column);
            let block = partition[self.rows[row][column]];
            let leaves = partition.iter().filter(|&&other| other == block).count();
            fraction(leaves - 1, (partition.len() - 1).max(1))
        })
    }

    /// Sum over cells of the bits by which a value is more unusual than its block, in the whole column; for a suppressed
    /// cell, than the whole table.
    pub fn entropy_loss(&self) -> f64 {
        let mut sum = 0.0;
        for (row, values) in self.rows.iter().enumerate() {
            for (column, &value) in values.iter().enumerate() {
                let partition = self.lattice.partition(self.node, column);
                let same = self.rows.iter().filter(|other| other[column] == value).count();
                let alike = self.rows.iter().filter(|other| partition[other[column]] == partition[value]).count();
                let alike = if self.is_suppressed(row) { self.rows.len() } else { alike };
                sum -= (same as f64 / alike as f64).log2();
            }
        }
        sum
    }

    fn is_suppressed(&self, row: usize) -> bool {
        self.outcome.suppressed.contains(&row)
    }

    /// The mean over cells of what each loses; a suppressed cell loses 1. No cells lose 0.
    fn mean(&self, lost: impl Fn(usize, usize) -> Fraction) -> Fraction {
        let mut sum = Fraction::ZERO;
        let mut cells = 0usize;
        for row in 0..self.rows.len() {
            for column in 0..self.node.len() {
                sum += if self.is_suppressed(row) { Fraction::ONE } else { lost(row, column) };
                cells += 1;
            }
        }
        sum / Fraction::from(cells.max(1))
    }
}
