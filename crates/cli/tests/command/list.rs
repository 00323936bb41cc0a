//! `pellucid list`, `pellucid schema`, help, and wrong calls.

use pellucid_inference::sequence::STRATEGIES;
use pellucid_model::claim::EntryClaim;
use pellucid_model::principle::PRINCIPLES;
use pellucid_publish::function::FUNCTIONS;
use pellucid_publish::publisher::PUBLISHERS;
use pellucid_publish::search::{MEASURES, SEARCHES};
use pellucid_publish::utility::METRICS;

use crate::common::{Desk, root};

/// Every id, by the section it is listed under.
fn ids() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![
        ("principles", PRINCIPLES.iter().map(|entry| entry.id).collect()),
        ("publishers", publishers(false)),
        ("demonstrations", publishers(true)),
        ("strategies", STRATEGIES.iter().map(|entry| entry.id).collect()),
        ("measures", MEASURES.iter().map(|entry| entry.id).collect()),
        ("searches", SEARCHES.iter().map(|entry| entry.id).collect()),
        ("functions", FUNCTIONS.iter().map(|entry| entry.id).collect()),
        ("metrics", METRICS.iter().map(|entry| entry.id).collect()),
    ]
}

/// The publishers that are demonstrations, or the others.
fn publishers(demonstrations: bool) -> Vec<&'static str> {
    let wanted = PUBLISHERS.iter().filter(|entry| entry.claims(EntryClaim::Demonstration) == demonstrations);
    wanted.map(|entry| entry.id).collect()
}

#[test]
fn everything_registered_is_listed() {
    let desk = Desk::new();
    let text = desk.run(&["list", "--all"]).ended(0).out;
    let json = desk.run(&["list", "--all", "--json"]).ended(0).json();
    for (section, ids) in ids() {
        assert!(text.contains(&section.to_uppercase()));
        let listed: Vec<&str> =
            json[section].as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap()).collect();
        assert_eq!(listed, ids);
        for id in ids {
            assert!(text.contains(&format!("\n  {id} (")), "{id}");
        }
    }
}

#[test]
fn demonstrations_are_listed_on_demand_only() {
    let desk = Desk::new();
    let text = desk.run(&["list"]).ended(0).out;
    assert!(text.ends_with("`pellucid list --all` shows demonstrations as well.\n"), "{text}");
    let (helps, demonstrations) = ([&["--help"][..], &["compare", "--help"], &["list", "--help"]], publishers(true));
    assert!(!demonstrations.is_empty());
    for id in demonstrations {
        assert!(!text.contains(id), "{id}");
        assert!(helps.iter().all(|call| !desk.run(call).ended(0).out.contains(id)), "{id}");
        let one = desk.run(&["list", id]).ended(0).out;
        assert!(one.starts_with(&format!("DEMONSTRATIONS\n  {id} (")), "{one}");
    }
    let refused = desk.run(&["list", "tailr"]).ended(2).err;
    assert!(refused.contains("nothing is called `tailr`, did you mean `tailor`?"), "{refused}");
}

#[test]
fn the_stored_schema_is_the_current_one() {
    let printed = Desk::new().run(&["schema"]).ended(0).out;
    let stored = std::fs::read_to_string(root().join("docs/job.schema.json")).unwrap();
    assert!(printed == stored, "docs/job.schema.json is not what `pellucid schema` prints; run `make schema`");
}

#[test]
fn the_job_of_the_readme_works() {
    Desk::of_readme(60).run(&["publish", "job.toml", "--dry-run"]).ended(0);
}

#[test]
fn help_tells_examples_and_exit_statuses() {
    let help = Desk::new().run(&["--help"]).ended(0).out;
    assert!(help.contains("Examples:\n  pellucid demo") && help.contains("Exit status: 0 done"), "{help}");
}

#[test]
fn wrong_calls_are_bad_usage() {
    let desk = Desk::new();
    for (call, hint) in [
        (&["publsh", "job.toml"][..], "publish"),
        (&["publish"], "<JOB>"),
        (&["publish", "job.toml", "--dryrun"], "--dry-run"),
        (&["publish", "job.toml", "--insecure-seed", "x"], "--insecure-seed"),
        (&["demo", "--rows", "7"], "--rows"),
        (&["verify"], "<PATH>"),
        (&["belief"], "<CASES>"),
        (&["belief", "cases.json", "--states", "0"], "--states"),
        (&["attack", "job.toml", "--budget", "-1"], "'--budget <NUMBER>': give a whole number, 1 or more"),
        (&["view", "restore", "job.toml", "--max-additional", "-1"], "give a whole number, 1 or more"),
        (&[], "Usage"),
    ] {
        let outcome = desk.run(call).ended(2);
        assert!(outcome.err.contains(hint), "{outcome:#?}");
    }
    assert!(desk.names().is_empty());
}
