//! Counting value by value: in how many worlds some part of every rejected partition fails.
//!
//! A world of a few groups is a matrix: how many people of each atom (people of one group whom no partition tells apart) have
//! each value. [`ClusterBlock::count`] fills it column by column, value after value, the commonest first, and within a column atom
//! after atom. A state is how many people of each atom are still without a value, which partitions are known to be rejected,
//! and of every part that is still open what the principle must recall ([`pellucid_model::principle::SufficientStatistic`]). A part whose
//! [`Foregone`] is clear is forgotten; where all parts of a partition pass, the world is none of those looked for; where all
//! partitions are rejected, what is left can fall anyhow, and is not counted but multiplied.

use dashu_int::UBig;
use hashbrown::HashMap;
use pellucid_model::error::Result;
use pellucid_model::principle::SufficientStatistic;

use super::counted::{BinomialTable, BlockEdge, BlockEnd, BlockLayer, CountedBlock};
use super::outlook::{CountBounds, Foregone, outlook};
use crate::belief::Requirements;
use crate::meter::{BudgetMeter, bytes_behind, bytes_of};

/// People of one group whom no part tells apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BlockAtom {
    /// The group, by number in the block.
    pub(super) group: usize,
    /// How many people.
    pub(super) size: u32,
    /// The parts they are in, by number in the block, ascending.
    pub(super) parts: Vec<usize>,
}

/// Part of a rejected partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RejectedPart {
    /// The partition, below 64.
    pub(super) partition: u32,
    /// Its rows.
    pub(super) rows: u32,
}

/// Groups that parts of rejected partitions tie together.
#[derive(Debug)]
pub(super) struct ClusterBlock {
    /// Codes of the values, the commonest first.
    pub(super) codes: Vec<u32>,
    /// By value and group, how often it occurs.
    pub(super) counts: Vec<Vec<u32>>,
    /// Atoms, those of a group side by side.
    pub(super) atoms: Vec<BlockAtom>,
    parts: Vec<RejectedPart>,
    /// Partitions that have parts here, and those of them that have parts elsewhere too, as bits.
    here: u64,
    shared: u64,
}

impl ClusterBlock {
    /// Groups with the given histograms; `shared` are the partitions that have parts outside.
    pub(super) fn new(
        histograms: &[Vec<(u32, u32)>],
        atoms: Vec<BlockAtom>,
        parts: Vec<RejectedPart>,
        shared: u64,
    ) -> Self {
        let mut by_code: HashMap<u32, Vec<u32>> = HashMap::new();
        for (group, histogram) in histograms.iter().enumerate() {
            for &(code, count) in histogram {
                by_code.entry(code).or_insert_with(|| vec![0; histograms.len()])[group] = count;
            }
        }
        let mut columns: Vec<(u32, Vec<u32>)> = by_code.into_iter().collect();
        columns.sort_by_key(|(code, counts)| (std::cmp::Reverse(counts.iter().sum::<u32>()), *code));
        let (codes, counts) = columns.into_iter().unzip();
        let here = parts.iter().fold(0, |here, part| here | 1 << part.partition);
        Self { codes, counts, atoms, parts, here, shared }
    }

