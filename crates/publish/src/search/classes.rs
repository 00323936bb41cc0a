//! Class tables: the classes of rows that a granulation makes, with what principles and measures look at; and their
//! roll-up into the classes of a less specific granulation, without the rows.

use std::ops::Range;

use pellucid_model::table::ColumnCodes;
use rayon::prelude::*;

use super::counting::{CodeCounter, group};
use super::lattice::{GranulationLattice, GranulationLevels};
use super::layout::KeyLayout;
use super::requirements::{ClassRequirements, ClassVerdict};

/// Classes beyond which a table is rolled up on all cores.
const LARGE: usize = 1 << 15;

/// How often each code of a judged column occurs in every class.
#[derive(Debug, Clone, Default)]
pub(super) struct ClassHistograms {
    ends: Vec<u32>,
    entries: Vec<(u32, u32)>,
}

impl ClassHistograms {
    /// `(code, count)` of a class, in order of the code.
    pub fn class(&self, at: usize) -> &[(u32, u32)] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.entries[start..self.ends[at] as usize]
    }

    /// The last class.
    fn last(&self) -> &[(u32, u32)] {
        self.class(self.ends.len() - 1)
    }

    /// Ends the class that is open with what was counted.
    fn close(&mut self, counter: &mut CodeCounter) {
        counter.take(&mut self.entries);
        self.ends.push(self.entries.len() as u32);
    }
}

/// The classes of a granulation.
#[derive(Debug, Clone)]
pub(super) struct ClassTable {
    levels: GranulationLevels,
    layout: KeyLayout,
    keys: Vec<u64>,
    rows: Vec<u32>,
    tallies: Vec<ClassHistograms>,
    verdicts: Vec<ClassVerdict>,
}

impl ClassTable {
    /// Number of classes.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The granulation.
    pub fn levels(&self) -> &GranulationLevels {
        &self.levels
    }

    /// The block of `column` that a class lies in.
    #[cfg(test)]
    pub fn block(&self, at: usize, column: usize) -> u32 {
        let words = self.layout.words();
        self.layout.block(&self.keys[at * words..(at + 1) * words], column)
    }

    /// Adds to `counts`, by column and block, the rows of classes of which something is known.
    pub fn count(&self, known: impl Fn(ClassVerdict) -> bool, counts: &mut [Vec<u64>]) {
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
        self.verdicts[at] == ClassVerdict::Passes
    }

    /// Rows of classes of which something is known.
    pub fn rows_with(&self, known: impl Fn(ClassVerdict) -> bool) -> u64 {
        let rows = self.rows.iter().zip(&self.verdicts);
        rows.filter(|(_, verdict)| known(**verdict)).map(|(&rows, _)| u64::from(rows)).sum()
    }

    /// The histogram of a judged column.
    pub fn tally(&self, column: usize) -> &ClassHistograms {
        &self.tallies[column]
    }

    /// Rows of classes that do not pass.
    pub fn failing_rows(&self) -> u64 {
        self.rows_with(|verdict| verdict != ClassVerdict::Passes)
    }

    /// The same classes as if all passed.
    pub fn forgiven(mut self) -> Self {
        self.verdicts.fill(ClassVerdict::Passes);
        self
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
        lattice: &GranulationLattice,
        quasi: &[&ColumnCodes],
        judged: &[&ColumnCodes],
        rows: usize,
        judge: &ClassRequirements<'_>,
    ) -> (Self, Vec<u32>) {
        let levels = lattice.bottom();
        let layout = KeyLayout::new(lattice, &levels);
        let (class_of, keys) = group(layout.words(), &layout.keys(lattice, quasi, rows), layout.bound());
        let starts = starts(&class_of, keys.len() / layout.words());
        let rows: Vec<u32> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let by_class: Vec<Vec<u32>> = judged.par_iter().map(|codes| sorted(codes.iter(), &class_of, &starts)).collect();
        let count = |classes: Range<usize>| {
            let mut counters = judge.counters();
            let mut tallies: Vec<ClassHistograms> = judged.iter().map(|_| ClassHistograms::default()).collect();
            let mut bench = judge.bench();
            let verdict = |class: usize| {
                let members = starts[class] as usize..starts[class + 1] as usize;
                for ((tally, counter), codes) in tallies.iter_mut().zip(&mut counters).zip(&by_class) {
                    counter.add_codes(&codes[members.clone()]);
                    tally.close(counter);
                }
                bench.verdict(rows[class], |column| tallies[column].last(), None)
            };
            let verdicts = classes.map(verdict).collect();
            (tallies, verdicts)
        };
        let (tallies, verdicts) = in_pieces(rows.len(), class_of.len() < LARGE, judged.len(), count);
        (Self { levels, layout, keys, rows, tallies, verdicts }, class_of)
    }

    /// The class of the less specific granulation `to` that each of these becomes a part of, and those classes. Without
    /// histograms unless they shall be `whole`: enough to judge and to measure, and less work, but not to be rolled up
    /// further.
    pub fn roll_up(
        &self,
        lattice: &GranulationLattice,
        to: &[u32],
        judge: &ClassRequirements<'_>,
        whole: bool,
    ) -> (Vec<u32>, Self) {
        let columns = lattice.columns().iter().zip(&self.levels).zip(to);
        let lifts: Vec<Vec<u32>> = columns.map(|((column, &from), &to)| column.lift(from, to)).collect();
        let layout = KeyLayout::new(lattice, to);
        let keys = self.layout.lifted(&self.keys, &layout, &lifts);
        let (class_of, keys) = group(layout.words(), &keys, layout.bound());
        let merged = self.merged(&class_of, (to.into(), layout, keys), judge, whole);
        (class_of, merged)
    }

