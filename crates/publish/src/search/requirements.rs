//! What is asked of the classes of a granulation, and the verdict on each.

use pellucid_model::histogram::Histogram;
use pellucid_model::principle::BoundPrinciple;

use super::counting::CodeCounter;

/// What is asked of a class: principles, each bound to a judged column or to the number of rows alone.
#[derive(Debug)]
pub(super) struct ClassRequirements<'a> {
    /// By judged column, its number of codes.
    cardinalities: Vec<usize>,
    /// Each test with the judged column it looks at; `None` for those that look at the number of rows.
    tests: Vec<(Option<usize>, &'a dyn BoundPrinciple)>,
    /// Whether the union of passing classes passes.
    pub mixtures: bool,
    /// Whether a passing class passes with any further rows.
    pub growth: bool,
}

impl<'a> ClassRequirements<'a> {
    /// Asks `tests` of classes with judged columns of so many codes.
    pub fn new(cardinalities: Vec<usize>, tests: Vec<(Option<usize>, &'a dyn BoundPrinciple)>) -> Self {
        let mixtures = tests.iter().all(|(_, test)| test.is_closed_under_mixtures());
        let growth = tests.iter().all(|(_, test)| test.is_closed_under_growth());
        Self { cardinalities, tests, mixtures, growth }
    }

    /// The tests with the judged column each looks at.
    pub fn tests(&self) -> &[(Option<usize>, &'a dyn BoundPrinciple)] {
        &self.tests
    }

    /// A counter for every judged column.
    pub fn counters(&self) -> Vec<CodeCounter> {
        self.cardinalities.iter().map(|&codes| CodeCounter::new(codes)).collect()
    }

    /// What judges one class after the other.
    pub fn bench(&self) -> ClassTester<'_, 'a> {
        let mut bench = ClassTester {
            judge: self,
            least_rows: 1,
            least_values: vec![1; self.cardinalities.len()],
            scratch: Histogram::default(),
        };
        for (column, test) in &self.tests {
            let least = test.least();
            bench.least_rows = bench.least_rows.max(u32::try_from(least.rows).unwrap_or(u32::MAX));
            if let Some(column) = column {
                let values = &mut bench.least_values[*column];
                *values = (*values).max(u32::try_from(least.values).unwrap_or(u32::MAX));
            }
        }
        bench
    }

    /// The verdicts of classes of which nothing but the number of rows is asked.
    pub fn by_rows(&self, rows: &[u32]) -> Vec<ClassVerdict> {
        let mut bench = self.bench();
        let mut enough = u32::MAX;
        let verdict = |&rows: &u32| {
            let verdict = bench.verdict(rows, |_| &[], (rows >= enough).then_some(ClassVerdict::Passes));
            if self.growth && verdict == ClassVerdict::Passes {
                enough = enough.min(rows);
            }
            verdict
        };
        rows.iter().map(verdict).collect()
    }
}

/// Judges one class after the other.
pub(super) struct ClassTester<'j, 'a> {
    judge: &'j ClassRequirements<'a>,
    /// What a passing class has of rows.
    pub least_rows: u32,
    /// What a passing class has of different codes, by judged column.
    least_values: Vec<u32>,
    scratch: Histogram,
}

impl ClassTester<'_, '_> {
    /// The verdict of a class with these rows and `(code, count)` by judged column; `known` is what follows from its parts.
    pub fn verdict<'e>(
        &mut self,
        rows: u32,
        entries: impl Fn(usize) -> &'e [(u32, u32)],
        known: Option<ClassVerdict>,
    ) -> ClassVerdict {
        let lacks = |(column, &least): (usize, &u32)| (entries(column).len() as u32) < least;
        if rows < self.least_rows || self.least_values.iter().enumerate().any(lacks) {
            return ClassVerdict::Short;
        }
        known.unwrap_or_else(|| {
            let scratch = &mut self.scratch;
            let passes = self.judge.tests.iter().all(|(column, test)| {
                match column {
                    Some(column) => {
                        scratch.refill(entries(*column).iter().map(|&(code, count)| (code, u64::from(count))));
                    }
                    None => scratch.refill([(0, u64::from(rows))]),
                }
                test.holds(scratch)
            });
            if passes { ClassVerdict::Passes } else { ClassVerdict::Fails }
        })
    }
}

/// What is known of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClassVerdict {
    /// It passes everything that is asked.
    Passes,
    /// It fails, and a part of it may pass.
    Fails,
    /// It fails, and so does every part of it: it has too few rows or too few different values.
    Short,
}
