//! Opt-Gen (Figure 2 of Xiao, Tao, Koudas 2010): the least discernability under global recoding. Not transparent.
//!
//! The paper leaves two things open, both parameters here: what global recoding forbids (people with equal
//! quasi-identifiers in different groups, or any two groups with overlapping boxes; Example 2 needs the latter), and
//! which of several minimisers is published.

use std::collections::BTreeMap;

use pellucid_model::exact::{Fraction, fraction};

use crate::instance::{Bounds, Group, Instance, Outputs, Row, bounds, certainly, is_diverse, publish};
use crate::person::Person;

/// Which of several minimisers is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// The first when partitions are listed as sorted lists of sorted lists of people.
    First,
    /// Each with the same probability.
    Uniform,
}

/// All l-diverse global recodings of least `sum |G|^2`, as sorted lists of sorted groups, in order; and that sum.
pub fn minimisers(external: &[Person], instance: &Instance, l: u64, disjoint: bool) -> Option<(u64, Vec<Vec<Group>>)> {
    minimisers_where(external, instance, disjoint, &|rows| is_diverse(rows, l))
}

/// The same for any predicate on groups.
pub fn minimisers_where(
    external: &[Person],
    instance: &Instance,
    disjoint: bool,
    passes: &dyn Fn(&[Row]) -> bool,
) -> Option<(u64, Vec<Vec<Group>>)> {
    // People with equal quasi-identifiers are never separated, so partitions are of blocks of such people.
    let mut blocks: BTreeMap<&[i64], Group> = BTreeMap::new();
    for row in instance.rows() {
        blocks.entry(&external[row.0].quasi).or_default().push(*row);
    }
    let blocks: Vec<Group> = blocks.into_values().collect();
    let mut best: Option<(u64, Vec<Vec<Group>>)> = None;
    for partition in set_partitions(blocks.len()) {
        let mut groups: Vec<Group> =
            partition.iter().map(|part| part.iter().flat_map(|&block| blocks[block].clone()).collect()).collect();
        if groups.iter().any(|group| !passes(group)) || (disjoint && overlapping(external, &groups)) {
            continue;
        }
        for group in &mut groups {
            group.sort_unstable();
        }
        groups.sort_unstable();
        let cost = groups.iter().map(|group| (group.len() * group.len()) as u64).sum();
        match &mut best {
            Some((least, found)) if *least == cost => found.push(groups),
            Some((least, _)) if *least < cost => {}
            _ => best = Some((cost, vec![groups])),
        }
    }
    if let Some((_, found)) = &mut best {
        found.sort_unstable();
    }
    best
}

fn overlapping(external: &[Person], groups: &[Group]) -> bool {
    let boxes: Vec<Bounds> = groups.iter().map(|group| bounds(group.iter().map(|row| &external[row.0]))).collect();
    let meet = |a: &Bounds, b: &Bounds| a.iter().zip(b).all(|(a, b)| a.0 <= b.1 && b.0 <= a.1);
    boxes.iter().enumerate().any(|(at, a)| boxes[at + 1..].iter().any(|b| meet(a, b)))
}

/// All partitions of `0..n` into non-empty sets.
pub fn set_partitions(n: usize) -> Vec<Vec<Vec<usize>>> {
    let mut all = vec![Vec::<Vec<usize>>::new()];
    for element in 0..n {
        let mut larger = Vec::new();
        for partition in &all {
            for at in 0..=partition.len() {
                let mut next = partition.clone();
                if at == next.len() {
                    next.push(Vec::new());
                }
                next[at].push(element);
                larger.push(next);
            }
        }
        all = larger;
    }
    all
}

/// What Opt-Gen publishes, with the probability of each release; `None` is *nothing*.
pub fn opt_gen(external: &[Person], instance: &Instance, l: u64, disjoint: bool, ties: Ties) -> Outputs {
    if instance.rows().is_empty() {
        return certainly(None);
    }
    let Some((_, found)) = minimisers(external, instance, l, disjoint) else {
        return certainly(None);
    };
    let chosen = if ties == Ties::First { &found[..1] } else { &found[..] };
    let mut outputs = Outputs::new();
    for partition in chosen {
        let output = outputs.entry(Some(publish(external, partition))).or_insert(Fraction::ZERO);
        *output += fraction(1, chosen.len() as u64);
    }
    outputs
}
