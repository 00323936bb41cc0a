//! The fast search: never makes the classes of a granulation that is already decided, and makes them from the smallest
//! stored table.

use hashbrown::HashMap;
use pellucid_model::claim::EntryClaim;
use pellucid_model::error::Result;
use pellucid_model::registry::{NO_PARAMETERS, ProofStatus, RegistryEntry};

use super::LatticeSearch;
use super::instance::SearchInstance;
use super::lattice::{GranulationLevels, LatticeNode};
use super::measure::BoundMeasure;
use super::state::{BestSoFar, PassingNode, SearchEffort, SearchLimits, SearchState};
use super::tags::{FAILS, NEEDLESS, NodeTags, OPEN, PASSES, SEEN};

/// Granulations that are looked at together, on all cores.
const BATCH: usize = 32;

/// Chains that are halved to have something good to compare with.
const FIRST_CHAINS: usize = 8;

/// Of nodes that need no look when the best is searched for.
const RULED_OUT: u8 = FAILS | NEEDLESS | SEEN;

/// The registry entry.
pub const ENTRY: RegistryEntry<dyn LatticeSearch> = RegistryEntry {
    id: "fast",
    summary: "predictive tagging along chains, roll-up from stored class tables, bounds of the measure",
    reference: "Kohlmayer, Prasser et al.: Flash, PASSAT 2012 (chains and tagging); LeFevre et al.: Incognito, 2005 (rollup)",
    status: ProofStatus::Published,
    claims: &[EntryClaim::Optimum],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Fast)),
};

/// Halves chains where what lies above a passing granulation passes, and goes by the bounds of the measure where not.
///
/// # Guarantee
/// - Tags spread up from a passing and down from a failing granulation only when [`SearchInstance::is_monotone`] allows it.
/// - A granulation is left out of the best only when its lower bound exceeds a cost that was reached, or when it lies
///   above a passing one, nothing may be suppressed and [`BoundMeasure::is_monotone`] says that it scores no better.
/// - So the answer is that of looking at everything.
#[derive(Debug)]
struct Fast;

impl LatticeSearch for Fast {
    fn minimal(
        &self,
        ground: &SearchInstance<'_>,
        limits: &SearchLimits<'_>,
    ) -> Result<(Vec<PassingNode>, SearchEffort)> {
        let mut state = State::new(ground, None, limits)?;
        state.halve_chains(usize::MAX)?;
        let mut hits = if ground.is_monotone() { state.lowest_passing() } else { state.climb()? };
        hits.sort_by(|a, b| a.levels.cmp(&b.levels));
        Ok((hits, state.walk.effort()))
    }

    fn best(
        &self,
        ground: &SearchInstance<'_>,
        gauge: &dyn BoundMeasure,
        limits: &SearchLimits<'_>,
    ) -> Result<(Option<PassingNode>, SearchEffort)> {
        let mut state = State::new(ground, Some(gauge), limits)?;
        if ground.limit() == 0 && ground.is_monotone() && gauge.is_monotone() {
            state.halve_chains(usize::MAX)?;
        } else if gauge.floor(&ground.lattice().bottom()).is_finite() {
            state.halve_chains(FIRST_CHAINS)?;
            state.descend(gauge)?;
        } else {
            state.halve_chains(usize::MAX)?;
            state.ascend()?;
        }
        let effort = state.walk.effort();
        Ok((state.champion.into_hit(), effort))
    }
}

struct State<'a> {
    walk: SearchState<'a>,
    tags: NodeTags<'a>,
    champion: BestSoFar,
    /// Nodes that were looked at and pass, when all minimal ones are searched for.
    passing: HashMap<LatticeNode, PassingNode>,
    /// Of nodes that were looked at, what [`BoundMeasure::excess`] says.
    excess: Vec<(LatticeNode, f32)>,
    /// A lower bound on the cost of every granulation; negative where larger scores are better.
    least: f64,
    size: u64,
}

impl<'a> State<'a> {
    fn new(
        ground: &'a SearchInstance<'a>,
        gauge: Option<&'a dyn BoundMeasure>,
        limits: &'a SearchLimits<'a>,
    ) -> Result<Self> {
        let size = ground.lattice().walkable(limits.nodes)?;
        let tags = NodeTags::new(ground.lattice(), size);
        let least = gauge.map_or(0.0, |gauge| gauge.floor(&ground.lattice().bottom()));
        Ok(Self {
            walk: SearchState::new(ground, gauge, limits),
            tags,
            champion: BestSoFar::default(),
            passing: HashMap::new(),
            excess: Vec::new(),
            least,
            size,
        })
    }

    /// Whether nothing at or above the granulation can be the best.
    fn is_hopeless(&self, levels: &[u32]) -> bool {
        self.walk.gauge.is_some_and(|gauge| self.champion.beats(gauge.floor(levels)))
    }

