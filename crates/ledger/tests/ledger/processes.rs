//! Processes that decide at once, and processes that are killed: this test program started again.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use pellucid_ledger::{DecisionOutcome, Ledger, RecordResult};

use crate::harness::{decision, on_both, table, view};

/// Set for a process that records: the place, its name, how many times, and the milliseconds that it takes to decide.
const PLACE: &str = "PELLUCID_TEST_LEDGER_PLACE";
const NAME: &str = "PELLUCID_TEST_LEDGER_NAME";
const TIMES: &str = "PELLUCID_TEST_LEDGER_TIMES";
const PAUSE: &str = "PELLUCID_TEST_LEDGER_PAUSE";

/// The work of a process that a test starts; does nothing in a test run.
#[test]
fn a_started_process_records() {
    let Ok(place) = std::env::var(PLACE) else { return };
    let name = std::env::var(NAME).unwrap();
    let [times, pause] = [TIMES, PAUSE].map(|number| std::env::var(number).unwrap().parse::<u64>().unwrap());
    // Waits until it may begin.
    std::io::stdin().read_line(&mut String::new()).unwrap();
    let mut ledger = Ledger::open(&place).unwrap();
    ledger.register(&table("patients")).unwrap();
    // Not by a macro, whose output the test runner keeps to itself.
    let say = |words: &str| writeln!(std::io::stdout(), "\n{words}").unwrap();
    for round in 0..times {
        let statement = format!("{name} {round}");
        // Every fourth decision is a refusal.
        let shown = (round % 4 != 3).then(|| view(&statement));
        let outcome = if shown.is_some() { DecisionOutcome::Released } else { DecisionOutcome::Refused };
        loop {
            let version = ledger.history("patients").unwrap().unwrap().table.version;
            std::thread::sleep(Duration::from_millis(pause));
            let recorded = ledger.record("patients", version, &decision(outcome, &statement), shown.as_ref()).unwrap();
            if matches!(recorded, RecordResult::Done { .. }) {
                break;
            }
            say("moved");
        }
        say(&format!("done {statement}"));
    }
}

fn start(place: &str, name: &str, times: u32, pause: u32) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "processes::a_started_process_records", "--test-threads=1"])
        .envs([(PLACE, place), (NAME, name), (TIMES, &times.to_string()), (PAUSE, &pause.to_string())])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn begin(child: &mut Child) {
    child.stdin.take().unwrap().write_all(b"begin\n").unwrap();
}

/// What the process acknowledged until it ended, and how often somebody else had decided.
fn acknowledged(child: &mut Child) -> (Vec<String>, usize) {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let (moved, others): (Vec<String>, Vec<String>) = lines.partition(|line| line == "moved");
    let done = others.iter().filter_map(|line| line.strip_prefix("done ").map(str::to_owned));
    (done.collect(), moved.len())
}

/// What is recorded, with everything whole and numbered without a gap.
fn recorded(ledger: &mut Ledger) -> Vec<String> {
    let decisions = ledger.decisions("patients").unwrap();
    let history = ledger.history("patients").unwrap().unwrap();
    let mut shown = history.evidence.iter();
    for decision in &decisions {
        assert_eq!(decision.evidence.is_none(), decision.outcome == DecisionOutcome::Refused);
        if decision.evidence.is_some() {
            let evidence = shown.next().unwrap();
            assert_eq!((Some(evidence.number), &evidence.statement), (decision.evidence, &decision.statement));
            assert_eq!(evidence.groups, view("").groups);
        }
    }
    assert!(shown.next().is_none() && history.table.version == history.evidence.len() as u64);
    decisions.into_iter().map(|decision| decision.statement).collect()
}

#[test]
fn processes_that_decide_at_once_lose_and_double_nothing() {
    on_both(|place| {
        // They also make the ledger at once.
        let mut children = ["ann", "ben"].map(|name| start(place.text(), name, 40, 3));
        std::thread::sleep(Duration::from_millis(200));
        children.iter_mut().for_each(begin);
        let (done, moved): (Vec<_>, Vec<_>) = children.iter_mut().map(acknowledged).unzip();
        assert!(children.iter_mut().all(|child| child.wait().unwrap().success()));
        let mut found = recorded(&mut place.open());
        assert!(moved.iter().sum::<usize>() > 0, "they did not decide at once");
        let mut expected = done.concat();
        found.sort();
        expected.sort();
        assert_eq!((found.len(), found), (80, expected));
    });
}

#[test]
fn a_killed_process_leaves_all_it_acknowledged_and_nothing_half() {
    on_both(|place| {
        let mut ledger = place.open();
        ledger.register(&table("patients")).unwrap();
        let mut before = Vec::new();
        let mut killed_at_work = 0;
        for round in 0..12 {
            let mut child = start(place.text(), &format!("round {round}"), 100_000, 0);
            begin(&mut child);
            let random = std::hash::BuildHasher::hash_one(&std::collections::hash_map::RandomState::new(), round);
            std::thread::sleep(Duration::from_micros(random % 120_000));
            child.kill().unwrap();
            let (acknowledged, _) = acknowledged(&mut child);
            assert!(!child.wait().unwrap().success());
            killed_at_work += u32::from(!acknowledged.is_empty());
            // A server may still be at the last one.
            std::thread::sleep(Duration::from_millis(100));
            let found = recorded(&mut ledger);
            let at_least = [before, acknowledged].concat();
            assert!(found.starts_with(&at_least) && found.len() <= at_least.len() + 1, "round {round}");
            before = found;
        }
        assert!(killed_at_work > 0);
    });
}
