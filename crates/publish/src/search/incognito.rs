//! The Incognito-style search: subsets of the quasi columns first, whose failures rule out the rest.

use std::collections::BTreeMap;

use hashbrown::HashSet;
use pellucid_model::claim::EntryClaim;
use pellucid_model::error::Result;
use pellucid_model::registry::{Entry, NO_PARAMETERS, Status};

use super::Search;
use super::breadth_first::{BreadthFirst, best_of};
use super::ground::Ground;
use super::lattice::{Lattice, Levels};
use super::measure::Gauge;
use super::walk::{Effort, Hit, Limits, Walk};

/// The registry entry.
pub const ENTRY: Entry<dyn Search> = Entry {
    id: "incognito",
    summary: "subsets of the columns first, with the generalization, subset and rollup properties",
    reference: "LeFevre, DeWitt, Ramakrishnan: Incognito, SIGMOD 2005; Wang, Liau, Hsu, TRS VII, 2007, section 3.4",
    status: Status::Published,
    claims: &[EntryClaim::Optimum],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Incognito)),
};

/// Properties 1 to 3 of Wang, Liau and Hsu.
///
/// A granulation of a subset of the columns has all other columns on their top partition, so it lies above every
/// granulation it is a restriction of. Where what lies above a passing granulation passes, a granulation whose restriction
/// fails is ruled out (subset property), one above a passing one is known to pass (generalization property), and classes
/// come from stored tables (rollup property).
///
/// # Guarantee
/// Asks [`Ground::is_monotone`] first; where that does not hold, none of the properties may be used to rule out, and the
/// search is the breadth-first one.
#[derive(Debug)]
struct Incognito;

impl Search for Incognito {
    fn minimal(&self, ground: &Ground<'_>, limits: &Limits<'_>) -> Result<(Vec<Hit>, Effort)> {
        if !ground.is_monotone() {
            return BreadthFirst.minimal(ground, limits);
        }
        let lattice = ground.lattice();
        lattice.walkable(limits.nodes)?;
        let columns = lattice.columns().len();
        let mut walk = Walk::new(ground, None, limits);
        // By subset of the columns, its passing granulations.
        let mut passing: BTreeMap<Vec<usize>, HashSet<Levels>> = BTreeMap::new();
        passing.insert(Vec::new(), nothing_generalized(&mut walk));
        for size in 1..=columns {
            let smaller = std::mem::take(&mut passing);
            let subsets = subsets(columns, size);
            let all = subsets.len() as u64;
            for (done, subset) in (0..).zip(subsets) {
                walk.tell(done, all)?;
                let found = of_subset(&mut walk, &subset, &smaller);
                passing.insert(subset, found);
            }
        }
        let found = passing.remove(&(0..columns).collect::<Vec<_>>()).unwrap_or_default();
        let mut minimal: Vec<Levels> =
            found.iter().filter(|levels| is_minimal(lattice, levels, &found)).cloned().collect();
        minimal.sort();
        let hits = minimal.iter().map(|levels| walk.look_at_one(levels).1).collect();
        Ok((hits, walk.effort()))
    }

    fn best(&self, ground: &Ground<'_>, gauge: &dyn Gauge, limits: &Limits<'_>) -> Result<(Option<Hit>, Effort)> {
        if ground.limit() > 0 || !gauge.is_monotone() {
            return super::breadth_first::exhaustive(ground, gauge, limits);
        }
        let (found, effort) = self.minimal(ground, limits)?;
        Ok(best_of(ground, gauge, limits, found.into_iter().map(|hit| hit.levels), effort))
    }
}

/// The granulation of no column at all: everything on top.
fn nothing_generalized(walk: &mut Walk<'_>) -> HashSet<Levels> {
    let top = walk.ground.lattice().top();
    let (passes, _, _) = walk.look_at_one(&top);
    passes.then_some(top).into_iter().collect()
}

/// All subsets of `size` of the first `columns` numbers.
fn subsets(columns: usize, size: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for column in 0..columns {
        let with: Vec<Vec<usize>> = all.iter().filter(|subset| subset.len() < size).cloned().collect();
        all.extend(with.into_iter().map(|mut subset| {
            subset.push(column);
            subset
        }));
    }
    all.retain(|subset| subset.len() == size);
    all.sort();
    all
}

/// The passing granulations of `subset`, other columns on top; candidates are those all of whose restrictions to one
/// column fewer are in `smaller`.
fn of_subset(
    walk: &mut Walk<'_>,
    subset: &[usize],
    smaller: &BTreeMap<Vec<usize>, HashSet<Levels>>,
) -> HashSet<Levels> {
    let lattice = walk.ground.lattice();
    let top = lattice.top();
    let restricted = |levels: &[u32], without: usize| {
        let mut levels: Levels = levels.into();
        levels[without] = top[without];
        levels
    };
    let mut candidates: Vec<(u32, Levels)> = Vec::new();
    let (first, rest) = (subset[0], &subset[1..]);
    for base in &smaller[rest] {
        for level in 0..lattice.columns()[first].partitions().len() as u32 {
            let mut levels = base.clone();
            levels[first] = level;
            let known = subset.iter().all(|&column| {
                let others: Vec<usize> = subset.iter().copied().filter(|&other| other != column).collect();
                smaller[&others].contains(&restricted(&levels, column))
            });
            if known {
                candidates.push((lattice.rank(&levels), levels));
            }
        }
    }
    candidates.sort();
    let mut passing: HashSet<Levels> = HashSet::new();
    for (_, levels) in candidates {
        let node = lattice.node(&levels);
        let known = lattice.predecessors(node, &levels).any(|below| passing.contains(&lattice.levels(below)));
        if known || walk.look_at_one(&levels).0 {
            passing.insert(levels);
        }
    }
    passing
}

fn is_minimal(lattice: &Lattice, levels: &[u32], passing: &HashSet<Levels>) -> bool {
    let node = lattice.node(levels);
    !lattice.predecessors(node, levels).any(|below| passing.contains(&lattice.levels(below)))
}