    /// Counts the worlds of the block in which every partition that has no part elsewhere is rejected, by which of the
    /// shared ones are.
    pub(super) fn count<'b>(
        &'b self,
        condition: &'b Requirements<'b>,
        meter: &BudgetMeter,
    ) -> Result<CountedBlock<'b>> {
        Filling::new(self, condition).run(meter)
    }

    /// By part and value, how often the value occurs in it.
    fn ranges(&self) -> Vec<Vec<CountBounds>> {
        let groups = self.counts.first().map_or(0, Vec::len);
        let mut size = vec![0u32; groups];
        self.atoms.iter().for_each(|atom| size[atom.group] += atom.size);
        let ranges = (0..self.parts.len()).map(|part| {
            let mut inside = vec![0u32; groups];
            let mine = self.atoms.iter().filter(|atom| atom.parts.contains(&part));
            mine.for_each(|atom| inside[atom.group] += atom.size);
            let range = |(&code, counts): (&u32, &Vec<u32>)| {
                let each = counts.iter().zip(&inside).zip(&size);
                let (least, most) = each.fold((0, 0), |(least, most), ((&count, &inside), &size)| {
                    (least + u64::from(count.saturating_sub(size - inside)), most + u64::from(count.min(inside)))
                });
                CountBounds { code, least, most }
            };
            self.codes.iter().zip(&self.counts).map(range).collect()
        });
        ranges.collect()
    }

    /// The atoms that value `value` falls on, in order.
    fn steps(&self, value: usize) -> Vec<Step> {
        let counts = &self.counts[value];
        let touched: Vec<usize> = (0..self.atoms.len()).filter(|&at| counts[self.atoms[at].group] > 0).collect();
        let mut steps: Vec<Step> = touched
            .iter()
            .map(|&atom| {
                let group = self.atoms[atom].group;
                let first = touched.iter().find(|&&other| self.atoms[other].group == group) == Some(&atom);
                let later =
                    (atom + 1..self.atoms.len()).take_while(|&other| self.atoms[other].group == group).collect();
                Step { atom, opens: first.then_some(counts[group]), later, closes: Vec::new(), ends: false }
            })
            .collect();
        for part in 0..self.parts.len() {
            let last = touched.iter().rposition(|&atom| self.atoms[atom].parts.contains(&part));
            let last = last.unwrap_or(steps.len() - 1);
            steps[last].closes.push(part);
        }
        steps.last_mut().expect("a value occurs somewhere").ends = true;
        steps
    }
}

/// One value on one atom.
#[derive(Debug)]
struct Step {
    atom: usize,
    /// How often the value occurs in the group, at the group's first atom.
    opens: Option<u32>,
    /// The atoms of the group that follow.
    later: Vec<usize>,
    /// Parts that get no more of this value.
    closes: Vec<usize>,
    /// Whether the value is done.
    ends: bool,
}

/// Bytes of an edge in a list that grows, and of a place in a table of what was found.
const EDGE: usize = 2 * size_of::<BlockEdge>();
const PLACE: usize = 48;

/// Numbers that a state usually has.
const USUAL: u64 = 64;

/// A part of a partition of which another part fails: nothing need be recalled.
const SETTLED: u32 = u32::MAX;
/// A part that passes.
const PASSED: u32 = u32::MAX - 1;

/// A state: people without a value by atom, partitions rejected (two words), what is recalled of each part, rows of the
/// value at hand in each part, rows of it left for the group at hand.
type State = Box<[u32]>;

/// The work of one block.
struct Filling<'b> {
    block: &'b ClusterBlock,
    condition: &'b Requirements<'b>,
    /// By part, its atoms.
    within: Vec<Vec<usize>>,
    ranges: Vec<Vec<CountBounds>>,
    /// By part and value, the cap, when the condition is nothing but caps.
    caps: Option<Vec<Vec<u64>>>,
    recall: SufficientStatistic,
    /// What is recalled: descending counts, by number.
    notes: Vec<Vec<u32>>,
    numbers: HashMap<Vec<u32>, u32>,
    outlooks: HashMap<(usize, usize, u32, u32), Foregone>,
}

impl<'b> Filling<'b> {
    fn new(block: &'b ClusterBlock, condition: &'b Requirements<'b>) -> Self {
        let caps = block.parts.iter().map(|part| {
            block.codes.iter().map(|&code| condition.cap(code, u64::from(part.rows))).collect::<Option<Vec<u64>>>()
        });
        Self {
            block,
            condition,
            within: (0..block.parts.len())
                .map(|part| (0..block.atoms.len()).filter(|&atom| block.atoms[atom].parts.contains(&part)).collect())
                .collect(),
            ranges: block.ranges(),
            caps: caps.collect(),
            recall: condition.recall(),
            notes: vec![Vec::new()],
            numbers: HashMap::from_iter([(Vec::new(), 0)]),
            outlooks: HashMap::new(),
        }
    }

