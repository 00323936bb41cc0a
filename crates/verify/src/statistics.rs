//! Releases that show means, medians and modes of quasi values, computed anew from the source.
//!
//! Groups that show the same are one class. Each statistic of a union is the one that its parts have in common, so the
//! statistic of a class is that of its groups, and the groups need not be known.

use std::collections::BTreeMap;

use hashbrown::HashSet;
use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::histogram::Histogram;
use pellucid_model::manifest::{Manifest, PublishedColumn};
use pellucid_model::statistic::ColumnStatistic;
use pellucid_model::table::TextColumn;
use pellucid_model::table::{Column, ColumnDomain, ColumnType, MAX_DIGITS, MISSING, Role, format_date, format_decimal};

use crate::claim::ReleaseClaim;
use crate::exact::{ColumnFault, ExactColumn};
use crate::levels::level_of;
use crate::number::NumberBuckets;
use crate::report::{VerificationReport, are, counted};
use crate::source::{QuasiComparison, SourceComparison};

/// Digits of a mean after the point beyond those of its column.
const MORE_DIGITS: u32 = 6;

/// Checks that the manifest names a statistic for every quasi column, one that its type has.
pub(crate) fn check_stated(manifest: &Manifest) -> Result<(), String> {
    for column in manifest.columns.iter().filter(|column| column.role == Role::Quasi) {
        let name = &column.name;
        match (column.aggregate, column.kind) {
            (None, _) => return Err(format!("the manifest does not say which statistic column `{name}` shows")),
            (Some(ColumnStatistic::Mean), ColumnType::Category) => {
                return Err(format!("the manifest says that column `{name}` shows means of words"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The statistic of `column`; that every one has it is checked when the manifest is read.
fn statistic(column: &PublishedColumn) -> ColumnStatistic {
    column.aggregate.unwrap_or(ColumnStatistic::Mode)
}

/// Reads the distinct cells of a released column.
pub(crate) fn read(
    claim: &ReleaseClaim,
    column: &PublishedColumn,
    raw: &TextColumn,
) -> Result<ExactColumn, ColumnFault> {
    let mut released = column.clone();
    if column.kind == ColumnType::Integer && statistic(column) == ColumnStatistic::Mean {
        released.kind = ColumnType::Decimal;
    }
    let exact = ExactColumn::read(claim, &released, raw)?;
    for (cell, text) in (0u32..).zip(raw.distinct()) {
        // A second spelling would tell rows of a class apart.
        if exact.values.text(exact.code(cell)) != *text {
            return Err((Some(cell), "not as its value is written".to_owned()));
        }
    }
    Ok(exact)
}

/// For a release of levels: by column and code of the source, the statistic of all values with the same label on the
/// released level. Rows that are left out count like all others.
pub(crate) fn of_levels(claim: &ReleaseClaim, columns: &[&Column]) -> Result<Option<Vec<Vec<String>>>, String> {
    let Some(levels) = &claim.levels else { return Ok(None) };
    let mut of_columns = Vec::new();
    for (at, (column, source)) in claim.quasi().zip(columns).enumerate() {
        let (hierarchy, level) = (level_of(levels, at, column, source)?, levels.of(at));
        let label = |code: u32| hierarchy.label(level, hierarchy.node(level, code));
        let mut joined: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for code in source.codes() {
            joined.entry(label(code)).or_default().push(code);
        }
        let recipe = Recipe::new(column, source);
        let shown: BTreeMap<&str, String> =
            joined.into_iter().map(|(label, codes)| (label, recipe.text(codes))).collect();
        let of_code = |code: u32| shown.get(label(code)).cloned().unwrap_or_default();
        of_columns.push((0..source.cardinality() as u32).map(of_code).collect());
    }
    Ok(Some(of_columns))
}

/// How a statistic of a column of the source is computed.
struct Recipe<'a> {
    source: &'a Column,
    statistic: ColumnStatistic,
    /// Digits after the point that a mean has beyond those of the column.
    digits: u32,
}

impl<'a> Recipe<'a> {
    fn new(column: &PublishedColumn, source: &'a Column) -> Self {
        Self { source, statistic: statistic(column), digits: more_digits(source) }
    }

    /// The text of the statistic of `codes`.
    fn text(&self, mut codes: Vec<u32>) -> String {
        let source = self.source;
        codes.retain(|&code| source.missing() != Some(code));
        codes.sort_unstable();
        if codes.is_empty() {
            return MISSING.to_owned();
        }
        match self.statistic {
            ColumnStatistic::Median => source.text(codes[(codes.len() - 1) / 2]),
            ColumnStatistic::Mode => {
                let mut commonest = &codes[..0];
                for run in codes.chunk_by(|a, b| a == b) {
                    if run.len() > commonest.len() {
                        commonest = run;
                    }
                }
                source.text(commonest[0])
            }
            ColumnStatistic::Mean => {
                let mean = total(source, codes.iter().map(|&code| (code, 1))) / Fraction::from(codes.len());
                if source.domain().kind() == ColumnType::Date {
                    return i32::try_from(mean.floor()).map_or_else(|_| String::new(), format_date);
                }
                let rounded = half_to_even(mean * Fraction::from(10i128.pow(self.digits)));
                let scale = scale(source) + self.digits;
                rounded.map_or_else(String::new, |unscaled| format_decimal(unscaled, scale))
            }
        }
    }
}

/// The nearest whole number, of two that are equally near the even one; `None` when it is too large for a cell.
fn half_to_even(number: Fraction) -> Option<i128> {
    let below = number.floor();
    let rest = number - Fraction::from(below.clone());
    let half = fraction(1, 2u8);
    let even = (Fraction::from(below.clone()) * &half).is_int();
    let rounded = if rest > half || (rest == half && !even) { below + 1 } else { below };
    i128::try_from(rounded).ok()
}

/// The sum of values, each so many times, in units of the last digit of the column.
fn total(column: &Column, values: impl Iterator<Item = (u32, u64)>) -> Fraction {
    let position = |code| Fraction::from(column.domain().position(code));
    values.fold(Fraction::ZERO, |sum, (code, count)| sum + position(code) * Fraction::from(count))
}

/// The digits after the point of a column of numbers.
fn scale(column: &Column) -> u32 {
    if let ColumnDomain::Decimal { scale, .. } = column.domain() { *scale } else { 0 }
}

/// How many digits after the point its means have beyond that.
fn more_digits(column: &Column) -> u32 {
    let domain = column.domain();
    let lengths = (0..domain.len() as u32).map(|code| domain.position(code).unsigned_abs().to_string().len() as u32);
    let longest = lengths.max().unwrap_or(1).max(scale(column));
    MORE_DIGITS.min(MAX_DIGITS.saturating_sub(longest))
}

/// Checks that every cell is the statistic of what it joins.
pub(crate) fn check(case: &SourceComparison<'_>, class_of_row: Option<&[u32]>, report: &mut VerificationReport) {
    let sheet = case.shown.quasi_sheet();
    let exact = match &case.quasi {
        QuasiComparison::Statistics(exact) => exact,
        QuasiComparison::Vectors(vectors) => {
            let outcome = vectors.check_counts(case.claim.form.quasi_words(), sheet, |row| case.source_row(row));
            report
                .settle("tightness", outcome.map(|()| "cells are the statistics of what their levels join".to_owned()));
            return;
        }
        QuasiComparison::Cells(..) => return,
    };
    let Some(class_of_row) = class_of_row else {
        report.skip(&["tightness"], "it is not known which rows a class has; pass the assignment");
        return;
    };
    let classes = case.shown.classes;
    let members = NumberBuckets::new(class_of_row, classes);
    let lines = NumberBuckets::new(case.shown.quasi_class(), classes);
    let (mut failing, mut first) = (0u64, None);
    for (at, (column, raw)) in case.claim.quasi().zip(case.shown.quasi_columns()).enumerate() {
        let source = case.columns[at];
        let recipe = Recipe::new(column, source);
        for class in 0..classes {
            let Some(&line) = lines.get(class).first() else { continue };
            let codes = members.get(class).iter().map(|&row| source.code(row as usize)).collect();
            if recipe.text(codes) != cell_text(&exact[at], raw.code(line as usize)) {
                failing += 1;
                let (file, name) = (&sheet.file, raw.name());
                first.get_or_insert_with(|| {
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
            None => Ok(format!(
                "{cells} of {} {} the statistics of their rows",
                counted(classes, "class", "classes"),
                are(many)
            )),
            Some(first) => {
                Err(format!("{failing} of {cells} {} not the statistics of their rows; first {first}", are(failing)))
            }
        },
    );
}

/// Why no way of placing rows leads to what is shown; `None` when these means do not tell.
///
/// Medians and modes must occur in the source, means times rows must add up to its total within what rounding does, and
/// no more rows may be shown as missing than are.
pub(crate) fn impossible(case: &SourceComparison<'_>, exact: &[ExactColumn]) -> Option<String> {
    for (at, (column, raw)) in case.claim.quasi().zip(case.shown.quasi_columns()).enumerate() {
        let (source, released, name) = (case.columns[at], &exact[at].values, &column.name);
        let lines = Histogram::of((0..case.rows).map(|line| exact[at].code(raw.code(line))));
        let absent = |column: &Column, rows: &Histogram| column.missing().map_or(0, |missing| rows.count(missing));
        let (blank, lacking) = (absent(released, &lines), absent(source, &source.histogram()));
        if blank > lacking {
            return Some(format!(
                "column `{name}`: {} a missing cell, the source has {lacking}",
                counted(blank, "line shows", "lines show")
            ));
        }
        if statistic(column) != ColumnStatistic::Mean {
            let known: HashSet<String> = (0..source.cardinality() as u32).map(|code| source.text(code)).collect();
            let foreign = (0..raw.distinct().len() as u32).find(|&cell| !known.contains(&cell_text(&exact[at], cell)));
            if let Some(cell) = foreign {
                return Some(format!("{}: not a value of the source", case.shown.quasi_sheet().place(raw, cell)));
            }
        } else if lacking == 0 && !adds_up(source, released, &lines) {
            return Some(format!("column `{name}`: its means times their rows are not the sum of the source"));
        }
    }
    None
}

/// The text of the value that a distinct cell shows.
fn cell_text(exact: &ExactColumn, cell: u32) -> String {
    exact.values.text(exact.code(cell))
}

/// Whether the means `released`, each shown by so many `lines`, may be those of parts of `source`; no cell is missing.
fn adds_up(source: &Column, released: &Column, lines: &Histogram) -> bool {
    let unscaled = |column: &Column, rows: &Histogram| {
        total(column, rows.entries().iter().copied()) / Fraction::from(10i128.pow(scale(column)))
    };
    let short = unscaled(source, &source.histogram()) - unscaled(released, lines);
    let rows = Fraction::from(lines.total());
    if source.domain().kind() == ColumnType::Date {
        return short >= Fraction::ZERO && short < rows;
    }
    let unit = Fraction::from(10i128.pow(scale(source) + more_digits(source)));
    let slack = rows / unit * fraction(1, 2u8);
    short <= slack && short >= -slack
}
