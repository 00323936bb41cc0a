//! People, values and releases as cases about publishers write them.

use std::collections::BTreeSet;
use std::fmt::Write;

use pellucid_inference::adversary::{BoxRelease, ExternalSource, PossibleWorlds, PosteriorBelief, World};
use pellucid_model::error::{Error, Result};
use pellucid_model::exact::format_fraction;
use serde_json::{Map, Value, json};

use super::AnswerOptions;
use super::object::{CaseObject, list, whole, wrong};
use super::values::{ratio, text};

/// States of the budget that trying one world counts for.
const STATES_PER_WORLD: u64 = 50;

/// Who and what a case is about: people and values by number, in the order of their names.
#[derive(Debug, Clone)]
pub struct CasePeople {
    /// Names of the people of the external source.
    pub people: Vec<String>,
    /// Their quasi-identifiers.
    pub external: ExternalSource,
    /// Names of the sensitive values.
    pub values: Vec<String>,
    /// The parameter of diversity.
    pub l: u64,
}

impl CasePeople {
    /// Reads `external` and `l`, and takes as values what `domain`, `multiset`, `V`, `table` and `output` mention.
    pub fn read(input: &CaseObject<'_>) -> Result<Self> {
        let external = object("external", input.get("external")?)?;
        let people = ordered(external.keys().map(|name| (name.clone(), name.parse::<i128>().is_ok())));
        let quasi = people.iter().map(|name| numbers("external", &external[name])).collect::<Result<Vec<_>>>()?;
        let external = ExternalSource::new(quasi).map_err(|error| error.context("key `external`"))?;
        let mut mentioned: Vec<(&str, &Value)> = Vec::new();
        for key in ["domain", "multiset", "V"] {
            if let Some(values) = input.find(key) {
                mentioned.extend(list(key, values)?.iter().map(|value| (key, value)));
            }
        }
        if let Some(table) = input.find("table") {
            mentioned.extend(object("table", table)?.values().map(|value| ("table", value)));
        }
        if let Some(output) = input.find("output").filter(|output| !output.is_null()) {
            for row in list("output", output)? {
                mentioned.push(("output", pair("output", row)?.1));
            }
        }
        let named = |(key, value): (&str, &Value)| Ok((text(key, value)?, value.is_number()));
        let values = ordered(mentioned.into_iter().map(named).collect::<Result<Vec<_>>>()?.into_iter());
        Ok(Self { people, external, values, l: diversity(input)? })
    }

    /// The number of a person.
    pub fn person(&self, key: &str, name: &str) -> Result<usize> {
        let found = self.people.iter().position(|person| person == name);
        found.ok_or_else(|| wrong(key, "about people of `external`; add whoever is missing there"))
    }

    /// The code of a value that one of the keys read by [`CasePeople::read`] mentions.
    pub fn value(&self, key: &str, value: &Value) -> Result<u32> {
        let name = text(key, value)?;
        let found = self.values.iter().position(|value| *value == name);
        found.map(|code| code as u32).ok_or_else(|| wrong(key, "made of values that the case mentions elsewhere too"))
    }

    /// The codes of a list of values.
    pub fn codes(&self, key: &str, values: &Value) -> Result<Vec<u32>> {
        list(key, values)?.iter().map(|value| self.value(key, value)).collect()
    }

    /// The key `table`: who is in it, and with which value.
    pub fn table(&self, input: &CaseObject<'_>) -> Result<World> {
        let table = object("table", input.get("table")?)?;
        if table.is_empty() {
            return Err(Error::invalid("key `table` is empty; put somebody into it"));
        }
        let row = |(name, value): (&String, &Value)| Ok((self.person("table", name)?, self.value("table", value)?));
        Ok(World::new(table.iter().map(row).collect::<Result<_>>()?))
    }

    /// Groups of people by name; nobody twice.
    pub fn groups(&self, key: &str, groups: &Value) -> Result<Vec<Vec<usize>>> {
        let mut seen = BTreeSet::new();
        let mut member = |name: &Value| {
            let person = self.person(key, &text(key, name)?)?;
            seen.insert(person)
                .then_some(person)
                .ok_or_else(|| wrong(key, "groups that share nobody; name everyone once"))
        };
        let mut group = |people: &Value| list(key, people)?.iter().map(&mut member).collect::<Result<Vec<usize>>>();
        let groups = list(key, groups)?.iter().map(&mut group).collect::<Result<Vec<Vec<usize>>>>()?;
        if groups.iter().any(Vec::is_empty) {
            return Err(wrong(key, "groups with somebody in each; remove empty ones"));
        }
        Ok(groups)
    }

