//! `pellucid publish --ledger`: a release is judged with everything that was shown before, and recorded.

use std::cell::RefCell;
use std::fmt::Write;
use std::path::Path;

use pellucid_core::error::Result;
use pellucid_core::job::Job;
use pellucid_io::publish::Finished;
use pellucid_ledger::Outcome;
use pellucid_ledger::gate::{Author, Decided, Finding, Gate, Settings, Source};
use serde_json::{Value, json};

use super::{author, finding_text};

/// Keeps a release back when it reveals too much together with what was shown before.
pub struct Keeper {
    gate: RefCell<Gate>,
    by: String,
    reason: Option<String>,
    looking_only: bool,
    found: RefCell<Vec<(Finding, Option<Decided>)>>,
}

impl Keeper {
    /// Reads the table of `job` and opens the ledger at `place`, which need not be there yet; of a run that only looks nothing is
    /// recorded or made.
    pub fn new(job: &Job, base_dir: &Path, place: &str, looking_only: bool) -> Result<Self> {
        let source = Source::load(job.clone(), base_dir)?;
        let open = if looking_only { Gate::peek } else { Gate::open };
        let gate = RefCell::new(open(source, place, Settings::of(job))?);
        Ok(Self { gate, by: author(None), reason: None, looking_only, found: RefCell::default() })
    }

    /// The same with the name of who decides, and the reason to publish what reveals too much.
    pub fn with_author(mut self, by: Option<&str>, reason: Option<&str>) -> Self {
        self.by = author(by);
        self.reason = reason.map(str::to_owned);
        self
    }

    /// Whether the release may be seen.
    pub fn inspect(&self, finished: &Finished<'_>) -> Result<bool> {
        let mut gate = self.gate.borrow_mut();
        let found: Vec<(Finding, Option<Decided>)> = if self.looking_only {
            gate.check_release(finished.release)?.into_iter().map(|finding| (finding, None)).collect()
        } else {
            let author = Author { by: &self.by, force: self.reason.as_deref() };
            let decided = gate.add_release(finished.release, finished.checksum.as_deref(), author)?;
            decided.into_iter().map(|decided| (decided.finding.clone(), Some(decided))).collect()
        };
        let kept_back = |(finding, decided): &(Finding, Option<Decided>)| match decided {
            Some(decided) => decided.outcome == Outcome::Refused,
            None => !finding.passes() && self.reason.is_none(),
        };
        let shown = !found.iter().any(kept_back);
        self.found.replace(found);
        Ok(shown)
    }

    /// What was found and recorded, as JSON.
    pub fn json(&self) -> Value {
        let entry = |(finding, decided): &(Finding, Option<Decided>)| {
            let decided = decided.as_ref();
            json!({
                "outcome": decided.map(|decided| decided.outcome),
                "decision": decided.map(|decided| decided.decision),
                "evidence": decided.and_then(|decided| decided.evidence),
                "finding": finding.json(),
            })
        };
        self.found.borrow().iter().map(entry).collect()
    }

    /// The same in words.
    pub fn text(&self) -> Result<String> {
        let gate = self.gate.borrow();
        let mut text = String::from("Together with what was shown before, as far as groups show it:\n");
        for (finding, decided) in self.found.borrow().iter() {
            text += &finding_text(finding, &gate.demanded(&finding.column)?);
            if let Some(decided) = decided {
                let evidence = decided.evidence.map_or_else(String::new, |number| format!(" as evidence {number}"));
                let _ =
                    writeln!(text, "  Recorded: decision {}, {}{evidence}.", decided.decision, decided.outcome.word());
            }
        }
        Ok(text)
    }
}
