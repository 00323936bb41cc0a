//! The functions of a sequence, bound to a table: which level every column has, and who is in which group.
//!
//! Everything here looks at quasi-identifiers alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::written::{Cut, Written};
use crate::error::{Error, ErrorKind, Result};
use crate::granulation::{Grain, Granulation};
use crate::hierarchy::Hierarchy;
use crate::histogram::Histogram;
use crate::publish::plan::Plan;
use crate::registry::did_you_mean;
use crate::release::PublishedGrain;

/// Most group labels that a derived sequence may take to sort: functions times rows.
const MOST_LABELS: u64 = 200_000_000;

/// One function of the sequence.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    /// The level of every quasi column.
    pub granulation: Granulation,
    /// The same by column, as the manifest states it; columns as they are are left out.
    pub columns: BTreeMap<String, PublishedGrain>,
    /// By person, the number of the group; numbered from 0 by first appearance.
    pub labels: Vec<u32>,
}

impl Listed {
    /// Rows of each group.
    pub fn sizes(&self) -> Vec<u64> {
        let mut sizes = vec![0; self.labels.iter().max().map_or(0, |&last| last as usize + 1)];
        for &label in &self.labels {
            sizes[label as usize] += 1;
        }
        sizes
    }
}

/// The functions of `written` for the people of `plan`, person p being row `order[p]`.
pub(super) fn list(written: &Written, plan: &Plan<'_>, order: &[u32]) -> Result<Vec<Listed>> {
    let columns = Columns::new(plan, order);
    match written {
        Written::Functions(functions) => {
            let listed = (1..).zip(functions).map(|(step, cuts)| columns.written(step, cuts));
            listed.collect()
        }
        Written::Chain => {
            let tops = columns.tops("chain")?;
            let levels = (0..=tops.iter().copied().max().unwrap_or(0)).map(|step| {
                let levels: Vec<usize> = tops.iter().map(|&top| step.min(top)).collect();
                columns.at_levels(&levels)
            });
            Ok(distinct(levels.collect()))
        }
        Written::Lattice => columns.lattice(),
    }
}

/// Why a function can never be released whatever the sensitive values are: the principle on group sizes that it fails.
pub(super) fn dropped(plan: &Plan<'_>, function: &Listed) -> Option<String> {
    let mut sizes = function.sizes();
    sizes.sort_unstable();
    sizes.dedup();
    let of_sizes = plan.goals.iter().filter(|goal| !goal.principle.needs_sensitive());
    let fails = |size: u64| Histogram::from_entries([(0, size)]);
    of_sizes
        .filter(|goal| sizes.iter().any(|&size| !goal.test.holds(&fails(size))))
        .map(|goal| goal.principle.describe())
        .next()
}

/// The quasi columns, with the hierarchies that levels refer to.
struct Columns<'a> {
    plan: &'a Plan<'a>,
    order: &'a [u32],
    /// Declared, or the one that only knows the values.
    hierarchies: Vec<Arc<Hierarchy>>,
}

impl<'a> Columns<'a> {
    fn new(plan: &'a Plan<'a>, order: &'a [u32]) -> Self {
        let hierarchies =
            plan.quasi.iter().zip(&plan.hierarchies).map(|((column, _), hierarchy)| {
                Arc::new(hierarchy.cloned().unwrap_or_else(|| Hierarchy::flat(column)))
            });
        Self { plan, order, hierarchies: hierarchies.collect() }
    }

    fn name(&self, at: usize) -> &str {
        self.plan.quasi[at].0.name()
    }

