//! The paper's way to draw a possible instance, analysed exactly: one person after the other gets one of the values that are
//! still possible, each as likely as the others, and the draw weighs as much as the product of their numbers.
//!
//! Draws are never made here: chances and weights are added up over the tree of all partial worlds, equal parts of it once.
//!
//! # Reference
//! Restoring compromised privacy in micro-data disclosure, ASIACCS 2010, section 3 (algorithm 2).

use dashu_int::UBig;
use hashbrown::HashMap;
use pellucid_model::exact::{Fraction, fraction};

use super::Views;
use super::linear::Linear;

/// What views still have to show, and whom.
type State = (usize, Vec<u32>);

/// The tree of partial worlds along an order of the people.
#[derive(Debug)]
pub struct Sequential<'v> {
    views: &'v Views,
    order: &'v [u32],
    /// By person, the views that show them.
    seen_in: Vec<Vec<usize>>,
    worlds: HashMap<State, UBig>,
}

/// When a value counts as possible, by the linear relaxation with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// It has a solution.
    Solvable,
    /// It has one, and the vertex that the simplex method with Bland's rule finds has no fractions: the algorithm as printed.
    Found,
    /// The same with a solver that finds vertices with fractions where there are any.
    Worst,
}

impl Trust {
    fn accepts(self, linear: &Linear) -> bool {
        match self {
            Self::Solvable => true,
            Self::Found => linear.is_integral(),
            Self::Worst => linear.fractional().is_none(),
        }
    }
}

/// What drawing along the tree gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weights {
    /// The mean weight: the number of worlds.
    pub mean: Fraction,
    /// The mean square of the weight over the square of its mean: how many times more draws are needed than of equal weight.
    pub spread: Fraction,
    /// By person and code, how often it is drawn.
    pub drawn: Vec<Vec<Fraction>>,
    /// By person and code, what draws say when they are weighed: the belief.
    pub weighed: Vec<Vec<Fraction>>,
}

impl<'v> Sequential<'v> {
    /// The tree of `views` along `order`, which has everybody once.
    pub fn new(views: &'v Views, order: &'v [u32]) -> Self {
        let mut seen_in = vec![Vec::new(); views.people];
        for (number, view) in views.shown.iter().enumerate() {
            view.members.iter().for_each(|&person| seen_in[person as usize].push(number));
        }
        Self { views, order, seen_in, worlds: HashMap::new() }
    }

    fn start(&self) -> State {
        let domain = self.views.domain;
        let counts = self.views.shown.iter().flat_map(|view| (0..domain).map(|code| view.values.count(code) as u32));
        (0, counts.collect())
    }

    /// The state after the next person gets `code`; `None` when a view does not allow it.
    fn next(&self, state: &State, code: usize) -> Option<State> {
        let domain = self.views.domain as usize;
        let mut left = state.1.clone();
        for &view in &self.seen_in[self.order[state.0] as usize] {
            left[view * domain + code] = left[view * domain + code].checked_sub(1)?;
        }
        Some((state.0 + 1, left))
    }

    /// In how many ways a state goes on to a world.
    fn count(&mut self, state: &State) -> UBig {
        if state.0 == self.order.len() {
            return if state.1.iter().all(|&left| left == 0) { UBig::ONE } else { UBig::ZERO };
        }
        if let Some(found) = self.worlds.get(state) {
            return found.clone();
        }
        let mut sum = UBig::ZERO;
        for code in 0..self.views.domain as usize {
            if let Some(next) = self.next(state, code) {
                sum += self.count(&next);
            }
        }
        self.worlds.insert(state.clone(), sum.clone());
        sum
    }

    /// The values of the next person from which a world can be come to, with the states after them.
    fn possible(&mut self, state: &State) -> Vec<(usize, State)> {
        let codes = 0..self.views.domain as usize;
        let next: Vec<(usize, State)> = codes.filter_map(|code| Some((code, self.next(state, code)?))).collect();
        next.into_iter().filter(|(_, next)| self.count(next) != UBig::ZERO).collect()
    }

    /// What drawing gives when it is decided over the integers which values are possible; `None` when no world is left.
    ///
    /// # Cost
    /// States of the tree: for small examples.
    pub fn weights(&mut self) -> Option<Weights> {
        let start = self.start();
        let worlds = self.count(&start);
        if worlds == UBig::ZERO {
            return None;
        }
        let domain = self.views.domain as usize;
        let nothing = vec![vec![Fraction::ZERO; domain]; self.views.people];
        let (mut drawn, mut weighed) = (nothing.clone(), nothing);
        // By state, with which chance it is come to, and the chances times the weights so far, added up over ways to it.
        let mut layer: HashMap<State, (Fraction, UBig)> = HashMap::from([(start.clone(), (Fraction::ONE, UBig::ONE))]);
        let mut heavy: HashMap<State, UBig> = HashMap::new();
        let square = self.heavy(&start, &mut heavy);
        for &person in self.order {
            let mut after: HashMap<State, (Fraction, UBig)> = HashMap::new();
            let mut states: Vec<(State, (Fraction, UBig))> = layer.into_iter().collect();
            states.sort_by(|a, b| a.0.cmp(&b.0));
            for (state, (chance, ways)) in states {
                let possible = self.possible(&state);
                let each = &chance / Fraction::from(possible.len());
                for (code, next) in possible {
                    drawn[person as usize][code] += &each;
                    weighed[person as usize][code] += fraction(&ways * self.count(&next), worlds.clone());
                    let sums = after.entry(next).or_insert_with(|| (Fraction::ZERO, UBig::ZERO));
                    sums.0 += &each;
                    sums.1 += &ways;
                }
            }
            layer = after;
        }
        let spread = fraction(square, &worlds * &worlds);
        Some(Weights { mean: Fraction::from(worlds), spread, drawn, weighed })
    }

    /// The weights of all worlds beyond a state, added up: of each the number of values that were possible at every person.
    fn heavy(&mut self, state: &State, known: &mut HashMap<State, UBig>) -> UBig {
        if state.0 == self.order.len() {
            return UBig::ONE;
        }
        if let Some(found) = known.get(state) {
            return found.clone();
        }
        let possible = self.possible(state);
        let mut sum = UBig::ZERO;
        for (_, next) in &possible {
            sum += self.heavy(next, known);
        }
        let sum = sum * UBig::from(possible.len());
        known.insert(state.clone(), sum.clone());
        sum
    }

    /// With which probability the draw comes to an end before everybody has a value, when the linear relaxation tells which values are
    /// possible.
    ///
    /// # Cost
    /// A linear program for every partial world: for small examples.
    pub fn dead_end(&self, trust: Trust) -> Fraction {
        let mut fixed = Vec::new();
        self.ends(trust, &mut fixed)
    }

    fn ends(&self, trust: Trust, fixed: &mut Vec<(u32, u32)>) -> Fraction {
        let Some(&person) = self.order.get(fixed.len()) else { return Fraction::ZERO };
        let mut sum = Fraction::ZERO;
        let mut possible = 0u32;
        for code in 0..self.views.domain {
            fixed.push((person, code));
            if Linear::new(self.views, fixed).is_some_and(|linear| trust.accepts(&linear)) {
                possible += 1;
                sum += self.ends(trust, fixed);
            }
            fixed.pop();
        }
        if possible == 0 { Fraction::ONE } else { sum / Fraction::from(possible) }
    }
}
