//! Which charts the page of a comparison has.

use maud::{Markup, html};
use pellucid_inference::verdict::Verdict;
use pellucid_plot::{PointSeries, ScatterChart, SeriesPoint};
use pellucid_publish::utility::summary_id;

use super::ReleasedMethod;
use super::draw::{BarFigure, LineFigure, MethodLine};
use super::tables::distinct;
use crate::compared::{ComparisonPage, MethodFigures};
use crate::page::{ColumnAlignment, figure, table};
use crate::words::{decimal, percent, plain, range, seconds, whole};

/// What counts as the cost of a release in charts.
#[derive(Debug, Clone, PartialEq)]
enum Cost {
    /// The error of counting queries.
    Error,
    /// A metric, by name.
    Metric(String),
}

impl Cost {
    /// The error where there is one, otherwise the metric that sums up what is lost, otherwise the first.
    fn of(released: &[ReleasedMethod<'_>]) -> Option<Self> {
        if released.iter().any(|one| one.row.error.is_some()) {
            return Some(Self::Error);
        }
        let names = || released.iter().flat_map(|one| one.row.metrics.iter().map(|(name, _)| name));
        names().find(|name| **name == summary_id()).or_else(|| names().next()).map(|name| Self::Metric(name.clone()))
    }

    fn value(&self, row: &MethodFigures) -> Option<f64> {
        match self {
            Self::Error => row.error,
            Self::Metric(name) => row.metrics.iter().find(|(other, _)| other == name).map(|(_, value)| *value),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Error => "mean error of counts".to_owned(),
            Self::Metric(name) => plain(name),
        }
    }

    /// By how much values are multiplied on an axis, what stands there, and how a value is told.
    fn unit(&self) -> (f64, String, fn(f64) -> String) {
        match self {
            Self::Error => (100.0, "mean error, percent".to_owned(), percent),
            Self::Metric(_) => (1.0, self.name(), decimal),
        }
    }
}

/// All charts for which there are data.
pub(super) fn charts(comparison: &ComparisonPage, bounds: &[(String, f64)]) -> Vec<Markup> {
    let released = comparison.released();
    let mut charts = Vec::new();
    if let Some(cost) = Cost::of(&released) {
        charts.extend(risk_against_cost(comparison, &released, &cost, bounds));
        let (scale, label, shown) = cost.unit();
        let caption = format!("{}, by {}.", capitalised(&cost.name()), comparison.vary.as_deref().unwrap_or("method"));
        charts.extend(along(comparison, &released, &caption, &label, |row| cost.value(row), (scale, shown)));
    }
    for (at, some) in chosen(comparison, &released) {
        let queries = "At the same expected share of the table, a query on more columns has wider ranges in each.";
        let qd = (format!("Error by number of columns that a query names{at}."), queries, "columns that a query names");
        charts.extend(errors(&some, qd, |row| &row.by_qd));
        let selects = "Queries that select little are harder to answer.";
        let s = (format!("Error by share of the table that a query selects{at}."), selects, "share of the table");
        charts.extend(errors(&some, s, |row| &row.by_s));
        charts.extend(sizes(&some, &at));
    }
    charts.extend(along(comparison, &released, "Time.", "seconds", |row| Some(row.seconds), (1.0, seconds)));
    charts
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The name of a method in charts.
fn series_name(name: &str, hollow: bool) -> String {
    if hollow { format!("{name} (not transparent)") } else { name.to_owned() }
}

/// The methods by name, each with all its releases and whether one of them is not transparent.
fn methods<'a>(released: &[ReleasedMethod<'a>]) -> Vec<(String, bool, Vec<ReleasedMethod<'a>>)> {
    let names = distinct(released.iter().map(|one| one.method.name.as_str()));
    let of = |name: &str| -> Vec<ReleasedMethod<'a>> {
        released.iter().filter(|one| one.method.name == name).copied().collect()
    };
    let entry = |name: &str| {
        let own = of(name);
        let hollow = own.iter().any(|one| !one.row.transparent);
        (series_name(name, hollow), hollow, own)
    };
    names.into_iter().map(entry).collect()
}

