//! What adversaries believe, in few words.

use pellucid_app::{Belief, Released};
use pellucid_inference::attack::{Beliefs, Span};

/// What one adversary believes of the people in a release.
pub struct Believes {
    /// `exact`, `bound` or `estimate`.
    pub word: &'static str,
    /// The highest belief in a value of anybody: at least, and at most.
    pub highest: (f64, f64),
    /// People of whom something is believed with more than was promised: at least, and at most.
    pub above: (u64, u64),
    /// Whether something was promised.
    pub promised: bool,
}

/// What somebody believes who ignores the mechanism.
pub fn blind(released: &Released) -> Option<Believes> {
    let belief = believed(released)?;
    Some(of(&belief.account.blind, "exact", belief))
}

/// What somebody believes who knows it.
pub fn knowing(released: &Released) -> Option<Believes> {
    let belief = believed(released)?;
    let account = &belief.account;
    let word = if account.estimated > 0 {
        "estimate"
    } else if belief.proven || account.bounded + account.refused + account.partly > 0 {
        "bound"
    } else {
        "exact"
    };
    Some(of(&account.knowing, word, belief))
}

/// Why it is not known what somebody believes who knows the mechanism.
pub fn why_unknown(released: &Released) -> Option<&str> {
    released.belief.as_ref()?.as_ref().err().map(String::as_str)
}

fn believed(released: &Released) -> Option<&Belief> {
    released.belief.as_ref()?.as_ref().ok()
}

fn of(beliefs: &Beliefs, word: &'static str, belief: &Belief) -> Believes {
    let Span { low, high } = beliefs.above;
    Believes {
        word,
        highest: (beliefs.highest_at_least, beliefs.highest),
        above: (low, high),
        promised: belief.account.bound.is_some(),
    }
}
