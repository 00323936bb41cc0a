//! Means of weighted samples, with intervals that hold.

use crate::belief::UnitInterval;

/// Weights between 0 and 1, added up, and for every cell what of them falls on it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct WeightedMeans {
    draws: u64,
    weights: f64,
    squares: f64,
    cells: Vec<Cell>,
}

/// Of one cell, of which every sample says a share x between 0 and 1: the sums of `v x`, `v^2 x` and `(v x)^2`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Cell {
    weighted: f64,
    crossed: f64,
    squares: f64,
}

impl WeightedMeans {
    /// No samples of so many cells.
    pub(super) fn none(cells: usize) -> Self {
        Self { cells: vec![Cell::default(); cells], ..Self::default() }
    }

    /// Adds a sample that is worth `weight`; `shares` has the cells on which some of it falls.
    pub(super) fn add(&mut self, weight: f64, shares: impl Iterator<Item = (usize, f64)>) {
        self.draws += 1;
        self.weights += weight;
        self.squares += weight * weight;
        for (cell, share) in shares {
            let (cell, part) = (&mut self.cells[cell], weight * share);
            cell.weighted += part;
            cell.crossed += weight * part;
            cell.squares += part * part;
        }
    }

    /// Adds other samples.
    pub(super) fn join(&mut self, other: &Self) {
        self.draws += other.draws;
        self.weights += other.weights;
        self.squares += other.squares;
        for (cell, other) in self.cells.iter_mut().zip(&other.cells) {
            cell.weighted += other.weighted;
            cell.crossed += other.crossed;
            cell.squares += other.squares;
        }
    }

    /// Samples drawn.
    pub(super) fn draws(&self) -> u64 {
        self.draws
    }

    /// To how many samples of equal weight the samples amount: the square of the sum of weights over the sum of their squares.
    pub(super) fn effective(&self) -> f64 {
        if self.squares > 0.0 { self.weights * self.weights / self.squares } else { 0.0 }
    }

    /// Where the weighted mean `E[v x] / E[v]` of a cell lies, missed with probability at most `exp(-log)` on either side.
    ///
    /// # Theorem
    /// For every number g, `y = v (x - g)` lies between -g and 1 - g. With m the mean and s^2 the unbiased sample variance of N
    /// independent y, with L = ln 2 + `log` the mean of their distribution is below `m - s sqrt(2 L / N) - 7 L / (3 (N - 1))` with
    /// probability at most `exp(-log)` (Maurer and Pontil, Empirical Bernstein bounds, COLT 2009, theorem 4), and likewise above. It is 0
    /// for g = E[v x] / E[v]; so the interval has all g for which neither bound excludes 0. Being concave in g where it
    /// is a lower and convex where it is an upper bound, each excludes 0 just up to one number, or from one number on.
    pub(super) fn interval(&self, cell: usize, log: f64) -> UnitInterval {
        if self.draws < 2 || self.weights <= 0.0 {
            return UnitInterval::ANY;
        }
        let cell = self.cells[cell];
        let many = self.draws as f64;
        let at = (cell.weighted / self.weights).clamp(0.0, 1.0);
        let log = (log + 2f64.ln()) * (1.0 + 1e-9);
        let slack = 7.0 * log / (3.0 * (many - 1.0));
        // How far the mean of `v (x - g)` is from 0, more than chance explains, on the side of `sign`.
        let beyond = |g: f64, sign: f64| {
            let mean = (cell.weighted - g * self.weights) / many;
            let squares = cell.squares - 2.0 * g * cell.crossed + g * g * self.squares;
            let variance = ((squares - many * mean * mean) / (many - 1.0)).max(0.0) + 1e-15;
            sign * mean - (2.0 * variance * log / many).sqrt() - slack > 0.0
        };
        let low = if beyond(0.0, 1.0) { edge(0.0, at, |g| beyond(g, 1.0)) } else { 0.0 };
        let high = if beyond(1.0, -1.0) { edge(1.0, at, |g| beyond(g, -1.0)) } else { 1.0 };
        UnitInterval { low, at: Some(at), high }
    }
}

/// The number farthest from `outside`, on the way to `inside`, that is found to be beyond.
fn edge(mut outside: f64, mut inside: f64, beyond: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = f64::midpoint(outside, inside);
        if beyond(middle) {
            outside = middle;
        } else {
            inside = middle;
        }
    }
    outside
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Two kinds of samples: worth 1 with the cell 1/4 of the time, worth `rare` with the cell always.
    fn samples(many: usize, common: f64, rare: f64, rng: &mut ChaCha8Rng) -> WeightedMeans {
        let mut sums = WeightedMeans::none(1);
        for _ in 0..many {
            let is_common = rng.random_bool(common);
            let (weight, share) =
                if is_common { (1.0, f64::from(u8::from(rng.random_bool(0.25)))) } else { (rare, 1.0) };
            sums.add(weight, std::iter::once((0, share)));
        }
        sums
    }

    #[test]
    fn intervals_of_weighted_samples_miss_no_more_often_than_they_say() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for (common, rare) in [(0.5, 0.1), (0.05, 0.01), (0.01, 0.001), (0.9, 1.0)] {
            let truth = (common * 0.25 + (1.0 - common) * rare) / (common + (1.0 - common) * rare);
            for many in [50, 500, 5000] {
                let missed = (0..400)
                    .filter(|_| !samples(many, common, rare, &mut rng).interval(0, 20f64.ln()).contains(truth))
                    .count();
                assert!(missed <= 40, "{common} {rare} {many}: {missed} of 400");
            }
        }
    }

    #[test]
    fn many_samples_narrow_the_interval() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let width = |many: usize, rng: &mut ChaCha8Rng| {
            let interval = samples(many, 0.5, 0.1, rng).interval(0, 20f64.ln());
            interval.high - interval.low
        };
        let (few, more, most) = (width(100, &mut rng), width(2_000, &mut rng), width(100_000, &mut rng));
        assert!(few > more && more > most && most < 0.03, "{few} {more} {most}");
        assert_eq!(WeightedMeans::none(1).interval(0, 1.0), UnitInterval::ANY);
    }

    #[test]
    fn unequal_weights_amount_to_fewer_samples() {
        let mut equal = WeightedMeans::none(1);
        (0..100).for_each(|_| equal.add(0.5, std::iter::empty()));
        assert!((equal.effective() - 100.0).abs() < 1e-9);
        let mut unequal = WeightedMeans::none(1);
        unequal.add(1.0, std::iter::empty());
        (0..99).for_each(|_| unequal.add(1e-6, std::iter::empty()));
        assert!(unequal.effective() < 1.001);
    }
}
