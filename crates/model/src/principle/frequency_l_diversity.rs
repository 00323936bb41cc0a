//! Frequency l-diversity: no value has more than 1/l of a group.

use dashu_int::UBig;

use super::share::{ShareScale, ShareTest};
use super::{BetterDirection, BoundPrinciple, Principle, SensitiveColumn, at_least_two};
use crate::claim::EntryClaim;
use crate::error::Result;
use crate::exact::{Fraction, fraction};
use crate::registry::{EntryArgs, ParamKind, ParamSpec, ProofStatus, RegistryEntry};

/// No (protected) sensitive value has more than `1/l` of a group.
///
/// For a group of n rows with counts `n_1..n_m`, requires `l * n_i <= n`, for all values or, when only some are
/// protected, for those; a group without protected values passes for every `l`. The measure is `n / max n_i`.
///
/// # Guarantee
/// An adversary who knows the group of a person, and nothing else, believes in no protected value with a probability
/// above `1/l`. Closed under mixtures: a value's share in a mixture is a mixture of its shares. Every sub-multiset of
/// at least `l * max n_i` rows passes, and no smaller number will do.
/// # Cost
/// One pass over the histogram.
/// # Reference
/// Wong, Li, Fu, Wang, KDD 2006, (alpha, k)-anonymity with alpha = 1/l; Xiao, Tao, VLDB 2006 (l-diverse
/// partition).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrequencyLDiversity {
    l: u64,
}

impl FrequencyLDiversity {
    /// Shares of at most `1/l`; `l` must be at least 2.
    pub fn new(l: u64) -> Result<Self> {
        Ok(Self { l: at_least_two("l", l)? })
    }

    /// The parameter l.
    pub fn l(&self) -> u64 {
        self.l
    }
}

impl Principle for FrequencyLDiversity {
    fn id(&self) -> &'static str {
        ENTRY.id
    }

    fn describe(&self) -> String {
        format!("at most 1/{} of a group shares a value", self.l)
    }

    fn better(&self) -> BetterDirection {
        BetterDirection::Larger
    }

    fn share_bound(&self) -> Option<Fraction> {
        Some(fraction(1, self.l))
    }

    fn bind(&self, column: SensitiveColumn<'_>) -> Result<Box<dyn BoundPrinciple>> {
        Ok(Box::new(ShareTest::new(UBig::ONE, UBig::from(self.l), ShareScale::Inverse, &column)))
    }
}

/// The registry entry of frequency l-diversity.
pub const ENTRY: RegistryEntry<dyn Principle> = RegistryEntry {
    id: "frequency-l-diversity",
    summary: "no sensitive value has more than 1/l of a group",
    reference: "Xiao and Tao 2006, l-diverse partition",
    status: ProofStatus::Proven,
    claims: &[
        EntryClaim::Mixtures,
        EntryClaim::Symmetry,
        EntryClaim::Caps,
        EntryClaim::Protection,
        EntryClaim::LeastRobust,
    ],
    examples: &[&[("l", "2")], &[("l", "3")], &[("l", "4")]],
    params: &[ParamSpec {
        name: "l",
        kind: ParamKind::Integer { min: 2 },
        default: None,
        help: "a value has at most 1/l of a group",
    }],
    build: |args: &EntryArgs| Ok(Box::new(FrequencyLDiversity::new(args.integer("l")?)?)),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::Histogram;
    use crate::principle::AchievedLevel;
    use crate::principle::laws;

    #[test]
    fn half_of_a_group_is_two_diverse() {
        // Counts 2, 1, 1 of 4: 2/4 <= 1/2 but 2/4 > 1/3; robust 2 * 2 = 4 rows.
        let group = Histogram::from_counts([2, 1, 1]);
        let test = laws::bind(&FrequencyLDiversity::new(2).unwrap());
        assert!(test.holds(&group));
        assert_eq!(test.robust(&group), Some(4));
        assert_eq!(test.measure(&group), AchievedLevel::Exact(fraction(2, 1u8)));
        let test = laws::bind(&FrequencyLDiversity::new(3).unwrap());
        assert!(!test.holds(&group));
        assert_eq!(test.robust(&group), None);
    }

    #[test]
    fn unprotected_values_are_free() {
        let whole = Histogram::from_counts([6, 2, 2]);
        let flags = [false, true, true];
        let column =
            SensitiveColumn { name: "x", whole: &whole, cardinality: 3, protected: Some(&flags), hierarchy: None };
        let test = FrequencyLDiversity::new(5).unwrap().bind(column).unwrap();
        // Protected counts 2, 2 of 10: 2/10 = 1/5.
        assert!(test.holds(&whole));
        assert_eq!(test.robust(&whole), Some(10));
        let harmless = Histogram::from_counts([4]);
        assert_eq!(test.robust(&harmless), Some(1));
        assert_eq!(test.measure(&harmless), AchievedLevel::Unbounded);
        laws::robust_is_literal_for(test.as_ref(), 3);
    }

    #[test]
    fn robust_is_the_definition_and_mixtures_pass() {
        assert_eq!(FrequencyLDiversity::new(1).unwrap_err().to_string(), "l (1) must be at least 2");
        for l in 2..=5 {
            let principle = FrequencyLDiversity::new(l).unwrap();
            assert_eq!(principle.share_bound(), Some(fraction(1, l)));
            laws::robust_is_literal(&principle);
            laws::mixtures_pass(&principle);
            laws::claims_are_literal(&principle);
            laws::larger_measure_agrees(&principle, &Fraction::from(l));
        }
    }
}
