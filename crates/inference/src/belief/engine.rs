//! The engine: from a step and a world to the belief of those who see that step released.
//!
//! Every term of the step's formula is laid out, cut into independent parts and counted part by part; parts that look alike
//! are counted once. Terms that speak of earlier disclosure sets are counted by what decides those (see
//! [`super::levels`]), and the engine asks itself for each of them; answers are remembered.

use std::sync::{Arc, Mutex};

use dashu_int::{IBig, UBig};
use hashbrown::HashMap;
use pellucid_model::error::Result;
use pellucid_model::histogram::Histogram;
use rayon::prelude::*;

use super::fills::FillProblem;
use super::formula::{EventFormula, EventProduct, SequenceFacts, StepEvent, formulas};
use super::layout::{TermLayout, TrackedPeople};
use super::levels::{ComponentClass, ComponentKey, LevelMap};
use super::memo::AnswerMemo;
use super::posterior::{Belief, BeliefPart, BeliefTerm};
use super::problem::{ComponentPlace, CountingProblem, log_add};
use super::requirements::Requirements;
use super::sweep;
use super::tables::ComponentTables;
use super::trellis::KeyedTrellis;
use crate::budget::Budget;
use crate::meter::{BudgetMeter, CountingSubject};
use crate::sequence::{Sequence, StepRule};

/// The worlds of a puzzle.
#[derive(Debug)]
pub(super) enum ProblemSolution {
    /// There is none.
    None,
    /// All count alike.
    Plain(PlainCount),
    /// What a world counts depends on its key.
    Keyed(Box<dyn KeyedTrellis>),
}

/// Worlds of a puzzle that count alike.
#[derive(Debug)]
pub(super) struct PlainCount {
    /// How many worlds.
    pub(super) count: UBig,
    /// By unit and value, in how many of them a given person of the unit has the value.
    pub(super) worlds: Vec<Vec<UBig>>,
}

/// Histograms of outer groups: codes ascending, counts positive.
pub(super) type OuterHistograms = Vec<Vec<(u32, u32)>>;

/// One who counts for a sequence, a strategy and a condition.
#[derive(Debug)]
pub(super) struct BeliefEngine<'a> {
    pub(super) sequence: &'a Sequence,
    pub(super) condition: &'a Requirements<'a>,
    /// By step from 0, and last for silence.
    pub(super) formulas: Vec<EventFormula>,
    /// By step from 0, its groups as people.
    pub(super) members: Vec<Vec<Vec<u32>>>,
    pub(super) levels: Vec<Option<LevelMap>>,
    pub(super) symmetric: bool,
    /// Groups up to this size are always tracked: their bounds are forgotten in the sweep as soon as they cannot fail.
    pub(super) small: usize,
    /// The number of every class's table.
    pub(super) classes: AnswerMemo<ComponentClass, u32>,
    pub(super) tables: Mutex<ComponentTables>,
    pub(super) meter: BudgetMeter,
    groups: AnswerMemo<(usize, EventProduct), Arc<Vec<TrackedPeople>>>,
    layouts: AnswerMemo<(usize, EventProduct, Vec<bool>), Arc<TermLayout>>,
    pub(super) part_layouts: AnswerMemo<(usize, EventProduct, u32), Arc<TermLayout>>,
    everyone: Vec<u32>,
    solved: AnswerMemo<CountingProblem, Arc<ProblemSolution>>,
    pub(super) verdicts: AnswerMemo<ComponentKey, bool>,
}

/// See [`BeliefEngine::small`].
const SMALL: usize = 24;

impl<'a> BeliefEngine<'a> {
    /// For the given rules of the steps; `domain` is the number of codes.
    pub(super) fn new(
        sequence: &'a Sequence,
        rules: &[StepRule],
        condition: &'a Requirements<'a>,
        domain: u32,
        budget: Budget,
    ) -> Self {
        let steps = sequence.len();
        let closed = condition.is_closed_under_mixtures();
        let refines = (1..=steps)
            .map(|fine| (1..=steps).map(|coarse| closed && sequence.refines(fine, coarse)).collect())
            .collect();
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
        let facts = SequenceFacts { refines, never: never.collect(), closed };
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
        let levels = (0..steps).map(|step| asked(step).then(|| LevelMap::new(sequence, step, &matter[step]))).collect();
        Self {
            sequence,
            condition,
            formulas,
            members,
            levels,
            symmetric: condition.is_symmetric(),
            small: SMALL,
            classes: AnswerMemo::default(),
            tables: Mutex::default(),
            meter: BudgetMeter::new(budget, CountingSubject::Silence { people: sequence.people() }),
            groups: AnswerMemo::default(),
            layouts: AnswerMemo::default(),
            part_layouts: AnswerMemo::default(),
            everyone: (0..sequence.people() as u32).collect(),
            solved: AnswerMemo::default(),
            verdicts: AnswerMemo::default(),
        }
    }

