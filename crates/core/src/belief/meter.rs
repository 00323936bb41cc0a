//! Meters: how much work a question has taken, and how much it may take.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, ErrorKind, Result};

/// Counts states against a limit; shared by threads.
#[derive(Debug)]
pub(super) struct Meter {
    states: AtomicU64,
    limit: u64,
}

impl Meter {
    /// Nothing spent yet.
    pub(super) fn new(limit: u64) -> Self {
        Self { states: AtomicU64::new(0), limit }
    }

    /// Forgets what was spent: a new question begins.
    pub(super) fn restart(&self) {
        self.states.store(0, Ordering::Relaxed);
    }

    /// Counts `states` more.
    pub(super) fn spend(&self, states: u64) -> Result<()> {
        let before = self.states.fetch_add(states, Ordering::Relaxed);
        if before + states > self.limit { Err(self.refusal((before + states) as f64 * 2.0)) } else { Ok(()) }
    }

    /// Refuses work that needs about `2^log` states more, when that is out of all proportion to the limit.
    pub(super) fn foresee(&self, log: f64) -> Result<()> {
        // The estimate is an upper bound that pruning and shared states undercut by orders of magnitude.
        if log > (self.limit as f64).log2() + 30.0 { Err(self.refusal(log.exp2())) } else { Ok(()) }
    }

    /// The typed answer that counting needs more than is allowed.
    pub(super) fn refusal(&self, needs: f64) -> Error {
        Error::new(
            ErrorKind::LimitExceeded,
            format!(
                "exact disclosure sets need about {needs:.1e} states, limit {:.1e}; raise the limit, use fewer or smaller \
                 functions or the exclusive strategy, or ask for an estimate",
                self.limit as f64
            ),
        )
    }

    /// States counted so far.
    pub(super) fn states(&self) -> u64 {
        self.states.load(Ordering::Relaxed)
    }
}
