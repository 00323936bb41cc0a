//! Lines: groups in the order of what they show, and those that are shown alike as one class.

use rayon::prelude::*;

use super::{Exhibit, Reach, Scene, Sheet, Shown, plain_columns, sort_by_plain, values_of};
use crate::publish::Groups;
use crate::table::{Codes, Domain, Role};

/// What groups show of one quasi column.
#[derive(Debug)]
pub(super) struct Face {
    /// The distinct cells, in the order of lines.
    pub cells: Cells,
    /// By group the place of its cell.
    pub of_group: Vec<u32>,
}

/// Distinct cells.
#[derive(Debug)]
pub(super) enum Cells {
    /// Texts.
    Labels(Vec<String>),
    /// Values; the place after the last is a missing cell.
    Values(Domain),
}

/// One sheet with a line per row: classes in the order of their cells, column after column, and the rows of a class in the
/// order of the columns that are published as they are.
pub(super) fn arrange(scene: Scene<'_>, faces: Vec<Face>, reach: Reach) -> Exhibit {
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
    let mut classes = Groups::from_parts(row_of, ends);
    classes.each_mut(|rows| sort_by_plain(rows, &plain));
    let mut columns = Vec::new();
    let mut faces = faces.into_iter();
    for column in scene.table.columns() {
        let cells = match column.role() {
            Role::Quasi => {
                let Face { cells, of_group } = faces.next().expect("every quasi column has a face");
                let lines = first_groups.iter().zip(classes.iter());
                let lines = lines.flat_map(|(&group, rows)| std::iter::repeat_n(of_group[group as usize], rows.len()));
                let lines = lines.collect();
                match cells {
                    Cells::Labels(labels) => Shown::Labels { codes: Codes::narrow(lines, labels.len()), labels },
                    Cells::Values(domain) => Shown::Values { codes: Codes::narrow(lines, domain.len() + 1), domain },
                }
            }
            Role::Sensitive | Role::Keep => values_of(column, classes.members()),
            Role::Identifier | Role::Drop => continue,
        };
        columns.push((column.name().to_owned(), cells));
    }
    let sheet = Sheet { name: "data", columns, row_of: classes.members().to_vec() };
    Exhibit { sheets: vec![sheet], classes, reach, group_column: None }
}
