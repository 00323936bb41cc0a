//! Class tables: the classes of rows that a granulation makes, with what principles and measures look at; and their
//! roll-up into the classes of a less specific granulation, without the rows.

use std::hash::BuildHasher;

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};
use rayon::prelude::*;

use super::lattice::Lattice;
use crate::histogram::Histogram;
use crate::principle::Test;
use crate::table::Codes;

/// Classes beyond which a table is rolled up on all cores.
const LARGE: usize = 1 << 15;

/// Where the block number of each column lies in the key of a class.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    fields: Vec<Field>,
    words: usize,
}

#[derive(Debug, Clone, Copy)]
struct Field {
    word: usize,
    shift: u32,
    mask: u64,
}

impl Layout {
    /// As few bits as the most specific partition of each column needs.
    pub fn new(lattice: &Lattice) -> Self {
        let (mut word, mut used) = (0, 0);
        let fields = lattice.columns().iter().map(|column| {
            let blocks = column.partitions()[column.bottom() as usize].len() as u64;
            let bits = u64::BITS - blocks.saturating_sub(1).leading_zeros();
            if used + bits > u64::BITS {
                (word, used) = (word + 1, 0);
            }
            let field = Field { word, shift: used, mask: (1 << bits) - 1 };
            used += bits;
            field
        });
        let fields = fields.collect();
        Self { fields, words: word + 1 }
    }

