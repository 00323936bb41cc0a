//! Class tables: the classes of rows that a granulation makes, with what principles and measures look at; and their
//! roll-up into the classes of a less specific granulation, without the rows.

use rayon::prelude::*;

use super::counting::{Counter, group};
use super::lattice::{Lattice, Levels};
use super::layout::Layout;
use crate::histogram::Histogram;
use crate::principle::Test;
use crate::table::Codes;

/// Classes beyond which a table is rolled up on all cores.
const LARGE: usize = 1 << 15;

/// How often each code of a judged column occurs in every class.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    ends: Vec<u32>,
    entries: Vec<(u32, u32)>,
}

impl Tally {
    /// `(code, count)` of a class, in order of the code.
    pub fn class(&self, at: usize) -> &[(u32, u32)] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.entries[start..self.ends[at] as usize]
    }
}

/// What is asked of a class: principles, each bound to a judged column or to the number of rows alone.
#[derive(Debug)]
pub(super) struct Judge<'a> {
    /// By judged column, its number of codes.
    pub cardinalities: Vec<usize>,
    /// Each test with the judged column it looks at; `None` for those that look at the number of rows.
    pub tests: Vec<(Option<usize>, &'a dyn Test)>,
}

impl Judge<'_> {
    /// Whether the union of passing classes passes.
    pub fn is_closed_under_mixtures(&self) -> bool {
        self.tests.iter().all(|(_, test)| test.is_closed_under_mixtures())
    }

    /// Whether a passing class passes with any further rows.
    pub fn is_closed_under_growth(&self) -> bool {
        self.tests.iter().all(|(_, test)| test.is_closed_under_growth())
    }

    /// What a passing class has: of rows, and of different codes of each judged column.
    fn least(&self) -> (u32, Vec<u32>) {
        let mut rows = 1;
        let mut values = vec![1; self.cardinalities.len()];
        for (column, test) in &self.tests {
            let least = test.least();
            rows = rows.max(u32::try_from(least.rows).unwrap_or(u32::MAX));
            if let Some(column) = column {
                values[*column] = values[*column].max(u32::try_from(least.values).unwrap_or(u32::MAX));
            }
        }
        (rows, values)
    }

    /// The verdicts of classes of which nothing but the number of rows is asked.
    fn by_rows(&self, rows: &[u32]) -> Vec<Verdict> {
        let (least, _) = self.least();
        let growth = self.is_closed_under_growth();
        let mut scratch = Histogram::default();
        let mut enough = u32::MAX;
        let mut verdict = |&rows: &u32| match rows {
            _ if rows < least => Verdict::Short,
            _ if rows >= enough => Verdict::Passes,
            _ if self.passes(rows, |_| &[], &mut scratch) => {
                enough = if growth { rows } else { enough };
                Verdict::Passes
            }
            _ => Verdict::Fails,
        };
        rows.iter().map(&mut verdict).collect()
    }

    fn passes<'e>(&self, rows: u32, entries: impl Fn(usize) -> &'e [(u32, u32)], scratch: &mut Histogram) -> bool {
        self.tests.iter().all(|(column, test)| {
            match column {
                Some(column) => {
                    scratch.refill(entries(*column).iter().map(|&(code, count)| (code, u64::from(count))));
                }
                None => scratch.refill([(0, u64::from(rows))]),
            }
            test.holds(scratch)
        })
    }
}

/// The classes of a granulation.
#[derive(Debug, Clone)]
pub(super) struct Classes {
    levels: Levels,
    layout: Layout,
    keys: Vec<u64>,
    rows: Vec<u32>,
    tallies: Vec<Tally>,
    verdicts: Vec<Verdict>,
}

/// What is known of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It passes everything that is asked.
    Passes,
    /// It fails.
    Fails,
    /// It fails, and so does every part of it: it has too few rows or too few different values.
    Short,
}

impl Classes {
    /// Number of classes.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The granulation.
    pub fn levels(&self) -> &Levels {
        &self.levels
    }

    /// The block of `column` that a class lies in.
    #[cfg(test)]
    pub fn block(&self, at: usize, column: usize) -> u32 {
        let words = self.layout.words();
        self.layout.block(&self.keys[at * words..(at + 1) * words], column)
    }

    /// Adds to `counts`, by column and block, the rows of classes of which something is known.
    pub fn count(&self, known: impl Fn(Verdict) -> bool, counts: &mut [Vec<u64>]) {
        let classes = self.keys.chunks_exact(self.layout.words()).zip(&self.rows).zip(&self.verdicts);
        let (mut keys, mut rows) = (Vec::new(), Vec::new());
        for ((key, &many), _) in classes.filter(|(_, verdict)| known(**verdict)) {
            keys.extend_from_slice(key);
            rows.push(many);
        }
        self.layout.count(&keys, &rows, counts);
    }

    /// Rows of a class.
    pub fn rows(&self, at: usize) -> u64 {
        u64::from(self.rows[at])
    }

