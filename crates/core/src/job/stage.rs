//! The parts of a run, for whoever shows progress.

use crate::search::Progress;

/// The parts of a run, as they are announced; a search is announced again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Reading the table.
    Read,
    /// Making groups.
    Group,
    /// Counting what an adversary holds possible.
    Count,
    /// Searching the lattice of granulations.
    Search(Progress),
    /// Trying originals.
    Try {
        /// So many were tried.
        done: u64,
        /// Of so many.
        of: u64,
    },
    /// Showing groups.
    Show,
    /// Measuring privacy and utility.
    Measure,
    /// Asking queries.
    Query,
    /// Writing the release.
    Write,
}

impl Stage {
    /// What is said while it lasts.
    pub fn words(self) -> &'static str {
        match self {
            Self::Read => "reading the table",
            Self::Group => "making groups",
            Self::Count => "counting worlds",
            Self::Search(_) => "searching the lattice",
            Self::Try { .. } => "trying originals",
            Self::Show => "writing groups out",
            Self::Measure => "measuring privacy and utility",
            Self::Query => "asking queries",
            Self::Write => "saving the release",
        }
    }
}
