//! Refused parts of the answer, and the estimates that stand beside them.

use std::fmt::Write;

use pellucid_inference::belief::{Belief, UnitInterval};
use pellucid_model::words::{counted, thousands};
use serde_json::{Map, Value, json};

use super::answer::PartRefusal;

/// `{"refused": ..}`, and `"estimate"` when one was asked for.
pub fn refusal_json(refusal: &PartRefusal) -> Map<String, Value> {
    let mut object = Map::from_iter([("refused".to_owned(), json!(refusal.words))]);
    if let Some(estimate) = &refusal.estimate {
        let estimate = match estimate {
            Ok(estimate) => estimate_json(estimate),
            Err(words) => json!({ "refused": words }),
        };
        object.insert("estimate".to_owned(), estimate);
    }
    object
}

/// What samples say of a disclosure set.
struct Sampled {
    draws: u64,
    kept: u64,
    confidence: f64,
    /// The share of the permutation set that is left.
    share: UnitInterval,
    highest: UnitInterval,
}

impl Sampled {
    /// `None` when `belief` does not rest on worlds that were drawn and kept.
    fn of(belief: &Belief) -> Option<Self> {
        let [record] = belief.samples() else { return None };
        Some(Self {
            draws: record.draws,
            kept: record.effective as u64,
            confidence: record.confidence,
            share: record.share?,
            highest: belief.highest()?.within,
        })
    }
}

fn estimate_json(estimate: &Belief) -> Value {
    let Some(Sampled { draws, kept, confidence, share, highest }) = Sampled::of(estimate) else { return Value::Null };
    json!({
        "draws": draws,
        "kept": kept,
        "confidence": confidence,
        "share": [share.low, share.high],
        "max_ratio": [highest.low, highest.at, highest.high],
    })
}

/// Lines below a table of sets: why `name` is refused, and what samples say.
pub fn refusal_text(name: &str, refusal: &PartRefusal) -> String {
    let mut text = format!("    {name} is refused: {}\n", refusal.words);
    match &refusal.estimate {
        Some(Ok(estimate)) => drop(writeln!(text, "    {name} by estimate: {}", estimate_text(estimate))),
        Some(Err(words)) => drop(writeln!(text, "    {name} is not estimated: {words}")),
        None => {}
    }
    text
}

fn estimate_text(estimate: &Belief) -> String {
    let Some(Sampled { draws, kept, confidence, share, highest }) = Sampled::of(estimate) else { return String::new() };
    let sure = format!("{} %", (confidence * 1e8).round() / 1e6);
    let (kept, draws) = (thousands(&kept.to_string()), thousands(&draws.to_string()));
    let Some(at) = highest.at else {
        let (_, most) = outwards(0.0, share.high);
        return format!("no world kept of {draws}; at most {most} of the permutation set is left ({sure})");
    };
    let kept = counted(kept, "world", "worlds");
    let (low, high) = outwards(highest.low, highest.high);
    let (least, most) = outwards(share.low, share.high);
    format!(
        "highest about {at:.*} ({low} to {high}, {sure}, {kept} kept of {draws}); {least} to {most} of the \
         permutation set is left",
        digits(highest.low, highest.high)
    )
}

/// Decimals that show the width of an interval: at least two.
fn digits(low: f64, high: f64) -> usize {
    (2..9).find(|&digits| high - low >= 10f64.powi(-digits)).map_or(2, |digits| digits as usize)
}

/// Both ends with few decimals, the lower one rounded down and the upper one up.
fn outwards(low: f64, high: f64) -> (String, String) {
    let digits = digits(low, high);
    let scale = 10f64.powi(digits as i32);
    (format!("{:.digits$}", (low * scale).floor() / scale), format!("{:.digits$}", (high * scale).ceil() / scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_rounded_outwards() {
        let ends = |low: f64, high: f64| {
            let (low, high) = outwards(low, high);
            format!("{low} {high}")
        };
        assert_eq!(ends(0.387, 0.4412), "0.38 0.45");
        assert_eq!(ends(0.4371, 0.4412), "0.437 0.442");
        assert_eq!(ends(0.0, 0.000_368_8), "0.0000 0.0004");
        assert_eq!(ends(1.0, 1.0), "1.00 1.00");
    }
}
