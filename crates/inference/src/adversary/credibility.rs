//! Credibility: belief of an adversary who knows of an algorithm only that its releases are minimal.
//!
//! A release is minimal when no group can be split in two without breaking l-diversity. People with equal
//! quasi-identifiers are never separated (global recoding), so a group is a few blocks of such people, and a class of
//! originals says how often each block has each value.
//!
//! # Reference
//! Wong, Fu, Wang, Pei: Minimality attack in privacy preserving data publishing, VLDB 2007; definitions 6 to 8 and
//! proposition 2 of Xiao, Tao, Koudas 2010.

use std::collections::BTreeMap;

use dashu_int::UBig;
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::histogram::Histogram;

use super::ExternalSource;

/// What is believed by one who knows that a release is minimal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinimalityBelief {
    /// Originals with these groups and values.
    pub possible: UBig,
    /// Those of them of which the release is minimal.
    pub minimal: UBig,
    /// For every person of a group the highest probability of a value; `None` when the release is minimal for no
    /// original.
    pub of: BTreeMap<usize, Option<Fraction>>,
}

/// The credibility of everyone in `partition`, whose rows are people and codes of values.
///
/// # Cost
/// Groups are independent. For each, the ways to spread its values over its blocks of equal quasi-identifiers times the
/// ways to split the blocks in two; `limit` such steps at most.
pub fn credibility(
    external: &ExternalSource,
    partition: &[Vec<(usize, u32)>],
    l: u64,
    limit: u64,
) -> Result<MinimalityBelief> {
    let mut found = MinimalityBelief { possible: UBig::ONE, minimal: UBig::ONE, of: BTreeMap::new() };
    let mut left = limit;
    for rows in partition {
        let group = Group::new(external, rows, l);
        let mut count = Count::new(&group);
        group.spread(0, &mut group.totals.clone(), &mut Vec::new(), &mut count, &mut left).map_err(|()| {
            Error::new(
                ErrorKind::LimitExceeded,
                format!("counting minimal originals takes more than {limit} steps, the limit; take smaller groups"),
            )
        })?;
        for (block, people) in group.blocks.iter().enumerate() {
            let most = count.with[block].iter().max().cloned().unwrap_or_default();
            let share =
                (count.minimal != UBig::ZERO).then(|| fraction(most, &count.minimal * UBig::from(people.len())));
            found.of.extend(people.iter().map(|&person| (person, share.clone())));
        }
        found.possible *= count.possible;
        found.minimal *= count.minimal;
    }
    if found.minimal == UBig::ZERO {
        found.of.values_mut().for_each(|share| *share = None);
    }
    Ok(found)
}

/// A group by blocks of people with equal quasi-identifiers.
struct Group {
    blocks: Vec<Vec<usize>>,
    /// How often each value of the group occurs.
    totals: Vec<usize>,
    l: u64,
}

/// Originals of one group.
struct Count {
    possible: UBig,
    minimal: UBig,
    /// By block and value, the number of people with it, summed over minimal originals.
    with: Vec<Vec<UBig>>,
}

impl Count {
    fn new(group: &Group) -> Self {
        let with = vec![vec![UBig::ZERO; group.totals.len()]; group.blocks.len()];
        Self { possible: UBig::ZERO, minimal: UBig::ZERO, with }
    }
}

impl Group {
    fn new(external: &ExternalSource, rows: &[(usize, u32)], l: u64) -> Self {
        let mut blocks: BTreeMap<&[i64], Vec<usize>> = BTreeMap::new();
        for row in rows {
            blocks.entry(external.quasi(row.0)).or_default().push(row.0);
        }
        let histogram = Histogram::of(rows.iter().map(|row| row.1));
        let totals = histogram.entries().iter().map(|entry| entry.1 as usize).collect();
        Self { blocks: blocks.into_values().collect(), totals, l }
    }

    /// Gives the values in `left` to the blocks from `block` on in every way, and counts each; `given` is what the
    /// earlier blocks have. Fails when `steps` are used up.
    fn spread(
        &self,
        block: usize,
        left: &mut Vec<usize>,
        given: &mut Vec<Vec<usize>>,
        count: &mut Count,
        steps: &mut u64,
    ) -> Result<(), ()> {
        if block == self.blocks.len() {
            return self.count(given, count, steps);
        }
        given.push(Vec::new());
        let done = self.fill(block, self.blocks[block].len(), left, given, count, steps);
        given.pop();
        done
    }

