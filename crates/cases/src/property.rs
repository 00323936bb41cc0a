//! The property of a case: the papers' names for principles, or any principle of the registry.

use pellucid_model::error::{Error, Result};
use pellucid_model::exact::{Fraction, format_fraction, parse_fraction};
use pellucid_model::principle::{self, Principle};
use pellucid_model::registry::{EntryArgs, did_you_mean};
use serde_json::Value;

use super::object::{CaseObject, list, wrong};

/// A name of the papers, its keys, and what it is here.
struct Name {
    id: &'static str,
    keys: &'static [&'static str],
    make: fn(&Given<'_>) -> Result<Box<dyn Principle>>,
}

/// All names.
const NAMES: &[Name] = &[
    Name {
        id: "ratio_le",
        keys: &["delta"],
        make: |given| principle::make("highest-ratio", &EntryArgs::new().with("ratio", given.text("delta")?)),
    },
    Name { id: "ratio_lt", keys: &["delta"], make: ratio_below },
    Name {
        id: "distinct",
        keys: &["l"],
        make: |given| principle::make("distinct-l-diversity", &EntryArgs::new().with("l", given.text("l")?)),
    },
    Name {
        id: "recursive",
        keys: &["c", "l"],
        make: |given| {
            let args = EntryArgs::new().with("c", given.text("c")?).with("l", given.text("l")?);
            principle::make("recursive-cl-diversity", &args)
        },
    },
    Name {
        id: "entropy",
        keys: &["l"],
        make: |given| principle::make("entropy-l-diversity", &EntryArgs::new().with("l", given.text("l")?)),
    },
    Name {
        id: "band",
        keys: &["delta", "eps"],
        make: |given| {
            let args = EntryArgs::new().with("delta", given.text("delta")?).with("eps", given.text("eps")?);
            principle::make("band", &args)
        },
    },
];

/// The keys of one property.
struct Given<'a>(CaseObject<'a>);

impl Given<'_> {
    fn text(&self, key: &str) -> Result<String> {
        word(key, self.0.get(key)?)
    }
}

/// Reads `{"type": ..}`, `{"principle": ..}`, or a list of them that must all hold. Errors name the key `property`.
pub fn read(value: &Value) -> Result<Vec<Box<dyn Principle>>> {
    let several = if value.is_array() { list("property", value)? } else { std::slice::from_ref(value) };
    if several.is_empty() {
        return Err(wrong("property", "something that must hold; add at least one"));
    }
    several.iter().map(|one| one_property(one).map_err(|error| error.context("key `property`"))).collect()
}

fn one_property(value: &Value) -> Result<Box<dyn Principle>> {
    let object = CaseObject::new(value, &["type", "principle"])?;
    let made = if let Some(id) = object.find("principle") {
        let id = id.as_str().ok_or_else(|| wrong("principle", "text; `pellucid list` shows them all"))?;
        let mut args = EntryArgs::new();
        for (key, value) in value.as_object().into_iter().flatten().filter(|entry| entry.0 != "principle") {
            args = args.with(key, word(key, value)?);
        }
        principle::make(id, &args)?
    } else {
        let id = object.text("type")?;
        let name = NAMES.iter().find(|name| name.id == id).ok_or_else(|| unknown(id))?;
        let given = CaseObject::new(value, name.keys)?;
        given.refuse_misspelt().and_then(|()| (name.make)(&Given(given))).map_err(|error| error.context(id))?
    };
    if !made.sentences().is_empty() {
        return Err(Error::invalid(format!(
            "`{}` speaks of columns, and a case has none; use a principle on values, such as `highest-ratio`",
            made.id()
        )));
    }
    if made.needs_sensitive() {
        return Ok(made);
    }
    let id = made.id();
    Err(Error::invalid(format!(
        "`{id}` looks at no sensitive value, so it has no say on belief; use a principle that does, such as \
         `highest-ratio`"
    )))
}

fn unknown(id: &str) -> Error {
    let hint = did_you_mean(id, NAMES.iter().map(|name| name.id));
    let known: Vec<String> = NAMES.iter().map(|name| format!("`{}`", name.id)).collect();
    Error::invalid(format!(
        "no type `{id}`{hint}; it is one of {}, or name a principle of `pellucid list` under `principle`",
        known.join(", ")
    ))
}

