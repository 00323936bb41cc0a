//! The release held against the private table it was made from.

use std::collections::BTreeSet;

use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::manifest::PublishedColumn;
use pellucid_model::table::schema::{ColumnSpec, OnMissing, TableSchema};
use pellucid_model::table::{Column, Role, Table};

use crate::assignment::RowAssignment;
use crate::cells::QuasiCells;
use crate::claim::{ReleaseClaim, ReleaseForm};
use crate::exact::{ExactColumn, VectorNumbers};
use crate::report::{CheckStatus, VerificationReport, counted};
use crate::shown::ClassedTables;
use crate::{SourceTable, VerificationInputs};
use crate::{assignment, levels, matching, mechanism, search, statistics, tightness};

/// How released quasi cells compare with the source.
#[derive(Debug)]
pub(crate) enum QuasiComparison<'a> {
    /// Cells cover values; with hierarchies where cells are labels.
    Cells(Vec<QuasiCells>, Vec<Option<Hierarchy>>),
    /// What a line shows follows from the row alone: vectors of lines and rows are numbered alike.
    Vectors(VectorNumbers),
    /// Cells are statistics of the rows of a class.
    Statistics(&'a [ExactColumn]),
}

/// A release and its source.
pub(crate) struct SourceComparison<'a> {
    pub claim: &'a ReleaseClaim,
    pub shown: &'a ClassedTables,
    /// The quasi columns of the source, in the order of the claim.
    pub columns: Vec<&'a Column>,
    pub rows: usize,
    /// The rows of the source that these are, when some are left out.
    kept: Option<&'a [u32]>,
    pub quasi: QuasiComparison<'a>,
    /// Sensitive and kept values.
    pub plain: VectorNumbers,
}

/// What to do about a source in another order.
pub(crate) const ORDER: &str = "the assignment numbers rows by their place in the source, so give the source in the order \
                                in which it was published, or leave the assignment aside with --without-assignment";

/// An error that is the file system's is an error; any other is a reason why the check fails.
fn reason<T>(result: Result<T>) -> Result<Result<T, String>> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(error) if error.kind() == ErrorKind::Io => Err(error),
        Err(error) => Ok(Err(error.to_string())),
    }
}

/// The source, and where its rows are shown.
pub(crate) struct PlacedSource {
    pub source: Table,
    /// The rows that are released, when some are left out.
    part: Option<Table>,
    /// The class of each released row, when it is known.
    class_of_row: Option<Vec<u32>>,
}

impl PlacedSource {
    /// The released rows of the source, and the class of each.
    pub fn placed(&self) -> Option<(&Table, &[u32])> {
        let class_of_row = self.class_of_row.as_deref()?;
        Some((self.part.as_ref().unwrap_or(&self.source), class_of_row))
    }
}

/// Makes all checks that need the source; reads the columns `beside` as well, where it has them.
pub(crate) fn check(
    claim: &ReleaseClaim,
    shown: &ClassedTables,
    (exact_quasi, exact_plain): (&[ExactColumn], &[ExactColumn]),
    beside: BTreeSet<&str>,
    inputs: &VerificationInputs<'_>,
    report: &mut VerificationReport,
) -> Result<Option<PlacedSource>> {
    let Some(source) = inputs.source else {
        report.skip(&["source rows", "assignment", "tightness"], "no source was given");
        return Ok(None);
    };
    let table = match reason(read_source(source, claim, &beside))? {
        Ok(table) => table,
        Err(reason) => {
            report.note("source rows", CheckStatus::Failed, reason);
            report.skip(&["assignment", "tightness"], "the source cannot be read");
            return Ok(None);
        }
    };
    let (rows, lines, left_out) = (table.rows() as u64, shown.rows() as u64, claim.left_out);
    let lacking = rows.checked_sub(lines);
    let fits = lacking.is_some_and(|lacking| lacking <= left_out && left_out - lacking <= claim.may_be_absent);
    if !fits {
        let (rows, lines) = (counted(rows, "row", "rows"), counted(lines, "line", "lines"));
        let besides = if left_out == 0 {
            String::new()
        } else {
            let most = if claim.may_be_absent > 0 { "at most " } else { "" };
            format!(" and {most}{} said to be left out", counted(left_out, "is", "are"))
        };
        let remedy = if claim.form == ReleaseForm::Foreign && lacking.is_some() {
            "; say with --left-out how many rows were left out, or with --suppressed how they are shown"
        } else {
            ""
        };
        let detail = format!("the source has {rows}, `{}` has {lines}{besides}{remedy}", shown.plain_sheet().file);
        report.note("source rows", CheckStatus::Failed, detail);
        report.skip(&["assignment", "tightness"], "the numbers of rows differ");
        return Ok(None);
    }
    let two_sheets = claim.form == ReleaseForm::Anatomy;
    let assignment = inputs.assignment.map(|given| {
        let given = given.as_ref().map_err(Clone::clone)?;
        let read = RowAssignment::new(given, two_sheets, table.rows(), left_out as usize);
        read.map_err(|error| error.to_string())
    });
    let mut part = None;
    let mut kept = None;
    if claim.searched {
        let known = assignment.as_ref().and_then(|assignment| assignment.as_ref().ok());
        kept = search::kept(claim, &table, known, report);
        match kept.as_deref().map(|kept| search::part(&table, kept)) {
            Some(Ok(table)) => part = Some(table),
            Some(Err(reason)) => {
                report.note("source rows", CheckStatus::Failed, reason);
                return Ok(None);
            }
            None => {
                report.skip(&["source rows", "assignment", "tightness"], "it is not known which rows must be released");
                return Ok(Some(PlacedSource { source: table, part: None, class_of_row: None }));
            }
        }
    }
    let released = Released { source: &table, part: part.as_ref(), kept: kept.as_deref() };
    let class_of_row = compare(claim, shown, (exact_quasi, exact_plain), &released, assignment, inputs, report);
    Ok(Some(PlacedSource { source: table, part, class_of_row }))
}

