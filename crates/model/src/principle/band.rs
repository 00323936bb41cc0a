//! Band: every possible value is neither too likely nor too unlikely; a property that is not closed under mixtures.

use dashu_base::UnsignedAbs;
use dashu_int::UBig;

use super::{AchievedLevel, BetterDirection, BoundPrinciple, Principle, SensitiveColumn, refuse_protected};
use crate::claim::EntryClaim;
use crate::distribution::Distribution;
use crate::error::{Error, Result};
use crate::exact::{Fraction, format_fraction, fraction};
use crate::histogram::Histogram;
use crate::registry::{EntryArgs, ParamKind, ParamSpec, ProofStatus, RegistryEntry};

/// Every sensitive value that occurs in a group has at least `eps` and at most `delta` of it.
///
/// For a group of n rows with positive counts `n_1..n_m`, requires `eps n <= n_i <= delta n` for all i; values that do
/// not occur are not counted. For a given `eps` the measure is the smallest `delta` for which the group passes: the
/// largest share, or never when some value is rarer than `eps`.
///
/// # Guarantee
/// No value is believed with more than `delta`, and none that is possible with less than `eps`. NOT closed under
/// mixtures: with `eps = delta = 1/2` the shares (1/2, 1/2, 0) and (1/2, 0, 1/2) pass, and their mean (1/2, 1/4, 1/4)
/// fails. So Tailor, Ace and Hybrid refuse it. It is a property for research, which separates the safe strategy from
/// 1-jump.
/// # Cost
/// One pass over the histogram.
/// # Reference
/// Liu, Wang, Zhang, "k-jump strategy for preserving privacy in micro-data disclosure", ICDT 2010, theorem 5.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShareBand {
    delta: Fraction,
    eps: Fraction,
}

impl ShareBand {
    /// Shares from `eps` to `delta`, both strictly between 0 and 1, `eps` at most `delta`.
    pub fn new(delta: Fraction, eps: Fraction) -> Result<Self> {
        for (name, value) in [("delta", &delta), ("eps", &eps)] {
            if value <= &Fraction::ZERO || value >= &Fraction::ONE {
                return Err(Error::invalid(format!("{name} ({}) must be above 0 and below 1", format_fraction(value))));
            }
        }
        if eps > delta {
            let (eps, delta) = (format_fraction(&eps), format_fraction(&delta));
            return Err(Error::invalid(format!("eps ({eps}) must be at most delta ({delta})")));
        }
        Ok(Self { delta, eps })
    }

    /// The largest share allowed.
    pub fn delta(&self) -> &Fraction {
        &self.delta
    }

    /// The smallest share allowed of a value that occurs.
    pub fn eps(&self) -> &Fraction {
        &self.eps
    }

    /// Whether `part` is at least `eps` of `total`.
    fn is_common(&self, part: &UBig, total: &UBig) -> bool {
        self.eps.denominator() * part >= self.eps.numerator().clone().unsigned_abs() * total
    }

    /// Whether `part` is at most `delta` of `total`.
    fn is_bounded(&self, part: &UBig, total: &UBig) -> bool {
        self.delta.denominator() * part <= self.delta.numerator().clone().unsigned_abs() * total
    }
}

impl Principle for ShareBand {
    fn id(&self) -> &'static str {
        ENTRY.id
    }

    fn describe(&self) -> String {
        let (delta, eps) = (format_fraction(&self.delta), format_fraction(&self.eps));
        format!("every value of a group has at least {eps} and at most {delta} of it")
    }

    fn better(&self) -> BetterDirection {
        BetterDirection::Smaller
    }

    fn bind(&self, column: SensitiveColumn<'_>) -> Result<Box<dyn BoundPrinciple>> {
        refuse_protected(ENTRY.id, &column)?;
        Ok(Box::new(self.clone()))
    }
}

impl BoundPrinciple for ShareBand {
    fn holds(&self, group: &Histogram) -> bool {
        Distribution::of(group).is_some_and(|shares| self.holds_on(&shares))
    }

    fn measure(&self, group: &Histogram) -> AchievedLevel {
        let total = UBig::from(group.total());
        if group.total() == 0 || !group.entries().iter().all(|entry| self.is_common(&UBig::from(entry.1), &total)) {
            return AchievedLevel::Never;
        }
        AchievedLevel::Exact(fraction(group.max(), total))
    }

