//! A comparison on the terminal: use, risk of being found, and what adversaries believe, each in a table.

use std::fmt::Write;

use pellucid_app::ComparedRelease;
use pellucid_app::parts::{CaseEnding, ReleaseFigures};
use pellucid_inference::belief::UnitInterval;
use pellucid_inference::verdict::{CountRange, Verdict};
use pellucid_model::exact::decimal;
use pellucid_model::promise::PromiseClass;
use pellucid_model::words::{counted, wrapped};
use pellucid_publish::risk::RISKS;
use pellucid_publish::utility::NUMBER_IDS;

use super::belief::{blind, knowing, why_unknown};
use super::cases::label;
use super::{ComparisonReport, NOTE};
use crate::publish::nothing_text;

/// What stands where there is no figure.
const NONE: &str = "-";

/// All tables, what was not released, and what to mind.
pub fn text(comparison: &ComparisonReport) -> String {
    let compared = &comparison.compared;
    let mut functions: Vec<&str> = compared.iter().map(|one| one.case.job.method.function.as_str()).collect();
    functions.sort_unstable();
    functions.dedup();
    let mut text = format!("Shown by function `{}`.\n", functions.join("` or `"));
    let released: Vec<(&ComparedRelease, &ReleaseFigures)> = compared
        .iter()
        .filter_map(|one| match &one.ended {
            CaseEnding::Released(released) => Some((one, released.as_ref())),
            _ => None,
        })
        .collect();
    if !released.is_empty() {
        text += &use_table(comparison, &released);
        text += &risk_table(comparison, &released);
        text += &belief_table(comparison, &released);
    }
    let (mut refused, mut nothing, mut marked, mut unknown) =
        (String::new(), String::new(), String::new(), String::new());
    for one in compared {
        let name = label(&one.case);
        match &one.ended {
            CaseEnding::Released(released) => {
                if let Some(caveat) = &released.manifest.caveat {
                    let _ = writeln!(marked, "{}", wrapped(&format!("{name}: {caveat}.")));
                }
                if let Some(why) = why_unknown(released) {
                    let _ = writeln!(unknown, "{}", wrapped(&format!("{name}: {why}.")));
                }
            }
            CaseEnding::Nothing(why) => {
                let why = nothing_text(why, false);
                let why = why.strip_prefix("Nothing can be disclosed: ").unwrap_or(&why);
                let _ = writeln!(nothing, "{}", wrapped(&format!("{name}: {why}")));
            }
            CaseEnding::Refused(why) => {
                let _ = writeln!(refused, "{}", wrapped(&format!("{name}: {why}.")));
            }
        }
    }
    for (words, list) in [
        ("Not for publication:", marked),
        ("What adversaries believe is not known of:", unknown),
        ("Nothing can be disclosed by:", nothing),
        ("Not taking this job:", refused),
    ] {
        if !list.is_empty() {
            let _ = writeln!(text, "{words}\n{}", list.trim_end());
        }
    }
    let _ = writeln!(text, "{}", wrapped(NOTE).lines().map(str::trim_start).collect::<Vec<_>>().join("\n"));
    text
}

/// The class of what it promises.
pub fn promise(released: &ReleaseFigures) -> &'static str {
    released.manifest.mechanism.promise.map_or("", PromiseClass::as_str)
}

/// Whether it promises anything against an attacker who knows how it was made.
pub fn is_transparent(released: &ReleaseFigures) -> bool {
    released.manifest.not_transparent.is_none() && released.manifest.caveat.is_none()
}

fn use_table(comparison: &ComparisonReport, released: &[(&ComparedRelease, &ReleaseFigures)]) -> String {
    let queries = comparison.workload.as_ref().map_or_else(String::new, |sweep| {
        let settings = &sweep.settings;
        let columns = settings.dimensions.map_or("all columns".to_owned(), |many| counted(many, "column", "columns"));
        format!(
            "; error of {} on {columns} that expect to count {} % of the rows",
            counted(settings.queries, "query", "queries"),
            settings.selectivity * 100.0
        )
    });
    let heads = ["classes", "left-out"].into_iter().chain(comparison.workload.iter().map(|_| "error"));
    let heads = heads.chain(NUMBER_IDS.iter().copied()).chain(["seconds"]);
    let mut lines = header(comparison, heads);
    for (one, released) in released {
        let manifest = &released.manifest;
        let error = released.errors.as_ref().map(|errors| {
            errors.usual.as_ref().map_or(NONE.to_owned(), |errors| format!("{:.2} %", errors.mean * 100.0))
        });
        let metric = |id: &&str| released.costs.utility.get(*id).and_then(|reading| reading["decimal"].as_f64());
        let metrics = NUMBER_IDS.iter().map(|id| metric(id).map_or(NONE.to_owned(), figure));
        let cells = [manifest.classes.to_string(), manifest.left_out.to_string()].into_iter().chain(error);
        let cells = cells.chain(metrics).chain([format!("{:.2}", one.seconds)]);
        lines.push(names(comparison, one).into_iter().chain(cells).collect());
    }
    format!("Use and cost{queries}:\n{}", columns(&lines))
}