/// The rows of the source that are released.
struct Released<'a> {
    source: &'a Table,
    /// Without the rows that are left out, when there may be some.
    part: Option<&'a Table>,
    /// Which rows of the source it has.
    kept: Option<&'a [u32]>,
}

/// Holds the released rows of the source against the release; gives the class of each, when it is known.
fn compare(
    claim: &ReleaseClaim,
    shown: &ClassedTables,
    exact: (&[ExactColumn], &[ExactColumn]),
    released: &Released<'_>,
    assignment: Option<Result<RowAssignment, String>>,
    inputs: &VerificationInputs<'_>,
    report: &mut VerificationReport,
) -> Option<Vec<u32>> {
    let case = match SourceComparison::new(claim, shown, exact, released) {
        Ok(case) => case,
        Err(reason) => {
            report.note("source rows", CheckStatus::Failed, reason);
            report.skip(&["assignment", "tightness"], "cells cannot be held against the source");
            return None;
        }
    };
    let (rows, number) = (case.rows, |row: usize| case.source_row(row));
    let mut counts = case.plain.check_counts("sensitive and kept", shown.plain_sheet(), number);
    if let QuasiComparison::Vectors(vectors) = &case.quasi {
        let words = claim.form.quasi_words();
        counts = counts.and_then(|()| vectors.check_counts(words, shown.quasi_sheet(), number));
    }
    let all_rows = counted(rows, "row", "rows");
    let altered = claim.plain().find(|column| claim.alters(column));
    let same = counts.map(|()| match rows.saturating_sub(shown.rows()) {
        0 if let Some(column) = altered => {
            format!("{all_rows} on both sides; values of column `{}` are altered, the others the same", column.name)
        }
        0 => format!("{all_rows} on both sides, with the same values"),
        left_out => format!("{all_rows}, {left_out} of them left out; the others can have the values of the lines"),
    });
    let same = report.settle("source rows", same);
    let class_of_row = match assignment {
        Some(read) => {
            let outcome = read.and_then(|assignment| assignment::check(&case, &assignment));
            let (outcome, classes) = match outcome {
                Ok(classes) => (Ok(format!("{all_rows}, each shown by the line assigned to it")), Some(classes)),
                // With other values the source is another table; with the same ones it may be the same, sorted anew.
                Err(reason) if same => (Err(format!("{reason}; {ORDER}")), None),
                Err(reason) => (Err(reason), None),
            };
            report.settle("assignment", outcome);
            classes
        }
        None if !same => {
            report.skip(&["matching"], "values differ from the source");
            None
        }
        None => matching::check(&case, inputs.max_cover_tests, report),
    };
    tightness::check(&case, class_of_row.as_deref(), report);
    levels::check(&case, class_of_row.as_deref(), report);
    class_of_row
}

