//! k-anonymity: every group has at least k rows.

use super::{
    AchievedLevel, BetterDirection, BoundPrinciple, MinimumSize, Principle, ProfileTest, SensitiveColumn,
    SufficientStatistic, at_least_two,
};
use crate::claim::EntryClaim;
use crate::distribution::Distribution;
use crate::error::Result;
use crate::exact::Fraction;
use crate::histogram::{CountProfile, Histogram};
use crate::registry::{EntryArgs, ParamKind, ParamSpec, ProofStatus, RegistryEntry};

/// Every group has at least `k` rows, whatever their sensitive values.
///
/// # Guarantee
/// Nobody is linked to fewer than `k` rows; says nothing of sensitive values. Closed under mixtures: a mixture of
/// passing histograms, written as a sum of positive multiples of them, has at least `k` rows.
/// # Cost
/// Constant.
/// # Reference
/// Samarati 2001; Sweeney, IJUFKS 10(5), 2002, definition 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KAnonymity {
    k: u64,
}

impl KAnonymity {
    /// Groups of at least `k` rows; `k` must be at least 2.
    pub fn new(k: u64) -> Result<Self> {
        Ok(Self { k: at_least_two("k", k)? })
    }

    /// The least number of rows of a group.
    pub fn k(&self) -> u64 {
        self.k
    }
}

impl Principle for KAnonymity {
    fn id(&self) -> &'static str {
        ENTRY.id
    }

    fn describe(&self) -> String {
        format!("every group has at least {} rows", self.k)
    }

    fn needs_sensitive(&self) -> bool {
        false
    }

    fn better(&self) -> BetterDirection {
        BetterDirection::Larger
    }

    fn bind(&self, _column: SensitiveColumn<'_>) -> Result<Box<dyn BoundPrinciple>> {
        Ok(Box::new(*self))
    }
}

impl BoundPrinciple for KAnonymity {
    fn holds(&self, group: &Histogram) -> bool {
        group.total() >= self.k
    }

    fn measure(&self, group: &Histogram) -> AchievedLevel {
        AchievedLevel::Exact(Fraction::from(group.total()))
    }

    /// A sub-multiset passes just when it has `k` rows, so the smallest number is `k` itself.
    fn robust(&self, group: &Histogram) -> Option<u64> {
        self.robust_of(&CountProfile::of(group))
    }

    /// k-anonymity is a condition on groups alone and says nothing of values: belief always passes.
    fn holds_on(&self, _belief: &Distribution) -> bool {
        true
    }

    /// Further rows leave at least `k`.
    fn is_closed_under_growth(&self) -> bool {
        true
    }

    fn least(&self) -> MinimumSize {
        MinimumSize { rows: self.k, values: 1 }
    }

    fn is_symmetric(&self) -> bool {
        true
    }

    /// All rows when there are `k` of them, and otherwise 0: a group of fewer rows fails whatever it holds.
    fn cap(&self, _code: u32, rows: u64) -> Option<u64> {
        Some(if rows >= self.k { rows } else { 0 })
    }

    fn recall(&self) -> SufficientStatistic {
        SufficientStatistic::Size
    }

    /// No change of values makes a group fail.
    fn slack(&self, group: &Histogram) -> f64 {
        if self.holds(group) { f64::INFINITY } else { 0.0 }
    }

    fn by_profile(&self) -> Option<&dyn ProfileTest> {
        Some(self)
    }
}

impl ProfileTest for KAnonymity {
    fn robust_of(&self, profile: &CountProfile) -> Option<u64> {
        (profile.rows() >= self.k).then_some(self.k)
    }
}

/// The registry entry of k-anonymity.
pub const ENTRY: RegistryEntry<dyn Principle> = RegistryEntry {
    id: "k-anonymity",
    summary: "every group has at least k rows",
    reference: "Sweeney 2002, definition 3",
    status: ProofStatus::Proven,
    claims: &[
        EntryClaim::Mixtures,
        EntryClaim::Growth,
        EntryClaim::Symmetry,
        EntryClaim::Caps,
        EntryClaim::Protection,
        EntryClaim::LeastRobust,
    ],
    examples: &[&[("k", "2")], &[("k", "3")], &[("k", "5")]],
    params: &[ParamSpec {
        name: "k",
        kind: ParamKind::Integer { min: 2 },
        default: None,
        help: "the least number of rows of a group",
    }],
    build: |args: &EntryArgs| Ok(Box::new(KAnonymity::new(args.integer("k")?)?)),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::fraction;
    use crate::principle::laws;

    #[test]
    fn k_of_one_is_refused() {
        assert_eq!(KAnonymity::new(1).unwrap_err().to_string(), "k (1) must be at least 2");
    }

    #[test]
    fn groups_are_measured_by_their_rows() {
        let group = Histogram::from_counts([2, 1]);
        assert!(KAnonymity::new(3).unwrap().holds(&group) && !KAnonymity::new(4).unwrap().holds(&group));
        assert_eq!(KAnonymity::new(2).unwrap().measure(&group), AchievedLevel::Exact(fraction(3, 1u8)));
    }

    #[test]
    fn robust_is_the_definition_and_mixtures_pass() {
        for k in 2..=5 {
            let principle = KAnonymity::new(k).unwrap();
            laws::robust_is_literal(&principle);
            laws::mixtures_pass(&principle);
            laws::claims_are_literal(&principle);
            laws::larger_measure_agrees(&principle, &Fraction::from(k));
        }
    }
}
