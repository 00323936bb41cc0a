//! Ways to give values to people: multinomials, and how the last unit of an outer group is weighed.

use dashu_int::UBig;
use pellucid_model::error::Result;

use super::limbs::{limbs, width};
use super::problem::CountingProblem;
use crate::meter::BudgetMeter;

/// All histograms of one unit's people, each with the number of ways to give it to them.
#[derive(Debug)]
pub(super) struct UnitAllocations {
    values: usize,
    counts: Vec<u32>,
    weights: Vec<u64>,
    limbs: usize,
}

impl UnitAllocations {
    /// The histograms of `size` rows with at most `most[value]` rows of each value.
    pub(super) fn new(size: u32, most: &[u32], meter: &BudgetMeter) -> Result<Self> {
        let mut tails = vec![0u64; most.len() + 1];
        for value in (0..most.len()).rev() {
            tails[value] = tails[value + 1] + u64::from(most[value]);
        }
        let many = histograms(size, most);
        meter.afford(many.log2())?;
        // Counts, and weights twice while they are brought to one width.
        meter.fits(many * (most.len() as f64 * 4.0 + 64.0))?;
        let mut counts = Vec::with_capacity(many as usize * most.len());
        let mut chosen = vec![0; most.len()];
        spread(0, size, most, &tails, &mut chosen, &mut counts);
        meter.spend(many as u64)?;
        let values = most.len();
        let all: Vec<Vec<u64>> = counts.chunks(values.max(1)).map(|counts| limbs(&multinomial(counts))).collect();
        let limbs = all.iter().map(Vec::len).max().unwrap_or(1);
        let mut weights = Vec::with_capacity(all.len() * limbs);
        for mut weight in all {
            weight.resize(limbs, 0);
            weights.extend(weight);
        }
        Ok(Self { values, counts, weights, limbs })
    }

    /// How many histograms there are.
    pub(super) fn len(&self) -> usize {
        self.weights.len() / self.limbs
    }

    /// The counts of histogram `at`, by value.
    #[inline]
    pub(super) fn counts(&self, at: usize) -> &[u32] {
        &self.counts[at * self.values..(at + 1) * self.values]
    }

    /// In how many ways histogram `at` falls on the people.
    #[inline]
    pub(super) fn weight(&self, at: usize) -> &[u64] {
        &self.weights[at * self.limbs..(at + 1) * self.limbs]
    }

    /// Drops the histograms for which `keep` does not hold.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(&[u32]) -> bool) {
        let kept: Vec<usize> = (0..self.len()).filter(|&at| keep(self.counts(at))).collect();
        self.counts = kept.iter().flat_map(|&at| self.counts(at).to_vec()).collect();
        self.weights = kept.iter().flat_map(|&at| self.weight(at).to_vec()).collect();
    }
}

fn spread(value: usize, left: u32, most: &[u32], tails: &[u64], chosen: &mut [u32], all: &mut Vec<u32>) {
    if u64::from(left) > tails[value] {
        return;
    }
    if value == most.len() {
        all.extend_from_slice(chosen);
        return;
    }
    for count in 0..=most[value].min(left) {
        chosen[value] = count;
        spread(value + 1, left - count, most, tails, chosen, all);
    }
    chosen[value] = 0;
}

/// How many histograms of `size` rows have at most `most[value]` rows of each value; rounded where it is large.
fn histograms(size: u32, most: &[u32]) -> f64 {
    let size = size as usize;
    let mut ways = vec![0.0; size + 1];
    ways[0] = 1.0;
    for &most in most {
        // Sums over the last `most + 1` entries.
        let mut sums = vec![0.0; size + 2];
        for rows in 0..=size {
            sums[rows + 1] = sums[rows] + ways[rows];
        }
        for (rows, slot) in ways.iter_mut().enumerate() {
            *slot = sums[rows + 1] - sums[rows.saturating_sub(most as usize)];
        }
    }
    ways[size]
}

/// In how many ways values with these counts fall on as many people.
pub(crate) fn multinomial(counts: &[u32]) -> UBig {
    let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    if total <= 20 {
        let ways = counts.iter().fold(FACTORIALS[total as usize], |ways, &count| ways / FACTORIALS[count as usize]);
        return UBig::from(ways);
    }
    // The commonest value takes what is left, so that the numbers stay small.
    let mut sorted: Vec<u64> = counts.iter().map(|&count| u64::from(count)).collect();
    sorted.sort_unstable();
    sorted.pop();
    let (mut left, mut ways) = (total, UBig::ONE);
    for count in sorted {
        ways *= binomial(left, count);
        left -= count;
    }
    ways
}

/// Factorials of 0..=20.
const FACTORIALS: [u64; 21] = {
    let mut table = [1; 21];
    let mut at = 1;
    while at <= 20 {
        table[at] = table[at - 1] * at as u64;
        at += 1;
    }
    table
};

/// `n choose k`.
pub(crate) fn binomial(n: u64, k: u64) -> UBig {
    let k = k.min(n - k);
    falling(n, k) / product(1, k)
}

/// `n (n - 1) ... (n - k + 1)`.
pub(super) fn falling(n: u64, k: u64) -> UBig {
    product(n - k + 1, n)
}

