//! All figures of a comparison in tables.

use maud::{Markup, html};

use super::ReleasedMethod;
use pellucid_inference::verdict::Verdict;

use crate::compared::{ComparedMethod, ComparisonPage, MethodOutcome};
use crate::page::{ColumnGroup, wide_table};
use crate::value::RiskLine;
use crate::words::{decimal, percent, plain, prose, seconds, sentence, told, whole};

/// The tables, and the methods that released nothing.
pub(super) fn figures(comparison: &ComparisonPage) -> Markup {
    let released = comparison.released();
    html! {
        p { (prose(&comparison.workload)) }
        @if released.is_empty() {
            p { "No method released anything." }
        } @else {
            (main_table(comparison, &released))
            (notes(&released))
            (risk_table(comparison, &released))
        }
        (without(comparison))
    }
}

/// Names in the order in which they first occur.
pub(super) fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    names.for_each(|name| {
        if !seen.contains(&name) {
            seen.push(name);
        }
    });
    seen
}

fn main_table(comparison: &ComparisonPage, released: &[ReleasedMethod<'_>]) -> Markup {
    let metrics = distinct(released.iter().flat_map(|one| one.row.metrics.iter().map(|(name, _)| name.as_str())));
    let errors = released.iter().any(|one| one.row.error.is_some());
    let beliefs =
        released.iter().any(|one| one.row.blind.is_some() || one.row.knowing.is_some() || one.row.unattacked.is_some());
    let group = |name: &str, columns: &[&str]| ColumnGroup {
        name: name.to_owned(),
        columns: columns.iter().map(|&column| column.to_owned()).collect(),
    };
    let mut groups = vec![group("Release", &["promise", "classes", "records", "suppressed"])];
    let mut cost = group("Cost, the smaller the better", &[]);
    cost.columns.extend(errors.then(|| "error of counts".to_owned()));
    cost.columns.extend(metrics.iter().map(|name| plain(name)));
    if !cost.columns.is_empty() {
        groups.push(cost);
    }
    if beliefs {
        groups.push(group("Belief, ignoring the mechanism", &["highest", "people above"]));
        groups.push(group("Belief, knowing it", &["highest", "people above"]));
    }
    groups.push(group("Effort", &["time"]));
    let rows: Vec<Vec<Markup>> = released
        .iter()
        .map(|one| {
            let row = one.row;
            let mut cells = vec![
                html! { (comparison.label(one.method)) },
                html! { @if row.transparent { (row.promise) } @else { span.no { (row.promise) } } },
                html! { (whole(row.classes)) },
                html! { (whole(row.rows)) },
                html! { (whole(row.left_out)) },
            ];
            cells.extend(errors.then(|| html! { @if let Some(error) = row.error { (percent(error)) } }));
            cells.extend(metrics.iter().map(|name| {
                let found = row.metrics.iter().find(|(other, _)| other == name);
                html! { @if let Some((_, value)) = found { (decimal(*value)) } }
            }));
            if beliefs {
                cells.extend(belief_cells(row.blind.as_ref(), None));
                cells.extend(belief_cells(row.knowing.as_ref(), row.unattacked.as_deref()));
            }
            cells.push(html! { (seconds(row.seconds)) });
            cells
        })
        .collect();
    wide_table("What each method makes of the table", "Method", &groups, &rows)
}

/// The highest belief and the people above the bound, with how they are known.
fn belief_cells(verdict: Option<&Verdict>, why_unknown: Option<&str>) -> [Markup; 2] {
    let unknown = || html! { @if why_unknown.is_some() { "unknown" } };
    let Some(verdict) = verdict else { return [unknown(), unknown()] };
    let highest = match (verdict.highest.within.low, verdict.highest.within.high) {
        (low, high) if (low - high).abs() < f64::EPSILON => percent(high),
        (low, high) if low <= 0.0 => format!("at most {}", percent(high)),
        (low, high) => format!("{} to {}", percent(low), percent(high)),
    };
    let above = match verdict.above {
        None => "unknown".to_owned(),
        Some(above) if above.is_exact() => whole(above.high),
        Some(above) => format!("{} to {}", whole(above.low), whole(above.high)),
    };
    [html! { (highest) span.aside { (verdict.basis.label()) } }, html! { (above) }]
}

/// What the words of the table mean, and what is to be said of single methods.
fn notes(released: &[ReleasedMethod<'_>]) -> Markup {
    let single = |one: &ReleasedMethod<'_>| -> Vec<String> {
        one.row.caveat.iter().chain(&one.row.unattacked).cloned().collect()
    };
    let mut remarks: Vec<(String, String)> = Vec::new();
    for one in released {
        for remark in single(one) {
            // What is said of a method at one value of the parameter is not said again of the next.
            if !remarks.iter().any(|(name, other)| *name == one.method.name && *other == remark) {
                remarks.push((one.method.name.clone(), remark));
            }
        }
    }
    html! {
        ul {
            li {
                strong { "promise" } ": the class of what a release promises. " code { "none" } " holds against nobody who knows how it was "
                "made, " code { "random-worlds" } " against attackers who know that and nothing of the world, "
                code { "coarsening-at-random" } " adds nothing to what the groups show, whatever attackers know. Methods that promise "
                "nothing have hollow marks and dashed lines in the charts."
            }
            li {
                strong { "belief" } ": the highest probability that a value of somebody has, first for somebody who ignores the mechanism, then "
                "for somebody who knows it; and the people of whom a value is believed with more than the bound. "
                em { "exact" } " is counted, " em { "bound" } " holds for sure, by counting a part or by a proof, " em { "estimate" }
                " is an interval from samples."
            }
            @for (name, remark) in &remarks { li { strong { (name) } ": " (sentence(remark)) } }
        }
    }
}

fn risk_table(comparison: &ComparisonPage, released: &[ReleasedMethod<'_>]) -> Markup {
    let lines = || released.iter().flat_map(|one| &one.row.risks.lines);
    let models = distinct(lines().map(|line| line.model.as_str()));
    let of = |one: &ReleasedMethod<'_>, model: &str| -> Option<RiskLine> {
        one.row.risks.lines.iter().find(|line| line.model == model).cloned()
    };
    let shown = |model: &str, has: fn(&RiskLine) -> bool| lines().any(|line| line.model == model && has(line));
    let mut groups = Vec::new();
    for model in &models {
        let highest = shown(model, |line| line.highest.is_some()).then(|| "highest".to_owned());
        let above = shown(model, |line| line.above.is_some()).then(|| "at risk".to_owned());
        let columns = highest.into_iter().chain(["average".to_owned()]).chain(above).collect();
        groups.push(ColumnGroup { name: (*model).to_owned(), columns });
    }
    let rows: Vec<Vec<Markup>> = released
        .iter()
        .map(|one| {
            let mut cells = vec![html! { (comparison.label(one.method)) }];
            for (model, group) in models.iter().zip(&groups) {
                let line = of(one, model);
                cells.extend(group.columns.iter().map(|column| {
                    let figure = line.as_ref().and_then(|line| match column.as_str() {
                        "highest" => line.highest.as_ref(),
                        "average" => Some(&line.average),
                        _ => line.above.as_ref(),
                    });
                    html! { @if let Some(figure) = figure { (percent(figure.decimal)) } }
                }));
            }
            cells
        })
        .collect();
    let threshold = released.iter().find(|one| !one.row.risks.lines.is_empty()).map(|one| &one.row.risks.threshold);
    let means =
        |model: &str| lines().find(|line| line.model == model).map(|line| line.means.clone()).unwrap_or_default();
    html! {
        @if let Some(threshold) = threshold {
            (wide_table("Risk of being re-identified", "Method", &groups, &rows))
            ul {
                @for model in &models { li { strong { (model) } ": " (sentence(&means(model))) } }
                li { strong { "at risk" } ": the share of records above a risk of " (told(threshold)) "." }
            }
        }
    }
}

/// The methods that released nothing, with their reasons.
fn without(comparison: &ComparisonPage) -> Markup {
    let (mut nothing, mut refused) = (Vec::new(), Vec::new());
    for method in &comparison.methods {
        match &method.outcome {
            MethodOutcome::Nothing(why) => gather(&mut nothing, comparison, method, why),
            MethodOutcome::Refused(why) => gather(&mut refused, comparison, method, why),
            MethodOutcome::Released(_) => {}
        }
    }
    html! {
        (reasons("Nothing can be disclosed by", &nothing))
        (reasons("Not taking this job", &refused))
    }
}

/// A method with all values of the parameter for which it gives the same reason.
struct Reason<'a> {
    name: &'a str,
    at: Vec<String>,
    why: &'a str,
}

fn gather<'a>(list: &mut Vec<Reason<'a>>, comparison: &ComparisonPage, method: &'a ComparedMethod, why: &'a str) {
    let at = comparison.at(method);
    match list.iter_mut().find(|reason| reason.name == method.name && reason.why == why) {
        Some(reason) => reason.at.push(at),
        None => list.push(Reason { name: &method.name, at: vec![at], why }),
    }
}

fn reasons(title: &str, list: &[Reason<'_>]) -> Markup {
    html! {
        @if !list.is_empty() {
            h3 { (title) }
            ul {
                @for reason in list {
                    li {
                        strong { (reason.name) }
                        @for at in reason.at.iter().filter(|at| !at.is_empty()) { ", " (at) }
                        ": " (sentence(reason.why))
                    }
                }
            }
        }
    }
}
