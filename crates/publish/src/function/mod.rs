//! Functions: how groups are shown to the public.
//!
//! A function turns groups into [`ReleasedTable`]s, the tables that are published. What it shows of a group depends on the
//! group's quasi-identifiers and its multiset of sensitive values only (definition 1 of Xiao, Tao and Koudas), and sheets
//! are canonical: rows are sorted by what is published, so that nothing tells in which order rows or groups came.

mod anatomy;
mod generalize;
mod lines;
mod microaggregation;
mod statistic;
mod support;

use std::fmt::Debug;

pub use statistic::lower_median;
pub use support::{CellSupport, ReleaseSupport};

use pellucid_model::error::Result;
use pellucid_model::granulation::{ColumnGrain, Granulation};
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::partition::Partition;
use pellucid_model::registry::RegistryEntry;
use pellucid_model::statistic::ColumnStatistic;
use pellucid_model::table::{Column, ReleasedColumn, Role, Table};

/// One published table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleasedTable {
    /// Its name, from which the file's name is made.
    pub name: &'static str,
    /// Its columns, by name.
    pub columns: Vec<(String, ReleasedColumn)>,
    /// For each line the row of the table that it shows; never published.
    pub row_of: Vec<u32>,
}

/// Everything a function makes of groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleasedTables {
    /// The published tables.
    pub sheets: Vec<ReleasedTable>,
    /// Rows that are published alike, as rows of the table: groups that show the same are one.
    pub classes: Partition,
    /// What a class spans.
    pub reach: SpanRule,
    /// The name of the column that numbers groups, when there is one.
    pub group_column: Option<String>,
}

/// Which groups a function may show as one class, so that how each came about is not told by what it shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinRule {
    /// None.
    Nothing,
    /// Those of people with equal quasi-identifiers.
    EqualPeople,
    /// Any that have the same labels or statistics.
    EqualCells,
}

/// What a class is taken to span of a quasi column when the cost of a release is measured.
///
/// What cells show implies the values of a class only where these span no more: a label or a mean may stand for other people's
/// values too, so what was lost would tell who is in the table and stays with the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanRule {
    /// The values of its own rows.
    Rows,
    /// All values under its label.
    Label,
    /// The values that were joined into what it shows: those with the same label in the whole table when groups were
    /// made by levels, otherwise those of its own rows.
    Joined,
}

/// What a function may look at.
#[derive(Debug, Clone, Copy)]
pub struct FunctionInput<'a> {
    /// With the values of every row, not yet generalized.
    pub table: &'a Table,
    /// By column of the table, its hierarchy.
    pub hierarchies: &'a [Option<Hierarchy>],
    /// The groups, as rows of the table.
    pub groups: &'a Partition,
    /// The level of every quasi column, when the groups were made by levels.
    pub granulation: Option<&'a Granulation>,
    /// By column of the table, the statistic that was asked for.
    pub statistics: &'a [Option<ColumnStatistic>],
}

impl<'a> FunctionInput<'a> {
    /// The columns of `role` with their hierarchies, in the order of the table.
    pub fn columns(&self, role: Role) -> impl Iterator<Item = (&'a Column, Option<&'a Hierarchy>)> + use<'a> {
        let (table, hierarchies) = (self.table, self.hierarchies);
        let pairs = table.columns().iter().zip(hierarchies);
        pairs.filter(move |(column, _)| column.role() == role).map(|(column, hierarchy)| (column, hierarchy.as_ref()))
    }

    /// The quasi columns with the statistic that stands for joined values, in the order of the table.
    pub fn aggregated(&self) -> impl Iterator<Item = (&'a Column, ColumnStatistic)> + use<'a> {
        let pairs = self.table.columns().iter().zip(self.statistics);
        pairs.filter(|(column, _)| column.role() == Role::Quasi).map(|(column, statistic)| {
            (column, statistic.unwrap_or_else(|| ColumnStatistic::usual(column.domain().kind())))
        })
    }

    /// The quasi columns with how their groups are labelled, in the order of the table; `None` without a hierarchy.
    pub fn labellings(&self) -> impl Iterator<Item = (&'a Column, Option<GroupLabelling<'a>>)> + use<'a> {
        let granulation = self.granulation;
        self.columns(Role::Quasi).enumerate().map(move |(at, (column, hierarchy))| {
            let level = granulation.map(|granulation| GroupLabelling::Level(granulation.grain(at)));
            (column, level.or_else(|| hierarchy.map(GroupLabelling::Lowest)))
        })
    }
}

