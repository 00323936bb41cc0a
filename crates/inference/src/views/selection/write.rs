//! Selections as the where-clause of SQL.

use std::borrow::Cow;
use std::fmt;

use super::RowSelection;

/// Names that SQL would take for something else.
const RESERVED: &str = "all and any as asc between by case cast check column constraint create cross current_date current_time \
    current_timestamp date default desc distinct else end except exists false fetch for foreign from full grant \
    group having in inner intersect interval into is join lateral left like limit localtime localtimestamp \
    natural not null offset on or order outer primary references right select set some table then time timestamp \
    to top trim true union unique user using values when where window with";

/// `name` as an identifier of SQL, in double quotes where it has to be.
pub fn sql_name(name: &str) -> Cow<'_, str> {
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let plain = begins && name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_');
    if plain && !RESERVED.split(' ').any(|word| word.eq_ignore_ascii_case(name)) {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")))
    }
}

/// A value: numbers as they are, all else in single quotes.
struct Literal<'a>(&'a str);

impl fmt::Display for Literal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unsigned = self.0.strip_prefix('-').unwrap_or(self.0);
        let (whole, decimals) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if digits(whole) && digits(decimals) {
            f.write_str(self.0)
        } else {
            write!(f, "'{}'", self.0.replace('\'', "''"))
        }
    }
}

/// Values with commas between.
struct List<'a>(&'a [String]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, value) in self.0.iter().enumerate() {
            write!(f, "{}{}", if at == 0 { "" } else { ", " }, Literal(value))?;
        }
        Ok(())
    }
}

/// Writes `parts` with `word` between; those that are conjunctions or disjunctions themselves in parentheses.
fn write_joined(f: &mut fmt::Formatter<'_>, parts: &[RowSelection], word: &str) -> fmt::Result {
    parts.iter().enumerate().try_for_each(|(at, part)| {
        if at > 0 {
            write!(f, " {word} ")?;
        }
        match part.bare() {
            RowSelection::And(parts) | RowSelection::Or(parts) if !parts.is_empty() => write!(f, "({part})"),
            _ => write!(f, "{part}"),
        }
    })
}

impl RowSelection {
    /// The same without an `and` or `or` that joins nothing.
    fn bare(&self) -> &Self {
        match self {
            Self::And(parts) if parts.is_empty() => &Self::All,
            Self::And(parts) | Self::Or(parts) => match parts.as_slice() {
                [only] => only.bare(),
                _ => self,
            },
            _ => self,
        }
    }
}

impl fmt::Display for RowSelection {
    /// The condition in SQL, as it stands after `where`; everybody is `true`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bare() {
            Self::All => f.write_str("true"),
            Self::Compare { column, comparison, value } => {
                write!(f, "{} {} {}", sql_name(column), comparison.sign(), Literal(value))
            }
            Self::Between { column, from, to } => {
                write!(f, "{} between {} and {}", sql_name(column), Literal(from), Literal(to))
            }
            Self::In { column, values } => write!(f, "{} in ({})", sql_name(column), List(values)),
            Self::Missing { column } => write!(f, "{} is null", sql_name(column)),
            Self::Not(inner) => match inner.bare() {
                Self::Between { column, from, to } => {
                    write!(f, "{} not between {} and {}", sql_name(column), Literal(from), Literal(to))
                }
                Self::In { column, values } => write!(f, "{} not in ({})", sql_name(column), List(values)),
                Self::Missing { column } => write!(f, "{} is not null", sql_name(column)),
                Self::All => f.write_str("false"),
                inner => write!(f, "not ({inner})"),
            },
            Self::And(parts) => write_joined(f, parts, "and"),
            Self::Or(parts) if parts.is_empty() => f.write_str("false"),
            Self::Or(parts) => write_joined(f, parts, "or"),
        }
    }
}
