//! Utility: what a release costs, measured on what is published.
//!
//! Metrics look at [`ClassSpan`]s, the part of each quasi column that a class of rows published alike spans (see
//! [`SpanRule`]). They never look at sensitive values, and everything they say follows from groups and quasi-identifiers,
//! which the guarantee lets an adversary know.
//!
//! Rows that are left out of a release lose all that could be shown of them; each metric states what they count for, the
//! same as in the measures of [`crate::search`] where these have one of that name.

mod metrics;

use std::fmt::Debug;

use pellucid_model::axis::QuasiAxis;
use pellucid_model::claim::EntryClaim;
use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::granulation::ColumnGrain;
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::partition::Partition;
use pellucid_model::registry::RegistryEntry;
use pellucid_model::table::{Column, ColumnType, DistinctCodes, Role};
use rayon::prelude::*;

use crate::function::{FunctionInput, GroupLabelling, ReleasedTables, SpanRule};

/// What a class is shown to span of one quasi column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassSpan {
    /// Distance between the ends on the column's axis.
    pub extent: u128,
    /// Share of the column that is lost: 0 for a single value, 1 for the whole column, as `lost.0 / lost.1`.
    pub lost: (u64, u64),
}

/// One quasi column of a release: how wide the whole column is, and what each class spans.
#[derive(Debug, Clone)]
pub struct ColumnSpans {
    /// The column's name.
    pub name: String,
    /// Extent of the whole column.
    pub extent: u128,
    /// By class.
    pub covers: Vec<ClassSpan>,
}

/// What was lost of one quasi column; a row that is left out has lost all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnLoss {
    /// The column's name.
    pub column: String,
    /// The mean over rows of the share of the column's span that is lost.
    pub mean: Fraction,
    /// The largest such share of a row.
    pub highest: Fraction,
    /// Rows of which a single value is shown.
    pub intact: u64,
}

/// What metrics look at.
#[derive(Debug, Clone)]
pub struct MetricInput {
    /// Rows per class.
    pub sizes: Vec<u64>,
    /// By quasi column.
    pub columns: Vec<ColumnSpans>,
    /// Rows of the table that are in no class.
    pub left_out: u64,
}

impl MetricInput {
    /// The landscape of a release.
    pub fn new(scene: FunctionInput<'_>, exhibit: &ReleasedTables) -> Self {
        let sizes = exhibit.classes.iter().map(|rows| rows.len() as u64).collect();
        let columns = scene.columns(Role::Quasi).zip(scene.labellings()).enumerate().map(
            |(at, ((column, hierarchy), (_, labelling)))| {
                let order = hierarchy.map(Hierarchy::order);
                let axis = QuasiAxis::new(column, order.as_deref());
                let extent = whole(&axis);
                let labels = labelling.filter(|_| exhibit.reach == SpanRule::Label);
                let joined = scene.granulation.filter(|_| exhibit.reach == SpanRule::Joined);
                let of_codes = |codes: &[u32]| cover(column, labels, &axis, codes, extent);
                let joined = joined.map(|granulation| Joined::new(granulation.grain(at), of_codes));
                let classes = (0..exhibit.classes.len()).into_par_iter();
                let covers = if let Some(GroupLabelling::Level(grain)) = labels {
                    let (hierarchy, level) = (grain.hierarchy(), grain.level());
                    let nodes = (0..hierarchy.nodes(level) as u32).map(|node| hierarchy.codes(level, node));
                    let of_node: Vec<Option<ClassSpan>> =
                        nodes.map(|codes| codes.first().map(|&code| of_codes(&[code]))).collect();
                    // The label of a class is that of its smallest code.
                    let of_class = |class| {
                        let code = column.smallest(exhibit.classes.group(class)).expect("classes have rows");
                        of_node[hierarchy.node(level, code) as usize].expect("a node of a code has codes")
                    };
                    classes.map(of_class).collect()
                } else {
                    let of_class = |distinct: &mut DistinctCodes, class| {
                        let distinct = distinct.of(column, exhibit.classes.group(class));
                        joined.as_ref().map_or_else(|| of_codes(distinct), |joined| joined.cover(distinct, of_codes))
                    };
                    classes.map_init(DistinctCodes::default, of_class).collect()
                };
                ColumnSpans { name: column.name().to_owned(), extent, covers }
            },
        );
        let left_out = (scene.table.rows() - exhibit.classes.rows()) as u64;
        Self { sizes, columns: columns.collect(), left_out }
    }

    /// The landscape of groups of a table of `rows` rows, however they will be shown: each spans the values of its own rows.
    pub fn of_groups(quasi: &[(&Column, QuasiAxis)], groups: &Partition, rows: usize) -> Self {
        let columns = quasi.iter().map(|(column, axis)| {
            let extent = whole(axis);
            let of_group = |distinct: &mut DistinctCodes, group| {
                cover(column, None, axis, distinct.of(column, groups.group(group)), extent)
            };
            let covers = (0..groups.len()).into_par_iter().map_init(DistinctCodes::default, of_group).collect();
            ColumnSpans { name: column.name().to_owned(), extent, covers }
        });
        let sizes = groups.iter().map(|group| group.len() as u64).collect();
        Self { sizes, columns: columns.collect(), left_out: (rows - groups.rows()) as u64 }
    }

