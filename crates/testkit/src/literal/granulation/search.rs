//! Which granulations pass, and the most specific among them: by looking at all of them, and by the search of figure 5.

use std::collections::{BTreeSet, VecDeque};

use super::lattice::{Class, Granulation, Lattice, Rows};
use crate::principle::Principle;

/// The rows under one granulation, after those of failing classes are suppressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The classes that pass, by their first row.
    pub kept: Vec<Class>,
    /// The rows of all other classes, ascending.
    pub suppressed: Vec<usize>,
}

impl Outcome {
    /// Suppresses the rows of the classes that fail `predicate`.
    pub fn new(lattice: &Lattice, rows: &Rows, node: &[usize], predicate: &dyn Fn(&[usize]) -> bool) -> Self {
        let (kept, failing): (Vec<Class>, Vec<Class>) =
            lattice.classes(rows, node).into_iter().partition(|class| predicate(class));
        let suppressed: BTreeSet<usize> = failing.into_iter().flatten().collect();
        Self { kept, suppressed: suppressed.into_iter().collect() }
    }

    /// Whether at most `limit` rows are suppressed, and some row is kept.
    pub fn passes(&self, limit: usize) -> bool {
        self.suppressed.len() <= limit && !self.kept.is_empty()
    }
}

/// Whether at most `limit` rows are in classes that fail `predicate`, and some row is not.
pub fn passes(
    lattice: &Lattice,
    rows: &Rows,
    node: &[usize],
    predicate: &dyn Fn(&[usize]) -> bool,
    limit: usize,
) -> bool {
    Outcome::new(lattice, rows, node, predicate).passes(limit)
}

/// All granulations that pass a test, in the order of their numbers; every one is tested.
pub fn passing(lattice: &Lattice, test: &dyn Fn(&Granulation) -> bool) -> Vec<Granulation> {
    lattice.nodes().iter().filter(|node| test(node)).cloned().collect()
}

/// Those of `nodes` that none of `nodes` is more specific than, in the order given.
pub fn minimal(lattice: &Lattice, nodes: &[Granulation]) -> Vec<Granulation> {
    let beaten = |node: &Granulation| nodes.iter().any(|other| lattice.is_more_specific(other, node));
    nodes.iter().filter(|node| !beaten(node)).cloned().collect()
}

/// Whether with a granulation every less specific one is among `nodes`.
pub fn is_upward_closed(lattice: &Lattice, nodes: &[Granulation]) -> bool {
    let held: BTreeSet<&Granulation> = nodes.iter().collect();
    let missing = |above: &&Granulation| !held.contains(above);
    let mut outside = lattice.nodes().iter().filter(missing);
    !outside.any(|above| nodes.iter().any(|node| lattice.is_more_specific(node, above)))
}

/// The search of figure 5 as it is printed: what it puts out, in order.
///
/// Direct successors are taken in the order of their numbers. On a lattice that is not graded a granulation that is
/// not most specific may be put out before a more specific one is reached.
pub fn printed_search(lattice: &Lattice, secure: &dyn Fn(&Granulation) -> bool) -> Vec<Granulation> {
    let mut put_out = Vec::new();
    let mut done: BTreeSet<Granulation> = BTreeSet::new();
    let mut queue: VecDeque<Granulation> = lattice.bottom().into_iter().collect();
    while !queue.is_empty() {
        let mut node = queue.pop_front().expect("the queue is not empty");
        while done.contains(&node) && !queue.is_empty() {
            node = queue.pop_front().expect("the queue is not empty");
        }
        if done.contains(&node) && queue.is_empty() {
            break;
        }
        done.insert(node.clone());
        if secure(&node) {
            done.extend(lattice.nodes().iter().filter(|above| lattice.is_more_specific(&node, above)).cloned());
            put_out.push(node);
        } else {
            let next = lattice.direct_successors(&node);
            queue.extend(next.into_iter().filter(|next| !done.contains(next)));
        }
    }
    put_out
}

/// A principle as a predicate on classes: it looks at the values of a class beside those of the whole table, suppressed
/// rows included. Values are `0..domain`.
pub fn judged<'a>(principle: &'a Principle, sensitive: &'a [u32], domain: u32) -> impl Fn(&[usize]) -> bool + 'a {
    let counts = move |rows: &[usize]| -> Vec<u64> {
        (0..domain).map(|value| rows.iter().filter(|&&row| sensitive[row] == value).count() as u64).collect()
    };
    let whole = counts(&(0..sensitive.len()).collect::<Vec<usize>>());
    move |class| principle.group_passes(&counts(class), &whole)
}
