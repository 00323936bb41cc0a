//! How a hierarchy is written in a job file and in the manifest of a release.

use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::{BorderIntervals, CharacterMask, DateTruncation, Hierarchy, LabelFile, TaxonomyTree, WidthIntervals};
use crate::error::{Error, Result};
use crate::registry::did_you_mean;
use crate::table::Column;

/// How the hierarchy of a column is made.
///
/// In a job file, one of:
///
/// ```toml
/// hierarchy = "sex.csv"
/// hierarchy = { file = "zip.csv", separator = "," }
/// hierarchy = { widths = [5, 10, 20], origin = 0 }
/// hierarchy = { borders = [0, 18, 65, 120] }
/// hierarchy = { mask = "suffix", character = "#", levels = [1, 3] }
/// hierarchy = { truncate = ["month", "quarter", "year", "decade"] }
/// hierarchy = { tree = { Respiratory = ["flu", "bronchitis"], Digestive = { Upper = ["gastritis"] } } }
/// ```
///
/// What is serialised can be read back to the same value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HierarchySpec {
    /// Read from a file.
    File(LabelFile),
    /// Intervals of numbers or days.
    Widths(WidthIntervals),
    /// Intervals between borders that are written out.
    Borders(BorderIntervals),
    /// Masked characters.
    Mask(CharacterMask),
    /// Units of the calendar.
    Truncate(DateTruncation),
    /// Written out.
    Tree(TaxonomyTree),
}

/// The key that decides how a hierarchy is made, with the keys that may stand beside it.
const FORMS: &[(&str, &[&str])] = &[
    ("file", &["separator"]),
    ("widths", &["origin"]),
    ("borders", &[]),
    ("mask", &["character", "levels"]),
    ("truncate", &[]),
    ("tree", &[]),
];

impl HierarchySpec {
    /// Makes the hierarchy for `column`; a relative path of a file is relative to `base_dir`.
    ///
    /// # Errors
    /// When the file cannot be read, is no hierarchy or lacks values of the column, or when the rule does not apply to
    /// columns of this type. Messages name lines of the file and columns, never a value.
    pub fn build(&self, column: &Column, base_dir: &Path) -> Result<Hierarchy> {
        match self {
            Self::File(file) => file.build(column, base_dir),
            Self::Widths(widths) => widths.build(column),
            Self::Borders(borders) => borders.build(column),
            Self::Mask(mask) => mask.build(column),
            Self::Truncate(truncate) => truncate.build(column),
            Self::Tree(tree) => tree.build(column),
        }
    }

