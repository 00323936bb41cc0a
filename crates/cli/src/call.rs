//! Reading the command line, and what is said of calls that cannot be read.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{Command, CommandFactory, FromArgMatches};
use pellucid_model::error::ErrorKind;

use crate::Cli;
use crate::status::CommandEnding;
use crate::terminal::UserTerminal;

/// The command with all its sub-commands: what reads calls, writes help, man pages and completions.
pub fn command() -> Command {
    with_negative_numbers(Cli::command())
}

/// Options take negative numbers as values, so that these are refused by the option they were meant for.
fn with_negative_numbers(command: Command) -> Command {
    let takes = |arg: &clap::Arg| arg.get_long().is_some() && arg.get_action().takes_values();
    let command = command.mut_args(|arg| if takes(&arg) { arg.allow_negative_numbers(true) } else { arg });
    command.mut_subcommands(with_negative_numbers)
}

/// Reads a call, the name of the program first; gives also the words of the command, such as `view check`.
pub fn read(call: impl IntoIterator<Item = OsString>) -> Result<(Cli, String), clap::Error> {
    let mut command = command();
    let matches = command.try_get_matches_from_mut(call)?;
    let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    let nested = std::iter::successors(matches.subcommand(), |(_, matches)| matches.subcommand());
    let words: Vec<&str> = nested.map(|(name, _)| name).collect();
    Ok((cli, words.join(" ")))
}

/// Prints help and versions that were asked for; says what is wrong with a call, as JSON too where that was asked for.
pub fn answer(error: &clap::Error, call: &[OsString]) -> ExitCode {
    let wants_json = call.iter().take_while(|word| *word != "--").any(|word| word == "--json");
    if wants_json && error.use_stderr() {
        let _ = UserTerminal::new(true, true, "").error_document(ErrorKind::InvalidParameter, &message(error));
    }
    // There is nowhere else to say that it cannot be printed.
    let _ = match gone(error) {
        Some(words) => writeln!(std::io::stderr(), "error: {words}"),
        None => error.print(),
    };
    if error.use_stderr() { CommandEnding::BadInput.into() } else { CommandEnding::Done.into() }
}

/// Options that `attack`, `compare` and `view` had before 0.2, and what to write instead.
const GONE: &[(&str, &str)] = &[
    ("--originals", "use `--budget`"),
    ("--states", "use `--budget`"),
    ("--conditions", "use `--budget`"),
    ("--draws", "use `--budget`"),
    ("--moves", "use `--budget`"),
    ("--runs", "use `--budget`"),
    ("--time-out", "use `--seconds`"),
    ("--attack-seconds", "use `--seconds`"),
    ("--seed", "leave it out; attacks draw the same worlds every time"),
];

/// What is said of an option that is no more.
fn gone(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else { return None };
    let (option, remedy) = GONE.iter().find(|(gone, _)| gone == option)?;
    (error.kind() == clap::error::ErrorKind::UnknownArgument)
        .then(|| format!("`{option}` is gone since 0.2.0; {remedy}"))
}

/// What is wrong, without usage and where to find help.
fn message(error: &clap::Error) -> String {
    if let Some(words) = gone(error) {
        return words;
    }
    let text = error.to_string();
    let end = ["\n\nUsage:", "\n\nFor more information"].iter().filter_map(|mark| text.find(mark)).min();
    let text = &text[..end.unwrap_or(text.len())];
    text.strip_prefix("error: ").unwrap_or(text).trim().to_owned()
}

#[cfg(test)]
#[path = "call_tests.rs"]
mod tests;
