//! What is wrong with a hierarchy file: every problem that would make a job refuse it, with its line, and what it lacks of
//! a column. What is merely doubtful is found in `warnings.rs`.

use std::path::Path;

use hashbrown::{HashMap, HashSet};
use serde::Serialize;

use super::LabelFile;
use super::leaves::{LeafIndex, remedy};
use super::warnings::{alike, warnings};
use crate::error::Result;
use crate::table::{Column, ColumnType};
use crate::words::{counted, part_of_values};

/// Rows of a table that are named in a finding.
const NAMED_ROWS: usize = 5;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingSeverity {
    /// A job refuses the file.
    Error,
    /// A job takes the file, but it may not say what was meant.
    Warning,
    /// Good to know.
    Note,
}

/// One thing found in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HierarchyFinding {
    /// How much it matters.
    pub severity: FindingSeverity,
    /// Which check found it, a word for programs.
    pub rule: &'static str,
    /// The lines of the file that it is about, from 1.
    pub lines: Vec<usize>,
    /// What was found and what to do, for people. It may hold labels of the file, never a value of a table.
    pub message: String,
}

impl HierarchyFinding {
    pub(super) fn new(
        severity: FindingSeverity,
        rule: &'static str,
        lines: Vec<usize>,
        message: impl Into<String>,
    ) -> Self {
        Self { severity, rule, lines, message: message.into() }
    }
}

/// How a file and a column go together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileCoverage {
    /// The column's name.
    pub column: String,
    /// Rows of the table.
    pub rows: usize,
    /// Distinct values of the column, missing cells left out.
    pub values: usize,
    /// How many of these the file lacks.
    pub lacking: usize,
    /// In how many rows these stand.
    pub lacking_rows: usize,
    /// The first few of these rows, from 1.
    pub first_rows: Vec<usize>,
    /// How many of the lacking values differ from one of the file in case and blanks only.
    pub nearly: usize,
    /// Values of the file that the column does not have.
    pub unused: usize,
    /// Missing cells of the column.
    pub missing: usize,
}

/// All that was found in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileReport {
    /// Values that the file lists.
    pub values: usize,
    /// Groups on each level, level 0 being the values; a level that is added on top is counted.
    pub groups: Vec<usize>,
    /// Errors first, then warnings, then notes; each in the order of lines, what is about no line last.
    pub findings: Vec<HierarchyFinding>,
    /// How the file fits the column, when one was given.
    pub coverage: Option<FileCoverage>,
}

impl FileReport {
    /// How many findings of `severity` there are.
    pub fn count(&self, severity: FindingSeverity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }

    /// Whether a job takes the file.
    pub fn passed(&self) -> bool {
        self.count(FindingSeverity::Error) == 0
    }
}

/// The lines of a file that hold a value of their own and a label for every level.
#[derive(Default)]
pub(super) struct FileContent {
    /// All values of the file, also those of other lines.
    pub listed: Vec<String>,
    /// Where each stands in the file, from 1.
    pub lines: Vec<usize>,
    /// The value of each.
    pub values: Vec<String>,
    /// Levels 1 and up.
    pub levels: Vec<LevelLabels>,
}

/// One level of the lines.
#[derive(Default)]
pub(super) struct LevelLabels {
    /// Distinct labels in the order of their first line.
    pub labels: Vec<String>,
    /// The label of each line, as an index.
    pub of: Vec<u32>,
    index: HashMap<String, u32>,
}

impl LevelLabels {
    fn push(&mut self, label: &str) {
        let labels = &mut self.labels;
        let at = *self.index.entry_ref(label).or_insert_with(|| {
            labels.push(label.to_owned());
            labels.len() as u32 - 1
        });
        self.of.push(at);
    }

    /// For each label the first line that has it.
    pub fn first(&self) -> Vec<usize> {
        let mut first = vec![usize::MAX; self.labels.len()];
        for (at, &label) in self.of.iter().enumerate() {
            let slot = &mut first[label as usize];
            *slot = (*slot).min(at);
        }
        first
    }

    /// For each label how many lines have it.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.labels.len()];
        for &label in &self.of {
            sizes[label as usize] += 1;
        }
        sizes
    }
}

