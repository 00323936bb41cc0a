//! Asking the adversary about every strategy and every step.

use pellucid_inference::belief::{Belief, Requirements, StrategyAdversary, StrategyWalk};
use pellucid_model::error::{ErrorKind, Result};
use pellucid_model::exact::Fraction;

use super::Walks;
use crate::AnswerOptions;
use crate::walking::{self, WorldFacts};

/// A part of the answer, or why it would take more than the budget.
pub type StrategyPart<T> = std::result::Result<T, PartRefusal>;

/// Why a part would take more than the budget.
#[derive(Debug, Clone)]
pub struct PartRefusal {
    /// The reason.
    pub words: String,
    /// What samples say instead, when asked for: an estimate, or why there is none.
    pub estimate: Option<std::result::Result<Box<Belief>, String>>,
}

impl From<&str> for PartRefusal {
    fn from(words: &str) -> Self {
        Self { words: words.to_owned(), estimate: None }
    }
}

/// One step under one strategy.
#[derive(Debug, Clone)]
pub struct StepAnswer {
    /// The disclosure set.
    pub facts: StrategyPart<WorldFacts>,
    /// Whether the table itself is in it.
    pub contains_table: StrategyPart<bool>,
}

/// What one person is believed to have: names of values with their probabilities.
pub type BeliefRow = Vec<(String, Fraction)>;

/// One strategy.
#[derive(Debug, Clone)]
pub struct StrategyAnswer {
    /// What is evaluated and released.
    pub walk: StrategyPart<StrategyWalk>,
    /// Every step.
    pub steps: Vec<StepAnswer>,
    /// Belief after the release, and whether the principle holds on it; `None` when nothing is released.
    pub posterior: Option<StrategyPart<(Vec<BeliefRow>, bool)>>,
    /// Belief when nothing is released, unless not asked for.
    pub silence: Option<StrategyPart<WorldFacts>>,
}

/// The whole answer.
#[derive(Debug, Clone)]
pub struct SequenceAnswer {
    /// The table, the sequence and the principles in words.
    pub heading: String,
    /// The permutation set of every step.
    pub permutations: Vec<StrategyPart<WorldFacts>>,
    /// Strategies by name; a strategy may be refused as a whole.
    pub strategies: Vec<(String, StrategyPart<StrategyAnswer>)>,
}

impl Walks {
    /// Asks about every strategy.
    pub fn ask(&self, options: &AnswerOptions) -> Result<SequenceAnswer> {
        let condition = self.setting.condition();
        let mut permutations = Vec::new();
        let mut strategies = Vec::new();
        for (name, strategy) in &self.strategies {
            let adversary = part(self.setting.adversary(strategy.as_ref(), &condition, options.budget))?;
            // The permutation sets are the same under every strategy.
            if strategies.is_empty() {
                permutations = self.permutations(&adversary, &condition)?;
            }
            let followed = match adversary {
                Ok(adversary) => Ok(self.follow(&adversary, &condition, options)?),
                Err(refusal) => Err(refusal),
            };
            strategies.push((name.clone(), followed));
        }
        Ok(SequenceAnswer { heading: self.setting.heading(), permutations, strategies })
    }

    fn permutations(
        &self,
        adversary: &StrategyPart<StrategyAdversary<'_>>,
        condition: &Requirements<'_>,
    ) -> Result<Vec<StrategyPart<WorldFacts>>> {
        let one = |step: usize| match adversary {
            Ok(adversary) => part(adversary.permutation(step).map(|belief| WorldFacts::of(&belief, condition))),
            Err(refusal) => Ok(Err(refusal.clone())),
        };
        (1..=self.setting.sequence.len()).map(one).collect()
    }

    fn follow(
        &self,
        adversary: &StrategyAdversary<'_>,
        condition: &Requirements<'_>,
        options: &AnswerOptions,
    ) -> Result<StrategyAnswer> {
        let walk = part(adversary.walk())?;
        let release = walk.as_ref().ok().and_then(|walk| walk.release);
        let mut posterior = None;
        let mut steps = Vec::with_capacity(self.setting.sequence.len());
        for step in 1..=self.setting.sequence.len() {
            let belief = part(adversary.disclosure(step))?;
            if release == Some(step) {
                posterior = Some(match &belief {
                    Ok(belief) => Ok((self.rows(belief), belief.holds(condition) == Some(true))),
                    Err(refusal) => Err(refusal.clone()),
                });
            }
            steps.push(StepAnswer {
                facts: estimated(belief.map(|belief| WorldFacts::of(&belief, condition)), adversary, step, options)?,
                contains_table: part(adversary.reaches(step))?,
            });
        }
        let silence = if options.silence {
            let step = self.setting.sequence.len() + 1;
            let belief = part(adversary.disclosure(step))?;
            Some(estimated(belief.map(|belief| WorldFacts::of(&belief, condition)), adversary, step, options)?)
        } else {
            None
        };
        Ok(StrategyAnswer { walk, steps, posterior, silence })
    }

    /// What everyone is believed to have.
    fn rows(&self, belief: &Belief) -> Vec<BeliefRow> {
        let row = |person: usize| {
            let belief = belief.distribution(person);
            let codes = belief.iter().flat_map(|belief| belief.weights().iter().map(|entry| entry.0));
            let probability = |code: u32| belief.as_ref().map(|belief| belief.probability(code));
            codes.filter_map(|code| Some((self.setting.names[code as usize].clone(), probability(code)?))).collect()
        };
        (0..self.setting.codes.len()).map(row).collect()
    }
}

/// Puts an estimate beside the refusal of a disclosure set, when asked for.
fn estimated(
    mut part: StrategyPart<WorldFacts>,
    adversary: &StrategyAdversary<'_>,
    step: usize,
    options: &AnswerOptions,
) -> Result<StrategyPart<WorldFacts>> {
    if let (Err(refusal), Some(sampling)) = (&mut part, &options.budget.sampling) {
        refusal.estimate = Some(match adversary.estimate(step, sampling) {
            Ok(estimate) => Ok(Box::new(estimate)),
            Err(error) if error.kind() == ErrorKind::LimitExceeded => Err(error.message().to_owned()),
            Err(error) => return Err(error),
        });
    }
    Ok(part)
}

/// Takes a refusal out of the errors: it spoils a part of the answer only.
fn part<T>(result: Result<T>) -> Result<StrategyPart<T>> {
    Ok(walking::part(result)?.map_err(|words| words.as_str().into()))
}
