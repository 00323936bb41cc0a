//! Mondrian: cuts groups at medians as long as both halves meet every goal. Not transparent: a baseline, and a target of
//! attack.
//!
//! A group is cut at the lower median of one attribute: rows with values up to it go to the left, the others to the right,
//! so equal values stay together. Attributes are tried by descending extent of the group in relation to the extent of the
//! attribute's axis, ties to the earlier column; the first cut whose halves are not empty and meet every goal is made. When
//! there is none, the group is published. *Nothing* is published when the whole table fails.
//!
//! # Guarantee
//! Every group meets every goal. Whoever knows the algorithm learns from each group that the other cuts of it, and the
//! wider ones of the groups above it, fail: six people, four of them alike, can be enough for certainty. When no goal looks
//! at sensitive values, groups follow from quasi-identifiers alone, and that is harmless.
//!
//! # Cost
//! Of every cut the time is linear in the rows of the group and in the attributes. A cut with a small right half takes all
//! rows above the median, so the attribute cannot be cut again before the left half has shrunk: cuts are of order `d log n`
//! deep. Large groups are cut by several threads.
//!
//! # Reference
//! `LeFevre`, `DeWitt`, Ramakrishnan: Mondrian Multidimensional K-Anonymity, ICDE 2006 (strict partitioning).

use pellucid_inference::evidence::Evidence;
use pellucid_inference::evidence::{CutHalves, rejected_cuts};
use pellucid_model::error::Result;
use pellucid_model::partition::Partition;
use pellucid_model::promise;
use pellucid_model::randomness::RandomSource;
use pellucid_model::registry::{NO_PARAMETERS, ProofStatus, RegistryEntry};

use super::grid::RankGrid;
use super::input::PublisherInput;
use super::requirements::{GroupCounter, GroupRequirements};
use super::{Publisher, PublisherAnswer, PublisherOutput, PublisherStatement, statement};

/// The registry entry.
pub const ENTRY: RegistryEntry<dyn Publisher> = RegistryEntry {
    id: "mondrian",
    summary: "median cuts while both halves pass; any principles; not transparent, a baseline",
    reference: "LeFevre, DeWitt, Ramakrishnan: Mondrian Multidimensional K-Anonymity, ICDE 2006",
    status: ProofStatus::Published,
    claims: promise::ONLY_BY_SIZES,
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Mondrian)),
};

#[derive(Debug)]
struct Mondrian;

impl Publisher for Mondrian {
    fn accepts(&self, plan: &PublisherInput<'_>) -> Result<()> {
        plan.check_groupable()
    }

    fn statement(&self, plan: &PublisherInput<'_>) -> PublisherStatement {
        if plan.is_blind() {
            return statement::by_sizes(false);
        }
        let why = "a group is cut whenever the halves pass, so whoever knows that learns of every group which cuts of it fail";
        statement::opaque(plan, why, false)
    }

    fn ties(&self) -> Option<&'static str> {
        Some("equal values stay together, and of equally wide columns the earlier is cut")
    }

    fn evidence(&self, plan: &PublisherInput<'_>, output: &PublisherOutput) -> Result<Evidence> {
        let groups = &output.groups;
        if plan.is_blind() {
            return Ok(Evidence::Proven);
        }
        let (cutter, judge) = (MondrianCutter::new(plan), GroupRequirements::new(plan));
        let cuts = |rows: &[u32]| {
            let cuts = cutter.cuts(rows).into_iter();
            cuts.map(|MondrianCut { left, right, .. }| CutHalves { left, right }).collect()
        };
        let passes = |rows: &[u32]| judge.passes(rows.iter().copied(), rows.len(), &mut GroupCounter::default());
        rejected_cuts(groups, cuts, passes).map(Evidence::Rejected)
    }

    fn publish(&self, plan: &PublisherInput<'_>, _randomness: RandomSource<'_>) -> Result<PublisherAnswer> {
        self.accepts(plan)?;
        Ok(plan.obstacle().map_or_else(|| Ok(partition(plan, &GroupRequirements::new(plan)).into()), Err))
    }
}

/// A way to cut a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MondrianCut {
    /// The quasi column, by its place in the plan.
    pub axis: usize,
    /// The rows with values up to the lower median, in the order given.
    pub left: Vec<u32>,
    /// The others; never empty.
    pub right: Vec<u32>,
}

/// The cuts of the group `rows` in the order in which Mondrian tries them; it makes the first whose halves both meet every
/// goal of `plan`, and none when there is no such cut. They follow from quasi-identifiers alone, so whoever knows these can
/// find them too.
pub fn cuts(plan: &PublisherInput<'_>, rows: &[u32]) -> Vec<MondrianCut> {
    MondrianCutter::new(plan).cuts(rows)
}

