//! Reverse engineering: belief of an adversary who knows the mechanism, from every possible original.

use std::collections::BTreeMap;

use dashu_base::{Gcd, UnsignedAbs};
use dashu_int::UBig;
use pellucid_model::distribution::Distribution;
use pellucid_model::error::Result;
use pellucid_model::exact::Fraction;

use super::{Mechanism, PossibleWorlds, World};
use crate::belief::Belief;
use crate::estimate::Estimate;

/// Belief after one answer of a mechanism.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PosteriorBelief {
    /// The sum over all worlds of the probability of this answer; 0 when the answer is impossible.
    pub weight: Fraction,
    /// Number of worlds in which the answer is possible.
    pub worlds: u64,
    shares: Vec<BTreeMap<u32, Share>>,
}

/// One value of one person.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Share {
    probability: Fraction,
    worlds: u64,
}

impl PosteriorBelief {
    /// The values that `person` may have with the probability of each, that is, of being in the table with this value;
    /// the rest to 1 is the probability of not being in the table.
    pub fn values(&self, person: usize) -> impl Iterator<Item = (u32, &Fraction)> {
        self.shares[person].iter().map(|(&value, share)| (value, &share.probability))
    }

    /// The probability that `person` is in the table with `value`.
    pub fn probability(&self, person: usize, value: u32) -> Fraction {
        self.shares[person].get(&value).map_or(Fraction::ZERO, |share| share.probability.clone())
    }

    /// Belief about the value of `person`, given that they are in the table; `None` when they cannot be.
    pub fn distribution(&self, person: usize) -> Option<Distribution> {
        let values: Vec<(u32, &Fraction)> = self.values(person).collect();
        let common = values.iter().fold(UBig::ONE, |common, (_, probability)| {
            let denominator = probability.denominator();
            &common / (&common).gcd(denominator) * denominator
        });
        let weight = |probability: &Fraction| (probability * Fraction::from(common.clone())).trunc().unsigned_abs();
        (!values.is_empty()).then(|| Distribution::new(values.iter().map(|&(value, share)| (value, weight(share)))))
    }

    /// What is believed of everybody: of being in the table with a value, or not being in it.
    pub fn belief(&self) -> Belief {
        let estimate = |person: usize| {
            let values: Vec<(u32, &Fraction)> = self.values(person).collect();
            let common = values.iter().fold(UBig::ONE, |common, (_, probability)| {
                let denominator = probability.denominator();
                &common / (&common).gcd(denominator) * denominator
            });
            let weight = |probability: &Fraction| (probability * Fraction::from(common.clone())).trunc().unsigned_abs();
            let present: UBig = values.iter().map(|value| weight(value.1)).fold(UBig::ZERO, |sum, weight| sum + weight);
            let weights = values.iter().map(|&(value, share)| (value, weight(share)));
            Estimate::Exact(Distribution::with_absent(weights, &(&common - present)))
        };
        let atoms = (0..self.people()).map(|person| (vec![person as u32], estimate(person)));
        Belief::of_atoms(self.people(), atoms.collect(), Some(UBig::from(self.worlds)))
    }

    /// Number of worlds that are left in which `person` has `value`.
    pub fn support(&self, person: usize, value: u32) -> u64 {
        self.shares[person].get(&value).map_or(0, |share| share.worlds)
    }

    /// Number of people.
    pub fn people(&self) -> usize {
        self.shares.len()
    }

    /// The disclosure risk of `person`: the highest probability of a value (definition 3).
    pub fn risk(&self, person: usize) -> Fraction {
        self.values(person).map(|value| value.1).max().cloned().unwrap_or(Fraction::ZERO)
    }

    /// The highest disclosure risk of anybody.
    pub fn max_risk(&self) -> Fraction {
        self.max_risk_on(|_| true)
    }

    /// The highest probability of a value that `wanted` says yes to, of anybody.
    pub fn max_risk_on(&self, wanted: impl Fn(u32) -> bool) -> Fraction {
        let all = (0..self.people()).flat_map(|person| self.values(person));
        all.filter(|value| wanted(value.0)).map(|value| value.1).max().cloned().unwrap_or(Fraction::ZERO)
    }
}

