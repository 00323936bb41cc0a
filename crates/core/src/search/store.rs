//! Stored class tables: a granulation is looked at from the smallest stored table of a more specific one.

use std::sync::Arc;

use super::classes::Classes;
use super::ground::Ground;
use super::lattice::Levels;

/// A stored table is worth its memory when rolling it up takes at most this share of the work of its source.
const WORTH: f64 = 0.7;

/// Class tables of some granulations, the smallest first.
#[derive(Debug)]
pub(super) struct Store {
    tables: Vec<(usize, Levels, Arc<Classes>)>,
    bytes: usize,
    limit: usize,
    peak: usize,
}

impl Store {
    /// No tables yet, and room for `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { tables: Vec::new(), bytes: 0, limit, peak: 0 }
    }

    /// The classes of `levels`, rolled up from the smallest table there is.
    pub fn classes(&self, ground: &Ground<'_>, levels: &[u32]) -> (Classes, usize) {
        let lattice = &ground.lattice;
        let source = self.tables.iter().find(|(_, from, _)| lattice.is_at_most(from, levels));
        let bottom;
        let (from, table): (&[u32], &Classes) = if let Some((_, from, table)) = source {
            (from, table)
        } else {
            bottom = lattice.bottom();
            (&bottom, &ground.base)
        };
        (table.roll_up(lattice, &ground.layout, from, levels, &ground.judge), table.weight())
    }

    /// Keeps a table that was rolled up from one of weight `source`, if it saves enough work; makes room for it by
    /// forgetting the largest tables.
    pub fn offer(&mut self, levels: &[u32], classes: Classes, source: usize) {
        let (weight, bytes) = (classes.weight(), classes.bytes());
        if weight as f64 > source as f64 * WORTH || bytes > self.limit {
            return;
        }
        while self.bytes + bytes > self.limit {
            let Some((_, _, largest)) = self.tables.pop() else { break };
            self.bytes -= largest.bytes();
        }
        let place = self.tables.partition_point(|table| table.0 <= weight);
        self.tables.insert(place, (weight, levels.into(), Arc::new(classes)));
        self.bytes += bytes;
        self.peak = self.peak.max(self.bytes);
    }

    /// The most memory that was held, in bytes.
    pub fn peak(&self) -> usize {
        self.peak
    }
}