/// [`cuts`] for many groups of the same plan.
#[derive(Debug)]
pub struct MondrianCutter<'a>(RankGrid<'a>);

impl<'a> MondrianCutter<'a> {
    /// Lays out the quasi-identifiers of `plan`.
    pub fn new(plan: &'a PublisherInput<'_>) -> Self {
        Self(RankGrid::new(plan))
    }

    /// See [`cuts`].
    pub fn cuts(&self, rows: &[u32]) -> Vec<MondrianCut> {
        let mut scratch = Scratch::default();
        scratch.look(&self.0, rows);
        let axes = std::mem::take(&mut scratch.axes);
        let cut = |axis: usize| {
            let border = scratch.border(&self.0, rows, axis)?;
            let (left, right) = rows.iter().partition(|&&row| self.0.of(row)[axis] <= border);
            Some(MondrianCut { axis, left, right })
        };
        axes.into_iter().filter_map(cut).collect()
    }
}

/// The groups into which all rows of `plan` are cut when halves are to pass `judge`; the whole must pass already.
pub(super) fn partition(plan: &PublisherInput<'_>, judge: &GroupRequirements<'_>) -> Partition {
    let knife = Knife { grid: RankGrid::new(plan), judge };
    let mut members: Vec<u32> = (0..plan.rows as u32).collect();
    let mut ends = Vec::new();
    knife.divide(&mut members, &mut Scratch::default(), &mut ends);
    let mut end = 0;
    for place in &mut ends {
        end += *place;
        *place = end;
    }
    Partition::from_parts(members, ends)
}

/// Groups of more rows are cut by two threads.
const PARALLEL: usize = 1 << 11;

struct Knife<'a> {
    grid: RankGrid<'a>,
    judge: &'a GroupRequirements<'a>,
}

/// Room for looking at a group.
#[derive(Debug, Default)]
struct Scratch {
    bounds: Vec<(u32, u32)>,
    axes: Vec<usize>,
    /// Ranks to select from, and rows on their way.
    numbers: Vec<u32>,
    tallies: GroupCounter,
}

impl Scratch {
    /// Finds the bounds of the group and the axes on which it may be cut, in order.
    fn look(&mut self, grid: &RankGrid<'_>, rows: &[u32]) {
        grid.bounds(rows, &mut self.bounds);
        grid.widest_first(&self.bounds, &mut self.axes);
    }

    /// The largest rank of the left half on `axis`; `None` when there would be no right half.
    fn border(&mut self, grid: &RankGrid<'_>, rows: &[u32], axis: usize) -> Option<u32> {
        let median = grid.lower_median(rows, axis, &mut self.numbers);
        (median < self.bounds[axis].1).then_some(median)
    }
}

impl Knife<'_> {
    /// Cuts `rows` until no cut is allowed; they are reordered so that groups stand together, and `sizes` gets theirs.
    fn divide(&self, rows: &mut [u32], scratch: &mut Scratch, sizes: &mut Vec<u32>) {
        let Some(left) = self.cut(rows, scratch) else { return sizes.push(rows.len() as u32) };
        let is_large = rows.len() > PARALLEL;
        let (left, right) = rows.split_at_mut(left);
        if is_large {
            let mut others = Vec::new();
            rayon::join(
                || self.divide(left, scratch, sizes),
                || self.divide(right, &mut Scratch::default(), &mut others),
            );
            sizes.append(&mut others);
        } else {
            self.divide(left, scratch, sizes);
            self.divide(right, scratch, sizes);
        }
    }

    /// Makes the first cut that is allowed: puts the left half first and gives its size.
    fn cut(&self, rows: &mut [u32], scratch: &mut Scratch) -> Option<usize> {
        let least = self.judge.least() as usize;
        if rows.len() / 2 < least {
            return None;
        }
        scratch.look(&self.grid, rows);
        for at in 0..scratch.axes.len() {
            let axis = scratch.axes[at];
            let Some(border) = scratch.border(&self.grid, rows, axis) else { continue };
            let is_left = |row: &u32| self.grid.of(*row)[axis] <= border;
            let left = rows.iter().filter(|row| is_left(row)).count();
            let mut passes = |side: bool, size: usize| {
                let rows = rows.iter().filter(|row| is_left(row) == side).copied();
                self.judge.passes(rows, size, &mut scratch.tallies)
            };
            // The right half is the smaller one, and fails more easily.
            if rows.len() - left >= least && passes(false, rows.len() - left) && passes(true, left) {
                scratch.numbers.clear();
                let mut kept = 0;
                for at in 0..rows.len() {
                    let row = rows[at];
                    if is_left(&row) {
                        rows[kept] = row;
                        kept += 1;
                    } else {
                        scratch.numbers.push(row);
                    }
                }
                rows[kept..].copy_from_slice(&scratch.numbers);
                return Some(left);
            }
        }
        None
    }
}