    /// The worlds of the permutation set of `step` (from 0; the number of steps stands for silence) with `world` in it, in
    /// which the step is reached.
    pub(super) fn disclosure(&self, step: usize, world: &[u32]) -> Result<Belief> {
        let products: Vec<(EventProduct, i64)> =
            self.formulas[step].terms().map(|(product, coefficient)| (product.clone(), coefficient)).collect();
        self.belief(step, world, &products)
    }

    /// The permutation set of `step`.
    pub(super) fn permutation(&self, step: usize, world: &[u32]) -> Result<Belief> {
        self.belief(step, world, &[(vec![StepEvent::Any; self.sequence.len()], 1)])
    }

    fn belief(&self, step: usize, world: &[u32], products: &[(EventProduct, i64)]) -> Result<Belief> {
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
        if step == self.sequence.len() {
            vec![0; self.sequence.people()]
        } else {
            self.sequence.labels(step + 1).to_vec()
        }
    }

    fn histograms(&self, step: usize, world: &[u32]) -> OuterHistograms {
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
        product: &EventProduct,
        coefficient: i64,
        histograms: &OuterHistograms,
    ) -> Result<Option<BeliefTerm>> {
        let groups = self.groups(step, product);
        let Some(kept) = self.kept(&groups, histograms) else { return Ok(None) };
        let layout = self.layout(step, product, &groups, kept);
        let prepared: Vec<(CountingProblem, Vec<u32>)> =
            layout.parts.iter().map(|part| part.puzzle(histograms, self.symmetric)).collect();
        let (puzzles, codes): (Vec<CountingProblem>, Vec<Vec<u32>>) = prepared.into_iter().unzip();
        let solutions = self.solve_all(puzzles)?;
        if solutions.iter().any(|solution| matches!(**solution, ProblemSolution::None)) {
            return Ok(None);
        }
        let released: Vec<usize> = (0..product.len()).filter(|&at| product[at].releases()).collect();
        let parts = if released.is_empty() {
            Some(independent(&solutions, codes, coefficient))
        } else {
            self.keyed(&solutions, codes, coefficient, &released)?
        };
        Ok(parts.map(|parts| BeliefTerm { parts, layout }))
    }

    /// The groups that `product` asks about, seen from the outer groups of `step`.
    pub(super) fn groups(&self, step: usize, product: &EventProduct) -> Arc<Vec<TrackedPeople>> {
        let at = (step, product.clone());
        if let Some(known) = self.groups.get(&at) {
            return known;
        }
        let outer = self.outer(step);
        let mut groups = Vec::new();
        for (other, &event) in product.iter().enumerate().filter(|entry| *entry.1 != StepEvent::Any) {
            for (number, members) in self.members[other].iter().enumerate() {
                let mut inside: Vec<u32> = members.iter().map(|&person| outer[person as usize]).collect();
                inside.sort_unstable();
                let outers = inside.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect();
                let level = event.releases().then(|| {
                    let map = self.levels[other].as_ref().expect("levels of asked steps exist");
                    let (component, place) = map.group[number];
                    ComponentPlace { step: other as u32, shape: map.shape[component as usize], component, place }
                });
                groups.push(TrackedPeople { members: members.clone(), outers, event, level });
            }
        }
        self.groups.put(at, Arc::new(groups))
    }

    fn layout(
        &self,
        step: usize,
        product: &EventProduct,
        groups: &[TrackedPeople],
        kept: Vec<bool>,
    ) -> Arc<TermLayout> {
        let at = (step, product.clone(), kept);
        if let Some(known) = self.layouts.get(&at) {
            return known;
        }
        let layout = Arc::new(TermLayout::new(&self.everyone, &self.outer(step), groups, &at.2));
        self.layouts.put(at, layout)
    }

