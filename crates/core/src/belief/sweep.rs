//! The sweep: dynamic programming along the units of a puzzle, with the partial histograms of open groups as state.
//!
//! Forwards it counts the ways to come to every state, backwards the ways to go on from it; together they say in how many
//! worlds the people of a unit have each value. States whose tracked group exceeds its bound die at once, counts that can
//! no longer make a group fail are forgotten, and values that occur equally often in every outer group are interchangeable
//! (an orbit), so that states are kept up to their permutation.

use dashu_int::UBig;
use hashbrown::HashMap;

use super::engine::{Engine, Outcome, Solution};
use super::levels::{Class, Key};
use super::limbs::{add_product, add_scaled, limbs, number, width};
use super::puzzle::Puzzle;
use super::schedule::{Schedule, Stop};
use super::ways::{self, Offers};
use crate::error::Result;
use crate::histogram::Histogram;

/// Solves a puzzle by a sweep.
pub(super) fn solve(puzzle: &Puzzle, engine: &Engine<'_>) -> Result<Solution> {
    let schedule = Schedule::new(puzzle, engine.condition, &engine.meter)?;
    let bits = schedule.width as usize * puzzle.values() + 32;
    match bits.div_ceil(64) {
        ..=2 => Sweep::<2>::new(puzzle, schedule, engine).run(),
        3..=4 => Sweep::<4>::new(puzzle, schedule, engine).run(),
        5..=16 => Sweep::<16>::new(puzzle, schedule, engine).run(),
        17..=128 => Sweep::<128>::new(puzzle, schedule, engine).run(),
        wide => Err(engine.meter.refusal((wide as f64).exp2())),
    }
}

/// A sweep that has gone forwards and ended with several keys; it goes back once the worth of each is known.
pub(super) trait Trace: std::fmt::Debug + Send + Sync {
    /// The keys of the ends, each with its number of worlds.
    fn ends(&self) -> &[(Key, UBig)];

    /// By unit and value, the worlds in which a given person of the unit has the value, each worth what its end is.
    fn worlds(&self, worth: &[UBig]) -> Vec<Vec<UBig>>;
}

/// A state: columns side by side, then the number of the key.
type State<const W: usize> = [u64; W];

/// States after some units, in order of discovery.
#[derive(Debug)]
struct Layer<const W: usize> {
    states: Vec<State<W>>,
    /// Ways to come to each state.
    ways: Vec<u64>,
    /// By state, where its edges start in `edges`; one more at the end.
    starts: Vec<u32>,
    edges: Vec<Edge>,
    /// By state, the weight of its only choice, when the unit's values are forced.
    forced: Vec<u64>,
    forced_width: usize,
}

#[derive(Debug, Clone, Copy)]
struct Edge {
    to: u32,
    offer: u32,
}

/// The forward half of a sweep.
struct Sweep<'a, const W: usize> {
    path: Path<W>,
    notes: Notes<'a>,
}

/// What the forward half learns on the way.
struct Notes<'a> {
    engine: &'a Engine<'a>,
    keys: Vec<Key>,
    key_numbers: HashMap<Key, u32>,
    passing: HashMap<Vec<u32>, bool>,
    tables: HashMap<(u32, u32, Vec<Vec<u32>>), u32>,
}

/// What both halves of a sweep need.
#[derive(Debug)]
struct Path<const W: usize> {
    puzzle: Puzzle,
    schedule: Schedule,
    values: usize,
    orbits: Vec<std::ops::Range<usize>>,
    exchange: bool,
    scales: Vec<ways::Scale>,
    /// Limbs of a count.
    limbs: usize,
    offers: Vec<Option<Offers>>,
    layers: Vec<Layer<W>>,
    ends: Vec<(Key, UBig)>,
}

