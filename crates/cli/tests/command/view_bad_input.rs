//! Views that cannot be decided: the status, a message that names the place and a remedy, no cell of the table, nothing lost.

use std::fs;

use crate::common::{Desk, Outcome};

const YOUNG: &str = "select condition from patients where age between 23 and 26";

/// Calls `view add` with a statement.
fn add(desk: &Desk, sql: &str, more: &[&str]) -> Outcome {
    desk.run(&[&["view", "add", "job.toml", sql], more].concat())
}

/// The message of a call that ends with `status`; it has a remedy and no name of the table.
fn refused(outcome: Outcome, status: i32) -> String {
    let outcome = outcome.ended(status);
    assert!(outcome.out.is_empty(), "{outcome:?}");
    for cell in ["Donald", "heart disease", "viral infection"] {
        assert!(!outcome.err.contains(cell), "{outcome:?}");
    }
    assert!(outcome.err.contains("; "), "{outcome:?}");
    outcome.err
}

#[test]
fn views_that_are_none_are_named_and_nothing_is_recorded() {
    let desk = Desk::of_views();
    for (sql, words) in [
        ("select condition from patients where condition = 'x'", "a view selects on quasi columns only"),
        ("select condition from patients where name = 'x'", "an identifier"),
        ("select age from patients", "a view shows one sensitive column"),
        ("select condition from patients where agee = 3", "did you mean `age`?"),
        ("select conditon from patients", "did you mean `condition`?"),
        ("select condition from patients where age > 90", "selects nobody of the 11 people"),
        ("select condition from people", "about table `people`, and the table of this job is called `patients`"),
        ("select condition from patients where age = 'old'", "column `age` is of type integer"),
        ("select condition form patients", "cannot be read at line 1"),
        ("", "is empty"),
    ] {
        let message = refused(add(&desk, sql, &[]), 2);
        assert!(message.contains(words), "{sql}: {message}");
        assert_eq!(refused(desk.run(&["view", "check", "job.toml", sql]), 2), message);
    }
    assert_eq!(desk.names(), ["job.toml", "patients.csv"]);
}

#[test]
fn wrong_options_are_named() {
    let desk = Desk::of_views();
    for (more, words) in [
        (&["--gamma", "2"][..], "--gamma: "),
        (&["--gamma", "x"], "--gamma: "),
        (&["--epsilon", "1.5"], "--epsilon"),
        (&["--confidence", "1"], "--confidence"),
        (&["--seconds", "0"], "--seconds"),
    ] {
        let outcome = add(&desk, YOUNG, more).ended(2);
        assert!(outcome.out.is_empty() && outcome.err.contains(words), "{outcome:?}");
    }
    let show = |condition: &str| desk.run(&["view", "check", "job.toml", "--show", "condition", "--where", condition]);
    assert!(refused(show("age"), 2).contains("COLUMN=FROM..TO"));
    assert!(refused(show("age=.."), 2).contains("open at both ends"));
    assert!(refused(show("condition=x"), 2).contains("quasi columns only"));
    desk.write("job.toml", desk.read("job.toml").split("[[views.view]]").next().unwrap());
    assert!(refused(desk.run(&["view", "check", "job.toml"]), 2).contains("select condition from patients"));
    desk.write("job.toml", desk.read("job.toml").replace("highest-ratio\"\nratio = \"1/2\"", "k-anonymity\"\nk = 2"));
    // Nothing caps belief there, so nobody's value may become certain.
    let found = desk.run(&["view", "check", "job.toml", YOUNG, "--json"]).ended(0).json();
    assert_eq!(
        found["findings"][0]["demanded"][0],
        "nobody's value becomes certain, as no principle of the job looks at values"
    );
    add(&desk, YOUNG, &["--gamma", "1/2"]).ended(0);
}

#[test]
fn a_changed_table_is_refused_and_what_was_shown_remains() {
    let desk = Desk::of_views();
    add(&desk, YOUNG, &[]).ended(0);
    let table = desk.read("patients.csv");
    desk.write("patients.csv", table.replace("Lucy,F,33", "Lucy,F,34"));
    for command in ["check", "add", "restore"] {
        let message = refused(desk.run(&["view", command, "job.toml", YOUNG]), 2);
        assert!(message.contains("so it has changed; give the changed table a new name"), "{message}");
    }
    refused(desk.run(&["view", "belief", "job.toml"]), 2);
    desk.run(&["view", "check", "job.toml", "select condition from p", "--set", "views.table=p"]).ended(0);
    desk.write("patients.csv", &table);
    let other = desk.run(&["view", "check", "job.toml", "select condition from p", "--set", "views.table=p"]);
    assert!(refused(other, 2).contains("is recorded as `patients`"));
    assert_eq!(desk.run(&["view", "list", "job.toml", "--json"]).ended(0).json()["table"]["version"], 1);
}

