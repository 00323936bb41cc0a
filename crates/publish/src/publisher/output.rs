//! What a publisher makes of a table.

use std::collections::BTreeMap;

use pellucid_model::granulation::Granulation;
use pellucid_model::manifest::{PublishedGrain, PublishedSearch, PublishedSequence};
use pellucid_model::partition::Partition;

use super::{NoRelease, SearchAccount, SequenceAccount};

/// Groups of rows, with what else is needed to show them and to say how they came about. Publishers fill the sections that they have.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PublisherOutput {
    /// Groups of rows; their order and the order inside them have no meaning. Rows in no group are left out of the release.
    pub groups: Partition,
    /// How coarsely every quasi column is shown, where groups came with a granulation.
    pub granulation: Option<Granulation>,
    /// Values that are not the table's.
    pub altered: Option<AlteredValues>,
    /// What the manifest says of the sequence that the release is a function of.
    pub sequence: Option<PublishedSequence>,
    /// What the manifest says of the search that found the granulation.
    pub search: Option<PublishedSearch>,
    /// By quasi column, how coarsely it is shown, where the manifest says no more than that.
    pub levels: Option<BTreeMap<String, PublishedGrain>>,
    /// What was seen along the sequence; never published.
    pub walk: Option<Box<SequenceAccount>>,
    /// What the search saw; never published.
    pub searched: Option<Box<SearchAccount>>,
}

/// Values of a sensitive column as they are shown instead of the table's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlteredValues {
    /// The sensitive column.
    pub column: String,
    /// By row, the code that is shown.
    pub codes: Vec<u32>,
}

/// What a publisher answers: an output, or why nothing can be disclosed.
pub type PublisherAnswer = Result<PublisherOutput, NoRelease>;

impl From<Partition> for PublisherOutput {
    fn from(groups: Partition) -> Self {
        Self { groups, ..Self::default() }
    }
}

impl PublisherOutput {
    /// How finely the quasi column `name` is seen, where the release says so.
    pub fn grain(&self, name: &str) -> Option<&PublishedGrain> {
        let sequence = self.sequence.as_ref();
        let step = sequence.and_then(|sequence| sequence.functions.get(sequence.released.checked_sub(1)?));
        step.map(|function| &function.columns).or(self.levels.as_ref())?.get(name)
    }
}
