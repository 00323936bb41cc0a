//! Microaggregation: every quasi value is replaced by a statistic of the values that are joined with it.
//!
//! Groups made by the levels of a granulation join, column by column, all values of the table that have the same label;
//! other groups join the values of their own rows.

use pellucid_model::claim::{CellForm, EntryClaim};
use pellucid_model::error::Result;
use pellucid_model::granulation::ColumnGrain;
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::histogram::Histogram;
use pellucid_model::partition::Partition;
use pellucid_model::registry::{NO_PARAMETERS, ProofStatus, RegistryEntry};
use pellucid_model::table::{Column, Role, Table};
use rayon::prelude::*;

use super::lines::{DistinctCells, GroupCells, arrange};
use super::statistic::ColumnSummary;
use super::support::{cells_of_classes, nearest};
use super::{CellSupport, Function, FunctionInput, ReleaseSupport, ReleasedTables, SpanRule};
use pellucid_model::table::ReleasedColumn;

/// Microaggregation.
///
/// # Guarantee
/// What a group shows follows from groups and quasi-identifiers. A statistic can be the same for several groups; these
/// are one class, and belief about its rows is a mixture of what belief about the groups would be.
pub const ENTRY: RegistryEntry<dyn Function> = RegistryEntry {
    id: "microaggregation",
    summary: "the mean, median or mode of the values that are joined",
    reference: "Domingo-Ferrer, Mateo-Sanz: Practical Data-Oriented Microaggregation for Statistical Disclosure Control, \
                IEEE TKDE 14(1), 2002",
    status: ProofStatus::Proven,
    claims: &[EntryClaim::Cells(CellForm::Statistics)],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Microaggregation)),
};

#[derive(Debug)]
struct Microaggregation;

impl Function for Microaggregation {
    fn accepts(&self, _: &Table, _: &[Option<Hierarchy>]) -> Result<()> {
        Ok(())
    }

    fn aggregates(&self) -> bool {
        true
    }

    fn show(&self, scene: FunctionInput<'_>) -> Result<ReleasedTables> {
        let quasi: Vec<_> = scene.aggregated().enumerate().collect();
        let faces = quasi.par_iter().map(|&(at, (column, statistic))| {
            let summary = ColumnSummary::new(column, statistic)?;
            let shown = match scene.granulation {
                Some(granulation) => by_block(&summary, column, granulation.grain(at), scene.groups),
                None => by_group(&summary, column, scene.groups),
            };
            Ok(face(&summary, &shown))
        });
        Ok(arrange(scene, faces.collect::<Result<_>>()?, SpanRule::Joined))
    }

    /// A statistic stands for the value of the column that is nearest to it.
    fn spread(&self, scene: FunctionInput<'_>, exhibit: &ReleasedTables) -> ReleaseSupport {
        let spread = |column: &Column| {
            let (shown, cells) = cells_of_classes(exhibit, column.name());
            let ReleasedColumn::Values { domain, .. } = shown else { unreachable!("microaggregation shows values") };
            CellSupport::collect(cells, |&cell| nearest(column, domain, cell).into_iter().collect())
        };
        ReleaseSupport { columns: scene.table.with_role(Role::Quasi).map(spread).collect(), by_line: false }
    }

    /// A statistic does not bound the values that it stands for: only with levels it is known whom it may stand for.
    fn covers(&self, scene: FunctionInput<'_>, class: &[u32], row: u32) -> bool {
        let Some(granulation) = scene.granulation else { return true };
        scene.columns(Role::Quasi).zip(granulation.grains()).all(|((column, _), grain)| {
            let numbers = grain.numbers();
            let number = |row: u32| numbers[column.code(row as usize) as usize];
            number(class[0]) == number(row)
        })
    }
}

/// By group, the statistic of its rows.
fn by_group(summary: &ColumnSummary<'_>, column: &Column, groups: &Partition) -> Vec<Option<i128>> {
    let of_group = |group| {
        let rows = groups.group(group).iter();
        summary.of(Histogram::of(rows.map(|&row| column.code(row as usize))).entries())
    };
    (0..groups.len()).into_par_iter().map(of_group).collect()
}

/// By group, the statistic of all rows that have its label.
fn by_block(
    summary: &ColumnSummary<'_>,
    column: &Column,
    grain: &ColumnGrain,
    groups: &Partition,
) -> Vec<Option<i128>> {
    let numbers = grain.numbers();
    let mut blocks: Vec<Vec<(u32, u64)>> = Vec::new();
    for &(code, count) in column.histogram().entries() {
        let block = numbers[code as usize] as usize;
        if blocks.len() <= block {
            blocks.resize(block + 1, Vec::new());
        }
        blocks[block].push((code, count));
    }
    let shown: Vec<Option<i128>> = blocks.iter().map(|block| summary.of(block)).collect();
    groups.iter().map(|rows| shown[numbers[column.code(rows[0] as usize) as usize] as usize]).collect()
}

