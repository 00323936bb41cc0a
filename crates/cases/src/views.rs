//! The kind `views`: what is believed by one who has seen the multisets of values of several sets of people.

use std::fmt::Write;

use dashu_int::UBig;
use pellucid_inference::belief::{Belief, UnitInterval};
use pellucid_inference::budget::Budget;
use pellucid_inference::views::{DrawUntil, SeenViews, View};
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::exact::{Fraction, format_fraction};
use pellucid_model::histogram::Histogram;
use pellucid_model::words::counted;
use serde_json::{Map, Value, json};

use super::object::{CaseObject, list, wrong};
use super::values::{count, number, ratio, text};
use super::{AnswerOptions, CaseAnswer, CaseKind, CaseQuestion};

/// The registry entry of views.
pub const KIND: CaseKind = CaseKind {
    id: "views",
    summary: "what several views of one table give away together",
    example: r#"{"ids": ["Ann", "Bob", "Cate"], "domain": ["flu", "gout"], "views": [{"members": ["Ann", "Bob"], "values": ["flu", "gout"]},
        {"members": ["Bob", "Cate"], "values": ["flu", "flu"]}], "gamma": "1/2"}"#,
    read: |input| Ok(Box::new(Seen::read(input)?)),
};

/// The keys of the input.
const KEYS: &[&str] = &["ids", "domain", "views", "gamma"];

const VIEW_KEYS: &[&str] = &["members", "values"];

/// Views of people by name.
#[derive(Debug, Clone)]
pub(super) struct NamedViews {
    pub(super) people: Vec<String>,
    pub(super) values: Vec<String>,
    pub(super) views: SeenViews,
}

#[derive(Debug, Clone)]
struct Seen {
    shown: NamedViews,
    gamma: Fraction,
}

impl NamedViews {
    /// Reads `domain` and `views`, and the people from `ids`, the key that has them.
    pub(super) fn read(input: &CaseObject<'_>, ids: &str) -> Result<Self> {
        let people = names(input, ids)?;
        let values = names(input, "domain")?;
        let mut views = Vec::new();
        for (number, view) in (1..).zip(input.list("views")?) {
            let read = || {
                let view = CaseObject::new(view, VIEW_KEYS)?;
                view.refuse_misspelt()?;
                let members = numbers("members", view.list("members")?, &people, &format!("people of `{ids}`"))?;
                let shown = numbers("values", view.list("values")?, &values, "values of `domain`")?;
                View::new(members, Histogram::of(shown))
            };
            views.push(read().map_err(|error: Error| error.context(format!("view {number}")))?);
        }
        let views = SeenViews::new(people.len(), values.len() as u32, views)?;
        Ok(Self { people, values, views })
    }

    /// The people and values of `fixed`, a list of pairs; none when there is no such key.
    pub(super) fn fixed(&self, input: &CaseObject<'_>) -> Result<Vec<(u32, u32)>> {
        let Some(pairs) = input.find("fixed") else { return Ok(Vec::new()) };
        let pair = |pair: &Value| match list("fixed", pair)? {
            [person, value] => {
                let person = numbers("fixed", std::slice::from_ref(person), &self.people, "people")?;
                let value = numbers("fixed", std::slice::from_ref(value), &self.values, "values of `domain`")?;
                Ok((person[0], value[0]))
            }
            _ => Err(wrong("fixed", "a list of pairs of a person and a value")),
        };
        list("fixed", pairs)?.iter().map(pair).collect()
    }

    /// The belief of somebody who has seen all views, counted within `budget`.
    pub(super) fn counted(&self, budget: Budget) -> Result<Belief> {
        self.views.belief(&Budget { sampling: None, ..budget }, DrawUntil::End)
    }

    /// How many worlds agree with all views in which the people of `fixed` have these values.
    pub(super) fn worlds(&self, fixed: &[(u32, u32)], options: &AnswerOptions) -> Result<UBig> {
        let mut views = self.views.views().to_vec();
        for &(person, code) in fixed {
            views.push(View::new(vec![person], Histogram::of([code]))?);
        }
        let shown = Self { views: SeenViews::new(self.people.len(), self.values.len() as u32, views)?, ..self.clone() };
        Ok(shown.counted(options.budget)?.worlds().cloned().unwrap_or_default())
    }
}

impl Seen {
    fn read(input: &Value) -> Result<Self> {
        let input = CaseObject::new(input, KEYS).map_err(|error| error.context("key `input`"))?;
        input.refuse_misspelt()?;
        let shown = NamedViews::read(&input, "ids")?;
        let gamma = number("gamma", input.get("gamma")?)?;
        if gamma <= Fraction::ZERO || gamma > Fraction::ONE {
            return Err(wrong("gamma", "above 0 and at most 1"));
        }
        Ok(Self { shown, gamma })
    }
}

/// A list of different names.
pub(super) fn names(input: &CaseObject<'_>, key: &str) -> Result<Vec<String>> {
    let names = input.list(key)?.iter().map(|name| text(key, name)).collect::<Result<Vec<String>>>()?;
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort();
    if names.is_empty() || sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(wrong(key, "a list of different names, at least one"));
    }
    Ok(names)
}

