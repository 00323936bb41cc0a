//! What counting a block leaves: ways to come to every state, and from there on, to be weighed by what other blocks do.

use std::collections::BTreeMap;

use dashu_int::UBig;
use hashbrown::HashMap;
use pellucid_model::error::Result;

use super::columns::ClusterBlock;
use crate::belief::{binomial, multinomial};
use crate::meter::{BudgetMeter, HeldMemory, bytes_of};

/// By set of partitions that are rejected, as bits, a number of worlds.
pub(super) type RejectionCounts = BTreeMap<u64, UBig>;

/// States before a step.
#[derive(Debug, Default)]
pub(super) struct BlockLayer {
    /// Ways to come to each.
    pub(super) ways: Vec<UBig>,
    /// Ways on.
    pub(super) edges: Vec<BlockEdge>,
    /// States that leave the rest open.
    pub(super) ends: Vec<BlockEnd>,
}

/// A step from one state to another.
#[derive(Debug)]
pub(super) struct BlockEdge {
    pub(super) from: u32,
    pub(super) to: u32,
    /// Rows of the value on the atom, and people of the atom without a value before.
    pub(super) rows: u32,
    pub(super) free: u32,
}

/// A state in which all is decided.
#[derive(Debug)]
pub(super) struct BlockEnd {
    pub(super) state: u32,
    /// The shared partitions that are rejected here.
    pub(super) rejected: u64,
    /// By atom, people without a value.
    pub(super) free: Box<[u32]>,
}

/// Binomial coefficients, as they are asked for.
#[derive(Debug, Default)]
pub(super) struct BinomialTable {
    known: HashMap<(u32, u32), UBig>,
}

impl BinomialTable {
    /// `n choose k`.
    pub(super) fn of(&mut self, n: u32, k: u32) -> &UBig {
        self.known.entry((n, k)).or_insert_with(|| binomial(u64::from(n), u64::from(k)))
    }
}

/// The worlds of a block.
#[derive(Debug)]
pub(super) struct CountedBlock<'b> {
    pub(super) block: &'b ClusterBlock,
    pub(super) layers: Vec<BlockLayer>,
    /// By step, the value and the atom.
    pub(super) places: Vec<(usize, usize)>,
    /// What all of it takes.
    pub(super) held: HeldMemory,
}

impl CountedBlock<'_> {
    /// By set of shared partitions that are rejected, the number of worlds.
    pub(super) fn worlds(&self, meter: &BudgetMeter) -> Result<RejectionCounts> {
        let mut worlds = RejectionCounts::new();
        for at in (0..self.layers.len()).filter(|&at| !self.layers[at].ends.is_empty()) {
            meter.check_clock()?;
            let completions = self.completions(at);
            for end in &self.layers[at].ends {
                let more = &self.layers[at].ways[end.state as usize] * &completions;
                *worlds.entry(end.rejected).or_insert(UBig::ZERO) += more;
            }
        }
        Ok(worlds)
    }

    /// The first value that is not done before layer `at`.
    fn next_value(&self, at: usize) -> usize {
        self.places.get(at).map_or(self.block.codes.len(), |place| place.0)
    }

    /// In how many ways the values from there on fall on those who are left, by group and together.
    fn completions(&self, at: usize) -> UBig {
        let block = self.block;
        let groups = block.counts.first().map_or(0, Vec::len);
        let later = &block.counts[self.next_value(at)..];
        let each = (0..groups).map(|group| multinomial(&later.iter().map(|counts| counts[group]).collect::<Vec<_>>()));
        each.fold(UBig::ONE, |product, ways| product * ways)
    }

    /// By atom and value, in how many worlds a given person of the atom has the value, when a world in which these shared
    /// partitions are rejected counts as often as `weight` says.
    pub(super) fn people(&mut self, weight: impl Fn(u64) -> UBig, meter: &BudgetMeter) -> Result<Vec<Vec<UBig>>> {
        let block = self.block;
        let mut sums = vec![vec![UBig::ZERO; block.codes.len()]; block.atoms.len()];
        let mut binomials = BinomialTable::default();
        let mut after: Vec<UBig> = Vec::new();
        let mut held = 0;
        for at in (0..self.layers.len()).rev() {
            meter.check_clock()?;
            let layer = &self.layers[at];
            let mut before = vec![UBig::ZERO; layer.ways.len()];
            if let Some(&(value, atom)) = self.places.get(at) {
                for edge in &layer.edges {
                    let on = &after[edge.to as usize];
                    if *on == UBig::ZERO {
                        continue;
                    }
                    let part = binomials.of(edge.free, edge.rows) * on;
                    if edge.rows > 0 {
                        sums[atom][value] += &layer.ways[edge.from as usize] * &part * edge.rows;
                    }
                    before[edge.from as usize] += part;
                }
            }
            self.end(at, &weight, &mut before, &mut sums);
            let more = before.iter().map(bytes_of).sum();
            self.held.grow(more)?;
            self.held.shrink(std::mem::replace(&mut held, more));
            after = before;
        }
        for (sums, atom) in sums.iter_mut().zip(&block.atoms) {
            sums.iter_mut().for_each(|sum| *sum = &*sum / UBig::from(atom.size));
        }
        Ok(sums)
    }

    /// The states of layer `at` that leave the rest open: what is left falls on everybody alike.
    fn end(&self, at: usize, weight: impl Fn(u64) -> UBig, before: &mut [UBig], sums: &mut [Vec<UBig>]) {
        let (block, layer) = (self.block, &self.layers[at]);
        if layer.ends.is_empty() {
            return;
        }
        let completions = self.completions(at);
        let mut free = vec![UBig::ZERO; block.atoms.len()];
        for end in &layer.ends {
            let weight = weight(end.rejected);
            let ways = &layer.ways[end.state as usize] * &weight;
            before[end.state as usize] = &weight * &completions;
            for (sum, &people) in free.iter_mut().zip(&end.free) {
                *sum += &ways * people;
            }
        }
        let from = self.next_value(at);
        for ((atom, free), sums) in block.atoms.iter().zip(&free).zip(sums) {
            let left: u32 = block.counts[from..].iter().map(|counts| counts[atom.group]).sum();
            for (sum, counts) in sums[from..].iter_mut().zip(&block.counts[from..]) {
                if counts[atom.group] > 0 {
                    *sum += free * (&completions * counts[atom.group] / left);
                }
            }
        }
    }
}
