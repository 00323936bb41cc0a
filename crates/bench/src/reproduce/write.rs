//! The document and its charts.

use std::fmt::Write as _;
use std::path::Path;

use pellucid_model::error::{Error, Result};
use pellucid_plot::{LineChart, PointSeries, SeriesPoint};

use super::findings::{capitalised, findings};
use super::measure::{Curve, Data, Measured};
use super::{L, LS, PUBLISHERS};

/// The name of the document.
pub const DOCUMENT: &str = "experiments.md";

/// The folder of its charts, beside it.
const CHARTS: &str = "experiments";

/// A figure of the paper: its number, what it shows, and its axes.
struct Figure {
    number: u8,
    title: &'static str,
    across: &'static str,
    up: &'static str,
    /// What values are multiplied by on the axes.
    scales: (f64, f64),
    /// Digits after the point in the table.
    digits: (usize, usize),
    part: &'static str,
}

const FIGURES: [Figure; 5] = [
    Figure {
        number: 11,
        title: "Error by l",
        across: "l",
        up: "error, %",
        scales: (1.0, 100.0),
        digits: (0, 2),
        part: "errors",
    },
    Figure {
        number: 12,
        title: "Error by dimensionality of queries",
        across: "columns that a query names",
        up: "error, %",
        scales: (1.0, 100.0),
        digits: (0, 2),
        part: "errors",
    },
    Figure {
        number: 13,
        title: "Error by expected selectivity",
        across: "expected selectivity, %",
        up: "error, %",
        scales: (100.0, 100.0),
        digits: (0, 2),
        part: "errors",
    },
    Figure {
        number: 14,
        title: "Time by number of rows",
        across: "rows, millions",
        up: "seconds",
        scales: (1e-6, 1.0),
        digits: (2, 3),
        part: "times",
    },
    Figure {
        number: 15,
        title: "Time by l",
        across: "l",
        up: "seconds",
        scales: (1.0, 1.0),
        digits: (0, 3),
        part: "times",
    },
];

/// The tables of all figures that were measured, in Markdown.
pub fn tables(measured: &Measured) -> String {
    let mut text = String::new();
    for figure in &FIGURES {
        for table in names(measured, figure) {
            let _ = writeln!(
                text,
                "Figure {}, {table}: {}\n\n{}",
                figure.number,
                figure.title,
                grid(measured, figure, table)
            );
        }
    }
    text
}

/// The tables that a figure was measured on.
fn names(measured: &Measured, figure: &Figure) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for Curve { table, .. } in measured.curves.iter().filter(|curve| curve.figure == figure.number) {
        if !names.contains(table) {
            names.push(table);
        }
    }
    names
}

