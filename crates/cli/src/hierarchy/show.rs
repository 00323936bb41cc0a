//! `pellucid hierarchy show`: a hierarchy file as a tree.

use std::fmt::Write;
use std::path::Path;

use clap::Args;
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::words::counted;
use serde_json::{Value, json};

use super::{Source, numbers};
use crate::CommandEnding;
use crate::numbers::whole;
use crate::terminal::UserTerminal;

/// Show a hierarchy file as a tree, with the number of values under each label
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        pellucid hierarchy show education.csv\n  \
        pellucid hierarchy show age.csv --level 1 --rows 0\n  \
        pellucid hierarchy show age.csv --json")]
pub struct HierarchyShowArguments {
    #[command(flatten)]
    source: Source,
    /// The lowest level that is shown; 0, the values themselves, when left out
    #[arg(long, value_name = "NUMBER", default_value_t = 0, value_parser = whole::<usize>(..))]
    level: usize,
    /// Lines of the tree that are printed, 0 for all; JSON is always complete
    #[arg(long, value_name = "NUMBER", default_value_t = 40, value_parser = whole::<usize>(..))]
    rows: usize,
}

pub fn run(arguments: &HierarchyShowArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    let path = arguments.source.file.display();
    let own = arguments.source.labels()?.own(Path::new(""));
    let (_, hierarchy) = own.map_err(|error| match error.kind() {
        ErrorKind::BadHierarchy => {
            let message = error.message();
            Error::bad_hierarchy(format!("{message}; `pellucid hierarchy check {path}` lists everything that is wrong"))
        }
        _ => error,
    })?;
    if arguments.level > hierarchy.top() {
        return Err(Error::invalid(format!(
            "`{path}` has no level {}; its levels are 0 to {}",
            arguments.level,
            hierarchy.top()
        )));
    }
    let tree = Tree { hierarchy: &hierarchy, lowest: arguments.level };
    let rows = levels(&hierarchy);
    if terminal.wants_json() {
        let level = |row: &Vec<usize>| json!({ "level": row[0], "groups": row[1], "fewest": row[2], "most": row[3] });
        terminal.json(&json!({
            "file": arguments.source.file,
            "values": hierarchy.leaf_count(),
            "levels": rows.iter().map(level).collect::<Vec<Value>>(),
            "tree": tree.json(hierarchy.top(), 0),
        }))?;
    } else {
        let text = text(arguments, &tree, &rows);
        terminal.text(&text)?;
    }
    Ok(CommandEnding::Done)
}

fn text(arguments: &HierarchyShowArguments, tree: &Tree<'_>, rows: &[Vec<usize>]) -> String {
    let Tree { hierarchy, lowest } = *tree;
    let values = counted(hierarchy.leaf_count() as usize, "value", "values");
    let (path, levels) = (arguments.source.file.display(), counted(hierarchy.levels(), "level", "levels"));
    let mut text = format!("{path}: {values}, {levels}\n");
    text.push_str(&numbers(&["level", "groups", "fewest values", "most values"], rows));
    text.push('\n');
    let mut lines = Vec::new();
    tree.lines(hierarchy.top(), 0, 0, &mut lines);
    let shown = if arguments.rows == 0 { lines.len() } else { lines.len().min(arguments.rows) };
    for line in &lines[..shown] {
        let _ = writeln!(text, "{line}");
    }
    if shown < lines.len() {
        let more = counted(lines.len() - shown, "more line", "more lines");
        let shorter =
            if lowest < hierarchy.top() { format!(", --level {} shows fewer", lowest + 1) } else { String::new() };
        let _ = writeln!(text, ".. {more}; --rows 0 shows all{shorter}");
    }
    text
}

/// For every level the number of groups, and the values of the smallest and the largest.
fn levels(hierarchy: &Hierarchy) -> Vec<Vec<usize>> {
    let of_level = |level: usize| {
        let sizes = (0..hierarchy.nodes(level) as u32).map(|node| hierarchy.leaves(level, node) as usize);
        let (fewest, most) = sizes.fold((usize::MAX, 0), |(fewest, most), size| (fewest.min(size), most.max(size)));
        vec![level, hierarchy.nodes(level), fewest, most]
    };
    (0..hierarchy.levels()).map(of_level).collect()
}

/// The nodes of a hierarchy from the top down to a lowest level.
struct Tree<'a> {
    hierarchy: &'a Hierarchy,
    lowest: usize,
}

impl Tree<'_> {
    /// The nodes right under `node`, in order; none on the lowest level.
    fn children(&self, level: usize, node: u32) -> Vec<u32> {
        if level == self.lowest {
            return Vec::new();
        }
        let mut children: Vec<u32> =
            self.hierarchy.codes(level, node).iter().map(|&code| self.hierarchy.node(level - 1, code)).collect();
        children.dedup();
        children
    }

    /// A line for `node` and all under it; a label that only repeats the one above it is not printed again.
    fn lines(&self, level: usize, node: u32, depth: usize, lines: &mut Vec<String>) {
        let (label, children) = (self.hierarchy.label(level, node), self.children(level, node));
        let indent = "  ".repeat(depth);
        if level == 0 {
            lines.push(format!("{indent}{label}"));
        } else if let &[child] = children.as_slice()
            && self.hierarchy.label(level - 1, child) == label
        {
            return self.lines(level - 1, child, depth, lines);
        } else {
            lines.push(format!("{indent}{label} ({})", self.hierarchy.leaves(level, node)));
        }
        for child in children {
            self.lines(level - 1, child, depth + 1, lines);
        }
    }

    fn json(&self, level: usize, node: u32) -> Value {
        let mut value = json!({
            "level": level,
            "label": self.hierarchy.label(level, node),
            "values": self.hierarchy.leaves(level, node),
        });
        if level > self.lowest {
            let under = self.children(level, node).into_iter().map(|child| self.json(level - 1, child));
            value["under"] = under.collect();
        }
        value
    }
}
