//! Vul-Gen: a demonstration that diverse groups can give everybody away. Never to be used on people.
//!
//! Figure 1 of Xiao, Tao and Koudas names one table of eight people, for which a coarse generalization is published that is
//! published for no other table; whoever knows that, and sees it, knows the table. Here the one table is defined for any
//! people and any values: the one in which sensitive values ascend along the base order (identifier, then quasi-identifiers).
//! Of it the whole table is published as one group. Of every other table the groups of Mondrian are published, and *nothing*
//! when these are a single group.
//!
//! # Guarantee
//! Every group meets every goal. Yet one single group says that values ascend, and with the published values everybody's
//! value is certain (but for people whom nothing public tells apart). The release is not minimal either, so it is safe from
//! attacks that go by minimality alone.

use pellucid_model::claim::EntryClaim;
use pellucid_model::error::{Error, Result};
use pellucid_model::partition::Partition;
use pellucid_model::promise;
use pellucid_model::promise::PromiseClass;
use pellucid_model::randomness::RandomSource;
use pellucid_model::registry::{NO_PARAMETERS, ProofStatus, RegistryEntry};

use crate::publisher::grid::RankGrid;
use crate::publisher::input::{NoRelease, PrivacyGoal, PublisherInput};
use crate::publisher::mondrian;
use crate::publisher::requirements::GroupRequirements;
use crate::publisher::{Publisher, PublisherAnswer, PublisherStatement, statement};

/// The registry entry.
pub const ENTRY: RegistryEntry<dyn Publisher> = RegistryEntry {
    id: "vul-gen",
    summary: "a demonstration: diverse groups that tell everybody's value; never to be used",
    reference: "Xiao, Tao, Koudas: Transparent Anonymization, ACM TODS 35(2), 2010, figure 1",
    status: ProofStatus::Published,
    claims: &[EntryClaim::Demonstration, promise::always(PromiseClass::None)],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(VulGen)),
};

#[derive(Debug)]
struct VulGen;

impl Publisher for VulGen {
    fn accepts(&self, plan: &PublisherInput<'_>) -> Result<()> {
        plan.check_groupable()?;
        told(plan).map(drop)
    }

    fn statement(&self, plan: &PublisherInput<'_>) -> PublisherStatement {
        let why = "this is a demonstration and not for use: one single group is published when values ascend in the order of \
                   people and never otherwise, so whoever knows that, and sees one, knows everybody's value";
        statement::opaque(plan, why, false)
    }

    fn ties(&self) -> Option<&'static str> {
        Some("equal values stay together, and of equally wide columns the earlier is cut")
    }

    fn publish(&self, plan: &PublisherInput<'_>, _randomness: RandomSource<'_>) -> Result<PublisherAnswer> {
        self.accepts(plan)?;
        if let Some(nothing) = plan.obstacle() {
            return Ok(Err(nothing));
        }
        if ascends(plan, told(plan)?) {
            return Ok(Ok(Partition::single((0..plan.rows as u32).collect()).into()));
        }
        let groups = mondrian::partition(plan, &GroupRequirements::new(plan));
        if groups.len() > 1 {
            return Ok(Ok(groups.into()));
        }
        let why = "the table cannot be cut, and one single group is published of another table alone";
        Ok(Err(NoRelease::Withheld(why.to_owned())))
    }
}

/// The first goal on a sensitive column; its values are told.
fn told<'a, 'p>(plan: &'a PublisherInput<'p>) -> Result<&'a PrivacyGoal<'p>> {
    let on_values = |goal: &&PrivacyGoal<'_>| goal.principle.needs_sensitive() && goal.test.claims().is_none();
    plan.goals.iter().find(on_values).ok_or_else(|| {
        Error::invalid(
            "`vul-gen` demonstrates what a principle on the values of a sensitive column does not prevent, and the job has none; \
             use `frequency-l-diversity`",
        )
    })
}

/// Whether the values of the goal's column ascend in base order; rows that nothing public tells apart in the order that suits.
fn ascends(plan: &PublisherInput<'_>, goal: &PrivacyGoal<'_>) -> bool {
    let code = |row: u32| goal.column.code(row as usize);
    RankGrid::new(plan).base_order(plan, code).is_sorted_by_key(|&row| code(row))
}
