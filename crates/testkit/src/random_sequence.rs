//! Random tables with sequences of functions, strategies and principles, reproducible from a seed. For tests only.

use std::collections::BTreeSet;

use pellucid_model::exact::fraction;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::literal::strategy::{Simulation, Strategy};
use crate::literal::worlds::{Functions, Judge, Worlds};
use crate::principle::Principle;

/// A table with values of `0..domain` and a sequence of functions over its people.
#[derive(Debug, Clone)]
pub struct Family {
    /// A value per person.
    pub table: Vec<u32>,
    /// Number of values; not all of them need occur.
    pub domain: u32,
    /// The sequence.
    pub functions: Functions,
}

impl Family {
    /// All worlds of the table.
    pub fn worlds(&self) -> Worlds {
        Worlds::new(&self.table, self.domain, &self.functions)
    }

    /// A principle, ready to decide for this table.
    pub fn judge<'a>(&self, principle: &'a Principle) -> Judge<'a> {
        Judge::new(principle, &self.table, self.domain)
    }

    /// Number of functions.
    pub fn steps(&self) -> usize {
        self.functions.len()
    }
}

/// How the functions of a sequence are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Each joins groups of the one before.
    Nested,
    /// Groups are people in a row.
    Intervals,
    /// Groups are any sets.
    Arbitrary,
    /// Each is drawn in its own way, and some are used again.
    Mixed,
}

/// Up to `people` people, `values` values and `functions` functions, of any shape; a function is often used again. Large
/// numbers are likelier, and so are sequences whose groups grow: there strategies differ.
pub fn family(rng: &mut ChaCha8Rng, people: usize, values: u32, functions: usize) -> Family {
    let people = larger(rng, people);
    let domain = larger(rng, values as usize) as u32;
    let steps = larger(rng, functions);
    let skew = [1, 1, 1, 2][rng.random_range(0..4usize)];
    let value = |rng: &mut ChaCha8Rng| (0..skew).map(|_| rng.random_range(0..domain)).min().expect("skew is above 0");
    let table: Vec<u32> = (0..people).map(|_| value(rng)).collect();
    let shapes = [Shape::Nested, Shape::Intervals, Shape::Arbitrary, Shape::Arbitrary, Shape::Mixed, Shape::Mixed];
    let shape = shapes[rng.random_range(0..shapes.len())];
    let mut functions = sequence(rng, people, steps, shape);
    if shape != Shape::Mixed && rng.random_range(0..3) > 0 {
        functions.sort_by_key(|groups| std::cmp::Reverse(groups.len()));
    }
    Family { table, domain, functions }
}

/// Like [`family`], drawn again, up to sixty times, until two strategies release different steps for the table.
pub fn telling(rng: &mut ChaCha8Rng, people: usize, values: u32, functions: usize, principle: &Principle) -> Family {
    let mut drawn = family(rng, people, values, functions);
    for _ in 0..60 {
        let (worlds, judge) = (drawn.worlds(), drawn.judge(principle));
        let mut released = strategies(rng, drawn.steps())
            .into_iter()
            .map(|strategy| Simulation::new(&worlds, &judge, &strategy).release(worlds.table()));
        let first = released.next();
        if released.any(|release| Some(release) != first) {
            break;
        }
        drawn = family(rng, people, values, functions);
    }
    drawn
}

/// A number of `1..=most`, the larger the likelier.
fn larger(rng: &mut ChaCha8Rng, most: usize) -> usize {
    (0..3).map(|_| rng.random_range(1..=most)).max().expect("three numbers")
}

