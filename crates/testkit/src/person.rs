//! People: what an external source knows of a person, and the order it puts people in.

use std::cmp::Ordering;

/// One record of an external source: the identifier's place in the public order, and the quasi-identifier.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Person {
    /// Place of the identifier in the order on identifiers; distinct for distinct people.
    pub id: u32,
    /// Value of every quasi attribute.
    pub quasi: Vec<i64>,
}

impl Person {
    /// A person with identifier `id`.
    pub fn new(id: u32, quasi: impl Into<Vec<i64>>) -> Self {
        Self { id, quasi: quasi.into() }
    }

    /// The order of Definition 9 on one attribute: by value, then by identifier.
    pub fn compare_on(&self, other: &Self, attribute: usize) -> Ordering {
        (self.quasi[attribute], self.id).cmp(&(other.quasi[attribute], other.id))
    }
}

/// The extent (largest minus smallest value) of every quasi attribute of `external`, the usual norm of the perimeter.
pub fn extents(external: &[Person]) -> Vec<i64> {
    let attributes = external.first().map_or(0, |person| person.quasi.len());
    (0..attributes)
        .map(|attribute| {
            let values = || external.iter().map(|person| person.quasi[attribute]);
            values().max().unwrap_or(0) - values().min().unwrap_or(0)
        })
        .collect()
}

/// People whose numbers are in the order of their vectors, which is the order without identifiers.
pub fn in_vector_order(people: &[Person]) -> Vec<Person> {
    let mut order: Vec<usize> = (0..people.len()).collect();
    order.sort_by(|&a, &b| people[a].quasi.cmp(&people[b].quasi));
    let mut ordered = people.to_vec();
    order.iter().zip(0..).for_each(|(&person, id)| ordered[person].id = id);
    ordered
}
