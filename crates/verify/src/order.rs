//! The order of lines: a function of what is published, so that it tells nothing more.

use pellucid_model::table::TextColumn;

use crate::exact::ExactColumn;
use crate::shown::LineTable;

/// Checks that classes are together and in the order of their numbers, and that the lines of a class ascend in
/// `columns`, the first deciding before the second.
pub(crate) fn check(
    sheet: &LineTable,
    class_of: &[u32],
    columns: &[(&TextColumn, &ExactColumn)],
) -> Result<(), String> {
    let file = &sheet.file;
    for (line, pair) in (2..).zip(class_of.windows(2)) {
        let class = pair[1] + 1;
        if pair[1] < pair[0] {
            return Err(format!("`{file}`, line {line}: class {class} goes on after other classes have begun"));
        }
        if pair[1] == pair[0]
            && let Some(name) = descends(line, columns)
        {
            return Err(format!("`{file}`, line {line}, column `{name}`: not in ascending order within class {class}"));
        }
    }
    Ok(())
}

/// Checks that all lines ascend in `columns`, whatever their classes.
pub(crate) fn check_all(sheet: &LineTable, columns: &[(&TextColumn, &ExactColumn)]) -> Result<(), String> {
    let mut descending = (2..=sheet.lines()).filter_map(|line| descends(line, columns).map(|name| (line, name)));
    descending.next().map_or(Ok(()), |(line, name)| {
        Err(format!("`{}`, line {line}, column `{name}`: not in ascending order", sheet.file))
    })
}

/// The column that decides that `line`, counted from 1, comes before the line above it.
fn descends<'c>(line: usize, columns: &[(&'c TextColumn, &ExactColumn)]) -> Option<&'c str> {
    for (raw, exact) in columns {
        let (before, here) = (exact.code(raw.code(line - 2)), exact.code(raw.code(line - 1)));
        if here != before {
            return (here < before).then(|| raw.name());
        }
    }
    None
}
