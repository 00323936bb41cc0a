//! Beliefs: worlds left, and for every person and value in how many of them the person has it.

use std::sync::Arc;

use dashu_base::UnsignedAbs;
use dashu_int::{IBig, UBig};
use hashbrown::HashMap;
use pellucid_model::distribution::Distribution;
use pellucid_model::exact::{Fraction, fraction};
use rayon::prelude::*;

use super::condition::Condition;
use super::engine::{Outcome, Solution};
use super::layout::Layout;

/// A part of a term with the weight that all other parts give it.
#[derive(Debug, Clone)]
pub(super) struct BeliefPart {
    /// The code of every value of the puzzle.
    pub(super) codes: Vec<u32>,
    pub(super) solution: Arc<Solution>,
    pub(super) factor: Arc<IBig>,
}

/// One term of a formula, counted.
#[derive(Debug, Clone)]
pub(super) struct BeliefTerm {
    pub(super) parts: Vec<BeliefPart>,
    pub(super) layout: Arc<Layout>,
}

/// The highest probability in a belief, and whom it concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Highest {
    /// The probability.
    pub ratio: Fraction,
    /// Whom it concerns, in ascending order.
    pub people: Vec<usize>,
}

/// Fewer atoms than this are not worth another thread.
const FEW: usize = 256;

/// What counting took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// States of dynamic programs visited.
    pub states: u64,
}

/// What is held possible: a number of equally likely worlds, and what they say about each person.
///
/// Kept as a sum of products: the numbers of one person are added up when they are asked for.
#[derive(Debug, Clone)]
pub struct Belief {
    worlds: UBig,
    terms: Vec<BeliefTerm>,
    /// People about whom the same is believed because nothing tells them apart.
    atoms: Vec<Vec<u32>>,
    atom_of: Vec<u32>,
    effort: Effort,
}

impl Belief {
    pub(super) fn new(people: usize, terms: Vec<BeliefTerm>, states: u64) -> Self {
        let worlds = terms.iter().fold(IBig::ZERO, |sum, term| {
            let part = &term.parts[0];
            sum + part.factor.as_ref() * IBig::from(part.solution.outcome().count.clone())
        });
        debug_assert!(worlds >= IBig::ZERO, "a number of worlds is not negative");
        let mut numbers: HashMap<Vec<(u32, u32)>, u32> = HashMap::new();
        let mut atoms: Vec<Vec<u32>> = Vec::new();
        let mut atom_of = Vec::with_capacity(people);
        for person in 0..people {
            let places: Vec<(u32, u32)> = terms.iter().map(|term| term.layout.place[person]).collect();
            let next = atoms.len() as u32;
            let atom = *numbers.entry(places).or_insert(next);
            if atom == next {
                atoms.push(Vec::new());
            }
            atoms[atom as usize].push(person as u32);
            atom_of.push(atom);
        }
        Self { worlds: worlds.unsigned_abs(), terms, atoms, atom_of, effort: Effort { states } }
    }

    /// What was counted elsewhere: `count` worlds of people who are each in a unit, and by unit and code in how many of them a
    /// given person of the unit has it.
    pub(crate) fn of_units(codes: Vec<u32>, count: UBig, unit_of: &[u32], worlds: Vec<Vec<UBig>>, states: u64) -> Self {
        let place = unit_of.iter().map(|&unit| (0, unit)).collect();
        let solution = Arc::new(Solution::Plain(Outcome { count, worlds }));
        let part = BeliefPart { codes, solution, factor: Arc::new(IBig::ONE) };
        let layout = Arc::new(Layout { parts: Vec::new(), place });
        Self::new(unit_of.len(), vec![BeliefTerm { parts: vec![part], layout }], states)
    }

    /// Number of worlds.
    pub fn worlds(&self) -> &UBig {
        &self.worlds
    }

    /// Whether no world is left.
    pub fn is_empty(&self) -> bool {
        self.worlds == UBig::ZERO
    }

    /// Belief about `person`; `None` when no world is left.
    pub fn distribution(&self, person: usize) -> Option<Distribution> {
        (!self.is_empty()).then(|| Distribution::new(self.numbers(self.atom_of[person] as usize)))
    }

