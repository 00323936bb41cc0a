//! Belief at any scale: what follows from a release and from what its mechanism rejected, counted group by group.
//!
//! Whoever knows a minimal mechanism knows of partitions that it looked at and rejected: of each, some part does not pass.
//! [`weigh`] gives the belief that follows. Groups that no rejected partition joins are independent of each other, so people
//! fall into clusters of few groups, each with the rejected partitions that concern it, and the engine of [`crate::belief`]
//! counts every cluster by inclusion and exclusion over "all parts of this partition pass". Nothing is enumerated. A cluster
//! that takes more than the budget is estimated from samples, with intervals, when that is asked for.

use std::collections::BTreeMap;

use dashu_int::UBig;
use hashbrown::HashMap;
use rayon::prelude::*;

use super::blocks::{MOST, count, countable};
use super::draw::estimate;
use super::outlook::{Outlook, Range, outlook};
use super::tails::{self, Share};
use crate::belief::{Adversary, Belief, Budget, Condition, Estimate, Interval, Sampling, multinomial};
use crate::error::{Error, ErrorKind, Result};
use crate::exact::{Fraction, fraction};
use crate::histogram::Histogram;
use crate::publish::{Groups, Rejected};
use crate::release::decimal;
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
    /// For one block of groups that parts tie together.
    pub budget: Budget,
    /// For clusters that the budget is too small for; without it they are refused.
    pub sampling: Option<Sampling>,
    /// Rejected partitions of one cluster that are looked at.
    pub most_rejected: usize,
}

impl Default for Effort {
    fn default() -> Self {
        let budget = Budget { states: 1_000_000, seconds: 5.0, ..Budget::default() };
        Self { budget, sampling: Some(Sampling::default()), most_rejected: MOST }
    }
}

/// What is believed of the people of some groups.
#[derive(Debug)]
pub enum Told {
    /// The evidence says nothing about them: belief is that of somebody who ignores the mechanism.
    Nothing,
    /// Counted.
    Exactly(Box<Belief>),
    /// Counted but for what is very unlikely, of which the probability is bounded.
    Within(Box<Bounded>),
    /// Estimated from samples.
    About(Box<Estimate>),
    /// Counting would take more than the budget, and too few worlds were drawn for an estimate; why.
    Refused(String),
}

/// Belief given evidence of which the very unlikely was left aside.
///
/// With E the evidence and E' what was counted, both as events, of which `more` is at least P(E without E') / P(E') and `less`
/// at least P(E' without E) / P(E'), a value that has the probability p given E' has one between `(p - less) / (1 + more)` and
/// `(p + more) / (1 - less)` given E.
#[derive(Debug)]
pub struct Bounded {
    /// What was counted.
    pub belief: Belief,
    more: f64,
    less: f64,
}

impl Bounded {
    /// Where a probability lies that is `counted` for what was counted; rounded outwards.
    pub fn interval(&self, counted: &Fraction) -> Interval {
        let at = decimal(counted);
        let low = ((at - self.less) / (1.0 + self.more) - ROUNDING).clamp(0.0, at);
        let high = if self.less < 1.0 { (at + self.more) / (1.0 - self.less) + ROUNDING } else { 1.0 };
        Interval { low, at: Some(at), high: high.clamp(at, 1.0) }
    }
}

/// More than decimals of probabilities are rounded by.
const ROUNDING: f64 = 1e-12;

/// Parts that fail, and partitions that pass, with a probability up to this may be left aside, and are accounted for: the
/// first that leaves little enough to count is taken.
const UNLIKELY: [f64; 2] = [1e-9, 1e-4];

/// Partitions that the engine of strategies is asked about: its terms double with each.
const MOST_SWEPT: usize = 10;

