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
mod precedence;
mod publish;
mod search;
mod status;
mod terminal;
mod verify;
mod view;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use status::CommandEnding;
use terminal::UserTerminal;

/// Publish microdata with a promise against a named attacker, and measure what other attackers learn.
#[derive(Debug, Parser)]
#[command(version = VERSION, arg_required_else_help = true, after_help = after_help())]
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

fn after_help() -> String {
    let examples = "Examples:\n  pellucid demo\n  pellucid publish job.toml\n  pellucid verify release";
    let statuses = CommandEnding::ALL.map(|ending| format!("{} {}", ending.status(), ending.meaning()));
    format!("{examples}\n\nExit status: {}.", statuses.join("; "))
}

#[derive(Debug, Subcommand)]
enum Command {
    Publish(publish::PublishArguments),
    Compare(compare::CompareArguments),
    Search(search::SearchArguments),
    Verify(verify::VerifyArguments),
    Attack(attack::AttackArguments),
    Belief(belief::BeliefArguments),
    View(view::ViewArguments),
    Ledger(ledger::LedgerArguments),
    Hierarchy(hierarchy::HierarchyArguments),
    List(list::ListArguments),
    Demo(demo::DemoArguments),
    /// Print the JSON schema of job files, for editors and pipelines
    #[command(after_help = "Examples:\n  pellucid schema > job.schema.json")]
    Schema,
    Completions(completions::CompletionsArguments),
    Man(man::ManArguments),
}

fn main() -> ExitCode {
    let call: Vec<OsString> = std::env::args_os().collect();
    let (cli, command) = match call::read(call.iter().cloned()) {
        Ok(read) => read,
        Err(error) => return call::answer(&error, &call),
    };
    let terminal = UserTerminal::new(cli.json, cli.quiet, command);
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
        Command::Schema => terminal.json(&pellucid_publish::job::job_schema()).map(|()| CommandEnding::Done),
    };
    let ending = ended.unwrap_or_else(|error| {
        terminal.error(&error);
        CommandEnding::of(&error)
    });
    ending.into()
}
