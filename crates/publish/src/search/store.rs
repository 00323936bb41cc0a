//! Stored class tables: a granulation is looked at from the smallest stored table of a more specific one.

use super::classes::ClassTable;
use super::instance::SearchInstance;
use super::lattice::GranulationLevels;

/// A stored table is worth its memory when rolling it up takes at most this share of the work of its source.
const WORTH: f64 = 0.7;

/// Class tables of some granulations with their weights, the smallest first.
#[derive(Debug)]
pub(super) struct ClassStore {
    tables: Vec<(usize, ClassTable)>,
    bytes: usize,
    limit: usize,
    peak: usize,
}

impl ClassStore {
    /// No tables yet, and room for `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { tables: Vec::new(), bytes: 0, limit, peak: 0 }
    }

    /// The smallest table of a granulation that is at least as specific as `levels`.
    fn source<'a>(&'a self, ground: &'a SearchInstance<'_>, levels: &[u32]) -> &'a ClassTable {
        let source = self.tables.iter().find(|(_, table)| ground.lattice.is_at_most(table.levels(), levels));
        source.map_or(&ground.base, |(_, table)| table)
    }

    /// A granulation that is worth a table of its own before the classes of `levels` are made, when there is no small
    /// table to make them from: the half of the columns that join most blocks are on their levels, the others as they are.
    /// Granulations near by have the same.
    pub fn hub(&self, ground: &SearchInstance<'_>, levels: &[u32]) -> Option<GranulationLevels> {
        let bottom = ground.lattice.bottom();
        if self.source(ground, levels).weight() * 2 < ground.base.weight() {
            return None;
        }
        let columns = ground.lattice.columns();
        let blocks = |column: usize, level: u32| columns[column].partitions()[level as usize].len().max(1) as f64;
        let joined = |column: usize| blocks(column, bottom[column]) / blocks(column, levels[column]);
        let mut raised: Vec<usize> = (0..columns.len()).filter(|&column| levels[column] != bottom[column]).collect();
        if raised.len() < 2 {
            return None;
        }
        raised.sort_by(|&a, &b| joined(b).total_cmp(&joined(a)).then(a.cmp(&b)));
        let mut hub = bottom;
        for &column in &raised[..raised.len().div_ceil(2)] {
            hub[column] = levels[column];
        }
        let known = self.tables.iter().any(|(_, table)| *table.levels() == hub);
        (!known).then_some(hub)
    }

    /// The classes of `levels`, rolled up from the smallest table there is, and the weight of that table; without histograms
    /// unless they shall be `whole`.
    pub fn classes(&self, ground: &SearchInstance<'_>, levels: &[u32], whole: bool) -> (ClassTable, usize) {
        let table = self.source(ground, levels);
        (table.roll_up(&ground.lattice, levels, &ground.judge, whole).1, table.weight())
    }

    /// Keeps a table that was rolled up from one of weight `source`, if it saves enough work; makes room for it by
    /// forgetting the largest tables.
    pub fn offer(&mut self, classes: ClassTable, source: usize) {
        let (weight, bytes) = (classes.weight(), classes.bytes());
        if weight as f64 > source as f64 * WORTH || bytes > self.limit {
            return;
        }
        while self.bytes + bytes > self.limit {
            let Some((_, largest)) = self.tables.pop() else { break };
            self.bytes -= largest.bytes();
        }
        let place = self.tables.partition_point(|table| table.0 <= weight);
        self.tables.insert(place, (weight, classes));
        self.bytes += bytes;
        self.peak = self.peak.max(self.bytes);
    }

    /// The most memory that was held, in bytes.
    pub fn peak(&self) -> usize {
        self.peak
    }
}
