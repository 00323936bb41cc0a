//! Servers that cannot be reached, do not let one in, or go away; and passwords, which are never told.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

use pellucid_ledger::{DecisionOutcome, Ledger};
use pellucid_model::error::{Error, ErrorKind};

use crate::harness::{Place, decision, failure, show, table, view};

const PASSWORD: &str = "s3cret";

/// The error of opening the URL, without the password anywhere.
fn unusable(url: &str) -> Error {
    let error = failure(Ledger::open(url));
    let told = format!("{error} {error:?} {:?}", std::error::Error::source(&error));
    assert!(!told.contains(PASSWORD), "{told}");
    error
}

/// A server that answers every connection by these bytes and closes it; its port.
fn server_that_says(answer: Vec<u8>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(&answer);
        }
    });
    port
}

/// The message by which a server refuses with this SQLSTATE.
fn refusal(state: &str) -> Vec<u8> {
    let fields = format!("SFATAL\0VFATAL\0C{state}\0Mno, {PASSWORD} is wrong\0\0");
    [b"E".as_slice(), &(fields.len() as u32 + 4).to_be_bytes(), fields.as_bytes()].concat()
}

#[test]
fn a_server_that_cannot_be_reached_is_named_without_the_password() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = unusable(&format!("postgres://ann:{PASSWORD}@127.0.0.1:{port}/ledger"));
    assert_eq!(error.kind(), ErrorKind::Io);
    let named = format!("postgres://ann@127.0.0.1:{port}/ledger");
    assert!(error.message().contains(&named) && error.message().contains("cannot be reached"), "{error}");
    let error = unusable(&format!("postgres://ann:{PASSWORD}@host.invalid/ledger"));
    assert!(error.message().contains("cannot be reached"), "{error}");
}

#[test]
fn a_server_that_refuses_says_why_without_the_password() {
    let refusals = [
        ("28P01", ErrorKind::InvalidParameter, "check user and password"),
        ("28000", ErrorKind::InvalidParameter, "check user and password"),
        ("3D000", ErrorKind::InvalidParameter, "does not exist"),
        ("53300", ErrorKind::Io, "wait and run again"),
        ("57P03", ErrorKind::Io, "wait and run again"),
        ("XX000", ErrorKind::Internal, "XX000"),
    ];
    for (state, kind, words) in refusals {
        let port = server_that_says(refusal(state));
        let error = unusable(&format!("postgres://ann:{PASSWORD}@127.0.0.1:{port}/ledger"));
        assert!(error.kind() == kind && error.message().contains(words), "{state}: {error}");
    }
    // Asks for a password that the URL does not have: authentication request 3.
    let port = server_that_says([b"R".as_slice(), &8_u32.to_be_bytes(), &3_u32.to_be_bytes()].concat());
    let error = unusable(&format!("postgres://ann@127.0.0.1:{port}/ledger"));
    assert!(error.kind() == ErrorKind::InvalidParameter && error.message().contains("password"), "{error}");
    // No PostgreSQL at all.
    let port = server_that_says(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec());
    assert!(unusable(&format!("postgres://ann:{PASSWORD}@127.0.0.1:{port}/ledger")).message().contains(';'));
}

#[test]
fn a_missing_database_or_user_is_named() {
    let Some(place) = Place::database() else { return };
    let (before, name) = place.text().rsplit_once('/').unwrap();
    let error = unusable(&format!("{before}/{name}_none"));
    assert!(error.kind() == ErrorKind::InvalidParameter && error.message().contains("does not exist"), "{error}");
    let (_, host) = before.split_once('@').unwrap();
    let error = unusable(&format!("postgres://stranger_to_all:{PASSWORD}@{host}/{name}"));
    assert!(error.kind() == ErrorKind::InvalidParameter && error.message().contains("check user"), "{error}");
}

#[test]
fn a_user_without_rights_is_told_so() {
    let Some(place) = Place::database() else { return };
    let Place::Database { name, .. } = &place else { return };
    let user = format!("{name}_user");
    place.execute(&format!("CREATE ROLE {user} LOGIN PASSWORD '{PASSWORD}'"));
    let (before, name) = place.text().rsplit_once('/').unwrap();
    let (_, host) = before.split_once('@').unwrap();
    let url = format!("postgres://{user}:{PASSWORD}@{host}/{name}");
    let error = unusable(&url);
    assert!(error.kind() == ErrorKind::InvalidParameter && error.message().contains("may not"), "{error}");
    place.execute(&format!("GRANT CREATE ON DATABASE {name} TO {user}"));
    let mut ledger = Ledger::open(&url).unwrap();
    ledger.register(&table("patients")).unwrap();
    assert!(!format!("{ledger:?}").contains(PASSWORD));
    drop(ledger);
    place
        .execute(&format!("DROP SCHEMA pellucid CASCADE; REVOKE ALL ON DATABASE {name} FROM {user}; DROP ROLE {user}"));
}

#[test]
fn a_connection_lost_in_the_middle_records_nothing_and_the_next_call_connects_again() {
    let Some(place) = Place::database() else { return };
    let mut ledger = place.open();
    ledger.register(&table("patients")).unwrap();
    show(&mut ledger, "patients", "one");
    let mut other = place.client();
    let mut held = other.transaction().unwrap();
    held.execute("UPDATE tables SET version = version", &[]).unwrap();
    std::thread::scope(|scope| {
        let ledger = &mut ledger;
        let recording = scope.spawn(move || {
            ledger.record("patients", 1, &decision(DecisionOutcome::Released, "two"), Some(&view("two")))
        });
        let waiting = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let mut killer = place.client();
        while killer.query(waiting, &[]).unwrap().is_empty() {
            std::thread::sleep(Duration::from_millis(10));
        }
        let error = failure(recording.join().unwrap());
        assert_eq!(error.kind(), ErrorKind::Io);
        let words = ["was lost", "nothing was recorded unless that was acknowledged", "view list"];
        assert!(words.iter().all(|words| error.message().contains(words)), "{error}");
    });
    held.rollback().unwrap();
    let history = ledger.history("patients").unwrap().unwrap();
    assert_eq!((history.table.version, history.evidence.len()), (1, 1));
    assert_eq!(show(&mut ledger, "patients", "two"), (2, 2));
}

#[test]
fn a_server_that_drops_an_idle_connection_loses_nothing() {
    let Some(place) = Place::database() else { return };
    let mut ledger = place.open();
    ledger.register(&table("patients")).unwrap();
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
         WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let mut killer = place.client();
    assert_eq!(killer.query(end, &[]).unwrap().len(), 1);
    while !killer.query(end, &[]).unwrap().is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(show(&mut ledger, "patients", "one"), (1, 1));
}