    /// The landscape of a table that is shown as it is, of whose rows so many as `sizes` says are alike.
    pub fn of_original(quasi: &[&Column], sizes: Vec<u64>) -> Self {
        let columns = quasi.iter().map(|column| {
            let extent = whole(&QuasiAxis::new(column, None));
            let covers = vec![ClassSpan { extent: 0, lost: (0, 1) }; sizes.len()];
            ColumnSpans { name: column.name().to_owned(), extent, covers }
        });
        Self { columns: columns.collect(), sizes, left_out: 0 }
    }

    /// By quasi column, what was lost.
    pub fn losses(&self) -> Vec<ColumnLoss> {
        let rows = self.rows();
        let of_column = |column: &ColumnSpans| {
            // One denominator for the whole column.
            let whole = column.covers.first().map_or(1, |cover| cover.lost.1);
            let covers = || column.covers.iter().zip(&self.sizes);
            let lost: u128 = covers().map(|(cover, &size)| u128::from(cover.lost.0) * u128::from(size)).sum();
            let mean = (fraction(lost, whole) + Fraction::from(self.left_out)) / Fraction::from(rows.max(1));
            let most = column.covers.iter().map(|cover| cover.lost.0).max().unwrap_or(0);
            let highest = if self.left_out > 0 { Fraction::ONE } else { fraction(most, whole) };
            let intact = covers().filter(|(cover, _)| cover.lost.0 == 0).map(|(_, size)| size).sum();
            ColumnLoss { column: column.name.clone(), mean, highest, intact }
        };
        self.columns.iter().map(of_column).collect()
    }

    /// Rows of the whole table.
    pub fn rows(&self) -> u64 {
        self.sizes.iter().sum::<u64>() + self.left_out
    }
}

/// The blocks of a grain with what each spans.
struct Joined {
    numbers: Vec<u32>,
    blocks: Vec<Vec<u32>>,
    covers: Vec<ClassSpan>,
}

impl Joined {
    fn new(grain: &ColumnGrain, of_codes: impl Fn(&[u32]) -> ClassSpan) -> Self {
        let blocks = grain.blocks();
        let covers = blocks.iter().map(|codes| of_codes(codes)).collect();
        Self { numbers: grain.numbers(), blocks, covers }
    }

    /// What the blocks of the codes `distinct` span together.
    fn cover(&self, distinct: &[u32], of_codes: impl Fn(&[u32]) -> ClassSpan) -> ClassSpan {
        let mut numbers: Vec<u32> = distinct.iter().map(|&code| self.numbers[code as usize]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        if let [number] = numbers[..] {
            return self.covers[number as usize];
        }
        let blocks = numbers.iter().flat_map(|&number| &self.blocks[number as usize]);
        let mut codes: Vec<u32> = blocks.copied().collect();
        codes.sort_unstable();
        of_codes(&codes)
    }
}

/// The extent of a whole axis.
fn whole(axis: &QuasiAxis) -> u128 {
    let positions = axis.positions();
    positions.last().zip(positions.first()).map_or(0, |(last, first)| last.abs_diff(*first))
}

/// What is lost by showing the codes `distinct` of `column` as one: by extent for numbers, by count for categories, by
/// leaves when labels are shown.
fn cover(
    column: &Column,
    labels: Option<GroupLabelling<'_>>,
    axis: &QuasiAxis,
    distinct: &[u32],
    whole: u128,
) -> ClassSpan {
    let place = |code: u32| axis.positions()[axis.rank(code) as usize];
    let span = |codes: &[u32]| {
        let places = codes.iter().map(|&code| place(code));
        places.clone().max().zip(places.min()).map_or(0, |(high, low)| high.abs_diff(low))
    };
    if let Some(labelling) = labels
        && let Some((level, node)) = labelling.node(distinct)
    {
        let hierarchy = labelling.hierarchy();
        let lost = (hierarchy.leaves(level, node) - 1, hierarchy.leaf_count().max(2) - 1);
        return ClassSpan { extent: span(hierarchy.codes(level, node)), lost };
    }
    let extent = span(distinct);
    let lost = if column.domain().kind() == ColumnType::Category {
        (distinct.len() as u64 - 1, column.cardinality().max(2) as u64 - 1)
    } else {
        scaled(extent, whole)
    };
    ClassSpan { extent, lost }
}

/// `part / whole` with both halved until they fit 64 bits; `0 / 1` for an empty whole.
fn scaled(mut part: u128, mut whole: u128) -> (u64, u64) {
    while whole > u128::from(u64::MAX) {
        part >>= 1;
        whole >>= 1;
    }
    (part as u64, (whole as u64).max(1))
}

/// What a metric says.
#[derive(Debug, Clone, PartialEq)]
pub enum MetricValue {
    /// One exact number.
    Number(Fraction),
    /// How often each size (lower end, upper end) occurs.
    Histogram(Vec<(u64, u64, u64)>),
}

/// A measure of what a release costs.
pub trait UtilityMetric: Debug + Send + Sync {
    /// The cost of a release with these classes, exactly.
    fn measure(&self, landscape: &MetricInput) -> MetricValue;

