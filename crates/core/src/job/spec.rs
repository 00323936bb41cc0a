//! The job file: its sections and keys, and how they are read from TOML.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize};

use crate::error::{Error, Result};
use crate::exact::{Fraction, parse_fraction};
use crate::function::Statistic;
use crate::hierarchy::HierarchySpec;
use crate::registry::{Args, did_you_mean};
use crate::table::schema::OnMissing;
use crate::table::{Kind, Role};

/// What to publish and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The table.
    pub input: Input,
    /// Every column of the table.
    pub columns: BTreeMap<String, ColumnJob>,
    /// What must hold; `[privacy]`, or `[[privacy]]` several times.
    #[serde(deserialize_with = "one_or_many")]
    pub privacy: Vec<Privacy>,
    /// How to publish.
    #[serde(default)]
    pub method: Method,
    /// Where to.
    #[serde(default)]
    pub output: Output,
}

/// `[input]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
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
    pub kind: Option<Kind>,
    /// How its values are joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<HierarchySpec>,
    /// The sensitive values that are protected; all when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protect: Option<Vec<String>>,
    /// The statistic that stands for joined values of a quasi column; that of its type when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aggregate: Option<Statistic>,
    /// Spellings of a missing cell, instead of those of `[input]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<String>>,
    /// What becomes of missing cells, instead of what `[input]` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_missing: Option<OnMissing>,
}

/// `[privacy]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Privacy {
    /// A principle of the registry.
    pub principle: String,
    /// The share of rows that may be left out; for the whole job, so one section says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppression: Option<toml::Value>,
    /// Its parameters.
    #[serde(flatten)]
    pub parameters: BTreeMap<String, toml::Value>,
}

/// `[method]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Method {
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

/// `[output]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
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
    "hybrid".to_owned()
}

fn default_function() -> String {
    "mbr".to_owned()
}

fn default_dir() -> PathBuf {
    PathBuf::from("release")
}

impl Default for Method {
    fn default() -> Self {
        Self {
            publisher: default_publisher(),
            function: default_function(),
            suppression: None,
            parameters: BTreeMap::new(),
        }
    }
}

impl Default for Output {
    fn default() -> Self {
        Self { dir: default_dir(), format: OutputFormat::default() }
    }
}

impl Privacy {
    /// The parameters as arguments.
    pub fn args(&self) -> Result<Args> {
        args(&self.parameters)
    }
}

impl Method {
    /// The publisher's parameters as arguments.
    pub fn args(&self) -> Result<Args> {
        args(&self.parameters)
    }
}

fn args(parameters: &BTreeMap<String, toml::Value>) -> Result<Args> {
    parameters.iter().try_fold(Args::new(), |args, (name, value)| match value {
        toml::Value::Integer(number) => Ok(args.with(name, number)),
        // The shortest text that reads back as the same number is what the user wrote.
        toml::Value::Float(number) => Ok(args.with(name, number)),
        toml::Value::String(text) => Ok(args.with(name, text)),
        toml::Value::Array(_) | toml::Value::Table(_) => Ok(args.with(name, json(value))),
        _ => Err(Error::invalid(format!("`{name}` must be a number, a word or a list"))),
    })
}

/// Lists and tables as JSON, which the entry reads itself; dates become text.
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

fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Privacy>, D::Error> {
    let value = toml::Value::deserialize(deserializer)?;
    let many = match value {
        toml::Value::Array(many) => many,
        one => vec![one],
    };
    many.into_iter().map(|one| one.try_into().map_err(serde::de::Error::custom)).collect()
}

impl Job {
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

