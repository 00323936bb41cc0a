//! Values and numbers as cases write them.

use std::collections::BTreeSet;

use dashu_int::UBig;
use pellucid_model::error::Result;
use pellucid_model::exact::{Fraction, parse_fraction};
use serde_json::{Value, json};

use super::object::wrong;

/// Whole numbers above this are written as text, because many JSON readers would round them.
pub const EXACT: u64 = 1 << 53;

/// A value as text; whole numbers may stand without quotes.
pub fn text(key: &str, value: &Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) if number.is_i64() || number.is_u64() => Ok(number.to_string()),
        _ => Err(wrong(key, "a list of text and whole numbers, one for each person; quote anything else")),
    }
}

/// The names of the values in order, and everyone's code; whole numbers are ordered as numbers, anything else as text.
pub fn coded<'a>(key: &str, values: impl Iterator<Item = &'a Value> + Clone) -> Result<(Vec<String>, Vec<u32>)> {
    let texts = values.clone().map(|value| text(key, value)).collect::<Result<Vec<String>>>()?;
    let mut names: Vec<&String> = texts.iter().collect::<BTreeSet<_>>().into_iter().collect();
    if values.clone().all(Value::is_number) {
        names.sort_by_key(|name| name.parse::<i128>().unwrap_or_default());
    }
    let code = |text: &String| names.iter().position(|name| *name == text).map_or(0, |code| code as u32);
    let codes = texts.iter().map(code).collect();
    Ok((names.into_iter().cloned().collect(), codes))
}

/// A number: text such as `1/3`, or a number of JSON.
pub fn number(key: &str, value: &Value) -> Result<Fraction> {
    let read = match value {
        Value::String(text) => parse_fraction(text).ok(),
        Value::Number(number) => parse_fraction(&number.to_string()).ok(),
        _ => None,
    };
    read.ok_or_else(|| wrong(key, "made of numbers; write them like 3, 0.25 or \"1/3\""))
}

/// How many of something: a number as long as every reader keeps it, otherwise text.
pub fn count(many: &UBig) -> Value {
    match u64::try_from(many) {
        Ok(small) if small <= EXACT => json!(small),
        _ => json!(many.to_string()),
    }
}

/// `a/b`, also when b is 1.
pub fn ratio(value: &Fraction) -> String {
    format!("{}/{}", value.numerator(), value.denominator())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_ordered_as_numbers() {
        let values = [json!(10), json!(-2), json!(9), json!(10)];
        let (names, codes) = coded("table", values.iter()).unwrap();
        assert_eq!((names, codes), (vec!["-2".to_owned(), "9".into(), "10".into()], vec![2, 0, 1, 2]));
    }

    #[test]
    fn numbers_are_read_exactly_and_nothing_else_is() {
        assert_eq!(number("weights", &json!("1/3")).unwrap(), Fraction::from_parts(1.into(), 3u8.into()));
        assert_eq!(number("weights", &json!(0.25)).unwrap(), Fraction::from_parts(1.into(), 4u8.into()));
        let message = number("weights", &json!("much")).unwrap_err().to_string();
        assert!(message.contains("key `weights`") && !message.contains("much"), "{message}");
    }
}
