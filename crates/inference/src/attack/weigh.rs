//! Belief at any scale: what follows from a release and from what its mechanism rejected, counted group by group.
//!
//! Whoever knows a minimal mechanism knows of partitions that it looked at and rejected: of each, some part does not pass.
//! [`weigh`] gives the belief that follows. Groups that no rejected partition joins are independent of each other, so people
//! fall into clusters of few groups, each with the rejected partitions that concern it. Every cluster is counted value by
//! value. Nothing is enumerated. A cluster that takes more than the budget is counted but for what is very unlikely, or
//! estimated from samples, with intervals, when that is asked for.

use hashbrown::HashMap;
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::histogram::Histogram;
use pellucid_model::partition::Partition;
use rayon::prelude::*;

use super::outlook::{CountBounds, Foregone, outlook};
use super::question::{ClusterProblem, EstimationPlan};
use super::tails::{PartShare, ranges};
use crate::belief::{Belief, Requirements, StepCells};
use crate::budget::{Budget, SamplingPlan};
use crate::evidence::RejectedPartition;
use crate::meter::{BudgetMeter, CountingSubject};

/// What everybody sees and knows.
#[derive(Debug, Clone, Copy)]
pub struct SeenRelease<'a> {
    /// The groups of the release.
    pub groups: &'a Partition,
    /// A code per row of the table; only the histograms of the groups are public.
    pub values: &'a [u32],
    /// What every group passes.
    pub condition: &'a Requirements<'a>,
}

/// More than decimals of probabilities are rounded by.
pub(super) const ROUNDING: f64 = 1e-12;

/// What is said of clusters that were not reached.
const LATE: &str = "the time was up; allow more `--seconds`";

/// Groups that the evidence ties together, and what it tells of their people.
#[derive(Debug)]
pub struct EvidenceCluster {
    /// The rows, in the order in which belief numbers them.
    pub rows: Vec<u32>,
    /// Rejected partitions that concern them.
    pub rejected: usize,
    /// What is believed; `None` where the evidence says nothing, so that it is what somebody believes who ignores the mechanism.
    pub belief: Option<Belief>,
}

/// What follows from the rejected partitions for everybody. Rows of groups that it says nothing about come together in one
/// cluster.
///
/// # Guarantee
/// What is exact is the belief of an adversary who holds every arrangement of each group's values among its
/// rows equally likely, and knows that of each rejected partition some part does not pass.
/// The intervals of all estimates hold together with the probability of [`SamplingPlan::confidence`].
pub fn weigh(seen: SeenRelease<'_>, rejected: &[RejectedPartition], budget: &Budget) -> Result<Vec<EvidenceCluster>> {
    let rows = seen.values.len();
    let whole = CountingSubject::Cluster { people: rows, groups: seen.groups.len(), rejected: rejected.len() };
    let meter = BudgetMeter::new(*budget, whole);
    let mut group_of = vec![u32::MAX; rows];
    for (group, members) in (0u32..).zip(seen.groups.iter()) {
        members.iter().for_each(|&row| group_of[row as usize] = group);
    }
    let open = |rejected: &RejectedPartition| if meter.is_late() { Ok(None) } else { seen.open(rejected, &group_of) };
    let open: Vec<Option<RejectedPartition>> = rejected.par_iter().map(open).collect::<Result<_>>()?;
    if meter.is_late() {
        // Whom the partitions tie together is not known.
        return Ok(vec![unreached(seen.groups.members().to_vec())]);
    }
    let open: Vec<RejectedPartition> = open.into_iter().flatten().collect();
    let mut forest = GroupForest::new(seen.groups.len());
    for rejected in &open {
        let mut groups = rejected.parts.iter().flatten().map(|&row| group_of[row as usize]);
        if let Some(first) = groups.next() {
            groups.for_each(|group| forest.join(first, group));
        }
    }
    let mut clusters: HashMap<u32, (Vec<u32>, Vec<RejectedPartition>)> = HashMap::new();
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
    let mut tied: Vec<(Vec<u32>, Vec<RejectedPartition>)> = clusters.into_values().collect();
    tied.sort();
    let counted: Vec<Result<Counted, EvidenceCluster>> = tied
        .into_par_iter()
        .map(|(groups, rejected)| {
            if meter.is_late() {
                let rows = groups.iter().flat_map(|&group| seen.groups.group(group as usize));
                return Ok(Err(unreached(rows.copied().collect())));
            }
            Ok(Ok(Counted::new(ClusterProblem::new(seen, &groups, rejected), seen.condition, &meter)?))
        })
        .collect::<Result<_>>()?;
    let (mut reached, mut late) = (Vec::new(), Vec::new());
    for cluster in counted {
        match cluster {
            Ok(counted) => reached.push(counted),
            Err(cluster) => late.push(cluster),
        }
    }
    let mut counted: Vec<Counted> = reached;
    // What found no room beside others may find it alone.
    for crowded in counted.iter_mut().filter(|counted| counted.crowded) {
        crowded.belief = crowded.question.belief(seen.condition, &meter.part(crowded.question.subject()))?;
    }
    let sampling = budget.sampling.filter(|_| !meter.is_late());
    let chances = chances(&counted, sampling, (budget.moves(), &meter))?;
    let mut all: Vec<EvidenceCluster> = counted
        .into_par_iter()
        .zip(chances)
        .map(|(Counted { question, belief, .. }, chance)| {
            let mine = meter.part(question.subject());
            let chance = chance.filter(|_| !mine.is_late());
            let estimated = chance.map(|chance| question.estimated(seen.condition, chance, &mine));
            let belief = match estimated.transpose()?.flatten() {
                Some(estimated) => estimated,
                None if belief.is_unknown() && mine.is_late() => question.unknown(LATE.to_owned()),
                None => belief,
            };
            let rejected = question.rejected.len();
            Ok(EvidenceCluster { rows: question.rows, rejected, belief: Some(belief) })
        })
        .collect::<Result<_>>()?;
    all.extend(late);
    if !untold.is_empty() {
        all.push(EvidenceCluster { rows: untold, rejected: 0, belief: None });
    }
    Ok(all)
}

