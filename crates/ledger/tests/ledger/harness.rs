//! Places for ledgers that vanish with the test, and things to record.

use std::io::Write;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

use pellucid_ledger::{
    DecisionOutcome, EvidenceKind, Ledger, NewDecision, NewEvidence, NewTable, RecordResult, ShownGroup,
};
use pellucid_model::error::Error;
use postgres::{Client, NoTls};
use serde_json::json;
use tempfile::TempDir;

/// Where a test has its ledger.
pub enum Place {
    /// A file in a folder of its own.
    File { _folder: TempDir, file: String },
    /// A database of its own.
    Database { admin: String, name: String, url: String },
}

impl Place {
    pub fn file() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shown.ledger").to_str().unwrap().to_owned();
        Self::File { _folder: folder, file }
    }

    /// A new database, where a server is named.
    pub fn database() -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        static SAID: Once = Once::new();
        let Ok(admin) = std::env::var("PELLUCID_TEST_POSTGRES") else {
            // Not by a macro, whose output the test runner keeps to itself.
            SAID.call_once(|| {
                let words = b"skipped on PostgreSQL: PELLUCID_TEST_POSTGRES is not set; make test starts one\n";
                std::io::stderr().write_all(words).unwrap();
            });
            return None;
        };
        let name = format!("pellucid_test_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        Client::connect(&admin, NoTls).unwrap().batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
        let url = database_url(&admin, &name);
        Some(Self::Database { admin, name, url })
    }

    /// What [`Ledger::open`] takes.
    pub fn text(&self) -> &str {
        match self {
            Self::File { file, .. } => file,
            Self::Database { url, .. } => url,
        }
    }

    pub fn open(&self) -> Ledger {
        Ledger::open(self.text()).unwrap()
    }

    /// Runs statements behind the ledger's back.
    pub fn execute(&self, statements: &str) {
        match self {
            Self::File { file, .. } => rusqlite::Connection::open(file).unwrap().execute_batch(statements).unwrap(),
            Self::Database { .. } => self.client().batch_execute(statements).unwrap(),
        }
    }

    /// A connection to the database, in the ledger's schema.
    pub fn client(&self) -> Client {
        let mut client = Client::connect(self.text(), NoTls).unwrap();
        client.batch_execute("SET search_path = pellucid").unwrap();
        client
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Self::Database { admin, name, .. } = self {
            let dropped = Client::connect(admin, NoTls)
                .and_then(|mut client| client.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")));
            assert!(dropped.is_ok() || std::thread::panicking(), "{name} cannot be dropped: {dropped:?}");
        }
    }
}

/// The administrator's URL with another database.
fn database_url(admin: &str, name: &str) -> String {
    let (scheme, rest) = admin.split_once("://").unwrap();
    let (address, options) = rest.split_once('?').map_or((rest, String::new()), |(at, rest)| (at, format!("?{rest}")));
    let host = address.split('/').next().unwrap();
    format!("{scheme}://{host}/{name}{options}")
}

/// Runs a test on both databases.
pub fn on_both(test: impl Fn(&Place)) {
    test(&Place::file());
    if let Some(place) = Place::database() {
        test(&place);
    }
}

pub fn table(name: &str) -> NewTable {
    NewTable { name: name.to_owned(), fingerprint: format!("print-of-{name}"), rows: 6, gate: "open".to_owned() }
}

pub fn view(statement: &str) -> NewEvidence {
    let values = vec![("flu".to_owned(), 2), ("asthma, \"mild\"".to_owned(), 1)];
    NewEvidence {
        kind: EvidenceKind::View,
        column: "disease".to_owned(),
        statement: statement.to_owned(),
        groups: vec![ShownGroup { members: vec![0, 2, 5], values }],
        promise: None,
        others: Vec::new(),
        gaps: Vec::new(),
    }
}

pub fn decision(outcome: DecisionOutcome, statement: &str) -> NewDecision {
    NewDecision {
        by: "ann".to_owned(),
        statement: statement.to_owned(),
        outcome,
        verdict: "belief at most 2/3".to_owned(),
        detail: json!({ "highest": "2/3", "people": [1, 2], "none": null }),
        reason: (outcome == DecisionOutcome::Forced).then(|| "the board wants it".to_owned()),
    }
}

/// Records that something was shown of the table at its present version; the numbers of the decision and of what was shown.
pub fn show(ledger: &mut Ledger, name: &str, statement: &str) -> (u64, u64) {
    let version = ledger.history(name).unwrap().unwrap().table.version;
    let released = decision(DecisionOutcome::Released, statement);
    match ledger.record(name, version, &released, Some(&view(statement))).unwrap() {
        RecordResult::Done { decision, evidence } => (decision, evidence.unwrap()),
        RecordResult::Moved => panic!("nobody else decides"),
    }
}

/// The error of what must fail.
pub fn failure<T>(result: Result<T, Error>) -> Error {
    result.err().expect("it must fail")
}
