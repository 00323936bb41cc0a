//! `--json`: every command prints one JSON document on standard output, whatever it answers.

use std::collections::BTreeSet;

use pellucid_model::document::{DOCUMENTS, ERROR, MANIFEST, PRIVATE_RECORD, stamped};
use serde_json::{Map, Value};

use crate::common::{Desk, Outcome, root};

/// A job that no publisher takes: there is no sensitive column, and the principle needs one.
const NO_SENSITIVE: &str = "columns.disease={ role = \"drop\" }";

/// A call and its exit status.
type Call = (&'static [&'static str], i32);

/// For every command that does something: calls in a folder with the job of the README, each with its exit status.
///
/// Calls of a command are run one after the other in the same folder.
const CALLS: &[(&str, &[Call])] = &[
    (
        "publish",
        &[
            (&["publish", "job.toml", "--dry-run"], 0),
            (&["publish", "job.toml", "--dry-run", "--explain"], 0),
            (&["publish", "job.toml", "--dry-run", "--set", "privacy.l=50"], 3),
            (&["publish", "job.toml", "--dry-run", "--ledger", "new.sqlite"], 4),
            (&["publish", "job.toml", "--dry-run", "--set", "privacy.l=x"], 2),
            (&["publish", "none.toml"], 2),
        ],
    ),
    (
        "compare",
        &[
            (&["compare", "job.toml"], 0),
            (&["compare", "job.toml", "--set", "privacy.l=50", "--with", "publisher=tailor"], 3),
            (&["compare", "job.toml", "--with", "publisher=sequence", "--with", "publisher=best-of"], 2),
            (&["compare", "job.toml", "--set", NO_SENSITIVE], 2),
        ],
    ),
    (
        "search",
        &[
            (&["search", "job.toml", "--set", "method.publisher=search", "--set", "method.function=hierarchy"], 0),
            (&["search", "job.toml", "--set", "method.publisher=search", "--set", "privacy.l=50"], 3),
            (&["search", "none.toml"], 2),
        ],
    ),
    (
        "verify",
        &[
            (&["verify", "release"], 0),
            (&["verify", "patients.csv", "--quasi", "age", "--principle", "k-anonymity:k=40"], 4),
            (&["verify", "none"], 2),
        ],
    ),
    (
        "attack",
        &[
            (&["attack", "job.toml", "--set", "method.publisher=mondrian"], 0),
            (&["attack", "job.toml", "--set", "method.publisher=mondrian", "--set", "privacy.l=50"], 3),
            (&["attack", "none.toml"], 2),
        ],
    ),
    ("belief", &[(&["belief", "cases.json"], 0), (&["belief", "none.json"], 2), (&["belief", "job.toml"], 2)]),
    (
        "view check",
        &[
            (&["view", "check", "views.toml", "select condition from patients where age between 29 and 33"], 0),
            (&["view", "check", "views.toml", "select condition from patients where age = 29"], 4),
            (&["view", "check", "views.toml", "select"], 2),
        ],
    ),
    (
        "view add",
        &[
            (&["view", "add", "views.toml", "select condition from patients where age between 29 and 33"], 0),
            (&["view", "add", "views.toml", "select condition from patients where age = 29"], 4),
            (&["view", "add", "none.toml"], 2),
        ],
    ),
    (
        "view restore",
        &[
            (&["view", "restore", "views.toml"], 0),
            (&["view", "restore", "views.toml", "select condition from patients where age = 29"], 4),
            (&["view", "restore", "none.toml"], 2),
        ],
    ),
    ("view list", &[(&["view", "list", "views.toml"], 0), (&["view", "list", "none.toml"], 2)]),
    ("view belief", &[(&["view", "belief", "views.toml"], 0), (&["view", "belief", "none.toml"], 2)]),
    (
        "hierarchy build",
        &[
            (&["hierarchy", "build", "patients.csv", "--column", "zip", "--mask", "suffix"], 0),
            (&["hierarchy", "build", "patients.csv", "--column", "zip", "--mask", "suffix", "--out", "zip.csv"], 0),
            (&["hierarchy", "build", "patients.csv", "--column", "none", "--mask", "suffix"], 2),
        ],
    ),
    (
        "hierarchy check",
        &[
            (&["hierarchy", "check", "sex.csv"], 0),
            (&["hierarchy", "check", "broken.csv"], 4),
            (&["hierarchy", "check", "none.csv"], 2),
        ],
    ),
    ("hierarchy show", &[(&["hierarchy", "show", "sex.csv"], 0), (&["hierarchy", "show", "none.csv"], 2)]),
    (
        "ledger withdraw",
        &[
            (&["ledger", "withdraw", "1", "--ledger", "kept.sqlite", "--reason", "x"], 0),
            (&["ledger", "withdraw", "1", "views.toml", "--reason", "x"], 2),
            (&["ledger", "withdraw", "7", "--ledger", "none.sqlite", "--reason", "x"], 2),
        ],
    ),
    ("list", &[(&["list"], 0), (&["list", "--markdown"], 0)]),
    ("demo", &[(&["demo", "--rows", "200"], 0), (&["demo", "--dir", "."], 2)]),
    ("schema", &[(&["schema"], 0)]),
    ("completions", &[(&["completions", "bash"], 0), (&["completions", "tcsh"], 2)]),
    ("man", &[(&["man"], 0), (&["man", "--out", "pages"], 0), (&["man", "--out", "job.toml"], 2)]),
];

