//! What the ledger knows and what it does not: where counting decides, and what is said with every verdict.
//!
//! Counting is complete for one sensitive column of which views and releases of class coarsening-at-random were shown, without kept
//! columns: then the multisets of all groups are all that anybody was told. Everything else that was shown tells more than its
//! groups, which nobody counts yet; what is believed from it is undecided. What a release or a view tells besides is noted when it is
//! recorded (`release.rs`).

use pellucid_model::table::{Column, Role};

use super::records::{EvidenceKind, EvidenceRecord, TableHistory};
use super::{Gate, GateShowing};

/// What is taken as known beforehand, of which the verdict speaks.
pub const KNOWN: &str = "which values are possible, not that each of them occurs";

/// Against whom a verdict holds.
pub const ATTACKER: &str = "an attacker who knows everyone's quasi-identifiers, all that was shown and how it was made, but nothing else \
                            of the people: not the usual rates, not anybody's value";

/// What a release says of itself when an earlier one was withdrawn.
pub const EARLIER_RESULT: &str = "an earlier result had been seen; the promise does not cover that choice";

/// A release that was recorded, for the owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierRelease {
    /// The number of its evidence.
    pub number: u64,
    /// When it was recorded.
    pub at: String,
    /// Who decided.
    pub by: String,
    /// As what.
    pub statement: String,
    /// Whether it was withdrawn.
    pub withdrawn: bool,
}

/// Everything that still counts.
pub(super) fn standing(history: Option<&TableHistory>) -> impl Iterator<Item = &EvidenceRecord> {
    history.into_iter().flat_map(|history| &history.evidence).filter(|evidence| evidence.withdrawn.is_none())
}

/// Why belief about `column` cannot be decided by counting, `showing` included if something is to be shown.
pub(super) fn gaps(
    table_columns: &[&Column],
    history: Option<&TableHistory>,
    column: &str,
    showing: Option<&GateShowing>,
) -> Vec<String> {
    let mut gaps = Vec::new();
    if table_columns.len() > 1 {
        gaps.push(format!(
            "the table has {} sensitive columns, and what links them is not counted; give those of which nothing is ever shown role `drop`",
            table_columns.len()
        ));
    }
    for evidence in standing(history) {
        let number = evidence.number;
        if evidence.column != column && table_columns.len() == 1 {
            gaps.push(format!(
                "column `{}` was shown too (evidence {number}), and what links it to `{column}` is not counted",
                evidence.column
            ));
        }
        if evidence.others.iter().flatten().any(|name| name == column) {
            gaps.push(format!("column `{column}` was published with another role before (evidence {number})"));
        }
        match &evidence.gaps {
            Some(known) => gaps.extend(known.iter().map(|gap| format!("evidence {number} {gap}"))),
            // Several views at once were chosen to restore privacy.
            None if evidence.kind == EvidenceKind::Release || evidence.groups.len() > 1 => gaps.push(format!(
                "evidence {number} was recorded by version 0.1.0, which did not note what it tells besides its groups"
            )),
            None => {}
        }
    }
    gaps.extend(
        showing.iter().flat_map(|showing| &showing.gaps).map(|gap| format!("this {} {gap}", showing_word(showing))),
    );
    gaps.dedup();
    gaps
}

fn showing_word(showing: Option<&GateShowing>) -> &'static str {
    if showing.is_some_and(|showing| showing.kind == EvidenceKind::Release) { "release" } else { "view" }
}

/// What is said with every verdict on the table: releases that were withdrawn, and what was recorded although it was undecided.
pub(super) fn remarks(history: Option<&TableHistory>, decisions: &[super::records::DecisionRecord]) -> Vec<String> {
    let mut remarks = Vec::new();
    for evidence in history.into_iter().flat_map(|history| &history.evidence) {
        if let Some(withdrawn) = &evidence.withdrawn {
            remarks.push(format!(
                "evidence {} was withdrawn {} by {}, as never handed out ({}): {EARLIER_RESULT}",
                evidence.number, withdrawn.at, withdrawn.by, withdrawn.reason
            ));
            continue;
        }
        let decision = decisions.iter().find(|decision| decision.evidence == Some(evidence.number));
        if let Some(decision) = decision.filter(|decision| decision.verdict == "undecided" && decision.reason.is_some())
        {
            remarks.push(format!(
                "evidence {} was undecided and recorded all the same, {} by {} ({})",
                evidence.number,
                decision.at,
                decision.by,
                decision.reason.as_deref().unwrap_or_default()
            ));
        }
    }
    remarks
}

impl Gate {
    /// The sensitive columns of the table.
    pub(super) fn sensitive(&self) -> Vec<&Column> {
        self.source.table.with_role(Role::Sensitive).collect()
    }

    /// Releases of the table that are recorded, each once, in the order in which they were.
    pub fn releases(&mut self) -> pellucid_model::error::Result<Vec<EarlierRelease>> {
        let history = self.history()?;
        let evidence = history.iter().flat_map(|history| &history.evidence);
        let mut releases: Vec<EarlierRelease> = Vec::new();
        let mut columns: Vec<String> = Vec::new();
        for shown in evidence.filter(|shown| shown.kind == EvidenceKind::Release) {
            // A release is recorded once for each sensitive column.
            let is_same = releases.last().is_some_and(|last| last.statement == shown.statement);
            if is_same && !columns.contains(&shown.column) {
                columns.push(shown.column.clone());
                continue;
            }
            columns = vec![shown.column.clone()];
            releases.push(EarlierRelease {
                number: shown.number,
                at: shown.at.clone(),
                by: shown.by.clone(),
                statement: shown.statement.clone(),
                withdrawn: shown.withdrawn.is_some(),
            });
        }
        Ok(releases)
    }
}
