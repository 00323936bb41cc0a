//! Publishers: algorithms from a table to groups, or to nothing.
//!
//! Start with [`Publisher`] and [`PUBLISHERS`]. The way of the data: a [`PublisherInput`] binds principles to columns, a frame lays out
//! the quasi-identifiers (`frame.rs`), the cutting engine (`cut.rs`, `block.rs`, `slice.rs`, `tailor.rs`, `ace.rs`) makes
//! groups of rows ([`PublisherOutput`]), and `transparent.rs` holds the registry entries. `sequence/` walks along a sequence of functions instead, each
//! of which fixes the groups by quasi-identifiers alone. Baselines and targets of attack, which are not transparent, are in
//! [`mondrian`], `opt_gen.rs`, `mask.rs` and `vul_gen.rs`, on `grid.rs` and `requirements.rs`; `best_of.rs` keeps the best of what
//! several publishers answer. How groups are shown is the business of [`crate::function`].

mod ace;
mod amount;
mod assign;
mod block;
mod cells;
mod cut;
pub mod demonstration;
mod frame;
mod grid;
mod histograms;
mod input;
pub mod mondrian;
mod output;
mod requirements;
mod search;
mod sequence;
mod slice;
pub(crate) mod statement;
mod tailor;
mod transparent;

use std::fmt::Debug;

pub use assign::{BucketSignature, signatures};
pub use input::{IneligibleTable, NoRelease, PrivacyGoal, PublisherInput};
pub use output::{AlteredValues, PublisherAnswer, PublisherOutput};
pub use search::{FoundGranulation, SearchAccount};
pub use sequence::{EvaluationRecord, NaiveLeak, SequenceAccount, SilenceAssumption, StepAccount};

use pellucid_inference::evidence::Evidence;
use pellucid_model::error::{Error, Result};
use pellucid_model::progress::RunStage;
use pellucid_model::promise::PromiseClass;
use pellucid_model::randomness::RandomSource;
use pellucid_model::registry::RegistryEntry;

/// What the manifest says of a publisher, besides its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublisherStatement {
    /// The class of what is promised.
    pub promise: PromiseClass,
    /// What is promised, against whom; goes on after "this".
    pub guarantee: String,
    /// Why a release that is made so may not be published, when it may not.
    pub caveat: Option<String>,
    /// Why an adversary who knows the mechanism learns more than the principle says, where that is so.
    pub not_transparent: Option<String>,
    /// Whether random choices are made.
    pub draws: bool,
}

/// An algorithm from a table to groups, or to nothing.
pub trait Publisher: Debug + Send + Sync {
    /// Fails when the publisher cannot meet what the plan asks for, whatever the table holds.
    fn accepts(&self, plan: &PublisherInput<'_>) -> Result<()>;

    /// What the manifest says of it when it is used as `plan` asks.
    fn statement(&self, plan: &PublisherInput<'_>) -> PublisherStatement;

    /// Whether groups come with a granulation, which gives every quasi column its labels.
    fn granulates(&self) -> bool {
        false
    }

    /// The function that shows its groups when the job names none.
    fn usual_function(&self) -> &'static str {
        "mbr"
    }

    /// What is said while it works.
    fn stage(&self) -> RunStage {
        if self.granulates() { RunStage::Count } else { RunStage::Group }
    }

    /// Whether it can leave rows out.
    fn suppresses(&self) -> bool {
        false
    }

    /// Whether every value that is published is the table's.
    fn keeps_values(&self) -> bool {
        true
    }

    /// What settles ties, where it is not the base order.
    fn ties(&self) -> Option<&'static str> {
        None
    }

    /// Why the parameter `name`, when it is given, would mean nothing beside the others, and what to do.
    fn ignores(&self, _name: &str) -> Option<String> {
        None
    }

    /// What a search of the lattice finds, for publishers that search.
    fn explore(&self, _plan: &PublisherInput<'_>) -> Result<SearchAccount> {
        Err(Error::invalid("this publisher searches no lattice; set `publisher = \"search\"` in [method]"))
    }

    /// What an attacker who knows the publisher learns from `output`, which it made of `plan`, besides the groups.
    fn evidence(&self, _plan: &PublisherInput<'_>, _output: &PublisherOutput) -> Result<Evidence> {
        Ok(Evidence::Unknown("it cannot be told group by group".to_owned()))
    }

    /// Makes the groups, or answers nothing.
    fn publish(&self, plan: &PublisherInput<'_>, randomness: RandomSource<'_>) -> Result<PublisherAnswer>;
}

/// All publishers.
pub static PUBLISHERS: &[RegistryEntry<dyn Publisher>] = &[
    transparent::HYBRID,
    transparent::TAILOR,
    transparent::ACE,
    sequence::ENTRY,
    search::ENTRY,
    mondrian::ENTRY,
    demonstration::OPT_GEN,
    demonstration::MASK,
    demonstration::VUL_GEN,
    demonstration::BEST_OF,
];
