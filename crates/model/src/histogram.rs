//! Histograms: how often each sensitive value occurs in a group; and profiles, which forget which value is which.

/// How often each value occurs, values by code; zero counts are left out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Histogram {
    entries: Vec<(u32, u64)>,
    total: u64,
}

impl Histogram {
    /// The histogram of `codes`.
    pub fn of(codes: impl IntoIterator<Item = u32>) -> Self {
        let mut sorted: Vec<u32> = codes.into_iter().collect();
        sorted.sort_unstable();
        let entries = sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64));
        Self { entries: entries.collect(), total: sorted.len() as u64 }
    }

    /// From counts by code; zeros are dropped.
    pub fn from_counts(counts: impl IntoIterator<Item = u64>) -> Self {
        let entries: Vec<(u32, u64)> = (0u32..).zip(counts).filter(|&(_, count)| count > 0).collect();
        let total = entries.iter().map(|&(_, count)| count).sum();
        Self { entries, total }
    }

    /// From `(code, count)` in ascending order of the code, counts positive.
    pub fn from_entries(entries: impl IntoIterator<Item = (u32, u64)>) -> Self {
        let entries: Vec<(u32, u64)> = entries.into_iter().collect();
        let total = entries.iter().map(|&(_, count)| count).sum();
        Self { entries, total }
    }

    /// Replaces the content, as [`Histogram::from_entries`] makes it, keeping the memory.
    pub fn refill(&mut self, entries: impl IntoIterator<Item = (u32, u64)>) {
        self.entries.clear();
        self.entries.extend(entries);
        self.total = self.entries.iter().map(|&(_, count)| count).sum();
    }

    /// `(code, count)` in order of the code, counts positive.
    pub fn entries(&self) -> &[(u32, u64)] {
        &self.entries
    }

    /// Number of rows.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Number of distinct values.
    pub fn distinct(&self) -> usize {
        self.entries.len()
    }

    /// How often `code` occurs.
    pub fn count(&self, code: u32) -> u64 {
        self.entries.binary_search_by_key(&code, |entry| entry.0).map_or(0, |at| self.entries[at].1)
    }

    /// The largest count, 0 for the empty histogram.
    pub fn max(&self) -> u64 {
        self.entries.iter().map(|entry| entry.1).max().unwrap_or(0)
    }

    /// The counts in descending order.
    pub fn descending(&self) -> Vec<u64> {
        let mut counts: Vec<u64> = self.entries.iter().map(|entry| entry.1).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts
    }
}

/// How many values have each count. Kept up to date when rows come and go, in constant time a row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CountProfile {
    /// By count, how many values have it; index 0 is not kept.
    having: Vec<u32>,
    largest: u64,
    rows: u64,
    values: u64,
}

impl CountProfile {
    /// The profile of `histogram`.
    pub fn of(histogram: &Histogram) -> Self {
        let largest = histogram.max();
        let mut having = vec![0; largest as usize + 1];
        for &(_, count) in &histogram.entries {
            having[count as usize] += 1;
        }
        Self { having, largest, rows: histogram.total, values: histogram.entries.len() as u64 }
    }

    /// One more row of a value that had `count` rows.
    #[inline]
    pub fn rise(&mut self, count: u64) {
        let to = count as usize + 1;
        if to >= self.having.len() {
            self.having.resize(to + 1, 0);
        }
        if count > 0 {
            self.having[count as usize] -= 1;
        } else {
            self.values += 1;
        }
        self.having[to] += 1;
        self.rows += 1;
        self.largest = self.largest.max(to as u64);
    }

    /// One row fewer of a value that had `count` rows, at least 1.
    #[inline]
    pub fn fall(&mut self, count: u64) {
        self.having[count as usize] -= 1;
        if count > 1 {
            self.having[count as usize - 1] += 1;
        } else {
            self.values -= 1;
        }
        self.rows -= 1;
        while self.largest > 0 && self.having[self.largest as usize] == 0 {
            self.largest -= 1;
        }
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.having.clear();
        (self.largest, self.rows, self.values) = (0, 0, 0);
    }

    /// The largest count.
    pub fn largest(&self) -> u64 {
        self.largest
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Number of distinct values.
    pub fn values(&self) -> u64 {
        self.values
    }

    /// `(count, how many values have it)`, counts descending.
    pub fn steps(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let having = (1..=self.largest).rev().map(|count| (count, u64::from(self.having[count as usize])));
        having.filter(|step| step.1 > 0)
    }

    /// Rows of the `values` commonest values.
    pub fn head(&self, values: u64) -> u64 {
        let (mut left, mut rows) = (values, 0);
        for (count, many) in self.steps() {
            let taken = many.min(left);
            rows += taken * count;
            left -= taken;
            if left == 0 {
                break;
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_follow_rows_that_come_and_go() {
        let mut profile = CountProfile::default();
        // Three rows of one value, two of another, one of a third.
        for count in [0, 1, 2, 0, 1, 0] {
            profile.rise(count);
        }
        let whole = Histogram::from_counts([2, 3, 1]);
        assert_eq!(profile, CountProfile::of(&whole));
        assert_eq!(profile.steps().collect::<Vec<_>>(), [(3, 1), (2, 1), (1, 1)]);
        assert_eq!(profile.head(2), 5);
        profile.fall(3);
        profile.fall(1);
        assert_eq!((profile.largest(), profile.rows(), profile.values()), (2, 4, 2));
        assert_eq!(profile.steps().collect::<Vec<_>>(), [(2, 2)]);
    }
}
