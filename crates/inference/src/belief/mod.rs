//! Belief: what an adversary who knows how a release was made holds possible, counted exactly.
//!
//! An [`StrategyAdversary`] knows the sequence of functions, the strategy and the principle; for a table it gives the permutation
//! set and the disclosure set of every step as a [`Belief`]: the number of worlds left, and for every person and value
//! the exact probability. Worlds are never enumerated. The way of a question:
//!
//! - `formula.rs` writes "the strategy comes to this step" as a signed sum of products of events;
//! - `layout.rs` cuts the people into parts that a product leaves independent, and these into units whose people are
//!   exchangeable; `problem.rs` gives equal parts the same form, so that each is counted once;
//! - `sweep.rs` (along `schedule.rs`, kept in `trellis.rs`) counts a part by dynamic programming over the partial histograms of open groups,
//!   `fills.rs` value by value where one large group holds bounded ones;
//! - `keyed.rs`, `levels.rs` and `tables.rs` handle events about earlier disclosure sets, by recursion on what decides them;
//! - `engine.rs` holds this together, `posterior.rs` is the answer, `memo.rs` what is remembered.
//!
//! Where counting takes more than the budget, estimates from samples may be asked for, which never call themselves exact: `sample.rs`
//! draws worlds, `cells.rs` says what is counted in them, `interval.rs` what that proves, `estimate.rs` is the answer.

#[cfg(test)]
mod agreement;
mod allocations;
mod cells;
mod engine;
mod estimate;
mod fills;
mod formula;
mod interval;
mod keyed;
mod layout;
mod levels;
mod limbs;
mod memo;
mod posterior;
mod problem;
mod requirements;
mod sample;
mod schedule;
mod sweep;
mod tables;
mod trellis;

pub(crate) use allocations::{binomial, multinomial};
pub(crate) use cells::StepCells;
pub(crate) use estimate::{WorldPopulation, of_populations, of_worlds};
pub(crate) use interval::ConfidenceLevel;
pub use interval::UnitInterval;
pub use posterior::Belief;
pub use requirements::Requirements;
pub(crate) use sample::StepTally;

use pellucid_model::error::{Error, Result};
use pellucid_model::histogram::Histogram;
use pellucid_model::words::counted;

use crate::budget::Budget;
use crate::meter::CountingSubject;
use crate::sequence::{Sequence, StepLooks, StepRule, Strategy};
use engine::BeliefEngine;

/// The set a strategy looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorldSet {
    /// The permutation set: all worlds with the same groups.
    Permutation,
    /// The disclosure set: those of them in which the strategy comes to this step.
    Disclosure,
}

/// One evaluation of the principle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StrategyLook {
    /// The step, from 1.
    pub step: usize,
    /// What was looked at.
    pub set: WorldSet,
    /// Whether the principle holds on it.
    pub holds: bool,
}

/// How a strategy went along the sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrategyWalk {
    /// The step that is released, from 1; `None` for nothing.
    pub release: Option<usize>,
    /// What was evaluated, in order.
    pub looks: Vec<StrategyLook>,
    /// The steps that were come to, from 1; one more than the last step stands for nothing.
    pub visited: Vec<usize>,
}

/// One who knows the sequence, the strategy, the principle and the quasi-identifiers of everyone.
#[derive(Debug)]
pub struct StrategyAdversary<'a> {
    engine: BeliefEngine<'a>,
    rules: Vec<StepRule>,
    values: &'a [u32],
    /// What refusals call the steps, when that is not 1, 2, ..
    numbers: Option<&'a [usize]>,
    /// What refusals name instead of a step.
    subject: Option<CountingSubject>,
}

