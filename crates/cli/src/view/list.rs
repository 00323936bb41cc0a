//! `pellucid view list`: what was decided on a table.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use pellucid_ledger::{DecisionRecord, EvidenceRecord, Ledger, TableRecord};
use pellucid_model::error::{Error, Result};
use pellucid_model::words::counted;
use serde_json::{Value, json};

use crate::CommandEnding;
use crate::precedence::{UsualLedger, ledger_place, table_name};
use crate::publish::read_job;
use crate::terminal::UserTerminal;

/// List what was shown of a table, what was refused, when and by whom
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  pellucid view list job.toml\n  \
                        pellucid view list --ledger ledger.sqlite --table patients --json")]
pub struct ViewListArguments {
    /// The job file (TOML)
    #[arg(required_unless_present = "table")]
    job: Option<PathBuf>,
    /// The ledger, as with `view check`
    #[arg(long, value_name = "PLACE")]
    ledger: Option<String>,
    /// The name of the table, instead of that of the job
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
}

pub fn run(arguments: &ViewListArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    let job = arguments.job.as_ref().map(|path| read_job(path, &[], terminal)).transpose()?;
    let of_job = job.as_ref().map(|(job, base_dir)| (job, base_dir.as_path()));
    let place = ledger_place(arguments.ledger.as_deref(), of_job, UsualLedger::BesideJob)
        .ok_or_else(|| Error::invalid("no ledger is named; give --ledger PLACE or a job file"))?;
    let name = table_name(arguments.table.as_deref(), job.as_ref().map(|(job, _)| job)).unwrap_or_default();
    let mut ledger = Ledger::open_existing(&place)?;
    let decisions = ledger.decisions(&name)?;
    let Some(history) = ledger.history(&name)? else {
        return Err(Error::invalid(format!(
            "no table `{name}` is recorded in the ledger `{}`; add a view first",
            ledger.place()
        )));
    };
    let evidence: BTreeMap<u64, &EvidenceRecord> =
        history.evidence.iter().map(|evidence| (evidence.number, evidence)).collect();
    if terminal.wants_json() {
        let entries: Vec<Value> = decisions.iter().map(|decision| entry_json(decision, &evidence)).collect();
        terminal.json(&json!({ "table": history.table, "decisions": entries }))?;
    } else {
        terminal.text(&text(&history.table, &decisions, &evidence))?;
    }
    Ok(CommandEnding::Done)
}

/// How many people a decision is about, counted once for each group.
fn people(decision: &DecisionRecord, evidence: &BTreeMap<u64, &EvidenceRecord>) -> Option<u64> {
    let shown = decision.evidence.and_then(|number| evidence.get(&number));
    let shown = shown.map(|evidence| evidence.groups.iter().map(|group| group.members.len() as u64).sum());
    shown.or_else(|| decision.detail.get("people").and_then(Value::as_u64))
}

fn entry_json(decision: &DecisionRecord, evidence: &BTreeMap<u64, &EvidenceRecord>) -> Value {
    let shown = decision.evidence.and_then(|number| evidence.get(&number));
    json!({
        "number": decision.number,
        "at": decision.at,
        "by": decision.by,
        "outcome": decision.outcome,
        "verdict": decision.verdict,
        "statement": decision.statement,
        "reason": decision.reason,
        "people": people(decision, evidence),
        "evidence": decision.evidence,
        "kind": shown.map(|evidence| evidence.kind),
        "column": shown.map(|evidence| evidence.column.as_str()),
        "withdrawn": shown.and_then(|evidence| evidence.withdrawn.as_ref()),
        "detail": decision.detail,
    })
}

fn text(table: &TableRecord, decisions: &[DecisionRecord], evidence: &BTreeMap<u64, &EvidenceRecord>) -> String {
    let mut text = format!(
        "Table {}: {}, gate {}, recorded since {}; shown {}, {}.\n",
        table.name,
        counted(table.rows, "person", "people"),
        table.gate,
        table.since,
        counted(table.version, "time", "times"),
        counted(decisions.len(), "decision", "decisions")
    );
    for decision in decisions {
        let shown = decision.evidence.map_or_else(String::new, |number| format!(" as evidence {number}"));
        let demanded = decision.detail.get("demanded").and_then(Value::as_array);
        let demanded: Vec<&str> = demanded.into_iter().flatten().filter_map(Value::as_str).collect();
        let people = people(decision, evidence).map(|people| format!(", {}", counted(people, "person", "people")));
        let _ = writeln!(
            text,
            "{:>4}  {}  {}  {}{shown}  {}{}\n      {}\n      Demanded: {}",
            decision.number,
            decision.at,
            decision.by,
            decision.outcome.as_str(),
            decision.verdict,
            people.unwrap_or_default(),
            decision.statement,
            demanded.join("; ")
        );
        let withdrawn = decision.evidence.and_then(|number| evidence.get(&number)?.withdrawn.as_ref());
        if let Some(withdrawn) = withdrawn {
            let _ = writeln!(text, "      Withdrawn: {} by {}, {}", withdrawn.at, withdrawn.by, withdrawn.reason);
        }
        if let Some(reason) = &decision.reason {
            let _ = writeln!(text, "      Reason: {reason}");
        }
    }
    text
}
