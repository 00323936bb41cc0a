//! `pellucid hierarchy build`: a hierarchy file from the values of one column.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use pellucid_io::replace_file;
use pellucid_model::error::{Error, Result};
use pellucid_model::hierarchy::{
    BalancedGroups, BorderIntervals, CharacterMask, DatePart, DateTruncation, Hierarchy, HierarchySpec, LabelFile,
    MaskSide, WidthIntervals,
};
use pellucid_model::table::{Column, ColumnType};
use pellucid_model::words::counted;
use serde_json::{Value, json};

use super::{Reading, numbers};
use crate::CommandEnding;
use crate::numbers::whole;
use crate::terminal::UserTerminal;

/// Build a hierarchy file from the values of a column
///
/// The file has a line for every value of the column, with ever coarser labels after it, as ARX uses it. The last label is the
/// same in all lines: `*`, or a mark for each character where masks cover them all. The file becomes part of a release that is made with it: it shows which values occur.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("way").required(true).args(["widths", "borders", "mask", "truncate", "balanced"]),
    after_help = "Examples:\n  \
        pellucid hierarchy build patients.csv --column age --type integer --widths 5,10,20 --out age.csv\n  \
        pellucid hierarchy build patients.csv --column age --type integer --balanced 4 --groups 16\n  \
        pellucid hierarchy build patients.csv --column age --type integer --borders 0,18,40,65,120\n  \
        pellucid hierarchy build patients.csv --column zip --mask suffix --levels 1,2,5\n  \
        pellucid hierarchy build patients.csv --column admitted --truncate month,year --json"
)]
pub struct HierarchyBuildArguments {
    /// The table: CSV, TSV, Parquet or Arrow
    table: PathBuf,
    /// The column whose values are joined
    #[arg(long, value_name = "NAME")]
    column: String,
    #[command(flatten)]
    reading: Reading,
    /// Intervals of these widths, a level each; each a multiple of the one before
    #[arg(long, value_name = "WIDTH,..", value_delimiter = ',', help_heading = "Ways to build")]
    widths: Vec<String>,
    /// Where one of the intervals begins: a number or a date, by default 0
    #[arg(long, value_name = "START", allow_hyphen_values = true, help_heading = "Ways to build")]
    origin: Option<String>,
    /// Intervals from each border to below the next; every value must lie within
    #[arg(
        long,
        value_name = "BORDER,..",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Ways to build"
    )]
    borders: Vec<String>,
    /// Mask characters from the end (suffix) or the start (prefix), a level for each
    #[arg(long, value_name = "SIDE", value_parser = ["suffix", "prefix"], help_heading = "Ways to build")]
    mask: Option<String>,
    /// What masked characters become, by default *
    #[arg(long, value_name = "CHARACTER", help_heading = "Ways to build")]
    character: Option<char>,
    /// The numbers of masked characters that make levels, instead of all
    #[arg(long, value_name = "NUMBER,..", value_delimiter = ',', value_parser = whole::<usize>(..),
          help_heading = "Ways to build")]
    levels: Vec<usize>,
    /// Truncate dates to these units, finest first
    #[arg(long, value_name = "UNIT,..", value_delimiter = ',', value_parser = DatePart::ALL.map(DatePart::as_str),
          help_heading = "Ways to build")]
    truncate: Vec<String>,
    /// Groups with about equally many rows, then join FANOUT neighbours on each level
    #[arg(long, value_name = "FANOUT", value_parser = whole::<usize>(..), help_heading = "Ways to build")]
    balanced: Option<usize>,
    /// How many groups the first balanced level has; by default the largest power of FANOUT that is at most half the number
    /// of values
    #[arg(long, value_name = "NUMBER", value_parser = whole::<usize>(..), help_heading = "Ways to build")]
    groups: Option<usize>,
    /// Where to write the file; without it, to standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace a file that is there
    #[arg(long, requires = "out")]
    overwrite: bool,
    /// What separates the labels of the file
    #[arg(long, value_name = "CHARACTER", default_value_t = ';')]
    separator: char,
}

