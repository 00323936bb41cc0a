//! What is said on the terminal: results on standard output, progress and errors on standard error.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pellucid_core::error::{Error, ErrorKind, Result};
use pellucid_core::job::Stage;
use pellucid_core::search::Progress;
use serde::Serialize;
use serde_json::json;

/// How this run talks to its user.
pub struct Terminal {
    json: bool,
    spinner: ProgressBar,
}

impl Terminal {
    /// Talks JSON when `json` is set; shows progress on a terminal unless `quiet`.
    pub fn new(json: bool, quiet: bool) -> Self {
        let spinner = ProgressBar::new_spinner();
        if quiet || !std::io::stderr().is_terminal() {
            spinner.set_draw_target(ProgressDrawTarget::hidden());
        }
        spinner.set_style(
            ProgressStyle::default_spinner()
                .template("{spinner} {msg} ({elapsed})")
                .unwrap_or_else(|_| ProgressStyle::default_spinner()),
        );
        Self { json, spinner }
    }

    /// Whether results are JSON.
    pub fn wants_json(&self) -> bool {
        self.json
    }

    /// Shows what is being done.
    pub fn progress(&self, words: &str) {
        self.spinner.set_message(words.to_owned());
        self.spinner.enable_steady_tick(Duration::from_millis(120));
    }

    /// Shows which part of a run has begun, and how far a search has come.
    pub fn stage(&self, stage: Stage) {
        match stage {
            Stage::Search(Progress { checked, done, of }) if of > 0 => {
                if self.spinner.is_hidden() {
                    return;
                }
                self.progress(&format!("{}: {done} of {of}, {checked} checked", stage.words()));
            }
            Stage::Try { done, of } if of > 0 => {
                // Runs that only check a program are counted too.
                self.progress(&format!("{}: {} of {of}", stage.words(), done.min(of)));
            }
            _ => self.progress(stage.words()),
        }
    }

    /// Says in whose name that is being done.
    pub fn under(&self, name: &str) {
        self.spinner.set_message(format!("{name}: {}", self.spinner.message()));
    }

    /// Takes the progress off the screen.
    pub fn quiet_down(&self) {
        self.spinner.finish_and_clear();
    }

    /// Prints a result as text.
    pub fn text(&self, text: &str) -> Result<()> {
        self.quiet_down();
        print(text)
    }

    /// Prints a result as JSON.
    pub fn json(&self, value: &impl Serialize) -> Result<()> {
        self.quiet_down();
        let text = serde_json::to_string_pretty(value)
            .map_err(|error| Error::new(ErrorKind::Internal, format!("cannot write JSON: {error}")))?;
        print(&(text + "\n"))
    }

    /// Says what was left out, and goes on.
    pub fn warn(&self, words: &str) {
        self.spinner.suspend(|| drop(writeln!(std::io::stderr(), "warning: {words}")));
    }

    /// Says what went wrong.
    pub fn error(&self, error: &Error) {
        self.quiet_down();
        if self.json {
            let _ =
                self.json(&json!({ "error": { "kind": format!("{:?}", error.kind()), "message": error.message() } }));
        }
        let _ = writeln!(std::io::stderr(), "error: {error}");
    }
}

/// Prints; a reader that went away is no error.
fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Error::io("standard output", error)),
        _ => Ok(()),
    }
}

/// On an interrupt nothing half-written may stay behind.
pub fn clean_up_on_interrupt() {
    // Without a handler the process ends at once, and staged folders stay hidden beside the release; so be it.
    let _ = ctrlc::set_handler(|| {
        pellucid_io::folders::abandon();
        let _ = writeln!(std::io::stderr(), "interrupted; nothing half-written is left behind");
        std::process::exit(1);
    });
}