    /// Tags every node: along chains of untagged nodes, the first that is not ruled out is found by halving. In a monotone
    /// lattice these are the passing nodes; otherwise those that are not ruled out with everything more specific. Stops
    /// after `most` chains.
    fn halve_chains(&mut self, mut most: usize) -> Result<()> {
        let lattice = self.walk.ground.lattice();
        for node in lattice.by_rank(self.size) {
            if most == 0 {
                break;
            }
            let node = LatticeNode::from(node);
            if self.tags.get(node) != 0 {
                continue;
            }
            let levels = lattice.levels(node);
            if self.is_hopeless(&levels) {
                self.tags.add(node, NEEDLESS);
                continue;
            }
            most -= 1;
            let mut chain = vec![node];
            let mut last = levels;
            while let Some((next, levels)) = self.next_in_chain(*chain.last().unwrap_or(&node), &last) {
                chain.push(next);
                last = levels;
            }
            let (mut low, mut high) = (0, chain.len());
            while low < high {
                self.walk.tell(self.tags.decided(), self.size)?;
                let middle = usize::midpoint(low, high);
                if self.decide(chain[middle]) { high = middle } else { low = middle + 1 }
            }
        }
        Ok(())
    }

    /// The undecided successor with the lowest bound, if there is one.
    fn next_in_chain(&self, node: LatticeNode, levels: &[u32]) -> Option<(LatticeNode, GranulationLevels)> {
        let lattice = self.walk.ground.lattice();
        let open = lattice.successors(node, levels).filter(|&next| self.tags.get(next) == 0);
        let open = open.map(|next| (next, lattice.levels(next))).filter(|(_, levels)| !self.is_hopeless(levels));
        match self.walk.gauge {
            Some(gauge) => open.min_by(|a, b| gauge.floor(&a.1).total_cmp(&gauge.floor(&b.1))),
            None => open.take(1).next(),
        }
    }

    /// Looks at a node and spreads what follows; says whether the node is to be kept in mind.
    fn decide(&mut self, node: LatticeNode) -> bool {
        let ground = self.walk.ground;
        let (passes, hit, bounds) = self.walk.look_at_one(&ground.lattice().levels(node));
        if passes && self.walk.gauge.is_some() {
            self.champion.challenge(ground, hit);
        } else if passes {
            self.passing.insert(node, hit);
        }
        let monotone = ground.is_monotone();
        let kept = if monotone { passes } else { !bounds.none_below };
        let tag = match (kept, monotone) {
            (false, _) => FAILS,
            (true, true) => PASSES,
            (true, false) => OPEN,
        };
        self.tags.add(node, tag | SEEN);
        if kept {
            let worse_above = ground.limit() == 0 && passes && self.walk.gauge.is_some_and(BoundMeasure::is_monotone);
            self.tags.spread_up(node, if worse_above { tag | NEEDLESS } else { tag });
        } else {
            self.tags.spread_down(node, FAILS);
        }
        if self.champion.beats(bounds.floor) {
            self.tags.spread_up(node, NEEDLESS);
        }
        if bounds.excess > 0.0 {
            self.excess.push((node, rounded_down(bounds.excess)));
        }
        // Neither the node nor what is more specific can be the best.
        let costly = self.champion.beats(self.least + bounds.excess);
        if costly {
            self.tags.spread_down(node, NEEDLESS);
        }
        kept && !costly
    }

    /// Passing nodes with no passing direct predecessor; each of them was looked at, as nothing below it could tell that it
    /// passes.
    fn lowest_passing(&mut self) -> Vec<PassingNode> {
        let lattice = self.walk.ground.lattice();
        let passes = |node: LatticeNode| self.tags.get(node) & PASSES != 0;
        let is_lowest = |node: LatticeNode, hit: &PassingNode| !lattice.predecessors(node, &hit.levels).any(passes);
        std::mem::take(&mut self.passing)
            .into_iter()
            .filter(|(node, hit)| is_lowest(*node, hit))
            .map(|(_, hit)| hit)
            .collect()
    }

