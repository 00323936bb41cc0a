//! Scripts: all random choices of a publisher, played one combination after the other.
//!
//! Whoever draws asks for one of some options at a [`ChoicePlace`]. The first run takes the first option everywhere and notes
//! where choices were made; [`ChoiceScript::advance`] changes the last one, as an odometer does, and forgets those that only
//! came because of it. A run's probability is the product over its choices. Runs may ask from several threads: a choice
//! is noted after all choices it depends on, whatever else happens in between, so every combination comes exactly once.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;

use crate::error::{Error, ErrorKind, Result};
use crate::exact::{Fraction, fraction};
use crate::randomness::{ChoicePurpose, RandomSource, ScriptPart};

/// Where a choice is made: the publisher, its stream and how many that has made before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChoicePlace {
    pub(super) member: u64,
    pub(super) purpose: ChoicePurpose,
    pub(super) group: u64,
    pub(super) item: u64,
    pub(super) index: u64,
}

impl ChoicePlace {
    /// This place; the next time the one after it.
    pub(super) fn next(&mut self) -> Self {
        let here = *self;
        self.index += 1;
        here
    }
}

/// A combination of random choices that is played, and those that are still to come.
#[derive(Debug, Default)]
pub struct ChoiceScript {
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    /// In the order in which they were first asked for.
    choices: Vec<Choice>,
    at: HashMap<ChoicePlace, usize>,
}

#[derive(Debug)]
struct Choice {
    place: ChoicePlace,
    /// Of every option, how likely it is in relation to the others.
    weights: Vec<usize>,
    taken: usize,
}

impl Choice {
    /// The first option from `from` on that is possible.
    fn possible(&self, from: usize) -> Option<usize> {
        (from..self.weights.len()).find(|&option| self.weights[option] > 0)
    }
}

impl ChoiceScript {
    /// The first combination.
    pub fn new() -> Self {
        Self::default()
    }

    /// The choices that are played.
    pub fn randomness(&self) -> RandomSource<'_> {
        RandomSource::Scripted(ScriptPart { script: self, member: 0 })
    }

    /// The option that is played at `place`, where option i has `weights[i]` in as many chances as all together; one is
    /// positive.
    pub(super) fn choose(&self, place: ChoicePlace, weights: &[usize]) -> usize {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&at) = taken.at.get(&place) {
            return taken.choices[at].taken;
        }
        let mut choice = Choice { place, weights: weights.to_vec(), taken: 0 };
        choice.taken = choice.possible(0).unwrap_or(0);
        let (at, first) = (taken.choices.len(), choice.taken);
        taken.at.insert(place, at);
        taken.choices.push(choice);
        first
    }

    /// How probable the combination is that was played.
    pub fn probability(&self) -> Fraction {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.choices.iter().fold(Fraction::ONE, |probability, choice| {
            let all: usize = choice.weights.iter().sum();
            probability * fraction(choice.weights[choice.taken] as u64, all as u64)
        })
    }

    /// Goes on to the next combination; says whether there is one.
    pub fn advance(&mut self) -> bool {
        let taken = self.taken.get_mut().unwrap_or_else(PoisonError::into_inner);
        while let Some(last) = taken.choices.last_mut() {
            if let Some(option) = last.possible(last.taken + 1) {
                last.taken = option;
                return true;
            }
            let place = last.place;
            taken.at.remove(&place);
            taken.choices.pop();
        }
        false
    }
}

/// Everything that `run` may give, with its exact probability; `run` is called once for every combination of random
/// choices, `limit` times at most.
pub fn chances<T: Ord>(
    limit: u64,
    mut run: impl FnMut(RandomSource<'_>) -> Result<T>,
) -> Result<BTreeMap<T, Fraction>> {
    let mut script = ChoiceScript::new();
    let mut chances = BTreeMap::new();
    for _ in 0..limit {
        let result = run(script.randomness())?;
        *chances.entry(result).or_insert(Fraction::ZERO) += script.probability();
        if !script.advance() {
            return Ok(chances);
        }
    }
    Err(Error::new(
        ErrorKind::LimitExceeded,
        format!("the random choices combine in more than {limit} ways, the limit; take a smaller table"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chances<T: Ord>(run: impl Fn(RandomSource<'_>) -> T) -> BTreeMap<T, Fraction> {
        crate::randomness::chances(100, |randomness| Ok(run(randomness))).unwrap()
    }

    #[test]
    fn every_order_is_played_once() {
        let orders = chances(|randomness| {
            let mut items = [0, 1, 2, 3];
            randomness.stream(ChoicePurpose::Ties, 0, 0).shuffle(&mut items);
            items
        });
        assert_eq!(orders.len(), 24);
        assert!(orders.values().all(|chance| *chance == fraction(1, 24u8)));
    }

    #[test]
    fn arrangements_are_equally_likely() {
        let arranged = chances(|randomness| randomness.stream(ChoicePurpose::Deal, 0, 0).arrange(&[2, 0, 1, 1]));
        assert_eq!(arranged.len(), 12);
        assert!(arranged.values().all(|chance| *chance == fraction(1, 12u8)));
    }

    #[test]
    fn later_choices_may_depend_on_earlier_ones() {
        let sums = chances(|randomness| {
            let mut source = randomness.stream(ChoicePurpose::Choice, 0, 0);
            let dice = source.below(3);
            (0..dice).map(|item| randomness.stream(ChoicePurpose::Choice, 1, item as u64).below(2)).sum::<usize>()
        });
        let expected = [(0, fraction(7, 12u8)), (1, fraction(4, 12u8)), (2, fraction(1, 12u8))];
        assert_eq!(sums, BTreeMap::from(expected));
    }

    #[test]
    fn publishers_of_a_family_choose_independently() {
        let pairs = chances(|randomness| {
            [1, 2].map(|member| randomness.of_member(member).stream(ChoicePurpose::Choice, 0, 0).below(2))
        });
        assert_eq!(pairs.len(), 4);
        assert!(pairs.values().all(|chance| *chance == fraction(1, 4u8)));
    }

    #[test]
    fn without_choices_there_is_one_combination() {
        assert_eq!(chances(|_| 5), BTreeMap::from([(5, Fraction::ONE)]));
    }

    #[test]
    fn more_combinations_than_the_limit_are_refused() {
        let dice = |limit| {
            crate::randomness::chances(limit, |randomness| Ok(randomness.stream(ChoicePurpose::Choice, 0, 0).below(6)))
        };
        assert_eq!(dice(6).unwrap().len(), 6);
        let error = dice(5).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        assert!(error.message().contains("more than 5 ways"), "{error}");
    }

    #[test]
    fn an_error_of_a_run_passes_through() {
        let failed = crate::randomness::chances(9, |_| Err::<u8, _>(Error::invalid("no")));
        assert_eq!(failed.unwrap_err().message(), "no");
    }
}