/// A sequence of `steps` functions over `people` people.
pub fn sequence(rng: &mut ChaCha8Rng, people: usize, steps: usize, shape: Shape) -> Functions {
    let mut labels: Vec<Vec<usize>> = Vec::new();
    for _ in 0..steps {
        let drawn = match shape {
            Shape::Mixed => {
                [Shape::Nested, Shape::Intervals, Shape::Arbitrary, Shape::Mixed][rng.random_range(0..4usize)]
            }
            other => other,
        };
        let next = match (drawn, labels.last()) {
            (Shape::Nested, Some(before)) => joined(rng, before),
            (Shape::Mixed, Some(_)) => labels[rng.random_range(0..labels.len())].clone(),
            (Shape::Intervals, _) => intervals(rng, people),
            _ => arbitrary(rng, people),
        };
        labels.push(next);
    }
    labels.iter().map(|labels| groups(labels)).collect()
}

/// Two groups become one, with some luck twice.
fn joined(rng: &mut ChaCha8Rng, labels: &[usize]) -> Vec<usize> {
    let mut labels = labels.to_vec();
    for _ in 0..rng.random_range(1..=2) {
        let (from, to) = (labels[rng.random_range(0..labels.len())], labels[rng.random_range(0..labels.len())]);
        labels.iter_mut().filter(|label| **label == from).for_each(|label| *label = to);
    }
    labels
}

fn intervals(rng: &mut ChaCha8Rng, people: usize) -> Vec<usize> {
    let odds = rng.random_range(2..=4);
    let mut label = 0;
    (0..people)
        .map(|_| {
            label += usize::from(rng.random_range(0..odds) == 0);
            label
        })
        .collect()
}

fn arbitrary(rng: &mut ChaCha8Rng, people: usize) -> Vec<usize> {
    let many = rng.random_range(people.div_ceil(4)..=people.div_ceil(2));
    let mut labels: Vec<usize> = (0..people).map(|person| person % many).collect();
    if rng.random_range(0..2) == 0 {
        labels = (0..people).map(|_| rng.random_range(0..many)).collect();
    }
    labels.shuffle(rng);
    labels
}

/// The people of every label that occurs.
fn groups(labels: &[usize]) -> Vec<Vec<usize>> {
    let most = labels.iter().max().map_or(0, |&last| last + 1);
    let of = |label: usize| (0..labels.len()).filter(|&person| labels[person] == label).collect::<Vec<usize>>();
    (0..most).map(of).filter(|group| !group.is_empty()).collect()
}

/// Every strategy of the registry with its examples, and a random jump vector.
pub fn strategies(rng: &mut ChaCha8Rng, steps: usize) -> Vec<Strategy> {
    let vector = (0..steps).map(|_| rng.random_range(1..=steps)).collect();
    Strategy::examples(steps).chain([Strategy::Jump(vector)]).collect()
}

/// Principles that are bounds on a quasi-convex function of every person's belief: closed under mixtures.
pub fn closed_principles() -> Vec<Principle> {
    let ratio = |a: u8, b: u8| Principle::Ratio { ratio: fraction(a, b) };
    vec![
        ratio(1, 2),
        ratio(2, 5),
        ratio(1, 3),
        Principle::Below { ratio: fraction(2, 3u8) },
        Principle::Share { l: 2, protect: None },
        Principle::Share { l: 3, protect: None },
        Principle::Share { l: 2, protect: Some(BTreeSet::from([0, 2])) },
        Principle::Recursive { c: fraction(2, 1u8), l: 2 },
        Principle::Recursive { c: fraction(3, 1u8), l: 3 },
        Principle::Distinct { l: 2 },
        Principle::Distinct { l: 3 },
        Principle::Entropy { l: fraction(2, 1u8) },
        Principle::EqualCloseness { t: fraction(1, 3u8) },
        Principle::OrderedCloseness { t: fraction(1, 4u8) },
    ]
}

/// [`closed_principles`] and bands, which are not closed under mixtures.
pub fn principles() -> Vec<Principle> {
    let band = |a: u8, b: u8, c: u8, d: u8| Principle::Band { delta: fraction(a, b), eps: fraction(c, d) };
    closed_principles().into_iter().chain([band(2, 3, 1, 4), band(3, 4, 1, 3)]).collect()
}
