//! `pellucid attack`: what somebody who knows the mechanism believes, from a job to its account.

use crate::common::{Desk, SECRET};

/// Six people of two ages: four with diseases of their own, and two who share one.
const GIVEN_AWAY: [(u32, u32); 6] = [(30, 1), (30, 2), (30, 3), (30, 4), (60, 0), (60, 0)];

#[test]
fn mondrian_gives_two_people_away_and_the_account_names_their_rows() {
    let desk = Desk::of_small_job(&GIVEN_AWAY);
    let told = desk.run(&["attack", "job.toml", "--json", "--budget", "3000"]).ended(0).json();
    let account = &told["account"];
    assert_eq!((&account["people"], &account["counted"], &account["estimated"]), (&6.into(), &6.into(), &0.into()));
    assert_eq!(account["bound"], "1/2");
    assert_eq!((&account["blind"]["certain"]["high"], &account["knowing"]["certain"]["low"]), (&0.into(), &2.into()));
    assert_eq!((&account["blind"]["above"]["high"], &account["knowing"]["above"]["low"]), (&0.into(), &2.into()));
    assert_eq!(account["knowing"]["failing"]["low"], 2);
    assert!((account["largest_gain"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-12);
    let worst: Vec<(u64, f64)> = account["worst"].as_array().unwrap()[..2]
        .iter()
        .map(|worst| (worst["row"].as_u64().unwrap(), worst["knowing_at_least"].as_f64().unwrap()))
        .collect();
    assert_eq!(worst, [(5, 1.0), (6, 1.0)]);
    let text = desk.run(&["attack", "job.toml", "--budget", "3000"]).ended(0).out;
    assert!(text.contains("row 5: 0.3333 -> 1.0000"), "{text}");
    assert!(!text.contains(SECRET), "{text}");
    // Nothing is written.
    assert_eq!(desk.names(), ["job.toml", "people.csv"]);
}

#[test]
fn what_is_neither_counted_nor_estimated_may_be_anything() {
    let desk = Desk::of_small_job(&GIVEN_AWAY);
    let told = desk.run(&["attack", "job.toml", "--json", "--budget", "1"]);
    let told = told.ended(0).json();
    let account = &told["account"];
    assert_eq!((&account["counted"], &account["refused"]), (&0.into(), &6.into()));
    assert_eq!((&account["knowing"]["certain"]["low"], &account["knowing"]["certain"]["high"]), (&0.into(), &6.into()));
}

#[test]
fn transparent_publishers_stay_within_the_bound() {
    let desk = Desk::of_small_job(&GIVEN_AWAY);
    for publisher in ["hybrid", "tailor", "ace"] {
        let publisher = format!("method.publisher={publisher}");
        let tried = desk.run(&["attack", "job.toml", "--json", "--set", &publisher]).ended(0).json();
        assert_eq!((&tried["proven"], &tried["tried"]["originals"]), (&false.into(), &360.into()), "{publisher}");
        assert_eq!(tried["account"]["knowing"]["above"]["high"], 0, "{publisher}");
        let told = desk.run(&["attack", "job.toml", "--json", "--budget", "3000", "--set", &publisher]).ended(0).json();
        assert_eq!(told["proven"], true, "{publisher}");
        assert_eq!(told["account"]["knowing"]["above"]["high"], 0, "{publisher}");
    }
}

#[test]
fn what_cannot_be_attacked_is_an_error_with_the_reason() {
    let desk = Desk::of_small_job(&GIVEN_AWAY);
    let told = desk.run(&["attack", "job.toml", "--set", "privacy.l=7"]).ended(3);
    assert!(told.out.contains("Nothing is released"), "{told:?}");
    let told = desk.run(&["attack", "job.toml", "--set", "privacy.l=7", "--json"]).ended(3).json();
    assert_eq!(told["status"], "nothing");
    let sizes = ["attack", "job.toml", "--set", "privacy={principle=\"k-anonymity\",k=2}"];
    let told = desk.run(&sizes).ended(2).err;
    assert!(told.contains("cap no belief"), "{told}");
    let rows = ["--set", "method.publisher=search", "--set", "privacy.suppression=0.4"];
    let told = desk.run(&[&["attack", "job.toml", "--budget", "3000"][..], &rows].concat()).ended(2).err;
    assert!(told.contains("rows may be left out"), "{told}");
    let told = desk.run(&["attack", "job.toml", "--confidence", "2"]).ended(2).err;
    assert!(told.contains("between 0 and 1"), "{told}");
}

#[test]
fn a_search_is_attacked_through_everything_it_preferred() {
    let rows = [(30, 1), (30, 2), (40, 3), (40, 3), (50, 1), (50, 2), (60, 2), (60, 1)];
    let desk = Desk::of_small_job(&rows);
    let arguments = ["attack", "job.toml", "--json", "--budget", "5000", "--set", "method.publisher=search"];
    let told = desk.run(&arguments).ended(0).json();
    // Ages as they are do not pass, as two people of 40 share a disease: one more specific granulation failed.
    assert_eq!(told["rejected"], 1);
    let account = &told["account"];
    assert_eq!(account["people"], 8);
    // Belief is the same as that of trying every original.
    let tried = desk.run(&["attack", "job.toml", "--json", "--set", "method.publisher=search"]).ended(0).json();
    assert_eq!(tried["tried"]["originals"], 560);
    for what in ["blind", "knowing"] {
        for key in ["above", "certain", "failing", "highest", "people_by_tenth"] {
            assert_eq!(account[what][key], tried["account"][what][key], "{what} {key}");
        }
    }
    assert_eq!(account["largest_gain"], tried["account"]["largest_gain"]);
}
