//! Assign (Figure 6 of Xiao, Tao, Koudas 2010) with every random choice enumerated.
//!
//! Figure 6 is read so: values with no row left do not count, `n_{beta+1}` is 0 when there is no such value, and when
//! no alpha exists the search goes on with `beta + 1` (the printed "goto Line 7" would reset beta).

use std::collections::BTreeMap;

use pellucid_model::exact::{Fraction, fraction};

/// A value as Assign sees it: the sensitive value, and the number of a throw-away label (0 when there is none).
pub type Label = (u32, u32);

/// A row as Assign sees it: index of the person, and the label.
pub type LabelledRow = (usize, Label);

/// A group in which every label occurs equally often; rows sorted.
pub type Bucket = Vec<LabelledRow>;

/// How line 12 chooses the rows of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Uniformly, as the paper says.
    Random,
    /// The rows that come first: reproducible by anyone, and therefore unsafe.
    First,
}

/// Lines 5 to 10: alpha and the signature of the next bucket, for the remaining `counts` listed in the order on values
/// that settles ties. `None` when no bucket can be formed.
pub fn next_bucket(counts: &[(Label, u64)], l: u64) -> Option<(u64, Vec<Label>)> {
    let mut ranked: Vec<(Label, u64)> = counts.iter().copied().filter(|entry| entry.1 > 0).collect();
    // Stable: labels with equal counts stay in the given order.
    ranked.sort_by_key(|entry| std::cmp::Reverse(entry.1));
    let rows: u64 = ranked.iter().map(|entry| entry.1).sum();
    let n = |i: u64| ranked.get(i as usize - 1).map_or(0, |entry| entry.1);
    for beta in l..=ranked.len() as u64 {
        for alpha in (1..=n(beta)).rev() {
            // Both inequalities times l, so that no division is needed.
            let Some(left) = rows.checked_sub(alpha * beta) else { continue };
            if (n(1) - alpha) * l <= left && n(beta + 1) * l <= left {
                return Some((alpha, ranked[..beta as usize].iter().map(|entry| entry.0).collect()));
            }
        }
    }
    None
}

/// Alpha and signature of every bucket in order; what Assign does is decided by the counts but for which rows go where.
///
/// # Panics
/// When the counts are not l-eligible.
pub fn signatures(counts: &[(Label, u64)], l: u64) -> Vec<(u64, Vec<Label>)> {
    let mut counts = counts.to_vec();
    let mut buckets = Vec::new();
    while counts.iter().any(|entry| entry.1 > 0) {
        let (alpha, signature) = next_bucket(&counts, l).expect("alpha exists for eligible counts");
        for entry in counts.iter_mut().filter(|entry| signature.contains(&entry.0)) {
            entry.1 -= alpha;
        }
        buckets.push((alpha, signature));
    }
    buckets
}

/// The distribution of the bucket partition; ties between values are settled by their place in `order`, which holds
/// every label of `rows`. Rows of a value come in the order of `rows` for [`Choice::First`].
pub fn assign(rows: &[LabelledRow], l: u64, order: &[Label], choice: Choice) -> BTreeMap<Vec<Bucket>, Fraction> {
    let columns = order.iter().map(|&label| {
        let people = rows.iter().filter(|row| row.1 == label).map(|row| row.0).collect();
        (label, people)
    });
    let mut outcomes = BTreeMap::new();
    fill(&columns.collect::<Vec<_>>(), l, choice, &mut Vec::new(), &Fraction::ONE, &mut outcomes);
    outcomes
}

/// Builds the next bucket in every possible way and goes on with what is left.
fn fill(
    columns: &[(Label, Vec<usize>)],
    l: u64,
    choice: Choice,
    done: &mut Vec<Bucket>,
    probability: &Fraction,
    outcomes: &mut BTreeMap<Vec<Bucket>, Fraction>,
) {
    if columns.iter().all(|column| column.1.is_empty()) {
        *outcomes.entry(done.clone()).or_insert(Fraction::ZERO) += probability;
        return;
    }
    let counts: Vec<(Label, u64)> = columns.iter().map(|column| (column.0, column.1.len() as u64)).collect();
    let (alpha, signature) = next_bucket(&counts, l).expect("alpha exists for eligible counts");
    // Line 12 for one label after the other: (what is left, bucket so far) for each combination of choices.
    let mut ways = vec![(columns.to_vec(), Bucket::new())];
    for label in signature {
        let at = columns.iter().position(|column| column.0 == label).expect("the signature is of these columns");
        ways = ways
            .into_iter()
            .flat_map(|(left, bucket)| {
                let chosen = match choice {
                    Choice::Random => subsets(&left[at].1, alpha as usize),
                    Choice::First => vec![left[at].1[..alpha as usize].to_vec()],
                };
                chosen.into_iter().map(move |people| {
                    let (mut left, mut bucket) = (left.clone(), bucket.clone());
                    left[at].1.retain(|person| !people.contains(person));
                    bucket.extend(people.iter().map(|&person| (person, label)));
                    (left, bucket)
                })
            })
            .collect();
    }
    let share = probability * fraction(1, ways.len() as u64);
    for (left, mut bucket) in ways {
        bucket.sort_unstable();
        done.push(bucket);
        fill(&left, l, choice, done, &share, outcomes);
        done.pop();
    }
}

/// All subsets of `items` with `size` elements, elements in order.
pub fn subsets<T: Clone>(items: &[T], size: usize) -> Vec<Vec<T>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, first) in items.iter().enumerate() {
        for rest in subsets(&items[at + 1..], size - 1) {
            all.push(std::iter::once(first.clone()).chain(rest).collect());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alpha_exists_for_all_small_eligible_counts() {
        fn partitions(left: u64, most: u64, prefix: &mut Vec<u64>, all: &mut Vec<Vec<u64>>) {
            if left == 0 {
                all.push(prefix.clone());
            }
            for part in (1..=most.min(left)).rev() {
                prefix.push(part);
                partitions(left - part, part, prefix, all);
                prefix.pop();
            }
        }
        for n in 1..=18 {
            for l in 2..=5 {
                let mut all = Vec::new();
                partitions(n, n / l, &mut Vec::new(), &mut all);
                for counts in all {
                    let labelled: Vec<(Label, u64)> = (0..).map(|value| (value, 0)).zip(counts).collect();
                    assert!(signatures(&labelled, l).iter().all(|bucket| bucket.1.len() as u64 >= l));
                }
            }
        }
    }

    #[test]
    fn subsets_are_all_and_distinct() {
        assert_eq!(subsets(&[1, 2, 3], 2), [vec![1, 2], vec![1, 3], vec![2, 3]]);
        assert_eq!(subsets(&[1, 2], 0), [Vec::<i32>::new()]);
    }
}