    /// The file that the hierarchy is read from, as written; `None` when it is made by a rule or written out.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(file) => Some(file.path()),
            _ => None,
        }
    }

    /// Reads a specification from the value that a job file gives it.
    ///
    /// # Errors
    /// When a key is unknown (the nearest known one is named), or a value is not of its form.
    pub fn from_value(value: Value) -> Result<Self> {
        let values = match value {
            Value::String(path) => return Ok(Self::File(LabelFile::new(path))),
            Value::Object(values) => values,
            _ => {
                return Err(Error::bad_hierarchy("a hierarchy must be the path of a file or a table; check its value"));
            }
        };
        let mut given = FORMS.iter().filter(|(key, _)| values.contains_key(*key));
        let (form, beside) = match (given.next(), given.next()) {
            (Some(&(form, beside)), None) => (form, beside),
            (Some((first, _)), Some((second, _))) => {
                return Err(Error::bad_hierarchy(format!(
                    "a hierarchy is made in one way, not by both `{first}` and `{second}`; keep one of them"
                )));
            }
            (None, _) => {
                let forms: Vec<String> = FORMS.iter().map(|(key, _)| format!("`{key}`")).collect();
                let forms = forms.join(", ");
                let Some(key) = values.keys().next() else {
                    return Err(Error::bad_hierarchy(format!("a hierarchy needs one of {forms}; add it")));
                };
                let hint = did_you_mean(key, FORMS.iter().map(|&(key, _)| key));
                return Err(Error::bad_hierarchy(format!(
                    "a hierarchy has no key `{key}`{hint}; it needs one of {forms}"
                )));
            }
        };
        if let Some(key) = values.keys().find(|key| *key != form && !beside.contains(&key.as_str())) {
            let hint = did_you_mean(key, beside.iter().copied());
            let known: Vec<String> = beside.iter().map(|key| format!("`{key}`")).collect();
            let known = if known.is_empty() { "nothing".into() } else { known.join(", ") };
            return Err(Error::bad_hierarchy(format!(
                "a hierarchy with `{form}` has no key `{key}`{hint}; beside `{form}` it takes {known}"
            )));
        }
        let mut options = SpecKeys { values };
        match form {
            "file" => LabelFile::from_options(&mut options).map(Self::File),
            "widths" => WidthIntervals::from_options(&mut options).map(Self::Widths),
            "borders" => BorderIntervals::from_options(&mut options).map(Self::Borders),
            "mask" => CharacterMask::from_options(&mut options).map(Self::Mask),
            "truncate" => DateTruncation::from_options(&mut options).map(Self::Truncate),
            _ => TaxonomyTree::from_options(&mut options).map(Self::Tree),
        }
    }

    /// The value that [`HierarchySpec::from_value`] reads as this specification.
    pub fn to_value(&self) -> Value {
        match self {
            Self::File(file) => file.to_value(),
            Self::Widths(widths) => widths.to_value(),
            Self::Borders(borders) => borders.to_value(),
            Self::Mask(mask) => mask.to_value(),
            Self::Truncate(truncate) => truncate.to_value(),
            Self::Tree(tree) => tree.to_value(),
        }
    }
}

impl Serialize for HierarchySpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for HierarchySpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::from_value(value).map_err(serde::de::Error::custom)
    }
}

/// The keys of one specification, taken one by one; unknown ones are already refused.
pub(super) struct SpecKeys {
    values: Map<String, Value>,
}

impl SpecKeys {
    /// The value of `key`, when given.
    pub fn take(&mut self, key: &str) -> Option<Value> {
        self.values.shift_remove(key)
    }

    /// Takes `key`, which must be there and be text.
    pub fn text(&mut self, key: &str) -> Result<String> {
        match self.take(key) {
            Some(Value::String(text)) if !text.is_empty() => Ok(text),
            _ => Err(Error::bad_hierarchy(format!("`{key}` of a hierarchy must be a text; put it in quotes"))),
        }
    }

    /// Takes `key`, which must be there and be a list.
    pub fn list(&mut self, key: &str) -> Result<Vec<Value>> {
        match self.take(key) {
            Some(Value::Array(values)) => Ok(values),
            _ => Err(Error::bad_hierarchy(format!("`{key}` of a hierarchy must be a list; put it in brackets"))),
        }
    }
}

/// The only character of the text `value` of `key`.
pub(super) fn single_character(key: &str, value: &Value) -> Result<char> {
    let mut characters = value.as_str().unwrap_or_default().chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => Ok(character),
        _ => Err(Error::bad_hierarchy(format!("`{key}` of a hierarchy must be one character; write it like \"#\""))),
    }
}

