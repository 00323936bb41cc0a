//! What is recorded comes back, in order and nothing else.

use std::collections::BTreeSet;

use pellucid_ledger::{DecisionOutcome, EvidenceKind, Ledger, NewEvidence, NewTable, RecordResult, ShownGroup};
use pellucid_model::error::ErrorKind;
use pellucid_model::promise::PromiseClass;

use crate::harness::{Place, decision, failure, on_both, show, table, view};

#[test]
fn what_was_recorded_comes_back_after_opening_again() {
    on_both(|place| {
        let mut ledger = place.open();
        assert!(ledger.tables().unwrap().is_empty() && ledger.history("patients").unwrap().is_none());
        let registered = ledger.register(&table("patients")).unwrap();
        assert_eq!((registered.version, registered.rows, registered.gate.as_str()), (0, 6, "open"));
        let release = NewEvidence {
            kind: EvidenceKind::Release,
            groups: vec![
                ShownGroup { members: vec![0, 1], values: vec![("grippe \u{1f912}\n".into(), 2)] },
                ShownGroup { members: vec![2], values: vec![(String::new(), 1)] },
                ShownGroup { members: vec![], values: vec![] },
            ],
            ..view("everyone")
        };
        let forced = decision(DecisionOutcome::Forced, "everyone");
        let done = ledger.record("patients", 0, &forced, Some(&release)).unwrap();
        assert_eq!(done, RecordResult::Done { decision: 1, evidence: Some(1) });
        drop(ledger);

        let mut ledger = Ledger::open_existing(place.text()).unwrap();
        let history = ledger.history("patients").unwrap().unwrap();
        assert_eq!((history.table.version, history.evidence.len()), (1, 1));
        let evidence = &history.evidence[0];
        assert_eq!((evidence.number, evidence.by.as_str(), evidence.kind), (1, "ann", EvidenceKind::Release));
        assert_eq!((&evidence.column, &evidence.statement), (&release.column, &release.statement));
        assert_eq!(evidence.groups, release.groups);
        let decisions = ledger.decisions("patients").unwrap();
        assert_eq!(
            (decisions[0].number, decisions[0].evidence, decisions[0].outcome),
            (1, Some(1), DecisionOutcome::Forced)
        );
        assert_eq!((&decisions[0].detail, &decisions[0].reason), (&forced.detail, &forced.reason));
        for time in [&evidence.at, &decisions[0].at, &history.table.since] {
            let read = chrono::DateTime::parse_from_rfc3339(time).unwrap();
            assert!(time.ends_with('Z') && (chrono::Utc::now() - read.to_utc()).num_seconds() < 60, "{time}");
        }
    });
}

#[test]
fn a_refusal_leaves_the_version_and_anything_shown_increments_it() {
    on_both(|place| {
        let mut ledger = place.open();
        ledger.register(&table("patients")).unwrap();
        ledger.register(&table("visits")).unwrap();
        let refused = decision(DecisionOutcome::Refused, "all in ward 3");
        let done = |decision| RecordResult::Done { decision, evidence: None };
        assert_eq!(ledger.record("patients", 0, &refused, None).unwrap(), done(1));
        assert_eq!(show(&mut ledger, "patients", "one"), (2, 1));
        assert_eq!(ledger.record("patients", 1, &refused, None).unwrap(), done(3));
        assert_eq!(show(&mut ledger, "patients", "two"), (4, 2));
        assert_eq!(show(&mut ledger, "visits", "other"), (1, 1));
        let versions: Vec<_> = ledger.tables().unwrap().into_iter().map(|table| (table.name, table.version)).collect();
        assert_eq!(versions, [("patients".to_owned(), 2), ("visits".to_owned(), 1)]);
        let evidence: Vec<_> = ledger.decisions("patients").unwrap().iter().map(|made| made.evidence).collect();
        assert_eq!(evidence, [None, Some(1), None, Some(2)]);
    });
}

