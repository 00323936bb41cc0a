//! In which worlds a strategy comes to a step, as a signed sum of products of events.
//!
//! For a step j let `Pass_j` be the event that every group of `g_j` passes, and `Release_j` that its disclosure set passes
//! too. A strategy comes to step i along paths that are products of such events and their negations; multiplied out, this
//! is a sum of terms with integer coefficients, and the number of worlds of each term can be counted by looking only at
//! the functions it names. This is inclusion and exclusion over "every group of `g_j` passes", for every strategy.

use std::collections::BTreeMap;

use crate::sequence::{StepLooks, StepRule};

/// What a term asks of one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum StepEvent {
    /// Nothing.
    Any,
    /// Every group passes.
    Pass,
    /// Every group passes and so does the disclosure set.
    PassRelease,
    /// The disclosure set passes, whatever the groups do.
    Release,
}

impl StepEvent {
    /// Whether the event contains that every group passes.
    pub(super) fn passes(self) -> bool {
        matches!(self, Self::Pass | Self::PassRelease)
    }

    /// Whether the event looks at a disclosure set.
    pub(super) fn releases(self) -> bool {
        matches!(self, Self::PassRelease | Self::Release)
    }
}

/// One product of events, with an event for every earlier step.
pub(super) type EventProduct = Vec<StepEvent>;

/// The worlds in which a step is reached: a signed sum of products.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EventFormula {
    terms: BTreeMap<EventProduct, i64>,
}

/// What simplifies formulas of one sequence.
#[derive(Debug, Clone)]
pub(super) struct SequenceFacts {
    /// By steps from 0, whether the first refines the second; all false unless the principle is closed under mixtures.
    pub(super) refines: Vec<Vec<bool>>,
    /// By step from 0, whether some group can never pass.
    pub(super) never: Vec<bool>,
    /// Whether a disclosure set passes only where the groups do.
    pub(super) closed: bool,
}

impl EventFormula {
    /// Products and their coefficients, none zero.
    pub(super) fn terms(&self) -> impl Iterator<Item = (&EventProduct, i64)> {
        self.terms.iter().map(|(product, &coefficient)| (product, coefficient))
    }

    /// Whether the step is reached in every world.
    pub(super) fn is_certain(&self) -> bool {
        self.terms.len() == 1 && self.terms().all(|(product, coefficient)| coefficient == 1 && is_empty(product))
    }

    /// The steps, from 0, that some product names.
    pub(super) fn steps(&self) -> Vec<usize> {
        let named =
            |step: &usize| self.terms.keys().any(|product| product.get(*step).is_some_and(|&e| e != StepEvent::Any));
        let most = self.terms.keys().map(Vec::len).max().unwrap_or(0);
        (0..most).filter(named).collect()
    }

    fn zero() -> Self {
        Self { terms: BTreeMap::new() }
    }

    fn add(&mut self, product: EventProduct, coefficient: i64, facts: &SequenceFacts) {
        if let Some(product) = facts.simplify(product) {
            let slot = self.terms.entry(product).or_insert(0);
            *slot += coefficient;
        }
        self.terms.retain(|_, coefficient| *coefficient != 0);
    }

    /// Adds `reached` times `event` at `step` times `sign`.
    fn add_times(&mut self, reached: &Self, step: usize, event: StepEvent, sign: i64, facts: &SequenceFacts) {
        for (product, coefficient) in reached.terms() {
            let mut product = product.clone();
            product[step] = event;
            self.add(product, sign * coefficient, facts);
        }
    }
}

/// The formula of every step 1..=n and, last, of silence; `rules` are those of the n steps.
pub(super) fn formulas(rules: &[StepRule], facts: &SequenceFacts) -> Vec<EventFormula> {
    let steps = rules.len();
    let mut reached = vec![EventFormula::zero(); steps + 1];
    reached[0].add(vec![StepEvent::Any; steps], 1, facts);
    for (step, rule) in rules.iter().enumerate() {
        let here = reached[step].clone();
        // A disclosure set that is always the permutation set passes just when the groups do.
        let release = if here.is_certain() {
            StepEvent::Pass
        } else if facts.closed {
            StepEvent::PassRelease
        } else {
            StepEvent::Release
        };
        let next = step + 1;
        let mut spread = |to: usize, event: StepEvent, sign: i64| {
            reached[to.min(steps)].add_times(&here, step, event, sign, facts);
        };
        spread(next, StepEvent::Any, 1);
        match rule.looks {
            StepLooks::Permutation => spread(next, StepEvent::Pass, -1),
            StepLooks::Disclosure => spread(next, release, -1),
            StepLooks::Both => {
                let both = if release == StepEvent::Release { StepEvent::PassRelease } else { release };
                spread(next, StepEvent::Pass, -1);
                spread(step + rule.jump, StepEvent::Pass, 1);
                spread(step + rule.jump, both, -1);
            }
        }
    }
    reached
}