/// Reads the published columns of the source and those of `beside`; every other column is left out.
fn read_source(source: &dyn SourceTable, claim: &ReleaseClaim, beside: &BTreeSet<&str>) -> Result<Table> {
    let header = source.header()?;
    let lacking = claim.columns.iter().find(|column| !header.contains(&column.name));
    if let Some(column) = lacking {
        return Err(Error::new(ErrorKind::UnknownColumn, format!("the source lacks column `{}`", column.name)));
    }
    let spec = |name: &String| match claim.columns.iter().find(|column| column.name == *name) {
        None => {
            let mut spec = ColumnSpec::new(name, Role::Drop);
            spec.missing = Some(vec![String::new()]);
            spec
        }
        Some(column) => {
            let mut spec = ColumnSpec::new(name, column.role).with_kind(column.kind);
            spec.missing = Some(column.missing.clone());
            spec
        }
    };
    let mut schema = TableSchema::new(header.iter().map(spec).collect()).with_on_missing(OnMissing::Category);
    schema.read_dropped = beside.iter().map(|&name| name.to_owned()).collect();
    source.read(&schema)
}

impl<'a> SourceComparison<'a> {
    fn new(
        claim: &'a ReleaseClaim,
        shown: &'a ClassedTables,
        (exact_quasi, exact_plain): (&'a [ExactColumn], &'a [ExactColumn]),
        released: &Released<'a>,
    ) -> Result<Self, String> {
        let table = released.part.unwrap_or(released.source);
        let find = |column: &PublishedColumn| table.column(&column.name).map_err(|error| error.to_string());
        let columns = claim.quasi().map(find).collect::<Result<Vec<_>, String>>()?;
        let rows = table.rows();
        mechanism::check_values(claim, shown, exact_plain, released.source)?;
        let (mut plain_raw, mut plain_exact, mut plain_columns) = (Vec::new(), Vec::new(), Vec::new());
        for ((column, raw), exact) in claim.plain().zip(shown.plain_columns()).zip(exact_plain) {
            if !claim.alters(column) {
                plain_raw.push(raw);
                plain_exact.push(exact);
                plain_columns.push(find(column)?);
            }
        }
        let plain = VectorNumbers::new(&plain_raw, &plain_exact, &plain_columns, shown.rows(), rows);
        let exact_refs: Vec<&ExactColumn> = exact_quasi.iter().collect();
        let raw = shown.quasi_columns();
        let quasi = if claim.form == ReleaseForm::Statistics {
            let whole = |column: &PublishedColumn| released.source.column(&column.name);
            let whole = claim.quasi().map(whole).collect::<Result<Vec<_>>>().map_err(|error| error.to_string())?;
            match statistics::of_levels(claim, &whole)? {
                Some(texts) => {
                    QuasiComparison::Vectors(VectorNumbers::of_texts(&raw, &exact_refs, &columns, texts, (rows, rows)))
                }
                None => QuasiComparison::Statistics(exact_quasi),
            }
        } else if claim.form == ReleaseForm::Anatomy {
            QuasiComparison::Vectors(VectorNumbers::new(&raw, &exact_refs, &columns, shown.quasi_sheet().lines(), rows))
        } else {
            let (mut cells, mut hierarchies) = (Vec::new(), Vec::new());
            for ((column, raw), &source) in claim.quasi().zip(raw).zip(&columns) {
                let labelled =
                    column.hierarchy.is_some() || (claim.form == ReleaseForm::Labels && claim.levels.is_some());
                let hierarchy = if labelled && claim.form != ReleaseForm::Boxes {
                    Some(levels::hierarchy(column, source)?)
                } else {
                    None
                };
                let read = QuasiCells::read(claim, column, raw.distinct(), Some((source, hierarchy.as_ref())));
                cells.push(read.map_err(|(cell, why)| match cell {
                    Some(cell) => format!("{}: {why}", shown.quasi_sheet().place(raw, cell)),
                    None => format!("column `{}`: {why}", column.name),
                })?);
                hierarchies.push(hierarchy);
            }
            QuasiComparison::Cells(cells, hierarchies)
        };
        Ok(Self { claim, shown, columns, rows, kept: released.kept, quasi, plain })
    }

    /// The number of a row in the source, from 1.
    pub fn source_row(&self, row: usize) -> usize {
        self.kept.map_or(row, |kept| kept[row] as usize) + 1
    }
}
