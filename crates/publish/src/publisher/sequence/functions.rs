//! The functions of a sequence, bound to a table: which level every column has, and who is in which group.
//!
//! Everything here looks at quasi-identifiers alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::granulation::{ColumnGrain, Granulation};
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::histogram::Histogram;
use pellucid_model::registry::{EntryArgs, did_you_mean, find};

use super::written::{WrittenCut, WrittenSequence};
use crate::publisher::input::PublisherInput;
use crate::search::{
    ColumnLattice, GranulationLattice, GranulationLevels, MEASURES, MeasureScore, SearchInstance, SearchMeasure,
};
use pellucid_model::manifest::PublishedGrain;

/// Most group labels that a derived sequence may take to sort: functions times rows.
const MOST_LABELS: u64 = 200_000_000;

/// One function of the sequence.
#[derive(Debug, Clone)]
pub(super) struct SequenceFunction {
    /// The level of every quasi column.
    pub granulation: Granulation,
    /// The same by column, as the manifest states it; columns as they are are left out.
    pub columns: BTreeMap<String, PublishedGrain>,
    /// By person, the number of the group; numbered from 0 by first appearance.
    pub labels: Vec<u32>,
}

impl SequenceFunction {
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
///
/// `measure` orders the lattice, and chooses the next function of a chain; without one the lattice is in the order of
/// discernibility and a chain climbs all hierarchies together.
pub(super) fn list(
    written: &WrittenSequence,
    measure: Option<&dyn SearchMeasure>,
    plan: &PublisherInput<'_>,
    order: &[u32],
) -> Result<Vec<SequenceFunction>> {
    let columns = Columns::new(plan, order);
    match written {
        WrittenSequence::Functions(functions) => {
            let listed = (1..).zip(functions).map(|(step, cuts)| columns.written(step, cuts));
            listed.collect()
        }
        WrittenSequence::Chain => {
            let tops = columns.tops("chain")?;
            if let Some(measure) = measure {
                return columns.best_chain(measure);
            }
            let levels = (0..=tops.iter().copied().max().unwrap_or(0)).map(|step| {
                let levels: Vec<usize> = tops.iter().map(|&top| step.min(top)).collect();
                columns.at_levels(&levels)
            });
            Ok(distinct(levels.collect()))
        }
        WrittenSequence::Lattice => columns.lattice(measure),
    }
}

/// Why a function can never be released whatever the sensitive values are: the principle on group sizes that it fails.
pub(super) fn dropped(plan: &PublisherInput<'_>, function: &SequenceFunction) -> Option<String> {
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
    plan: &'a PublisherInput<'a>,
    order: &'a [u32],
    /// Declared, or the one that only knows the values.
    hierarchies: Vec<Arc<Hierarchy>>,
}

impl<'a> Columns<'a> {
    fn new(plan: &'a PublisherInput<'a>, order: &'a [u32]) -> Self {
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
    fn written(&self, step: usize, cuts: &BTreeMap<String, WrittenCut>) -> Result<SequenceFunction> {
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
                None => (ColumnGrain::new(hierarchy.clone(), 0), None),
                Some(WrittenCut::Borders(borders)) => {
                    let built = borders.build(self.plan.quasi[at].0).map_err(|error| {
                        Error::new(error.kind(), format!("function {step} of `sequence`: {}", error.message()))
                    })?;
                    let published = PublishedGrain::Borders(borders.borders().to_vec());
                    (ColumnGrain::new(Arc::new(built), 1), Some(published))
                }
                Some(cut) => {
                    let top = if declared { hierarchy.top() } else { 0 };
                    let level = if let WrittenCut::Level(level) = cut { *level } else { top };
                    if !declared && *cut != WrittenCut::Level(0) {
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
                    (ColumnGrain::new(hierarchy.clone(), level), Some(PublishedGrain::Level(level)))
                }
            };
            grains.push(grain);
            columns.extend(published.map(|published| (name.to_owned(), published)));
        }
        Ok(self.grouped(grains, columns))
    }

