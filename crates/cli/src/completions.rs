//! `pellucid completions`: scripts that complete commands and options in a shell.

use clap::Args;
use clap_complete::{Shell, generate};
use pellucid_model::error::Result;
use serde_json::json;

use crate::CommandEnding;
use crate::call;
use crate::terminal::UserTerminal;

/// Print the script that completes commands and options in a shell
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        pellucid completions bash > ~/.local/share/bash-completion/completions/pellucid\n  \
        pellucid completions zsh > ~/.zfunc/_pellucid\n  \
        pellucid completions fish > ~/.config/fish/completions/pellucid.fish")]
pub struct CompletionsArguments {
    /// The shell
    shell: Shell,
}

pub fn run(arguments: &CompletionsArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut call::command(), "pellucid", &mut script);
    let script = String::from_utf8_lossy(&script);
    if terminal.wants_json() {
        terminal.json(&json!({ "shell": arguments.shell.to_string(), "script": script }))?;
    } else {
        terminal.text(&script)?;
    }
    Ok(CommandEnding::Done)
}
