//! One cluster as a question: counted, bounded or estimated.

use dashu_int::UBig;
use hashbrown::HashMap;
use pellucid_model::error::{ErrorKind, Result};
use pellucid_model::exact::decimal;
use pellucid_model::exact::fraction;
use pellucid_model::histogram::Histogram;

use super::blocks::{count, countable};
use super::draw;
use super::outlook::CountBounds;
use super::populations;
use super::tails::{self, PartShare, ranges};
use super::weigh::{ROUNDING, SeenRelease};
use crate::belief::{Belief, Requirements, StepCells, StrategyAdversary, UnitInterval, multinomial};
use crate::budget::SamplingPlan;
use crate::estimate::Estimate;
use crate::evidence::RejectedPartition;
use crate::meter::{BudgetMeter, CountingSubject};
use crate::sequence::{NaiveStrategy, Sequence};

/// Parts that fail, and partitions that pass, with a probability up to this may be left aside, and are accounted for: the
/// first that leaves little enough to count is taken.
const UNLIKELY: [f64; 2] = [1e-9, 1e-4];

/// Partitions that the engine of strategies is asked about: its terms double with each.
const MOST_SWEPT: usize = 10;

/// Fewer worlds than this are not called an estimate.
const FEW: f64 = 100.0;

/// A cluster: people numbered from 0.
#[derive(Debug)]
pub(super) struct ClusterProblem {
    pub(super) rows: Vec<u32>,
    values: Vec<u32>,
    /// By person, the group, numbered from 0.
    outer: Vec<u32>,
    /// The rejected partitions, as people.
    pub(super) rejected: Vec<RejectedPartition>,
}

/// The places of the partitions that no earlier one implies: where some part of a partition fails, one with all these parts and more is
/// rejected too.
fn minimal(rejected: &[RejectedPartition]) -> Vec<usize> {
    let mut kept = Vec::new();
    // By first part.
    let mut by_part: HashMap<&[u32], Vec<usize>> = HashMap::new();
    for (at, one) in rejected.iter().enumerate() {
        let implies = |&other: &usize| rejected[other].parts.iter().all(|part| one.parts.contains(part));
        let implied = |part: &Vec<u32>| by_part.get(part.as_slice()).is_some_and(|others| others.iter().any(implies));
        if !one.parts.iter().any(implied) {
            kept.push(at);
            by_part.entry(&one.parts[0]).or_default().push(at);
        }
    }
    kept
}

/// How a cluster may be estimated.
#[derive(Debug)]
pub(super) struct EstimationPlan {
    /// With the confidence of this cluster, so that all hold together.
    pub(super) sampling: SamplingPlan,
    pub(super) cells: StepCells,
    /// Moves of worlds, about.
    pub(super) moves: u64,
}

impl ClusterProblem {
    /// About `groups` of what is `seen`, with the partitions that were rejected.
    pub(super) fn new(seen: SeenRelease<'_>, groups: &[u32], mut rejected: Vec<RejectedPartition>) -> Self {
        let rows: Vec<u32> = groups.iter().flat_map(|&group| seen.groups.group(group as usize)).copied().collect();
        let place: HashMap<u32, u32> = rows.iter().zip(0..).map(|(&row, at)| (row, at)).collect();
        let sizes = groups.iter().zip(0..).map(|(&group, number)| (number, seen.groups.group(group as usize).len()));
        let outer = sizes.flat_map(|(number, size)| std::iter::repeat_n(number, size)).collect();
        // Partitions of few rows say most about each of them.
        rejected.sort_by_cached_key(|rejected| {
            (rejected.parts.iter().map(Vec::len).sum::<usize>(), rejected.parts.clone())
        });
        let kept = minimal(&rejected);
        let mut kept: Vec<RejectedPartition> = kept.into_iter().map(|at| std::mem::take(&mut rejected[at])).collect();
        for row in kept.iter_mut().flat_map(|rejected| &mut rejected.parts).flatten() {
            *row = place[row];
        }
        let values = rows.iter().map(|&row| seen.values[row as usize]).collect();
        Self { rows, values, outer, rejected: kept }
    }

    /// What a refusal to count it names.
    pub(super) fn subject(&self) -> CountingSubject {
        let groups = self.outer.last().map_or(0, |&last| last as usize + 1);
        CountingSubject::Cluster { people: self.rows.len(), groups, rejected: self.rejected.len() }
    }

    /// The belief, counted if it can be; otherwise unknown, and why.
    pub(super) fn belief(&self, condition: &Requirements<'_>, meter: &BudgetMeter) -> Result<Belief> {
        let counted = if countable(condition) {
            count(&self.values, &self.outer, &self.rejected, condition, meter)
        } else {
            self.sweep(condition, meter)
        };
        match counted {
            Err(error) if error.kind() == ErrorKind::LimitExceeded => {
                let mut bounded = UNLIKELY.iter().map(|&unlikely| self.bounded(condition, meter, unlikely));
                let bounded = bounded.find_map(Result::transpose).transpose()?;
                Ok(bounded.unwrap_or_else(|| self.unknown(error.to_string())))
            }
            counted => counted,
        }
    }

