//! Counting value by value, for one large outer group with disjoint bounded groups inside.
//!
//! Where the principle is a bound on every single value, the worlds of an outer group with counts `h_v` in which the inner
//! groups of sizes `a_1..a_k` pass are a coefficient of a product over values:
//! `per * [z_1^a_1 .. z_k^a_k] prod_v sum_x multinomial(h_v; x_1..x_k) z^x / multinomial(n; a_1..a_k)` with every `x_j` at
//! most its cap. The state is how far the inner groups are filled, whatever the number of values.

use dashu_int::UBig;
use pellucid_model::error::Result;

use super::allocations::{binomial, multinomial};
use super::engine::{PlainCount, ProblemSolution};
use super::problem::CountingProblem;
use super::requirements::Requirements;
use crate::meter::BudgetMeter;

/// A puzzle of this form: the inner groups are single units of one outer group.
#[derive(Debug)]
pub(super) struct FillProblem {
    /// Units with a bound, by index.
    inner: Vec<usize>,
    sizes: Vec<usize>,
    /// By inner unit and value, the bound.
    caps: Vec<Vec<u64>>,
}

impl FillProblem {
    /// The puzzle in this form, when it has it.
    pub(super) fn of(puzzle: &CountingProblem, condition: &Requirements<'_>) -> Option<Self> {
        let simple = puzzle.outers.len() == 1 && puzzle.tracked.iter().all(|group| group.pass && group.level.is_none());
        let units_of = |number: u32| puzzle.units.iter().filter(|unit| unit.tracked.contains(&number)).count();
        if !simple || (0..puzzle.tracked.len() as u32).any(|number| units_of(number) != 1) {
            return None;
        }
        let code = |value: usize| puzzle.codes.get(value).copied().unwrap_or(value as u32);
        let inner: Vec<usize> = (0..puzzle.units.len()).filter(|&at| !puzzle.units[at].tracked.is_empty()).collect();
        let caps = inner.iter().map(|&at| {
            let size = u64::from(puzzle.units[at].size);
            (0..puzzle.values()).map(|value| condition.cap(code(value), size)).collect::<Option<Vec<u64>>>()
        });
        let caps = caps.collect::<Option<Vec<_>>>()?;
        let sizes = inner.iter().map(|&at| puzzle.units[at].size as usize).collect();
        Some(Self { inner, sizes, caps })
    }

    /// Number of states.
    fn states(&self) -> f64 {
        self.sizes.iter().map(|&size| size as f64 + 1.0).product()
    }

    /// Bytes that the counts of all layers take.
    pub(super) fn bytes(&self, puzzle: &CountingProblem) -> f64 {
        let people: f64 = puzzle.units.iter().map(|unit| f64::from(unit.size)).sum();
        let inner: f64 = self.sizes.iter().map(|&size| size as f64).sum();
        let each = inner * (people / inner.max(1.0) * std::f64::consts::E).log2() / 8.0 + 32.0;
        // Every layer, two more on the way back, and what the numbers take beside their digits.
        self.states() * (puzzle.values() as f64 + 3.0) * (2.0 * each + 64.0)
    }

    /// Binary logarithm of the work: states times choices, over all values.
    pub(super) fn effort(&self, puzzle: &CountingProblem) -> f64 {
        let choices: f64 = (0..puzzle.values())
            .map(|value| {
                let each =
                    self.caps.iter().map(|caps| caps[value].min(u64::from(puzzle.outers[0][value])) as f64 + 1.0);
                each.product::<f64>()
            })
            .sum();
        (self.states() * choices).log2()
    }

