//! Recorded cases with exact answers about strategies: the worked examples of the papers and random small tables.
//!
//! A [`Recorded`] case is a table, a sequence and a principle with the answers for several strategies;
//! [`Recorded::differences`] compares an [`Answer`] with what is recorded. The examples that only count something are
//! [`examples`], in the form of [`Case`].

use std::collections::{BTreeMap, BTreeSet};

use pellucid_inference::belief::{StrategyLook, WorldSet};
use pellucid_model::exact::{Fraction, fraction, parse_fraction};
use serde::Deserialize;
use serde_json::Value;

use crate::answer::{Answer, Belief};
use crate::golden::{Case, read};
use crate::literal::strategy::Strategy;
use crate::literal::worlds::{Functions, Judge, Worlds};
use crate::principle::Principle;

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

fn all() -> Vec<Case> {
    let text = include_str!("../golden/strategy.json");
    serde_json::from_str::<File>(text).expect("the recorded cases are well-formed").cases
}

/// A table, a sequence and a principle, with the answers for several strategies.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The case's name.
    pub id: String,
    /// The names of the values, in order.
    pub values: Vec<String>,
    /// A value per person, by the index of its name.
    pub table: Vec<u32>,
    /// The sequence.
    pub functions: Functions,
    /// The principle.
    pub principle: Principle,
    /// The strategies with their names in the answers.
    pub strategies: Vec<(String, Strategy)>,
    expected: Value,
}

/// All cases with answers for strategies.
pub fn cases() -> Vec<Recorded> {
    all().iter().filter(|case| case.kind == "strategy").map(Recorded::of).collect()
}

/// The case called `id`.
pub fn case(id: &str) -> Recorded {
    Recorded::of(&all().into_iter().find(|case| case.id == id).expect("the case is recorded"))
}

/// The examples that count something: what is asked is in the test that reads them.
pub fn examples() -> Vec<Case> {
    all().into_iter().filter(|case| case.kind != "strategy").collect()
}

impl Recorded {
    /// Reads the table, the sequence and the principle of a case.
    pub fn of(case: &Case) -> Self {
        let input = &case.input;
        let named: Vec<String> = read::<Vec<Value>>(&input["table"]).iter().map(name).collect();
        let values: Vec<String> = named.iter().cloned().collect::<BTreeSet<String>>().into_iter().collect();
        let code = |name: &String| values.iter().position(|value| value == name).expect("a known value") as u32;
        let functions: Functions = read(&input["functions"]);
        let steps = functions.len();
        let answered = case.expected.as_object().expect("answers by strategy").keys();
        let strategies = answered.filter_map(|name| Some((name.clone(), strategy(name, steps)?))).collect();
        Self {
            id: case.id.clone(),
            table: named.iter().map(code).collect(),
            functions,
            principle: principle(&input["property"]),
            strategies,
            expected: case.expected.clone(),
            values,
        }
    }

    /// Number of values.
    pub fn domain(&self) -> u32 {
        self.values.len() as u32
    }

    /// The code of a value.
    pub fn value(&self, name: &str) -> u32 {
        self.values.iter().position(|value| value == name).expect("a known value") as u32
    }

    /// All worlds of the table.
    pub fn worlds(&self) -> Worlds {
        Worlds::new(&self.table, self.domain(), &self.functions)
    }

