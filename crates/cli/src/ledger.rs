//! `pellucid ledger`: what owners say of what is recorded.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use pellucid_app::host::EARLIER_RESULT;
use pellucid_ledger::Ledger;
use pellucid_model::error::{Error, Result};
use serde_json::json;

use crate::CommandEnding;
use crate::numbers::whole;
use crate::precedence::{UsualLedger, author, ledger_place, table_name};
use crate::publish::read_job;
use crate::terminal::UserTerminal;

/// Correct what the ledger counts: withdraw releases that were never handed out
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  pellucid ledger withdraw 1 job.toml --reason \"a trial, nobody has it\"")]
pub struct LedgerArguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Withdraw(Withdraw),
}

/// Mark a recorded release as never handed out, on your word: it no longer counts, and every later verdict and release says so
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  pellucid ledger withdraw 1 job.toml --reason \"a trial, nobody has it\"\n  \
                        pellucid ledger withdraw 3 --ledger ledger.sqlite --table patients --reason \"wrong columns\" --by ann")]
struct Withdraw {
    /// The number of its evidence, as `pellucid view list` shows it
    #[arg(value_parser = whole::<u64>(1..))]
    number: u64,
    /// The job file (TOML) whose table and ledger are meant
    job: Option<PathBuf>,
    /// Why it does not count
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// On whose word; the name of the user when left out
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// The ledger: a file, or `postgres://user@host/database`; else what `PELLUCID_LEDGER` says, else that of the job, else
    /// ledger.sqlite in this folder
    #[arg(long, value_name = "PLACE")]
    ledger: Option<String>,
    /// The name of the table, instead of that of the job; needed without a job where the ledger has several
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
}

pub fn run(arguments: &LedgerArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    match &arguments.command {
        Command::Withdraw(arguments) => withdraw(arguments, terminal),
    }
}

fn withdraw(arguments: &Withdraw, terminal: &UserTerminal) -> Result<CommandEnding> {
    let job = arguments.job.as_ref().map(|path| read_job(path, &[], terminal)).transpose()?;
    let of_job = job.as_ref().map(|(job, base_dir)| (job, base_dir.as_path()));
    let place = ledger_place(arguments.ledger.as_deref(), of_job, UsualLedger::BesideJobOrHere).unwrap_or_default();
    let by = author(arguments.by.as_deref());
    if by.chars().chain(arguments.reason.chars()).any(char::is_control) {
        return Err(Error::invalid("the name and the reason are one line of text each; leave out control characters"));
    }
    let mut ledger = Ledger::open_existing(&place)?;
    let table = match table_name(arguments.table.as_deref(), job.as_ref().map(|(job, _)| job)) {
        Some(name) => name,
        None => only_table(&mut ledger)?,
    };
    let numbers = ledger.withdraw(&table, arguments.number, &by, &arguments.reason)?;
    if terminal.wants_json() {
        terminal.json(&json!({ "status": "withdrawn", "table": table, "evidence": numbers, "by": by, "reason": arguments.reason }))?;
    } else {
        let words: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        terminal.text(&format!(
            "Withdrawn: evidence {} of table {table}, on the word of {by}. It no longer counts.\n\
             Every later verdict and release says: {EARLIER_RESULT}.\n",
            words.join(", ")
        ))?;
    }
    Ok(CommandEnding::Done)
}

/// The name of the only table that is recorded.
fn only_table(ledger: &mut Ledger) -> Result<String> {
    let mut names: Vec<String> = ledger.tables()?.into_iter().map(|table| table.name).collect();
    match names.len() {
        1 => Ok(names.remove(0)),
        _ => Err(Error::invalid(format!(
            "the ledger `{}` has {} tables; name one with --table, or give the job file",
            ledger.place(),
            names.len()
        ))),
    }
}
