//! The literal cuts by growing boxes, for tables too large to measure every half from scratch.
//!
//! Tailor's cut and Slice's division are one question: columns of equally many people are cut after the same number of
//! people each, a group of Tailor being a single column. Costs are exact; nothing is shared with the publishers. The tests
//! compare this with [`crate::literal`] before they use it.

use dashu_int::UBig;
use dashu_int::ops::Gcd;
use pellucid_model::histogram::Histogram;

use crate::instance::{Group, Row, sorted};
use crate::person::Person;

/// The sum of normalised extents, as an integer over the common multiple of all extents.
#[derive(Debug, Clone)]
pub struct Weights(Vec<UBig>);

impl Weights {
    /// Every attribute is normalised by its extent over `people`; an attribute without extent weighs nothing.
    pub fn new(people: &[Person]) -> Self {
        let attributes = people.first().map_or(0, |person| person.quasi.len());
        let extents: Vec<UBig> = (0..attributes)
            .map(|at| {
                let values = || people.iter().map(|person| i128::from(person.quasi[at]));
                let extent = values().max().unwrap_or(0) - values().min().unwrap_or(0);
                UBig::from(extent.unsigned_abs())
            })
            .collect();
        let common = extents.iter().filter(|extent| **extent != UBig::ZERO).fold(UBig::ONE, |common, extent| {
            let shared = (&common).gcd(extent);
            common / shared * extent
        });
        let weight = |extent: &UBig| if *extent == UBig::ZERO { UBig::ZERO } else { &common / extent };
        Self(extents.iter().map(weight).collect())
    }

    fn measure(&self, bounds: &[(i64, i64)]) -> UBig {
        let parts = bounds.iter().zip(&self.0);
        parts.fold(UBig::ZERO, |sum, (&(low, high), weight)| {
            sum + weight * UBig::from((i128::from(high) - i128::from(low)).unsigned_abs())
        })
    }
}

/// A person's place as a box.
fn place(person: &Person) -> Vec<(i64, i64)> {
    person.quasi.iter().map(|&value| (value, value)).collect()
}

/// Grows the box in `bounds` by the people; the measure is taken again only when it grew.
fn grow<'a>(
    bounds: &mut Vec<(i64, i64)>,
    measure: &mut UBig,
    weights: &Weights,
    people: impl Iterator<Item = &'a Person>,
) {
    let mut grew = false;
    for person in people {
        if bounds.is_empty() {
            *bounds = place(person);
            grew = true;
        }
        for (side, &value) in bounds.iter_mut().zip(&person.quasi) {
            grew |= value < side.0 || value > side.1;
            *side = (side.0.min(value), side.1.max(value));
        }
    }
    if grew {
        *measure = weights.measure(bounds);
    }
}

/// Columns of people, equally long.
pub type Columns = Vec<Vec<usize>>;

/// The canonical cut of `columns` with at least `smallest` people (and at least one) of each on both sides.
pub fn cut(
    people: &[Person],
    columns: &[Vec<usize>],
    smallest: usize,
    weights: &Weights,
) -> Option<(Columns, Columns)> {
    let height = columns.first().map_or(0, Vec::len);
    let smallest = smallest.max(1);
    if 2 * smallest > height {
        return None;
    }
    let sorted = |attribute: usize| -> Columns {
        let mut sorted = columns.to_vec();
        for column in &mut sorted {
            column.sort_by(|&a, &b| people[a].compare_on(&people[b], attribute));
        }
        sorted
    };
    let mut best: Option<(UBig, usize, usize)> = None;
    for attribute in 0..weights.0.len() {
        let sorted = sorted(attribute);
        let level = |at: usize| sorted.iter().map(move |column| &people[column[at]]);
        // right[size]: the measure of the people from `size` on.
        let mut right = vec![UBig::ZERO; height];
        let (mut bounds, mut measure) = (Vec::new(), UBig::ZERO);
        for at in (1..height).rev() {
            grow(&mut bounds, &mut measure, weights, level(at));
            right[at].clone_from(&measure);
        }
        let (mut bounds, mut measure) = (Vec::new(), UBig::ZERO);
        for (size, right) in right.iter().enumerate().skip(1) {
            grow(&mut bounds, &mut measure, weights, level(size - 1));
            if size < smallest || height - size < smallest {
                continue;
            }
            let cost = &measure * UBig::from(size) + right * UBig::from(height - size);
            if best.as_ref().is_none_or(|best| cost < best.0) {
                best = Some((cost, attribute, size));
            }
        }
    }
    best.map(|(_, attribute, size)| {
        let mut first = sorted(attribute);
        let second = first.iter_mut().map(|column| column.split_off(size)).collect();
        (first, second)
    })
}

/// Tailor's partition of `rows`, which must pass; `robust` is the robust size. All sorted.
pub fn tailor(people: &[Person], rows: &[Row], robust: &dyn Fn(&Histogram) -> Option<u64>) -> Vec<Group> {
    let weights = Weights::new(people);
    let mut value_of = vec![0; people.len()];
    for &(person, value) in rows {
        value_of[person] = value;
    }
    let mut waiting: Vec<Vec<usize>> = vec![rows.iter().map(|row| row.0).collect()];
    let mut groups = Vec::new();
    while let Some(group) = waiting.pop() {
        let smallest = robust(&Histogram::of(group.iter().map(|&person| value_of[person])));
        let smallest = smallest.expect("both halves of a cut pass") as usize;
        match cut(people, std::slice::from_ref(&group), smallest, &weights) {
            Some((first, second)) => waiting.extend([first, second].into_iter().flatten()),
            None => groups.push(group.into_iter().map(|person| (person, value_of[person])).collect()),
        }
    }
    sorted(groups)
}

/// The groups that Slice makes of the bucket `columns`, column after column of one value each. All sorted.
pub fn slice(people: &[Person], columns: &[(u32, Vec<usize>)]) -> Vec<Group> {
    let weights = Weights::new(people);
    let values: Vec<u32> = columns.iter().map(|column| column.0).collect();
    let mut waiting: Vec<Columns> = vec![columns.iter().map(|column| column.1.clone()).collect()];
    let mut groups = Vec::new();
    while let Some(bucket) = waiting.pop() {
        match cut(people, &bucket, 1, &weights) {
            Some((first, second)) => waiting.extend([first, second]),
            None => groups.push(bucket.into_iter().flatten().zip(values.iter().copied()).collect()),
        }
    }
    sorted(groups)
}