    fn run(mut self, meter: &BudgetMeter) -> Result<CountedBlock<'b>> {
        let block = self.block;
        let (atoms, parts) = (block.atoms.len(), block.parts.len());
        let mut start = vec![0; atoms + 2 + 2 * parts + 1];
        start.iter_mut().zip(&block.atoms).for_each(|(free, atom)| *free = atom.size);
        let mut states: Vec<State> = vec![start.into()];
        let mut first = BlockLayer { ways: vec![UBig::ONE], ..BlockLayer::default() };
        // Where nothing is asked, nothing need be counted.
        let end =
            self.ending(&states[0]).map(|rejected| BlockEnd { state: 0, rejected, free: states[0][..atoms].into() });
        let mut ended = vec![end.is_some()];
        first.ends.extend(end);
        let mut layers = vec![first];
        let mut places = Vec::new();
        let mut binomials = BinomialTable::default();
        let state_bytes = bytes_behind(states[0].len());
        let mut held = meter.holding();
        // Long states count for several.
        let weight = 1 + states[0].len() as u64 / USUAL;
        for value in 0..block.codes.len() {
            for step in block.steps(value) {
                let mut found: HashMap<State, u32> = HashMap::new();
                let mut next = BlockLayer::default();
                let layer = layers.last_mut().expect("there is a first layer");
                let mut next_states: Vec<State> = Vec::new();
                let mut after = Vec::new();
                let known = self.outlooks.len();
                for (from, state) in states.iter().enumerate().filter(|entry| !ended[entry.0]) {
                    let free = state[step.atom];
                    let left = step.opens.unwrap_or(state[state.len() - 1]);
                    let room: u32 = step.later.iter().map(|&atom| state[atom]).sum();
                    let least = left.saturating_sub(room);
                    meter.spend(weight * (1 + u64::from((free.min(left) + 1).saturating_sub(least))))?;
                    for rows in least..=free.min(left) {
                        after.clear();
                        after.extend_from_slice(state);
                        if !self.advance(&mut after, &step, value, rows, left) {
                            continue;
                        }
                        let ways = &layer.ways[from] * binomials.of(free, rows);
                        let to = if let Some(&to) = found.get(after.as_slice()) {
                            next.ways[to as usize] += ways;
                            to
                        } else {
                            let to = next_states.len() as u32;
                            // Twice while its step is gone through, and once while the next is.
                            held.grow(2 * state_bytes + PLACE + 2 * bytes_of(&ways))?;
                            let key: State = after.as_slice().into();
                            next_states.push(key.clone());
                            found.insert(key, to);
                            next.ways.push(ways);
                            to
                        };
                        held.grow(EDGE)?;
                        layer.edges.push(BlockEdge { from: from as u32, to, rows, free });
                    }
                }
                places.push((value, step.atom));
                held.grow((self.outlooks.len() - known) * 2 * PLACE)?;
                layer.edges.shrink_to_fit();
                held.shrink(layer.edges.len() * (EDGE - size_of::<BlockEdge>()) + found.len() * (state_bytes + PLACE));
                ended = vec![false; next_states.len()];
                if step.ends {
                    for (at, state) in next_states.iter().enumerate() {
                        if let Some(rejected) = self.ending(state) {
                            ended[at] = true;
                            next.ends.push(BlockEnd { state: at as u32, rejected, free: state[..atoms].into() });
                        }
                    }
                }
                held.grow(next.ends.len() * (size_of::<BlockEnd>() + bytes_behind(atoms)))?;
                layers.push(next);
                // The first state was not counted.
                held.shrink(if layers.len() == 2 { 0 } else { states.len() * state_bytes });
                states = next_states;
            }
        }
        Ok(CountedBlock { block, layers, places, held })
    }

    /// Gives `rows` rows of a value, of which the group has `left`, to the atom of `step`; false when no world follows.
    fn advance(&mut self, after: &mut [u32], step: &Step, value: usize, rows: u32, left: u32) -> bool {
        let block = self.block;
        let (first, now) = (block.atoms.len() + 2, block.atoms.len() + 2 + block.parts.len());
        after[step.atom] -= rows;
        *after.last_mut().expect("a state has rows left") = left - rows;
        for &part in &block.atoms[step.atom].parts {
            if after[first + part] < PASSED {
                after[now + part] += rows;
            }
        }
        for &part in &step.closes {
            let known = after[first + part];
            let more = std::mem::take(&mut after[now + part]);
            if known >= PASSED {
                continue;
            }
            let free = self.within[part].iter().map(|&atom| after[atom]).sum();
            let (note, outlook) = self.add(part, value, known, more, free);
            match outlook {
                Foregone::Open => after[first + part] = note,
                Foregone::Passes => {
                    after[first + part] = PASSED;
                    let partition = block.parts[part].partition;
                    let mut others = block.parts.iter().enumerate().filter(|entry| entry.1.partition == partition);
                    if block.shared >> partition & 1 == 0 && others.all(|(other, _)| after[first + other] == PASSED) {
                        return false;
                    }
                }
                Foregone::Fails => {
                    let partition = block.parts[part].partition;
                    after[block.atoms.len() + partition as usize / 32] |= 1 << (partition % 32);
                    for (other, _) in block.parts.iter().enumerate().filter(|entry| entry.1.partition == partition) {
                        after[first + other] = SETTLED;
                        after[now + other] = 0;
                    }
                }
            }
        }
        true
    }

    /// What is recalled of a part with `more` rows of `value` besides what was `known`, `free` of its people being without a
    /// value, and its outlook.
    fn add(&mut self, part: usize, value: usize, known: u32, more: u32, free: u32) -> (u32, Foregone) {
        if let Some(caps) = &self.caps {
            let caps = &caps[part];
            if u64::from(more) > caps[value] {
                return (known, Foregone::Fails);
            }
            let later = self.ranges[part][value + 1..].iter().zip(&caps[value + 1..]);
            let fits = later.clone().all(|(range, &cap)| range.most.min(u64::from(free)) <= cap);
            let room: u64 = later.map(|(range, &cap)| range.most.min(cap)).sum();
            return match (room < u64::from(free), fits) {
                (true, _) => (known, Foregone::Fails),
                (_, true) => (known, Foregone::Passes),
                _ => (known, Foregone::Open),
            };
        }
        let note = if more == 0 { known } else { self.note(known, more) };
        let asked = (part, value, note, free);
        if let Some(&outlook) = self.outlooks.get(&asked) {
            return (note, outlook);
        }
        let outlook = self.look(part, value, note, free);
        self.outlooks.insert(asked, outlook);
        (note, outlook)
    }

    /// The number of what is recalled of counts with one more.
    fn note(&mut self, known: u32, more: u32) -> u32 {
        let mut counts = self.notes[known as usize].clone();
        match self.recall {
            SufficientStatistic::Size => {}
            SufficientStatistic::Values(most) => {
                if (counts.len() as u64) < most {
                    counts.push(1);
                }
            }
            SufficientStatistic::Head(_) | SufficientStatistic::Counts => {
                let place = counts.partition_point(|&count| count >= more);
                counts.insert(place, more);
                if let SufficientStatistic::Head(many) = self.recall {
                    counts.truncate(many as usize);
                }
            }
        }
        let next = self.notes.len() as u32;
        *self.numbers.entry(counts).or_insert_with_key(|counts| {
            self.notes.push(counts.clone());
            next
        })
    }

    /// The outlook of a part after `value`: counts of which the same is recalled, and what may come.
    fn look(&self, part: usize, value: usize, note: u32, free: u32) -> Foregone {
        let rows = u64::from(self.block.parts[part].rows);
        let (filled, free) = (rows - u64::from(free), u64::from(free));
        let mut counts: Vec<u64> = self.notes[note as usize].iter().map(|&count| u64::from(count)).collect();
        let over = filled - counts.iter().sum::<u64>().min(filled);
        match (self.recall, counts.first_mut()) {
            (SufficientStatistic::Values(_), Some(first)) => *first += over,
            _ => counts.extend(std::iter::repeat_n(1, over as usize)),
        }
        let ranges = &self.ranges[part];
        // Values that are done may have any code: all are treated alike.
        let done = (0..).zip(counts).map(|(code, count)| CountBounds { code, least: count, most: count });
        let later = ranges[value + 1..].iter().map(|range| CountBounds { most: range.most.min(free), ..*range });
        outlook(self.condition, rows, &done.chain(later).collect::<Vec<_>>())
    }

    /// The shared partitions that are rejected in a state in which everything is decided.
    fn ending(&self, state: &State) -> Option<u64> {
        let block = self.block;
        let atoms = block.atoms.len();
        let rejected = u64::from(state[atoms]) | u64::from(state[atoms + 1]) << 32;
        let open = block.parts.iter().zip(&state[atoms + 2..]).any(|(_, &note)| note < PASSED);
        let decided = !open && block.here & !block.shared & !rejected == 0;
        decided.then_some(rejected & block.shared)
    }
}
