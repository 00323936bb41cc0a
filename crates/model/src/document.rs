//! The JSON documents that the command prints and writes: every one says what it is, and in which version.
//!
//! [`DOCUMENTS`] is the one list; `docs/stability.md` has it as a table and says when a version goes up. [`stamped`] is the one place
//! that puts name and version into a document.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::error::{Error, ErrorKind, Result};
use crate::manifest::MANIFEST_FORMAT;

/// A kind of JSON document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentFormat {
    /// Its name: the words that call the command which prints it, or the name of the file.
    pub name: &'static str,
    /// Goes up when a key goes, or means something else; not when a key comes.
    pub version: u32,
    /// What the document says.
    pub summary: &'static str,
    /// Where it says its version.
    pub place: VersionPlace,
}

/// Where a document says which version it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionPlace {
    /// In its first two keys, `document` and `format`.
    Stamp,
    /// In its key `format`, which is one of its own; its name is that of its file.
    Format,
    /// In its key `$id`, as `urn:pellucid:NAME:VERSION`: it is a JSON schema, whose keys are given.
    Id,
}

/// What every refused or failed call prints.
pub const ERROR: &str = "error";

/// What is published beside the tables.
pub const MANIFEST: &str = "manifest.json";

/// The private record of a release.
pub const PRIVATE_RECORD: &str = "private.json";

/// Every kind of document.
pub const DOCUMENTS: &[DocumentFormat] = &[
    printed("publish", "the release with its manifest and what only the owner may know, or why there is none"),
    printed("compare", "what each publisher makes of the table"),
    printed("search", "the levels that were found"),
    printed("verify", "every check and how it ended"),
    printed("attack", "what attackers believe of people"),
    printed("belief", "the answer to each case"),
    printed("view check", "what is found about each view"),
    printed("view add", "what was decided about each view, and the values that are shown"),
    printed("view restore", "further views that restore privacy"),
    printed("view list", "what was decided on a table"),
    printed("view belief", "what is believed from all that was shown"),
    printed("ledger withdraw", "which evidence no longer counts"),
    printed("hierarchy build", "the levels that were made"),
    printed("hierarchy check", "what is wrong with a file"),
    printed("hierarchy show", "the tree of a file"),
    printed("list", "the registries, a key for each"),
    printed("demo", "as `publish`, of the example"),
    DocumentFormat { name: "schema", version: 1, summary: "the JSON schema of job files", place: VersionPlace::Id },
    printed("completions", "the script for a shell"),
    printed("man", "the manual pages"),
    printed(ERROR, "why a call was refused or failed, whatever the command"),
    DocumentFormat {
        name: MANIFEST,
        version: MANIFEST_FORMAT,
        summary: "the mechanism of a release and its files, in the public folder",
        place: VersionPlace::Format,
    },
    printed(PRIVATE_RECORD, "the job as it was run and its source, in the private folder"),
];

/// A document in its first version that says so in its first keys.
const fn printed(name: &'static str, summary: &'static str) -> DocumentFormat {
    DocumentFormat { name, version: 1, summary, place: VersionPlace::Stamp }
}

/// The document called `name` that holds `value`: the same with its name and version.
///
/// # Errors
/// When [`DOCUMENTS`] has no such document, or `value` is no object or says a version otherwise; all are defects.
pub fn stamped(name: &str, value: &impl Serialize) -> Result<Value> {
    let defect = |what: &str| Error::new(ErrorKind::Internal, format!("JSON document `{name}` {what}"));
    let format = DOCUMENTS.iter().find(|format| format.name == name);
    let format = format.ok_or_else(|| defect("has no version; add it to DOCUMENTS"))?;
    let Ok(Value::Object(keys)) = serde_json::to_value(value) else { return Err(defect("is no object")) };
    let mut document = format.stamp();
    let of_its_own = format.place == VersionPlace::Format && keys.get("format") == Some(&json!(format.version));
    if document.keys().any(|key| keys.contains_key(key)) || (document.is_empty() && !of_its_own) {
        return Err(defect("says its version otherwise"));
    }
    document.extend(keys);
    Ok(Value::Object(document))
}

impl DocumentFormat {
    /// The keys that say name and version.
    fn stamp(&self) -> Map<String, Value> {
        let Self { name, version, .. } = self;
        let keys = match self.place {
            VersionPlace::Stamp => vec![("document", json!(name)), ("format", json!(version))],
            VersionPlace::Format => Vec::new(),
            VersionPlace::Id => vec![("$id", json!(format!("urn:pellucid:{name}:{version}")))],
        };
        keys.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    /// Where the version stands, for readers of the documentation.
    pub fn place_words(&self) -> &'static str {
        match self.place {
            VersionPlace::Stamp => "`document` and `format`",
            VersionPlace::Format => "`format`",
            VersionPlace::Id => "`$id`",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_says_first_what_it_is_and_in_which_version() {
        let text = |name: &str, value: Value| stamped(name, &value).unwrap().to_string();
        assert_eq!(text("verify", json!({ "passed": true })), r#"{"document":"verify","format":1,"passed":true}"#);
        assert_eq!(text("schema", json!({ "type": "object" })), r#"{"$id":"urn:pellucid:schema:1","type":"object"}"#);
        assert_eq!(text("manifest.json", json!({ "format": 1, "rows": 6 })), r#"{"format":1,"rows":6}"#);
    }

    #[test]
    fn what_cannot_be_stamped_is_a_defect() {
        for (name, value, why) in [
            ("verfy", json!({}), "has no version"),
            ("verify", json!([1]), "is no object"),
            ("verify", json!({ "format": "csv" }), "says its version otherwise"),
            ("manifest.json", json!({ "rows": 6 }), "says its version otherwise"),
            ("manifest.json", json!({ "format": 2 }), "says its version otherwise"),
        ] {
            let error = stamped(name, &value).unwrap_err();
            assert!(error.kind() == ErrorKind::Internal && error.message().contains(why), "{error}");
        }
    }

    #[test]
    fn names_are_unique() {
        for (at, format) in DOCUMENTS.iter().enumerate() {
            assert!(DOCUMENTS[..at].iter().all(|other| other.name != format.name), "{}", format.name);
        }
    }
}
