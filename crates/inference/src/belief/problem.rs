//! Puzzles: one connected part of a counting question, in a form that equal parts share.
//!
//! The people of a part fall into **units**: those who are in the same outer group (a group of the published function, whose
//! histogram is known) and in the same tracked groups (those the term asks to pass). How the values of the outer groups
//! fall on units, weighted by the number of ways to give them to the people of each unit, is all there is to count.

use hashbrown::HashMap;

/// People who are in the same outer group and the same tracked groups.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ExchangeableUnit {
    /// How many people.
    pub(super) size: u32,
    /// The outer group.
    pub(super) outer: u32,
    /// The tracked groups, ascending.
    pub(super) tracked: Vec<u32>,
}

/// A group some term asks about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct TrackedGroup {
    /// How many people.
    pub(super) size: u32,
    /// Whether it must pass.
    pub(super) pass: bool,
    /// Set when the disclosure set of its function matters: the component it belongs to.
    pub(super) level: Option<ComponentPlace>,
}

/// A group's place in a component of the functions up to its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ComponentPlace {
    /// The step, from 0.
    pub(super) step: u32,
    /// The component's shape.
    pub(super) shape: u32,
    /// Number of the component in the puzzle.
    pub(super) component: u32,
    /// Number of the group in the component.
    pub(super) place: u32,
}

/// A part of a counting question: units in the order in which they are swept, and what is known and asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CountingProblem {
    /// The units.
    pub(super) units: Vec<ExchangeableUnit>,
    /// By outer group, how often each value occurs; values in a canonical order, equal columns side by side.
    pub(super) outers: Vec<Vec<u32>>,
    /// The tracked groups.
    pub(super) tracked: Vec<TrackedGroup>,
    /// The code of every value; empty when the principle treats all values alike.
    pub(super) codes: Vec<u32>,
}

impl CountingProblem {
    /// Number of values.
    pub(super) fn values(&self) -> usize {
        self.outers.first().map_or(0, Vec::len)
    }

    /// Ranges of values that can be exchanged: they occur equally often in every outer group.
    pub(super) fn orbits(&self) -> Vec<std::ops::Range<usize>> {
        let values = self.values();
        if !self.codes.is_empty() {
            return (0..values).map(|value| value..value + 1).collect();
        }
        let alike = |a: usize, b: usize| self.outers.iter().all(|counts| counts[a] == counts[b]);
        let mut orbits: Vec<std::ops::Range<usize>> = Vec::new();
        for value in 0..values {
            match orbits.last_mut() {
                Some(orbit) if alike(orbit.start, value) => orbit.end = value + 1,
                _ => orbits.push(value..value + 1),
            }
        }
        orbits
    }

    /// Number of people.
    pub(super) fn people(&self) -> u64 {
        self.units.iter().map(|unit| u64::from(unit.size)).sum()
    }

    /// Puts the units into an order that keeps few groups open, and renumbers groups by first appearance. Returns where
    /// each unit was.
    pub(super) fn arrange(&mut self) -> Vec<usize> {
        let natural: Vec<usize> = (0..self.units.len()).collect();
        let mut best = (self.effort(&natural), natural);
        for order in self.candidates() {
            let effort = self.effort(&order);
            if effort < best.0 {
                best = (effort, order);
            }
        }
        let order = best.1;
        self.units = order.iter().map(|&at| self.units[at].clone()).collect();
        self.renumber();
        order
    }

    /// Numbers outer groups, tracked groups and components by first appearance along the units.
    fn renumber(&mut self) {
        let mut outer_numbers: HashMap<u32, u32> = HashMap::new();
        let mut tracked_numbers: HashMap<u32, u32> = HashMap::new();
        let mut outers = Vec::new();
        let mut tracked: Vec<TrackedGroup> = Vec::new();
        let mut components: HashMap<(u32, u32), u32> = HashMap::new();
        for unit in &mut self.units {
            let next = outers.len() as u32;
            let old = unit.outer;
            unit.outer = *outer_numbers.entry(old).or_insert_with(|| {
                outers.push(self.outers[old as usize].clone());
                next
            });
            for number in &mut unit.tracked {
                let next = tracked.len() as u32;
                let old = *number;
                *number = *tracked_numbers.entry(old).or_insert_with(|| {
                    let mut group = self.tracked[old as usize].clone();
                    if let Some(level) = &mut group.level {
                        let many = components.len() as u32;
                        level.component = *components.entry((level.step, level.component)).or_insert(many);
                    }
                    tracked.push(group);
                    next
                });
            }
            unit.tracked.sort_unstable();
        }
        self.outers = outers;
        self.tracked = tracked;
    }

