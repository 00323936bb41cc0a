//! Mask: groups of at least k rows; values of groups that fail are replaced by the distribution of a group that passes. Not
//! transparent: a target of attack.
//!
//! Figure 1 of the electronic appendix of Xiao, Tao and Koudas, after Wong et al. The groups are those of Mondrian for
//! k-anonymity alone; k is l unless another is given, as in the paper's experiments. Every group in which a protected value has more than its share takes the distribution of a group
//! drawn uniformly from the others, each draw for itself. A distribution is copied to a group of another size by the largest
//! remainder, ties to the smaller value; that can leave a group with more than the share, and then the release is marked.
//! *Nothing* is published when no group may stand as a model.
//!
//! # Guarantee
//! None for whoever knows the algorithm: a group that shows the distribution of another was perhaps copied from it, and
//! then had more than the share. In the paper's example belief rises from 1/2 to 7/12.
//!
//! # Reference
//! Wong, Fu, Wang, Pei: Minimality Attack in Privacy Preserving Data Publishing, VLDB 2007.

use std::cmp::Reverse;

use pellucid_model::claim::EntryClaim;
use pellucid_model::error::Result;
use pellucid_model::histogram::Histogram;
use pellucid_model::partition::Partition;
use pellucid_model::promise;
use pellucid_model::promise::PromiseClass;
use pellucid_model::randomness::{ChoicePurpose, RandomSource};
use pellucid_model::registry::{LEFT_OUT, ParamKind, ParamSpec, ProofStatus, RegistryEntry};
use pellucid_model::words::counted;

use crate::publisher::frame::TableFrame;
use crate::publisher::input::{NoRelease, PublisherInput};
use crate::publisher::mondrian;
use crate::publisher::requirements::GroupRequirements;
use crate::publisher::transparent::ShareGoal;
use crate::publisher::{AlteredValues, Publisher, PublisherAnswer, PublisherOutput, PublisherStatement, statement};

/// The registry entry.
pub const ENTRY: RegistryEntry<dyn Publisher> = RegistryEntry {
    id: "mask",
    summary: "groups of k; groups that fail get the values of others; not transparent",
    reference: "Wong, Fu, Wang, Pei: Minimality Attack in Privacy Preserving Data Publishing, VLDB 2007",
    status: ProofStatus::Published,
    claims: &[EntryClaim::Demonstration, promise::always(PromiseClass::None)],
    examples: &[&[], &[("k", "2")]],
    params: &[ParamSpec {
        name: "k",
        kind: ParamKind::Integer { min: 1 },
        default: Some(LEFT_OUT),
        help: "least rows of a group; as few as can meet the principle (l of them) when left out",
    }],
    build: |args| Ok(Box::new(Mask { k: args.given("k").map(|_| args.integer("k")).transpose()? })),
};

#[derive(Debug)]
struct Mask {
    k: Option<u64>,
}

impl Publisher for Mask {
    fn accepts(&self, plan: &PublisherInput<'_>) -> Result<()> {
        plan.check_groupable()?;
        ShareGoal::of(ENTRY.id, plan).map(drop)
    }

    fn statement(&self, plan: &PublisherInput<'_>) -> PublisherStatement {
        let why = "groups that fail show the values of others, so whoever knows that takes groups that show alike for copies \
                   of one another";
        statement::opaque(plan, why, true)
    }

    fn ties(&self) -> Option<&'static str> {
        Some("equal values stay together; each group that is copied to took its model at random")
    }

    fn keeps_values(&self) -> bool {
        false
    }

    fn publish(&self, plan: &PublisherInput<'_>, randomness: RandomSource<'_>) -> Result<PublisherAnswer> {
        self.accepts(plan)?;
        let ShareGoal { goal, l } = ShareGoal::of(ENTRY.id, plan)?;
        let k = self.k.unwrap_or(l);
        if (plan.rows as u64) < k {
            let rows = counted(plan.rows, "row", "rows");
            let why = format!("the table has {rows}, and groups must have at least {k}; lower `k`");
            return Ok(Err(NoRelease::Withheld(why)));
        }
        let mut groups = mondrian::partition(plan, &GroupRequirements::of_sizes(k));
        let mut codes: Vec<u32> = goal.column.codes().iter().collect();
        let histogram = |rows: &[u32]| Histogram::of(rows.iter().map(|&row| codes[row as usize]));
        let (models, failing): (Vec<_>, Vec<_>) =
            groups.iter().map(histogram).enumerate().partition(|(_, histogram)| goal.test.holds(histogram));
        if models.is_empty() {
            let why = format!(
                "in each of {} a value has more than its share, and none can be a model for the others; raise `k` or relax the \
                 principle",
                counted(groups.len(), "group", "groups")
            );
            return Ok(Err(NoRelease::Withheld(why)));
        }
        if !failing.is_empty() {
            order_members(plan, &mut groups, randomness);
        }
        for (group, _) in failing {
            let drawn = randomness.stream(ChoicePurpose::Choice, group as u64, 0).below(models.len());
            let rows = groups.group(group);
            let copied = copy_distribution(&models[drawn].1, rows.len() as u64);
            let copied = copied.into_iter().flat_map(|(code, count)| std::iter::repeat_n(code, count as usize));
            rows.iter().zip(copied).for_each(|(&row, code)| codes[row as usize] = code);
        }
        let altered = Some(AlteredValues { column: goal.column.name().to_owned(), codes });
        Ok(Ok(PublisherOutput { altered, ..groups.into() }))
    }
}

/// Puts the members of every group in base order, so that who gets which copied value does not depend on the input's.
fn order_members(plan: &PublisherInput<'_>, groups: &mut Partition, randomness: RandomSource<'_>) {
    let frame = TableFrame::new(&plan.quasi, &plan.identifiers, plan.rows, randomness);
    let mut place = vec![0u32; plan.rows];
    for position in 0..plan.rows as u32 {
        place[frame.row(position) as usize] = position;
    }
    groups.each_mut(|rows| rows.sort_unstable_by_key(|&row| place[row as usize]));
}

/// `size` rows distributed as `model`, by code: shares rounded by the largest remainder, ties to the smaller code.
pub fn copy_distribution(model: &Histogram, size: u64) -> Vec<(u32, u64)> {
    let total = u128::from(model.total());
    let share = |count: u64| u128::from(count) * u128::from(size);
    let mut copied: Vec<(u32, u64)> =
        model.entries().iter().map(|&(code, count)| (code, (share(count) / total) as u64)).collect();
    let lacking = size - copied.iter().map(|part| part.1).sum::<u64>();
    let mut order: Vec<usize> = (0..copied.len()).collect();
    order.sort_by_key(|&at| Reverse(share(model.entries()[at].1) % total));
    for &at in order.iter().take(lacking as usize) {
        copied[at].1 += 1;
    }
    copied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainders_go_to_the_largest_and_then_to_the_smaller_value() {
        let model = Histogram::from_counts([2, 2]);
        // 3/2 each: both remainders are 1/2.
        assert_eq!(copy_distribution(&model, 3), [(0, 2), (1, 1)]);
        // 4/3 and 8/3.
        assert_eq!(copy_distribution(&Histogram::from_counts([1, 2]), 4), [(0, 1), (1, 3)]);
        assert_eq!(copy_distribution(&Histogram::from_counts([1, 0, 1]), 2), [(0, 1), (2, 1)]);
    }
}
