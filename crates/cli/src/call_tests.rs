//! What holds of every command: its examples are calls, and numbers out of range are refused by name.

use clap::error::ErrorKind as Refusal;

use super::*;

/// Every command with the words that call it, the program first.
fn commands() -> Vec<(Vec<String>, Command)> {
    fn collect(command: &Command, before: &[String], all: &mut Vec<(Vec<String>, Command)>) {
        let path: Vec<String> = before.iter().cloned().chain([command.get_name().to_owned()]).collect();
        for nested in command.get_subcommands() {
            collect(nested, &path, all);
        }
        all.push((path, command.clone()));
    }
    let mut command = command().disable_help_subcommand(true);
    command.build();
    let mut all = Vec::new();
    collect(&command, &[], &mut all);
    all
}

/// The calls under `Examples:`, with lines that go on joined.
fn examples(command: &Command) -> Vec<String> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let Some((_, examples)) = help.split_once("Examples:\n") else { return Vec::new() };
    let examples = examples.split("\n\n").next().unwrap_or_default().replace("\\\n", " ");
    examples.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// The words of a call as a shell reads them, up to a comment, a pipe or a redirection.
fn words(call: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for mark in call.chars() {
        match (quote, mark) {
            (Some(open), _) if open == mark => quote = None,
            (None, '"' | '\'') => {
                quote = Some(mark);
                word.get_or_insert_default();
            }
            (None, '#' | '|' | '>') if word.is_none() => break,
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(mark),
        }
    }
    assert_eq!(quote, None, "a quote is not closed: {call}");
    words.extend(word);
    words
}

fn read_words(words: &[String]) -> Result<(Cli, String), clap::Error> {
    read(words.iter().map(OsString::from))
}

#[test]
fn the_definitions_are_consistent() {
    command().debug_assert();
}

#[test]
fn every_command_has_examples_that_can_be_read() {
    for (path, command) in commands() {
        let examples = examples(&command);
        assert!(!examples.is_empty(), "`{}` has no examples; write them in its after_help", path.join(" "));
        for example in examples {
            let words = words(&example);
            assert!(words.starts_with(&path), "`{example}` is no example of `{}`", path.join(" "));
            if let Err(error) = read_words(&words) {
                panic!("`{example}` cannot be read: {error}");
            }
        }
    }
}

#[test]
fn calls_are_split_as_a_shell_does() {
    let call = "pellucid compare job.toml --with 'publisher=mask k=3' --set a=\"b c\" \"\" # why";
    assert_eq!(words(call), ["pellucid", "compare", "job.toml", "--with", "publisher=mask k=3", "--set", "a=b c", ""]);
    assert_eq!(words("pellucid schema > job.schema.json"), ["pellucid", "schema"]);
}

#[test]
fn negative_numbers_are_refused_by_the_option_and_its_range() {
    let mut ranges = 0;
    for (path, command) in commands() {
        for option in command.get_arguments().filter(|option| option.get_action().takes_values()) {
            let Some(long) = option.get_long() else { continue };
            let option = format!("--{long}");
            let call: Vec<String> = path.iter().cloned().chain([option.clone(), "-1".to_owned()]).collect();
            let Err(error) = read_words(&call) else { continue };
            let message = error.to_string();
            assert_ne!(error.kind(), Refusal::UnknownArgument, "{}: {message}", path.join(" "));
            if error.kind() == Refusal::ValueValidation {
                assert!(message.contains(&option) && !message.contains("digit"), "{message}");
                ranges += usize::from(message.contains("give a whole number"));
            }
        }
    }
    assert!(ranges > 20, "{ranges}");
    let call = ["pellucid", "attack", "job.toml", "--budget", "0"].map(str::to_owned);
    let error = read_words(&call).unwrap_err();
    assert_eq!(message(&error), "invalid value '0' for '--budget <NUMBER>': give a whole number, 1 or more");
}

#[test]
fn what_is_wrong_is_told_without_usage() {
    let of = |call: &[&str]| message(&read(call.iter().map(OsString::from)).unwrap_err());
    let told = of(&["pellucid", "publsh"]);
    assert!(told.starts_with("unrecognized subcommand 'publsh'") && told.contains("'publish'"), "{told}");
    assert!(!told.contains("Usage") && !told.contains("--help"), "{told}");
}

#[test]
fn options_that_are_gone_say_what_to_write_instead() {
    for (call, words) in [
        (["pellucid", "attack", "job.toml", "--states=5"], "`--states` is gone since 0.2.0; use `--budget`"),
        (
            ["pellucid", "compare", "job.toml", "--attack-seconds=1"],
            "`--attack-seconds` is gone since 0.2.0; use `--seconds`",
        ),
    ] {
        let error = read(call.map(OsString::from)).unwrap_err();
        assert_eq!(message(&error), words);
    }
}
