//! Columns that are released as they are: sensitive and kept ones, and the quasi columns of anatomy.

use hashbrown::HashMap;
use pellucid_model::manifest::PublishedColumn;
use pellucid_model::table::TextColumn;
use pellucid_model::table::coder::{CellFault, ColumnCoder};
use pellucid_model::table::schema::{ColumnSpec, OnMissing, TableSchema};
use pellucid_model::table::{Column, MISSING};

use crate::claim::{ReleaseClaim, ReleaseForm};
use crate::number::VectorNumbering;
use crate::report::counted;
use crate::shown::LineTable;

/// Why a column cannot be read; with the place of a cell among the distinct ones when it is that cell's fault.
pub(crate) type ColumnFault = (Option<u32>, String);

/// A coder for values of `column`; only the release's own word is missing.
pub(crate) fn coder_of(column: &PublishedColumn, spellings: &[String]) -> ColumnCoder {
    let spellings = spellings.iter().cloned().chain([MISSING.to_owned()]);
    let schema = TableSchema::default().with_missing(spellings).with_on_missing(OnMissing::Category);
    let spec = ColumnSpec::new(&column.name, column.role).with_kind(column.kind);
    ColumnCoder::new(&schema, &spec, column.kind)
}

/// What is wrong with a cell, without the advice for those who read tables.
pub(crate) fn why(fault: CellFault) -> String {
    let text = fault.to_string();
    text.split(';').next().unwrap_or_default().to_owned()
}

/// A released column whose cells are values.
#[derive(Debug)]
pub(crate) struct ExactColumn {
    /// The values; as many rows as there are distinct cells.
    pub values: Column,
}

impl ExactColumn {
    /// Reads the distinct cells of `raw`.
    pub fn read(claim: &ReleaseClaim, column: &PublishedColumn, raw: &TextColumn) -> Result<Self, ColumnFault> {
        let mut coder = coder_of(column, claim.spellings(column));
        for (code, text) in (0u32..).zip(raw.distinct()) {
            if !text.is_empty() {
                coder.push_text(text).map_err(|fault| (Some(code), why(fault)))?;
            } else if claim.form == ReleaseForm::Foreign {
                coder.push_missing();
            } else {
                return Err((Some(code), "an empty cell".to_owned()));
            }
        }
        let values = coder.finish().map_err(|error| (None, error.to_string()))?;
        Ok(Self { values })
    }

    /// The code of the value that the distinct cell `cell` shows; codes are in the order of values, missing last.
    #[inline]
    pub fn code(&self, cell: u32) -> u32 {
        self.values.code(cell as usize)
    }
}

/// The same number for the same text of a released column and of what the source has or leads to: by distinct released
/// cell, and by code of the source.
fn common_numbers(released: &ExactColumn, source: impl Iterator<Item = String>) -> (Vec<u32>, Vec<u32>) {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut number = |text: String| {
        let next = numbers.len() as u32;
        *numbers.entry(text).or_insert(next)
    };
    let of_value: Vec<u32> =
        (0..released.values.cardinality() as u32).map(|code| number(released.values.text(code))).collect();
    let of_source = source.map(number).collect();
    let of_cell = released.values.codes().iter().map(|code| of_value[code as usize]).collect();
    (of_cell, of_source)
}

/// Lines and rows with a number for what they show together in several columns.
#[derive(Debug)]
pub(crate) struct VectorNumbers {
    /// The number of each released line.
    pub of_line: Vec<u32>,
    /// The number of each row of the source, on the same numbering.
    pub of_row: Vec<u32>,
    /// Number of distinct vectors.
    pub count: usize,
}

impl VectorNumbers {
    /// Numbers the vectors of `lines` lines and of the rows of the source columns; columns in the same order.
    pub fn new(raw: &[&TextColumn], exact: &[&ExactColumn], source: &[&Column], lines: usize, rows: usize) -> Self {
        let texts = |source: &Column| (0..source.cardinality() as u32).map(|code| source.text(code)).collect();
        let texts: Vec<Vec<String>> = source.iter().map(|source| texts(source)).collect();
        Self::of_texts(raw, exact, source, texts, (lines, rows))
    }

    /// The same when a source value stands as the text that `texts` has for it, by column and code.
    pub fn of_texts(
        raw: &[&TextColumn],
        exact: &[&ExactColumn],
        source: &[&Column],
        texts: Vec<Vec<String>>,
        (lines, rows): (usize, usize),
    ) -> Self {
        let common = exact.iter().zip(texts).map(|(exact, texts)| common_numbers(exact, texts.into_iter()));
        let common: Vec<_> = common.collect();
        let mut numbering = VectorNumbering::new(common.len());
        let mut of_line = Vec::with_capacity(lines);
        for line in 0..lines {
            let cells = raw.iter().zip(&common).map(|(raw, (of_cell, _))| of_cell[raw.code(line) as usize]);
            of_line.push(numbering.number(cells));
        }
        let mut of_row = Vec::with_capacity(rows);
        for row in 0..rows {
            let cells = source.iter().zip(&common).map(|(source, (_, of_code))| of_code[source.code(row) as usize]);
            of_row.push(numbering.number(cells));
        }
        Self { of_line, of_row, count: numbering.count() }
    }

    /// Checks that every vector is shown as often as it occurs, or no more often when rows are left out; `number` is how a
    /// row is counted in the source.
    pub fn check_counts(&self, what: &str, sheet: &LineTable, number: impl Fn(usize) -> usize) -> Result<(), String> {
        let mut surplus = vec![0i64; self.count];
        self.of_line.iter().for_each(|&vector| surplus[vector as usize] += 1);
        self.of_row.iter().for_each(|&vector| surplus[vector as usize] -= 1);
        let left_out = self.of_line.len() < self.of_row.len();
        let differing = surplus.iter().filter(|&&surplus| surplus > 0 || surplus < 0 && !left_out).count();
        if differing == 0 {
            return Ok(());
        }
        let line =
            self.of_line.iter().position(|&vector| surplus[vector as usize] > 0).map_or(0, |line| sheet.number(line));
        let file = &sheet.file;
        let combinations = counted(differing, "combination", "combinations");
        let occur = if differing == 1 { "occurs" } else { "occur" };
        if left_out {
            return Err(format!(
                "{combinations} of {what} values {occur} more often in `{file}` than in the source, first at line {line}"
            ));
        }
        let row = self.of_row.iter().position(|&vector| surplus[vector as usize] < 0).map_or(0, number);
        Err(format!(
            "{combinations} of {what} values {occur} more or less often in `{file}` than in the source; first surplus at \
             line {line}, first lack at source row {row}"
        ))
    }
}
