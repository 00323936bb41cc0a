//! Entropy l-diversity: the entropy of every group is at least that of l equally common values.

use std::sync::LazyLock;

use dashu_base::{BitTest, Gcd, UnsignedAbs};
use dashu_int::{IBig, UBig};

use super::log::{LN_ERROR, compare_product_to_one, ln, ln_enclosed};
use super::{
    AchievedLevel, BetterDirection, BoundPrinciple, MinimumSize, Principle, ProfileTest, SensitiveColumn,
    refuse_protected,
};
use crate::claim::EntryClaim;
use crate::distribution::Distribution;
use crate::error::{Error, Result};
use crate::exact::{Fraction, format_fraction, fraction};
use crate::histogram::{CountProfile, Histogram};
use crate::registry::{EntryArgs, ParamKind, ParamSpec, ProofStatus, RegistryEntry};

/// The entropy of every group's sensitive values is at least `ln l`.
///
/// For a group of n rows with counts `n_1..n_m`, requires `ln n - (sum of n_i ln n_i) / n >= ln l`, natural logarithms
/// throughout; `l` may be any fraction above 1. The measure is the exponential of the entropy: exact when all counts
/// are equal, otherwise the largest multiple of 2^-20 at which the group still passes.
///
/// # Guarantee
/// Decided exactly, ties included. Closed under mixtures because entropy is concave. Depends on the multiset of shares
/// alone, so at least `l` values must occur.
/// # Cost
/// One logarithm per value. When floating point cannot tell, logarithms of 128 bits, a proof of equality by common
/// divisors, and logarithms of rising precision; powers such as `n^n` are never formed. Weights of b bits that miss a
/// tie by their last bit need about 2 b bits of precision.
/// # Reference
/// Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, TKDD 1(1), 2007, section 4 (entropy l-diversity).
#[derive(Debug, Clone, PartialEq)]
pub struct EntropyLDiversity {
    l: Fraction,
    /// `ln l`, within `2 * LN_ERROR` when `l` is at most 2^32; only then it decides.
    ln_l: f64,
}

impl EntropyLDiversity {
    /// Entropy of at least `ln l`; `l` must be above 1.
    pub fn new(l: Fraction) -> Result<Self> {
        if l <= Fraction::ONE {
            return Err(Error::invalid(format!("l ({}) must be above 1", format_fraction(&l))));
        }
        Ok(Self { ln_l: ln_fraction(&l), l })
    }

    /// The parameter l.
    pub fn l(&self) -> &Fraction {
        &self.l
    }

    /// Whether the `rows` in `values` values, of which the sum of `n_i ln n_i` has been computed, pass; `counts` gives
    /// the positive counts when floating point cannot tell.
    ///
    /// The error of `ln n - sum / n`: each summand errs by `n_i LN_ERROR` and three roundings below `45 n_i 2^-53`;
    /// adding up rounds `values` times by less than `45 n 2^-53`; after division by n that is below
    /// `(1.5 + values / 8) LN_ERROR`. The first logarithm, the two last roundings and `ln l` add less than `4 LN_ERROR`.
    fn decide(&self, rows: u64, values: usize, sum: f64, counts: impl FnOnce() -> Vec<UBig>) -> bool {
        // The entropy is at most ln(values).
        if rows == 0 || self.l > Fraction::from(values) {
            return false;
        }
        let excess = ln(rows) - sum / rows as f64 - self.ln_l;
        let error = (values as f64 + 8.0) * LN_ERROR;
        if excess.abs() > error { excess > 0.0 } else { self.decide_exactly(&counts()) }
    }

    /// Whether `counts` pass, without rounding: with `c_i` the counts over their greatest common divisor, N their sum
    /// and `l = a/b`, whether `N ln N + N ln b - N ln a - (sum of c_i ln c_i)` is at least 0.
    fn decide_exactly(&self, counts: &[UBig]) -> bool {
        let values = Fraction::from(counts.len());
        if counts.iter().all(|count| count == &counts[0]) {
            return self.l <= values;
        }
        // Unequal counts have an entropy strictly below ln(values).
        if self.l >= values {
            return false;
        }
        let divisor = counts.iter().fold(UBig::ZERO, Gcd::gcd);
        let mut reduced: Vec<UBig> = counts.iter().map(|count| count / &divisor).collect();
        let rows = reduced.iter().fold(UBig::ZERO, |sum, count| sum + count);
        let (a, b) = (self.l.numerator().clone().unsigned_abs(), self.l.denominator().clone());
        let exponent = IBig::from(rows.clone());
        let mut powers = vec![(rows, exponent.clone()), (b, exponent.clone()), (a, -exponent)];
        reduced.sort_unstable();
        for run in reduced.chunk_by(|x, y| x == y) {
            powers.push((run[0].clone(), -IBig::from(&run[0] * run.len())));
        }
        compare_product_to_one(&powers).is_ge()
    }
}