/// The releases for which charts of one release each are drawn: those whose errors are known in detail, otherwise those at the value of
/// the parameter that is in the middle.
fn chosen<'a>(comparison: &ComparisonPage, released: &[ReleasedMethod<'a>]) -> Vec<(String, Vec<ReleasedMethod<'a>>)> {
    let values: Vec<String> = released.iter().map(|one| comparison.at(one.method)).collect();
    let detailed = |one: &ReleasedMethod<'_>| !one.row.by_qd.is_empty() || !one.row.by_s.is_empty();
    let in_detail = released.iter().zip(&values).filter(|(one, _)| detailed(one)).map(|(_, value)| value.as_str());
    let mut chosen = distinct(in_detail);
    if chosen.is_empty() {
        let all = distinct(values.iter().map(String::as_str));
        chosen = all.get(all.len().saturating_sub(1) / 2).copied().into_iter().collect();
    }
    let of = |at: &str| -> Vec<ReleasedMethod<'a>> {
        released.iter().copied().filter(|one| comparison.at(one.method) == at).collect()
    };
    let words = |at: &str| if at.is_empty() { String::new() } else { format!(", {at}") };
    chosen.into_iter().map(|at| (words(at), of(at))).collect()
}

/// The highest belief of somebody who knows the mechanism, or else of somebody who ignores it: at the most, the interval, and whose.
fn highest(row: &MethodFigures) -> Option<(f64, (f64, f64), &'static str)> {
    let of = |verdict: &Option<Verdict>| {
        verdict.as_ref().map(|verdict| (verdict.highest.within.low, verdict.highest.within.high))
    };
    let known = of(&row.knowing).map(|(low, high)| (high, (low, high), "knowing"));
    known.or_else(|| of(&row.blind).map(|(low, high)| (high, (low, high), "ignoring")))
}

