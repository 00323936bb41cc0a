//! `pellucid belief`: what an adversary who knows the strategy believes, for small questions in a file.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use pellucid_cases::{AnswerOptions, CaseAnswer, FileCase, KINDS};
use pellucid_inference::budget::{Budget, SamplingPlan};
use pellucid_model::error::{Error, Result};
use pellucid_model::registry::did_you_mean;
use serde_json::{Value, json};

use crate::CommandEnding;
use crate::numbers::{probability, whole};
use crate::terminal::UserTerminal;

/// Say exactly what an adversary who knows the mechanism would believe, for the cases of a file
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub struct BeliefArguments {
    /// The file of cases (JSON); its format is in docs/belief.md
    cases: PathBuf,
    /// Answer only cases of this kind; may be given several times
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,
    /// Answer only the case with this id; may be given several times
    #[arg(long, value_name = "ID")]
    id: Vec<String>,
    /// States that counting one set of worlds may visit before it is refused
    #[arg(long, value_name = "NUMBER", default_value_t = Budget::question().states,
          value_parser = whole::<u64>(1..))]
    states: u64,
    /// Seconds that counting one set of worlds may take before it is refused
    #[arg(long, value_name = "NUMBER", default_value_t = Budget::question().seconds.map_or(300, |seconds| seconds as u64),
          value_parser = whole::<u64>(1..))]
    seconds: u64,
    /// Leave out what is believed when nothing is released
    #[arg(long)]
    no_silence: bool,
    /// Estimate disclosure sets that are refused, from this many worlds drawn at random
    #[arg(long, value_name = "DRAWS", value_parser = whole::<u64>(..))]
    estimate: Option<u64>,
    /// Draw the same worlds every time
    #[arg(long, value_name = "NUMBER", requires = "estimate", value_parser = whole::<u64>(..))]
    seed: Option<u64>,
    /// With which probability all intervals of an estimate hold together
    #[arg(long, value_name = "PROBABILITY", requires = "estimate", default_value_t = SamplingPlan::default().confidence,
          value_parser = probability)]
    confidence: f64,
}

/// Examples and every kind of the registry.
fn after_help() -> String {
    let mut text = String::from(
        "Examples:\n  pellucid belief six-people.json\n  pellucid belief six-people.json --json\n  \
         pellucid belief cases.json --kind strategy --id S001 --states 1000000\n  \
         pellucid belief cases.json --estimate 100000\n\nKinds:\n",
    );
    for kind in KINDS {
        let _ = writeln!(text, "  {}: {}", kind.id, kind.summary);
    }
    text.push_str(
        "\nExit status: 0 at least one case was answered, also when parts of the answer are refused for taking more than \
         --states; 2 bad usage or input, or no case of a known kind.",
    );
    text
}

pub fn run(arguments: &BeliefArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    let (confidence, seed) = (arguments.confidence, arguments.seed);
    let sampling = arguments.estimate.map(|draws| SamplingPlan { draws, confidence, seed });
    sampling.iter().try_for_each(SamplingPlan::check)?;
    let cases = read(arguments)?;
    for case in cases.iter().filter(|case| case.question.is_none()) {
        terminal.warn(&format!("case `{}`: {}", case.id, pellucid_cases::unknown_kind(&case.kind)));
    }
    if cases.iter().all(|case| case.question.is_none()) {
        let file = arguments.cases.display();
        return Err(Error::bad_input(format!(
            "{file}: no case is of a known kind; `pellucid belief --help` lists them"
        )));
    }
    let seconds = Some(arguments.seconds as f64);
    let budget = Budget { states: arguments.states, seconds, sampling, ..Budget::question() };
    let options = AnswerOptions { budget, silence: !arguments.no_silence };
    let mut answers = Vec::with_capacity(cases.len());
    for (number, case) in cases.iter().enumerate() {
        let Some(question) = &case.question else {
            answers.push((case, None));
            continue;
        };
        terminal.steps(number, cases.len(), &format!("case {}", case.id));
        let answer = question.answer(&options);
        answers.push((case, Some(answer.map_err(|error| at(&arguments.cases, error.context(of(case))))?)));
    }
    if terminal.wants_json() {
        let answers: Vec<Value> = answers.iter().map(|(case, answer)| answer_json(case, answer.as_deref())).collect();
        terminal.json(&json!({ "answers": answers }))?;
    } else {
        let answered = answers.iter().filter_map(|(case, answer)| Some((case, answer.as_ref()?)));
        let texts = answered.map(|(case, answer)| format!("{} ({}): {}", case.id, case.kind, answer.text()));
        terminal.text(&texts.collect::<Vec<_>>().join("\n"))?;
    }
    Ok(CommandEnding::Done)
}

/// Reads the cases that are wanted; there is at least one.
fn read(arguments: &BeliefArguments) -> Result<Vec<FileCase>> {
    let path = &arguments.cases;
    let bytes = std::fs::read(path).map_err(|error| Error::io(path.display(), error))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| at(path, Error::bad_input("the file is not text in UTF-8; save it as such")))?;
    let passes = |wanted: &[String], word: &str| wanted.is_empty() || wanted.iter().any(|other| other == word);
    let wanted = |id: &str, kind: &str| passes(&arguments.id, id) && passes(&arguments.kind, kind);
    let cases = pellucid_cases::read(&text, wanted).map_err(|error| at(path, error))?;
    if !cases.is_empty() {
        return Ok(cases);
    }
    // Nothing passes: say what there is. `--kind` is told by the kinds of the file, `--id` by its ids.
    let mut heads = Vec::new();
    let seen = std::cell::RefCell::new(&mut heads);
    pellucid_cases::read(&text, |id, kind| {
        seen.borrow_mut().push((id.to_owned(), kind.to_owned()));
        false
    })?;
    let near = |wanted: &[String], word: fn(&(String, String)) -> &str| {
        wanted.iter().map(|wanted| did_you_mean(wanted, heads.iter().map(word))).find(|hint| !hint.is_empty())
    };
    let hint = near(&arguments.id, |head| &head.0).or_else(|| near(&arguments.kind, |head| &head.1));
    let hint = hint.unwrap_or_default();
    Err(at(path, Error::invalid(format!("no case passes --id and --kind{hint}; change or drop them"))))
}

fn answer_json(case: &FileCase, answer: Option<&dyn CaseAnswer>) -> Value {
    match answer {
        Some(answer) => json!({ "id": case.id, "kind": case.kind, "answer": answer.json() }),
        None => json!({ "id": case.id, "kind": case.kind, "unsupported": true }),
    }
}

fn of(case: &FileCase) -> String {
    format!("case `{}`", case.id)
}

fn at(path: &Path, error: Error) -> Error {
    error.context(path.display())
}