impl<'a, const W: usize> Sweep<'a, W> {
    fn new(puzzle: &Puzzle, schedule: Schedule, engine: &'a Engine<'a>) -> Self {
        let orbits = puzzle.orbits();
        let exchange = orbits.iter().any(|orbit| orbit.len() > 1);
        let scales = ways::scales(puzzle);
        let bits: f64 = scales.iter().map(ways::Scale::bits).sum::<f64>() + (puzzle.people() as f64).log2() + 3.0;
        let path = Path {
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
        let key_numbers = HashMap::from_iter([(Key::new(), 0)]);
        let notes =
            Notes { engine, keys: vec![Key::new()], key_numbers, passing: HashMap::new(), tables: HashMap::new() };
        Self { path, notes }
    }

    fn run(mut self) -> Result<Solution> {
        let units = self.path.puzzle.units.len();
        let mut layer = Layer::start(self.path.limbs);
        let mut held = 0.0;
        for at in 0..units {
            let offers = if self.path.schedule.stops[at].forced { None } else { Some(self.offers(at)?) };
            let next = self.advance(&mut layer, at, offers.as_ref())?;
            self.path.offers.push(offers);
            held += layer.bytes();
            self.notes.engine.meter.hold(held + next.bytes())?;
            self.path.layers.push(std::mem::replace(&mut layer, next));
            if layer.states.is_empty() {
                return Ok(Solution::None);
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
            return Ok(Solution::Keyed(Box::new(self.path)));
        }
        let worlds = self.path.worlds(&[UBig::ONE]);
        Ok(Solution::Plain(Outcome { count: self.path.ends.remove(0).1, worlds }))
    }

    /// The ways to give values to the people of a unit, as far as its own groups allow.
    fn offers(&mut self, at: usize) -> Result<Offers> {
        let (path, notes) = (&self.path, &mut self.notes);
        let unit = &path.puzzle.units[at];
        let stop = &path.schedule.stops[at];
        let most: Vec<u32> = (0..path.values)
            .map(|value| {
                let outer = path.puzzle.outers[unit.outer as usize][value];
                stop.watches.iter().filter_map(|watch| watch.caps.get(value)).fold(outer, |m, &cap| m.min(cap as u32))
            })
            .collect();
        let mut offers = Offers::new(unit.size, &most, &notes.engine.meter)?;
        if stop.alone {
            offers.retain(|counts| notes.passes(path, counts));
        }
        Ok(offers)
    }

    /// Sweeps unit `at`: fills in the edges of `layer` and gives the next one.
    fn advance(&mut self, layer: &mut Layer<W>, at: usize, offers: Option<&Offers>) -> Result<Layer<W>> {
        let (path, notes) = (&self.path, &mut self.notes);
        let stop = &path.schedule.stops[at];
        let unit = &path.puzzle.units[at];
        let outer = &path.puzzle.outers[unit.outer as usize];
        let (values, limbs_each) = (path.values, path.limbs);
        let mut next = Layer::empty();
        let mut found: HashMap<State<W>, u32> = HashMap::new();
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
                    layer.edges.push(Edge { to, offer: offer as u32 });
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
                    layer.edges.push(Edge { to, offer: 0 });
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
    fn passes<const W: usize>(&mut self, path: &Path<W>, counts: &[u32]) -> bool {
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
        path: &Path<W>,
        stop: &Stop,
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
                let class = Class::new(asked.0, asked.1, &asked.2, &path.puzzle.codes);
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

impl<const W: usize> Trace for Path<W> {
    fn ends(&self) -> &[(Key, UBig)] {
        &self.ends
    }

    fn worlds(&self, worth: &[UBig]) -> Vec<Vec<UBig>> {
        let units = self.puzzle.units.len();
        let most = worth.iter().map(|worth| limbs(worth).len()).max().unwrap_or(1);
        let wide = self.limbs + if worth.iter().all(|worth| *worth <= UBig::ONE) { 0 } else { most };
        let mut after = vec![0u64; worth.len() * wide];
        for (slot, worth) in after.chunks_mut(wide).zip(worth) {
            let worth = limbs(worth);
            slot[..worth.len()].copy_from_slice(&worth);
        }
        let mut sums = vec![vec![0u64; self.orbits.len() * wide]; units];
        for at in (0..units).rev() {
            after = self.step_back(at, wide, &after, &mut sums[at]);
        }
        let (up, down) = self.factor();
        let each_unit = (0..units).map(|at| {
            let size = UBig::from(self.puzzle.units[at].size);
            let mut by_value = Vec::with_capacity(self.values);
            for (orbit, range) in self.orbits.iter().enumerate() {
                let sum = number(&sums[at][orbit * wide..(orbit + 1) * wide]) * &up;
                let each = sum / (&down * &size * range.len());
                by_value.extend(range.clone().map(|_| each.clone()));
            }
            by_value
        });
        each_unit.collect()
    }
}

impl<const W: usize> Path<W> {
    fn unpack(&self, state: &State<W>, columns: &mut [u64]) -> u32 {
        let width = self.schedule.width;
        let mask = if width == 64 { u64::MAX } else { (1u64 << width) - 1 };
        let mut bit = 0u32;
        for column in columns.iter_mut() {
            *column = read_bits(state, bit, mask);
            bit += width;
        }
        read_bits(state, bit, u64::from(u32::MAX)) as u32
    }

    fn pack(&self, columns: &[u64], key: u32) -> State<W> {
        let width = self.schedule.width;
        let mut state = [0; W];
        let mut bit = 0u32;
        for &column in columns {
            write_bits(&mut state, bit, column);
            bit += width;
        }
        write_bits(&mut state, bit, u64::from(key));
        state
    }

    /// What sums of weights must be multiplied with and divided by.
    fn factor(&self) -> (UBig, UBig) {
        self.scales.iter().fold((UBig::ONE, UBig::ONE), |(n, d), scale| {
            let (up, down) = scale.factor();
            (n * up, d * down)
        })
    }

    /// What it is worth to go on from every state before unit `at`, from those after it; adds to `sums`, by orbit, the worlds times how
    /// often its values occur in the unit.
    fn step_back(&self, at: usize, wide: usize, after: &[u64], sums: &mut [u64]) -> Vec<u64> {
        let (layer, offers) = (&self.layers[at], self.offers[at].as_ref());
        let narrow = self.limbs;
        let unit = &self.puzzle.units[at];
        let outer = &self.puzzle.outers[unit.outer as usize];
        let stop = &self.schedule.stops[at];
        let mut before = vec![0u64; layer.states.len() * wide];
        let mut columns = vec![0; self.values];
        let mut by_orbit = vec![0u64; self.orbits.len() * wide];
        let mut scaled = vec![0u64; wide];
        for from in 0..layer.states.len() {
            let edges = &layer.edges[layer.starts[from] as usize..layer.starts[from + 1] as usize];
            if edges
                .iter()
                .all(|edge| after[edge.to as usize * wide..(edge.to as usize + 1) * wide].iter().all(|&l| l == 0))
            {
                continue;
            }
            by_orbit.fill(0);
            let slot = &mut before[from * wide..(from + 1) * wide];
            if offers.is_none() {
                self.unpack(&layer.states[from], &mut columns);
            }
            for edge in edges {
                let beyond = &after[edge.to as usize * wide..(edge.to as usize + 1) * wide];
                let weight = match offers {
                    Some(offers) => offers.weight(edge.offer as usize),
                    None => &layer.forced[from * layer.forced_width..(from + 1) * layer.forced_width],
                };
                scaled.fill(0);
                add_product(&mut scaled, beyond, weight);
                add_scaled(slot, &scaled, 1);
                for (orbit, range) in self.orbits.iter().enumerate() {
                    let rows: u64 = match offers {
                        Some(offers) => range.clone().map(|v| u64::from(offers.counts(edge.offer as usize)[v])).sum(),
                        None => range
                            .clone()
                            .map(|v| u64::from(outer[v]) - stop.outer.map_or(0, |slot| slot.read(columns[v])))
                            .sum(),
                    };
                    if rows > 0 {
                        add_scaled(&mut by_orbit[orbit * wide..(orbit + 1) * wide], &scaled, rows);
                    }
                }
            }
            let ways = &layer.ways[from * narrow..(from + 1) * narrow];
            for orbit in 0..self.orbits.len() {
                let part = &by_orbit[orbit * wide..(orbit + 1) * wide];
                let used = part.iter().rposition(|&limb| limb != 0).map_or(0, |top| top + 1);
                let top = ways.iter().rposition(|&limb| limb != 0).map_or(0, |top| top + 1);
                add_product(&mut sums[orbit * wide..(orbit + 1) * wide], &part[..used], &ways[..top]);
            }
        }
        before
    }
}

impl<const W: usize> Layer<W> {
    fn empty() -> Self {
        Self {
            states: Vec::new(),
            ways: Vec::new(),
            starts: Vec::new(),
            edges: Vec::new(),
            forced: Vec::new(),
            forced_width: 0,
        }
    }

    fn start(limbs_each: usize) -> Self {
        let mut layer = Self::empty();
        layer.states.push([0; W]);
        layer.ways = vec![0; limbs_each];
        layer.ways[0] = 1;
        layer
    }

    /// How much memory it takes, its look-up included.
    fn bytes(&self) -> f64 {
        let words = self.states.len() * (3 * W + 1) + self.ways.len() + self.edges.len() + self.forced.len();
        words as f64 * 8.0
    }

    /// The number of `state`, new or known.
    fn find(&mut self, found: &mut HashMap<State<W>, u32>, state: State<W>, limbs_each: usize) -> u32 {
        let next = self.states.len() as u32;
        let number = *found.entry(state).or_insert(next);
        if number == next {
            self.states.push(state);
            self.ways.resize(self.ways.len() + limbs_each, 0);
        }
        number
    }
}

#[inline]
fn read_bits<const W: usize>(state: &[u64; W], bit: u32, mask: u64) -> u64 {
    let (word, shift) = ((bit / 64) as usize, bit % 64);
    let mut bits = state[word] >> shift;
    if shift > 0 && word + 1 < W {
        bits |= state[word + 1] << (64 - shift);
    }
    bits & mask
}

#[inline]
fn write_bits<const W: usize>(state: &mut [u64; W], bit: u32, bits: u64) {
    let (word, shift) = ((bit / 64) as usize, bit % 64);
    state[word] |= bits << shift;
    if shift > 0 && word + 1 < W {
        state[word + 1] |= bits >> (64 - shift);
    }
}
