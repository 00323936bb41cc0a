//! Counting a component: cell after cell, remembering what open sums still need.
//!
//! A cell is an atom and a code, and holds how many people of the atom have the code. Cells add up: those of an atom to its size, those
//! of a view and a code to what the view shows. A state is what the sums of which some but not all cells have been gone through
//! still need; the last cell of a sum takes what is left of it. Cells are gone through atom after atom, where few views are open at a
//! time, or code after code, where there are few atoms: whichever comes to its end first. All cells of a small atom are one step.

use dashu_int::UBig;
use hashbrown::HashMap;
use pellucid_model::error::Result;

use super::atoms::ViewComponent;
use super::choices::CellChoices;
use crate::belief::{binomial, multinomial};
use crate::meter::{BudgetMeter, HeldMemory, bytes_behind, bytes_of};

/// What open sums still need.
type State = Box<[u32]>;

/// States in the first attempt, how many times more in each further one, and how many times fewer code after code, which takes either
/// far less or far more.
const FIRST: u64 = 1 << 12;
const MORE: u64 = 8;
const LESS: u64 = 8;

/// Bytes of an edge in a list that grows, and of a place in a table of what was found.
const EDGE: usize = 2 * size_of::<SweepEdge>();
const PLACE: usize = 48;

/// Atoms of as many people at most are gone through at once.
const SMALL: usize = 3;

/// One way through a step.
#[derive(Debug)]
pub(super) struct SweepEdge {
    from: u32,
    pub(super) to: u32,
    /// The number of what its cells have.
    pub(super) taken: u32,
    /// The number of the weight: in how many ways these are some of those of the atom who have no code yet.
    weight: u32,
}

/// The states before a step, and the ways through it.
#[derive(Debug, Default)]
pub(super) struct SweepLayer {
    ways: Vec<UBig>,
    /// Ascending by the state they come from.
    pub(super) edges: Vec<SweepEdge>,
    /// How many people the cells of the step have.
    pub(super) taken: Vec<Box<[u32]>>,
    weights: Vec<UBig>,
}

impl SweepLayer {
    /// By state, where its edges are; and where the last ends.
    pub(super) fn starts(&self) -> Vec<usize> {
        (0..=self.ways.len()).map(|state| self.edges.partition_point(|edge| (edge.from as usize) < state)).collect()
    }

    /// In how many ways the people of an edge are chosen.
    pub(super) fn weight(&self, edge: &SweepEdge) -> &UBig {
        &self.weights[edge.weight as usize]
    }
}

/// What counting a component finds.
#[derive(Debug)]
pub(super) struct ComponentCount {
    /// Worlds of its people.
    pub(super) worlds: UBig,
    /// By atom and code of the component, in how many of them a given person of the atom has the code.
    pub(super) people: Vec<Vec<UBig>>,
}

/// Cells of one atom along the order.
#[derive(Debug)]
pub(super) struct SweepStep {
    pub(super) atom: usize,
    pub(super) codes: Vec<usize>,
    /// What people of the atom need codes.
    people: Sum,
    /// By cell, how many people it can have at most, and its sums.
    cells: Vec<(u32, Vec<Sum>)>,
    /// By place of the state after it, where what a sum needs comes from.
    after: Vec<Origin>,
}

/// A sum that a cell is part of.
#[derive(Debug)]
struct Sum {
    /// What it needs: from the state before, or all when this is its first cell.
    needs: Result<usize, u32>,
    /// What later cells of it can have at most.
    room: u32,
}

