//! Layouts: how the people fall into units and parts for one term, whatever values they have.

use hashbrown::HashMap;

use super::formula::StepEvent;
use super::problem::{ComponentPlace, CountingProblem, ExchangeableUnit, TrackedGroup};

/// A group that a term tracks.
#[derive(Debug, Clone)]
pub(super) struct TrackedPeople {
    /// The people.
    pub(super) members: Vec<u32>,
    /// How many of them are in which outer group.
    pub(super) outers: Vec<(u32, u32)>,
    /// What is asked of it.
    pub(super) event: StepEvent,
    /// Its place in a component, when a disclosure set is asked about.
    pub(super) level: Option<ComponentPlace>,
}

/// The people of one term, arranged into connected parts.
#[derive(Debug)]
pub(super) struct TermLayout {
    /// The parts.
    pub(super) parts: Vec<TermPart>,
    /// By person, in the order in which they were given, the part and the unit.
    pub(super) place: Vec<(u32, u32)>,
}

/// A connected part: a puzzle without values.
#[derive(Debug)]
pub(super) struct TermPart {
    /// The outer groups, by number in the whole table.
    pub(super) outers: Vec<u32>,
    /// Units, tracked groups; no counts yet.
    puzzle: CountingProblem,
}

impl TermLayout {
    /// Arranges `people` with the outer groups `outer` (of everyone) and the tracked `groups`, of which those with `kept`
    /// matter. Groups of the same component of a level stay together.
    pub(super) fn new(people: &[u32], outer: &[u32], groups: &[TrackedPeople], kept: &[bool]) -> Self {
        let many = outer.iter().max().map_or(0, |&last| last as usize + 1);
        let mut parents: Vec<u32> = (0..many as u32).collect();
        let mut by_component: HashMap<(u32, u32), u32> = HashMap::new();
        let mut of_person: HashMap<u32, Vec<u32>> = people.iter().map(|&person| (person, Vec::new())).collect();
        for (number, group) in groups.iter().enumerate().filter(|(number, _)| kept[*number]) {
            let first = group.outers[0].0;
            for &(other, _) in &group.outers[1..] {
                join(&mut parents, first, other);
            }
            if let Some(level) = group.level {
                let together = *by_component.entry((level.step, level.component)).or_insert(first);
                join(&mut parents, together, first);
            }
            for &person in &group.members {
                of_person.get_mut(&person).expect("groups lie inside").push(number as u32);
            }
        }
        let mut drafts: Vec<Draft> = Vec::new();
        let mut draft_of: HashMap<u32, u32> = HashMap::new();
        let mut place = Vec::with_capacity(people.len());
        for person in people {
            let group = outer[*person as usize];
            let root = find(&mut parents, group);
            let next = drafts.len() as u32;
            let part = *draft_of.entry(root).or_insert(next);
            if part == next {
                drafts.push(Draft::default());
            }
            place.push((part, drafts[part as usize].admit(group, &of_person[person])));
        }
        let mut parts = Vec::with_capacity(drafts.len());
        let mut moved: Vec<Vec<u32>> = Vec::with_capacity(drafts.len());
        for draft in drafts {
            let (part, unit_now_at) = draft.finish(groups);
            parts.push(part);
            moved.push(unit_now_at);
        }
        for slot in &mut place {
            slot.1 = moved[slot.0 as usize][slot.1 as usize];
        }
        Self { parts, place }
    }
}

impl TermPart {
    /// The puzzle of this part for outer groups with the given histograms (by code, ascending), and the code of each of its
    /// values.
    pub(super) fn puzzle(&self, histograms: &[Vec<(u32, u32)>], symmetric: bool) -> (CountingProblem, Vec<u32>) {
        let mut codes: Vec<u32> =
            self.outers.iter().flat_map(|&outer| histograms[outer as usize].iter().map(|entry| entry.0)).collect();
        codes.sort_unstable();
        codes.dedup();
        let mut columns: Vec<(Vec<u32>, u32)> = codes.iter().map(|&code| (vec![0; self.outers.len()], code)).collect();
        for (at, &outer) in self.outers.iter().enumerate() {
            for &(code, count) in &histograms[outer as usize] {
                let column = codes.binary_search(&code).expect("all codes are listed");
                columns[column].0[at] = count;
            }
        }
        if symmetric {
            columns.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        }
        let mut puzzle = self.puzzle.clone();
        puzzle.outers = (0..self.outers.len()).map(|at| columns.iter().map(|column| column.0[at]).collect()).collect();
        let codes: Vec<u32> = columns.into_iter().map(|column| column.1).collect();
        puzzle.codes = if symmetric { Vec::new() } else { codes.clone() };
        (puzzle, codes)
    }
}