#[test]
fn a_decision_on_another_version_writes_nothing() {
    on_both(|place| {
        let mut ledger = place.open();
        ledger.register(&table("patients")).unwrap();
        show(&mut ledger, "patients", "one");
        let (released, refused) =
            (decision(DecisionOutcome::Released, "late"), decision(DecisionOutcome::Refused, "late"));
        for version in [0, 2] {
            assert_eq!(
                ledger.record("patients", version, &released, Some(&view("late"))).unwrap(),
                RecordResult::Moved
            );
            assert_eq!(ledger.record("patients", version, &refused, None).unwrap(), RecordResult::Moved);
        }
        assert_eq!(ledger.history("patients").unwrap().unwrap().evidence.len(), 1);
        assert_eq!(ledger.decisions("patients").unwrap().len(), 1);
    });
}

#[test]
fn a_table_is_registered_once_and_never_split_or_swapped() {
    on_both(|place| {
        let mut ledger = place.open();
        let first = ledger.register(&table("patients")).unwrap();
        show(&mut ledger, "patients", "one");
        let again = ledger.register(&table("patients")).unwrap();
        assert_eq!((again.version, &again.since), (1, &first.since));

        let changed = NewTable { fingerprint: "another".into(), ..table("patients") };
        let error = failure(ledger.register(&changed));
        assert!(error.kind() == ErrorKind::BadInput && error.message().contains("new name"), "{error}");
        let renamed = NewTable { name: "people".into(), ..table("patients") };
        let error = failure(ledger.register(&renamed));
        assert!(error.message().contains("recorded as `patients`"), "{error}");
        let other_gate = NewTable { gate: "closed".into(), ..table("patients") };
        let error = failure(ledger.register(&other_gate));
        assert!(error.message().contains("gate `open`"), "{error}");
        // Its name stands for one table and its fingerprint for another.
        ledger.register(&table("visits")).unwrap();
        let mixed = NewTable { name: "visits".into(), ..table("patients") };
        assert!(failure(ledger.register(&mixed)).message().contains("recorded as `patients`"));
        assert_eq!(ledger.tables().unwrap().len(), 2);
    });
}

#[test]
fn what_does_not_fit_together_is_refused_and_nothing_is_written() {
    on_both(|place| {
        let mut ledger = place.open();
        ledger.register(&table("patients")).unwrap();
        let mut refuse = |decision, shown: Option<&NewEvidence>, words: &str| {
            let error = failure(ledger.record("patients", 0, &decision, shown));
            assert!(error.kind() == ErrorKind::InvalidParameter && error.message().contains(words), "{error}");
        };
        let (shown, released) = (view("one"), decision(DecisionOutcome::Released, "one"));
        let mut forced = decision(DecisionOutcome::Forced, "one");
        forced.reason = Some(" ".into());
        refuse(forced, Some(&shown), "needs a reason");
        refuse(decision(DecisionOutcome::Refused, "one"), Some(&shown), "shows nothing");
        refuse(released.clone(), None, "without what is shown");
        let mut nobody = released.clone();
        nobody.by.clear();
        refuse(nobody, Some(&shown), "who decides");
        let mut zero = released.clone();
        zero.statement.push('\0');
        refuse(zero, Some(&shown), "zero byte");
        let mut short = view("one");
        short.groups[0].members.pop();
        refuse(released.clone(), Some(&short), "group 1");
        let error = failure(ledger.record("patient", 0, &released, Some(&shown)));
        assert!(error.message().contains("did you mean `patients`"), "{error}");
        assert!(failure(ledger.decisions("nobody")).message().contains("no table `nobody`"));
        assert!(ledger.decisions("patients").unwrap().is_empty());
    });
}

#[test]
fn only_what_was_given_is_stored() {
    on_both(|place| {
        let mut ledger = place.open();
        ledger.register(&table("patients")).unwrap();
        show(&mut ledger, "patients", "one");
        drop(ledger);
        let groups = r#"[{"members":[0,2,5],"values":[["flu",2],["asthma, \"mild\"",1]]}]"#;
        let detail = r#"{"highest":"2/3","people":[1,2],"none":null}"#;
        let given = [
            "patients",
            "print-of-patients",
            "open",
            "ann",
            "one",
            "view",
            "released",
            "disease",
            "belief at most 2/3",
            groups,
            detail,
            // That it tells nothing besides.
            "[]",
        ];
        let stored: BTreeSet<String> =
            texts(place).into_iter().filter(|text| chrono::DateTime::parse_from_rfc3339(text).is_err()).collect();
        assert_eq!(stored, given.map(str::to_owned).into());
    });
}

