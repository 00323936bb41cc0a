//! Matching the leaves that a file or a tree lists with the values of a column: numbers and dates by value, categories
//! by their exact text.

use std::borrow::Cow;

use hashbrown::HashMap;

use crate::table::{Column, ColumnType, format_date};

/// The text by which `leaf` is looked up: for a number or a date the text that [`crate::table::ColumnDomain::text`] gives the
/// same value. What cannot be a value of that kind stays as it is and matches nothing.
pub(super) fn key(kind: ColumnType, leaf: &str) -> Cow<'_, str> {
    match kind {
        ColumnType::Category => Cow::Borrowed(leaf),
        ColumnType::Integer | ColumnType::Decimal => canonical_decimal(leaf.trim()),
        ColumnType::Date => parse_day(leaf.trim()).map_or(Cow::Borrowed(leaf), |day| Cow::Owned(format_date(day))),
    }
}

/// `+007.50` as `7.5`; what is no decimal number is returned unchanged.
pub(super) fn canonical_decimal(text: &str) -> Cow<'_, str> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || !all_digits(decimals) || (whole.is_empty() && decimals.is_empty()) {
        return Cow::Borrowed(text);
    }
    let (whole, decimals) = (whole.trim_start_matches('0'), decimals.trim_end_matches('0'));
    let sign = if negative && !(whole.is_empty() && decimals.is_empty()) { "-" } else { "" };
    let whole = if whole.is_empty() { "0" } else { whole };
    let point = if decimals.is_empty() { "" } else { "." };
    Cow::Owned(format!("{sign}{whole}{point}{decimals}"))
}

/// `YYYY-MM-DD` as days since 1970-01-01.
pub(super) fn parse_day(text: &str) -> Option<i32> {
    text.parse::<chrono::NaiveDate>().ok().map(|date| date.to_epoch_days())
}

/// Leaves by their [`key`].
pub(super) struct LeafIndex {
    kind: ColumnType,
    leaf: HashMap<String, u32>,
}

impl LeafIndex {
    /// No leaves yet, of a column of `kind`.
    pub fn new(kind: ColumnType) -> Self {
        Self { kind, leaf: HashMap::new() }
    }

    /// Number of leaves.
    pub fn len(&self) -> usize {
        self.leaf.len()
    }

    /// Adds the next leaf, or says which earlier one is the same value.
    pub fn push(&mut self, text: &str) -> Result<(), usize> {
        let next = self.leaf.len() as u32;
        match self.leaf.entry(key(self.kind, text).into_owned()) {
            hashbrown::hash_map::Entry::Occupied(earlier) => Err(*earlier.get() as usize),
            hashbrown::hash_map::Entry::Vacant(free) => {
                free.insert(next);
                Ok(())
            }
        }
    }

    /// The leaf that is the value whose published text is `text`.
    pub fn find(&self, text: &str) -> Option<u32> {
        self.leaf.get(text).copied()
    }

    /// The leaf of each value of `column`, or how many of its values have none.
    pub fn bind(&self, column: &Column) -> Result<Vec<u32>, usize> {
        let codes = 0..column.domain().len() as u32;
        let found: Vec<u32> = codes.filter_map(|code| self.find(&column.text(code))).collect();
        let lacking = column.domain().len() - found.len();
        if lacking == 0 { Ok(found) } else { Err(lacking) }
    }
}

/// The rule that makes a hierarchy for any value of `kind`: what to do when a list lacks values.
pub(super) fn remedy(kind: ColumnType) -> &'static str {
    match kind {
        ColumnType::Integer | ColumnType::Decimal => "add them or give `widths` instead",
        ColumnType::Date => "add them or `truncate` the dates instead",
        ColumnType::Category => "add them or mask the column instead",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_matched_by_value() {
        for (text, expected) in
            [("7", "7"), ("7.0", "7"), ("+07.50", "7.5"), ("-0.0", "0"), (".5", "0.5"), ("-3.", "-3")]
        {
            assert_eq!(key(ColumnType::Decimal, text), expected);
        }
        assert_eq!(key(ColumnType::Integer, " 12 "), "12");
        assert_eq!(key(ColumnType::Date, "2021-03-01"), "2021-03-01");
    }

    #[test]
    fn categories_are_matched_by_their_exact_text() {
        assert_eq!(key(ColumnType::Category, "07.0 "), "07.0 ");
    }

    #[test]
    fn what_is_no_number_stays_as_it_is() {
        for text in ["*", "", ".", "-", "1.2.3", "1e3", "12-"] {
            assert_eq!(key(ColumnType::Integer, text), text);
        }
    }
}
