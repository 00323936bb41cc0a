//! What a searched release tells: every better granulation was looked at, or ruled out, and does not pass.

use std::cmp::Ordering;

use pellucid_inference::evidence::{Evidence, RejectedPartition};
use pellucid_model::error::Result;
use pellucid_model::granulation::Granulation;

use super::{SearchPublisher, Site};
use crate::publisher::PublisherInput;
use crate::search::{BoundMeasure, GranulationLevels, MeasureScore, SearchInstance};

/// Granulations whose scores are compared; in larger lattices the evidence is that no more specific one passes.
const MOST_COMPARED: u64 = 10_000;

impl SearchPublisher {
    /// The least specific of the granulations that would have been preferred; where these do not pass, nothing more specific
    /// does, as the principles must be closed under mixtures.
    pub(super) fn rejected(&self, plan: &PublisherInput<'_>, released: &Granulation) -> Result<Evidence> {
        let unknown = |why: &str| Ok(Evidence::Unknown(why.to_owned()));
        if plan.is_blind() {
            return Ok(Evidence::Proven);
        }
        let site = Site::new(plan)?;
        let ground = &site.ground;
        if ground.limit() > 0 {
            return unknown("rows may be left out, so that a granulation may pass although some of its classes do not");
        }
        if !ground.is_monotone() {
            return unknown("a principle is not closed under mixtures, so that no granulation tells about another");
        }
        if !self.search.is_exact() {
            return unknown("a genetic search does not tell which granulations it looked at");
        }
        let levels: GranulationLevels = released.grains().iter().map(|grain| grain.level() as u32).collect();
        let gauge = self.measure.gauge(ground)?;
        let lattice = ground.lattice();
        let compares = !gauge.looks_at_histograms() && lattice.size().is_some_and(|size| size <= MOST_COMPARED);
        let better: Vec<GranulationLevels> = if compares {
            let preferred = Preferred::new(ground, gauge.as_ref(), &levels);
            (0..lattice.size().unwrap_or(0))
                .map(|node| lattice.levels(node))
                .filter(|node| preferred.beats(node))
                .collect()
        } else {
            lattice.predecessors(lattice.node(&levels), &levels).map(|node| lattice.levels(node)).collect()
        };
        let is_highest =
            |node: &&GranulationLevels| !better.iter().any(|other| other != *node && lattice.is_at_most(node, other));
        let rejected = better.iter().filter(is_highest).map(|node| RejectedPartition { parts: classes(ground, node) });
        Ok(Evidence::Rejected(rejected.collect()))
    }
}

/// The order in which a search prefers granulations: by score, then by rank, then by levels.
struct Preferred<'a> {
    ground: &'a SearchInstance<'a>,
    gauge: &'a dyn BoundMeasure,
    levels: &'a GranulationLevels,
    score: MeasureScore,
}

impl<'a> Preferred<'a> {
    fn new(ground: &'a SearchInstance<'a>, gauge: &'a dyn BoundMeasure, levels: &'a GranulationLevels) -> Self {
        Self { ground, gauge, levels, score: ground.score_if_passing(gauge, levels) }
    }

    /// Whether `other` would have been preferred to the released granulation.
    fn beats(&self, other: &GranulationLevels) -> bool {
        let rank = |levels: &GranulationLevels| self.ground.lattice().rank(levels);
        let order = self.ground.score_if_passing(self.gauge, other).compare(&self.score);
        order.then_with(|| rank(other).cmp(&rank(self.levels))).then_with(|| other.cmp(self.levels)) == Ordering::Less
    }
}

/// The classes of a granulation, as rows.
fn classes(ground: &SearchInstance<'_>, levels: &[u32]) -> Vec<Vec<u32>> {
    let (class_of, passes) = ground.partition(levels);
    let mut classes = vec![Vec::new(); passes.len()];
    for (row, class) in (0u32..).zip(class_of) {
        classes[class as usize].push(row);
    }
    classes
}
