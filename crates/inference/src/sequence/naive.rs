//! The naive strategy: the first function whose groups pass.

use pellucid_model::error::Result;
use pellucid_model::registry::{EntryArgs, NO_PARAMETERS, ProofStatus, RegistryEntry};

use super::{StepLooks, StepRule, Strategy};

/// Releases the first function whose permutation set passes.
///
/// # Guarantee
/// None against an adversary who knows the sequence: that the earlier functions failed rules worlds out. It is here as
/// the baseline that the other strategies mend.
/// # Reference
/// Liu, Wang, Zhang, "k-jump strategy for preserving privacy in micro-data disclosure", ICDT 2010, table 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NaiveStrategy;

impl Strategy for NaiveStrategy {
    fn id(&self) -> &'static str {
        ENTRY.id
    }

    fn describe(&self) -> String {
        "the first function whose groups pass the principle".into()
    }

    fn rules(&self, steps: usize) -> Result<Vec<StepRule>> {
        Ok(vec![StepRule { looks: StepLooks::Permutation, jump: 1 }; steps])
    }

    fn is_safe(&self) -> bool {
        false
    }
}

/// The registry entry of the naive strategy.
pub const ENTRY: RegistryEntry<dyn Strategy> = RegistryEntry {
    id: "naive",
    summary: "the first function whose groups pass; unsafe once the sequence is known",
    reference: "Liu, Wang and Zhang 2010, table 5",
    status: ProofStatus::Published,
    claims: &[],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_: &EntryArgs| Ok(Box::new(NaiveStrategy)),
};
