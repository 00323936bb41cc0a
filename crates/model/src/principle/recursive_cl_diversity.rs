//! Recursive (c, l)-diversity: the commonest value is not too common even after ruling out l - 2 others.

use dashu_base::UnsignedAbs;
use dashu_int::UBig;

use super::{
    AchievedLevel, BetterDirection, BoundPrinciple, MinimumSize, Principle, ProfileTest, SensitiveColumn,
    SufficientStatistic, at_least_two, refuse_protected,
};
use crate::claim::EntryClaim;
use crate::distribution::Distribution;
use crate::error::{Error, Result};
use crate::exact::{Fraction, format_fraction, fraction};
use crate::histogram::{CountProfile, Histogram};
use crate::registry::{EntryArgs, ParamKind, ParamSpec, ProofStatus, RegistryEntry};

/// The commonest value has fewer than `c` times the rows of the `l`-th commonest and all rarer ones.
///
/// For a group with counts `r_1 >= r_2 >= .. >= r_m`, requires `r_1 < c (r_l + .. + r_m)`; the inequality is strict,
/// and a group with fewer than `l` values fails for every `c`. For a given `l` the measure is the infimum of the `c`
/// for which the group passes, `r_1 / (r_l + .. + r_m)`; as the inequality is strict, the group passes for every `c`
/// above its measure and fails at it.
///
/// # Guarantee
/// Who rules out `l - 2` values of the group still faces a commonest value within `c` times the rest. Closed under
/// mixtures: with shares p, the rule is `p_1 + c (p_1 + .. + p_{l-1}) < c`; the sum of the j largest shares is a
/// maximum of linear functions, hence convex, so the left side of a mixture is at most the mixture of the left sides.
/// # Cost
/// Sorting the counts.
/// # Reference
/// Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, TKDD 1(1), 2007, section 4 (recursive (c, l)-diversity).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecursiveClDiversity {
    c: Fraction,
    l: u64,
}

impl RecursiveClDiversity {
    /// Recursive (`c`, `l`)-diversity; `c` must be above 0 and `l` at least 2.
    pub fn new(c: Fraction, l: u64) -> Result<Self> {
        if c <= Fraction::ZERO {
            return Err(Error::invalid(format!("c ({}) must be above 0", format_fraction(&c))));
        }
        Ok(Self { c, l: at_least_two("l", l)? })
    }

    /// The factor c.
    pub fn c(&self) -> &Fraction {
        &self.c
    }

    /// The parameter l.
    pub fn l(&self) -> u64 {
        self.l
    }

    /// The largest count, and the rows of the `l - 1` commonest values.
    fn head(&self, group: &Histogram) -> (u64, u64) {
        let counts = group.descending();
        (counts.first().copied().unwrap_or(0), counts.iter().take(self.kept()).sum())
    }

    /// How many values are left out of the tail.
    fn kept(&self) -> usize {
        usize::try_from(self.l - 1).unwrap_or(usize::MAX)
    }

    /// The numerator of c.
    fn numerator(&self) -> UBig {
        self.c.numerator().clone().unsigned_abs()
    }

    /// Whether `first < c tail`, times the denominator of c; fails for the empty group, where it reads 0 < 0.
    fn is_below(&self, first: impl Into<UBig>, tail: impl Into<UBig>) -> bool {
        self.c.denominator() * first.into() < self.numerator() * tail.into()
    }
}

impl Principle for RecursiveClDiversity {
    fn id(&self) -> &'static str {
        ENTRY.id
    }

    fn describe(&self) -> String {
        let (c, l) = (format_fraction(&self.c), self.l);
        format!("the commonest value of a group has fewer than {c} times the rows of number {l} and all rarer ones")
    }

    fn better(&self) -> BetterDirection {
        BetterDirection::Smaller
    }

    fn bind(&self, column: SensitiveColumn<'_>) -> Result<Box<dyn BoundPrinciple>> {
        refuse_protected(ENTRY.id, &column)?;
        Ok(Box::new(self.clone()))
    }
}

impl BoundPrinciple for RecursiveClDiversity {
    fn holds(&self, group: &Histogram) -> bool {
        let (first, head) = self.head(group);
        self.is_below(first, group.total() - head)
    }

    fn measure(&self, group: &Histogram) -> AchievedLevel {
        let (first, head) = self.head(group);
        let tail = group.total() - head;
        if tail == 0 { AchievedLevel::Never } else { AchievedLevel::Exact(fraction(first, tail)) }
    }

    /// Let `R` be the rows of the `l - 1` commonest values. Of all sub-multisets of s rows, the one that takes the
    /// commonest values first has the largest sum of its j largest counts for every j at once,
    /// `min(s, r_1 + .. + r_j)`, so it is the worst: its largest count is `min(s, r_1)` and its tail `s - min(s, R)`.
    /// It fails for `s <= R`, and passes for `s > R` just when `r_1 < c (s - R)`. So the smallest number is
    /// `R + floor(r_1 / c) + 1`.
    fn robust(&self, group: &Histogram) -> Option<u64> {
        self.robust_of(&CountProfile::of(group))
    }

    fn holds_on(&self, belief: &Distribution) -> bool {
        let mut weights: Vec<&UBig> = belief.weights().iter().map(|entry| &entry.1).collect();
        weights.sort_unstable_by(|a, b| b.cmp(a));
        let tail = weights.iter().skip(self.kept()).fold(UBig::ZERO, |sum, weight| sum + *weight);
        self.is_below(belief.max().clone(), tail)
    }

    /// With fewer than l values nothing is left of which the commonest could be less than c times as many.
    fn least(&self) -> MinimumSize {
        MinimumSize::values(self.l)
    }

