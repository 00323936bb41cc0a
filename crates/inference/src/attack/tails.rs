//! Tails: bounds on the probability that a large part fails, or passes, when values fall on a group's people at random.
//!
//! The count of a value in a part of one group is hypergeometric. From a term that is beyond the mean on, each further term
//! is smaller by at least the ratio of the first two, so that the tail is at most a geometric series; its first term is
//! computed exactly. Over several groups, and over several values, probabilities are added up.

use std::collections::BTreeMap;

use pellucid_model::exact::decimal;
use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::histogram::Histogram;

use super::outlook::CountBounds;
use crate::belief::{Requirements, binomial};

/// Rows of a part in one group: people of the group, those in the part, and the group's counts by code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PartShare {
    pub(super) size: u64,
    pub(super) inside: u64,
    pub(super) counts: Vec<(u32, u64)>,
}

impl PartShare {
    fn count(&self, code: u32) -> u64 {
        self.counts.binary_search_by_key(&code, |entry| entry.0).map_or(0, |at| self.counts[at].1)
    }

    /// The mean of a value's count in the part, and its standard deviation.
    fn spread(&self, code: u32) -> (f64, f64) {
        let (size, inside, count) = (self.size as f64, self.inside as f64, self.count(code) as f64);
        let mean = inside * count / size;
        let variance = mean * (size - inside) * (size - count) / (size * (size - 1.0).max(1.0));
        (mean, variance.max(0.0).sqrt())
    }

    /// A bound on the probability that a value occurs more than `most` times in the part.
    fn above(&self, code: u32, most: i64) -> f64 {
        above(self.size, self.inside, self.count(code), most)
    }

    /// A bound on the probability that a value occurs less than `least` times in the part: more than so often outside.
    fn below(&self, code: u32, least: i64) -> f64 {
        let count = self.count(code);
        above(self.size, self.size - self.inside, count, count as i64 - least)
    }
}

/// How often each value of a part may occur in it.
pub(super) fn ranges(shares: &[PartShare]) -> Vec<CountBounds> {
    let mut ranges: BTreeMap<u32, CountBounds> = BTreeMap::new();
    for share in shares {
        for &(code, count) in &share.counts {
            let range = ranges.entry(code).or_insert(CountBounds { code, least: 0, most: 0 });
            range.least += count.saturating_sub(share.size - share.inside);
            range.most += count.min(share.inside);
        }
    }
    ranges.into_values().collect()
}

/// A bound on the probability that of `count` rows, drawn from `size`, more than `most` are among `inside` of them; rounded up.
fn above(size: u64, inside: u64, count: u64, most: i64) -> f64 {
    let Ok(first) = u64::try_from(most + 1) else { return 1.0 };
    if first > inside.min(count) {
        return 0.0;
    }
    let outside = size - inside;
    if count - first > outside {
        return 1.0;
    }
    let term = fraction(binomial(inside, first) * binomial(outside, count - first), binomial(size, count));
    let up = fraction((inside - first) * (count - first), (first + 1) * (outside + first + 1 - count));
    if up >= Fraction::ONE {
        return 1.0;
    }
    // Rounding is allowed for, and what is too small for the type.
    (decimal(&(term / (Fraction::ONE - up))) * (1.0 + 1e-12) + f64::MIN_POSITIVE).min(1.0)
}

/// The largest count that no value of a group of `rows` rows may exceed for the group to be sure to pass: the group with
/// as many values of that count as there can be majorises all others.
fn safe_cap(condition: &Requirements<'_>, rows: u64) -> Option<u64> {
    if !condition.is_symmetric() || !condition.is_closed_under_mixtures() {
        return None;
    }
    let passes = |cap: u64| {
        let whole = std::iter::repeat_n(cap, (rows / cap) as usize);
        condition.holds(&Histogram::from_counts(whole.chain([rows % cap].into_iter().filter(|&rest| rest > 0))))
    };
    let (mut low, mut high) = (0, rows + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if passes(middle) { low = middle } else { high = middle }
    }
    (low > 0).then_some(low)
}

/// A bound on the probability that a part with these values fails.
pub(super) fn fails(condition: &Requirements<'_>, rows: u64, ranges: &[CountBounds], shares: &[PartShare]) -> f64 {
    let caps = ranges.iter().map(|range| condition.cap(range.code, rows)).collect::<Option<Vec<u64>>>();
    let caps = caps.or_else(|| Some(vec![safe_cap(condition, rows)?; ranges.len()]));
    let Some(caps) = caps else { return 1.0 };
    let each = ranges.iter().zip(caps).filter(|(range, cap)| range.most > *cap);
    each.map(|(range, cap)| exceeds(range.code, cap, shares)).sum::<f64>().min(1.0)
}

/// A bound on the probability that a value occurs more than `cap` times: what is above the mean is shared out by deviations,
/// and one of the groups must exceed its share.
fn exceeds(code: u32, cap: u64, shares: &[PartShare]) -> f64 {
    let (mean, deviation) = together(code, shares);
    let slack = cap as f64 - mean;
    if slack <= 0.0 {
        return 1.0;
    }
    let each = shares.iter().map(|share| {
        let (mean, mine) = share.spread(code);
        let most = if deviation > 0.0 { mean + slack * mine / deviation } else { mean };
        // A share without deviation has just its mean.
        share.above(code, (most + 1e-9).floor() as i64)
    });
    each.sum::<f64>().min(1.0)
}

