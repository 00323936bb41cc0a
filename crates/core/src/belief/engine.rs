//! The engine: from a step and a world to the belief of those who see that step released.
//!
//! Every term of the step's formula is laid out, cut into independent parts and counted part by part; parts that look alike
//! are counted once. Terms that speak of earlier disclosure sets are counted by what decides those (see
//! [`super::levels`]), and the engine asks itself for each of them; answers are remembered.

use std::sync::{Arc, Mutex};

use dashu_int::{IBig, UBig};
use hashbrown::HashMap;
use rayon::prelude::*;

use super::condition::Condition;
use super::fills::Fills;
use super::formula::{Event, Facts, Formula, Product, formulas};
use super::layout::{Group, Layout};
use super::levels::{Classes, Key, LevelMap};
use super::meter::Meter;
use super::posterior::{Belief, BeliefPart, BeliefTerm};
use super::puzzle::{Level, Puzzle};
use super::{Budget, sweep};
use crate::error::Result;
use crate::histogram::Histogram;
use crate::sequence::{Rule, Sequence};

/// Worlds of a puzzle that agree on the key.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub(super) key: Key,
    /// How many worlds.
    pub(super) count: UBig,
    /// By unit and value, in how many of them a given person of the unit has the value.
    pub(super) worlds: Vec<Vec<UBig>>,
}

/// What solving a puzzle needs to know.
pub(super) struct Lens<'a> {
    pub(super) condition: &'a Condition<'a>,
    pub(super) meter: &'a Meter,
    classes: &'a Mutex<Classes>,
}

impl Lens<'_> {
    /// The class of a component with these counts by group and value.
    pub(super) fn class(&self, step: u32, shape: u32, groups: Vec<Vec<u32>>, codes: &[u32]) -> u32 {
        self.classes.lock().expect("no thread panicked").number(step, shape, &groups, codes)
    }
}

/// Histograms of outer groups: codes ascending, counts positive.
type Histograms = Vec<Vec<(u32, u32)>>;

/// One who counts for a sequence, a strategy and a condition.
#[derive(Debug)]
pub(super) struct Engine<'a> {
    pub(super) sequence: &'a Sequence,
    pub(super) condition: &'a Condition<'a>,
    /// By step from 0, and last for silence.
    pub(super) formulas: Vec<Formula>,
    /// By step from 0, its groups as people.
    pub(super) members: Vec<Vec<Vec<u32>>>,
    pub(super) levels: Vec<Option<LevelMap>>,
    pub(super) symmetric: bool,
    pub(super) classes: Mutex<Classes>,
    pub(super) meter: Meter,
    groups: Mutex<HashMap<(usize, Product), Arc<Vec<Group>>>>,
    layouts: Mutex<HashMap<(usize, Product, Vec<bool>), Arc<Layout>>>,
    solved: Mutex<HashMap<Puzzle, Arc<Vec<Outcome>>>>,
    pub(super) verdicts: Mutex<HashMap<Key, bool>>,
}

/// Groups up to this size are always tracked: their bounds are forgotten in the sweep as soon as they cannot fail.
const SMALL: usize = 24;