    /// Solves the puzzle.
    pub(super) fn solve(&self, puzzle: &CountingProblem, meter: &BudgetMeter) -> Result<ProblemSolution> {
        let whole = &puzzle.outers[0];
        let values = whole.len();
        let states: usize = self.sizes.iter().map(|size| size + 1).product();
        let mut layers: Vec<Vec<UBig>> = vec![vec![UBig::ZERO; states]];
        layers[0][0] = UBig::ONE;
        let choices: Vec<Vec<Choice>> = (0..values).map(|value| self.choices(value, whole[value])).collect();
        for value in 0..values {
            let mut next = vec![UBig::ZERO; states];
            for (state, ways) in layers[value].iter().enumerate().filter(|entry| *entry.1 != UBig::ZERO) {
                meter.spend(choices[value].len() as u64)?;
                for choice in &choices[value] {
                    if let Some(to) = self.shift(state, &choice.counts) {
                        next[to] += ways * &choice.ways;
                    }
                }
            }
            layers.push(next);
        }
        let full = states - 1;
        let count = layers[values][full].clone();
        if count == UBig::ZERO {
            return Ok(ProblemSolution::None);
        }
        // Backwards: ways to fill what is left with the values from here on.
        let mut after = vec![UBig::ZERO; states];
        after[full] = UBig::ONE;
        let mut sums = vec![vec![UBig::ZERO; values]; self.inner.len()];
        for value in (0..values).rev() {
            let mut before = vec![UBig::ZERO; states];
            for (state, slot) in before.iter_mut().enumerate() {
                let ways = &layers[value][state];
                for choice in &choices[value] {
                    let Some(to) = self.shift(state, &choice.counts) else { continue };
                    if after[to] == UBig::ZERO {
                        continue;
                    }
                    let part = &choice.ways * &after[to];
                    if *ways != UBig::ZERO {
                        for (at, &rows) in choice.counts.iter().enumerate().filter(|entry| *entry.1 > 0) {
                            sums[at][value] += &part * ways * rows;
                        }
                    }
                    *slot += part;
                }
            }
            after = before;
        }
        Ok(ProblemSolution::Plain(self.outcome(puzzle, &count, &sums)))
    }

    fn outcome(&self, puzzle: &CountingProblem, count: &UBig, sums: &[Vec<UBig>]) -> PlainCount {
        let whole = &puzzle.outers[0];
        let sizes: Vec<u32> = puzzle.units.iter().map(|unit| unit.size).collect();
        let inner: Vec<u32> = self.inner.iter().map(|&at| sizes[at]).collect();
        let rest: u32 = sizes.iter().sum::<u32>() - inner.iter().sum::<u32>();
        let shape: Vec<u32> = inner.iter().copied().chain([rest]).collect();
        let (up, down) = (multinomial(whole), multinomial(&shape));
        let worlds = (0..puzzle.units.len()).map(|unit| {
            let by_value = (0..whole.len()).map(|value| {
                if let Some(at) = self.inner.iter().position(|&at| at == unit) {
                    return &sums[at][value] * &up / (&down * sizes[unit]);
                }
                let used = sums.iter().fold(UBig::ZERO, |used, sums| used + &sums[value]);
                (count * whole[value] - used) * &up / (&down * rest)
            });
            by_value.collect()
        });
        let worlds = worlds.collect();
        PlainCount { count: count * &up / &down, worlds }
    }

    /// The state after `counts` more in each inner unit; `None` when one would overflow.
    fn shift(&self, state: usize, counts: &[u64]) -> Option<usize> {
        let (mut left, mut place, mut to) = (state, 1, 0);
        for (&size, &count) in self.sizes.iter().zip(counts) {
            let filled = left % (size + 1) + count as usize;
            if filled > size {
                return None;
            }
            to += filled * place;
            left /= size + 1;
            place *= size + 1;
        }
        Some(to)
    }

    /// How `rows` rows of one value can fall on the inner units, within the caps.
    fn choices(&self, value: usize, rows: u32) -> Vec<Choice> {
        let mut all = vec![Choice { counts: Vec::new(), ways: UBig::ONE }];
        for caps in &self.caps {
            let mut longer = Vec::new();
            for choice in &all {
                let left = u64::from(rows) - choice.counts.iter().sum::<u64>();
                let mut ways = choice.ways.clone();
                for count in 0..=caps[value].min(left) {
                    if count > 0 {
                        ways = ways * (left - count + 1) / count;
                    }
                    let counts = choice.counts.iter().copied().chain([count]).collect();
                    longer.push(Choice { counts, ways: ways.clone() });
                }
            }
            all = longer;
        }
        debug_assert!(
            all.iter()
                .all(|choice| choice.counts.len() != 1 || choice.ways == binomial(u64::from(rows), choice.counts[0]))
        );
        all
    }
}

/// Rows of one value in every inner unit, and in how many ways they can be chosen among all rows of the value.
#[derive(Debug)]
struct Choice {
    counts: Vec<u64>,
    ways: UBig,
}