/// A bound on the probability that a part with these values passes, for bounds on single values: the most telling value
/// would have to stay within its cap, and in one of the groups below its part of what is beyond.
pub(super) fn passes(condition: &Requirements<'_>, rows: u64, ranges: &[CountBounds], shares: &[PartShare]) -> f64 {
    let stays = |range: &CountBounds| {
        let cap = condition.cap(range.code, rows)?;
        let (mean, deviation) = together(range.code, shares);
        let slack = mean - (cap + 1) as f64;
        if slack <= 0.0 {
            return None;
        }
        let each = shares.iter().map(|share| {
            let (mean, mine) = share.spread(range.code);
            let least = if deviation > 0.0 { mean - slack * mine / deviation } else { mean };
            share.below(range.code, (least - 1e-9).ceil() as i64)
        });
        Some(each.sum::<f64>())
    };
    ranges.iter().filter_map(stays).fold(1.0, f64::min)
}

/// The mean of a value's count in all shares, and the sum of the deviations.
fn together(code: u32, shares: &[PartShare]) -> (f64, f64) {
    shares.iter().map(|share| share.spread(code)).fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

#[cfg(test)]
mod tests {
    use pellucid_model::principle::{BoundPrinciple, DistinctLDiversity, EntropyLDiversity, RecursiveClDiversity};

    use super::*;

    /// The probability that of `count` rows more than `most` are inside, added up.
    fn exactly_above(size: u64, inside: u64, count: u64, most: i64) -> f64 {
        let chances = (0..=inside.min(count)).filter(|&here| here as i64 > most && count - here <= size - inside);
        let ways = chances.map(|here| binomial(inside, here) * binomial(size - inside, count - here));
        let ways = ways.fold(dashu_int::UBig::ZERO, |sum, ways| sum + ways);
        decimal(&fraction(ways, binomial(size, count)))
    }

    #[test]
    fn tails_are_bounded_and_far_ones_tightly() {
        for (size, inside, count) in [(20, 7, 5), (30, 15, 12), (40, 3, 20), (12, 12, 4), (12, 0, 4), (50, 25, 25)] {
            for most in -1..=count as i64 {
                let (bound, exact) = (above(size, inside, count, most), exactly_above(size, inside, count, most));
                assert!(bound >= exact, "{size} {inside} {count} {most}: {bound} {exact}");
                let mean = inside as f64 * count as f64 / size as f64;
                let far = most as f64 > 1.5 * mean + 2.0;
                assert!(!far || bound <= 2.0 * exact + 1e-300, "{size} {inside} {count} {most}: {bound} {exact}");
            }
        }
    }

    /// All ways to choose the part of one or two groups, as histograms with their number of ways.
    fn parts(shares: &[PartShare]) -> Vec<(Vec<u64>, f64)> {
        let mut all = vec![(vec![0; 3], 1.0)];
        for share in shares {
            let mut longer = Vec::new();
            for (histogram, chance) in &all {
                for a in 0..=share.count(0) {
                    for b in 0..=share.count(1) {
                        let Some(c) = share.inside.checked_sub(a + b).filter(|&c| c <= share.count(2)) else {
                            continue;
                        };
                        let ways =
                            binomial(share.count(0), a) * binomial(share.count(1), b) * binomial(share.count(2), c);
                        let chance = chance * decimal(&fraction(ways, binomial(share.size, share.inside)));
                        let sum = histogram.iter().zip([a, b, c]).map(|(x, y)| x + y).collect();
                        longer.push((sum, chance));
                    }
                }
            }
            all = longer;
        }
        all
    }

    #[test]
    fn parts_fail_and_pass_no_more_often_than_the_bounds_say() {
        let tests: Vec<Box<dyn BoundPrinciple>> = vec![
            Box::new(DistinctLDiversity::new(2).unwrap()),
            Box::new(EntropyLDiversity::new(fraction(3, 2u8)).unwrap()),
            Box::new(RecursiveClDiversity::new(fraction(3, 1u8), 2).unwrap()),
            Box::new(RecursiveClDiversity::new(fraction(1, 2u8), 2).unwrap()),
        ];
        let share = |inside: u64, counts: [u64; 3]| PartShare {
            size: counts.iter().sum(),
            inside,
            counts: (0..).zip(counts).collect(),
        };
        let cases = [
            vec![share(20, [14, 13, 13])],
            vec![share(12, [20, 6, 4])],
            vec![share(9, [6, 6, 6]), share(11, [5, 8, 9])],
            vec![share(18, [6, 6, 6]), share(8, [9, 6, 5])],
        ];
        let (mut told, mut unlikely) = (0, 0);
        for shares in &cases {
            let rows = shares.iter().map(|share| share.inside).sum();
            let ranges = ranges(shares);
            for test in &tests {
                let condition = Requirements::new([test.as_ref()]);
                let holds = |counts: &[u64]| {
                    condition.holds(&Histogram::from_entries((0..).zip(counts.iter().copied()).filter(|e| e.1 > 0)))
                };
                let passing: f64 = parts(shares).iter().filter(|part| holds(&part.0)).map(|part| part.1).sum();
                let (fail, pass) =
                    (fails(&condition, rows, &ranges, shares), passes(&condition, rows, &ranges, shares));
                assert!(1.0 - passing <= fail + 1e-12, "{shares:?} {test:?}: {passing} {fail}");
                assert!(passing <= pass + 1e-12, "{shares:?} {test:?}: {passing} {pass}");
                told += usize::from(fail < 1.0 || pass < 1.0);
                unlikely += usize::from(fail < 0.01 || pass < 0.01);
            }
        }
        assert!(told >= 8 && unlikely >= 4, "{told} {unlikely}");
    }
}