impl<'a> Engine<'a> {
    /// For the given rules of the steps; `domain` is the number of codes.
    pub(super) fn new(
        sequence: &'a Sequence,
        rules: &[Rule],
        condition: &'a Condition<'a>,
        domain: u32,
        budget: Budget,
    ) -> Self {
        let steps = sequence.len();
        let closed = condition.is_closed_under_mixtures();
        let refines =
            (1..=steps).map(|fine| (1..=steps).map(|coarse| closed && sequence.refines(fine, coarse)).collect()).collect();
        let members: Vec<Vec<Vec<u32>>> = (1..=steps)
            .map(|step| {
                let groups = sequence.groups(step);
                groups.into_iter().map(|group| group.into_iter().map(|person| person as u32).collect()).collect()
            })
            .collect();
        let never = members.iter().map(|groups: &Vec<Vec<u32>>| {
            let mut sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
            sizes.sort_unstable();
            sizes.dedup();
            sizes.into_iter().any(|size| never_passes(condition, size as u64, domain))
        });
        let facts = Facts { refines, never: never.collect(), closed };
        let formulas = formulas(rules, &facts);
        let mut matter: Vec<Vec<usize>> = Vec::new();
        for formula in &formulas {
            let mut steps = formula.steps();
            for (product, _) in formula.terms() {
                for (step, event) in product.iter().enumerate() {
                    if event.releases() {
                        steps.extend(&matter[step]);
                    }
                }
            }
            steps.sort_unstable();
            steps.dedup();
            matter.push(steps);
        }
        let asked =
            |step: usize| formulas.iter().any(|formula| formula.terms().any(|(product, _)| product[step].releases()));
        let levels =
            (0..steps).map(|step| asked(step).then(|| LevelMap::new(sequence, step, &matter[step]))).collect();
        Self {
            sequence,
            condition,
            formulas,
            members,
            levels,
            symmetric: condition.is_symmetric(),
            classes: Mutex::default(),
            meter: Meter::new(budget.states),
            groups: Mutex::default(),
            layouts: Mutex::default(),
            solved: Mutex::default(),
            verdicts: Mutex::default(),
        }
    }

    /// The worlds of the permutation set of `step` (from 0; the number of steps stands for silence) with `world` in it, in
    /// which the step is reached.
    pub(super) fn disclosure(&self, step: usize, world: &[u32]) -> Result<Belief> {
        let products: Vec<(Product, i64)> =
            self.formulas[step].terms().map(|(product, coefficient)| (product.clone(), coefficient)).collect();
        self.belief(step, world, &products)
    }

    /// The permutation set of `step`.
    pub(super) fn permutation(&self, step: usize, world: &[u32]) -> Result<Belief> {
        self.belief(step, world, &[(vec![Event::Any; self.sequence.len()], 1)])
    }

    fn belief(&self, step: usize, world: &[u32], products: &[(Product, i64)]) -> Result<Belief> {
        let before = self.meter.states();
        let histograms = self.histograms(step, world);
        let mut terms = Vec::with_capacity(products.len());
        for (product, coefficient) in products {
            if let Some(term) = self.term(step, product, *coefficient, &histograms)? {
                terms.push(term);
            }
        }
        Ok(Belief::new(self.sequence.people(), terms, self.meter.states() - before))
    }

    /// The number of each person's outer group under `step`.
    pub(super) fn outer(&self, step: usize) -> Vec<u32> {
        if step == self.sequence.len() { vec![0; self.sequence.people()] } else { self.sequence.labels(step + 1).to_vec() }
    }

    fn histograms(&self, step: usize, world: &[u32]) -> Histograms {
        let outer = self.outer(step);
        let many = outer.iter().max().map_or(0, |&last| last as usize + 1);
        let mut codes: Vec<Vec<u32>> = vec![Vec::new(); many];
        for (&group, &code) in outer.iter().zip(world) {
            codes[group as usize].push(code);
        }
        codes
            .into_iter()
            .map(|mut codes| {
                codes.sort_unstable();
                codes.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect()
            })
            .collect()
    }

    /// Counts one term; `None` when no world satisfies it.
    fn term(
        &self,
        step: usize,
        product: &Product,
        coefficient: i64,
        histograms: &Histograms,
    ) -> Result<Option<BeliefTerm>> {
        let groups = self.groups(step, product);
        let Some(kept) = self.kept(&groups, histograms) else { return Ok(None) };
        let layout = self.layout(step, product, &groups, kept);
        let prepared: Vec<(Puzzle, Vec<u32>)> =
            layout.parts.iter().map(|part| part.puzzle(histograms, self.symmetric)).collect();
        let (puzzles, codes): (Vec<Puzzle>, Vec<Vec<u32>>) = prepared.into_iter().unzip();
        let solutions = self.solve_all(puzzles)?;
        if solutions.iter().any(|solution| solution.is_empty()) {
            return Ok(None);
        }
        let released: Vec<usize> = (0..product.len()).filter(|&at| product[at].releases()).collect();
        let parts = if released.is_empty() {
            Some(self.independent(&solutions, codes, coefficient))
        } else {
            self.keyed(&solutions, codes, coefficient, &released)?
        };
        Ok(parts.map(|parts| BeliefTerm { parts, layout }))
    }

