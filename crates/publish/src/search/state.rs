//! What all searches share: looking at one granulation, keeping class tables, and telling how much was done.

use std::cmp::Ordering;

use pellucid_model::error::Result;
use pellucid_model::progress::SearchProgress;
use rayon::prelude::*;

use super::classes::ClassTable;
use super::instance::{GranulationView, SearchInstance};
use super::lattice::GranulationLevels;
use super::measure::BoundMeasure;
use super::score::MeasureScore;
use super::store::ClassStore;

/// What a search may use, and whom it tells.
#[derive(Clone, Copy)]
pub struct SearchLimits<'a> {
    /// Granulations of a lattice of which every node is tagged.
    pub nodes: u64,
    /// Bytes of stored class tables.
    pub bytes: usize,
    /// Told now and then; an error stops the search.
    pub watch: &'a dyn Fn(SearchProgress) -> Result<()>,
}

impl Default for SearchLimits<'_> {
    /// 64 million nodes, which take nine bytes each, and 512 MiB of class tables.
    fn default() -> Self {
        Self { nodes: 1 << 26, bytes: 512 << 20, watch: &|_| Ok(()) }
    }
}

/// How much a search did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchEffort {
    /// Granulations in the lattice, in words as the number may be large.
    pub nodes: String,
    /// Granulations whose classes were made.
    pub checked: u64,
    /// Classes and counts that were read for it.
    pub read: u64,
    /// The most memory that stored class tables took, in bytes; the table itself not counted.
    pub bytes: usize,
    /// Whether a granulation was ruled out by others, which takes a principle that allows it.
    pub monotone: bool,
}

/// A granulation that passes.
#[derive(Debug, Clone)]
pub struct PassingNode {
    /// By column, its partition.
    pub levels: GranulationLevels,
    /// Number of classes that are left.
    pub classes: u64,
    /// Rows that are suppressed.
    pub suppressed: u64,
    /// What the measure says, when there is one.
    pub score: Option<MeasureScore>,
}

/// What was seen of a granulation.
pub(super) struct NodeReport {
    pub passes: bool,
    pub hit: PassingNode,
    pub bounds: NodeBounds,
    table: ClassTable,
    source: usize,
}

/// What a look says about other granulations.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeBounds {
    /// A lower bound on the cost of everything less specific.
    pub floor: f64,
    /// Whether everything more specific fails.
    pub none_below: bool,
    /// A lower bound on what suppression adds to the cost of everything more specific.
    pub excess: f64,
}

/// The state that searches share.
pub(super) struct SearchState<'a> {
    pub ground: &'a SearchInstance<'a>,
    pub gauge: Option<&'a dyn BoundMeasure>,
    pub limits: &'a SearchLimits<'a>,
    store: ClassStore,
    checked: u64,
    read: u64,
}

impl<'a> SearchState<'a> {
    pub fn new(
        ground: &'a SearchInstance<'a>,
        gauge: Option<&'a dyn BoundMeasure>,
        limits: &'a SearchLimits<'a>,
    ) -> Self {
        Self { ground, gauge, limits, store: ClassStore::new(limits.bytes), checked: 0, read: 0 }
    }

    /// Looks at granulations on all cores, and keeps the class tables that are worth it.
    pub fn look_at(&mut self, many: &[GranulationLevels]) -> Vec<(bool, PassingNode, NodeBounds)> {
        self.look_on_all_cores(many, true, f64::INFINITY)
    }

    /// The same, keeping none of their class tables: for searches that go on to more specific granulations, which have no
    /// use for them.
    /// Gives no score to those that cost more than `ceiling` by their bounds.
    pub fn glance_at(&mut self, many: &[GranulationLevels], ceiling: f64) -> Vec<(bool, PassingNode, NodeBounds)> {
        self.look_on_all_cores(many, self.gauge.is_some_and(BoundMeasure::looks_at_histograms), ceiling)
    }

    fn look_on_all_cores(
        &mut self,
        many: &[GranulationLevels],
        whole: bool,
        ceiling: f64,
    ) -> Vec<(bool, PassingNode, NodeBounds)> {
        self.make_hubs(many);
        let (ground, gauge, store) = (self.ground, self.gauge, &self.store);
        let look =
            |levels: &GranulationLevels| judge(ground, gauge, levels, store.classes(ground, levels, whole), ceiling);
        let looks: Vec<NodeReport> = match many {
            [only] => vec![look(only)],
            _ => many.par_iter().map(look).collect(),
        };
        let keep = |look: NodeReport| {
            self.checked += 1;
            self.read += look.source as u64;
            if whole {
                self.store.offer(look.table, look.source);
            }
            (look.passes, look.hit, look.bounds)
        };
        looks.into_iter().map(keep).collect()
    }

