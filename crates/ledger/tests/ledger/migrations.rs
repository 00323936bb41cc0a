//! Ledgers of other versions.

use std::path::Path;

use pellucid_ledger::{DecisionOutcome, EvidenceKind, EvidenceRecord, Ledger, NewTable};
use pellucid_model::error::ErrorKind;

use crate::harness::{Place, failure, on_both, show, table, view};

const SQLITE_1: &str = include_str!("../../migrations/sqlite/0001_first.sql");
const POSTGRES_1: &str = include_str!("../../migrations/postgres/0001_first.sql");

/// Makes a ledger of version 1 with a table, a view and two decisions.
fn make_version_1(place: &Place) {
    place.execute(if matches!(place, Place::File { .. }) { SQLITE_1 } else { POSTGRES_1 });
    place.execute(
        r#"INSERT INTO tables VALUES ('patients', 'print-of-patients', 6, 1, 2, '2026-01-02T03:04:05Z');
        INSERT INTO evidence VALUES ('patients', 1, '2026-01-02T03:04:06Z', 'ann', 'view', 'disease', 'one',
            '[{"members":[0,2,5],"values":[["flu",2],["asthma, \"mild\"",1]]}]');
        INSERT INTO decisions VALUES
            ('patients', 1, '2026-01-02T03:04:06Z', 'ann', 'one', 'released', 'fine', '{"a":1}', NULL, 1),
            ('patients', 2, '2026-01-02T03:04:07Z', 'ben', 'two', 'refused', 'not fine', 'null', NULL, NULL);"#,
    );
}

#[test]
fn a_ledger_of_version_1_is_migrated_with_everything_in_it() {
    on_both(|place| {
        make_version_1(place);
        let mut ledger = Ledger::open_existing(place.text()).unwrap();
        let history = ledger.history("patients").unwrap().unwrap();
        assert_eq!((history.table.gate.as_str(), history.table.version, history.table.rows), ("open", 1, 6));
        assert_eq!(history.table.since, "2026-01-02T03:04:05Z");
        assert_eq!((history.evidence[0].kind, &history.evidence[0].groups), (EvidenceKind::View, &view("").groups));
        // What it did not note is unknown, not nothing.
        let EvidenceRecord { promise, others, gaps, withdrawn, .. } = &history.evidence[0];
        assert_eq!((promise, others, gaps, withdrawn), (&None, &None, &None, &None));
        let decisions = ledger.decisions("patients").unwrap();
        assert_eq!(
            decisions.iter().map(|made| made.outcome).collect::<Vec<_>>(),
            [DecisionOutcome::Released, DecisionOutcome::Refused]
        );
        assert_eq!(decisions[0].detail["a"], 1);
        // It goes on where it was.
        ledger.register(&table("patients")).unwrap();
        show(&mut ledger, "patients", "three");
        ledger.register(&NewTable { gate: "closed".into(), ..table("visits") }).unwrap();
        drop(ledger);
        let mut ledger = place.open();
        assert_eq!(ledger.history("patients").unwrap().unwrap().evidence.len(), 2);
        assert_eq!(ledger.history("visits").unwrap().unwrap().table.gate, "closed");
    });
}

#[test]
fn the_old_file_is_kept_beside_the_migrated_one_and_an_older_copy_is_not_overwritten() {
    let place = Place::file();
    make_version_1(&place);
    place.open();
    let copy = format!("{}.v1", place.text());
    let old = rusqlite::Connection::open(&copy).unwrap();
    let count = |query| old.query_row(query, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!((count("SELECT version FROM pellucid_ledger"), count("SELECT count(*) FROM decisions")), (1, 2));
    assert_eq!(count("SELECT count(*) FROM pragma_table_info('tables') WHERE name = 'gate'"), 0);
    drop(old);
    only_the_owner_may_use(&copy);
    assert_eq!(files_beside(&place), ["shown.ledger", "shown.ledger.v1"]);

    let place = Place::file();
    make_version_1(&place);
    let copy = format!("{}.v1", place.text());
    std::fs::write(&copy, "kept").unwrap();
    place.open();
    assert_eq!(std::fs::read_to_string(&copy).unwrap(), "kept");
    assert_eq!(files_beside(&place), ["shown.ledger", "shown.ledger.v1"]);
}

#[test]
fn a_new_ledger_is_its_owners_alone_and_has_no_copy() {
    let place = Place::file();
    place.open();
    only_the_owner_may_use(place.text());
    assert_eq!(files_beside(&place), ["shown.ledger"]);
}

#[test]
fn a_ledger_of_a_newer_version_is_left_alone() {
    on_both(|place| {
        place.open();
        place.execute("UPDATE pellucid_ledger SET version = 4");
        let error = failure(Ledger::open(place.text()));
        assert!(error.kind() == ErrorKind::BadInput && error.message().contains("use a newer Pellucid"), "{error}");
        assert!(error.message().contains("version 4"), "{error}");
    });
}

fn files_beside(place: &Place) -> Vec<String> {
    let folder = Path::new(place.text()).parent().unwrap();
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[cfg(unix)]
fn only_the_owner_may_use(file: &str) {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "{file}");
}

#[cfg(not(unix))]
fn only_the_owner_may_use(_: &str) {}
