//! Distributions: belief about one person, as exact weights of values.

use dashu_int::UBig;

use crate::exact::{Fraction, fraction};
use crate::histogram::Histogram;

/// Weights of values with a positive total: the probability of a value is its weight over the total. What the weights leave of the total
/// is the weight of having none of the values, as somebody has who may not be in the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distribution {
    weights: Vec<(u32, UBig)>,
    total: UBig,
}

impl Distribution {
    /// From weights by code, in ascending order of the code; zeros are dropped.
    ///
    /// # Panics
    /// When all weights are zero: then there is no distribution.
    pub fn new(weights: impl IntoIterator<Item = (u32, UBig)>) -> Self {
        Self::with_absent(weights, &UBig::ZERO)
    }

    /// The same, with the weight `absent` of having none of the values.
    ///
    /// # Panics
    /// When all weights are zero.
    pub fn with_absent(weights: impl IntoIterator<Item = (u32, UBig)>, absent: &UBig) -> Self {
        let weights: Vec<(u32, UBig)> = weights.into_iter().filter(|entry| entry.1 != UBig::ZERO).collect();
        let total = weights.iter().fold(absent.clone(), |sum, entry| sum + &entry.1);
        assert!(total > UBig::ZERO, "a distribution has a positive weight");
        Self { weights, total }
    }

    /// Given that one of the values is had; `None` when that cannot be.
    pub fn given_present(&self) -> Option<Self> {
        (!self.weights.is_empty()).then(|| Self::new(self.weights.iter().cloned()))
    }

    /// The distribution of a row drawn from `histogram`; `None` for the empty one.
    pub fn of(histogram: &Histogram) -> Option<Self> {
        let weights = histogram.entries().iter().map(|&(code, count)| (code, UBig::from(count)));
        (histogram.total() > 0).then(|| Self::new(weights))
    }

    /// `(code, weight)` in order of the code, weights positive.
    pub fn weights(&self) -> &[(u32, UBig)] {
        &self.weights
    }

    /// The sum of all weights, with that of having none of the values.
    pub fn total(&self) -> &UBig {
        &self.total
    }

    /// 0 where `code` is impossible.
    pub fn weight(&self, code: u32) -> UBig {
        let at = self.weights.binary_search_by_key(&code, |entry| entry.0);
        at.map_or(UBig::ZERO, |at| self.weights[at].1.clone())
    }

    /// Weight over total weight, exactly.
    pub fn probability(&self, code: u32) -> Fraction {
        fraction(self.weight(code), self.total.clone())
    }

    /// The largest weight.
    pub fn max(&self) -> &UBig {
        self.weights.iter().map(|entry| &entry.1).max().expect("a distribution has a positive weight")
    }
}
