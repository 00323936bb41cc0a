//! What was published and how: columns, the complete mechanism, files.

use std::collections::BTreeMap;

use maud::{Markup, html};
use pellucid_model::manifest::{
    Manifest, PublishedFunction, PublishedGrain, PublishedMechanism, PublishedSearch, PublishedSequence,
};
use pellucid_model::table::Role;

use crate::page::{ColumnAlignment, facts, table};
use crate::value::ReleaseReport;
use crate::words::{bytes, many, plain, prose, sentence};

/// Functions of a sequence that are listed; of longer ones the manifest has all.
const LISTED: usize = 40;
/// Letters for which there is room across a table.
const ACROSS: usize = 72;

/// Columns, mechanism and files.
pub(super) fn published(report: &ReleaseReport<'_>) -> Markup {
    let manifest = report.manifest;
    html! {
        p {
            "Nothing about how this release was made is secret: its promise does not rest on hiding anything but the "
            "table itself" @if hides_jumps(&manifest.mechanism) { " and the jumps that were drawn" } "."
        }
        (columns(report))
        h3 { "How it was made" }
        (mechanism(manifest))
        @if let Some(sequence) = &manifest.mechanism.sequence { (functions(manifest, sequence)) }
        (files(manifest))
    }
}

fn hides_jumps(mechanism: &PublishedMechanism) -> bool {
    let family = mechanism.sequence.as_ref().and_then(|sequence| sequence.family.as_deref());
    family.is_some_and(|family| family != "1")
}

fn columns(report: &ReleaseReport<'_>) -> Markup {
    let manifest = report.manifest;
    let kind = |name: &str| {
        manifest.columns.iter().find(|column| column.name == name).map_or("", |column| column.kind.as_str())
    };
    let rows: Vec<Vec<Markup>> = report
        .columns
        .iter()
        .map(|column| {
            vec![
                html! { (column.name) },
                html! { (column.role) },
                html! { (kind(&column.name)) },
                html! { (prose(&column.shown)) },
            ]
        })
        .collect();
    let heads = [
        ("Column", ColumnAlignment::Text),
        ("Role", ColumnAlignment::Text),
        ("Type", ColumnAlignment::Text),
        ("How it is shown", ColumnAlignment::Text),
    ];
    html! {
        (table("Columns of the release", &heads, &rows))
        ul {
            @for role in [Role::Quasi, Role::Sensitive, Role::Keep] {
                @if manifest.columns.iter().any(|column| column.role == role) {
                    li { strong { (role.as_str()) } ": " (role_words(role)) }
                }
            }
            @for column in &manifest.columns {
                @if let Some(protect) = &column.protect {
                    li {
                        "Of column " code { (column.name) } " only "
                        (many(protect.len() as u64, "protected value is", "protected values are"))
                        " bounded; all others may be learned."
                    }
                }
            }
            @if let Some(group) = &manifest.group_column {
                li { "Column " code { (group) } " numbers the classes and joins the files." }
            }
            @if let Some(column) = &manifest.mechanism.altered {
                li {
                    strong { "Altered: " } "values of column " code { (column) }
                    " may have been replaced by others; a line need not be true of anybody."
                }
            }
        }
    }
}

fn role_words(role: Role) -> &'static str {
    match role {
        Role::Quasi => {
            "a quasi-identifier; others are presumed to know it of everybody, so it is shown alike for all of a class."
        }
        Role::Sensitive => "what nobody is to learn about a person; shown as it is, within the class.",
        Role::Keep => {
            "published as it is; presumed unknown to attackers and harmless. Nothing is promised against an attacker who knows it \
             of a person."
        }
        Role::Identifier | Role::Drop => "not published.",
    }
}

fn parameters(list: &BTreeMap<String, String>) -> Markup {
    html! {
        @for (at, (name, value)) in list.iter().enumerate() {
            @if at > 0 { ", " }
            code { (name) " = " (value) }
        }
    }
}

fn mechanism(manifest: &Manifest) -> Markup {
    let mechanism = &manifest.mechanism;
    let mut list = vec![
        (
            "Publisher",
            html! {
                code { (mechanism.publisher) }
                @if !mechanism.publisher_parameters.is_empty() { ", with " (parameters(&mechanism.publisher_parameters)) }
                span.aside { (mechanism.publisher_reference) }
            },
        ),
        ("Promise", html! { @match mechanism.promise { Some(promise) => code { (promise) }, None => "not stated" } }),
        ("Shown by function", html! { code { (mechanism.function) } span.aside { (mechanism.function_reference) } }),
    ];
    list.extend(manifest.privacy.iter().map(|principle| {
        let words = html! {
            code { (principle.principle) }
            @if !principle.parameters.is_empty() { ", " (parameters(&principle.parameters)) }
            span.aside { (sentence(&principle.means)) }
        };
        ("Principle", words)
    }));
    if let Some(sequence) = &mechanism.sequence {
        list.push(("Sequence", walked(sequence)));
        list.push(("Had nothing been released", silence(sequence)));
    }
    if let Some(search) = &mechanism.search {
        list.push(("Levels that were searched for", searched(manifest, search)));
    }
    if let Some(levels) = &mechanism.levels {
        list.push(("Levels", html! { (levels_words(manifest, levels)) "." }));
    }
    list.push(("Ties", sentence(&mechanism.ties)));
    list.push(("Random choices", sentence(&mechanism.randomness)));
    list.push(("Made by", html! { (manifest.made_by) }));
    facts(&list)
}

