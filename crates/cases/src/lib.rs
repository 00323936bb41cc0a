//! The research door: questions in a file, each with its own table, answered exactly.
//!
//! A file holds [`FileCase`]s, each with an id, a kind and an input. [`read`] finds the kind of every case in [`KINDS`] and
//! reads its input into a [`CaseQuestion`] before anything is answered, so that a bad file costs no time; a case of a kind
//! that is not known stays without a question. An input may refer to another case of the file for the keys it lacks. One file or folder per kind, each ending in a `KIND` that [`KINDS`] lists.

mod assign;
mod credibility;
mod crossover;
mod granulation;
mod mask;
pub mod mechanism;
mod meta;
mod object;
mod optimal;
mod people;
mod property;
mod sampler;
mod silence;
mod strategy;
mod transparent;
mod values;
mod views;
mod violation;
mod walking;

use std::borrow::Cow;
use std::fmt::Debug;

use pellucid_inference::budget::Budget;
use pellucid_model::error::{Error, Result};
use pellucid_model::registry::did_you_mean;
use serde_json::Value;

use object::{CaseObject, wrong};

/// The key by which the input of a case takes over what another case says.
const REF: &str = "ref";

/// A kind of case.
#[derive(Debug)]
pub struct CaseKind {
    /// What files say under `kind`.
    pub id: &'static str,
    /// What is asked, under 80 columns.
    pub summary: &'static str,
    /// An input, as JSON, that suites read and answer.
    pub example: &'static str,
    /// Reads the input; errors name the key.
    pub read: fn(&Value) -> Result<Box<dyn CaseQuestion>>,
}

/// All kinds.
pub static KINDS: &[CaseKind] = &[
    strategy::KIND,
    granulation::KIND,
    crossover::KIND,
    transparent::KIND,
    violation::KIND,
    optimal::KIND,
    credibility::KIND,
    mask::KIND,
    assign::KIND,
    meta::KIND,
    silence::KIND,
    views::KIND,
    sampler::VERTEX,
    sampler::INFEASIBLE,
    sampler::WEIGHTS,
    sampler::DEAD_END,
];

/// An input that has been read and found good.
pub trait CaseQuestion: Debug + Send + Sync {
    /// The answer. Parts that need more than the budget are refused inside the answer; other failures are errors.
    fn answer(&self, options: &AnswerOptions) -> Result<Box<dyn CaseAnswer>>;
}

/// An answer, to be shown.
pub trait CaseAnswer: Debug {
    /// For programs: the documented keys.
    fn json(&self) -> Value;

    /// For people: lines that end in a line feed.
    fn text(&self) -> String;
}

/// How to answer.
#[derive(Debug, Clone, Copy)]
pub struct AnswerOptions {
    /// The budget of every single count. Its sampling says how disclosure sets that are refused are estimated; without it they are not.
    pub budget: Budget,
    /// Whether to count also the worlds in which nothing is released.
    pub silence: bool,
}

impl Default for AnswerOptions {
    fn default() -> Self {
        Self { budget: Budget::question(), silence: true }
    }
}

/// One case of a file.
#[derive(Debug)]
pub struct FileCase {
    /// Its name.
    pub id: String,
    /// What it asks, as the file says it.
    pub kind: String,
    /// What is asked; `None` when the kind is not known.
    pub question: Option<Box<dyn CaseQuestion>>,
}