    /// Whether a class passes everything that is asked.
    pub fn passes(&self, at: usize) -> bool {
        self.verdicts[at] == Verdict::Passes
    }

    /// Rows of classes of which something is known.
    pub fn rows_with(&self, known: impl Fn(Verdict) -> bool) -> u64 {
        let rows = self.rows.iter().zip(&self.verdicts);
        rows.filter(|(_, verdict)| known(**verdict)).map(|(&rows, _)| u64::from(rows)).sum()
    }

    /// The histogram of a judged column.
    pub fn tally(&self, column: usize) -> &Tally {
        &self.tallies[column]
    }

    /// Rows of classes that do not pass.
    pub fn failing_rows(&self) -> u64 {
        self.rows_with(|verdict| verdict != Verdict::Passes)
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let tallies: usize = self.tallies.iter().map(|tally| tally.ends.len() * 4 + tally.entries.len() * 8).sum();
        self.keys.len() * 8 + self.rows.len() * 5 + tallies
    }

    /// How much work it is to roll this table up.
    pub fn weight(&self) -> usize {
        self.len() + self.tallies.iter().map(|tally| tally.entries.len()).sum::<usize>()
    }

    /// The classes of the most specific granulation of `lattice` for rows with the given codes; `judged` are the codes of
    /// the judged columns. Also the class of every row.
    pub fn of_rows(
        lattice: &Lattice,
        quasi: &[&Codes],
        judged: &[&Codes],
        rows: usize,
        judge: &Judge<'_>,
    ) -> (Self, Vec<u32>) {
        let single = judged.iter().map(|codes| Tally {
            ends: (1..=rows as u32).collect(),
            entries: codes.iter().map(|code| (code, 1)).collect(),
        });
        let levels = lattice.bottom();
        let layout = Layout::new(lattice, &levels);
        let people = Self {
            keys: layout.keys(lattice, quasi, rows),
            rows: vec![1; rows],
            tallies: single.collect(),
            verdicts: Vec::new(),
            levels,
            layout,
        };
        let (class_of, classes) = people.roll_up(lattice, &people.levels, judge, true);
        (classes, class_of)
    }

    /// The class of the less specific granulation `to` that each of these becomes a part of, and those classes. Without
    /// histograms unless they shall be `whole`: enough to judge and to measure, and less work, but not to be rolled up
    /// further.
    pub fn roll_up(&self, lattice: &Lattice, to: &[u32], judge: &Judge<'_>, whole: bool) -> (Vec<u32>, Self) {
        let columns = lattice.columns().iter().zip(&self.levels).zip(to);
        let lifts: Vec<Vec<u32>> = columns.map(|((column, &from), &to)| column.lift(from, to)).collect();
        let layout = Layout::new(lattice, to);
        let keys = self.layout.lifted(&self.keys, &layout, &lifts);
        let (class_of, keys) = group(layout.words(), &keys, layout.bound());
        let merged = self.merged(&class_of, (to.into(), layout, keys), judge, whole);
        (class_of, merged)
    }