/// The numbers of the `named` among `all`.
pub(super) fn numbers(key: &str, named: &[Value], all: &[String], whose: &str) -> Result<Vec<u32>> {
    let number = |name: &Value| {
        let name = text(key, name)?;
        let found = all.iter().position(|other| *other == name);
        found.map(|at| at as u32).ok_or_else(|| wrong(key, &format!("made of {whose}; add what is missing there")))
    };
    list(key, &Value::Array(named.to_vec()))?.iter().map(number).collect()
}

impl CaseQuestion for Seen {
    fn answer(&self, options: &AnswerOptions) -> Result<Box<dyn CaseAnswer>> {
        match self.shown.counted(options.budget) {
            Ok(belief) => Ok(Box::new(Told { belief, seen: self.clone() })),
            Err(error) if error.kind() == ErrorKind::LimitExceeded => {
                let estimate =
                    options.budget.sampling.map(|sampling| self.estimate(options, sampling.confidence)).transpose()?;
                Ok(Box::new(Refused { why: error.to_string(), estimate }))
            }
            Err(error) => Err(error),
        }
    }
}

impl Seen {
    /// What draws say where belief takes too much to be counted.
    fn estimate(&self, options: &AnswerOptions, confidence: f64) -> Result<Estimated> {
        let belief = self.shown.views.belief(&options.budget, DrawUntil::End)?;
        let mut people = vec![Vec::new(); self.shown.people.len()];
        for (atom, estimate) in belief.atoms() {
            let values = estimate.possible().unwrap_or_default();
            atom.iter().for_each(|&person| people[person as usize].clone_from(&values));
        }
        let highest = people.iter().flatten().fold(UnitInterval::exactly(0.0), |highest, entry| highest.above(entry.1));
        let drawn = belief.samples();
        let draws = drawn.iter().map(|record| record.draws).sum();
        let effective = drawn.iter().map(|record| record.effective).fold(f64::INFINITY, f64::min);
        let names = (self.shown.people.clone(), self.shown.values.clone());
        Ok(Estimated { draws, effective, confidence, highest, people, names })
    }
}

/// Why nothing was counted, and what draws say when they are asked for.
#[derive(Debug)]
struct Refused {
    why: String,
    estimate: Option<Estimated>,
}

#[derive(Debug)]
struct Estimated {
    draws: u64,
    /// The smallest of those of all parts that were drawn.
    effective: f64,
    confidence: f64,
    highest: UnitInterval,
    /// By person and code.
    people: Vec<Vec<(u32, UnitInterval)>>,
    /// Of people and values.
    names: (Vec<String>, Vec<String>),
}

impl CaseAnswer for Refused {
    fn json(&self) -> Value {
        let mut answer = json!({ "refused": self.why });
        if let Some(estimate) = &self.estimate {
            let person = |(name, values): (&String, &Vec<(u32, UnitInterval)>)| {
                let values = values.iter().map(|(code, interval)| {
                    (estimate.names.1[*code as usize].clone(), json!([interval.low, interval.high]))
                });
                (name.clone(), Value::Object(values.collect()))
            };
            let UnitInterval { low, at, high } = estimate.highest;
            answer["estimate"] = json!({
                "draws": estimate.draws,
                "effective": estimate.effective,
                "confidence": estimate.confidence,
                "max_ratio": [low, at, high],
                "marginals": estimate.names.0.iter().zip(&estimate.people).map(person).collect::<Map<_, _>>(),
            });
        }
        answer
    }

    fn text(&self) -> String {
        let mut text = format!("refused: {}\n", self.why);
        if let Some(Estimated { draws, effective, confidence, highest, .. }) = &self.estimate {
            let _ = writeln!(
                text,
                "  estimated: highest between {:.4} and {:.4} ({:.0} %, {draws} weighted draws worth {effective:.0})",
                highest.low,
                highest.high,
                100.0 * confidence
            );
        }
        text
    }
}

#[derive(Debug)]
struct Told {
    seen: Seen,
    belief: Belief,
}

impl Told {
    /// The highest probability, if any world is left, and whether it is at most gamma.
    fn highest(&self) -> Option<(Fraction, bool)> {
        let highest = self.belief.highest()?.exactly?;
        let private = highest <= self.seen.gamma;
        Some((highest, private))
    }

    /// Everybody with the values they may have.
    fn people(&self) -> impl Iterator<Item = (&String, Vec<(&String, Fraction)>)> {
        let people = self.seen.shown.people.iter().enumerate().filter(|_| !self.belief.is_empty());
        people.filter_map(|(person, name)| {
            let belief = self.belief.distribution(person)?;
            let weights = belief.weights().iter();
            let values = weights.map(|entry| (&self.seen.shown.values[entry.0 as usize], belief.probability(entry.0)));
            Some((name, values.collect()))
        })
    }
}

