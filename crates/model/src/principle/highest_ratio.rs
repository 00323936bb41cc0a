//! Highest ratio: a bound on the share of one value that need not be 1/l.

use dashu_base::UnsignedAbs;

use super::share::{ShareScale, ShareTest};
use super::{BetterDirection, BoundPrinciple, Principle, SensitiveColumn};
use crate::claim::EntryClaim;
use crate::error::{Error, Result};
use crate::exact::{Fraction, format_fraction};
use crate::registry::{EntryArgs, ParamKind, ParamSpec, ProofStatus, RegistryEntry};

/// No (protected) sensitive value has more than `ratio` of a group.
///
/// For a group of n rows with counts `n_1..n_m`, requires `n_i <= ratio * n`, for all values or, when only some are
/// protected, for those. The measure is the largest share. With `ratio = 1/l` this is frequency l-diversity.
///
/// # Guarantee
/// An adversary who knows the group of a person, and nothing else, believes in no protected value with a probability
/// above `ratio`. Closed under mixtures: a value's share in a mixture is a mixture of its shares. Every sub-multiset
/// of at least `ceil(max n_i / ratio)` rows passes, and no smaller number will do.
/// # Cost
/// One pass over the histogram.
/// # Reference
/// Liu, Wang, Zhang, "k-jump strategy for preserving privacy in micro-data disclosure", ICDT 2010 (highest ratio).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HighestRatio {
    ratio: Fraction,
}

impl HighestRatio {
    /// Shares of at most `ratio`, which must lie strictly between 0 and 1.
    pub fn new(ratio: Fraction) -> Result<Self> {
        if ratio <= Fraction::ZERO || ratio >= Fraction::ONE {
            let shown = format_fraction(&ratio);
            return Err(Error::invalid(format!("ratio ({shown}) must be above 0 and below 1")));
        }
        Ok(Self { ratio })
    }

    /// The largest share allowed.
    pub fn ratio(&self) -> &Fraction {
        &self.ratio
    }
}

impl Principle for HighestRatio {
    fn id(&self) -> &'static str {
        ENTRY.id
    }

    fn describe(&self) -> String {
        format!("at most {} of a group shares a value", format_fraction(&self.ratio))
    }

    fn better(&self) -> BetterDirection {
        BetterDirection::Smaller
    }

    fn share_bound(&self) -> Option<Fraction> {
        Some(self.ratio.clone())
    }

    fn bind(&self, column: SensitiveColumn<'_>) -> Result<Box<dyn BoundPrinciple>> {
        let (numerator, denominator) = self.ratio.clone().into_parts();
        Ok(Box::new(ShareTest::new(numerator.unsigned_abs(), denominator, ShareScale::Ratio, &column)))
    }
}

/// The registry entry of the highest ratio.
pub const ENTRY: RegistryEntry<dyn Principle> = RegistryEntry {
    id: "highest-ratio",
    summary: "no sensitive value has more than a given ratio of a group",
    reference: "Liu, Wang and Zhang 2010",
    status: ProofStatus::Proven,
    claims: &[
        EntryClaim::Mixtures,
        EntryClaim::Symmetry,
        EntryClaim::Caps,
        EntryClaim::Protection,
        EntryClaim::LeastRobust,
    ],
    examples: &[&[("ratio", "1/2")], &[("ratio", "2/5")], &[("ratio", "1/3")], &[("ratio", "3/4")]],
    params: &[ParamSpec {
        name: "ratio",
        kind: ParamKind::Number,
        default: None,
        help: "the largest share of a value in a group, above 0 and below 1, e.g. 1/3",
    }],
    build: |args: &EntryArgs| Ok(Box::new(HighestRatio::new(args.number("ratio")?)?)),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::fraction;
    use crate::histogram::Histogram;
    use crate::principle::AchievedLevel;
    use crate::principle::laws;

    #[test]
    fn two_fifths_is_met_exactly() {
        // Counts 2, 2, 1 of 5: 2/5 <= 2/5; robust ceil(2 / (2/5)) = 5.
        let group = Histogram::from_counts([2, 2, 1]);
        let test = laws::bind(&HighestRatio::new(fraction(2, 5u8)).unwrap());
        assert!(test.holds(&group));
        assert_eq!(test.measure(&group), AchievedLevel::Exact(fraction(2, 5u8)));
        assert_eq!(test.robust(&group), Some(5));
        assert!(!laws::bind(&HighestRatio::new(fraction(39, 100u8)).unwrap()).holds(&group));
    }

    #[test]
    fn ratios_of_nothing_and_of_everything_are_refused() {
        let message = HighestRatio::new(fraction(3, 2u8)).unwrap_err().to_string();
        assert_eq!(message, "ratio (3/2) must be above 0 and below 1");
        assert!(HighestRatio::new(Fraction::ZERO).is_err() && HighestRatio::new(Fraction::ONE).is_err());
    }

    #[test]
    fn robust_is_the_definition_and_mixtures_pass() {
        for (a, b) in [(1, 2u8), (1, 3), (2, 3), (3, 7), (9, 10), (1, 4)] {
            let principle = HighestRatio::new(fraction(a, b)).unwrap();
            laws::robust_is_literal(&principle);
            laws::mixtures_pass(&principle);
            laws::claims_are_literal(&principle);
            laws::smaller_measure_agrees(&principle, &fraction(a, b));
        }
    }
}