/// Fewer worlds than this are not called an estimate.
const FEW: u64 = 100;

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
    let open: Vec<Rejected> = rejected
        .iter()
        .map(|rejected| seen.open(rejected, &group_of))
        .filter_map(Result::transpose)
        .collect::<Result<_>>()?;
    let mut forest = Forest::new(seen.groups.len());
    for rejected in &open {
        let mut groups = rejected.parts.iter().flatten().map(|&row| group_of[row as usize]);
        if let Some(first) = groups.next() {
            groups.for_each(|group| forest.join(first, group));
        }
    }
    let mut clusters: HashMap<u32, (Vec<u32>, Vec<Rejected>)> = HashMap::new();
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
    let mut tied: Vec<(Vec<u32>, Vec<Rejected>)> = clusters.into_values().collect();
    tied.sort();
    let counted: Vec<(Question, Told)> = tied
        .into_par_iter()
        .map(|(groups, rejected)| {
            let question = Question::new(seen, &groups, rejected, effort.most_rejected);
            let told = question.told(seen.condition, effort.budget)?;
            Ok((question, told))
        })
        .collect::<Result<_>>()?;
    let refused = counted.iter().filter(|(_, told)| matches!(told, Told::Refused(_))).count();
    let mut all: Vec<Cluster> = counted
        .into_par_iter()
        .map(|(question, told)| {
            let (ignored, told) = match told {
                Told::Refused(why) => question.otherwise(seen.condition, effort, refused, why)?,
                told => (0, told),
            };
            let rejected = question.rejected.len() - ignored;
            Ok(Cluster { rows: question.rows, rejected, ignored: question.ignored + ignored, told })
        })
        .collect::<Result<_>>()?;
    if !untold.is_empty() {
        all.push(Cluster { rows: untold, rejected: 0, ignored: 0, told: Told::Nothing });
    }
    Ok(all)
}

impl Seen<'_> {
    /// The parts of a rejected partition that pass in some worlds and fail in others; `None` when some part fails in every
    /// world, so that it tells nothing that the partition was rejected.
    fn open(&self, rejected: &Rejected, group_of: &[u32]) -> Result<Option<Rejected>> {
        let least = self.condition.least();
        let mut parts = Vec::new();
        for part in rejected.parts.iter().filter(|part| !part.is_empty()) {
            if (part.len() as u64) < least.rows {
                return Ok(None);
            }
            match outlook(self.condition, part.len() as u64, &self.ranges(part, group_of)) {
                Outlook::Fails => return Ok(None),
                Outlook::Passes => {}
                Outlook::Open => {
                    let mut part = part.clone();
                    part.sort_unstable();
                    parts.push(part);
                }
            }
        }
        if parts.is_empty() {
            return Err(Error::bad_input(
                "a partition that is said to have been rejected passes whatever the values are; check that release, table and \
                 parameters belong together",
            ));
        }
        parts.sort();
        Ok(Some(Rejected { parts }))
    }

    /// How often each value of the groups that a part touches may occur in it.
    fn ranges(&self, part: &[u32], group_of: &[u32]) -> Vec<Range> {
        let mut groups: Vec<u32> = part.iter().map(|&row| group_of[row as usize]).collect();
        groups.sort_unstable();
        let shares = groups.chunk_by(|a, b| a == b).map(|run| {
            let members = self.groups.group(run[0] as usize);
            let histogram = Histogram::of(members.iter().map(|&row| self.values[row as usize]));
            Share { size: members.len() as u64, inside: run.len() as u64, counts: histogram.entries().to_vec() }
        });
        ranges(&shares.collect::<Vec<_>>())
    }
}

/// A cluster: people numbered from 0.
#[derive(Debug)]
struct Question {
    rows: Vec<u32>,
    values: Vec<u32>,
    /// By person, the group, numbered from 0.
    outer: Vec<u32>,
    /// The rejected partitions, as people.
    rejected: Vec<Rejected>,
    ignored: usize,
}

