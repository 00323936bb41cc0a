//! Estimates where evidence is rare: populations of worlds that are led to it step by step.
//!
//! Among worlds drawn at random there may be none in which everything was rejected that was: tables of real people are far
//! from random, and a group of some hundred people fails a principle once in many millions of arrangements. So a population of
//! worlds is drawn, worlds that are far from the evidence ([`CountMatrix::short`]) are given up for copies of others, all
//! are stirred by moves that keep their distribution ([`ClusterField::step`]), and that again and again under rising pressure, until in every
//! one all partitions are rejected (sequential Monte Carlo). Several populations know nothing of each other; how much they
//! differ tells how much they can be relied upon.
//!
//! # Reference
//! Del Moral, Doucet, Jasra: Sequential Monte Carlo samplers, Journal of the Royal Statistical Society B 68(3), 2006.

use pellucid_model::error::Result;
use pellucid_model::randomness::{ChoicePurpose, RandomSource, RandomStream};
use rayon::prelude::*;

use super::matrix::{ClusterField, CountMatrix, MoveScratch, Temperature};
use crate::belief::{Belief, ConfidenceLevel, Requirements, StepCells, WorldPopulation, of_populations};
use crate::budget::SamplingPlan;
use crate::evidence::RejectedPartition;
use crate::meter::BudgetMeter;

/// Moves per step and cell: so many of its worlds' entries change between two looks at a population.
const STIRRING: u64 = 2;

/// Looks at a population that has arrived, each after as many moves: its means are taken over all.
const LOOKS: u64 = 8;

/// Steps after which a population is given up.
const MOST_STEPS: usize = 1000;

/// Pressure that tells worlds apart rises by less at a time.
const MOST_RISE: f64 = 1e6;

/// The worlds of a population that is sent ahead to see how far it is.
const AHEAD: u64 = 16;

/// The fewest worlds a population has.
const FEWEST: u64 = 8;

/// Worlds of a population that are not too many, however few draws are asked for.
const MODEST: u64 = 32;

/// Of the bytes that may be held, the share that the numbers of one population may take, as several are led at a time.
const SHARE: u64 = 8;

/// The belief of somebody who knows groups and that of every partition in `rejected` some part fails, estimated with about
/// so many `moves`, at most twice as many; `cells` are those of the groups and partitions. `None` when that is too few, or when
/// no population arrives in time.
///
/// # Cost
/// `moves`, each of a time that grows with the number of parts that somebody is in.
pub(super) fn estimate(
    cells: StepCells,
    values: &[u32],
    rejected: &[RejectedPartition],
    condition: &Requirements<'_>,
    sampling: &SamplingPlan,
    (moves, meter): (u64, &BudgetMeter),
) -> Result<Option<Belief>> {
    sampling.check()?;
    let field = ClusterField::new(&cells, values, rejected, condition);
    let many = ConfidenceLevel::new(sampling.confidence, cells.many as u64 + 1).spread();
    let stirring = STIRRING * cells.many.max(1) as u64;
    let leader = SmcSampler { field: &field, stirring, randomness: sampling.randomness()?, meter };
    let room = meter.bytes() / SHARE / size_of::<u32>() as u64 / field.size().max(1) as u64;
    if room < FEWEST {
        return Ok(None);
    }
    let Some(ahead) = leader.lead(AHEAD.min(room), 0, moves / 4) else { return Ok(None) };
    let each = stirring * (ahead.steps + LOOKS);
    let size = (moves / each / many).min(sampling.draws.div_ceil(many).max(MODEST)).min(room);
    // A few more moves are better than no answer.
    if size < FEWEST / 2 {
        return Ok(None);
    }
    let size = size.max(FEWEST);
    let populations = (1..=many).into_par_iter().map(|number| leader.lead(size, number, u64::MAX));
    let populations: Option<Vec<WorldPopulation>> = populations.map(|led| led.map(|led| led.population)).collect();
    let Some(populations) = populations else { return Ok(None) };
    drop(field);
    Ok(Some(of_populations(sampling.confidence, size, &cells, &populations)))
}