    /// Stores the tables from which those of `many` are made with less work.
    fn make_hubs(&mut self, many: &[GranulationLevels]) {
        let mut hubs: Vec<GranulationLevels> =
            many.iter().filter_map(|levels| self.store.hub(self.ground, levels)).collect();
        hubs.sort();
        hubs.dedup();
        let (ground, store) = (self.ground, &self.store);
        let tables: Vec<(ClassTable, usize)> =
            hubs.par_iter().map(|levels| store.classes(ground, levels, true)).collect();
        for (table, source) in tables {
            self.read += source as u64;
            self.store.offer(table, source);
        }
    }

    /// Looks at one granulation and keeps its class table if it is worth it.
    pub fn look_at_one(&mut self, levels: &[u32]) -> (bool, PassingNode, NodeBounds) {
        self.look_at(&[levels.into()]).swap_remove(0)
    }

    /// Tells how far the search has come.
    pub fn tell(&self, done: u64, of: u64) -> Result<()> {
        (self.limits.watch)(SearchProgress { checked: self.checked, done, of })
    }

    /// How much was done.
    pub fn effort(&self) -> SearchEffort {
        SearchEffort {
            nodes: self.ground.lattice.size_words(),
            checked: self.checked,
            read: self.read,
            bytes: self.store.peak(),
            monotone: self.ground.is_monotone(),
        }
    }
}

/// What the class table of a granulation says, given with the weight of the table it was rolled up from; no score when its
/// bounds exceed `ceiling`.
fn judge(
    ground: &SearchInstance<'_>,
    gauge: Option<&dyn BoundMeasure>,
    levels: &[u32],
    (table, source): (ClassTable, usize),
    ceiling: f64,
) -> NodeReport {
    let passes = ground.accepts(&table);
    let suppressed = table.failing_rows();
    let view = GranulationView { ground, levels, table: &table, suppressed };
    let bounds = NodeBounds {
        floor: gauge.map_or(f64::NEG_INFINITY, |gauge| gauge.floor_seen(&view)),
        none_below: ground.rules_out_below(&table),
        excess: gauge.filter(|_| suppressed > 0 && ground.limit() > 0).map_or(0.0, |gauge| gauge.excess(&view)),
    };
    let hopeful = |gauge: &&dyn BoundMeasure| passes && gauge.floor(levels) + bounds.excess <= ceiling;
    let score = gauge.filter(hopeful).map(|gauge| gauge.score(&view));
    let classes = (0..table.len()).filter(|&class| table.passes(class)).count() as u64;
    NodeReport { passes, hit: PassingNode { levels: levels.into(), classes, suppressed, score }, bounds, table, source }
}

/// The best hit so far.
#[derive(Default)]
pub(super) struct BestSoFar(Option<PassingNode>);

impl BestSoFar {
    /// Takes `hit` if it is better: by score, then by rank, then by levels.
    pub fn challenge(&mut self, ground: &SearchInstance<'_>, hit: PassingNode) {
        let better = self.0.as_ref().is_none_or(|best| {
            let by_score = match (&hit.score, &best.score) {
                (Some(a), Some(b)) => a.compare(b),
                _ => Ordering::Equal,
            };
            let rank = |hit: &PassingNode| ground.lattice.rank(&hit.levels);
            by_score.then_with(|| rank(&hit).cmp(&rank(best))).then_with(|| hit.levels.cmp(&best.levels)).is_lt()
        });
        if better {
            self.0 = Some(hit);
        }
    }

    /// The most that the best can cost; infinite when there is none yet.
    pub fn ceiling(&self) -> f64 {
        self.0.as_ref().and_then(|best| best.score.as_ref()).map_or(f64::INFINITY, MeasureScore::at_most)
    }

    /// Whether nothing that costs at least `floor` can be better, or as good and more specific.
    pub fn beats(&self, floor: f64) -> bool {
        let score = self.0.as_ref().and_then(|best| best.score.as_ref());
        score.is_some_and(|score| floor > score.at_most())
    }

    /// The levels of the best hit.
    pub fn levels(&self) -> Option<&GranulationLevels> {
        self.0.as_ref().map(|hit| &hit.levels)
    }

    /// The best hit.
    pub fn into_hit(self) -> Option<PassingNode> {
        self.0
    }
}
