//! Opt-Gen: the groups of least discernability, the sum of squared group sizes. Not transparent: a target of attack.
//!
//! Figure 2 of Xiao, Tao and Koudas. Rows with equal quasi-identifiers, a **bundle**, are never separated (global recoding);
//! Example 2 needs more than that, namely that the boxes of groups do not overlap, which is the default here. Of several
//! minimisers the first is published, partitions written as sorted lists of sorted groups in base order, or one drawn
//! uniformly.
//!
//! # Guarantee
//! Every group meets every goal. Whoever knows the algorithm learns that every better recoding fails; in Example 2 of the
//! paper that is enough to be certain of Ed's disease.
//!
//! # Cost
//! Exponential in the number m of bundles, which is limited: 2^m groups are judged, and 3^m steps give the least sum for
//! every set of bundles. Where boxes must not overlap, these sums are lower bounds for a search over partitions; on a line
//! they are met at once.

use pellucid_model::claim::EntryClaim;
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::histogram::Histogram;
use pellucid_model::partition::Partition;
use pellucid_model::promise;
use pellucid_model::randomness::{ChoicePurpose, RandomSource};
use pellucid_model::registry::{ParamKind, ParamSpec, ProofStatus, RegistryEntry};
use rayon::prelude::*;

use crate::publisher::grid::RankGrid;
use crate::publisher::input::PublisherInput;
use crate::publisher::requirements::GroupRequirements;
use crate::publisher::{Publisher, PublisherAnswer, PublisherStatement, statement};

/// Most different vectors of quasi-identifiers.
const MOST_BUNDLES: usize = 16;

/// The registry entry.
pub const ENTRY: RegistryEntry<dyn Publisher> = RegistryEntry {
    id: "opt-gen",
    summary: "the least sum of squared group sizes; tiny tables; not transparent",
    reference: "Xiao, Tao, Koudas: Transparent Anonymization, ACM TODS 35(2), 2010, figure 2",
    status: ProofStatus::Published,
    claims: &[EntryClaim::Demonstration, promise::BLIND, promise::NOTHING_ELSE],
    examples: &[&[], &[("recoding", "equal"), ("ties", "uniform")]],
    params: &[
        ParamSpec {
            name: "recoding",
            kind: ParamKind::Choice(&["disjoint", "equal"]),
            default: Some("disjoint"),
            help: "boxes of groups do not overlap, or only equal quasi-identifiers stay together",
        },
        ParamSpec {
            name: "ties",
            kind: ParamKind::Choice(&["first", "uniform"]),
            default: Some("first"),
            help: "which of several equally good partitions is published: the first, or one drawn at random",
        },
    ],
    build: |args| {
        Ok(Box::new(OptGen { disjoint: args.text("recoding")? == "disjoint", draws: args.text("ties")? == "uniform" }))
    },
};

#[derive(Debug)]
struct OptGen {
    disjoint: bool,
    draws: bool,
}

impl Publisher for OptGen {
    fn accepts(&self, plan: &PublisherInput<'_>) -> Result<()> {
        plan.check_groupable()
    }

    fn statement(&self, plan: &PublisherInput<'_>) -> PublisherStatement {
        if plan.is_blind() {
            return statement::by_sizes(self.draws);
        }
        let why = "the groups are the best that pass, so whoever knows that learns that all better ones fail";
        statement::opaque(plan, why, self.draws)
    }

    fn ties(&self) -> Option<&'static str> {
        Some(if self.draws {
            "of several best partitions one was drawn at random, each equally likely"
        } else {
            "of several best partitions the first, as sorted lists of groups in the order of identifiers and quasi columns"
        })
    }

    fn publish(&self, plan: &PublisherInput<'_>, randomness: RandomSource<'_>) -> Result<PublisherAnswer> {
        self.accepts(plan)?;
        let grid = RankGrid::new(plan);
        let bundles = bundles(plan, &grid)?;
        let recodings = Recodings::new(plan, &grid, &bundles, self.disjoint);
        let Some(least) = recodings.least() else {
            // Where no partition passes, the whole table as one group does not either.
            let nothing = plan.obstacle().ok_or_else(|| {
                Error::new(ErrorKind::Internal, "the whole table passes, and no partition was found; please report it")
            })?;
            return Ok(Err(nothing));
        };
        let number = if self.draws {
            let count = recodings.count(least);
            randomness.stream(ChoicePurpose::Choice, 0, 0).below(count)
        } else {
            0
        };
        let mut groups = Partition::with_capacity(plan.rows, bundles.len());
        for set in recodings.find(least, number) {
            for bundle in members(set) {
                bundles[bundle].rows.iter().for_each(|&row| groups.push_row(row));
            }
            groups.close();
        }
        Ok(Ok(groups.into()))
    }
}

/// Rows with equal quasi-identifiers.
struct Bundle {
    rows: Vec<u32>,
    /// The places of the first and of the last row in base order.
    first: u32,
    last: u32,
}

