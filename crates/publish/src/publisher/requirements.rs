//! Judges: whether groups of rows meet every goal of a plan, by counting their sensitive values.

use pellucid_model::histogram::Histogram;
use pellucid_model::principle::BoundPrinciple;
use pellucid_model::table::Column;

use super::input::PublisherInput;

/// What groups have to meet.
#[derive(Debug)]
pub struct GroupRequirements<'a> {
    least: u64,
    columns: Vec<RequiredColumn<'a>>,
}

/// One sensitive column with the tests on it.
#[derive(Debug)]
pub struct RequiredColumn<'a> {
    /// The sensitive column whose histogram is tested.
    pub column: &'a Column,
    tests: Vec<&'a dyn BoundPrinciple>,
}

impl RequiredColumn<'_> {
    /// Whether a group with this histogram passes all tests.
    pub fn holds(&self, group: &Histogram) -> bool {
        self.tests.iter().all(|test| test.holds(group))
    }
}

/// Room for counting.
#[derive(Debug, Default)]
pub struct GroupCounter {
    counts: Vec<u64>,
    codes: Vec<u32>,
    histogram: Histogram,
}

impl<'a> GroupRequirements<'a> {
    /// All goals of `plan`.
    pub fn new(plan: &'a PublisherInput<'_>) -> Self {
        let mut columns: Vec<RequiredColumn<'a>> = Vec::new();
        let mut least = 1;
        for goal in &plan.goals {
            least = least.max(goal.test.least().rows);
            let known = columns.iter_mut().find(|judged| std::ptr::eq(judged.column, goal.column));
            match known {
                Some(judged) => judged.tests.push(goal.test.as_ref()),
                None => columns.push(RequiredColumn { column: goal.column, tests: vec![goal.test.as_ref()] }),
            }
        }
        Self { least, columns }
    }

    /// Groups of at least `least` rows, whatever their values.
    pub fn of_sizes(least: u64) -> Self {
        Self { least: least.max(1), columns: Vec::new() }
    }

    /// Groups of fewer rows fail.
    pub fn least(&self) -> u64 {
        self.least
    }

    /// The sensitive columns with their tests.
    pub fn columns(&self) -> &[RequiredColumn<'a>] {
        &self.columns
    }

    /// Whether the group of `size` rows passes.
    pub fn passes(&self, rows: impl Iterator<Item = u32> + Clone, size: usize, tallies: &mut GroupCounter) -> bool {
        size as u64 >= self.least
            && self.columns.iter().all(|judged| {
                tallies.count(judged.column, rows.clone(), size);
                judged.holds(&tallies.histogram)
            })
    }
}

impl GroupCounter {
    /// Counts the values of `size` rows of `column`.
    fn count(&mut self, column: &Column, rows: impl Iterator<Item = u32>, size: usize) {
        let codes = rows.map(|row| column.code(row as usize));
        let cardinality = column.cardinality();
        if size * 4 < cardinality {
            self.codes.clear();
            self.codes.extend(codes);
            self.codes.sort_unstable();
            self.histogram.refill(self.codes.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)));
            return;
        }
        if self.counts.len() < cardinality {
            self.counts.resize(cardinality, 0);
        }
        codes.for_each(|code| self.counts[code as usize] += 1);
        let counts = self.counts[..cardinality].iter_mut();
        let entries = (0u32..).zip(counts).map(|(code, count)| (code, std::mem::take(count)));
        self.histogram.refill(entries.filter(|&(_, count)| count > 0));
    }
}
