//! The parts of a run, for whoever shows progress.

use std::fmt;

use crate::error::Result;

/// How far a search has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SearchProgress {
    /// Granulations whose classes were made.
    pub checked: u64,
    /// Granulations that are decided, checked or not, or the generation of a genetic search.
    pub done: u64,
    /// Of how many.
    pub of: u64,
}

/// The parts of a run, as they are announced; a search is announced again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStage {
    /// Reading the table.
    Read,
    /// Making groups.
    Group,
    /// Counting what an adversary holds possible.
    Count,
    /// Searching the lattice of granulations.
    Search(SearchProgress),
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

impl RunStage {
    /// What is said while it lasts.
    pub fn label(self) -> &'static str {
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

/// Whom a publisher tells how far it has come.
#[derive(Clone, Copy)]
pub struct ProgressWatch<'a>(pub &'a dyn Fn(SearchProgress) -> Result<()>);

impl Default for ProgressWatch<'_> {
    fn default() -> Self {
        Self(&|_| Ok(()))
    }
}

impl fmt::Debug for ProgressWatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}