    /// Function `step` as written out.
    fn written(&self, step: usize, cuts: &BTreeMap<String, Cut>) -> Result<Listed> {
        let names = || (0..self.hierarchies.len()).map(|at| self.name(at));
        if let Some(unknown) = cuts.keys().find(|name| !names().any(|known| known == *name)) {
            let hint = did_you_mean(unknown, names());
            let known: Vec<&str> = names().collect();
            return Err(Error::new(
                ErrorKind::UnknownColumn,
                format!(
                    "function {step} of `sequence` names `{unknown}`, which is no quasi column{hint}; they are `{}`",
                    known.join("`, `")
                ),
            ));
        }
        let mut grains = Vec::with_capacity(self.hierarchies.len());
        let mut columns = BTreeMap::new();
        for at in 0..self.hierarchies.len() {
            let name = self.name(at);
            let declared = self.plan.hierarchies[at].is_some();
            let hierarchy = &self.hierarchies[at];
            let (grain, published) = match cuts.get(name) {
                None => (Grain::new(hierarchy.clone(), 0), None),
                Some(Cut::Borders(borders)) => {
                    let built = borders.build(self.plan.quasi[at].0).map_err(|error| {
                        Error::new(error.kind(), format!("function {step} of `sequence`: {}", error.message()))
                    })?;
                    let published = PublishedGrain::Borders(borders.borders().to_vec());
                    (Grain::new(Arc::new(built), 1), Some(published))
                }
                Some(cut) => {
                    let top = if declared { hierarchy.top() } else { 0 };
                    let level = if let Cut::Level(level) = cut { *level } else { top };
                    if !declared && *cut != Cut::Level(0) {
                        return Err(Error::invalid(format!(
                            "function {step} of `sequence` joins values of column `{name}`, which has no hierarchy; give it \
                             one or write borders"
                        )));
                    }
                    if level > top {
                        return Err(Error::invalid(format!(
                            "function {step} of `sequence` has column `{name}` on level {level}, but its hierarchy has \
                             levels 0 to {top}; choose one of them or \"top\""
                        )));
                    }
                    (Grain::new(hierarchy.clone(), level), Some(PublishedGrain::Level(level)))
                }
            };
            grains.push(grain);
            columns.extend(published.map(|published| (name.to_owned(), published)));
        }
        Ok(self.grouped(grains, columns))
    }

    /// The function with the given level of every column.
    fn at_levels(&self, levels: &[usize]) -> Listed {
        let grains =
            self.hierarchies.iter().zip(levels).map(|(hierarchy, &level)| Grain::new(hierarchy.clone(), level));
        let columns =
            levels.iter().enumerate().map(|(at, &level)| (self.name(at).to_owned(), PublishedGrain::Level(level)));
        self.grouped(grains.collect(), columns.collect())
    }

    fn grouped(&self, grains: Vec<Grain>, columns: BTreeMap<String, PublishedGrain>) -> Listed {
        let mut labels = vec![0; self.order.len()];
        for (grain, (column, _)) in grains.iter().zip(&self.plan.quasi) {
            let numbers = grain.numbers();
            let mut known = HashMap::new();
            for (label, &row) in labels.iter_mut().zip(self.order) {
                let next = known.len() as u32;
                *label = *known.entry((*label, numbers[column.code(row as usize) as usize])).or_insert(next);
            }
        }
        Listed { granulation: Granulation::new(grains), columns, labels }
    }

    /// The highest level of every column, all of which need a hierarchy.
    fn tops(&self, word: &str) -> Result<Vec<usize>> {
        if let Some(at) = self.plan.hierarchies.iter().position(Option::is_none) {
            return Err(Error::invalid(format!(
                "sequence = \"{word}\" climbs the hierarchies of all quasi columns, but column `{}` has no hierarchy; give it one or \
                 write the sequence out",
                self.name(at)
            )));
        }
        Ok(self.hierarchies.iter().map(|hierarchy| hierarchy.top()).collect())
    }

    /// All combinations of levels, finest first by the sum of the squares of group sizes, then by the sum of the shares
    /// of the way up, then by the levels in the order of the columns.
    ///
    /// A partition that is strictly finer than another has a smaller sum of squares, so it comes before it.
    fn lattice(&self) -> Result<Vec<Listed>> {
        let tops = self.tops("lattice")?;
        let many = tops.iter().try_fold(1u64, |many, &top| many.checked_mul(top as u64 + 1));
        let labels = many.and_then(|many| many.checked_mul(self.order.len() as u64));
        if labels.is_none_or(|labels| labels > MOST_LABELS) {
            let many = many.map_or_else(|| "more than 2^64".to_owned(), |many| many.to_string());
            return Err(Error::new(
                ErrorKind::LimitExceeded,
                format!(
                    "the lattice has {many} combinations of levels for {} rows, and functions times rows may be at most \
                     {MOST_LABELS}; write the sequence out or use \"chain\"",
                    self.order.len()
                ),
            ));
        }
        let common = tops.iter().fold(1u64, |common, &top| lcm(common, top.max(1) as u64));
        let mut levels = vec![0; tops.len()];
        let mut ranked = Vec::new();
        loop {
            let function = self.at_levels(&levels);
            let squares: u128 = function.sizes().iter().map(|&size| u128::from(size) * u128::from(size)).sum();
            let way = levels.iter().zip(&tops).map(|(&level, &top)| level as u64 * (common / top.max(1) as u64));
            ranked.push(((squares, way.sum::<u64>(), levels.clone()), function));
            let Some(at) = (0..levels.len()).rev().find(|&at| levels[at] < tops[at]) else { break };
            levels[at] += 1;
            levels[at + 1..].fill(0);
        }
        ranked.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(distinct(ranked.into_iter().map(|(_, function)| function).collect()))
    }
}

