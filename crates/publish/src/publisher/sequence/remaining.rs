//! A strategy on a sequence of which some functions are ruled out.

use pellucid_inference::sequence::{StepRule, Strategy};
use pellucid_model::error::Result;

/// A strategy on the functions that are not ruled out: ruled-out functions always fail and lead to the next.
#[derive(Debug)]
pub(super) struct RemainingStrategy<'a> {
    strategy: &'a dyn Strategy,
    rules: Vec<StepRule>,
}

impl<'a> RemainingStrategy<'a> {
    /// `strategy` on the functions `left`, by their places among `steps` functions.
    pub fn new(strategy: &'a dyn Strategy, steps: usize, left: &[usize]) -> Result<Self> {
        let rules = strategy.rules(steps)?;
        let rules = left.iter().enumerate().map(|(at, &place)| {
            let target = left.partition_point(|&other| other < place.saturating_add(rules[place].jump));
            StepRule { looks: rules[place].looks, jump: target - at }
        });
        Ok(Self { strategy, rules: rules.collect() })
    }
}

impl Strategy for RemainingStrategy<'_> {
    fn id(&self) -> &'static str {
        self.strategy.id()
    }

    fn describe(&self) -> String {
        self.strategy.describe()
    }

    fn rules(&self, steps: usize) -> Result<Vec<StepRule>> {
        debug_assert_eq!(steps, self.rules.len());
        Ok(self.rules.clone())
    }

    fn is_safe(&self) -> bool {
        self.strategy.is_safe()
    }
}

#[cfg(test)]
mod tests {
    use pellucid_inference::sequence::{JumpDistances, KJump};

    use super::*;

    #[test]
    fn jumps_go_where_they_would_if_ruled_out_functions_always_failed() {
        let strategy = KJump::new(JumpDistances::Vector(vec![1, 2, 1, 4, 1])).unwrap();
        let jumps = |left: &[usize]| -> Vec<usize> {
            let remaining = RemainingStrategy::new(&strategy, 5, left).unwrap();
            remaining.rules(left.len()).unwrap().iter().map(|rule| rule.jump).collect()
        };
        // From the fourth function four further is beyond the fifth, two functions on.
        assert_eq!(jumps(&[0, 1, 2, 3, 4]), [1, 2, 1, 2, 1]);
        // Without the fourth, the second goes on to the fifth, and the third too.
        assert_eq!(jumps(&[0, 1, 2, 4]), [1, 2, 1, 1]);
        assert_eq!(jumps(&[3]), [1]);
        assert!(RemainingStrategy::new(&strategy, 4, &[0]).is_err());
    }
}
