//! The job that a manifest tells of: what anybody would write who has the release and a table of the same columns.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pellucid_model::exact::{format_fraction, fraction};
use pellucid_model::table::schema::OnMissing;

use super::deprecated::replace_in_method;
use super::{ColumnJob, InputJob, Job, MethodJob, OutputFormat, OutputJob, PrivacyJob};
use pellucid_model::manifest::{Manifest, PublishedColumn, PublishedMechanism};

impl Job {
    /// The job of `manifest` for the table at `path`; it knows the published columns only.
    ///
    /// # Guarantee
    /// It follows from the manifest and `path` alone.
    pub fn from_manifest(manifest: &Manifest, path: impl Into<PathBuf>) -> Self {
        let mechanism = &manifest.mechanism;
        let privacy = manifest.privacy.iter().map(|principle| PrivacyJob {
            principle: principle.principle.clone(),
            suppression: None,
            parameters: parameters(&principle.parameters),
        });
        let suppression = mechanism.search.as_ref().filter(|search| search.may_leave_out > 0).map(|search| {
            // So many of all rows are just as many again.
            let share = fraction(search.may_leave_out, (manifest.rows + manifest.left_out).max(1));
            toml::Value::String(format_fraction(&share))
        });
        let parquet = manifest.files.iter().any(|file| file.name.ends_with(".parquet"));
        Self {
            input: InputJob { path: path.into(), format: None, separator: None, missing: Vec::new(), on_missing: None },
            columns: manifest.columns.iter().map(|column| (column.name.clone(), remade_column(column))).collect(),
            privacy: privacy.collect(),
            method: MethodJob { suppression, ..MethodJob::remade(mechanism) },
            output: OutputJob {
                format: if parquet { OutputFormat::Parquet } else { OutputFormat::Csv },
                ..OutputJob::default()
            },
            views: None,
            report: None,
        }
    }
}

impl MethodJob {
    /// The method of a release, as far as its mechanism tells it; without the rows that may be left out.
    pub fn remade(mechanism: &PublishedMechanism) -> Self {
        let mut stated: toml::Table = parameters(&mechanism.publisher_parameters).into_iter().collect();
        replace_in_method(&mut stated);
        Self {
            publisher: mechanism.publisher.clone(),
            function: mechanism.function.clone(),
            suppression: None,
            parameters: stated.into_iter().collect(),
        }
    }
}

fn remade_column(column: &PublishedColumn) -> ColumnJob {
    ColumnJob {
        role: column.role,
        kind: Some(column.kind),
        hierarchy: column.hierarchy.clone(),
        protect: column.protect.clone(),
        aggregate: column.aggregate,
        missing: (!column.missing.is_empty()).then(|| column.missing.clone()),
        on_missing: (!column.missing.is_empty()).then_some(OnMissing::Category),
    }
}

/// Parameters as they are written in a job: lists and tables as such, everything else as text.
fn parameters(texts: &BTreeMap<String, String>) -> BTreeMap<String, toml::Value> {
    let value = |text: &String| match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value @ (serde_json::Value::Array(_) | serde_json::Value::Object(_))) => {
            toml::Value::try_from(value).unwrap_or_else(|_| toml::Value::String(text.clone()))
        }
        Ok(serde_json::Value::Number(number)) if number.is_i64() => {
            toml::Value::Integer(number.as_i64().unwrap_or_default())
        }
        _ => toml::Value::String(text.clone()),
    };
    texts.iter().map(|(name, text)| (name.clone(), value(text))).collect()
}