impl Question {
    fn new(seen: Seen<'_>, groups: &[u32], mut rejected: Vec<Rejected>, most: usize) -> Self {
        let rows: Vec<u32> = groups.iter().flat_map(|&group| seen.groups.group(group as usize)).copied().collect();
        let place: HashMap<u32, u32> = rows.iter().zip(0..).map(|(&row, at)| (row, at)).collect();
        let sizes = groups.iter().zip(0..).map(|(&group, number)| (number, seen.groups.group(group as usize).len()));
        let outer = sizes.flat_map(|(number, size)| std::iter::repeat_n(number, size)).collect();
        // Partitions of few rows say most about each of them.
        rejected.sort_by_cached_key(|rejected| {
            (rejected.parts.iter().map(Vec::len).sum::<usize>(), rejected.parts.clone())
        });
        let mut kept: Vec<Rejected> = Vec::new();
        for mut rejected in rejected {
            // Where some part of a partition fails, one with all these parts and more is rejected too.
            let implied = |other: &Rejected| other.parts.iter().all(|part| rejected.parts.contains(part));
            if !kept.iter().any(implied) {
                kept.push(std::mem::replace(&mut rejected, Rejected { parts: Vec::new() }));
            }
        }
        let ignored = kept.len().saturating_sub(most);
        kept.truncate(most);
        for row in kept.iter_mut().flat_map(|rejected| &mut rejected.parts).flatten() {
            *row = place[row];
        }
        let values = rows.iter().map(|&row| seen.values[row as usize]).collect();
        Self { rows, values, outer, rejected: kept, ignored }
    }

    /// The belief, counted if it can be.
    fn told(&self, condition: &Condition<'_>, budget: Budget) -> Result<Told> {
        let counted = if countable(condition) {
            count(&self.values, &self.outer, &self.rejected, condition, budget)
        } else {
            self.sweep(condition, budget)
        };
        match counted {
            Ok(belief) => Ok(Told::Exactly(Box::new(belief))),
            Err(error) if error.kind() == ErrorKind::LimitExceeded => {
                let bounded = UNLIKELY.iter().map(|&unlikely| self.bounded(condition, budget, unlikely));
                let bounded = bounded.filter_map(Result::transpose).next().transpose()?;
                Ok(bounded.map_or_else(|| Told::Refused(error.to_string()), |bounded| Told::Within(Box::new(bounded))))
            }
            Err(error) => Err(error),
        }
    }

    /// The belief by the engine of strategies, for principles that cannot be judged value by value: it comes to the last
    /// of functions if all others are rejected.
    fn sweep(&self, condition: &Condition<'_>, budget: Budget) -> Result<Belief> {
        if self.rejected.len() > MOST_SWEPT {
            return Err(Error::new(
                ErrorKind::LimitExceeded,
                format!("{} partitions are too many to count, limit {MOST_SWEPT}; look at fewer", self.rejected.len()),
            ));
        }
        let labels = self.labels();
        let last = labels.len();
        let sequence = Sequence::from_labels(self.rows.len(), labels)?;
        Adversary::new(&sequence, &Naive, condition, &self.values, budget)?.disclosure(last)
    }

    /// The belief but for what is this unlikely; `None` when that takes too much as well, or leaves nothing aside.
    fn bounded(&self, condition: &Condition<'_>, budget: Budget, unlikely: f64) -> Result<Option<Bounded>> {
        let (mut more, mut less) = (0.0, 0.0);
        let mut kept = Vec::new();
        let groups = self.groups();
        for rejected in &self.rejected {
            let shares: Vec<Vec<Share>> = rejected.parts.iter().map(|part| self.shares(part, &groups)).collect();
            let ranges: Vec<Vec<Range>> = shares.iter().map(|shares| ranges(shares)).collect();
            let parts = || rejected.parts.iter().zip(&ranges).zip(&shares);
            let passes = parts()
                .map(|((part, ranges), shares)| tails::passes(condition, part.len() as u64, ranges, shares))
                .fold(1.0, f64::min);
            if passes <= unlikely {
                less += passes;
                continue;
            }
            let fails: Vec<f64> = parts()
                .map(|((part, ranges), shares)| tails::fails(condition, part.len() as u64, ranges, shares))
                .collect();
            if fails.iter().all(|&fails| fails <= unlikely) {
                kept.push(rejected.clone());
                continue;
            }
            more += fails.iter().filter(|&&fails| fails <= unlikely).sum::<f64>();
            let likely = rejected.parts.iter().zip(&fails).filter(|(_, fails)| **fails > unlikely);
            kept.push(Rejected { parts: likely.map(|(part, _)| part.clone()).collect() });
        }
        if kept == self.rejected {
            return Ok(None);
        }
        let belief = match count(&self.values, &self.outer, &kept, condition, budget) {
            Ok(belief) => belief,
            Err(error) if error.kind() == ErrorKind::LimitExceeded => return Ok(None),
            Err(error) => return Err(error),
        };
        if belief.is_empty() {
            return Ok(None);
        }
        let all = groups.iter().fold(UBig::ONE, |all, group| {
            all * multinomial(&group.1.iter().map(|entry| entry.1 as u32).collect::<Vec<_>>())
        });
        let share = decimal(&fraction(belief.worlds().clone(), all));
        let (more, less) = (more / share * (1.0 + ROUNDING), less / share * (1.0 + ROUNDING));
        Ok((more.is_finite() && less < 1.0).then_some(Bounded { belief, more, less }))
    }