/// Every text in every column of every table of the ledger.
fn texts(place: &Place) -> Vec<String> {
    let mut texts = Vec::new();
    match place {
        Place::File { file, .. } => {
            let connection = rusqlite::Connection::open(file).unwrap();
            let query = "SELECT s.name, c.name FROM sqlite_schema s, pragma_table_info(s.name) c \
                 WHERE s.type = 'table' AND c.type = 'TEXT'";
            let mut columns = connection.prepare(query).unwrap();
            let columns = columns.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
            for column in columns {
                let (table, column): (String, String) = column.unwrap();
                let mut cells = connection.prepare(&format!("SELECT {column} FROM {table}")).unwrap();
                let cells = cells.query_map([], |row| row.get::<_, Option<String>>(0)).unwrap();
                texts.extend(cells.filter_map(Result::unwrap));
            }
        }
        Place::Database { .. } => {
            let mut client = place.client();
            let query = "SELECT table_name::text, column_name::text FROM information_schema.columns \
                 WHERE table_schema = 'pellucid' AND data_type <> 'bigint'";
            for row in client.query(query, &[]).unwrap() {
                let (table, column): (String, String) = (row.get(0), row.get(1));
                let cells = client.query(&format!("SELECT {column} FROM {table}"), &[]).unwrap();
                texts.extend(cells.iter().filter_map(|row| row.get::<_, Option<String>>(0)));
            }
        }
    }
    texts
}

#[test]
fn a_release_that_was_never_handed_out_is_withdrawn_as_one_and_stays_recorded() {
    on_both(|place| {
        let mut ledger = place.open();
        ledger.register(&table("patients")).unwrap();
        let release = |column: &str, statement: &str| NewEvidence {
            kind: EvidenceKind::Release,
            column: column.to_owned(),
            promise: Some(PromiseClass::CoarseningAtRandom),
            others: vec!["ward".to_owned()],
            gaps: vec!["tells more".to_owned()],
            ..view(statement)
        };
        // One release of two columns, the same once more, and a view.
        let shown = [
            release("disease", "first"),
            release("income", "first"),
            release("disease", "first"),
            release("income", "first"),
            view("young"),
        ];
        for (version, shown) in (0..).zip(&shown) {
            let done =
                ledger.record("patients", version, &decision(DecisionOutcome::Released, "x"), Some(shown)).unwrap();
            assert_eq!(done, RecordResult::Done { decision: version + 1, evidence: Some(version + 1) });
        }
        assert_eq!(ledger.withdraw("patients", 2, "ann", "a trial").unwrap(), [1, 2]);
        for (number, words) in [(1, "withdrawn already"), (5, "is a view"), (9, "nothing was shown")] {
            let refusal = failure(ledger.withdraw("patients", number, "ann", "a trial"));
            assert!(refusal.message().contains(words), "{refusal}");
        }
        assert!(failure(ledger.withdraw("patients", 3, "ann", " ")).message().contains("the reason"));
        assert!(failure(ledger.withdraw("visits", 3, "ann", "why")).message().contains("no table `visits`"));
        drop(ledger);
        let evidence = place.open().history("patients").unwrap().unwrap().evidence;
        let withdrawn: Vec<Option<&str>> =
            evidence.iter().map(|shown| shown.withdrawn.as_ref().map(|withdrawn| withdrawn.reason.as_str())).collect();
        assert_eq!(withdrawn, [Some("a trial"), Some("a trial"), None, None, None]);
        assert_eq!(evidence[0].promise, Some(PromiseClass::CoarseningAtRandom));
        assert_eq!(evidence[0].others.as_deref(), Some(&["ward".to_owned()][..]));
        assert_eq!(evidence[0].gaps.as_deref(), Some(&["tells more".to_owned()][..]));
        assert_eq!((evidence[4].promise, evidence[4].gaps.as_deref()), (None, Some(&[][..])));
    });
}
