//! What a verification says: one entry per check, and what was measured on the way.

use pellucid_model::manifest::MeasuredPrinciple;
pub(crate) use pellucid_model::words::{are, counted};
use serde::Serialize;

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// What is claimed is so.
    Passed,
    /// What is claimed is not so.
    Failed,
    /// The check does not apply, or what it needs was not given or failed before.
    Skipped,
    /// Neither could be shown within the limits.
    Undecided,
    /// It is repeated as it is stated; nothing here can check it.
    #[serde(rename = "not-checked")]
    NotChecked,
}

/// A claim that was examined, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReleaseCheck {
    /// What was checked: `files`, `publisher`, `bytes`, `columns`, `groups`, `notation`, `principle`, `measured`, `canonical order`,
    /// `mechanism`, `search`, `left out`, `suppressed`, `source rows`, `assignment`, `matching`, `tightness`, `sequence`,
    /// `sequence groups`, `level groups` or `search groups`.
    pub name: &'static str,
    /// How it ended.
    pub status: CheckStatus,
    /// Why; names files, lines, columns, classes and numbers, never a value.
    pub detail: String,
}

/// What a verification says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct VerificationReport {
    /// The checks in the order in which they were made; `principle` once per principle and sensitive column.
    pub checks: Vec<ReleaseCheck>,
    /// Number of released rows.
    pub rows: u64,
    /// Number of classes of rows published alike.
    pub classes: u64,
    /// For each principle and sensitive column the parameter at which the worst class just passes.
    pub measured: Vec<MeasuredPrinciple>,
}

impl VerificationReport {
    /// Whether no check failed and none was left undecided.
    pub fn passed(&self) -> bool {
        self.checks
            .iter()
            .all(|check| matches!(check.status, CheckStatus::Passed | CheckStatus::Skipped | CheckStatus::NotChecked))
    }

    /// The checks that failed.
    pub fn failures(&self) -> impl Iterator<Item = &ReleaseCheck> {
        self.checks.iter().filter(|check| check.status == CheckStatus::Failed)
    }

    /// The first check called `name`.
    pub fn check(&self, name: &str) -> Option<&ReleaseCheck> {
        self.checks.iter().find(|check| check.name == name)
    }

    /// Notes how the check `name` ended.
    pub(crate) fn note(&mut self, name: &'static str, status: CheckStatus, detail: impl Into<String>) {
        self.checks.push(ReleaseCheck { name, status, detail: detail.into() });
    }

    /// Notes a check that passes with words, or fails with a reason.
    pub(crate) fn settle(&mut self, name: &'static str, outcome: Result<String, String>) -> bool {
        let (status, detail) = match outcome {
            Ok(detail) => (CheckStatus::Passed, detail),
            Err(reason) => (CheckStatus::Failed, reason),
        };
        self.note(name, status, detail);
        status == CheckStatus::Passed
    }

    /// Notes that the checks `names` were not made.
    pub(crate) fn skip(&mut self, names: &[&'static str], reason: &str) {
        for name in names {
            self.note(name, CheckStatus::Skipped, reason);
        }
    }
}