pub fn run(arguments: &HierarchyBuildArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    let file = LabelFile::new(arguments.out.as_deref().unwrap_or(Path::new("-")));
    let file = file.with_separator(arguments.separator).map_err(|error| error.context("--separator"))?;
    let way = Way::of(arguments)?;
    if let Some(out) = &arguments.out {
        check_place(out, arguments)?;
    }
    terminal.progress("reading the table");
    // Only dates can be truncated, so that nothing is guessed.
    let kind = matches!(way, Way::Rule(HierarchySpec::Truncate(_))).then_some(ColumnType::Date);
    let column = arguments.reading.column(&arguments.table, &arguments.column, kind)?;
    way.check_order(&column, arguments)?;
    // The top level of the file is for missing cells too, which tables to come may have.
    let codes = column.codes().iter().collect();
    let open = Column::new(column.name(), column.role(), column.domain().clone(), true, codes)?;
    terminal.progress("building the hierarchy");
    let hierarchy = way.build(&open)?;
    let text = file.text(&hierarchy, &open);
    if let Some(out) = &arguments.out {
        let fail = |error| Error::io(out.display(), error);
        replace_file(out, |file| file.write_all(text.as_bytes()).map_err(fail))?;
    }
    if terminal.wants_json() {
        terminal.json(&report_json(arguments, &column, &hierarchy, &open))?;
    } else if let Some(out) = &arguments.out {
        terminal.text(&report_text(out, file, &column, &hierarchy))?;
    } else {
        terminal.text(&text)?;
    }
    Ok(CommandEnding::Done)
}

/// Refuses to write over what the user did not mean.
fn check_place(out: &Path, arguments: &HierarchyBuildArguments) -> Result<()> {
    let path = out.display();
    if out.is_file() && !arguments.overwrite {
        return Err(Error::invalid(format!("`{path}` exists; add --overwrite to replace it, or name another file")));
    }
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    if real(out).is_some_and(|place| Some(place) == real(&arguments.table)) {
        return Err(Error::invalid(format!("--out `{path}` is the table itself; name another file")));
    }
    Ok(())
}

/// How the hierarchy is made.
enum Way {
    /// As a job file can say.
    Rule(HierarchySpec),
    /// By how often values occur.
    Balanced(BalancedGroups),
}

impl Way {
    fn of(arguments: &HierarchyBuildArguments) -> Result<Self> {
        for (stray, option, way) in [
            (arguments.origin.is_some() && arguments.widths.is_empty(), "--origin", "--widths"),
            (arguments.character.is_some() && arguments.mask.is_none(), "--character", "--mask"),
            (!arguments.levels.is_empty() && arguments.mask.is_none(), "--levels", "--mask"),
            (arguments.groups.is_some() && arguments.balanced.is_none(), "--groups", "--balanced"),
        ] {
            if stray {
                return Err(Error::invalid(format!("{option} belongs to {way}; leave it out or build with {way}")));
            }
        }
        if let Some(fanout) = arguments.balanced {
            let balanced = BalancedGroups::new(fanout).map_err(|error| error.context("--balanced"))?;
            let Some(groups) = arguments.groups else { return Ok(Self::Balanced(balanced)) };
            return balanced.with_groups(groups).map(Self::Balanced).map_err(|error| error.context("--groups"));
        }
        let rule = if let Some(side) = &arguments.mask {
            mask(side, arguments).map(HierarchySpec::Mask)
        } else if !arguments.widths.is_empty() {
            let origin = arguments.origin.as_deref().unwrap_or("0");
            WidthIntervals::new(&arguments.widths, origin).map(HierarchySpec::Widths)
        } else if !arguments.borders.is_empty() {
            BorderIntervals::new(&arguments.borders).map(HierarchySpec::Borders)
        } else {
            let known = |word: &String| DatePart::ALL.into_iter().find(|part| part.as_str() == word);
            DateTruncation::new(arguments.truncate.iter().filter_map(known).collect()).map(HierarchySpec::Truncate)
        };
        rule.map(Self::Rule)
    }

