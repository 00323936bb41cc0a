//! The safe (inclusive) strategy: the first function whose disclosure set passes.

use pellucid_model::claim::EntryClaim;
use pellucid_model::error::Result;
use pellucid_model::registry::{EntryArgs, NO_PARAMETERS, ProofStatus, RegistryEntry};

use super::{StepLooks, StepRule, Strategy};

/// Releases the first function whose disclosure set passes.
///
/// # Guarantee
/// The belief of an adversary who sees a release and knows the strategy is the disclosure set, which passed. Worlds in
/// which nothing is released are outside: whoever can see silence learns from it.
/// # Cost
/// Disclosure sets of later functions need those of earlier ones in every world: exponential in the number of functions
/// in the worst case.
/// # Reference
/// Liu, Wang, Zhang, "k-jump strategy for preserving privacy in micro-data disclosure", ICDT 2010, table 6; the inclusive
/// strategy of Zhang, Wang, Jajodia, "Exclusive strategy for generalization algorithms in micro-data disclosure",
/// `DBSec` 2008, table 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SafeStrategy;

impl Strategy for SafeStrategy {
    fn id(&self) -> &'static str {
        ENTRY.id
    }

    fn describe(&self) -> String {
        "the first function whose disclosure set passes the principle".into()
    }

    fn rules(&self, steps: usize) -> Result<Vec<StepRule>> {
        Ok(vec![StepRule { looks: StepLooks::Disclosure, jump: 1 }; steps])
    }
}

/// The registry entry of the safe strategy.
pub const ENTRY: RegistryEntry<dyn Strategy> = RegistryEntry {
    id: "safe",
    summary: "the first function whose disclosure set passes (inclusive strategy)",
    reference: "Liu, Wang and Zhang 2010, table 6",
    status: ProofStatus::Proven,
    claims: &[EntryClaim::Safety],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_: &EntryArgs| Ok(Box::new(SafeStrategy)),
};