/// Belief of an adversary who holds `worlds` equally likely, knows `mechanism`, and has `seen` what it answered; `None` is
/// that it answered nothing, which is evidence like any other.
///
/// # Guarantee
/// Proposition 1: a person has a value with the sum of the probabilities of this answer over the worlds in which that is
/// so, divided by the same over all worlds.
///
/// # Cost
/// A run of the mechanism for every world; two words of memory for every person, value and different probability.
pub fn reverse_engineer<M: Mechanism>(
    mechanism: &M,
    worlds: &PossibleWorlds,
    seen: Option<&M::Seen>,
) -> Result<PosteriorBelief> {
    let each = |tally: &mut Tally, world: &World| {
        for (answer, probability) in mechanism.answers(world)? {
            if answer.as_ref() == seen {
                tally.add(worlds, world, probability);
            }
        }
        Ok(())
    };
    Ok(worlds.fold(Tally::default, each, Tally::merged)?.posterior(worlds))
}

/// The same for every answer that is possible in one of the worlds.
///
/// # Cost
/// As [`reverse_engineer`], and the memory once for every different answer.
pub fn reverse_engineer_all<M: Mechanism>(
    mechanism: &M,
    worlds: &PossibleWorlds,
) -> Result<BTreeMap<Option<M::Seen>, PosteriorBelief>> {
    let each = |tallies: &mut BTreeMap<Option<M::Seen>, Tally>, world: &World| {
        for (answer, probability) in mechanism.answers(world)? {
            tallies.entry(answer).or_default().add(worlds, world, probability);
        }
        Ok(())
    };
    let merge = |a: BTreeMap<Option<M::Seen>, Tally>, b: BTreeMap<Option<M::Seen>, Tally>| {
        let (mut large, small) = if a.len() < b.len() { (b, a) } else { (a, b) };
        for (answer, tally) in small {
            let place = large.entry(answer).or_default();
            *place = std::mem::take(place).merged(tally);
        }
        large
    };
    let tallies = worlds.fold(BTreeMap::new, each, merge)?;
    Ok(tallies.into_iter().map(|(answer, tally)| (answer, tally.posterior(worlds))).collect())
}

/// Worlds by the probability that they give an answer, so that counting needs whole numbers only.
#[derive(Debug, Default)]
struct Tally(BTreeMap<Fraction, Counts>);

#[derive(Debug)]
struct Counts {
    worlds: u64,
    /// By person and value.
    with: Vec<u64>,
}

impl Tally {
    fn add(&mut self, worlds: &PossibleWorlds, world: &World, probability: Fraction) {
        let values = worlds.values() as usize;
        let empty = || Counts { worlds: 0, with: vec![0; worlds.people() * values] };
        let counts = self.0.entry(probability).or_insert_with(empty);
        counts.worlds += 1;
        for &(person, value) in world.rows() {
            counts.with[person * values + value as usize] += 1;
        }
    }

    fn merged(mut self, other: Self) -> Self {
        for (probability, counts) in other.0 {
            let Some(place) = self.0.get_mut(&probability) else {
                self.0.insert(probability, counts);
                continue;
            };
            place.worlds += counts.worlds;
            place.with.iter_mut().zip(counts.with).for_each(|(place, count)| *place += count);
        }
        self
    }

    fn posterior(&self, worlds: &PossibleWorlds) -> PosteriorBelief {
        let weigh = |count: &dyn Fn(&Counts) -> u64| {
            let parts = self.0.iter().map(|(probability, counts)| probability * Fraction::from(count(counts)));
            parts.fold(Fraction::ZERO, |sum, part| sum + part)
        };
        let weight = weigh(&|counts| counts.worlds);
        let values = worlds.values() as usize;
        let share = |person: usize, value: usize| {
            let with = |counts: &Counts| counts.with[person * values + value];
            let support: u64 = self.0.values().map(with).sum();
            (support > 0).then(|| (value as u32, Share { probability: weigh(&with) / &weight, worlds: support }))
        };
        PosteriorBelief {
            worlds: self.0.values().map(|counts| counts.worlds).sum(),
            shares: (0..worlds.people())
                .map(|person| (0..values).filter_map(|value| share(person, value)).collect())
                .collect(),
            weight,
        }
    }
}

#[cfg(test)]
mod tests {
    use pellucid_model::error::Error;
    use pellucid_model::exact::fraction;

    use super::*;

    /// Shows how many people are in the table, or nothing when everybody there has value 0; with two people it tosses
    /// a coin whether to say 2 or 1.
    struct Size;

    impl Mechanism for Size {
        type Seen = usize;

        fn answers(&self, world: &World) -> Result<Vec<(Option<usize>, Fraction)>> {
            let size = world.rows().len();
            Ok(if world.rows().iter().all(|row| row.1 == 0) {
                vec![(None, Fraction::ONE)]
            } else if size == 2 {
                vec![(Some(1), fraction(1, 2u8)), (Some(2), fraction(1, 2u8))]
            } else {
                vec![(Some(size), Fraction::ONE)]
            })
        }
    }