    /// Whether the values are ordered by what they are, refused when that is left open.
    fn check_order(&self, column: &Column, arguments: &HierarchyBuildArguments) -> Result<()> {
        let way = match self {
            Self::Balanced(_) => "--balanced",
            Self::Rule(HierarchySpec::Widths(_)) => "--widths",
            Self::Rule(HierarchySpec::Borders(_)) => "--borders",
            Self::Rule(_) => return Ok(()),
        };
        if column.domain().kind() != ColumnType::Category || arguments.reading.kind.is_some() {
            return Ok(());
        }
        let (name, words) =
            (column.name(), if way == "--balanced" { ", or category for words by their bytes" } else { "" });
        Err(Error::invalid(format!(
            "column `{name}` was read as words, but {way} goes by the order of values; say what they are with --type integer, \
             decimal or date{words}"
        )))
    }

    fn build(&self, column: &Column) -> Result<Hierarchy> {
        match self {
            Self::Rule(rule) => rule.build(column, Path::new("")),
            Self::Balanced(balanced) => balanced.build(column),
        }
    }
}

fn mask(side: &str, arguments: &HierarchyBuildArguments) -> Result<CharacterMask> {
    let mut mask = CharacterMask::new(if side == "prefix" { MaskSide::Prefix } else { MaskSide::Suffix });
    if let Some(character) = arguments.character {
        mask = mask.with_character(character);
    }
    if arguments.levels.is_empty() { Ok(mask) } else { mask.with_levels(arguments.levels.clone()) }
}

/// For every level the number of groups, and the rows of the smallest and the largest; missing cells are left out.
fn levels(column: &Column, hierarchy: &Hierarchy) -> Vec<Vec<usize>> {
    let histogram = column.histogram();
    let of_level = |level: usize| {
        let mut rows = vec![0; hierarchy.nodes(level)];
        for code in 0..column.domain().len() as u32 {
            rows[hierarchy.node(level, code) as usize] += histogram.count(code) as usize;
        }
        // Where missing cells are a group of their own it is empty here.
        rows.retain(|&rows| rows > 0);
        let (smallest, largest) = (rows.iter().min(), rows.iter().max());
        vec![level, rows.len(), smallest.copied().unwrap_or(0), largest.copied().unwrap_or(0)]
    };
    (0..hierarchy.levels()).map(of_level).collect()
}

fn missing_cells(column: &Column) -> usize {
    column.missing().map_or(0, |code| column.histogram().count(code) as usize)
}

fn report_text(out: &Path, file: LabelFile, column: &Column, hierarchy: &Hierarchy) -> String {
    let (path, name) = (out.display(), column.name());
    let values = counted(column.domain().len(), "value", "values");
    let mut text = format!("{path}: {values} of column `{name}`, {}\n", counted(hierarchy.levels(), "level", "levels"));
    text.push_str(&numbers(&["level", "groups", "fewest rows", "most rows"], &levels(column, hierarchy)));
    let missing = missing_cells(column);
    if missing > 0 {
        let missing = counted(missing, "missing cell", "missing cells");
        let _ = writeln!(text, "{missing} without a line of their own; the top level joins them with the others.");
    }
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    let key = if name.bytes().all(is_bare) { name.to_owned() } else { toml::Value::from(name).to_string() };
    let written = match HierarchySpec::File(file).to_value() {
        Value::Object(keys) => {
            let pairs = keys.iter().map(|(key, value)| format!("{key} = {value}"));
            format!("{{ {} }}", pairs.collect::<Vec<String>>().join(", "))
        }
        path => path.to_string(),
    };
    let kind = column.domain().kind();
    let _ = writeln!(text, "In a job: {key} = {{ role = \"quasi\", type = \"{kind}\", hierarchy = {written} }}");
    text
}

fn report_json(arguments: &HierarchyBuildArguments, column: &Column, hierarchy: &Hierarchy, open: &Column) -> Value {
    let level =
        |row: Vec<usize>| json!({ "level": row[0], "groups": row[1], "fewest_rows": row[2], "most_rows": row[3] });
    let mut report = json!({
        "column": column.name(),
        "type": column.domain().kind().as_str(),
        "rows": column.codes().len(),
        "values": column.domain().len(),
        "missing": missing_cells(column),
        "levels": levels(column, hierarchy).into_iter().map(level).collect::<Vec<Value>>(),
        "file": arguments.out,
    });
    if arguments.out.is_none() {
        report["lines"] = json!(hierarchy.lines(open).collect::<Vec<_>>());
    }
    report
}