/// The bundles of all rows, in base order of their first rows.
fn bundles(plan: &PublisherInput<'_>, grid: &RankGrid<'_>) -> Result<Vec<Bundle>> {
    let mut known = hashbrown::HashMap::new();
    let mut bundles: Vec<Bundle> = Vec::new();
    // Rows that nothing public tells apart are in one bundle, whatever their order.
    for (place, row) in (0u32..).zip(grid.base_order(plan, |_| 0)) {
        let at = *known.entry(grid.of(row)).or_insert(bundles.len());
        if at == bundles.len() {
            bundles.push(Bundle { rows: Vec::new(), first: place, last: place });
        }
        bundles[at].rows.push(row);
        bundles[at].last = place;
    }
    if bundles.len() <= MOST_BUNDLES {
        return Ok(bundles);
    }
    Err(Error::new(
        ErrorKind::LimitExceeded,
        format!(
            "the quasi columns have {} different combinations of values, and `opt-gen` looks at every group of up to \
             {MOST_BUNDLES}; use publisher = \"mondrian\", or fewer rows or columns",
            bundles.len()
        ),
    ))
}

/// A set of bundles, one bit each.
type Set = u32;

/// The members of `set`, ascending.
fn members(set: Set) -> impl Iterator<Item = usize> {
    (0..Set::BITS as usize).filter(move |at| set >> at & 1 == 1)
}

/// The subsets of `set` that hold its first member, the whole set first.
fn with_first(set: Set) -> impl Iterator<Item = Set> {
    let first = set & set.wrapping_neg();
    let others = set ^ first;
    let next = move |&subset: &Set| (subset > 0).then(|| (subset - 1) & others);
    std::iter::successors(Some(others), next).map(move |subset| subset | first)
}

/// The smallest and the largest rank of a group on every axis.
type Bounds = Vec<(u32, u32)>;

/// All recodings whose groups pass.
struct Recodings<'a> {
    bundles: &'a [Bundle],
    /// By set of bundles, the squared number of its rows when it may be a group.
    square: Vec<Option<u64>>,
    /// By set of bundles, its bounds; empty when groups may overlap.
    bounds: Vec<Bounds>,
    /// By set of bundles, the least sum over partitions of it into groups, overlapping or not.
    bound: Vec<Option<u64>>,
}

impl<'a> Recodings<'a> {
    fn new(plan: &PublisherInput<'_>, grid: &RankGrid<'_>, bundles: &'a [Bundle], disjoint: bool) -> Self {
        let sets = 1 << bundles.len();
        let vectors: Vec<&[u32]> = bundles.iter().map(|bundle| grid.of(bundle.rows[0])).collect();
        let bounds_of = |set: Set| -> Bounds {
            let sides = |axis: usize| members(set).map(move |bundle| (bundle, axis));
            let rank = |(bundle, axis): (usize, usize)| vectors[bundle][axis];
            let side = |axis| (sides(axis).map(rank).min().unwrap_or(0), sides(axis).map(rank).max().unwrap_or(0));
            (0..grid.axes()).map(side).collect()
        };
        let bounds: Vec<Bounds> = if disjoint { (0..sets).map(bounds_of).collect() } else { Vec::new() };
        // A group whose box holds a row of another group overlaps it.
        let is_closed = |set: Set| {
            let inside = |vector: &[u32]| {
                vector.iter().zip(&bounds[set as usize]).all(|(rank, side)| (side.0..=side.1).contains(rank))
            };
            (0..bundles.len()).all(|bundle| set >> bundle & 1 == 1 || !inside(vectors[bundle]))
        };
        let judge = GroupRequirements::new(plan);
        let histograms: Vec<Vec<Histogram>> = judge
            .columns()
            .iter()
            .map(|judged| {
                let code = |row: &u32| judged.column.code(*row as usize);
                bundles.iter().map(|bundle| Histogram::of(bundle.rows.iter().map(code))).collect()
            })
            .collect();
        let passes = |set: Set, rows: u64| {
            let joined = |of_bundles: &[Histogram]| {
                let mut entries: Vec<(u32, u64)> =
                    members(set).flat_map(|bundle| of_bundles[bundle].entries().iter().copied()).collect();
                entries.sort_unstable();
                let same = entries.chunk_by(|a, b| a.0 == b.0);
                Histogram::from_entries(same.map(|run| (run[0].0, run.iter().map(|entry| entry.1).sum())))
            };
            rows >= judge.least()
                && judge.columns().iter().zip(&histograms).all(|(judged, bundles)| judged.holds(&joined(bundles)))
        };
        let square = (0..sets).into_par_iter().map(|set: Set| {
            let rows: u64 = members(set).map(|bundle| bundles[bundle].rows.len() as u64).sum();
            (set > 0 && (!disjoint || is_closed(set)) && passes(set, rows)).then_some(rows * rows)
        });
        let square: Vec<Option<u64>> = square.collect();
        let mut bound: Vec<Option<u64>> = vec![Some(0)];
        for set in 1..sets {
            let sum = |group: Set| Some(square[group as usize]? + bound[(set ^ group) as usize]?);
            bound.push(with_first(set).filter_map(sum).min());
        }
        Self { bundles, square, bounds, bound }
    }

