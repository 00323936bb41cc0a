//! Guides: worlds drawn at random where a component takes too much to be counted.
//!
//! Some views are remembered, so few that what agrees with them can be counted: a relaxation. A world is drawn cell after cell as the
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
use pellucid_model::error::Result;
use pellucid_model::randomness::RandomStream;

use super::atoms::ViewComponent;
use super::count::{ComponentSweep, SweepStep};
use crate::meter::{BudgetMeter, bytes_behind};

/// Nodes that searches for a world may visit in one draw; after that, choices that are not ruled out at once are taken for such that can
/// be gone on with.
const NODES: u32 = 20_000;

/// Answers of searches that are remembered at a time, at most; and of the memory that may be held, which share those of all threads may
/// take. A draw does not depend on how many it is.
const REMEMBERED: usize = 1 << 18;
const SHARE: u64 = 4;

/// A component with a relaxation of it.
#[derive(Debug)]
pub(super) struct RelaxationSampler<'c> {
    component: &'c ViewComponent,
    sweep: ComponentSweep,
    /// By step and edge, with which probability the relaxation goes there from the state it comes from; edges are in this
    /// order for each state.
    edges: Vec<Vec<Way>>,
    /// By step and state, where its edges are; and where the last ends.
    starts: Vec<Vec<usize>>,
    /// The views that the relaxation does not remember.
    left_out: Vec<usize>,
    /// By step, for its cells the sums of a view left out and the code that they are part of.
    touched: Vec<Vec<Touched>>,
    /// Answers of searches that are remembered at a time.
    remembered: usize,
}

#[derive(Debug, Clone, Copy)]
struct Way {
    to: u32,
    taken: u32,
    chance: f64,
}

/// A sum that a cell is part of.
#[derive(Debug, Clone, Copy)]
struct Touched {
    /// The place of the cell in its step.
    cell: usize,
    /// The place of the sum among those of the views left out.
    sum: usize,
    /// What later cells of it can have at most.
    room: u32,
}

/// Steps beyond which nothing is searched for: every choice that is not ruled out at once is taken for one that can be gone on with.
const DEEPEST: usize = 4_000;

/// A step, a state of the relaxation before it, and what views that are left out still need.
type Place = (u32, u32, Box<[u32]>);

/// What searches for worlds have found: by step, state of the relaxation and what views that are left out still need, whether one can
/// go on, and how many nodes it takes to find that out.
///
/// What is remembered costs as many nodes as finding it out again, so that a draw does not depend on what others have found: draws are
/// independent of each other.
#[derive(Debug, Default)]
pub(super) struct SearchMemory {
    found: HashMap<Place, (bool, u32)>,
}

/// A world that was drawn.
#[derive(Debug)]
pub(super) struct DrawnWorld {
    /// What it is worth, between 0 and 1.
    pub(super) worth: f64,
    /// By step, the number of what its cells have; short when the draw came to an end.
    pub(super) taken: Vec<u32>,
}

impl<'c> RelaxationSampler<'c> {
    /// A guide by the relaxation that remembers `kept`, ascending.
    pub(super) fn new(component: &'c ViewComponent, kept: &[usize], meter: &BudgetMeter) -> Result<Self> {
        let mut sweep = component.with_views(kept).sweep(meter)?;
        let on = sweep.completions()?;
        let left_out: Vec<usize> =
            (0..component.counts.len()).filter(|view| kept.binary_search(view).is_err()).collect();
        let mut edges = Vec::with_capacity(sweep.layers.len());
        let mut starts = Vec::with_capacity(sweep.layers.len());
        let ComponentSweep { layers, held, .. } = &mut sweep;
        for (at, layer) in layers.iter().enumerate() {
            let first = layer.starts();
            held.grow(layer.edges.len() * size_of::<Way>() + first.len() * size_of::<usize>())?;
            let mut ways = Vec::with_capacity(layer.edges.len());
            for state in 0..first.len() - 1 {
                let before = Scaled::of(&on[at][state]);
                let mine = &layer.edges[first[state]..first[state + 1]];
                let begin = ways.len();
                ways.extend(mine.iter().map(|edge| {
                    let chance =
                        Scaled::of(layer.weight(edge)).times(Scaled::of(&on[at + 1][edge.to as usize])).over(before);
                    Way { to: edge.to, taken: edge.taken, chance }
                }));
                ways[begin..].sort_by(|a, b| b.chance.total_cmp(&a.chance));
            }
            edges.push(ways);
            starts.push(first);
        }
        let answer = 2 * size_of::<(Place, (bool, u32))>() + bytes_behind(left_out.len() * component.codes.len());
        let room = meter.bytes() / SHARE / rayon::current_num_threads() as u64 / answer as u64;
        let remembered = REMEMBERED.min(room as usize);
        let mut guide = Self { component, sweep, edges, starts, left_out, touched: Vec::new(), remembered };
        guide.look_ahead();
        Ok(guide)
    }