/// Whether the product asks nothing.
pub(super) fn is_empty(product: &[StepEvent]) -> bool {
    product.iter().all(|&event| event == StepEvent::Any)
}

impl SequenceFacts {
    /// The same event in fewer words; `None` when it cannot happen.
    ///
    /// Where `g_j` refines `g_l` and the principle is closed under mixtures, the groups of `g_l` are mixtures of groups of
    /// `g_j`: if these pass, so do those, and the product need not say so.
    fn simplify(&self, mut product: EventProduct) -> Option<EventProduct> {
        if product.iter().zip(&self.never).any(|(event, &never)| never && event.passes()) {
            return None;
        }
        for coarse in 0..product.len() {
            let implied = product[coarse] == StepEvent::Pass
                && (0..product.len()).any(|fine| {
                    let equal = self.refines[coarse][fine];
                    fine != coarse
                        && product[fine].passes()
                        && self.refines[fine][coarse]
                        && (!equal || fine < coarse || product[fine] == StepEvent::PassRelease)
                });
            if implied {
                product[coarse] = StepEvent::Any;
            }
        }
        Some(product)
    }
}

#[cfg(test)]
mod tests {
    use StepEvent::{Any, Pass, PassRelease};

    use super::*;

    fn facts(steps: usize, nested: bool) -> SequenceFacts {
        let refines = (0..steps).map(|fine| (0..steps).map(|coarse| nested && fine <= coarse).collect()).collect();
        SequenceFacts { refines, never: vec![false; steps], closed: true }
    }

    fn jump(steps: usize, jump: usize) -> Vec<StepRule> {
        vec![StepRule { looks: StepLooks::Both, jump }; steps]
    }

    #[test]
    fn the_exclusive_strategy_excludes_whatever_passes() {
        let reached = formulas(&jump(3, 3), &facts(3, false));
        assert!(reached[0].is_certain());
        let terms: Vec<(EventProduct, i64)> = reached[2].terms().map(|(p, c)| (p.clone(), c)).collect();
        let expected = [([Any, Any, Any], 1), ([Any, Pass, Any], -1), ([Pass, Any, Any], -1), ([Pass, Pass, Any], 1)];
        assert_eq!(terms, expected.map(|(product, coefficient)| (product.to_vec(), coefficient)));
    }

    #[test]
    fn nested_functions_leave_the_last_one_only() {
        let reached = formulas(&jump(4, 4), &facts(4, true));
        let terms: Vec<(EventProduct, i64)> = reached[3].terms().map(|(p, c)| (p.clone(), c)).collect();
        assert_eq!(terms, [(vec![Any; 4], 1), (vec![Any, Any, Pass, Any], -1)]);
    }

    #[test]
    fn short_jumps_need_earlier_disclosure_sets() {
        let reached = formulas(&jump(3, 1), &facts(3, false));
        assert!(reached[2].terms().any(|(product, _)| product[1] == PassRelease));
        assert_eq!(reached[2].steps(), [0, 1]);
        // From the first step there is never a jump: its disclosure set is its permutation set.
        assert!(reached[1].terms().all(|(product, _)| product[0] != PassRelease));
    }

    #[test]
    fn a_function_that_never_passes_excludes_nothing() {
        let mut facts = facts(3, false);
        facts.never[0] = true;
        let reached = formulas(&jump(3, 1), &facts);
        assert!(reached[1].is_certain());
        assert_eq!(reached[2].steps(), [1]);
        assert!(reached[2].terms().all(|(product, _)| product[1] != PassRelease));
    }
}
