//! Counting: codes of the rows of a class, and classes of equal keys.

use std::hash::Hash;

use hashbrown::HashMap;

/// Counts per code, with a note of which are not zero.
pub(super) struct Counter {
    counts: Vec<u32>,
    noted: Noted,
}

/// Which counts are not zero.
enum Noted {
    /// A bit for each of up to 64 codes.
    Bits(u64),
    /// The codes in the order in which they came.
    List(Vec<u32>),
}

impl Counter {
    /// No counts yet, of codes below `codes`.
    pub fn new(codes: usize) -> Self {
        let noted = if codes <= u64::BITS as usize { Noted::Bits(0) } else { Noted::List(Vec::new()) };
        Self { counts: vec![0; codes], noted }
    }

    /// Adds `(code, count)`.
    pub fn add(&mut self, entries: &[(u32, u32)]) {
        match &mut self.noted {
            Noted::Bits(bits) => {
                for &(code, more) in entries {
                    *bits |= 1 << code;
                    self.counts[code as usize] += more;
                }
            }
            Noted::List(list) => {
                for &(code, more) in entries {
                    let count = &mut self.counts[code as usize];
                    if *count == 0 {
                        list.push(code);
                    }
                    *count += more;
                }
            }
        }
    }

    /// Appends `(code, count)` in order of the code and forgets them.
    pub fn take(&mut self, entries: &mut Vec<(u32, u32)>) {
        match &mut self.noted {
            Noted::Bits(bits) => {
                while *bits != 0 {
                    let code = bits.trailing_zeros();
                    *bits &= *bits - 1;
                    entries.push((code, std::mem::take(&mut self.counts[code as usize])));
                }
            }
            Noted::List(list) => {
                list.sort_unstable();
                entries.extend(list.drain(..).map(|code| (code, std::mem::take(&mut self.counts[code as usize]))));
            }
        }
    }
}

/// The number of each key, equal keys alike, and the distinct keys in order of their numbers; keys have `words` words.
pub(super) fn group(words: usize, keys: &[u64]) -> (Vec<u32>, Vec<u64>) {
    if words == 1 {
        return numbered(keys.iter().copied());
    }
    let (numbers, distinct) = numbered(keys.chunks_exact(words));
    (numbers, distinct.concat())
}

/// The number of each item, equal items alike, and the distinct items in order of their numbers.
fn numbered<T: Copy + Eq + Hash>(items: impl ExactSizeIterator<Item = T>) -> (Vec<u32>, Vec<T>) {
    let mut known: HashMap<T, u32> = HashMap::with_capacity(items.len());
    let mut distinct = Vec::new();
    let number = |item: T| {
        *known.entry(item).or_insert_with(|| {
            distinct.push(item);
            distinct.len() as u32 - 1
        })
    };
    let numbers = items.map(number).collect();
    (numbers, distinct)
}