/// `low * (low + 1) * ... * high`, 1 when empty.
fn product(low: u64, high: u64) -> UBig {
    if low > high {
        UBig::ONE
    } else if high - low < 8 {
        (low..=high).fold(UBig::ONE, |product, factor| product * factor)
    } else {
        let middle = low + (high - low) / 2;
        product(low, middle) * product(middle + 1, high)
    }
}

/// How the last unit of an outer group, whose values are forced, is weighed.
///
/// Directly: by the multinomial of what is left. For a large last unit that is a huge number; then what was used before is
/// weighed by falling factorials instead, which is the multinomial up to a factor that all states share.
#[derive(Debug)]
pub(super) enum ForcedScale {
    /// By the multinomial of what is left.
    Direct {
        /// Binary logarithm of the largest count.
        bits: f64,
    },
    /// By falling factorials of what was used.
    Falling {
        /// The histogram of the outer group.
        whole: Vec<u32>,
        /// People of the outer group, and of its units before the last.
        people: u64,
        used: u64,
    },
}

/// The scale of every outer group of `puzzle`.
pub(super) fn scales(puzzle: &CountingProblem) -> Vec<ForcedScale> {
    let mut last = vec![0u64; puzzle.outers.len()];
    for unit in &puzzle.units {
        last[unit.outer as usize] = u64::from(unit.size);
    }
    let scale = |(outer, &last): (&Vec<u32>, &u64)| {
        let people: u64 = outer.iter().map(|&count| u64::from(count)).sum();
        let used = people - last;
        let factorial: f64 = outer.iter().map(|&count| log_factorial(u64::from(count))).sum();
        let bits = log_factorial(people) - factorial;
        if used as f64 * (people as f64).log2() < bits {
            ForcedScale::Falling { whole: outer.clone(), people, used }
        } else {
            ForcedScale::Direct { bits }
        }
    };
    puzzle.outers.iter().zip(&last).map(scale).collect()
}

impl ForcedScale {
    /// Binary logarithm of a bound on the sum of all weights.
    pub(super) fn bits(&self) -> f64 {
        match self {
            Self::Direct { bits } => bits + 1.0,
            Self::Falling { people, used, .. } => *used as f64 * (*people as f64).log2() + 1.0,
        }
    }

    /// Limbs of the largest weight.
    pub(super) fn weight_limbs(&self) -> usize {
        width(self.bits())
    }

    /// The weight of giving `left` to the last unit.
    pub(super) fn weight(&self, left: &[u32]) -> Vec<u64> {
        match self {
            Self::Direct { .. } => limbs(&multinomial(left)),
            Self::Falling { whole, .. } => {
                let each = whole.iter().zip(left).map(|(&all, &left)| falling(u64::from(all), u64::from(all - left)));
                limbs(&each.fold(UBig::ONE, |product, factor| product * factor))
            }
        }
    }

    /// What a sum of weights must be multiplied with, and then divided by, to be a number of worlds.
    pub(super) fn factor(&self) -> (UBig, UBig) {
        match self {
            Self::Direct { .. } => (UBig::ONE, UBig::ONE),
            Self::Falling { whole, people, used } => (multinomial(whole), falling(*people, *used)),
        }
    }
}

/// Binary logarithm of `n!`, to a relative error far below what a bound in bits needs.
fn log_factorial(n: u64) -> f64 {
    if n < 64 {
        return (2..=n).map(|factor| (factor as f64).log2()).sum();
    }
    let n = n as f64;
    let natural = n * n.ln() - n + 0.5 * (2.0 * std::f64::consts::PI * n).ln() + 1.0 / (12.0 * n);
    natural / std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::meter::CountingSubject;

    fn meter() -> BudgetMeter {
        BudgetMeter::new(Budget::question(), CountingSubject::Step { step: 1, people: 3 })
    }

    #[test]
    fn multinomials_agree_across_their_branches() {
        assert_eq!(multinomial(&[2, 1, 1]), UBig::from(12u8));
        // 21! / (7! 7! 7!)
        assert_eq!(multinomial(&[7, 7, 7]), UBig::from(399_072_960u64));
        assert_eq!(binomial(52, 5), UBig::from(2_598_960u64));
        assert_eq!(multinomial(&[]), UBig::ONE);
    }

    #[test]
    fn offers_are_all_histograms_within_bounds() {
        let offers = UnitAllocations::new(3, &[2, 1, 3], &meter()).unwrap();
        let total: u64 = (0..offers.len()).map(|at| offers.weight(at)[0]).sum();
        // Of the 27 words of length 3, those with at most two of the first and one of the second value.
        assert_eq!(offers.len(), 6);
        assert_eq!(total, 27 - 1 - 1 - 3 - 3);
        assert_eq!(histograms(3, &[2, 1, 3]) as usize, offers.len());
        assert_eq!(histograms(7, &[7; 4]) as u64, 120);
        assert_eq!(histograms(3, &[1, 1]) as u64, 0);
    }

    #[test]
    fn too_many_offers_are_refused_before_they_are_listed() {
        let refusal = UnitAllocations::new(2000, &[400; 14], &meter()).unwrap_err().to_string();
        assert!(refusal.contains("takes about ") && refusal.contains(" states, limit 2.0e8; "), "{refusal}");
    }

    #[test]
    fn logarithms_of_factorials_are_close() {
        let exact: f64 = (2..=1000u64).map(|factor| (factor as f64).log2()).sum();
        assert!((log_factorial(1000) - exact).abs() < 1e-6);
    }
}
