//! The sweep: dynamic programming along the units of a puzzle, with the partial histograms of open groups as state.
//!
//! Forwards it counts the ways to come to every state, backwards the ways to go on from it; together they say in how many
//! worlds the people of a unit have each value. States whose tracked group exceeds its bound die at once, counts that can
//! no longer make a group fail are forgotten, and values that occur equally often in every outer group are interchangeable
//! (an orbit), so that states are kept up to their permutation.

use dashu_int::UBig;
use hashbrown::HashMap;
use pellucid_model::error::Result;
use pellucid_model::histogram::Histogram;

use super::allocations::{self, UnitAllocations};
use super::engine::{BeliefEngine, PlainCount, ProblemSolution};
use super::levels::{ComponentClass, ComponentKey};
use super::limbs::{add_product, number, width};
use super::problem::CountingProblem;
use super::schedule::{SweepSchedule, SweepStop};
use super::trellis::{KeyedTrellis, Trellis, TrellisEdge, TrellisLayer, TrellisState};

/// Words of the widest states.
const WIDEST: usize = 128;

/// Solves a puzzle by a sweep.
pub(super) fn solve(puzzle: &CountingProblem, engine: &BeliefEngine<'_>) -> Result<ProblemSolution> {
    let schedule = SweepSchedule::new(puzzle, engine.condition, &engine.meter)?;
    let bits = schedule.width as usize * puzzle.values() + 32;
    match bits.div_ceil(64) {
        ..=2 => Sweep::<2>::new(puzzle, schedule, engine).run(),
        3..=4 => Sweep::<4>::new(puzzle, schedule, engine).run(),
        5..=16 => Sweep::<16>::new(puzzle, schedule, engine).run(),
        17..=WIDEST => Sweep::<WIDEST>::new(puzzle, schedule, engine).run(),
        _ => {
            let (values, most) = (puzzle.values(), WIDEST * 64);
            Err(engine.meter.unfit(&format!(
                "{bits} bits to count {values} values in all groups that overlap at one place, where {most} fit"
            )))
        }
    }
}

/// The forward half of a sweep.
struct Sweep<'a, const W: usize> {
    path: Trellis<W>,
    notes: Notes<'a>,
}

/// What the forward half learns on the way.
struct Notes<'a> {
    engine: &'a BeliefEngine<'a>,
    keys: Vec<ComponentKey>,
    key_numbers: HashMap<ComponentKey, u32>,
    passing: HashMap<Vec<u32>, bool>,
    tables: HashMap<(u32, u32, Vec<Vec<u32>>), u32>,
}

impl<'a, const W: usize> Sweep<'a, W> {
    fn new(puzzle: &CountingProblem, schedule: SweepSchedule, engine: &'a BeliefEngine<'a>) -> Self {
        let orbits = puzzle.orbits();
        let exchange = orbits.iter().any(|orbit| orbit.len() > 1);
        let scales = allocations::scales(puzzle);
        let bits: f64 =
            scales.iter().map(allocations::ForcedScale::bits).sum::<f64>() + (puzzle.people() as f64).log2() + 3.0;
        let path = Trellis {
            values: puzzle.values(),
            puzzle: puzzle.clone(),
            schedule,
            orbits,
            exchange,
            scales,
            limbs: width(bits),
            offers: Vec::new(),
            layers: Vec::new(),
            ends: Vec::new(),
        };
        let key_numbers = HashMap::from_iter([(ComponentKey::new(), 0)]);
        let notes = Notes {
            engine,
            keys: vec![ComponentKey::new()],
            key_numbers,
            passing: HashMap::new(),
            tables: HashMap::new(),
        };
        Self { path, notes }
    }

