//! What people want kept: values, or sets of values, of the sensitive column.

use std::collections::BTreeMap;

use pellucid_model::error::{Error, Result};
use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::principle::SentenceClaims;
use pellucid_model::table::ColumnCodes;
use pellucid_model::words::counted;
use serde_json::Value;

use crate::object::{CaseObject, list, whole, wrong};
use crate::values;

/// The sensitive column.
#[derive(Debug)]
pub struct SensitiveValues {
    /// Names of the values that occur, by code.
    pub names: Vec<String>,
    /// The code of every person.
    pub codes: Vec<u32>,
}

/// A sentence that a person may want kept, with its damage.
type Kept = Vec<(usize, Fraction)>;

/// Sentences about the sensitive value, and who wants which of them kept.
#[derive(Debug)]
pub struct KeptSentences {
    /// By sentence, the codes of which it is true.
    sentences: Vec<Vec<u32>>,
    /// What is given as the probability beforehand.
    priors: Vec<Option<Fraction>>,
    /// By person, or one for everyone.
    kept: Vec<Kept>,
}

impl KeptSentences {
    /// Everyone wants it kept whether they have each of these values.
    pub fn of_codes(codes: &[u32]) -> Self {
        let even = fraction(1, codes.len().max(1));
        Self {
            sentences: codes.iter().map(|&code| vec![code]).collect(),
            priors: vec![None; codes.len()],
            kept: vec![(0..codes.len()).map(|sentence| (sentence, even.clone())).collect()],
        }
    }

    /// Reads `con_values`, `con_rows`, `damages` and `priors`; `None` without `con_values`.
    pub fn read(input: &CaseObject<'_>, sensitive: &SensitiveValues) -> Result<Option<Self>> {
        let Some(given) = input.find("con_values") else {
            return match ["con_rows", "damages", "priors", "taus"].into_iter().find(|key| input.find(key).is_some()) {
                Some(key) => Err(Error::bad_input(format!("key `{key}` needs `con_values`; add them or remove it"))),
                None => Ok(None),
            };
        };
        let sentence = |value: &Value| -> Result<Vec<u32>> {
            let listed = if value.is_array() { list("con_values", value)? } else { std::slice::from_ref(value) };
            let mut codes = Vec::new();
            for value in listed {
                let text = values::text("con_values", value)?;
                // A value that nobody has is a sentence that is true of nobody.
                codes.extend(sensitive.names.iter().position(|name| *name == text).map(|code| code as u32));
            }
            Ok(codes)
        };
        let sentences = list("con_values", given)?.iter().map(sentence).collect::<Result<Vec<_>>>()?;
        let priors = match input.find("priors") {
            None => vec![None; sentences.len()],
            Some(priors) => {
                aligned("priors", list("priors", priors)?, sentences.len())?.iter().map(prior).collect::<Result<_>>()?
            }
        };
        let own = match input.find("con_rows") {
            None => None,
            Some(_) => Some(rows(input.list("con_rows")?, sensitive.codes.len(), sentences.len())?),
        };
        let all: Vec<usize> = (0..sentences.len()).collect();
        let kept = match (own, input.find("damages")) {
            (None, None) => vec![scaled(all, None)?],
            (Some(own), None) => own.into_iter().map(|own| scaled(own, None)).collect::<Result<_>>()?,
            (own, Some(damages)) => {
                let damages = list("damages", damages)?;
                if damages.iter().any(Value::is_array) {
                    let damages = aligned("damages", damages, sensitive.codes.len())?;
                    let own = own.unwrap_or_else(|| vec![all; damages.len()]);
                    let of = |(own, damages)| scaled(own, Some(list("damages", damages)?));
                    own.into_iter().zip(damages).map(of).collect::<Result<_>>()?
                } else {
                    let damages = aligned("damages", damages, sentences.len())?;
                    let pick = |own: Vec<usize>| {
                        let picked: Vec<Value> = own.iter().map(|&at| damages[at].clone()).collect();
                        scaled(own, Some(&picked))
                    };
                    own.unwrap_or_else(|| vec![all]).into_iter().map(pick).collect::<Result<_>>()?
                }
            }
        };
        Ok(Some(Self { sentences, priors, kept }))
    }

