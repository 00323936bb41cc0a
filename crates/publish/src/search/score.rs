//! Scores: what a measure says of a granulation, and which of two is better.

use std::cmp::Ordering;

use dashu_int::{IBig, UBig};
use pellucid_model::exact::Fraction;
use pellucid_model::exact::decimal;
use pellucid_model::principle::compare_product_to_one;

/// Digits to which scores that are no fractions and no sums of logarithms are rounded before they are compared.
const DIGITS: usize = 12;

/// What a measure says of a granulation. Scores are ordered by what the granulation costs, the best first.
///
/// # Guarantee
/// Fractions and sums of logarithms of integers are compared exactly. What is neither, such as a product of two entropies,
/// is rounded to 12 significant digits first, so that the order is the same on every machine and has no cycles.
#[derive(Debug, Clone)]
pub struct MeasureScore {
    cost: f64,
    slack: f64,
    larger_is_better: bool,
    exact: Exact,
}

#[derive(Debug, Clone)]
enum Exact {
    Ratio(Fraction),
    /// The sum of `exponent * log2(base)`.
    Logs(Vec<(u64, i128)>),
    Rounded,
}

impl MeasureScore {
    /// An exact cost.
    pub fn ratio(cost: Fraction) -> Self {
        let near = decimal(&cost);
        Self { cost: near, slack: near.abs() * f64::EPSILON, larger_is_better: false, exact: Exact::Ratio(cost) }
    }

    /// A cost that is the sum of `exponent * log2(base)`, divided by `unit`; `near` is that sum within `slack`.
    pub fn logs(near: f64, slack: f64, powers: Vec<(u64, i128)>) -> Self {
        Self { cost: near, slack, larger_is_better: false, exact: Exact::Logs(powers) }
    }

    /// A value that is better the larger it is.
    pub fn larger_is_better(value: f64) -> Self {
        let rounded: f64 = format!("{:.*e}", DIGITS - 1, -value).parse().unwrap_or(-value);
        Self { cost: rounded, slack: 0.0, larger_is_better: true, exact: Exact::Rounded }
    }

    /// The value as users know it.
    pub fn value(&self) -> f64 {
        // Adding 0 turns a negative zero into a plain one.
        if self.larger_is_better { -self.cost + 0.0 } else { self.cost }
    }

    /// The value as a fraction, where it is one.
    pub fn exact(&self) -> Option<&Fraction> {
        match &self.exact {
            Exact::Ratio(ratio) => Some(ratio),
            Exact::Logs(_) | Exact::Rounded => None,
        }
    }

    /// The least that the cost can be.
    pub fn at_least(&self) -> f64 {
        self.cost - self.slack
    }

    /// The most that the cost can be.
    pub fn at_most(&self) -> f64 {
        self.cost + self.slack
    }

    /// Which granulation costs less; `Less` means that this one is better.
    pub fn compare(&self, other: &Self) -> Ordering {
        if self.at_most() < other.at_least() {
            return Ordering::Less;
        }
        if self.at_least() > other.at_most() {
            return Ordering::Greater;
        }
        match (&self.exact, &other.exact) {
            (Exact::Ratio(a), Exact::Ratio(b)) => a.cmp(b),
            (Exact::Logs(a), Exact::Logs(b)) => compare_logs(a, b),
            _ => self.cost.total_cmp(&other.cost),
        }
    }
}

/// The order of two sums of `exponent * log2(base)`.
fn compare_logs(a: &[(u64, i128)], b: &[(u64, i128)]) -> Ordering {
    let mut all: Vec<(u64, i128)> =
        a.iter().copied().chain(b.iter().map(|&(base, exponent)| (base, -exponent))).collect();
    all.sort_unstable_by_key(|power| power.0);
    let sums = all.chunk_by(|x, y| x.0 == y.0).map(|run| (run[0].0, run.iter().map(|power| power.1).sum::<i128>()));
    let powers: Vec<(UBig, IBig)> = sums
        .filter(|&(base, exponent)| base > 1 && exponent != 0)
        .map(|(base, exponent)| (UBig::from(base), IBig::from(exponent)))
        .collect();
    compare_product_to_one(&powers)
}

#[cfg(test)]
mod tests {
    use pellucid_model::exact::fraction;

    use super::*;

    #[test]
    fn fractions_are_compared_exactly() {
        let third = MeasureScore::ratio(fraction(1, 3u8));
        let near = MeasureScore::ratio(fraction(333_333_333_333_333_333_i64, 1_000_000_000_000_000_000_u64));
        assert!((third.value() - near.value()).abs() < 1e-15);
        assert_eq!(near.compare(&third), Ordering::Less);
        assert_eq!(third.compare(&third), Ordering::Equal);
    }

    #[test]
    fn sums_of_logarithms_are_compared_exactly() {
        // 6 = 2 * 3, and 2^40 * 3 < 2^40 * 3 + 1; rounding tells neither.
        let six = MeasureScore::logs(6f64.log2(), 1e-9, vec![(6, 1)]);
        let parts = MeasureScore::logs(6f64.log2(), 1e-9, vec![(2, 1), (3, 1)]);
        assert_eq!(six.compare(&parts), Ordering::Equal);
        let near = |powers| MeasureScore::logs(41.6, 1e-9, powers);
        let (low, high) = (near(vec![(2, 40), (3, 1)]), near(vec![((3 << 40) + 1, 1)]));
        assert_eq!(low.compare(&high), Ordering::Less);
    }

    #[test]
    fn larger_values_cost_less_and_are_shown_as_they_are() {
        let (good, bad) = (MeasureScore::larger_is_better(0.9), MeasureScore::larger_is_better(0.1));
        assert_eq!(good.compare(&bad), Ordering::Less);
        assert!((good.value() - 0.9).abs() < 1e-12);
        assert_eq!(MeasureScore::larger_is_better(0.0).value().to_bits(), 0f64.to_bits());
        let same = MeasureScore::larger_is_better(0.9 + 1e-15);
        assert_eq!(good.compare(&same), Ordering::Equal);
    }
}
