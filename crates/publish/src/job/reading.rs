//! Reading a job from TOML, and what is said of one that cannot be read: the line, the key and what it may be.

use pellucid_model::error::{Error, Result};
use pellucid_model::registry::did_you_mean;
use serde::de::DeserializeOwned;

use super::deprecated::replace_in_job;
use super::report::ReportJob;
use super::spec::{ColumnJob, InputJob, Job, MethodJob, OutputJob, PrivacyJob};
use super::views::ViewsJob;
use crate::publisher::PUBLISHERS;

impl Job {
    /// Reads a job from TOML after setting `overrides`, each a dotted key and a value in TOML (or a plain word).
    ///
    /// # Errors
    /// Names the line, or the override, the key, and the nearest known one.
    pub fn read(text: &str, overrides: &[(String, String)]) -> Result<Self> {
        Self::read_with_warnings(text, overrides).map(|(job, _)| job)
    }

    /// Does the same, and gives a warning for every one of the [`DEPRECATED_KEYS`](super::DEPRECATED_KEYS) that the job has.
    pub fn read_with_warnings(text: &str, overrides: &[(String, String)]) -> Result<(Self, Vec<String>)> {
        let line_of = |error: &toml::de::Error| {
            let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            line.map_or_else(String::new, |line| format!("line {line}: "))
        };
        let mut table: toml::Table = toml::from_str(text).map_err(|error: toml::de::Error| {
            Error::invalid(format!("{}{}", line_of(&error), error.message().trim()))
        })?;
        for (key, value) in overrides {
            set(&mut table, key, value)?;
        }
        let warnings = replace_in_job(&mut table);
        let job: Result<Self, toml::de::Error> = if overrides.is_empty() && warnings.is_empty() {
            toml::from_str(text)
        } else {
            toml::Value::Table(table.clone()).try_into()
        };
        // Only what is read from the text itself has lines.
        let job = job.map_err(|error| Error::invalid(format!("{}{}", line_of(&error), explained(&error, &table))))?;
        Ok((job.with_usual_function(&table), warnings))
    }

    /// The job with the function that is usual for its publisher, when `table` names none; names that are not known are left
    /// to [`Job::check`].
    fn with_usual_function(mut self, table: &toml::Table) -> Self {
        let names_one = table.get("method").is_some_and(|method| method.get("function").is_some());
        let publisher = PUBLISHERS.iter().find(|entry| entry.id == self.method.publisher);
        let publisher = publisher.and_then(|entry| entry.make(&self.method.args().ok()?).ok());
        if let Some(publisher) = publisher.filter(|_| !names_one) {
            publisher.usual_function().clone_into(&mut self.method.function);
        }
        self
    }
}

/// `text` read as TOML or else as a plain word.
pub(super) fn value(text: &str) -> toml::Value {
    let parsed = toml::from_str::<toml::Table>(&format!("value = {text}")).ok();
    let value = parsed.and_then(|mut parsed| parsed.remove("value"));
    value.unwrap_or_else(|| toml::Value::String(text.to_owned()))
}

/// Sets the dotted `key` of `table` to `text`, read as TOML or else as a plain word.
fn set(table: &mut toml::Table, key: &str, text: &str) -> Result<()> {
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
    here.insert(last.to_owned(), value(text));
    Ok(())
}

/// The key that could not be read, what is wrong with it, and what it may be.
fn explained(error: &toml::de::Error, table: &toml::Table) -> String {
    let message = error.message().trim();
    let mut quoted = message.split('`').skip(1).step_by(2);
    let (word, known): (&str, Vec<&str>) = (quoted.next().unwrap_or_default(), quoted.collect());
    let (hint, known) = (did_you_mean(word, known.iter().copied()), known.join("`, `"));
    let mut path = place(table);
    let wrong = if message.starts_with("unknown variant") {
        format!("cannot be `{word}`{hint}; it is one of `{known}`")
    } else if message.starts_with("unknown field") {
        path.pop_if(|key| key == word);
        format!("unknown key `{word}`{hint}; there are `{known}`")
    } else if message.starts_with("missing field") {
        format!("key `{word}` is missing; add it")
    } else {
        message.replace("expected usize", "expected a whole number, 0 or more")
    };
    if path.is_empty() { wrong } else { format!("{}: {wrong}", dotted(&path)) }
}