    #[test]
    fn worlds_are_weighed_by_the_probability_of_the_answer() {
        // Two people, values 0 and 1. "1" comes of {a: 1} and {b: 1}, and with 1/2 of the worlds 01, 10, 11 of both.
        let belief = reverse_engineer(&Size, &PossibleWorlds::any(2, 2), Some(&1)).unwrap();
        assert_eq!((belief.weight.clone(), belief.worlds), (fraction(7, 2u8), 5));
        assert_eq!(belief.probability(0, 1), fraction(4, 7u8));
        assert_eq!(belief.probability(0, 0), fraction(1, 7u8));
        assert_eq!((belief.support(0, 1), belief.support(0, 0)), (3, 1));
        assert_eq!((belief.risk(1), belief.max_risk()), (fraction(4, 7u8), fraction(4, 7u8)));
        assert_eq!(belief.max_risk_on(|value| value == 0), fraction(1, 7u8));
    }

    #[test]
    fn nothing_is_evidence_too() {
        // {a: 0}, {b: 0} and both.
        let belief = reverse_engineer(&Size, &PossibleWorlds::any(2, 2), None).unwrap();
        assert_eq!((belief.worlds, belief.probability(0, 0), belief.support(0, 1)), (3, fraction(2, 3u8), 0));
    }

    #[test]
    fn all_answers_at_once_are_the_same_as_one_by_one() {
        let worlds = PossibleWorlds::any(4, 3);
        let all = reverse_engineer_all(&Size, &worlds).unwrap();
        assert_eq!(all.keys().copied().collect::<Vec<_>>(), [None, Some(1), Some(2), Some(3), Some(4)]);
        for (seen, belief) in &all {
            assert_eq!(belief, &reverse_engineer(&Size, &worlds, seen.as_ref()).unwrap());
        }
        let total = all.values().fold(Fraction::ZERO, |sum, belief| sum + &belief.weight);
        assert_eq!(total, fraction(255, 1u8));
    }

    #[test]
    fn belief_by_groups_is_that_of_trying_the_arrangements_within_them() {
        struct Within(World);
        impl Mechanism for Within {
            type Seen = ();
            fn answers(&self, world: &World) -> Result<Vec<(Option<()>, Fraction)>> {
                let values = |world: &World, people: [usize; 2]| {
                    let mut values = people.map(|person| world.value_of(person));
                    values.sort_unstable();
                    values
                };
                let fits = [[0, 2], [1, 3]].iter().all(|&group| values(world, group) == values(&self.0, group));
                Ok(vec![(fits.then_some(()), Fraction::ONE)])
            }
        }
        let world = World::new(vec![(0, 0), (1, 1), (2, 1), (3, 1)]);
        let worlds = PossibleWorlds::of_multiset(4, &[0, 1, 1, 1]);
        let tried = reverse_engineer(&Within(world.clone()), &worlds, Some(&())).unwrap();
        let groups = [[0u32, 2], [1, 3]];
        let belief = Belief::of_groups(groups.iter().map(<[u32; 2]>::as_slice), &[0, 1, 1, 1]);
        for person in 0..4 {
            let belief = belief.distribution(person).unwrap();
            assert!((0..2).all(|value| belief.probability(value) == tried.probability(person, value)));
            let tried = tried.belief().distribution(person).unwrap();
            assert!((0..2).all(|value| belief.probability(value) == tried.probability(value)));
        }
    }

    #[test]
    fn an_impossible_answer_leaves_no_world() {
        let belief = reverse_engineer(&Size, &PossibleWorlds::any(2, 2), Some(&7)).unwrap();
        assert_eq!((belief.worlds, belief.weight.clone(), belief.max_risk()), (0, Fraction::ZERO, Fraction::ZERO));
    }

    #[test]
    fn an_error_of_the_mechanism_passes_through() {
        struct Broken;
        impl Mechanism for Broken {
            type Seen = ();
            fn answers(&self, _: &World) -> Result<Vec<(Option<()>, Fraction)>> {
                Err(Error::invalid("the program ended with status 1; mend it"))
            }
        }
        let error = reverse_engineer_all(&Broken, &PossibleWorlds::any(2, 2)).unwrap_err();
        assert_eq!(error.message(), "the program ended with status 1; mend it");
    }
}
