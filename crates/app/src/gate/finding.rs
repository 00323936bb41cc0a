//! What a gate finds about something that is to be shown.

use pellucid_inference::attack::Span;
use pellucid_inference::views::{Drawing, Judgement, Most, Simulated, Verdict};
use pellucid_model::exact::format_fraction;
use pellucid_publish::job::GateKind;
use serde_json::{Value, json};

use super::{ATTACKER, KNOWN};

/// What all of the evidence and something more would reveal together, of one sensitive column.
#[derive(Debug, Clone)]
pub struct Finding {
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
    pub before: Option<Judgement>,
    /// What the gate found without looking at values, when it must not look at them.
    pub simulated: Option<Simulated>,
    /// What would be believed with it; `None` when the gate refuses to look, or when that takes too much.
    pub after: Option<Judgement>,
    /// Why counting does not decide; empty where all that was shown is counted.
    pub gaps: Vec<String>,
    /// What is said with every verdict on the table.
    pub remarks: Vec<String>,
    /// Seconds that it took.
    pub seconds: f64,
}

impl Finding {
    /// Whether it may be shown: it tells nothing new, or the demand holds afterwards and the gate agrees.
    pub fn passes(&self) -> bool {
        self.repeats.is_some() || self.conclusion() == Some(Verdict::Private)
    }

    /// Whether it neither passes nor is known to reveal too much.
    pub fn is_undecided(&self) -> bool {
        !self.passes() && self.conclusion() == Some(Verdict::Undecided)
    }

    /// The verdict, gaps included; `None` when it is not known because the gate does not look.
    ///
    /// What the groups alone reveal is known whatever else was told: somebody may look at nothing else.
    fn conclusion(&self) -> Option<Verdict> {
        match (&self.simulated, &self.after) {
            (Some(Simulated::Unsafe), _) => None,
            (Some(Simulated::Unknown), _) | (_, None) => Some(Verdict::Undecided),
            (_, Some(after)) if after.verdict == Verdict::NotPrivate => Some(Verdict::NotPrivate),
            (_, Some(_)) if !self.gaps.is_empty() => Some(Verdict::Undecided),
            (_, Some(after)) => Some(after.verdict),
        }
    }

    /// What was found, in a few words.
    pub fn verdict(&self) -> &'static str {
        self.conclusion().map_or("could be not private", Verdict::words)
    }

    /// What was found, in full; without a value of the table.
    pub fn json(&self) -> Value {
        let simulated = self.simulated.as_ref().map(|simulated| match simulated {
            Simulated::Safe { possible } => json!({ "safe": true, "possible": possible }),
            Simulated::Unsafe => json!({ "safe": false }),
            Simulated::Unknown => json!({ "safe": null }),
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
            "gate": self.gate.word(),
            "repeats": self.repeats,
            "passes": self.passes(),
            "verdict": self.verdict().replace(' ', "-"),
            "holds_against": ATTACKER,
            "known_beforehand": KNOWN,
            "not_counted": self.gaps,
            "remarks": self.remarks,
            "seconds": self.seconds,
            "simulated": simulated,
            "before": self.before.as_ref().map(judgement_json),
            "after": self.after.as_ref().map(judgement_json),
        })
    }
}

/// A judgement as JSON.
pub fn judgement_json(judgement: &Judgement) -> Value {
    let drawn = judgement.drawn.iter().map(|drawing| {
        let Drawing { draws, effective, remembered, views } = drawing;
        json!({ "draws": draws, "effective": effective, "remembered": remembered, "views": views })
    });
    json!({
        "verdict": judgement.verdict,
        "exact": judgement.exact,
        "tolerated": judgement.tolerated,
        "highest": most_json(&judgement.highest),
        "failing": span_json(judgement.failing),
        "certain": span_json(judgement.certain),
        "drawn": drawn.collect::<Vec<_>>(),
    })
}

/// The highest probability as JSON.
pub fn most_json(most: &Most) -> Value {
    json!({ "exactly": most.exactly.as_ref().map(format_fraction), "low": most.within.low, "high": most.within.high })
}

fn span_json(span: Span) -> Value {
    json!({ "low": span.low, "high": span.high })
}
