//! Estimates of belief, for mechanisms that are too slow or tables too large to try every original.

use pellucid_model::error::Result;
use pellucid_model::randomness::{Purpose, Source};
use rayon::prelude::*;

use super::{World, Worlds};
use crate::belief::{Interval, Surety};
use crate::budget::Sampling;

/// Where originals are drawn from, each as likely as every other.
#[derive(Debug, Clone, Copy)]
pub enum Urn<'a> {
    /// All that are possible beforehand.
    Worlds(&'a Worlds),
    /// Those in which the values of a world stay within their groups: people, numbered as in the external source.
    Within {
        /// The groups, of all people of the world.
        groups: &'a [Vec<usize>],
        /// The world.
        world: &'a World,
    },
}

impl Urn<'_> {
    fn draw(self, source: &mut Source<'_>) -> World {
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

/// Belief that was estimated.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampled {
    /// Originals that were drawn.
    pub draws: u64,
    /// Those that give what was seen.
    pub kept: u64,
    values: usize,
    /// By person and value.
    intervals: Vec<Interval>,
}

impl Sampled {
    /// Where the probability of `value` for `person` lies.
    pub fn probability(&self, person: usize, value: u32) -> Interval {
        self.intervals[person * self.values + value as usize]
    }

    /// Where the risk of `person`, the highest probability of a value, lies.
    pub fn risk(&self, person: usize) -> Interval {
        let all = &self.intervals[person * self.values..(person + 1) * self.values];
        let most = |end: fn(&Interval) -> f64| all.iter().map(end).fold(0.0, f64::max);
        let at = all.iter().filter_map(|interval| interval.at).reduce(f64::max);
        Interval { low: most(|interval| interval.low), at, high: most(|interval| interval.high) }
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
    urn: Urn<'_>,
    sampling: &Sampling,
    gives: impl Fn(&World, &mut Source<'_>) -> Result<bool> + Sync,
) -> Result<Sampled> {
    sampling.check()?;
    let randomness = sampling.randomness()?;
    let width = values as usize;
    let empty = || (0u64, vec![0u64; people * width]);
    let one = |draw: u64| {
        let mut source = randomness.stream(Purpose::Worlds, 0, draw);
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
    let surety = Surety::new(sampling.confidence, counts.len().max(1) as u64);
    let interval = |&count: &u64| surety.interval(if kept == 0 { 0.0 } else { count as f64 / kept as f64 }, kept);
    Ok(Sampled { draws: sampling.draws, kept, values: width, intervals: counts.iter().map(interval).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampling(draws: u64) -> Sampling {
        Sampling { draws, confidence: 0.99, seed: Some(7) }
    }

    #[test]
    fn intervals_hold_what_counting_gives() {
        // Of the arrangements of 0, 0, 1 among three people, those in which the first has 0: the others have 0 in half.
        let worlds = Worlds::of_multiset(3, &[0, 0, 1]);
        let gives = |world: &World, _: &mut Source<'_>| Ok(world.value_of(0) == Some(0));
        let found = sample(3, 2, Urn::Worlds(&worlds), &sampling(4000), gives).unwrap();
        assert!((2400..2900).contains(&found.kept), "{}", found.kept);
        assert!(found.probability(0, 0).low > 0.99 && found.risk(0).high >= 1.0);
        assert!(found.probability(1, 0).contains(0.5) && found.probability(2, 1).contains(0.5));
        assert!(found.risk(1).contains(0.5) && found.risk(1).high < 0.6);
    }

    #[test]
    fn values_stay_within_their_groups() {
        let world = World::new(vec![(0, 0), (1, 1), (2, 2), (3, 3)]);
        let groups = [vec![0, 1], vec![2, 3]];
        let urn = Urn::Within { groups: &groups, world: &world };
        let found = sample(4, 4, urn, &sampling(1000), |_, _| Ok(true)).unwrap();
        assert_eq!(found.kept, 1000);
        assert!(found.probability(0, 1).contains(0.5) && found.probability(0, 2).at == Some(0.0));
    }

    #[test]
    fn nothing_is_known_when_nothing_is_kept() {
        let worlds = Worlds::any(2, 2);
        let found = sample(2, 2, Urn::Worlds(&worlds), &sampling(10), |_, _| Ok(false)).unwrap();
        assert_eq!((found.kept, found.risk(0).low, found.risk(0).at, found.risk(0).high), (0, 0.0, None, 1.0));
    }
}
