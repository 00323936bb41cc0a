//! An independent check of a release.
//!
//! [`verify_release`] holds the tables of a release against its manifest and, where the private table is at hand, against
//! that; [`verify_table`] does the same for a table that another tool made. Nothing here is shared with the code that
//! makes releases: cells are read back as text, classes are found by equal cells, principles are evaluated anew. Files are read elsewhere.
//!
//! A [`VerificationReport`] lists every [`ReleaseCheck`] with its reason. Reasons name files, lines, columns, classes and numbers, never a
//! value of the source or a sensitive value. An error means that there was nothing to check.

mod assignment;
mod cells;
mod claim;
mod classes;
mod coverage;
mod exact;
mod flow;
mod labels;
mod levels;
mod matching;
mod mechanism;
mod number;
mod order;
mod privacy;
mod report;
mod search;
mod sequence;
mod shown;
mod source;
mod statistics;
mod tightness;

use std::fmt;

use pellucid_model::error::Result;
use pellucid_model::manifest::Manifest;
use pellucid_model::principle::make;
use pellucid_model::table::schema::TableSchema;
use pellucid_model::table::{Table, TextTable};

pub use claim::DeclaredTable;
pub use report::{CheckStatus, ReleaseCheck, VerificationReport};

use cells::QuasiCells;
use claim::{ReleaseClaim, ReleaseForm};
use exact::{ColumnFault, ExactColumn};
use report::{are, counted};
use shown::{ClassedTables, LineTable, check_columns};

/// A table of text with the name of its file, which messages tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedTable {
    /// The name.
    pub file: String,
    /// The cells.
    pub table: TextTable,
}

/// The private table that a release was made from, read as its columns are published.
pub trait SourceTable {
    /// The names of its columns.
    fn header(&self) -> Result<Vec<String>>;

    /// The columns that `schema` declares.
    fn read(&self, schema: &TableSchema) -> Result<Table>;
}

/// What to hold a release against, and how far to go.
pub struct VerificationInputs<'a> {
    /// The private table that the release was made from.
    pub source: Option<&'a dyn SourceTable>,
    /// The private assignment of rows to lines, or the reason why it cannot be read.
    pub assignment: Option<&'a Result<NamedTable, String>>,
    /// Without an assignment, the most tests whether a class covers a vector of quasi values.
    pub max_cover_tests: u64,
}

impl fmt::Debug for VerificationInputs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inputs").field("source", &self.source.is_some()).finish_non_exhaustive()
    }
}

/// Sixty-four tests are made at a time, so that the default takes some seconds.
pub const DEFAULT_COVER_TESTS: u64 = 20_000_000_000;

impl Default for VerificationInputs<'_> {
    fn default() -> Self {
        Self { source: None, assignment: None, max_cover_tests: DEFAULT_COVER_TESTS }
    }
}

/// The stems of the files of the tables that a release with `manifest` has.
pub fn table_stems(manifest: &Manifest) -> &'static [&'static str] {
    if manifest.group_column.is_some() { &["quasi", "sensitive"] } else { &["data"] }
}

/// The checks after `columns`.
const AFTER_COLUMNS: &[&str] =
    &["notation", "principle", "measured", "canonical order", "source rows", "assignment", "tightness"];

/// What was found of the files of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChecks {
    /// There are none: the release is in memory.
    InMemory,
    /// Whether those are there that the manifest lists, unchanged and no others; and whether tables have the bytes that their cells are
    /// written with, `None` where that is not checked.
    Read {
        /// What was found, or why the check fails.
        files: Result<String, String>,
        /// Why the check fails.
        bytes: Option<Result<(), String>>,
    },
}

