//! Beliefs: what is believed of everybody, counted or as far as it is known.

use std::sync::Arc;

use dashu_base::UnsignedAbs;
use dashu_int::{IBig, UBig};
use hashbrown::HashMap;
use pellucid_model::distribution::Distribution;
use pellucid_model::exact::fraction;
use pellucid_model::histogram::Histogram;
use rayon::prelude::*;

use super::engine::{PlainCount, ProblemSolution};
use super::layout::TermLayout;
use super::requirements::Requirements;
use crate::estimate::{Estimate, HighestProbability, SampleRecord};

/// A part of a term with the weight that all other parts give it.
#[derive(Debug, Clone)]
pub(super) struct BeliefPart {
    /// The code of every value of the puzzle.
    pub(super) codes: Vec<u32>,
    pub(super) solution: Arc<ProblemSolution>,
    pub(super) factor: Arc<IBig>,
}

/// One term of a formula, counted.
#[derive(Debug, Clone)]
pub(super) struct BeliefTerm {
    pub(super) parts: Vec<BeliefPart>,
    pub(super) layout: Arc<TermLayout>,
}

/// Fewer atoms than this are not worth another thread.
const FEW: usize = 256;

/// Nobody's atom.
const NONE: u32 = u32::MAX;

/// What is believed of everybody: people whom nothing tells apart, an atom, with an [`Estimate`] for each.
///
/// Where all was counted it is kept as a sum of products: the numbers of one atom are added up when they are asked for.
#[derive(Debug, Clone)]
pub struct Belief {
    worlds: Option<UBig>,
    atoms: Vec<Vec<u32>>,
    /// By person, the atom; [`NONE`] for people of whom nothing can be said because no world is left.
    atom_of: Vec<u32>,
    told: Told,
    samples: Vec<SampleRecord>,
    states: u64,
}