    /// Parts that nothing connects: each is weighed by the number of worlds of all others.
    pub(super) fn independent(
        &self,
        solutions: &[Arc<Vec<Outcome>>],
        codes: Vec<Vec<u32>>,
        coefficient: i64,
    ) -> Vec<BeliefPart> {
        let total = product_of(solutions.iter().map(|solution| &solution[0].count));
        let mut factors: HashMap<UBig, Arc<IBig>> = HashMap::new();
        let parts = solutions.iter().zip(codes).map(|(solution, codes)| {
            let count = &solution[0].count;
            let factor = match factors.get(count) {
                Some(factor) => factor.clone(),
                None => {
                    let factor = Arc::new(IBig::from(&total / count) * coefficient);
                    factors.insert(count.clone(), factor.clone());
                    factor
                }
            };
            BeliefPart { codes, solution: solution.clone(), factor }
        });
        parts.collect()
    }

    /// The groups that `product` asks about, seen from the outer groups of `step`.
    fn groups(&self, step: usize, product: &Product) -> Arc<Vec<Group>> {
        let at = (step, product.clone());
        if let Some(known) = self.groups.lock().expect("no thread panicked").get(&at) {
            return known.clone();
        }
        let outer = self.outer(step);
        let mut groups = Vec::new();
        for (other, &event) in product.iter().enumerate().filter(|entry| *entry.1 != Event::Any) {
            for (number, members) in self.members[other].iter().enumerate() {
                let mut inside: Vec<u32> = members.iter().map(|&person| outer[person as usize]).collect();
                inside.sort_unstable();
                let outers = inside.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect();
                let level = event.releases().then(|| {
                    let map = self.levels[other].as_ref().expect("levels of asked steps exist");
                    let (component, place) = map.group[number];
                    Level { step: other as u32, shape: map.shape[component as usize], component, place }
                });
                groups.push(Group { members: members.clone(), outers, event, level });
            }
        }
        let groups = Arc::new(groups);
        self.groups.lock().expect("no thread panicked").insert(at, groups.clone());
        groups
    }

    fn layout(&self, step: usize, product: &Product, groups: &[Group], kept: Vec<bool>) -> Arc<Layout> {
        let at = (step, product.clone(), kept);
        if let Some(known) = self.layouts.lock().expect("no thread panicked").get(&at) {
            return known.clone();
        }
        let layout = Arc::new(Layout::new(&self.outer(step), groups, &at.2));
        self.layouts.lock().expect("no thread panicked").insert(at, layout.clone());
        layout
    }

