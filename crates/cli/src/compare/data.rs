//! A comparison for programs: JSON and CSV.

use std::collections::BTreeMap;
use std::path::Path;

use pellucid_app::ComparedRelease;
use pellucid_app::parts::{CaseEnding, QueryErrors, ReleaseFigures};
use pellucid_model::error::Result;
use pellucid_model::exact::decimal;
use pellucid_model::exact::{Fraction, format_fraction};
use pellucid_publish::job::MethodJob;
use pellucid_publish::utility::NUMBER_IDS;
use serde_json::{Value, json};

use super::belief::{blind, knowing, why_unknown};
use super::text::{is_transparent, promise, risk_ids};
use super::{ComparisonReport, NOTE};
use crate::files::{self, words};

/// Everything that was measured.
pub fn json(comparison: &ComparisonReport, files: &[&Path]) -> Value {
    let all: Vec<Value> = comparison.compared.iter().map(one_json).collect();
    let workload = comparison.workload.as_ref().map(|sweep| {
        let settings = &sweep.settings;
        json!({ "queries": settings.queries, "dimensions": settings.dimensions, "selectivity": settings.selectivity,
            "seed": settings.seed })
    });
    json!({
        "compared": all,
        "varied": comparison.varied,
        "workload": workload,
        "threshold": format_fraction(&comparison.threshold),
        "external": comparison.external,
        "written": files,
        "note": NOTE,
    })
}

fn one_json(one: &ComparedRelease) -> Value {
    let mut told = match &one.ended {
        CaseEnding::Released(released) => released_json(released),
        CaseEnding::Nothing(nothing) => json!(nothing),
        CaseEnding::Refused(why) => json!({ "status": "refused", "why": why }),
    };
    let method = &one.case.job.method;
    told["publisher"] = json!(method.publisher);
    told["function"] = json!(method.function);
    told["parameters"] = json!(parameters(method).unwrap_or_default());
    told["at"] = json!(one.case.at);
    told["seconds"] = json!(one.seconds);
    told
}

fn released_json(released: &ReleaseFigures) -> Value {
    let manifest = &released.manifest;
    let risks: serde_json::Map<String, Value> = released
        .risks
        .iter()
        .map(|(id, found)| {
            let [highest, above] = [&found.highest, &found.above].map(|share| share.as_ref().map(format_fraction));
            let found = json!({ "highest": highest, "average": format_fraction(&found.average), "above": above });
            ((*id).to_owned(), found)
        })
        .collect();
    json!({
        "status": "released",
        "rows": manifest.rows,
        "left_out": manifest.left_out,
        "classes": manifest.classes,
        "utility": released.costs.utility,
        "measured": manifest.measured,
        "errors": released.errors.as_ref().map(errors_json),
        "risks": risks,
        "highest_share": released.highest_share.as_ref().map(format_fraction),
        "blind": blind(released),
        "knowing": knowing(released),
        "knowing_unknown": why_unknown(released),
        "promise": promise(released),
        "transparent": is_transparent(released),
        "not_transparent": manifest.not_transparent,
        "caveat": manifest.caveat,
    })
}

fn errors_json(errors: &QueryErrors) -> Value {
    let by_dimensions = errors.by_dimensions.iter().map(|(at, errors)| json!({ "dimensions": at, "errors": errors }));
    let by_selectivity =
        errors.by_selectivity.iter().map(|(at, errors)| json!({ "selectivity": at, "errors": errors }));
    json!({
        "usual": errors.usual,
        "by_dimensions": by_dimensions.collect::<Vec<_>>(),
        "by_selectivity": by_selectivity.collect::<Vec<_>>(),
    })
}

fn parameters(method: &MethodJob) -> Result<BTreeMap<String, String>> {
    Ok(method.args()?.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

/// Writes a line for every case; a figure that there is not is an empty cell.
pub fn write_csv(path: &Path, comparison: &ComparisonReport) -> Result<()> {
    let lines: Vec<Vec<(String, String)>> = comparison.compared.iter().map(|one| line(comparison, one)).collect();
    // All lines have the same columns.
    let heads = lines.first().map_or_else(Vec::new, |line| line.iter().map(|(head, _)| head.clone()).collect());
    let columns = heads.into_iter().enumerate().map(|(at, head)| {
        let cells = words(lines.iter().map(|line| line[at].1.as_str()));
        (head, cells)
    });
    files::write_private_csv(path, columns.collect())
}

fn line(comparison: &ComparisonReport, one: &ComparedRelease) -> Vec<(String, String)> {
    let mut line: Vec<(String, String)> = Vec::new();
    let mut put = |head: &str, cell: Option<String>| line.push((head.to_owned(), cell.unwrap_or_default()));
    let released = match &one.ended {
        CaseEnding::Released(released) => Some(released.as_ref()),
        _ => None,
    };
    put("name", Some(one.case.name.clone()));
    put("publisher", Some(one.case.job.method.publisher.clone()));
    put("function", Some(one.case.job.method.function.clone()));
    put(comparison.varied.as_deref().unwrap_or("varied"), one.case.at.clone());
    put(
        "status",
        Some(match &one.ended {
            CaseEnding::Released(_) => "released".to_owned(),
            CaseEnding::Nothing(_) => "nothing".to_owned(),
            CaseEnding::Refused(_) => "refused".to_owned(),
        }),
    );
    put("promise", released.map(|released| promise(released).to_owned()));
    put("transparent", released.map(|released| is_transparent(released).to_string()));
    let manifest = released.map(|released| &released.manifest);
    put("rows", manifest.map(|manifest| manifest.rows.to_string()));
    put("left_out", manifest.map(|manifest| manifest.left_out.to_string()));
    put("classes", manifest.map(|manifest| manifest.classes.to_string()));
    let errors = released.and_then(|released| released.errors.as_ref()?.usual);
    put("error", errors.map(|errors| errors.mean.to_string()));
    put("error_median", errors.map(|errors| errors.median.to_string()));
    put("error_highest", errors.map(|errors| errors.highest.to_string()));
    for id in NUMBER_IDS {
        let reading = released.and_then(|released| released.costs.utility.get(*id)?["decimal"].as_f64());
        put(&id.replace('-', "_"), reading.map(|reading| reading.to_string()));
    }
    let text = |share: &Fraction| decimal(share).to_string();
    for id in risk_ids() {
        let found = released.and_then(|released| released.risks.iter().find(|(other, _)| *other == id));
        let found = found.map(|(_, found)| found);
        put(&format!("{id}_highest"), found.and_then(|found| found.highest.as_ref().map(text)));
        put(&format!("{id}_average"), found.map(|found| text(&found.average)));
        put(&format!("{id}_above"), found.and_then(|found| found.above.as_ref().map(text)));
    }
    put("highest_share", released.and_then(|released| released.highest_share.as_ref().map(text)));
    for (who, verdict) in [("blind", released.and_then(blind)), ("knowing", released.and_then(knowing))] {
        let highest = verdict.map(|verdict| verdict.highest.within);
        put(&format!("{who}_known_as"), verdict.map(|verdict| verdict.basis.label().to_owned()));
        put(&format!("{who}_highest_low"), highest.map(|highest| highest.low.to_string()));
        put(&format!("{who}_highest_high"), highest.map(|highest| highest.high.to_string()));
        let above = verdict.and_then(|verdict| verdict.above);
        put(&format!("{who}_people_above_low"), above.map(|above| above.low.to_string()));
        put(&format!("{who}_people_above_high"), above.map(|above| above.high.to_string()));
    }
    put("seconds", Some(one.seconds.to_string()));
    line
}
