//! The kind `transparent-violation`: one release of a publisher, and what it gives away to one who knows the publisher.

use pellucid_inference::adversary::{BoxRelease, PossibleWorlds, PosteriorBelief, blind, reverse_engineer};
use pellucid_model::error::{Error, Result};
use pellucid_model::exact::{Fraction, format_fraction};
use serde_json::{Map, Value, json};

use super::object::CaseObject;
use super::people::{CasePeople, limit, within};
use super::transparent::NamedPublisher;
use super::values::ratio;
use super::{AnswerOptions, CaseAnswer, CaseKind, CaseQuestion};

/// The registry entry of single releases.
pub const KIND: CaseKind = CaseKind {
    id: "transparent-violation",
    summary: "what one release gives away to one who knows the publisher",
    example: r#"{"external": {"0": [0], "1": [1], "2": [1], "3": [1]}, "multiset": ["a", "a", "b", "c"], "l": 2,
        "algorithm": "ace:deterministic_by_id", "output": [[[[0, 1]], "a"], [[[0, 1]], "c"], [[[1, 1]], "a"], [[[1, 1]], "b"]]}"#,
    read: |input| Ok(Box::new(Violation::read(input)?)),
};

/// The keys of the input.
const KEYS: &[&str] = &["external", "multiset", "l", "norm", "algorithm", "options", "output"];

#[derive(Debug)]
struct Violation {
    cast: CasePeople,
    multiset: Vec<u32>,
    norm: Option<Vec<u64>>,
    algorithm: NamedPublisher,
    output: BoxRelease,
}

impl Violation {
    fn read(input: &Value) -> Result<Self> {
        let input = CaseObject::new(input, KEYS).map_err(|error| error.context("key `input`"))?;
        input.refuse_misspelt()?;
        let cast = CasePeople::read(&input)?;
        let output = cast.release("output", input.get("output")?)?;
        let output = output.filter(|output| !output.is_empty()).ok_or_else(|| {
            Error::invalid("key `output` shows nothing, which says nothing about values; use the kind `transparent`")
        })?;
        let multiset = match input.find("multiset") {
            Some(multiset) => cast.codes("multiset", multiset)?,
            None => output.iter().map(|row| row.1).collect(),
        };
        let algorithm = NamedPublisher::new(input.text("algorithm")?);
        let algorithm = match input.find("options") {
            Some(options) => algorithm.with_options(options)?,
            None => algorithm,
        };
        Ok(Self { norm: cast.norm(&input)?, cast, multiset, algorithm, output })
    }
}

impl CaseQuestion for Violation {
    fn answer(&self, options: &AnswerOptions) -> Result<Box<dyn CaseAnswer>> {
        let mechanism = self.algorithm.mechanism(&self.cast, self.norm.as_deref())?;
        let people = self.cast.people.len();
        let worlds = if mechanism.keeps_values() {
            PossibleWorlds::of_multiset(people, &self.multiset)
        } else {
            PossibleWorlds::of_size(people, self.output.len(), self.cast.values.len() as u32)
        };
        let worlds = within(worlds, options);
        let belief = reverse_engineer(&mechanism, &worlds, Some(&self.output))?;
        let ignorant = blind(&self.cast.external, &self.output, limit(options), options.budget.seconds)?.max_risk();
        let name = self.algorithm.name.clone();
        Ok(Box::new(Violated { cast: self.cast.clone(), name, belief, ignorant }))
    }
}

#[derive(Debug)]
struct Violated {
    cast: CasePeople,
    name: String,
    belief: PosteriorBelief,
    ignorant: Fraction,
}

impl CaseAnswer for Violated {
    fn json(&self) -> Value {
        let mut object: Map<String, Value> = self.cast.belief_json(&self.belief);
        object.insert("blind_max_risk".into(), json!(ratio(&self.ignorant)));
        Value::Object(object)
    }

    fn text(&self) -> String {
        format!(
            "{}\n\n  {}: {}; {} for one who ignores how it was made\n",
            self.cast.heading(),
            self.name,
            self.cast.belief_text(&self.belief),
            format_fraction(&self.ignorant)
        )
    }
}
