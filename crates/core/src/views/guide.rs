//! Guides: worlds drawn at random where a component takes too much to be counted.
//!
//! Some views are remembered, so few that what agrees with them can be counted: a relaxation. A world is drawn atom after atom as the
//! relaxation has it, but only among choices from which one can still come to a world that agrees with all views; that is
//! decided over the integers.
//!
//! # Theorem
//! Let U be the number of worlds of the relaxation, and let at every choice f be the share of the relaxation's worlds, among those that
//! are left, to which choices that can be gone on with lead. A world T is then drawn with probability q(T) = 1 / (U v(T)),
//! where v(T) is the product of all f on the way to it: a number between 0 and 1. Hence for every function g of worlds
//! `E[v g] = (sum of g over all worlds that agree with all views) / U`: weighing by v is unbiased, and weights are bounded by a
//! number that is known. This holds also when choices that cannot be gone on with are mistaken for others: a draw that comes
//! to an end has v = 0.

use hashbrown::HashMap;

use super::atoms::Component;
use super::count::Sweep;
use crate::belief::Meter;
use crate::error::Result;
use crate::publish::Source;

/// Nodes that one search for a world may visit before it is given up, and the choice taken for one that can be gone on with.
const NODES: u32 = 20_000;

/// Answers of searches that are remembered at a time.
const REMEMBERED: usize = 1 << 18;

/// A component with a relaxation of it.
#[derive(Debug)]
pub(super) struct Guide<'c> {
    component: &'c Component,
    sweep: Sweep,
    /// By step and edge, with which probability the relaxation goes there from the state it comes from; edges are in this
    /// order for each state.
    edges: Vec<Vec<Way>>,
    /// By step and state, where its edges are; and where the last ends.
    starts: Vec<Vec<usize>>,
    /// The views that the relaxation does not remember.
    left_out: Vec<usize>,
    /// By step, which of these its atom is in, by place in `left_out`, and whether it is the last of them.
    touched: Vec<Vec<(usize, bool)>>,
    /// By step, view left out and code, how many people from this step on can have it at most.
    room: Vec<Vec<u32>>,
}

#[derive(Debug, Clone, Copy)]
struct Way {
    to: u32,
    taken: u32,
    chance: f64,
}

/// What searches for worlds have found: by step, state of the relaxation and what views that are left out still have to show,
/// whether one can go on.
#[derive(Debug, Default)]
pub(super) struct Memory {
    found: HashMap<(u32, u32, Box<[u32]>), bool>,
}

/// A world that was drawn.
#[derive(Debug)]
pub(super) struct Drawn {
    /// What it is worth, between 0 and 1.
    pub(super) worth: f64,
    /// By step, the number of what the atom takes; short when the draw came to an end.
    pub(super) taken: Vec<u32>,
}

impl<'c> Guide<'c> {
    /// A guide by the relaxation that remembers `kept`, ascending.
    pub(super) fn new(component: &'c Component, kept: &[usize], meter: &Meter) -> Result<Self> {
        let sweep = component.with_views(kept).sweep(meter)?;
        let on = sweep.completions();
        let left_out: Vec<usize> =
            (0..component.counts.len()).filter(|view| kept.binary_search(view).is_err()).collect();
        let mut edges = Vec::with_capacity(sweep.layers.len());
        let mut starts = Vec::with_capacity(sweep.layers.len());
        for (at, layer) in sweep.layers.iter().enumerate() {
            let first = layer.starts();
            let mut ways = Vec::with_capacity(layer.edges.len());
            for state in 0..first.len() - 1 {
                let before = Scaled::of(&on[at][state]);
                let mine = &layer.edges[first[state]..first[state + 1]];
                let begin = ways.len();
                ways.extend(mine.iter().map(|edge| {
                    let falls = Scaled::of(&layer.taken[edge.taken as usize].1);
                    let chance = falls.times(Scaled::of(&on[at + 1][edge.to as usize])).over(before);
                    Way { to: edge.to, taken: edge.taken, chance }
                }));
                ways[begin..].sort_by(|a, b| b.chance.total_cmp(&a.chance));
            }
            edges.push(ways);
            starts.push(first);
        }
        let mut guide = Self { component, sweep, edges, starts, left_out, touched: Vec::new(), room: Vec::new() };
        guide.look_ahead();
        Ok(guide)
    }

    fn look_ahead(&mut self) {
        let codes = self.component.codes.len();
        let mut room = vec![0u32; self.left_out.len() * codes];
        let mut seen = vec![false; self.left_out.len()];
        for step in self.sweep.steps.iter().rev() {
            let atom = &self.component.atoms[step.atom];
            let mut touched = Vec::new();
            for (place, view) in self.left_out.iter().enumerate() {
                if atom.views.binary_search(view).is_ok() {
                    touched.push((place, !seen[place]));
                    seen[place] = true;
                    (0..codes).for_each(|code| room[place * codes + code] += atom.most[code]);
                }
            }
            self.touched.push(touched);
            self.room.push(room.clone());
        }
        self.touched.reverse();
        self.room.reverse();
    }

    /// Whether the relaxation has any world.
    pub(super) fn is_possible(&self) -> bool {
        self.edges.first().is_some_and(|ways| ways.iter().any(|way| way.chance > 0.0))
    }

