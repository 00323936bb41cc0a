//! How to make and check the release; for the owner, where it came from.

use maud::{Markup, html};

use crate::page::{ColumnAlignment, copied, facts, table};
use crate::value::{InternalFacts, ReleaseReport};
use crate::words::{decimal, many, percent, prose, seconds};

/// The job, and the commands.
pub(super) fn reproduce(report: &ReleaseReport<'_>) -> Markup {
    html! {
        p {
            "With the table, the job below and the same version (" (report.manifest.made_by) ") the mechanism can be run again. "
            "Where choices are random, another run draws others. "
            "A second release of the same table must not be published beside this one."
        }
        (copied("The job", &report.job))
        (copied("Making it", &report.command))
        p {
            "The check does not use the code that made the release. It reads every file again and holds checksums, notation and "
            "principles, and with the table every record, against this description."
        }
        (copied("Checking it", &report.verify))
    }
}

/// Where the release came from, and what was seen on the way.
pub(super) fn owner(internal: &InternalFacts) -> Markup {
    html! {
        div.callout {
            p {
                strong { "Do not publish this part. " }
                "A checksum of the table lets others test guesses at it, and what was seen on the way depends on sensitive values."
            }
        }
        (facts(&[
            ("Source", html! { code { (internal.source) } }),
            ("BLAKE3 checksum", html! { code { (internal.source_checksum) } }),
            ("Begun", html! { (internal.started) }),
            ("Unique rows", html! { (many(internal.unique_rows, "row", "rows")) " with quasi-identifiers that nobody else has" }),
        ]))
        @if let Some(workload) = &internal.workload {
            h3 { "Counts from the release" }
            p {
                (many(workload.queries, "counting query", "counting queries")) " on "
                (many(workload.qd, "column", "columns")) " each, made to select " (percent(workload.s))
                " of the table, came out of the release with a mean error of "
                strong { (percent(workload.error)) } "."
            }
        }
        @if !internal.account.is_empty() {
            h3 { "What was seen on the way" }
            @for paragraph in &internal.account { p { (prose(paragraph)) } }
        }
        @if !internal.seconds.is_empty() {
            (time(&internal.seconds))
        }
    }
}

fn time(stages: &[(String, f64)]) -> Markup {
    let rows: Vec<Vec<Markup>> = stages
        .iter()
        .map(|(stage, taken)| {
            vec![html! { (stage) }, html! { @if taken.is_finite() { (seconds(*taken)) } @else { (decimal(*taken)) } }]
        })
        .collect();
    table("How long it took", &[("Stage", ColumnAlignment::Text), ("Time", ColumnAlignment::Number)], &rows)
}