/// A folder with whatever the calls use; a view was shown, and a release made.
fn desk() -> Desk {
    let desk = Desk::of_readme(60);
    desk.run(&["publish", "job.toml", "--out", "release"]).ended(0);
    let example = |name: &str| std::fs::read_to_string(root().join("examples").join(name)).unwrap();
    desk.write("cases.json", example("belief/six-people.json"));
    desk.write("views.csv", example("views/patients.csv"));
    desk.write("views.toml", example("views/job.toml").replace("patients.csv", "views.csv"));
    desk.write("broken.csv", "a;x;*\na;y;*\n");
    desk.run(&["view", "add", "views.toml", "select condition from patients where age between 29 and 33"]).ended(0);
    let recording = ["--ledger", "kept.sqlite", "--record-undecided", "--reason", "x", "--out", "kept"];
    desk.run(&[&["publish", "job.toml"], &recording[..]].concat()).ended(0);
    desk
}

/// Runs a call with `--json`; errors are told as such, and nothing but the document is on standard output.
fn json(desk: &Desk, call: &[&str]) -> (Outcome, Value) {
    let outcome = desk.run(&[call, &["--json"]].concat());
    let json = outcome.json();
    assert!(json.is_object(), "{call:?}: {json}");
    (outcome, json)
}

/// The commands that do something, by clap's own tree.
fn leaves(desk: &Desk) -> BTreeSet<String> {
    let (_, told) = json(desk, &["man", "--out", "pages"]);
    let pages = told["pages"].as_array().unwrap();
    let all: Vec<String> = pages.iter().map(|page| page["command"].as_str().unwrap().to_owned()).collect();
    let is_leaf =
        |command: &&String| !command.is_empty() && !all.iter().any(|other| other.starts_with(&format!("{command} ")));
    all.iter().filter(is_leaf).cloned().collect()
}