fn risk_table(comparison: &ComparisonReport, released: &[(&ComparedRelease, &ReleaseFigures)]) -> String {
    let heads: Vec<String> = released.first().map_or_else(Vec::new, |(_, released)| {
        let of_model = released.risks.iter().flat_map(|(id, found)| {
            let words =
                [found.highest.as_ref().map(|_| "highest"), Some("average"), found.above.as_ref().map(|_| "above")];
            words.into_iter().flatten().map(move |word| format!("{id}-{word}"))
        });
        of_model.collect()
    });
    let mut lines = header(comparison, heads.iter().map(String::as_str));
    for (one, released) in released {
        let cells = released.risks.iter().flat_map(|(_, found)| {
            [found.highest.as_ref(), Some(&found.average), found.above.as_ref()].into_iter().flatten()
        });
        let cells = cells.map(|share| format!("{:.2} %", decimal(share) * 100.0));
        lines.push(names(comparison, one).into_iter().chain(cells).collect());
    }
    let threshold = decimal(&comparison.threshold) * 100.0;
    let register =
        comparison.external.as_ref().map(|path| format!("; register {}", path.display())).unwrap_or_default();
    format!(
        "Re-identification: how likely a record is found, and the share of records above {threshold} %{register}:\n{}",
        columns(&lines)
    )
}

fn belief_table(comparison: &ComparisonReport, released: &[(&ComparedRelease, &ReleaseFigures)]) -> String {
    let heads = ["blind-highest", "blind-above", "knowing-highest", "knowing-above", "known-as", "promise"];
    let mut lines = header(comparison, heads.into_iter());
    for (one, released) in released {
        let cells = |verdict: Option<&Verdict>| {
            verdict.map_or([NONE, NONE].map(str::to_owned), |verdict| {
                let above = verdict.above.map_or_else(|| NONE.to_owned(), people);
                [interval(verdict.highest.within), above]
            })
        };
        // Without an attack, what the groups show is still known.
        let mut blind = cells(blind(released));
        if blind[0] == NONE
            && let Some(share) = &released.highest_share
        {
            blind[0] = format!("{:.4}", decimal(share));
        }
        let word = knowing(released).map_or(NONE, |verdict| verdict.basis.label()).to_owned();
        let promise = promise(released).to_owned();
        let cells = blind.into_iter().chain(cells(knowing(released))).chain([word, promise]);
        lines.push(names(comparison, one).into_iter().chain(cells).collect());
    }
    format!(
        "Belief in a sensitive value: the highest, and people above what was promised; blind ignores how it was made, knowing knows it:\n{}",
        columns(&lines)
    )
}

fn figure(figure: f64) -> String {
    if figure.abs() >= 1000.0 { format!("{figure:.0}") } else { format!("{figure:.4}") }
}

fn interval(UnitInterval { low, high, .. }: UnitInterval) -> String {
    if format!("{low:.4}") == format!("{high:.4}") { format!("{high:.4}") } else { format!("{low:.4}..{high:.4}") }
}

fn people(CountRange { low, high }: CountRange) -> String {
    if low == high { low.to_string() } else { format!("{low}..{high}") }
}

/// The publisher and, where a parameter is varied, its value.
fn names(comparison: &ComparisonReport, one: &ComparedRelease) -> Vec<String> {
    let value = comparison.varied.as_ref().map(|_| one.case.at.clone().unwrap_or_default());
    [one.case.name.clone()].into_iter().chain(value).collect()
}

/// The words above the columns, a word a line, the last one lowest.
fn header<'a>(comparison: &'a ComparisonReport, heads: impl Iterator<Item = &'a str>) -> Vec<Vec<String>> {
    let heads = ["publisher"].into_iter().chain(comparison.varied.as_deref()).chain(heads);
    let heads: Vec<Vec<&str>> = heads.map(|head| head.split('-').collect()).collect();
    let most = heads.iter().map(Vec::len).max().unwrap_or(0);
    let word = |head: &Vec<&str>, at: usize| {
        let word = (at + head.len()).checked_sub(most).and_then(|at| head.get(at).copied());
        word.unwrap_or_default().to_owned()
    };
    (0..most).map(|at| heads.iter().map(|head| word(head, at)).collect()).collect()
}

/// Lines in columns, the first to the left and the others to the right.
fn columns(lines: &[Vec<String>]) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for line in lines {
        let cells = line.iter().enumerate().map(|(column, cell)| match (column, width(column)) {
            (0, wide) => format!("{cell:<wide$}"),
            (_, wide) => format!("{cell:>wide$}"),
        });
        let _ = writeln!(text, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    text
}

/// The id of every model of risk, in the order of the registry.
pub fn risk_ids() -> impl Iterator<Item = &'static str> {
    RISKS.iter().map(|entry| entry.id)
}
