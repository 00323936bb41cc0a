//! The labels of hierarchies: what may stand in a cell, and which values of the source it covers.

use hashbrown::{HashMap, HashSet};
use pellucid_model::hierarchy::{Hierarchy, HierarchySpec};
use pellucid_model::table::Column;
use serde_json::Value;

/// The words of a hierarchy as far as they are known without the table.
#[derive(Debug)]
pub(crate) enum LabelVocabulary {
    /// All words of a file or a tree.
    Listed(HashSet<String>),
    /// Labels are made by a rule from values that are not known here.
    Ruled,
}

impl LabelVocabulary {
    /// The words of `spec`.
    pub fn of(spec: &HierarchySpec) -> Result<Self, String> {
        let mut words = HashSet::new();
        match spec {
            HierarchySpec::File(file) => {
                let name = file.path().display();
                let unreadable = || format!("hierarchy `{name}` cannot be read");
                let content = file.content().ok_or_else(unreadable)?;
                let mut reader = csv::ReaderBuilder::new()
                    .has_headers(false)
                    .flexible(true)
                    .delimiter(file.separator() as u8)
                    .from_reader(content);
                for record in reader.records() {
                    words.extend(record.map_err(|_| unreadable())?.iter().map(str::to_owned));
                }
            }
            HierarchySpec::Tree(_) => collect(&spec.to_value(), &mut words),
            _ => return Ok(Self::Ruled),
        }
        Ok(Self::Listed(words))
    }

    /// Whether `label` may be one of the labels.
    pub fn admits(&self, label: &str) -> bool {
        match self {
            Self::Listed(words) => words.contains(label),
            Self::Ruled => !label.is_empty(),
        }
    }
}

fn collect(value: &Value, words: &mut HashSet<String>) {
    match value {
        Value::String(word) => drop(words.insert(word.clone())),
        Value::Array(values) => values.iter().for_each(|value| collect(value, words)),
        Value::Object(branches) => {
            for (name, branch) in branches {
                words.insert(name.clone());
                collect(branch, words);
            }
        }
        Value::Number(number) => drop(words.insert(number.to_string())),
        Value::Bool(_) | Value::Null => {}
    }
}

/// For each of `texts` the codes of `column` that have it as a label on some level, ascending.
pub(crate) fn codes_under(texts: &[String], column: &Column, hierarchy: &Hierarchy) -> Vec<Vec<u32>> {
    let cell_of: HashMap<&str, usize> = texts.iter().enumerate().map(|(cell, text)| (text.as_str(), cell)).collect();
    let mut codes = vec![Vec::new(); texts.len()];
    for level in 0..hierarchy.levels() {
        let nodes = 0..hierarchy.nodes(level) as u32;
        let cells: Vec<Option<usize>> = nodes.map(|node| cell_of.get(hierarchy.label(level, node)).copied()).collect();
        for code in 0..column.cardinality() as u32 {
            if let Some(cell) = cells[hierarchy.node(level, code) as usize] {
                codes[cell].push(code);
            }
        }
    }
    for codes in &mut codes {
        codes.sort_unstable();
        codes.dedup();
    }
    codes
}
