//! The order of lines: a function of what is published, so that it tells nothing more.

use pellucid_io::RawColumn;

use crate::exact::Exact;
use crate::shown::Sheet;

/// Checks that classes are together and in the order of their numbers, and that the lines of a class ascend in
/// `columns`, the first deciding before the second.
pub(crate) fn check(sheet: &Sheet, class_of: &[u32], columns: &[(&RawColumn, &Exact)]) -> Result<(), String> {
    let file = &sheet.file;
    for (line, pair) in (2..).zip(class_of.windows(2)) {
        if pair[1] < pair[0] {
            let class = pair[1] + 1;
            return Err(format!("`{file}`, line {line}: class {class} goes on after other classes have begun"));
        }
        if pair[1] > pair[0] {
            continue;
        }
        for (raw, exact) in columns {
            let (before, here) = (exact.code(raw.code(line - 2)), exact.code(raw.code(line - 1)));
            if here < before {
                let (name, class) = (raw.name(), pair[1] + 1);
                return Err(format!(
                    "`{file}`, line {line}, column `{name}`: not in ascending order within class {class}"
                ));
            }
            if here > before {
                break;
            }
        }
    }
    Ok(())
}