/// `r1 < delta` is `r1 < c (1 - r1)` for `c = delta / (1 - delta)`, and for `delta = 1` that two values are possible.
fn ratio_below(given: &Given<'_>) -> Result<Box<dyn Principle>> {
    let delta = parse_fraction(&given.text("delta")?).map_err(|error| error.context("delta"))?;
    if delta <= Fraction::ZERO || delta > Fraction::ONE {
        let shown = format_fraction(&delta);
        return Err(Error::invalid(format!("delta ({shown}) must be above 0 and at most 1")));
    }
    if delta == Fraction::ONE {
        return principle::make("distinct-l-diversity", &EntryArgs::new().with("l", 2));
    }
    let c = &delta / (Fraction::ONE - &delta);
    principle::make("recursive-cl-diversity", &EntryArgs::new().with("c", format_fraction(&c)).with("l", 2))
}

/// A parameter as users write it: text or a number.
fn word(key: &str, value: &Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        _ => Err(wrong(key, "a number or text; write it like 3, 0.25 or \"1/3\"")),
    }
}

#[cfg(test)]
mod tests {
    use pellucid_model::histogram::Histogram;
    use pellucid_model::principle::SensitiveColumn;
    use serde_json::json;

    use super::*;

    fn refusal(value: Value) -> String {
        read(&value).unwrap_err().to_string()
    }

    /// Whether a group with these counts passes.
    fn passes(property: Value, counts: [u64; 3]) -> bool {
        let (group, made) = (Histogram::from_counts(counts), read(&property).unwrap());
        let column = SensitiveColumn { name: "x", whole: &group, cardinality: 3, protected: None, hierarchy: None };
        made.iter().all(|principle| principle.bind(column).unwrap().holds(&group))
    }

    #[test]
    fn a_strict_bound_is_told_from_one_that_may_be_reached() {
        for (kind, reached) in [("ratio_le", true), ("ratio_lt", false)] {
            let property = json!({ "type": kind, "delta": "1/2" });
            assert_eq!(passes(property.clone(), [2, 1, 1]), reached);
            assert!(passes(property.clone(), [2, 2, 1]) && !passes(property, [3, 1, 1]));
        }
        assert!(passes(json!({ "type": "ratio_lt", "delta": 1 }), [5, 1, 0]));
        assert!(!passes(json!({ "type": "ratio_lt", "delta": "1/1" }), [5, 0, 0]));
    }

    #[test]
    fn names_of_the_papers_and_of_the_registry_mean_the_same() {
        for (paper, ours) in [
            (json!({ "type": "ratio_le", "delta": 0.5 }), json!({ "principle": "highest-ratio", "ratio": "1/2" })),
            (json!({ "type": "distinct", "l": 3 }), json!({ "principle": "distinct-l-diversity", "l": 3 })),
            (json!({ "type": "entropy", "l": 2 }), json!({ "principle": "entropy-l-diversity", "l": "2" })),
            (
                json!({ "type": "recursive", "c": "2", "l": 2 }),
                json!({ "principle": "recursive-cl-diversity", "c": 2, "l": 2 }),
            ),
        ] {
            assert_eq!(read(&paper).unwrap()[0].describe(), read(&ours).unwrap()[0].describe());
        }
        assert_eq!(read(&json!([{ "type": "distinct", "l": 2 }, { "type": "entropy", "l": 2 }])).unwrap().len(), 2);
    }

    #[test]
    fn bad_properties_are_refused_with_the_key() {
        for (property, words) in [
            (
                json!({ "type": "ratio_lte", "delta": "1/2" }),
                "key `property`: no type `ratio_lte`, did you mean `ratio_le`?",
            ),
            (json!({ "type": "ratio_le" }), "key `property`: ratio_le: key `delta` is missing"),
            (json!({ "type": "ratio_le", "delt": "1/2" }), "did you mean `delta`?"),
            (json!({ "type": "ratio_le", "delta": "x" }), "ratio"),
            (json!({ "type": "ratio_lt", "delta": "3/2" }), "delta (3/2) must be above 0 and at most 1"),
            (json!({ "type": "distinct", "l": [2] }), "key `l` must be a number or text"),
            (json!({ "principle": "t-closenes", "t": "0.3" }), "did you mean `t-closeness`?"),
            (json!({ "principle": "t-closeness" }), "needs `t`"),
            (json!({ "principle": "k-anonymity", "k": 3 }), "has no say on belief"),
            (json!({ "delta": "1/2" }), "key `type` is missing"),
            (json!("ratio_le"), "must be an object"),
            (json!([]), "key `property` must be something that must hold"),
        ] {
            let message = refusal(property);
            assert!(message.contains(words), "{message}");
        }
    }
}
