//! What the release costs: metrics, losses by column, sizes of classes.

use maud::{Markup, html};
use pellucid_model::words::are;
use pellucid_plot::BarChart;

use crate::page::{ColumnAlignment, figure, table};
use crate::value::ReleaseReport;
use crate::words::{many, number, percent, plain, prose, range, share, whole};

/// Metrics, columns, sizes and who was left out.
pub(super) fn utility(report: &ReleaseReport<'_>) -> Markup {
    html! {
        p {
            "Joining records takes detail away. Within a class any pairing of its people with its sensitive values is equally possible, "
            "so classes are what an analysis should count with."
        }
        (left_out(report))
        (metrics(report))
        (columns(report))
        (sizes(report))
    }
}

fn left_out(report: &ReleaseReport<'_>) -> Markup {
    let manifest = report.manifest;
    let all = manifest.rows + manifest.left_out;
    html! {
        p {
            @if manifest.left_out == 0 { "Nobody is left out of the release." }
            @else {
                (whole(manifest.left_out)) " of " (many(all, "person", "people")) " ("
                (percent(manifest.left_out as f64 / all as f64)) ") " (are(manifest.left_out)) " left out of the release."
            }
        }
    }
}

fn metrics(report: &ReleaseReport<'_>) -> Markup {
    let with_before = report.internal.is_some() && report.metrics.iter().any(|metric| metric.before.is_some());
    let rows: Vec<Vec<Markup>> = report
        .metrics
        .iter()
        .map(|metric| {
            let name = html! { (plain(&metric.id)) span.aside { (prose(&metric.means)) } };
            let before = with_before.then(|| html! { @if let Some(before) = &metric.before { (number(before)) } });
            [name].into_iter().chain(before).chain([number(&metric.after)]).collect()
        })
        .collect();
    let mut heads = vec![("Metric", ColumnAlignment::Text)];
    if with_before {
        heads.push(("Table", ColumnAlignment::Number));
    }
    heads.push(("Release", ColumnAlignment::Number));
    html! { @if !rows.is_empty() { (table("Metrics of utility", &heads, &rows)) } }
}

fn columns(report: &ReleaseReport<'_>) -> Markup {
    let lost: Vec<_> = report.columns.iter().filter_map(|column| Some((column, column.lost.as_ref()?))).collect();
    let rows: Vec<Vec<Markup>> = lost
        .iter()
        .map(|(column, lost)| {
            vec![
                html! { (column.name) },
                share(lost),
                html! { @if let Some(worst) = &column.worst { (share(worst)) } },
                html! { @if let Some(intact) = column.intact { (whole(intact)) } },
            ]
        })
        .collect();
    let heads = [
        ("Column", ColumnAlignment::Text),
        ("Lost, on average", ColumnAlignment::Number),
        ("Lost, at worst", ColumnAlignment::Number),
        ("Records with a single value", ColumnAlignment::Number),
    ];
    let chart = |width, height| {
        BarChart::new(
            "Share of each column’s span that is lost, in percent",
            lost.iter().map(|(column, _)| column.name.clone()),
        )
        .series("lost", lost.iter().map(|(_, lost)| lost.decimal * 100.0))
        .y_label("percent of the span")
        .size(width, height)
        .embedded()
        .to_svg()
    };
    let words = html! {
        "How much of a column’s span a cell covers, on average over all records: 0 % is a single value, 100 % is anything."
    };
    html! {
        @if !lost.is_empty() {
            (figure("What each column lost.", &words, chart, &table("What each column lost", &heads, &rows)))
        }
    }
}

fn sizes(report: &ReleaseReport<'_>) -> Markup {
    let rows: Vec<Vec<Markup>> = report
        .sizes
        .iter()
        .map(|(from, to, classes)| vec![html! { (range(*from, *to)) }, html! { (whole(*classes)) }])
        .collect();
    let chart = |width, height| {
        BarChart::new("Classes by number of records", report.sizes.iter().map(|(from, to, _)| range(*from, *to)))
            .series("classes", report.sizes.iter().map(|(_, _, classes)| *classes as f64))
            .x_label("records in the class")
            .y_label("classes")
            .size(width, height)
            .embedded()
            .to_svg()
    };
    let heads = [("Records in the class", ColumnAlignment::Text), ("Classes", ColumnAlignment::Number)];
    let words = html! { "Small classes keep more detail, large ones hide better." };
    html! {
        @if !rows.is_empty() {
            (figure("Sizes of classes.", &words, chart, &table("Classes by number of records", &heads, &rows)))
        }
    }
}
