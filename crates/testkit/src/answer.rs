//! Answers about one table, sequence, strategy and principle, as plain data: what the twin and the engine both give.

use std::collections::BTreeMap;

use dashu_int::UBig;
use pellucid_inference::belief::StrategyLook;
use pellucid_model::exact::Fraction;

/// What an adversary holds possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Belief {
    /// Number of worlds.
    pub worlds: UBig,
    /// By person, value to probability; zeros are left out, and so is everything when there is no world.
    pub marginals: Vec<BTreeMap<u32, Fraction>>,
    /// Whether the principle holds on the belief about every person; `None` when there is no world.
    pub holds: Option<bool>,
}

impl Belief {
    /// The highest probability of any value for any person; `None` when there is no world.
    pub fn highest(&self) -> Option<Fraction> {
        self.marginals.iter().flat_map(BTreeMap::values).max().cloned()
    }
}

/// Everything that is asked of one strategy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The step that is released, from 1; `None` for nothing.
    pub release: Option<usize>,
    /// What was evaluated for the table, in order.
    pub looks: Vec<StrategyLook>,
    /// The permutation set of every step.
    pub permutation: Vec<Belief>,
    /// The disclosure set of every step.
    pub disclosure: Vec<Belief>,
    /// Whether the strategy comes to the step for the table itself, so that it is in the disclosure set.
    pub reaches: Vec<bool>,
    /// Belief given what is released; `None` when nothing is.
    pub posterior: Option<Belief>,
    /// Belief given that nothing is released, whether or not that is so for the table; `None` when it was not asked for.
    pub silence: Option<Belief>,
    /// Belief given nothing but the multiset of values: all worlds.
    pub anything: Belief,
}
