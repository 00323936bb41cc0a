//! Belief from all views together: counted where that can be, estimated where it takes too much.

use std::time::Instant;

use dashu_int::UBig;
use pellucid_model::distribution::Distribution;
use pellucid_model::error::{ErrorKind, Result};
use pellucid_model::randomness::ChoicePurpose;
use rayon::prelude::*;

use super::SeenViews;
use super::atoms::ViewComponent;
use super::relaxation::{RelaxationSampler, SearchMemory};
use super::weighted::WeightedMeans;
use crate::belief::Belief;
use crate::budget::{Budget, SamplingPlan};
use crate::estimate::{Estimate, FollowedViews, SampleMethod, SampleRecord};
use crate::meter::BudgetMeter;
use crate::verdict::BeliefRequirements;

/// Draws from one random stream; fixed, so that what is drawn does not depend on threads.
const CHUNK: u64 = 128;

/// Draws before intervals are looked at for the first time; each look doubles them.
const FIRST: u64 = 1024;

/// How much smaller the relaxation is made each time it takes too much itself.
const SMALLER: f64 = 4.0;

/// Until when worlds are drawn for an estimate, besides that draws and time end.
#[derive(Debug, Clone, Copy)]
pub enum DrawUntil<'a> {
    /// Something is known.
    Anything,
    /// It is known whether this holds of the people of a component.
    Settled(&'a BeliefRequirements<'a>),
    /// Nothing else ends it.
    End,
}

impl DrawUntil<'_> {
    fn is_enough(self, component: &Part) -> bool {
        match self {
            Self::Anything => true,
            Self::Settled(demand) => demand.settles(component.atoms.iter().map(|atom| &atom.1)),
            Self::End => false,
        }
    }
}

/// What views that are tied together tell.
#[derive(Debug)]
struct Part {
    /// People whom no view tells apart, and what is believed of each of them.
    atoms: Vec<(Vec<u32>, Estimate)>,
    /// The worlds of these people; `None` when they were not counted.
    worlds: Option<UBig>,
    /// How it was estimated, if it was.
    drawn: Option<SampleRecord>,
}

impl SeenViews {
    /// The belief of somebody who has seen all views and holds every world that agrees with them equally likely: the possible
    /// instance set. Somebody in no view may have any value; nobody of a component without a world has any.
    ///
    /// What takes more than the budget is estimated, where that is asked for, `until` something is known.
    ///
    /// # Guarantee
    /// With probability at least the confidence asked for, all intervals hold together, whenever drawing ends.
    ///
    /// # Errors
    /// [`pellucid_model::error::ErrorKind::LimitExceeded`] when a component takes more than the budget and nothing is estimated.
    ///
    /// # Cost
    /// States are what the open views still have to show, along a good order of the atoms: few for intervals on one attribute,
    /// exponentially many in the number of views that overlap at one place.
    pub fn belief(&self, budget: &Budget, until: DrawUntil<'_>) -> Result<Belief> {
        let components = ViewComponent::all(self.people, &self.shown);
        if let Some(sampling) = budget.sampling {
            sampling.check()?;
        }
        let meter = BudgetMeter::new(*budget, self.subject());
        let counted: Vec<Option<Part>> = components
            .par_iter()
            .map(|component| match component.count(&meter.about(component.subject())) {
                Ok(counted) => Ok(Some(component.told(&counted.people, counted.worlds))),
                Err(error) if error.kind() == ErrorKind::LimitExceeded && budget.sampling.is_some() => Ok(None),
                Err(error) => Err(error),
            })
            .collect::<Result<_>>()?;
        let uncounted = counted.iter().filter(|part| part.is_none()).count();
        let (clock, mut left) = (Instant::now(), uncounted);
        let parts = components.iter().zip(counted).map(|(component, part)| match (part, budget.sampling) {
            (Some(part), _) => Ok(part),
            (None, None) => unreachable!("what is not counted is an error where nothing is estimated"),
            (None, Some(sampling)) => {
                let missed = (1.0 - sampling.confidence) / uncounted as f64;
                let rest = |seconds: f64| (seconds - clock.elapsed().as_secs_f64()).max(0.0) / left as f64;
                let seconds = budget.seconds.map(rest);
                left -= 1;
                component.estimate(
                    &Budget { seconds, ..*budget },
                    &SamplingPlan { confidence: 1.0 - missed, ..sampling },
                    until,
                )
            }
        });
        let parts: Vec<Part> = parts.collect::<Result<_>>()?;
        let mut seen = vec![false; self.people];
        for view in &self.shown {
            view.members.iter().for_each(|&person| seen[person as usize] = true);
        }
        let free: Vec<u32> = (0..self.people as u32).filter(|&person| !seen[person as usize]).collect();
        let contradicts =
            parts.iter().any(|part| part.worlds == Some(UBig::ZERO)) || (self.domain == 0 && !free.is_empty());
        let all = parts
            .iter()
            .try_fold(UBig::from(self.domain).pow(free.len()), |product, part| Some(product * part.worlds.as_ref()?));
        let worlds = if contradicts { Some(UBig::ZERO) } else { all };
        let drawn: Vec<SampleRecord> = parts.iter().filter_map(|part| part.drawn).collect();
        let mut atoms: Vec<(Vec<u32>, Estimate)> = parts.into_iter().flat_map(|part| part.atoms).collect();
        if self.domain > 0 && !free.is_empty() {
            let anything = Distribution::new((0..self.domain).map(|code| (code, UBig::ONE)));
            atoms.push((free, Estimate::Exact(anything)));
        }
        Ok(Belief::of_atoms(self.people, atoms, worlds).with_samples(drawn).with_states(meter.states()))
    }
}

