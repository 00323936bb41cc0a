//! `pellucid publish --ledger`: a release is judged with everything that was shown before, and recorded.

use std::cell::RefCell;
use std::fmt::Write;
use std::path::Path;

use clap::Args;
use pellucid_core::error::{Error, Result};
use pellucid_core::job::Job;
use pellucid_io::publish::Finished;
use pellucid_ledger::Outcome;
use pellucid_ledger::gate::{Author, Decided, Finding, Gate, Settings, Source};
use serde_json::{Value, json};

use super::{author, finding_text, place};

/// Whether a release is judged with what was shown before, and recorded.
#[derive(Debug, Args)]
pub struct Recording {
    /// Judge the release with everything that this ledger records of the table, refuse it when they reveal too much together,
    /// and record it: a file, or `postgres://user@host/database`; else what `PELLUCID_LEDGER` says, else `ledger` in `[views]`
    #[arg(long, value_name = "PLACE")]
    ledger: Option<String>,
    /// Who decides, for the ledger; the name of the user when left out
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// Neither judge with a ledger nor record, though one is named elsewhere
    #[arg(long, conflicts_with_all = ["ledger", "by", "force"])]
    without_ledger: bool,
    /// Publish even if it reveals too much together with what the ledger records
    #[arg(long, requires = "reason")]
    force: bool,
    /// Why it is published all the same
    #[arg(long, value_name = "TEXT", requires = "force")]
    reason: Option<String>,
}

impl Recording {
    /// Who keeps releases back, when a ledger is named; reads the table of `job`, and opens the ledger, which need not be there
    /// yet. A run that only looks records and makes nothing.
    pub fn keeper(&self, job: &Job, base_dir: &Path, looking_only: bool) -> Result<Option<Keeper>> {
        // A ledger that is only usual is not taken: nobody asked for one.
        let of_job = job.views.as_ref().is_some_and(|views| views.ledger.is_some()).then_some((job, base_dir));
        let Some(place) = place(self.ledger.as_deref(), of_job).filter(|_| !self.without_ledger) else {
            if self.force || self.by.is_some() {
                return Err(Error::invalid(
                    "--by, --force and --reason are for a ledger, and none is named; add --ledger",
                ));
            }
            return Ok(None);
        };
        let source = Source::load(job.clone(), base_dir)?;
        let open = if looking_only { Gate::peek } else { Gate::open };
        Ok(Some(Keeper {
            gate: RefCell::new(open(source, &place, Settings::of(job))?),
            by: author(self.by.as_deref()),
            reason: self.reason.clone(),
            looking_only,
            found: RefCell::default(),
        }))
    }
}

/// Keeps a release back when it reveals too much together with what was shown before.
pub struct Keeper {
    gate: RefCell<Gate>,
    by: String,
    reason: Option<String>,
    looking_only: bool,
    found: RefCell<Vec<(Finding, Option<Decided>)>>,
}

impl Keeper {
    /// Whether the release may be seen.
    pub fn inspect(&self, finished: &Finished<'_>) -> Result<bool> {
        let mut gate = self.gate.borrow_mut();
        let found: Vec<(Finding, Option<Decided>)> = if self.looking_only {
            let classes = gate.source().classes_of(finished.release, None)?;
            gate.check_columns(&classes)?.into_iter().map(|finding| (finding, None)).collect()
        } else {
            let author = Author { by: &self.by, force: self.reason.as_deref() };
            let classes = gate.source().classes_of(finished.release, finished.checksum.as_deref())?;
            let decided = gate.add_columns(&classes, author)?;
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
    pub fn text(&self) -> String {
        let mut text = String::from("Together with what was shown before, as far as groups show it:\n");
        for (finding, decided) in self.found.borrow().iter() {
            text += &finding_text(finding);
            if let Some(decided) = decided {
                let evidence = decided.evidence.map_or_else(String::new, |number| format!(" as evidence {number}"));
                let _ =
                    writeln!(text, "  Recorded: decision {}, {}{evidence}.", decided.decision, decided.outcome.word());
            }
        }
        text
    }
}
