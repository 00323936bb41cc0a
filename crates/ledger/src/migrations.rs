//! The numbered steps by which a ledger came to its present form.
//!
//! A step is never changed once it was released: ledgers exist that were made by it. Each sets the version that the
//! ledger keeps of itself.

use pellucid_model::error::{Error, Result};

/// The steps of an SQLite ledger.
pub(crate) const SQLITE: &[&str] = &[
    include_str!("../migrations/sqlite/0001_first.sql"),
    include_str!("../migrations/sqlite/0002_gate.sql"),
    include_str!("../migrations/sqlite/0003_promises.sql"),
];

/// The steps of a PostgreSQL ledger.
pub(crate) const POSTGRES: &[&str] = &[
    include_str!("../migrations/postgres/0001_first.sql"),
    include_str!("../migrations/postgres/0002_gate.sql"),
    include_str!("../migrations/postgres/0003_promises.sql"),
];

/// What was found where a ledger should be.
#[derive(Clone, Copy)]
pub(crate) enum LedgerState {
    /// Nothing at all.
    Nothing,
    /// Tables of something else.
    Other,
    /// A ledger of this version.
    Version(i64),
}

impl LedgerState {
    /// Those of `steps` that are still to be taken at `place`.
    pub(crate) fn pending<'a>(self, steps: &'a [&'a str], place: &str) -> Result<&'a [&'a str]> {
        match self {
            Self::Nothing => Ok(steps),
            Self::Other => Err(Error::bad_input(format!(
                "`{place}` holds tables of something else and is no ledger; name another place"
            ))),
            Self::Version(version) => match usize::try_from(version) {
                Ok(taken) if (1..=steps.len()).contains(&taken) => Ok(&steps[taken..]),
                Ok(newer @ 1..) => Err(Error::bad_input(format!(
                    "the ledger `{place}` has version {newer}, and this Pellucid knows versions up to {}; use a newer \
                     Pellucid",
                    steps.len()
                ))),
                _ => Err(damaged(place)),
            },
        }
    }
}

/// There is no ledger at `place`, and there must be one.
pub(crate) fn missing(place: &str) -> Error {
    Error::invalid(format!("there is no ledger at `{place}` yet; add a view first, or check the place"))
}

/// The ledger at `place` cannot be what was written.
pub(crate) fn damaged(place: &str) -> Error {
    Error::bad_input(format!(
        "the ledger `{place}` is damaged, so it cannot be told what was shown; restore it from a copy, and show nothing \
         until then"
    ))
}

/// Somebody else holds the ledger at `place`.
pub(crate) fn locked(place: &str) -> Error {
    Error::new(
        pellucid_model::error::ErrorKind::Io,
        format!(
            "the ledger `{place}` is held by another process, and nothing was recorded; wait until that has ended and \
             run again"
        ),
    )
}
