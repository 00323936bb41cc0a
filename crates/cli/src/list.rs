//! `pellucid list`: every principle, publisher, strategy, measure, search, function, metric and model of risk, from the registries.

use std::fmt::Write;

use clap::Args;
use pellucid_inference::sequence::STRATEGIES;
use pellucid_model::error::{Error, Result};
use pellucid_model::principle::PRINCIPLES;
use pellucid_model::registry::{EntryInfo, LEFT_OUT, ParamKind, RegistryEntry, did_you_mean};
use pellucid_publish::function::FUNCTIONS;
use pellucid_publish::publisher::PUBLISHERS;
use pellucid_publish::risk::RISKS;
use pellucid_publish::search::{MEASURES, SEARCHES};
use pellucid_publish::utility::METRICS;
use serde_json::{Value, json};

use crate::CommandEnding;
use crate::list_markdown::markdown;
use crate::terminal::UserTerminal;

/// Show every principle, publisher, strategy, measure, search, function, metric and model of risk with parameters and reference
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  pellucid list\n  pellucid list tailor t-closeness\n  pellucid list --all --json\n  \
                        pellucid list --markdown > methods.md"
)]
pub struct ListArguments {
    /// Show these alone, by name
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Show demonstrations as well: publishers that exist to be attacked
    #[arg(long, conflicts_with = "names")]
    all: bool,
    /// Print a reference of everything in Markdown, with what a job says to use each; --json is as without it
    #[arg(long, conflicts_with = "names")]
    markdown: bool,
}

pub fn run(arguments: &ListArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    let sections = shown(arguments)?;
    if terminal.wants_json() {
        let sections: serde_json::Map<String, Value> = sections
            .iter()
            .map(|section| (section.name.to_owned(), section.entries.iter().map(entry_json).collect()))
            .collect();
        terminal.json(&sections)?;
    } else if arguments.markdown {
        terminal.text(&markdown(&sections))?;
    } else {
        terminal.text(&(text(&sections) + arguments.hint()))?;
    }
    Ok(CommandEnding::Done)
}

impl ListArguments {
    /// What is said below the list.
    fn hint(&self) -> &'static str {
        if self.all || !self.names.is_empty() { "" } else { "`pellucid list --all` shows demonstrations as well.\n" }
    }
}

/// The sections that are asked for.
fn shown(arguments: &ListArguments) -> Result<Vec<RegistrySection>> {
    let mut sections = sections();
    if !arguments.names.is_empty() {
        let known: Vec<&str> =
            sections.iter().flat_map(|section| section.entries.iter().map(|entry| entry.id)).collect();
        if let Some(name) = arguments.names.iter().find(|name| !known.contains(&name.as_str())) {
            let hint = did_you_mean(name, known.iter().copied());
            return Err(Error::invalid(format!(
                "nothing is called `{name}`{hint}; `pellucid list --all` shows everything"
            )));
        }
        for section in &mut sections {
            section.entries.retain(|entry| arguments.names.iter().any(|name| name == entry.id));
        }
        sections.retain(|section| !section.entries.is_empty());
    } else if !arguments.all && !arguments.markdown {
        sections.retain(|section| !section.entries.iter().all(EntryInfo::is_demonstration));
    }
    Ok(sections)
}

/// A registry, as it is listed.
pub struct RegistrySection {
    pub name: &'static str,
    /// For somebody who has not heard of it.
    pub introduction: &'static str,
    /// The section of a job and its key that choose an entry, where the entry's parameters are keys beside it.
    pub chosen_by: Option<(&'static str, &'static str)>,
    pub entries: Vec<EntryInfo>,
}