    /// Anything may be believed of everybody, for this reason.
    pub(super) fn unknown(&self, why: String) -> Belief {
        Belief::unknown(self.rows.len(), why)
    }

    /// The belief by the engine of strategies, for principles that cannot be judged value by value: it comes to the last
    /// of functions if all others are rejected.
    fn sweep(&self, condition: &Requirements<'_>, meter: &BudgetMeter) -> Result<Belief> {
        if self.rejected.len() > MOST_SWEPT {
            let need =
                format!("that many partitions, where {MOST_SWEPT} can be counted that are not judged value by value");
            return Err(meter.unfit(&need));
        }
        let labels = self.labels();
        let last = labels.len();
        let sequence = Sequence::from_labels(self.rows.len(), labels)?;
        let adversary = StrategyAdversary::new(&sequence, &NaiveStrategy, condition, &self.values, meter.left())?;
        adversary.about(self.subject()).disclosure(last)
    }

    /// The belief but for what is this unlikely; `None` when that takes too much as well, or leaves nothing aside.
    ///
    /// # Guarantee
    /// With E the evidence and E' what is counted, both as events, of which `more` is at least P(E without E') / P(E') and `less`
    /// at least P(E' without E) / P(E'), a value that has the probability p given E' has one between `(p - less) / (1 + more)` and
    /// `(p + more) / (1 - less)` given E.
    fn bounded(&self, condition: &Requirements<'_>, meter: &BudgetMeter, unlikely: f64) -> Result<Option<Belief>> {
        let (mut more, mut less) = (0.0, 0.0);
        let mut kept = Vec::new();
        let groups = self.groups();
        for rejected in &self.rejected {
            if meter.is_late() {
                return Ok(None);
            }
            let shares: Vec<Vec<PartShare>> = rejected.parts.iter().map(|part| self.shares(part, &groups)).collect();
            let ranges: Vec<Vec<CountBounds>> = shares.iter().map(|shares| ranges(shares)).collect();
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
            kept.push(RejectedPartition { parts: likely.map(|(part, _)| part.clone()).collect() });
        }
        if kept == self.rejected {
            return Ok(None);
        }
        let belief = match count(&self.values, &self.outer, &kept, condition, meter) {
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
        let share = decimal(&fraction(belief.worlds().cloned().unwrap_or_default(), all));
        let (more, less) = (more / share * (1.0 + ROUNDING), less / share * (1.0 + ROUNDING));
        if !more.is_finite() || less >= 1.0 {
            return Ok(None);
        }
        let interval = |at: f64| {
            let low = ((at - less) / (1.0 + more) - ROUNDING).clamp(0.0, at);
            let high = if less < 1.0 { (at + more) / (1.0 - less) + ROUNDING } else { 1.0 };
            UnitInterval { low, at: Some(at), high: high.clamp(at, 1.0) }
        };
        let atoms = belief.atoms().map(|(people, estimate)| {
            let group = &groups[self.outer[people[0] as usize] as usize];
            let codes = group.1.iter().map(|entry| entry.0);
            let counted = |code: u32| estimate.probability(code).at.unwrap_or_default();
            let intervals = codes.map(|code| (code, interval(counted(code)))).collect();
            (people.to_vec(), Estimate::Within(intervals))
        });
        Ok(Some(Belief::of_atoms(self.rows.len(), atoms.collect(), None)))
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
    fn shares(&self, part: &[u32], groups: &[(u64, Vec<(u32, u64)>)]) -> Vec<PartShare> {
        let mut inside = vec![0; groups.len()];
        part.iter().for_each(|&person| inside[self.outer[person as usize] as usize] += 1);
        let shares = groups.iter().zip(inside).filter(|(_, inside)| *inside > 0);
        shares.map(|((size, counts), inside)| PartShare { size: *size, inside, counts: counts.clone() }).collect()
    }

    /// The cells of its groups and partitions; refused when they take more memory than may be held.
    pub(super) fn cells(&self, meter: &BudgetMeter) -> Result<StepCells> {
        meter.fits((self.rejected.len() * self.values.len() * size_of::<u32>()) as f64)?;
        let labels = self.rejected.iter().map(|rejected| {
            let mut label = vec![u32::MAX; self.values.len()];
            for (number, part) in (0u32..).zip(&rejected.parts) {
                part.iter().for_each(|&person| label[person as usize] = number);
            }
            label
        });
        StepCells::of(&self.outer, &labels.collect::<Vec<_>>(), &self.values)
    }

    /// What draws say, `None` when too little arrives.
    pub(super) fn estimated(
        &self,
        condition: &Requirements<'_>,
        chance: EstimationPlan,
        meter: &BudgetMeter,
    ) -> Result<Option<Belief>> {
        let EstimationPlan { sampling, cells, moves } = chance;
        let drawn = draw::estimate(&cells, &self.values, &self.rejected, condition, &sampling, meter)?;
        let Some(drawn) = drawn else { return Ok(None) };
        if drawn.samples().iter().all(|record| record.effective >= FEW) {
            return Ok(Some(drawn));
        }
        populations::estimate(cells, &self.values, &self.rejected, condition, &sampling, (moves, meter))
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