    /// Which groups must be tracked: not those that pass whatever falls where. `None` when some group cannot pass.
    fn kept(&self, groups: &[Group], histograms: &Histograms) -> Option<Vec<bool>> {
        let mut robust: HashMap<u32, Option<u64>> = HashMap::new();
        let mut kept = vec![true; groups.len()];
        for (number, group) in groups.iter().enumerate().filter(|entry| entry.1.event.passes()) {
            let size = group.members.len();
            // By code, how often it can occur in the group at most.
            let mut most: Vec<(u32, u64)> = Vec::new();
            for &(outer, inside) in &group.outers {
                for &(code, count) in &histograms[outer as usize] {
                    most.push((code, u64::from(count.min(inside))));
                }
            }
            most.sort_unstable();
            let most: Vec<(u32, u64)> =
                most.chunk_by(|a, b| a.0 == b.0).map(|run| (run[0].0, run.iter().map(|entry| entry.1).sum())).collect();
            let caps = most.iter().map(|&(code, _)| self.condition.cap(code, size as u64));
            let safe = if let Some(caps) = caps.collect::<Option<Vec<u64>>>() {
                let room: u64 = most.iter().zip(&caps).map(|(&(_, count), &cap)| count.min(cap)).sum();
                if room < size as u64 {
                    return None;
                }
                most.iter().zip(&caps).all(|(&(_, count), &cap)| count.min(size as u64) <= cap)
            } else {
                size > SMALL
                    && self.condition.is_closed_under_mixtures()
                    && group.outers.iter().all(|&(outer, inside)| {
                        let least = *robust.entry(outer).or_insert_with(|| {
                            let entries = histograms[outer as usize].iter();
                            let whole = entries.map(|&(code, count)| (code, u64::from(count)));
                            self.condition.robust(&Histogram::from_entries(whole))
                        });
                        least.is_some_and(|least| u64::from(inside) >= least)
                    })
            };
            kept[number] = !(safe && size > SMALL && group.level.is_none());
        }
        Some(kept)
    }

    /// Solves puzzles, each kind once, on all cores.
    fn solve_all(&self, puzzles: Vec<Puzzle>) -> Result<Vec<Arc<Vec<Outcome>>>> {
        let known = self.solved.lock().expect("no thread panicked");
        let mut fresh: Vec<&Puzzle> = puzzles.iter().filter(|puzzle| !known.contains_key(*puzzle)).collect();
        drop(known);
        if !fresh.is_empty() {
            let mut seen: HashMap<&Puzzle, ()> = HashMap::new();
            fresh.retain(|puzzle| seen.insert(*puzzle, ()).is_none());
            let lens = Lens { condition: self.condition, meter: &self.meter, classes: &self.classes };
            let solved: Vec<Vec<Outcome>> =
                fresh.par_iter().map(|puzzle| solve(puzzle, &lens)).collect::<Result<Vec<_>>>()?;
            let mut known = self.solved.lock().expect("no thread panicked");
            for (puzzle, solution) in fresh.into_iter().zip(solved) {
                known.insert(puzzle.clone(), Arc::new(solution));
            }
        }
        let known = self.solved.lock().expect("no thread panicked");
        Ok(puzzles.iter().map(|puzzle| known[puzzle].clone()).collect())
    }
}

/// Solves one puzzle by the method that promises least work.
fn solve(puzzle: &Puzzle, lens: &Lens<'_>) -> Result<Vec<Outcome>> {
    let order: Vec<usize> = (0..puzzle.units.len()).collect();
    let sweep_effort = puzzle.effort(&order);
    if let Some(fills) = Fills::of(puzzle, lens)
        && fills.effort(puzzle) < sweep_effort
    {
        lens.meter.foresee(fills.effort(puzzle))?;
        return fills.solve(puzzle, lens);
    }
    lens.meter.foresee(sweep_effort)?;
    sweep::solve(puzzle, lens)
}

/// Whether a group of `size` rows fails whatever its values are.
fn never_passes(condition: &Condition<'_>, size: u64, domain: u32) -> bool {
    let caps = (0..domain).map(|code| condition.cap(code, size));
    if let Some(caps) = caps.collect::<Option<Vec<u64>>>() {
        return caps.iter().sum::<u64>() < size;
    }
    size == 1 && (0..domain).all(|code| !condition.holds(&Histogram::from_entries([(code, 1)])))
}

/// The product of numbers, multiplied as a tree.
pub(super) fn product_of<'n>(numbers: impl Iterator<Item = &'n UBig>) -> UBig {
    let mut layer: Vec<UBig> = numbers.cloned().collect();
    while layer.len() > 1 {
        layer = layer
            .chunks(2)
            .map(|pair| if let [a, b] = pair { a * b } else { pair[0].clone() })
            .collect();
    }
    layer.pop().unwrap_or(UBig::ONE)
}
