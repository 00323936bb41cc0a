//! The tree of all draws: one person after the other gets one of the values that are still possible, each as likely as the others, and a
//! draw weighs as much as the product of their numbers.
//!
//! No draw is made: chances and weights are added up over the tree, equal parts of it once.

use std::collections::{BTreeMap, HashMap};

use dashu_int::UBig;
use pellucid_model::exact::Fraction;

use super::relaxation::LinearRelaxation;
use crate::views::NamedViews;

/// How many people have a value, and what the views still have to show.
type State = (usize, Vec<u32>);

/// When a value counts as possible, by the linear relaxation with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SolverTrust {
    /// It has a solution.
    Solvable,
    /// It has one, and the vertex that the simplex method with Bland's rule finds has no fractions: the algorithm as printed.
    Found,
    /// The same with a solver that finds vertices with fractions where there are any.
    Worst,
}

impl SolverTrust {
    fn accepts(self, relaxation: &LinearRelaxation) -> bool {
        match self {
            Self::Solvable => true,
            Self::Found => relaxation.is_integral(),
            Self::Worst => relaxation.fractional().is_none(),
        }
    }
}

/// The draws in which people get values in the order in which they are named.
#[derive(Debug)]
pub(super) struct DrawTree<'s> {
    shown: &'s NamedViews,
    /// By person, the views that show them.
    seen_in: Vec<Vec<usize>>,
    weights: HashMap<State, UBig>,
}

impl<'s> DrawTree<'s> {
    pub(super) fn new(shown: &'s NamedViews) -> Self {
        let mut seen_in = vec![Vec::new(); shown.people.len()];
        for (number, view) in shown.views.views().iter().enumerate() {
            view.members().iter().for_each(|&person| seen_in[person as usize].push(number));
        }
        Self { shown, seen_in, weights: HashMap::new() }
    }

    fn start(&self) -> State {
        let codes = 0..self.shown.values.len() as u32;
        let views = self.shown.views.views().iter();
        (0, views.flat_map(|view| codes.clone().map(|code| view.values().count(code) as u32)).collect())
    }

    /// The states after the next person got a value that leads to a world, with the code of the value.
    fn possible(&mut self, state: &State) -> Vec<(usize, State)> {
        let codes = self.shown.values.len();
        let next = |code: usize| {
            let mut left = state.1.clone();
            for &view in &self.seen_in[state.0] {
                left[view * codes + code] = left[view * codes + code].checked_sub(1)?;
            }
            Some((code, (state.0 + 1, left)))
        };
        let next: Vec<(usize, State)> = (0..codes).filter_map(next).collect();
        next.into_iter().filter(|(_, next)| self.weight(next) != UBig::ZERO).collect()
    }

    /// The weights of all draws beyond a state, added up; 0 where none comes to a world.
    fn weight(&mut self, state: &State) -> UBig {
        if state.0 == self.shown.people.len() {
            return if state.1.iter().all(|&left| left == 0) { UBig::ONE } else { UBig::ZERO };
        }
        if let Some(found) = self.weights.get(state) {
            return found.clone();
        }
        let possible = self.possible(state);
        let sum: UBig = possible.iter().map(|(_, next)| self.weight(next)).sum();
        let weight = sum * UBig::from(possible.len());
        self.weights.insert(state.clone(), weight.clone());
        weight
    }

    /// The weights of all worlds, added up: the mean square of the weight of a draw.
    ///
    /// # Cost
    /// States of the tree: for small examples.
    pub(super) fn square(&mut self) -> UBig {
        self.weight(&self.start())
    }

    /// By person and code, how often the value is drawn when it is decided over the integers which are possible.
    pub(super) fn shares(&mut self) -> Vec<Vec<Fraction>> {
        let mut shares = vec![vec![Fraction::ZERO; self.shown.values.len()]; self.shown.people.len()];
        let mut layer = BTreeMap::from([(self.start(), Fraction::ONE)]);
        for share in &mut shares {
            let mut after: BTreeMap<State, Fraction> = BTreeMap::new();
            for (state, chance) in layer {
                let possible = self.possible(&state);
                let each = chance / Fraction::from(possible.len());
                for (code, next) in possible {
                    share[code] += &each;
                    *after.entry(next).or_insert(Fraction::ZERO) += &each;
                }
            }
            layer = after;
        }
        shares
    }

    /// With which probability a draw ends before everybody has a value, when the linear relaxation tells which values are possible.
    ///
    /// # Cost
    /// A linear program for every partial world: for small examples.
    pub(super) fn dead_end(&self, trust: SolverTrust) -> Fraction {
        self.ends(trust, &mut Vec::new())
    }

    fn ends(&self, trust: SolverTrust, fixed: &mut Vec<(u32, u32)>) -> Fraction {
        if fixed.len() == self.shown.people.len() {
            return Fraction::ZERO;
        }
        let (mut sum, mut possible) = (Fraction::ZERO, 0u32);
        for code in 0..self.shown.values.len() as u32 {
            fixed.push((fixed.len() as u32, code));
            if LinearRelaxation::new(self.shown, fixed).is_some_and(|relaxation| trust.accepts(&relaxation)) {
                possible += 1;
                sum += self.ends(trust, fixed);
            }
            fixed.pop();
        }
        if possible == 0 { Fraction::ONE } else { sum / Fraction::from(possible) }
    }
}