    /// The function with the given level of every column.
    fn at_levels(&self, levels: &[usize]) -> SequenceFunction {
        let grains =
            self.hierarchies.iter().zip(levels).map(|(hierarchy, &level)| ColumnGrain::new(hierarchy.clone(), level));
        let columns =
            levels.iter().enumerate().map(|(at, &level)| (self.name(at).to_owned(), PublishedGrain::Level(level)));
        self.grouped(grains.collect(), columns.collect())
    }

    fn grouped(&self, grains: Vec<ColumnGrain>, columns: BTreeMap<String, PublishedGrain>) -> SequenceFunction {
        let mut labels = vec![0; self.order.len()];
        for (grain, (column, _)) in grains.iter().zip(&self.plan.quasi) {
            let numbers = grain.numbers();
            let mut known = HashMap::new();
            for (label, &row) in labels.iter_mut().zip(self.order) {
                let next = known.len() as u32;
                *label = *known.entry((*label, numbers[column.code(row as usize) as usize])).or_insert(next);
            }
        }
        SequenceFunction { granulation: Granulation::new(grains), columns, labels }
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

    /// The lattice of all combinations of levels, bound to the quasi-identifiers alone: nothing is asked of classes.
    fn ground(&self) -> Result<SearchInstance<'static>> {
        let admissible = self.hierarchies.iter().enumerate();
        let admissible = admissible.map(|(at, hierarchy)| ColumnLattice::of_hierarchy(self.name(at), hierarchy));
        let lattice = GranulationLattice::new(admissible.collect::<Result<_>>()?);
        let quasi: Vec<_> = self.plan.quasi.iter().map(|(column, _)| column.codes()).collect();
        Ok(SearchInstance::new(lattice, &quasi, &[], Vec::new(), self.plan.rows, 0))
    }

    /// All combinations of levels, the best first by `measure`, then by the sum of the levels, then by the levels in the
    /// order of the columns.
    ///
    /// No measure that looks at quasi-identifiers alone scores a less specific function better, so a function comes after
    /// all that are more specific.
    fn lattice(&self, measure: Option<&dyn SearchMeasure>) -> Result<Vec<SequenceFunction>> {
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
        let ground = self.ground()?;
        let usual = find(MEASURES, "measure", "discernibility")?.make(&EntryArgs::new())?;
        let gauge = measure.unwrap_or(usual.as_ref()).gauge(&ground)?;
        let mut ranked: Vec<(MeasureScore, u32, GranulationLevels)> = (0..many.unwrap_or(0))
            .map(|node| {
                let levels = ground.lattice().levels(node);
                (ground.score(gauge.as_ref(), &levels), ground.lattice().rank(&levels), levels)
            })
            .collect();
        ranked.sort_by(|a, b| a.0.compare(&b.0).then_with(|| (a.1, &a.2).cmp(&(b.1, &b.2))));
        Ok(distinct(ranked.into_iter().map(|(_, _, levels)| self.at_numbers(&levels)).collect()))
    }

    /// From the values as they are to the top, at each step the direct successor that `measure` scores best, the first of
    /// equally good ones.
    fn best_chain(&self, measure: &dyn SearchMeasure) -> Result<Vec<SequenceFunction>> {
        let ground = self.ground()?;
        let (lattice, gauge) = (ground.lattice(), measure.gauge(&ground)?);
        let mut levels = lattice.bottom();
        let mut chain = vec![self.at_numbers(&levels)];
        loop {
            let next = (0..levels.len()).flat_map(|at| {
                let above = lattice.columns()[at].successors(levels[at]);
                let with = |&level: &u32| {
                    let mut next = levels.clone();
                    next[at] = level;
                    next
                };
                above.iter().map(with).collect::<Vec<GranulationLevels>>()
            });
            let scored = next.map(|next| (ground.score(gauge.as_ref(), &next), next));
            let Some((_, next)) = scored.min_by(|a, b| a.0.compare(&b.0)) else { break };
            chain.push(self.at_numbers(&next));
            levels = next;
        }
        Ok(distinct(chain))
    }