impl LabelFile {
    /// Checks the file, and whether it has every value of `column`; a relative path is relative to `base_dir`.
    ///
    /// Values are compared as those of a column of `kind`, or of the column's own kind.
    ///
    /// # Guarantee
    /// There are no errors exactly when a job takes the file for such a column.
    ///
    /// # Errors
    /// When the file cannot be read or is not UTF-8.
    pub fn check(&self, base_dir: &Path, kind: ColumnType, column: Option<&Column>) -> Result<FileReport> {
        self.check_bytes(&self.read(base_dir)?, kind, column)
    }

    pub(super) fn check_bytes(&self, bytes: &[u8], kind: ColumnType, column: Option<&Column>) -> Result<FileReport> {
        let kind = column.map_or(kind, |column| column.domain().kind());
        let mut findings = Vec::new();
        let mut index = LeafIndex::new(kind);
        let lines = self.usable_lines(self.decoded(bytes)?, &mut index, &mut findings)?;
        // Doubts about the whole make no sense where lines are left out.
        let complete = not_nested(&lines, &mut findings) && findings.is_empty();
        let coverage = column.map(|column| {
            let coverage = cover(&index, &lines, column);
            findings.extend(uncovered(&coverage, kind));
            coverage
        });
        let mut groups: Vec<usize> = vec![lines.listed.len()];
        groups.extend(lines.levels.iter().map(|level| level.labels.len()));
        let needs_top = groups[groups.len() - 1] > 1;
        warnings(&lines, self.separator(), complete, needs_top, &mut findings);
        if needs_top {
            groups.push(1);
        }
        findings.sort_by_key(|finding| (finding.severity as u8, finding.lines.first().copied().unwrap_or(usize::MAX)));
        Ok(FileReport { values: lines.listed.len(), groups, findings, coverage })
    }

    /// Reads the lines; those that a job would refuse become findings.
    fn usable_lines(
        &self,
        bytes: &[u8],
        index: &mut LeafIndex,
        findings: &mut Vec<HierarchyFinding>,
    ) -> Result<FileContent> {
        let mut usable = FileContent::default();
        // The line of each listed value.
        let mut listed: Vec<usize> = Vec::new();
        let error = |rule, lines, message: String| HierarchyFinding::new(FindingSeverity::Error, rule, lines, message);
        let mut counter = LineCounter { bytes, at: 0, line: 1 };
        let mut reader = self.records(bytes);
        let mut record = csv::StringRecord::new();
        let mut first = None;
        loop {
            let start = reader.position().byte() as usize;
            let more = reader.read_record(&mut record);
            let line = counter.line_at(start);
            if !more.map_err(|_| self.error(format!("cannot be read at line {line}; save the file as UTF-8 text")))? {
                break;
            }
            let repeats = index.push(&record[0]).err().map(|earlier| listed[earlier]);
            if let Some(earlier) = repeats {
                let message = format!("lines {earlier} and {line} list the same value; remove one");
                findings.push(error("twice", vec![line, earlier], message));
            } else {
                listed.push(line);
                usable.listed.push(record[0].to_owned());
            }
            let (first_line, columns) = *first.get_or_insert((line, record.len()));
            if first_line == line {
                usable.levels.resize_with(columns - 1, LevelLabels::default);
            }
            if record.len() != columns {
                let found = counted(record.len(), "column", "columns");
                let message =
                    format!("line {line} has {found} but line {first_line} has {columns}; give every line as many");
                findings.push(error("columns", vec![line, first_line], message));
            } else if let Some(level) = (1..columns).find(|&level| record[level].is_empty()) {
                let message = format!("line {line} has no label for level {level}; write one");
                findings.push(error("empty-label", vec![line], message));
            } else if repeats.is_none() {
                usable.lines.push(line);
                usable.values.push(record[0].to_owned());
                for (label, level) in record.iter().skip(1).zip(&mut usable.levels) {
                    level.push(label);
                }
            }
        }
        if first.is_none() {
            let message = "the file is empty; write one line per value, coarser labels after the value";
            findings.push(error("empty", Vec::new(), message.to_owned()));
        }
        Ok(usable)
    }
}