/// A number or date as text; a date of TOML arrives as a table of one private key.
pub(super) fn number_text(key: &str, value: &Value) -> Result<String> {
    match value {
        Value::Number(number) => Ok(number.to_string()),
        Value::String(text) => Ok(text.clone()),
        Value::Object(date) if date.keys().all(|key| key.starts_with("$__toml")) => {
            Ok(date.values().next().and_then(Value::as_str).unwrap_or_default().to_owned())
        }
        _ => {
            Err(Error::bad_hierarchy(format!("`{key}` of a hierarchy must be numbers; write them like 5 or \"0.25\"")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Entry {
        hierarchy: HierarchySpec,
    }

    fn read(text: &str) -> Result<HierarchySpec, String> {
        toml::from_str::<Entry>(&format!("hierarchy = {text}")).map(|entry| entry.hierarchy).map_err(|e| e.to_string())
    }

    const EXAMPLES: [&str; 13] = [
        r#""sex.csv""#,
        r#"{ file = "zip.csv", separator = "," }"#,
        "{ widths = [5, 10, 20] }",
        r#"{ widths = [0.5, 1.5, "3.0"], origin = -0.25 }"#,
        "{ widths = [7], origin = 2020-01-01 }",
        r#"{ widths = [7], origin = "2020-01-01" }"#,
        r#"{ mask = "suffix" }"#,
        r##"{ mask = "prefix", character = "#", levels = [1, 3] }"##,
        r#"{ truncate = ["month", "quarter", "year", "decade"] }"#,
        r#"{ tree = { Respiratory = ["flu", "bronchitis"], Digestive = { Upper = ["gastritis"], Lower = ["colitis"] } } }"#,
        r#"{ widths = ["0.1000000000000000055"], origin = "12345678901234567" }"#,
        "{ borders = [0, 17.5, 65] }",
        "{ borders = [2020-01-01, 2021-01-01] }",
    ];

    #[test]
    fn every_form_survives_toml_and_json() {
        for example in EXAMPLES {
            let hierarchy = read(example).unwrap_or_else(|error| panic!("{example}: {error}"));
            let entry = Entry { hierarchy };
            assert_eq!(toml::from_str::<Entry>(&toml::to_string(&entry).unwrap()).unwrap(), entry, "{example}");
            assert_eq!(
                serde_json::from_str::<Entry>(&serde_json::to_string(&entry).unwrap()).unwrap(),
                entry,
                "{example}"
            );
        }
    }

    #[test]
    fn the_two_ways_to_write_a_date_are_the_same() {
        assert_eq!(read(EXAMPLES[4]).unwrap(), read(EXAMPLES[5]).unwrap());
    }

    #[test]
    fn only_files_have_a_path() {
        assert_eq!(read(EXAMPLES[1]).unwrap().file(), Some(Path::new("zip.csv")));
        assert_eq!(read(EXAMPLES[2]).unwrap().file(), None);
    }

    #[test]
    fn unknown_keys_get_a_hint() {
        for (text, expected) in [
            ("{ width = [5] }", "a hierarchy has no key `width`, did you mean `widths`?; it needs one of `file`, "),
            (
                r#"{ file = "a", seperator = "," }"#,
                "has no key `seperator`, did you mean `separator`?; beside `file` it",
            ),
            (r#"{ mask = "suffix", origin = 1 }"#, "has no key `origin`; beside `mask` it takes `character`, `levels`"),
            (r#"{ tree = { A = ["x"] }, extra = 1 }"#, "has no key `extra`; beside `tree` it takes nothing"),
            (r#"{ mask = "sufix" }"#, "`mask` of a hierarchy cannot be `sufix`, did you mean `suffix`?; it is"),
            (r#"{ truncate = ["years"] }"#, "knows no unit \"years\", did you mean `year`?; the units are `month`"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }

    #[test]
    fn what_is_not_of_its_form_is_refused() {
        for text in [
            "5",
            "{}",
            r#"{ file = "" }"#,
            "{ file = 1 }",
            r#"{ file = "a", separator = ";;" }"#,
            r#"{ file = "a", separator = "ä" }"#,
            r#"{ file = "a", mask = "suffix" }"#,
            "{ widths = 5 }",
            "{ widths = [true] }",
            "{ widths = [] }",
            "{ widths = [5], origin = [] }",
            r#"{ mask = "suffix", character = "" }"#,
            r#"{ mask = "suffix", levels = 2 }"#,
            r#"{ mask = "suffix", levels = [-1] }"#,
            r#"{ truncate = "year" }"#,
            r#"{ truncate = ["year", "month"] }"#,
            "{ tree = [] }",
            "{ borders = [1] }",
            "{ borders = [2, 1] }",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
