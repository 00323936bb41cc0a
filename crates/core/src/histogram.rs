//! Histograms: how often each sensitive value occurs in a group.

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