    /// Whether it looks at what classes span of columns, and not at their sizes alone.
    fn looks_at_spans(&self) -> bool;
}

/// All metrics.
pub static METRICS: &[RegistryEntry<dyn UtilityMetric>] =
    &[metrics::PERIMETER, metrics::DISCERNIBILITY, metrics::CERTAINTY_PENALTY, metrics::AVERAGE_SIZE, metrics::SIZES];

/// The ids of the metrics that are one number, in the order of [`METRICS`]; all are better the smaller they are.
pub const NUMBER_IDS: &[&str] = &number_ids::<{ numbers() }>();

/// The id of the metric that sums up what is lost.
pub fn summary_id() -> &'static str {
    let summary = METRICS.iter().find(|entry| entry.claims(EntryClaim::Summary));
    summary.map_or("", |entry| entry.id)
}

/// Whether the metric `at` is one number.
const fn is_number(at: usize) -> bool {
    let claims = METRICS[at].claims;
    let mut next = 0;
    while next < claims.len() {
        if matches!(claims[next], EntryClaim::Number) {
            return true;
        }
        next += 1;
    }
    false
}

/// How many metrics are one number.
const fn numbers() -> usize {
    let (mut at, mut numbers) = (0, 0);
    while at < METRICS.len() {
        numbers += is_number(at) as usize;
        at += 1;
    }
    numbers
}

const fn number_ids<const N: usize>() -> [&'static str; N] {
    let (mut at, mut found, mut ids) = (0, 0, [""; N]);
    while at < METRICS.len() {
        if is_number(at) {
            ids[found] = METRICS[at].id;
            found += 1;
        }
        at += 1;
    }
    ids
}

#[cfg(test)]
mod tests {
    use pellucid_model::registry::EntryArgs;
    use pellucid_model::table::ColumnDomain;

    use super::*;

    fn column() -> Column {
        Column::new("age", Role::Quasi, ColumnDomain::Integer(vec![20, 30, 60]), false, vec![0, 1, 2, 2]).unwrap()
    }

    #[test]
    fn ids_of_numbers_are_those_of_the_registry() {
        let column = column();
        let quasi = [(&column, QuasiAxis::new(&column, None))];
        let landscape = MetricInput::of_groups(&quasi, &Partition::single(vec![0, 1, 2, 3]), 4);
        let is_number = |entry: &&RegistryEntry<dyn UtilityMetric>| {
            matches!(entry.make(&EntryArgs::new()).unwrap().measure(&landscape), MetricValue::Number(_))
        };
        let numbers: Vec<&str> = METRICS.iter().filter(is_number).map(|entry| entry.id).collect();
        assert_eq!(numbers, NUMBER_IDS);
        assert_eq!(METRICS.iter().filter(|entry| entry.claims(EntryClaim::Summary)).count(), 1);
    }

    #[test]
    fn groups_span_the_values_of_their_rows() {
        let column = column();
        let quasi = [(&column, QuasiAxis::new(&column, None))];
        let landscape = MetricInput::of_groups(&quasi, &Partition::from_parts(vec![0, 1, 2], vec![2, 3]), 4);
        assert_eq!((landscape.sizes.as_slice(), landscape.left_out, landscape.rows()), (&[2, 1][..], 1, 4));
        let spans = &landscape.columns[0];
        assert_eq!((spans.extent, spans.covers[0].extent, spans.covers[1].extent), (40, 10, 0));
        assert_eq!(spans.covers[0].lost, (10, 40));
    }

    #[test]
    fn a_column_loses_what_its_classes_span() {
        let column = column();
        let quasi = [(&column, QuasiAxis::new(&column, None))];
        let loss = |groups: Partition| MetricInput::of_groups(&quasi, &groups, 4).losses().remove(0);
        let complete = loss(Partition::from_parts(vec![0, 1, 2, 3], vec![2, 4]));
        // Two of four rows lose 10 of 40.
        assert_eq!((complete.mean, complete.highest, complete.intact), (fraction(1, 8u8), fraction(1, 4u8), 2));
        let partly = loss(Partition::from_parts(vec![0, 1, 2], vec![2, 3]));
        assert_eq!((partly.mean, partly.highest, partly.intact), (fraction(3, 8u8), Fraction::ONE, 1));
    }
}