    /// The classes that result when class `at` becomes part of class `class_of[at]`; with histograms when `whole`.
    fn merged(
        &self,
        class_of: &[u32],
        (levels, layout, keys): (GranulationLevels, KeyLayout, Vec<u64>),
        judge: &ClassRequirements<'_>,
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
        let starts = starts(class_of, many);
        for (&class, &more) in class_of.iter().zip(&self.rows) {
            rows[class as usize] += more;
        }
        let parts = sorted(0.., class_of, &starts);
        let parts_of = |class: usize| &parts[starts[class] as usize..starts[class + 1] as usize];
        let merge = |classes: Range<usize>| {
            if whole {
                self.merge_range(classes, &parts_of, &rows, judge)
            } else {
                (Vec::new(), self.judge_range(classes, &parts_of, &rows, judge))
            }
        };
        let columns = if whole { self.tallies.len() } else { 0 };
        let (tallies, verdicts) = in_pieces(many, class_of.len() < LARGE, columns, merge);
        Self { levels, layout, keys, rows, tallies, verdicts }
    }

    fn merge_range<'p>(
        &self,
        classes: Range<usize>,
        parts_of: &(impl Fn(usize) -> &'p [u32] + Sync),
        rows: &[u32],
        judge: &ClassRequirements<'_>,
    ) -> (Vec<ClassHistograms>, Vec<ClassVerdict>) {
        let mut tallies: Vec<ClassHistograms> = self.tallies.iter().map(|_| ClassHistograms::default()).collect();
        let mut counters = judge.counters();
        let mut bench = judge.bench();
        let verdict = |class: usize| {
            let parts = parts_of(class);
            for ((tally, merged), counter) in self.tallies.iter().zip(&mut tallies).zip(&mut counters) {
                if let [only] = parts {
                    merged.entries.extend_from_slice(tally.class(*only as usize));
                } else {
                    parts.iter().for_each(|&part| counter.add(tally.class(part as usize)));
                }
                merged.close(counter);
            }
            bench.verdict(rows[class], |column| tallies[column].last(), self.inherited(parts, judge))
        };
        let verdicts = classes.map(verdict).collect();
        (tallies, verdicts)
    }

    /// The verdicts of `classes`, counting only where they do not follow from those of their parts.
    fn judge_range<'p>(
        &self,
        classes: Range<usize>,
        parts_of: &(impl Fn(usize) -> &'p [u32] + Sync),
        rows: &[u32],
        judge: &ClassRequirements<'_>,
    ) -> Vec<ClassVerdict> {
        let mut counters = judge.counters();
        let mut counted: Vec<Vec<(u32, u32)>> = vec![Vec::new(); counters.len()];
        let mut bench = judge.bench();
        let verdict = |class: usize| {
            let parts = parts_of(class);
            if rows[class] < bench.least_rows {
                return ClassVerdict::Short;
            }
            if let Some(inherited) = self.inherited(parts, judge) {
                return inherited;
            }
            for ((tally, counter), counted) in self.tallies.iter().zip(&mut counters).zip(&mut counted) {
                parts.iter().for_each(|&part| counter.add(tally.class(part as usize)));
                counted.clear();
                counter.take(counted);
            }
            bench.verdict(rows[class], |column| counted[column].as_slice(), None)
        };
        classes.map(verdict).collect()
    }

    /// What follows for a class from the verdicts of its parts: one that is taken over alone keeps its verdict; where all
    /// parts pass and principles are closed under mixtures, or one part does and they are closed under growth, it passes.
    fn inherited(&self, parts: &[u32], judge: &ClassRequirements<'_>) -> Option<ClassVerdict> {
        let passes = |part: &u32| self.verdicts[*part as usize] == ClassVerdict::Passes;
        match parts {
            [only] => Some(self.verdicts[*only as usize]),
            _ if judge.mixtures && parts.iter().all(passes) => Some(ClassVerdict::Passes),
            _ if judge.growth && parts.iter().any(passes) => Some(ClassVerdict::Passes),
            _ => None,
        }
    }
}

/// By class, the number of members of all classes before it; and last, of all.
fn starts(class_of: &[u32], classes: usize) -> Vec<u32> {
    let mut starts = vec![0u32; classes + 1];
    class_of.iter().for_each(|&class| starts[class as usize + 1] += 1);
    (0..classes).for_each(|at| starts[at + 1] += starts[at]);
    starts
}

/// `items`, those of the first class first.
fn sorted(items: impl Iterator<Item = u32>, class_of: &[u32], starts: &[u32]) -> Vec<u32> {
    let mut next = starts.to_vec();
    let mut sorted = vec![0u32; class_of.len()];
    for (item, &class) in items.zip(class_of) {
        let place = &mut next[class as usize];
        sorted[*place as usize] = item;
        *place += 1;
    }
    sorted
}

/// What `make` makes of all classes, made in one piece or in several on all cores.
fn in_pieces(
    classes: usize,
    alone: bool,
    columns: usize,
    make: impl Fn(Range<usize>) -> (Vec<ClassHistograms>, Vec<ClassVerdict>) + Sync,
) -> (Vec<ClassHistograms>, Vec<ClassVerdict>) {
    if alone {
        return make(0..classes);
    }
    let step = classes.div_ceil(4 * rayon::current_num_threads()).max(1);
    let pieces = (0..classes.div_ceil(step)).into_par_iter().map(|at| make(at * step..((at + 1) * step).min(classes)));
    joined(pieces.collect(), columns)
}

/// Pieces one after the other.
fn joined(
    pieces: Vec<(Vec<ClassHistograms>, Vec<ClassVerdict>)>,
    columns: usize,
) -> (Vec<ClassHistograms>, Vec<ClassVerdict>) {
    let mut tallies: Vec<ClassHistograms> = (0..columns).map(|_| ClassHistograms::default()).collect();
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
