//! The account of a walk along a sequence: what was looked at, what it said, and what others would have given away.
//!
//! An account depends on sensitive values. It is for the data owner: on the terminal and in the private folder, never in
//! what is published.

use pellucid_inference::belief::{Belief, StrategyLook, WorldSet};
use pellucid_inference::verdict::{BeliefRequirements, RequiredPrinciple, Verdict};
use pellucid_model::error::{Error, Result};
use serde::Serialize;

use crate::publisher::input::{PrivacyGoal, PublisherInput};

/// What is assumed about somebody who gets no release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SilenceAssumption {
    /// Nobody learns that nothing was released, as the papers assume.
    Unknown,
    /// That nothing was released can be seen, and is judged like any other answer.
    Observable,
}

impl SilenceAssumption {
    /// The word used in job files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Observable => "observable",
        }
    }
}

/// Judges `belief` by what is demanded: unknown, and why, when counting it needs more than was allowed.
pub(super) fn judge(belief: Result<Belief>, demand: &BeliefRequirements<'_>) -> Verdict {
    belief.map_or_else(|error| unknown(&error), |belief| demand.judge(&belief))
}

/// What is demanded of belief, with figures of what `goal` protects.
pub(super) fn demand<'a>(plan: &'a PublisherInput<'_>, goal: &'a PrivacyGoal<'_>) -> BeliefRequirements<'a> {
    let sensitive = plan.goals.iter().filter(|goal| goal.principle.needs_sensitive());
    let bounds = sensitive.map(|goal| RequiredPrinciple {
        test: goal.test.as_ref(),
        share: goal.share.as_ref(),
        protected: goal.protected.as_deref(),
    });
    let counted = goal.protected.clone();
    BeliefRequirements { counted, claims: goal.test.claims(), ..BeliefRequirements::new(bounds.collect(), 0.0) }
}

/// What `goal` keeps from attackers: a `value`, a `protected value` or a `confidential sentence`.
pub(super) fn kept(goal: &PrivacyGoal<'_>) -> &'static str {
    match (goal.test.claims(), &goal.protected) {
        (Some(_), _) => "confidential sentence",
        (None, Some(_)) => "protected value",
        (None, None) => "value",
    }
}

/// Why a set was not counted, without the remedies: nothing hangs on it.
pub(super) fn unknown(error: &Error) -> Verdict {
    Verdict::unknown(0, fact(error).to_owned())
}

/// What an error states, without what to do about it.
pub(super) fn fact(error: &Error) -> &str {
    error.message().split(';').next().unwrap_or_default()
}

/// One function of the sequence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepAccount {
    /// Its number, from 1.
    pub step: usize,
    /// How it sees the quasi columns, in words.
    pub columns: String,
    /// How many groups it makes.
    pub groups: u64,
    /// Rows of the smallest group.
    pub smallest: u64,
    /// The principle on group sizes that rules it out whatever the sensitive values are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ruled_out: Option<String>,
    /// The permutation set, when it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permutation: Option<Verdict>,
    /// The disclosure set, when it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disclosure: Option<Verdict>,
}

/// One evaluation of the principle on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct EvaluationRecord {
    /// The function, from 1.
    pub step: usize,
    /// Whether it was the disclosure set, and not the permutation set.
    pub disclosure: bool,
    /// Whether the principle holds.
    pub holds: bool,
}

/// What the naive strategy would have released, and what an adversary who knows it would have learned.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NaiveLeak {
    /// The function it would have released, from 1; `None` for nothing.
    pub released: Option<usize>,
    /// The belief of that adversary; unknown, with nothing released, when not even the walk could be followed.
    pub belief: Option<Verdict>,
}

/// What a walk along a sequence saw.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SequenceAccount {
    /// The strategy's registry id.
    pub strategy: &'static str,
    /// The sensitive column, when a principle looks at one.
    pub column: Option<String>,
    /// What must hold, in words.
    pub principles: Vec<String>,
    /// What must be kept: a `value`, a `protected value` or a `confidential sentence`.
    #[serde(skip)]
    pub kept: &'static str,
    /// What is assumed about silence.
    pub silence: SilenceAssumption,
    /// How many different members the k-jump family has on this sequence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// The jumps that were drawn, a distance for every function that is not ruled out. Not part of what is printed.
    #[serde(skip)]
    pub drawn: Option<Vec<usize>>,
    /// The functions, in order.
    pub steps: Vec<StepAccount>,
    /// What was evaluated, in order.
    pub looks: Vec<EvaluationRecord>,
    /// The function that is released, from 1; `None` for nothing.
    pub released: Option<usize>,
    /// What the naive strategy would have given away.
    pub naive: Option<NaiveLeak>,
    /// The belief of somebody who sees that nothing was released.
    pub given_nothing: Option<Verdict>,
}

impl SequenceAccount {
    /// The account of function `step`, from 1.
    pub fn step(&self, step: usize) -> &StepAccount {
        &self.steps[step - 1]
    }

    /// Whether silence is a possible answer that gives somebody away; `None` when that is not known.
    pub fn silence_discloses(&self) -> Option<bool> {
        let silence = self.given_nothing.as_ref()?.known().ok()?;
        Some(silence.holds() == Some(false))
    }
}

impl EvaluationRecord {
    /// `look` with steps numbered as listed, `numbers` giving the number of each that is left.
    pub(super) fn of(look: &StrategyLook, numbers: &[usize]) -> Self {
        Self { step: numbers[look.step - 1], disclosure: look.set == WorldSet::Disclosure, holds: look.holds }
    }
}
