//! Samples: worlds drawn from a permutation set, and whether the strategy comes to the step in them.
//!
//! Shuffling the values inside every group draws a world uniformly from the permutation set; those in which the strategy
//! comes to the step are then uniform on the disclosure set. Worlds are drawn in chunks with a random stream each, so
//! that what is drawn does not depend on threads. Whether earlier disclosure sets pass is asked of the engine, between
//! rounds of chunks and in the order of the draws.

use std::ops::Range;

use hashbrown::HashMap;
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::histogram::Histogram;
use pellucid_model::randomness::{ChoicePurpose, RandomSource};
use rayon::prelude::*;

use super::StrategyAdversary;
use super::cells::StepCells;
use crate::sequence::StepLooks;

/// Values drawn in a chunk, about: a chunk holds this many divided by the number of people.
const CHUNK: usize = 1 << 16;

/// Values drawn in a round, about; so many are kept at most until the engine has been asked.
const ROUND: usize = 1 << 24;

/// Values that the memory of the engine's answers holds at most.
const MEMORY: usize = 1 << 26;

/// The groups of one earlier step.
#[derive(Debug)]
struct Groups {
    /// Places of people, group after group.
    places: Vec<u32>,
    /// By group, where it is in `places`.
    ranges: Vec<Range<usize>>,
    /// By size of groups, the largest count of each code with which a group passes; `None` when that is not all that
    /// counts.
    caps: HashMap<usize, Option<Vec<u64>>>,
    /// Whether the disclosure set is always the permutation set.
    certain: bool,
}

/// One who draws worlds for a step.
#[derive(Debug)]
pub(super) struct StepSampler<'s, 'a> {
    adversary: &'s StrategyAdversary<'a>,
    /// The step, from 0.
    step: usize,
    cells: &'s StepCells,
    /// The table's values by place.
    values: Vec<u32>,
    /// Every earlier step.
    earlier: Vec<Groups>,
    closed: bool,
}

/// What was drawn.
#[derive(Debug, Clone)]
pub(crate) struct StepTally {
    /// Worlds in which the strategy comes to the step.
    pub(super) kept: u64,
    /// By cell, how many people of its atom have its value, added up over these worlds.
    pub(super) counts: Vec<u64>,
}

/// A world in which the strategy comes to the step unless the disclosure set of one of `steps` passes.
#[derive(Debug)]
struct Pending {
    chunk: u64,
    world: Vec<u32>,
    steps: Vec<usize>,
}

/// The engine's answers: by step and values of every group in order, whether the disclosure set passes.
#[derive(Debug, Default)]
struct Memory {
    known: HashMap<(usize, Vec<u32>), bool>,
    held: usize,
}

/// How often each code occurs, all zero between uses.
type Counts = Vec<u64>;

impl<'s, 'a> StepSampler<'s, 'a> {
    /// For `step`, from 0; the number of steps stands for silence.
    pub(super) fn new(adversary: &'s StrategyAdversary<'a>, step: usize, cells: &'s StepCells) -> Self {
        let engine = &adversary.engine;
        let mut place_of = vec![0; cells.order.len()];
        for (place, &person) in (0u32..).zip(&cells.order) {
            place_of[person as usize] = place;
        }
        let domain = adversary.values.iter().max().map_or(0, |&last| last + 1);
        let caps =
            |size: usize| (0..domain).map(|code| engine.condition.cap(code, size as u64)).collect::<Option<Vec<u64>>>();
        let groups = |at: usize| {
            let mut groups = Groups {
                places: Vec::with_capacity(place_of.len()),
                ranges: Vec::new(),
                caps: HashMap::new(),
                certain: engine.formulas[at].is_certain(),
            };
            for members in &engine.members[at] {
                let from = groups.places.len();
                groups.places.extend(members.iter().map(|&person| place_of[person as usize]));
                groups.ranges.push(from..groups.places.len());
                groups.caps.entry(members.len()).or_insert_with(|| caps(members.len()));
            }
            groups
        };
        Self {
            adversary,
            step,
            cells,
            values: cells.order.iter().map(|&person| adversary.values[person as usize]).collect(),
            earlier: (0..step).map(groups).collect(),
            closed: engine.condition.is_closed_under_mixtures(),
        }
    }

    /// Draws `draws` worlds.
    pub(super) fn draw(&self, draws: u64, randomness: RandomSource<'_>) -> Result<StepTally> {
        let people = self.values.len();
        let each = (CHUNK / people).max(1) as u64;
        let round = (ROUND / people / each as usize).max(1) as u64;
        let chunks = draws.div_ceil(each);
        let empty = StepTally::none(self.cells);
        let threads = (rayon::current_num_threads() as u64).min(chunks).min(round);
        let mut tallies = vec![empty; threads as usize];
        let mut memory = Memory::default();
        for from in (0..chunks).step_by(round as usize) {
            let to = (from + round).min(chunks);
            let mut pending: Vec<Pending> = (from..to)
                .take(threads as usize)
                .zip(&mut tallies)
                .collect::<Vec<_>>()
                .into_par_iter()
                .flat_map_iter(|(first, tally)| {
                    let mine = (first..to).step_by(threads as usize);
                    let size = |chunk: u64| each.min(draws - chunk * each);
                    mine.flat_map(|chunk| self.chunk(chunk, size(chunk), randomness, tally)).collect::<Vec<_>>()
                })
                .collect();
            // Within a chunk the order is that of the draws, and sorting keeps it.
            pending.sort_by_key(|pending| pending.chunk);
            for pending in pending {
                if self.none_passes(&pending, &mut memory)? {
                    tallies[0].add(&pending.world, self.cells);
                }
            }
        }
        let joined = tallies.into_iter().reduce(StepTally::and);
        Ok(joined.expect("there is a draw"))
    }