    /// The principle, ready to decide.
    pub fn judge(&self) -> Judge<'_> {
        Judge::new(&self.principle, &self.table, self.domain())
    }

    /// Whether belief given silence is recorded for the strategy recorded as `name`.
    pub fn knows_silence(&self, name: &str) -> bool {
        self.expected[name].get("phi_size").is_some()
    }

    /// What an answer for the strategy recorded as `name` has otherwise than recorded; keys that are not recorded are
    /// not compared.
    pub fn differences(&self, name: &str, answer: &Answer) -> Vec<String> {
        let expected = &self.expected[name];
        let mut found = Vec::new();
        let mut compare = |what: &str, same: bool| {
            if !same {
                found.push(format!("{} {name}: {what}", self.id));
            }
        };
        compare("release", answer.release == read::<Option<usize>>(&expected["release"]));
        if let Some(trace) = expected.get("trace") {
            compare("looks", answer.looks == looks(trace));
        }
        compare("number of sets", items(&self.expected["per"]).len() == answer.permutation.len());
        for (at, (recorded, belief)) in items(&self.expected["per"]).iter().zip(&answer.permutation).enumerate() {
            compare(&format!("permutation set {}", at + 1), is_as_recorded(recorded, belief));
        }
        compare("number of sets", items(&expected["ds"]).len() == answer.disclosure.len());
        for (at, (recorded, belief)) in items(&expected["ds"]).iter().zip(&answer.disclosure).enumerate() {
            compare(&format!("disclosure set {}", at + 1), is_as_recorded(recorded, belief));
            compare(&format!("reaches {}", at + 1), recorded["contains_t"] == answer.reaches[at]);
        }
        compare("posterior", expected.get("posterior").is_some() == answer.posterior.is_some());
        if let (Some(recorded), Some(belief)) = (expected.get("posterior"), &answer.posterior) {
            compare("posterior", self.marginals(recorded) == belief.marginals);
            compare("posterior holds", Some(read(&expected["posterior_ok"])) == belief.holds);
        }
        if let Some(size) = expected.get("phi_size") {
            let silence = answer.silence.as_ref();
            let worlds = silence.map(|belief| belief.worlds.clone());
            compare("silence", worlds == Some(read::<u64>(size).into()));
            compare("highest in silence", silence.and_then(Belief::highest) == ratio(&expected["phi_max_ratio"]));
        }
        found
    }

    fn marginals(&self, recorded: &Value) -> Vec<BTreeMap<u32, Fraction>> {
        let rows: Vec<BTreeMap<String, String>> = read(recorded);
        let share = |(name, share): (&String, &String)| (self.value(name), parse_fraction(share).expect("a fraction"));
        rows.iter().map(|row| row.iter().map(share).filter(|entry| entry.1 > Fraction::ZERO).collect()).collect()
    }
}

fn is_as_recorded(recorded: &Value, belief: &Belief) -> bool {
    belief.worlds == read::<u64>(&recorded["size"]).into()
        && belief.highest() == ratio(&recorded["max_ratio"])
        && belief.holds == read::<Option<bool>>(&recorded["ok"])
}

fn items(list: &Value) -> &[Value] {
    list.as_array().expect("a list")
}

fn ratio(value: &Value) -> Option<Fraction> {
    value.as_str().map(|text| parse_fraction(text).expect("a fraction"))
}

fn looks(trace: &Value) -> Vec<StrategyLook> {
    let set = |word: &str| if word == "per" { WorldSet::Permutation } else { WorldSet::Disclosure };
    let trace: Vec<(usize, String, bool)> = read(trace);
    trace.into_iter().map(|(step, word, holds)| StrategyLook { step, set: set(&word), holds }).collect()
}

/// Values are names or numbers.
fn name(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The strategy called `name` in the answers; `None` for what is no strategy.
pub fn strategy(name: &str, steps: usize) -> Option<Strategy> {
    match name {
        "naive" => Some(Strategy::Naive),
        "safe" => Some(Strategy::Safe),
        "exclusive" => Some(Strategy::Exclusive),
        _ => {
            let distances = name.strip_prefix("jump:")?.split(',');
            let distances: Vec<usize> = distances.map(|word| word.parse().expect("a distance")).collect();
            Some(if let [distance] = distances[..] {
                Strategy::jump(distance, steps)
            } else {
                Strategy::Jump(distances)
            })
        }
    }
}

fn principle(property: &Value) -> Principle {
    let number = |key: &str| match &property[key] {
        Value::String(text) => parse_fraction(text).expect("a fraction"),
        number => fraction(number.as_u64().expect("a number"), 1u8),
    };
    match property["type"].as_str().expect("a type") {
        "ratio_le" => Principle::Ratio { ratio: number("delta") },
        "ratio_lt" => Principle::Below { ratio: number("delta") },
        "distinct" => Principle::Distinct { l: read(&property["l"]) },
        "recursive" => Principle::Recursive { c: number("c"), l: read(&property["l"]) },
        "entropy" => Principle::Entropy { l: number("l") },
        "band" => Principle::Band { delta: number("delta"), eps: number("eps") },
        other => panic!("unknown property {other}"),
    }
}