    /// Gives `size` more values to the last block of `given`.
    fn fill(
        &self,
        block: usize,
        size: usize,
        left: &mut Vec<usize>,
        given: &mut Vec<Vec<usize>>,
        count: &mut Count,
        steps: &mut u64,
    ) -> Result<(), ()> {
        let value = given[block].len();
        if value == self.totals.len() {
            return if size == 0 { self.spread(block + 1, left, given, count, steps) } else { Ok(()) };
        }
        for taken in 0..=size.min(left[value]) {
            left[value] -= taken;
            given[block].push(taken);
            let done = self.fill(block, size - taken, left, given, count, steps);
            given[block].pop();
            left[value] += taken;
            done?;
        }
        Ok(())
    }

    fn count(&self, given: &[Vec<usize>], count: &mut Count, steps: &mut u64) -> Result<(), ()> {
        let ways = given.iter().zip(&self.blocks).fold(UBig::ONE, |ways, (given, people)| {
            ways * given.iter().fold(factorial(people.len()), |ways, &taken| ways / factorial(taken))
        });
        count.possible += &ways;
        if self.is_minimal(given, steps)? {
            for (sums, given) in count.with.iter_mut().zip(given) {
                sums.iter_mut().zip(given).for_each(|(sum, &taken)| *sum += &ways * UBig::from(taken));
            }
            count.minimal += ways;
        }
        Ok(())
    }

    /// Whether no split of the blocks in two leaves both halves l-diverse.
    fn is_minimal(&self, given: &[Vec<usize>], steps: &mut u64) -> Result<bool, ()> {
        // The last block is always in the second half, so that every split comes once.
        let splits = 1u64.checked_shl(self.blocks.len() as u32 - 1).ok_or(())?;
        *steps = steps.checked_sub(splits).ok_or(())?;
        Ok((1..splits).all(|split| {
            let half = |first: bool| given.iter().enumerate().filter(move |(at, _)| (split >> at & 1 == 1) == first);
            !(self.is_diverse(half(true)) && self.is_diverse(half(false)))
        }))
    }

    fn is_diverse<'a>(&self, half: impl Iterator<Item = (usize, &'a Vec<usize>)>) -> bool {
        let mut sums = vec![0u64; self.totals.len()];
        for (_, given) in half {
            sums.iter_mut().zip(given).for_each(|(sum, &taken)| *sum += taken as u64);
        }
        let most = sums.iter().max().copied().unwrap_or(0);
        most.saturating_mul(self.l) <= sums.iter().sum()
    }
}

fn factorial(n: usize) -> UBig {
    (2..=n).fold(UBig::ONE, |product, factor| product * UBig::from(factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_that_could_be_split_betrays_why_it_was_not() {
        // Blocks {0, 1} and {2, 3}, values 0, 0, 1, 2, l = 2: the group is minimal when a block has value 0 twice.
        let external = ExternalSource::new(vec![vec![0], vec![0], vec![1], vec![1]]).unwrap();
        let group = vec![(0, 0), (1, 0), (2, 1), (3, 2)];
        let found = credibility(&external, std::slice::from_ref(&group), 2, 100).unwrap();
        // 4! / 2! originals; 2 blocks * 2 orders of 1 and 2.
        assert_eq!((found.possible, found.minimal), (UBig::from(12u8), UBig::from(4u8)));
        assert_eq!(found.of[&0], Some(fraction(1, 2u8)));
        let error = credibility(&external, &[group], 2, 3).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    }

    #[test]
    fn a_release_that_is_never_minimal_has_no_credibility() {
        let external = ExternalSource::new((0..4).map(|at| vec![at / 2]).collect()).unwrap();
        let group = (0..4).map(|person| (person, person as u32)).collect();
        let found = credibility(&external, &[group], 2, 100).unwrap();
        assert_eq!((found.possible, found.minimal, &found.of[&0]), (UBig::from(24u8), UBig::ZERO, &None));
    }
}
