//! The command `pellucid`: publishes microdata with a promise against a named attacker, and checks and attacks
//! releases. One file a sub-command; `call.rs` reads the command line, this one only tells commands apart and turns errors into
//! exit statuses.

mod attack;
mod attack_text;
mod belief;
mod call;
mod compare;
mod completions;
mod demo;
mod files;
mod foreign;
mod hierarchy;
mod ledger;
mod list;
mod list_markdown;
mod man;
mod numbers;
mod patients;
mod publish;
mod search;
mod terminal;
mod verify;
mod view;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use pellucid_model::error::{Error, ErrorKind};

use terminal::Terminal;

/// Publish microdata with a promise against a named attacker, and measure what other attackers learn.
#[derive(Debug, Parser)]
#[command(version = VERSION, arg_required_else_help = true, after_help = AFTER_HELP)]
struct Cli {
    /// Print results as JSON on standard output
    #[arg(long, global = true)]
    json: bool,
    /// Show no progress
    #[arg(long, short, global = true)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

/// The version, with the commit where it is known.
const VERSION: &str = if env!("PELLUCID_COMMIT").is_empty() {
    env!("CARGO_PKG_VERSION")
} else {
    concat!(env!("CARGO_PKG_VERSION"), " (", env!("PELLUCID_COMMIT"), ")")
};

const AFTER_HELP: &str = "Examples:\n  pellucid demo\n  pellucid publish job.toml\n  pellucid verify release\n\n\
                    Exit status: 0 done, 2 bad usage or input, 3 nothing can be disclosed, 4 a verification failed, or \
                    something shown would reveal too much or is undecided, 1 anything else.";

#[derive(Debug, Subcommand)]
enum Command {
    Publish(publish::Arguments),
    Compare(compare::Arguments),
    Search(search::Arguments),
    Verify(verify::Arguments),
    Attack(attack::Arguments),
    Belief(belief::Arguments),
    View(view::Arguments),
    Ledger(ledger::Arguments),
    Hierarchy(hierarchy::Arguments),
    List(list::Arguments),
    Demo(demo::Arguments),
    /// Print the JSON schema of job files, for editors and pipelines
    #[command(after_help = "Examples:\n  pellucid schema > job.schema.json")]
    Schema,
    Completions(completions::Arguments),
    Man(man::Arguments),
}

/// What a command ended with, besides errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Done,
    NothingDisclosed,
    VerificationFailed,
    NotPrivate,
}

fn main() -> ExitCode {
    let call: Vec<OsString> = std::env::args_os().collect();
    let cli = match call::read(call.iter().cloned()) {
        Ok(cli) => cli,
        Err(error) => return call::answer(&error, &call),
    };
    let terminal = Terminal::new(cli.json, cli.quiet);
    terminal::clean_up_on_interrupt();
    let ended = match cli.command {
        Command::Publish(arguments) => publish::run(&arguments, &terminal),
        Command::Compare(arguments) => compare::run(&arguments, &terminal),
        Command::Search(arguments) => search::run(&arguments, &terminal),
        Command::Verify(arguments) => verify::run(&arguments, &terminal),
        Command::Attack(arguments) => attack::run(&arguments, &terminal),
        Command::Belief(arguments) => belief::run(&arguments, &terminal),
        Command::View(arguments) => view::run(&arguments, &terminal),
        Command::Ledger(arguments) => ledger::run(&arguments, &terminal),
        Command::Hierarchy(arguments) => hierarchy::run(&arguments, &terminal),
        Command::List(arguments) => list::run(&arguments, &terminal),
        Command::Demo(arguments) => demo::run(&arguments, &terminal),
        Command::Completions(arguments) => completions::run(&arguments, &terminal),
        Command::Man(arguments) => man::run(&arguments, &terminal),
        Command::Schema => terminal.json(&pellucid_publish::job::job_schema()).map(|()| Ending::Done),
    };
    match ended {
        Ok(Ending::Done) => ExitCode::SUCCESS,
        Ok(Ending::NothingDisclosed) => ExitCode::from(3),
        Ok(Ending::VerificationFailed | Ending::NotPrivate) => ExitCode::from(4),
        Err(error) => {
            terminal.error(&error);
            ExitCode::from(status(&error))
        }
    }
}

/// The exit status of an error: what the user can mend by changing the call or the input is 2.
fn status(error: &Error) -> u8 {
    match error.kind() {
        ErrorKind::InvalidParameter
        | ErrorKind::UnknownColumn
        | ErrorKind::BadHierarchy
        | ErrorKind::BadInput
        | ErrorKind::LimitExceeded => 2,
        ErrorKind::Io if error.is_missing_or_forbidden() => 2,
        _ => 1,
    }
}
