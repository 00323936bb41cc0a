//! Meters: how much work a question has taken, and how much it may take.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use pellucid_model::error::{Error, ErrorKind, Result};

use super::Budget;

/// Counts states against limits; shared by threads.
#[derive(Debug)]
pub(crate) struct Meter {
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
    pub(crate) fn new(budget: Budget) -> Self {
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
    pub(crate) fn spend(&self, states: u64) -> Result<()> {
        let now = self.states.fetch_add(states, Ordering::Relaxed) + states;
        if now > self.limit {
            // How far beyond the limit it would have gone is not known.
            return Err(refuse(&format!("more than {:.1e} states, the limit", self.limit as f64), RAISE));
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
        let need = format!("more than {:.0} seconds here, the limit ({} states so far)", self.seconds, self.states());
        Err(refuse(&need, RAISE))
    }

    /// Refuses work that needs `2^log` states, when that is more than the limit.
    pub(super) fn afford(&self, log: f64) -> Result<()> {
        if log > (self.limit as f64).log2() { Err(self.beyond("about", log)) } else { Ok(()) }
    }

    /// Refuses work that needs at most about `2^log` states, when that is out of all proportion to the limit.
    pub(super) fn foresee(&self, log: f64) -> Result<()> {
        // The estimate is an upper bound that pruning and shared states undercut by orders of magnitude.
        if log > (self.limit as f64).log2() + 30.0 { Err(self.beyond("up to about", log)) } else { Ok(()) }
    }

    /// Refuses to hold so many bytes for one part.
    pub(super) fn hold(&self, bytes: f64) -> Result<()> {
        if bytes <= self.bytes as f64 {
            return Ok(());
        }
        let gib = |bytes: f64| bytes / f64::from(1u32 << 30);
        let need = format!("about {:.1} GiB of memory, limit {:.1} GiB", gib(bytes), gib(self.bytes as f64));
        Err(refuse(&need, ESTIMATE))
    }

    /// The answer to work that needs `2^log` states, `how` saying how sure that is.
    fn beyond(&self, how: &str, log: f64) -> Error {
        let states = log.exp2();
        let states = if states.is_finite() { format!("{states:.1e}") } else { format!("2^{log:.0}") };
        refuse(&format!("{how} {states} states, limit {:.1e}", self.limit as f64), RAISE)
    }

    /// States counted so far.
    pub(crate) fn states(&self) -> u64 {
        self.states.load(Ordering::Relaxed)
    }
}

/// What a command may offer against limits of a budget.
const RAISE: &str = "a higher limit or an estimate";

/// What a command may offer where no limit of states or seconds stands in the way.
const ESTIMATE: &str = "an estimate";

/// The answer to states with a part of `bits` bits, as `part` says, where `most` fit; no budget changes that.
pub(super) fn too_wide(bits: usize, part: &str, most: usize) -> Error {
    refuse(&format!("{bits} bits {part}, where {most} fit"), ESTIMATE)
}

/// The typed answer that counting needs more than there is.
fn refuse(need: &str, offer: &str) -> Error {
    let message = format!(
        "exact disclosure sets need {need}; use fewer, smaller or nested functions or the exclusive strategy, or, where the \
         command offers it, {offer}"
    );
    Error::new(ErrorKind::LimitExceeded, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreseen_number_of_states_is_written_however_large_it_is() {
        let meter = Meter::new(Budget { states: 1 << 10, ..Budget::default() });
        let refusal = |log: f64| meter.foresee(log).unwrap_err().to_string();
        assert!(meter.foresee(40.0).is_ok());
        // 2^50 is about 1.1e15.
        assert!(refusal(50.0).contains("need up to about 1.1e15 states, limit 1.0e3; "), "{}", refusal(50.0));
        assert!(refusal(5000.0).contains("need up to about 2^5000 states, limit 1.0e3; "), "{}", refusal(5000.0));
        assert!(meter.afford(10.0).is_ok());
        assert!(meter.afford(11.0).unwrap_err().to_string().contains("need about 2.0e3 states"));
    }
}