    fn run(mut self) -> Result<ProblemSolution> {
        let units = self.path.puzzle.units.len();
        let mut layer = TrellisLayer::start(self.path.limbs);
        let mut held = 0.0;
        for at in 0..units {
            let offers = if self.path.schedule.stops[at].forced { None } else { Some(self.offers(at)?) };
            let next = self.advance(&mut layer, at, offers.as_ref())?;
            self.path.offers.push(offers);
            held += layer.bytes();
            self.notes.engine.meter.fits(held + next.bytes())?;
            self.path.layers.push(std::mem::replace(&mut layer, next));
            if layer.states.is_empty() {
                return Ok(ProblemSolution::None);
            }
        }
        let mut blank = vec![0; self.path.values];
        let (up, down) = self.path.factor();
        for (end, state) in layer.states.iter().enumerate() {
            let key = self.path.unpack(state, &mut blank) as usize;
            let ways = number(&layer.ways[end * self.path.limbs..(end + 1) * self.path.limbs]);
            self.path.ends.push((self.notes.keys[key].clone(), ways * &up / &down));
        }
        self.path.layers.push(layer);
        if self.path.puzzle.tracked.iter().any(|group| group.level.is_some()) {
            return Ok(ProblemSolution::Keyed(Box::new(self.path)));
        }
        let worlds = self.path.worlds(&[UBig::ONE]);
        Ok(ProblemSolution::Plain(PlainCount { count: self.path.ends.remove(0).1, worlds }))
    }

    /// The ways to give values to the people of a unit, as far as its own groups allow.
    fn offers(&mut self, at: usize) -> Result<UnitAllocations> {
        let (path, notes) = (&self.path, &mut self.notes);
        let unit = &path.puzzle.units[at];
        let stop = &path.schedule.stops[at];
        let most: Vec<u32> = (0..path.values)
            .map(|value| {
                let outer = path.puzzle.outers[unit.outer as usize][value];
                stop.watches.iter().filter_map(|watch| watch.caps.get(value)).fold(outer, |m, &cap| m.min(cap as u32))
            })
            .collect();
        let mut offers = UnitAllocations::new(unit.size, &most, &notes.engine.meter)?;
        if stop.alone {
            offers.retain(|counts| notes.passes(path, counts));
        }
        Ok(offers)
    }

    /// Sweeps unit `at`: fills in the edges of `layer` and gives the next one.
    fn advance(
        &mut self,
        layer: &mut TrellisLayer<W>,
        at: usize,
        offers: Option<&UnitAllocations>,
    ) -> Result<TrellisLayer<W>> {
        let (path, notes) = (&self.path, &mut self.notes);
        let stop = &path.schedule.stops[at];
        let unit = &path.puzzle.units[at];
        let outer = &path.puzzle.outers[unit.outer as usize];
        let (values, limbs_each) = (path.values, path.limbs);
        let mut next = TrellisLayer::empty();
        let mut found: HashMap<TrellisState<W>, u32> = HashMap::new();
        let (mut columns, mut after) = (vec![0; values], vec![0; values]);
        let mut most = vec![0u32; values];
        layer.forced_width = path.scales[unit.outer as usize].weight_limbs();
        for from in 0..layer.states.len() {
            layer.starts.push(layer.edges.len() as u32);
            let key = path.unpack(&layer.states[from], &mut columns);
            let mut alive = true;
            for value in 0..values {
                let left = outer[value] - stop.outer.map_or(0, |slot| slot.read(columns[value]) as u32);
                let mut bound = i64::from(left);
                for watch in &stop.watches {
                    if let Some(&cap) = watch.caps.get(value) {
                        bound = bound.min(cap as i64 - watch.slot.read(columns[value]) as i64);
                    }
                }
                alive &= if stop.forced { bound == i64::from(left) } else { bound >= 0 };
                most[value] = if stop.forced { left } else { bound.max(0) as u32 };
            }
            let mut tried = 1;
            if !alive {
                if stop.forced {
                    layer.forced.resize(layer.forced.len() + layer.forced_width, 0);
                }
            } else if let Some(offers) = offers {
                tried += offers.len() as u64 / 8;
                for offer in 0..offers.len() {
                    let counts = offers.counts(offer);
                    if counts.iter().zip(&most).any(|(count, most)| count > most) {
                        continue;
                    }
                    for value in 0..values {
                        after[value] = columns[value] + u64::from(counts[value]) * stop.step;
                    }
                    let Some(key) = notes.settle(path, stop, &mut after, key)? else { continue };
                    let state = path.pack(&after, key);
                    let to = next.find(&mut found, state, limbs_each);
                    let ways = &layer.ways[from * limbs_each..(from + 1) * limbs_each];
                    let slot = &mut next.ways[to as usize * limbs_each..(to as usize + 1) * limbs_each];
                    add_product(slot, ways, offers.weight(offer));
                    layer.edges.push(TrellisEdge { to, offer: offer as u32 });
                }
            } else {
                let weight = path.scales[unit.outer as usize].weight(&most);
                layer.forced.extend_from_slice(&weight);
                layer.forced.resize((from + 1) * layer.forced_width, 0);
                let ok = !stop.alone || notes.passes(path, &most);
                for value in 0..values {
                    after[value] = columns[value] + u64::from(most[value]) * stop.step;
                }
                if ok && let Some(key) = notes.settle(path, stop, &mut after, key)? {
                    let state = path.pack(&after, key);
                    let to = next.find(&mut found, state, limbs_each);
                    let ways = &layer.ways[from * limbs_each..(from + 1) * limbs_each];
                    let slot = &mut next.ways[to as usize * limbs_each..(to as usize + 1) * limbs_each];
                    add_product(slot, ways, &weight);
                    layer.edges.push(TrellisEdge { to, offer: 0 });
                }
            }
            tried += (layer.edges.len() - layer.starts[from] as usize) as u64;
            notes.engine.meter.spend(tried)?;
        }
        layer.starts.push(layer.edges.len() as u32);
        Ok(next)
    }
}

