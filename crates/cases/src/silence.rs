//! The kind `phi`: what is believed by one who knows a strategy and sees that it releases nothing.

use std::fmt::Write;

use pellucid_inference::sequence::Strategy;
use pellucid_model::error::Result;
use pellucid_model::exact::{Fraction, format_fraction};
use pellucid_model::words::counted;
use serde_json::{Map, Value, json};

use super::object::CaseObject;
use super::values::{count, ratio};
use super::walking::{WalkSetting, WorldFacts, part, strategy};
use super::{AnswerOptions, CaseAnswer, CaseKind, CaseQuestion};

/// The registry entry of silence.
pub const KIND: CaseKind = CaseKind {
    id: "phi",
    summary: "what is given away when it is seen that a strategy releases nothing",
    example: r#"{"table": ["flu", "cold", "cancer", "cancer", "headache", "toothache"], "functions": [[[0, 1], [2, 3], [4, 5]],
        [[0, 1, 2], [3, 4, 5]], [[0, 1, 2, 3], [4, 5]]], "property": {"type": "ratio_le", "delta": "1/2"}, "strategy": "safe"}"#,
    read: |input| Ok(Box::new(Silence::read(input)?)),
};

/// The keys of the input; `jumps` may come along with the input of another case.
const KEYS: &[&str] = &["table", "functions", "property", "strategy", "jumps"];

#[derive(Debug)]
struct Silence {
    setting: WalkSetting,
    name: String,
    strategy: Box<dyn Strategy>,
}

impl Silence {
    fn read(input: &Value) -> Result<Self> {
        let input = CaseObject::new(input, KEYS).map_err(|error| error.context("key `input`"))?;
        input.refuse_misspelt()?;
        let setting = WalkSetting::read(&input)?;
        let name = input.text("strategy")?.to_owned();
        Ok(Self { strategy: strategy("strategy", &name, setting.sequence.len())?, setting, name })
    }

    fn ask(&self, options: &AnswerOptions) -> Result<Told> {
        let condition = self.setting.condition();
        let adversary = self.setting.adversary(self.strategy.as_ref(), &condition, options.budget)?;
        let belief = adversary.disclosure(self.setting.sequence.len() + 1)?;
        let facts = WorldFacts::of(&belief, &condition);
        let mut most = Vec::new();
        for person in 0..self.setting.codes.len() {
            let Some(belief) = belief.distribution(person) else { continue };
            let codes = belief.weights().iter().map(|entry| entry.0);
            let reached = codes.map(|code| (code, belief.probability(code)));
            let reached = reached.filter(|entry| facts.highest.as_ref() == Some(&entry.1));
            most.extend(reached.map(|(code, share)| (person, self.setting.names[code as usize].clone(), share)));
        }
        Ok(Told { facts, most })
    }
}

impl CaseQuestion for Silence {
    fn answer(&self, options: &AnswerOptions) -> Result<Box<dyn CaseAnswer>> {
        let told = part(self.ask(options))?;
        Ok(Box::new(Silent { heading: self.setting.heading(), name: self.name.clone(), told }))
    }
}

#[derive(Debug)]
struct Told {
    /// The worlds in which nothing is released.
    facts: WorldFacts,
    /// Person, value and probability, where none is higher.
    most: Vec<(usize, String, Fraction)>,
}

/// The answer; refused as a whole when it takes more than the budget.
#[derive(Debug)]
struct Silent {
    heading: String,
    name: String,
    told: std::result::Result<Told, String>,
}

impl CaseAnswer for Silent {
    fn json(&self) -> Value {
        let Told { facts, most } = match &self.told {
            Ok(told) => told,
            Err(words) => return json!({ "refused": words }),
        };
        let mut object = Map::from_iter([
            ("phi_size".to_owned(), count(&facts.size)),
            ("max_ratio".to_owned(), json!(facts.highest.as_ref().map(ratio))),
            ("ok".to_owned(), json!(facts.holds)),
        ]);
        object
            .extend(most.iter().map(|(person, value, share)| (format!("P(row{person}={value})"), json!(ratio(share)))));
        Value::Object(object)
    }

    fn text(&self) -> String {
        let mut text = format!("{}\n\n", self.heading);
        let _ = match &self.told {
            Err(words) => writeln!(text, "  refused: {words}"),
            Ok(Told { facts, most }) => {
                let mut people: Vec<String> = most.iter().map(|entry| entry.0.to_string()).collect();
                people.dedup();
                let highest = facts.highest.as_ref().map_or_else(String::new, |highest| {
                    let who = if people.len() == 1 { "person" } else { "people" };
                    format!(", highest {} ({who} {})", format_fraction(highest), people.join(", "))
                });
                let worlds = counted(&facts.size, "world", "worlds");
                writeln!(text, "  {} releases nothing in {worlds}{highest}", self.name)
            }
        };
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(strategy: &str) -> Value {
        json!({
            "table": ["flu", "cold", "cancer", "cancer", "headache", "toothache"],
            "functions": [[[0, 1], [2, 3], [4, 5]], [[0, 1, 2], [3, 4, 5]], [[0, 1, 2, 3], [4, 5]]],
            "property": { "type": "ratio_le", "delta": "1/2" },
            "strategy": strategy,
            "jumps": [1, 2],
        })
    }

    #[test]
    fn silence_of_the_safe_strategy_gives_two_people_away() {
        let answer = Silence::read(&input("safe")).unwrap().answer(&AnswerOptions::default()).unwrap();
        let expected = json!({
            "phi_size": 24, "max_ratio": "1/1", "ok": false, "P(row4=cancer)": "1/1", "P(row5=cancer)": "1/1",
        });
        assert_eq!(answer.json(), expected);
        assert!(answer.text().ends_with("\n\n  safe releases nothing in 24 worlds, highest 1 (people 4, 5)\n"));
    }

    #[test]
    fn strategies_that_are_not_known_are_refused() {
        let message = Silence::read(&input("saf")).unwrap_err().to_string();
        assert!(
            message.contains("key `strategy` names a strategy that is not known, did you mean `safe`?"),
            "{message}"
        );
    }
}
