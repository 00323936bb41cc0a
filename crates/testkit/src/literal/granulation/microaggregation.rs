//! Microaggregation of one column: what stands for the values of the rows that share a block (section 3.1).

use pellucid_model::exact::{Fraction, fraction};

use super::lattice::Partition;

/// For every row the multiset of values of the rows that share its block, sorted.
fn companions(values: &[usize], partition: &Partition) -> Vec<Vec<usize>> {
    let of = |&own: &usize| {
        let alike = values.iter().filter(|&&value| partition[value] == partition[own]);
        let mut alike: Vec<usize> = alike.copied().collect();
        alike.sort_unstable();
        alike
    };
    values.iter().map(of).collect()
}

/// By row, the median of the values that share its block; of an even number the lower middle.
pub fn medians(values: &[usize], partition: &Partition) -> Vec<usize> {
    companions(values, partition).iter().map(|alike| alike[(alike.len() - 1) / 2]).collect()
}

/// By row, the mean of `numbers` over the rows that share its block; `numbers` has a number per value.
pub fn means(values: &[usize], partition: &Partition, numbers: &[i64]) -> Vec<Fraction> {
    let mean = |alike: &Vec<usize>| fraction(alike.iter().map(|&value| numbers[value]).sum::<i64>(), alike.len());
    companions(values, partition).iter().map(mean).collect()
}
