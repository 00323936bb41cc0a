//! A comparison in a browser.

use pellucid_app::ComparedRelease;
use pellucid_app::host::{class_sizes, risk_lines};
use pellucid_app::parts::{CaseEnding, ReleaseFigures};
use pellucid_model::exact::decimal;
use pellucid_model::exact::format_fraction;
use pellucid_model::words::counted;
use pellucid_publish::utility::NUMBER_IDS;
use pellucid_report::{ComparisonPage, MethodFigures, MethodOutcome, ReportNumber, RiskTable};

use super::belief::{blind, knowing, why_unknown};
use super::text::{is_transparent, promise};
use super::{ComparisonReport, NOTE};
use crate::publish::nothing_text;

/// Renders `comparison` as one self-contained HTML page.
pub fn page(comparison: &ComparisonReport) -> ComparisonPage {
    let of_role = |role: &str| {
        let names = comparison.columns.iter().filter(|(_, other)| other == role).map(|(name, _)| name.as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    let mut about = vec![
        ("Table".to_owned(), comparison.table.clone()),
        ("Job".to_owned(), comparison.job.clone()),
        ("Quasi-identifiers".to_owned(), of_role("quasi")),
        ("Sensitive".to_owned(), of_role("sensitive")),
        ("Principles".to_owned(), comparison.principles.join(", ")),
    ];
    let rows = comparison.compared.iter().find_map(|one| match &one.ended {
        CaseEnding::Released(released) => Some(released.manifest.rows + released.manifest.left_out),
        _ => None,
    });
    about.extend(rows.map(|rows| ("People".to_owned(), rows.to_string())));
    about.retain(|(_, words)| !words.is_empty());
    let workload = comparison.workload.as_ref().map_or_else(String::new, |sweep| {
        let settings = &sweep.settings;
        let columns = settings.dimensions.map_or("all".to_owned(), |many| many.to_string());
        format!(
            "{} that name {columns} of the sensitive and quasi columns, in each a random range, and expect to count {} % of the rows; \
             the error of an estimate is relative to the answer, or to 0.5 % of the rows where the answer is less; what is shown is \
             the mean",
            counted(settings.queries, "random count query", "random count queries"),
            settings.selectivity * 100.0
        )
    });
    ComparisonPage {
        title: "Publishers compared".to_owned(),
        about,
        vary: comparison.varied.clone(),
        methods: comparison.compared.iter().map(|one| compared(comparison, one)).collect(),
        workload,
        note: NOTE.to_owned(),
        command: comparison.command.clone(),
    }
}

fn compared(comparison: &ComparisonReport, one: &ComparedRelease) -> pellucid_report::ComparedMethod {
    let outcome = match &one.ended {
        CaseEnding::Released(released) => MethodOutcome::Released(Box::new(row(comparison, one, released))),
        CaseEnding::Nothing(nothing) => MethodOutcome::Nothing(nothing_text(nothing, false)),
        CaseEnding::Refused(why) => MethodOutcome::Refused(why.clone()),
    };
    pellucid_report::ComparedMethod { name: one.case.name.clone(), at: one.case.at.clone(), outcome }
}

fn row(comparison: &ComparisonReport, one: &ComparedRelease, released: &ReleaseFigures) -> MethodFigures {
    let threshold = &comparison.threshold;
    let manifest = &released.manifest;
    let errors = released.errors.as_ref();
    let metric = |id: &&str| Some(((*id).to_owned(), released.costs.utility.get(*id)?["decimal"].as_f64()?));
    let threshold = ReportNumber { exact: Some(format_fraction(threshold)), decimal: decimal(threshold) };
    MethodFigures {
        transparent: is_transparent(released),
        promise: promise(released).to_owned(),
        caveat: manifest.caveat.clone().or_else(|| manifest.not_transparent.clone()),
        classes: manifest.classes,
        rows: manifest.rows,
        left_out: manifest.left_out,
        error: errors.and_then(|errors| errors.usual.as_ref()).map(|errors| errors.mean),
        metrics: NUMBER_IDS.iter().filter_map(metric).collect(),
        risks: RiskTable {
            threshold,
            lines: risk_lines(&released.risks),
            population: comparison.external.as_ref().map(|path| format!("the people in {}", path.display())),
        },
        blind: blind(released).cloned(),
        knowing: knowing(released).cloned(),
        unattacked: why_unknown(released).map(str::to_owned),
        seconds: one.seconds,
        sizes: class_sizes(manifest),
        by_qd: errors.map_or_else(Vec::new, |errors| {
            errors.by_dimensions.iter().map(|(at, errors)| (*at as f64, errors.mean)).collect()
        }),
        by_s: errors.map_or_else(Vec::new, |errors| {
            errors.by_selectivity.iter().map(|(at, errors)| (*at, errors.mean)).collect()
        }),
    }
}
