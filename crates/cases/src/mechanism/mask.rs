//! Mask on a partition that is given: groups that are not l-diverse take over the values of groups that are.
//!
//! Mask starts from a k-anonymous partition. A group in which a protected value has more than one in l rows takes the
//! distribution of a group drawn uniformly from those that pass; the boxes stay as they are.
//!
//! # Guarantee
//! None against an adversary who knows it: the released table is l-diverse, belief need not be.
//!
//! # Difference
//! The paper does not say how a distribution is copied to a group of another size. Here shares are rounded by the
//! largest remainder, and of equal remainders the smaller value is served first.
//!
//! # Reference
//! Wong, Fu, Wang, Pei: Minimality attack in privacy preserving data publishing, VLDB 2007; electronic appendix of Xiao,
//! Tao, Koudas 2010.

use std::collections::BTreeSet;

use pellucid_inference::adversary::{BoxRelease, ExternalSource, Mechanism, World};
use pellucid_model::error::{Error, Result};
use pellucid_model::exact::Fraction;
use pellucid_model::histogram::Histogram;
use pellucid_model::randomness::{ChoicePurpose, RandomSource, chances};
use pellucid_publish::publisher::demonstration::copy_distribution;

/// Ways in which random choices may combine.
const WAYS: u64 = 1_000_000;

/// What Mask shows of groups with these histograms; `None` when no group passes.
fn masked(
    groups: &[Histogram],
    l: u64,
    protected: impl Fn(u32) -> bool,
    randomness: RandomSource<'_>,
) -> Option<Vec<Histogram>> {
    let passes = |group: &Histogram| {
        let most = group.entries().iter().filter(|entry| protected(entry.0)).map(|entry| entry.1).max();
        most.unwrap_or(0).saturating_mul(l) <= group.total()
    };
    let models: Vec<&Histogram> = groups.iter().filter(|group| passes(group)).collect();
    if models.is_empty() {
        return None;
    }
    let shown = |(at, group): (u64, &Histogram)| {
        if passes(group) {
            return group.clone();
        }
        let model = models[randomness.stream(ChoicePurpose::Choice, at, 0).below(models.len())];
        Histogram::from_entries(copy_distribution(model, group.total()))
    };
    Some((0..).zip(groups).map(shown).collect())
}

/// Mask as a mechanism, with the groups of people fixed beforehand.
#[derive(Debug, Clone)]
pub struct MaskOnPartition {
    /// The people.
    pub external: ExternalSource,
    /// Groups of people, who are the table.
    pub partition: Vec<Vec<usize>>,
    /// At most one in `l` rows of a group shares a protected value.
    pub l: u64,
    /// Codes of the protected values.
    pub protected: BTreeSet<u32>,
}

impl Mechanism for MaskOnPartition {
    type Seen = BoxRelease;

    fn answers(&self, world: &World) -> Result<Vec<(Option<BoxRelease>, Fraction)>> {
        let stranger =
            || Error::invalid("the partition does not hold exactly the people of the table; give one that does");
        if self.partition.iter().map(Vec::len).sum::<usize>() != world.rows().len() {
            return Err(stranger());
        }
        let value = |&person: &usize| world.value_of(person).ok_or_else(stranger);
        let histogram = |group: &Vec<usize>| Ok(Histogram::of(group.iter().map(value).collect::<Result<Vec<u32>>>()?));
        let groups = self.partition.iter().map(histogram).collect::<Result<Vec<Histogram>>>()?;
        let protected = |value: u32| self.protected.contains(&value);
        let chances = chances(WAYS, |randomness| {
            let shown = masked(&groups, self.l, protected, randomness);
            Ok(shown.map(|shown| self.release(&shown)))
        })?;
        Ok(chances.into_iter().collect())
    }
}

impl MaskOnPartition {
    fn release(&self, shown: &[Histogram]) -> BoxRelease {
        let rows = self.partition.iter().zip(shown).map(|(people, shown)| {
            let values = shown.entries().iter().flat_map(|&(value, count)| std::iter::repeat_n(value, count as usize));
            people.iter().copied().zip(values).collect::<Vec<(usize, u32)>>()
        });
        let rows: Vec<Vec<(usize, u32)>> = rows.collect();
        self.external.show(rows.iter().map(Vec::as_slice))
    }
}

#[cfg(test)]
mod tests {
    use pellucid_model::exact::fraction;

    use super::*;

    #[test]
    fn a_failing_group_takes_over_any_passing_one() {
        let external = ExternalSource::new((0..6).map(|at| vec![at / 2]).collect()).unwrap();
        let partition = vec![vec![0, 1], vec![2, 3], vec![4, 5]];
        let mask = MaskOnPartition { external, partition, l: 2, protected: BTreeSet::from([0]) };
        let world = |values: [u32; 6]| World::new((0..6).zip(values).collect());
        // The first group has 0 twice; the others have 0, 1 and 1, 1.
        let answers = mask.answers(&world([0, 0, 0, 1, 1, 1])).unwrap();
        let half = fraction(1, 2u8);
        let first =
            |answer: &Option<BoxRelease>| answer.as_ref().unwrap()[..2].iter().map(|row| row.1).collect::<Vec<_>>();
        let seen: Vec<_> = answers.iter().map(|(answer, probability)| (first(answer), probability.clone())).collect();
        assert_eq!(seen, [(vec![0, 1], half.clone()), (vec![1, 1], half)]);
        assert_eq!(mask.answers(&world([0; 6])).unwrap(), [(None, Fraction::ONE)]);
        assert!(mask.answers(&World::new(vec![(0, 0)])).is_err());
    }
}