impl<'a> StrategyAdversary<'a> {
    /// Knows that `strategy` walks along `sequence` looking at `condition`. `values` is the table: a code per person.
    pub fn new(
        sequence: &'a Sequence,
        strategy: &dyn Strategy,
        condition: &'a Requirements<'a>,
        values: &'a [u32],
        budget: Budget,
    ) -> Result<Self> {
        if values.len() != sequence.people() {
            return Err(Error::invalid(format!(
                "the table has {}, but the functions cover {}; give one value per person",
                counted(values.len(), "value", "values"),
                counted(sequence.people(), "person", "people")
            )));
        }
        let rules = strategy.rules(sequence.len())?;
        let domain = values.iter().max().map_or(0, |&last| last + 1);
        let engine = BeliefEngine::new(sequence, &rules, condition, domain, budget);
        Ok(Self { engine, rules, values, numbers: None, subject: None })
    }

    /// The same, but that refusals call the steps so.
    #[must_use]
    pub fn numbered(self, numbers: &'a [usize]) -> Self {
        Self { numbers: Some(numbers), ..self }
    }

    /// The same, but that refusals name `subject` instead of a step.
    pub(crate) fn about(self, subject: CountingSubject) -> Self {
        Self { subject: Some(subject), ..self }
    }

    /// Begins a question about `step`, from 1.
    fn begin(&self, step: usize) {
        let people = self.values.len();
        let number = |step: usize| self.numbers.map_or(step, |numbers| numbers[step - 1]);
        let is_step = step <= self.rules.len();
        let step = || {
            if is_step {
                CountingSubject::Step { step: number(step), people }
            } else {
                CountingSubject::Silence { people }
            }
        };
        self.engine.meter.restart(self.subject.unwrap_or_else(step));
    }

    /// The permutation set of `step`, from 1; the step after the last is silence, where everyone is in one group.
    pub fn permutation(&self, step: usize) -> Result<Belief> {
        self.begin(step);
        self.engine.permutation(step - 1, self.values)
    }

    /// The disclosure set of `step`, from 1: the worlds of its permutation set in which the strategy comes to this step.
    /// The step after the last is silence: the worlds in which nothing is released.
    ///
    /// Fails with [`pellucid_model::error::ErrorKind::LimitExceeded`] when counting needs more than the budget.
    pub fn disclosure(&self, step: usize) -> Result<Belief> {
        self.begin(step);
        self.engine.disclosure(step - 1, self.values)
    }

    /// Whether every group of `step`, from 1, passes: the principle on the permutation set.
    pub fn groups_pass(&self, step: usize) -> bool {
        self.engine.members[step - 1].iter().all(|group| {
            let codes = group.iter().map(|&person| self.values[person as usize]);
            self.engine.condition.holds(&Histogram::of(codes))
        })
    }

    /// Whether the strategy comes to `step`, from 1, for the table itself.
    pub fn reaches(&self, step: usize) -> Result<bool> {
        Ok(self.walk()?.visited.contains(&step))
    }

    /// Follows the strategy for the table itself.
    pub fn walk(&self) -> Result<StrategyWalk> {
        let steps = self.rules.len();
        let mut walk = StrategyWalk { release: None, looks: Vec::new(), visited: Vec::new() };
        let mut step = 1;
        while step <= steps {
            walk.visited.push(step);
            let rule = self.rules[step - 1];
            let mut passes = true;
            if rule.looks != StepLooks::Disclosure {
                passes = self.groups_pass(step);
                walk.looks.push(StrategyLook { step, set: WorldSet::Permutation, holds: passes });
            }
            if !passes {
                step += 1;
                continue;
            }
            if rule.looks != StepLooks::Permutation {
                passes = self.disclosure(step)?.holds(self.engine.condition) == Some(true);
                walk.looks.push(StrategyLook { step, set: WorldSet::Disclosure, holds: passes });
            }
            if passes {
                walk.release = Some(step);
                return Ok(walk);
            }
            step += if rule.looks == StepLooks::Both { rule.jump } else { 1 };
        }
        walk.visited.push(steps + 1);
        Ok(walk)
    }
}
