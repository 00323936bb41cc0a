//! Estimates of belief, for mechanisms that are too slow or tables too large to try every original.

use pellucid_model::error::Result;
use pellucid_model::randomness::{ChoicePurpose, RandomStream};
use rayon::prelude::*;

use super::{PossibleWorlds, World};
use crate::belief::{Belief, ConfidenceLevel};
use crate::budget::SamplingPlan;
use crate::estimate::{Estimate, SampleMethod, SampleRecord};

/// Where originals are drawn from, each as likely as every other.
#[derive(Debug, Clone, Copy)]
pub enum WorldUrn<'a> {
    /// All that are possible beforehand.
    Worlds(&'a PossibleWorlds),
    /// Those in which the values of a world stay within their groups: people, numbered as in the external source.
    Within {
        /// The groups, of all people of the world.
        groups: &'a [Vec<usize>],
        /// The world.
        world: &'a World,
    },
}

impl WorldUrn<'_> {
    fn draw(self, source: &mut RandomStream<'_>) -> World {
        match self {
            Self::Worlds(worlds) => worlds.draw(source),
            Self::Within { groups, world } => {
                let mut rows = Vec::with_capacity(world.rows().len());
                for group in groups {
                    let mut values: Vec<u32> = group.iter().filter_map(|&person| world.value_of(person)).collect();
                    source.shuffle(&mut values);
                    rows.extend(group.iter().copied().zip(values));
                }
                World::new(rows)
            }
        }
    }
}

/// Draws originals for `people` people and `values` values from `urn`, keeps those of which `gives` says that they give what
/// was seen, and estimates belief from them. `gives` may draw too: then it says yes with the probability of what was seen.
///
/// # Guarantee
/// Originals that are kept are independent draws from what is believed, so that all intervals hold together with the
/// confidence of `sampling`. Whatever is not in the urn must be impossible given what was seen.
pub fn sample(
    people: usize,
    values: u32,
    urn: WorldUrn<'_>,
    sampling: &SamplingPlan,
    gives: impl Fn(&World, &mut RandomStream<'_>) -> Result<bool> + Sync,
) -> Result<Belief> {
    sampling.check()?;
    let randomness = sampling.randomness()?;
    let width = values as usize;
    let empty = || (0u64, vec![0u64; people * width]);
    let one = |draw: u64| {
        let mut source = randomness.stream(ChoicePurpose::Worlds, 0, draw);
        let world = urn.draw(&mut source);
        let mut tally = empty();
        if gives(&world, &mut source)? {
            tally.0 = 1;
            world.rows().iter().for_each(|&(person, value)| tally.1[person * width + value as usize] += 1);
        }
        Ok(tally)
    };
    let add = |mut a: (u64, Vec<u64>), b: (u64, Vec<u64>)| {
        a.0 += b.0;
        a.1.iter_mut().zip(b.1).for_each(|(place, count)| *place += count);
        Ok(a)
    };
    let draws = (0..sampling.draws as usize).into_par_iter().with_max_len(1);
    let (kept, counts) = draws.map(|draw| one(draw as u64)).try_reduce(empty, add)?;
    let surety = ConfidenceLevel::new(sampling.confidence, counts.len().max(1) as u64);
    let record = SampleRecord {
        method: SampleMethod::Independent,
        draws: sampling.draws,
        effective: kept as f64,
        confidence: sampling.confidence,
        share: None,
        views: None,
    };
    if kept == 0 {
        let none = format!("none of {} originals that were drawn gives what was seen", sampling.draws);
        return Ok(Belief::unknown(people, none).with_samples(vec![record]));
    }
    let interval = |count: u64| surety.interval(count as f64 / kept as f64, kept);
    let estimate = |person: usize| {
        let counts = &counts[person * width..(person + 1) * width];
        let intervals = (0..values).zip(counts).map(|(code, &count)| (code, interval(count)));
        Estimate::Sampled(intervals.collect(), SampleMethod::Independent)
    };
    let atoms = (0..people).map(|person| (vec![person as u32], estimate(person)));
    Ok(Belief::of_atoms(people, atoms.collect(), None).with_samples(vec![record]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::UnitInterval;

    fn of(found: &Belief, person: usize) -> Estimate {
        found.estimate(person).unwrap()
    }

    fn kept(found: &Belief) -> u64 {
        found.samples()[0].effective as u64
    }

    fn sampling(draws: u64) -> SamplingPlan {
        SamplingPlan { draws, confidence: 0.99, seed: Some(7) }
    }

    #[test]
    fn intervals_hold_what_counting_gives() {
        // Of the arrangements of 0, 0, 1 among three people, those in which the first has 0: the others have 0 in half.
        let worlds = PossibleWorlds::of_multiset(3, &[0, 0, 1]);
        let gives = |world: &World, _: &mut RandomStream<'_>| Ok(world.value_of(0) == Some(0));
        let found = sample(3, 2, WorldUrn::Worlds(&worlds), &sampling(4000), gives).unwrap();
        assert!((2400..2900).contains(&kept(&found)), "{}", kept(&found));
        assert!(of(&found, 0).probability(0).low > 0.99 && of(&found, 0).highest().within.high >= 1.0);
        assert!(of(&found, 1).probability(0).contains(0.5) && of(&found, 2).probability(1).contains(0.5));
        let risk = of(&found, 1).highest().within;
        assert!(risk.contains(0.5) && risk.high < 0.6);
    }

    #[test]
    fn values_stay_within_their_groups() {
        let world = World::new(vec![(0, 0), (1, 1), (2, 2), (3, 3)]);
        let groups = [vec![0, 1], vec![2, 3]];
        let urn = WorldUrn::Within { groups: &groups, world: &world };
        let found = sample(4, 4, urn, &sampling(1000), |_, _| Ok(true)).unwrap();
        assert_eq!(kept(&found), 1000);
        assert!(of(&found, 0).probability(1).contains(0.5) && of(&found, 0).probability(2).at == Some(0.0));
    }

    #[test]
    fn nothing_is_known_when_nothing_is_kept() {
        let worlds = PossibleWorlds::any(2, 2);
        let found = sample(2, 2, WorldUrn::Worlds(&worlds), &sampling(10), |_, _| Ok(false)).unwrap();
        assert_eq!((kept(&found), of(&found, 0).highest().within), (0, UnitInterval::ANY));
    }
}
