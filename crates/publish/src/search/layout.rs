//! The keys of classes: the block numbers of all quasi columns, packed into words, with no more bits than the partition of
//! each column needs; and how the keys of a granulation become those of a less specific one.

use pellucid_model::table::ColumnCodes;
use rayon::prelude::*;

use super::lattice::GranulationLattice;

/// Keys that are made together.
const CHUNK: usize = 1 << 14;

/// Bits of a key that are looked up at once, at most, where no single column has more.
const WIDEST: u32 = 11;

/// Keys for every entry of a table that is made to look up several columns at once.
const KEYS_PER_ENTRY: usize = 4;

/// Where the block number of each column lies in the keys of a granulation.
#[derive(Debug, Clone)]
pub(super) struct KeyLayout {
    fields: Vec<Field>,
    words: usize,
    /// Bits used of the last word.
    used: u32,
}

/// Some bits of a key.
#[derive(Debug, Clone, Copy)]
struct Field {
    word: usize,
    shift: u32,
    bits: u32,
}

impl Field {
    /// Whether `next` begins where this ends.
    fn is_beside(self, next: Self) -> bool {
        self.word == next.word && self.shift + self.bits == next.shift
    }

    /// Calls `use_value` with the place and these bits of every key of `words` words.
    #[inline]
    fn each(self, words: usize, keys: &[u64], mut use_value: impl FnMut(usize, usize)) {
        let mask = (1 << self.bits) - 1;
        let mut step = |(at, key): (usize, &u64)| use_value(at, (key >> self.shift & mask) as usize);
        if words == 1 {
            keys.iter().enumerate().for_each(&mut step);
        } else {
            keys.iter().skip(self.word).step_by(words).enumerate().for_each(&mut step);
        }
    }

    /// Writes the blocks of `codes` into the keys of their rows.
    fn place<T: Copy + Into<u32> + Sync>(self, keys: &mut [u64], words: usize, blocks: &[u32], codes: &[T]) {
        let chunks = keys.par_chunks_mut(words * CHUNK).zip(codes.par_chunks(CHUNK));
        chunks.for_each(|(keys, codes)| {
            for (key, &code) in keys.chunks_exact_mut(words).zip(codes) {
                let code: u32 = code.into();
                key[self.word] |= u64::from(blocks[code as usize]) << self.shift;
            }
        });
    }
}

impl KeyLayout {
    /// As few bits as the partition of each column at `levels` needs.
    pub fn new(lattice: &GranulationLattice, levels: &[u32]) -> Self {
        let (mut word, mut used) = (0, 0);
        let fields = lattice.columns().iter().zip(levels).map(|(column, &level)| {
            let blocks = column.partitions()[level as usize].len() as u64;
            let bits = u64::BITS - blocks.saturating_sub(1).leading_zeros();
            if used + bits >= u64::BITS {
                (word, used) = (word + 1, 0);
            }
            let field = Field { word, shift: used, bits };
            used += bits;
            field
        });
        let fields = fields.collect();
        Self { fields, words: word + 1, used }
    }

    /// Words of a key.
    pub fn words(&self) -> usize {
        self.words
    }

    /// All keys of one word are smaller; `None` for keys of several.
    pub fn bound(&self) -> Option<u64> {
        (self.words == 1).then(|| 1 << self.used)
    }

    /// The key of every row, when this is the layout of the most specific granulation of `lattice`, from the codes of the
    /// quasi columns.
    pub fn keys(&self, lattice: &GranulationLattice, quasi: &[&ColumnCodes], rows: usize) -> Vec<u64> {
        let mut keys = vec![0u64; rows * self.words];
        for ((column, field), codes) in lattice.columns().iter().zip(&self.fields).zip(quasi) {
            let blocks = &column.partitions()[column.bottom() as usize].blocks;
            match codes {
                ColumnCodes::U8(codes) => field.place(&mut keys, self.words, blocks, codes),
                ColumnCodes::U16(codes) => field.place(&mut keys, self.words, blocks, codes),
                ColumnCodes::U32(codes) => field.place(&mut keys, self.words, blocks, codes),
            }
        }
        keys
    }