/// The cells of groups that show `keys`; a missing one comes last.
fn face(summary: &ColumnSummary<'_>, keys: &[Option<i128>]) -> GroupCells {
    let mut distinct: Vec<i128> = keys.iter().copied().flatten().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let place = |key: &i128| distinct.binary_search(key).unwrap_or_else(|after| after);
    let of_group = keys.iter().map(|key| key.as_ref().map_or(distinct.len(), place) as u32).collect();
    GroupCells { cells: DistinctCells::Values(summary.domain(&distinct)), of_group }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use pellucid_model::granulation::Granulation;
    use pellucid_model::hierarchy::HierarchySpec;
    use pellucid_model::table::coder::ColumnCoder;
    use pellucid_model::table::schema::{ColumnSpec, OnMissing, TableSchema};
    use pellucid_model::table::{ColumnType, Role};
    use serde_json::{Value, json};

    use super::*;
    use crate::utility::MetricInput;
    use pellucid_model::statistic::ColumnStatistic;

    /// A column of cells, `?` being missing.
    fn column(name: &str, role: Role, kind: ColumnType, cells: &[&str]) -> Column {
        let schema = TableSchema::default().with_missing(["?".to_owned()]).with_on_missing(OnMissing::Category);
        let mut coder = ColumnCoder::new(&schema, &ColumnSpec::new(name, role).with_kind(kind), kind);
        cells.iter().for_each(|cell| coder.push_text(cell).unwrap());
        coder.finish().unwrap()
    }

    /// The running example of attribute-oriented granulation; the sensitive column is health.
    fn running_example() -> Table {
        let born = "1956-09-24 1956-09-06 1956-09-30 1956-03-23 1956-03-18 1956-03-05 1955-04-20 1955-04-18 1955-04-09 \
                    1955-04-01 1955-04-23";
        let zip = "24126 24129 24133 10427 10431 10466 26015 26032 26617 26628 26328";
        let height = "161 167 163 160 165 168 175 170 173 171 176";
        let cells = |text: &'static str| text.split_whitespace().collect::<Vec<_>>();
        Table::new(vec![
            column("born", Role::Quasi, ColumnType::Date, &cells(born)),
            column("zip", Role::Quasi, ColumnType::Category, &cells(zip)),
            column("height", Role::Quasi, ColumnType::Integer, &cells(height)),
            column("health", Role::Sensitive, ColumnType::Integer, &cells("1 1 1 0 2 2 2 1 0 0 0")),
        ])
        .unwrap()
    }

    fn groups(groups: &[&[u32]]) -> Partition {
        let mut made = Partition::default();
        for group in groups {
            group.iter().for_each(|&row| made.push_row(row));
            made.close();
        }
        made
    }

    fn grain(column: &Column, hierarchy: Value, level: usize) -> ColumnGrain {
        let spec = HierarchySpec::from_value(hierarchy).unwrap();
        ColumnGrain::new(Arc::new(spec.build(column, Path::new(".")).unwrap()), level)
    }

    /// The lines of the only sheet, cells joined by blanks.
    fn lines(exhibit: &ReleasedTables) -> Vec<String> {
        let sheet = &exhibit.sheets[0];
        let line = |line: usize| -> String {
            let cells: Vec<String> = sheet.columns.iter().map(|(_, shown)| shown.text(line)).collect();
            cells.join(" ")
        };
        (0..sheet.row_of.len()).map(line).collect()
    }

    const MEDIANS: [Option<ColumnStatistic>; 4] = [None, Some(ColumnStatistic::Median), None, None];

    fn show(
        table: &Table,
        groups: &Partition,
        granulation: Option<&Granulation>,
        statistics: &[Option<ColumnStatistic>],
    ) -> (ReleasedTables, MetricInput) {
        let hierarchies = vec![None; table.columns().len()];
        let scene = FunctionInput { table, hierarchies: &hierarchies, groups, granulation, statistics };
        let exhibit = Microaggregation.show(scene).unwrap();
        let landscape = MetricInput::new(scene, &exhibit);
        (exhibit, landscape)
    }

    #[test]
    fn the_running_example_is_shown_by_the_blocks_of_each_column() {
        let table = running_example();
        let quasi = table.columns();
        let granulation = Granulation::new(vec![
            grain(&quasi[0], json!({ "truncate": ["month", "year"] }), 1),
            grain(&quasi[1], json!({ "mask": "suffix" }), 3),
            grain(&quasi[2], json!({ "widths": [5, 10, 20] }), 2),
        ]);
        let made = groups(&[&[0, 1, 2], &[3, 4, 5], &[6, 7, 8, 9, 10]]);
        let (exhibit, landscape) = show(&table, &made, Some(&granulation), &MEDIANS);
        // The median of 26015, 26032, 26328, 26617, 26628 is 26328.
        let last = ["0", "0", "0", "1", "2"].map(|health| format!("1955-04-18 26328 173 {health}"));
        let middle = ["0", "2", "2"].map(|health| format!("1956-03-18 10431 164 {health}"));
        let first = ["1", "1", "1"].map(|health| format!("1956-09-24 24129 164 {health}"));
        assert_eq!(lines(&exhibit), [&last[..], &middle, &first].concat());
        assert_eq!(exhibit.classes.len(), 3);
        // Heights 170 to 176, and for both other classes 160 to 168.
        assert_eq!(landscape.columns[2].covers.iter().map(|cover| cover.extent).collect::<Vec<_>>(), [6, 8, 8]);
        // Of 11 words, 5, 3 and 3 are joined.
        assert_eq!(
            landscape.columns[1].covers.iter().map(|cover| cover.lost).collect::<Vec<_>>(),
            [(4, 10), (2, 10), (2, 10)]
        );
    }

    #[test]
    fn groups_without_levels_join_their_own_rows() {
        let table = running_example();
        let made = groups(&[&[0, 1, 2], &[3, 4, 5], &[6, 7, 8, 9, 10]]);
        let (exhibit, landscape) = show(&table, &made, None, &MEDIANS);
        // (161 + 167 + 163) / 3 = 491/3 and (160 + 165 + 168) / 3 = 493/3.
        assert_eq!(lines(&exhibit)[8], "1956-09-24 24129 163.666667 1");
        assert_eq!(lines(&exhibit)[5], "1956-03-18 10431 164.333333 0");
        assert_eq!(landscape.columns[2].covers.iter().map(|cover| cover.extent).collect::<Vec<_>>(), [6, 8, 6]);
    }

    #[test]
    fn groups_that_are_shown_alike_are_one_class() {
        // The means of 1, 9 and of 4, 6 are the same.
        let table = Table::new(vec![
            column("age", Role::Quasi, ColumnType::Integer, &["1", "4", "6", "9", "2"]),
            column("ill", Role::Sensitive, ColumnType::Category, &["b", "a", "b", "a", "a"]),
        ])
        .unwrap();
        let made = groups(&[&[0, 3], &[1, 2], &[4]]);
        let (exhibit, landscape) = show(&table, &made, None, &[None, None]);
        assert_eq!(lines(&exhibit), ["2 a", "5 a", "5 a", "5 b", "5 b"]);
        assert_eq!(exhibit.classes.iter().map(<[u32]>::len).collect::<Vec<_>>(), [1, 4]);
        // Together they span 1 to 9.
        assert_eq!(landscape.columns[0].covers.iter().map(|cover| cover.extent).collect::<Vec<_>>(), [0, 8]);
        // The same by levels that are not intervals: X joins 1 and 9, Y joins 4 and 6.
        let tree = json!({ "tree": { "X": ["1", "9"], "Y": ["4", "6"], "Z": ["2"] } });
        let granulation = Granulation::new(vec![grain(&table.columns()[0], tree, 1)]);
        let (levelled, spans) = show(&table, &made, Some(&granulation), &[None, None]);
        assert_eq!(levelled, exhibit);
        assert_eq!(spans.columns[0].covers, landscape.columns[0].covers);
    }

    #[test]
    fn missing_cells_count_only_where_there_is_nothing_else() {
        let table = Table::new(vec![
            column("age", Role::Quasi, ColumnType::Integer, &["?", "4", "6", "?", "?"]),
            column("town", Role::Quasi, ColumnType::Category, &["?", "b", "a", "b", "b"]),
        ])
        .unwrap();
        let (exhibit, _) = show(&table, &groups(&[&[3, 4], &[0, 1, 2]]), None, &[None, None]);
        assert_eq!(lines(&exhibit), ["5 a", "5 a", "5 a", "(missing) b", "(missing) b"]);
    }

    #[test]
    fn only_values_that_are_shown_are_in_the_domain() {
        let table = running_example();
        let made = groups(&[&[0, 1, 2], &[3, 4, 5, 6, 7, 8, 9, 10]]);
        let (exhibit, _) = show(&table, &made, None, &[None; 4]);
        for (_, shown) in &exhibit.sheets[0].columns[..3] {
            let ReleasedColumn::Values { domain, .. } = shown else { panic!("values are shown") };
            assert_eq!(domain.len(), 2);
        }
    }
}
