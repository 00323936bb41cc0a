//! `pellucid list`: every principle, publisher, strategy, measure, search, function and metric, from the registries.

use std::fmt::Write;

use clap::Args;
use pellucid_core::error::Result;
use pellucid_core::function::FUNCTIONS;
use pellucid_core::principle::PRINCIPLES;
use pellucid_core::publish::PUBLISHERS;
use pellucid_core::registry::{Entry, EntryInfo, LEFT_OUT, ParamKind};
use pellucid_core::search::{MEASURES, SEARCHES};
use pellucid_core::sequence::STRATEGIES;
use pellucid_core::utility::METRICS;
use serde_json::{Value, json};

use crate::Ending;
use crate::terminal::Terminal;

/// Show every principle, publisher, strategy, measure, search, function and metric with parameters and reference
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  pellucid list\n  pellucid list --json")]
pub struct Arguments {}

pub fn run(_: &Arguments, terminal: &Terminal) -> Result<Ending> {
    let sections = sections();
    if terminal.wants_json() {
        let sections: serde_json::Map<String, Value> = sections
            .iter()
            .map(|(name, entries)| ((*name).to_owned(), entries.iter().map(entry_json).collect()))
            .collect();
        terminal.json(&sections)?;
    } else {
        terminal.text(&text(&sections))?;
    }
    Ok(Ending::Done)
}

fn sections() -> Vec<(&'static str, Vec<EntryInfo>)> {
    vec![
        ("principles", PRINCIPLES.iter().map(Entry::info).collect()),
        ("publishers", PUBLISHERS.iter().map(Entry::info).collect()),
        ("strategies", STRATEGIES.iter().map(Entry::info).collect()),
        ("measures", MEASURES.iter().map(Entry::info).collect()),
        ("searches", SEARCHES.iter().map(Entry::info).collect()),
        ("functions", FUNCTIONS.iter().map(Entry::info).collect()),
        ("metrics", METRICS.iter().map(Entry::info).collect()),
    ]
}

fn kind_words(kind: ParamKind) -> String {
    match kind {
        ParamKind::Integer { min } => format!("whole number, at least {min}"),
        ParamKind::Number => "number".to_owned(),
        ParamKind::Choice(words) => words.join(" | "),
        ParamKind::Text => "text".into(),
        ParamKind::File => "file".into(),
        ParamKind::Publishers => "list of publishers".into(),
    }
}

fn entry_json(entry: &EntryInfo) -> Value {
    let parameters = entry.params.iter().map(|param| {
        json!({ "name": param.name, "kind": kind_words(param.kind), "default": param.default, "help": param.help })
    });
    json!({
        "id": entry.id,
        "summary": entry.summary,
        "reference": entry.reference,
        "status": entry.status.word(),
        "parameters": parameters.collect::<Vec<_>>(),
    })
}

fn text(sections: &[(&str, Vec<EntryInfo>)]) -> String {
    let mut text = String::new();
    for (name, entries) in sections {
        let _ = writeln!(text, "{}", name.to_uppercase());
        for entry in entries {
            let _ = writeln!(text, "  {} ({})\n      {}", entry.id, entry.status.word(), entry.summary);
            for param in entry.params {
                let default = param.default.filter(|default| *default != LEFT_OUT);
                let default = default.map_or_else(String::new, |default| format!(", default {default}"));
                let _ = writeln!(text, "      {} = {}{default}: {}", param.name, kind_words(param.kind), param.help);
            }
            let _ = writeln!(text, "      {}", entry.reference);
        }
        text.push('\n');
    }
    text
}
