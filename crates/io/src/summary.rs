//! The short text that goes with a release; everything in it is in the manifest too.

use std::fmt::Write;

use pellucid_model::claim::EntryClaim;
use pellucid_model::manifest::{Manifest, PublishedGrain};
use pellucid_model::registry::find;
use pellucid_model::table::Role;
use pellucid_model::words::{are, counted, wrapped};
use pellucid_publish::search::SEARCHES;
use serde_json::Value;

/// What was released, what holds and what it costs, in plain text.
pub fn summary(manifest: &Manifest) -> String {
    let mut text = String::new();
    let mut line = |words: String| {
        text.push_str(words.trim_end());
        text.push('\n');
    };
    if !manifest.for_publication {
        line(format!("NOT FOR PUBLICATION: {}.", manifest.caveat.as_deref().unwrap_or("it says so itself")));
    }
    let average = manifest.rows as f64 / manifest.classes.max(1) as f64;
    line(format!(
        "{} in {}, {average:.1} rows on average.",
        counted(manifest.rows, "row", "rows"),
        counted(manifest.classes, "equivalence class", "equivalence classes")
    ));
    let mechanism = &manifest.mechanism;
    line(format!("Made with publisher `{}` and function `{}`.", mechanism.publisher, mechanism.function));
    line(format!("  {}", mechanism.publisher_reference));
    if let Some(sequence) = &mechanism.sequence {
        line(format!(
            "  Function {} of a sequence of {}, by strategy `{}`:",
            sequence.released,
            sequence.functions.len(),
            sequence.strategy
        ));
        line(format!("  {}.", sequence.means));
        if let Some(family) = &sequence.family {
            line(if family == "1" {
                "  The jumps were to be drawn, but there is only one choice that matters: they are no secret."
                    .to_owned()
            } else {
                format!("  The jumps were drawn from {family} possibilities and are kept secret.")
            });
        }
    }
    if let Some(search) = &mechanism.search {
        let level = |name: &String| search.levels.get(name).map(|level| format!("{name} {level}"));
        let levels: Vec<String> = manifest.columns.iter().filter_map(|column| level(&column.name)).collect();
        let known = mechanism.publisher_parameters.get("search").and_then(|id| find(SEARCHES, "search", id).ok());
        let exact = known.is_none_or(|entry| entry.claims(EntryClaim::Optimum));
        let best = if exact { "the best" } else { "the best that was found" };
        line(format!("  Levels: {}; {best} in `{}`.", levels.join(", "), search.measure));
    }
    if let Some(levels) = &mechanism.levels {
        let level = |name: &String| {
            levels.get(name).map(|grain| match grain {
                PublishedGrain::Level(level) => format!("{name} {level}"),
                PublishedGrain::Borders(borders) => format!("{name} [{}]", borders.join(", ")),
            })
        };
        let levels: Vec<String> = manifest.columns.iter().filter_map(|column| level(&column.name)).collect();
        line(format!("  Levels: {}.", if levels.is_empty() { "as is".to_owned() } else { levels.join(", ") }));
    }
    if manifest.left_out > 0 {
        let rows = counted(manifest.rows + manifest.left_out, "row", "rows");
        line(format!("{} of {rows} {} suppressed.", manifest.left_out, are(manifest.left_out)));
    }
    if let Some(why) = &manifest.not_transparent {
        line(format!("NOT TRANSPARENT: {why}."));
    }
    if let Some(earlier) = &manifest.earlier_result {
        line(format!("EARLIER RESULT: {earlier}."));
    }
    if let Some(column) = &mechanism.altered {
        line(format!(
            "ALTERED: values of column `{column}` may have been replaced by others; a line need not be true of anybody."
        ));
    }
    if let Some(promise) = mechanism.promise {
        line(format!("Promise, of class {promise}:"));
        line(wrapped(&format!("This {}.", mechanism.guarantee)));
        line(wrapped(&format!("It does not bound {}.", promise.unbounded())));
    } else {
        line(format!("Promise: this {}.", mechanism.guarantee));
    }
    for column in manifest.columns.iter().filter(|column| column.role == Role::Keep) {
        line(format!("  Column `{}` is published as it is, so it must be unknown to attackers.", column.name));
    }
    line("What holds of every group:".to_owned());
    for principle in &manifest.privacy {
        let parameters: Vec<String> =
            principle.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        line(format!("  {} ({}): {}", principle.principle, parameters.join(", "), principle.means));
    }
    for column in &manifest.columns {
        if let Some(protect) = &column.protect {
            line(format!(
                "  Of column `{}` only {} bounded; all others may be learned.",
                column.name,
                counted(protect.len(), "protected value is", "protected values are")
            ));
        }
    }
    for measured in &manifest.measured {
        line(format!("  {}.", measured.label()));
    }
    line("What it costs:".to_owned());
    for (metric, reading) in &manifest.utility {
        line(format!("  {metric}: {}", reading_words(reading)));
    }
    line(format!("Ties: {}. Randomness: {}.", mechanism.ties, mechanism.randomness));
    text
}

/// What a metric says, in words.
pub fn reading_words(reading: &Value) -> String {
    match reading {
        Value::Array(bins) => {
            let mut words = String::new();
            for bin in bins {
                let (from, to, classes) = (&bin["from"], &bin["to"], &bin["classes"]);
                let range = if from == to { from.to_string() } else { format!("{from}-{to}") };
                let rows = counted(range, "row", "rows");
                let _ = write!(words, "{}{rows}: {classes}", if words.is_empty() { "" } else { ", " });
            }
            words
        }
        number => match number["decimal"].as_f64() {
            Some(decimal) if decimal.abs() >= 1000.0 => format!("{decimal:.0}"),
            Some(decimal) => format!("{decimal:.4}"),
            None => number.to_string(),
        },
    }
}
