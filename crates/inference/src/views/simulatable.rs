//! Simulatable decisions: whether a view may be shown, decided without looking at what it would show.

use std::time::Instant;

use pellucid_model::error::Result;
use pellucid_model::histogram::Histogram;
use rayon::prelude::*;

use super::choices::CellChoices;
use super::joint::DrawUntil;
use super::{SeenViews, View};
use crate::budget::Budget;
use crate::verdict::{BeliefRequirements, VerdictConclusion};

/// Multisets that are looked at at most, and those that are judged at a time.
const MOST: usize = 1 << 20;
const BATCH: usize = 32;

/// Whether a view is safe whatever it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SimulatableVerdict {
    /// Whatever multiset it could show, given what was shown before, the demand holds afterwards; so many are possible.
    Safe {
        /// Multisets.
        possible: u64,
    },
    /// It could show a multiset after which the demand is broken, or not known to hold.
    Unsafe,
    /// There are too many multisets, or too little time; to be treated as [`SimulatableVerdict::Unsafe`].
    Unknown,
}

impl SeenViews {
    /// Whether a view of `members` may be shown, decided from what is public already.
    ///
    /// # Guarantee
    /// Depends on the views shown before, on who is selected, on which values occur and on the demand, and where belief is estimated or
    /// time runs out on chance and the clock; not on what anybody has. So a refusal tells nothing to whoever knows these. A demand that
    /// compares with the whole column depends on that too.
    ///
    /// # Cost
    /// A judgement for every multiset that the view could show; those that repeat a value most come first, so that an unsafe view is
    /// mostly found out soon.
    pub fn simulate(
        &self,
        members: &[u32],
        demand: &BeliefRequirements<'_>,
        budget: &Budget,
    ) -> Result<SimulatableVerdict> {
        let clock = Instant::now();
        let domain = self.domain as usize;
        // By code, how many of the members must have it, and how many can.
        let (mut least, mut most) = (vec![0u32; domain], vec![0u32; domain]);
        let mut chosen = vec![false; self.people];
        members.iter().for_each(|&person| chosen[person as usize] = true);
        for (people, estimate) in self.belief(budget, DrawUntil::Anything)?.atoms() {
            let mine = people.iter().filter(|&&person| chosen[person as usize]).count() as u32;
            let possible = estimate.possible().map_or_else(
                || (0..self.domain).collect::<Vec<u32>>(),
                |possible| possible.into_iter().map(|entry| entry.0).collect(),
            );
            possible.iter().for_each(|&code| most[code as usize] += mine);
            if let [only] = possible[..] {
                least[only as usize] += mine;
            }
        }
        let Some(mut multisets) = multisets(members.len() as u32, &least, &most) else {
            return Ok(SimulatableVerdict::Unknown);
        };
        multisets.sort_by_key(|counts| std::cmp::Reverse(counts.iter().max().copied()));
        let mut possible = 0;
        for batch in multisets.chunks(BATCH) {
            if budget.seconds.is_some_and(|seconds| clock.elapsed().as_secs_f64() > seconds) {
                return Ok(SimulatableVerdict::Unknown);
            }
            let judged = batch.par_iter().map(|counts| {
                let shown = (0u32..).zip(counts).map(|(code, &count)| (code, u64::from(count)));
                let mut views = self.clone();
                views.shown.push(View::new(members.to_vec(), Histogram::from_entries(shown))?);
                let verdict = views.judge(demand, budget)?;
                Ok((!verdict.is_impossible()).then_some(verdict.conclusion))
            });
            let judged: Vec<Option<VerdictConclusion>> = judged.collect::<Result<_>>()?;
            if judged.iter().flatten().any(|conclusion| !conclusion.holds()) {
                return Ok(SimulatableVerdict::Unsafe);
            }
            possible += judged.iter().flatten().count() as u64;
        }
        Ok(SimulatableVerdict::Safe { possible })
    }
}

/// All multisets of `size` codes, of each at least `least` and at most `most`; `None` when there are too many.
fn multisets(size: u32, least: &[u32], most: &[u32]) -> Option<Vec<Vec<u32>>> {
    let bounds: Vec<(u32, u32)> = least.iter().copied().zip(most.iter().copied()).collect();
    let mut choices = CellChoices::new(&bounds, size, size);
    let mut found = Vec::new();
    while let Some(taken) = choices.next() {
        if found.len() == MOST {
            return None;
        }
        found.push(taken.to_vec());
    }
    Some(found)
}
