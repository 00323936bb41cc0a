//! Reads sentences. An error points at the character where reading stopped and says what was expected there.

use std::str::FromStr;

use winnow::Parser;
use winnow::combinator::{alt, delimited, opt, preceded, repeat, separated, terminated};
use winnow::error::ParserError;
use winnow::token::{none_of, take_while};

use super::{LogicSentence, ValueComparison};
use crate::error::{Error, Result};

/// How deep `not` and parentheses may be nested.
pub const MAX_DEPTH: usize = 200;

const COLUMN: &str = "a column name (in double quotes when it is more than a word), `not` or `(`";
const COMPARISON: &str = "`=`, `!=`, `<`, `<=`, `>`, `>=`, `in`, `not in`, `between` or `is`";
const VALUE: &str = "a value: a word, a number, a date, or anything in quotes";
/// Comparisons as other languages write them, the place in them that is wrong, and what to write.
const FOREIGN: [(&str, usize, &str); 2] =
    [("==", 1, "a value: write `=` once for equal"), ("<>", 0, "`!=`, which says that values differ")];
const KEYWORDS: &[&str] = &["and", "between", "in", "is", "missing", "not", "or"];

/// What was expected where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wrong {
    /// Bytes that were left there.
    left: usize,
    expected: &'static str,
    /// Whether no other way of reading is to be tried.
    certain: bool,
}

type Read<T> = Result<T, Wrong>;

impl<'s> ParserError<&'s str> for Wrong {
    type Inner = Self;

    fn from_input(input: &&'s str) -> Self {
        Self { left: input.len(), expected: "", certain: false }
    }

    fn is_backtrack(&self) -> bool {
        !self.certain
    }

    fn into_inner(self) -> Result<Self, Self> {
        Ok(self)
    }
}

impl FromStr for LogicSentence {
    type Err = Error;

    /// Reads a sentence.
    ///
    /// # Errors
    /// Says at which character what was expected, and shows it.
    fn from_str(text: &str) -> Result<Self> {
        let mut rest = text;
        let end = |input: &mut &str| if input.is_empty() { Ok(()) } else { Err(Wrong::from_input(input)) };
        let sentence = |input: &mut &str| any_of(input, 0);
        delimited(spaces, sentence, expect(end, "`and`, `or` or the end of the sentence"))
            .parse_next(&mut rest)
            .map_err(|wrong| wrong.show(text))
    }
}

impl Wrong {
    fn show(self, text: &str) -> Error {
        let before = text[..text.len() - self.left].chars().count();
        let shown: String = text.chars().map(|one| if one.is_control() { ' ' } else { one }).collect();
        let at = before + 1;
        Error::invalid(format!("character {at}: expected {}\n  {shown}\n  {}^", self.expected, " ".repeat(before)))
    }
}

/// The same parser, certain that nothing but `expected` may stand here.
fn expect<'s, T>(mut parser: impl Parser<&'s str, T, Wrong>, expected: &'static str) -> impl Parser<&'s str, T, Wrong> {
    move |input: &mut &'s str| {
        let left = input.len();
        let certain = |wrong: Wrong| if wrong.certain { wrong } else { Wrong { left, expected, certain: true } };
        parser.parse_next(input).map_err(certain)
    }
}

fn any_of(input: &mut &str, depth: usize) -> Read<LogicSentence> {
    let parts: Vec<LogicSentence> =
        separated(1.., |input: &mut &str| all_of(input, depth), keyword("or")).parse_next(input)?;
    Ok(one_or(parts, LogicSentence::Any))
}

fn all_of(input: &mut &str, depth: usize) -> Read<LogicSentence> {
    let parts: Vec<LogicSentence> =
        separated(1.., |input: &mut &str| part(input, depth), keyword("and")).parse_next(input)?;
    Ok(one_or(parts, LogicSentence::All))
}

fn one_or(mut parts: Vec<LogicSentence>, several: impl Fn(Vec<LogicSentence>) -> LogicSentence) -> LogicSentence {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        last => {
            parts.extend(last);
            several(parts)
        }
    }
}

fn part(input: &mut &str, depth: usize) -> Read<LogicSentence> {
    if depth > MAX_DEPTH {
        let expected = "`not` and parentheses nested at most 200 deep";
        return Err(Wrong { left: input.len(), expected, certain: true });
    }
    if opt(keyword("not")).parse_next(input)?.is_some() {
        return Ok(LogicSentence::Not(Box::new(part(input, depth + 1)?)));
    }
    if opt(mark("(")).parse_next(input)?.is_some() {
        return terminated(|input: &mut &str| any_of(input, depth + 1), expect(mark(")"), "`and`, `or` or `)`"))
            .parse_next(input);
    }
    let column = expect(alt((quoted('"'), quoted('`'), bare)), COLUMN).parse_next(input)?;
    let says = expect(comparison, COMPARISON).parse_next(input)?;
    Ok(LogicSentence::Atom { column, says })
}