/// Every registry; the one place that knows them all.
fn sections() -> Vec<RegistrySection> {
    vec![
        RegistrySection {
            name: "principles",
            introduction: "A principle says what must hold of every group of people that are published alike, so that nobody's \
                           sensitive value can be told with too much certainty. A job names one, or several that must hold together, \
                           in `[privacy]`.",
            chosen_by: Some(("privacy", "principle")),
            entries: PRINCIPLES.iter().map(RegistryEntry::info).collect(),
        },
        RegistrySection {
            name: "publishers",
            introduction: "A publisher is an algorithm that puts people into groups that meet the principles. Each promises something \
                           against a named attacker, or against nobody who knows the algorithm; releases say which. A job names \
                           one in `[method]`.",
            chosen_by: Some(("method", "publisher")),
            entries: publishers(false),
        },
        RegistrySection {
            name: "demonstrations",
            introduction: "Publishers that exist to be attacked and compared with: each shows how a release goes wrong, or what a \
                           choice gives away. They work in a job like any other, and are listed and compared only on demand, \
                           by name or with `--all`.",
            chosen_by: Some(("method", "publisher")),
            entries: publishers(true),
        },
        RegistrySection {
            name: "strategies",
            introduction: "A strategy is how the publisher `sequence` walks along its list of ever coarser ways to show the table: \
                           what it looks at before it releases one, and how far it goes on when it may not. A job names one by \
                           `strategy` in `[method]`, with the strategy's parameters beside it.",
            chosen_by: None,
            entries: STRATEGIES.iter().map(RegistryEntry::info).collect(),
        },
        RegistrySection {
            name: "measures",
            introduction: "A measure says how much is lost, or kept, when every column is shown on a certain level of its \
                           hierarchy. The publisher `search` takes the levels that are best in it. A job names one by `measure` \
                           in `[method]`.",
            chosen_by: None,
            entries: MEASURES.iter().map(RegistryEntry::info).collect(),
        },
        RegistrySection {
            name: "searches",
            introduction: "A search is how the publisher `search` finds the best levels among all combinations. `genetic` \
                           may miss the best. A job names one by `search` in `[method]`.",
            chosen_by: None,
            entries: SEARCHES.iter().map(RegistryEntry::info).collect(),
        },
        RegistrySection {
            name: "functions",
            introduction: "A function is how groups are shown once they are made: as ranges, as labels of a hierarchy, as means, \
                           or in two tables. It does not decide who is with whom. A job names one by `function` in `[method]`.",
            chosen_by: None,
            entries: FUNCTIONS.iter().map(RegistryEntry::info).collect(),
        },
        RegistrySection {
            name: "metrics",
            introduction: "A metric is a number that tells what a release costs in usefulness; less is better. All of them are \
                           measured on every release, and stand in its manifest and in the answer of `pellucid compare`.",
            chosen_by: None,
            entries: METRICS.iter().map(RegistryEntry::info).collect(),
        },
        RegistrySection {
            name: "risks",
            introduction: "Models of somebody who looks for the records of people, by which disclosure officers judge how likely one is \
                           found. `compare` and the report of a release state what each says; none is chosen in a job.",
            chosen_by: None,
            entries: RISKS.iter().map(RegistryEntry::info).collect(),
        },
    ]
}

/// The publishers that are demonstrations, or the others.
fn publishers(demonstrations: bool) -> Vec<EntryInfo> {
    PUBLISHERS.iter().map(RegistryEntry::info).filter(|entry| entry.is_demonstration() == demonstrations).collect()
}

pub fn kind_words(kind: ParamKind) -> String {
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
        "status": entry.status.as_str(),
        "promises": promises(entry).map(|(class, with, attacker)| json!({ "class": class, "with": with, "against": attacker }))
            .collect::<Vec<_>>(),
        "parameters": parameters.collect::<Vec<_>>(),
    })
}

/// What a publisher promises: the class, with which principles, and against whom.
pub fn promises(entry: &EntryInfo) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    entry.promises().map(|case| (case.class.as_str(), case.with, case.class.attacker()))
}

fn text(sections: &[RegistrySection]) -> String {
    let mut text = String::new();
    for section in sections {
        let _ = writeln!(text, "{}", section.name.to_uppercase());
        for entry in &section.entries {
            let _ = writeln!(text, "  {} ({})\n      {}", entry.id, entry.status.as_str(), entry.summary);
            for (class, with, attacker) in promises(entry) {
                let with = if with.is_empty() { String::new() } else { format!(" with {with}") };
                let _ = writeln!(text, "      promise{with}: {class}, against {attacker}");
            }
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
