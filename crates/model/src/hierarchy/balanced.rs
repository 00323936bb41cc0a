//! Hierarchies by frequency: intervals with about equally many rows each, joined by a fixed number of neighbours.

use super::Hierarchy;
use super::cuts::balanced_ends;
use super::draft::{HierarchyDraft, LeafPartition};
use crate::error::{Error, Result};
use crate::notation::{interval, quoted, set};
use crate::table::{Column, ColumnDomain, ColumnType};
use crate::words::counted;

/// Cuts the ordered values of a column into groups with about equally many rows, and joins neighbouring groups.
///
/// Level 1 has as many groups as asked for, or else the largest power of the fan-out that is no more than half the number
/// of distinct values. Its row counts have the least sum of squares that is possible, as equal values are never parted.
/// Each higher level joins as many neighbouring groups of the level below as the fan-out says, the last of them what is
/// left; [`super::ANY`] joins everything. A level that would join nothing is left out. Words are ordered by their bytes.
///
/// A label is the interval from the first to the last value of the group that occurs, `[20, 29]`, for words the set of
/// them, `{blue, green}`; a group of one value is labelled by it. The rule depends on the whole table, so it cannot stand in a job file, which is
/// to state the complete mechanism: it makes files.
///
/// # Guarantee
/// The hierarchy is a function of the values and how often they occur, whatever the order of the rows.
///
/// # Cost
/// That of finding the cuts: `n log n` comparisons for each bit of the square of the number of rows, with `n` distinct values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BalancedGroups {
    fanout: usize,
    groups: Option<usize>,
}

impl BalancedGroups {
    /// Joins `fanout` neighbours on every level above the first.
    ///
    /// # Errors
    /// When `fanout` is below 2.
    pub fn new(fanout: usize) -> Result<Self> {
        if fanout < 2 {
            return Err(Error::bad_hierarchy(format!(
                "a level cannot join {fanout} neighbours; give a fan-out of at least 2"
            )));
        }
        Ok(Self { fanout, groups: None })
    }

    /// The same with this many groups on level 1, or one a value when there are fewer values.
    ///
    /// # Errors
    /// When `groups` is below 2.
    pub fn with_groups(mut self, groups: usize) -> Result<Self> {
        if groups < 2 {
            return Err(Error::bad_hierarchy(format!(
                "level 1 cannot have {}, as everything is joined above it; ask for at least 2",
                counted(groups, "group", "groups")
            )));
        }
        self.groups = Some(groups);
        Ok(self)
    }

    /// The hierarchy for `column`.
    ///
    /// # Errors
    /// None for a column of any type: the levels are nested by construction, and this is checked.
    pub fn build(&self, column: &Column) -> Result<Hierarchy> {
        let domain = column.domain();
        let values = domain.len();
        let groups = self.groups.unwrap_or_else(|| self.usual_groups(values));
        let mut ends: Vec<usize> = if groups < values {
            let histogram = column.histogram();
            let rows: Vec<u64> = (0..values as u32).map(|code| histogram.count(code)).collect();
            balanced_ends(&rows, groups)
        } else {
            (1..=values).collect()
        };
        let mut levels = Vec::new();
        while ends.len() > 1 {
            if ends.len() < values {
                levels.push(level(domain, &ends));
            }
            ends = ends.chunks(self.fanout).map(|joined| joined[joined.len() - 1]).collect();
        }
        HierarchyDraft::of_values(column, levels).nested(column)
    }

    /// The largest power of the fan-out that is at most half of `values`; 1 when there is no other.
    fn usual_groups(&self, values: usize) -> usize {
        let powers = std::iter::successors(Some(1_usize), |power| power.checked_mul(self.fanout));
        powers.take_while(|&power| power <= values / 2).last().unwrap_or(1)
    }
}

/// The level whose groups end before `ends`.
fn level(domain: &ColumnDomain, ends: &[usize]) -> LeafPartition {
    let mut partition =
        LeafPartition { blocks: Vec::with_capacity(domain.len()), labels: Vec::with_capacity(ends.len()) };
    let mut start = 0;
    for &end in ends {
        partition.blocks.resize(end, partition.labels.len() as u32);
        partition.labels.push(label(domain, start, end));
        start = end;
    }
    partition
}