    /// Which groups must be tracked: not those that pass whatever falls where. `None` when some group cannot pass.
    fn kept(&self, groups: &[TrackedPeople], histograms: &OuterHistograms) -> Option<Vec<bool>> {
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
                size > self.small
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
            kept[number] = !(safe && size > self.small && group.level.is_none());
        }
        Some(kept)
    }

    /// Solves puzzles, each kind once, on all cores.
    pub(super) fn solve_all(&self, puzzles: Vec<CountingProblem>) -> Result<Vec<Arc<ProblemSolution>>> {
        let known = self.solved.lock();
        let mut fresh: Vec<&CountingProblem> = puzzles.iter().filter(|puzzle| !known.contains_key(*puzzle)).collect();
        drop(known);
        if !fresh.is_empty() {
            let mut seen: HashMap<&CountingProblem, ()> = HashMap::new();
            fresh.retain(|puzzle| seen.insert(*puzzle, ()).is_none());
            // Handing small work to other threads takes longer than doing it.
            let effort = fresh.iter().map(|puzzle| puzzle.effort(&in_order(puzzle))).fold(f64::NEG_INFINITY, log_add);
            let solved: Vec<ProblemSolution> = if fresh.len() == 1 || effort < 16.0 {
                fresh.iter().map(|puzzle| self.solve(puzzle)).collect::<Result<_>>()?
            } else {
                fresh.par_iter().map(|puzzle| self.solve(puzzle)).collect::<Result<_>>()?
            };
            let mut known = self.solved.lock();
            for (puzzle, solution) in fresh.into_iter().zip(solved) {
                known.insert(puzzle.clone(), Arc::new(solution));
            }
        }
        let known = self.solved.lock();
        Ok(puzzles.iter().map(|puzzle| known[puzzle].clone()).collect())
    }

    /// Solves one puzzle by the method that promises least work.
    pub(super) fn solve(&self, puzzle: &CountingProblem) -> Result<ProblemSolution> {
        let sweep_effort = puzzle.effort(&in_order(puzzle));
        if let Some(fills) = FillProblem::of(puzzle, self.condition)
            && fills.effort(puzzle) < sweep_effort
        {
            self.meter.afford(fills.effort(puzzle))?;
            self.meter.fits(fills.bytes(puzzle))?;
            return fills.solve(puzzle, &self.meter);
        }
        self.meter.foresee(sweep_effort)?;
        sweep::solve(puzzle, self)
    }
}

/// Parts that nothing connects: each is weighed by the number of worlds of all others.
fn independent(solutions: &[Arc<ProblemSolution>], codes: Vec<Vec<u32>>, coefficient: i64) -> Vec<BeliefPart> {
    let counts = solutions.iter().map(|solution| &solution.outcome().count);
    let total = product_of(counts);
    let mut factors: HashMap<&UBig, Arc<IBig>> = HashMap::new();
    let parts = solutions.iter().zip(codes).map(|(solution, codes)| {
        let count = &solution.outcome().count;
        let factor = factors.entry(count).or_insert_with(|| Arc::new(IBig::from(&total / count) * coefficient));
        BeliefPart { codes, solution: solution.clone(), factor: factor.clone() }
    });
    parts.collect()
}

impl ProblemSolution {
    /// The worlds, of a puzzle where all count alike.
    pub(super) fn outcome(&self) -> &PlainCount {
        match self {
            Self::Plain(outcome) => outcome,
            Self::None | Self::Keyed(_) => unreachable!("parts are plain once they are weighed"),
        }
    }

    /// The ends of a puzzle whose worlds count by their keys.
    pub(super) fn trace(&self) -> &dyn KeyedTrellis {
        match self {
            Self::Keyed(trace) => trace.as_ref(),
            Self::None | Self::Plain(_) => unreachable!("parts with levels have keys"),
        }
    }
}

/// The units of a puzzle as they stand.
fn in_order(puzzle: &CountingProblem) -> Vec<usize> {
    (0..puzzle.units.len()).collect()
}

/// Whether a group of `size` rows fails whatever its values are.
fn never_passes(condition: &Requirements<'_>, size: u64, domain: u32) -> bool {
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
        layer = layer.chunks(2).map(|pair| if let [a, b] = pair { a * b } else { pair[0].clone() }).collect();
    }
    layer.pop().unwrap_or(UBig::ONE)
}
