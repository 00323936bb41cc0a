//! Confidential sentences: what nobody may be deduced to satisfy, in decision logic over sensitive columns.
//!
//! `income = '400K' and not health = 0` is read by `parse.rs`, held against the columns of a table by `bind.rs` and then
//! evaluated row by row. A [`LogicSentence`] is written so that it reads back as the same sentence.
//!
//! Precedence: `not` before `and` before `or`. Words of the language are not case-sensitive: `and`, `between`, `in`, `is`,
//! `missing`, `not`, `or`. Column names that hold a space or another mark of the language go in double quotes or
//! backticks, values in single or double quotes; the quote itself is doubled.

mod bind;
mod parse;

use std::collections::BTreeSet;
use std::fmt;

pub use bind::BoundSentence;
pub use parse::MAX_DEPTH;

/// A sentence of decision logic.
///
/// # Reference
/// Pawlak, Rough Sets, 1991, chapter 6; with order comparisons and missing cells added.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum LogicSentence {
    /// A statement on one column.
    Atom {
        /// The column's name.
        column: String,
        /// What is said of its value.
        says: ValueComparison,
    },
    /// The sentence does not hold.
    Not(Box<LogicSentence>),
    /// Two or more sentences hold, all of them.
    All(Vec<LogicSentence>),
    /// Of two or more sentences one holds.
    Any(Vec<LogicSentence>),
}

/// What is said of a value. A missing cell satisfies [`ValueComparison::Missing`] and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ValueComparison {
    /// `= v`
    Equal(String),
    /// `!= v`
    Different(String),
    /// `< v`
    Less(String),
    /// `<= v`
    AtMost(String),
    /// `> v`
    Greater(String),
    /// `>= v`
    AtLeast(String),
    /// `between v and w`, both included.
    Between(String, String),
    /// `in (v, w, ..)`
    In(Vec<String>),
    /// `not in (v, w, ..)`
    NotIn(Vec<String>),
    /// `is missing`
    Missing,
    /// `is not missing`
    Present,
}

impl LogicSentence {
    /// The columns it speaks of, in order of their names.
    pub fn columns(&self) -> BTreeSet<&str> {
        match self {
            Self::Atom { column, .. } => BTreeSet::from([column.as_str()]),
            Self::Not(inner) => inner.columns(),
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::columns).collect(),
        }
    }

    /// How tightly its outermost word binds: `or` 0, `and` 1, `not` and statements 2.
    fn rank(&self) -> u8 {
        match self {
            Self::Any(_) => 0,
            Self::All(_) => 1,
            Self::Not(_) | Self::Atom { .. } => 2,
        }
    }
}

/// Writes the sentence so that it reads back as the same one.
impl fmt::Display for LogicSentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |f: &mut fmt::Formatter<'_>, part: &Self, above: u8| {
            if part.rank() > above { write!(f, "{part}") } else { write!(f, "({part})") }
        };
        let joined = |f: &mut fmt::Formatter<'_>, parts: &[Self], word: &str| {
            for (at, one) in parts.iter().enumerate() {
                if at > 0 {
                    write!(f, " {word} ")?;
                }
                part(f, one, self.rank())?;
            }
            Ok(())
        };
        match self {
            Self::Atom { column, says } => write!(f, "{} {says}", Quoted(column, '"')),
            Self::Not(inner) => {
                f.write_str("not ")?;
                part(f, inner, 1)
            }
            Self::All(parts) => joined(f, parts, "and"),
            Self::Any(parts) => joined(f, parts, "or"),
        }
    }
}

impl fmt::Display for ValueComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |value: &'_ str| Quoted(value, '\'').to_string();
        let list = |values: &[String]| values.iter().map(|one| value(one)).collect::<Vec<_>>().join(", ");
        match self {
            Self::Equal(v) => write!(f, "= {}", value(v)),
            Self::Different(v) => write!(f, "!= {}", value(v)),
            Self::Less(v) => write!(f, "< {}", value(v)),
            Self::AtMost(v) => write!(f, "<= {}", value(v)),
            Self::Greater(v) => write!(f, "> {}", value(v)),
            Self::AtLeast(v) => write!(f, ">= {}", value(v)),
            Self::Between(low, high) => write!(f, "between {} and {}", value(low), value(high)),
            Self::In(values) => write!(f, "in ({})", list(values)),
            Self::NotIn(values) => write!(f, "not in ({})", list(values)),
            Self::Missing => f.write_str("is missing"),
            Self::Present => f.write_str("is not missing"),
        }
    }
}

/// Text as a bare word where that is one, and otherwise in these quotes.
struct Quoted<'a>(&'a str, char);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(text, quote) = *self;
        if parse::is_bare(text) {
            return f.write_str(text);
        }
        write!(f, "{quote}")?;
        for character in text.chars() {
            write!(f, "{character}")?;
            if character == quote {
                write!(f, "{character}")?;
            }
        }
        write!(f, "{quote}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text() -> impl Strategy<Value = String> {
        let words =
            prop::sample::select(vec!["health", "AND", "missing", "", "'", "\"\"", "`", "two words", "ünï", "400K"]);
        prop_oneof![words.prop_map(str::to_owned), any::<String>(), "[a-z0-9 '\"`()=,-]{0,6}"]
    }

    fn comparison() -> impl Strategy<Value = ValueComparison> {
        let list = || prop::collection::vec(text(), 1..4);
        prop_oneof![
            text().prop_map(ValueComparison::Equal),
            text().prop_map(ValueComparison::Different),
            text().prop_map(ValueComparison::Less),
            text().prop_map(ValueComparison::AtMost),
            text().prop_map(ValueComparison::Greater),
            text().prop_map(ValueComparison::AtLeast),
            (text(), text()).prop_map(|(low, high)| ValueComparison::Between(low, high)),
            list().prop_map(ValueComparison::In),
            list().prop_map(ValueComparison::NotIn),
            Just(ValueComparison::Missing),
            Just(ValueComparison::Present),
        ]
    }

    fn sentence() -> impl Strategy<Value = LogicSentence> {
        let atom = (text(), comparison()).prop_map(|(column, says)| LogicSentence::Atom { column, says });
        atom.prop_recursive(5, 20, 4, |inner| {
            let several = || prop::collection::vec(inner.clone(), 2..4);
            prop_oneof![
                inner.clone().prop_map(|one| LogicSentence::Not(Box::new(one))),
                several().prop_map(LogicSentence::All),
                several().prop_map(LogicSentence::Any),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_as_the_same_sentence(sentence in sentence()) {
            let written = sentence.to_string();
            let read: LogicSentence = written.parse().unwrap();
            prop_assert_eq!(&read, &sentence, "{}", written);
        }
    }

    #[test]
    fn sentences_are_written_with_no_more_marks_than_needed() {
        for (text, written) in [
            ("health=2", "health = 2"),
            ("( ( health = '2' ) )", "health = 2"),
            ("NOT (a = 1 AND b = 2) OR c IN ( x,'y z' )", "not (a = 1 and b = 2) or c in (x, 'y z')"),
            ("a = 1 and (b = 2 or c = 3)", "a = 1 and (b = 2 or c = 3)"),
            ("(a = 1 and b = 2) or c = 3", "a = 1 and b = 2 or c = 3"),
            ("`blood type` = 'it''s'", "\"blood type\" = 'it''s'"),
            ("\"in\" is missing", "\"in\" is missing"),
        ] {
            assert_eq!(text.parse::<LogicSentence>().unwrap().to_string(), written, "{text}");
        }
    }
}