    fn look_ahead(&mut self) {
        let codes = self.component.codes.len();
        let mut room = vec![0u32; self.left_out.len() * codes];
        for step in self.sweep.steps.iter().rev() {
            let atom = &self.component.atoms[step.atom];
            let seen_in = |place: &usize| atom.views.binary_search(&self.left_out[*place]).is_ok();
            let mut sums = Vec::new();
            for place in (0..self.left_out.len()).filter(seen_in) {
                for (cell, &code) in step.codes.iter().enumerate() {
                    let sum = place * codes + code;
                    sums.push(Touched { cell, sum, room: room[sum] });
                    room[sum] += atom.most[code];
                }
            }
            self.touched.push(sums);
        }
        self.touched.reverse();
    }

    /// Whether the relaxation has any world.
    pub(super) fn is_possible(&self) -> bool {
        self.edges.first().is_some_and(|ways| ways.iter().any(|way| way.chance > 0.0))
    }

    /// The steps of a draw.
    pub(super) fn steps(&self) -> &[SweepStep] {
        &self.sweep.steps
    }

    /// How many people the cells of a step have.
    pub(super) fn taken(&self, step: usize, number: u32) -> &[u32] {
        &self.sweep.layers[step].taken[number as usize]
    }

    /// What the views that are left out show altogether.
    fn all(&self) -> Vec<u32> {
        self.left_out.iter().flat_map(|&view| self.component.counts[view].iter().copied()).collect()
    }

    /// Draws a world.
    pub(super) fn draw(&self, source: &mut RandomStream<'_>, memory: &mut SearchMemory) -> DrawnWorld {
        let mut to_come = self.all();
        let mut state = 0;
        let mut nodes = NODES;
        let mut drawn = DrawnWorld { worth: 1.0, taken: Vec::with_capacity(self.edges.len()) };
        for step in 0..self.edges.len() {
            let ways = self.ways(step, state);
            let open: Vec<&Way> = ways
                .iter()
                .filter(|way| way.chance > 0.0 && self.leads_on(step, way, &mut to_come, memory, &mut nodes))
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
            let taken = self.taken(step, way.taken);
            self.touched[step].iter().for_each(|at| to_come[at.sum] -= taken[at.cell]);
            state = way.to;
        }
        drawn
    }

    fn ways(&self, step: usize, state: u32) -> &[Way] {
        let starts = &self.starts[step];
        &self.edges[step][starts[state as usize]..starts[state as usize + 1]]
    }

    /// Whether a world that agrees with all views is beyond `way`; also when it is not found out within `nodes`.
    fn leads_on(
        &self,
        step: usize,
        way: &Way,
        to_come: &mut Vec<u32>,
        memory: &mut SearchMemory,
        nodes: &mut u32,
    ) -> bool {
        let (sums, taken) = (&self.touched[step], self.taken(step, way.taken));
        // What is left of a sum must be reached by later cells, which its last one has none of.
        let misses = |at: &Touched| to_come[at.sum].checked_sub(taken[at.cell]).is_none_or(|left| left > at.room);
        if sums.iter().any(misses) {
            return false;
        }
        if step + 1 == self.edges.len() {
            return true;
        }
        sums.iter().for_each(|at| to_come[at.sum] -= taken[at.cell]);
        let leads = self.goes_on(step + 1, way.to, to_come, memory, nodes);
        sums.iter().for_each(|at| to_come[at.sum] += taken[at.cell]);
        leads
    }

    fn goes_on(
        &self,
        step: usize,
        state: u32,
        to_come: &mut Vec<u32>,
        memory: &mut SearchMemory,
        nodes: &mut u32,
    ) -> bool {
        if *nodes == 0 || self.edges.len() - step > DEEPEST {
            return true;
        }
        let key = (step as u32, state, to_come.clone().into_boxed_slice());
        if let Some(&(found, cost)) = memory.found.get(&key) {
            let enough = cost <= *nodes;
            *nodes = nodes.saturating_sub(cost);
            return found || !enough;
        }
        let before = *nodes;
        *nodes -= 1;
        let mut ways = self.ways(step, state).iter().filter(|way| way.chance > 0.0);
        let found = ways.any(|way| self.leads_on(step, way, to_come, memory, nodes));
        // What was given up is not remembered: another search may find out.
        if *nodes > 0 {
            if memory.found.len() >= self.remembered {
                memory.found.clear();
            }
            memory.found.insert(key, (found, before - *nodes));
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