impl Sum {
    fn needs(&self, state: &[u32]) -> u32 {
        match self.needs {
            Ok(place) => state[place],
            Err(all) => all,
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Origin {
    /// A place of the state before.
    Before(usize),
    /// The people of the atom.
    People,
    /// A cell of the step and one of its sums.
    Cell(usize, usize),
}

/// The way in which cells are gone through.
#[derive(Debug, Clone, Copy)]
enum Major {
    Atoms,
    Codes,
}

/// All that is remembered along the cells of a component.
#[derive(Debug)]
pub(super) struct ComponentSweep {
    pub(super) steps: Vec<SweepStep>,
    /// One for each step.
    pub(super) layers: Vec<SweepLayer>,
    /// States after the last step: one, or none when no world is left.
    ends: usize,
    /// What all of it takes.
    pub(super) held: HeldMemory,
}

impl ComponentSweep {
    /// By step and state before it, in how many ways one can go on to the end; and after the last step.
    pub(super) fn completions(&mut self) -> Result<Vec<Vec<UBig>>> {
        let mut all = vec![vec![UBig::ONE; self.ends]];
        for layer in self.layers.iter().rev() {
            let on = &all[all.len() - 1];
            let mut before = vec![UBig::ZERO; layer.ways.len()];
            for edge in &layer.edges {
                let rest = &on[edge.to as usize];
                if *rest != UBig::ZERO {
                    before[edge.from as usize] += layer.weight(edge) * rest;
                }
            }
            self.held.grow(before.iter().map(bytes_of).sum())?;
            all.push(before);
        }
        all.reverse();
        Ok(all)
    }
}

impl ViewComponent {
    /// Counts the worlds.
    ///
    /// # Cost
    /// Edges between states, three times.
    pub(super) fn count(&self, meter: &BudgetMeter) -> Result<ComponentCount> {
        let mut sweep = self.sweep(meter)?;
        let on = sweep.completions()?;
        let mut people = vec![vec![UBig::ZERO; self.codes.len()]; self.atoms.len()];
        for ((step, layer), on) in sweep.steps.iter().zip(&sweep.layers).zip(&on[1..]) {
            // By what the cells have, in how many worlds.
            let mut worlds = vec![UBig::ZERO; layer.taken.len()];
            for edge in layer.edges.iter().filter(|edge| on[edge.to as usize] != UBig::ZERO) {
                let through = &layer.ways[edge.from as usize] * &on[edge.to as usize];
                worlds[edge.taken as usize] += through * layer.weight(edge);
            }
            for (taken, worlds) in layer.taken.iter().zip(&worlds) {
                for (&code, &taken) in step.codes.iter().zip(taken).filter(|entry| *entry.1 > 0) {
                    people[step.atom][code] += worlds * taken;
                }
            }
        }
        for (atom, numbers) in self.atoms.iter().zip(&mut people) {
            numbers.iter_mut().for_each(|number| *number = &*number / UBig::from(atom.people.len()));
        }
        Ok(ComponentCount { worlds: on[0].first().cloned().unwrap_or(UBig::ZERO), people })
    }

    /// Goes through all cells, one way or the other.
    pub(super) fn sweep(&self, meter: &BudgetMeter) -> Result<ComponentSweep> {
        let order = self.order();
        let mut limit = FIRST;
        loop {
            for (major, share) in [(Major::Atoms, 1), (Major::Codes, LESS)] {
                let Some(steps) = self.steps(&order, major) else {
                    return Ok(ComponentSweep {
                        steps: Vec::new(),
                        layers: Vec::new(),
                        ends: 0,
                        held: meter.holding(),
                    });
                };
                if let Some(sweep) = attempt(steps, limit / share, meter)? {
                    return Ok(sweep);
                }
            }
            limit = limit.saturating_mul(MORE);
        }
    }

    /// The cells in order, leaving out those that nobody can be in; `None` when some sum then is out of reach.
    fn steps(&self, order: &[usize], major: Major) -> Option<Vec<SweepStep>> {
        let codes = self.codes.len();
        // The most frequent code comes last: then its cells follow from all others.
        let mut ranked: Vec<usize> = (0..codes).collect();
        ranked.sort_by_key(|&code| (self.counts.iter().map(|counts| u64::from(counts[code])).sum::<u64>(), code));
        let possible = |atom: usize| ranked.iter().copied().filter(move |&code| self.atoms[atom].most[code] > 0);
        let blocks: Vec<(usize, Vec<usize>)> = match major {
            Major::Atoms => order
                .iter()
                .flat_map(|&atom| {
                    let at_once = if self.atoms[atom].people.len() <= SMALL { codes } else { 1 };
                    let possible: Vec<usize> = possible(atom).collect();
                    possible.chunks(at_once).map(|codes| (atom, codes.to_vec())).collect::<Vec<_>>()
                })
                .collect(),
            Major::Codes => ranked
                .iter()
                .flat_map(|&code| order.iter().map(move |&atom| (atom, code)))
                .filter(|&(atom, code)| self.atoms[atom].most[code] > 0)
                .map(|(atom, code)| (atom, vec![code]))
                .collect(),
        };
        // Sums: of every atom, then of every view and code.
        let first = self.atoms.len();
        let of_views = |atom: usize, code: usize| {
            self.atoms[atom].views.iter().map(move |view| first + view * codes + code).collect::<Vec<usize>>()
        };
        let mut room = vec![0u32; first + self.counts.len() * codes];
        let mut cells_left = room.clone();
        for (atom, codes) in &blocks {
            for &code in codes {
                for sum in std::iter::once(*atom).chain(of_views(*atom, code)) {
                    room[sum] += self.atoms[*atom].most[code];
                    cells_left[sum] += 1;
                }
            }
        }
        let all = |sum: usize| match sum.checked_sub(first) {
            None => self.atoms[sum].people.len() as u32,
            Some(at) => self.counts[at / codes][at % codes],
        };
        if (0..room.len()).any(|sum| all(sum) > room[sum]) {
            return None;
        }
        let mut open: Vec<usize> = Vec::new();
        let mut steps = Vec::with_capacity(blocks.len());
        for (atom, codes) in blocks {
            let before = open.clone();
            let mut close = |sum: usize, cells: u32, most: u32| {
                room[sum] -= most;
                cells_left[sum] -= cells;
                match open.binary_search(&sum) {
                    Ok(at) if cells_left[sum] == 0 => {
                        open.remove(at);
                    }
                    Err(at) if cells_left[sum] > 0 => open.insert(at, sum),
                    _ => {}
                }
                Sum { needs: before.binary_search(&sum).map_err(|_| all(sum)), room: room[sum] }
            };
            let most: Vec<u32> = codes.iter().map(|&code| self.atoms[atom].most[code]).collect();
            let people = close(atom, codes.len() as u32, most.iter().sum());
            let views: Vec<Vec<usize>> = codes.iter().map(|&code| of_views(atom, code)).collect();
            let sums = views.iter().zip(&most).map(|(sums, &most)| {
                let sums = sums.iter().map(|&sum| close(sum, 1, most));
                (most, sums.collect())
            });
            let cells = sums.collect();
            let origin = |sum: &usize| {
                if *sum == atom {
                    return Origin::People;
                }
                let places = views.iter().enumerate();
                let mut found =
                    places.filter_map(|(cell, sums)| Some(Origin::Cell(cell, sums.iter().position(|at| at == sum)?)));
                let before = || before.binary_search(sum).expect("it was open before");
                found.next().unwrap_or_else(|| Origin::Before(before()))
            };
            let after = open.iter().map(origin).collect();
            steps.push(SweepStep { atom, codes, people, cells, after });
        }
        Some(steps)
    }
}

/// Goes through all cells; `None` when that takes more than `limit` states.
fn attempt(steps: Vec<SweepStep>, limit: u64, meter: &BudgetMeter) -> Result<Option<ComponentSweep>> {
    let mut layers: Vec<SweepLayer> = Vec::with_capacity(steps.len());
    let mut states: Vec<State> = vec![Box::new([])];
    let mut ways = vec![UBig::ONE];
    let mut left = limit;
    let mut held = meter.holding();
    held.grow(bytes_behind(0))?;
    for step in &steps {
        let mut layer = SweepLayer { ways, ..SweepLayer::default() };
        let Some((next, on)) = pass(step, &states, &mut layer, &mut left, (meter, &mut held))? else { return Ok(None) };
        (states, ways) = (next, on);
        layers.push(layer);
    }
    Ok(Some(ComponentSweep { steps, layers, ends: states.len(), held }))
}

/// The states after a step, with the ways to come to each; `None` when there are more edges than `left`.
fn pass(
    step: &SweepStep,
    states: &[State],
    layer: &mut SweepLayer,
    left: &mut u64,
    (meter, held): (&BudgetMeter, &mut HeldMemory),
) -> Result<Option<(Vec<State>, Vec<UBig>)>> {
    let mut found: HashMap<State, u32> = HashMap::new();
    let mut numbers: HashMap<Box<[u32]>, u32> = HashMap::new();
    let mut weights: HashMap<(u32, u32), u32> = HashMap::new();
    let (mut next, mut ways): (Vec<State>, Vec<UBig>) = (Vec::new(), Vec::new());
    let mut bounds = vec![(0, 0); step.cells.len()];
    // A state is held twice while its step is gone through, and once while the next is.
    let state_bytes = bytes_behind(step.after.len());
    let taken_bytes = bytes_behind(step.cells.len());
    for (from, state) in (0u32..).zip(states) {
        for (bounds, (most, sums)) in bounds.iter_mut().zip(&step.cells) {
            *bounds = sums.iter().fold((0, *most), |(least, most), sum| {
                let needs = sum.needs(state);
                (least.max(needs.saturating_sub(sum.room)), most.min(needs))
            });
        }
        let people = step.people.needs(state);
        let mut choices = CellChoices::new(&bounds, people.saturating_sub(step.people.room), people);
        while let Some(taken) = choices.next() {
            if *left == 0 {
                return Ok(None);
            }
            *left -= 1;
            meter.spend(1)?;
            held.grow(EDGE)?;
            let all: u32 = taken.iter().sum();
            let after = step.after.iter().map(|origin| match *origin {
                Origin::Before(place) => state[place],
                Origin::People => people - all,
                Origin::Cell(cell, sum) => step.cells[cell].1[sum].needs(state) - taken[cell],
            });
            let before = next.len();
            let to = *found.entry(after.collect()).or_insert_with_key(|state| {
                next.push(state.clone());
                ways.push(UBig::ZERO);
                next.len() as u32 - 1
            });
            let number = if let Some(&number) = numbers.get(taken) {
                number
            } else {
                let number = layer.taken.len() as u32;
                held.grow(2 * taken_bytes + PLACE)?;
                layer.taken.push(taken.into());
                numbers.insert(taken.into(), number);
                number
            };
            let known = layer.weights.len();
            let weight = *weights.entry((people, number)).or_insert_with(|| {
                layer.weights.push(binomial(u64::from(people), u64::from(all)) * multinomial(taken));
                layer.weights.len() as u32 - 1
            });
            if layer.weights.len() > known {
                held.grow(PLACE + 2 * bytes_of(&layer.weights[known]))?;
            }
            ways[to as usize] += &layer.ways[from as usize] * &layer.weights[weight as usize];
            if next.len() > before {
                held.grow(2 * state_bytes + PLACE + 2 * bytes_of(&ways[to as usize]))?;
            }
            layer.edges.push(SweepEdge { from, to, taken: number, weight });
        }
    }
    layer.edges.shrink_to_fit();
    held.shrink(layer.edges.len() * (EDGE - size_of::<SweepEdge>()) + found.len() * (state_bytes + PLACE));
    held.shrink(
        numbers.len() * (taken_bytes + PLACE) + states.iter().map(|state| bytes_behind(state.len())).sum::<usize>(),
    );
    Ok(Some((next, ways)))
}