/// Reads `{"cases": [..]}`, a list of cases or a single case; other keys than `id`, `kind` and `input` are ignored.
///
/// Keeps the cases that `wanted` says yes to, by id and kind, and reads the input of no other. Errors name the case and
/// the key, or the line and column; the caller adds the file.
pub fn read(text: &str, wanted: impl Fn(&str, &str) -> bool) -> Result<Vec<FileCase>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let file: Value = serde_json::from_str(text).map_err(|error| not_json(&error))?;
    let list = match &file {
        Value::Array(list) => list.as_slice(),
        Value::Object(object) => match object.get("cases") {
            Some(Value::Array(list)) => list.as_slice(),
            Some(_) => return Err(Error::bad_input("`cases` must be a list; write [..] around its cases")),
            None => std::slice::from_ref(&file),
        },
        _ => return Err(Error::bad_input("a file of cases is an object or a list; see docs/belief.md")),
    };
    if list.is_empty() {
        return Err(Error::bad_input("there are no cases; add one to `cases`"));
    }
    let mut cases = Vec::new();
    for (number, value) in (1..).zip(list) {
        let object = CaseObject::new(value, &["id", "kind", "input"]);
        let object = object.map_err(|error| error.context(format!("case number {number}")))?;
        let head = object.text("id").and_then(|id| Ok((id, object.text("kind")?)));
        let (id, kind) = head.map_err(|error| match value.get("id").and_then(Value::as_str) {
            Some(id) => error.context(format!("case `{id}`")),
            None => error.context(format!("case number {number}")),
        })?;
        if wanted(id, kind) {
            let known = KINDS.iter().find(|known| known.id == kind);
            let input = |known: &CaseKind| (known.read)(&*referred(object.get("input")?, list)?);
            let question = known.map(input).transpose();
            let question = question.map_err(|error| error.context(format!("case `{id}`")))?;
            cases.push(FileCase { id: id.to_owned(), kind: kind.to_owned(), question });
        }
    }
    Ok(cases)
}

/// The input, with the keys of another case's input that it lacks when it refers to one by `ref`.
fn referred<'a>(input: &'a Value, cases: &[Value]) -> Result<Cow<'a, Value>> {
    let Some(id) = input.get(REF) else { return Ok(Cow::Borrowed(input)) };
    let id = id.as_str().ok_or_else(|| wrong(REF, "text, the id of another case"))?;
    let other = cases.iter().find(|case| case.get("id").and_then(Value::as_str) == Some(id));
    let Some(Value::Object(other)) = other.and_then(|other| other.get("input")) else {
        return Err(Error::bad_input(format!("key `{REF}` names case `{id}`, which the file does not have; add it")));
    };
    if other.contains_key(REF) {
        return Err(Error::bad_input(format!(
            "key `{REF}` names case `{id}`, which refers on; name the case it means"
        )));
    }
    let mut keys = other.clone();
    keys.extend(input.as_object().into_iter().flatten().map(|(key, value)| (key.clone(), value.clone())));
    keys.remove(REF);
    Ok(Cow::Owned(Value::Object(keys)))
}

/// Why a case of this kind has no answer, with the nearest known kind.
pub fn unknown_kind(kind: &str) -> String {
    let hint = did_you_mean(kind, KINDS.iter().map(|known| known.id));
    let known: Vec<String> = KINDS.iter().map(|known| format!("`{}`", known.id)).collect();
    format!("the kind `{kind}` is not supported{hint}; known kinds: {}", known.join(", "))
}