    /// Reads a job from TOML after setting `overrides`, each a dotted key and a value in TOML (or a plain word).
    ///
    /// # Errors
    /// Names the line, or the override, and the nearest known key.
    pub fn read(text: &str, overrides: &[(String, String)]) -> Result<Self> {
        let located = |error: &toml::de::Error| {
            let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            let hint = suggestion(error.message());
            let message = format!("{}{hint}", error.message().trim());
            Error::invalid(line.map_or_else(|| message.clone(), |line| format!("line {line}: {message}")))
        };
        if overrides.is_empty() {
            return toml::from_str(text).map_err(|error| located(&error));
        }
        let mut table: toml::Table = toml::from_str(text).map_err(|error| located(&error))?;
        for (key, value) in overrides {
            set(&mut table, key, value)?;
        }
        let read = toml::Value::Table(table).try_into();
        read.map_err(|error: toml::de::Error| {
            Error::invalid(format!("{}{}", error.message().trim(), suggestion(error.message())))
        })
    }
}

/// Sets the dotted `key` of `table` to `text`, read as TOML or else as a plain word.
fn set(table: &mut toml::Table, key: &str, text: &str) -> Result<()> {
    let parsed = toml::from_str::<toml::Table>(&format!("value = {text}")).ok();
    let value = parsed.and_then(|mut parsed| parsed.remove("value"));
    let value = value.unwrap_or_else(|| toml::Value::String(text.to_owned()));
    let mut parts: Vec<&str> = key.split('.').collect();
    let last = parts.pop().filter(|last| !last.is_empty());
    let last = last.ok_or_else(|| Error::invalid(format!("`{key}` is no key; write it like privacy.l")))?;
    let mut here = table;
    for part in parts {
        let next = here.entry(part).or_insert_with(|| toml::Value::Table(toml::Table::new()));
        here = next.as_table_mut().ok_or_else(|| {
            Error::invalid(format!("`{part}` in `{key}` is not a section with keys; edit the job file instead"))
        })?;
    }
    here.insert(last.to_owned(), value);
    Ok(())
}

/// A did-you-mean for the reader's "unknown field `x`, expected one of `a`, `b`".
fn suggestion(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    match quoted.next() {
        Some(unknown) if message.contains("unknown") => did_you_mean(unknown, quoted),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: &str = r#"
[input]
path = "patients.csv"

[columns]
name = { role = "identifier" }
age = { role = "quasi", type = "integer", hierarchy = { widths = [5, 10, 20] } }
disease = { role = "sensitive", protect = ["HIV"] }

[privacy]
principle = "frequency-l-diversity"
l = 3
"#;

    #[test]
    fn a_job_is_read_with_its_defaults() {
        let job = Job::read(JOB, &[]).unwrap();
        assert_eq!(job.method.publisher, "hybrid");
        assert_eq!(job.output.dir, PathBuf::from("release"));
        assert_eq!(job.privacy.len(), 1);
        assert_eq!(job.columns["age"].kind, Some(Kind::Integer));
    }

    #[test]
    fn several_principles_are_a_list() {
        let text = format!("{JOB}\n").replace("[privacy]", "[[privacy]]")
            + "[[privacy]]\nprinciple = \"k-anonymity\"\nk = 5\n";
        assert_eq!(Job::read(&text, &[]).unwrap().privacy.len(), 2);
    }

    #[test]
    fn unknown_keys_are_named_with_their_line() {
        let message = Job::read(&JOB.replace("protect", "protects"), &[]).unwrap_err().to_string();
        assert!(message.contains("line 8") && message.contains("did you mean `protect`?"), "{message}");
    }

    #[test]
    fn keys_can_be_set_from_outside() {
        let overrides = [("privacy.l", "4"), ("method.publisher", "ace"), ("columns.age.role", "\"keep\"")];
        let overrides = overrides.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let job = Job::read(JOB, &overrides).unwrap();
        assert_eq!(job.privacy[0].args().unwrap().integer("l").unwrap(), 4);
        assert_eq!(job.method.publisher, "ace");
        assert_eq!(job.columns["age"].role, Role::Keep);
        let wrong = [("privacy.principle.x".to_owned(), "1".to_owned())];
        assert!(Job::read(JOB, &wrong).is_err());
    }
}
