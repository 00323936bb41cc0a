//! The keys of classes: the block numbers of all quasi columns, packed into words.

use rayon::prelude::*;

use super::lattice::Lattice;
use crate::table::Codes;

/// Rows whose keys are made together.
const CHUNK: usize = 1 << 14;

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

impl Field {
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

    /// Words of a key.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The key of every row under the most specific granulation of `lattice`, from the codes of the quasi columns.
    pub fn keys(&self, lattice: &Lattice, quasi: &[&Codes], rows: usize) -> Vec<u64> {
        let mut keys = vec![0u64; rows * self.words];
        for ((column, field), codes) in lattice.columns().iter().zip(&self.fields).zip(quasi) {
            let blocks = &column.partitions()[column.bottom() as usize].blocks;
            match codes {
                Codes::U8(codes) => field.place(&mut keys, self.words, blocks, codes),
                Codes::U16(codes) => field.place(&mut keys, self.words, blocks, codes),
                Codes::U32(codes) => field.place(&mut keys, self.words, blocks, codes),
            }
        }
        keys
    }

    /// Replaces in all `keys` each block of `column` by what `lift` says.
    pub fn lift(&self, keys: &mut [u64], column: usize, lift: &[u32]) {
        let Field { word, shift, mask } = self.fields[column];
        for key in keys.iter_mut().skip(word).step_by(self.words) {
            let block = lift[(*key >> shift & mask) as usize];
            *key = *key & !(mask << shift) | u64::from(block) << shift;
        }
    }

    /// The block of `column` in `key`.
    #[inline]
    pub fn block(&self, key: &[u64], column: usize) -> u32 {
        let field = self.fields[column];
        (key[field.word] >> field.shift & field.mask) as u32
    }
}
