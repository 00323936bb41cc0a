//! The kind `meta`: several strategies are tried on a table and the earliest release is kept; what that gives away to one who
//! knows it.

use std::fmt::Write;

use dashu_int::UBig;
use pellucid_inference::adversary::{EarliestOf, PossibleWorlds, PosteriorBelief, reverse_engineer};
use pellucid_inference::sequence::Strategy;
use pellucid_model::error::Result;
use pellucid_model::exact::format_fraction;
use pellucid_model::words::counted;
use serde_json::{Map, Value, json};

use super::object::{CaseObject, list, wrong};
use super::people::within;
use super::values::{count, ratio};
use super::walking::{WalkSetting, WorldFacts, part, strategy};
use super::{AnswerOptions, CaseAnswer, CaseKind, CaseQuestion};

/// The registry entry of choices between strategies.
pub const KIND: CaseKind = CaseKind {
    id: "meta",
    summary: "what is given away when the earliest release of several strategies is kept",
    example: r#"{"table": [0, 1, 2, 3, 0, 2, 1], "functions": [[[0, 1, 6], [2, 3, 4, 5]], [[0, 1, 3, 5, 6], [2, 4]], [[0, 1, 2, 5],
        [3, 4, 6]], [[0, 1, 2], [3, 4, 5, 6]]], "property": {"type": "ratio_le", "delta": "1/2"}, "among": ["jump:1", "jump:2"]}"#,
    read: |input| Ok(Box::new(Choice::read(input)?)),
};

/// The keys of the input.
const KEYS: &[&str] = &["table", "functions", "property", "among", "rule"];

/// The key that lists strategies.
const AMONG: &str = "among";

/// How a rule in words begins, and how it ends.
const RULE: (&str, &str) = ("run ", ", publish the earlier release");

#[derive(Debug)]
struct Choice {
    setting: WalkSetting,
    /// The strategies by name.
    strategies: Vec<(String, Box<dyn Strategy>)>,
}

impl Choice {
    fn read(input: &Value) -> Result<Self> {
        let input = CaseObject::new(input, KEYS).map_err(|error| error.context("key `input`"))?;
        input.refuse_misspelt()?;
        let setting = WalkSetting::read(&input)?;
        let (key, names) = match input.find(AMONG) {
            Some(among) => (AMONG, listed(among)?),
            None => ("rule", names(input.text("rule")?)?),
        };
        let named = |name: &str| Ok((name.to_owned(), strategy(key, name, setting.sequence.len())?));
        let strategies = names.into_iter().map(named).collect::<Result<_>>()?;
        Ok(Self { setting, strategies })
    }

    fn ask(&self, options: &AnswerOptions) -> Result<Told> {
        let (setting, condition) = (&self.setting, self.setting.condition());
        let mechanism = EarliestOf {
            sequence: &setting.sequence,
            strategies: &self.strategies,
            condition: &condition,
            budget: options.budget,
        };
        let releases = mechanism.releases(&setting.codes)?;
        let mut members = Vec::new();
        for ((name, strategy), &release) in self.strategies.iter().zip(&releases) {
            let adversary = setting.adversary(strategy.as_ref(), &condition, options.budget)?;
            let step = release.unwrap_or(setting.sequence.len() + 1);
            members.push(Member {
                name: name.clone(),
                release,
                alone: WorldFacts::of(&adversary.disclosure(step)?, &condition),
            });
        }
        let release = releases.into_iter().flatten().min();
        let seen = release.map(|step| mechanism.show(&setting.codes, step));
        let worlds = within(PossibleWorlds::of_multiset(setting.codes.len(), &setting.codes), options);
        let belief = reverse_engineer(&mechanism, &worlds, seen.as_ref())?;
        Ok(Told { members, release, belief })
    }
}

/// The names of a list of strategies.
fn listed(among: &Value) -> Result<Vec<&str>> {
    let names: Option<Vec<&str>> = list(AMONG, among)?.iter().map(Value::as_str).collect();
    let several = names.filter(|names| names.len() > 1);
    several.ok_or_else(|| wrong(AMONG, "a list of two strategies or more, like [\"jump:1\", \"jump:2\"]"))
}

/// The names of the strategies of a rule.
fn names(rule: &str) -> Result<Vec<&str>> {
    let inner = rule.trim().strip_prefix(RULE.0).and_then(|rest| rest.trim_end_matches('.').strip_suffix(RULE.1));
    let names = inner.map(|inner| inner.split(" and ").flat_map(|part| part.split(", ")).map(str::trim).collect());
    names.filter(|names: &Vec<&str>| names.len() > 1).ok_or_else(|| {
        wrong("rule", "like \"run jump:1 and jump:2, publish the earlier release\", with two strategies or more")
    })
}

impl CaseQuestion for Choice {
    fn answer(&self, options: &AnswerOptions) -> Result<Box<dyn CaseAnswer>> {
        let told = part(self.ask(options))?;
        let value = |code: u32| self.setting.value(code);
        let highest = told.as_ref().ok().and_then(Told::highest).map(|(person, code)| (person, value(code)));
        Ok(Box::new(Chosen { heading: self.setting.heading(), told, highest }))
    }
}

/// What one strategy does on its own.
#[derive(Debug)]
struct Member {
    name: String,
    release: Option<usize>,
    /// What is believed by one who knows that this strategy was followed, and sees what came of it.
    alone: WorldFacts,
}

#[derive(Debug)]
struct Told {
    members: Vec<Member>,
    release: Option<usize>,
    belief: PosteriorBelief,
}

impl Told {
    /// The first person of whom a value is believed as much as any of anybody, and the first such value.
    fn highest(&self) -> Option<(usize, u32)> {
        let most = self.belief.max_risk();
        (0..self.belief.people()).find_map(|person| {
            let mut values = self.belief.values(person);
            values.find(|value| *value.1 == most).map(|value| (person, value.0))
        })
    }
}

