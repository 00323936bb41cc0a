//! How a job writes a sequence: a list of levels and borders, or the word for one that is derived.

use std::collections::BTreeMap;

use pellucid_model::error::{Error, Result};
use pellucid_model::hierarchy::BorderIntervals;
use pellucid_model::registry::did_you_mean;
use serde_json::Value;

/// The word that stands for a column's highest level.
const TOP: &str = "top";
const CHAIN: &str = "chain";
const LATTICE: &str = "lattice";

/// A sequence as a job writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WrittenSequence {
    /// All columns climb their hierarchies together.
    Chain,
    /// All combinations of levels.
    Lattice,
    /// Written out; a column that is left out stays as it is.
    Functions(Vec<BTreeMap<String, WrittenCut>>),
}

/// How a function of the sequence cuts one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WrittenCut {
    /// At a level of its hierarchy.
    Level(usize),
    /// At the highest level.
    Top,
    /// At borders.
    Borders(BorderIntervals),
}

impl WrittenSequence {
    /// Reads a word or, as JSON, a list of functions.
    pub fn parse(text: &str) -> Result<Self> {
        match text.trim() {
            CHAIN => return Ok(Self::Chain),
            LATTICE => return Ok(Self::Lattice),
            list if list.starts_with('[') => {}
            word => {
                let hint = did_you_mean(word, [CHAIN, LATTICE]);
                return Err(Error::invalid(format!(
                    "`sequence` cannot be `{word}`{hint}; it is `{CHAIN}`, `{LATTICE}` or a list such as \
                     [{{ age = 1 }}, {{ age = 2 }}]"
                )));
            }
        }
        let list: Vec<Value> = serde_json::from_str(text)
            .map_err(|_| Error::invalid("`sequence` is no list; write [{ age = 1 }, ...]"))?;
        if list.is_empty() {
            return Err(Error::invalid("`sequence` is empty; give at least one function"));
        }
        let functions = (1..).zip(list).map(|(step, value)| {
            let Value::Object(columns) = value else {
                return Err(Error::invalid(format!(
                    "function {step} of `sequence` must be a table of columns; write it like {{ age = 1, zip = 2 }}"
                )));
            };
            let cuts = columns.into_iter().map(|(name, value)| match WrittenCut::read(&value) {
                Ok(cut) => Ok((name, cut)),
                Err(error) => {
                    Err(Error::invalid(format!("function {step} of `sequence`, column `{name}`: {}", error.message())))
                }
            });
            cuts.collect()
        });
        Ok(Self::Functions(functions.collect::<Result<_>>()?))
    }
}

impl WrittenCut {
    fn read(value: &Value) -> Result<Self> {
        let fail = || {
            Error::invalid(format!(
                "not a level or a list of borders; write a whole number from 0, \"{TOP}\" or borders like [20, 30, 45]"
            ))
        };
        match value {
            Value::Number(number) => {
                let level = number.as_u64().and_then(|level| usize::try_from(level).ok());
                level.map(Self::Level).ok_or_else(fail)
            }
            Value::String(word) if word == TOP => Ok(Self::Top),
            Value::Array(borders) => {
                let texts = borders.iter().map(|border| match border {
                    Value::Number(number) => Ok(number.to_string()),
                    Value::String(text) => Ok(text.clone()),
                    _ => Err(fail()),
                });
                BorderIntervals::new(&texts.collect::<Result<Vec<String>>>()?).map(Self::Borders)
            }
            _ => Err(fail()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_lists_are_read() {
        assert_eq!(WrittenSequence::parse("chain").unwrap(), WrittenSequence::Chain);
        assert_eq!(WrittenSequence::parse("lattice").unwrap(), WrittenSequence::Lattice);
        let WrittenSequence::Functions(functions) =
            WrittenSequence::parse(r#"[{"a":1,"b":"top"},{},{"a":[20,30.5]}]"#).unwrap()
        else {
            panic!("a list")
        };
        assert_eq!((&functions[0]["a"], &functions[0]["b"]), (&WrittenCut::Level(1), &WrittenCut::Top));
        assert!(functions[1].is_empty());
        assert_eq!(functions[2]["a"], WrittenCut::Borders(BorderIntervals::new(&["20", "30.5"]).unwrap()));
    }

    #[test]
    fn what_is_no_sequence_is_refused_with_its_place() {
        for (text, words) in [
            ("chian", "did you mean `chain`?"),
            ("[]", "is empty"),
            ("[1]", "function 1 of `sequence` must be a table"),
            (r#"[{},{"a":-1}]"#, "function 2 of `sequence`, column `a`: not a level"),
            (r#"[{"a":1.5}]"#, "not a level"),
            (r#"[{"a":"bottom"}]"#, "\"top\""),
            (r#"[{"a":[30,20]}]"#, "column `a`: `borders` must ascend"),
            (r#"[{"a":[[1],2]}]"#, "borders like"),
        ] {
            let message = WrittenSequence::parse(text).unwrap_err().to_string();
            assert!(message.contains(words), "{text}: {message}");
        }
    }
}
