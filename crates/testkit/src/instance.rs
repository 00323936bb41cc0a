//! Possible microdata instances, groups of their rows, and what is published of a partition.

use std::collections::BTreeMap;

use pellucid_model::exact::Fraction;
use pellucid_model::histogram::Histogram;

use crate::person::Person;

/// One row: index of the person in the external source, and the sensitive value. Values are ordered by the public order
/// on the sensitive domain.
pub type Row = (usize, u32);

/// A set of rows published alike (a QI-group).
pub type Group = Vec<Row>;

/// Smallest and largest value of every quasi attribute of a group.
pub type Bounds = Vec<(i64, i64)>;

/// A release: the multiset of (bounding box, value), sorted.
pub type Output = Vec<(Bounds, u32)>;

/// The exact distribution of a mechanism's answer; `None` is *nothing*.
pub type Outputs = BTreeMap<Option<Output>, Fraction>;

/// A possible microdata instance (Definition 4): some people of an external source, each with a sensitive value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instance {
    rows: Vec<Row>,
}

impl Instance {
    /// The instance with these rows, kept in order of the person.
    ///
    /// # Panics
    /// When a person occurs twice.
    pub fn new(mut rows: Vec<Row>) -> Self {
        rows.sort_unstable();
        assert!(rows.windows(2).all(|pair| pair[0].0 != pair[1].0), "a person occurs twice");
        Self { rows }
    }

    /// Everyone of an external source, person i with `values[i]`.
    pub fn of_all(values: &[u32]) -> Self {
        Self { rows: values.iter().copied().enumerate().collect() }
    }

    /// The rows in order of the person.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The value of `person`, when in the table.
    pub fn value_of(&self, person: usize) -> Option<u32> {
        self.rows.iter().find(|row| row.0 == person).map(|row| row.1)
    }
}

/// How often each value occurs among `rows`.
pub fn histogram(rows: &[Row]) -> Histogram {
    Histogram::of(rows.iter().map(|row| row.1))
}

/// Whether at most one in `l` of the rows shares a value (Definition 2).
pub fn is_diverse(rows: &[Row], l: u64) -> bool {
    Histogram::max(&histogram(rows)) * l <= rows.len() as u64
}

/// The minimum bounding rectangle of some people.
pub fn bounds<'a>(people: impl IntoIterator<Item = &'a Person>) -> Bounds {
    let mut people = people.into_iter();
    let first = people.next().expect("a group has a row");
    let mut bounds: Bounds = first.quasi.iter().map(|&value| (value, value)).collect();
    for person in people {
        for (side, &value) in bounds.iter_mut().zip(&person.quasi) {
            *side = (side.0.min(value), side.1.max(value));
        }
    }
    bounds
}

/// A partition with groups and rows sorted.
pub fn sorted(mut partition: Vec<Group>) -> Vec<Group> {
    for group in &mut partition {
        group.sort_unstable();
    }
    partition.sort_unstable();
    partition
}

/// What the MBR function publishes of a partition: each row's value with the bounding box of its group, as a multiset.
pub fn publish(external: &[Person], partition: &[Group]) -> Output {
    let mut output = Output::new();
    for group in partition {
        let bounds = bounds(group.iter().map(|row| &external[row.0]));
        output.extend(group.iter().map(|row| (bounds.clone(), row.1)));
    }
    output.sort_unstable();
    output
}

/// The distribution that gives `output` with certainty.
pub fn certainly(output: Option<Output>) -> Outputs {
    Outputs::from([(output, Fraction::ONE)])
}