    /// Minimal passing nodes where nothing may be concluded from one node about another but this: what lies above a
    /// passing node is not minimal. Nodes of one rank do not lie above each other.
    fn climb(&mut self) -> Result<Vec<PassingNode>> {
        let lattice = self.walk.ground.lattice();
        let mut minimal = Vec::new();
        let order = lattice.by_rank(self.size);
        let rank = |node: u32| lattice.rank(&lattice.levels(node.into()));
        for alike in order.chunk_by(|&a, &b| rank(a) == rank(b)) {
            let nodes = alike.iter().map(|&node| LatticeNode::from(node));
            let open: Vec<LatticeNode> = nodes.filter(|&node| self.tags.get(node) & (FAILS | NEEDLESS) == 0).collect();
            let (seen, open): (Vec<LatticeNode>, Vec<LatticeNode>) =
                open.into_iter().partition(|&node| self.tags.get(node) & SEEN != 0);
            let mut hits: Vec<(LatticeNode, PassingNode)> =
                seen.into_iter().filter_map(|node| Some((node, self.passing.remove(&node)?))).collect();
            for batch in open.chunks(BATCH) {
                self.walk.tell(self.tags.decided(), self.size)?;
                let levels: Vec<GranulationLevels> = batch.iter().map(|&node| lattice.levels(node)).collect();
                for (&node, (passes, hit, _)) in batch.iter().zip(self.walk.look_at(&levels)) {
                    self.tags.add(node, SEEN);
                    hits.extend(passes.then_some((node, hit)));
                }
            }
            for (node, hit) in hits {
                self.tags.spread_up(node, NEEDLESS);
                minimal.push(hit);
            }
        }
        Ok(minimal)
    }

    /// From the least specific nodes down: what rows of short classes cost under a node bounds everything below it.
    fn descend(&mut self, gauge: &dyn BoundMeasure) -> Result<()> {
        let lattice = self.walk.ground.lattice();
        let monotone = self.walk.ground.is_monotone();
        let mut excess = vec![0f32; self.size as usize];
        for (node, known) in std::mem::take(&mut self.excess) {
            excess[node as usize] = known;
        }
        let mut order = lattice.by_rank(self.size);
        order.reverse();
        let rank = |node: u32| lattice.rank(&lattice.levels(node.into()));
        for alike in order.chunk_by(|&a, &b| rank(a) == rank(b)) {
            let mut open: Vec<(f64, LatticeNode, GranulationLevels)> = Vec::new();
            for &node in alike {
                let node = LatticeNode::from(node);
                let levels = lattice.levels(node);
                let above = lattice.successors(node, &levels).map(|next| excess[next as usize]);
                let inherited = above.fold(excess[node as usize], f32::max);
                excess[node as usize] = inherited;
                if self.tags.get(node) & RULED_OUT == 0 {
                    let floor = gauge.floor(&levels) + f64::from(inherited);
                    if !self.champion.beats(floor) {
                        open.push((floor, node, levels));
                    }
                }
            }
            open.sort_by(|a, b| a.0.total_cmp(&b.0));
            for batch in open.chunks(BATCH) {
                let hopeful: Vec<&(f64, LatticeNode, GranulationLevels)> =
                    batch.iter().filter(|(floor, _, _)| !self.champion.beats(*floor)).collect();
                let levels: Vec<GranulationLevels> = hopeful.iter().map(|(_, _, levels)| levels.clone()).collect();
                let ceiling = self.champion.ceiling();
                self.walk.tell(self.tags.decided(), self.size)?;
                for ((_, node, _), (passes, hit, bounds)) in hopeful.iter().zip(self.walk.glance_at(&levels, ceiling)) {
                    self.tags.add(*node, SEEN);
                    if passes && hit.score.is_some() {
                        self.champion.challenge(self.walk.ground, hit);
                    }
                    if bounds.none_below || monotone && !passes {
                        self.tags.spread_down(*node, FAILS);
                    }
                    let known = &mut excess[*node as usize];
                    *known = known.max(rounded_down(bounds.excess));
                }
            }
        }
        Ok(())
    }

    /// From the most specific nodes up: what classes cost without suppression bounds everything above them.
    fn ascend(&mut self) -> Result<()> {
        let lattice = self.walk.ground.lattice();
        let order = lattice.by_rank(self.size);
        let mut rest = order.into_iter().map(LatticeNode::from).peekable();
        while rest.peek().is_some() {
            let open = rest.by_ref().filter(|&node| self.tags.get(node) & RULED_OUT == 0);
            let batch: Vec<LatticeNode> = open.take(BATCH).collect();
            let levels: Vec<GranulationLevels> = batch.iter().map(|&node| lattice.levels(node)).collect();
            self.walk.tell(self.tags.decided(), self.size)?;
            for (&node, (passes, hit, bounds)) in batch.iter().zip(self.walk.look_at(&levels)) {
                self.tags.add(node, SEEN);
                if passes {
                    self.champion.challenge(self.walk.ground, hit);
                }
                if self.champion.beats(bounds.floor) {
                    self.tags.spread_up(node, NEEDLESS);
                }
            }
        }
        Ok(())
    }
}

/// A number of single precision that is not larger.
fn rounded_down(bound: f64) -> f32 {
    let near = bound as f32;
    if f64::from(near) > bound { near.next_down() } else { near }
}
