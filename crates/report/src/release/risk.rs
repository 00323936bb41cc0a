//! The risk of being re-identified.

use maud::{Markup, html};

use crate::page::{ColumnAlignment, table};
use crate::value::{ReleaseReport, ReportNumber, RiskLine, RiskTable};
use crate::words::{many, prose, share, told};

/// Models of attackers with their risks; before and after in the internal edition.
pub(super) fn risk(report: &ReleaseReport<'_>) -> Markup {
    let after = report.internal.as_ref().map_or(&report.risks, |internal| &internal.risks_after);
    html! {
        p {
            "This part asks another question: not what can be learned of a person’s sensitive values, but whether a record can be "
            "told to be a certain person’s. It is judged by the quasi-identifiers alone. A record counts as at risk above a "
            "probability of " strong { (told(&after.threshold)) } "."
        }
        @if let Some(internal) = &report.internal {
            (side_by_side(&internal.risks_before, after))
        } @else {
            (alone(after))
        }
        p {
            @match &after.population {
                Some(words) => { "The population: " (prose(words)) "." },
                None => {
                    "The people of the table stand for the population: of journalist and marketer, who have a register of more people, "
                    "the risk is at most what is stated."
                },
            }
            @if report.smallest > 0 {
                " The smallest class that is released has " (many(report.smallest, "record", "records"))
                " (in the literature: " em { "k" } " = " (report.smallest) "); whoever is in it is one among so many."
            }
        }
        @if let Some(internal) = &report.internal {
            p {
                "In the table as it is, " (many(internal.unique_rows, "row has", "rows have"))
                " quasi-identifiers that nobody else in it has."
            }
        }
    }
}

fn model(line: &RiskLine) -> Markup {
    html! { (line.model) span.aside { (prose(&line.means)) } }
}

fn cell(figure: Option<&ReportNumber>) -> Markup {
    html! { @match figure { Some(figure) => (share(figure)), None => span.exact { "none" } } }
}

fn alone(risks: &RiskTable) -> Markup {
    let rows: Vec<Vec<Markup>> = risks
        .lines
        .iter()
        .map(|line| vec![model(line), cell(line.highest.as_ref()), share(&line.average), cell(line.above.as_ref())])
        .collect();
    let heads = [
        ("Attacker", ColumnAlignment::Text),
        ("Highest", ColumnAlignment::Number),
        ("Average", ColumnAlignment::Number),
        ("Records at risk", ColumnAlignment::Number),
    ];
    table("Risk of being re-identified, by attacker", &heads, &rows)
}

fn side_by_side(before: &RiskTable, after: &RiskTable) -> Markup {
    let rows: Vec<Vec<Markup>> = after
        .lines
        .iter()
        .map(|line| {
            let earlier = before.lines.iter().find(|earlier| earlier.model == line.model);
            vec![
                model(line),
                cell(earlier.and_then(|earlier| earlier.highest.as_ref())),
                cell(line.highest.as_ref()),
                cell(earlier.map(|earlier| &earlier.average)),
                share(&line.average),
                cell(earlier.and_then(|earlier| earlier.above.as_ref())),
                cell(line.above.as_ref()),
            ]
        })
        .collect();
    let heads = [
        ("Attacker", ColumnAlignment::Text),
        ("Highest, before", ColumnAlignment::Number),
        ("Highest, after", ColumnAlignment::Number),
        ("Average, before", ColumnAlignment::Number),
        ("Average, after", ColumnAlignment::Number),
        ("At risk, before", ColumnAlignment::Number),
        ("At risk, after", ColumnAlignment::Number),
    ];
    table("Risk of being re-identified, in the table and in the release", &heads, &rows)
}