/// A part in the making.
#[derive(Default)]
struct Draft {
    units: Vec<(u32, Vec<u32>, u32)>,
    numbers: HashMap<(u32, Vec<u32>), u32>,
}

impl Draft {
    /// The unit of a person in these groups.
    fn admit(&mut self, outer: u32, tracked: &[u32]) -> u32 {
        let next = self.units.len() as u32;
        let unit = *self.numbers.entry((outer, tracked.to_vec())).or_insert(next);
        if unit == next {
            self.units.push((outer, tracked.to_vec(), 0));
        }
        self.units[unit as usize].2 += 1;
        unit
    }

    /// The part, arranged, and where each unit now is.
    fn finish(self, groups: &[TrackedPeople]) -> (TermPart, Vec<u32>) {
        let mut outer_numbers: HashMap<u32, u32> = HashMap::new();
        let mut outers: Vec<u32> = Vec::new();
        let mut tracked_numbers: HashMap<u32, u32> = HashMap::new();
        let mut tracked: Vec<TrackedGroup> = Vec::new();
        let mut units = Vec::with_capacity(self.units.len());
        for (outer, numbers, size) in &self.units {
            let next = outers.len() as u32;
            let local = *outer_numbers.entry(*outer).or_insert(next);
            if local == next {
                outers.push(*outer);
            }
            let mut mine: Vec<u32> = Vec::with_capacity(numbers.len());
            for &number in numbers {
                let next = tracked.len() as u32;
                let local = *tracked_numbers.entry(number).or_insert(next);
                if local == next {
                    let group = &groups[number as usize];
                    let (size, pass) = (group.members.len() as u32, group.event.passes());
                    tracked.push(TrackedGroup { size, pass, level: group.level });
                }
                mine.push(local);
            }
            mine.sort_unstable();
            units.push(ExchangeableUnit { size: *size, outer: local, tracked: mine });
        }
        // While arranging, an outer group's number stands in for its histogram; a stand-in with a few values will do.
        let stand_in: Vec<Vec<u32>> = (0..outers.len() as u32).map(|number| vec![number, 1, 1, 1]).collect();
        let mut puzzle = CountingProblem { units, outers: stand_in, tracked, codes: Vec::new() };
        let order = puzzle.arrange();
        let outers = puzzle.outers.iter().map(|stand_in| outers[stand_in[0] as usize]).collect();
        let mut now_at = vec![0; order.len()];
        for (now, &before) in order.iter().enumerate() {
            now_at[before] = now as u32;
        }
        (TermPart { outers, puzzle }, now_at)
    }
}

fn find(parents: &mut [u32], mut at: u32) -> u32 {
    while parents[at as usize] != at {
        parents[at as usize] = parents[parents[at as usize] as usize];
        at = parents[at as usize];
    }
    at
}

fn join(parents: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(parents, a), find(parents, b));
    parents[a.max(b) as usize] = a.min(b);
}

/// Components of people under several functions together: by person, a number from 0 by first appearance.
pub(super) fn components(people: usize, functions: &[&[u32]]) -> Vec<u32> {
    let mut parents: Vec<u32> = (0..people as u32).collect();
    for labels in functions {
        let mut first: HashMap<u32, u32> = HashMap::new();
        for (person, &label) in labels.iter().enumerate() {
            let head = *first.entry(label).or_insert(person as u32);
            join(&mut parents, head, person as u32);
        }
    }
    let mut numbers: HashMap<u32, u32> = HashMap::new();
    (0..people as u32)
        .map(|person| {
            let root = find(&mut parents, person);
            let next = numbers.len() as u32;
            *numbers.entry(root).or_insert(next)
        })
        .collect()
}
