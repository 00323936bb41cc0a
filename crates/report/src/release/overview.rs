//! Title, verdict and the figures for a board.

use maud::{Markup, html};
use pellucid_core::release::Manifest;

use super::UNSAID;
use super::adversary::protected;
use crate::value::{MetricLine, ReleaseReport};
use crate::words::{decimal, many, percent, plain, sentence, told, whole};

/// What the metric is called by which losses are summed up in one number.
pub(crate) const CERTAINTY: &str = "certainty";

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
            (many(manifest.classes, "class", "classes")) " of records published alike: what was published, what can be "
            "learned from it about somebody, and what it is still good for."
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
                p { "What is promised below holds against somebody who knows exactly how this release was made." }
            }
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
        key(whole(manifest.classes), "classes of records published alike", format!("{average:.1} records on average")),
    ];
    let name = format!("highest probability with which a {} value of somebody can be believed", protected(report));
    if report.unbounded().is_some() {
        keys.push(key("not bounded".to_owned(), &name, "against somebody who knows the mechanism".to_owned()));
    } else if let Some(bound) = &report.bound {
        let more = "at most, by proof, whatever is known of the mechanism".to_owned();
        keys.push(key(percent(bound.decimal), &name, more));
    }
    if let Some((line, highest)) = report.risks.lines.iter().find_map(|line| Some((line, line.highest.as_ref()?))) {
        let more = format!("{} on average", percent(line.average.decimal));
        let name = format!("highest risk that a record is re-identified ({})", line.model);
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
    metrics.iter().find(|metric| metric.id.contains(CERTAINTY)).or(metrics.first())
}

/// What is promised, in one paragraph.
fn promise(report: &ReleaseReport<'_>) -> Markup {
    let people = format!("a {} value of a person", protected(report));
    html! {
        @if report.unbounded().is_some() {
            p {
                "The principles below hold for somebody who ignores how the classes were made. For somebody who knows it "
                "nothing is promised: such a person may come to be certain of a value of somebody."
            }
        } @else if let Some(bound) = &report.bound {
            p {
                "Nobody who sees this release, knows how it was made and knows everybody’s quasi-identifiers can believe "
                (people) " with a probability of more than " strong { (told(bound)) } ", unless that person knew more before. "
                "The assumptions are listed "
                a href="#assumed" { "below" } "."
            }
        } @else {
            p {
                "The principles below hold for everything that somebody can come to believe who sees this release, knows how it "
                "was made and knows everybody’s quasi-identifiers. The assumptions are listed "
                a href="#assumed" { "below" } "."
            }
        }
    }
}
