//! `pellucid hierarchy`: files of hierarchies built from a table, checked and shown; one file a command.

mod build;
mod check;
mod show;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use pellucid_io::{ReadOptions, read_header, read_table};
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::hierarchy::LabelFile;
use pellucid_model::registry::did_you_mean;
use pellucid_model::table::schema::{ColumnSpec, OnMissing, TableSchema};
use pellucid_model::table::{Column, ColumnType, Role};

use crate::CommandEnding;
use crate::foreign::{KINDS, kind};
use crate::terminal::UserTerminal;

/// Build, check and show hierarchy files: a line per value, ever coarser labels after it
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        pellucid hierarchy build patients.csv --column age --type integer --widths 5,10,20 --out age.csv\n  \
        pellucid hierarchy check age.csv --table patients.csv --column age --type integer\n  \
        pellucid hierarchy show age.csv --level 1")]
pub struct HierarchyArguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Build(build::HierarchyBuildArguments),
    Check(check::HierarchyCheckArguments),
    Show(show::HierarchyShowArguments),
}

pub fn run(arguments: &HierarchyArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    match &arguments.command {
        Command::Build(arguments) => build::run(arguments, terminal),
        Command::Check(arguments) => check::run(arguments, terminal),
        Command::Show(arguments) => show::run(arguments, terminal),
    }
}

/// How the column of a table is read.
#[derive(Debug, Args)]
struct Reading {
    /// The type of the column's values; without it, words in text files and what they say in typed files
    #[arg(long = "type", value_name = "TYPE", value_parser = kind_parser())]
    kind: Option<ColumnType>,
    /// A spelling of missing cells besides the empty cell; may be given several times
    #[arg(long, value_name = "SPELLING", allow_hyphen_values = true)]
    missing: Vec<String>,
    /// What separates the cells of the table; detected when left out
    #[arg(long, value_name = "CHARACTER")]
    table_separator: Option<char>,
}

fn kind_parser() -> impl TypedValueParser<Value = ColumnType> {
    PossibleValuesParser::new(KINDS.map(ColumnType::as_str)).try_map(|word| kind(&word))
}

impl Reading {
    /// The first option given that makes sense with a table only.
    fn about_cells(&self) -> Option<&'static str> {
        let given = [(!self.missing.is_empty(), "--missing"), (self.table_separator.is_some(), "--table-separator")];
        given.into_iter().find(|(given, _)| *given).map(|(_, option)| option)
    }

    /// Reads the column `name` of the table at `path`, as `kind` unless the user says otherwise; missing cells are allowed.
    fn column(&self, path: &Path, name: &str, kind: Option<ColumnType>) -> Result<Column> {
        let options = ReadOptions { format: None, separator: self.table_separator };
        let header = read_header(path, &options)?;
        if !header.iter().any(|other| other == name) {
            let hint = did_you_mean(name, header.iter().map(String::as_str));
            let message = format!("no column `{name}`{hint}; name one of its first line, or check the separator");
            return Err(Error::new(ErrorKind::UnknownColumn, message).context(path.display()));
        }
        let role = |other: &String| if other == name { Role::Quasi } else { Role::Drop };
        let columns = header
            .iter()
            .map(|other| ColumnSpec { kind: self.kind.or(kind), ..ColumnSpec::new(other.clone(), role(other)) });
        let spellings = self.missing.iter().map(String::as_str).chain([""]);
        let schema = TableSchema::new(columns.collect()).with_missing(spellings).with_on_missing(OnMissing::Category);
        let table = read_table(path, &options, &schema)?;
        table.column(name).cloned()
    }
}

/// A hierarchy file and what separates its labels.
#[derive(Debug, Args)]
struct Source {
    /// The hierarchy file
    file: PathBuf,
    /// What separates the labels of the file
    #[arg(long, value_name = "CHARACTER", default_value_t = ';')]
    separator: char,
}

impl Source {
    fn labels(&self) -> Result<LabelFile> {
        LabelFile::new(&self.file).with_separator(self.separator).map_err(|error| error.context("--separator"))
    }
}

/// A table of numbers, columns right-aligned under their heads.
fn numbers(heads: &[&str], rows: &[Vec<usize>]) -> String {
    let mut text = String::new();
    let width = |at: usize| {
        let widest = rows.iter().map(|row| row[at].to_string().len()).max().unwrap_or(0);
        widest.max(heads[at].len())
    };
    let mut line = |cells: Vec<String>| {
        let aligned = cells.iter().enumerate().map(|(at, cell)| format!("{cell:>0$}", width(at)));
        let _ = writeln!(text, "  {}", aligned.collect::<Vec<String>>().join("  "));
    };
    line(heads.iter().map(|&head| head.to_owned()).collect());
    for row in rows {
        line(row.iter().map(usize::to_string).collect());
    }
    text
}