/// Leads populations through a field.
struct SmcSampler<'f> {
    field: &'f ClusterField<'f>,
    /// Moves of a world between two looks.
    stirring: u64,
    randomness: RandomSource<'static>,
    meter: &'f BudgetMeter,
}

/// A population that has arrived.
struct SmcRun {
    population: WorldPopulation,
    steps: u64,
}

impl SmcSampler<'_> {
    /// A population of `size` worlds; `None` when it does not arrive within so many moves.
    fn lead(&self, size: u64, number: u64, moves: u64) -> Option<SmcRun> {
        let mut source = self.randomness.stream(ChoicePurpose::Worlds, number, size);
        let mut scratch = MoveScratch::default();
        let mut worlds: Vec<CountMatrix> = (0..size).map(|_| self.field.draw(&mut source, &mut scratch)).collect();
        let (mut factor, mut share) = (0.0, 0.0);
        for step in 0..MOST_STEPS as u64 {
            if step * self.stirring * size > moves || self.meter.is_late() {
                return None;
            }
            let arrived = worlds.iter().filter(|world| world.is_possible()).count();
            let pressure =
                if 2 * arrived >= worlds.len() { Temperature::Full } else { Temperature::Some(rise(&worlds, factor)) };
            // Relative to the nearest world, so that no weight is lost to rounding.
            let nearest = nearest(&worlds);
            let (weights, least): (Vec<f64>, f64) = match pressure {
                Temperature::Full => {
                    (worlds.iter().map(|world| f64::from(u8::from(world.is_possible()))).collect(), 0.0)
                }
                Temperature::Some(next) => {
                    let more = next - factor;
                    (worlds.iter().map(|world| (-more * (world.short() - nearest)).exp()).collect(), more * nearest)
                }
            };
            share += (weights.iter().sum::<f64>() / size as f64).ln() - least;
            worlds = chosen(&worlds, &weights, &mut source);
            if let Temperature::Some(next) = pressure {
                factor = next;
                self.mutate(&mut worlds, pressure, &mut source, &mut scratch);
                continue;
            }
            let mut sums = vec![0; worlds[0].entries().len()];
            for _ in 0..LOOKS {
                self.mutate(&mut worlds, pressure, &mut source, &mut scratch);
                if self.meter.is_late() {
                    return None;
                }
                for world in &worlds {
                    sums.iter_mut().zip(world.entries()).for_each(|(sum, &people)| *sum += u64::from(people));
                }
            }
            let means = self.field.shares(&sums, size * LOOKS);
            return Some(SmcRun {
                population: WorldPopulation { means, share: share.exp().min(1.0) },
                steps: step + 1,
            });
        }
        None
    }

    fn mutate(
        &self,
        worlds: &mut [CountMatrix],
        pressure: Temperature,
        source: &mut RandomStream<'_>,
        scratch: &mut MoveScratch,
    ) {
        for world in worlds {
            if self.meter.is_late() {
                return;
            }
            for _ in 0..self.stirring {
                self.field.step(world, pressure, source, scratch);
            }
        }
    }
}

/// How far the nearest world is from the evidence.
fn nearest(worlds: &[CountMatrix]) -> f64 {
    worlds.iter().map(CountMatrix::short).fold(f64::INFINITY, f64::min)
}

/// The pressure after `factor` under which half of the worlds would count, as effective sample size; somewhat more than `factor` when
/// no pressure tells them apart.
fn rise(worlds: &[CountMatrix], factor: f64) -> f64 {
    let nearest = nearest(worlds);
    let enough = |more: f64| {
        let weights = worlds.iter().map(|world| (-more * (world.short() - nearest)).exp());
        let (sum, squares) =
            weights.fold((0.0, 0.0), |(sum, squares), weight| (sum + weight, squares + weight * weight));
        2.0 * sum * sum >= squares * worlds.len() as f64
    };
    let (mut low, mut high) = (0.0, 1e-3);
    while enough(high) {
        (low, high) = (high, 2.0 * high);
        if high > MOST_RISE {
            return 1.1 * factor + 0.1;
        }
    }
    for _ in 0..30 {
        let middle = f64::midpoint(low, high);
        if enough(middle) { low = middle } else { high = middle }
    }
    factor + high
}

