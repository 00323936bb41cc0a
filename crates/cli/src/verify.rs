//! `pellucid verify`: an independent check of a release, ours or another tool's.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use pellucid_io::ReadOptions;
use pellucid_io::verify::{VerifyOptions, verify_release, verify_table};
use pellucid_model::error::{Error, Result};
use pellucid_model::words::counted;
use pellucid_verify::{CheckStatus, VerificationReport};
use serde_json::{Map, Value, json};

use crate::CommandEnding;
use crate::foreign::ForeignOptions;
use crate::terminal::UserTerminal;

/// Check a release independently: a folder that `publish` wrote, or a table that another tool made
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        pellucid verify release\n  \
        pellucid verify release --source patients.csv --json\n  \
        pellucid verify theirs.csv --quasi age,zip --sensitive disease --type age=integer \\\n    \
            --principle frequency-l-diversity:l=3 --principle k-anonymity:k=5 --source patients.csv\n  \
        pellucid verify theirs.csv --quasi zip --hierarchy zip=zip.csv --principle k-anonymity:k=5\n\n\
        Exit status: 0 every check passed or was skipped, 4 a check failed or could not be decided, 2 bad usage or input.")]
pub struct VerifyArguments {
    /// A release folder, or a table that another tool made (CSV, TSV, Parquet or Arrow)
    path: PathBuf,
    /// The private table that the release was made from; without it, only the release itself is checked
    #[arg(long, value_name = "FILE")]
    source: Option<PathBuf>,
    /// What separates the cells of the source; detected when left out
    #[arg(long, value_name = "CHARACTER", requires = "source")]
    source_separator: Option<char>,
    /// The private list of which row became which line; of a folder PATH, by default the one in PATH-private
    #[arg(long, value_name = "FILE", requires = "source")]
    assignment: Option<PathBuf>,
    /// Do not use the list in PATH-private: find out whether rows can be placed on lines at all; for a source whose rows are in
    /// another order than they were published in
    #[arg(long, requires = "source", conflicts_with = "assignment")]
    without_assignment: bool,
    #[command(flatten)]
    foreign: ForeignOptions,
}

pub fn run(arguments: &VerifyArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    let path = &arguments.path;
    for given in [&arguments.source, &arguments.assignment].into_iter().flatten() {
        if !given.is_file() {
            let kind = if given.is_dir() { std::io::ErrorKind::IsADirectory } else { std::io::ErrorKind::NotFound };
            return Err(Error::io(given.display(), kind.into()));
        }
    }
    let options = VerifyOptions {
        source: arguments.source.clone(),
        source_read: ReadOptions { format: None, separator: arguments.source_separator },
        assignment: arguments.assignment.clone(),
        without_assignment: arguments.without_assignment,
        ..VerifyOptions::default()
    };
    terminal.progress("checking the release");
    let report = if path.is_dir() {
        if let Some(option) = arguments.foreign.first_given() {
            return Err(Error::invalid(format!(
                "{option} describes a table of another tool, but `{}` is a folder; leave it out, the manifest says it",
                path.display()
            )));
        }
        verify_release(path, &options)?
    } else if path.exists() {
        verify_table(path, &arguments.foreign.read_options(), arguments.foreign.declared()?, Path::new("."), &options)?
    } else {
        return Err(Error::io(path.display(), std::io::ErrorKind::NotFound.into()));
    };
    if terminal.wants_json() {
        terminal.json(&report_json(&report)?)?;
    } else {
        terminal.text(&report_text(&report))?;
    }
    Ok(if report.passed() { CommandEnding::Done } else { CommandEnding::NotPassed })
}

/// What a verification can know and what it cannot.
const SCOPE: &str = "This checks the files against what they say of themselves, and against the source where one is given. It cannot know \
                     who made them, nor that the algorithm they name made the groups.";

fn report_json(report: &VerificationReport) -> Result<Value> {
    let mut object =
        Map::from_iter([("scope".to_owned(), json!(SCOPE)), ("passed".to_owned(), json!(report.passed()))]);
    match serde_json::to_value(report) {
        Ok(Value::Object(fields)) => object.extend(fields),
        _ => return Err(Error::new(pellucid_model::error::ErrorKind::Internal, "cannot write the report as JSON")),
    }
    Ok(Value::Object(object))
}

fn report_text(report: &VerificationReport) -> String {
    let mut text = format!("{SCOPE}\n");
    for check in &report.checks {
        let _ = writeln!(text, "{:<11} {:<16} {}", label(check.status), check.name, check.detail);
    }
    let classes = counted(report.classes, "equivalence class", "equivalence classes");
    let _ = writeln!(text, "Rows: {}, in {classes}.", report.rows);
    for measured in &report.measured {
        let _ = writeln!(text, "{}.", measured.label());
    }
    let count = |status: CheckStatus| report.checks.iter().filter(|check| check.status == status).count();
    let (failed, undecided) = (count(CheckStatus::Failed), count(CheckStatus::Undecided));
    let _ = if report.passed() {
        let passed = counted(count(CheckStatus::Passed), "check", "checks");
        writeln!(text, "Verified: {passed} passed, {} skipped.", count(CheckStatus::Skipped))
    } else {
        let failed = counted(failed, "check", "checks");
        writeln!(text, "NOT VERIFIED: {failed} failed, {undecided} could not be decided.")
    };
    text
}

fn label(status: CheckStatus) -> &'static str {
    match status {
        CheckStatus::Passed => "passed",
        CheckStatus::Failed => "FAILED",
        CheckStatus::Skipped => "skipped",
        CheckStatus::Undecided => "UNDECIDED",
        CheckStatus::NotChecked => "NOT CHECKED",
    }
}
