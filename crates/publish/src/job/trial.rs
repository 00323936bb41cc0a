//! What trying originals gave, judged by the principles of a job.

use pellucid_inference::adversary::MinimalityBelief;
use pellucid_inference::attack::account_of_beliefs;
use pellucid_inference::belief::Belief;
use pellucid_inference::estimate::{Estimate, HighestProbability};
use pellucid_model::error::Result;
use pellucid_model::exact::format_fraction;
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::table::{Column, Table};
use serde::Serialize;

use super::attack::one_sensitive_column;
use super::{AttackFindings, ResolvedJob};

/// What trying originals gave.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrialFindings {
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
    pub risk: HighestProbability,
    /// The same for somebody who ignores the mechanism.
    pub blind: HighestProbability,
    /// The same for somebody who knows only that the release is minimal, where that can be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credibility: Option<String>,
}

/// What was found by trying originals, before it is judged.
#[derive(Debug)]
pub struct OpenTrial<'p> {
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
    /// Those that give what was seen.
    pub left: u64,
    /// Belief of one who ignores the mechanism.
    pub blind: Belief,
    /// Belief of one who knows it.
    pub knowing: Belief,
    /// Belief of one who knows only that it is minimal.
    pub minimal: Option<MinimalityBelief>,
}

impl OpenTrial<'_> {
    /// Every value that `person` may have: the value, its probability, and that for somebody who ignores the mechanism.
    fn beliefs(&self, person: usize) -> Vec<[String; 3]> {
        let (blind, knowing) = (self.blind.estimate(person), self.knowing.estimate(person));
        let line = |value: u32| {
            let of = |estimate: &Option<Estimate>| {
                estimate
                    .as_ref()
                    .map(|estimate| (estimate.probability(value).at != Some(0.0), written(estimate, value)))
            };
            let (blind, knowing) = (of(&blind)?, of(&knowing)?);
            (blind.0 || knowing.0).then(|| [self.values.text(value), knowing.1, blind.1])
        };
        (0..self.values.cardinality() as u32).filter_map(line).collect()
    }
}

/// The probability of `value`: a fraction, or both ends of where it lies.
fn written(estimate: &Estimate, value: u32) -> String {
    let interval = estimate.probability(value);
    let ends = || format!("{:.4} to {:.4}", interval.low, interval.high);
    estimate.counted().map_or_else(ends, |belief| format_fraction(&belief.probability(value)))
}

impl ResolvedJob<'_> {
    /// Judges what trying originals gave by the principles of the job, as they are on `table`, one of the originals.
    pub fn judge(
        &self,
        table: &Table,
        hierarchies: &[Option<Hierarchy>],
        trial: &OpenTrial<'_>,
    ) -> Result<AttackFindings> {
        self.with_plan(table, hierarchies, &|_| Ok(()), |plan| {
            let column = one_sensitive_column(plan)?;
            let demand = self.demand(plan);
            let confidence = trial.knowing.samples().first().map(|record| record.confidence);
            let account = account_of_beliefs(column.name(), &demand, &trial.blind, &trial.knowing, confidence);
            let credibility = |person: usize| trial.minimal.as_ref()?.of.get(&person)?.as_ref().map(format_fraction);
            let everybody = 0..trial.knowing.people();
            let highest = |belief: &Belief, person: usize| {
                belief.estimate(person).map_or(HighestProbability::NONE, |estimate| estimate.highest())
            };
            let people = everybody.clone().map(|person| PersonRisk {
                row: person as u64 + 1,
                risk: highest(&trial.knowing, person),
                blind: highest(&trial.blind, person),
                credibility: credibility(person),
            });
            let tried = TrialFindings {
                silence: trial.silence,
                sampled: confidence.is_some(),
                originals: trial.originals,
                left: trial.left,
                people: people.collect(),
                beliefs: everybody.map(|person| trial.beliefs(person)).collect(),
            };
            let (publisher, evidence) = (trial.mechanism.clone(), trial.evidence.clone());
            Ok(AttackFindings { publisher, evidence, proven: false, rejected: 0, account, tried: Some(tried) })
        })
    }
}
