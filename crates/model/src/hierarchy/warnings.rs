//! What a job takes in a hierarchy file although it may not say what was meant.

use std::collections::BTreeMap;

use super::ANY;
use super::check::{FileContent, FindingSeverity, HierarchyFinding};

/// What usually separates labels.
const SEPARATORS: [char; 4] = [';', ',', '\t', '|'];

/// `label` without case and superfluous blanks, by which labels are held to look alike.
pub(super) fn alike(label: &str) -> String {
    label.split_whitespace().collect::<Vec<&str>>().join(" ").to_lowercase()
}

/// Adds all warnings and notes about `lines`; `needs_top` says that a level is added, `complete` that there
/// are no errors.
pub(super) fn warnings(
    lines: &FileContent,
    separator: char,
    complete: bool,
    needs_top: bool,
    findings: &mut Vec<HierarchyFinding>,
) {
    let warn = |rule, at: Vec<usize>, message: String| {
        let places = at.into_iter().map(|at| lines.lines[at]).collect();
        HierarchyFinding::new(FindingSeverity::Warning, rule, places, message)
    };
    for (at, value) in lines.values.iter().enumerate() {
        let line = lines.lines[at];
        if value.is_empty() {
            findings.push(warn("no-value", vec![at], format!("line {line} has no value; remove the line")));
        }
        let labels = lines.levels.iter().map(|level| level.labels[level.of[at] as usize].as_str());
        if labels.chain([value.as_str()]).any(|field| field.contains(['\n', '\r'])) {
            let message = format!("line {line} has a field that goes on over several lines; close its quote");
            findings.push(warn("several-lines", vec![at], message));
        }
    }
    for (number, level) in (1..).zip(&lines.levels) {
        let mut spelled: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (label, text) in level.labels.iter().enumerate() {
            spelled.entry(alike(text)).or_default().push(label);
        }
        let first = level.first();
        for labels in spelled.into_values().filter(|labels| labels.len() > 1) {
            let names: Vec<String> = labels.iter().map(|&label| format!("`{}`", level.labels[label])).collect();
            let message = format!(
                "labels of level {number} differ only in case or blanks: {}; write them alike to join them",
                names.join(", ")
            );
            findings.push(warn("look-alike", labels.into_iter().map(|label| first[label]).collect(), message));
        }
    }
    let within = |other: &char| *other != separator && lines.values.iter().all(|value| value.contains(*other));
    if let Some(other) = SEPARATORS.iter().find(|other| within(other)).filter(|_| lines.values.len() > 1) {
        let message = format!(
            "all values hold {}, and `{separator}` was taken to separate labels; if the other does, say so with the separator",
            if *other == '\t' { "a tab".to_owned() } else { format!("`{other}`") }
        );
        findings.push(HierarchyFinding::new(FindingSeverity::Warning, "separator", Vec::new(), message));
    } else if lines.levels.is_empty() && lines.values.len() > 1 {
        let message =
            format!("the lines have a single column; if they should have more, is the separator `{separator}`?");
        findings.push(HierarchyFinding::new(FindingSeverity::Warning, "single-column", Vec::new(), message));
    }
    if !complete {
        return;
    }
    joins_nothing(lines, findings);
    for (label, levels, at) in ambiguous(lines, needs_top) {
        let levels = levels.map(|level| level.to_string()).join(" and ");
        let message = format!("the label `{label}` stands for different values on levels {levels}; rename one of them");
        findings.push(warn("same-label", at, message));
    }
    if needs_top {
        let groups = lines.levels.last().map_or(lines.values.len(), |level| level.labels.len());
        let message = format!("the last level has {groups} groups; a level `{ANY}` that joins them is added");
        findings.push(HierarchyFinding::new(FindingSeverity::Note, "no-top", Vec::new(), message));
    }
}

/// Levels with as many groups as the one below. A last [`ANY`] does join something: missing cells.
fn joins_nothing(lines: &FileContent, findings: &mut Vec<HierarchyFinding>) {
    let mut below = lines.values.len();
    for (number, level) in (1..).zip(&lines.levels) {
        let covers_missing = number == lines.levels.len() && level.labels == [ANY];
        if level.labels.len() == below && !covers_missing {
            let message = format!("level {number} joins nothing more than level {}; remove its column", number - 1);
            findings.push(HierarchyFinding::new(FindingSeverity::Warning, "joins-nothing", Vec::new(), message));
        }
        below = level.labels.len();
    }
}

/// Labels that stand for different values on different levels: the label, two such levels, and the first line of each.
///
/// In nested levels two groups of different levels are the same values exactly when they share a line and have equally
/// many.
fn ambiguous(lines: &FileContent, needs_top: bool) -> Vec<(String, [usize; 2], Vec<usize>)> {
    /// A group: its level, its first line, how many lines it has.
    type Group = (usize, usize, usize);
    let mut groups: BTreeMap<&str, Vec<Group>> = BTreeMap::new();
    let labels: std::collections::BTreeSet<&str> =
        lines.levels.iter().flat_map(|level| level.labels.iter().map(String::as_str)).collect();
    for (at, value) in lines.values.iter().enumerate() {
        if labels.contains(value.as_str()) || (needs_top && value == ANY) {
            groups.entry(value).or_default().push((0, at, 1));
        }
    }
    for (number, level) in (1..).zip(&lines.levels) {
        for ((label, first), size) in level.labels.iter().zip(level.first()).zip(level.sizes()) {
            groups.entry(label).or_default().push((number, first, size));
        }
    }
    if needs_top {
        groups.entry(ANY).or_default().push((lines.levels.len() + 1, 0, lines.values.len()));
    }
    let differ = |pair: &&[Group]| {
        let ((below, first, size), (above, other, larger)) = (pair[0], pair[1]);
        below != above && (first != other || size != larger)
    };
    let found = groups.iter().filter_map(|(label, groups)| {
        let pair = groups.windows(2).find(differ)?;
        Some(((*label).to_owned(), [pair[0].0, pair[1].0], vec![pair[0].1, pair[1].1]))
    });
    found.collect()
}