/// As many worlds as there are, each as often as its weight says, rounded up or down at random.
fn chosen(worlds: &[CountMatrix], weights: &[f64], source: &mut RandomStream<'_>) -> Vec<CountMatrix> {
    let each = weights.iter().sum::<f64>() / worlds.len() as f64;
    let start = (1 + source.below(1 << 53)) as f64 / (1u64 << 53) as f64;
    let last = weights.iter().rposition(|&weight| weight > 0.0).unwrap_or(0);
    let (mut at, mut sum) = (0, weights[0]);
    (0..worlds.len())
        .map(|number| {
            while sum < (number as f64 + start) * each && at < last {
                at += 1;
                sum += weights[at];
            }
            worlds[at].clone()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use pellucid_model::exact::decimal;
    use pellucid_model::exact::fraction;
    use pellucid_model::histogram::Histogram;
    use pellucid_model::principle::{
        BoundPrinciple, DistinctLDiversity, EntropyLDiversity, KAnonymity, RecursiveClDiversity,
    };
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::attack::blocks::count;
    use crate::belief::multinomial;
    use crate::budget::Budget;
    use crate::meter::CountingSubject;

    fn meter() -> BudgetMeter {
        BudgetMeter::new(Budget::question(), CountingSubject::Silence { people: 0 })
    }

    /// One or two groups of people, and partitions of them of which some part fails.
    struct Case {
        values: Vec<u32>,
        outer: Vec<u32>,
        rejected: Vec<RejectedPartition>,
    }

    impl Case {
        fn random(rng: &mut ChaCha8Rng, condition: &Requirements<'_>) -> Option<Self> {
            let (many, domain) = (rng.random_range(8..=24u32), rng.random_range(3..=5u32));
            let groups = rng.random_range(1..=2u32);
            let values: Vec<u32> = (0..many).map(|_| rng.random_range(0..domain)).collect();
            let outer: Vec<u32> = (0..many).map(|person| person * groups / many).collect();
            let passes =
                |people: &Vec<u32>| condition.holds(&Histogram::of(people.iter().map(|&at| values[at as usize])));
            let whole = |group: u32| (0..many).filter(|&person| outer[person as usize] == group).collect();
            if !(0..groups).all(|group| passes(&whole(group))) {
                return None;
            }
            let mut rejected = Vec::new();
            for _ in 0..rng.random_range(1..=3) {
                let mut parts = vec![Vec::new(); 2];
                // Mostly by value, which draws at random hardly ever are.
                for person in 0..many {
                    let by_value = usize::from(values[person as usize] * 2 < domain);
                    let part = if rng.random_range(0..5) > 0 { by_value } else { rng.random_range(0..2) };
                    parts[part].push(person);
                }
                if parts.iter().all(|part| part.len() > 3) && parts.iter().any(|part| !passes(part)) {
                    rejected.push(RejectedPartition { parts });
                }
            }
            (!rejected.is_empty()).then_some(Self { values, outer, rejected })
        }

        fn cells(&self) -> StepCells {
            let labels = self.rejected.iter().map(|rejected| {
                let part = |person: u32| u32::from(rejected.parts[1].contains(&person));
                (0..self.values.len() as u32).map(part).collect::<Vec<u32>>()
            });
            StepCells::of(&self.outer, &labels.collect::<Vec<_>>(), &self.values).unwrap()
        }

        /// All arrangements of the groups' values.
        fn arrangements(&self) -> dashu_int::UBig {
            let groups = self.outer.iter().max().map_or(0, |&last| last + 1);
            let each = (0..groups).map(|group| {
                let members = self.values.iter().zip(&self.outer).filter(|entry| *entry.1 == group);
                let counts = Histogram::of(members.map(|entry| *entry.0));
                multinomial(&counts.entries().iter().map(|entry| entry.1 as u32).collect::<Vec<_>>())
            });
            each.fold(dashu_int::UBig::ONE, |product, ways| product * ways)
        }
    }

    fn tests() -> Vec<Vec<Box<dyn BoundPrinciple>>> {
        vec![
            vec![Box::new(RecursiveClDiversity::new(fraction(1, 1u8), 2).unwrap())],
            vec![Box::new(DistinctLDiversity::new(3).unwrap())],
            vec![Box::new(EntropyLDiversity::new(fraction(5, 2u8)).unwrap())],
            vec![Box::new(RecursiveClDiversity::new(fraction(2, 1u8), 3).unwrap())],
            vec![Box::new(EntropyLDiversity::new(fraction(5, 2u8)).unwrap()), Box::new(KAnonymity::new(4).unwrap())],
        ]
    }

    #[test]
    fn all_intervals_hold_together_about_as_often_as_they_say() {
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let (mut asked, mut missed, mut rare, mut lost) = (0, 0, 0, 0);
        for case in 0..400 {
            let tests = &tests()[case % 5];
            let condition = Requirements::new(tests.iter().map(AsRef::as_ref));
            let Some(case) = Case::random(&mut rng, &condition) else { continue };
            let exact = count(&case.values, &case.outer, &case.rejected, &condition, &meter()).unwrap();
            let sampling = SamplingPlan { draws: 1_000, confidence: 0.9, seed: Some(asked) };
            let found =
                estimate(case.cells(), &case.values, &case.rejected, &condition, &sampling, (10_000_000, &meter()))
                    .unwrap();
            let Some(found) = found else {
                lost += 1;
                continue;
            };
            let share = decimal(&fraction(exact.worlds().unwrap().clone(), case.arrangements()));
            let holds = (0..case.values.len()).all(|person| {
                let (belief, found) = (exact.distribution(person).unwrap(), found.estimate(person).unwrap());
                (0..5).all(|code| found.probability(code).contains(decimal(&belief.probability(code))))
            });
            asked += 1;
            rare += u64::from(share < 0.05);
            missed += u64::from(!holds || !found.samples()[0].share.unwrap().contains(share));
        }
        assert!(asked > 100 && rare > 50 && lost * 20 < asked, "{asked} {rare} {lost}");
        assert!(missed * 10 <= asked, "{missed} of {asked} miss");
    }

    #[test]
    fn moves_and_their_undoing_keep_count() {
        let mut rng = ChaCha8Rng::seed_from_u64(10);
        for case in 0..60 {
            let tests = &tests()[case % 5];
            let condition = Requirements::new(tests.iter().map(AsRef::as_ref));
            let Some(case) = Case::random(&mut rng, &condition) else { continue };
            let cells = case.cells();
            let field = ClusterField::new(&cells, &case.values, &case.rejected, &condition);
            let (mut source, mut scratch) =
                (RandomSource::InsecureSeed(1).stream(ChoicePurpose::Worlds, 0, 0), MoveScratch::default());
            let mut world = field.draw(&mut source, &mut scratch);
            for _ in 0..500 {
                field.step(&mut world, Temperature::Some(0.5), &mut source, &mut scratch);
            }
            field.assert_counted(&world, &mut scratch);
        }
    }

    #[test]
    fn what_does_not_arrive_is_not_estimated() {
        // Everybody has a value of their own: no half of at least two people has but one.
        let values: Vec<u32> = (0..12).collect();
        let rejected = [RejectedPartition { parts: vec![(0..6).collect(), (6..12).collect()] }];
        let test = DistinctLDiversity::new(2).unwrap();
        let condition = Requirements::new([&test as &dyn BoundPrinciple]);
        let case = Case { values, outer: vec![0; 12], rejected: rejected.to_vec() };
        let sampling = SamplingPlan { seed: Some(1), ..SamplingPlan::default() };
        let found =
            estimate(case.cells(), &case.values, &case.rejected, &condition, &sampling, (1_000_000, &meter())).unwrap();
        assert!(found.is_none());
    }
}