/// The logarithm of a fraction of at least 1, within `2 * LN_ERROR` when it is at most 2^32.
fn ln_fraction(value: &Fraction) -> f64 {
    let (numerator, denominator) = (value.numerator().clone().unsigned_abs(), value.denominator());
    if let (Ok(numerator), Ok(denominator)) = (u64::try_from(&numerator), u64::try_from(denominator)) {
        return ln(numerator) - ln(denominator);
    }
    // Together the two enclosures are wide by less than 2^10 units of 2^-192 for every bit of the numerator.
    let (above, below) = (ln_enclosed(&numerator, 192).0, ln_enclosed(denominator, 192).0);
    (IBig::from(above) - IBig::from(below)).to_f64().value() * 2f64.powi(-192)
}

/// The counts of a group.
fn counts_of(group: &Histogram) -> Vec<UBig> {
    group.entries().iter().map(|entry| UBig::from(entry.1)).collect()
}

/// `n ln n`.
fn weighted(count: u64) -> f64 {
    static SMALL: LazyLock<Vec<f64>> = LazyLock::new(|| {
        let large = (1..1u64 << 12).map(|count| count as f64 * ln(count));
        [0.0].into_iter().chain(large).collect()
    });
    SMALL.get(count as usize).copied().unwrap_or_else(|| count as f64 * ln(count))
}

impl Principle for EntropyLDiversity {
    fn id(&self) -> &'static str {
        ENTRY.id
    }

    fn describe(&self) -> String {
        format!("the entropy of every group is at least ln {}", format_fraction(&self.l))
    }

    fn better(&self) -> BetterDirection {
        BetterDirection::Larger
    }

    fn bind(&self, column: SensitiveColumn<'_>) -> Result<Box<dyn BoundPrinciple>> {
        refuse_protected(ENTRY.id, &column)?;
        Ok(Box::new(self.clone()))
    }
}

/// How finely the exponential of an entropy is measured.
const STEPS: u64 = 1 << 20;

impl BoundPrinciple for EntropyLDiversity {
    fn holds(&self, group: &Histogram) -> bool {
        let sum = group.entries().iter().map(|entry| weighted(entry.1)).sum();
        self.decide(group.total(), group.distinct(), sum, || counts_of(group))
    }

    fn measure(&self, group: &Histogram) -> AchievedLevel {
        let (rows, values) = (group.total(), group.distinct());
        if rows == 0 {
            return AchievedLevel::Never;
        }
        if group.max().checked_mul(values as u64) == Some(rows) {
            return AchievedLevel::Exact(Fraction::from(values));
        }
        let sum: f64 = group.entries().iter().map(|entry| weighted(entry.1)).sum();
        let passes = |steps: u64| {
            let l = fraction(steps, STEPS);
            let at = Self { ln_l: ln_fraction(&l), l };
            at.decide(rows, values, sum, || counts_of(group))
        };
        // The estimate may be off by a step or two; the exact test has the last word, so every machine agrees.
        let estimate = (ln(rows) - sum / rows as f64).exp() * STEPS as f64;
        let mut steps = (estimate as u64).max(STEPS);
        while steps > STEPS && !passes(steps) {
            steps -= 1;
        }
        while passes(steps + 1) {
            steps += 1;
        }
        AchievedLevel::Rounded(steps as f64 / STEPS as f64)
    }

    /// Let g(s) be the sub-multiset of s rows that takes the commonest values first. The sum of its j largest counts is
    /// `min(s, r_1 + .. + r_j)`, which no other sub-multiset of s rows exceeds, for all j at once; so the shares of
    /// g(s) majorise theirs, and as entropy is Schur-concave g(s) has the least entropy. The sum of its j largest
    /// shares, `min(1, (r_1 + .. + r_j) / s)`, does not increase with s; so g(s) majorises g(s + 1), entropy does not
    /// decrease with s, and the smallest s that passes is found by halving.
    fn robust(&self, group: &Histogram) -> Option<u64> {
        self.robust_of(&CountProfile::of(group))
    }

