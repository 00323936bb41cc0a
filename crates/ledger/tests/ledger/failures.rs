//! Ledgers that cannot be used: what is wrong is named, with what to do.

use std::fs;
use std::io::{Seek, SeekFrom, Write};

use pellucid_ledger::{DecisionOutcome, Ledger};
use pellucid_model::error::{Error, ErrorKind};

use crate::harness::{Place, decision, failure, on_both, show, table};

/// The error of opening the place either way.
fn unusable(place: &str) -> Error {
    let (error, existing) = (failure(Ledger::open(place)), failure(Ledger::open_existing(place)));
    assert_eq!(error.to_string(), existing.to_string());
    error
}

fn assert_says(error: &Error, kind: ErrorKind, words: &[&str]) {
    let message = error.message();
    assert_eq!(error.kind(), kind, "{message}");
    assert!(words.iter().all(|words| message.contains(words)) && message.contains(';'), "{message}");
}

#[test]
fn where_there_is_no_ledger_none_is_opened_and_none_is_made() {
    on_both(|place| {
        let error = failure(Ledger::open_existing(place.text()));
        assert_says(&error, ErrorKind::InvalidParameter, &["no ledger", "add a view first"]);
        assert!(failure(Ledger::open_existing(place.text())).message().contains("no ledger"));
    });
    let place = Place::file();
    // What a process leaves that is killed before its first step.
    fs::write(place.text(), "").unwrap();
    assert_says(&failure(Ledger::open_existing(place.text())), ErrorKind::InvalidParameter, &["no ledger"]);
    place.open();
    Ledger::open_existing(place.text()).unwrap();
}

#[test]
fn a_missing_folder_and_a_folder_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none/shown.ledger");
    let error = failure(Ledger::open(missing.to_str().unwrap()));
    assert_says(&error, ErrorKind::InvalidParameter, &["none/shown.ledger", "folder", "make it first"]);
    assert_says(&unusable(folder.path().to_str().unwrap()), ErrorKind::InvalidParameter, &["is a folder"]);
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    let below = file.join("shown.ledger");
    assert_says(&unusable(below.to_str().unwrap()), ErrorKind::Io, &["not a folder"]);
}

#[test]
fn a_file_that_is_no_ledger_is_left_as_it_is() {
    for garbage in ["x", "name,age\nann,3\n", &"no ledger at all ".repeat(1000)] {
        let place = Place::file();
        fs::write(place.text(), garbage).unwrap();
        assert_says(&unusable(place.text()), ErrorKind::BadInput, &["shown.ledger", "no ledger"]);
        assert_eq!(fs::read_to_string(place.text()).unwrap(), garbage);
    }
}

#[test]
fn a_database_of_something_else_is_left_as_it_is() {
    on_both(|place| {
        if matches!(place, Place::Database { .. }) {
            place.execute("CREATE SCHEMA pellucid");
        }
        place.execute("CREATE TABLE songs (title TEXT)");
        assert_says(&unusable(place.text()), ErrorKind::BadInput, &["something else", "no ledger"]);
        place.execute("DROP TABLE songs");
        place.open();
    });
}

#[test]
fn a_damaged_file_is_noticed_when_it_is_opened() {
    let place = Place::file();
    let mut ledger = place.open();
    ledger.register(&table("patients")).unwrap();
    for round in 0..40 {
        show(&mut ledger, "patients", &"long ".repeat(round));
    }
    drop(ledger);
    let size = fs::metadata(place.text()).unwrap().len();
    let whole = fs::read(place.text()).unwrap();
    for page in 1..size / 4096 {
        let mut file = fs::OpenOptions::new().write(true).open(place.text()).unwrap();
        file.seek(SeekFrom::Start(page * 4096)).unwrap();
        file.write_all(&[0x5a; 4096]).unwrap();
        drop(file);
        assert_says(&unusable(place.text()), ErrorKind::BadInput, &["shown.ledger", "damaged", "restore"]);
        fs::write(place.text(), &whole).unwrap();
    }
    // Cut short.
    fs::OpenOptions::new().write(true).open(place.text()).unwrap().set_len(size - 4096).unwrap();
    assert_says(&unusable(place.text()), ErrorKind::BadInput, &["damaged"]);
}

