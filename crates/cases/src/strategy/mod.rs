//! The kind `strategy`: what every strategy along a sequence of functions releases, and what it gives away.
//!
//! `answer.rs` asks the adversary, `show.rs` writes the answer down, `refusal.rs` what is refused or estimated.

mod answer;
mod refusal;
mod show;

use pellucid_inference::sequence::{JumpDistances, Strategy};
use pellucid_model::error::{Error, Result};
use pellucid_model::registry::EntryArgs;
use serde_json::Value;

use super::object::{CaseObject, list, whole};
use super::walking::{WalkSetting, k_jump, plain_strategies};
use super::{AnswerOptions, CaseAnswer, CaseKind, CaseQuestion};

/// The registry entry of strategies along a sequence.
pub const KIND: CaseKind = CaseKind {
    id: "strategy",
    summary: "what naive, safe, exclusive and k-jump release, and what that gives away",
    example: r#"{"table": ["flu", "gout", "flu", "asthma"], "functions": [[[0, 1], [2, 3]], [[0, 1, 2, 3]]],
        "property": {"type": "ratio_le", "delta": "1/2"}, "jumps": [1]}"#,
    read: |input| Ok(Box::new(Walks::read(input)?)),
};

/// The keys of the input.
const KEYS: &[&str] = &["table", "functions", "property", "jumps"];

/// A table, a sequence, what must hold, and the strategies to follow.
#[derive(Debug)]
struct Walks {
    setting: WalkSetting,
    /// Strategies by the name they have in the answer.
    strategies: Vec<(String, Box<dyn Strategy>)>,
}

impl Walks {
    fn read(input: &Value) -> Result<Self> {
        let input = CaseObject::new(input, KEYS).map_err(|error| error.context("key `input`"))?;
        input.refuse_misspelt()?;
        let setting = WalkSetting::read(&input)?;
        let jumps = input.find("jumps").map_or(Ok(&[][..]), |jumps| list("jumps", jumps))?;
        let strategies = strategies(jumps, setting.sequence.len())?;
        Ok(Self { setting, strategies })
    }
}

impl CaseQuestion for Walks {
    fn answer(&self, options: &AnswerOptions) -> Result<Box<dyn CaseAnswer>> {
        Ok(Box::new(self.ask(options)?))
    }
}

/// The fixed strategies and a k-jump for every entry of `jumps`, each once.
fn strategies(jumps: &[Value], steps: usize) -> Result<Vec<(String, Box<dyn Strategy>)>> {
    let plain = plain_strategies().map(|entry| Ok((entry.id.to_owned(), entry.make(&EntryArgs::new())?)));
    let mut strategies: Vec<(String, Box<dyn Strategy>)> = plain.collect::<Result<_>>()?;
    for (number, value) in (1..).zip(jumps) {
        let (name, jumps) = match value {
            Value::Array(vector) => {
                let vector = vector.iter().map(|jump| whole("jumps", jump)).collect::<Result<Vec<usize>>>()?;
                let words: Vec<String> = vector.iter().map(ToString::to_string).collect();
                (format!("jump:{}", words.join(",")), JumpDistances::Vector(vector))
            }
            _ => whole("jumps", value).map(|jump| (format!("jump:{jump}"), JumpDistances::Same(jump)))?,
        };
        let strategy = k_jump(jumps, steps);
        let strategy = strategy.map_err(|error: Error| error.context(format!("key `jumps`, entry {number}")))?;
        if strategies.iter().all(|known| known.0 != name) {
            strategies.push((name, strategy));
        }
    }
    Ok(strategies)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn input() -> Value {
        json!({
            "table": ["b", "a", "b"],
            "functions": [[[0], [1, 2]], [[0, 1, 2]]],
            "property": { "type": "ratio_le", "delta": "2/3" },
            "jumps": [1, [1, 2], 1, [2, 1]],
        })
    }

    #[test]
    fn values_are_coded_in_order() {
        let setting = Walks::read(&input()).unwrap().setting;
        assert_eq!((setting.names, setting.codes), (vec!["a".to_owned(), "b".to_owned()], vec![1, 0, 1]));
    }

    #[test]
    fn every_jump_is_followed_once() {
        let walks = Walks::read(&input()).unwrap();
        let names: Vec<&str> = walks.strategies.iter().map(|strategy| strategy.0.as_str()).collect();
        assert_eq!(names, ["naive", "safe", "exclusive", "jump:1", "jump:1,2", "jump:2,1"]);
        let mut without = input();
        without.as_object_mut().unwrap().remove("jumps");
        assert_eq!(Walks::read(&without).unwrap().strategies.len(), 3);
    }

    #[test]
    fn bad_input_is_refused_with_its_key() {
        for (key, value, words) in [
            ("table", json!([]), "key `table` is empty"),
            ("table", json!("ab"), "key `table` must be a list"),
            ("table", json!(["a", null, "b"]), "key `table` must be a list of text and whole numbers"),
            ("table", json!(["a", 1.5, "b"]), "key `table` must be a list of text and whole numbers"),
            ("functions", json!([]), "key `functions`: the sequence is empty"),
            ("functions", json!([[[0, 1]]]), "key `functions`: function 1 leaves person 2 out"),
            ("functions", json!([[[0, 1, 2]], [[0, 1], [1, 2]]]), "function 2 puts person 1 into two groups"),
            ("functions", json!([[[0, 1, 2, 3]]]), "names person 3, but the table has 3 people"),
            ("functions", json!([[["0", 1, 2]]]), "key `functions` must be made of whole numbers"),
            ("functions", json!([[0, 1, 2]]), "key `functions` must be a list"),
            ("jumps", json!([3]), "key `jumps`, entry 1: jumps must lie between 1 and 2"),
            ("jumps", json!([1, 0]), "key `jumps`, entry 2: jumps go at least 1 step"),
            ("jumps", json!([[1, 1, 1]]), "lists 3 distances, but the sequence has 2"),
            ("jumps", json!(1), "key `jumps` must be a list"),
            ("jumps", json!(["1"]), "key `jumps` must be made of whole numbers"),
            ("property", json!({ "type": "ratio" }), "key `property`: no type `ratio`"),
            (
                "property",
                json!({ "principle": "t-closeness", "t": "0.3", "distance": "hierarchical" }),
                "key `property`: `t-closeness` with distance `hierarchical` needs a hierarchy",
            ),
        ] {
            let mut bad = input();
            bad[key] = value;
            let message = Walks::read(&bad).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
        assert!(Walks::read(&json!([])).unwrap_err().to_string().contains("key `input`: this must be an object"));
    }
}