    /// The classes that result when class `at` becomes part of class `class_of[at]`; with histograms when `whole`.
    ///
    /// A class that is taken over alone keeps its verdict; where all parts pass and principles are closed under
    /// mixtures, or one part does and they are closed under growth, there is nothing to judge either.
    fn merged(
        &self,
        class_of: &[u32],
        (levels, layout, keys): (Levels, Layout, Vec<u64>),
        judge: &Judge<'_>,
        whole: bool,
    ) -> Self {
        let many = keys.len() / layout.words();
        let mut rows = vec![0u32; many];
        if self.tallies.is_empty() {
            for (&class, &more) in class_of.iter().zip(&self.rows) {
                rows[class as usize] += more;
            }
            let verdicts = judge.by_rows(&rows);
            return Self { levels, layout, keys, rows, tallies: Vec::new(), verdicts };
        }
        let mut starts = vec![0u32; many + 1];
        for (&class, &more) in class_of.iter().zip(&self.rows) {
            rows[class as usize] += more;
            starts[class as usize + 1] += 1;
        }
        for at in 0..many {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut parts = vec![0u32; class_of.len()];
        for (part, &class) in (0u32..).zip(class_of) {
            let place = &mut next[class as usize];
            parts[*place as usize] = part;
            *place += 1;
        }
        let parts_of = |class: usize| &parts[starts[class] as usize..starts[class + 1] as usize];
        let merge = |classes: std::ops::Range<usize>| {
            if whole {
                self.merge_range(classes, &parts_of, &rows, judge)
            } else {
                (Vec::new(), self.judge_range(classes, &parts_of, &rows, judge))
            }
        };
        let (tallies, verdicts) = if class_of.len() < LARGE {
            merge(0..many)
        } else {
            let step = many.div_ceil(4 * rayon::current_num_threads()).max(1);
            let pieces: Vec<_> = (0..many.div_ceil(step)).collect();
            let pieces: Vec<_> =
                pieces.into_par_iter().map(|at| merge(at * step..((at + 1) * step).min(many))).collect();
            joined(pieces, if whole { self.tallies.len() } else { 0 })
        };
        Self { levels, layout, keys, rows, tallies, verdicts }
    }

    fn merge_range<'p>(
        &self,
        classes: std::ops::Range<usize>,
        parts_of: &(impl Fn(usize) -> &'p [u32] + Sync),
        rows: &[u32],
        judge: &Judge<'_>,
    ) -> (Vec<Tally>, Vec<Verdict>) {
        let (least_rows, least_values) = judge.least();
        let (mixtures, growth) = (judge.is_closed_under_mixtures(), judge.is_closed_under_growth());
        let mut tallies: Vec<Tally> = self.tallies.iter().map(|_| Tally::default()).collect();
        let mut counters: Vec<Counter> = judge.cardinalities.iter().map(|&codes| Counter::new(codes)).collect();
        let mut verdicts = Vec::with_capacity(classes.len());
        let mut scratch = Histogram::default();
        for class in classes {
            let parts = parts_of(class);
            for ((tally, merged), counter) in self.tallies.iter().zip(&mut tallies).zip(&mut counters) {
                if let [only] = parts {
                    merged.entries.extend_from_slice(tally.class(*only as usize));
                } else {
                    for &part in parts {
                        counter.add(tally.class(part as usize));
                    }
                    counter.take(&mut merged.entries);
                }
                merged.ends.push(merged.entries.len() as u32);
            }
            let at = verdicts.len();
            let values = |column: usize| tallies[column].class(at);
            let short = rows[class] < least_rows
                || least_values.iter().enumerate().any(|(column, &least)| (values(column).len() as u32) < least);
            // Rows that stand alone have no verdict yet.
            let verdict_of = |part: &u32| self.verdicts.get(*part as usize).copied();
            let passes = |part: &u32| verdict_of(part) == Some(Verdict::Passes);
            verdicts.push(match parts {
                _ if short => Verdict::Short,
                [only] if !self.verdicts.is_empty() => self.verdicts[*only as usize],
                _ if mixtures && parts.iter().all(passes) => Verdict::Passes,
                _ if growth && parts.iter().any(passes) => Verdict::Passes,
                _ if judge.passes(rows[class], values, &mut scratch) => Verdict::Passes,
                _ => Verdict::Fails,
            });
        }
        (tallies, verdicts)
    }
}

impl Classes {
    /// The verdicts of `classes`, counting only where they do not follow from those of their parts.
    fn judge_range<'p>(
        &self,
        classes: std::ops::Range<usize>,
        parts_of: &(impl Fn(usize) -> &'p [u32] + Sync),
        rows: &[u32],
        judge: &Judge<'_>,
    ) -> Vec<Verdict> {
        let (least_rows, least_values) = judge.least();
        let (mixtures, growth) = (judge.is_closed_under_mixtures(), judge.is_closed_under_growth());
        let mut counters: Vec<Counter> = judge.cardinalities.iter().map(|&codes| Counter::new(codes)).collect();
        let mut counted: Vec<Vec<(u32, u32)>> = vec![Vec::new(); counters.len()];
        let mut scratch = Histogram::default();
        let passes = |part: &u32| self.verdicts[*part as usize] == Verdict::Passes;
        let mut verdict = |class: usize| match parts_of(class) {
            _ if rows[class] < least_rows => Verdict::Short,
            [only] => self.verdicts[*only as usize],
            parts if mixtures && parts.iter().all(passes) => Verdict::Passes,
            parts if growth && parts.iter().any(passes) => Verdict::Passes,
            parts => {
                for ((tally, counter), counted) in self.tallies.iter().zip(&mut counters).zip(&mut counted) {
                    for &part in parts {
                        counter.add(tally.class(part as usize));
                    }
                    counted.clear();
                    counter.take(counted);
                }
                let lacks = |(counted, &least): (&Vec<(u32, u32)>, &u32)| (counted.len() as u32) < least;
                if counted.iter().zip(&least_values).any(lacks) {
                    Verdict::Short
                } else if judge.passes(rows[class], |column| counted[column].as_slice(), &mut scratch) {
                    Verdict::Passes
                } else {
                    Verdict::Fails
                }
            }
        };
        classes.map(&mut verdict).collect()
    }
}

/// Pieces one after the other.
fn joined(pieces: Vec<(Vec<Tally>, Vec<Verdict>)>, columns: usize) -> (Vec<Tally>, Vec<Verdict>) {
    let mut tallies: Vec<Tally> = (0..columns).map(|_| Tally::default()).collect();
    let mut verdicts = Vec::new();
    for (piece, more) in pieces {
        for (tally, more) in tallies.iter_mut().zip(piece) {
            let offset = tally.entries.len() as u32;
            tally.entries.extend(more.entries);
            tally.ends.extend(more.ends.into_iter().map(|end| end + offset));
        }
        verdicts.extend(more);
    }
    (tallies, verdicts)
}
