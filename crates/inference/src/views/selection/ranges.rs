//! Selections as data: what is wanted of each column.

use std::collections::BTreeMap;
use std::fmt;

use pellucid_model::error::{Error, Result};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use super::{ComparisonOperator, RowSelection};

/// Most significant digits of a number with a point that is sure to be what was written.
const SURE_DIGITS: usize = 15;

/// The key of a list of values.
const IN: &str = "in";

/// The key under which `toml` hands over a date.
const TOML_DATE: &str = "$__toml_private_datetime";

/// What is wanted of one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WantedRange {
    /// From the first value to the second, both included; one of them may be left open.
    FromTo(Option<String>, Option<String>),
    /// This value.
    One(String),
    /// One of these values.
    In(Vec<String>),
}

/// What is wanted of some columns, by name; people are selected who fit all of it.
///
/// In a file: `age = [29, 33]`, `born = [1980-01-01, null]` (where the format has a null; `""` stands for one elsewhere),
/// `sex = "F"`, `zip = { in = ["12345", "12346"] }`. Numbers with a point are taken as the shortest decimal number that stands
/// for them, and refused where that may be another than the one written; in quotes they are exact.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WantedRanges(pub BTreeMap<String, WantedRange>);

impl Serialize for WantedRanges {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(&self.0)
    }
}

impl Serialize for WantedRange {
    /// As a job file has it; an open end is an empty text.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let end = |end: &Option<String>| end.clone().unwrap_or_default();
        match self {
            Self::FromTo(from, to) => [end(from), end(to)].serialize(serializer),
            Self::One(value) => value.serialize(serializer),
            Self::In(values) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("in", values)?;
                map.end()
            }
        }
    }
}

impl WantedRange {
    /// What `value` wants of `column`.
    fn read(column: &str, value: Value) -> Result<Self> {
        let wrong = |what: &str| {
            Error::invalid(format!(
                "column `{column}` of a selection {what}; write `[from, to]`, a value or `{{ in = [..] }}`"
            ))
        };
        match value {
            Value::Array(ends) => {
                let [from, to] =
                    <[Value; 2]>::try_from(ends).map_err(|_| wrong("has a list that is no pair of ends"))?;
                let end = |value: Value| match value {
                    Value::Null => Ok(None),
                    Value::String(text) if text.is_empty() => Ok(None),
                    value => text(column, value).map(Some),
                };
                match (end(from)?, end(to)?) {
                    (None, None) => Err(wrong("is open at both ends")),
                    (from, to) => Ok(Self::FromTo(from, to)),
                }
            }
            Value::Object(mut keys) if keys.len() == 1 && keys.contains_key(IN) => match keys.remove(IN) {
                Some(Value::Array(values)) if !values.is_empty() => {
                    Ok(Self::In(values.into_iter().map(|value| text(column, value)).collect::<Result<_>>()?))
                }
                _ => Err(wrong("has an `in` without a list of values")),
            },
            value => text(column, value).map(Self::One),
        }
    }

    /// The condition on `column`.
    fn selection(self, column: String) -> RowSelection {
        match self {
            Self::FromTo(Some(from), Some(to)) => RowSelection::between(column, from, to),
            Self::FromTo(Some(from), None) => RowSelection::compare(column, ComparisonOperator::AtLeast, from),
            Self::FromTo(None, Some(to)) => RowSelection::compare(column, ComparisonOperator::AtMost, to),
            Self::FromTo(None, None) => !RowSelection::missing(column),
            Self::One(value) => RowSelection::compare(column, ComparisonOperator::Equal, value),
            Self::In(values) => RowSelection::In { column, values },
        }
    }
}

fn text(column: &str, value: Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text),
        Value::Bool(flag) => Ok(flag.to_string()),
        Value::Number(number) if !number.is_f64() => Ok(number.to_string()),
        Value::Number(number) => {
            let shortest = number.as_f64().map(|number| number.to_string()).unwrap_or_default();
            let digits: String = shortest.chars().filter(char::is_ascii_digit).collect();
            if digits.trim_matches('0').len() <= SURE_DIGITS {
                return Ok(shortest);
            }
            Err(Error::invalid(format!(
                "column `{column}` of a selection has a number of more than {SURE_DIGITS} digits, which may have been rounded; \
                 put it in quotes"
            )))
        }
        Value::Object(mut keys) => match keys.remove(TOML_DATE) {
            Some(Value::String(date)) => Ok(date),
            _ => Err(no_value(column)),
        },
        Value::Null | Value::Array(_) => Err(no_value(column)),
    }
}

fn no_value(column: &str) -> Error {
    Error::invalid(format!(
        "column `{column}` of a selection has what is no value; write `[from, to]`, a value or `{{ in = [..] }}`"
    ))
}

impl From<WantedRanges> for RowSelection {
    /// All conditions together, in the order of the columns' names.
    fn from(ranges: WantedRanges) -> Self {
        ranges.0.into_iter().fold(Self::All, |all, (column, range)| all.and(range.selection(column)))
    }
}

impl<'de> Deserialize<'de> for WantedRanges {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Columns;

        impl<'de> Visitor<'de> for Columns {
            type Value = WantedRanges;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("columns with `[from, to]`, a value or `{ in = [..] }`")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<WantedRanges, M::Error> {
                let mut ranges = BTreeMap::new();
                while let Some((column, value)) = map.next_entry::<String, Value>()? {
                    if ranges.contains_key(&column) {
                        return Err(M::Error::custom(format!("column `{column}` is selected on twice; remove one")));
                    }
                    let range = WantedRange::read(&column, value).map_err(M::Error::custom)?;
                    ranges.insert(column, range);
                }
                Ok(WantedRanges(ranges))
            }
        }

        deserializer.deserialize_map(Columns)
    }
}
