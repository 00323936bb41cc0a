//! Ace (Figure 5 of Xiao, Tao, Koudas 2010): Assign, then Slice; with protected values by throw-away labels.

use std::collections::{BTreeMap, BTreeSet};

use pellucid_model::exact::{Fraction, fraction};

use crate::instance::{Group, Instance, Outputs, Row, certainly, histogram, publish};
use crate::literal::assign::{Bucket, Choice, Label, LabelledRow, assign};
use crate::literal::slice::slice;
use crate::literal::tailor::share_robust;
use crate::person::Person;

/// Where the order on values that settles ties in Assign comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueOrder {
    /// The public order on the domain.
    Public,
    /// First appearance in the table: depends on the data, and is therefore unsafe.
    FirstAppearance,
}

/// A distribution over partitions; groups and rows sorted.
pub type Partitions = BTreeMap<Vec<Group>, Fraction>;

/// The distribution of Ace's partition of `rows`. `None` when more than one in `l` rows share a protected value.
///
/// With protected values, every row with another value gets a distinct label `(value, index)` before Assign: a random
/// bijection between the rows with that value and the indices 1, 2, ... Labels are ordered by value and index, and
/// erased after Slice. Rows without any protected value that are fewer than `l` stay one group.
pub fn ace_partitions(
    external: &[Person],
    rows: &[Row],
    l: u64,
    norm: &[i64],
    protect: Option<&BTreeSet<u32>>,
    (order, choice): (ValueOrder, Choice),
) -> Option<Partitions> {
    share_robust(l, protect)(&histogram(rows))?;
    let mut partitions = Partitions::new();
    let labellings = labellings(rows, protect);
    let share = fraction(1, labellings.len() as u64);
    for labelled in labellings {
        let mut order_of_labels: Vec<Label> = Vec::new();
        for &(_, label) in &labelled {
            if !order_of_labels.contains(&label) {
                order_of_labels.push(label);
            }
        }
        if order == ValueOrder::Public {
            order_of_labels.sort_unstable();
        }
        if (order_of_labels.len() as u64) < l {
            add(&mut partitions, vec![rows.to_vec()], &share);
            continue;
        }
        for (buckets, probability) in assign(&labelled, l, &order_of_labels, choice) {
            let erased = slice(external, &buckets, norm).iter().map(erase).collect();
            add(&mut partitions, erased, &(&share * probability));
        }
    }
    Some(partitions)
}

fn erase(bucket: &Bucket) -> Group {
    bucket.iter().map(|&(person, (value, _))| (person, value)).collect()
}

fn add(partitions: &mut Partitions, mut partition: Vec<Group>, probability: &Fraction) {
    for group in &mut partition {
        group.sort_unstable();
    }
    partition.sort_unstable();
    *partitions.entry(partition).or_insert(Fraction::ZERO) += probability;
}

/// All equally likely ways to label the rows: protected values keep index 0, rows with another value get the indices
/// 1, 2, ... in every order.
fn labellings(rows: &[Row], protect: Option<&BTreeSet<u32>>) -> Vec<Vec<LabelledRow>> {
    let mut all = vec![Vec::new()];
    for (at, &(person, value)) in rows.iter().enumerate() {
        let indices = match protect {
            Some(set) if !set.contains(&value) => 1..=rows.iter().filter(|row| row.1 == value).count() as u32,
            _ => 0..=0,
        };
        let mut longer = Vec::new();
        for labelled in &all {
            for index in indices.clone() {
                let label = (value, index);
                if index == 0 || !labelled.iter().any(|row: &LabelledRow| row.1 == label) {
                    longer.push(labelled.iter().copied().chain([(person, label)]).collect());
                }
            }
        }
        all = longer;
        debug_assert!(all.iter().all(|labelled: &Vec<LabelledRow>| labelled.len() == at + 1));
    }
    all
}

/// What Ace publishes, with the probability of each release; `None` is *nothing*.
pub fn ace(
    external: &[Person],
    instance: &Instance,
    l: u64,
    norm: &[i64],
    protect: Option<&BTreeSet<u32>>,
    rules: (ValueOrder, Choice),
) -> Outputs {
    if instance.rows().is_empty() {
        return certainly(None);
    }
    let Some(partitions) = ace_partitions(external, instance.rows(), l, norm, protect, rules) else {
        return certainly(None);
    };
    let mut outputs = Outputs::new();
    for (partition, probability) in partitions {
        *outputs.entry(Some(publish(external, &partition))).or_insert(Fraction::ZERO) += probability;
    }
    outputs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unprotected_rows_get_every_order_of_labels() {
        // Two rows with the unprotected value 0, one with the protected value 1.
        let protect = BTreeSet::from([1]);
        let all = labellings(&[(0, 0), (1, 1), (2, 0)], Some(&protect));
        assert_eq!(all, [vec![(0, (0, 1)), (1, (1, 0)), (2, (0, 2))], vec![(0, (0, 2)), (1, (1, 0)), (2, (0, 1))]]);
    }
}
