//! What must hold: several principles on one sensitive column at once.

use pellucid_model::distribution::Distribution;
use pellucid_model::histogram::Histogram;
use pellucid_model::principle::{BoundPrinciple, MinimumSize, SufficientStatistic};

use crate::estimate::Estimate;

/// Tests that must all hold, on groups and on belief.
#[derive(Debug, Clone)]
pub struct Requirements<'a> {
    tests: Vec<&'a dyn BoundPrinciple>,
}

impl<'a> Requirements<'a> {
    /// All of `tests`.
    pub fn new(tests: impl IntoIterator<Item = &'a dyn BoundPrinciple>) -> Self {
        Self { tests: tests.into_iter().collect() }
    }

    /// Whether a group passes.
    pub fn holds(&self, group: &Histogram) -> bool {
        self.tests.iter().all(|test| test.holds(group))
    }

    /// How far a passing group is from failing, see [`BoundPrinciple::slack`]; 0 just when it fails.
    pub fn slack(&self, group: &Histogram) -> f64 {
        self.tests.iter().map(|test| test.slack(group)).fold(f64::INFINITY, f64::min)
    }

    /// Whether belief about one person is known to pass.
    pub fn passes(&self, estimate: &Estimate) -> bool {
        estimate.counted().is_some_and(|belief| self.holds_on(belief))
    }

    /// Whether belief about one person passes.
    pub fn holds_on(&self, belief: &Distribution) -> bool {
        self.tests.iter().all(|test| test.holds_on(belief))
    }

    /// Whether every mixture of passing distributions passes.
    pub fn is_closed_under_mixtures(&self) -> bool {
        self.tests.iter().all(|test| test.is_closed_under_mixtures())
    }

    /// Whether all values are treated alike.
    pub fn is_symmetric(&self) -> bool {
        self.tests.iter().all(|test| test.is_symmetric())
    }

    /// A number m such that every part of `group` with at least m rows passes; `None` when there is none.
    pub fn robust(&self, group: &Histogram) -> Option<u64> {
        self.tests.iter().try_fold(1, |most, test| Some(test.robust(group)?.max(most)))
    }

    /// What a passing group has at least.
    pub fn least(&self) -> MinimumSize {
        self.tests.iter().map(|test| test.least()).fold(MinimumSize::ONE, |all, least| MinimumSize {
            rows: all.rows.max(least.rows),
            values: all.values.max(least.values),
        })
    }

    /// What decides whether a group passes, when all values are treated alike.
    pub fn recall(&self) -> SufficientStatistic {
        self.tests.iter().fold(SufficientStatistic::Size, |all, test| all.and(test.recall()))
    }

    /// The largest count of `code` with which a group of `rows` rows passes, when all tests are bounds on single values.
    pub fn cap(&self, code: u32, rows: u64) -> Option<u64> {
        self.tests.iter().try_fold(rows, |least, test| Some(test.cap(code, rows)?.min(least)))
    }
}