fn grid(measured: &Measured, figure: &Figure, table: &str) -> String {
    let (across, up) = figure.scales;
    let xs: Vec<f64> = measured.points(figure.number, table, PUBLISHERS[0]).iter().map(|point| point.0).collect();
    let heads = xs.iter().map(|x| format!("{:.*}", figure.digits.0, x * across)).collect::<Vec<_>>().join(" | ");
    let mut text = format!("| {} ({}) | {heads} |\n|---|{}\n", figure.up, figure.across, "---:|".repeat(xs.len()));
    for publisher in PUBLISHERS {
        let cells = xs.iter().map(|&x| {
            let value = measured.at(figure.number, table, publisher, x);
            value.map_or_else(String::new, |value| format!("{:.*}", figure.digits.1, value * up))
        });
        let _ = writeln!(text, "| {publisher} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    text
}

fn chart(measured: &Measured, figure: &Figure, table: &str) -> String {
    let (across, up) = figure.scales;
    let title = format!("{} ({table})", figure.title);
    let chart = LineChart::new(title).x_label(figure.across).y_label(figure.up);
    let chart = PUBLISHERS.iter().fold(chart, |chart, publisher| {
        let points = measured.points(figure.number, table, publisher).iter();
        chart.series(PointSeries::new(*publisher).with_all(points.map(|&(x, y)| SeriesPoint::new(x * across, y * up))))
    });
    chart.to_svg()
}

/// Writes the document and its charts below `out`.
pub fn document(out: &Path, tables: &[Data], measured: &Measured) -> Result<()> {
    let charts = out.join(CHARTS);
    let fail = |error: std::io::Error| Error::io(charts.display(), error);
    std::fs::create_dir_all(&charts).map_err(fail)?;
    let mut text = introduction(tables)?;
    let _ = writeln!(text, "## What the paper found, and what is found here\n");
    let _ = writeln!(text, "| the paper's finding | {} | numbers |", headed(tables));
    let _ = writeln!(text, "|---|{}---|", "---|".repeat(tables.len()));
    for finding in findings(tables, measured) {
        let words = finding.holds.iter().map(|(_, holds)| if *holds { "agrees" } else { "**differs**" });
        let words = words.collect::<Vec<_>>().join(" | ");
        let _ = writeln!(text, "| {} | {words} | {} |", finding.claim, finding.numbers);
    }
    text += &explanation(tables, measured)?;
    for figure in &FIGURES {
        let _ = writeln!(text, "\n## Figure {}: {}\n", figure.number, lower(figure.title));
        let _ = writeln!(text, "`pellucid-bench reproduce {}` prints the tables.\n", figure.part);
        for data in tables {
            let file = format!("figure-{}-{}.svg", figure.number, data.name.to_lowercase());
            std::fs::write(charts.join(&file), chart(measured, figure, data.name)).map_err(fail)?;
            let _ = writeln!(
                text,
                "![{}, {}]({CHARTS}/{file})\n\n{}",
                figure.title,
                data.name,
                grid(measured, figure, data.name)
            );
        }
    }
    let path = out.join(DOCUMENT);
    std::fs::write(&path, text.trim_end().to_owned() + "\n").map_err(|error| Error::io(path.display(), error))
}

fn headed(tables: &[Data]) -> String {
    tables.iter().map(|data| data.name).collect::<Vec<_>>().join(" | ")
}

fn lower(title: &str) -> String {
    let mut letters = title.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

fn introduction(tables: &[Data]) -> Result<String> {
    let mut text = String::from(
        "# The experiments again\n\n\
         Section 4 of Xiao, Tao and Koudas, *Transparent Anonymization: Thwarting Adversaries Who Know the Algorithm* (ACM TODS 35(2), 2010), compares \
         Tailor, Ace and Hybrid with Mondrian and Mask: how well counts can be estimated from what each releases, and how long each takes. This \
         document is written by `make reproduce`, which runs all of it again; nothing in it is typed in by hand. It takes some minutes.\n\n\
         ```sh\nmake reproduce      # PELLUCID_DATA names the folder of the census tables\n```\n\n\
         The paper's tables OCC and SAL are not public. In their place are census tables with the same columns and domain sizes:\n\n\
         | table | rows | sensitive column | most frequent value | correlation ratio with age, gender, education, birthplace |\n|---|---:|---|---:|---|\n",
    );
    for data in tables {
        let ratios = data.correlation_ratios()?.into_iter().map(|(_, ratio)| format!("{ratio:.2}"));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.1} % | {} |",
            data.name,
            data.table.rows(),
            data.sensitive,
            100.0 * data.highest_share()?,
            ratios.collect::<Vec<_>>().join(", ")
        );
    }
    let _ = write!(
        text,
        "\n(The paper has correlation ratios of 0.49, 0.62, 0.28, 0.38 for its OCC, and 0.71, 0.87, 0.41, 0.50 for its SAL.)\n\n\
         As in the paper, quasi-identifiers are age, gender, education and birthplace, shown as tightest intervals (`mbr`); 1000 random count queries \
         name the sensitive column and some quasi columns ([compare.md](compare.md) has the definition), l = {L}, five columns and an expected \
         selectivity of 6 % unless stated otherwise, and Mask has k = l. Random choices of publishers and queries are seeded, so errors come out the \
         same every time. Times are those of making the groups, the fastest of {} runs on the processors of one machine; they differ from machine \
         to machine, and only their relations mean something. Larger tables are copies of the table.\n\n",
        super::RUNS
    );
    Ok(text)
}

/// Why some findings are not so here, as far as the numbers tell.
fn explanation(tables: &[Data], measured: &Measured) -> Result<String> {
    let mut text = String::from("\n## Why\n\n");
    for data in tables {
        let share = data.highest_share()?;
        let uncut: Vec<String> = LS.iter().filter(|&&l| share * 2.0 * l as f64 > 1.0).map(u64::to_string).collect();
        if !uncut.is_empty() {
            let _ = writeln!(
                text,
                "- {}: the most frequent value has {:.1} % of the rows. Tailor cuts a group only when no value has more than 1/(2l) of it, so at l = {} it \
                 cannot cut even the whole table, which stays one class; Hybrid, which begins with Tailor, is then Ace.",
                data.name,
                100.0 * share,
                uncut.join(", ")
            );
        }
        let classes = |publisher: &str| {
            let found = measured.classes.iter().find(|one| (one.0, one.1, one.2) == (data.name, publisher, L));
            found.map_or(1, |found| found.3)
        };
        let many = PUBLISHERS.map(|publisher| format!("{} {}", capitalised(publisher), classes(publisher))).join(", ");
        let _ = writeln!(text, "- {}, classes at l = {L}: {many}.", data.name);
        let usual = |publisher: &str| measured.at(11, data.name, publisher, L as f64).unwrap_or(f64::NAN);
        let average = |publisher: &str| data.table.rows() as f64 / classes(publisher) as f64;
        if usual("mondrian") > usual("hybrid") {
            let _ = writeln!(
                text,
                "- {}: Mondrian's classes have {:.0} rows on average, Hybrid's {:.0}. Mondrian cuts through quasi-identifiers, and stops where a half would have a \
                 value with more than 1/l of its rows; where the sensitive value goes with the quasi-identifiers, that is soon. Ace and Hybrid bring rows of \
                 different values together and can always go on to groups of about l rows.",
                data.name,
                average("mondrian"),
                average("hybrid")
            );
        }
        if usual("mask") < usual("hybrid") {
            let _ = writeln!(
                text,
                "- {}: Mask cuts for k = l alone, whatever the values are, into {} classes, and then replaces the values of those that fail; Mondrian, which keeps all \
                 values, has to stop at {}.",
                data.name,
                classes("mask"),
                classes("mondrian")
            );
        }
    }
    Ok(text)
}