/// The answer; refused as a whole when it takes more than the budget.
#[derive(Debug)]
struct Chosen {
    heading: String,
    told: std::result::Result<Told, String>,
    highest: Option<(usize, Value)>,
}

impl CaseAnswer for Chosen {
    fn json(&self) -> Value {
        let told = match &self.told {
            Ok(told) => told,
            Err(words) => return json!({ "refused": words }),
        };
        let member = |member: &Member| {
            let facts = json!({
                "release": member.release,
                "size": count(&member.alone.size),
                "max_ratio": member.alone.highest.as_ref().map(ratio),
                "ok": member.alone.holds,
            });
            (member.name.clone(), facts)
        };
        json!({
            "release": told.release,
            "posterior_size": count(&UBig::from(told.belief.worlds)),
            "max_ratio": ratio(&told.belief.max_risk()),
            "row": self.highest.as_ref().map(|highest| highest.0),
            "value": self.highest.as_ref().map(|highest| &highest.1),
            "members": told.members.iter().map(member).collect::<Map<String, Value>>(),
        })
    }

    fn text(&self) -> String {
        let mut text = format!("{}\n\n", self.heading);
        let told = match &self.told {
            Ok(told) => told,
            Err(words) => {
                let _ = writeln!(text, "  refused: {words}");
                return text;
            }
        };
        let released = |release: Option<usize>| release.map_or_else(|| "nothing".to_owned(), |step| format!("g{step}"));
        for member in &told.members {
            let highest = member.alone.highest.as_ref().map_or_else(|| "none".to_owned(), format_fraction);
            let _ = writeln!(
                text,
                "  {} releases {}; followed always, {} left, highest {highest}",
                member.name,
                released(member.release),
                counted(&member.alone.size, "world is", "worlds are")
            );
        }
        let _ = writeln!(
            text,
            "  the earliest of them is {}; kept for being the earliest, {} left, highest {}{}",
            released(told.release),
            counted(told.belief.worlds, "world is", "worlds are"),
            format_fraction(&told.belief.max_risk()),
            self.highest.as_ref().map_or_else(String::new, |highest| format!(" (person {})", highest.0))
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pellucid_inference::budget::Budget;

    /// Seven people; the recorded example of a choice that gives somebody away.
    fn input() -> Value {
        json!({
            "table": [0, 1, 2, 3, 0, 2, 1],
            "functions": [[[0, 1, 6], [2, 3, 4, 5]], [[0, 1, 3, 5, 6], [2, 4]],
                          [[0, 1, 2, 5], [3, 4, 6]], [[0, 1, 2], [3, 4, 5, 6]]],
            "property": { "type": "ratio_le", "delta": "1/2" },
            "rule": "run jump:1 and jump:2, publish the earlier release",
        })
    }

    fn answer(input: &Value, options: &AnswerOptions) -> Value {
        Choice::read(input).unwrap().answer(options).unwrap().json()
    }

    #[test]
    fn two_safe_strategies_give_somebody_away_when_the_earlier_release_is_kept() {
        let answer = answer(&input(), &AnswerOptions::default());
        assert_eq!((&answer["release"], &answer["posterior_size"]), (&json!(4), &json!(12)));
        assert_eq!((&answer["max_ratio"], &answer["row"], &answer["value"]), (&json!("1/1"), &json!(3), &json!(3)));
        let released = [&answer["members"]["jump:1"], &answer["members"]["jump:2"]];
        assert!(released.iter().any(|member| member["release"] == 4 && member["ok"] == true), "{answer:#}");
    }

    #[test]
    fn a_choice_between_equals_is_no_choice() {
        let mut same = input();
        same["rule"] = json!("run safe, jump:1 and safe, publish the earlier release.");
        assert_eq!(Choice::read(&same).unwrap().strategies.len(), 3);
        same["among"] = json!(["safe", "jump:1"]);
        let answer = answer(&same, &AnswerOptions::default());
        // Safe is 1-jump, so whatever is kept, it is what safe alone would have released.
        let alone = &answer["members"]["safe"];
        assert_eq!((&answer["release"], &answer["max_ratio"]), (&alone["release"], &alone["max_ratio"]));
        assert_eq!(answer["posterior_size"], alone["size"]);
    }

    #[test]
    fn more_worlds_than_the_budget_are_refused() {
        let options =
            AnswerOptions { budget: Budget { states: 20_000, ..Budget::question() }, ..AnswerOptions::default() };
        let answer = answer(&input(), &options);
        assert!(answer["refused"].as_str().unwrap().contains("630 possible originals"), "{answer}");
    }

    #[test]
    fn rules_that_say_something_else_are_refused() {
        for rule in [
            "",
            "run safe, publish the earlier release",
            "run safe and naive",
            "safe and naive, publish the earlier release",
        ] {
            let mut bad = input();
            bad["rule"] = json!(rule);
            let message = Choice::read(&bad).unwrap_err().to_string();
            assert!(message.contains("key `rule` must be like \"run jump:1 and jump:2"), "{message}");
        }
        for among in [json!("safe"), json!(["safe"]), json!(["safe", 1])] {
            let mut bad = input();
            bad["among"] = among;
            let message = Choice::read(&bad).unwrap_err().to_string();
            assert!(message.contains("key `among` must be a list"), "{message}");
        }
        let mut bad = input();
        bad["rule"] = json!("run jump:1 and jump:9, publish the earlier release");
        assert!(Choice::read(&bad).unwrap_err().to_string().contains("key `rule`: jumps must lie between 1 and 4"));
    }
}
