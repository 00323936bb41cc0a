//! Confidential sentences and logical security.

use std::collections::BTreeSet;

use super::lattice::Class;

/// What every person wants kept confidential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secrets {
    /// By row and sentence, whether the sentence is true of the person.
    pub truth: Vec<Vec<bool>>,
    /// By row, the numbers of the sentences that the person wants kept.
    pub confidential: Vec<BTreeSet<usize>>,
}

impl Secrets {
    /// Everyone wants it kept whether they have each of these values: one sentence per value.
    pub fn of_values(sensitive: &[u32], values: &[u32]) -> Self {
        Self {
            truth: sensitive.iter().map(|own| values.iter().map(|value| own == value).collect()).collect(),
            confidential: vec![(0..values.len()).collect(); sensitive.len()],
        }
    }

    /// Number of sentences.
    pub fn sentences(&self) -> usize {
        self.truth.first().map_or(0, Vec::len)
    }

    /// The rows of which a sentence is true.
    pub fn meaning(&self, sentence: usize) -> BTreeSet<usize> {
        (0..self.truth.len()).filter(|&row| self.truth[row][sentence]).collect()
    }

    /// The sentences that someone of a class falsifies (section 3.4).
    pub fn falsified(&self, class: &[usize]) -> BTreeSet<usize> {
        let false_of_some = |sentence: &usize| class.iter().any(|&row| !self.truth[row][*sentence]);
        (0..self.sentences()).filter(false_of_some).collect()
    }

    /// Figure 6 for the people of one class: no sentence that one of them wants kept is true of all of them.
    pub fn is_kept(&self, class: &[usize]) -> bool {
        let mut safe = true;
        for &row in class {
            let mut unsafe_for_row = false;
            for &sentence in &self.confidential[row] {
                let mut known = true;
                for &other in class {
                    known = known && self.truth[other][sentence];
                }
                unsafe_for_row = unsafe_for_row || known;
            }
            safe = safe && !unsafe_for_row;
        }
        safe
    }

    /// Figure 6: whether classes are logically secure for everyone.
    pub fn are_kept(&self, classes: &[Class]) -> bool {
        classes.iter().all(|class| self.is_kept(class))
    }
}

/// The lower approximation of a set of rows: those whose whole class is in it.
pub fn lower_approximation(classes: &[Class], set: &BTreeSet<usize>) -> BTreeSet<usize> {
    let inside = classes.iter().filter(|class| class.iter().all(|row| set.contains(row)));
    inside.flatten().copied().collect()
}