    /// People about whom the same is believed because nothing tells them apart, with that belief; nobody when no world is
    /// left.
    pub fn atoms(&self) -> impl Iterator<Item = (&[u32], Distribution)> {
        let atoms = if self.is_empty() { &[] } else { self.atoms.as_slice() };
        atoms.iter().enumerate().map(|(at, people)| (people.as_slice(), Distribution::new(self.numbers(at))))
    }

    /// In how many worlds the people of an atom have each value.
    fn numbers(&self, atom: usize) -> Vec<(u32, UBig)> {
        let person = self.atoms[atom][0] as usize;
        let mut numbers: Vec<(u32, IBig)> = Vec::new();
        for term in &self.terms {
            let (part, unit) = term.layout.place[person];
            let part = &term.parts[part as usize];
            for (&code, worlds) in part.codes.iter().zip(&part.solution.outcome().worlds[unit as usize]) {
                if *worlds == UBig::ZERO {
                    continue;
                }
                let number = part.factor.as_ref() * IBig::from(worlds.clone());
                match numbers.iter_mut().find(|entry| entry.0 == code) {
                    Some(entry) => entry.1 += number,
                    None => numbers.push((code, number)),
                }
            }
        }
        numbers.sort_unstable_by_key(|entry| entry.0);
        numbers.into_iter().map(|(code, number)| (code, number.unsigned_abs())).collect()
    }

    /// The highest probability of any value for any person; `None` when no world is left.
    pub fn highest(&self) -> Option<Highest> {
        self.highest_among(|_| true)
    }

    /// The highest probability, for any person, of the values that count; `None` when no world is left.
    pub fn highest_among(&self, counts: impl Fn(u32) -> bool + Send + Sync) -> Option<Highest> {
        if self.is_empty() {
            return None;
        }
        let tops: Vec<UBig> = self.each_atom(|atom| {
            let counted = self.numbers(atom).into_iter().filter(|entry| counts(entry.0));
            counted.map(|entry| entry.1).max().unwrap_or(UBig::ZERO)
        });
        let top = tops.iter().max().expect("there are people").clone();
        let mut people: Vec<usize> = (0..self.atoms.len())
            .filter(|&atom| tops[atom] == top)
            .flat_map(|atom| self.atoms[atom].iter().map(|&person| person as usize))
            .collect();
        people.sort_unstable();
        Some(Highest { ratio: fraction(top, self.worlds.clone()), people })
    }

    /// Whether the condition holds on the belief about every person; `None` when no world is left.
    pub fn holds(&self, condition: &Condition<'_>) -> Option<bool> {
        let passes = |atom: usize| condition.holds_on(&Distribution::new(self.numbers(atom)));
        (!self.is_empty()).then(|| {
            if self.atoms.len() < FEW {
                (0..self.atoms.len()).all(passes)
            } else {
                (0..self.atoms.len()).into_par_iter().all(passes)
            }
        })
    }

    /// Evaluates `what` for every atom, on all cores when there are many.
    fn each_atom<T: Send>(&self, what: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
        if self.atoms.len() < FEW {
            (0..self.atoms.len()).map(what).collect()
        } else {
            (0..self.atoms.len()).into_par_iter().map(what).collect()
        }
    }

    /// For how many people the condition does not hold.
    pub fn failing(&self, condition: &Condition<'_>) -> usize {
        if self.is_empty() {
            return 0;
        }
        let failing = self.each_atom(|atom| {
            let passes = condition.holds_on(&Distribution::new(self.numbers(atom)));
            if passes { 0 } else { self.atoms[atom].len() }
        });
        failing.into_iter().sum()
    }

    /// The largest of what `figure` says of the belief about anybody; `None` when there is no world, or nothing is said.
    pub fn largest<T: Ord + Send>(&self, figure: impl Fn(&Distribution) -> Option<T> + Send + Sync) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        let figures = self.each_atom(|atom| figure(&Distribution::new(self.numbers(atom))));
        figures.into_iter().flatten().max()
    }

    /// What counting took.
    pub fn effort(&self) -> Effort {
        self.effort
    }
}
