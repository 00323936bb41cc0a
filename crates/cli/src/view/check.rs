//! `pellucid view check`: what a view would reveal.

use clap::Args;
use pellucid_app::parts::GateFinding;
use pellucid_model::error::Result;
use serde_json::{Value, json};

use super::{Asking, Common, finding_text, judging, new_ledger, tell_releases};
use crate::CommandEnding;
use crate::terminal::UserTerminal;

/// Say what a view would reveal on top of everything recorded; records and shows nothing
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  pellucid view check job.toml \"select condition from patients where age between 29 and 33\"\n  \
                        pellucid view check job.toml --show condition --where age=29..33 --where sex=F\n  \
                        pellucid view check job.toml --gamma 1/3\n\nExit status: 0 private, 4 not private or undecided, 2 bad \
                        usage or input."
)]
pub struct ViewCheckArguments {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    asking: Asking,
}

pub fn run(arguments: &ViewCheckArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    terminal.progress("reading");
    let (mut gate, _, place) = arguments.common.peek(terminal)?;
    let requests = arguments.asking.all(gate.source(), &arguments.common.job)?;
    tell_releases(&mut gate, terminal)?;
    terminal.progress(&judging(gate.settings()));
    let findings = gate.check_all(&requests)?;
    let passes = findings.iter().all(GateFinding::passes);
    if terminal.wants_json() {
        let known = findings.iter().filter(|finding| !finding.passes()).all(|finding| !finding.is_undecided());
        let status = if passes {
            "private"
        } else if known {
            "not-private"
        } else {
            "undecided"
        };
        let all: Vec<Value> = findings.iter().map(GateFinding::json).collect();
        terminal.json(&json!({ "status": status, "findings": all,
            "new_ledger": gate.is_new() }))?;
    } else {
        let mut text = new_ledger(&gate, &place, true);
        for finding in &findings {
            text += &finding_text(finding);
        }
        text += match (passes, findings.iter().any(GateFinding::is_undecided)) {
            (true, _) => "It may be shown.\n",
            (false, true) => "It is not shown: undecided.\n",
            (false, false) => "It must not be shown.\n",
        };
        terminal.text(&text)?;
    }
    Ok(if passes { CommandEnding::Done } else { CommandEnding::NotPassed })
}