impl Notes<'_> {
    /// Whether a group with these counts passes.
    fn passes<const W: usize>(&mut self, path: &Trellis<W>, counts: &[u32]) -> bool {
        if let Some(&known) = self.passing.get(counts) {
            return known;
        }
        let code = |value: usize| path.puzzle.codes.get(value).copied().unwrap_or(value as u32);
        let mut entries: Vec<(u32, u64)> =
            counts.iter().enumerate().filter(|entry| *entry.1 > 0).map(|(v, &c)| (code(v), u64::from(c))).collect();
        entries.sort_unstable();
        let holds = self.engine.condition.holds(&Histogram::from_entries(entries));
        self.passing.insert(counts.to_vec(), holds);
        holds
    }

    /// Closes what is complete after a stop: `None` when a group fails, otherwise the key that the state now has.
    fn settle<const W: usize>(
        &mut self,
        path: &Trellis<W>,
        stop: &SweepStop,
        columns: &mut [u64],
        key: u32,
    ) -> Result<Option<u32>> {
        for watch in stop.watches.iter().filter(|watch| watch.test) {
            let counts: Vec<u32> = columns.iter().map(|&column| watch.slot.read(column) as u32).collect();
            if !self.passes(path, &counts) {
                return Ok(None);
            }
        }
        let mut key = key;
        for completion in &stop.completions {
            let groups = completion.slots.iter();
            let groups = groups.map(|slot| columns.iter().map(|&column| slot.read(column) as u32).collect());
            let asked = (completion.step, completion.shape, groups.collect::<Vec<Vec<u32>>>());
            let table = if let Some(&known) = self.tables.get(&asked) {
                known
            } else {
                let class = ComponentClass::new(asked.0, asked.1, &asked.2, &path.puzzle.codes);
                let table = self.engine.table_of(class)?;
                self.tables.insert(asked, table);
                table
            };
            let mut longer = self.keys[key as usize].clone();
            let place = longer.partition_point(|entry| *entry <= (completion.step, table));
            longer.insert(place, (completion.step, table));
            let many = self.keys.len() as u32;
            key = *self.key_numbers.entry(longer.clone()).or_insert(many);
            if key == many {
                self.keys.push(longer);
            }
        }
        for (value, column) in columns.iter_mut().enumerate() {
            *column &= stop.keep;
            for watch in &stop.open {
                if watch.slot.read(*column) as i64 <= watch.forget[value] {
                    *column &= !(watch.slot.mask << watch.slot.offset);
                }
            }
        }
        if path.exchange {
            for orbit in path.orbits.iter().filter(|orbit| orbit.len() > 1) {
                columns[orbit.clone()].sort_unstable();
            }
        }
        Ok(Some(key))
    }
}