    fn at_numbers(&self, levels: &[u32]) -> SequenceFunction {
        self.at_levels(&levels.iter().map(|&level| level as usize).collect::<Vec<_>>())
    }
}

/// Leaves out functions whose groups are those of an earlier one.
fn distinct(functions: Vec<SequenceFunction>) -> Vec<SequenceFunction> {
    let mut seen = HashSet::new();
    functions.into_iter().filter(|function| seen.insert(function.labels.clone())).collect()
}

#[cfg(test)]
mod tests {
    use pellucid_inference::sequence::Sequence;
    use pellucid_model::axis::QuasiAxis;
    use pellucid_model::exact::Fraction;
    use pellucid_model::hierarchy::HierarchySpec;
    use pellucid_model::hierarchy::WidthIntervals;
    use pellucid_model::progress::ProgressWatch;
    use pellucid_model::table::{Column, ColumnDomain, Role};

    use super::*;

    /// Ages by decades and twenties, towns by region; the rows in any order.
    fn with_plan<T>(test: impl Fn(&PublisherInput<'_>, &[u32]) -> T) -> T {
        let ages = ColumnDomain::Integer(vec![21, 25, 34, 48]);
        let age = Column::new("age", Role::Quasi, ages, false, vec![0, 1, 2, 3, 0, 2]).unwrap();
        let towns = ColumnDomain::Category(["a", "b", "c"].map(str::to_owned).to_vec());
        let town = Column::new("town", Role::Quasi, towns, false, vec![0, 1, 2, 2, 0, 1]).unwrap();
        let widths = HierarchySpec::Widths(WidthIntervals::new(&["10", "20"], "0").unwrap());
        let widths = widths.build(&age, std::path::Path::new(".")).unwrap();
        let regions =
            HierarchySpec::from_value(serde_json::json!({ "tree": { "N": ["a", "b"], "S": ["c"] } })).unwrap();
        let regions = regions.build(&town, std::path::Path::new(".")).unwrap();
        let plan = PublisherInput {
            rows: 6,
            quasi: vec![(&age, QuasiAxis::new(&age, None)), (&town, QuasiAxis::new(&town, None))],
            hierarchies: vec![Some(&widths), Some(&regions)],
            identifiers: Vec::new(),
            goals: Vec::new(),
            suppression: Fraction::ZERO,
            explain: false,
            watch: ProgressWatch::default(),
        };
        test(&plan, &[3, 0, 5, 1, 4, 2])
    }

    fn levels(function: &SequenceFunction) -> Vec<usize> {
        function.granulation.grains().iter().map(ColumnGrain::level).collect()
    }

    #[test]
    fn a_chain_climbs_all_hierarchies_together() {
        with_plan(|plan, order| {
            let chain = list(&WrittenSequence::Chain, None, plan, order).unwrap();
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
            let lattice = list(&WrittenSequence::Lattice, None, plan, order).unwrap();
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
    fn a_measure_orders_the_lattice_and_chooses_a_chain() {
        with_plan(|plan, order| {
            for id in ["loss", "non-uniform-entropy", "precision", "height", "average-class-size", "ql"] {
                let measure = find(MEASURES, "measure", id).unwrap().make(&EntryArgs::new()).unwrap();
                let lattice = list(&WrittenSequence::Lattice, Some(measure.as_ref()), plan, order).unwrap();
                let chain = list(&WrittenSequence::Chain, Some(measure.as_ref()), plan, order).unwrap();
                let sequence =
                    Sequence::from_labels(6, lattice.iter().map(|one| one.labels.clone()).collect()).unwrap();
                sequence.check_order().unwrap();
                let sequence = Sequence::from_labels(6, chain.iter().map(|one| one.labels.clone()).collect()).unwrap();
                assert!((1..chain.len()).all(|step| sequence.refines(step, step + 1)), "{id}");
                assert_eq!((levels(&chain[0]), chain.last().unwrap().sizes().len()), (vec![0, 0], 1), "{id}");
            }
            let secure = find(MEASURES, "measure", "sf").unwrap().make(&EntryArgs::new()).unwrap();
            assert!(list(&WrittenSequence::Lattice, Some(secure.as_ref()), plan, order).is_err());
        });
    }

    #[test]
    fn columns_that_are_left_out_stay_as_they_are() {
        with_plan(|plan, order| {
            let written = WrittenSequence::parse(r#"[{"town":"top"},{"age":[20,30,50],"town":2}]"#).unwrap();
            let listed = list(&written, None, plan, order).unwrap();
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
