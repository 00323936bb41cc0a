//! Counting a component: atom after atom, remembering what the open views still have to show.
//!
//! A state is, for every view of which some but not all atoms have been gone through, how often each code is still to come.
//! An atom takes so many people of each code as all its views still allow; the last atom of a view takes what is left of it.

use dashu_int::UBig;
use hashbrown::HashMap;

use super::atoms::Component;
use crate::belief::{Meter, multinomial};
use crate::error::Result;

/// What still is to come, view after view.
type State = Box<[u32]>;

/// One way through an atom.
#[derive(Debug)]
pub(super) struct Edge {
    from: u32,
    pub(super) to: u32,
    /// The number of what the atom takes.
    pub(super) taken: u32,
}

/// The states before an atom, and the ways through it.
#[derive(Debug, Default)]
pub(super) struct Layer {
    ways: Vec<UBig>,
    /// Ascending by the state they come from.
    pub(super) edges: Vec<Edge>,
    /// What an atom may take, by code, and in how many ways that falls on its people.
    pub(super) taken: Vec<(Vec<u32>, UBig)>,
}

/// What counting a component finds.
#[derive(Debug)]
pub(super) struct Counted {
    /// Worlds of its people.
    pub(super) worlds: UBig,
    /// By atom and code of the component, in how many of them a given person of the atom has the code.
    pub(super) people: Vec<Vec<UBig>>,
}

/// A step along the order.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) atom: usize,
    size: u32,
    /// Views open before, ascending.
    before: Vec<usize>,
    /// Views open after, ascending.
    after: Vec<usize>,
}

/// All that is remembered along the order of a component.
#[derive(Debug)]
pub(super) struct Sweep {
    pub(super) steps: Vec<Step>,
    /// One for each step.
    pub(super) layers: Vec<Layer>,
    /// States after the last step: one, or none when no world is left.
    ends: usize,
}

impl Sweep {
    /// By step and state before it, in how many ways one can go on to the end; and after the last step.
    pub(super) fn completions(&self) -> Vec<Vec<UBig>> {
        let mut all = vec![vec![UBig::ONE; self.ends]];
        for layer in self.layers.iter().rev() {
            let on = &all[all.len() - 1];
            let mut before = vec![UBig::ZERO; layer.ways.len()];
            for edge in &layer.edges {
                let rest = &on[edge.to as usize];
                if *rest != UBig::ZERO {
                    before[edge.from as usize] += &layer.taken[edge.taken as usize].1 * rest;
                }
            }
            all.push(before);
        }
        all.reverse();
        all
    }
}

impl Layer {
    /// By state, where its edges are; and where the last ends.
    pub(super) fn starts(&self) -> Vec<usize> {
        (0..=self.ways.len()).map(|state| self.edges.partition_point(|edge| (edge.from as usize) < state)).collect()
    }
}

impl Component {
    /// Counts the worlds.
    ///
    /// # Cost
    /// Edges between states, three times.
    pub(super) fn count(&self, meter: &Meter) -> Result<Counted> {
        let sweep = self.sweep(meter)?;
        let on = sweep.completions();
        let mut people = vec![vec![UBig::ZERO; self.codes.len()]; self.atoms.len()];
        for ((step, layer), on) in sweep.steps.iter().zip(&sweep.layers).zip(&on[1..]) {
            // By what the atom takes, in how many worlds.
            let mut through = vec![UBig::ZERO; layer.taken.len()];
            for edge in layer.edges.iter().filter(|edge| on[edge.to as usize] != UBig::ZERO) {
                through[edge.taken as usize] += &layer.ways[edge.from as usize] * &on[edge.to as usize];
            }
            for ((taken, falls), through) in layer.taken.iter().zip(through) {
                let through = through * falls;
                for (sum, &rows) in people[step.atom].iter_mut().zip(taken).filter(|entry| *entry.1 > 0) {
                    *sum += &through * rows;
                }
            }
        }
        for (atom, sums) in self.atoms.iter().zip(&mut people) {
            sums.iter_mut().for_each(|sum| *sum = &*sum / UBig::from(atom.people.len()));
        }
        Ok(Counted { worlds: on[0][0].clone(), people })
    }

    /// Goes through all atoms.
    pub(super) fn sweep(&self, meter: &Meter) -> Result<Sweep> {
        let steps = self.steps();
        let mut layers: Vec<Layer> = Vec::with_capacity(steps.len());
        let mut states: Vec<State> = vec![Box::new([])];
        let mut ways = vec![UBig::ONE];
        for step in &steps {
            let mut layer = Layer { ways, ..Layer::default() };
            (states, ways) = self.pass(step, &states, &mut layer, meter)?;
            layers.push(layer);
        }
        Ok(Sweep { steps, layers, ends: states.len() })
    }