/// The label of the values from `start` to below `end`.
fn label(domain: &ColumnDomain, start: usize, end: usize) -> String {
    let text = |at: usize| domain.text(at as u32);
    match domain.kind() {
        _ if end - start == 1 => quoted(&text(start)),
        ColumnType::Category => set(&(start..end).map(|at| quoted(&text(at))).collect::<Vec<String>>()),
        _ => interval(&text(start), &text(end - 1)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hierarchy::tests::labels;
    use crate::table::Role;

    /// A column in which value number `at` of `domain` stands in `rows[at]` rows.
    fn column(domain: ColumnDomain, rows: &[u64]) -> Column {
        let codes = rows.iter().enumerate().flat_map(|(at, &rows)| vec![at as u32; rows as usize]).collect();
        Column::new("age", Role::Quasi, domain, false, codes).unwrap()
    }

    fn build(fanout: usize, groups: usize, column: &Column) -> Hierarchy {
        BalancedGroups::new(fanout).unwrap().with_groups(groups).unwrap().build(column).unwrap()
    }

    #[test]
    fn intervals_have_equally_many_rows_and_neighbours_are_joined() {
        // 8 rows each: 20 and 21, 30, 40 to 42, 50.
        let ages = column(ColumnDomain::Integer(vec![20, 21, 30, 40, 41, 42, 50]), &[4, 4, 8, 2, 2, 4, 8]);
        let hierarchy = build(2, 4, &ages);
        assert_eq!(labels(&hierarchy, 1), ["[20, 21]", "30", "[40, 42]", "50"]);
        assert_eq!(labels(&hierarchy, 2), ["[20, 30]", "[40, 50]"]);
        assert_eq!(labels(&hierarchy, 3), ["*"]);
        assert_eq!(hierarchy.levels(), 4);
    }

    #[test]
    fn decimals_and_dates_are_labelled_by_values_that_occur() {
        let doses = column(ColumnDomain::Decimal { scale: 2, unscaled: vec![50, 125, 200, 201] }, &[1, 1, 1, 1]);
        assert_eq!(labels(&build(2, 2, &doses), 1), ["[0.5, 1.25]", "[2, 2.01]"]);
        let days = column(ColumnDomain::Date(vec![0, 1, 31, 32]), &[1, 1, 1, 1]);
        assert_eq!(labels(&build(2, 2, &days), 1), ["[1970-01-01, 1970-01-02]", "[1970-02-01, 1970-02-02]"]);
    }

    #[test]
    fn words_are_joined_to_sets_in_the_order_of_their_bytes() {
        let words = ["A, B", "blue", "green", "red"].map(str::to_owned).to_vec();
        let hierarchy = build(2, 3, &column(ColumnDomain::Category(words), &[2, 1, 1, 2]));
        assert_eq!(labels(&hierarchy, 1), ["\"A, B\"", "{blue, green}", "red"]);
        assert_eq!(labels(&hierarchy, 2), ["{\"A, B\", blue, green}", "red"]);
    }

    #[test]
    fn the_usual_number_of_groups_is_a_power_of_the_fan_out() {
        let usual = |fanout, values| BalancedGroups::new(fanout).unwrap().usual_groups(values);
        assert_eq!([usual(4, 72), usual(2, 72), usual(3, 72), usual(4, 8)], [16, 32, 27, 4]);
        assert_eq!([usual(4, 7), usual(4, 1), usual(4, 0), usual(usize::MAX, 9)], [1, 1, 1, 1]);
    }

    #[test]
    fn levels_that_would_join_nothing_are_left_out() {
        let ages = column(ColumnDomain::Integer(vec![1, 2, 3, 4]), &[1; 4]);
        // As many groups as values: level 1 joins pairs of values.
        assert_eq!(labels(&build(2, 9, &ages), 1), ["[1, 2]", "[3, 4]"]);
        assert_eq!(build(4, 9, &ages).levels(), 2);
        assert_eq!(BalancedGroups::new(4).unwrap().build(&ages).unwrap(), Hierarchy::flat(&ages));
        let empty = column(ColumnDomain::Integer(vec![]), &[]);
        assert_eq!(BalancedGroups::new(2).unwrap().build(&empty).unwrap(), Hierarchy::flat(&empty));
    }

    #[test]
    fn a_missing_cell_lies_in_no_interval_and_has_no_weight() {
        let ages =
            Column::new("age", Role::Quasi, ColumnDomain::Integer(vec![1, 2, 3, 4]), true, vec![0, 1, 2, 3, 4, 4])
                .unwrap();
        let hierarchy = build(2, 2, &ages);
        assert_eq!(labels(&hierarchy, 1), ["[1, 2]", "[3, 4]", "(missing)"]);
        assert_eq!(labels(&hierarchy, 2), ["*"]);
    }

    #[test]
    fn a_fan_out_or_a_number_of_groups_below_two_is_refused() {
        assert!(BalancedGroups::new(1).unwrap_err().to_string().contains("at least 2"));
        assert!(BalancedGroups::new(2).unwrap().with_groups(1).unwrap_err().to_string().contains("at least 2"));
    }

    proptest! {
        #[test]
        fn every_level_joins_the_asked_for_neighbours_and_no_order_of_rows_matters(
            rows in prop::collection::vec(1_u64..6, 0..40),
            fanout in 2_usize..6,
            groups in prop::option::of(2_usize..12),
            turn in any::<prop::sample::Index>(),
        ) {
            let values: Vec<i64> = (0..rows.len() as i64).map(|at| 3 * at - 20).collect();
            let ages = column(ColumnDomain::Integer(values.clone()), &rows);
            let rule = BalancedGroups { fanout, groups };
            let hierarchy = rule.build(&ages).unwrap();

            let mut codes: Vec<u32> = ages.codes().iter().collect();
            if !codes.is_empty() {
                let by = turn.index(codes.len());
                codes.rotate_left(by);
            }
            let turned = Column::new("age", Role::Quasi, ColumnDomain::Integer(values), false, codes).unwrap();
            prop_assert_eq!(&rule.build(&turned).unwrap(), &hierarchy);

            prop_assert_eq!(hierarchy.order(), (0..rows.len() as u32).collect::<Vec<u32>>());
            if groups.is_some_and(|groups| groups < rows.len()) {
                prop_assert_eq!(Some(hierarchy.nodes(1)), groups);
            }
            for level in 1..hierarchy.levels() {
                // Strictly coarser than the level below, by the fan-out from level 2 on.
                prop_assert!(hierarchy.nodes(level) < hierarchy.nodes(level - 1));
                if level > 1 {
                    prop_assert_eq!(hierarchy.nodes(level), hierarchy.nodes(level - 1).div_ceil(fanout));
                    for node in 0..hierarchy.nodes(level - 1) as u32 {
                        prop_assert_eq!(hierarchy.parent(level - 1, node), Some(node / fanout as u32));
                    }
                }
            }
            if !rows.is_empty() {
                prop_assert_eq!(hierarchy.nodes(hierarchy.top()), 1);
            }
        }
    }
}
