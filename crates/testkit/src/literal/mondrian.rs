//! Strict Mondrian (`LeFevre`, `DeWitt`, Ramakrishnan 2006) for any predicate on groups. Not transparent: a target of attack.

use pellucid_model::exact::{Fraction, fraction};

use crate::instance::{Group, Instance, Output, Row, is_diverse, publish};
use crate::person::Person;

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

/// The cuts of a group in the order in which they are tried: the attribute, rows with values up to the lower median, the
/// others (so equal values stay together); cuts without a second half are left out.
pub fn cuts(external: &[Person], group: &[Row], norm: &[i64]) -> Vec<(usize, Group, Group)> {
    let mut cuts = Vec::new();
    for attribute in widest_first(external, group, norm) {
        let mut values: Vec<i64> = group.iter().map(|row| external[row.0].quasi[attribute]).collect();
        values.sort_unstable();
        let median = values[(values.len() - 1) / 2];
        let (left, right): (Group, Group) = group.iter().partition(|row| external[row.0].quasi[attribute] <= median);
        if !right.is_empty() {
            cuts.push((attribute, left, right));
        }
    }
    cuts
}

/// The partition: the first cut whose two sides both pass, as long as one exists; `None` when the whole table fails.
pub fn mondrian_partition(
    external: &[Person],
    instance: &Instance,
    norm: &[i64],
    passes: &dyn Fn(&[Row]) -> bool,
) -> Option<Vec<Group>> {
    if instance.rows().is_empty() || !passes(instance.rows()) {
        return None;
    }
    let mut waiting = vec![instance.rows().to_vec()];
    let mut leaves = Vec::new();
    while let Some(group) = waiting.pop() {
        let cut = cuts(external, &group, norm).into_iter().find(|(_, left, right)| passes(left) && passes(right));
        match cut {
            Some((_, left, right)) => waiting.extend([left, right]),
            None => leaves.push(group),
        }
    }
    Some(leaves)
}

/// What Mondrian with l-diverse halves publishes; `None` is *nothing*.
pub fn mondrian(external: &[Person], instance: &Instance, l: u64, norm: &[i64]) -> Option<Output> {
    mondrian_partition(external, instance, norm, &|rows| is_diverse(rows, l))
        .map(|partition| publish(external, &partition))
}