    /// Weights of more than 63 bits in all are first cut to that many, rounded down, which moves the entropy by less
    /// than the error allowed for in `decide`: let `w_i = v_i + f_i` be the m weights in units of what is cut off,
    /// V and F the sums of v and f, so that F < m and `V + F >= 2^62`. The shares `w_i / (V + F)` and `v_i / V` differ
    /// by at most `(f_i + F v_i / V) / (V + F)`, together by at most `2 m / 2^62`. As `g(x) = -x ln x` is concave with
    /// g(0) = 0, `|g(p) - g(q)| <= g(|p - q|)` whenever p and q differ by at most 1/2 (Cover and Thomas, Elements of
    /// Information Theory, theorem 17.3.3), and the entropies differ by at most `m g(2^-61) < m 2^-55`, below
    /// `m LN_ERROR / 1000`.
    fn holds_on(&self, belief: &Distribution) -> bool {
        let cut = belief.total().bit_len().saturating_sub(63);
        let (mut rows, mut sum) = (0, 0.0);
        for (_, weight) in belief.weights() {
            let count = u64::try_from(weight >> cut).expect("a weight is at most the total");
            rows += count;
            sum += weighted(count);
        }
        let weights = || belief.weights().iter().map(|entry| entry.1.clone()).collect();
        self.decide(rows, belief.weights().len(), sum, weights)
    }

    /// m values have an entropy of at most ln m.
    fn least(&self) -> MinimumSize {
        MinimumSize::values(u64::try_from(self.l.ceil()).unwrap_or(u64::MAX))
    }

    fn is_symmetric(&self) -> bool {
        true
    }

    /// By how much the entropy is above `ln l`, times the rows.
    fn slack(&self, group: &Histogram) -> f64 {
        let rows = group.total();
        let sum = group.entries().iter().map(|entry| weighted(entry.1)).sum();
        if !self.decide(rows, group.distinct(), sum, || counts_of(group)) {
            return 0.0;
        }
        1.0 + (rows as f64 * (ln(rows) - self.ln_l) - sum).max(0.0)
    }

    fn by_profile(&self) -> Option<&dyn ProfileTest> {
        Some(self)
    }
}

impl ProfileTest for EntropyLDiversity {
    fn robust_of(&self, profile: &CountProfile) -> Option<u64> {
        // For every step: rows, values and sum of n ln n before it, and its count.
        let mut steps: Vec<(u64, usize, f64, u64)> = Vec::new();
        let (mut rows, mut values, mut sum) = (0, 0, 0.0);
        for (count, many) in profile.steps() {
            steps.push((rows, values, sum, count));
            rows += count * many;
            values += many as usize;
            sum += many as f64 * weighted(count);
        }
        let passes = |rows: u64| {
            let at = steps.partition_point(|step| step.0 < rows) - 1;
            let (before, values, sum, count) = steps[at];
            let (whole, rest) = ((rows - before) / count, (rows - before) % count);
            let sum = sum + whole as f64 * weighted(count) + weighted(rest);
            let values = values + whole as usize + usize::from(rest > 0);
            self.decide(rows, values, sum, || {
                let full = steps.iter().zip(profile.steps()).take(at).map(|(_, (count, many))| (count, many));
                let full = full.chain([(count, whole)]);
                let counts = full.flat_map(|(count, many)| std::iter::repeat_n(count, many as usize));
                counts.chain((rest > 0).then_some(rest)).map(UBig::from).collect()
            })
        };
        let (mut fails, mut good) = (0, profile.rows());
        if good == 0 || !passes(good) {
            return None;
        }
        while good - fails > 1 {
            let middle = fails + (good - fails) / 2;
            if passes(middle) { good = middle } else { fails = middle }
        }
        Some(good)
    }
}

