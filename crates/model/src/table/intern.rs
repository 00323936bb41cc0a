//! Distinct values in the order in which they were first seen.
//!
//! A hash table finds the index of a known value without allocating; the values themselves stand in one vector (one
//! arena for text), so that a column of ten million distinct words needs no ten million small allocations while it is
//! read. Nothing here iterates over a hash table: the order of the hash never reaches a result.

use std::hash::{BuildHasher, Hash};

use hashbrown::{DefaultHashBuilder, HashTable};

/// Most distinct values of a column; one code is left for a missing cell.
const MAX_VALUES: usize = u32::MAX as usize - 1;

/// Distinct values of a small type.
pub(super) struct ValueInterner<K> {
    hasher: DefaultHashBuilder,
    table: HashTable<u32>,
    values: Vec<K>,
}

impl<K: Copy + Eq + Hash + Ord> ValueInterner<K> {
    pub(super) fn new() -> Self {
        Self { hasher: DefaultHashBuilder::default(), table: HashTable::new(), values: Vec::new() }
    }

    /// The index of `value`, when it was seen.
    #[inline]
    pub(super) fn find(&self, value: K) -> Option<u32> {
        let hash = self.hasher.hash_one(value);
        self.table.find(hash, |&at| self.values[at as usize] == value).copied()
    }

    /// The index of `value`, which was not seen; `None` when there are too many.
    pub(super) fn add(&mut self, value: K) -> Option<u32> {
        let Self { hasher, table, values } = self;
        let index = (values.len() < MAX_VALUES).then_some(values.len() as u32)?;
        values.push(value);
        table.insert_unique(hasher.hash_one(value), index, |&at| hasher.hash_one(values[at as usize]));
        Some(index)
    }

    #[inline]
    pub(super) fn find_or_add(&mut self, value: K) -> Option<u32> {
        match self.find(value) {
            Some(index) => Some(index),
            None => self.add(value),
        }
    }

    /// The index of each value of `more`, in the order of theirs; `None` when there are too many.
    pub(super) fn add_all(&mut self, more: &Self) -> Option<Vec<u32>> {
        more.values.iter().map(|&value| self.find_or_add(value)).collect()
    }

    pub(super) fn values(&self) -> &[K] {
        &self.values
    }

    /// The values in ascending order, and for each index its rank there.
    pub(super) fn into_sorted(self) -> (Vec<K>, Vec<u32>) {
        let Self { table, values, .. } = self;
        drop(table);
        let order = sorted_indices(values.len(), |at| values[at as usize]);
        (order.iter().map(|&at| values[at as usize]).collect(), ranks(&order))
    }
}

/// Distinct texts.
pub(super) struct TextInterner {
    hasher: DefaultHashBuilder,
    table: HashTable<u32>,
    arena: Arena,
}

/// Texts end to end, 4 GiB at most; the text of index `i` ends at `ends[i]`.
#[derive(Default)]
struct Arena {
    text: String,
    ends: Vec<u32>,
}

impl Arena {
    #[inline]
    fn get(&self, at: u32) -> &str {
        let at = at as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.text[start..self.ends[at] as usize]
    }
}

impl TextInterner {
    pub(super) fn new() -> Self {
        Self { hasher: DefaultHashBuilder::default(), table: HashTable::new(), arena: Arena::default() }
    }

    /// The index of `text`, when it was seen; bytes that are not UTF-8 never were.
    #[inline]
    pub(super) fn find(&self, text: &[u8]) -> Option<u32> {
        let hash = self.hasher.hash_one(text);
        self.table.find(hash, |&at| self.arena.get(at).as_bytes() == text).copied()
    }

    /// The index of `text`, which was not seen; `None` when there are too many.
    pub(super) fn add(&mut self, text: &str) -> Option<u32> {
        let Self { hasher, table, arena } = self;
        let index = (arena.ends.len() < MAX_VALUES).then_some(arena.ends.len() as u32)?;
        let end = u32::try_from(arena.text.len() + text.len()).ok()?;
        arena.text.push_str(text);
        arena.ends.push(end);
        table.insert_unique(hasher.hash_one(text.as_bytes()), index, |&at| hasher.hash_one(arena.get(at).as_bytes()));
        Some(index)
    }

    /// The index of each text of `more`, in the order of theirs; `None` when there are too many.
    pub(super) fn add_all(&mut self, more: &Self) -> Option<Vec<u32>> {
        let texts = (0..more.len() as u32).map(|at| more.arena.get(at));
        texts.map(|text| self.find(text.as_bytes()).or_else(|| self.add(text))).collect()
    }

    /// Number of distinct texts.
    pub(super) fn len(&self) -> usize {
        self.arena.ends.len()
    }

    /// The texts in the order of their bytes, and for each index its rank there.
    pub(super) fn into_sorted(self) -> (Vec<String>, Vec<u32>) {
        let Self { table, arena, .. } = self;
        drop(table);
        // Most pairs differ in their first eight bytes, which spares a walk through the arena.
        let mut keyed: Vec<(u64, u32)> =
            (0..arena.ends.len() as u32).map(|at| (prefix(arena.get(at).as_bytes()), at)).collect();
        keyed.sort_unstable_by(|&(left_prefix, left), &(right_prefix, right)| {
            left_prefix.cmp(&right_prefix).then_with(|| arena.get(left).cmp(arena.get(right)))
        });
        let order: Vec<u32> = keyed.into_iter().map(|(_, at)| at).collect();
        (order.iter().map(|&at| arena.get(at).to_owned()).collect(), ranks(&order))
    }
}

/// The first eight bytes as a number that compares as they do; shorter texts are filled up with the smallest byte.
fn prefix(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let shared = text.len().min(8);
    bytes[..shared].copy_from_slice(&text[..shared]);
    u64::from_be_bytes(bytes)
}

fn sorted_indices<K: Ord>(len: usize, value: impl Fn(u32) -> K) -> Vec<u32> {
    let mut order: Vec<u32> = (0..len as u32).collect();
    order.sort_unstable_by_key(|&at| value(at));
    order
}

fn ranks(order: &[u32]) -> Vec<u32> {
    let mut ranks = vec![0; order.len()];
    for (rank, &at) in order.iter().enumerate() {
        ranks[at as usize] = rank as u32;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_follow_first_sight_and_ranks_follow_order() {
        let mut seen = ValueInterner::new();
        assert_eq!([30, 10, 30, 20].map(|value| seen.find_or_add(value)), [Some(0), Some(1), Some(0), Some(2)]);
        assert_eq!(seen.into_sorted(), (vec![10, 20, 30], vec![2, 0, 1]));
    }

    #[test]
    fn texts_are_sorted_by_bytes() {
        let mut seen = TextInterner::new();
        for text in ["é", "b", "", "B"] {
            assert_eq!(seen.find(text.as_bytes()), None);
            seen.add(text);
        }
        assert_eq!(seen.find("b".as_bytes()), Some(1));
        assert_eq!(seen.find(b"\xff"), None);
        let (sorted, ranks) = seen.into_sorted();
        assert_eq!(sorted, ["", "B", "b", "é"]);
        assert_eq!(ranks, [3, 2, 0, 1]);
    }

    #[test]
    fn long_texts_and_zero_bytes_keep_their_order() {
        let mut expected =
            vec!["", "\0", "\0\0", "a", "a\0", "abcdefgh", "abcdefgh\0", "abcdefgha", "abcdefghb", "abcdefgi", "é"];
        let mut seen = TextInterner::new();
        for text in expected.iter().rev() {
            seen.add(text);
        }
        expected.sort_unstable();
        assert_eq!(seen.into_sorted().0, expected);
    }
}
