//! The best of several strategies along one sequence: for every table the release that comes earliest.
//!
//! Functions of a sequence are in order of non-increasing utility, so the earliest release is the best for the table at hand. To
//! choose it is a mechanism of its own, and what it gives away is not bounded by what each strategy gives away.

use pellucid_model::error::Result;
use pellucid_model::exact::Fraction;

use super::{Mechanism, World};
use crate::belief::{Requirements, StrategyAdversary};
use crate::budget::Budget;
use crate::sequence::{Sequence, Strategy};

/// Runs strategies on a table and makes the earliest of their releases public, or nothing when none releases anything. People
/// who are not in the table are not in its groups.
#[derive(Debug)]
pub struct EarliestOf<'a> {
    /// The functions.
    pub sequence: &'a Sequence,
    /// The strategies that are tried.
    pub strategies: &'a [(String, Box<dyn Strategy>)],
    /// What must hold.
    pub condition: &'a Requirements<'a>,
    /// The budget of every count that a strategy asks for.
    pub budget: Budget,
}

/// The number of a function, from 1, and the values of each of its groups, in order.
pub type FamilyStep = (usize, Vec<Vec<u32>>);

impl EarliestOf<'_> {
    /// By strategy, the function that it releases of a table with these codes.
    pub fn releases(&self, codes: &[u32]) -> Result<Vec<Option<usize>>> {
        let release = |(_, strategy): &(String, Box<dyn Strategy>)| {
            let adversary =
                StrategyAdversary::new(self.sequence, strategy.as_ref(), self.condition, codes, self.budget)?;
            Ok(adversary.walk()?.release)
        };
        self.strategies.iter().map(release).collect()
    }

    /// What is seen of a table with these codes when function `step` is released.
    pub fn show(&self, codes: &[u32], step: usize) -> FamilyStep {
        let labels = self.sequence.labels(step);
        let mut groups = vec![Vec::new(); labels.iter().max().map_or(0, |&last| last as usize + 1)];
        for (&label, &code) in labels.iter().zip(codes) {
            groups[label as usize].push(code);
        }
        groups.iter_mut().for_each(|group| group.sort_unstable());
        (step, groups)
    }
}

impl Mechanism for EarliestOf<'_> {
    type Seen = FamilyStep;

    fn answers(&self, world: &World) -> Result<Vec<(Option<FamilyStep>, Fraction)>> {
        let codes: Vec<u32> = world.rows().iter().map(|row| row.1).collect();
        let earliest = self.releases(&codes)?.into_iter().flatten().min();
        Ok(vec![(earliest.map(|step| self.show(&codes, step)), Fraction::ONE)])
    }
}