    /// By step, the atom that is gone through.
    pub(super) fn atoms(&self) -> impl Iterator<Item = usize> {
        self.sweep.steps.iter().map(|step| step.atom)
    }

    /// How many people of each code the atom of `step` takes.
    pub(super) fn taken(&self, step: usize, number: u32) -> &[u32] {
        &self.sweep.layers[step].taken[number as usize].0
    }

    /// What the views that are left out show altogether.
    fn all(&self) -> Vec<u32> {
        self.left_out.iter().flat_map(|&view| self.component.counts[view].iter().copied()).collect()
    }

    /// Draws a world.
    pub(super) fn draw(&self, source: &mut Source<'_>, memory: &mut Memory) -> Drawn {
        let mut to_come = self.all();
        let mut state = 0;
        let mut drawn = Drawn { worth: 1.0, taken: Vec::with_capacity(self.edges.len()) };
        for step in 0..self.edges.len() {
            let ways = self.ways(step, state);
            let open: Vec<&Way> = ways
                .iter()
                .filter(|way| {
                    let mut nodes = NODES;
                    way.chance > 0.0 && self.leads_on(step, way, &mut to_come, memory, &mut nodes)
                })
                .collect();
            let share: f64 = open.iter().map(|way| way.chance).sum();
            let mut ticket = source.below(1 << 53) as f64 / (1u64 << 53) as f64 * share;
            let chosen = open.iter().find(|way| {
                ticket -= way.chance;
                ticket < 0.0
            });
            let Some(way) = chosen.or(open.last()) else {
                drawn.worth = 0.0;
                return drawn;
            };
            drawn.worth *= share.min(1.0);
            drawn.taken.push(way.taken);
            self.take(step, way.taken, &mut to_come);
            state = way.to;
        }
        drawn
    }

    fn ways(&self, step: usize, state: u32) -> &[Way] {
        let starts = &self.starts[step];
        &self.edges[step][starts[state as usize]..starts[state as usize + 1]]
    }

    fn take(&self, step: usize, number: u32, to_come: &mut [u32]) {
        self.each(step, number, to_come, |left, taken| *left -= taken);
    }

    fn give_back(&self, step: usize, number: u32, to_come: &mut [u32]) {
        self.each(step, number, to_come, |left, taken| *left += taken);
    }

    fn each(&self, step: usize, number: u32, to_come: &mut [u32], change: impl Fn(&mut u32, u32)) {
        let taken = self.taken(step, number);
        for &(place, _) in &self.touched[step] {
            let mine = &mut to_come[place * taken.len()..(place + 1) * taken.len()];
            mine.iter_mut().zip(taken).for_each(|(left, &taken)| change(left, taken));
        }
    }

    /// Whether a world that agrees with all views is beyond `way`; also when it is not found out within `nodes`.
    fn leads_on(&self, step: usize, way: &Way, to_come: &mut Vec<u32>, memory: &mut Memory, nodes: &mut u32) -> bool {
        let taken = self.taken(step, way.taken);
        let fits = self.touched[step].iter().all(|&(place, last)| {
            let mine = &to_come[place * taken.len()..(place + 1) * taken.len()];
            mine.iter().zip(taken).all(|(left, taken)| if last { left == taken } else { left >= taken })
        });
        if !fits {
            return false;
        }
        if step + 1 == self.edges.len() {
            return true;
        }
        self.take(step, way.taken, to_come);
        let leads = self.goes_on(step + 1, way.to, to_come, memory, nodes);
        self.give_back(step, way.taken, to_come);
        leads
    }

    fn goes_on(&self, step: usize, state: u32, to_come: &mut Vec<u32>, memory: &mut Memory, nodes: &mut u32) -> bool {
        if to_come.iter().zip(&self.room[step]).any(|(left, room)| left > room) {
            return false;
        }
        let key = (step as u32, state, to_come.clone().into_boxed_slice());
        if let Some(&found) = memory.found.get(&key) {
            return found;
        }
        if *nodes == 0 {
            return true;
        }
        *nodes -= 1;
        let ways = self.ways(step, state).iter().filter(|way| way.chance > 0.0);
        let found = ways.into_iter().any(|way| self.leads_on(step, way, to_come, memory, nodes));
        // What was given up is not remembered: another search may find out.
        if *nodes > 0 {
            if memory.found.len() >= REMEMBERED {
                memory.found.clear();
            }
            memory.found.insert(key, found);
        }
        found
    }
}

/// A number of any size, to the precision of a float.
#[derive(Debug, Clone, Copy)]
struct Scaled {
    mantissa: f64,
    exponent: i64,
}

impl Scaled {
    fn of(number: &dashu_int::UBig) -> Self {
        use dashu_base::BitTest;
        let shift = number.bit_len().saturating_sub(64);
        let top = u64::try_from(number >> shift).expect("64 bits are left");
        Self { mantissa: top as f64, exponent: shift as i64 }
    }

    fn times(self, other: Self) -> Self {
        Self { mantissa: self.mantissa * other.mantissa, exponent: self.exponent + other.exponent }
    }

    /// The quotient; 0 when `other` is.
    fn over(self, other: Self) -> f64 {
        if other.mantissa == 0.0 {
            return 0.0;
        }
        let exponent = (self.exponent - other.exponent).clamp(-2000, 2000) as i32;
        self.mantissa / other.mantissa * f64::from(exponent).exp2()
    }
}
