//! Principles that look at several sensitive columns together: a column made for them, and what is claimed of its codes.

use std::path::PathBuf;

use dashu_int::UBig;

use super::BoundPrinciple;
use crate::distribution::Distribution;
use crate::exact::{Fraction, fraction};
use crate::table::Column;

/// A column made from several sensitive ones, with a principle bound to it.
#[derive(Debug)]
pub struct JointColumn {
    /// One code per row; its order does not depend on the order of the rows. Never published.
    pub column: Column,
    /// The principle on histograms over its codes.
    pub test: Box<dyn BoundPrinciple>,
}

/// Where it stands which of several named sets is whose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetRoster {
    /// The column that names the set.
    pub column: String,
    /// The file that the column is in, keyed by the identifiers of the table; `None` when the table has the column.
    pub file: Option<PathBuf>,
    /// The names of the sets.
    pub names: Vec<String>,
}

/// What the codes of a [`JointColumn`] column mean: sentences that are true of people, and those they want to keep to
/// themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentenceClaims {
    /// Number of sentences.
    pub sentences: usize,
    /// By code, which sentences are satisfied.
    pub satisfied: Vec<Vec<bool>>,
    /// By code, the confidential sentences with the damage of each; the damages sum to 1 unless there is no sentence.
    pub confidential: Vec<Vec<(usize, Fraction)>>,
    /// By sentence, the probability that it holds for somebody, as known beforehand: given, or the share of rows that
    /// satisfy it.
    pub prior: Vec<Fraction>,
    /// Whether people may have different confidential sentences, by what was asked for and not by who is in the table.
    pub personal: bool,
}

impl SentenceClaims {
    /// Whether the people of all codes have the same confidential sentences.
    pub fn alike(&self) -> bool {
        let of = |code: usize| self.confidential[code].iter().map(|entry| entry.0);
        (1..self.confidential.len()).all(|code| of(code).eq(of(0)))
    }

    /// The confidential sentences of somebody with `code`.
    pub fn of(&self, code: u32) -> impl Iterator<Item = usize> + '_ {
        self.confidential[code as usize].iter().map(|entry| entry.0)
    }

    /// Whether somebody with `code` satisfies `sentence`.
    pub fn satisfies(&self, code: u32, sentence: usize) -> bool {
        self.satisfied[code as usize][sentence]
    }

    /// The largest probability, given `belief` about somebody, of a sentence that is confidential for anybody.
    pub fn highest(&self, belief: &Distribution) -> Option<Fraction> {
        let codes = 0..self.confidential.len() as u32;
        let asked = |sentence: usize| codes.clone().any(|code| self.of(code).any(|own| own == sentence));
        let weight = |sentence: usize| {
            let satisfying = belief.weights().iter().filter(|entry| self.satisfies(entry.0, sentence));
            satisfying.fold(UBig::ZERO, |sum, entry| sum + &entry.1)
        };
        let largest = (0..self.sentences).filter(|&sentence| asked(sentence)).map(weight).max()?;
        Some(fraction(largest, belief.total().clone()))
    }
}
