//! The kind `credibility`: what is believed by one who knows of a release only that it is minimal.

use std::fmt::Write;

use pellucid_inference::adversary::{MinimalityBelief, credibility};
use pellucid_model::error::Result;
use pellucid_model::exact::format_fraction;
use serde_json::{Map, Value, json};

use super::object::{CaseObject, wrong};
use super::people::CasePeople;
use super::values::{count, ratio};
use super::{AnswerOptions, CaseAnswer, CaseKind, CaseQuestion};

/// The registry entry of minimality.
pub const KIND: CaseKind = CaseKind {
    id: "credibility",
    summary: "what a release gives away when it is known to be minimal",
    example: r#"{"external": {"a": [1], "b": [1], "c": [2]}, "table": {"a": "x", "b": "y"}, "l": 2, "partition": [["a", "b"]]}"#,
    read: |input| Ok(Box::new(Minimal::read(input)?)),
};

/// The keys of the input.
const KEYS: &[&str] = &["external", "table", "partition", "l"];

#[derive(Debug)]
struct Minimal {
    cast: CasePeople,
    /// People and values of every group.
    groups: Vec<Vec<(usize, u32)>>,
}

impl Minimal {
    fn read(input: &Value) -> Result<Self> {
        let input = CaseObject::new(input, KEYS).map_err(|error| error.context("key `input`"))?;
        input.refuse_misspelt()?;
        let cast = CasePeople::read(&input)?;
        let table = cast.table(&input)?;
        let partition = cast.groups("partition", input.get("partition")?)?;
        let stranger = || wrong("partition", "made of exactly the people of `table`");
        if partition.iter().map(Vec::len).sum::<usize>() != table.rows().len() {
            return Err(stranger());
        }
        let row = |&person: &usize| Ok((person, table.value_of(person).ok_or_else(stranger)?));
        let groups = partition.iter().map(|group| group.iter().map(row).collect::<Result<Vec<_>>>());
        Ok(Self { groups: groups.collect::<Result<_>>()?, cast })
    }
}

impl CaseQuestion for Minimal {
    fn answer(&self, options: &AnswerOptions) -> Result<Box<dyn CaseAnswer>> {
        let found = credibility(&self.cast.external, &self.groups, self.cast.l, options.budget.states)?;
        Ok(Box::new(Credible { cast: self.cast.clone(), found }))
    }
}

#[derive(Debug)]
struct Credible {
    cast: CasePeople,
    found: MinimalityBelief,
}

impl CaseAnswer for Credible {
    fn json(&self) -> Value {
        let of = self.found.of.iter().map(|(&person, share)| {
            (self.cast.people[person].clone(), share.as_ref().map_or(Value::Null, |share| json!(ratio(share))))
        });
        json!({
            "S_m": count(&self.found.possible),
            "S_plus": count(&self.found.minimal),
            "cred": of.collect::<Map<String, Value>>(),
        })
    }

    fn text(&self) -> String {
        let (possible, minimal) = (&self.found.possible, &self.found.minimal);
        let mut text = format!("{}\n\n  minimal for {minimal} of {possible} worlds\n", self.cast.heading());
        for (&person, share) in &self.found.of {
            let share = share.as_ref().map_or("-".to_owned(), format_fraction);
            let _ = writeln!(text, "    {}: {share}", self.cast.people[person]);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_partition_has_the_people_of_the_table() {
        let input = |partition: Value| {
            json!({ "external": { "a": [1], "b": [1], "c": [2] }, "table": { "a": "x", "b": "y" }, "l": 2,
                "partition": partition })
        };
        let answer = Minimal::read(&input(json!([["a", "b"]]))).unwrap().answer(&AnswerOptions::default()).unwrap();
        assert_eq!(answer.json(), json!({ "S_m": 2, "S_plus": 2, "cred": { "a": "1/2", "b": "1/2" } }));
        assert!(answer.text().contains("minimal for 2 of 2 worlds"));
        for partition in [json!([["a"]]), json!([["a", "c"]]), json!([["a", "a"]]), json!([["a", "b"], []])] {
            let message = Minimal::read(&input(partition)).unwrap_err().to_string();
            assert!(message.contains("key `partition` must be"), "{message}");
        }
    }
}
