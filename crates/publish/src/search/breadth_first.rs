//! The basic breadth-first search: from the most specific granulation upwards, every check from the rows.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use pellucid_model::claim::EntryClaim;
use pellucid_model::error::Result;
use pellucid_model::registry::{Entry, NO_PARAMETERS, Status};

use super::Search;
use super::ground::Ground;
use super::measure::Gauge;
use super::tags::{FAILS, NEEDLESS, PASSES, Tags};
use super::walk::{Champion, Effort, Hit, Limits, Walk};

/// The registry entry.
pub const ENTRY: Entry<dyn Search> = Entry {
    id: "breadth-first",
    summary: "from the most specific granulation upwards; prunes above those that pass",
    reference: "Wang, Liau, Hsu: Granulation as a Privacy Protection Mechanism, TRS VII, 2007, figures 5 and 6",
    status: Status::Published,
    claims: &[EntryClaim::Optimum],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(BreadthFirst)),
};

/// Figure 5, with the queue ordered by rank.
///
/// A plain queue is right only where all chains between two granulations have the same length: otherwise it may take a
/// granulation before a more specific one that was put in later. Rank, the length of the longest chain from the most
/// specific granulation, grows along the order, so nothing is taken before what is more specific.
///
/// # Guarantee
/// Gives the minimal elements of the set of passing granulations, whether or not that set is closed upwards: what lies
/// above a passing granulation is not minimal, and everything else is reached through failing ones.
/// # Cost
/// A check from the most specific classes for every granulation with nothing passing below it.
#[derive(Debug)]
pub(super) struct BreadthFirst;

impl Search for BreadthFirst {
    fn minimal(&self, ground: &Ground<'_>, limits: &Limits<'_>) -> Result<(Vec<Hit>, Effort)> {
        let lattice = ground.lattice();
        let size = lattice.walkable(limits.nodes)?;
        let mut walk = Walk::new(ground, None, limits);
        let mut tags = Tags::new(lattice, size);
        let bottom = lattice.bottom();
        let mut queue = BinaryHeap::from([Reverse((lattice.rank(&bottom), lattice.node(&bottom)))]);
        let mut found = Vec::new();
        while let Some(Reverse((_, node))) = queue.pop() {
            if tags.get(node) != 0 {
                continue;
            }
            walk.tell(tags.decided(), size)?;
            let levels = lattice.levels(node);
            let look = walk.look_plainly(&levels);
            if look.passes {
                tags.add(node, PASSES);
                tags.spread_up(node, NEEDLESS);
                found.push(look.hit);
            } else {
                tags.add(node, FAILS);
                let open = lattice.successors(node, &levels).filter(|&next| tags.get(next) == 0);
                queue.extend(open.map(|next| Reverse((lattice.rank(&lattice.levels(next)), next))));
            }
        }
        found.sort_by(|a, b| a.levels.cmp(&b.levels));
        Ok((found, walk.effort()))
    }

    fn best(&self, ground: &Ground<'_>, gauge: &dyn Gauge, limits: &Limits<'_>) -> Result<(Option<Hit>, Effort)> {
        // Where nothing is suppressed, nothing less specific is better, if the measure says so.
        if ground.limit() > 0 || !gauge.is_monotone() {
            return exhaustive(ground, gauge, limits);
        }
        let (found, effort) = self.minimal(ground, limits)?;
        Ok(best_of(ground, gauge, limits, found.into_iter().map(|hit| hit.levels), effort))
    }
}

/// The best of the given granulations, all of which pass.
pub(super) fn best_of(
    ground: &Ground<'_>,
    gauge: &dyn Gauge,
    limits: &Limits<'_>,
    found: impl Iterator<Item = super::Levels>,
    mut effort: Effort,
) -> (Option<Hit>, Effort) {
    let mut walk = Walk::new(ground, Some(gauge), limits);
    let mut champion = Champion::default();
    for levels in found {
        champion.challenge(ground, walk.look_plainly(&levels).hit);
    }
    let more = walk.effort();
    effort.checked += more.checked;
    effort.read += more.read;
    (champion.into_hit(), effort)
}

/// The best granulation, by looking at every one.
pub(super) fn exhaustive(ground: &Ground<'_>, gauge: &dyn Gauge, limits: &Limits<'_>) -> Result<(Option<Hit>, Effort)> {
    let size = ground.lattice().walkable(limits.nodes)?;
    let mut walk = Walk::new(ground, Some(gauge), limits);
    let mut champion = Champion::default();
    for node in 0..size {
        walk.tell(node, size)?;
        let look = walk.look_plainly(&ground.lattice().levels(node));
        if look.passes {
            champion.challenge(ground, look.hit);
        }
    }
    Ok((champion.into_hit(), walk.effort()))
}