    /// All rows: the only sub-multiset with that many is the group itself. A smaller number may do.
    fn robust(&self, group: &Histogram) -> Option<u64> {
        self.holds(group).then_some(group.total())
    }

    fn holds_on(&self, belief: &Distribution) -> bool {
        let total = belief.total();
        belief.weights().iter().all(|(_, weight)| self.is_common(weight, total) && self.is_bounded(weight, total))
    }

    fn is_closed_under_mixtures(&self) -> bool {
        false
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}

/// The registry entry of the band.
pub const ENTRY: RegistryEntry<dyn Principle> = RegistryEntry {
    id: "band",
    summary: "every value of a group has at least eps and at most delta of it; for research",
    reference: "Liu, Wang and Zhang 2010, theorem 5",
    status: ProofStatus::Published,
    claims: &[EntryClaim::Symmetry],
    examples: &[&[("delta", "1/2"), ("eps", "1/4")]],
    params: &[
        ParamSpec {
            name: "delta",
            kind: ParamKind::Number,
            default: None,
            help: "the largest share of a value in a group, above 0 and below 1, e.g. 1/2",
        },
        ParamSpec {
            name: "eps",
            kind: ParamKind::Number,
            default: None,
            help: "the smallest share of a value that occurs in a group, above 0 and at most delta, e.g. 1/10",
        },
    ],
    build: |args: &EntryArgs| Ok(Box::new(ShareBand::new(args.number("delta")?, args.number("eps")?)?)),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::principle::laws;

    fn band(delta: (i32, u8), eps: (i32, u8)) -> ShareBand {
        ShareBand::new(fraction(delta.0, delta.1), fraction(eps.0, eps.1)).unwrap()
    }

    #[test]
    fn both_ends_of_the_band_pass() {
        // Counts 2, 2, 1 of 5: shares from 1/5 to 2/5.
        let group = Histogram::from_counts([2, 2, 1]);
        assert!(band((2, 5), (1, 5)).holds(&group));
        assert!(!band((39, 100), (1, 5)).holds(&group));
        assert!(!band((2, 5), (21, 100)).holds(&group));
        assert_eq!(band((39, 100), (1, 5)).measure(&group), AchievedLevel::Exact(fraction(2, 5u8)));
        assert_eq!(band((39, 100), (21, 100)).measure(&group), AchievedLevel::Never, "no delta would do");
    }

    #[test]
    fn mixtures_of_passing_groups_may_fail() {
        let test = band((1, 2), (1, 2));
        assert!(test.holds(&Histogram::from_counts([1, 1, 0])) && test.holds(&Histogram::from_counts([1, 0, 1])));
        assert!(!test.holds(&Histogram::from_counts([2, 1, 1])));
        assert!(!test.is_closed_under_mixtures());
    }

    #[test]
    fn bad_parameters_are_refused() {
        let message = |delta, eps| ShareBand::new(delta, eps).unwrap_err().to_string();
        assert_eq!(message(Fraction::ONE, fraction(1, 2u8)), "delta (1) must be above 0 and below 1");
        assert_eq!(message(fraction(1, 2u8), Fraction::ZERO), "eps (0) must be above 0 and below 1");
        assert_eq!(message(fraction(1, 3u8), fraction(1, 2u8)), "eps (1/2) must be at most delta (1/3)");
    }

    #[test]
    fn robust_is_safe_and_belief_is_judged_like_groups() {
        for (delta, eps) in [((1, 2), (1, 2)), ((1, 2), (1, 5)), ((2, 5), (1, 5)), ((9, 10), (1, 10))] {
            let principle = band(delta, eps);
            laws::claims_are_literal(&principle);
            laws::for_all(|group| {
                let (safe, least) = (principle.robust(group), laws::literal_robust(&principle, group));
                assert!(safe.is_some() == least.is_some() && safe >= least, "{group:?}");
                let delta_suffices = principle.measure(group).value().is_some_and(|least| *principle.delta() >= least);
                assert_eq!(principle.holds(group), delta_suffices, "{group:?}");
            });
        }
    }
}
