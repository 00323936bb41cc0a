//! The account of a walk along a sequence: what was looked at, what it said, and what others would have given away.
//!
//! An account depends on sensitive values. It is for the data owner: on the terminal and in the private folder, never in
//! what is published.

use dashu_int::UBig;
use pellucid_inference::belief::{Belief, Condition, Look, Set};
use pellucid_model::error::{Error, Result};
use pellucid_model::exact::{Fraction, format_fraction};
use serde::{Serialize, Serializer};

use crate::publisher::plan::Goal;

/// What is assumed about somebody who gets no release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Silence {
    /// Nobody learns that nothing was released, as the papers assume.
    Unknown,
    /// That nothing was released can be seen, and is judged like any other answer.
    Observable,
}

impl Silence {
    /// The word used in job files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Observable => "observable",
        }
    }
}

/// A set of worlds, as far as it decides anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// How many there are.
    #[serde(serialize_with = "digits")]
    pub worlds: UBig,
    /// The highest probability of what must be kept, for any person; `None` when there is no world.
    #[serde(serialize_with = "ratio")]
    pub highest: Option<Fraction>,
    /// What must be kept: a `value`, a `protected value` or a `confidential sentence`.
    #[serde(skip)]
    pub what: &'static str,
    /// Whether the principle holds on it for everybody; `None` when there is no world.
    pub holds: Option<bool>,
    /// How many people it fails for.
    pub exposed: u64,
}

/// A set of worlds that was counted, or why it was not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Finding {
    /// It was.
    Counted(Counted),
    /// Counting needs more than was allowed for it.
    Refused(String),
}

impl Finding {
    /// What was counted, if it was.
    pub fn counted(&self) -> Option<&Counted> {
        match self {
            Self::Counted(counted) => Some(counted),
            Self::Refused(_) => None,
        }
    }

    /// Judges `belief`; `goal` says what is protected.
    pub(super) fn of(belief: Result<Belief>, condition: &Condition<'_>, goal: &Goal<'_>) -> Self {
        let belief = match belief {
            Ok(belief) => belief,
            Err(error) => return Self::refused(&error),
        };
        let exposed = belief.failing(condition) as u64;
        let holds = (!belief.is_empty()).then_some(exposed == 0);
        let (what, highest) = match (goal.test.claims(), goal.protected.as_deref()) {
            (Some(claims), _) => ("confidential sentence", belief.largest(|known| claims.highest(known))),
            (None, protected) => {
                let counts =
                    |code: u32| protected.is_none_or(|flags| flags.get(code as usize).copied().unwrap_or(true));
                let what = if protected.is_some() { "protected value" } else { "value" };
                (what, belief.highest_among(counts).map(|highest| highest.ratio))
            }
        };
        Self::Counted(Counted { worlds: belief.worlds().clone(), highest, what, holds, exposed })
    }

    /// Why a set was not counted, without the remedies: nothing hangs on it.
    pub(super) fn refused(error: &Error) -> Self {
        Self::Refused(fact(error).to_owned())
    }
}

/// What an error states, without what to do about it.
pub(super) fn fact(error: &Error) -> &str {
    error.message().split(';').next().unwrap_or_default()
}

/// One function of the sequence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    pub permutation: Option<Finding>,
    /// The disclosure set, when it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disclosure: Option<Finding>,
}

/// One evaluation of the principle on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Looked {
    /// The function, from 1.
    pub step: usize,
    /// Whether it was the disclosure set, and not the permutation set.
    pub disclosure: bool,
    /// Whether the principle holds.
    pub holds: bool,
}

/// What the naive strategy would have released, and what an adversary who knows it would have learned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Leak {
    /// The function it would have released, from 1; `None` for nothing.
    pub released: Option<usize>,
    /// The belief of that adversary; refused, with nothing released, when not even the walk could be followed.
    pub belief: Option<Finding>,
}

/// What a walk along a sequence saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Account {
    /// The strategy's registry id.
    pub strategy: &'static str,
    /// The sensitive column, when a principle looks at one.
    pub column: Option<String>,
    /// What must hold, in words.
    pub principles: Vec<String>,
    /// What is assumed about silence.
    pub silence: Silence,
    /// How many different members the k-jump family has on this sequence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// The jumps that were drawn, a distance for every function that is not ruled out. Not part of what is printed.
    #[serde(skip)]
    pub drawn: Option<Vec<usize>>,
    /// The functions, in order.
    pub steps: Vec<StepAccount>,
    /// What was evaluated, in order.
    pub looks: Vec<Looked>,
    /// The function that is released, from 1; `None` for nothing.
    pub released: Option<usize>,
    /// What the naive strategy would have given away.
    pub naive: Option<Leak>,
    /// The belief of somebody who sees that nothing was released.
    pub given_nothing: Option<Finding>,
}

impl Account {
    /// The account of function `step`, from 1.
    pub fn step(&self, step: usize) -> &StepAccount {
        &self.steps[step - 1]
    }

    /// Whether silence is a possible answer that gives somebody away; `None` when that is not known.
    pub fn silence_discloses(&self) -> Option<bool> {
        let counted = self.given_nothing.as_ref()?.counted()?;
        Some(counted.holds == Some(false))
    }
}

impl Looked {
    /// `look` with steps numbered as listed, `numbers` giving the number of each that is left.
    pub(super) fn of(look: &Look, numbers: &[usize]) -> Self {
        Self { step: numbers[look.step - 1], disclosure: look.set == Set::Disclosure, holds: look.holds }
    }
}

fn digits<S: Serializer>(number: &UBig, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&number.to_string())
}

#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
fn ratio<S: Serializer>(ratio: &Option<Fraction>, serializer: S) -> Result<S::Ok, S::Error> {
    ratio.as_ref().map(format_fraction).serialize(serializer)
}