    /// A release: rows of a box and a value, or null for nothing.
    pub fn release(&self, key: &str, rows: &Value) -> Result<Option<BoxRelease>> {
        if rows.is_null() {
            return Ok(None);
        }
        let mut release = BoxRelease::new();
        for row in list(key, rows)? {
            let (sides, value) = pair(key, row)?;
            let sides = list(key, sides)?.iter().map(|side| numbers(key, side)).collect::<Result<Vec<_>>>()?;
            let side = |side: Vec<i64>| match side[..] {
                [low, high] if low <= high => Ok((low, high)),
                _ => Err(wrong(key, "made of boxes whose sides are [lowest, highest]")),
            };
            let bounds = sides.into_iter().map(side).collect::<Result<Vec<_>>>()?;
            if bounds.len() != self.external.attributes() {
                return Err(wrong(key, "made of boxes with a side for every quasi value of `external`"));
            }
            release.push((bounds, self.value(key, value)?));
        }
        release.sort_unstable();
        Ok(Some(release))
    }

    /// The key `norm`, when it is there.
    pub fn norm(&self, input: &CaseObject<'_>) -> Result<Option<Vec<u64>>> {
        let Some(norm) = input.find("norm") else { return Ok(None) };
        let norm = list("norm", norm)?.iter().map(|extent| Ok(whole("norm", extent)? as u64));
        let norm = norm.collect::<Result<Vec<u64>>>()?;
        self.external.axes(&norm).map_err(|error| error.context("key `norm`"))?;
        Ok(Some(norm))
    }

    /// How many people are known of, and how many values there are.
    pub fn heading(&self) -> String {
        let people = pellucid_model::words::counted(self.people.len(), "person", "people");
        let values = pellucid_model::words::counted(self.values.len(), "value", "values");
        format!("{people} in the external source, {values}, l = {}", self.l)
    }

    /// A release for programs.
    pub fn release_json(&self, release: Option<&BoxRelease>) -> Value {
        let row = |(bounds, value): &(Vec<(i64, i64)>, u32)| json!([bounds, self.values[*value as usize]]);
        release.map_or(Value::Null, |release| release.iter().map(row).collect())
    }

    /// The keys `instances`, `weight`, `max_risk` and `risk` of a belief.
    pub fn belief_json(&self, belief: &PosteriorBelief) -> Map<String, Value> {
        let risk = (0..belief.people()).map(|person| {
            let values = belief.values(person).map(|(value, share)| (self.values[value as usize].clone(), share));
            let row: Map<String, Value> = values.map(|(name, share)| (name, json!(ratio(share)))).collect();
            (self.people[person].clone(), Value::Object(row))
        });
        Map::from_iter([
            ("instances".to_owned(), json!(belief.worlds)),
            ("weight".to_owned(), json!(ratio(&belief.weight))),
            ("max_risk".to_owned(), json!(ratio(&belief.max_risk()))),
            ("risk".to_owned(), Value::Object(risk.collect())),
        ])
    }

    /// A belief for people, in one line.
    pub fn belief_text(&self, belief: &PosteriorBelief) -> String {
        let worlds = pellucid_model::words::counted(belief.worlds, "world", "worlds");
        let highest = belief.max_risk();
        let mut text = format!("{worlds} left, highest {}", format_fraction(&highest));
        let exposed = (0..belief.people()).filter(|&person| belief.worlds > 0 && belief.risk(person) == highest);
        let names: Vec<&str> = exposed.map(|person| self.people[person].as_str()).collect();
        if !names.is_empty() {
            let _ = write!(text, " ({})", names.join(", "));
        }
        text
    }
}

/// `worlds` within the budget of a case.
pub fn within(worlds: PossibleWorlds, options: &AnswerOptions) -> PossibleWorlds {
    worlds.within(limit(options), options.budget.seconds)
}

