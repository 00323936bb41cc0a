//! Strict Mondrian with l-diverse halves (`LeFevre`, `DeWitt`, Ramakrishnan 2006). Not transparent: a target of attack.

use crate::instance::{Group, Instance, Output, Row, is_diverse, publish};
use crate::person::Person;
use pellucid_core::exact::{Fraction, fraction};

/// Attributes by descending normalised extent of the group, ties to the smaller index; an attribute of norm 0 is last.
fn widest_first(external: &[Person], group: &[Row], norm: &[i64]) -> Vec<usize> {
    let width = |attribute: usize| -> Fraction {
        let values = || group.iter().map(|row| external[row.0].quasi[attribute]);
        let extent = values().max().unwrap_or(0) - values().min().unwrap_or(0);
        if norm[attribute] == 0 { Fraction::ZERO } else { fraction(extent, norm[attribute].unsigned_abs()) }
    };
    let mut attributes: Vec<usize> = (0..norm.len()).collect();
    attributes.sort_by_key(|&attribute| std::cmp::Reverse(width(attribute)));
    attributes
}

/// The partition: split at the lower median of the widest attribute whose two sides are both l-diverse (values up to
/// the median to the left, so equal values stay together), as long as one exists.
pub fn mondrian_partition(external: &[Person], instance: &Instance, l: u64, norm: &[i64]) -> Option<Vec<Group>> {
    if instance.rows().is_empty() || !is_diverse(instance.rows(), l) {
        return None;
    }
    let mut waiting = vec![instance.rows().to_vec()];
    let mut leaves = Vec::new();
    'groups: while let Some(group) = waiting.pop() {
        for attribute in widest_first(external, &group, norm) {
            let mut values: Vec<i64> = group.iter().map(|row| external[row.0].quasi[attribute]).collect();
            values.sort_unstable();
            let median = values[(values.len() - 1) / 2];
            let (left, right): (Group, Group) =
                group.iter().partition(|row| external[row.0].quasi[attribute] <= median);
            if !right.is_empty() && is_diverse(&left, l) && is_diverse(&right, l) {
                waiting.extend([left, right]);
                continue 'groups;
            }
        }
        leaves.push(group);
    }
    Some(leaves)
}

/// What Mondrian publishes; `None` is *nothing*.
pub fn mondrian(external: &[Person], instance: &Instance, l: u64, norm: &[i64]) -> Option<Output> {
    mondrian_partition(external, instance, l, norm).map(|partition| publish(external, &partition))
}
