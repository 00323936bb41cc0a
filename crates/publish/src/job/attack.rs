//! Attacks on the release of a job by somebody who knows the mechanism.

use std::time::Instant;

use pellucid_inference::attack::{AttackAccount, SeenRelease, account, account_of_proof, weigh};
use pellucid_inference::belief::Requirements;
use pellucid_inference::budget::Budget;
use pellucid_inference::evidence::Evidence;
use pellucid_inference::verdict::{BeliefRequirements, RequiredPrinciple};
use pellucid_model::error::{Error, Result};
use pellucid_model::exact::Fraction;
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::progress::RunStage;
use pellucid_model::randomness::RandomSource;
use pellucid_model::table::{Column, Table};
use serde::Serialize;

use super::{ResolvedJob, TrialFindings};
use crate::publisher::{NoRelease, PublisherInput};

/// What an attack found.
#[derive(Debug)]
pub enum AttackAnswer {
    /// What is believed of everybody.
    Release(Box<AttackFindings>),
    /// Nothing was released.
    Nothing(NoRelease),
}

/// What an attack on a release found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttackFindings {
    /// The publisher.
    pub publisher: String,
    /// What the release tells besides its groups, in words.
    pub evidence: String,
    /// Whether nothing was counted or tried, because there is a proof that it tells no more than the principles allow.
    pub proven: bool,
    /// Partitions that were looked at and rejected.
    pub rejected: usize,
    /// What follows.
    pub account: AttackAccount,
    /// What trying every original gave, when that was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tried: Option<TrialFindings>,
}

impl ResolvedJob<'_> {
    /// Makes the release of `table` and attacks it, knowing everything but the sensitive values.
    ///
    /// # Guarantee
    /// As [`weigh`] says.
    pub fn attack(
        &self,
        table: &Table,
        hierarchies: &[Option<Hierarchy>],
        budget: &Budget,
        progress: &dyn Fn(RunStage) -> Result<()>,
    ) -> Result<AttackAnswer> {
        let begun = Instant::now();
        self.with_plan(table, hierarchies, progress, |plan| {
            progress(self.publisher.stage())?;
            let output = match self.publisher.publish(plan, RandomSource::System.check()?)? {
                Ok(output) => output,
                Err(nothing) => return Ok(AttackAnswer::Nothing(nothing)),
            };
            let groups = &output.groups;
            progress(RunStage::Count)?;
            let column = one_sensitive_column(plan)?;
            let condition = Requirements::new(plan.goals.iter().map(|goal| goal.test.as_ref()));
            let values: Vec<u32> = column.codes().iter().collect();
            let seen = SeenRelease { groups, values: &values, condition: &condition };
            let (evidence, proven, rejected) = match self.publisher.evidence(plan, &output)? {
                Evidence::Proven => {
                    let attacker = self.statement(plan, RandomSource::System).promise.attacker();
                    (format!("no more than the principles allow, as is proved for {attacker}"), true, Vec::new())
                }
                Evidence::Rejected(rejected) => {
                    ("partitions that would have been preferred did not pass".to_owned(), false, rejected)
                }
                Evidence::Unknown(why) => return Err(not_countable(&self.job.method.publisher, &why)),
            };
            let demand = self.demand(plan);
            let account = if proven {
                account_of_proof(seen, column.name(), &demand)
            } else {
                let confidence = budget.sampling.map(|sampling| sampling.confidence);
                account(seen, column.name(), &demand, &weigh(seen, &rejected, &budget.since(begun))?, confidence)
            };
            let publisher = self.job.method.publisher.clone();
            Ok(AttackAnswer::Release(Box::new(AttackFindings {
                publisher,
                evidence,
                proven,
                rejected: rejected.len(),
                account,
                tried: None,
            })))
        })
    }

    /// What the principles demand of belief about everybody, in any value.
    pub(super) fn demand<'a>(&self, plan: &'a PublisherInput<'_>) -> BeliefRequirements<'a> {
        let bounds = plan.goals.iter().map(|goal| RequiredPrinciple {
            test: goal.test.as_ref(),
            share: goal.share.as_ref(),
            protected: goal.protected.as_deref(),
        });
        BeliefRequirements {
            promised: self.promised(),
            counted: None,
            ..BeliefRequirements::new(bounds.collect(), 0.0)
        }
    }

    /// The bound on belief that people were promised.
    pub(super) fn promised(&self) -> Option<Fraction> {
        self.principles.iter().filter_map(|(_, principle)| principle.share_bound()).min()
    }
}

fn not_countable(publisher: &str, why: &str) -> Error {
    Error::invalid(format!(
        "what `{publisher}` gives away is not counted at this scale: {why}; attack a smaller table, of which every original is tried \
         (`--budget`), or another publisher"
    ))
}

/// The column that all principles look at.
pub(super) fn one_sensitive_column<'a>(plan: &PublisherInput<'a>) -> Result<&'a Column> {
    let mut goals = plan.goals.iter().filter(|goal| goal.principle.needs_sensitive());
    let first = goals.next().ok_or_else(|| {
        Error::invalid("the principles cap no belief, so there is nothing to hold an attack against; add one in a second [[privacy]], such as `frequency-l-diversity` with l = 2")
    })?;
    if goals.any(|goal| !std::ptr::eq(goal.column, first.column)) {
        return Err(Error::invalid(
            "the principles look at several sensitive columns, and belief is counted for one; attack a job with one of them",
        ));
    }
    Ok(first.column)
}