#[test]
fn evidence_that_is_missing_or_unreadable_is_noticed() {
    let breaks = [
        "UPDATE decisions SET outcome = 'refused', evidence = NULL WHERE evidence = 2; DELETE FROM evidence WHERE number = 2",
        "UPDATE decisions SET outcome = 'refused', evidence = NULL WHERE evidence = 3; DELETE FROM evidence WHERE number = 3",
        "UPDATE evidence SET shown = '[{' WHERE number = 1",
        "UPDATE tables SET version = -1",
        "DROP TABLE decisions; DROP TABLE withdrawals; DROP TABLE evidence",
    ];
    for statements in breaks {
        on_both(|place| {
            let mut ledger = place.open();
            ledger.register(&table("patients")).unwrap();
            for statement in ["one", "two", "three"] {
                show(&mut ledger, "patients", statement);
            }
            place.execute(statements);
            assert_says(&failure(ledger.history("patients")), ErrorKind::BadInput, &["damaged"]);
        });
    }
    on_both(|place| {
        let mut ledger = place.open();
        ledger.register(&table("patients")).unwrap();
        show(&mut ledger, "patients", "one");
        place.execute("DELETE FROM decisions");
        assert_says(&failure(ledger.decisions("patients")), ErrorKind::BadInput, &["damaged"]);
    });
}

#[test]
fn a_locked_ledger_is_named() {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let place = Place::file();
            let mut ledger = place.open();
            ledger.register(&table("patients")).unwrap();
            let other = rusqlite::Connection::open(place.text()).unwrap();
            other.execute_batch("BEGIN EXCLUSIVE").unwrap();
            let error = failure(ledger.register(&table("visits")));
            assert_says(&error, ErrorKind::Io, &["shown.ledger", "held by another process", "nothing was recorded"]);
            other.execute_batch("ROLLBACK").unwrap();
            ledger.register(&table("visits")).unwrap();
        });
        scope.spawn(|| {
            let place = Place::file();
            place.open();
            let other = rusqlite::Connection::open(place.text()).unwrap();
            other.execute_batch("BEGIN EXCLUSIVE").unwrap();
            let error = failure(Ledger::open(place.text()));
            assert_says(&error, ErrorKind::Io, &["shown.ledger", "held by another process"]);
        });
        scope.spawn(|| {
            let Some(place) = Place::database() else { return };
            let mut ledger = place.open();
            ledger.register(&table("patients")).unwrap();
            let mut other = place.client();
            let mut held = other.transaction().unwrap();
            held.execute("UPDATE tables SET version = version", &[]).unwrap();
            let refused = decision(DecisionOutcome::Refused, "one");
            let error = failure(ledger.record("patients", 0, &refused, None));
            assert_says(&error, ErrorKind::Io, &["held by another process", "nothing was recorded"]);
            held.rollback().unwrap();
            assert_eq!(ledger.decisions("patients").unwrap().len(), 0);
        });
    });
}

#[test]
#[cfg(unix)]
fn a_ledger_that_may_not_be_used_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::file();
    place.open();
    for (mode, kept) in [(0o400, 0o700), (0o000, 0o700), (0o600, 0o500)] {
        let folder = std::path::Path::new(place.text()).parent().unwrap();
        fs::set_permissions(place.text(), fs::Permissions::from_mode(mode)).unwrap();
        fs::set_permissions(folder, fs::Permissions::from_mode(kept)).unwrap();
        let probe = if kept == 0o500 { folder.join("probe") } else { place.text().into() };
        // An administrator may do everything.
        let may = fs::OpenOptions::new().append(true).create(kept == 0o500).open(probe).is_ok();
        let tried = Ledger::open(place.text()).and_then(|mut ledger| ledger.register(&table("patients")));
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
        if !may {
            assert_says(&failure(tried), ErrorKind::InvalidParameter, &["shown.ledger", "permissions"]);
        }
    }
}
