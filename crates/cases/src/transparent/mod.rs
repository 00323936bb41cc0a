//! The kind `transparent`: what a publisher makes of a table, and what is believed by one who knows the publisher.
//!
//! `algorithm.rs` knows the names of publishers, `show.rs` writes the answer down.

mod algorithm;
mod show;

use serde_json::Value;

pub use self::algorithm::NamedPublisher;
use pellucid_inference::adversary::{Mechanism, PossibleWorlds, World, blind, reverse_engineer_all};
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::exact::Fraction;

use self::show::{AllAnswers, PossibleAnswer, PublisherBeliefs, TransparentAnswer};
use super::object::{CaseObject, list};
use super::people::{CasePeople, limit, within};
use super::{AnswerOptions, CaseAnswer, CaseKind, CaseQuestion};

/// The registry entry of publishers seen by the adversary.
pub const KIND: CaseKind = CaseKind {
    id: "transparent",
    summary: "what publishers make of a table, and what that gives away",
    example: r#"{"external": {"0": [2], "1": [0], "2": [0]}, "domain": ["a", "b"], "l": 2, "table": {"0": "b", "1": "b", "2": "a"}}"#,
    read: |input| Ok(Box::new(Attack::read(input)?)),
};

/// The keys of the input.
const KEYS: &[&str] = &["external", "table", "l", "norm", "algorithm", "options", "domain"];

/// A table, the people known of, and the publishers to try.
#[derive(Debug)]
struct Attack {
    cast: CasePeople,
    table: World,
    norm: Option<Vec<u64>>,
    /// Whether worlds have any people and any values; otherwise as many people and the values of the table.
    wide: bool,
    algorithms: Vec<NamedPublisher>,
    /// Whether one publisher was named.
    single: bool,
}

impl Attack {
    fn read(input: &Value) -> Result<Self> {
        let input = CaseObject::new(input, KEYS).map_err(|error| error.context("key `input`"))?;
        input.refuse_misspelt()?;
        let cast = CasePeople::read(&input)?;
        let single = input.find("algorithm").is_some();
        let algorithms = if single {
            let algorithm = NamedPublisher::new(input.text("algorithm")?);
            vec![input.find("options").map_or(Ok(algorithm.clone()), |options| algorithm.with_options(options))?]
        } else {
            algorithm::EVERY.map(NamedPublisher::new).to_vec()
        };
        let wide = input.find("domain").map(|domain| list("domain", domain)).transpose()?.is_some();
        Ok(Self { table: cast.table(&input)?, norm: cast.norm(&input)?, wide, algorithms, single, cast })
    }

    /// What `algorithm` makes of the table, and what every answer gives away.
    fn ask(&self, algorithm: &NamedPublisher, options: &AnswerOptions) -> Result<PublisherBeliefs> {
        let mechanism = algorithm.mechanism(&self.cast, self.norm.as_deref())?;
        if !self.wide && !mechanism.keeps_values() {
            return Err(Error::invalid(format!(
                "`{}` shows other values than the table's, so any may be behind them; say which in `domain`",
                algorithm.name
            )));
        }
        let people = self.cast.people.len();
        let multiset: Vec<u32> = self.table.rows().iter().map(|row| row.1).collect();
        let worlds = if self.wide {
            PossibleWorlds::any(people, self.cast.values.len() as u32)
        } else {
            PossibleWorlds::of_multiset(people, &multiset)
        };
        let answers = mechanism.answers(&self.table)?;
        let mut beliefs = reverse_engineer_all(&mechanism, &within(worlds, options))?;
        let wide = self.wide.then(|| {
            let releases = || beliefs.iter().filter(|belief| belief.0.is_some());
            AllAnswers {
                releases: releases().count(),
                worst: releases().map(|belief| belief.1.max_risk()).max().unwrap_or(Fraction::ZERO),
                silence: beliefs.get(&None).map(|belief| (belief.worlds, belief.max_risk())),
            }
        });
        let seen = |(release, probability): (Option<_>, Fraction)| {
            // Without a domain nobody can say which worlds silence leaves.
            let belief = beliefs.remove(&release).filter(|_| self.wide || release.is_some());
            let ignorant = release
                .as_ref()
                .map(|release| part(blind(&self.cast.external, release, limit(options), options.budget.seconds)));
            let ignorant = ignorant.transpose()?.and_then(|belief| Some(belief.ok()?.max_risk()));
            Ok(PossibleAnswer { release, probability, belief, ignorant })
        };
        Ok(PublisherBeliefs { seen: answers.into_iter().map(seen).collect::<Result<_>>()?, wide })
    }
}

impl CaseQuestion for Attack {
    fn answer(&self, options: &AnswerOptions) -> Result<Box<dyn CaseAnswer>> {
        let mut told = Vec::new();
        for algorithm in &self.algorithms {
            told.push((algorithm.name.clone(), part(self.ask(algorithm, options))?));
        }
        Ok(Box::new(TransparentAnswer {
            cast: self.cast.clone(),
            rows: self.table.rows().len(),
            told,
            single: self.single,
        }))
    }
}

/// Takes out of the errors that something is too large or asks a publisher for what it does not do: it spoils a part of
/// the answer only.
fn part<T>(result: Result<T>) -> Result<std::result::Result<T, String>> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(error) if matches!(error.kind(), ErrorKind::LimitExceeded | ErrorKind::InvalidParameter) => {
            Ok(Err(error.message().to_owned()))
        }
        Err(error) => Err(error),
    }
}
