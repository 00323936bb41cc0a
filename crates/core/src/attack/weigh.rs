//! Belief at any scale: what follows from a release and from what its mechanism rejected, counted group by group.
//!
//! Whoever knows a minimal mechanism knows of partitions that it looked at and rejected: of each, some part does not pass.
//! [`weigh`] gives the belief that follows. Groups that no rejected partition joins are independent of each other, so people
//! fall into clusters of few groups, each with the rejected partitions that concern it, and the engine of [`crate::belief`]
//! counts every cluster by inclusion and exclusion over "all parts of this partition pass". Nothing is enumerated. A cluster
//! that takes more than the budget is estimated from samples, with intervals, when that is asked for.

use hashbrown::HashMap;
use rayon::prelude::*;

use crate::belief::{Adversary, Belief, Budget, Condition, Estimate, Sampling};
use crate::error::{ErrorKind, Result};
use crate::histogram::Histogram;
use crate::publish::{Groups, Rejected};
use crate::sequence::{Naive, Sequence};

/// What everybody sees and knows.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// The groups of the release.
    pub groups: &'a Groups,
    /// A code per row of the table; only the histograms of the groups are public.
    pub values: &'a [u32],
    /// What every group passes.
    pub condition: &'a Condition<'a>,
}

/// How much work may be done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// For one cluster.
    pub budget: Budget,
    /// For clusters that the budget is too small for; without it they are refused.
    pub sampling: Option<Sampling>,
    /// Rejected partitions of one cluster that are looked at; the terms of inclusion and exclusion double with each.
    pub most_rejected: usize,
}

impl Default for Effort {
    fn default() -> Self {
        let budget = Budget { states: 2_000_000, seconds: 5.0, ..Budget::default() };
        Self { budget, sampling: Some(Sampling::default()), most_rejected: 10 }
    }
}

/// What is believed of the people of some groups.
#[derive(Debug)]
pub enum Told {
    /// The evidence says nothing about them: belief is that of somebody who ignores the mechanism.
    Nothing,
    /// Counted.
    Exactly(Box<Belief>),
    /// Estimated from samples.
    About(Box<Estimate>),
    /// Counting would take more than the budget; why.
    Refused(String),
}

/// Groups that the evidence ties together, and what it tells of their people.
#[derive(Debug)]
pub struct Cluster {
    /// The rows, in the order in which belief numbers them.
    pub rows: Vec<u32>,
    /// Rejected partitions that were looked at.
    pub rejected: usize,
    /// Rejected partitions that were not looked at, to bound the work: belief is then that of somebody who ignores them.
    pub ignored: usize,
    /// What is believed.
    pub told: Told,
}

/// What follows from the rejected partitions for everybody. Rows of groups that it says nothing about come together in one
/// cluster.
///
/// # Guarantee
/// Belief that is [`Told::Exactly`] is that of an adversary who holds every arrangement of each group's values among its
/// rows equally likely, and knows that of each rejected partition some part does not pass; unless `ignored` is positive.
/// The intervals of all estimates hold together with the probability of [`Sampling::confidence`].
pub fn weigh(seen: Seen<'_>, rejected: &[Rejected], effort: &Effort) -> Result<Vec<Cluster>> {
    let rows = seen.values.len();
    let mut group_of = vec![u32::MAX; rows];
    for (group, members) in (0u32..).zip(seen.groups.iter()) {
        members.iter().for_each(|&row| group_of[row as usize] = group);
    }
    let open: Vec<&Rejected> = rejected.iter().filter(|rejected| !seen.is_certain(rejected, &group_of)).collect();
    let mut forest = Forest::new(seen.groups.len());
    for rejected in &open {
        let mut groups = rejected.parts.iter().flatten().map(|&row| group_of[row as usize]);
        if let Some(first) = groups.next() {
            groups.for_each(|group| forest.join(first, group));
        }
    }
    let mut clusters: HashMap<u32, (Vec<u32>, Vec<&Rejected>)> = HashMap::new();
    for rejected in open {
        let Some(&row) = rejected.parts.iter().flatten().next() else { continue };
        clusters.entry(forest.root(group_of[row as usize])).or_default().1.push(rejected);
    }
    let mut untold = Vec::new();
    for group in 0..seen.groups.len() as u32 {
        match clusters.get_mut(&forest.root(group)) {
            Some(cluster) => cluster.0.push(group),
            None => untold.extend_from_slice(seen.groups.group(group as usize)),
        }
    }
    let mut tied: Vec<(Vec<u32>, Vec<&Rejected>)> = clusters.into_values().collect();
    tied.sort();
    let counted: Vec<(Question<'_>, Told)> = tied
        .into_par_iter()
        .map(|(groups, rejected)| {
            let question = Question::new(seen, &group_of, &groups, rejected, effort.most_rejected);
            let told = question.count(seen.condition, effort.budget)?;
            Ok((question, told))
        })
        .collect::<Result<_>>()?;
    let refused = counted.iter().filter(|(_, told)| matches!(told, Told::Refused(_))).count();
    let mut all: Vec<Cluster> = Vec::with_capacity(counted.len() + 1);
    for (question, told) in counted {
        let told = match (told, &effort.sampling) {
            (Told::Refused(_), Some(sampling)) => question.estimate(seen.condition, sampling, refused)?,
            (told, _) => told,
        };
        all.push(Cluster { rows: question.rows, rejected: question.rejected.len(), ignored: question.ignored, told });
    }
    if !untold.is_empty() {
        all.push(Cluster { rows: untold, rejected: 0, ignored: 0, told: Told::Nothing });
    }
    Ok(all)
}

impl Seen<'_> {
    /// Whether it tells nothing that the partition was rejected: some part passes in no world.
    fn is_certain(&self, rejected: &Rejected, group_of: &[u32]) -> bool {
        let least = self.condition.least();
        rejected.parts.iter().any(|part| {
            if (part.len() as u64) < least.rows {
                return true;
            }
            // Values that nobody in the groups it touches has are in no part of it.
            let mut groups: Vec<u32> = part.iter().map(|&row| group_of[row as usize]).collect();
            groups.sort_unstable();
            groups.dedup();
            let members = groups.iter().flat_map(|&group| self.groups.group(group as usize));
            let there = Histogram::of(members.map(|&row| self.values[row as usize]));
            (there.entries().len() as u64) < least.values || self.is_overfull(part.len() as u64, &there)
        })
    }

    /// Whether a part of so many rows of `there` exceeds some bound on single values, whoever is in it.
    fn is_overfull(&self, rows: u64, there: &Histogram) -> bool {
        let room = there.entries().iter().map(|&(code, count)| Some(self.condition.cap(code, rows)?.min(count)));
        room.sum::<Option<u64>>().is_some_and(|room| room < rows)
    }
}

