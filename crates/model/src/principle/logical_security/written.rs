//! What a job writes about confidential sentences.

use serde_json::Value;

use crate::error::{Error, Result};
use crate::exact::{Fraction, format_fraction, parse_fraction};
use crate::registry::{EntryArgs, did_you_mean};
use crate::sentence::LogicSentence;

const FORMS: &str = "a list such as [\"health = 2\", { sentence = \"income > 400\", damage = 3 }], or named sets such as \
                     { cautious = [\"health = 1\"], open = [] }";
const KEYS: [&str; 3] = ["sentence", "damage", "prior"];

/// A set of confidential sentences: numbers of sentences with their damages, which sum to 1.
pub(super) type SentenceSet = Vec<(usize, Fraction)>;

/// All sentences, and who wants which of them kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WrittenSets {
    /// Every sentence once, in the order of the sets.
    pub sentences: Vec<LogicSentence>,
    /// By sentence, the probability known beforehand, where one is given.
    pub priors: Vec<Option<Fraction>>,
    /// The sets in order of their names; without names there is one, for everybody.
    pub sets: Vec<(Option<String>, SentenceSet)>,
}

impl WrittenSets {
    /// Reads the parameter `sentences`: a sentence, a list in JSON, or named lists in JSON.
    pub fn parse(args: &EntryArgs) -> Result<Self> {
        let text = args.text("sentences")?;
        let value = if text.starts_with(['[', '{']) {
            serde_json::from_str(text)
                .map_err(|_| Error::invalid(format!("`sentences` cannot be read; write {FORMS}")))?
        } else {
            Value::Array(vec![text.into()])
        };
        let mut written = Self { sentences: Vec::new(), priors: Vec::new(), sets: Vec::new() };
        match &value {
            Value::Array(list) => {
                let set = written.set(list).map_err(|error| error.context("`sentences`"))?;
                written.sets.push((None, set));
            }
            Value::Object(sets) => {
                let mut names: Vec<&String> = sets.keys().collect();
                names.sort_unstable();
                for name in names {
                    let set = match &sets[name] {
                        Value::Array(list) => written.set(list),
                        Value::String(_) => written.set(std::slice::from_ref(&sets[name])),
                        _ => Err(Error::invalid("not a list of sentences; write it in [ ]")),
                    };
                    let set = set.map_err(|error| error.context(format!("set `{name}` of `sentences`")))?;
                    written.sets.push((Some(name.clone()), set));
                }
            }
            _ => return Err(Error::invalid(format!("`sentences` is neither a list nor named sets; write {FORMS}"))),
        }
        if written.sentences.is_empty() {
            return Err(Error::invalid(format!(
                "`sentences` holds no sentence, so nothing would be kept; write {FORMS}"
            )));
        }
        Ok(written)
    }

    fn set(&mut self, list: &[Value]) -> Result<SentenceSet> {
        let mut set: SentenceSet = Vec::new();
        for (at, value) in (1..).zip(list) {
            let (sentence, damage) = self.entry(value).map_err(|error| error.context(format!("sentence {at}")))?;
            if set.iter().any(|other| other.0 == sentence) {
                return Err(Error::invalid(format!("sentence {at} is listed before; remove one of the two")));
            }
            set.push((sentence, damage));
        }
        let sum = set.iter().fold(Fraction::ZERO, |sum, entry| sum + &entry.1);
        set.iter_mut().for_each(|entry| entry.1 = &entry.1 / &sum);
        Ok(set)
    }

    /// The number of the sentence that `value` writes, and its damage.
    fn entry(&mut self, value: &Value) -> Result<(usize, Fraction)> {
        let (text, damage, prior) = match value {
            Value::String(text) => (text.as_str(), None, None),
            Value::Object(keys) => {
                if let Some(key) = keys.keys().find(|key| !KEYS.contains(&key.as_str())) {
                    let hint = did_you_mean(key, KEYS);
                    return Err(Error::invalid(format!("unknown key `{key}`{hint}; it has `{}`", KEYS.join("`, `"))));
                }
                let text = keys.get("sentence").and_then(Value::as_str);
                let text = text.ok_or_else(|| Error::invalid("it lacks `sentence`; write it as text"))?;
                (text, number(keys.get("damage"), "damage")?, number(keys.get("prior"), "prior")?)
            }
            _ => return Err(Error::invalid(format!("it is neither text nor a table; write {FORMS}"))),
        };
        let damage = damage.unwrap_or(Fraction::ONE);
        if damage <= Fraction::ZERO {
            let shown = format_fraction(&damage);
            return Err(Error::invalid(format!("damage ({shown}) must be above 0; leave out what does no damage")));
        }
        if let Some(prior) = prior.as_ref().filter(|prior| **prior <= Fraction::ZERO || **prior > Fraction::ONE) {
            let shown = format_fraction(prior);
            return Err(Error::invalid(format!("prior ({shown}) must be a probability above 0 and at most 1")));
        }
        let sentence: LogicSentence = text.parse()?;
        let known = self.sentences.iter().position(|other| *other == sentence);
        let at = known.unwrap_or_else(|| {
            self.sentences.push(sentence);
            self.priors.push(None);
            self.sentences.len() - 1
        });
        match (&self.priors[at], prior) {
            (Some(before), Some(prior)) if *before != prior => {
                return Err(Error::invalid(
                    "it has another `prior` in another set; everybody knows the same beforehand",
                ));
            }
            (None, Some(prior)) => self.priors[at] = Some(prior),
            _ => {}
        }
        Ok((at, damage))
    }

