//! Perimeters and canonical cuts (Equation 4, Definitions 9 and 10 of Xiao, Tao, Koudas 2010).

use pellucid_model::exact::{Fraction, fraction};

use crate::instance::{Group, Row, bounds};
use crate::person::Person;

/// The perimeter of a group: rows times the sum over attributes of extent divided by `norm` (Equation 4). An attribute
/// whose norm is 0 is constant and contributes 0.
pub fn perimeter(external: &[Person], rows: &[Row], norm: &[i64]) -> Fraction {
    let mut sum = Fraction::ZERO;
    for (&(low, high), &norm) in bounds(rows.iter().map(|row| &external[row.0])).iter().zip(norm) {
        if norm != 0 {
            sum += fraction(high - low, norm.unsigned_abs());
        }
    }
    sum * fraction(rows.len() as u64, 1u8)
}

/// The canonical cut of `group` among the cuts whose halves have at least `smallest` rows (and at least one): smallest
/// perimeter, then smallest attribute, then smallest first half (Definition 10). `None` when there is no such cut.
pub fn canonical_cut(external: &[Person], group: &[Row], smallest: u64, norm: &[i64]) -> Option<(Group, Group)> {
    let attributes = external.first().map_or(0, |person| person.quasi.len());
    let mut best: Option<(Fraction, Group, Group)> = None;
    for attribute in 0..attributes {
        let mut sorted = group.to_vec();
        sorted.sort_by(|a, b| external[a.0].compare_on(&external[b.0], attribute));
        for size in 1..sorted.len() {
            let (first, second) = sorted.split_at(size);
            if (first.len() as u64) < smallest || (second.len() as u64) < smallest {
                continue;
            }
            let cost = perimeter(external, first, norm) + perimeter(external, second, norm);
            // Attributes and sizes ascend, so only a strictly smaller perimeter replaces what was found before.
            if best.as_ref().is_none_or(|best| cost < best.0) {
                best = Some((cost, first.to_vec(), second.to_vec()));
            }
        }
    }
    best.map(|(_, first, second)| (first, second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_without_extent_contributes_nothing() {
        let external = [Person::new(0, [0, 7]), Person::new(1, [3, 7])];
        // 2 rows, 3/4 on the first attribute, nothing on the second.
        assert_eq!(perimeter(&external, &[(0, 0), (1, 0)], &[4, 0]), fraction(3, 2u8));
    }

    #[test]
    fn ties_go_to_the_first_attribute_and_the_smaller_first_half() {
        let external: Vec<Person> = (0..4).map(|id| Person::new(id, [1, 1])).collect();
        let group: Group = (0..4).map(|person| (person, 0)).collect();
        let (first, second) = canonical_cut(&external, &group, 1, &[1, 1]).unwrap();
        assert_eq!((first, second), (vec![(0, 0)], vec![(1, 0), (2, 0), (3, 0)]));
        assert!(canonical_cut(&external, &group, 3, &[1, 1]).is_none());
    }
}