    /// Draws one chunk of `size` worlds: counts those that are kept and gives back those that the engine must judge.
    fn chunk(&self, chunk: u64, size: u64, randomness: RandomSource<'_>, tally: &mut StepTally) -> Vec<Pending> {
        let mut source = randomness.stream(ChoicePurpose::Worlds, self.step as u64, chunk);
        let mut world = self.values.clone();
        let mut counts: Counts = vec![0; self.values.iter().max().map_or(0, |&last| last as usize + 1)];
        let mut steps = Vec::new();
        let mut pending = Vec::new();
        for _ in 0..size {
            // Shuffling what was shuffled before is as good as shuffling the table.
            for group in &self.cells.groups {
                source.shuffle(&mut world[group.range.clone()]);
            }
            if !self.arrives(&world, &mut counts, &mut steps) {
                continue;
            }
            if steps.is_empty() {
                tally.add(&world, self.cells);
            } else {
                pending.push(Pending { chunk, world: world.clone(), steps: steps.clone() });
            }
        }
        pending
    }

    /// Whether the strategy comes to the step when every disclosure set that it looks at fails; `asked` gets the steps
    /// whose disclosure sets these are. If one of them passes, it is released and the walk ends there.
    fn arrives(&self, world: &[u32], counts: &mut Counts, asked: &mut Vec<usize>) -> bool {
        asked.clear();
        let mut at = 0;
        while at < self.step {
            let (rule, groups) = (self.adversary.rules[at], &self.earlier[at]);
            // Under a principle that is closed under mixtures a disclosure set passes only where the groups do.
            let tells = rule.looks != StepLooks::Disclosure || self.closed || groups.certain;
            if tells && !self.pass(groups, world, counts) {
                at += 1;
                continue;
            }
            if rule.looks == StepLooks::Permutation || groups.certain {
                return false;
            }
            asked.push(at);
            at += if rule.looks == StepLooks::Both { rule.jump } else { 1 };
        }
        // Silence is come to from any jump beyond the last step.
        at.min(self.adversary.rules.len()) == self.step
    }

    /// Whether all groups pass.
    fn pass(&self, groups: &Groups, world: &[u32], counts: &mut Counts) -> bool {
        groups.ranges.iter().all(|range| {
            let codes = || groups.places[range.clone()].iter().map(|&place| world[place as usize]);
            let passes = if let Some(caps) = &groups.caps[&range.len()] {
                codes().all(|code| {
                    counts[code as usize] += 1;
                    counts[code as usize] <= caps[code as usize]
                })
            } else {
                let mut seen: Vec<u32> = Vec::new();
                for code in codes() {
                    if counts[code as usize] == 0 {
                        seen.push(code);
                    }
                    counts[code as usize] += 1;
                }
                seen.sort_unstable();
                let entries = seen.into_iter().map(|code| (code, counts[code as usize]));
                self.adversary.engine.condition.holds(&Histogram::from_entries(entries))
            };
            codes().for_each(|code| counts[code as usize] = 0);
            passes
        })
    }

    /// Whether the disclosure sets of all steps in question fail; asked in order, so that the world is in each of them.
    fn none_passes(&self, pending: &Pending, memory: &mut Memory) -> Result<bool> {
        for &at in &pending.steps {
            // A disclosure set is decided by the histograms of the groups.
            let groups = &self.earlier[at];
            let mut codes: Vec<u32> = groups.places.iter().map(|&place| pending.world[place as usize]).collect();
            for range in &groups.ranges {
                codes[range.clone()].sort_unstable();
            }
            let key = (at, codes);
            let passes = if let Some(&known) = memory.known.get(&key) {
                known
            } else {
                let passes = self.passes_exactly(at, &pending.world)?;
                if memory.held < MEMORY {
                    memory.held += key.1.len();
                    memory.known.insert(key, passes);
                }
                passes
            };
            if passes {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn passes_exactly(&self, at: usize, world: &[u32]) -> Result<bool> {
        let engine = &self.adversary.engine;
        let mut by_person = vec![0; world.len()];
        for (&person, &code) in self.cells.order.iter().zip(world) {
            by_person[person as usize] = code;
        }
        self.adversary.begin(at + 1);
        let belief = engine.disclosure(at, &by_person).map_err(|error| {
            if error.kind() != ErrorKind::LimitExceeded {
                return error;
            }
            let words = error.message().split(';').next().unwrap_or_default();
            Error::new(
                ErrorKind::LimitExceeded,
                format!(
                    "the estimate must know whether the disclosure set of step {} passes: {words}; raise the limit, or \
                     use fewer or smaller functions",
                    at + 1
                ),
            )
        })?;
        Ok(belief.holds(engine.condition) == Some(true))
    }
}

impl StepTally {
    /// Nothing drawn.
    pub(crate) fn none(cells: &StepCells) -> Self {
        Self { kept: 0, counts: vec![0; cells.many] }
    }

    /// What was drawn in two places.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.kept += other.kept;
        self.counts.iter_mut().zip(other.counts).for_each(|(sum, count)| *sum += count);
        self
    }

    /// Counts a world that is kept; values are by place.
    pub(crate) fn add(&mut self, world: &[u32], cells: &StepCells) {
        self.kept += 1;
        for group in cells.groups.iter().filter(|group| group.codes.len() > 1) {
            for place in group.range.clone() {
                let rank = group.codes.partition_point(|&code| code < world[place]);
                self.counts[cells.first[place] + rank] += 1;
            }
        }
    }
}
