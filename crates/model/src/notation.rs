//! How released cells are written and read: single values, intervals and sets.
//!
//! An interval is `[21, 27]`, a set `{F, M}`, a single value stands as itself. An element that could be mistaken for
//! notation (it has a comma, a brace, a quote, blanks at an end, or begins with a bracket) is put in double quotes, with
//! quotes inside doubled.

/// A released cell, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReleasedCell {
    /// One value, or a label of a hierarchy.
    Value(String),
    /// All values from the first to the second, both included.
    Interval(String, String),
    /// Any of these.
    Set(Vec<ReleasedCell>),
}

/// `value` as an element or a cell of its own, quoted where it could be mistaken.
pub fn quoted(value: &str) -> String {
    let blank_end = value.starts_with(char::is_whitespace) || value.ends_with(char::is_whitespace);
    if value.is_empty() || blank_end || value.starts_with('[') || value.contains([',', '{', '}', '"']) {
        format!("\"{}\"", value.replace('"', "\"\""))
    } else {
        value.to_owned()
    }
}

/// The interval from `low` to `high`.
pub fn interval(low: &str, high: &str) -> String {
    format!("[{low}, {high}]")
}

/// The set of `elements`, which are notation already.
pub fn set<S: AsRef<str>>(elements: &[S]) -> String {
    let texts: Vec<&str> = elements.iter().map(AsRef::as_ref).collect();
    format!("{{{}}}", texts.join(", "))
}

/// Reads a cell; text that is no notation is a single value.
pub fn parse(text: &str) -> ReleasedCell {
    let mut rest = text;
    match element(&mut rest) {
        Some(cell) if rest.is_empty() => cell,
        _ => ReleasedCell::Value(text.to_owned()),
    }
}

/// Reads one element off the front of `rest`.
fn element(rest: &mut &str) -> Option<ReleasedCell> {
    if let Some(inside) = rest.strip_prefix('{') {
        *rest = inside;
        let mut members = Vec::new();
        loop {
            members.push(element(rest)?);
            if let Some(after) = rest.strip_prefix(", ") {
                *rest = after;
            } else {
                *rest = rest.strip_prefix('}')?;
                return Some(ReleasedCell::Set(members));
            }
        }
    }
    if let Some(inside) = rest.strip_prefix('[') {
        let (body, after) = inside.split_once(']')?;
        let (low, high) = body.split_once(", ")?;
        *rest = after;
        return Some(ReleasedCell::Interval(low.to_owned(), high.to_owned()));
    }
    if let Some(inside) = rest.strip_prefix('"') {
        let mut value = String::new();
        let mut tail = inside;
        loop {
            let at = tail.find('"')?;
            value.push_str(&tail[..at]);
            tail = &tail[at + 1..];
            match tail.strip_prefix('"') {
                Some(after) => {
                    value.push('"');
                    tail = after;
                }
                None => break,
            }
        }
        *rest = tail;
        return Some(ReleasedCell::Value(value));
    }
    let end = rest.find([',', '}']).unwrap_or(rest.len());
    let (value, after) = rest.split_at(end);
    *rest = after;
    Some(ReleasedCell::Value(value.to_owned()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value(text: &str) -> ReleasedCell {
        ReleasedCell::Value(text.to_owned())
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(parse("[21, 27]"), ReleasedCell::Interval("21".into(), "27".into()));
        assert_eq!(parse("{F, M}"), ReleasedCell::Set(vec![value("F"), value("M")]));
        let mixed = set(&[interval("1", "2"), quoted("(missing)")]);
        assert_eq!(
            parse(&mixed),
            ReleasedCell::Set(vec![ReleasedCell::Interval("1".into(), "2".into()), value("(missing)")])
        );
        assert_eq!(parse("plain text"), value("plain text"));
        // Text of other tools that is no notation stays what it is.
        assert_eq!(parse("{open"), value("{open"));
        assert_eq!(parse("[10-20["), value("[10-20["));
    }

    proptest! {
        #[test]
        fn any_values_survive_in_sets(values in proptest::collection::vec("[a-c,{}\"\\[\\] ]{0,6}", 1..5)) {
            let written: Vec<String> = values.iter().map(|text| quoted(text)).collect();
            let cells: Vec<ReleasedCell> = values.iter().map(|text| value(text)).collect();
            prop_assert_eq!(parse(&set(&written)), ReleasedCell::Set(cells));
            prop_assert_eq!(parse(&written[0]), value(&values[0]));
        }
    }
}