fn risk_against_cost(
    comparison: &ComparisonPage,
    released: &[ReleasedMethod<'_>],
    cost: &Cost,
    bounds: &[(String, f64)],
) -> Option<Markup> {
    let point = |one: &ReleasedMethod<'_>| Some((cost.value(one.row)?, highest(one.row)?));
    released.iter().find_map(point)?;
    let (scale, label, shown) = cost.unit();
    let draw = |width, height| {
        let mut chart = ScatterChart::new("Highest belief in a value of somebody against what the release costs")
            .x_label(&label)
            .y_label("highest belief, percent")
            .y_range(0.0, 100.0)
            .size(width, height)
            .embedded();
        for (name, hollow, own) in methods(released) {
            let mut series = PointSeries::new(name);
            for one in own {
                if let Some((across, (top, (low, high), whose))) = point(&one) {
                    let place = SeriesPoint::new(across * scale, top * 100.0);
                    let place =
                        if low < high && low > 0.0 { place.with_interval(low * 100.0, high * 100.0) } else { place };
                    let at = comparison.at(one.method);
                    let name = if at.is_empty() { &one.method.name } else { &at };
                    let word = if whose == "ignoring" { "?" } else { "" };
                    series = series.with_named(place, format!("{name}{word}"));
                }
            }
            chart = chart.series(if hollow { series.hollow() } else { series });
        }
        for (name, value) in bounds {
            chart = chart.reference(value * 100.0, name);
        }
        chart.to_svg()
    };
    let rows: Vec<Vec<Markup>> = released
        .iter()
        .filter_map(|one| {
            let (across, (top, (low, _), whose)) = point(one)?;
            Some(vec![
                html! { (comparison.label(one.method)) },
                html! { @if one.row.transparent { (one.row.promise) } @else { span.no { (one.row.promise) } } },
                html! { (shown(across)) },
                html! { @if low < top && low > 0.0 { (percent(low)) " to " } (percent(top)) },
                html! { (whose) " the mechanism" },
            ])
        })
        .collect();
    let heads = [
        ("Method", ColumnAlignment::Text),
        ("Promise", ColumnAlignment::Text),
        (label.as_str(), ColumnAlignment::Number),
        ("Highest belief", ColumnAlignment::Number),
        ("Of somebody", ColumnAlignment::Text),
    ];
    let words = html! {
        "Further down is safer, further left is more useful. The belief is that of somebody who knows the mechanism, at the most; a question "
        "mark stands where that is unknown, and the belief is that of somebody who ignores it. Hollow marks are methods that are not transparent."
    };
    Some(figure("Risk against cost.", &words, draw, &table("Risk against cost", &heads, &rows)))
}

/// A value of every release along the parameter that is varied, or by method where none is.
fn along(
    comparison: &ComparisonPage,
    released: &[ReleasedMethod<'_>],
    caption: &str,
    label: &str,
    value: impl Fn(&MethodFigures) -> Option<f64>,
    (scale, shown): (f64, fn(f64) -> String),
) -> Option<Markup> {
    released.iter().find_map(|one| value(one.row))?;
    let values = distinct(released.iter().filter_map(|one| one.method.at.as_deref()));
    let methods = methods(released);
    if values.len() < 2 {
        let bar = |(_, hollow, own): &(String, bool, Vec<ReleasedMethod<'_>>)| {
            let one = own.first()?;
            let mark = if *hollow { "\u{a0}†" } else { "" };
            Some((format!("{}{mark}", one.method.name), value(one.row)?))
        };
        let (names, heights) = methods.iter().filter_map(bar).unzip();
        let marked = methods.iter().any(|(_, hollow, _)| *hollow);
        let bars = BarFigure {
            caption: caption.to_owned(),
            words: if marked { "† is not transparent.".to_owned() } else { String::new() },
            x_label: "method".to_owned(),
            y_label: label.to_owned(),
            names,
            series: vec![(label.to_owned(), heights)],
        };
        return Some(bars.figure(scale, shown));
    }
    let numbers: Option<Vec<f64>> = values.iter().map(|value| value.parse::<f64>().ok()).collect();
    let place = |at: &str| -> Option<f64> {
        let index = values.iter().position(|value| *value == at)?;
        Some(numbers.as_ref().map_or(index as f64, |numbers| numbers[index]))
    };
    let all = methods
        .into_iter()
        .map(|(name, hollow, own)| {
            let point = |one: &ReleasedMethod<'_>| Some((place(one.method.at.as_deref()?)?, value(one.row)?));
            MethodLine { name, hollow, points: own.iter().filter_map(point).collect() }
        })
        .collect();
    let names = if numbers.is_some() { Vec::new() } else { values.iter().map(|&value| value.to_owned()).collect() };
    let lines = LineFigure {
        caption: caption.to_owned(),
        words: String::new(),
        x_label: comparison.vary.clone().unwrap_or_else(|| "parameter".to_owned()),
        y_label: label.to_owned(),
        names,
        all,
    };
    Some(lines.figure(scale, shown))
}

/// The error of counts along an axis of the workload.
fn errors(
    released: &[ReleasedMethod<'_>],
    (caption, words, x_label): (String, &str, &str),
    points: impl Fn(&MethodFigures) -> &Vec<(f64, f64)>,
) -> Option<Markup> {
    let lines: Vec<MethodLine> = released
        .iter()
        .filter(|one| !points(one.row).is_empty())
        .map(|one| {
            let hollow = !one.row.transparent;
            MethodLine { name: series_name(&one.method.name, hollow), hollow, points: points(one.row).clone() }
        })
        .collect();
    let (words, x_label) = (words.to_owned(), x_label.to_owned());
    let y_label = "mean error, percent".to_owned();
    (!lines.is_empty())
        .then(|| LineFigure { caption, words, x_label, y_label, names: Vec::new(), all: lines }.figure(100.0, percent))
}

/// Classes by size.
fn sizes(released: &[ReleasedMethod<'_>], at: &str) -> Option<Markup> {
    let mut ranges: Vec<(u64, u64)> =
        released.iter().flat_map(|one| one.row.sizes.iter().map(|(from, to, _)| (*from, *to))).collect();
    ranges.sort_unstable();
    ranges.dedup();
    let count = |row: &MethodFigures, wanted: (u64, u64)| {
        row.sizes.iter().find(|(from, to, _)| (*from, *to) == wanted).map_or(0.0, |(_, _, classes)| *classes as f64)
    };
    let series = released.iter().map(|one| {
        let name = series_name(&one.method.name, !one.row.transparent);
        (name, ranges.iter().map(|&wanted| count(one.row, wanted)).collect())
    });
    let bars = BarFigure {
        caption: format!("Sizes of classes{at}."),
        words: "Small classes keep more detail, large ones hide better.".to_owned(),
        x_label: "records in the class".to_owned(),
        y_label: "classes".to_owned(),
        names: ranges.iter().map(|(from, to)| range(*from, *to)).collect(),
        series: series.collect(),
    };
    (!ranges.is_empty()).then(|| bars.figure(1.0, |value| whole(value as u64)))
}