    /// The order of the atoms, with the views that are open before and after each.
    fn steps(&self) -> Vec<Step> {
        let order = self.order();
        let mut left: Vec<usize> = (0..self.counts.len())
            .map(|view| self.atoms.iter().filter(|atom| atom.views.contains(&view)).count())
            .collect();
        let mut open: Vec<usize> = Vec::new();
        let step = |atom: usize| {
            let before = open.clone();
            for &view in &self.atoms[atom].views {
                left[view] -= 1;
                match open.binary_search(&view) {
                    Ok(at) if left[view] == 0 => {
                        open.remove(at);
                    }
                    Err(at) if left[view] > 0 => open.insert(at, view),
                    _ => {}
                }
            }
            Step { atom, size: self.atoms[atom].people.len() as u32, before, after: open.clone() }
        };
        order.into_iter().map(step).collect()
    }

    /// The states after a step, with the ways to come to each.
    fn pass(&self, step: &Step, states: &[State], layer: &mut Layer, meter: &Meter) -> Result<(Vec<State>, Vec<UBig>)> {
        let codes = self.codes.len();
        let views = &self.atoms[step.atom].views;
        let place = |view: usize| step.before.binary_search(&view).ok();
        let closes: Vec<usize> = views.iter().copied().filter(|view| !step.after.contains(view)).collect();
        let mut found: HashMap<State, u32> = HashMap::new();
        let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
        let (mut next, mut ways): (Vec<State>, Vec<UBig>) = (Vec::new(), Vec::new());
        for (from, state) in states.iter().enumerate() {
            let to_come = |view: usize| match place(view) {
                Some(at) => &state[at * codes..(at + 1) * codes],
                None => self.counts[view].as_slice(),
            };
            let most = self.atoms[step.atom].most.iter().enumerate();
            let most: Vec<u32> = most
                .map(|(code, &most)| views.iter().fold(most, |most, &view| most.min(to_come(view)[code])))
                .collect();
            // What a view that ends here has left is what the atom takes.
            let least: Vec<u32> =
                (0..codes).map(|code| closes.iter().map(|&view| to_come(view)[code]).max().unwrap_or(0)).collect();
            let mut failure = None;
            compositions(step.size, &least, &most, &mut |taken| {
                if let Err(error) = meter.spend(1) {
                    failure = Some(error);
                    return false;
                }
                let mut after = Vec::with_capacity(step.after.len() * codes);
                for &view in &step.after {
                    let mine = views.contains(&view);
                    let left = to_come(view).iter().zip(taken);
                    after.extend(left.map(|(&left, &taken)| if mine { left - taken } else { left }));
                }
                let number = *numbers.entry(taken.to_vec()).or_insert_with(|| {
                    layer.taken.push((taken.to_vec(), multinomial(taken)));
                    layer.taken.len() as u32 - 1
                });
                let more = &layer.ways[from] * &layer.taken[number as usize].1;
                let to = *found.entry(after.into_boxed_slice()).or_insert_with_key(|state| {
                    next.push(state.clone());
                    ways.push(UBig::ZERO);
                    next.len() as u32 - 1
                });
                ways[to as usize] += more;
                layer.edges.push(Edge { from: from as u32, to, taken: number });
                true
            });
            if let Some(error) = failure {
                return Err(error);
            }
        }
        Ok((next, ways))
    }
}

/// Calls `take` with every way to take `size` people, of each code at least `least` and at most `most`, until it says no.
pub(super) fn compositions(size: u32, least: &[u32], most: &[u32], take: &mut dyn FnMut(&[u32]) -> bool) {
    fn go(at: usize, left: u32, taken: &mut [u32], bounds: &Bounds<'_>, take: &mut dyn FnMut(&[u32]) -> bool) -> bool {
        if at == taken.len() {
            return left > 0 || take(taken);
        }
        // What later codes take at least, and at most.
        let from = bounds.least[at].max(left.saturating_sub(bounds.room[at + 1]));
        let Some(to) = left.checked_sub(bounds.need[at + 1]).map(|to| to.min(bounds.most[at])) else { return true };
        for rows in from..=to {
            taken[at] = rows;
            if !go(at + 1, left - rows, taken, bounds, take) {
                return false;
            }
        }
        true
    }
    if least.iter().zip(most).any(|(least, most)| least > most) {
        return;
    }
    let sums = |of: &[u32]| {
        let mut sums = vec![0u32; of.len() + 1];
        (0..of.len()).rev().for_each(|at| sums[at] = sums[at + 1] + of[at]);
        sums
    };
    let bounds = Bounds { least, most, need: sums(least), room: sums(most) };
    go(0, size, &mut vec![0; most.len()], &bounds, take);
}

/// What may be taken of each code, and of all codes from each on.
struct Bounds<'b> {
    least: &'b [u32],
    most: &'b [u32],
    need: Vec<u32>,
    room: Vec<u32>,
}
