//! Intervals: what samples say about a number between 0 and 1, with a bound that holds for every number of samples.

/// Where a number between 0 and 1 lies; rounded outwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitInterval {
    /// The number is not below this.
    pub low: f64,
    /// The mean of the samples; `None` when there are none.
    pub at: Option<f64>,
    /// The number is not above this.
    pub high: f64,
}

impl UnitInterval {
    /// Nothing is known.
    pub const ANY: Self = Self { low: 0.0, at: None, high: 1.0 };

    /// The number is known.
    pub fn exactly(at: f64) -> Self {
        Self { low: at, at: Some(at), high: at }
    }

    /// Where the larger of two numbers lies.
    #[must_use]
    pub fn above(self, other: Self) -> Self {
        let at = self.at.zip(other.at).map(|(a, b)| a.max(b));
        Self { low: self.low.max(other.low), at, high: self.high.max(other.high) }
    }

    /// Where a probability lies of which `hits` of `samples` independent trials came true, missed with probability at most
    /// `1 - confidence`.
    pub fn of_share(hits: u64, samples: u64, confidence: f64) -> Self {
        ConfidenceLevel::new(confidence, 1).interval(hits as f64 / samples.max(1) as f64, samples)
    }

    /// Whether the interval holds `number`.
    pub fn contains(&self, number: f64) -> bool {
        self.low <= number && number <= self.high
    }
}

/// How likely a number from a skewed distribution may be on one side of what it estimates; the median has 1/2.
const ONE_SIDE: f64 = 0.6;

/// How sure several intervals must be together.
///
/// # Theorem
/// Let X1..Xn be independent, each between 0 and 1, with the same mean p, and m their average. With
/// kl(a, b) = a ln(a / b) + (1 - a) ln((1 - a) / (1 - b)), for every p < a < 1
///
/// ```text
/// Pr(m >= a) <= exp(-n kl(a, p)),   and likewise below p
/// ```
///
/// (Hoeffding 1963, theorem 1, whose better known consequence is exp(-2 n (a - p)^2)). Hence, with L = ln(2 C / (1 - c)),
/// the set `{ q : n kl(m, q) <= L }`, an interval around m, misses p with probability at most (1 - c) / C; and by the union
/// bound C such intervals, however they depend on each other, all hold together with probability at least c.
///
/// No normal approximation is made: it is wrong near 0 and 1 and for few samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ConfidenceLevel {
    /// L of the theorem.
    log: f64,
}

impl ConfidenceLevel {
    /// That `intervals` intervals hold together with probability at least `confidence`, between 0 and 1.
    pub(crate) fn new(confidence: f64, intervals: u64) -> Self {
        Self { log: (2.0 * intervals as f64 / (1.0 - confidence)).ln() }
    }

    /// Of how many independent numbers with one distribution the least and the greatest must be known, so that the intervals
    /// between them hold what is exceeded, and missed, with a probability of at most [`ONE_SIDE`]: all R numbers are on one side of
    /// it with probability at most 2 times that to the power of R.
    pub(crate) fn spread(self) -> u64 {
        // L is ln(2 C / (1 - c)), and an interval may miss with probability (1 - c) / C.
        (self.log / -ONE_SIDE.ln()).ceil().max(2.0) as u64
    }

    /// The interval of a mean of `samples` samples.
    pub(crate) fn interval(self, mean: f64, samples: u64) -> UnitInterval {
        if samples == 0 {
            return UnitInterval::ANY;
        }
        // The divergence is computed with an absolute error of a few units of 1e-16; allow for far more.
        let log = self.log * (1.0 + 1e-9) + samples as f64 * 1e-14;
        let within = |q: f64| samples as f64 * divergence(mean, q) <= log;
        let low = if mean <= 0.0 { 0.0 } else { edge(mean, 0.0, within) };
        let high = if mean >= 1.0 { 1.0 } else { edge(mean, 1.0, within) };
        UnitInterval { low, at: Some(mean), high }
    }
}

/// The number nearest to `inside`, on the way to `outside`, that is found not to be `within`; or `outside`.
fn edge(mut inside: f64, mut outside: f64, within: impl Fn(f64) -> bool) -> f64 {
    loop {
        let middle = f64::midpoint(inside, outside);
        if (middle - inside).abs() < 1e-15 || (middle - outside).abs() < 1e-15 {
            return outside;
        }
        if within(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
}

/// kl(a, b) of the theorem, for b strictly between 0 and 1.
fn divergence(a: f64, b: f64) -> f64 {
    let ones = if a <= 0.0 { 0.0 } else { a * (a / b).ln() };
    let zeros = if a >= 1.0 { 0.0 } else { (1.0 - a) * ((1.0 - a) / (1.0 - b)).ln() };
    ones + zeros
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_solve_the_equation_of_the_theorem() {
        // L = ln(2 / 0.05) = 3.6889; all of 100 samples are 0: (1 - q)^100 = e^-L, q = 1 - e^-0.036889 = 0.036217.
        let none = ConfidenceLevel::new(0.95, 1).interval(0.0, 100);
        assert!((none.high - 0.036_217).abs() < 1e-6 && none.low == 0.0, "{none:?}");
        let all = ConfidenceLevel::new(0.95, 1).interval(1.0, 100);
        assert!((all.low - (1.0 - 0.036_217)).abs() < 1e-6 && all.high >= 1.0, "{all:?}");
        let half = ConfidenceLevel::new(0.95, 1).interval(0.5, 100);
        for end in [half.low, half.high] {
            assert!((100.0 * divergence(0.5, end) - 40f64.ln()).abs() < 1e-6, "{half:?}");
        }
        // Never wider than by the consequence with squares: sqrt(L / 200) = 0.1358.
        assert!(half.high <= 0.6359 && half.low >= 0.3641, "{half:?}");
    }

    #[test]
    fn enough_numbers_lie_on_both_sides() {
        for (confidence, intervals) in [(0.9, 1), (0.95, 200), (0.99, 20_000)] {
            let many = ConfidenceLevel::new(confidence, intervals).spread() as i32;
            let missed = |many: i32| 2.0 * 0.6f64.powi(many) * intervals as f64;
            assert!(missed(many) <= 1.0 - confidence && missed(many - 1) > 1.0 - confidence, "{many}");
        }
    }

    #[test]
    fn more_samples_narrow_and_more_intervals_widen() {
        let width = |confidence: f64, intervals: u64, samples: u64| {
            let interval = ConfidenceLevel::new(confidence, intervals).interval(0.3, samples);
            assert!(interval.contains(0.3));
            interval.high - interval.low
        };
        assert!(width(0.95, 1, 1000) < width(0.95, 1, 100));
        assert!(width(0.95, 50, 100) > width(0.95, 1, 100));
        assert!(width(0.99, 1, 100) > width(0.95, 1, 100));
        assert_eq!(ConfidenceLevel::new(0.95, 1).interval(0.0, 0), UnitInterval::ANY);
    }

    #[test]
    fn intervals_miss_no_more_often_than_they_say() {
        // The exact chance that an interval from 20 coins of bias p misses p, added up over all outcomes.
        for p in [0.01, 0.1, 0.3, 0.5, 0.75, 0.98] {
            let mut missed = 0.0;
            let mut chance = (1.0f64 - p).powi(20);
            for heads in 0..=20u32 {
                if !ConfidenceLevel::new(0.9, 1).interval(f64::from(heads) / 20.0, 20).contains(p) {
                    missed += chance;
                }
                chance *= f64::from(20 - heads) / f64::from(heads + 1) * p / (1.0 - p);
            }
            assert!(missed <= 0.1, "{p}: {missed}");
        }
    }
}
