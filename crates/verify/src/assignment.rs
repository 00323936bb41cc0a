//! The private assignment: which line shows which row.

use pellucid_model::error::{Error, Result};
use pellucid_model::table::MISSING;
use pellucid_model::table::TextColumn;

use crate::NamedTable;
use crate::report::{are, counted};
use crate::source::{QuasiComparison, SourceComparison};

/// For each row of the source the line that shows it, counted from 0; none for a row that is left out.
#[derive(Debug)]
pub(crate) struct RowAssignment {
    quasi_line: Vec<Option<u32>>,
    plain_line: Vec<Option<u32>>,
}

impl RowAssignment {
    /// What `given` says for a source of `rows` rows, all but `left_out` of which have a line; `two_sheets` when
    /// quasi and sensitive values have lines of their own.
    pub fn new(given: &NamedTable, two_sheets: bool, rows: usize, left_out: usize) -> Result<Self> {
        let NamedTable { file, table } = given;
        let expected: &[&str] = if two_sheets { &["row", "quasi_line", "sensitive_line"] } else { &["row", "line"] };
        if !table.header().eq(expected.iter().copied()) {
            let expected = expected.join("`, `");
            return Err(Error::bad_input(format!("`{file}` must have exactly the columns `{expected}`")));
        }
        if table.rows() != rows {
            let (found, rows) = (counted(table.rows() as u64, "line", "lines"), counted(rows as u64, "row", "rows"));
            let of = if left_out == 0 { "release" } else { "source" };
            return Err(Error::bad_input(format!("`{file}` has {found}, the {of} {rows}")));
        }
        let columns = table.columns();
        let row = places(file, &columns[0], rows, 0)?;
        let by_row = |column: &TextColumn| -> Result<Vec<Option<u32>>> {
            let lines = places(file, column, rows, left_out)?;
            let mut by_row = vec![None; rows];
            row.iter().zip(lines).for_each(|(row, line)| {
                if let Some(row) = row {
                    by_row[*row as usize] = line;
                }
            });
            Ok(by_row)
        };
        let quasi_line = by_row(&columns[1])?;
        let plain_line = if two_sheets { by_row(&columns[2])? } else { quasi_line.clone() };
        let differs = quasi_line.iter().zip(&plain_line).position(|(quasi, plain)| quasi.is_some() != plain.is_some());
        if let Some(row) = differs {
            let row = row + 1;
            return Err(Error::bad_input(format!("`{file}`: row {row} has a line in one of the two tables only")));
        }
        Ok(Self { quasi_line, plain_line })
    }

    /// Whether `row` is released.
    pub fn has_line(&self, row: usize) -> bool {
        self.quasi_line[row].is_some()
    }

    /// The lines of the rows of `case`; fails when one of them has none.
    fn lines(&self, case: &SourceComparison<'_>) -> Result<(Vec<u32>, Vec<u32>), String> {
        let line = |lines: &[Option<u32>], row: usize| {
            let number = case.source_row(row);
            lines[number - 1].ok_or_else(|| format!("source row {number} has no line"))
        };
        let lines = |of: &[Option<u32>]| (0..case.rows).map(|row| line(of, row)).collect::<Result<Vec<u32>, String>>();
        Ok((lines(&self.quasi_line)?, lines(&self.plain_line)?))
    }
}

/// The numbers of a column less one; each of 1 to `rows - blanks` must occur once, and the rest must be missing.
fn places(file: &str, column: &TextColumn, rows: usize, blanks: usize) -> Result<Vec<Option<u32>>> {
    let (name, last) = (column.name(), rows - blanks);
    let mut blanks = blanks;
    let numbers: Vec<Option<u32>> = column
        .distinct()
        .iter()
        .map(|text| text.parse::<u32>().ok().filter(|&number| number >= 1 && number as usize <= last))
        .collect();
    let mut seen = vec![0u32; last];
    let mut places = Vec::with_capacity(rows);
    for line in 0..rows {
        let Some(number) = numbers[column.code(line) as usize] else {
            if blanks > 0 && ["", MISSING].contains(&column.cell(line)) {
                blanks -= 1;
                places.push(None);
                continue;
            }
            let line = line + 1;
            return Err(Error::bad_input(format!(
                "`{file}`, line {line}, column `{name}`: not a number from 1 to {last}"
            )));
        };
        let earlier = &mut seen[number as usize - 1];
        if *earlier != 0 {
            let line = line + 1;
            return Err(Error::bad_input(format!(
                "`{file}`, line {line}, column `{name}`: {number} stands in line {earlier} already; each may occur once"
            )));
        }
        *earlier = line as u32 + 1;
        places.push(Some(number - 1));
    }
    Ok(places)
}

/// Checks that every line shows what its row has; gives the class of each row.
pub(crate) fn check(case: &SourceComparison<'_>, assignment: &RowAssignment) -> Result<Vec<u32>, String> {
    let shown = case.shown;
    let raw = shown.quasi_columns();
    let (quasi_lines, plain_lines) = assignment.lines(case)?;
    let (mut failing, mut first) = (0u64, None);
    let mut classes = Vec::with_capacity(case.rows);
    for row in 0..case.rows {
        let quasi_line = quasi_lines[row] as usize;
        let plain_line = plain_lines[row] as usize;
        let class = shown.quasi_class()[quasi_line];
        classes.push(class);
        let uncovered = match &case.quasi {
            QuasiComparison::Cells(cells, _) => {
                let column =
                    (0..raw.len()).find(|&at| !cells[at].covers(raw[at].code(quasi_line), case.columns[at].code(row)));
                column.map(|at| format!("column `{}` does not cover", raw[at].name()))
            }
            QuasiComparison::Vectors(vectors) => {
                let equal = vectors.of_line[quasi_line] == vectors.of_row[row];
                (!equal).then(|| format!("the {} values are not those of", case.claim.form.quasi_words()))
            }
            // A single row says nothing of a statistic.
            QuasiComparison::Statistics(_) => None,
        };
        let fault = if let Some(fault) = uncovered {
            Some((&shown.quasi_sheet().file, quasi_line, fault))
        } else if case.plain.of_line[plain_line] != case.plain.of_row[row] {
            Some((&shown.plain_sheet().file, plain_line, "sensitive or kept values are not those of".to_owned()))
        } else if shown.plain_class()[plain_line] != class {
            let fault = format!("the line is not in group {} of the quasi line of", class + 1);
            Some((&shown.plain_sheet().file, plain_line, fault))
        } else {
            None
        };
        if let Some((file, line, fault)) = fault {
            failing += 1;
            first.get_or_insert_with(|| {
                let (line, class, row) = (line + 1, class + 1, case.source_row(row));
                format!("`{file}`, line {line} (class {class}): {fault} source row {row}")
            });
        }
    }
    match first {
        None => Ok(classes),
        Some(first) => {
            let of = counted(case.rows as u64, "row", "rows");
            Err(format!("{failing} of {of} {} not shown by the line assigned; first {first}", are(failing)))
        }
    }
}