    /// A column in which people with the same value who want the same kept share a code, and what the codes mean.
    pub fn claims(&self, people: &[u32]) -> (ColumnCodes, SentenceClaims) {
        let kept = |row: usize| if self.kept.len() == 1 { &self.kept[0] } else { &self.kept[row] };
        let mut numbers: BTreeMap<(u32, &Kept), u32> = BTreeMap::new();
        let keys: Vec<(u32, &Kept)> = people.iter().enumerate().map(|(row, &code)| (code, kept(row))).collect();
        for &key in &keys {
            numbers.insert(key, 0);
        }
        numbers.values_mut().zip(0..).for_each(|(number, next)| *number = next);
        let codes = keys.iter().map(|key| numbers[key]).collect();
        let truths = |code: u32| self.sentences.iter().map(|sentence| sentence.contains(&code)).collect::<Vec<bool>>();
        let share = |sentence: &Vec<u32>| {
            let satisfying = people.iter().filter(|code| sentence.contains(code)).count();
            fraction(satisfying, people.len().max(1))
        };
        let priors = self.priors.iter().zip(&self.sentences);
        let claims = SentenceClaims {
            sentences: self.sentences.len(),
            satisfied: numbers.keys().map(|key| truths(key.0)).collect(),
            confidential: numbers.keys().map(|key| key.1.clone()).collect(),
            prior: priors.map(|(given, sentence)| given.clone().unwrap_or_else(|| share(sentence))).collect(),
            personal: self.kept.len() > 1,
        };
        (ColumnCodes::narrow(codes, numbers.len()), claims)
    }
}

/// `list`, which must have `many` entries.
fn aligned<'a>(key: &str, list: &'a [Value], many: usize) -> Result<&'a [Value]> {
    if list.len() != many {
        let found = counted(list.len(), "entry", "entries");
        return Err(Error::bad_input(format!("key `{key}` has {found} instead of {many}; correct it")));
    }
    Ok(list)
}

/// A probability, or null for the share of the table.
fn prior(value: &Value) -> Result<Option<Fraction>> {
    if value.is_null() {
        return Ok(None);
    }
    let prior = values::number("priors", value)?;
    if prior < Fraction::ZERO || prior > Fraction::ONE {
        return Err(wrong("priors", "made of probabilities from 0 to 1, or null for the share of the table"));
    }
    Ok(Some(prior))
}

/// By person, which entries of `con_values` are theirs.
fn rows(list_of_rows: &[Value], people: usize, sentences: usize) -> Result<Vec<Vec<usize>>> {
    let row = |row: &Value| -> Result<Vec<usize>> {
        let own =
            list("con_rows", row)?.iter().map(|entry| whole("con_rows", entry)).collect::<Result<Vec<usize>>>()?;
        let twice = own.iter().enumerate().any(|(at, entry)| own[..at].contains(entry));
        if twice || own.iter().any(|&entry| entry >= sentences) {
            return Err(wrong("con_rows", "made of numbers of entries of `con_values`, from 0 and each once"));
        }
        Ok(own)
    };
    aligned("con_rows", list_of_rows, people)?.iter().map(row).collect()
}

/// Sentences with their damages, which are brought to a sum of 1; without any they are even.
fn scaled(own: Vec<usize>, damages: Option<&[Value]>) -> Result<Kept> {
    let damages = match damages {
        None => vec![Fraction::ONE; own.len()],
        Some(damages) => {
            let damages = aligned("damages", damages, own.len())?;
            damages.iter().map(|damage| values::number("damages", damage)).collect::<Result<Vec<_>>>()?
        }
    };
    if damages.iter().any(|damage| *damage <= Fraction::ZERO) {
        return Err(wrong("damages", "made of numbers above 0; leave out of `con_rows` what does no damage"));
    }
    let sum = damages.iter().fold(Fraction::ZERO, |sum, damage| sum + damage);
    Ok(own.into_iter().zip(damages).map(|(sentence, damage)| (sentence, damage / &sum)).collect())
}
