//! Credibility (Definitions 6 to 8 and Proposition 2 of Xiao, Tao, Koudas 2010, after Wong, Fu, Wang, Pei 2007).

use std::collections::BTreeMap;

use pellucid_model::exact::{Fraction, fraction};

use crate::adversary::arrangements;
use crate::instance::{Group, is_diverse};
use crate::person::Person;

/// What an adversary believes who knows of the algorithm only that its releases are minimal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credibility {
    /// Number of instances that this partition turns into the release.
    pub possible: u64,
    /// Number of those for which the release is minimal.
    pub minimal: u64,
    /// Person to the largest share of minimal instances that give the person one value.
    pub credibility: BTreeMap<usize, Fraction>,
}

/// The credibility of everyone in `partition` under global recoding (people with equal quasi-identifiers stay together).
pub fn credibility(external: &[Person], partition: &[Group], l: u64) -> Credibility {
    // Groups are independent: an instance arranges the values of every group among its people, and it is minimal when
    // every group is.
    let (mut possible, mut minimal) = (1, 1);
    let mut credibility = BTreeMap::new();
    for group in partition {
        let people: Vec<usize> = group.iter().map(|row| row.0).collect();
        let values: Vec<u32> = group.iter().map(|row| row.1).collect();
        let all = arrangements(&values);
        let kept: Vec<&Vec<u32>> = all
            .iter()
            .filter(|values| is_minimal(external, &people.iter().copied().zip(values.iter().copied()).collect(), l))
            .collect();
        for (at, &person) in people.iter().enumerate() {
            let most = values.iter().map(|&value| kept.iter().filter(|kept| kept[at] == value).count()).max();
            let share = fraction(most.unwrap_or(0) as u64, (kept.len() as u64).max(1));
            credibility.insert(person, share);
        }
        possible *= all.len() as u64;
        minimal *= kept.len() as u64;
    }
    Credibility { possible, minimal, credibility }
}

/// Whether no split of `group` into two keeps equal quasi-identifiers together and both halves l-diverse.
fn is_minimal(external: &[Person], group: &Group, l: u64) -> bool {
    (1..(1u32 << group.len()) - 1).all(|mask| {
        let inside = |at: usize| mask & (1 << at) != 0;
        let half =
            |side: bool| -> Group { (0..group.len()).filter(|&at| inside(at) == side).map(|at| group[at]).collect() };
        let separated = (0..group.len()).any(|a| {
            (0..group.len()).any(|b| inside(a) != inside(b) && external[group[a].0].quasi == external[group[b].0].quasi)
        });
        separated || !is_diverse(&half(true), l) || !is_diverse(&half(false), l)
    })
}
