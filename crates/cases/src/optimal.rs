//! The kind `transparent-optgen`: all partitions of a table that Opt-Gen finds equally good.

use std::fmt::Write;

use pellucid_inference::adversary::World;
use pellucid_model::error::Result;
use pellucid_model::words::counted;
use serde_json::{Value, json};

use super::object::{CaseObject, wrong};
use super::people::CasePeople;
use super::transparent::NamedPublisher;
use super::{AnswerOptions, CaseAnswer, CaseKind, CaseQuestion};

/// The registry entry of optimal partitions.
pub const KIND: CaseKind = CaseKind {
    id: "transparent-optgen",
    summary: "all partitions of least discernability that Opt-Gen may publish",
    example: r#"{"external": {"Ann": [1], "Bob": [2], "Cate": [4], "Don": [5]}, "table": {"Ann": "flu", "Bob": "gout", "Cate": "flu",
        "Don": "gout"}, "l": 2, "disjoint": true}"#,
    read: |input| Ok(Box::new(Optimal::read(input)?)),
};

/// The keys of the input.
const KEYS: &[&str] = &["external", "table", "l", "disjoint"];

#[derive(Debug)]
struct Optimal {
    cast: CasePeople,
    table: World,
    algorithm: NamedPublisher,
}

impl Optimal {
    fn read(input: &Value) -> Result<Self> {
        let input = CaseObject::new(input, KEYS).map_err(|error| error.context("key `input`"))?;
        input.refuse_misspelt()?;
        let cast = CasePeople::read(&input)?;
        let disjoint = match input.find("disjoint") {
            None => true,
            Some(disjoint) => disjoint.as_bool().ok_or_else(|| wrong("disjoint", "true or false"))?,
        };
        let algorithm = NamedPublisher::new("opt_gen").with_options(&json!({ "disjoint": disjoint, "ties": "all" }))?;
        Ok(Self { table: cast.table(&input)?, cast, algorithm })
    }
}

impl CaseQuestion for Optimal {
    fn answer(&self, _options: &AnswerOptions) -> Result<Box<dyn CaseAnswer>> {
        let partitions = self.algorithm.mechanism(&self.cast, None)?.partitions(&self.table)?;
        let name = |person: &usize| self.cast.people[*person].clone();
        let named = |groups: Vec<Vec<usize>>| groups.iter().map(|group| group.iter().map(name).collect()).collect();
        Ok(Box::new(Found {
            heading: self.cast.heading(),
            partitions: partitions.into_keys().flatten().map(named).collect(),
        }))
    }
}

#[derive(Debug)]
struct Found {
    heading: String,
    partitions: Vec<Vec<Vec<String>>>,
}

impl Found {
    /// The sum of the squares of the sizes of groups, which is the same for all.
    fn cost(&self) -> Option<usize> {
        self.partitions.first().map(|groups| groups.iter().map(|group| group.len() * group.len()).sum())
    }
}

impl CaseAnswer for Found {
    fn json(&self) -> Value {
        json!({ "minimisers": self.partitions, "cost": self.cost() })
    }

    fn text(&self) -> String {
        let Some(cost) = self.cost() else { return format!("{}\n\n  nothing can be published\n", self.heading) };
        let partitions = counted(self.partitions.len(), "partition", "partitions");
        let mut text = format!("{}\n\n  {partitions} of discernability {cost}\n", self.heading);
        for groups in &self.partitions {
            let groups: Vec<String> = groups.iter().map(|group| format!("{{{}}}", group.join(", "))).collect();
            let _ = writeln!(text, "    {}", groups.join(" "));
        }
        text
    }
}