fn walked(sequence: &PublishedSequence) -> Markup {
    html! {
        p {
            "Function " (sequence.released) " of a sequence of " (sequence.functions.len()) ", by strategy "
            code { (sequence.strategy) } ". " (sentence(&sequence.means))
        }
        @match sequence.family.as_deref() {
            Some("1") => p { "The jumps were to be drawn, but there is only one choice that matters: they are no secret." },
            Some(family) => p { "The jumps were drawn from " (family) " possibilities and are kept secret." },
            None => {},
        }
        span.aside { (sequence.strategy_reference) }
    }
}

fn silence(sequence: &PublishedSequence) -> Markup {
    html! {
        @match sequence.silence.as_str() {
            "unknown" => "Nobody would have learned that, which is presumed and not enforced.",
            "observable" => "Others would have seen it; it was judged like any other answer.",
            other => { "Whether others would have seen it: " (other) "." },
        }
    }
}

fn searched(manifest: &Manifest, search: &PublishedSearch) -> Markup {
    let levels: Vec<String> = quasi(manifest)
        .filter_map(|name| search.levels.get(name).map(|level| format!("`{name}` at level {level}")))
        .collect();
    html! {
        (prose(&levels.join(", "))) ". Chosen by " (plain(&search.measure)) ". "
        @if search.may_leave_out > 0 {
            "Up to " (many(search.may_leave_out, "person", "people")) " might be left out."
        } @else { "Nobody might be left out." }
    }
}

fn quasi(manifest: &Manifest) -> impl Iterator<Item = &String> {
    manifest.columns.iter().filter(|column| column.role == Role::Quasi).map(|column| &column.name)
}

fn grain(grain: Option<&PublishedGrain>) -> String {
    match grain {
        None => "as\u{a0}it\u{a0}is".to_owned(),
        Some(PublishedGrain::Level(level)) => format!("level\u{a0}{level}"),
        Some(PublishedGrain::Borders(borders)) => format!("borders {}", borders.join(", ")),
    }
}

fn levels_words(manifest: &Manifest, levels: &BTreeMap<String, PublishedGrain>) -> Markup {
    let words: Vec<String> = quasi(manifest).map(|name| format!("`{name}` {}", grain(levels.get(name)))).collect();
    prose(&words.join(", "))
}

/// The functions of a sequence: a column of the table for every quasi column where there is room, otherwise in words.
fn functions(manifest: &Manifest, sequence: &PublishedSequence) -> Markup {
    let names: Vec<&String> = quasi(manifest).collect();
    let fit = names.iter().map(|name| name.chars().count() + 3).sum::<usize>() <= ACROSS;
    let mut heads = vec![("Function", ColumnAlignment::Text)];
    if fit {
        heads.extend(names.iter().map(|name| (name.as_str(), ColumnAlignment::Text)));
    } else {
        heads.push(("Levels", ColumnAlignment::Text));
    }
    heads.push(("What became of it", ColumnAlignment::Text));
    let levels = |function: &PublishedFunction| -> Vec<Markup> {
        if fit {
            return names.iter().map(|name| html! { (grain(function.columns.get(*name))) }).collect();
        }
        let joined = names.iter().filter_map(|name| function.columns.get(*name).map(|level| (name, level)));
        let words: Vec<String> = joined.map(|(name, level)| format!("{name} {}", grain(Some(level)))).collect();
        vec![
            html! { @if words.is_empty() { "all as they are" } @else { (words.join(", ")) "; all others as they are" } },
        ]
    };
    let listed = |at: usize| at < LISTED || at + 1 == sequence.released;
    let rows: Vec<Vec<Markup>> = sequence
        .functions
        .iter()
        .enumerate()
        .filter(|(at, _)| listed(*at))
        .map(|(at, function)| {
            let end = html! {
                @if at + 1 == sequence.released { strong { "released" } }
                @else if let Some(by) = &function.ruled_out { "ruled out by " code { (by) } ", whatever the values are" }
            };
            [html! { (at + 1) }].into_iter().chain(levels(function)).chain([end]).collect()
        })
        .collect();
    html! {
        (table("The functions of the sequence, in order", &heads, &rows))
        @if rows.len() < sequence.functions.len() {
            p { "The other functions stand in " code { "manifest.json" } "." }
        }
    }
}

fn files(manifest: &Manifest) -> Markup {
    let rows: Vec<Vec<Markup>> = manifest
        .files
        .iter()
        .map(|file| vec![html! { (file.name) }, html! { (bytes(file.bytes)) }, html! { code { (file.blake3) } }])
        .collect();
    let heads = [
        ("File", ColumnAlignment::Text),
        ("Size", ColumnAlignment::Number),
        ("BLAKE3 checksum", ColumnAlignment::Text),
    ];
    html! {
        (table("Files of the release", &heads, &rows))
        p { "Besides these, " code { "manifest.json" } " states the mechanism for programs, with all checksums." }
    }
}
