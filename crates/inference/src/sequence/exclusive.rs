//! The exclusive strategy: when groups pass but their disclosure set does not, nothing is released.

use pellucid_model::claim::EntryClaim;
use pellucid_model::error::Result;
use pellucid_model::registry::{EntryArgs, NO_PARAMETERS, ProofStatus, RegistryEntry};

use super::{StepLooks, StepRule, Strategy};

/// Looks at the first function whose permutation set passes, and releases it or nothing.
///
/// # Guarantee
/// As for the safe strategy: a release is made only when its disclosure set passes. The two are incomparable in utility.
/// # Cost
/// No recursion: which worlds are left depends on whether groups pass, never on other disclosure sets.
/// # Reference
/// Zhang, Wang, Jajodia, "Exclusive strategy for generalization algorithms in micro-data disclosure", `DBSec` 2008,
/// table 5. The same as k-jump with every jump going beyond the last step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExclusiveStrategy;

impl Strategy for ExclusiveStrategy {
    fn id(&self) -> &'static str {
        ENTRY.id
    }

    fn describe(&self) -> String {
        "the first function whose groups pass the principle, if its disclosure set does; otherwise nothing".into()
    }

    fn rules(&self, steps: usize) -> Result<Vec<StepRule>> {
        Ok(vec![StepRule { looks: StepLooks::Both, jump: steps }; steps])
    }
}

/// The registry entry of the exclusive strategy.
pub const ENTRY: RegistryEntry<dyn Strategy> = RegistryEntry {
    id: "exclusive",
    summary: "the first function whose groups pass, or nothing: no recursion",
    reference: "Zhang, Wang and Jajodia 2008, table 5",
    status: ProofStatus::Proven,
    claims: &[EntryClaim::Safety],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_: &EntryArgs| Ok(Box::new(ExclusiveStrategy)),
};