impl CaseAnswer for Told {
    fn json(&self) -> Value {
        let marginals = self.people().map(|(name, values)| {
            let values = values.into_iter().map(|(value, share)| (value.clone(), json!(ratio(&share))));
            (name.clone(), Value::Object(values.collect()))
        });
        let highest = self.highest();
        json!({
            "pis_size": self.belief.worlds().map(count),
            "max_ratio": highest.as_ref().map(|highest| ratio(&highest.0)),
            "gamma_private": highest.map(|highest| highest.1),
            "marginals": marginals.collect::<Map<String, Value>>(),
        })
    }

    fn text(&self) -> String {
        let seen = &self.seen;
        let mut text = format!(
            "{}, {}, {}; no value may be believed with more than {}\n\n",
            counted(seen.shown.people.len() as u64, "person", "people"),
            counted(seen.shown.values.len() as u64, "value", "values"),
            counted(seen.shown.views.views().len() as u64, "view", "views"),
            format_fraction(&seen.gamma)
        );
        let Some((highest, private)) = self.highest() else {
            text.push_str("  no world agrees with all views\n");
            return text;
        };
        let verdict = if private { "private" } else { "not private" };
        let worlds = self.belief.worlds().map(ToString::to_string).unwrap_or_default();
        let _ =
            writeln!(text, "  {worlds} worlds agree with all views, highest {}: {verdict}", format_fraction(&highest));
        for (name, values) in self.people() {
            let values = values.iter().map(|(value, share)| format!("{value} {}", format_fraction(share)));
            let _ = writeln!(text, "    {name}: {}", values.collect::<Vec<_>>().join(", "));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use pellucid_inference::budget::{Budget, SamplingPlan};

    use super::*;

    fn input(views: Value) -> Value {
        json!({ "ids": ["Ann", "Bob", 3], "domain": ["a", "b"], "views": views, "gamma": "1/2" })
    }

    #[test]
    fn views_together_tell_what_one_does_not() {
        let views = json!([
            { "members": ["Ann", "Bob"], "values": ["a", "b"] },
            { "members": ["Bob", 3], "values": ["b", "b"] },
        ]);
        let answer = Seen::read(&input(views)).unwrap().answer(&AnswerOptions::default()).unwrap();
        let certain = |value: &str| json!({ value: "1/1" });
        assert_eq!(
            answer.json(),
            json!({ "pis_size": 1, "max_ratio": "1/1", "gamma_private": false,
                "marginals": { "Ann": certain("a"), "Bob": certain("b"), "3": certain("b") } })
        );
        assert!(answer.text().contains("1 worlds agree with all views, highest 1: not private"), "{}", answer.text());
    }

    #[test]
    fn views_that_contradict_each_other_leave_no_world() {
        let views = json!([{ "members": ["Ann"], "values": ["a"] }, { "members": ["Ann"], "values": ["b"] }]);
        let answer = Seen::read(&input(views)).unwrap().answer(&AnswerOptions::default()).unwrap();
        assert_eq!(answer.json(), json!({ "pis_size": 0, "max_ratio": null, "gamma_private": null, "marginals": {} }));
        assert!(answer.text().contains("no world agrees"));
    }

    #[test]
    fn what_takes_too_much_is_refused() {
        let views = || json!([{ "members": ["Ann", "Bob"], "values": ["a", "b"] }]);
        let options = AnswerOptions { budget: Budget { states: 0, ..Budget::question() }, ..AnswerOptions::default() };
        let answer = Seen::read(&input(views())).unwrap().answer(&options).unwrap();
        assert!(
            answer.json()["refused"].as_str().unwrap().starts_with("counting 2 people in 1 view takes more than"),
            "{}",
            answer.text()
        );
        let sampling = SamplingPlan { draws: 2000, seed: Some(1), ..SamplingPlan::default() };
        let budget = Budget { sampling: Some(sampling), ..options.budget };
        let options = AnswerOptions { budget, ..options };
        let answer = Seen::read(&input(views())).unwrap().answer(&options).unwrap();
        let estimate = answer.json()["estimate"].clone();
        let ends = |value: &Value| (value[0].as_f64().unwrap(), value[1].as_f64().unwrap());
        let (low, high) = ends(&estimate["marginals"]["Ann"]["a"]);
        assert!(low < 0.5 && high > 0.5 && high - low < 0.3 && estimate["effective"] == 2000.0, "{estimate}");
        assert!(answer.text().contains("2000 weighted draws worth 2000"), "{}", answer.text());
    }

    #[test]
    fn bad_views_are_named() {
        for (views, expected) in [
            (json!([{ "members": ["Ann"], "values": [] }]), "view 1: a view of 1 people has 0 values"),
            (json!([{ "members": [], "values": [] }]), "view 1: a view shows nobody"),
            (json!([{ "members": ["Eve"], "values": ["a"] }]), "view 1: key `members` must be made of people of `ids`"),
            (
                json!([{ "members": ["Ann"], "values": ["c"] }]),
                "view 1: key `values` must be made of values of `domain`",
            ),
            (json!([{ "members": [3, 3], "values": ["a", "a"] }]), "view 1: a view shows somebody twice"),
            (json!([{ "member": ["Ann"], "values": ["a"] }]), "view 1: key `member` means nothing"),
        ] {
            let message = Seen::read(&input(views)).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
