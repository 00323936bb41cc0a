//! Lines: groups in the order of what they show, and those that are shown alike as one class.

use pellucid_model::partition::Partition;
use pellucid_model::table::{ColumnCodes, ColumnDomain, Role};
use rayon::prelude::*;

use super::{FunctionInput, ReleasedTable, ReleasedTables, SpanRule, plain_columns, sort_by_plain, values_of};
use pellucid_model::table::ReleasedColumn;

/// What groups show of one quasi column.
#[derive(Debug)]
pub(super) struct GroupCells {
    /// The distinct cells, in the order of lines.
    pub cells: DistinctCells,
    /// By group the place of its cell.
    pub of_group: Vec<u32>,
}

impl GroupCells {
    /// The cells of all lines, in classes that show what their first groups do.
    fn lines(self, first_groups: &[u32], classes: &Partition) -> ReleasedColumn {
        let bound = match &self.cells {
            DistinctCells::Labels(labels) => labels.len(),
            DistinctCells::Values(domain) => domain.len() + 1,
        };
        let classes = first_groups.iter().map(|&group| self.of_group[group as usize]).zip(classes.iter());
        let mut codes = ColumnCodes::collect(std::iter::empty(), bound);
        match &mut codes {
            ColumnCodes::U8(codes) => {
                classes.for_each(|(code, rows)| codes.resize(codes.len() + rows.len(), code as u8));
            }
            ColumnCodes::U16(codes) => {
                classes.for_each(|(code, rows)| codes.resize(codes.len() + rows.len(), code as u16));
            }
            ColumnCodes::U32(codes) => classes.for_each(|(code, rows)| codes.resize(codes.len() + rows.len(), code)),
        }
        match self.cells {
            DistinctCells::Labels(labels) => ReleasedColumn::Labels { labels, codes },
            DistinctCells::Values(domain) => ReleasedColumn::Values { domain, codes },
        }
    }
}

/// Distinct cells.
#[derive(Debug)]
pub(super) enum DistinctCells {
    /// Texts.
    Labels(Vec<String>),
    /// Values; the place after the last is a missing cell.
    Values(ColumnDomain),
}

/// One sheet with a line per row: classes in the order of their cells, column after column, and the rows of a class in the
/// order of the columns that are published as they are.
pub(super) fn arrange(scene: FunctionInput<'_>, faces: Vec<GroupCells>, reach: SpanRule) -> ReleasedTables {
    let mut order: Vec<u32> = (0..scene.groups.len() as u32).collect();
    let of_group = |group: u32| faces.iter().map(move |face| face.of_group[group as usize]);
    order.par_sort_unstable_by(|&a, &b| of_group(a).cmp(of_group(b)));
    let plain = plain_columns(scene.table);
    let mut row_of: Vec<u32> = Vec::with_capacity(scene.groups.rows());
    let mut first_groups: Vec<u32> = Vec::new();
    let mut ends = Vec::new();
    for alike in order.chunk_by(|&a, &b| of_group(a).eq(of_group(b))) {
        row_of.extend(alike.iter().flat_map(|&group| scene.groups.group(group as usize)));
        ends.push(row_of.len() as u32);
        first_groups.push(alike[0]);
    }
    let mut classes = Partition::from_parts(row_of, ends);
    if !plain.is_empty() {
        classes.each_mut(|rows| sort_by_plain(rows, &plain));
    }
    let mut faces = faces.into_iter();
    let mut published = Vec::new();
    for column in scene.table.columns() {
        match column.role() {
            Role::Quasi => published.push((column, Some(faces.next().expect("every quasi column has a face")))),
            Role::Sensitive | Role::Keep => published.push((column, None)),
            Role::Identifier | Role::Drop => (),
        }
    }
    let columns = published.into_par_iter().map(|(column, face)| {
        let cells =
            face.map_or_else(|| values_of(column, classes.members()), |face| face.lines(&first_groups, &classes));
        (column.name().to_owned(), cells)
    });
    let columns = columns.collect();
    let sheet = ReleasedTable { name: "data", columns, row_of: classes.members().to_vec() };
    ReleasedTables { sheets: vec![sheet], classes, reach, group_column: None }
}