impl ViewComponent {
    fn told(&self, numbers: &[Vec<UBig>], worlds: UBig) -> Part {
        let told = |numbers: &[UBig]| {
            let weights = self.codes.iter().zip(numbers).filter(|entry| *entry.1 != UBig::ZERO);
            Estimate::Exact(Distribution::new(weights.map(|(&code, number)| (code, number.clone()))))
        };
        let atoms = self.atoms.iter().zip(numbers).map(|(atom, numbers)| (atom.people.clone(), told(numbers)));
        let atoms = if worlds == UBig::ZERO { Vec::new() } else { atoms.collect() };
        Part { atoms, worlds: Some(worlds), drawn: None }
    }

    /// What weighted draws tell that take about as many seconds as the budget has.
    fn estimate(&self, budget: &Budget, sampling: &SamplingPlan, until: DrawUntil<'_>) -> Result<Part> {
        let clock = Instant::now();
        let (guide, remembered) = self.guide(budget)?;
        let codes = self.codes.len();
        let cells = self.atoms.len() * codes;
        if !guide.is_possible() {
            return Ok(Part { atoms: Vec::new(), worlds: Some(UBig::ZERO), drawn: None });
        }
        let randomness = sampling.randomness()?;
        let draw = |chunk: u64, many: u64| {
            let mut source = randomness.stream(ChoicePurpose::Worlds, self.counts.len() as u64, chunk);
            let mut memory = SearchMemory::default();
            let mut sums = WeightedMeans::none(cells);
            for _ in 0..many {
                let drawn = guide.draw(&mut source, &mut memory);
                let shares = drawn.taken.iter().enumerate().flat_map(|(at, &number)| {
                    let step = &guide.steps()[at];
                    let size = self.atoms[step.atom].people.len() as f64;
                    let taken = step.codes.iter().zip(guide.taken(at, number)).filter(|entry| *entry.1 > 0);
                    taken.map(move |(code, &taken)| (step.atom * codes + code, f64::from(taken) / size))
                });
                sums.add(drawn.worth, shares);
            }
            sums
        };
        let mut sums = WeightedMeans::none(cells);
        let mut chunk = 0;
        for look in 1u32.. {
            let left = sampling.draws.min(FIRST << (look - 1)) - sums.draws();
            let chunks: Vec<u64> = (0..left.div_ceil(CHUNK)).collect();
            let drawn: Vec<WeightedMeans> =
                chunks.par_iter().map(|&at| draw(chunk + at, CHUNK.min(left - at * CHUNK))).collect();
            drawn.iter().for_each(|more| sums.join(more));
            chunk += chunks.len() as u64;
            // Two sides of every cell at every look: those of look k miss with 1 / (k (k + 1)) of what may be missed.
            let looks = f64::from(look * (look + 1));
            let log = (2.0 * cells as f64 * looks / (1.0 - sampling.confidence)).ln();
            let part = self.about(&sums, log, remembered, sampling.confidence);
            // The next look takes as long as all before.
            let late = budget.seconds.is_some_and(|seconds| clock.elapsed().as_secs_f64() * 2.0 > seconds);
            if late || sums.draws() >= sampling.draws || until.is_enough(&part) {
                return Ok(part);
            }
        }
        unreachable!("draws are used up")
    }