    /// All bundles.
    fn everything(&self) -> Set {
        (self.square.len() - 1) as Set
    }

    /// The groups with the first member of `rest` that may stand beside `groups` in a partition of sum at most `most`; each
    /// with what remains of the sum.
    fn next(&self, rest: Set, groups: &[Set], most: u64) -> impl Iterator<Item = (Set, u64)> {
        with_first(rest).filter_map(move |group| {
            let left = most.checked_sub(self.square[group as usize]?)?;
            let fits =
                self.bound[(rest ^ group) as usize]? <= left && !groups.iter().any(|&other| self.meet(group, other));
            fits.then_some((group, left))
        })
    }

    /// Whether the boxes of two groups overlap where they must not.
    fn meet(&self, a: Set, b: Set) -> bool {
        let bounds = self.bounds.get(a as usize).zip(self.bounds.get(b as usize));
        bounds.is_some_and(|(a, b)| a.iter().zip(b).all(|(a, b)| a.0 <= b.1 && b.0 <= a.1))
    }

    /// The least sum of a recoding; `None` when none passes.
    fn least(&self) -> Option<u64> {
        let bound = self.bound[self.everything() as usize]?;
        if self.bounds.is_empty() {
            return Some(bound);
        }
        let mut best = None;
        self.improve(self.everything(), &mut Vec::new(), 0, &mut best);
        best
    }

    /// Looks for partitions of `rest` beside `groups`, whose sum is `sum`, that are better than `best`.
    fn improve(&self, rest: Set, groups: &mut Vec<Set>, sum: u64, best: &mut Option<u64>) {
        if rest == 0 {
            *best = Some(sum);
            return;
        }
        let allowed = |best: &Option<u64>| best.map_or(u64::MAX, |best| best - 1).checked_sub(sum);
        let Some(left) = allowed(best) else { return };
        let mut candidates: Vec<(Set, u64)> = self.next(rest, groups, left).collect();
        let promise = |group: Set| {
            self.square[group as usize]
                .unwrap_or(0)
                .saturating_add(self.bound[(rest ^ group) as usize].unwrap_or(u64::MAX))
        };
        candidates.sort_by_key(|&(group, _)| promise(group));
        for (group, _) in candidates {
            if allowed(best).is_none_or(|left| promise(group) > left) {
                return;
            }
            groups.push(group);
            self.improve(rest ^ group, groups, sum + self.square[group as usize].unwrap_or(0), best);
            groups.pop();
        }
    }

    /// Number of recodings of sum `least`.
    fn count(&self, least: u64) -> usize {
        let mut known = hashbrown::HashMap::new();
        self.ways(self.everything(), &mut Vec::new(), least, &mut known)
    }

    /// Number of ways to part `rest` beside `groups` into groups of sum `left`; it depends on `rest` alone when groups may
    /// overlap, as `left` is then always the least.
    fn ways(&self, rest: Set, groups: &mut Vec<Set>, left: u64, known: &mut hashbrown::HashMap<Set, usize>) -> usize {
        if rest == 0 {
            return 1;
        }
        if let Some(&ways) = known.get(&rest) {
            return ways;
        }
        let mut ways = 0;
        for (group, left) in self.next(rest, groups, left).collect::<Vec<_>>() {
            groups.push(group);
            ways += self.ways(rest ^ group, groups, left, known);
            groups.pop();
        }
        if self.bounds.is_empty() {
            known.insert(rest, ways);
        }
        ways
    }

    /// The recoding of sum `least` that comes after `number` others, in the order of partitions.
    fn find(&self, least: u64, mut number: usize) -> Vec<Set> {
        let (mut groups, mut rest, mut left) = (Vec::new(), self.everything(), least);
        let mut known = hashbrown::HashMap::new();
        while rest > 0 {
            let mut candidates: Vec<(Set, u64)> = self.next(rest, &groups, left).collect();
            candidates.sort_by(|a, b| self.compare(a.0, b.0));
            let chosen = candidates.into_iter().find(|&(group, left)| {
                groups.push(group);
                let ways = self.ways(rest ^ group, &mut groups, left, &mut known);
                groups.pop();
                let here = number < ways;
                number -= if here { 0 } else { ways };
                here
            });
            let Some((group, remains)) = chosen else { break };
            groups.push(group);
            (rest, left) = (rest ^ group, remains);
        }
        groups
    }

    /// The order of two groups as sorted lists of places: decided at the first place that only one of them has, where the
    /// other has a later one or ends.
    fn compare(&self, a: Set, b: Set) -> std::cmp::Ordering {
        let differ = a ^ b;
        if differ == 0 {
            return std::cmp::Ordering::Equal;
        }
        let at = differ.trailing_zeros() as usize;
        let has_it = a >> at & 1 == 1;
        let other = if has_it { b } else { a };
        let goes_on = members(other).any(|bundle| self.bundles[bundle].last > self.bundles[at].first);
        if has_it == goes_on { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater }
    }
}