/// A cluster as the engine sees it: people numbered from 0.
struct Question<'r> {
    rows: Vec<u32>,
    values: Vec<u32>,
    /// By rejected partition and person, the number of the part; last, of the group.
    labels: Vec<Vec<u32>>,
    rejected: Vec<&'r Rejected>,
    ignored: usize,
}

impl<'r> Question<'r> {
    fn new(seen: Seen<'_>, group_of: &[u32], groups: &[u32], rejected: Vec<&'r Rejected>, most: usize) -> Self {
        let rows: Vec<u32> = groups.iter().flat_map(|&group| seen.groups.group(group as usize)).copied().collect();
        let place: HashMap<u32, usize> = rows.iter().enumerate().map(|(at, &row)| (row, at)).collect();
        let outer: Vec<u32> = rows.iter().map(|&row| group_of[row as usize]).collect();
        let mut rejected = rejected;
        // Partitions of few rows say most about each of them.
        rejected.sort_by_key(|rejected| rejected.parts.iter().map(Vec::len).sum::<usize>());
        rejected.dedup();
        let ignored = rejected.len().saturating_sub(most);
        rejected.truncate(most);
        let mut labels: Vec<Vec<u32>> = Vec::with_capacity(rejected.len() + 1);
        for rejected in &rejected {
            // Whoever is in no part stays in their group, which passes.
            let first = seen.groups.len() as u32;
            let mut label = outer.clone();
            for (number, part) in (first..).zip(&rejected.parts) {
                part.iter().for_each(|row| label[place[row]] = number);
            }
            labels.push(label);
        }
        labels.push(outer);
        let values = rows.iter().map(|&row| seen.values[row as usize]).collect();
        Self { rows, values, labels, rejected, ignored }
    }

    /// The belief, counted.
    fn count(&self, condition: &Condition<'_>, budget: Budget) -> Result<Told> {
        let sequence = Sequence::from_labels(self.rows.len(), self.labels.clone())?;
        let adversary = Adversary::new(&sequence, &Naive, condition, &self.values, budget)?;
        match adversary.disclosure(self.labels.len()) {
            Ok(belief) => Ok(Told::Exactly(Box::new(belief))),
            Err(error) if error.kind() == ErrorKind::LimitExceeded => Ok(Told::Refused(error.to_string())),
            Err(error) => Err(error),
        }
    }

    /// The belief, estimated as one of `several` estimates that must hold together.
    fn estimate(&self, condition: &Condition<'_>, sampling: &Sampling, several: usize) -> Result<Told> {
        let sequence = Sequence::from_labels(self.rows.len(), self.labels.clone())?;
        let adversary = Adversary::new(&sequence, &Naive, condition, &self.values, Budget::default())?;
        let confidence = 1.0 - (1.0 - sampling.confidence) / several as f64;
        let estimate = adversary.estimate(self.labels.len(), &Sampling { confidence, ..*sampling })?;
        Ok(Told::About(Box::new(estimate)))
    }
}

/// Sets of groups that are joined one after the other.
struct Forest {
    parent: Vec<u32>,
}

impl Forest {
    fn new(many: usize) -> Self {
        Self { parent: (0..many as u32).collect() }
    }

    fn root(&mut self, mut at: u32) -> u32 {
        while self.parent[at as usize] != at {
            let up = self.parent[self.parent[at as usize] as usize];
            self.parent[at as usize] = up;
            at = up;
        }
        at
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}
