//! Sequences of generalization functions, and the strategies that walk along them.
//!
//! A [`Sequence`] holds g1..gn, each a partition of the people decided by quasi-identifiers alone, in order of
//! non-increasing utility. A [`Strategy`] says at every step what is looked at (the permutation set, the disclosure set or
//! both) and where to go when it fails; [`crate::belief::StrategyAdversary`] follows it and counts what it gives away. One file
//! per strategy, each ending in an `ENTRY` that [`STRATEGIES`] lists.

mod exclusive;
mod k_jump;
mod naive;
mod safe;

use std::fmt::Debug;

pub use exclusive::ExclusiveStrategy;
pub use k_jump::{JumpDistances, KJump};
pub use naive::NaiveStrategy;
pub use safe::SafeStrategy;

use pellucid_model::error::{Error, Result};
use pellucid_model::registry::{EntryArgs, RegistryEntry, find, ids};
use pellucid_model::words::counted;

/// What a strategy evaluates the principle on at one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StepLooks {
    /// On the permutation set alone.
    Permutation,
    /// On the disclosure set alone.
    Disclosure,
    /// On the permutation set and, when that passes, on the disclosure set.
    Both,
}

/// What a strategy does at one step: it releases when the last set it looks at passes, goes to the next step when the
/// first fails, and jumps when the permutation set passes and the disclosure set fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepRule {
    /// What the principle is evaluated on.
    pub looks: StepLooks,
    /// How many steps further a jump goes; beyond the last step there is nothing.
    pub jump: usize,
}

/// A way to walk along a sequence.
pub trait Strategy: Debug + Send + Sync {
    /// The registry id.
    fn id(&self) -> &'static str;

    /// The strategy and its parameters in words.
    fn describe(&self) -> String;

    /// The rule of every step of a sequence of `steps` functions, in order; fails when the strategy's parameters do not
    /// fit so many steps.
    fn rules(&self, steps: usize) -> Result<Vec<StepRule>>;

    /// Whether what is released under this strategy satisfies the principle on the belief of an adversary who knows the
    /// strategy and does not see when nothing is released.
    fn is_safe(&self) -> bool {
        true
    }
}

/// All strategies.
pub static STRATEGIES: &[RegistryEntry<dyn Strategy>] = &[naive::ENTRY, safe::ENTRY, exclusive::ENTRY, k_jump::ENTRY];

/// The ids of all strategies.
pub const STRATEGY_IDS: &[&str] = &ids::<_, { STRATEGIES.len() }>(STRATEGIES);

/// The strategy `id` with the arguments `args`; an unknown id names the nearest one.
pub fn make(id: &str, args: &EntryArgs) -> Result<Box<dyn Strategy>> {
    find(STRATEGIES, "strategy", id)?.make(args)
}

/// Generalization functions g1..gn over the same people: by function and person, the number of the person's group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    people: usize,
    functions: Vec<Vec<u32>>,
}

impl Sequence {
    /// From explicit groups of people numbered from 0.
    ///
    /// Fails, naming the function, when there is no function, a group is empty, a person is named twice or not at all,
    /// or a number is out of range.
    pub fn from_groups(people: usize, functions: &[Vec<Vec<usize>>]) -> Result<Self> {
        let mut labels = Vec::with_capacity(functions.len());
        for (at, groups) in (1..).zip(functions) {
            let mut label = vec![u32::MAX; people];
            for (number, group) in (0u32..).zip(groups) {
                if group.is_empty() {
                    return Err(Error::invalid(format!("function {at} has an empty group; remove it")));
                }
                for &person in group {
                    let Some(slot) = label.get_mut(person) else {
                        return Err(Error::invalid(format!(
                            "function {at} names person {person}, but the table has {}, numbered from 0; correct the number \
                             or add the person's value",
                            counted(people, "person", "people")
                        )));
                    };
                    if *slot != u32::MAX {
                        return Err(Error::invalid(format!(
                            "function {at} puts person {person} into two groups; groups must not overlap"
                        )));
                    }
                    *slot = number;
                }
            }
            if let Some(person) = label.iter().position(|&group| group == u32::MAX) {
                return Err(Error::invalid(format!(
                    "function {at} leaves person {person} out; every function must cover everyone"
                )));
            }
            labels.push(label);
        }
        Self::from_labels(people, labels)
    }

    /// From a group label per function and person; equal labels mean the same group, and labels need not be consecutive.
    pub fn from_labels(people: usize, mut functions: Vec<Vec<u32>>) -> Result<Self> {
        if functions.is_empty() {
            return Err(Error::invalid("the sequence is empty; give at least one function"));
        }
        if people == 0 {
            return Err(Error::invalid("the table has no rows; give at least one person"));
        }
        for (at, labels) in (1..).zip(&mut functions) {
            if labels.len() != people {
                return Err(Error::invalid(format!(
                    "function {at} covers {}, but the table has {people}; every function must cover everyone",
                    counted(labels.len(), "person", "people")
                )));
            }
            renumber(labels);
        }
        Ok(Self { people, functions })
    }

