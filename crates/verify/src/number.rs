//! Numbers for what occurs: rows that agree in several columns, and lines by class.

use hashbrown::HashMap;

/// Numbers vectors of codes so that equal vectors get equal numbers, in the order of first sight.
#[derive(Debug)]
pub(crate) struct VectorNumbering {
    /// By column: the number of a vector's first columns, from the number of one column less and the next code.
    steps: Vec<HashMap<(u32, u32), u32>>,
    used: bool,
}

impl VectorNumbering {
    /// For vectors of `width` codes.
    pub fn new(width: usize) -> Self {
        Self { steps: vec![HashMap::new(); width], used: false }
    }

    /// The number of the vector `codes`.
    pub fn number(&mut self, codes: impl IntoIterator<Item = u32>) -> u32 {
        self.used = true;
        self.steps.iter_mut().zip(codes).fold(0, |sofar, (step, code)| {
            let next = step.len() as u32;
            *step.entry((sofar, code)).or_insert(next)
        })
    }

    /// How many distinct vectors were numbered.
    pub fn count(&self) -> usize {
        self.steps.last().map_or(usize::from(self.used), HashMap::len)
    }
}

/// Items sorted by a small number that each has.
#[derive(Debug)]
pub(crate) struct NumberBuckets {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl NumberBuckets {
    /// Item `i` goes to bucket `of[i]`, below `count`; items stay ascending.
    pub fn new(of: &[u32], count: usize) -> Self {
        let mut starts = vec![0u32; count + 1];
        for &bucket in of {
            starts[bucket as usize + 1] += 1;
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut items = vec![0u32; of.len()];
        for (item, &bucket) in (0u32..).zip(of) {
            let slot = &mut next[bucket as usize];
            items[*slot as usize] = item;
            *slot += 1;
        }
        Self { starts, items }
    }

    /// Number of buckets.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The items of bucket `at`, ascending.
    pub fn get(&self, at: usize) -> &[u32] {
        &self.items[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_vectors_get_equal_numbers() {
        let mut numbering = VectorNumbering::new(2);
        let numbers: Vec<u32> = [[0, 1], [1, 0], [0, 1], [0, 0]].map(|codes| numbering.number(codes)).into();
        assert_eq!(numbers, [0, 1, 0, 2]);
        assert_eq!(numbering.count(), 3);
        let mut empty = VectorNumbering::new(0);
        assert_eq!((empty.count(), empty.number([]), empty.count()), (0, 0, 1));
    }

    #[test]
    fn buckets_keep_the_order_of_items() {
        let buckets = NumberBuckets::new(&[1, 0, 1, 2], 4);
        assert_eq!(buckets.len(), 4);
        assert_eq!([0, 1, 2, 3].map(|at| buckets.get(at)), [&[1][..], &[0, 2], &[3], &[]]);
    }
}
