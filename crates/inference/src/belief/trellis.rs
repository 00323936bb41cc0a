//! Paths: the states a sweep has come to, kept for the way back.
//!
//! Backwards, every state is worth what its ends are worth; together with the ways to come to it this says in how many
//! worlds the people of a unit have each value.

use dashu_int::UBig;
use hashbrown::HashMap;

use super::allocations::{ForcedScale, UnitAllocations};
use super::levels::ComponentKey;
use super::limbs::{add_product, add_scaled, limbs, number};
use super::problem::CountingProblem;
use super::schedule::SweepSchedule;

/// A sweep that has gone forwards and ended with several keys; it goes back once the worth of each is known.
pub(super) trait KeyedTrellis: std::fmt::Debug + Send + Sync {
    /// The keys of the ends, each with its number of worlds.
    fn ends(&self) -> &[(ComponentKey, UBig)];

    /// By unit and value, the worlds in which a given person of the unit has the value, each worth what its end is.
    fn worlds(&self, worth: &[UBig]) -> Vec<Vec<UBig>>;
}

/// A state: columns side by side, then the number of the key.
pub(super) type TrellisState<const W: usize> = [u64; W];

/// States after some units, in order of discovery.
#[derive(Debug)]
pub(super) struct TrellisLayer<const W: usize> {
    pub(super) states: Vec<TrellisState<W>>,
    /// Ways to come to each state.
    pub(super) ways: Vec<u64>,
    /// By state, where its edges start in `edges`; one more at the end.
    pub(super) starts: Vec<u32>,
    pub(super) edges: Vec<TrellisEdge>,
    /// By state, the weight of its only choice, when the unit's values are forced.
    pub(super) forced: Vec<u64>,
    pub(super) forced_width: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct TrellisEdge {
    pub(super) to: u32,
    pub(super) offer: u32,
}

/// What both halves of a sweep need.
#[derive(Debug)]
pub(super) struct Trellis<const W: usize> {
    pub(super) puzzle: CountingProblem,
    pub(super) schedule: SweepSchedule,
    pub(super) values: usize,
    pub(super) orbits: Vec<std::ops::Range<usize>>,
    pub(super) exchange: bool,
    pub(super) scales: Vec<ForcedScale>,
    /// Limbs of a count.
    pub(super) limbs: usize,
    pub(super) offers: Vec<Option<UnitAllocations>>,
    pub(super) layers: Vec<TrellisLayer<W>>,
    pub(super) ends: Vec<(ComponentKey, UBig)>,
}

impl<const W: usize> KeyedTrellis for Trellis<W> {
    fn ends(&self) -> &[(ComponentKey, UBig)] {
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

impl<const W: usize> Trellis<W> {
    pub(super) fn unpack(&self, state: &TrellisState<W>, columns: &mut [u64]) -> u32 {
        let width = self.schedule.width;
        let mask = if width == 64 { u64::MAX } else { (1u64 << width) - 1 };
        let mut bit = 0u32;
        for column in columns.iter_mut() {
            *column = read_bits(state, bit, mask);
            bit += width;
        }
        read_bits(state, bit, u64::from(u32::MAX)) as u32
    }

    pub(super) fn pack(&self, columns: &[u64], key: u32) -> TrellisState<W> {
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
    pub(super) fn factor(&self) -> (UBig, UBig) {
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

impl<const W: usize> TrellisLayer<W> {
    pub(super) fn empty() -> Self {
        Self {
            states: Vec::new(),
            ways: Vec::new(),
            starts: Vec::new(),
            edges: Vec::new(),
            forced: Vec::new(),
            forced_width: 0,
        }
    }

    pub(super) fn start(limbs_each: usize) -> Self {
        let mut layer = Self::empty();
        layer.states.push([0; W]);
        layer.ways = vec![0; limbs_each];
        layer.ways[0] = 1;
        layer
    }

    /// How much memory it takes, its look-up included.
    pub(super) fn bytes(&self) -> f64 {
        let words = self.states.len() * (3 * W + 1) + self.ways.len() + self.edges.len() + self.forced.len();
        words as f64 * 8.0
    }

    /// The number of `state`, new or known.
    pub(super) fn find(
        &mut self,
        found: &mut HashMap<TrellisState<W>, u32>,
        state: TrellisState<W>,
        limbs_each: usize,
    ) -> u32 {
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