/// How the groups of one quasi column are labelled.
#[derive(Debug, Clone, Copy)]
pub enum GroupLabelling<'a> {
    /// By the lowest label of the hierarchy that covers the group.
    Lowest(&'a Hierarchy),
    /// By the label of the level that made the groups.
    Level(&'a ColumnGrain),
}

impl<'a> GroupLabelling<'a> {
    /// The hierarchy that labels come from.
    pub fn hierarchy(self) -> &'a Hierarchy {
        match self {
            Self::Lowest(hierarchy) => hierarchy,
            Self::Level(grain) => grain.hierarchy(),
        }
    }

    /// The level and node that label a group of `codes`; `None` when there are none.
    pub fn node(self, codes: &[u32]) -> Option<(usize, u32)> {
        match self {
            Self::Lowest(hierarchy) => hierarchy.lowest_common_ancestor(codes.iter().copied()),
            Self::Level(grain) => {
                codes.first().map(|&code| (grain.level(), grain.hierarchy().node(grain.level(), code)))
            }
        }
    }
}

/// A way of showing groups.
pub trait Function: Debug + Send + Sync {
    /// Fails when the function cannot show these columns, whatever the groups are; not asked when groups bring their
    /// granulation along.
    fn accepts(&self, table: &Table, hierarchies: &[Option<Hierarchy>]) -> Result<()>;

    /// Which groups it may show as one class.
    fn joins(&self) -> JoinRule {
        JoinRule::EqualCells
    }

    /// Whether it shows statistics of quasi values.
    fn aggregates(&self) -> bool {
        false
    }

    /// Whether it shows quasi-identifiers as they are.
    fn shows_quasi(&self) -> bool {
        false
    }

    /// Shows the groups.
    fn show(&self, scene: FunctionInput<'_>) -> Result<ReleasedTables>;

    /// What somebody takes the cells of `exhibit`, which shows `scene`, for.
    fn spread(&self, scene: FunctionInput<'_>, exhibit: &ReleasedTables) -> ReleaseSupport;

    /// Whether what is shown of `class`, some rows of the table, leaves open that `row` is one of them.
    fn covers(&self, scene: FunctionInput<'_>, class: &[u32], row: u32) -> bool;
}

/// All functions.
pub static FUNCTIONS: &[RegistryEntry<dyn Function>] =
    &[generalize::MBR, generalize::HIERARCHY, anatomy::ENTRY, microaggregation::ENTRY];

/// The codes of `column` in the order of `rows`, in the column's own type.
fn values_of(column: &Column, rows: &[u32]) -> ReleasedColumn {
    // One more code than values, so that a missing cell has room whether or not there is one.
    ReleasedColumn::Values { domain: column.domain().clone(), codes: column.codes_of(rows, column.domain().len() + 1) }
}

/// The columns that are published as they are, in the order in which they settle ties between lines.
fn plain_columns(table: &Table) -> Vec<&Column> {
    table.with_role(Role::Sensitive).chain(table.with_role(Role::Keep)).collect()
}

/// Sorts `rows` by the plain columns, those that these do not tell apart by their number.
fn sort_by_plain(rows: &mut [u32], plain: &[&Column]) {
    let size = plain.iter().try_fold(1u32, |size, column| size.checked_mul(column.cardinality() as u32));
    if size.is_none() {
        rows.sort_unstable_by(|&a, &b| {
            let codes = |row: u32| plain.iter().map(move |column| column.code(row as usize));
            codes(a).cmp(codes(b)).then(a.cmp(&b))
        });
        return;
    }
    // The codes of a row as the digits of one number, and the row below it.
    let mut keyed: Vec<u64> = vec![0; rows.len()];
    for column in plain {
        column.append_digits(rows, &mut keyed);
    }
    keyed.iter_mut().zip(rows.iter()).for_each(|(key, &row)| *key = *key << 32 | u64::from(row));
    keyed.sort_unstable();
    rows.iter_mut().zip(keyed).for_each(|(row, key)| *row = key as u32);
}
