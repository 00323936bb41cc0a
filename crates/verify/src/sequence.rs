//! What the manifest says of its sequence, as far as that can be told from the manifest alone.

use pellucid_inference::sequence::STRATEGIES;
use pellucid_model::claim::EntryClaim;
use pellucid_model::manifest::PublishedSequence;
use pellucid_model::registry::find;

/// Checks what can be told of the sequence from the manifest alone.
pub(crate) fn check_stated(sequence: &PublishedSequence) -> Result<String, String> {
    let known = find(STRATEGIES, "strategy", &sequence.strategy);
    if known.is_ok_and(|entry| !entry.claims(EntryClaim::Safety)) {
        return Err(format!("the {} strategy gives people away to whoever knows the sequence", sequence.strategy));
    }
    let released = sequence.released;
    if sequence.functions.get(released.wrapping_sub(1)).is_some_and(|function| function.ruled_out.is_some()) {
        return Err(format!("function {released} is said to be ruled out by group sizes, and released"));
    }
    Ok(format!("function {released} of {}, by strategy `{}`", sequence.functions.len(), sequence.strategy))
}
