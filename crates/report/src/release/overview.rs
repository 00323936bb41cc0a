//! Title, verdict and the figures for a board.

use maud::{Markup, html};
use pellucid_model::manifest::Manifest;
use pellucid_model::promise::PromiseClass;
use pellucid_model::table::Role;
use pellucid_publish::utility::summary_id;

use super::UNSAID;
use super::adversary::protected;
use crate::value::{MetricLine, ReleaseReport};
use crate::words::{decimal, many, percent, plain, sentence, told, whole};

/// Title, edition and verdict.
pub(super) fn head(report: &ReleaseReport<'_>) -> Markup {
    let manifest = report.manifest;
    html! {
        @if report.internal.is_some() {
            p.edition.internal { "Internal edition: keep it to yourself" }
        } @else {
            p.edition { "Public edition" }
        }
        h1 { "Report on a release" }
        p.lead {
            "Records of " (many(manifest.rows, "person", "people")) " in "
            (many(manifest.classes, "equivalence class", "equivalence classes")) ". What was published, what attackers can "
            "learn from it, and what it is still good for."
        }
        (verdict(manifest))
    }
}

fn verdict(manifest: &Manifest) -> Markup {
    let opaque = manifest.not_transparent.as_deref();
    let class = match (manifest.for_publication, opaque) {
        (false, _) => "verdict bad",
        (true, Some(_)) => "verdict warn",
        (true, None) => "verdict",
    };
    html! {
        div class=(class) role="note" aria-label="Verdict" {
            @if !manifest.for_publication {
                p.word { "NOT FOR PUBLICATION" }
                p { (sentence(manifest.caveat.as_deref().unwrap_or(UNSAID))) }
            }
            @if let Some(why) = opaque {
                p.word { "NOT TRANSPARENT" }
                p { (sentence(why)) }
            }
            @if manifest.for_publication && opaque.is_none() {
                p.word { "For publication" }
                (promised_against(manifest))
            }
            @if let Some(earlier) = &manifest.earlier_result { p { strong { "Earlier result: " } (earlier) "." } }
        }
    }
}

/// Against whom the release promises something, and what must be unknown to them.
fn promised_against(manifest: &Manifest) -> Markup {
    let kept: Vec<&str> =
        manifest.columns.iter().filter(|column| column.role == Role::Keep).map(|column| column.name.as_str()).collect();
    html! {
        @match manifest.mechanism.promise {
            Some(promise) => {
                p { "The promise holds against " (promise.attacker()) "." }
                p { "It does not bound " (promise.unbounded()) "." }
            }
            None => p { "The manifest does not say of which class the promise is." },
        }
        @if !kept.is_empty() {
            p { "Published as they are, and so to be unknown to attackers: " (kept.join(", ")) "." }
        }
    }
}

/// A figure with its name and a word more.
struct Key {
    value: String,
    name: String,
    more: String,
}

/// The figures for a board.
pub(super) fn short(report: &ReleaseReport<'_>) -> Markup {
    let keys = keys(report);
    html! {
        dl.keys {
            @for key in &keys {
                div {
                    dt { (key.name) }
                    dd.value { (key.value) }
                    @if !key.more.is_empty() { dd.more { (key.more) } }
                }
            }
        }
        (promise(report))
    }
}

fn keys(report: &ReleaseReport<'_>) -> Vec<Key> {
    let manifest = report.manifest;
    let key = |value: String, name: &str, more: String| Key { value, name: name.to_owned(), more };
    let left_out = match manifest.left_out {
        0 => "nobody is left out".to_owned(),
        some => format!("{} left out", many(some, "person is", "people are")),
    };
    let average = manifest.rows as f64 / manifest.classes.max(1) as f64;
    let mut keys = vec![
        key(whole(manifest.rows), "people in the release", left_out),
        key(whole(manifest.classes), "equivalence classes", format!("{average:.1} records on average")),
    ];
    if report.unbounded().is_some() {
        let more = "against an attacker who knows the algorithm".to_owned();
        keys.push(key("not bounded".to_owned(), "maximum inference risk", more));
    } else if let Some(bound) =
        report.bound.as_ref().filter(|_| manifest.mechanism.promise == Some(PromiseClass::RandomWorlds))
    {
        let more = "proved, against an attacker who knows the algorithm and nothing of the world".to_owned();
        keys.push(key(percent(bound.decimal), "maximum inference risk", more));
    }
    if let Some(share) = &report.highest_share {
        let more = format!("{} in a group with a single value", many(report.single_value, "person is", "people are"));
        keys.push(key(percent(share.decimal), "highest share of one sensitive value in a group", more));
    }
    if let Some((line, highest)) = report.risks.lines.iter().find_map(|line| Some((line, line.highest.as_ref()?))) {
        let more = format!("{} on average", percent(line.average.decimal));
        let name = format!("highest re-identification risk of a record ({})", line.model);
        keys.push(key(percent(highest.decimal), &name, more));
        if let Some(above) = &line.above {
            let name = format!("of the records above a risk of {} ({})", told(&report.risks.threshold), line.model);
            keys.push(key(percent(above.decimal), &name, String::new()));
        }
    }
    if let Some(metric) = summing_up(&report.metrics) {
        keys.push(key(decimal(metric.after.decimal), &plain(&metric.id), metric.means.clone()));
    }
    keys
}

/// The metric that sums up what is lost; otherwise the first.
fn summing_up(metrics: &[MetricLine]) -> Option<&MetricLine> {
    metrics.iter().find(|metric| metric.id == summary_id()).or(metrics.first())
}

/// What is promised, in one paragraph.
fn promise(report: &ReleaseReport<'_>) -> Markup {
    let value = format!("{} value", protected(report));
    html! {
        @match (report.unbounded(), report.promise(), &report.bound) {
            (Some(_), ..) | (None, PromiseClass::None, _) => p {
                "The principles below hold of the groups. Against an attacker who knows how the groups were made nothing is "
                "promised: such an attacker may become certain of some people’s values."
            },
            (None, PromiseClass::RandomWorlds, Some(bound)) => p {
                "No " (value) " of a person is believed with a probability of more than " strong { (told(bound)) } " by "
                (PromiseClass::RandomWorlds.attacker()) ". An attacker who knows more may believe more. The assumptions are listed "
                a href="#assumed" { "below" } "."
            },
            (None, PromiseClass::RandomWorlds, None) => p {
                "The principles below hold for the belief of " (PromiseClass::RandomWorlds.attacker()) ". The assumptions are listed "
                a href="#assumed" { "below" } "."
            },
            (None, PromiseClass::CoarseningAtRandom, _) => p {
                "Whatever attackers know beforehand, how this release was made tells them nothing beyond the values that each group "
                "shows. What the groups themselves show is the figure above. The assumptions are listed "
                a href="#assumed" { "below" } "."
            },
        }
    }
}
