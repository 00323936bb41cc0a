//! Domains of columns that levels name in words: from a first to a last value, all between included.

use chrono::{Datelike, NaiveDate};
use hashbrown::HashMap;
use pellucid_model::error::{Error, Result};
use pellucid_publish::search::AdmissiblePartition;
use serde_json::Value;

use super::words::{DateField, KeptPrecision, ValueForm};

/// The most values that a domain may have: a partition is kept as a number for each of them.
pub const MOST_VALUES: u64 = 1 << 22;

/// The values of a column, in order: days, numbers or strings of digits, as whole numbers from `first` to `last`.
#[derive(Debug, Clone)]
pub struct WrittenDomain {
    pub form: ValueForm,
    first: i64,
    last: i64,
}

impl WrittenDomain {
    /// From `ends`, the first and the last value; digits do without.
    pub fn new(form: ValueForm, ends: Option<[Value; 2]>) -> Result<Self> {
        let (first, last) = match (&form, ends) {
            (_, Some([first, last])) => (end(&form, &first)?, end(&form, &last)?),
            (ValueForm::Digits(digits), None) => {
                let last = u32::try_from(*digits).ok().and_then(|digits| 10i64.checked_pow(digits));
                (0, last.unwrap_or(i64::MAX) - 1)
            }
            (_, None) => {
                return Err(Error::bad_input("there is no domain; give its first and its last value in `domains`"));
            }
        };
        if first > last {
            return Err(Error::bad_input("the first value of the domain is after the last; exchange them"));
        }
        let size = last.abs_diff(first).saturating_add(1);
        check_size(size)?;
        Ok(Self { form, first, last })
    }

    /// The least value as a number.
    pub fn first(&self) -> i64 {
        self.first
    }

    /// The number of a cell, counted from the first value; `None` when it cannot be read or lies outside.
    pub fn code(&self, cell: &Value) -> Option<u32> {
        let value = match (&self.form, cell) {
            (ValueForm::Date(parts), Value::String(text)) => {
                let (day, month, year) = date(parts, text)?;
                self.day(day, month, year, parts)?
            }
            (form, cell) => plain(form, cell)?,
        };
        (self.first..=self.last).contains(&value).then(|| (value - self.first) as u32)
    }

    /// The day of a date; where two digits are written, in the only year of the domain that ends in them.
    fn day(&self, day: u32, month: u32, year: i32, parts: &[DateField]) -> Option<i64> {
        let number = |year: i32| NaiveDate::from_ymd_opt(year, month, day).map(|date| i64::from(date.to_epoch_days()));
        if !parts.contains(&DateField::Year { short: true }) {
            return number(year);
        }
        let years = |at: i64| NaiveDate::from_epoch_days(at as i32).map(|date| date.year());
        let (low, high) = (years(self.first)?, years(self.last)?);
        let all = (low..=high).filter(|other| other.rem_euclid(100) == year);
        let mut inside = all.filter_map(number).filter(|day| (self.first..=self.last).contains(day));
        let only = inside.next();
        if inside.next().is_some() { None } else { only }
    }

    /// The partition that `level` makes of the domain.
    pub fn partition(&self, level: &KeptPrecision) -> AdmissiblePartition {
        let values = self.first..=self.last;
        match (level, &self.form) {
            (KeptPrecision::Parts(parts), _) => dense(values.map(|day| {
                let date = NaiveDate::from_epoch_days(day as i32).unwrap_or_default();
                let keep = |part: &DateField| match part {
                    DateField::Day => i64::from(date.day()),
                    DateField::Month => i64::from(date.month()),
                    DateField::Year { .. } => i64::from(date.year()),
                };
                parts.iter().fold(0, |key, part| key * 100_000 + keep(part))
            })),
            (KeptPrecision::Places(places), _) => dense(values.map(|value| {
                let (mut key, mut rest) = (0, value);
                for &kept in places.iter().rev() {
                    key = key * 10 + if kept { rest % 10 } else { 0 };
                    rest /= 10;
                }
                key
            })),
            (KeptPrecision::Width(width), _) => dense(values.map(|value| value.div_euclid(*width))),
            (KeptPrecision::Nothing, _) => dense(values.map(|_| 0)),
        }
    }
}

/// Refuses domains of more than [`MOST_VALUES`] values.
pub fn check_size(size: u64) -> Result<()> {
    if size > MOST_VALUES {
        return Err(Error::bad_input(format!(
            "the domain has {size} values, and at most {MOST_VALUES} can be parted; state a smaller one"
        )));
    }
    Ok(())
}

/// The partition in which values with the same key share a block.
pub fn dense(keys: impl Iterator<Item = i64>) -> AdmissiblePartition {
    let mut numbers: HashMap<i64, u32> = HashMap::new();
    let mut values: Vec<u64> = Vec::new();
    let blocks = keys.map(|key| {
        let next = numbers.len() as u32;
        let block = *numbers.entry(key).or_insert(next);
        if block == next {
            values.push(0);
        }
        values[block as usize] += 1;
        block
    });
    let blocks = blocks.collect();
    AdmissiblePartition { blocks, values, outside: Vec::new() }
}

