//! Files of earlier versions, as they were written then: releases are verified, attacked, recorded and made again; the ledger goes on.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Desk, Outcome};
use serde_json::Value;

/// Releases that follow from job and table alone, with the table.
const DETERMINISTIC: [(&str, &str); 9] = [
    ("tailor", "patients.csv"),
    ("tailor-parquet", "patients.csv"),
    ("mondrian", "patients.csv"),
    ("search", "patients.csv"),
    ("search-left-out", "people.csv"),
    ("opt-gen", "people.csv"),
    ("vul-gen", "people.csv"),
    ("best-of", "people.csv"),
    ("sequence", "people.csv"),
];

/// Releases that were drawn at random, with the table; `NAME-seeded` has tables drawn from [`SEED`].
const DRAWN: [(&str, &str); 3] = [("ace", "patients.csv"), ("hybrid", "patients.csv"), ("mask", "patients.csv")];

const SEED: &str = "7";

fn stored() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stored/0.1.0")
}

/// A folder with copies of all stored files.
fn desk() -> Desk {
    let desk = Desk::new();
    copy(&stored(), &desk.path(""));
    desk
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    DETERMINISTIC.into_iter().chain(DRAWN)
}

fn manifest(name: &str) -> Value {
    let text = fs::read_to_string(stored().join("releases").join(name).join("manifest.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn verify(desk: &Desk, name: &str, table: &str) -> Outcome {
    desk.run(&["verify", &format!("releases/{name}"), "--source", table, "--json"])
}

/// The names of the checks that ended as `status`.
fn checks(outcome: &Outcome, status: &str) -> Vec<String> {
    let report = outcome.json();
    let checks = report["checks"].as_array().unwrap().iter().filter(|check| check["status"] == status);
    checks.map(|check| check["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_publisher_and_function_of_0_1_0_is_stored() {
    let mut used = BTreeSet::new();
    for (name, _) in all() {
        let manifest = manifest(name);
        assert_eq!((&manifest["format"], &manifest["made_by"]), (&1.into(), &"pellucid 0.1.0".into()));
        for key in ["publisher", "function"] {
            used.insert(manifest["mechanism"][key].as_str().unwrap().to_owned());
        }
    }
    let known = "ace anatomy best-of hierarchy hybrid mask mbr microaggregation mondrian opt-gen search sequence tailor vul-gen";
    assert_eq!(used.into_iter().collect::<Vec<_>>().join(" "), known);
}

#[test]
fn stored_releases_are_verified_with_and_without_their_source() {
    let desk = desk();
    for (name, table) in all() {
        let has_report = desk.path(&format!("releases/{name}/report.html")).is_file();
        let told = verify(&desk, name, table);
        let failed: &[&str] = if has_report { &[] } else { &["files"] };
        assert_eq!(checks(&told, "failed"), failed, "{name}: {told:#?}");
        assert_eq!(checks(&told, "undecided"), [""; 0], "{name}: {told:#?}");
        let told = told.ended(if has_report { 0 } else { 4 });
        let lacking = "`report.html` is listed in the manifest but cannot be read";
        assert_eq!(told.out.contains(lacking), !has_report, "{name}");
        let alone = desk.run(&["verify", &format!("releases/{name}"), "--json"]);
        assert_eq!(checks(&alone, "failed"), failed, "{name}");
    }
}

#[test]
fn a_stored_release_that_was_changed_is_found_out() {
    let desk = desk();
    let lines = desk.read("releases/tailor/data.csv");
    let (first, other) = (lines.lines().nth(1).unwrap(), lines.lines().last().unwrap());
    let value = |line: &str| line.rsplit_once(',').unwrap().1.to_owned();
    assert_ne!(value(first), value(other));
    let forged = first.replace(&value(first), &value(other));
    desk.write("releases/tailor/data.csv", lines.replacen(first, &forged, 1));
    let failed = checks(&verify(&desk, "tailor", "patients.csv").ended(4), "failed");
    assert!(failed.contains(&"files".to_owned()) && failed.len() > 1, "{failed:?}");
}

/// The released tables in a folder with their bytes.
fn tables(desk: &Desk, folder: &str) -> Vec<(String, Vec<u8>)> {
    let is_table =
        |name: &str| ["data.", "quasi.", "sensitive."].iter().any(|stem| name.starts_with(stem)) && !name.contains('/');
    desk.bytes(folder).into_iter().filter(|(name, _)| is_table(name)).collect()
}

#[test]
fn the_same_job_gives_the_same_tables() {
    let desk = desk();
    let seeded = DRAWN.map(|(name, _)| (name, format!("{name}-seeded"), &["--insecure-seed", SEED][..]));
    let others = DETERMINISTIC.map(|(name, _)| (name, name.to_owned(), &[][..]));
    for (name, stored, more) in others.into_iter().chain(seeded) {
        let call = ["publish", &format!("jobs/{name}.toml"), "--out", &format!("again/{name}")];
        desk.run(&[&call[..], more].concat()).ended(0);
        let before = tables(&desk, &format!("releases/{stored}"));
        assert!(!before.is_empty(), "{name}");
        assert_eq!(before, tables(&desk, &format!("again/{name}")), "{name}");
    }
}

#[test]
fn an_attack_on_a_stored_release_finds_what_one_on_the_job_finds() {
    let desk = desk();
    for name in ["mondrian", "search", "opt-gen", "vul-gen", "best-of"] {
        let attack = |more: &[&str]| {
            let mut told =
                desk.run(&[&["attack", &format!("jobs/{name}.toml"), "--json"], more].concat()).ended(0).json();
            for key in ["seconds", "seconds_for_release"] {
                told.as_object_mut().unwrap().remove(key);
            }
            told
        };
        let found = attack(&["--release", &format!("releases/{name}")]);
        assert_eq!(found, attack(&[]), "{name}");
        assert!(found["account"]["people"].as_u64().unwrap() >= 8, "{name}: {found}");
    }
}

#[test]
fn a_stored_release_is_replaced_when_that_is_asked_for() {
    let desk = desk();
    let out = ["publish", "jobs/search.toml", "--out", "releases/search"];
    desk.run(&out).ended(2);
    desk.run(&[&out[..], &["--overwrite"]].concat()).ended(0);
    verify(&desk, "search", "patients.csv").ended(0);
}

#[test]
fn a_stored_release_is_recorded_as_undecided_evidence() {
    let desk = desk();
    let call = ["view", "add", "jobs/tailor.toml", "--release", "releases/tailor", "--ledger", "new.sqlite", "--json"];
    let told = desk.run(&call).ended(4).json();
    assert_eq!(told["decisions"][0]["finding"]["verdict"], "undecided");
    let told = desk.run(&[&call[..], &["--record-undecided", "--reason", "it is out"]].concat()).ended(0).json();
    assert_eq!(told["decisions"][0]["evidence"], 1);
}

const SHOWN: &str = "select condition from visitors where age between 23 and 26";
const REFUSED: &str = "select condition from visitors where age between 26 and 28";

/// Runs a command with the stored ledger and the job `jobs/JOB.toml`.
fn on_ledger(desk: &Desk, command: &[&str], job: &str, more: &[&str]) -> Outcome {
    let job = format!("jobs/{job}.toml");
    desk.run(&[command, &[&job, "--ledger", "ledger.sqlite", "--json"], more].concat())
}

/// The outcome and the evidence of every decision on the table of a job.
fn decisions(desk: &Desk, job: &str) -> Vec<(String, Option<u64>)> {
    let listed = on_ledger(desk, &["view", "list"], job, &[]).ended(0).json();
    let entry = |made: &Value| (made["outcome"].as_str().unwrap().to_owned(), made["evidence"].as_u64());
    listed["decisions"].as_array().unwrap().iter().map(entry).collect()
}

fn made(expected: &[(&str, Option<u64>)]) -> Vec<(String, Option<u64>)> {
    expected.iter().map(|(outcome, evidence)| ((*outcome).to_owned(), *evidence)).collect()
}

#[test]
fn views_in_a_stored_ledger_count_and_later_ones_follow_them() {
    let desk = desk();
    let before = [("released", Some(1)), ("refused", None), ("released", Some(2))];
    assert_eq!(decisions(&desk, "views"), made(&before));
    assert!(desk.path("ledger.sqlite.v2").is_file(), "a copy of the old ledger is kept");
    let view = |command: &str, sql: &str| on_ledger(&desk, &["view", command], "views", &[sql]);
    // What was refused still is, because of what was shown.
    let refused = view("check", REFUSED).ended(4).json();
    assert_eq!((&refused["status"], &refused["new_ledger"]), (&"not-private".into(), &false.into()));
    assert_eq!(refused["findings"][0]["after"]["highest"]["exactly"], "4/5");
    let restored = on_ledger(&desk, &["view", "restore"], "views", &[REFUSED, "--max-additional", "2"]).ended(0).json();
    assert_eq!(restored["columns"][0]["answer"], "restored");
    assert_eq!(on_ledger(&desk, &["view", "belief"], "views", &[]).ended(0).json()["columns"][0]["groups"], 2);
    assert_eq!(view("check", SHOWN).ended(0).json()["findings"][0]["repeats"], 1);
    view("add", "select condition from visitors where age between 24 and 27").ended(4);
    view("add", "select condition from visitors where age >= 29").ended(0);
    let after = [&before[..], &[("refused", None), ("released", Some(3))]].concat();
    assert_eq!(decisions(&desk, "views"), made(&after));
}

#[test]
fn a_release_in_a_stored_ledger_is_undecided_evidence_until_it_is_withdrawn() {
    let desk = desk();
    assert_eq!(decisions(&desk, "tailor"), made(&[("released", Some(1)), ("forced", Some(2))]));
    let asked = "select disease from patients where age = 21";
    let finding = || on_ledger(&desk, &["view", "check"], "tailor", &[asked]).json()["findings"][0].clone();
    assert!(
        finding()["not_counted"].as_array().unwrap().iter().any(|gap| gap.as_str().unwrap().contains("evidence 1"))
    );
    on_ledger(&desk, &["ledger", "withdraw", "1"], "tailor", &["--reason", "nobody has it"]).ended(0);
    assert_eq!(finding()["not_counted"], Value::Array(Vec::new()));
    assert!(finding()["remarks"][0].as_str().unwrap().starts_with("evidence 1 was withdrawn"));
}

#[test]
fn a_stored_ledger_judges_a_new_release() {
    let desk = desk();
    let publish = ["publish", "jobs/tailor.toml", "--out", "again", "--ledger", "ledger.sqlite", "--json"];
    let refused = desk.run(&publish).ended(4);
    assert!(refused.err.contains("table `patients` was released before"), "{refused:#?}");
    assert_eq!(refused.json()["ledger"][0]["decision"], 3);
    assert!(!desk.path("again").exists());
}
