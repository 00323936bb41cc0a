//! What the manifest says of its sequence, as far as that can be told from the manifest alone.

use pellucid_model::manifest::PublishedSequence;

/// Checks what can be told of the sequence from the manifest alone.
pub(crate) fn check_stated(sequence: &PublishedSequence) -> Result<String, String> {
    if sequence.strategy == "naive" {
        return Err("the naive strategy gives people away to whoever knows the sequence".to_owned());
    }
    let released = sequence.released;
    if sequence.functions.get(released.wrapping_sub(1)).is_some_and(|function| function.ruled_out.is_some()) {
        return Err(format!("function {released} is said to be ruled out by group sizes, and released"));
    }
    Ok(format!("function {released} of {}, by strategy `{}`", sequence.functions.len(), sequence.strategy))
}
