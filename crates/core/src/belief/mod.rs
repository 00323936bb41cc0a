//! Belief: what an adversary who knows how a release was made holds possible, counted exactly.
//!
//! An [`Adversary`] knows the sequence of functions, the strategy and the principle; for a table it gives the permutation
//! set and the disclosure set of every step as a [`Belief`]: the number of worlds left, and for every person and value
//! the exact probability. Worlds are never enumerated.

mod condition;

use dashu_int::UBig;

pub use condition::Condition;

use crate::distribution::Distribution;
use crate::error::Result;
use crate::exact::Fraction;
use crate::sequence::{Sequence, Strategy};

/// Limits of one question to the engine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// States the engine may visit.
    pub states: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { states: 200_000_000 }
    }
}

/// The set a strategy looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set {
    /// The permutation set: all worlds with the same groups.
    Permutation,
    /// The disclosure set: those of them in which the strategy comes to this step.
    Disclosure,
}

/// One evaluation of the principle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The step, from 1.
    pub step: usize,
    /// What was looked at.
    pub set: Set,
    /// Whether the principle holds on it.
    pub holds: bool,
}

/// How a strategy went along the sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walk {
    /// The step that is released, from 1; `None` for nothing.
    pub release: Option<usize>,
    /// What was evaluated, in order.
    pub looks: Vec<Look>,
}

/// What counting took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// States of dynamic programs visited.
    pub states: u64,
}

/// The highest probability in a belief, and whom it concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Highest {
    /// The probability.
    pub ratio: Fraction,
    /// Whom it concerns, in ascending order.
    pub people: Vec<usize>,
}

/// What is held possible: a number of equally likely worlds, and what they say about each person.
#[derive(Debug, Clone)]
pub struct Belief {
    worlds: UBig,
}

impl Belief {
    /// Number of worlds.
    pub fn worlds(&self) -> &UBig {
        &self.worlds
    }

    /// Whether no world is left.
    pub fn is_empty(&self) -> bool {
        self.worlds == UBig::ZERO
    }

    /// Belief about `person`; `None` when no world is left.
    pub fn distribution(&self, _person: usize) -> Option<Distribution> {
        todo!()
    }

    /// The highest probability of any value for any person; `None` when no world is left.
    pub fn highest(&self) -> Option<Highest> {
        todo!()
    }

    /// Whether the condition holds on the belief about every person; `None` when no world is left.
    pub fn holds(&self, _condition: &Condition<'_>) -> Option<bool> {
        todo!()
    }

    /// What counting took.
    pub fn effort(&self) -> Effort {
        todo!()
    }
}

/// One who knows the sequence, the strategy, the principle and the quasi-identifiers of everyone.
#[derive(Debug)]
pub struct Adversary<'a> {
    sequence: &'a Sequence,
}

impl<'a> Adversary<'a> {
    /// Knows that `strategy` walks along `sequence` looking at `condition`. `values` is the table: a code per person.
    pub fn new(
        sequence: &'a Sequence,
        _strategy: &dyn Strategy,
        _condition: &'a Condition<'a>,
        _values: &'a [u32],
        _budget: Budget,
    ) -> Result<Self> {
        Ok(Self { sequence })
    }

    /// The permutation set of `step`, from 1; the step after the last is silence, where everyone is in one group.
    pub fn permutation(&self, _step: usize) -> Result<Belief> {
        let _ = self.sequence;
        todo!()
    }

    /// The disclosure set of `step`, from 1: the worlds of its permutation set in which the strategy comes to this step.
    /// The step after the last is silence: the worlds in which nothing is released.
    ///
    /// Fails with [`crate::error::ErrorKind::LimitExceeded`] when counting needs more than the budget.
    pub fn disclosure(&self, _step: usize) -> Result<Belief> {
        todo!()
    }

    /// Whether the strategy comes to `step` for the table itself.
    pub fn reaches(&self, _step: usize) -> Result<bool> {
        todo!()
    }

    /// Follows the strategy for the table itself.
    pub fn walk(&self) -> Result<Walk> {
        todo!()
    }
}
