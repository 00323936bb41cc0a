//! Meters: how much work a question has taken, and how much it may take.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::Budget;
use crate::error::{Error, ErrorKind, Result};

/// Counts states against limits; shared by threads.
#[derive(Debug)]
pub(super) struct Meter {
    states: AtomicU64,
    limit: u64,
    seconds: f64,
    bytes: u64,
    started: Mutex<Instant>,
    /// The count at which the clock is looked at next.
    glance: AtomicU64,
}

/// States between two looks at the clock.
const STRIDE: u64 = 1 << 14;

impl Meter {
    /// Nothing spent yet.
    pub(super) fn new(budget: Budget) -> Self {
        let Budget { states, seconds, bytes } = budget;
        let glance = AtomicU64::new(STRIDE);
        Self { states: AtomicU64::new(0), limit: states, seconds, bytes, started: Mutex::new(Instant::now()), glance }
    }

    /// Forgets what was spent: a new question begins.
    pub(super) fn restart(&self) {
        self.states.store(0, Ordering::Relaxed);
        self.glance.store(STRIDE, Ordering::Relaxed);
        *self.started.lock().expect("no thread panicked") = Instant::now();
    }

    /// Counts `states` more.
    pub(super) fn spend(&self, states: u64) -> Result<()> {
        let now = self.states.fetch_add(states, Ordering::Relaxed) + states;
        if now > self.limit {
            return Err(self.refusal(now as f64 * 2.0));
        }
        if now >= self.glance.load(Ordering::Relaxed) {
            self.glance.store(now + STRIDE, Ordering::Relaxed);
            self.check_clock()?;
        }
        Ok(())
    }

    /// Refuses once the time is used up.
    pub(super) fn check_clock(&self) -> Result<()> {
        let spent = self.started.lock().expect("no thread panicked").elapsed().as_secs_f64();
        if spent <= self.seconds {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::LimitExceeded,
            format!(
                "exact disclosure sets need more than {:.0} seconds here, the limit ({} states so far); use fewer, smaller \
                 or nested functions or the exclusive strategy, or, where the command offers it, a higher limit or an estimate",
                self.seconds,
                self.states()
            ),
        ))
    }

    /// Refuses work that needs `2^log` states, when that is more than the limit.
    pub(super) fn afford(&self, log: f64) -> Result<()> {
        if log > (self.limit as f64).log2() { Err(self.refusal(log.exp2())) } else { Ok(()) }
    }

    /// Refuses work that needs at most about `2^log` states, when that is out of all proportion to the limit.
    pub(super) fn foresee(&self, log: f64) -> Result<()> {
        // The estimate is an upper bound that pruning and shared states undercut by orders of magnitude.
        if log > (self.limit as f64).log2() + 30.0 { Err(self.refusal(log.exp2())) } else { Ok(()) }
    }

    /// Refuses to hold so many bytes for one part.
    pub(super) fn hold(&self, bytes: f64) -> Result<()> {
        if bytes <= self.bytes as f64 {
            return Ok(());
        }
        let gib = |bytes: f64| bytes / f64::from(1u32 << 30);
        Err(Error::new(
            ErrorKind::LimitExceeded,
            format!(
                "exact disclosure sets need about {:.1} GiB of memory, limit {:.1}; use fewer, smaller or nested functions or \
                 the exclusive strategy, or, where the command offers it, an estimate",
                gib(bytes),
                gib(self.bytes as f64)
            ),
        ))
    }

    /// The typed answer that counting needs more than is allowed.
    pub(super) fn refusal(&self, needs: f64) -> Error {
        Error::new(
            ErrorKind::LimitExceeded,
            format!(
                "exact disclosure sets need about {needs:.1e} states, limit {:.1e}; use fewer, smaller or nested \
                 functions or the exclusive strategy, or, where the command offers it, a higher limit or an estimate",
                self.limit as f64
            ),
        )
    }

    /// States counted so far.
    pub(super) fn states(&self) -> u64 {
        self.states.load(Ordering::Relaxed)
    }
}
