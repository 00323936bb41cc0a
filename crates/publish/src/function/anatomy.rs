//! Anatomy: quasi-identifiers as they are in one table, sensitive values in another, joined by a group number.
//!
//! Groups are numbered in the order of what is published of them: their sorted quasi vectors, then their sorted
//! sensitive values. Columns kept as they are go with the sensitive values.

use pellucid_model::claim::{CellForm, EntryClaim};
use pellucid_model::error::Result;
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::partition::Partition;
use pellucid_model::registry::{NO_PARAMETERS, ProofStatus, RegistryEntry};
use pellucid_model::table::{Column, ColumnCodes, ColumnDomain, Role, Table};

use super::{
    CellSupport, Function, FunctionInput, JoinRule, ReleaseSupport, ReleasedTable, ReleasedTables, SpanRule,
    plain_columns, sort_by_plain, values_of,
};
use pellucid_model::table::ReleasedColumn;

/// Anatomy.
pub const ENTRY: RegistryEntry<dyn Function> = RegistryEntry {
    id: "anatomy",
    summary: "two tables joined by group: exact quasi-identifiers, and sensitive values",
    reference: "Xiao, Tao: Anatomy, VLDB 2006",
    status: ProofStatus::Proven,
    claims: &[EntryClaim::Cells(CellForm::Anatomy)],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Anatomy)),
};

#[derive(Debug)]
struct Anatomy;

/// A group on its way to the sheets.
struct Section {
    /// What is published of it: codes of the quasi columns and of the plain columns, each sorted.
    shown: (Vec<u32>, Vec<u32>),
    /// Its rows in the order of their quasi vectors.
    by_quasi: Vec<u32>,
    /// Its rows in the order of their plain columns.
    by_plain: Vec<u32>,
}

impl Function for Anatomy {
    fn accepts(&self, _: &Table, _: &[Option<Hierarchy>]) -> Result<()> {
        Ok(())
    }

    fn joins(&self) -> JoinRule {
        JoinRule::Nothing
    }

    fn shows_quasi(&self) -> bool {
        true
    }

    fn show(&self, scene: FunctionInput<'_>) -> Result<ReleasedTables> {
        let table = scene.table;
        let quasi: Vec<&Column> = table.with_role(Role::Quasi).collect();
        let plain = plain_columns(table);
        let codes = |columns: &[&Column], rows: &[u32]| -> Vec<u32> {
            rows.iter().flat_map(|&row| columns.iter().map(move |column| column.code(row as usize))).collect()
        };
        let mut groups: Vec<Section> = scene
            .groups
            .iter()
            .map(|rows| {
                let (mut by_quasi, mut by_plain) = (rows.to_vec(), rows.to_vec());
                sort_by_plain(&mut by_quasi, &quasi);
                sort_by_plain(&mut by_plain, &plain);
                let shown = (codes(&quasi, &by_quasi), codes(&plain, &by_plain));
                Section { shown, by_quasi, by_plain }
            })
            .collect();
        groups.sort_unstable_by(|a, b| a.shown.cmp(&b.shown));
        let mut classes = Partition::default();
        let (mut by_quasi, mut by_plain, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for (number, group) in groups.iter().enumerate() {
            numbers.extend(std::iter::repeat_n(number as u32, group.by_quasi.len()));
            by_quasi.extend_from_slice(&group.by_quasi);
            by_plain.extend_from_slice(&group.by_plain);
            group.by_plain.iter().for_each(|&row| classes.push_row(row));
            classes.close();
        }
        let count = groups.len();
        drop(groups);
        let number_column = || {
            let domain = ColumnDomain::Integer((1..=count as i64).collect());
            ReleasedColumn::Values { domain, codes: ColumnCodes::narrow(numbers.clone(), count + 1) }
        };
        let taken = |name: &str| table.columns().iter().any(|column| column.name() == name);
        let mut group_column = String::from("group");
        while taken(&group_column) {
            group_column.push('_');
        }
        let sheet = |name, shown: &dyn Fn(&Column) -> bool, rows: Vec<u32>| {
            let mut columns = vec![(group_column.clone(), number_column())];
            for column in table.columns().iter().filter(|column| shown(column)) {
                columns.push((column.name().to_owned(), values_of(column, &rows)));
            }
            ReleasedTable { name, columns, row_of: rows }
        };
        let sheets = vec![
            sheet("quasi", &|column| column.role() == Role::Quasi, by_quasi),
            sheet("sensitive", &|column| matches!(column.role(), Role::Sensitive | Role::Keep), by_plain),
        ];
        Ok(ReleasedTables { sheets, classes, reach: SpanRule::Rows, group_column: Some(group_column) })
    }

    /// Quasi-identifiers are shown as they are, line by line.
    fn spread(&self, scene: FunctionInput<'_>, exhibit: &ReleasedTables) -> ReleaseSupport {
        let lines = exhibit.sheets.first().map_or(&[][..], |sheet| &sheet.row_of);
        let spread = |column: &Column| CellSupport {
            cells: (0..column.cardinality() as u32).map(|code| vec![code]).collect(),
            of: lines.iter().map(|&row| column.code(row as usize)).collect(),
        };
        ReleaseSupport { columns: scene.table.with_role(Role::Quasi).map(spread).collect(), by_line: true }
    }

    fn covers(&self, scene: FunctionInput<'_>, class: &[u32], row: u32) -> bool {
        let same = |other: u32| {
            let mut quasi = scene.table.with_role(Role::Quasi);
            quasi.all(|column| column.code(other as usize) == column.code(row as usize))
        };
        class.iter().any(|&other| same(other))
    }
}
