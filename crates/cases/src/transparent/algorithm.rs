//! The names that cases have for publishers.

use pellucid_model::error::Result;
use pellucid_model::principle;
use pellucid_model::registry::{EntryArgs, find};
use pellucid_publish::publisher::PUBLISHERS;
use serde_json::Value;

use crate::mechanism::{DrawMode, PublisherMechanism, ValueOrder};
use crate::object::wrong;
use crate::people::{CasePeople, object};
use crate::values::text;

/// A publisher with its parameters.
#[derive(Debug, Clone)]
pub struct NamedPublisher {
    /// As the case, or the answer, calls it.
    pub name: String,
    publisher: String,
    args: EntryArgs,
    draws: DrawMode,
    order: ValueOrder,
}

/// What is asked about when a case names no algorithm.
pub const EVERY: [&str; 6] =
    ["tailor", "ace", "hybrid", "mondrian", "opt_gen_disjoint_first", "opt_gen_literal_uniform"];

impl NamedPublisher {
    /// The publisher that cases call `name`: one of the registry, with `_` or `-`, or a variant that only cases have.
    pub fn new(name: &str) -> Self {
        let plain = |publisher: &str| Self {
            name: name.to_owned(),
            publisher: publisher.to_owned(),
            args: EntryArgs::new(),
            draws: DrawMode::Random,
            order: ValueOrder::Public,
        };
        let optimal = |recoding: &str, ties: &str| Self {
            args: EntryArgs::new().with("recoding", recoding).with("ties", ties),
            ..plain("opt-gen")
        };
        match name {
            "opt_gen_disjoint_first" => optimal("disjoint", "first"),
            "opt_gen_literal_uniform" => optimal("equal", "uniform"),
            "ace:deterministic_by_id" => Self { draws: DrawMode::First, ..plain("ace") },
            "ace:first_appearance" => Self { order: ValueOrder::FirstAppearance, ..plain("ace") },
            _ => plain(&name.replace('_', "-")),
        }
    }

    /// The same with `options`: parameters of the publisher, and the words `disjoint` and `all` of recorded cases.
    pub fn with_options(mut self, options: &Value) -> Result<Self> {
        for (name, value) in object("options", options)? {
            let (name, value) = match (name.as_str(), value) {
                ("disjoint", Value::Bool(disjoint)) => {
                    ("recoding", if *disjoint { "disjoint" } else { "equal" }.into())
                }
                ("disjoint", _) => return Err(wrong("options", "an object whose `disjoint` is true or false")),
                ("ties", Value::String(ties)) if ties == "all" => ("ties", "uniform".to_owned()),
                (name, value) => (name, text("options", value)?),
            };
            self.args = self.args.with(name, value);
        }
        Ok(self)
    }

    /// The publisher asked for l-diversity on the people and values of `cast`.
    pub fn mechanism(&self, cast: &CasePeople, norm: Option<&[u64]>) -> Result<PublisherMechanism> {
        let publisher = find(PUBLISHERS, "publisher", &self.publisher)?.make(&self.args)?;
        let principle = principle::make("frequency-l-diversity", &EntryArgs::new().with("l", cast.l))?;
        let values = cast.values.len() as u32;
        let mechanism = PublisherMechanism::new(cast.external.clone(), publisher, principle, values);
        let mechanism = mechanism.drawing(self.draws).ordering(self.order);
        match norm {
            Some(norm) => mechanism.with_norm(norm),
            None => Ok(mechanism),
        }
    }
}