    /// By group, its people and its histogram.
    fn groups(&self) -> Vec<(u64, Vec<(u32, u64)>)> {
        let many = self.outer.iter().max().map_or(0, |&last| last as usize + 1);
        let mut codes: Vec<Vec<u32>> = vec![Vec::new(); many];
        for (&group, &code) in self.outer.iter().zip(&self.values) {
            codes[group as usize].push(code);
        }
        codes.into_iter().map(|codes| (codes.len() as u64, Histogram::of(codes).entries().to_vec())).collect()
    }

    /// A part, group by group.
    fn shares(&self, part: &[u32], groups: &[(u64, Vec<(u32, u64)>)]) -> Vec<Share> {
        let mut inside = vec![0; groups.len()];
        part.iter().for_each(|&person| inside[self.outer[person as usize] as usize] += 1);
        let shares = groups.iter().zip(inside).filter(|(_, inside)| *inside > 0);
        shares.map(|((size, counts), inside)| Share { size: *size, inside, counts: counts.clone() }).collect()
    }

    /// What can be said where counting was refused, and how many more partitions that ignores: an estimate as one of
    /// `several` that must hold together, or else the belief of somebody who ignores the partitions of most rows.
    fn otherwise(
        &self,
        condition: &Condition<'_>,
        effort: &Effort,
        several: usize,
        why: String,
    ) -> Result<(usize, Told)> {
        if let Some(sampling) = &effort.sampling {
            let confidence = 1.0 - (1.0 - sampling.confidence) / several as f64;
            let sampling = Sampling { confidence, ..*sampling };
            let estimate = estimate(&self.values, &self.outer, &self.rejected, condition, &sampling)?;
            if estimate.kept >= FEW {
                return Ok((0, Told::About(Box::new(estimate))));
            }
        }
        let mut many = self.rejected.len() / 2;
        while many > 0 && countable(condition) {
            match count(&self.values, &self.outer, &self.rejected[..many], condition, effort.budget) {
                Ok(belief) => return Ok((self.rejected.len() - many, Told::Exactly(Box::new(belief)))),
                Err(error) if error.kind() == ErrorKind::LimitExceeded => many /= 2,
                Err(error) => return Err(error),
            }
        }
        Ok((0, Told::Refused(why)))
    }

    /// By rejected partition and person, the number of the part; last, of the group.
    fn labels(&self) -> Vec<Vec<u32>> {
        let first = self.outer.iter().max().map_or(0, |&last| last + 1);
        let labels = self.rejected.iter().map(|rejected| {
            // Whoever is in no part stays in their group, which passes.
            let mut label = self.outer.clone();
            for (number, part) in (first..).zip(&rejected.parts) {
                part.iter().for_each(|&person| label[person as usize] = number);
            }
            label
        });
        labels.chain([self.outer.clone()]).collect()
    }
}

/// How often each value of a part may occur in it.
pub(super) fn ranges(shares: &[Share]) -> Vec<Range> {
    let mut ranges: BTreeMap<u32, Range> = BTreeMap::new();
    for share in shares {
        for &(code, count) in &share.counts {
            let range = ranges.entry(code).or_insert(Range { code, least: 0, most: 0 });
            range.least += count.saturating_sub(share.size - share.inside);
            range.most += count.min(share.inside);
        }
    }
    ranges.into_values().collect()
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
