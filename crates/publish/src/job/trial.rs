//! What trying originals gave, judged by the principles of a job.

use std::fmt;

use pellucid_inference::adversary::{Credibility, Posterior, Sampled};
use pellucid_inference::attack::{Believed, account_of_people};
use pellucid_inference::belief::Condition;
use pellucid_model::error::Result;
use pellucid_model::exact::decimal;
use pellucid_model::exact::{Fraction, format_fraction};
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::table::{Column, Table};
use serde::Serialize;

use super::attack::one_sensitive_column;
use super::{Checked, Findings};

/// What trying originals gave.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tried {
    /// Whether what was seen is that nothing was released.
    pub silence: bool,
    /// Whether originals were drawn at random, instead of all being tried.
    pub sampled: bool,
    /// Originals that were tried.
    pub originals: u64,
    /// Those that give what was seen.
    pub left: u64,
    /// Everybody, by row of the external source.
    pub people: Vec<PersonRisk>,
    /// By person, every value that is possible: the value, its probability, and that for somebody who ignores the mechanism.
    #[serde(skip)]
    pub beliefs: Vec<Vec<[String; 3]>>,
}

/// The risk of one person.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PersonRisk {
    /// The row of the external source, from 1.
    pub row: u64,
    /// The highest probability of a value.
    pub risk: Risk,
    /// The same for somebody who ignores the mechanism.
    pub blind: Risk,
    /// The same for somebody who knows only that the release is minimal, where that can be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credibility: Option<String>,
}

/// A probability: an exact fraction, or where it lies.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Risk {
    /// The fraction.
    Exactly(String),
    /// The ends of an interval.
    About {
        /// It is not lower.
        low: f64,
        /// It is not higher.
        high: f64,
    },
}

impl Risk {
    fn of(believed: &Believed) -> Self {
        match believed {
            Believed::Exactly { risk, .. } => Self::Exactly(format_fraction(risk)),
            Believed::About(interval) => Self::About { low: interval.low, high: interval.high },
        }
    }
}

impl fmt::Display for Risk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(risk) => f.write_str(risk),
            Self::About { low, high } => write!(f, "{low:.4} to {high:.4}"),
        }
    }
}

/// Belief of one who knows the mechanism.
#[derive(Debug, Clone, Copy)]
pub enum Knowing<'p> {
    /// From all originals.
    Exactly(&'p Posterior),
    /// From originals that were drawn; all intervals hold together with this probability.
    About(&'p Sampled, f64),
}

/// What was found by trying originals, before it is judged.
#[derive(Debug)]
pub struct Trial<'p> {
    /// The mechanism, in a word.
    pub mechanism: String,
    /// What it tells, in words.
    pub evidence: String,
    /// The sensitive column; its codes are those of the beliefs.
    pub values: &'p Column,
    /// Whether what was seen is that nothing was released.
    pub silence: bool,
    /// Originals that were tried.
    pub originals: u64,
    /// Belief of one who ignores the mechanism.
    pub blind: &'p Posterior,
    /// Belief of one who knows it.
    pub knowing: Knowing<'p>,
    /// Belief of one who knows only that it is minimal.
    pub minimal: Option<Credibility>,
}

impl Trial<'_> {
    /// By how much the knowing believes more than the blind in a value of a person, at most; `None` for estimates.
    fn largest_gain(&self) -> Option<f64> {
        let Knowing::Exactly(knowing) = self.knowing else { return None };
        let gains = (0..knowing.people()).flat_map(|person| {
            let gain = move |(value, share): (u32, &Fraction)| share - self.blind.probability(person, value);
            knowing.values(person).map(gain)
        });
        Some(gains.map(|gain| decimal(&gain)).fold(0.0, f64::max))
    }

    /// Every value that `person` may have: the value, its probability, and that for somebody who ignores the mechanism.
    fn beliefs(&self, person: usize) -> Vec<[String; 3]> {
        let line = |value: u32| {
            let blind = self.blind.probability(person, value);
            let (knowing, possible) = match self.knowing {
                Knowing::Exactly(posterior) => {
                    let share = posterior.probability(person, value);
                    (format_fraction(&share), share > Fraction::ZERO)
                }
                Knowing::About(sampled, _) => {
                    let interval = sampled.probability(person, value);
                    (Risk::About { low: interval.low, high: interval.high }.to_string(), interval.at != Some(0.0))
                }
            };
            let possible = possible || blind > Fraction::ZERO;
            possible.then(|| [self.values.text(value), knowing, format_fraction(&blind)])
        };
        (0..self.values.cardinality() as u32).filter_map(line).collect()
    }
}

impl Checked<'_> {
    /// Judges what trying originals gave by the principles of the job, as they are on `table`, one of the originals.
    pub fn judge(&self, table: &Table, hierarchies: &[Option<Hierarchy>], trial: &Trial<'_>) -> Result<Findings> {
        self.with_plan(table, hierarchies, &|_| Ok(()), |plan| {
            let column = one_sensitive_column(plan)?;
            let condition = Condition::new(plan.goals.iter().map(|goal| goal.test.as_ref()));
            let exactly = |posterior: &Posterior, person: usize| Believed::Exactly {
                risk: posterior.risk(person),
                holds: posterior.distribution(person).is_none_or(|belief| condition.holds_on(&belief)),
            };
            let (left, confidence) = match trial.knowing {
                Knowing::Exactly(posterior) => (posterior.worlds, None),
                Knowing::About(sampled, confidence) => (sampled.kept, Some(confidence)),
            };
            let believed = |person: usize| {
                let knowing = match trial.knowing {
                    Knowing::Exactly(posterior) => exactly(posterior, person),
                    Knowing::About(sampled, _) => Believed::About(sampled.risk(person)),
                };
                (exactly(trial.blind, person), knowing)
            };
            let everybody = 0..trial.blind.people();
            let people: Vec<(Believed, Believed)> = everybody.clone().map(believed).collect();
            let mut account = account_of_people(column.name(), self.promised(plan).as_ref(), &people, confidence);
            account.largest_gain = trial.largest_gain();
            let credibility = |person: usize| trial.minimal.as_ref()?.of.get(&person)?.as_ref().map(format_fraction);
            let risks = people.iter().enumerate().map(|(person, (blind, knowing))| PersonRisk {
                row: person as u64 + 1,
                risk: Risk::of(knowing),
                blind: Risk::of(blind),
                credibility: credibility(person),
            });
            let tried = Tried {
                silence: trial.silence,
                sampled: confidence.is_some(),
                originals: trial.originals,
                left,
                people: risks.collect(),
                beliefs: everybody.map(|person| trial.beliefs(person)).collect(),
            };
            let (publisher, evidence) = (trial.mechanism.clone(), trial.evidence.clone());
            Ok(Findings { publisher, evidence, proven: false, rejected: 0, account, tried: Some(tried) })
        })
    }
}
