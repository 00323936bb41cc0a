//! What is drawn and coloured on a terminal, and what is not elsewhere. Terminals are made by `script` of util-linux.

use std::process::{Command, Stdio};

use pellucid_model::claim::EntryClaim;
use pellucid_publish::publisher::PUBLISHERS;

use crate::common::Desk;

/// What begins every colour and every move of the cursor.
const ESCAPE: char = '\u{1b}';

/// Whether terminals can be made here; says so when not.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn has_script() -> bool {
    let version = Command::new("script").arg("--version").stdin(Stdio::null()).output();
    let has = version.is_ok_and(|version| String::from_utf8_lossy(&version.stdout).contains("util-linux"));
    if !has {
        eprintln!("SKIPPED: no `script` of util-linux; install it");
    }
    has
}

/// Runs a line of a shell, in which `pellucid` is the command, on a terminal; gives what the terminal shows, nothing where there
/// can be none.
fn on_terminal(desk: &Desk, line: &str, variables: &[(&str, &str)]) -> Option<String> {
    if !has_script() {
        return None;
    }
    let line = line.replace("pellucid", env!("CARGO_BIN_EXE_pellucid"));
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &line, "/dev/null"]).current_dir(desk.path(""));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
        script.env_remove(name);
    }
    script.env("TERM", "xterm").envs(variables.iter().copied()).stdin(Stdio::null());
    Some(String::from_utf8(script.output().unwrap().stdout).unwrap())
}

/// A folder with a job that takes a moment.
fn desk() -> Desk {
    Desk::of_readme(400)
}

#[test]
fn progress_is_drawn_on_a_terminal() {
    let Some(shown) = on_terminal(&desk(), "pellucid publish job.toml --dry-run", &[]) else { return };
    assert!(shown.contains("reading the table") && shown.contains("Dry run"), "{shown}");
}

#[test]
fn several_steps_are_a_bar() {
    let Some(shown) = on_terminal(&desk(), "pellucid compare job.toml", &[]) else { return };
    let of = format!(" of {}", PUBLISHERS.iter().filter(|entry| !entry.claims(EntryClaim::Demonstration)).count());
    assert!(shown.contains(&format!("] 0{of}: hybrid: ")), "{shown}");
}

#[test]
fn nothing_is_drawn_when_quiet_or_into_pipelines_and_files() {
    let desk = desk();
    let Some(quiet) = on_terminal(&desk, "pellucid publish job.toml --dry-run --quiet", &[]) else { return };
    assert!(!quiet.contains(ESCAPE) && !quiet.contains("reading the table"), "{quiet}");
    let line = "pellucid publish job.toml --dry-run --json > answer.json";
    assert_eq!(on_terminal(&desk, line, &[]).as_deref(), Some(""));
    let answer: serde_json::Value = serde_json::from_str(&desk.read("answer.json")).unwrap();
    assert_eq!(answer["status"], "dry-run");
    let shown = on_terminal(&desk, "pellucid publish job.toml --dry-run 2> errors.txt", &[]).unwrap();
    assert!(!shown.contains(ESCAPE) && shown.contains("Dry run"), "{shown}");
    assert_eq!(desk.read("errors.txt"), "");
    let watched = on_terminal(&desk, "pellucid publish job.toml --dry-run > answer.txt", &[]).unwrap();
    assert!(watched.contains("reading the table"), "{watched}");
    assert!(!desk.read("answer.txt").contains(ESCAPE), "standard output has results alone");
}

#[test]
fn help_and_errors_are_coloured_on_terminals_unless_told_otherwise() {
    let desk = Desk::new();
    for line in ["pellucid --help", "pellucid publsh"] {
        let Some(coloured) = on_terminal(&desk, line, &[]) else { return };
        assert!(coloured.contains(ESCAPE), "{coloured}");
        for told in [("NO_COLOR", "1"), ("NO_COLOR", "anything"), ("CLICOLOR", "0")] {
            let plain = on_terminal(&desk, line, &[told]).unwrap();
            assert!(!plain.contains(ESCAPE) && plain.contains("publish"), "{told:?}: {plain}");
        }
        let empty = on_terminal(&desk, line, &[("NO_COLOR", "")]).unwrap();
        assert!(empty.contains(ESCAPE), "an empty NO_COLOR says nothing: {empty}");
        let both = on_terminal(&desk, line, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]).unwrap();
        assert!(!both.contains(ESCAPE), "{both}");
    }
}

#[test]
fn progress_has_no_colours() {
    let desk = desk();
    for variables in [&[][..], &[("NO_COLOR", "1")], &[("CLICOLOR_FORCE", "1")]] {
        let Some(shown) = on_terminal(&desk, "pellucid compare job.toml", variables) else { return };
        // Colours end in `m`; what moves the cursor and clears lines does not.
        let sequences = shown.split(ESCAPE).skip(1);
        let coloured = sequences
            .filter(|rest| rest.trim_start_matches(['[', ';']).trim_start_matches(char::is_numeric).starts_with('m'));
        assert_eq!(coloured.count(), 0, "{shown}");
    }
}

#[test]
fn nothing_is_drawn_or_coloured_without_a_terminal() {
    let desk = desk();
    for call in [&["publish", "job.toml", "--dry-run"][..], &["--help"], &["publsh"], &["compare", "job.toml"]] {
        let outcome = desk.run(call);
        assert!(!outcome.out.contains(ESCAPE) && !outcome.err.contains(ESCAPE), "{outcome:#?}");
        assert!(!outcome.err.contains("reading"), "{outcome:#?}");
    }
}