    /// The block of `column` in `key`.
    #[inline]
    pub fn block(&self, key: &[u64], column: usize) -> u32 {
        let field = self.fields[column];
        (key[field.word] >> field.shift & field.mask) as u32
    }
}

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
    words: usize,
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

    /// The key of a class: the block of every column.
    pub fn key(&self, at: usize) -> &[u64] {
        &self.keys[at * self.words..(at + 1) * self.words]
    }

    /// Rows of a class.
    pub fn rows(&self, at: usize) -> u64 {
        u64::from(self.rows[at])
    }

    /// Whether a class passes everything that is asked.
    pub fn passes(&self, at: usize) -> bool {
        self.verdicts[at] == Verdict::Passes
    }

    /// What is known of every class.
    pub fn verdicts(&self) -> &[Verdict] {
        &self.verdicts
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
        layout: &Layout,
        quasi: &[&Codes],
        judged: &[&Codes],
        rows: usize,
        judge: &Judge<'_>,
    ) -> (Self, Vec<u32>) {
        let words = layout.words;
        let mut keys = vec![0u64; rows * words];
        for ((column, field), codes) in lattice.columns().iter().zip(&layout.fields).zip(quasi) {
            let blocks = &column.partitions()[column.bottom() as usize].blocks;
            for (row, key) in keys.chunks_exact_mut(words).enumerate() {
                key[field.word] |= u64::from(blocks[codes.get(row) as usize]) << field.shift;
            }
        }
        let (class_of, keys) = group(words, &keys);
        let single = judged.iter().map(|codes| Tally {
            ends: (1..=rows as u32).collect(),
            entries: codes.iter().map(|code| (code, 1)).collect(),
        });
        let people =
            Self { words, keys: Vec::new(), rows: vec![1; rows], tallies: single.collect(), verdicts: Vec::new() };
        (people.merged(&class_of, keys, judge), class_of)
    }

    /// The classes of granulation `to`, when these are those of the more specific `from`.
    pub fn roll_up(&self, lattice: &Lattice, layout: &Layout, from: &[u32], to: &[u32], judge: &Judge<'_>) -> Self {
        self.roll_up_mapped(lattice, layout, from, to, judge).1
    }

    /// The same, with the class that each of these becomes a part of.
    pub fn roll_up_mapped(
        &self,
        lattice: &Lattice,
        layout: &Layout,
        from: &[u32],
        to: &[u32],
        judge: &Judge<'_>,
    ) -> (Vec<u32>, Self) {
        let mut keys = self.keys.clone();
        for (at, column) in lattice.columns().iter().enumerate() {
            if from[at] == to[at] {
                continue;
            }
            let lift = column.lift(from[at], to[at]);
            let Field { word, shift, mask } = layout.fields[at];
            for key in keys.iter_mut().skip(word).step_by(self.words) {
                let block = lift[(*key >> shift & mask) as usize];
                *key = *key & !(mask << shift) | u64::from(block) << shift;
            }
        }
        let (class_of, keys) = group(self.words, &keys);
        let merged = self.merged(&class_of, keys, judge);
        (class_of, merged)
    }

    /// The classes that result when class `at` becomes part of class `class_of[at]`.
    ///
    /// A class that is taken over alone keeps its verdict; where all parts pass and principles are closed under
    /// mixtures, or one part does and they are closed under growth, there is nothing to judge either.
    fn merged(&self, class_of: &[u32], keys: Vec<u64>, judge: &Judge<'_>) -> Self {
        let many = keys.len() / self.words;
        let mut rows = vec![0u32; many];
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
        let merge = |classes: std::ops::Range<usize>| self.merge_range(classes, &parts_of, &rows, judge);
        let (tallies, verdicts) = if class_of.len() < LARGE {
            merge(0..many)
        } else {
            let step = many.div_ceil(4 * rayon::current_num_threads()).max(1);
            let pieces: Vec<_> = (0..many.div_ceil(step)).collect();
            let pieces: Vec<_> =
                pieces.into_par_iter().map(|at| merge(at * step..((at + 1) * step).min(many))).collect();
            joined(pieces, self.tallies.len())
        };
        Self { words: self.words, keys, rows, tallies, verdicts }
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

/// Counts per code, with a note of which are not zero.
struct Counter {
    counts: Vec<u32>,
    touched: Vec<u32>,
}

impl Counter {
    fn new(codes: usize) -> Self {
        Self { counts: vec![0; codes], touched: Vec::new() }
    }

    fn add(&mut self, entries: &[(u32, u32)]) {
        for &(code, more) in entries {
            let count = &mut self.counts[code as usize];
            if *count == 0 {
                self.touched.push(code);
            }
            *count += more;
        }
    }

    /// Appends `(code, count)` in order of the code and forgets them.
    fn take(&mut self, entries: &mut Vec<(u32, u32)>) {
        // When many codes are there, walking along all of them is faster than sorting.
        if self.touched.len() * 8 > self.counts.len() {
            entries.extend(
                (0u32..).zip(&self.counts).filter(|(_, count)| **count > 0).map(|(code, &count)| (code, count)),
            );
        } else {
            self.touched.sort_unstable();
            entries.extend(self.touched.iter().map(|&code| (code, self.counts[code as usize])));
        }
        for code in self.touched.drain(..) {
            self.counts[code as usize] = 0;
        }
    }
}

/// The number of each key, equal keys alike, and the distinct keys in order of their numbers; keys have `words` words.
fn group(words: usize, keys: &[u64]) -> (Vec<u32>, Vec<u64>) {
    let hasher = DefaultHashBuilder::default();
    let hash = |key: &[u64]| match key {
        [only] => hasher.hash_one(only),
        several => hasher.hash_one(several),
    };
    let many = keys.len() / words;
    let mut table: HashTable<u32> = HashTable::with_capacity(many / 4);
    let mut distinct: Vec<u64> = Vec::with_capacity(keys.len() / 4);
    let mut numbers = Vec::with_capacity(many);
    for key in keys.chunks_exact(words) {
        let place = |number: u32| number as usize * words..(number as usize + 1) * words;
        let entry =
            table.entry(hash(key), |&known| distinct[place(known)] == *key, |&known| hash(&distinct[place(known)]));
        let number = match entry {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(vacant) => {
                let number = (distinct.len() / words) as u32;
                vacant.insert(number);
                distinct.extend_from_slice(key);
                number
            }
        };
        numbers.push(number);
    }
    (numbers, distinct)
}
