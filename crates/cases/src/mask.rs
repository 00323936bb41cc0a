//! The kind `mask`: what a release of Mask gives away to one who knows Mask and the partition it started from.

use std::collections::{BTreeMap, BTreeSet};

use pellucid_inference::adversary::{BoxRelease, PossibleWorlds, PosteriorBelief, reverse_engineer_all};
use pellucid_model::error::Result;
use pellucid_model::exact::{Fraction, format_fraction};
use serde_json::{Map, Value, json};

use super::mechanism::MaskOnPartition;
use super::object::{CaseObject, wrong};
use super::people::{CasePeople, within};
use super::values::ratio;
use super::{AnswerOptions, CaseAnswer, CaseKind, CaseQuestion};

/// The registry entry of Mask.
pub const KIND: CaseKind = CaseKind {
    id: "mask",
    summary: "what a release of Mask gives away to one who knows its first partition",
    example: r#"{"external": {"0": [0], "1": [0], "2": [1], "3": [1]}, "l": 2, "V": ["a"], "kpart": [[0, 1], [2, 3]],
        "output": [[[[0, 0]], "a"], [[[0, 0]], "b"], [[[1, 1]], "a"], [[[1, 1]], "b"]]}"#,
    read: |input| Ok(Box::new(Masked::read(input)?)),
};

/// The keys of the input.
const KEYS: &[&str] = &["external", "table", "l", "norm", "domain", "V", "kpart", "output", "rounding"];

/// How a distribution is copied to a group of another size.
const ROUNDING: &str = "largest remainder, ties by value order";

#[derive(Debug)]
struct Masked {
    cast: CasePeople,
    mask: MaskOnPartition,
    output: Option<BoxRelease>,
}

impl Masked {
    fn read(input: &Value) -> Result<Self> {
        let input = CaseObject::new(input, KEYS).map_err(|error| error.context("key `input`"))?;
        input.refuse_misspelt()?;
        let cast = CasePeople::read(&input)?;
        if input.find("rounding").is_some() && input.text("rounding")? != ROUNDING {
            return Err(wrong("rounding", &format!("\"{ROUNDING}\"; there is no other way yet")));
        }
        let partition = cast.groups("kpart", input.get("kpart")?)?;
        if partition.iter().map(Vec::len).sum::<usize>() != cast.people.len() {
            return Err(wrong("kpart", "groups of everyone in `external`; add who is missing, or remove them there"));
        }
        let protected: BTreeSet<u32> = cast.codes("V", input.get("V")?)?.into_iter().collect();
        let mask = MaskOnPartition { external: cast.external.clone(), partition, l: cast.l, protected };
        let output = cast.release("output", input.get("output")?)?;
        Ok(Self { cast, mask, output })
    }
}

impl CaseQuestion for Masked {
    fn answer(&self, options: &AnswerOptions) -> Result<Box<dyn CaseAnswer>> {
        let people = self.cast.people.len();
        let worlds = within(PossibleWorlds::of_size(people, people, self.cast.values.len() as u32), options);
        let beliefs = reverse_engineer_all(&self.mask, &worlds)?;
        let protected = &self.mask.protected;
        let on_protected = |belief: &PosteriorBelief| belief.max_risk_on(|value| protected.contains(&value));
        let releases = |beliefs: &BTreeMap<Option<BoxRelease>, PosteriorBelief>| {
            beliefs.iter().filter(|belief| belief.0.is_some()).map(|belief| on_protected(belief.1)).max()
        };
        let worst = releases(&beliefs).unwrap_or(Fraction::ZERO);
        let belief = beliefs.get(&self.output).cloned();
        let highest = belief.as_ref().map(on_protected);
        let protected = protected.iter().copied().collect();
        Ok(Box::new(Unmasked { cast: self.cast.clone(), protected, belief, highest, worst }))
    }
}

#[derive(Debug)]
struct Unmasked {
    cast: CasePeople,
    protected: Vec<u32>,
    /// `None` when Mask never answers so.
    belief: Option<PosteriorBelief>,
    highest: Option<Fraction>,
    worst: Fraction,
}

impl CaseAnswer for Unmasked {
    fn json(&self) -> Value {
        let mut object = Map::new();
        match &self.belief {
            Some(belief) => {
                object = self.cast.belief_json(belief);
                object.insert("support_instances".into(), json!(belief.worlds));
                for (person, name) in self.cast.people.iter().enumerate() {
                    for &value in &self.protected {
                        let key = format!("support_instances_{name}_{}", self.cast.values[value as usize]);
                        object.insert(key, json!(belief.support(person, value)));
                    }
                }
            }
            None => drop(object.insert("weight".into(), json!("0/1"))),
        }
        if let Some(highest) = &self.highest {
            object.insert("max_risk_on_V".into(), json!(ratio(highest)));
        }
        object.insert("worst_risk_on_V".into(), json!(ratio(&self.worst)));
        Value::Object(object)
    }

    fn text(&self) -> String {
        let worst = format_fraction(&self.worst);
        let (Some(belief), Some(highest)) = (&self.belief, &self.highest) else {
            let heading = self.cast.heading();
            return format!("{heading}\n\n  Mask never answers so; highest on V after any release {worst}\n");
        };
        format!(
            "{}\n\n  {}; highest on V {}, after any release {worst}\n",
            self.cast.heading(),
            self.cast.belief_text(belief),
            format_fraction(highest)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input() -> Value {
        json!({ "external": { "0": [0], "1": [0], "2": [1], "3": [1] }, "l": 2, "V": ["a"], "kpart": [[0, 1], [2, 3]],
            "output": [[[[0, 0]], "a"], [[[0, 0]], "b"], [[[1, 1]], "a"], [[[1, 1]], "b"]] })
    }

    #[test]
    fn four_people_are_enough_to_break_mask() {
        // Both groups have a and b (4 worlds), or one of them has a twice (2 * 2): 4 + 4 worlds, 5/8 for a.
        let answer = Masked::read(&input()).unwrap().answer(&AnswerOptions::default()).unwrap();
        let json = answer.json();
        assert_eq!((&json["weight"], &json["max_risk_on_V"]), (&json!("8/1"), &json!("5/8")));
        assert_eq!(json["support_instances_0_a"], 5);
        assert!(answer.text().contains("highest on V 5/8"), "{}", answer.text());
    }

    #[test]
    fn an_impossible_release_has_no_weight() {
        let mut impossible = input();
        impossible["output"] = json!([[[[0, 1]], "a"]]);
        let answer = Masked::read(&impossible).unwrap().answer(&AnswerOptions::default()).unwrap();
        assert_eq!(answer.json()["weight"], "0/1");
        assert!(answer.text().contains("never answers so"));
    }

    #[test]
    fn bad_input_is_refused_with_its_key() {
        for (key, value, words) in [
            ("rounding", json!("down"), "key `rounding` must be \"largest remainder"),
            ("kpart", json!([[0, 1], [2]]), "key `kpart` must be groups of everyone"),
            ("kpart", json!([[0, 1], [2, 1]]), "key `kpart` must be groups that share nobody"),
            ("V", json!("a"), "key `V` must be a list"),
        ] {
            let mut bad = input();
            bad[key] = value;
            let message = Masked::read(&bad).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
    }
}