#[test]
fn every_command_answers_in_one_json_document() {
    let desk = desk();
    let known: BTreeSet<String> = CALLS.iter().map(|(command, _)| (*command).to_owned()).collect();
    assert_eq!(leaves(&desk), known, "every command has calls in CALLS; add them");
    let mut printed = BTreeSet::new();
    for (command, calls) in CALLS {
        for (call, status) in *calls {
            let (outcome, json) = json(&desk, call);
            let outcome = outcome.ended(*status);
            assert!(call.join(" ").starts_with(command));
            let is_error = *status == 2 && json.get("compared").is_none();
            printed.insert(says_its_version(&json, if is_error { ERROR } else { command }));
            if is_error {
                let message = json["error"]["message"].as_str().unwrap_or_else(|| panic!("{call:?}: {json}"));
                assert!(outcome.err.contains(message.lines().next().unwrap()), "{outcome:#?}");
            }
        }
    }
    for name in [MANIFEST, PRIVATE_RECORD] {
        let folder = if name == MANIFEST { "release" } else { "release-private" };
        printed.insert(says_its_version(&serde_json::from_str(&desk.read(&format!("{folder}/{name}"))).unwrap(), name));
    }
    let known: BTreeSet<String> = DOCUMENTS.iter().map(|format| format.name.to_owned()).collect();
    assert_eq!(printed, known, "every document of DOCUMENTS is printed or written by some call");
}

/// Holds the first keys of a document against those that the document called `name` has.
fn says_its_version(document: &Value, name: &str) -> String {
    let keys = document.as_object().unwrap();
    let own = ["document", "format", "$id"];
    let own: &[&str] = if name == MANIFEST { &[] } else { &own };
    let rest: Map<String, Value> = keys
        .iter()
        .filter(|(key, _)| !own.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let expected = stamped(name, &rest).unwrap();
    assert_eq!(document.to_string(), expected.to_string());
    name.to_owned()
}

#[test]
fn the_stability_page_has_every_document_and_its_version() {
    let page = std::fs::read_to_string(root().join("docs/stability.md")).unwrap();
    let section = page.split("## JSON documents").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
    let expected = DOCUMENTS.iter().map(|format| {
        let option = if [ERROR, MANIFEST, PRIVATE_RECORD].contains(&format.name) { "" } else { " --json" };
        format!("| `{}{option}` | {} | {} | {} |", format.name, format.version, format.place_words(), format.summary)
    });
    assert_eq!(rows, expected.collect::<Vec<_>>());
}

#[test]
fn help_tells_the_exit_statuses_of_a_command() {
    let desk = Desk::new();
    for (command, calls) in CALLS {
        let help = desk.run(&[&command.split(' ').collect::<Vec<_>>()[..], &["--help"]].concat()).ended(0).out;
        let seen: BTreeSet<i32> = calls.iter().map(|(_, status)| *status).collect();
        let told = help.split_once("Exit status:").map(|(_, told)| {
            let words = told.split_whitespace();
            words.filter_map(|word| word.parse().ok()).collect::<BTreeSet<i32>>()
        });
        let usual = BTreeSet::from([0, 2]);
        assert!(told.is_some() || seen.is_subset(&usual), "`{command} --help` does not tell its exit statuses");
        assert_eq!(told.unwrap_or_else(|| seen.clone()), seen, "{command}");
    }
}

#[test]
fn calls_that_cannot_be_read_are_told_as_json_too() {
    let desk = Desk::new();
    for command in leaves(&desk) {
        let call: Vec<&str> = command.split(' ').chain(["--no-such-option"]).collect();
        let (outcome, json) = json(&desk, &call);
        let outcome = outcome.ended(2);
        assert_eq!(json["error"]["kind"], "InvalidParameter");
        let message = json["error"]["message"].as_str().unwrap();
        assert!(message.contains("--no-such-option") && !message.contains("Usage"), "{message}");
        assert!(outcome.err.starts_with("error: "), "{outcome:#?}");
    }
    for call in [&["view"][..], &["hierarchy"], &[], &["publsh"]] {
        json(&desk, call).0.ended(2);
    }
    // After `--` it is an argument.
    assert_eq!(desk.run(&["publish", "--no-such-option", "--", "--json"]).ended(2).out, "");
}

#[test]
fn help_is_text_with_json_too() {
    let outcome = Desk::new().run(&["publish", "--help", "--json"]).ended(0);
    assert!(outcome.out.contains("Usage: pellucid publish"), "{outcome:#?}");
}