/// The registry entry of entropy l-diversity.
pub const ENTRY: RegistryEntry<dyn Principle> = RegistryEntry {
    id: "entropy-l-diversity",
    summary: "the entropy of every group is at least ln l",
    reference: "Machanavajjhala et al. 2007, section 4",
    status: ProofStatus::Proven,
    claims: &[EntryClaim::Mixtures, EntryClaim::Symmetry, EntryClaim::LeastRobust],
    examples: &[&[("l", "2")], &[("l", "3/2")], &[("l", "5/2")], &[("l", "3")]],
    params: &[ParamSpec {
        name: "l",
        kind: ParamKind::Number,
        default: None,
        help: "the entropy is at least that of l equally common values, above 1, e.g. 2.5",
    }],
    build: |args: &EntryArgs| Ok(Box::new(EntropyLDiversity::new(args.number("l")?)?)),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::principle::laws;

    fn at(a: i64, b: u64) -> EntropyLDiversity {
        EntropyLDiversity::new(fraction(a, b)).unwrap()
    }

    #[test]
    fn uniform_groups_tie_exactly_at_their_number_of_values() {
        for count in [1, 7, 10_000_019] {
            let group = Histogram::from_counts([count; 3]);
            assert!(at(3, 1).holds(&group));
            assert!(!at(3_000_000_001, 1_000_000_000).holds(&group));
            assert_eq!(at(2, 1).measure(&group), AchievedLevel::Exact(Fraction::from(3)));
            assert_eq!(at(3, 1).robust(&group), Some(3 * count));
        }
    }

    #[test]
    fn unequal_groups_can_tie_too() {
        // Shares 1/2 and four times 1/8: entropy (ln 2)/2 + (ln 8)/2 = 2 ln 2 = ln 4.
        for scale in [1, 1_000_003] {
            let group = Histogram::from_counts([4 * scale, scale, scale, scale, scale]);
            assert!(at(4, 1).holds(&group));
            assert!(!at(4_000_000_000_000_001, 1_000_000_000_000_000).holds(&group));
            assert_eq!(at(2, 1).measure(&group), AchievedLevel::Rounded(4.0));
        }
    }

    #[test]
    fn a_tie_of_millions_missed_by_one_row_fails() {
        // One row moved from a rare value to the commonest lowers the entropy by about (ln 4) / 8e6.
        let scale = 1_000_003;
        assert!(!at(4, 1).holds(&Histogram::from_counts([4 * scale + 1, scale - 1, scale, scale, scale])));
        // And one moved between two equal values lowers it by about 1 / (8e6 * 1e6), below the reach of floating point.
        let group = Histogram::from_counts([4 * scale, scale + 1, scale - 1, scale, scale]);
        assert!(!at(4, 1).holds(&group));
        assert!(at(3_999_999, 1_000_000).holds(&group));
    }

    #[test]
    fn counts_three_and_one_are_measured_from_below() {
        // Entropy of 3/4, 1/4: 2 ln 2 - (3/4) ln 3 = 0.5623, exponential 4 / 3^(3/4) = 1.7547.
        let group = Histogram::from_counts([3, 1]);
        let AchievedLevel::Rounded(value) = at(2, 1).measure(&group) else { panic!("not uniform") };
        assert!((1.754_764..1.754_766).contains(&value), "{value}");
        assert_eq!(AchievedLevel::Rounded(value).to_string(), "1.75 (rounded)");
    }

    #[test]
    fn filter_and_exact_decision_agree() {
        for (a, b) in [(3, 2), (2, 1), (5, 2), (3, 1), (7, 2), (4, 1), (1_754_765, 1_000_000)] {
            let test = at(a, b);
            laws::for_all(|group| {
                assert_eq!(test.holds(group), test.decide_exactly(&counts_of(group)), "{a}/{b} {group:?}");
                // a^n prod n_i^n_i <= b^n n^n
                let power = |base: u64, exponent: u64| UBig::from(base).pow(exponent as usize);
                let left = group
                    .entries()
                    .iter()
                    .fold(power(a as u64, group.total()), |left, entry| left * power(entry.1, entry.1));
                assert_eq!(test.holds(group), left <= power(b * group.total(), group.total()), "{a}/{b} {group:?}");
            });
        }
    }

    #[test]
    fn l_of_one_is_refused() {
        assert_eq!(EntropyLDiversity::new(Fraction::ONE).unwrap_err().to_string(), "l (1) must be above 1");
    }

    #[test]
    fn parameters_beyond_64_bits_are_decided() {
        // 3 - 10^-30 and 3 + 10^-30 on a uniform group of three values.
        let unit = UBig::from(10u8).pow(30);
        let near = |step: i32| {
            EntropyLDiversity::new(fraction(IBig::from(&unit * UBig::from(3u8)) + step, unit.clone())).unwrap()
        };
        let group = Histogram::from_counts([5, 5, 5]);
        assert!(near(-1).holds(&group) && near(0).holds(&group) && !near(1).holds(&group));
    }

    #[test]
    fn robust_is_the_definition_and_mixtures_pass() {
        for (a, b) in [(3, 2), (2, 1), (5, 2), (3, 1), (7, 2), (4, 1)] {
            let principle = at(a, b);
            laws::robust_is_literal(&principle);
            laws::mixtures_pass(&principle);
            laws::claims_are_literal(&principle);
            laws::larger_measure_agrees(&principle, &fraction(a, b));
        }
    }
}
