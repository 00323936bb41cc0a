//! `pellucid publish --ledger`: a release is judged with everything that was shown before, and recorded.

use std::cell::RefCell;
use std::fmt::Write;
use std::path::Path;

use clap::Args;
use pellucid_app::Gate;
use pellucid_app::parts::{DecisionAuthor, GateDecision, GateFinding, GateSettings, OwnerOverride};
use pellucid_io::load_source;
use pellucid_io::publish::FinishedRelease;
use pellucid_ledger::DecisionOutcome;
use pellucid_ledger::open_gate;
use pellucid_ledger::peek_gate;
use pellucid_model::error::{Error, Result};
use pellucid_publish::job::Job;
use serde_json::{Value, json};

use super::{Overriding, checked_seconds, finding_text, judging, new_ledger, tell_releases};
use crate::precedence::{UsualLedger, author, ledger_place};
use crate::terminal::UserTerminal;

/// Whether a release is judged with what was shown before, and recorded.
#[derive(Debug, Args)]
pub struct RecordingOptions {
    /// Judge the release with everything that this ledger records of the table, refuse it when they reveal too much together,
    /// and record it: a file, or `postgres://user@host/database`; else what `PELLUCID_LEDGER` says, else `ledger` in `[views]`
    #[arg(long, value_name = "PLACE")]
    ledger: Option<String>,
    /// Who decides, for the ledger; the name of the user when left out
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// Neither judge with a ledger nor record, though one is named elsewhere
    #[arg(long, conflicts_with_all = ["ledger", "by", "overriding", "seconds"])]
    without_ledger: bool,
    #[command(flatten)]
    overriding: Overriding,
    /// Seconds that judging with the ledger may take, 30 unless said; what is not decided by then is undecided
    #[arg(long, value_name = "NUMBER")]
    seconds: Option<f64>,
}

impl RecordingOptions {
    /// Who keeps releases back, when a ledger is named; reads the table of `job`, and opens the ledger, which need not be there
    /// yet. A run that only looks records and makes nothing.
    pub fn keeper<'a>(
        &'a self,
        job: &Job,
        base_dir: &Path,
        looking_only: bool,
        terminal: &'a UserTerminal,
    ) -> Result<Option<ReleaseKeeper<'a>>> {
        let place = ledger_place(self.ledger.as_deref(), Some((job, base_dir)), UsualLedger::None);
        let Some(place) = place.filter(|_| !self.without_ledger) else {
            if self.overriding.reason.is_some() || self.by.is_some() || self.seconds.is_some() {
                return Err(Error::invalid(
                    "--by, --seconds, --record-undecided, --force and --reason are for a ledger, and none is named; add --ledger",
                ));
            }
            return Ok(None);
        };
        let source = load_source(job, base_dir)?;
        let open = if looking_only { peek_gate } else { open_gate };
        let mut settings = GateSettings::of(job);
        settings.budget.seconds = checked_seconds(self.seconds)?.or(settings.budget.seconds);
        let mut gate = open(source, &place, settings)?;
        if gate.is_new() && !looking_only {
            terminal.note(new_ledger(&gate, &place, false).trim_end());
        }
        tell_releases(&mut gate, terminal)?;
        Ok(Some(ReleaseKeeper {
            earlier_result: gate.earlier_result()?,
            gate: RefCell::new(gate),
            by: author(self.by.as_deref()),
            overrides: self.overriding.overrides(),
            looking_only,
            terminal,
            found: RefCell::default(),
        }))
    }
}

/// Keeps a release back when it reveals too much together with what was shown before.
pub struct ReleaseKeeper<'a> {
    /// What the release says of an earlier one that was withdrawn.
    pub earlier_result: Option<&'static str>,
    gate: RefCell<Gate>,
    by: String,
    overrides: OwnerOverride<'a>,
    looking_only: bool,
    terminal: &'a UserTerminal,
    found: RefCell<Vec<(GateFinding, Option<GateDecision>)>>,
}

impl ReleaseKeeper<'_> {
    /// Whether the release may be seen.
    pub fn inspect(&self, finished: &FinishedRelease<'_>) -> Result<bool> {
        let mut gate = self.gate.borrow_mut();
        self.terminal.progress(&judging(gate.settings()));
        let found: Vec<(GateFinding, Option<GateDecision>)> = if self.looking_only {
            let classes = gate.source().classes_of(finished.release, None)?;
            gate.check_columns(&classes)?.into_iter().map(|finding| (finding, None)).collect()
        } else {
            let author = DecisionAuthor { by: &self.by, overrides: self.overrides };
            let classes = gate.source().classes_of(finished.release, finished.checksum.as_deref())?;
            let decided = gate.add_columns(&classes, author)?;
            decided.into_iter().map(|decided| (decided.finding.clone(), Some(decided))).collect()
        };
        let kept_back = |(finding, decided): &(GateFinding, Option<GateDecision>)| match decided {
            Some(decided) => decided.outcome == DecisionOutcome::Refused,
            None => !finding.passes() && self.overrides.reason(finding).is_none(),
        };
        let shown = !found.iter().any(kept_back);
        self.found.replace(found);
        Ok(shown)
    }

    /// What to do about a refusal.
    pub fn remedy(&self) -> &'static str {
        if self.found.borrow().iter().any(|(finding, _)| finding.is_undecided()) {
            "Publish by a publisher whose promise is coarsening-at-random,\nwithout kept columns and with one sensitive column, or add \
             --record-undecided --reason TEXT to take it on yourself."
        } else {
            "Show less, in larger groups, or withdraw what was never\nhanded out: pellucid ledger withdraw."
        }
    }

    /// What was found and recorded, as JSON.
    pub fn json(&self) -> Value {
        let entry = |(finding, decided): &(GateFinding, Option<GateDecision>)| {
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
        let mut text = String::from("With everything that the ledger records of this table:\n");
        for (finding, decided) in self.found.borrow().iter() {
            text += &finding_text(finding);
            if let Some(decided) = decided {
                let evidence = decided.evidence.map_or_else(String::new, |number| format!(" as evidence {number}"));
                let _ = writeln!(
                    text,
                    "  Recorded: decision {}, {}{evidence}.",
                    decided.decision,
                    decided.outcome.as_str()
                );
            }
        }
        text
    }
}