#[test]
fn a_ledger_that_is_locked_or_damaged_is_named_and_keeps_what_it_has() {
    let desk = Desk::of_views();
    add(&desk, YOUNG, &[]).ended(0);
    let whole = fs::read(desk.path("ledger.sqlite")).unwrap();
    let other = rusqlite::Connection::open(desk.path("ledger.sqlite")).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let message = refused(add(&desk, YOUNG, &[]), 1);
    assert!(message.contains("held by another process, and nothing was recorded"), "{message}");
    other.execute_batch("ROLLBACK").unwrap();
    drop(other);
    assert_eq!(fs::read(desk.path("ledger.sqlite")).unwrap(), whole);
    desk.write("ledger.sqlite", "this is no ledger");
    assert!(refused(add(&desk, YOUNG, &[]), 2).contains("is no ledger"));
    let mut broken = whole.clone();
    let end = broken.len();
    broken[4096..end].fill(0x5a);
    desk.write("ledger.sqlite", &broken);
    assert!(refused(add(&desk, YOUNG, &[]), 2).contains("is damaged"));
    assert_eq!(fs::read(desk.path("ledger.sqlite")).unwrap(), broken, "a damaged ledger is left as it is");
    desk.write("ledger.sqlite", &whole);
    assert_eq!(desk.run(&["view", "list", "job.toml", "--json"]).ended(0).json()["table"]["version"], 1);
}

#[test]
fn a_ledger_that_cannot_be_reached_is_named_without_its_password() {
    let desk = Desk::of_views();
    for place in ["postgres://ann:s3cret@127.0.0.1:1/ledger", "mysql://ann:s3cret@db/ledger"] {
        let outcome = add(&desk, YOUNG, &["--ledger", place]);
        assert!([1, 2].contains(&outcome.status) && outcome.out.is_empty(), "{outcome:?}");
        assert!(outcome.err.contains("ledger") && !outcome.err.contains("s3cret"), "{outcome:?}");
    }
    let missing = refused(add(&desk, YOUNG, &["--ledger", "nowhere/ledger.sqlite"]), 2);
    assert!(missing.contains("the folder of the ledger"), "{missing}");
    let none = refused(desk.run(&["view", "list", "job.toml"]), 2);
    assert!(none.contains("there is no ledger at"), "{none}");
    desk.run(&["view", "check", "job.toml", YOUNG, "--ledger", "other.sqlite"]).ended(0);
    assert_eq!(desk.names(), ["job.toml", "patients.csv"]);
}

#[test]
fn no_file_is_replaced_unless_that_is_asked_for() {
    let desk = Desk::of_views();
    let sql = "select condition from patients where age between 23 and 26";
    for (file, said) in [
        ("patients.csv", "is the job, its table or the ledger"),
        ("job.toml", "is the job, its table or the ledger"),
        ("nowhere/values.csv", "there is no folder"),
    ] {
        let refused = desk.run(&["view", "add", "job.toml", sql, "--out", file, "--overwrite"]).ended(2).err;
        assert!(refused.contains(said), "{refused}");
    }
    assert_eq!(desk.names(), ["job.toml", "patients.csv"], "nothing was recorded");
    desk.write("values.csv", "mine");
    let refused = desk.run(&["view", "add", "job.toml", sql, "--out", "values.csv"]).ended(2).err;
    assert!(refused.contains("add --overwrite"), "{refused}");
    assert_eq!(desk.read("values.csv"), "mine");
    let told = desk.run(&["view", "add", "job.toml", sql, "--out", "values.csv", "--overwrite"]).ended(0).out;
    assert!(told.contains("a new one was made"), "{told}");
    assert!(desk.read("values.csv").starts_with("value,count\n"));
    let twice = desk.run(&["view", "belief", "job.toml", "--plot", "x", "--beliefs", "x"]).ended(2).err;
    assert!(twice.contains("written twice"), "{twice}");
    let ledger = desk.run(&["view", "belief", "job.toml", "--plot", "ledger.sqlite", "--overwrite"]).ended(2).err;
    assert!(ledger.contains("or the ledger"), "{ledger}");
}

#[test]
fn what_was_shown_as_sensitive_stays_so() {
    let desk = Desk::of_views();
    desk.run(&["view", "add", "job.toml", "select condition from patients where age between 23 and 26"]).ended(0);
    let roles = ["--set", "columns.condition.role=quasi", "--set", "columns.sex.role=sensitive"];
    let sql = "select sex from patients where condition = 'SARS'";
    let refused = desk.run(&[&["view", "add", "job.toml", sql], roles.as_slice()].concat()).ended(2).err;
    assert!(refused.contains("column `condition` was shown as a sensitive one before"), "{refused}");
}

#[test]
fn a_reason_is_one_line() {
    let desk = Desk::of_views();
    let sql = "select condition from patients where age in (24, 26)";
    let forged = "agreed\n   9  2026-01-01  ann  released";
    let refused = desk.run(&["view", "add", "job.toml", sql, "--force", "--reason", forged]).ended(2).err;
    assert!(refused.contains("one line of text"), "{refused}");
}

#[test]
fn a_release_is_judged_with_the_ledger_that_the_job_names() {
    let desk = Desk::of_views();
    desk.run(&["view", "add", "job.toml", "select condition from patients where age between 23 and 26"]).ended(0);
    let published = desk.run(&["publish", "job.toml", "--dry-run"]);
    assert!(published.out.contains("With everything that the ledger records"), "{published:?}");
    let without = desk.run(&["publish", "job.toml", "--dry-run", "--without-ledger"]).ended(0).out;
    assert!(!without.contains("the ledger records"), "{without}");
}
