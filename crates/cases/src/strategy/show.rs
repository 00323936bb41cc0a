//! The answer about strategies, as JSON for programs and as tables for people.

use std::fmt::Write;

use dashu_int::UBig;
use pellucid_inference::belief::{StrategyLook, WorldSet};
use pellucid_model::exact::decimal;
use pellucid_model::exact::{Fraction, format_fraction};
use serde_json::{Map, Value, json};

use super::answer::{BeliefRow, SequenceAnswer, StepAnswer, StrategyAnswer, StrategyPart};
use super::refusal::{refusal_json, refusal_text};
use crate::CaseAnswer;
use crate::values::{count as size, ratio};
use crate::walking::WorldFacts;

impl CaseAnswer for SequenceAnswer {
    fn json(&self) -> Value {
        let mut answer = Map::new();
        answer.insert("per".into(), self.permutations.iter().map(|part| Value::Object(facts_json(part))).collect());
        for (name, followed) in &self.strategies {
            answer.insert(
                name.clone(),
                followed.as_ref().map_or_else(|refusal| Value::Object(refusal_json(refusal)), followed_json),
            );
        }
        Value::Object(answer)
    }

    fn text(&self) -> String {
        let mut text = format!("{}\n", self.heading);
        let _ = writeln!(text, "\n  permutation sets: the adversary sees the groups and nothing else");
        let rows = self.permutations.iter().enumerate().map(|(at, part)| (format!("g{}", at + 1), part, None));
        text.push_str(&table(rows));
        for (name, followed) in &self.strategies {
            match followed {
                Ok(followed) => text.push_str(&followed_text(name, followed)),
                Err(refusal) => drop(writeln!(text, "\n  {name}: refused: {}", refusal.words)),
            }
        }
        text
    }
}

fn facts_json(part: &StrategyPart<WorldFacts>) -> Map<String, Value> {
    let facts = match part {
        Ok(facts) => facts,
        Err(refusal) => return refusal_json(refusal),
    };
    Map::from_iter([
        ("size".to_owned(), size(&facts.size)),
        ("max_ratio".to_owned(), json!(facts.highest.as_ref().map(ratio))),
        ("ok".to_owned(), json!(facts.holds)),
        ("states".to_owned(), json!(facts.states)),
    ])
}

fn followed_json(followed: &StrategyAnswer) -> Value {
    let mut object = Map::new();
    match &followed.walk {
        Ok(walk) => {
            object.insert("release".into(), json!(walk.release));
            object.insert("trace".into(), walk.looks.iter().map(look_json).collect());
        }
        Err(refusal) => object.extend(refusal_json(refusal)),
    }
    object.insert("ds".into(), followed.steps.iter().map(step_json).collect());
    match &followed.posterior {
        Some(Ok((rows, holds))) => {
            object.insert("posterior".into(), rows.iter().map(row_json).collect());
            object.insert("posterior_ok".into(), json!(holds));
        }
        Some(Err(refusal)) => drop(object.insert("posterior".into(), Value::Object(refusal_json(refusal)))),
        None => {}
    }
    match &followed.silence {
        Some(Ok(facts)) => {
            object.insert("phi_size".into(), size(&facts.size));
            object.insert("phi_max_ratio".into(), json!(facts.highest.as_ref().map(ratio)));
            object.insert("phi_ok".into(), json!(facts.holds));
            object.insert("phi_states".into(), json!(facts.states));
        }
        Some(Err(refusal)) => drop(object.insert("phi".into(), Value::Object(refusal_json(refusal)))),
        None => {}
    }
    Value::Object(object)
}

fn step_json(step: &StepAnswer) -> Value {
    let mut object = facts_json(&step.facts);
    if let Ok(contains) = step.contains_table {
        object.insert("contains_t".into(), json!(contains));
    }
    Value::Object(object)
}

fn look_json(look: &StrategyLook) -> Value {
    json!([look.step, set(look), look.holds])
}

fn set(look: &StrategyLook) -> &'static str {
    match look.set {
        WorldSet::Permutation => "per",
        WorldSet::Disclosure => "ds",
    }
}

fn row_json(row: &BeliefRow) -> Value {
    Value::Object(row.iter().map(|(name, probability)| (name.clone(), json!(ratio(probability)))).collect())
}

fn followed_text(name: &str, followed: &StrategyAnswer) -> String {
    let mut text = String::new();
    let _ = match &followed.walk {
        Ok(walk) => {
            let looks = walk.looks.iter().map(|look| format!("{}{} {}", set(look), look.step, holds(Some(look.holds))));
            let release = walk.release.map_or_else(|| "nothing".to_owned(), |step| format!("g{step}"));
            writeln!(text, "\n  {name} releases {release}: {}", looks.collect::<Vec<_>>().join(", "))
        }
        Err(refusal) => writeln!(text, "\n  {name}: what it releases is refused: {}", refusal.words),
    };
    let steps = followed.steps.iter().enumerate();
    let rows = steps.map(|(at, step)| (format!("ds{}", at + 1), &step.facts, step.contains_table.as_ref().ok()));
    let silence = followed.silence.iter().map(|facts| ("silence".to_owned(), facts, None));
    text.push_str(&table(rows.chain(silence)));
    match &followed.posterior {
        Some(Ok((rows, holds))) => {
            let verdict =
                if *holds { "the principle holds on this belief" } else { "THE PRINCIPLE FAILS on this belief" };
            let certain = match rows.iter().filter(|row| row.len() == 1).count() {
                0 => "nobody's value is certain".to_owned(),
                1 => "one person's value is certain".to_owned(),
                many => format!("the values of {many} people are certain"),
            };
            let _ = writeln!(text, "    after the release: {verdict}; {certain}");
        }
        Some(Err(refusal)) => drop(writeln!(text, "    after the release: refused: {}", refusal.words)),
        None => {}
    }
    text
}