    fn is_symmetric(&self) -> bool {
        true
    }

    /// For `l = 2` the tail is all but the commonest value: with `c = a/b` a group of n rows passes just when
    /// `b r_1 < a (n - r_1)`, that is when every count x has `x (a + b) < a n`, hence `x <= (a n - 1) / (a + b)`.
    /// For larger `l` the rule is no bound on single values.
    fn cap(&self, _code: u32, rows: u64) -> Option<u64> {
        if self.l != 2 {
            return None;
        }
        if rows == 0 {
            return Some(0);
        }
        let most = (self.numerator() * rows - UBig::ONE) / (self.numerator() + self.c.denominator());
        Some(u64::try_from(most).unwrap_or(rows))
    }

    /// The tail is what the `l - 1` largest counts leave of the rows.
    fn recall(&self) -> SufficientStatistic {
        SufficientStatistic::Head(self.l - 1)
    }

    /// By how much c times the tail is more than the largest count.
    fn slack(&self, group: &Histogram) -> f64 {
        let (first, head) = self.head(group);
        let tail = group.total() - head;
        if !self.is_below(first, tail) {
            return 0.0;
        }
        1.0 + (self.c.to_f64().value() * tail as f64 - first as f64).max(0.0)
    }

    fn by_profile(&self) -> Option<&dyn ProfileTest> {
        Some(self)
    }
}

impl ProfileTest for RecursiveClDiversity {
    fn robust_of(&self, profile: &CountProfile) -> Option<u64> {
        let (first, head) = (profile.largest(), profile.head(self.l - 1));
        let more = self.c.denominator() * first / self.numerator() + UBig::ONE;
        let least = u64::try_from(more).ok()?.checked_add(head)?;
        (least <= profile.rows()).then_some(least)
    }
}

/// The registry entry of recursive (c, l)-diversity.
pub const ENTRY: RegistryEntry<dyn Principle> = RegistryEntry {
    id: "recursive-cl-diversity",
    summary: "the commonest value is below c times the l-th commonest and all rarer ones",
    reference: "Machanavajjhala et al. 2007, section 4",
    status: ProofStatus::Proven,
    claims: &[EntryClaim::Mixtures, EntryClaim::Symmetry, EntryClaim::LeastRobust],
    examples: &[&[("c", "2"), ("l", "2")], &[("c", "5/2"), ("l", "3")], &[("c", "1"), ("l", "2")]],
    params: &[
        ParamSpec {
            name: "c",
            kind: ParamKind::Number,
            default: None,
            help: "the commonest value stays below c times the tail, above 0, e.g. 3",
        },
        ParamSpec {
            name: "l",
            kind: ParamKind::Integer { min: 2 },
            default: None,
            help: "the tail begins at the l-th commonest value",
        },
    ],
    build: |args: &EntryArgs| Ok(Box::new(RecursiveClDiversity::new(args.number("c")?, args.integer("l")?)?)),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::principle::laws;

    #[test]
    fn the_inequality_is_strict() {
        // Counts 4, 2, 1, 1 and l = 3: tail 1 + 1 = 2, so c must be above 4 / 2 = 2.
        let group = Histogram::from_counts([1, 4, 2, 1]);
        let at = |a: i32, b: u8| RecursiveClDiversity::new(fraction(a, b), 3).unwrap();
        assert!(!at(2, 1).holds(&group) && at(201, 100).holds(&group));
        assert_eq!(at(2, 1).measure(&group), AchievedLevel::Exact(fraction(2, 1u8)));
        // For c = 3: 4 + 2 + floor(4 / 3) + 1 = 8 rows.
        assert_eq!(at(3, 1).robust(&group), Some(8));
        assert_eq!(at(2, 1).robust(&group), None);
    }

    #[test]
    fn fewer_than_l_values_never_pass() {
        let test = RecursiveClDiversity::new(fraction(1000, 1u8), 3).unwrap();
        let group = Histogram::from_counts([1, 1]);
        assert!(!test.holds(&group));
        assert_eq!(test.measure(&group), AchievedLevel::Never);
    }

    #[test]
    fn the_tail_after_one_value_is_a_cap() {
        // c = 2 and 9 rows: x < 2 (9 - x) just when x < 6.
        let test = RecursiveClDiversity::new(fraction(2, 1u8), 2).unwrap();
        assert_eq!(test.cap(0, 9), Some(5));
        assert_eq!(test.cap(0, u64::MAX), Some(u64::MAX / 3 * 2 - 1));
        assert_eq!(RecursiveClDiversity::new(fraction(2, 1u8), 3).unwrap().cap(0, 9), None);
    }

    #[test]
    fn bad_parameters_are_refused() {
        let message = RecursiveClDiversity::new(Fraction::ZERO, 2).unwrap_err().to_string();
        assert_eq!(message, "c (0) must be above 0");
        assert!(RecursiveClDiversity::new(Fraction::ONE, 1).is_err());
    }

    #[test]
    fn robust_is_the_definition_and_mixtures_pass() {
        for (a, b) in [(1, 2u8), (1, 1), (3, 2), (2, 1), (3, 1), (7, 2)] {
            for l in 2..=4 {
                let principle = RecursiveClDiversity::new(fraction(a, b), l).unwrap();
                laws::robust_is_literal(&principle);
                laws::mixtures_pass(&principle);
                laws::claims_are_literal(&principle);
                // Strict: holds just when c is above the measure.
                laws::for_all(|group| {
                    let above = principle.measure(group).value().is_some_and(|least| fraction(a, b) > least);
                    assert_eq!(principle.holds(group), above, "{group:?}");
                });
            }
        }
    }
}
