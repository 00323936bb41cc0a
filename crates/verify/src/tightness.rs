//! Whether released cells are as tight as they claim: nothing wider than what the class has in common, and nothing but
//! the statistic of what it joins.

use std::collections::BTreeMap;

use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::table::{Column, ColumnType};

use crate::cells::{CellCover, QuasiCells};
use crate::claim::ReleaseForm;
use crate::number::NumberBuckets;
use crate::report::{VerificationReport, are, counted};
use crate::source::{QuasiComparison, SourceComparison};
use crate::statistics;

/// Checks the cells of every class against the rows of the class.
pub(crate) fn check(case: &SourceComparison<'_>, class_of_row: Option<&[u32]>, report: &mut VerificationReport) {
    if case.claim.form == ReleaseForm::Statistics {
        statistics::check(case, class_of_row, report);
        return;
    }
    let QuasiComparison::Cells(cells, hierarchies) = &case.quasi else {
        report.skip(&["tightness"], "quasi values are released as they are");
        return;
    };
    if case.claim.form == ReleaseForm::Foreign {
        report.skip(&["tightness"], "not claimed by a table of another tool");
        return;
    }
    let Some(class_of_row) = class_of_row else {
        report.skip(&["tightness"], "it is not known which rows a class has; pass the assignment");
        return;
    };
    let shown = case.shown;
    let classes = shown.classes;
    let members = NumberBuckets::new(class_of_row, classes);
    let lines = NumberBuckets::new(shown.quasi_class(), classes);
    let (mut failing, mut first) = (0u64, None);
    for (at, raw) in shown.quasi_columns().into_iter().enumerate() {
        for class in 0..classes {
            let (Some(&line), rows) = (lines.get(class).first(), members.get(class)) else { continue };
            let cell = raw.code(line as usize);
            let column = case.columns[at];
            let tight = match (&hierarchies[at], &case.claim.levels) {
                (Some(hierarchy), Some(levels)) => {
                    is_label_of(hierarchy, levels.of(at), column, rows, raw.cell(line as usize))
                }
                (Some(hierarchy), None) => is_lowest_label(hierarchy, column, rows, raw.cell(line as usize)),
                (None, _) => cells[at].covers[cell as usize] == tightest(&cells[at], column, rows),
            };
            if !tight {
                failing += 1;
                first.get_or_insert_with(|| {
                    let (file, name) = (&shown.quasi_sheet().file, raw.name());
                    format!("class {} (`{file}`, line {}, column `{name}`)", class + 1, line + 1)
                });
            }
        }
    }
    let many = classes * case.columns.len();
    let cells = counted(many, "cell", "cells");
    report.settle(
        "tightness",
        match first {
            None => {
                let (of, are) = (counted(classes, "class", "classes"), are(many));
                Ok(format!("{cells} of {of} {are} as tight as can be"))
            }
            Some(first) => {
                Err(format!("{failing} of {cells} {} not what their rows have in common; first {first}", are(failing)))
            }
        },
    );
}

/// The interval or the set of the values of `rows`.
pub(crate) fn tightest(cells: &QuasiCells, column: &Column, rows: &[u32]) -> CellCover {
    let mut ranks: Vec<Option<u32>> = rows.iter().map(|&row| cells.rank(column.code(row as usize))).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let missing = ranks.first() == Some(&None);
    let present: Vec<u32> = ranks.into_iter().flatten().collect();
    let spans = match (present.as_slice(), column.domain().kind()) {
        (_, ColumnType::Category) => present.iter().map(|&rank| (rank, rank)).collect(),
        ([], _) => Vec::new(),
        ([low, ..], _) => vec![(*low, present[present.len() - 1])],
    };
    CellCover::Spans(spans, missing)
}

/// Whether `label` is that of all `rows` on `level`.
fn is_label_of(hierarchy: &Hierarchy, level: usize, column: &Column, rows: &[u32], label: &str) -> bool {
    let shown = |row: &u32| hierarchy.label(level, hierarchy.node(level, column.code(*row as usize)));
    level <= hierarchy.top() && rows.iter().all(|row| shown(row) == label)
}

/// Whether `label` is the lowest one that covers all `rows`.
///
/// Several nodes may bear it, and classes that show different ones are one class to the public: `label` must be the
/// lowest of the rows under each.
fn is_lowest_label(hierarchy: &Hierarchy, column: &Column, rows: &[u32], label: &str) -> bool {
    let lowest = |codes: &[u32]| {
        let common = hierarchy.lowest_common_ancestor(codes.iter().copied());
        common.is_some_and(|(level, node)| hierarchy.label(level, node) == label)
    };
    let mut codes: Vec<u32> = rows.iter().map(|&row| column.code(row as usize)).collect();
    codes.sort_unstable();
    codes.dedup();
    if lowest(&codes) {
        return true;
    }
    let bearer = |code: u32| {
        let nodes = (0..hierarchy.levels()).rev().map(|level| (level, hierarchy.node(level, code)));
        nodes.into_iter().find(|&(level, node)| hierarchy.label(level, node) == label)
    };
    let mut parts: BTreeMap<(usize, u32), Vec<u32>> = BTreeMap::new();
    for code in codes {
        let Some(node) = bearer(code) else { return false };
        parts.entry(node).or_default().push(code);
    }
    parts.values().all(|part| lowest(part))
}