    /// The sentences of `set`, as they are written in messages.
    pub fn labels(&self, set: &SentenceSet) -> Vec<String> {
        set.iter().map(|&(at, _)| format!("`{}`", self.sentences[at])).collect()
    }
}

fn number(value: Option<&Value>, name: &str) -> Result<Option<Fraction>> {
    let read = match value {
        None => return Ok(None),
        Some(Value::String(text)) => parse_fraction(text),
        Some(Value::Number(number)) => parse_fraction(&number.to_string()),
        Some(_) => Err(Error::invalid("not a number; write it like 3, 0.25 or \"1/3\"")),
    };
    read.map(Some).map_err(|error| error.context(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::fraction;

    fn parse(text: &str) -> Result<WrittenSets> {
        WrittenSets::parse(&EntryArgs::new().with("sentences", text))
    }

    #[test]
    fn damages_are_brought_to_a_sum_of_one() {
        let text =
            r#"["a = 1", {"sentence": "b = 1", "damage": 3, "prior": "1/100"}, {"sentence": "c = 1", "damage": 0.5}]"#;
        let written = parse(text).unwrap();
        // 1 + 3 + 1/2 = 9/2.
        assert_eq!(written.sets, [(None, vec![(0, fraction(2, 9u8)), (1, fraction(2, 3u8)), (2, fraction(1, 9u8))])]);
        assert_eq!(written.priors, [None, Some(fraction(1, 100u8)), None]);
        assert_eq!(parse("a = 1").unwrap().sets, [(None, vec![(0, Fraction::ONE)])]);
    }

    #[test]
    fn a_sentence_in_several_sets_is_one_sentence() {
        let written = parse(r#"{"b": ["y = 1", "x = '1'"], "a": ["x = 1"], "c": []}"#).unwrap();
        assert_eq!(written.sentences.len(), 2);
        let names: Vec<&str> = written.sets.iter().filter_map(|set| set.0.as_deref()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!(written.sets[1].1, [(1, fraction(1, 2u8)), (0, fraction(1, 2u8))]);
    }

    #[test]
    fn what_is_written_wrongly_is_named() {
        for (text, expected) in [
            ("[]", "`sentences` holds no sentence"),
            (r#"{"open": []}"#, "`sentences` holds no sentence"),
            ("[", "`sentences` cannot be read; write a list"),
            ("[1]", "`sentences`: sentence 1: it is neither text nor a table"),
            (r#"["x = 1", "x = '1'"]"#, "`sentences`: sentence 2 is listed before"),
            (r#"["x = 1", "x ="]"#, "`sentences`: sentence 2: character 4: expected a value"),
            (r#"[{"sentence": "x = 1", "damages": 1}]"#, "did you mean `damage`?"),
            (r#"[{"damage": 1}]"#, "it lacks `sentence`"),
            (r#"[{"sentence": "x = 1", "damage": 0}]"#, "damage (0) must be above 0"),
            (r#"[{"sentence": "x = 1", "damage": "many"}]"#, "damage: `many` is not a number"),
            (r#"[{"sentence": "x = 1", "prior": 1.5}]"#, "prior (3/2) must be a probability"),
            (r#"{"a": 3}"#, "set `a` of `sentences`: not a list of sentences"),
            (
                r#"{"a": [{"sentence": "x = 1", "prior": 0.5}], "b": [{"sentence": "x = 1", "prior": 0.25}]}"#,
                "set `b` of `sentences`: sentence 1: it has another `prior`",
            ),
        ] {
            let message = parse(text).unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