fn holds(verdict: Option<bool>) -> &'static str {
    match verdict {
        Some(true) => "holds",
        Some(false) => "fails",
        None => "-",
    }
}

/// A fraction, or its decimals where it is long.
fn readable(ratio: &Fraction) -> String {
    let exact = format_fraction(ratio);
    if exact.len() <= 15 { exact } else { format!("about {:.6}", decimal(ratio)) }
}

/// Sets of worlds one below the other: name, worlds, highest ratio, verdict, whether this table is among them.
fn table<'a>(rows: impl Iterator<Item = (String, &'a StrategyPart<WorldFacts>, Option<&'a bool>)>) -> String {
    let mut lines = vec![["set", "worlds", "highest", "principle", "this table"].map(str::to_owned)];
    let mut refusals = Vec::new();
    for (name, part, contains) in rows {
        let among = contains.map_or("", |&contains| if contains { "in" } else { "out" }).to_owned();
        match part {
            Ok(facts) => {
                let highest = facts.highest.as_ref().map_or_else(|| "-".to_owned(), readable);
                lines.push([name, short(&facts.size), highest, holds(facts.holds).to_owned(), among]);
            }
            Err(refusal) => {
                refusals.push(refusal_text(&name, refusal));
                lines.push([name, "refused".into(), String::new(), String::new(), among]);
            }
        }
    }
    let mut text = String::new();
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3].map(width);
    for [name, worlds, highest, verdict, among] in &lines {
        let [a, b, c, d] = widths;
        let line = format!("    {name:<a$}  {worlds:>b$}  {highest:>c$}  {verdict:<d$}  {among}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text.extend(refusals);
    text
}

/// A number of worlds, short: all digits up to twenty, otherwise the leading ones and how many there are.
fn short(worlds: &UBig) -> String {
    let digits = worlds.to_string();
    if digits.len() <= 20 { digits } else { format!("{}.{}e{}", &digits[..1], &digits[1..4], digits.len() - 1) }
}

#[cfg(test)]
mod tests {
    use pellucid_inference::belief::StrategyWalk;
    use pellucid_model::exact::fraction;

    use super::*;
    use crate::values::EXACT;

    fn facts(size: UBig) -> WorldFacts {
        WorldFacts { size, highest: Some(fraction(1, 1u8)), holds: Some(false), states: 7 }
    }

    fn walked() -> SequenceAnswer {
        let look = |step: usize, set: WorldSet, holds: bool| StrategyLook { step, set, holds };
        let looks = vec![look(1, WorldSet::Permutation, true), look(1, WorldSet::Disclosure, true)];
        let followed = StrategyAnswer {
            walk: Ok(StrategyWalk { release: Some(1), looks, visited: vec![1] }),
            steps: vec![
                StepAnswer { facts: Ok(facts(UBig::from(4u8))), contains_table: Ok(true) },
                StepAnswer { facts: Err("needs about 9 states".into()), contains_table: Ok(false) },
            ],
            posterior: Some(Ok((vec![vec![("flu".into(), fraction(1, 1u8))]], false))),
            silence: Some(Err("needs about 9 states".into())),
        };
        SequenceAnswer {
            heading: "1 person".into(),
            permutations: vec![Ok(facts(UBig::from(EXACT))), Ok(facts(UBig::from(EXACT) + UBig::ONE))],
            strategies: vec![("naive".into(), Ok(followed)), ("safe".into(), Err("too much".into()))],
        }
    }

    #[test]
    fn sizes_are_numbers_as_long_as_every_reader_keeps_them() {
        let per = &walked().json()["per"];
        assert_eq!(per[0]["size"], json!(9_007_199_254_740_992_u64));
        assert_eq!(per[1]["size"], json!("9007199254740993"));
        assert_eq!(per[0]["max_ratio"], "1/1");
    }

    #[test]
    fn a_refusal_stands_in_the_place_of_the_part() {
        let answer = walked().json();
        assert_eq!(answer["safe"], json!({ "refused": "too much" }));
        let naive = &answer["naive"];
        assert_eq!(naive["trace"], json!([[1, "per", true], [1, "ds", true]]));
        assert_eq!(naive["ds"][1], json!({ "refused": "needs about 9 states", "contains_t": false }));
        assert_eq!(naive["phi"], json!({ "refused": "needs about 9 states" }));
        assert_eq!(naive["posterior"], json!([{ "flu": "1/1" }]));
        assert_eq!(naive["posterior_ok"], false);
        assert!(naive.get("phi_size").is_none());
    }

    #[test]
    fn people_read_the_same_in_tables() {
        let text = walked().text();
        for words in
            ["naive releases g1: per1 holds, ds1 holds", "safe: refused: too much", "ds2 is refused", "PRINCIPLE FAILS"]
        {
            assert!(text.contains(words), "{text}");
        }
        assert_eq!(short(&UBig::from(10u8).pow(30)), "1.000e30");
    }
}