/// Verifies a release with `manifest` and these tables, `quasi` before `sensitive`, or the reason why they cannot be read.
///
/// # Errors
/// When the manifest is not of a form that this version knows, or what `inputs` has cannot be read. All else is a check that failed.
pub fn verify_release(
    manifest: &Manifest,
    tables: Result<Vec<NamedTable>, String>,
    checks: FileChecks,
    inputs: &VerificationInputs<'_>,
) -> Result<VerificationReport> {
    let claim = ReleaseClaim::of_manifest(manifest)?;
    let mut report = VerificationReport::default();
    let bytes = match checks {
        FileChecks::InMemory => {
            report.skip(&["files"], "the release is in memory");
            None
        }
        FileChecks::Read { files, bytes } => {
            report.settle("files", files);
            bytes
        }
    };
    if !manifest.for_publication {
        let reason = manifest.caveat.clone().unwrap_or_else(|| "the manifest says so, without a reason".to_owned());
        report.note("publication", CheckStatus::Failed, reason);
    }
    report.note("publisher", CheckStatus::NotChecked, not_checked(manifest));
    if let Some(stated) = &manifest.mechanism.sequence {
        report.settle("sequence", sequence::check_stated(stated));
    }
    if let Some(outcome) = search::check_stated(manifest, &claim) {
        report.settle("search", outcome);
    }
    if let Some(outcome) = mechanism::check_stated(manifest, &claim) {
        report.settle("mechanism", outcome);
    }
    let sheets: Result<Vec<LineTable>, String> = tables.map(|tables| tables.into_iter().map(LineTable::new).collect());
    let sheets = match sheets.and_then(|sheets| check_columns(&claim, &sheets).map(|()| sheets)) {
        Ok(sheets) => sheets,
        Err(reason) => {
            report.note("columns", CheckStatus::Failed, reason);
            report.skip(AFTER_COLUMNS, "the released columns are not as stated");
            return Ok(report);
        }
    };
    match bytes {
        Some(Ok(())) => report.note("bytes", CheckStatus::Passed, "tables are written just as their cells have it"),
        None => report.skip(&["bytes"], "how Parquet files encode their cells is not checked"),
        Some(Err(reason)) => report.note("bytes", CheckStatus::Failed, reason),
    }
    report.rows = sheets.last().map_or(0, LineTable::lines) as u64;
    let shown = match ClassedTables::new(&claim, sheets) {
        Ok(shown) => shown,
        Err(reason) => {
            report.note("groups", CheckStatus::Failed, reason);
            report.skip(&["columns"], "groups are not as they must be");
            report.skip(AFTER_COLUMNS, "groups are not as they must be");
            return Ok(report);
        }
    };
    report.classes = shown.classes as u64;
    if claim.form == ReleaseForm::Anatomy {
        let groups = counted(report.classes, "group", "groups");
        report.note("groups", CheckStatus::Passed, format!("{groups}, of the same sizes in both tables"));
    }
    report.settle("columns", check_numbers(&claim, manifest, &shown));
    examine(&claim, &shown, Some(manifest), inputs, &mut report)?;
    Ok(report)
}

/// What the manifest says of how the release was made, which nobody can see from the release.
fn not_checked(manifest: &Manifest) -> String {
    let mechanism = &manifest.mechanism;
    let promise = mechanism.promise.map_or_else(String::new, |promise| format!(" and the promise `{promise}`"));
    format!("`{}`{promise} are what the manifest says; the groups were not made again", mechanism.publisher)
}

/// Verifies a table of which `declared` says what it is, or that cannot be read for this reason.
///
/// # Errors
/// When what `inputs` has cannot be read. All else is a check that failed.
pub fn verify_table(
    table: Result<NamedTable, String>,
    declared: &DeclaredTable,
    inputs: &VerificationInputs<'_>,
) -> Result<VerificationReport> {
    let mut claim = ReleaseClaim::of_declared(declared, 0);
    let mut report = VerificationReport::default();
    report.skip(&["files"], "a table of another tool has no manifest");
    let mut suppressed = 0;
    let read = table.map(LineTable::new).and_then(|sheet| {
        let Some(mark) = &declared.suppressed else { return ClassedTables::new(&claim, vec![sheet]) };
        let (sheet, marked) = sheet.without(mark, claim.quasi())?;
        suppressed = marked;
        ClassedTables::new(&claim, vec![sheet])
    });
    let shown = match read {
        Ok(shown) => shown,
        Err(reason) => {
            report.note("columns", CheckStatus::Failed, reason);
            report.skip(AFTER_COLUMNS, "the columns are not as declared");
            return Ok(report);
        }
    };
    claim = ReleaseClaim::of_declared(declared, suppressed);
    (report.rows, report.classes) = (shown.rows() as u64, shown.classes as u64);
    let columns = counted(claim.columns.len() as u64, "column", "columns");
    let beside = shown.plain_sheet().table.columns().len().saturating_sub(claim.columns.len());
    report.note("columns", CheckStatus::Passed, format!("{columns} as declared, {beside} ignored"));
    if declared.suppressed.is_some() {
        let lines = counted(suppressed, "line", "lines");
        let are = are(suppressed);
        let detail =
            format!("{lines} with the mark in all quasi columns {are} left out; what else they show is not judged");
        report.note("suppressed", CheckStatus::Passed, detail);
    }
    examine(&claim, &shown, None, inputs, &mut report)?;
    Ok(report)
}

