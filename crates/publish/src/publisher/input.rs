//! Plans: what a publisher is asked to do, checked and bound to a table.

use pellucid_model::axis::QuasiAxis;
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::exact::Fraction;
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::principle::{AchievedLevel, BoundPrinciple, Principle};
use pellucid_model::progress::ProgressWatch;
use pellucid_model::table::Column;
use serde::{Serialize, Serializer};
use serde_json::json;

use super::search::SearchAccount;
use super::sequence::SequenceAccount;

/// One principle to be met on one sensitive column.
#[derive(Debug)]
pub struct PrivacyGoal<'a> {
    /// The sensitive column.
    pub column: &'a Column,
    /// As the job states it, parameters checked.
    pub principle: &'a dyn Principle,
    /// The principle bound to the column.
    pub test: Box<dyn BoundPrinciple>,
    /// The largest share one value may have, when the principle is nothing but that bound.
    pub share: Option<Fraction>,
    /// By code, whether the value is protected; `None` when all are.
    pub protected: Option<Vec<bool>>,
}

impl PrivacyGoal<'_> {
    /// The largest count of a protected value in the whole column.
    pub fn largest(&self) -> u64 {
        let histogram = self.column.histogram();
        let flags = self.protected.as_deref();
        let bounded = histogram.entries().iter().filter(|entry| flags.is_none_or(|flags| flags[entry.0 as usize]));
        bounded.map(|entry| entry.1).max().unwrap_or(0)
    }
}

/// What a publisher is asked to do.
#[derive(Debug)]
pub struct PublisherInput<'a> {
    /// Number of rows.
    pub rows: usize,
    /// The quasi columns with their axes, in the order of the job.
    pub quasi: Vec<(&'a Column, QuasiAxis)>,
    /// The hierarchies of the quasi columns, in the same order.
    pub hierarchies: Vec<Option<&'a Hierarchy>>,
    /// The identifiers, which break ties.
    pub identifiers: Vec<&'a Column>,
    /// What must hold; several goals must hold together.
    pub goals: Vec<PrivacyGoal<'a>>,
    /// The share of rows that may be left out of the release.
    pub suppression: Fraction,
    /// Whether the publisher is to account for everything it could have looked at.
    pub explain: bool,
    /// Told how far a search has come; an error stops it.
    pub watch: ProgressWatch<'a>,
}

/// A typed answer: nothing can be disclosed, and why.
#[derive(Debug, Clone, PartialEq)]
pub enum NoRelease {
    /// Not even the whole table as one group meets a principle.
    Ineligible(IneligibleTable),
    /// The strategy came to the end of its sequence.
    Exhausted(Box<SequenceAccount>),
    /// No granulation passes.
    NoGranulation(Box<SearchAccount>),
    /// By the publisher's own rule; why, and what to do.
    Withheld(String),
}

impl Serialize for NoRelease {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let document = match self {
            Self::Ineligible(ineligible) => json!({
                "status": "nothing",
                "column": ineligible.column,
                "principle": ineligible.principle,
                "eligible": ineligible.eligible.to_string(),
            }),
            Self::Exhausted(account) => json!({
                "status": "nothing",
                "column": account.column,
                "principle": account.principles.join("; "),
                "silence_discloses": account.silence_discloses(),
                "account": account,
            }),
            Self::NoGranulation(account) => json!({
                "status": "nothing",
                "principle": account.principles.join("; "),
                "search": account,
            }),
            Self::Withheld(why) => json!({ "status": "nothing", "why": why }),
        };
        document.serialize(serializer)
    }
}

/// What not even the whole table as one group meets.
#[derive(Debug, Clone, PartialEq)]
pub struct IneligibleTable {
    /// The sensitive column that stands in the way; `None` when sentences or sizes do.
    pub column: Option<String>,
    /// The principle that cannot be met, in words.
    pub principle: String,
    /// The parameter at which the whole table would just pass.
    pub eligible: AchievedLevel,
}

impl PublisherInput<'_> {
    /// Fails when there is no quasi column to make groups by, or more rows than can be numbered.
    pub fn check_groupable(&self) -> Result<()> {
        if self.quasi.is_empty() {
            return Err(Error::invalid("there is no quasi column to make groups by; declare one"));
        }
        let (rows, most) = (self.rows, u32::MAX);
        if rows > most as usize {
            let message = format!("the table has {rows} rows, and rows are numbered up to {most}; publish it in parts");
            return Err(Error::new(ErrorKind::LimitExceeded, message));
        }
        Ok(())
    }

    /// Whether no goal looks at sensitive values, so that what follows from goals follows from quasi-identifiers alone.
    pub fn is_blind(&self) -> bool {
        self.goals.iter().all(|goal| !goal.principle.needs_sensitive())
    }

    /// Refuses, on behalf of `publisher`, principles by which people have sentences of their own.
    ///
    /// A world moves values from person to person, but not what a person wants kept; a code for both says nothing of
    /// such a world.
    pub fn refuse_personal(&self, publisher: &str) -> Result<()> {
        let personal = self.goals.iter().find(|goal| goal.test.claims().is_some_and(|claims| claims.personal));
        personal.map_or(Ok(()), |goal| {
            Err(Error::invalid(format!(
                "`{publisher}` keeps `{}` when everybody has the same sentences, because belief about a person would have to \
                 know whose sentences travel with whom; use publisher = \"search\", or one list of sentences for everybody",
                goal.principle.id()
            )))
        })
    }

    /// Whether not even the whole table may be cut, because both halves would have to keep more than half of its rows.
    pub fn is_uncuttable(&self) -> bool {
        self.goals.iter().any(|goal| {
            let least = goal.test.robust(&goal.column.histogram());
            least.is_none_or(|least| least.saturating_mul(2) > self.rows as u64)
        })
    }

    /// The first goal that not even the whole table meets as one group; then no partition can meet it, as the goals are
    /// closed under mixtures and the whole table is a mixture of the groups.
    pub fn obstacle(&self) -> Option<NoRelease> {
        self.goals.iter().find_map(|goal| {
            let whole = goal.column.histogram();
            let of_column = goal.principle.needs_sensitive() && goal.test.claims().is_none();
            (!goal.test.holds(&whole)).then(|| {
                NoRelease::Ineligible(IneligibleTable {
                    column: of_column.then(|| goal.column.name().to_owned()),
                    principle: goal.principle.describe(),
                    eligible: goal.test.measure(&whole),
                })
            })
        })
    }
}