    /// Orders built by always taking the unit that leaves least open, from a few starts.
    fn candidates(&self) -> Vec<Vec<usize>> {
        let many = self.units.len();
        if many <= 2 {
            return vec![(0..many).rev().collect()];
        }
        if many > MANY {
            return Vec::new();
        }
        let mut members: HashMap<(bool, u32), Vec<usize>> = HashMap::new();
        for (at, unit) in self.units.iter().enumerate() {
            for group in groups_of(unit) {
                members.entry(group).or_default().push(at);
            }
        }
        let loneliness = |at: &usize| {
            let touching: usize = groups_of(&self.units[*at]).map(|group| members[&group].len()).sum();
            (touching, self.units[*at].size, *at)
        };
        let mut starts: Vec<usize> = (0..many).collect();
        starts.sort_by_key(loneliness);
        starts.truncate(if many > 200 { 1 } else { 4 });
        starts.into_iter().map(|start| self.greedy(start, &members)).collect()
    }

    fn greedy(&self, start: usize, members: &HashMap<(bool, u32), Vec<usize>>) -> Vec<usize> {
        let mut taken = vec![false; self.units.len()];
        let mut left: HashMap<(bool, u32), usize> = members.iter().map(|(&group, all)| (group, all.len())).collect();
        let mut open: Vec<(bool, u32)> = Vec::new();
        let mut order = Vec::with_capacity(self.units.len());
        let mut next = Some(start);
        let mut fresh = 0;
        while let Some(at) = next {
            taken[at] = true;
            order.push(at);
            for group in groups_of(&self.units[at]) {
                *left.get_mut(&group).expect("every group has members") -= 1;
                if left[&group] > 0 && !open.contains(&group) {
                    open.push(group);
                }
            }
            open.retain(|group| left[group] > 0);
            // Small gain: groups closed; small cost: groups opened.
            let price = |at: &usize| {
                let unit = &self.units[*at];
                let (mut opened, mut closed) = (0i64, 0i64);
                for group in groups_of(unit) {
                    let is_open = open.contains(&group);
                    match (is_open, left[&group] == 1) {
                        (true, true) => closed += 1,
                        (false, false) => opened += 1,
                        _ => {}
                    }
                }
                (opened - closed, unit.size, *at)
            };
            next = open.iter().flat_map(|group| &members[group]).copied().filter(|&at| !taken[at]).min_by_key(price);
            while next.is_none() && fresh < taken.len() {
                next = (!taken[fresh]).then_some(fresh);
                fresh += 1;
            }
        }
        order
    }

    /// About how many states times choices a sweep in this order visits, as a binary logarithm; an upper bound.
    pub(super) fn effort(&self, order: &[usize]) -> f64 {
        let values = self.values() as f64;
        let mut last: HashMap<(bool, u32), usize> = HashMap::new();
        for (position, &at) in order.iter().enumerate() {
            for group in groups_of(&self.units[at]) {
                last.insert(group, position);
            }
        }
        let component_end = self.component_ends(order);
        // By open group, how many people are filled in.
        let mut open: Vec<((bool, u32), f64, usize)> = Vec::new();
        let mut total = f64::NEG_INFINITY;
        for (position, &at) in order.iter().enumerate() {
            let unit = &self.units[at];
            let states: f64 = open.iter().map(|&(_, filled, _)| choices(filled, values)).sum();
            let forced = last[&(true, unit.outer)] == position;
            let offers = if forced { 0.0 } else { choices(f64::from(unit.size), values) };
            total = log_add(total, states + offers);
            for group in groups_of(unit) {
                let end = match group {
                    (false, tracked) => match self.tracked[tracked as usize].level {
                        Some(level) => component_end[&level.component],
                        None => last[&group],
                    },
                    (true, _) => last[&group],
                };
                match open.iter_mut().find(|entry| entry.0 == group) {
                    Some(entry) => entry.1 += f64::from(unit.size),
                    None => open.push((group, f64::from(unit.size), end)),
                }
            }
            open.retain(|entry| entry.2 > position);
        }
        total
    }

    /// By component, the position in `order` after which it is complete.
    fn component_ends(&self, order: &[usize]) -> HashMap<u32, usize> {
        let mut ends = HashMap::new();
        for (position, &at) in order.iter().enumerate() {
            for &tracked in &self.units[at].tracked {
                if let Some(level) = self.tracked[tracked as usize].level {
                    ends.insert(level.component, position);
                }
            }
        }
        ends
    }
}

/// Beyond so many units, they are swept as they stand.
const MANY: usize = 5000;

/// The outer group (true) and the tracked groups (false) of a unit.
fn groups_of(unit: &ExchangeableUnit) -> impl Iterator<Item = (bool, u32)> + '_ {
    std::iter::once((true, unit.outer)).chain(unit.tracked.iter().map(|&group| (false, group)))
}

/// Binary logarithm of the number of histograms of `rows` rows over `values` values.
fn choices(rows: f64, values: f64) -> f64 {
    // C(rows + values - 1, values - 1) by Stirling's formula is more than needed: sum the shorter product.
    let (short, long) = if rows < values - 1.0 { (rows, values - 1.0) } else { (values - 1.0, rows) };
    let mut log = 0.0;
    let mut at = 1.0;
    while at <= short {
        log += ((long + at) / at).log2();
        at += 1.0;
    }
    log
}

/// `log2(2^a + 2^b)`.
pub(super) fn log_add(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if low == f64::NEG_INFINITY { high } else { high + (low - high).exp2().ln_1p() / std::f64::consts::LN_2 }
}