fn comparison(input: &mut &str) -> Read<ValueComparison> {
    for (written, skip, expected) in FOREIGN {
        if input.starts_with(written) {
            return Err(Wrong { left: input.len() - skip, expected, certain: true });
        }
    }
    let marked = alt((
        preceded(mark("!="), value).map(ValueComparison::Different),
        preceded(mark("<="), value).map(ValueComparison::AtMost),
        preceded(mark(">="), value).map(ValueComparison::AtLeast),
        preceded(mark("="), value).map(ValueComparison::Equal),
        preceded(mark("<"), value).map(ValueComparison::Less),
        preceded(mark(">"), value).map(ValueComparison::Greater),
    ));
    let worded = alt((
        preceded(keyword("in"), values).map(ValueComparison::In),
        preceded((keyword("not"), expect(keyword("in"), "`in`")), values).map(ValueComparison::NotIn),
        preceded(keyword("between"), (terminated(value, expect(keyword("and"), "`and`")), value))
            .map(|(low, high)| ValueComparison::Between(low, high)),
        preceded(keyword("is"), expect((opt(keyword("not")), keyword("missing")), "`missing` or `not missing`"))
            .map(|(not, ())| if not.is_some() { ValueComparison::Present } else { ValueComparison::Missing }),
    ));
    alt((marked, worded)).parse_next(input)
}

fn value(input: &mut &str) -> Read<String> {
    expect(alt((quoted('\''), quoted('"'), bare)), VALUE).parse_next(input)
}

fn values(input: &mut &str) -> Read<Vec<String>> {
    let listed = separated(1.., value, mark(","));
    delimited(expect(mark("("), "`(`"), listed, expect(mark(")"), "`,` or `)`")).parse_next(input)
}

/// A word that is none of the language.
fn bare(input: &mut &str) -> Read<String> {
    terminated(word.verify(|word: &str| !is_keyword(word)), spaces).map(str::to_owned).parse_next(input)
}

/// Text in quotes; a doubled quote stands for itself.
fn quoted<'s>(quote: char) -> impl Parser<&'s str, String, Wrong> {
    let closing = match quote {
        '\'' => "a closing `'`",
        '"' => "a closing `\"`",
        _ => "a closing backtick",
    };
    let character = alt((none_of(quote), (quote, quote).value(quote)));
    let content = repeat(0.., character).fold(String::new, |mut text, one| {
        text.push(one);
        text
    });
    terminated(delimited(quote, content, expect(quote, closing)), spaces)
}

fn keyword<'s>(name: &'static str) -> impl Parser<&'s str, (), Wrong> {
    terminated(word.verify(move |word: &str| word.eq_ignore_ascii_case(name)), spaces).void()
}

fn mark<'s>(mark: &'static str) -> impl Parser<&'s str, (), Wrong> {
    terminated(mark, spaces).void()
}

fn word<'s>(input: &mut &'s str) -> Read<&'s str> {
    take_while(1.., is_word_character).parse_next(input)
}

fn spaces(input: &mut &str) -> Read<()> {
    take_while(0.., char::is_whitespace).void().parse_next(input)
}

fn is_word_character(character: char) -> bool {
    !character.is_whitespace() && !character.is_control() && !"()[]{},;'\"`=!<>".contains(character)
}

fn is_keyword(word: &str) -> bool {
    KEYWORDS.iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
}