    /// What becomes of `keys` in the layout `to`, when by column `lifts` says what becomes of each block.
    pub fn lifted(&self, keys: &[u64], to: &Self, lifts: &[Vec<u32>]) -> Vec<u64> {
        let count = keys.len() / self.words;
        let digits = self.digits(to, lifts, widest(count));
        let mut lifted = vec![0; count * to.words];
        let make = |(lifted, keys): (&mut [u64], &[u64])| {
            for digit in &digits {
                digit.field.each(self.words, keys, |at, value| lifted[at * to.words + digit.to] |= digit.lifted[value]);
            }
        };
        if count <= 2 * CHUNK {
            make((&mut lifted, keys));
        } else {
            lifted.par_chunks_mut(to.words * CHUNK).zip(keys.par_chunks(self.words * CHUNK)).for_each(make);
        }
        lifted
    }

    /// Columns that are lifted together, those that have one block in `to` left out.
    fn digits(&self, to: &Self, lifts: &[Vec<u32>], widest: u32) -> Vec<Digit> {
        let mut digits: Vec<Digit> = Vec::new();
        for ((&field, &goal), lift) in self.fields.iter().zip(&to.fields).zip(lifts).filter(|((_, to), _)| to.bits > 0)
        {
            let lifted: Vec<u64> = lift.iter().map(|&block| u64::from(block) << goal.shift).collect();
            match digits.last_mut() {
                Some(last)
                    if last.field.is_beside(field)
                        && last.to == goal.word
                        && last.field.bits + field.bits <= widest =>
                {
                    last.widen(field.bits, &lifted);
                }
                _ => digits.push(Digit { field, to: goal.word, lifted }),
            }
        }
        digits
    }

    /// The block of `column` in `key`.
    #[cfg(test)]
    pub fn block(&self, key: &[u64], column: usize) -> u32 {
        let Field { word, shift, bits } = self.fields[column];
        (key[word] >> shift & ((1 << bits) - 1)) as u32
    }

    /// Adds to `counts`, by column and block, the rows of classes with the given keys.
    pub fn count(&self, keys: &[u64], rows: &[u32], counts: &mut [Vec<u64>]) {
        let widest = widest(rows.len());
        let mut at = 0;
        while at < self.fields.len() {
            let first = self.fields[at];
            let mut joint = first;
            let mut end = at + 1;
            while let Some(&next) = self.fields.get(end) {
                if !joint.is_beside(next) || joint.bits + next.bits > widest {
                    break;
                }
                joint.bits += next.bits;
                end += 1;
            }
            if end == at + 1 {
                let counts = &mut counts[at];
                first.each(self.words, keys, |class, block| counts[block] += u64::from(rows[class]));
            } else {
                let mut together = vec![0u64; 1 << joint.bits];
                joint.each(self.words, keys, |class, value| together[value] += u64::from(rows[class]));
                for (value, &rows) in together.iter().enumerate().filter(|(_, rows)| **rows > 0) {
                    let mut rest = value;
                    for (counts, field) in counts[at..end].iter_mut().zip(&self.fields[at..end]) {
                        counts[rest & ((1 << field.bits) - 1)] += rows;
                        rest >>= field.bits;
                    }
                }
            }
            at = end;
        }
    }
}

/// Bits that are worth looking up at once for so many keys.
fn widest(keys: usize) -> u32 {
    (keys / KEYS_PER_ENTRY).checked_ilog2().unwrap_or(0).min(WIDEST)
}

/// Columns beside each other in a key, and what each value of their bits adds to a word of the lifted key.
#[derive(Debug)]
struct Digit {
    field: Field,
    to: usize,
    lifted: Vec<u64>,
}

impl Digit {
    /// Takes in the column beside it, whose blocks add what `lifted` says.
    fn widen(&mut self, bits: u32, lifted: &[u64]) {
        self.lifted.resize(1 << self.field.bits, 0);
        self.lifted = lifted.iter().flat_map(|high| self.lifted.iter().map(move |low| high | low)).collect();
        self.field.bits += bits;
    }
}
