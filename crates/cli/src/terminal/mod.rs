//! What is said on the terminal: results on standard output, progress and errors on standard error.
//!
//! `progress.rs` draws how far work has come.

mod progress;

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use pellucid_model::document::{ERROR, stamped};
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::progress::RunStage;
use pellucid_model::progress::SearchProgress as Searched;
use serde::Serialize;
use serde_json::json;

use crate::status::CommandEnding;
use progress::{ProgressLine, TerminalStreams, is_drawn};

/// How this run talks to its user.
pub struct UserTerminal {
    json: bool,
    /// The name of the JSON document that the command prints.
    document: String,
    /// Whether the one JSON document of this run is printed.
    answered: AtomicBool,
    progress: ProgressLine,
}

impl UserTerminal {
    /// Talks JSON when `json` is set, in documents named `document`; shows progress on a terminal unless `quiet`.
    pub fn new(json: bool, quiet: bool, document: impl Into<String>) -> Self {
        let on_terminal =
            TerminalStreams { out: std::io::stdout().is_terminal(), err: std::io::stderr().is_terminal() };
        let progress = ProgressLine::new(is_drawn(quiet, json, on_terminal));
        Self { json, document: document.into(), answered: AtomicBool::new(false), progress }
    }

    /// Whether results are JSON.
    pub fn wants_json(&self) -> bool {
        self.json
    }

    /// Shows what is being done, when it is not known how much there is to do.
    pub fn progress(&self, words: &str) {
        self.progress.spin(words);
    }

    /// Shows that `done` of `of` steps are done, and what is being done now.
    pub fn steps(&self, done: usize, of: usize, words: &str) {
        self.progress.bar(done as u64, of as u64, words);
    }

    /// Shows which part of a run has begun, and how far it has come.
    pub fn stage(&self, stage: RunStage) {
        // A search tells of every step, which must cost nothing when nobody looks.
        if !self.progress.is_drawn() {
            return;
        }
        match stage {
            RunStage::Search(Searched { checked, done, of }) if of > 0 => {
                self.progress.bar(done, of, &format!("{}, {checked} checked", stage.label()));
            }
            RunStage::Try { done, of } => self.progress.bar(done, of, stage.label()),
            _ => self.progress.spin(stage.label()),
        }
    }

    /// Takes the progress off the screen.
    fn quiet_down(&self) {
        self.progress.clear();
    }

    /// Prints a result as text.
    pub fn text(&self, text: &str) -> Result<()> {
        self.quiet_down();
        print(text)
    }

    /// Prints the result as JSON, with the name and the version of the command's document; a run has one.
    pub fn json(&self, value: &impl Serialize) -> Result<()> {
        self.document(&self.document, value)
    }

    /// Prints the JSON document called `name`.
    fn document(&self, name: &str, value: &impl Serialize) -> Result<()> {
        self.quiet_down();
        let text = serde_json::to_string_pretty(&stamped(name, value)?)
            .map_err(|error| Error::new(ErrorKind::Internal, format!("cannot write JSON: {error}")))?;
        self.answered.store(true, Ordering::Relaxed);
        print(&(text + "\n"))
    }

    /// Says what is to be known before the answer.
    pub fn note(&self, words: &str) {
        self.progress.aside(|| drop(writeln!(std::io::stderr(), "note: {words}")));
    }

    /// Says what was left out, and goes on.
    pub fn warn(&self, words: &str) {
        self.progress.aside(|| drop(writeln!(std::io::stderr(), "warning: {words}")));
    }

    /// Says what went wrong; as JSON too, unless the answer stands there already.
    pub fn error(&self, error: &Error) {
        self.quiet_down();
        if self.json && !self.answered.load(Ordering::Relaxed) {
            let _ = self.error_document(error.kind(), error.message());
        }
        let _ = writeln!(std::io::stderr(), "error: {error}");
    }

    /// Prints the document of a failure: `error.kind` and `error.message`.
    pub fn error_document(&self, kind: ErrorKind, message: &str) -> Result<()> {
        self.document(ERROR, &json!({ "error": { "kind": format!("{kind:?}"), "message": message } }))
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
        // Progress may stand on the last line.
        let end = if std::io::stderr().is_terminal() { "\n" } else { "" };
        let _ = writeln!(std::io::stderr(), "{end}interrupted; nothing half-written is left behind");
        std::process::exit(CommandEnding::Failed.status().into());
    });
}