    /// Number of people.
    pub fn people(&self) -> usize {
        self.people
    }

    /// Number of functions.
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    /// Whether there is no function; never so.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// The group of every person under function `step`, from 1; groups are numbered from 0 by first appearance.
    pub fn labels(&self, step: usize) -> &[u32] {
        &self.functions[step - 1]
    }

    /// The groups of function `step`, from 1, as people in ascending order.
    pub fn groups(&self, step: usize) -> Vec<Vec<usize>> {
        let labels = self.labels(step);
        let many = labels.iter().max().map_or(0, |&last| last as usize + 1);
        let mut groups = vec![Vec::new(); many];
        for (person, &group) in labels.iter().enumerate() {
            groups[group as usize].push(person);
        }
        groups
    }

    /// Whether every group of function `fine` lies inside a group of function `coarse`, steps from 1.
    pub fn refines(&self, fine: usize, coarse: usize) -> bool {
        refines(self.labels(fine), self.labels(coarse))
    }

    /// Fails when a function is strictly finer than the one before it: then it keeps more utility, and the order of the
    /// sequence is wrong.
    pub fn check_order(&self) -> Result<()> {
        for step in 2..=self.len() {
            if self.refines(step, step - 1) && !self.refines(step - 1, step) {
                return Err(Error::invalid(format!(
                    "function {step} of the sequence is finer than function {}; list functions in order of \
                     non-increasing utility",
                    step - 1
                )));
            }
        }
        Ok(())
    }
}

/// Whether people who share a label in `fine` share one in `coarse`; labels are numbered from 0.
pub(crate) fn refines(fine: &[u32], coarse: &[u32]) -> bool {
    let many = fine.iter().max().map_or(0, |&last| last as usize + 1);
    let mut inside = vec![u32::MAX; many];
    fine.iter().zip(coarse).all(|(&group, &outer)| {
        let slot = &mut inside[group as usize];
        if *slot == u32::MAX {
            *slot = outer;
        }
        *slot == outer
    })
}

/// Renumbers labels from 0 by first appearance.
fn renumber(labels: &mut [u32]) {
    let mut seen = hashbrown::HashMap::new();
    for label in labels {
        let next = seen.len() as u32;
        *label = *seen.entry(*label).or_insert(next);
    }
}

#[cfg(test)]
mod tests {
    use pellucid_model::claim::EntryClaim;

    use super::*;

    #[test]
    fn functions_must_cover_everyone_once() {
        let message = |functions: &[Vec<Vec<usize>>]| Sequence::from_groups(3, functions).unwrap_err().to_string();
        assert!(message(&[]).contains("sequence is empty"));
        assert!(message(&[vec![vec![0, 1]]]).contains("function 1 leaves person 2 out"));
        assert!(
            message(&[vec![vec![0, 1, 2]], vec![vec![0, 1], vec![1, 2]]]).contains("function 2 puts person 1 into two")
        );
        assert!(message(&[vec![vec![0, 1, 2, 3]]]).contains("names person 3, but the table has 3 people"));
        assert!(message(&[vec![vec![0, 1, 2], vec![]]]).contains("empty group"));
    }

    #[test]
    fn a_finer_function_after_a_coarser_one_is_out_of_order() {
        let fine = vec![vec![0], vec![1, 2]];
        let coarse = vec![vec![0, 1, 2]];
        let crossing = vec![vec![0, 1], vec![2]];
        let sequence = |functions: &[Vec<Vec<usize>>]| Sequence::from_groups(3, functions).unwrap();
        assert!(sequence(&[fine.clone(), crossing, coarse.clone()]).check_order().is_ok());
        assert!(sequence(&[fine.clone(), fine.clone()]).check_order().is_ok());
        let message = sequence(&[coarse, fine]).check_order().unwrap_err().to_string();
        assert!(message.contains("function 2 of the sequence is finer than function 1"), "{message}");
    }

    #[test]
    fn every_strategy_is_well_formed_and_builds() {
        assert!(STRATEGIES.iter().map(|entry| entry.id).eq(STRATEGY_IDS.iter().copied()));
        for entry in STRATEGIES {
            assert!(entry.summary.len() < 80 && !entry.examples.is_empty(), "{}", entry.id);
            for args in entry.examples() {
                let strategy = make(entry.id, &args).unwrap();
                assert_eq!(strategy.id(), entry.id);
                assert_eq!(strategy.rules(3).unwrap().len(), 3);
                assert_eq!(strategy.is_safe(), entry.claims(EntryClaim::Safety), "{}", entry.id);
                assert!(!strategy.describe().is_empty());
            }
        }
    }
}
