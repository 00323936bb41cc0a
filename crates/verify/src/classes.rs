//! The order of classes, and the bytes of tables: both follow from what is shown, so that neither can carry a message.
//!
//! Boxes and the groups of anatomy have one order, which is recomputed. The place of a label in its hierarchy needs values that a
//! release does not show; of labels it is checked that some order of each column's labels explains the order of classes.

use std::collections::BTreeSet;

use pellucid_model::table::ColumnType;

use crate::cells::{CellCover, QuasiCells};
use crate::claim::{ReleaseClaim, ReleaseForm};
use crate::exact::ExactColumn;
use crate::number::NumberBuckets;
use crate::shown::{ClassedTables, LineTable};

/// Stands for a missing cell, which comes after all values.
const MISSING: u32 = u32::MAX;

/// Checks that classes are in the order of what they show; `covers` are the quasi cells of boxes.
pub(crate) fn check(
    claim: &ReleaseClaim,
    shown: &ClassedTables,
    covers: &[QuasiCells],
    (quasi, plain): (&[ExactColumn], &[ExactColumn]),
) -> Result<(), String> {
    match claim.form {
        ReleaseForm::Boxes => check_boxes(claim, shown, covers),
        ReleaseForm::Labels => check_labels(shown),
        ReleaseForm::Anatomy => check_groups(shown, quasi, plain),
        // Lines are in one order there, and are checked as such.
        ReleaseForm::Statistics | ReleaseForm::Foreign => Ok(()),
    }
}

fn out_of_order(sheet: &LineTable, line: usize, class: usize) -> String {
    format!("`{}`, line {}: class {} comes before the class above it", sheet.file, sheet.number(line), class + 1)
}

/// The first line of every class.
fn first_lines(shown: &ClassedTables) -> Vec<usize> {
    let mut lines = Vec::with_capacity(shown.classes);
    for (line, &class) in shown.quasi_class().iter().enumerate() {
        if class as usize == lines.len() {
            lines.push(line);
        }
    }
    lines
}

fn check_boxes(claim: &ReleaseClaim, shown: &ClassedTables, covers: &[QuasiCells]) -> Result<(), String> {
    let keys: Vec<Vec<Vec<u32>>> = claim
        .quasi()
        .zip(covers)
        .map(|(column, cells)| cells.covers.iter().map(|cover| key(column.kind, cover)).collect())
        .collect();
    let columns = shown.quasi_columns();
    let of_line = |line: usize| columns.iter().zip(&keys).map(move |(raw, keys)| &keys[raw.code(line) as usize]);
    let lines = first_lines(shown);
    let wrong = (1..lines.len()).find(|&class| of_line(lines[class]).lt(of_line(lines[class - 1])));
    wrong.map_or(Ok(()), |class| Err(out_of_order(shown.quasi_sheet(), lines[class], class)))
}

/// What a box is ordered by: the categories it lists, or its ends.
fn key(kind: ColumnType, cover: &CellCover) -> Vec<u32> {
    let CellCover::Spans(spans, missing) = cover else { return Vec::new() };
    let mut key: Vec<u32> = match (kind, spans.first(), spans.last()) {
        (ColumnType::Category, ..) => spans.iter().map(|span| span.0).collect(),
        (_, Some(first), Some(last)) => vec![first.0, last.1],
        _ => Vec::new(),
    };
    key.extend(missing.then_some(MISSING));
    key
}

fn check_labels(shown: &ClassedTables) -> Result<(), String> {
    let columns = shown.quasi_columns();
    let lines = first_lines(shown);
    let mut before: Vec<BTreeSet<(u32, u32)>> = vec![BTreeSet::new(); columns.len()];
    for pair in lines.windows(2) {
        let cells = |at: usize| (columns[at].code(pair[0]), columns[at].code(pair[1]));
        if let Some(at) = (0..columns.len()).find(|&at| cells(at).0 != cells(at).1) {
            before[at].insert(cells(at));
        }
    }
    let names = columns.iter().zip(before);
    let cyclic = names
        .filter(|(column, before)| !has_order(column.distinct().len(), before))
        .map(|(column, _)| column.name())
        .next();
    cyclic.map_or(Ok(()), |name| {
        Err(format!(
            "`{}`, column `{name}`: no order of its labels explains the order of classes",
            shown.quasi_sheet().file
        ))
    })
}

/// Whether `many` items have an order with the first of every pair before the second.
fn has_order(many: usize, before: &BTreeSet<(u32, u32)>) -> bool {
    let mut waits = vec![0u32; many];
    before.iter().for_each(|pair| waits[pair.1 as usize] += 1);
    let mut free: Vec<u32> = (0..many as u32).filter(|&item| waits[item as usize] == 0).collect();
    let mut placed = 0;
    while let Some(item) = free.pop() {
        placed += 1;
        for &(_, after) in before.range((item, 0)..=(item, u32::MAX)) {
            waits[after as usize] -= 1;
            if waits[after as usize] == 0 {
                free.push(after);
            }
        }
    }
    placed == many
}

fn check_groups(shown: &ClassedTables, quasi: &[ExactColumn], plain: &[ExactColumn]) -> Result<(), String> {
    let sides = [
        (shown.quasi_columns(), quasi, NumberBuckets::new(shown.quasi_class(), shown.classes)),
        (shown.plain_columns(), plain, NumberBuckets::new(shown.plain_class(), shown.classes)),
    ];
    let of_group = |group: usize| {
        sides
            .iter()
            .map(|(columns, exact, lines)| -> Vec<u32> {
                let of_line =
                    |line: u32| columns.iter().zip(*exact).map(move |(raw, exact)| exact.code(raw.code(line as usize)));
                lines.get(group).iter().flat_map(|&line| of_line(line)).collect()
            })
            .collect::<Vec<_>>()
    };
    let mut last = None;
    for group in 0..shown.classes {
        let here = of_group(group);
        if last.is_some_and(|last| here < last) {
            return Err(format!("group {} comes before the group above it", group + 1));
        }
        last = Some(here);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_found_where_there_is_one() {
        let order = |pairs: &[(u32, u32)]| has_order(4, &pairs.iter().copied().collect());
        assert!(order(&[]) && order(&[(0, 1), (1, 2), (0, 2), (3, 0)]));
        assert!(!order(&[(0, 1), (1, 2), (2, 0)]) && !order(&[(3, 3)]));
    }
}
