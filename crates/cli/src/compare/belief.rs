//! What attackers believe of the people in a release.

use pellucid_app::parts::ReleaseFigures;
use pellucid_inference::verdict::Verdict;
use pellucid_publish::job::AttackFindings;

/// What somebody believes who ignores the mechanism.
pub fn blind(released: &ReleaseFigures) -> Option<&Verdict> {
    Some(&found(released)?.account.blind)
}

/// What somebody believes who knows it.
pub fn knowing(released: &ReleaseFigures) -> Option<&Verdict> {
    Some(&found(released)?.account.knowing)
}

/// Why it is not known what somebody believes who knows the mechanism.
pub fn why_unknown(released: &ReleaseFigures) -> Option<&str> {
    released.attack.as_ref()?.as_ref().err().map(String::as_str)
}

fn found(released: &ReleaseFigures) -> Option<&AttackFindings> {
    released.attack.as_ref()?.as_deref().ok()
}