/// An end of a domain; a date may also be `YYYY-MM-DD`, and two digits mean a year of 1900 to 1999.
fn end(form: &ValueForm, value: &Value) -> Result<i64> {
    let read = match (form, value) {
        (ValueForm::Date(parts), Value::String(text)) => text.parse::<NaiveDate>().ok().or_else(|| {
            let (day, month, year) = date(parts, text)?;
            let short = parts.contains(&DateField::Year { short: true });
            NaiveDate::from_ymd_opt(if short { 1900 + year } else { year }, month, day)
        }),
        _ => return plain(form, value).ok_or_else(unread),
    };
    read.map(|date| i64::from(date.to_epoch_days())).ok_or_else(unread)
}

fn unread() -> Error {
    Error::bad_input("an end of the domain is no value of the column; write it like the values")
}

/// A number or a string of digits.
fn plain(form: &ValueForm, value: &Value) -> Option<i64> {
    match (form, value) {
        (ValueForm::Digits(digits), Value::String(text)) => {
            let right = text.len() == *digits && text.bytes().all(|byte| byte.is_ascii_digit());
            right.then(|| text.parse().ok())?
        }
        (ValueForm::Digits(digits), Value::Number(number)) => {
            let digits = u32::try_from(*digits).ok()?;
            number.as_i64().filter(|&value| value >= 0 && 10i64.checked_pow(digits).is_none_or(|end| value < end))
        }
        (ValueForm::Number, Value::Number(number)) => number.as_i64(),
        (ValueForm::Number, Value::String(text)) => text.trim().parse().ok(),
        _ => None,
    }
}

/// Day, month and year of a date that is written in the order of `parts`.
fn date(parts: &[DateField], text: &str) -> Option<(u32, u32, i32)> {
    let numbers: Vec<&str> = text.split(|mark: char| !mark.is_alphanumeric()).collect();
    if numbers.len() != parts.len() {
        return None;
    }
    let mut date = [0u32; 3];
    for (number, part) in numbers.into_iter().zip(parts) {
        let (place, digits) = match part {
            DateField::Day => (0, 2),
            DateField::Month => (1, 2),
            DateField::Year { short: true } => (2, 2),
            DateField::Year { short: false } => (2, 4),
        };
        let right = (1..=digits).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
        date[place] = right.then(|| number.parse().ok())??;
    }
    Some((date[0], date[1], date[2] as i32))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::words;
    use super::*;

    fn domain(words: &[&str], first: Value, last: Value) -> WrittenDomain {
        WrittenDomain::new(words::read(words).unwrap().0, Some([first, last])).unwrap()
    }

    fn parted(words: &[&str], first: Value, last: Value) -> Vec<Vec<u64>> {
        let (form, levels) = words::read(words).unwrap();
        let domain = WrittenDomain::new(form, Some([first, last])).unwrap();
        levels.iter().map(|level| domain.partition(level).values).collect()
    }

    #[test]
    fn dates_are_parted_by_the_calendar() {
        let sizes = parted(&["dd/mm/yy", "mm/yy", "yy", "mm", "*"], json!("1999-12-30"), json!("2000-02-29"));
        assert_eq!(sizes[0], vec![1; 62]);
        assert_eq!(sizes[1..], [vec![2, 31, 29], vec![2, 60], vec![2, 31, 29], vec![62]]);
        let century = parted(&["dd/mm/yy", "yy"], json!("01/01/00"), json!("31/12/99"));
        assert_eq!((century[0].len(), century[1].len()), (36_524, 100), "1900 was no leap year");
    }

    #[test]
    fn two_digits_mean_the_only_year_of_the_domain_that_ends_in_them() {
        let domain = domain(&["dd/mm/yy"], json!("1999-12-30"), json!("2000-02-29"));
        assert_eq!(domain.code(&json!("31/12/99")), Some(1));
        assert_eq!(domain.code(&json!("01/01/00")), Some(2));
        for outside in ["29/12/99", "01/03/00", "30/02/00", "1/1", "01/01/2000", "aa/01/00"] {
            assert_eq!(domain.code(&json!(outside)), None, "{outside}");
        }
        let long = self::domain(&["dd/mm/yy"], json!("1899-01-01"), json!("2000-01-01"));
        assert_eq!(long.code(&json!("01/06/99")), None, "1899 or 1999");
    }

    #[test]
    fn digits_are_parted_by_any_places() {
        let sizes = parted(&["d1d2", "d1*", "*d2", "**"], json!("08"), json!("21"));
        assert_eq!(sizes[0], vec![1; 14]);
        assert_eq!(sizes[1], [2, 10, 2]);
        // 08 and 18, 09 and 19, 10 and 20, 11 and 21, and 12 to 17 alone.
        assert_eq!(sizes[2], [2, 2, 2, 2, 1, 1, 1, 1, 1, 1]);
        assert_eq!(sizes[3], [14]);
    }

    #[test]
    fn numbers_are_parted_from_zero() {
        let sizes = parted(&["I1", "I5", "I7"], json!(-3), json!(8));
        assert_eq!(sizes[1..], [vec![3, 5, 4], vec![3, 7, 2]]);
    }

    #[test]
    fn domains_that_are_none_are_refused() {
        let refusal = |form: ValueForm, ends| WrittenDomain::new(form, ends).unwrap_err().to_string();
        assert!(refusal(ValueForm::Number, None).contains("there is no domain"));
        assert!(refusal(ValueForm::Number, Some([json!(2), json!(1)])).contains("after the last"));
        assert!(refusal(ValueForm::Number, Some([json!("a"), json!(1)])).contains("an end of the domain"));
        assert!(refusal(ValueForm::Digits(9), None).contains("at most 4194304 can be parted"));
        assert!(refusal(ValueForm::Digits(40), None).contains("can be parted"));
    }
}