/// The keys that lead to what cannot be read, as far as they can be told.
fn place(table: &toml::Table) -> Vec<String> {
    for (section, value) in table {
        let found = match section.as_str() {
            "input" => fault::<InputJob>(value),
            "columns" => value.as_table().and_then(|columns| {
                columns.iter().find_map(|(name, column)| {
                    let inner = fault::<ColumnJob>(column)?;
                    Some([vec![name.clone()], inner].concat())
                })
            }),
            "privacy" => match value {
                toml::Value::Array(many) => many.iter().find_map(fault::<PrivacyJob>),
                one => fault::<PrivacyJob>(one),
            },
            "method" => fault::<MethodJob>(value),
            "output" => fault::<OutputJob>(value),
            "views" => fault::<ViewsJob>(value),
            "report" => fault::<ReportJob>(value),
            _ => None,
        };
        if let Some(inner) = found {
            return [vec![section.clone()], inner].concat();
        }
    }
    Vec::new()
}

/// `None` when `value` is a `T`; otherwise the key in it that is at fault, or no key when one is missing.
///
/// Without the key at fault, reading fails in another way or not at all.
fn fault<T: DeserializeOwned>(value: &toml::Value) -> Option<Vec<String>> {
    let message = |value: &toml::Value| value.clone().try_into::<T>().err().map(|error| error.message().to_owned());
    let wrong = message(value)?;
    let Some(table) = value.as_table() else { return Some(Vec::new()) };
    let at_fault = table.keys().find(|key| {
        let mut rest = table.clone();
        rest.remove(key.as_str());
        message(&toml::Value::Table(rest)).as_ref() != Some(&wrong)
    });
    Some(at_fault.into_iter().cloned().collect())
}

/// `columns."blood type".role`.
fn dotted(path: &[String]) -> String {
    let is_bare =
        |key: &str| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    let key = |key: &String| if is_bare(key) { key.clone() } else { toml::Value::from(key.as_str()).to_string() };
    path.iter().map(key).collect::<Vec<String>>().join(".")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use pellucid_model::table::{ColumnType, Role};

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
        assert_eq!(job.method.publisher, "tailor");
        assert_eq!(job.output.dir, PathBuf::from("release"));
        assert_eq!(job.privacy.len(), 1);
        assert_eq!(job.columns["age"].kind, Some(ColumnType::Integer));
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

    #[test]
    fn a_deprecated_value_is_read_as_its_successor_with_a_warning() {
        let old = format!("{JOB}\n[method]\npublisher = \"search\"\nsearch = \"incognito\"\n");
        let (job, warnings) = Job::read_with_warnings(&old, &[]).unwrap();
        assert_eq!((job, warnings.len()), (Job::read(&old.replace("incognito", "fast"), &[]).unwrap(), 1));
        let set = [("method.search".to_owned(), "breadth-first".to_owned())];
        let (job, warnings) = Job::read_with_warnings(&old, &set).unwrap();
        assert_eq!(job.method.parameters["search"].as_str(), Some("fast"));
        assert!(warnings[0].starts_with("`method.search = \"breadth-first\"` is deprecated"), "{warnings:?}");
        assert_eq!(Job::read_with_warnings(JOB, &[]).unwrap().1, [""; 0]);
    }

    #[test]
    fn a_key_with_a_wrong_value_is_named_with_what_it_may_be() {
        let integer = "cannot be `int`, did you mean `integer`?; it is one of `integer`, `decimal`, `date`, `category`";
        let message = Job::read(&JOB.replace("\"integer\"", "\"int\""), &[]).unwrap_err().to_string();
        assert_eq!(message, format!("line 7: columns.age.type: {integer}"));
        let set =
            |key: &str, value: &str| Job::read(JOB, &[(key.to_owned(), value.to_owned())]).unwrap_err().to_string();
        assert_eq!(set("columns.age.type", "int"), format!("columns.age.type: {integer}"));
        assert!(set("columns.age.rol", "quasi").starts_with("columns.age: unknown key `rol`, did you mean `role`?"));
        assert_eq!(set("columns.blood group.type", "date"), "columns.\"blood group\": key `role` is missing; add it");
        assert!(set("output.format", "cvs").starts_with("output.format: cannot be `cvs`, did you mean `csv`?"));
        assert!(set("input.separator", "5").starts_with("input.separator: "));
        assert!(set("privacy.principle", "5").starts_with("privacy.principle: "));
        let misspelt = Job::read(&JOB.replace("[privacy]", "[privcy]"), &[]).unwrap_err().to_string();
        assert!(misspelt.contains("unknown key `privcy`, did you mean `privacy`?"), "{misspelt}");
    }
}