/// The number of worlds that the budget of a case allows.
pub fn limit(options: &AnswerOptions) -> u64 {
    (options.budget.states / STATES_PER_WORLD).max(1)
}

/// The key `l`.
pub fn diversity(input: &CaseObject<'_>) -> Result<u64> {
    match whole("l", input.get("l")?)? {
        0 => Err(wrong("l", "1 or more")),
        l => Ok(l as u64),
    }
}

/// Distinct names in order: as numbers when all are, otherwise as text.
pub fn ordered(names: impl Iterator<Item = (String, bool)>) -> Vec<String> {
    let names: BTreeSet<(String, bool)> = names.collect();
    let numeric = names.iter().all(|name| name.1);
    let mut names: Vec<String> = names.into_iter().map(|name| name.0).collect();
    names.dedup();
    if numeric {
        names.sort_by_key(|name| name.parse::<i128>().unwrap_or_default());
    }
    names
}

/// Fails, naming `key`, when `value` is not an object.
pub fn object<'a>(key: &str, value: &'a Value) -> Result<&'a Map<String, Value>> {
    value.as_object().ok_or_else(|| wrong(key, "an object; write {..} around its keys"))
}

/// A list of two.
fn pair<'a>(key: &str, value: &'a Value) -> Result<(&'a Value, &'a Value)> {
    match list(key, value)? {
        [first, second] => Ok((first, second)),
        _ => Err(wrong(key, "made of rows [box, value]")),
    }
}

/// A list of whole numbers, which may be negative.
fn numbers(key: &str, value: &Value) -> Result<Vec<i64>> {
    let number = |value: &Value| value.as_i64().ok_or_else(|| wrong(key, "made of lists of whole numbers"));
    list(key, value)?.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_numbers_are_ordered_as_numbers() {
        let names =
            |names: &[&str]| ordered(names.iter().map(|name| ((*name).to_owned(), name.parse::<i128>().is_ok())));
        assert_eq!(names(&["10", "9", "9"]), ["9", "10"]);
        assert_eq!(names(&["10", "9", "x"]), ["10", "9", "x"]);
    }

    #[test]
    fn bad_input_is_refused_with_its_key_and_no_value() {
        let good = json!({ "external": { "Ann": [1], "Bob": [2] }, "table": { "Ann": "hidden" }, "l": 2, "norm": [1],
            "output": [[[[1, 2]], "hidden"]] });
        let read = |input: &Value| {
            let keys = ["external", "table", "l", "norm", "output"];
            let input = CaseObject::new(input, &keys).unwrap();
            let cast = CasePeople::read(&input)?;
            cast.table(&input)?;
            cast.norm(&input)?;
            cast.release("output", input.get("output")?)
        };
        assert_eq!(read(&good).unwrap().unwrap(), [(vec![(1, 2)], 0)]);
        for (key, value, words) in [
            ("external", json!([]), "key `external` must be an object"),
            ("external", json!({}), "key `external`: nobody is known"),
            ("external", json!({ "Ann": [1], "Bob": [] }), "key `external`: person number 2 has 0 quasi values"),
            ("external", json!({ "Ann": [1.5] }), "key `external` must be made of lists of whole numbers"),
            ("external", json!({ "Bob": [1] }), "key `table` must be about people of `external`"),
            ("table", json!({}), "key `table` is empty"),
            ("table", json!({ "Ann": null }), "key `table` must be"),
            ("l", json!(0), "key `l` must be 1 or more"),
            ("l", json!("2"), "key `l` must be made of whole numbers"),
            ("norm", json!([]), "key `norm`: the norm has 0 numbers, people have 1 quasi value;"),
            ("norm", json!([0]), "key `norm`: the norm is 0"),
            ("output", json!([["hidden"]]), "key `output` must be made of rows"),
            ("output", json!([[[[2, 1]], "hidden"]]), "key `output` must be made of boxes whose sides"),
            ("output", json!([[[[1, 2], [1, 2]], "hidden"]]), "key `output` must be made of boxes with a side"),
        ] {
            let mut bad = good.clone();
            bad[key] = value;
            let message = read(&bad).unwrap_err().to_string();
            assert!(message.contains(words) && !message.contains("hidden"), "{message}");
        }
    }
}