/// Counts lines along ever higher offsets; lines end with `\n`, `\r\n` or `\r`.
struct LineCounter<'b> {
    bytes: &'b [u8],
    /// A byte that ends no line, or the end.
    at: usize,
    line: usize,
}

impl LineCounter<'_> {
    /// The line of the first byte at or after `offset` that ends no line.
    fn line_at(&mut self, offset: usize) -> usize {
        let is_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
        let skipped = self.bytes[offset..].iter().take_while(is_end).count();
        let passed = &self.bytes[self.at..offset + skipped];
        let ends = passed.iter().enumerate().filter(|&(at, &byte)| match byte {
            b'\n' => true,
            b'\r' => passed.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        self.line += ends.count();
        self.at = offset + skipped;
        self.line
    }
}

/// Finds labels whose lines part again one level up, each other label there once; says whether there are none.
fn not_nested(lines: &FileContent, findings: &mut Vec<HierarchyFinding>) -> bool {
    let before = findings.len();
    for (level, pair) in (1..).zip(lines.levels.windows(2)) {
        let (below, above) = (&pair[0], &pair[1]);
        let first = below.first();
        let mut seen = HashSet::new();
        for (at, (&label, &upper)) in below.of.iter().zip(&above.of).enumerate() {
            let earlier = first[label as usize];
            if upper != above.of[earlier] && seen.insert((label, upper)) {
                let (one, other, name) = (lines.lines[earlier], lines.lines[at], &below.labels[label as usize]);
                let message = format!(
                    "lines {one} and {other} share the label `{name}` of level {level} but not that of level {}; rename one \
                     of the labels",
                    level + 1
                );
                findings.push(HierarchyFinding::new(FindingSeverity::Error, "not-nested", vec![one, other], message));
            }
        }
    }
    findings.len() == before
}

/// Holds the values of `column` against those of the file.
fn cover(index: &LeafIndex, lines: &FileContent, column: &Column) -> FileCoverage {
    let values = column.domain().len();
    let mut used = HashSet::new();
    let mut lacks = vec![false; column.cardinality()];
    let near: HashSet<String> = lines.listed.iter().map(|value| alike(value)).collect();
    let mut nearly = 0;
    for code in 0..values as u32 {
        let text = column.text(code);
        if let Some(leaf) = index.find(&text) {
            used.insert(leaf);
        } else {
            lacks[code as usize] = true;
            nearly += usize::from(near.contains(&alike(&text)));
        }
    }
    let lacking_rows = || (1..).zip(column.codes()).filter(|&(_, code)| lacks[code as usize]).map(|(row, _)| row);
    FileCoverage {
        column: column.name().to_owned(),
        rows: column.codes().len(),
        values,
        lacking: lacks.iter().filter(|&&lacks| lacks).count(),
        lacking_rows: lacking_rows().count(),
        first_rows: lacking_rows().take(NAMED_ROWS).collect(),
        nearly,
        unused: lines.listed.len() - used.len(),
        missing: column.missing().map_or(0, |code| column.histogram().count(code) as usize),
    }
}

/// What the file lacks of a column, if anything; rows are named, values never.
fn uncovered(coverage: &FileCoverage, kind: ColumnType) -> Option<HierarchyFinding> {
    if coverage.lacking == 0 {
        return None;
    }
    let FileCoverage { column, values, lacking, lacking_rows, first_rows, nearly, .. } = coverage;
    let rows: Vec<String> = first_rows.iter().map(usize::to_string).collect();
    let (rows, more) = (rows.join(", "), if *lacking_rows > first_rows.len() { " .." } else { "" });
    let word = if *lacking_rows == 1 { "row" } else { "rows" };
    let part = part_of_values(*lacking, *values);
    let nearly = match nearly {
        0 => String::new(),
        near => format!(", {near} of them only by case or blanks"),
    };
    let remedy = remedy(kind);
    let message = format!("the file lacks {part} of column `{column}`{nearly}, in {word} {rows}{more}; {remedy}");
    Some(HierarchyFinding::new(FindingSeverity::Error, "lacking", Vec::new(), message))
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
