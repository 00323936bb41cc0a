//! The job file: its sections and keys, and how they are read from TOML.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pellucid_model::error::{Error, Result};
use pellucid_model::exact::{Fraction, parse_fraction};
use pellucid_model::hierarchy::{HierarchySpec, LabelFile};
use pellucid_model::registry::EntryArgs;
use pellucid_model::table::schema::OnMissing;
use pellucid_model::table::{ColumnType, Role};
use serde::{Deserialize, Deserializer, Serialize};

use super::report::ReportJob;
use super::views::ViewsJob;
use pellucid_model::statistic::ColumnStatistic;

/// What to publish and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The table; left out where a program hands it over in memory.
    #[serde(default, skip_serializing_if = "InputJob::is_left_out")]
    pub input: InputJob,
    /// Every column of the table.
    pub columns: BTreeMap<String, ColumnJob>,
    /// What must hold; `[privacy]`, or `[[privacy]]` several times.
    #[serde(deserialize_with = "one_or_many")]
    pub privacy: Vec<PrivacyJob>,
    /// How to publish.
    #[serde(default)]
    pub method: MethodJob,
    /// Where to.
    #[serde(default)]
    pub output: OutputJob,
    /// Views of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub views: Option<ViewsJob>,
    /// What the report of a release tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<ReportJob>,
}

/// The section `[input]` of a job file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(expecting = "struct Input")]
pub struct InputJob {
    /// The file, relative to the job file.
    pub path: PathBuf,
    /// Its format; from its name when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<TableFormat>,
    /// What separates fields; detected when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separator: Option<char>,
    /// Spellings of a missing cell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// What becomes of missing cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_missing: Option<OnMissing>,
}

/// The formats a table is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TableFormat {
    /// Text with a separator.
    Csv,
    /// Text with tabs.
    Tsv,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC.
    Arrow,
}

/// One entry of `[columns]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnJob {
    /// What the column is to the publication.
    pub role: Role,
    /// The type of its values.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<ColumnType>,
    /// How its values are joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<HierarchySpec>,
    /// The sensitive values that are protected; all when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protect: Option<Vec<String>>,
    /// The statistic that stands for joined values of a quasi column; that of its type when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aggregate: Option<ColumnStatistic>,
    /// Spellings of a missing cell, instead of those of `[input]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<String>>,
    /// What becomes of missing cells, instead of what `[input]` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_missing: Option<OnMissing>,
}

/// One section `[privacy]` of a job file; several must hold together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "struct Privacy")]
pub struct PrivacyJob {
    /// A principle of the registry.
    pub principle: String,
    /// The share of rows that may be left out; for the whole job, so one section says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppression: Option<toml::Value>,
    /// By name, as written; checked by [`Job::check`].
    #[serde(flatten)]
    pub parameters: BTreeMap<String, toml::Value>,
}

/// The section `[method]` of a job file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "struct Method")]
pub struct MethodJob {
    /// A publisher of the registry.
    #[serde(default = "default_publisher")]
    pub publisher: String,
    /// A function of the registry.
    #[serde(default = "default_function")]
    pub function: String,
    /// The share of rows that may be left out, as in `[privacy]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppression: Option<toml::Value>,
    /// The publisher's parameters.
    #[serde(flatten)]
    pub parameters: BTreeMap<String, toml::Value>,
}

/// The section `[output]` of a job file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(expecting = "struct Output")]
pub struct OutputJob {
    /// The public folder, relative to the job file; the private one gets `-private` appended.
    #[serde(default = "default_dir")]
    pub dir: PathBuf,
    /// The format of the released tables.
    #[serde(default)]
    pub format: OutputFormat,
}

/// The formats a release is written in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputFormat {
    /// Comma-separated text.
    #[default]
    Csv,
    /// Apache Parquet.
    Parquet,
}

fn default_publisher() -> String {
    "tailor".to_owned()
}

fn default_function() -> String {
    "mbr".to_owned()
}

fn default_dir() -> PathBuf {
    PathBuf::from("release")
}

impl Default for MethodJob {
    fn default() -> Self {
        Self {
            publisher: default_publisher(),
            function: default_function(),
            suppression: None,
            parameters: BTreeMap::new(),
        }
    }
}

impl Default for OutputJob {
    fn default() -> Self {
        Self { dir: default_dir(), format: OutputFormat::default() }
    }
}

impl InputJob {
    /// Whether the job names no table.
    pub fn is_left_out(&self) -> bool {
        self.path.as_os_str().is_empty()
    }
}

impl PrivacyJob {
    /// The parameters as arguments.
    pub fn args(&self) -> Result<EntryArgs> {
        args(&self.parameters)
    }
}

impl MethodJob {
    /// The publisher's parameters as arguments.
    pub fn args(&self) -> Result<EntryArgs> {
        args(&self.parameters)
    }
}

fn args(parameters: &BTreeMap<String, toml::Value>) -> Result<EntryArgs> {
    parameters.iter().try_fold(EntryArgs::new(), |args, (name, value)| args.with_value(name, &json(value)))
}

/// A value as JSON; dates become text.
fn json(value: &toml::Value) -> serde_json::Value {
    match value {
        toml::Value::Array(values) => values.iter().map(json).collect(),
        toml::Value::Table(table) => table.iter().map(|(name, value)| (name.clone(), json(value))).collect(),
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::String(text) => text.as_str().into(),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => (*number).into(),
        toml::Value::Boolean(word) => (*word).into(),
    }
}

fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PrivacyJob>, D::Error> {
    let value = toml::Value::deserialize(deserializer)?;
    let many = match value {
        toml::Value::Array(many) => many,
        one => vec![one],
    };
    many.into_iter().map(|one| one.try_into().map_err(serde::de::Error::custom)).collect()
}

impl Job {
    /// The same with the hierarchy of `column` by value: lines of a leaf value and its ever coarser labels, separated by semicolons,
    /// as hierarchy files have them.
    ///
    /// # Errors
    /// When the job declares no such column. What is wrong with the lines is found when they are read for a table.
    pub fn with_hierarchy(mut self, column: &str, lines: &str) -> Result<Self> {
        let Some(spec) = self.columns.get_mut(column) else {
            return Err(Error::invalid(format!("column `{column}` is not declared; declare it")));
        };
        let file = match spec.hierarchy.take() {
            Some(HierarchySpec::File(file)) => file,
            _ => LabelFile::new(format!("{column}.csv")),
        };
        spec.hierarchy = Some(HierarchySpec::File(file.with_content(lines.as_bytes())));
        Ok(self)
    }

    /// The share of rows that may be left out, as some section says; 0 when none does.
    pub fn suppression(&self) -> Result<Fraction> {
        let stated = self.privacy.iter().filter_map(|privacy| privacy.suppression.as_ref());
        let mut shares = stated.chain(&self.method.suppression).map(|value| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let share = parse_fraction(&text).ok();
            let share = share.filter(|share| *share >= Fraction::ZERO && *share <= Fraction::ONE);
            share.ok_or_else(|| Error::invalid("`suppression` must be a share of the rows, from 0 to 1, e.g. 0.05"))
        });
        let Some(first) = shares.next().transpose()? else { return Ok(Fraction::ZERO) };
        for other in shares {
            if other? != first {
                return Err(Error::invalid(
                    "`suppression` is stated twice and differs; it is for the whole job, state it once",
                ));
            }
        }
        Ok(first)
    }
}