/// A cluster of which nothing was found out in time.
fn unreached(rows: Vec<u32>) -> EvidenceCluster {
    let belief = Belief::unknown(rows.len(), LATE.to_owned());
    EvidenceCluster { rows, rejected: 0, belief: Some(belief) }
}

/// A cluster, and what counting gives.
struct Counted {
    question: ClusterProblem,
    belief: Belief,
    /// Whether it was refused memory that others held.
    crowded: bool,
}

impl Counted {
    fn new(question: ClusterProblem, condition: &Requirements<'_>, meter: &BudgetMeter) -> Result<Self> {
        let mine = meter.part(question.subject());
        let belief = question.belief(condition, &mine)?;
        let crowded = mine.was_crowded() && !belief.is_exact();
        Ok(Self { question, belief, crowded })
    }

    fn is_refused(&self) -> bool {
        self.belief.is_unknown()
    }
}

/// How each of the clusters that could not be counted may be estimated; they share the moves by their cells.
fn chances(
    counted: &[Counted],
    sampling: Option<SamplingPlan>,
    (moves, meter): (u64, &BudgetMeter),
) -> Result<Vec<Option<EstimationPlan>>> {
    let several = counted.iter().filter(|counted| counted.is_refused()).count();
    let cells = counted
        .par_iter()
        .map(|counted| {
            let Some(sampling) = sampling.filter(|_| counted.is_refused() && !meter.is_late()) else { return Ok(None) };
            let confidence = 1.0 - (1.0 - sampling.confidence) / several as f64;
            match counted.question.cells(meter) {
                Ok(cells) => Ok(Some((SamplingPlan { confidence, ..sampling }, cells))),
                Err(error) if error.kind() == ErrorKind::LimitExceeded => Ok(None),
                Err(error) => Err(error),
            }
        })
        .collect::<Result<Vec<_>>>()?;
    let all: u64 = cells.iter().flatten().map(|(_, cells)| cells.many as u64).sum();
    let share = |cells: &StepCells| (u128::from(moves) * cells.many as u128 / u128::from(all.max(1))) as u64;
    let chance =
        |(sampling, cells): (SamplingPlan, StepCells)| EstimationPlan { moves: share(&cells), sampling, cells };
    Ok(cells.into_iter().map(|one| one.map(chance)).collect())
}

impl SeenRelease<'_> {
    /// The parts of a rejected partition that pass in some worlds and fail in others; `None` when some part fails in every
    /// world, so that it tells nothing that the partition was rejected.
    fn open(&self, rejected: &RejectedPartition, group_of: &[u32]) -> Result<Option<RejectedPartition>> {
        let least = self.condition.least();
        let mut parts = Vec::new();
        for part in rejected.parts.iter().filter(|part| !part.is_empty()) {
            if (part.len() as u64) < least.rows {
                return Ok(None);
            }
            match outlook(self.condition, part.len() as u64, &self.ranges(part, group_of)) {
                Foregone::Fails => return Ok(None),
                Foregone::Passes => {}
                Foregone::Open => {
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
        Ok(Some(RejectedPartition { parts }))
    }

    /// How often each value of the groups that a part touches may occur in it.
    fn ranges(&self, part: &[u32], group_of: &[u32]) -> Vec<CountBounds> {
        let mut groups: Vec<u32> = part.iter().map(|&row| group_of[row as usize]).collect();
        groups.sort_unstable();
        let shares = groups.chunk_by(|a, b| a == b).map(|run| {
            let members = self.groups.group(run[0] as usize);
            let histogram = Histogram::of(members.iter().map(|&row| self.values[row as usize]));
            PartShare { size: members.len() as u64, inside: run.len() as u64, counts: histogram.entries().to_vec() }
        });
        ranges(&shares.collect::<Vec<_>>())
    }
}

/// Sets of groups that are joined one after the other.
pub(super) struct GroupForest {
    parent: Vec<u32>,
}

impl GroupForest {
    pub(super) fn new(many: usize) -> Self {
        Self { parent: (0..many as u32).collect() }
    }

    pub(super) fn root(&mut self, mut at: u32) -> u32 {
        while self.parent[at as usize] != at {
            let up = self.parent[self.parent[at as usize] as usize];
            self.parent[at as usize] = up;
            at = up;
        }
        at
    }

    pub(super) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}
