//! `pellucid hierarchy check`: everything that is wrong or doubtful in a hierarchy file.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::hierarchy::{FileCoverage, FileReport, FindingSeverity};
use pellucid_model::table::ColumnType;
use pellucid_model::words::counted;
use serde_json::{Map, Value, json};

use super::{Reading, Source, numbers};
use crate::CommandEnding;
use crate::terminal::UserTerminal;

/// Findings that are printed as text; all of them are in the JSON.
const SHOWN: usize = 50;

/// Check a hierarchy file, by itself or against a column of a table
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        pellucid hierarchy check age.csv\n  \
        pellucid hierarchy check zip.csv --separator , --json\n  \
        pellucid hierarchy check age.csv --table patients.csv --column age --type integer\n\n\
        Exit status: 0 a job takes the file, perhaps with warnings; 4 the check found errors; 2 bad usage, or a file that \
        cannot be read.")]
pub struct HierarchyCheckArguments {
    #[command(flatten)]
    source: Source,
    /// The table whose values the file must have
    #[arg(long, value_name = "FILE", requires = "column")]
    table: Option<PathBuf>,
    /// The column of the table
    #[arg(long, value_name = "NAME", requires = "table")]
    column: Option<String>,
    #[command(flatten)]
    reading: Reading,
}

pub fn run(arguments: &HierarchyCheckArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    let file = arguments.source.labels()?;
    let column = match (&arguments.table, &arguments.column) {
        (Some(table), Some(name)) => {
            terminal.progress("reading the table");
            Some(arguments.reading.column(table, name, None)?)
        }
        _ => match arguments.reading.about_cells() {
            Some(option) => return Err(Error::invalid(format!("{option} is about a table; name it with --table"))),
            None => None,
        },
    };
    terminal.progress("checking the hierarchy");
    let kind = arguments.reading.kind.unwrap_or(ColumnType::Category);
    let report = file.check(Path::new(""), kind, column.as_ref())?;
    if terminal.wants_json() {
        terminal.json(&report_json(&arguments.source.file, &report)?)?;
    } else {
        terminal.text(&report_text(&arguments.source.file, arguments.table.as_deref(), &report))?;
    }
    Ok(if report.passed() { CommandEnding::Done } else { CommandEnding::NotPassed })
}

fn report_json(file: &Path, report: &FileReport) -> Result<Value> {
    let mut object = Map::from_iter([("file".to_owned(), json!(file)), ("passed".to_owned(), json!(report.passed()))]);
    match serde_json::to_value(report) {
        Ok(Value::Object(fields)) => object.extend(fields),
        _ => return Err(Error::new(ErrorKind::Internal, "cannot write the report as JSON")),
    }
    Ok(Value::Object(object))
}

fn report_text(file: &Path, table: Option<&Path>, report: &FileReport) -> String {
    let (values, levels) = (counted(report.values, "value", "values"), counted(report.groups.len(), "level", "levels"));
    let mut text = format!("{}: {values}, {levels}\n", file.display());
    let rows: Vec<Vec<usize>> = report.groups.iter().enumerate().map(|(level, &groups)| vec![level, groups]).collect();
    text.push_str(&numbers(&["level", "groups"], &rows));
    for finding in report.findings.iter().take(SHOWN) {
        let _ = writeln!(text, "{}: {}", label(finding.severity), finding.message);
    }
    if let Some(more) = report.findings.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        let _ = writeln!(text, "and {more} more; --json lists all");
    }
    if let (Some(table), Some(coverage)) = (table, &report.coverage) {
        text.push_str(&coverage_text(table, coverage));
    }
    let (errors, warnings) = (report.count(FindingSeverity::Error), report.count(FindingSeverity::Warning));
    let (errors, warnings) = (counted(errors, "error", "errors"), counted(warnings, "warning", "warnings"));
    let _ = if report.passed() {
        writeln!(text, "A job takes this file: {errors}, {warnings}.")
    } else {
        writeln!(text, "A JOB REFUSES THIS FILE: {errors}, {warnings}.")
    };
    text
}

fn coverage_text(table: &Path, coverage: &FileCoverage) -> String {
    let FileCoverage { column, rows, values, lacking, unused, missing, .. } = coverage;
    let (values, rows) = (counted(*values, "value", "values"), counted(*rows, "row", "rows"));
    let lacking = if *lacking == 0 { "all in the file".to_owned() } else { format!("{lacking} not in the file") };
    let unused = counted(*unused, "value", "values");
    let mut text = format!(
        "{}, column `{column}`: {values} in {rows}, {lacking}; {unused} of the file not in the column\n",
        table.display()
    );
    if *missing > 0 {
        let missing = counted(*missing, "missing cell", "missing cells");
        let _ = writeln!(
            text,
            "{missing}, which the top level joins with the others; a job wants on_missing = \"category\""
        );
    }
    text
}

fn label(severity: FindingSeverity) -> &'static str {
    match severity {
        FindingSeverity::Error => "error",
        FindingSeverity::Warning => "warning",
        FindingSeverity::Note => "note",
    }
}