    fn about(&self, sums: &WeightedMeans, log: f64, remembered: usize, confidence: f64) -> Part {
        let codes = self.codes.len();
        let method = SampleMethod::Weighted;
        let atoms = self.atoms.iter().enumerate().map(|(number, atom)| {
            let possible = (0..codes).filter(|&code| atom.most[code] > 0);
            let told = possible.map(|code| (self.codes[code], sums.interval(number * codes + code, log)));
            (atom.people.clone(), Estimate::Sampled(told.collect(), method))
        });
        let (draws, effective) = (sums.draws(), sums.effective());
        let views = Some(FollowedViews { remembered, views: self.counts.len() });
        let drawn = SampleRecord { method, draws, effective, confidence, share: None, views };
        Part { atoms: atoms.collect(), worlds: None, drawn: Some(drawn) }
    }

    /// A guide by as many views as can be counted, and how many these are; by none after half of the seconds of the budget.
    fn guide(&self, budget: &Budget) -> Result<(RelaxationSampler<'_>, usize)> {
        let half = Budget { states: budget.relaxed(), seconds: budget.seconds.map(|seconds| seconds / 2.0), ..*budget };
        let meter = BudgetMeter::new(half, self.subject());
        let in_time = || !meter.is_late();
        let mut kept: Vec<usize> = (0..self.counts.len()).collect();
        let mut most = (half.states as f64).ln();
        loop {
            self.narrow(&mut kept, most, &in_time);
            if !in_time() {
                kept.clear();
            }
            // Without views there is next to nothing to remember.
            let tried = if kept.is_empty() {
                RelaxationSampler::new(
                    self,
                    &kept,
                    &BudgetMeter::new(Budget { states: u64::MAX, seconds: None, ..half }, self.subject()),
                )
            } else {
                RelaxationSampler::new(self, &kept, &meter.again())
            };
            match tried {
                Err(error) if error.kind() == ErrorKind::LimitExceeded && !kept.is_empty() => most -= SMALLER.ln(),
                tried => return Ok((tried?, kept.len())),
            }
        }
    }

    /// Leaves out views, always the one that makes counting easiest, until about `exp(most)` states are expected.
    fn narrow(&self, kept: &mut Vec<usize>, most: f64, in_time: &dyn Fn() -> bool) {
        while !kept.is_empty() && in_time() && self.with_views(kept).expected() > most {
            let without = |at: usize| {
                let mut fewer = kept.clone();
                fewer.remove(at);
                self.with_views(&fewer).expected()
            };
            let all: Vec<f64> = (0..kept.len()).into_par_iter().map(without).collect();
            let at = (0..kept.len()).min_by(|&a, &b| all[a].total_cmp(&all[b])).expect("views are left");
            kept.remove(at);
        }
    }
}
