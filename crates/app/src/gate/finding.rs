//! What a gate finds about something that is to be shown.

use pellucid_inference::verdict::{Verdict, VerdictConclusion};
use pellucid_inference::views::SimulatableVerdict;
use pellucid_publish::job::GateKind;
use serde_json::{Value, json};

use super::{ATTACKER, KNOWN};

/// What all of the evidence and something more would reveal together, of one sensitive column.
#[derive(Debug, Clone)]
pub struct GateFinding {
    /// The sensitive column.
    pub column: String,
    /// What is to be shown.
    pub statement: String,
    /// What must hold of belief, in words.
    pub demanded: Vec<String>,
    /// By how much an estimate may leave that open.
    pub epsilon: f64,
    /// With which probability all intervals of an estimate hold together; `None` when nothing is estimated.
    pub confidence: Option<f64>,
    /// How many groups of people it shows.
    pub groups: usize,
    /// People that it shows.
    pub people: usize,
    /// How many groups were shown before.
    pub earlier: usize,
    /// The gate that decides.
    pub gate: GateKind,
    /// The number of the evidence that shows the very same people, when nothing else is to be shown.
    pub repeats: Option<u64>,
    /// What is believed without it; `None` when that takes too much.
    pub before: Option<Verdict>,
    /// What the gate found without looking at values, when it must not look at them.
    pub simulated: Option<SimulatableVerdict>,
    /// What would be believed with it; `None` when the gate refuses to look, or when that takes too much.
    pub after: Option<Verdict>,
    /// Why counting does not decide; empty where all that was shown is counted.
    pub gaps: Vec<String>,
    /// What is said with every verdict on the table.
    pub remarks: Vec<String>,
    /// Seconds that it took.
    pub seconds: f64,
}

impl GateFinding {
    /// Whether it may be shown: it tells nothing new, or the demand holds afterwards and the gate agrees.
    pub fn passes(&self) -> bool {
        self.repeats.is_some() || self.conclusion() == Some(VerdictConclusion::Holds)
    }

    /// Whether it neither passes nor is known to reveal too much.
    pub fn is_undecided(&self) -> bool {
        !self.passes() && self.conclusion() == Some(VerdictConclusion::Undecided)
    }

    /// The verdict, gaps included; `None` when it is not known because the gate does not look.
    ///
    /// What the groups alone reveal is known whatever else was told: somebody may look at nothing else.
    fn conclusion(&self) -> Option<VerdictConclusion> {
        match (&self.simulated, &self.after) {
            (Some(SimulatableVerdict::Unsafe), _) => None,
            (Some(SimulatableVerdict::Unknown), _) | (_, None) => Some(VerdictConclusion::Undecided),
            (_, Some(after)) if after.conclusion == VerdictConclusion::Fails => Some(VerdictConclusion::Fails),
            (_, Some(_)) if !self.gaps.is_empty() => Some(VerdictConclusion::Undecided),
            (_, Some(after)) => Some(after.conclusion),
        }
    }

    /// What was found, in a few words.
    pub fn verdict(&self) -> &'static str {
        self.conclusion().map_or("could be not private", VerdictConclusion::label)
    }

    /// What was found, in full; without a value of the table.
    pub fn json(&self) -> Value {
        let simulated = self.simulated.as_ref().map(|simulated| match simulated {
            SimulatableVerdict::Safe { possible } => json!({ "safe": true, "possible": possible }),
            SimulatableVerdict::Unsafe => json!({ "safe": false }),
            SimulatableVerdict::Unknown => json!({ "safe": null }),
        });
        json!({
            "column": self.column,
            "statement": self.statement,
            "demanded": self.demanded,
            "epsilon": self.epsilon,
            "confidence": self.confidence,
            "groups": self.groups,
            "people": self.people,
            "earlier_groups": self.earlier,
            "gate": self.gate.as_str(),
            "repeats": self.repeats,
            "passes": self.passes(),
            "verdict": self.verdict().replace(' ', "-"),
            "holds_against": ATTACKER,
            "known_beforehand": KNOWN,
            "not_counted": self.gaps,
            "remarks": self.remarks,
            "seconds": self.seconds,
            "simulated": simulated,
            "before": self.before.as_ref().map(verdict_json),
            "after": self.after.as_ref().map(verdict_json),
        })
    }
}

/// A verdict on views as JSON.
pub fn verdict_json(verdict: &Verdict) -> Value {
    let mut value = json!(verdict);
    value["verdict"] = json!(verdict.conclusion.label().replace(' ', "-"));
    value["exact"] = json!(verdict.is_exact());
    value["drawn"] = json!(verdict.samples);
    value
}
