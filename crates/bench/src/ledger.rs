//! Decisions that a ledger records, and a gate makes, a second: `pellucid-bench ledger [sqlite|postgres]`, both when none is named.
//!
//! A table of which 100 views were shown; then, again and again, its history is read, a decision is made of nothing and
//! recorded with a further view. Then whole decisions: a gate judges a view of people in no other view with all views before, and
//! records it. SQLite writes to a file below the folder for temporary files; PostgreSQL is the server
//! that `PELLUCID_TEST_POSTGRES` names (`scripts/with-postgres` starts one), in a database of its own.

use std::fmt::Write;
use std::time::Instant;

use pellucid_app::parts::GateSettings;
use pellucid_io::load_source;
use pellucid_ledger::open_gate;
use pellucid_ledger::{
    DecisionOutcome, EvidenceKind, Ledger, NewDecision, NewEvidence, NewTable, RecordResult, ShownGroup,
};
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_publish::job::Job;
use postgres::{Client, NoTls};
use serde_json::json;

use crate::part::{Part, chosen};
use crate::search::Board;

/// Views in the history when the clock starts, and decisions that are then recorded.
const VIEWS: usize = 100;
const DECISIONS: usize = 100;

/// People of the table, and of a view.
const PEOPLE: u32 = 200;
const SEEN: u32 = 12;

/// The job of the gate.
const JOB: &str = "[input]\npath = \"many.csv\"\n[columns]\nnumber = { role = \"quasi\", type = \"integer\" }\n\
                   disease = { role = \"sensitive\" }\n[privacy]\nprinciple = \"highest-ratio\"\nratio = \"1/2\"\n";

/// All parts.
const PARTS: &[Part<Board>] = &[
    Part { id: "sqlite", words: "a ledger in an SQLite file", run: |_| sqlite() },
    Part { id: "postgres", words: "a ledger in a PostgreSQL database", run: |_| postgres() },
];

/// Times the parts named in `wanted`.
pub fn run(wanted: &[String]) -> Result<bool> {
    let mut board = Board::default();
    for part in chosen(PARTS, wanted)? {
        Board::note(&format!("\n{}", part.words));
        (part.run)(&mut board)?;
    }
    Ok(true)
}

fn sqlite() -> Result<()> {
    let folder = tempfile::tempdir().map_err(|error| Error::io("the folder for temporary files", error))?;
    time(&folder.path().join("bench.ledger").display().to_string())
}

fn postgres() -> Result<()> {
    let Ok(admin) = std::env::var("PELLUCID_TEST_POSTGRES") else {
        Board::note("skipped: PELLUCID_TEST_POSTGRES is not set; run by scripts/with-postgres");
        return Ok(());
    };
    let name = format!("pellucid_bench_{}", std::process::id());
    let order = |words: &str| {
        let done = Client::connect(&admin, NoTls).and_then(|mut client| client.batch_execute(words));
        done.map_err(|_| Error::new(ErrorKind::Io, "the server of PELLUCID_TEST_POSTGRES does not obey; check the URL"))
    };
    order(&format!("CREATE DATABASE {name}"))?;
    let server = admin.rsplit_once('/').map_or(admin.as_str(), |(server, _)| server);
    let timed = time(&format!("{server}/{name}"));
    order(&format!("DROP DATABASE {name} WITH (FORCE)"))?;
    timed
}

/// Times decisions on the ledger at `place`, which is new.
fn time(place: &str) -> Result<()> {
    let mut ledger = Ledger::open(place)?;
    let (name, gate) = ("people".to_owned(), "open".to_owned());
    ledger.register(&NewTable { name, fingerprint: "bench".to_owned(), rows: u64::from(PEOPLE), gate })?;
    (0..VIEWS).try_for_each(|number| decide(&mut ledger, number).map(|_| ()))?;
    drop(ledger);
    let clock = Instant::now();
    let mut ledger = Ledger::open(place)?;
    Board::note(&format!("opened with {VIEWS} views in {:.2} ms", clock.elapsed().as_secs_f64() * 1e3));
    let clock = Instant::now();
    let mut reading = 0.0;
    for number in VIEWS..VIEWS + DECISIONS {
        reading += decide(&mut ledger, number)?;
    }
    let seconds = clock.elapsed().as_secs_f64();
    let each = |seconds: f64| seconds * 1e3 / DECISIONS as f64;
    Board::note(&format!(
        "{:.0} decisions a second with {VIEWS} to {} views: {:.2} ms to read the history, {:.2} ms to record",
        DECISIONS as f64 / seconds,
        VIEWS + DECISIONS,
        each(reading),
        each(seconds - reading)
    ));
    drop(ledger);
    whole(place)
}

/// Times whole decisions of a gate on the ledger at `place`.
fn whole(place: &str) -> Result<()> {
    let folder = tempfile::tempdir().map_err(|error| Error::io("the folder for temporary files", error))?;
    let mut table = String::from("number,disease\n");
    for person in 0..DECISIONS as u32 * SEEN {
        let _ = writeln!(table, "{person},{}", ["asthma", "cold", "flu"][person as usize % 3]);
    }
    let path = folder.path().join("many.csv");
    std::fs::write(&path, table).map_err(|error| Error::io(path.display(), error))?;
    let job = Job::read(JOB, &[])?;
    let settings = GateSettings::of(&job);
    let mut gate = open_gate(load_source(&job, folder.path())?, place, settings)?;
    let clock = Instant::now();
    for number in 0..DECISIONS as u32 {
        let (from, to) = (number * SEEN, (number + 1) * SEEN - 1);
        let request = gate.source().ask(&format!("select disease from many where number between {from} and {to}"))?;
        let decided = gate.add(&request.showing(), "bench")?;
        if decided.outcome != DecisionOutcome::Released {
            return Err(Error::new(ErrorKind::Internal, "a harmless view is refused"));
        }
    }
    let seconds = clock.elapsed().as_secs_f64();
    Board::note(&format!(
        "{:.0} whole decisions a second of a gate, on views of {SEEN} people with 0 to {DECISIONS} views before",
        DECISIONS as f64 / seconds
    ));
    Ok(())
}

/// Reads the history and records a view; the seconds that reading took.
fn decide(ledger: &mut Ledger, number: usize) -> Result<f64> {
    let clock = Instant::now();
    let history = ledger.history("people")?.ok_or_else(|| Error::new(ErrorKind::Internal, "the table is gone"))?;
    let reading = clock.elapsed().as_secs_f64();
    let from = number as u32 * 7 % (PEOPLE - SEEN);
    let values = ["asthma", "cold", "flu"].map(|value| (value.to_owned(), u64::from(SEEN / 3))).to_vec();
    let statement = format!("people {from} to {}", from + SEEN);
    let shown = NewEvidence {
        kind: EvidenceKind::View,
        column: "disease".to_owned(),
        statement: statement.clone(),
        groups: vec![ShownGroup { members: (from..from + SEEN).collect(), values }],
        promise: None,
        others: Vec::new(),
        gaps: Vec::new(),
    };
    let decision = NewDecision {
        by: "bench".to_owned(),
        statement,
        outcome: DecisionOutcome::Released,
        verdict: "nothing was asked".to_owned(),
        detail: json!({ "number": number }),
        reason: None,
    };
    match ledger.record("people", history.table.version, &decision, Some(&shown))? {
        RecordResult::Done { .. } => Ok(reading),
        RecordResult::Moved => {
            Err(Error::new(ErrorKind::Internal, "somebody else records in the ledger of the benchmark"))
        }
    }
}
