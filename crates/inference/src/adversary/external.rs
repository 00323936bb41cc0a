//! External sources: what the adversary knows of people, and what releases look like to somebody who has one.

use pellucid_model::error::{Error, Result};
use pellucid_model::words::counted;

/// Smallest and largest value of every quasi attribute.
pub type QuasiBounds = Vec<(i64, i64)>;

/// What is seen of groups shown by bounding boxes: the multiset of a box and a value for every row, sorted.
pub type BoxRelease = Vec<(QuasiBounds, u32)>;

/// People the adversary knows of, a superset of those in the table, with the quasi-identifier of each. People are
/// numbered in the order of their identifiers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalSource {
    quasi: Vec<Vec<i64>>,
}

impl ExternalSource {
    /// People with these quasi-identifiers; everyone has the same attributes, one at least.
    pub fn new(quasi: Vec<Vec<i64>>) -> Result<Self> {
        let attributes = quasi.first().map_or(0, Vec::len);
        if attributes == 0 {
            return Err(Error::bad_input("nobody is known; name one person at least, with one quasi value at least"));
        }
        match quasi.iter().position(|values| values.len() != attributes) {
            None => Ok(Self { quasi }),
            Some(person) => Err(Error::bad_input(format!(
                "person number {} has {} quasi values, the first has {attributes}; give everyone the same attributes",
                person + 1,
                quasi[person].len(),
            ))),
        }
    }

    /// Number of people.
    pub fn people(&self) -> usize {
        self.quasi.len()
    }

    /// Number of quasi attributes.
    pub fn attributes(&self) -> usize {
        self.quasi[0].len()
    }

    /// The quasi-identifier of `person`.
    pub fn quasi(&self, person: usize) -> &[i64] {
        &self.quasi[person]
    }

    /// The distinct values of an attribute, ascending.
    pub fn domain(&self, attribute: usize) -> Vec<i64> {
        let mut values: Vec<i64> = self.quasi.iter().map(|person| person[attribute]).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// The largest minus the smallest value of every attribute.
    pub fn extents(&self) -> Vec<u64> {
        self.bounds(0..self.people()).iter().map(|side| side.1.abs_diff(side.0)).collect()
    }

    /// The positions of every attribute on an axis whose extent is the attribute's number in `norm`.
    ///
    /// Only the ratios of these numbers matter, so they are multiplied until none is below an extent; an axis then ends
    /// where its number says. Nobody stands there.
    pub fn axes(&self, norm: &[u64]) -> Result<Vec<Vec<i64>>> {
        let extents = self.extents();
        if norm.len() != extents.len() {
            return Err(Error::invalid(format!(
                "the norm has {}, people have {}; give one number for each quasi value",
                counted(norm.len(), "number", "numbers"),
                counted(extents.len(), "quasi value", "quasi values"),
            )));
        }
        if norm.iter().zip(&extents).any(|(&norm, &extent)| norm == 0 && extent > 0) {
            return Err(Error::invalid("the norm is 0 for an attribute in which people differ; give its extent"));
        }
        let factors = norm.iter().zip(&extents).filter(|pair| *pair.0 > 0).map(|(norm, extent)| extent.div_ceil(*norm));
        let factor = factors.max().unwrap_or(1).max(1);
        let axis = |(attribute, norm): (usize, &u64)| {
            let mut axis = self.domain(attribute);
            let end = norm.checked_mul(factor).and_then(|wide| axis[0].checked_add_unsigned(wide));
            let end =
                end.ok_or_else(|| Error::invalid("the norm is too large for whole numbers; give smaller ones"))?;
            if axis.last().is_some_and(|&last| last < end) {
                axis.push(end);
            }
            Ok(axis)
        };
        norm.iter().enumerate().map(axis).collect()
    }

    /// The bounding box of some people; empty when there are none.
    pub fn bounds(&self, people: impl IntoIterator<Item = usize>) -> QuasiBounds {
        let mut people = people.into_iter().map(|person| self.quasi(person));
        let mut bounds: QuasiBounds = people.next().into_iter().flatten().map(|&value| (value, value)).collect();
        for person in people {
            for (side, &value) in bounds.iter_mut().zip(person) {
                *side = (side.0.min(value), side.1.max(value));
            }
        }
        bounds
    }

    /// What is seen of groups of people, of which each row has a person and the code of the value that is shown.
    pub fn show<'a>(&self, groups: impl IntoIterator<Item = &'a [(usize, u32)]>) -> BoxRelease {
        let mut release = BoxRelease::new();
        for group in groups {
            let bounds = self.bounds(group.iter().map(|row| row.0));
            release.extend(group.iter().map(|row| (bounds.clone(), row.1)));
        }
        release.sort_unstable();
        release
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_a_sorted_multiset_of_boxes_and_values() {
        let source = ExternalSource::new(vec![vec![3, 0], vec![1, 5], vec![2, 2]]).unwrap();
        let release = source.show([&[(2, 1)][..], &[(0, 1), (1, 0)]]);
        let wide = vec![(1, 3), (0, 5)];
        assert_eq!(release, [(wide.clone(), 0), (wide, 1), (vec![(2, 2), (2, 2)], 1)]);
        assert_eq!(source.extents(), [2, 5]);
    }

    #[test]
    fn everyone_has_the_same_attributes() {
        assert!(ExternalSource::new(Vec::new()).is_err() && ExternalSource::new(vec![Vec::new()]).is_err());
        let message = ExternalSource::new(vec![vec![1], vec![1, 2]]).unwrap_err().to_string();
        assert!(message.starts_with("person number 2 has 2 quasi values, the first has 1;"), "{message}");
    }
}