/// Whether `text` can stand without quotes.
pub(super) fn is_bare(text: &str) -> bool {
    !text.is_empty() && !is_keyword(text) && text.chars().all(is_word_character)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn atom(column: &str, says: ValueComparison) -> LogicSentence {
        LogicSentence::Atom { column: column.to_owned(), says }
    }

    fn read(text: &str) -> LogicSentence {
        text.parse().unwrap()
    }

    fn equal(column: &str, value: &str) -> LogicSentence {
        atom(column, ValueComparison::Equal(value.to_owned()))
    }

    #[test]
    fn every_comparison_is_read() {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        for (text, says) in [
            ("x = 2", ValueComparison::Equal("2".into())),
            ("x='400K'", ValueComparison::Equal("400K".into())),
            ("x = \"400K\"", ValueComparison::Equal("400K".into())),
            ("x in (\"a b\", 'say \"a\"')", ValueComparison::In(words(&["a b", "say \"a\""]))),
            ("x = -12.5", ValueComparison::Equal("-12.5".into())),
            ("x != a-b", ValueComparison::Different("a-b".into())),
            ("x<2024-02-29", ValueComparison::Less("2024-02-29".into())),
            ("x <= 'it''s'", ValueComparison::AtMost("it's".into())),
            ("x > 50%", ValueComparison::Greater("50%".into())),
            ("x>=Größe", ValueComparison::AtLeast("Größe".into())),
            ("x Between 1 And 2", ValueComparison::Between("1".into(), "2".into())),
            ("x in ('HIV', flu)", ValueComparison::In(words(&["HIV", "flu"]))),
            ("x NOT IN(a,b , c)", ValueComparison::NotIn(words(&["a", "b", "c"]))),
            ("x is missing", ValueComparison::Missing),
            ("x Is Not Missing", ValueComparison::Present),
        ] {
            assert_eq!(read(text), atom("x", says), "{text}");
        }
    }

    #[test]
    fn not_binds_before_and_before_or() {
        let [a, b, c] = ["a", "b", "c"].map(|name| equal(name, "1"));
        let not = |sentence: &LogicSentence| LogicSentence::Not(Box::new(sentence.clone()));
        let (all, any) = (LogicSentence::All, LogicSentence::Any);
        assert_eq!(read("a=1 or b=1 and not c=1"), any(vec![a.clone(), all(vec![b.clone(), not(&c)])]));
        assert_eq!(read("not a=1 and b=1"), all(vec![not(&a), b.clone()]));
        assert_eq!(read("not (a=1 and b=1)"), not(&all(vec![a.clone(), b.clone()])));
        assert_eq!(read("a=1 or b=1 or c=1"), any(vec![a.clone(), b.clone(), c.clone()]));
        assert_eq!(read("not not a=1"), not(&not(&a)));
        assert_eq!(read("a between 1 and 2 and b=1").columns().len(), 2);
    }

    #[test]
    fn names_in_quotes_may_hold_anything() {
        assert_eq!(read("\"blood type\" = A"), equal("blood type", "A"));
        assert_eq!(read("`say \"what\"` = A"), equal("say \"what\"", "A"));
        assert_eq!(read("\"a\"\"b\" = A"), equal("a\"b", "A"));
        assert_eq!(read("\"and\" = 'or'"), equal("and", "or"));
    }

    #[test]
    fn errors_point_at_the_character() {
        for (text, at, expected) in [
            ("", 1, COLUMN),
            ("   ", 4, COLUMN),
            ("health", 7, COMPARISON),
            ("health =", 9, VALUE),
            ("health = and", 10, VALUE),
            ("health = missing", 10, VALUE),
            ("health = `2`", 10, VALUE),
            ("health == 2", 9, "a value: write `=` once for equal"),
            ("größe=='2'", 7, "a value: write `=` once for equal"),
            ("health <> 2", 8, "`!=`, which says that values differ"),
            ("health ! 2", 8, COMPARISON),
            ("health = 2 3", 12, "`and`, `or` or the end of the sentence"),
            ("health = 2)", 11, "`and`, `or` or the end of the sentence"),
            ("(health = 2", 12, "`and`, `or` or `)`"),
            ("((health = 2)", 14, "`and`, `or` or `)`"),
            ("health = 2 and", 15, COLUMN),
            ("and health = 2", 1, COLUMN),
            ("not", 4, COLUMN),
            ("()", 2, COLUMN),
            ("health in 2", 11, "`(`"),
            ("health in ()", 12, VALUE),
            ("health in (1", 13, "`,` or `)`"),
            ("health in (1,)", 14, VALUE),
            ("health not 2", 12, "`in`"),
            ("health between 1", 17, "`and`"),
            ("health between 1 or 2", 18, "`and`"),
            ("health is 2", 11, "`missing` or `not missing`"),
            ("health is not 2", 11, "`missing` or `not missing`"),
            ("health = 'a", 12, "a closing `'`"),
            ("\"health = 1", 12, "a closing `\"`"),
            ("health = \"a", 12, "a closing `\"`"),
            ("größe = ", 9, VALUE),
            ("日本 = 1 語", 8, "`and`, `or` or the end of the sentence"),
            ("[x] = 1", 1, COLUMN),
        ] {
            let message = text.parse::<LogicSentence>().unwrap_err().to_string();
            let shown = format!("character {at}: expected {expected}\n  {text}\n  {}^", " ".repeat(at - 1));
            assert_eq!(message, shown);
        }
    }

    #[test]
    fn what_is_nested_too_deep_is_refused() {
        let nested = |depth: usize| format!("{}x = 1{}", "(".repeat(depth), ")".repeat(depth));
        assert!(nested(MAX_DEPTH).parse::<LogicSentence>().is_ok());
        let message = nested(100_000).parse::<LogicSentence>().unwrap_err().to_string();
        assert!(message.contains(&format!("nested at most {MAX_DEPTH} deep")), "{message}");
        assert!("not ".repeat(100_000).parse::<LogicSentence>().is_err());
        assert!("x = 1 or ".repeat(100_000).trim_end_matches(" or ").parse::<LogicSentence>().is_ok());
    }

    proptest! {
        #[test]
        fn nothing_makes_the_reader_panic(text in any::<String>()) {
            let _ = text.parse::<LogicSentence>();
        }

        #[test]
        fn nothing_like_a_sentence_makes_the_reader_panic(text in "([ax12 =<>!(),'\"`]|not |and |or |in |is |between |missing ){0,24}") {
            if let Ok(sentence) = text.parse::<LogicSentence>() {
                prop_assert_eq!(sentence.to_string().parse::<LogicSentence>().unwrap(), sentence);
            }
        }
    }
}
