//! Evidence: what somebody who knows a publisher learns from a release besides its groups.

/// A partition of some rows of which not every part passes. It cuts groups of the release, or joins parts of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rejected {
    /// Rows, each in one part.
    pub parts: Vec<Vec<u32>>,
}

/// What a release tells besides its groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence {
    /// Nothing beyond what the principles allow: there is a proof.
    Proven,
    /// Partitions that were looked at and rejected before the groups were chosen.
    Rejected(Vec<Rejected>),
    /// Something that is not known in such a form; why.
    Unknown(String),
}