/// Makes the checks that look into cells.
fn examine(
    claim: &ReleaseClaim,
    shown: &ClassedTables,
    manifest: Option<&Manifest>,
    inputs: &VerificationInputs<'_>,
    report: &mut VerificationReport,
) -> Result<()> {
    let Read { quasi, covers, plain } = match read_cells(claim, shown) {
        Ok(read) => read,
        Err(reason) => {
            report.note("notation", CheckStatus::Failed, reason);
            report.skip(&AFTER_COLUMNS[1..], "cells cannot be read");
            return Ok(());
        }
    };
    let cells = counted((claim.columns.len() as u64) * report.rows, "cell", "cells");
    report.note("notation", CheckStatus::Passed, format!("{cells} are of their columns' types"));
    let open = privacy::check(claim, shown, &plain, report);
    match manifest {
        Some(manifest) => {
            let stated = privacy::check_stated(manifest, claim, &report.measured, &open);
            report.settle("measured", stated);
            let order = check_order(claim, shown, (&quasi, &covers, &plain));
            report.settle("canonical order", order);
        }
        None => report.skip(&["measured", "canonical order"], "not claimed by a table of another tool"),
    }
    let rosters: Vec<_> = claim.principles.iter().filter_map(|(id, args)| make(id, args).ok()).collect();
    let by = rosters.iter().filter_map(|principle| principle.roster()).map(|roster| roster.column.as_str());
    let found = source::check(claim, shown, (&quasi, &plain), by.collect(), inputs, report)?;
    privacy::settle(&open, claim, found.as_ref(), (shown, &plain), report);
    Ok(())
}

/// The distinct cells of a release, read once.
struct Read {
    /// Quasi columns that are released as they are, or as a statistic.
    quasi: Vec<ExactColumn>,
    /// The other quasi columns.
    covers: Vec<QuasiCells>,
    /// Sensitive and kept columns.
    plain: Vec<ExactColumn>,
}

/// Reads every distinct cell; quasi values as such only where they are released as they are.
fn read_cells(claim: &ReleaseClaim, shown: &ClassedTables) -> Result<Read, String> {
    let place = |sheet: &LineTable, raw, name: &str, (cell, why): ColumnFault| match cell {
        Some(cell) => format!("{}: {why}", sheet.place(raw, cell)),
        None => format!("column `{name}`: {why}"),
    };
    let (mut quasi, mut covers) = (Vec::new(), Vec::new());
    for (column, raw) in claim.quasi().zip(shown.quasi_columns()) {
        let read = match claim.form {
            ReleaseForm::Anatomy => ExactColumn::read(claim, column, raw).map(|exact| quasi.push(exact)),
            ReleaseForm::Statistics => statistics::read(claim, column, raw).map(|exact| quasi.push(exact)),
            ReleaseForm::Boxes | ReleaseForm::Labels | ReleaseForm::Foreign => {
                QuasiCells::read(claim, column, raw.distinct(), None).map(|cells| covers.push(cells))
            }
        };
        read.map_err(|fault| place(shown.quasi_sheet(), raw, &column.name, fault))?;
    }
    let plain = claim.plain().zip(shown.plain_columns()).map(|(column, raw)| {
        ExactColumn::read(claim, column, raw).map_err(|fault| place(shown.plain_sheet(), raw, &column.name, fault))
    });
    Ok(Read { quasi, covers, plain: plain.collect::<Result<_, String>>()? })
}

/// Checks the numbers of rows and classes.
fn check_numbers(claim: &ReleaseClaim, manifest: &Manifest, shown: &ClassedTables) -> Result<String, String> {
    for sheet in [shown.quasi_sheet(), shown.plain_sheet()] {
        let (found, stated) = (sheet.lines() as u64, manifest.rows);
        if found != stated {
            return Err(format!(
                "`{}` has {}, the manifest states {stated}",
                sheet.file,
                counted(found, "row", "rows")
            ));
        }
    }
    let (found, stated) = (shown.classes as u64, manifest.classes);
    if found != stated {
        return Err(format!("the release has {}, the manifest states {stated}", counted(found, "class", "classes")));
    }
    let columns = counted(claim.columns.len() as u64, "column", "columns");
    let (rows, classes) = (counted(manifest.rows, "row", "rows"), counted(found, "class", "classes"));
    Ok(format!("{columns}, {rows} and {classes} as stated"))
}

fn check_order(
    claim: &ReleaseClaim,
    shown: &ClassedTables,
    (quasi, covers, plain): (&[ExactColumn], &[QuasiCells], &[ExactColumn]),
) -> Result<String, String> {
    let mut pairs = shown.plain_columns().into_iter().zip(plain).collect::<Vec<_>>();
    if claim.form == ReleaseForm::Statistics {
        // Cells have an order of their own, so that classes have one too.
        pairs.splice(..0, shown.quasi_columns().into_iter().zip(quasi));
        order::check_all(shown.plain_sheet(), &pairs)?;
        return Ok("lines are in the order of what they show".to_owned());
    }
    order::check(shown.plain_sheet(), shown.plain_class(), &pairs)?;
    if !quasi.is_empty() {
        let pairs = shown.quasi_columns().into_iter().zip(quasi).collect::<Vec<_>>();
        order::check(shown.quasi_sheet(), shown.quasi_class(), &pairs)?;
    }
    classes::check(claim, shown, covers, (quasi, plain))?;
    let labels = if claim.form == ReleaseForm::Labels { ", as far as labels have one" } else { "" };
    Ok(format!("classes, and the lines of a class, are in the order of what they show{labels}"))
}
