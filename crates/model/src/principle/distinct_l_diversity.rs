//! Distinct l-diversity: every group has at least l different values.

use super::{
    AchievedLevel, BetterDirection, BoundPrinciple, MinimumSize, Principle, ProfileTest, SensitiveColumn,
    SufficientStatistic, at_least_two, refuse_protected,
};
use crate::claim::EntryClaim;
use crate::distribution::Distribution;
use crate::error::Result;
use crate::exact::Fraction;
use crate::histogram::{CountProfile, Histogram};
use crate::registry::{EntryArgs, ParamKind, ParamSpec, ProofStatus, RegistryEntry};

/// Every group has at least `l` different sensitive values.
///
/// # Guarantee
/// Nobody's value is narrowed down to fewer than `l`, though one of them may be almost certain. Closed under mixtures:
/// the values of a mixture are those of its parts together.
/// # Cost
/// Constant; `robust` sorts the counts.
/// # Reference
/// Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, TKDD 1(1), 2007, section 4 (distinct l-diversity in Li, Li,
/// Venkatasubramanian, ICDE 2007).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DistinctLDiversity {
    l: u64,
}

impl DistinctLDiversity {
    /// At least `l` different values; `l` must be at least 2.
    pub fn new(l: u64) -> Result<Self> {
        Ok(Self { l: at_least_two("l", l)? })
    }

    /// The least number of different values.
    pub fn l(&self) -> u64 {
        self.l
    }
}

impl Principle for DistinctLDiversity {
    fn id(&self) -> &'static str {
        ENTRY.id
    }

    fn describe(&self) -> String {
        format!("every group has at least {} different values", self.l)
    }

    fn better(&self) -> BetterDirection {
        BetterDirection::Larger
    }

    fn bind(&self, column: SensitiveColumn<'_>) -> Result<Box<dyn BoundPrinciple>> {
        refuse_protected(ENTRY.id, &column)?;
        Ok(Box::new(*self))
    }
}

impl BoundPrinciple for DistinctLDiversity {
    fn holds(&self, group: &Histogram) -> bool {
        group.distinct() as u64 >= self.l
    }

    fn measure(&self, group: &Histogram) -> AchievedLevel {
        AchievedLevel::Exact(Fraction::from(group.distinct()))
    }

    /// The largest sub-multiset with fewer than `l` values takes all rows of the `l - 1` commonest, so the smallest
    /// number is one more than these rows; every larger sub-multiset has an `l`-th value.
    fn robust(&self, group: &Histogram) -> Option<u64> {
        self.robust_of(&CountProfile::of(group))
    }

    fn holds_on(&self, belief: &Distribution) -> bool {
        belief.weights().len() as u64 >= self.l
    }

    /// Further rows take no value away.
    fn is_closed_under_growth(&self) -> bool {
        true
    }

    fn least(&self) -> MinimumSize {
        MinimumSize::values(self.l)
    }

    fn is_symmetric(&self) -> bool {
        true
    }

    fn recall(&self) -> SufficientStatistic {
        SufficientStatistic::Values(self.l)
    }

    /// The rows of the rarest values without which too few are left.
    fn slack(&self, group: &Histogram) -> f64 {
        let kept = usize::try_from(self.l - 1).unwrap_or(usize::MAX);
        group.descending().iter().skip(kept).sum::<u64>() as f64
    }

    fn by_profile(&self) -> Option<&dyn ProfileTest> {
        Some(self)
    }
}

impl ProfileTest for DistinctLDiversity {
    fn robust_of(&self, profile: &CountProfile) -> Option<u64> {
        (profile.values() >= self.l).then(|| profile.head(self.l - 1) + 1)
    }
}

/// The registry entry of distinct l-diversity.
pub const ENTRY: RegistryEntry<dyn Principle> = RegistryEntry {
    id: "distinct-l-diversity",
    summary: "every group has at least l different sensitive values",
    reference: "Machanavajjhala et al. 2007, section 4; Li et al. 2007",
    status: ProofStatus::Proven,
    claims: &[EntryClaim::Mixtures, EntryClaim::Growth, EntryClaim::Symmetry, EntryClaim::LeastRobust],
    examples: &[&[("l", "2")], &[("l", "3")], &[("l", "4")]],
    params: &[ParamSpec {
        name: "l",
        kind: ParamKind::Integer { min: 2 },
        default: None,
        help: "the least number of different values of a group",
    }],
    build: |args: &EntryArgs| Ok(Box::new(DistinctLDiversity::new(args.integer("l")?)?)),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::principle::laws;

    #[test]
    fn three_values_are_three_diverse() {
        // Counts 5, 3, 1: five and three rows may fall on two values, so 5 + 3 + 1 = 9 rows are needed.
        let group = Histogram::from_counts([5, 3, 1]);
        let test = DistinctLDiversity::new(3).unwrap();
        assert!(test.holds(&group));
        assert_eq!(test.robust(&group), Some(9));
        assert_eq!(DistinctLDiversity::new(4).unwrap().robust(&group), None);
    }

    #[test]
    fn robust_is_the_definition_and_mixtures_pass() {
        for l in 2..=4 {
            let principle = DistinctLDiversity::new(l).unwrap();
            laws::robust_is_literal(&principle);
            laws::mixtures_pass(&principle);
            laws::claims_are_literal(&principle);
            laws::larger_measure_agrees(&principle, &Fraction::from(l));
        }
    }
}
