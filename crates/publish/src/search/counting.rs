//! Counting: codes of the rows of a class, and classes of equal keys.

use std::cell::RefCell;

use hashbrown::{HashMap, HashTable};

/// Keys are numbered in their own order, by a table with a place for each possible one, when there are at most this many
/// for every key.
const DENSE: u64 = 4;

/// Keys are numbered as they come, by the same table, when there are at most this many for every key and it is small.
const SPARSE: u64 = 32;

/// Places of a small table.
const SMALL: u64 = 1 << 19;

/// No number yet.
const NONE: u32 = u32::MAX;

thread_local! {
    /// A place for every possible key, with no number in it; kept, because making it anew costs more than using it.
    static PLACES: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

/// Gives `work` so many places, in which it must leave no number.
fn with_places<T>(many: u64, work: impl FnOnce(&mut [u32]) -> T) -> T {
    PLACES.with_borrow_mut(|places| {
        if (places.len() as u64) < many {
            places.resize(many as usize, NONE);
        }
        work(places)
    })
}

/// Counts per code, with a note of which are not zero.
pub(super) struct CodeCounter {
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

impl CodeCounter {
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

    /// Adds one of each of `codes`.
    pub fn add_codes(&mut self, codes: &[u32]) {
        match &mut self.noted {
            Noted::Bits(bits) => {
                for &code in codes {
                    *bits |= 1 << code;
                    self.counts[code as usize] += 1;
                }
            }
            Noted::List(list) => {
                for &code in codes {
                    let count = &mut self.counts[code as usize];
                    if *count == 0 {
                        list.push(code);
                    }
                    *count += 1;
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

/// The number of each key, equal keys alike, and the distinct keys in order of their numbers; keys of one word are below
/// `bound`, others have `words` words.
pub(super) fn group(words: usize, keys: &[u64], bound: Option<u64>) -> (Vec<u32>, Vec<u64>) {
    let mut distinct: Vec<u64> = Vec::new();
    let Some(bound) = bound else {
        let mut known: HashMap<&[u64], u32> = HashMap::with_capacity(keys.len() / words);
        let number = |key| {
            *known.entry(key).or_insert_with(|| {
                distinct.extend_from_slice(key);
                (distinct.len() / words) as u32 - 1
            })
        };
        return (keys.chunks_exact(words).map(number).collect(), distinct);
    };
    let many = keys.len() as u64;
    let numbers = if bound <= many.saturating_mul(DENSE) {
        with_places(bound, |known| {
            keys.iter().for_each(|&key| known[key as usize] = 0);
            for (key, known) in (0..bound).zip(&mut *known).filter(|(_, known)| **known == 0) {
                *known = distinct.len() as u32;
                distinct.push(key);
            }
            let numbers = keys.iter().map(|&key| known[key as usize]).collect();
            distinct.iter().for_each(|&key| known[key as usize] = NONE);
            numbers
        })
    } else if bound <= many.saturating_mul(SPARSE).min(SMALL) {
        with_places(bound, |known| {
            let number = |&key: &u64| {
                let known = &mut known[key as usize];
                if *known == NONE {
                    *known = distinct.len() as u32;
                    distinct.push(key);
                }
                *known
            };
            let numbers = keys.iter().map(number).collect();
            distinct.iter().for_each(|&key| known[key as usize] = NONE);
            numbers
        })
    } else {
        let mut known: HashTable<u32> = HashTable::with_capacity(keys.len());
        let number = |&key: &u64| {
            if let Some(&number) = known.find(mixed(key), |&number| distinct[number as usize] == key) {
                return number;
            }
            let number = distinct.len() as u32;
            distinct.push(key);
            *known.insert_unique(mixed(key), number, |&other| mixed(distinct[other as usize])).get()
        };
        keys.iter().map(number).collect()
    };
    (numbers, distinct)
}

/// A word in which every bit depends on all bits of `key`.
fn mixed(key: u64) -> u64 {
    let product = u128::from(key ^ 0x243f_6a88_85a3_08d3) * 0x9e37_79b9_7f4a_7c15;
    product as u64 ^ (product >> 64) as u64
}