/// Leaves out functions whose groups are those of an earlier one.
fn distinct(functions: Vec<Listed>) -> Vec<Listed> {
    let mut seen = HashSet::new();
    functions.into_iter().filter(|function| seen.insert(function.labels.clone())).collect()
}

fn lcm(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x.max(1) * b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Fraction;
    use crate::hierarchy::HierarchySpec;
    use crate::hierarchy::Widths;
    use crate::publish::{Axis, Watch};
    use crate::sequence::Sequence;
    use crate::table::{Column, Domain, Role};

    /// Ages by decades and twenties, towns by region; the rows in any order.
    fn with_plan<T>(test: impl Fn(&Plan<'_>, &[u32]) -> T) -> T {
        let ages = Domain::Integer(vec![21, 25, 34, 48]);
        let age = Column::new("age", Role::Quasi, ages, false, vec![0, 1, 2, 3, 0, 2]).unwrap();
        let towns = Domain::Category(["a", "b", "c"].map(str::to_owned).to_vec());
        let town = Column::new("town", Role::Quasi, towns, false, vec![0, 1, 2, 2, 0, 1]).unwrap();
        let widths = HierarchySpec::Widths(Widths::new(&["10", "20"], "0").unwrap());
        let widths = widths.build(&age, std::path::Path::new(".")).unwrap();
        let regions =
            HierarchySpec::from_value(serde_json::json!({ "tree": { "N": ["a", "b"], "S": ["c"] } })).unwrap();
        let regions = regions.build(&town, std::path::Path::new(".")).unwrap();
        let plan = Plan {
            rows: 6,
            quasi: vec![(&age, Axis::new(&age, None)), (&town, Axis::new(&town, None))],
            hierarchies: vec![Some(&widths), Some(&regions)],
            identifiers: Vec::new(),
            goals: Vec::new(),
            suppression: Fraction::ZERO,
            explain: false,
            watch: Watch::default(),
        };
        test(&plan, &[3, 0, 5, 1, 4, 2])
    }

    fn levels(function: &Listed) -> Vec<usize> {
        function.granulation.grains().iter().map(Grain::level).collect()
    }

    #[test]
    fn a_chain_climbs_all_hierarchies_together() {
        with_plan(|plan, order| {
            let chain = list(&Written::Chain, plan, order).unwrap();
            assert_eq!(chain.iter().map(levels).collect::<Vec<_>>(), [[0, 0], [1, 1], [2, 2], [3, 2]]);
            // 21, 21 and 25 of the north; 34 of the north, 34 of the south; 48 of the south.
            let mut sizes = chain[1].sizes();
            sizes.sort_unstable();
            assert_eq!(sizes, [1, 1, 1, 3]);
        });
    }

    #[test]
    fn the_lattice_is_in_order_and_without_repetition() {
        with_plan(|plan, order| {
            let lattice = list(&Written::Lattice, plan, order).unwrap();
            // Of the 4 * 3 = 12 combinations some make the same groups.
            assert!(lattice.len() > 4 && lattice.len() <= 12, "{}", lattice.len());
            assert_eq!(levels(&lattice[0]), [0, 0]);
            assert_eq!(lattice.last().unwrap().sizes(), [6]);
            let sequence = Sequence::from_labels(6, lattice.iter().map(|one| one.labels.clone()).collect()).unwrap();
            sequence.check_order().unwrap();
            for fine in 1..=sequence.len() {
                for coarse in fine + 1..=sequence.len() {
                    assert!(!sequence.refines(coarse, fine), "{coarse} is not coarser than {fine}");
                }
            }
        });
    }

    #[test]
    fn columns_that_are_left_out_stay_as_they_are() {
        with_plan(|plan, order| {
            let written = Written::parse(r#"[{"town":"top"},{"age":[20,30,50],"town":2}]"#).unwrap();
            let listed = list(&written, plan, order).unwrap();
            assert_eq!(levels(&listed[0]), [0, 2]);
            assert_eq!(listed[0].sizes().len(), 4);
            let mut sizes = listed[1].sizes();
            sizes.sort_unstable();
            // Ages 21, 21 and 25; and 34, 34 and 48.
            assert_eq!(sizes, [3, 3]);
            assert_eq!(listed[1].columns["age"], PublishedGrain::Borders(vec!["20".into(), "30".into(), "50".into()]));
        });
    }
}
