//! The usual measures of what generalization and suppression cost, cell by cell.

use dashu_int::UBig;
use pellucid_model::exact::{Fraction, fraction};

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
    /// How much every column counts, not scaled; at least one is above 0.
    pub weights: &'a [u32],
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

    /// Rows of the table by classes, of which all suppressed rows together are one.
    pub fn average_class_size(&self) -> Fraction {
        let suppressed = usize::from(!self.outcome.suppressed.is_empty());
        fraction(self.rows.len(), (self.outcome.kept.len() + suppressed).max(1))
    }

    /// Sum of the levels of all columns.
    pub fn height(&self) -> usize {
        (0..self.node.len()).map(|column| self.lattice.level(column, self.node[column])).sum()
    }

    /// Weighted mean over cells of level by highest level. A suppressed cell counts 1, and any other cell of a column with one
    /// level 0.
    pub fn precision_loss(&self) -> Fraction {
        self.mean(|_, column| {
            let (level, top) = (self.lattice.level(column, self.node[column]), self.lattice.top_level(column));
            fraction(level, top.max(1))
        })
    }

    /// Weighted mean over cells of the other values in a value's block by all other values of the column. A suppressed
    /// cell counts 1, and any other cell of a column with one value 0.
    pub fn loss(&self) -> Fraction {
        self.mean(|row, column| {
            let partition = self.lattice.partition(self.node, column);
            let block = partition[self.rows[row][column]];
            let leaves = partition.iter().filter(|&&other| other == block).count();
            fraction(leaves - 1, (partition.len() - 1).max(1))
        })
    }

    /// Weighted sum over cells of bits. Every cell, of a suppressed row too, costs those by which its value is more unusual
    /// than its block in the whole column. A cell of a suppressed row costs, on top of that, those by which its block is
    /// unusual among the suppressed rows.
    pub fn entropy_loss(&self) -> f64 {
        self.odds().iter().map(|&(weight, part, whole)| f64::from(weight) * (whole as f64 / part as f64).log2()).sum()
    }

    /// Two to the power of [`Recoding::entropy_loss`], exactly.
    pub fn entropy_power(&self) -> Fraction {
        let (mut above, mut below) = (UBig::ONE, UBig::ONE);
        for (weight, part, whole) in self.odds() {
            above *= UBig::from(whole).pow(weight as usize);
            below *= UBig::from(part).pow(weight as usize);
        }
        fraction(above, below)
    }

    /// What costs bits: a weight, and how many rows of how many.
    fn odds(&self) -> Vec<(u32, usize, usize)> {
        let mut odds = Vec::new();
        for (row, values) in self.rows.iter().enumerate() {
            for (column, &value) in values.iter().enumerate() {
                let partition = self.lattice.partition(self.node, column);
                let is_alike = |other: usize| partition[self.rows[other][column]] == partition[value];
                let same = self.rows.iter().filter(|other| other[column] == value).count();
                let alike = (0..self.rows.len()).filter(|&other| is_alike(other)).count();
                odds.push((self.weights[column], same, alike));
                if self.is_suppressed(row) {
                    let suppressed = &self.outcome.suppressed;
                    let alike = suppressed.iter().filter(|&&other| is_alike(other)).count();
                    odds.push((self.weights[column], alike, suppressed.len()));
                }
            }
        }
        odds
    }

    fn is_suppressed(&self, row: usize) -> bool {
        self.outcome.suppressed.contains(&row)
    }

    /// The weighted mean over cells of what each loses; a suppressed cell loses 1. No cells lose 0.
    fn mean(&self, lost: impl Fn(usize, usize) -> Fraction) -> Fraction {
        let mut sum = Fraction::ZERO;
        let mut cells = 0;
        for row in 0..self.rows.len() {
            for (column, &weight) in self.weights.iter().enumerate() {
                let own = if self.is_suppressed(row) { Fraction::ONE } else { lost(row, column) };
                sum += own * Fraction::from(weight);
                cells += weight;
            }
        }
        sum / Fraction::from(cells.max(1))
    }
}
