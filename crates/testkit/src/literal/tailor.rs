//! Tailor (Figure 3 of Xiao, Tao, Koudas 2010), for any principle that comes with a robust size.

use std::collections::BTreeSet;

use pellucid_model::histogram::Histogram;

use crate::instance::{Group, Instance, Output, Row, histogram, publish};
use crate::literal::cut::canonical_cut;
use crate::person::Person;

/// A number m such that every sub-multiset of a group with at least m rows passes; `None` when the group itself fails.
pub type Robust<'a> = &'a dyn Fn(&Histogram) -> Option<u64>;

/// The robust size for "at most one in `l` shares a protected value": `l` times the largest count of a protected value
/// (condition 2 of Definition 9); all values are protected when `protect` is `None`.
pub fn share_robust(l: u64, protect: Option<&BTreeSet<u32>>) -> impl Fn(&Histogram) -> Option<u64> {
    move |group| {
        let counted = group.entries().iter().filter(|entry| protect.is_none_or(|set| set.contains(&entry.0)));
        let most = counted.map(|entry| entry.1).max().unwrap_or(0);
        (l * most <= group.total()).then_some(l * most)
    }
}

/// The partition Tailor decides on: cut by the canonical cut with both halves of robust size while there is one. `None`
/// for an empty table and for one that is not eligible. Groups are in order of the cuts, rows in order of the person.
pub fn tailor_partition(
    external: &[Person],
    instance: &Instance,
    norm: &[i64],
    robust: Robust<'_>,
) -> Option<Vec<Group>> {
    if instance.rows().is_empty() {
        return None;
    }
    robust(&histogram(instance.rows()))?;
    let mut leaves = Vec::new();
    divide(external, instance.rows(), norm, robust, &mut leaves);
    Some(leaves)
}

fn divide(external: &[Person], group: &[Row], norm: &[i64], robust: Robust<'_>, leaves: &mut Vec<Group>) {
    let smallest = robust(&histogram(group)).expect("both halves of a cut pass");
    if let Some((first, second)) = canonical_cut(external, group, smallest, norm) {
        divide(external, &first, norm, robust, leaves);
        divide(external, &second, norm, robust, leaves);
    } else {
        let mut leaf = group.to_vec();
        leaf.sort_unstable();
        leaves.push(leaf);
    }
}

/// What Tailor publishes; `None` is *nothing*. Deterministic.
pub fn tailor(external: &[Person], instance: &Instance, norm: &[i64], robust: Robust<'_>) -> Option<Output> {
    tailor_partition(external, instance, norm, robust).map(|partition| publish(external, &partition))
}