/// Where a text stops being JSON.
fn not_json(error: &serde_json::Error) -> Error {
    let message = error.to_string();
    let reason = message.split(" at line ").next().unwrap_or_default();
    let (line, column) = (error.line(), error.column());
    Error::bad_input(format!("line {line}, column {column}: this is not JSON ({reason}); correct it there"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASE: &str = r#"{"id": "a", "kind": "strategy", "note": "own", "input": {"table": ["x", "y"],
        "functions": [[[0], [1]], [[0, 1]]], "property": {"type": "ratio_le", "delta": "1/2"}, "jumps": [1, 2]}}"#;

    fn ids(text: &str) -> Vec<String> {
        read(text, |_, _| true).unwrap().into_iter().map(|case| case.id).collect()
    }

    fn refusal(text: &str) -> String {
        read(text, |_, _| true).unwrap_err().to_string()
    }

    #[test]
    fn a_file_is_an_object_with_cases_a_list_or_one_case() {
        assert_eq!(ids(CASE), ["a"]);
        assert_eq!(ids(&format!("[{CASE}, {CASE}]")), ["a", "a"]);
        assert_eq!(ids(&format!("{{\"seed\": 1, \"cases\": [{CASE}]}}")), ["a"]);
        assert_eq!(ids(&format!("\u{feff}{CASE}")), ["a"]);
    }

    #[test]
    fn what_is_no_file_of_cases_is_refused_with_its_place() {
        assert_eq!(
            refusal("{\n  \"cases\": [,]}"),
            "line 2, column 13: this is not JSON (expected value); correct it there"
        );
        assert!(refusal("").contains("line 1, column 0"), "{}", refusal(""));
        assert!(refusal("7").contains("is an object or a list"));
        assert!(refusal("[]").contains("no cases"));
        assert!(refusal("{\"cases\": {}}").contains("`cases` must be a list"));
        assert!(refusal("[3]").contains("case number 1: this must be an object"));
        assert!(refusal("[{\"kind\": \"strategy\"}]").contains("case number 1: key `id`"));
        assert!(refusal("[{\"id\": \"a\"}]").contains("case `a`: key `kind` is missing"));
        assert!(refusal("{\"id\": \"a\", \"kind\": \"strategy\"}").contains("case `a`: key `input` is missing"));
        assert!(refusal("{\"case\": []}").contains("key `id` is missing"));
    }

    #[test]
    fn cases_that_are_not_wanted_are_not_read() {
        let text = format!("[{CASE}, {{\"id\": \"b\", \"kind\": \"strategy\", \"input\": {{}}}}]");
        assert!(refusal(&text).contains("case `b`: key `table` is missing"), "{}", refusal(&text));
        assert_eq!(read(&text, |id, _| id == "a").unwrap().len(), 1);
    }

    #[test]
    fn an_input_may_take_over_what_another_case_says() {
        let with = |input: &str| format!("[{CASE}, {{\"id\": \"b\", \"kind\": \"strategy\", \"input\": {input}}}]");
        let cases = read(&with("{\"ref\": \"a\", \"table\": [\"x\", \"x\"]}"), |id, _| id == "b").unwrap();
        let answer = cases[0].question.as_ref().unwrap().answer(&AnswerOptions::default()).unwrap();
        assert!(answer.text().starts_with("2 people, 1 value, 2 functions"), "{}", answer.text());
        for (input, words) in [
            ("{\"ref\": 1}", "case `b`: key `ref` must be text"),
            ("{\"ref\": \"c\"}", "case `b`: key `ref` names case `c`, which the file does not have"),
            ("{\"ref\": \"b\"}", "case `b`: key `ref` names case `b`, which refers on"),
        ] {
            assert!(refusal(&with(input)).contains(words), "{}", refusal(&with(input)));
        }
    }

    #[test]
    fn an_unknown_kind_has_no_question_and_a_hint() {
        let cases = read(&CASE.replace("strategy", "stratgy"), |_, _| true).unwrap();
        assert!(cases[0].question.is_none());
        assert!(unknown_kind("stratgy").contains("did you mean `strategy`?"));
    }

    #[test]
    fn every_kind_is_well_formed() {
        for (at, kind) in KINDS.iter().enumerate() {
            assert!(KINDS[..at].iter().all(|other| other.id != kind.id), "{} twice", kind.id);
            assert!(!kind.summary.is_empty() && kind.summary.len() < 80, "{}", kind.id);
        }
    }

    #[test]
    fn every_kind_answers_its_example_and_names_what_it_lacks() {
        for kind in KINDS {
            let input: Value = serde_json::from_str(kind.example).unwrap();
            let answer = (kind.read)(&input).and_then(|question| question.answer(&AnswerOptions::default()));
            let answer = answer.unwrap_or_else(|error| panic!("{}: {error}", kind.id));
            assert!(answer.json().is_object(), "{}", kind.id);
            assert!(answer.text().ends_with('\n'), "{}: {:?}", kind.id, answer.text());
            let refused = (kind.read)(&Value::Object(serde_json::Map::new())).unwrap_err().to_string();
            assert!(refused.contains("key"), "{}: {refused}", kind.id);
        }
    }
}