/// How the estimates of atoms are kept.
#[derive(Debug, Clone)]
enum Told {
    /// As equally likely worlds, counted.
    Counted(Vec<BeliefTerm>),
    /// One by one.
    Each(Vec<Estimate>),
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
        let told = Told::Counted(terms);
        Self { worlds: Some(worlds.unsigned_abs()), atoms, atom_of, told, samples: Vec::new(), states }
    }

    /// What is told of `people` people, atom by atom, with the number of worlds where all were counted. People in no atom are such of
    /// whom no world is left.
    pub fn of_atoms(people: usize, atoms: Vec<(Vec<u32>, Estimate)>, worlds: Option<UBig>) -> Self {
        let mut atom_of = vec![NONE; people];
        for (number, (members, _)) in (0..).zip(&atoms) {
            members.iter().for_each(|&person| atom_of[person as usize] = number);
        }
        let (atoms, each) = atoms.into_iter().unzip();
        Self { worlds, atoms, atom_of, told: Told::Each(each), samples: Vec::new(), states: 0 }
    }

    /// What is believed by somebody who sees how often each value of `values`, a code by person, occurs in each of `groups`, and knows
    /// nothing else. Worlds are not counted.
    pub fn of_groups<'g>(groups: impl IntoIterator<Item = &'g [u32]>, values: &[u32]) -> Self {
        let atom = |members: &'g [u32]| {
            let histogram = Histogram::of(members.iter().map(|&person| values[person as usize]));
            Some((members.to_vec(), Estimate::Exact(Distribution::of(&histogram)?)))
        };
        Self::of_atoms(values.len(), groups.into_iter().filter_map(atom).collect(), None)
    }

    /// Nothing is known of any of `people` people, for this reason.
    pub fn unknown(people: usize, why: String) -> Self {
        Self::of_atoms(people, vec![((0..people as u32).collect(), Estimate::Unknown(why))], None)
    }

    /// With the draws that it rests on.
    #[must_use]
    pub fn with_samples(self, samples: Vec<SampleRecord>) -> Self {
        Self { samples, ..self }
    }

    /// What was counted elsewhere: `count` worlds of people who are each in a unit, and by unit and code in how many of them a
    /// given person of the unit has it.
    pub(crate) fn of_units(codes: Vec<u32>, count: UBig, unit_of: &[u32], worlds: Vec<Vec<UBig>>, states: u64) -> Self {
        let place = unit_of.iter().map(|&unit| (0, unit)).collect();
        let solution = Arc::new(ProblemSolution::Plain(PlainCount { count, worlds }));
        let part = BeliefPart { codes, solution, factor: Arc::new(IBig::ONE) };
        let layout = Arc::new(TermLayout { parts: Vec::new(), place });
        Self::new(unit_of.len(), vec![BeliefTerm { parts: vec![part], layout }], states)
    }

    /// With the states that counting it visited.
    #[must_use]
    pub fn with_states(self, states: u64) -> Self {
        Self { states, ..self }
    }

    /// How many people it is about.
    pub fn people(&self) -> usize {
        self.atom_of.len()
    }

    /// The number of worlds; `None` when they were not counted.
    pub fn worlds(&self) -> Option<&UBig> {
        self.worlds.as_ref()
    }

    /// Whether no world is left.
    pub fn is_empty(&self) -> bool {
        self.worlds.as_ref() == Some(&UBig::ZERO)
    }

    /// Whether everything was counted.
    pub fn is_exact(&self) -> bool {
        match &self.told {
            Told::Counted(_) => true,
            Told::Each(estimates) => estimates.iter().all(|estimate| matches!(estimate, Estimate::Exact(_))),
        }
    }

    /// Whether nothing is known of anybody.
    pub fn is_unknown(&self) -> bool {
        match &self.told {
            Told::Counted(_) => false,
            Told::Each(estimates) => estimates.iter().all(|estimate| matches!(estimate, Estimate::Unknown(_))),
        }
    }

    /// The draws that it rests on, where it was not counted.
    pub fn samples(&self) -> &[SampleRecord] {
        &self.samples
    }

    /// What is believed of `person`; `None` when no world is left.
    pub fn estimate(&self, person: usize) -> Option<Estimate> {
        let atom = self.atom_of[person];
        (atom != NONE && !self.is_counted_out()).then(|| self.told(atom as usize))
    }

    /// What was counted about `person`; `None` when it was not, or no world is left.
    pub fn distribution(&self, person: usize) -> Option<Distribution> {
        match self.estimate(person)? {
            Estimate::Exact(belief) => Some(belief),
            _ => None,
        }
    }

    /// People about whom the same is believed because nothing tells them apart, with that belief; nobody when no world is left.
    pub fn atoms(&self) -> impl Iterator<Item = (&[u32], Estimate)> {
        let atoms = if self.is_counted_out() { &[] } else { self.atoms.as_slice() };
        atoms.iter().enumerate().map(|(at, people)| (people.as_slice(), self.told(at)))
    }

    /// Runs of `people`, one after the other, about whom the same is believed.
    pub(crate) fn alike<'p>(&self, people: &'p [u32]) -> impl Iterator<Item = &'p [u32]> + use<'p, '_> {
        people.chunk_by(|&a, &b| self.atom_of[a as usize] == self.atom_of[b as usize])
    }

    /// Whether there are atoms of which no world is left.
    fn is_counted_out(&self) -> bool {
        self.is_empty() && matches!(self.told, Told::Counted(_))
    }

    fn told(&self, atom: usize) -> Estimate {
        match &self.told {
            Told::Counted(_) => Estimate::Exact(Distribution::new(self.numbers(atom))),
            Told::Each(estimates) => estimates[atom].clone(),
        }
    }

    /// In how many worlds the people of an atom have each value.
    fn numbers(&self, atom: usize) -> Vec<(u32, UBig)> {
        let person = self.atoms[atom][0] as usize;
        let mut numbers: Vec<(u32, IBig)> = Vec::new();
        let Told::Counted(terms) = &self.told else { return Vec::new() };
        for term in terms {
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
    pub fn highest(&self) -> Option<HighestProbability> {
        self.highest_among(|_| true)
    }

    /// The highest probability, for any person, of the values that count; `None` when no world is left.
    pub fn highest_among(&self, counts: impl Fn(u32) -> bool + Send + Sync) -> Option<HighestProbability> {
        if self.is_empty() {
            return None;
        }
        if let (Told::Counted(_), Some(worlds)) = (&self.told, &self.worlds) {
            let tops = self.each_atom(|atom| {
                let counted = self.numbers(atom).into_iter().filter(|entry| counts(entry.0));
                counted.map(|entry| entry.1).max().unwrap_or(UBig::ZERO)
            });
            let top = tops.into_iter().max().unwrap_or(UBig::ZERO);
            return Some(HighestProbability::exactly(fraction(top, worlds.clone())));
        }
        let all = self.each_atom(|atom| self.told(atom).highest_among(&counts));
        Some(all.into_iter().fold(HighestProbability::NONE, HighestProbability::max))
    }

    /// Whether the condition is known to hold on the belief about every person; `None` when no world is left.
    pub fn holds(&self, condition: &Requirements<'_>) -> Option<bool> {
        let passes = |atom: usize| condition.passes(&self.told(atom));
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

    /// States of dynamic programs that counting it visited.
    pub fn states(&self) -> u64 {
        self.states
    }
}
