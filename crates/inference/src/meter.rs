//! Meters: how much work counting has taken, how much it may take, and what is said when that is too little.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use dashu_base::BitTest;
use dashu_int::UBig;
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::words::counted;

use crate::budget::Budget;

/// What is counted, as a refusal names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CountingSubject {
    /// What an adversary who knows a sequence of functions believes at a step, from 1.
    Step { step: usize, people: usize },
    /// What they believe when nothing is released.
    Silence { people: usize },
    /// Groups of a release that rejected partitions tie together.
    Cluster { people: usize, groups: usize, rejected: usize },
    /// Views that overlap.
    Views { people: usize, views: usize },
}

impl fmt::Display for CountingSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let people = |many: usize| counted(many, "person", "people");
        match *self {
            Self::Step { step, people: many } => {
                write!(f, "the disclosure set of step {step} for {}", people(many))
            }
            Self::Silence { people: many } => write!(f, "what silence tells of {}", people(many)),
            Self::Cluster { people: many, groups, rejected } => write!(
                f,
                "a cluster of {} in {} and {}",
                people(many),
                counted(groups, "group", "groups"),
                counted(rejected, "rejected partition", "rejected partitions")
            ),
            Self::Views { people: many, views } => {
                write!(f, "{} in {}", people(many), counted(views, "view", "overlapping views"))
            }
        }
    }
}

/// A limit that was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    States,
    Seconds,
    Bytes,
    /// What can be written at all; no budget changes that.
    Form,
}

impl CountingSubject {
    /// What to do when counting meets a limit.
    fn remedy(self, limit: Limit) -> &'static str {
        match (self, limit) {
            (Self::Step { .. } | Self::Silence { .. }, Limit::States | Limit::Seconds) => {
                "use fewer, smaller or nested functions or the exclusive strategy, or, where the command offers it, a higher limit or an \
                 estimate"
            }
            (Self::Step { .. } | Self::Silence { .. }, Limit::Bytes | Limit::Form) => {
                "use fewer, smaller or nested functions or the exclusive strategy, or, where the command offers it, an estimate"
            }
            (Self::Cluster { .. }, Limit::Seconds) => "allow more `--seconds`",
            (Self::Cluster { .. }, Limit::States) => "allow more with `--budget`, which makes estimates better too",
            (Self::Cluster { .. }, Limit::Bytes | Limit::Form) => {
                "attack a release with fewer groups that are tied together"
            }
            (Self::Views { .. }, Limit::States | Limit::Seconds) => {
                "ask about fewer views, or, where the command offers it, allow more or an estimate"
            }
            (Self::Views { .. }, Limit::Bytes | Limit::Form) => {
                "ask about fewer views, or, where the command offers it, allow an estimate"
            }
        }
    }
}

/// Counts states, bytes and seconds against limits; shared by threads.
#[derive(Debug)]
pub(crate) struct BudgetMeter {
    asked: Mutex<Asked>,
    states: Arc<AtomicU64>,
    limit: u64,
    seconds: Option<f64>,
    bytes: u64,
    /// Bytes held by this meter and those of all other parts of the question.
    held: Arc<AtomicU64>,
    /// Whether memory was refused that would have been there without the other parts.
    crowded: Arc<AtomicBool>,
    /// The count at which the clock is looked at next.
    glance: AtomicU64,
}

#[derive(Debug, Clone, Copy)]
struct Asked {
    subject: CountingSubject,
    begun: Instant,
}

/// States between two looks at the clock.
const STRIDE: u64 = 1 << 14;

impl BudgetMeter {
    /// Nothing spent yet.
    pub(crate) fn new(budget: Budget, subject: CountingSubject) -> Self {
        Self {
            asked: Mutex::new(Asked { subject, begun: Instant::now() }),
            states: Arc::default(),
            limit: budget.states,
            seconds: budget.seconds,
            bytes: budget.bytes,
            held: Arc::default(),
            crowded: Arc::default(),
            glance: AtomicU64::new(STRIDE),
        }
    }

    /// A meter for `subject`, a part of the question: with states of its own, and with the clock and the memory of all parts.
    pub(crate) fn part(&self, subject: CountingSubject) -> Self {
        Self { asked: Mutex::new(Asked { subject, ..self.asked() }), crowded: Arc::default(), ..self.again() }
    }

    /// The same meter, which calls `subject` what is counted.
    pub(crate) fn about(&self, subject: CountingSubject) -> Self {
        Self { asked: Mutex::new(Asked { subject, ..self.asked() }), states: Arc::clone(&self.states), ..self.again() }
    }

    /// A meter for the same with no states spent.
    pub(crate) fn again(&self) -> Self {
        Self {
            asked: Mutex::new(self.asked()),
            states: Arc::default(),
            held: Arc::clone(&self.held),
            crowded: Arc::clone(&self.crowded),
            glance: AtomicU64::new(STRIDE),
            ..*self
        }
    }

    fn asked(&self) -> Asked {
        *self.asked.lock().expect("no thread panicked")
    }

    /// Forgets what was spent: a new question begins.
    pub(crate) fn restart(&self, subject: CountingSubject) {
        self.states.store(0, Ordering::Relaxed);
        self.glance.store(STRIDE, Ordering::Relaxed);
        *self.asked.lock().expect("no thread panicked") = Asked { subject, begun: Instant::now() };
    }

    /// Counts `states` more.
    pub(crate) fn spend(&self, states: u64) -> Result<()> {
        let now = self.states.fetch_add(states, Ordering::Relaxed) + states;
        if now > self.limit {
            // How far beyond the limit it would have gone is not known.
            return Err(self.refuse(&format!("more than {:.1e} states, the limit", self.limit as f64), Limit::States));
        }
        if now >= self.glance.load(Ordering::Relaxed) {
            self.glance.store(now + STRIDE, Ordering::Relaxed);
            self.check_clock()?;
        }
        Ok(())
    }

    /// Whether the time is used up.
    pub(crate) fn is_late(&self) -> bool {
        self.seconds.is_some_and(|seconds| self.asked().begun.elapsed().as_secs_f64() > seconds)
    }

    /// Refuses once the time is used up.
    pub(crate) fn check_clock(&self) -> Result<()> {
        match self.seconds {
            Some(seconds) if self.is_late() => {
                let seconds = (seconds * 10.0).round() / 10.0;
                let need = format!("more than {seconds} seconds, the limit ({} states so far)", self.states());
                Err(self.refuse(&need, Limit::Seconds))
            }
            _ => Ok(()),
        }
    }

    /// Refuses work that needs `2^log` states, when that is more than the limit.
    pub(crate) fn afford(&self, log: f64) -> Result<()> {
        if log > (self.limit as f64).log2() { Err(self.beyond("about", log)) } else { Ok(()) }
    }

    /// Refuses work that needs at most about `2^log` states, when that is out of all proportion to the limit.
    pub(crate) fn foresee(&self, log: f64) -> Result<()> {
        // The estimate is an upper bound that pruning and shared states undercut by orders of magnitude.
        if log > (self.limit as f64).log2() + 30.0 { Err(self.beyond("up to about", log)) } else { Ok(()) }
    }

    /// Refuses to hold so many bytes for one part.
    pub(crate) fn fits(&self, bytes: f64) -> Result<()> {
        if bytes <= self.bytes as f64 { Ok(()) } else { Err(self.too_large(bytes)) }
    }

    /// An account of memory for something that grows.
    pub(crate) fn holding(&self) -> HeldMemory {
        HeldMemory { meter: self.about(self.asked().subject), bytes: 0, noted: 0 }
    }

    /// Bytes that may be held at one time.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether memory was refused that would have been there without the other parts of the question.
    pub(crate) fn was_crowded(&self) -> bool {
        self.crowded.load(Ordering::Relaxed)
    }

    fn too_large(&self, bytes: f64) -> Error {
        self.refuse(&format!("about {} of memory, limit {}", size(bytes), size(self.bytes as f64)), Limit::Bytes)
    }

    /// The answer to work that needs what there is no form for, as `need` says; no budget changes that.
    pub(crate) fn unfit(&self, need: &str) -> Error {
        self.refuse(need, Limit::Form)
    }

    /// What a question of its own may take that is a part of this one.
    pub(crate) fn left(&self) -> Budget {
        let all = Budget { states: self.limit, bytes: self.bytes, seconds: self.seconds, sampling: None };
        all.since(self.asked().begun)
    }

    /// The answer to work that needs `2^log` states, `how` saying how sure that is.
    fn beyond(&self, how: &str, log: f64) -> Error {
        let states = log.exp2();
        let states = if states.is_finite() { format!("{states:.1e}") } else { format!("2^{log:.0}") };
        self.refuse(&format!("{how} {states} states, limit {:.1e}", self.limit as f64), Limit::States)
    }

    /// States counted so far.
    pub(crate) fn states(&self) -> u64 {
        self.states.load(Ordering::Relaxed)
    }

    /// The typed answer that counting needs more than there is.
    fn refuse(&self, need: &str, limit: Limit) -> Error {
        let subject = self.asked().subject;
        let message = format!("counting {subject} takes {need}; {}", subject.remedy(limit));
        Error::new(ErrorKind::LimitExceeded, message)
    }
}

/// Memory that something holds; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct HeldMemory {
    meter: BudgetMeter,
    bytes: u64,
    /// What of it all parts know of.
    noted: u64,
}

/// Bytes after which all parts are told.
const GRAIN: u64 = 1 << 16;

impl HeldMemory {
    /// Counts so many bytes more.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<()> {
        self.bytes += bytes as u64;
        let more = self.bytes - self.noted;
        if more < GRAIN && self.bytes <= self.meter.bytes {
            return Ok(());
        }
        self.noted = self.bytes;
        let all = self.meter.held.fetch_add(more, Ordering::Relaxed) + more;
        if all <= self.meter.bytes {
            return Ok(());
        }
        if self.bytes <= self.meter.bytes {
            self.meter.crowded.store(true, Ordering::Relaxed);
        }
        Err(self.meter.too_large(all as f64))
    }

    /// Gives so many bytes back.
    pub(crate) fn shrink(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes as u64);
        let known = self.noted.saturating_sub(self.bytes);
        self.noted -= known;
        self.meter.held.fetch_sub(known, Ordering::Relaxed);
    }
}

impl Drop for HeldMemory {
    fn drop(&mut self) {
        self.meter.held.fetch_sub(self.noted, Ordering::Relaxed);
    }
}

/// Bytes that a number takes in a list, on the heap too when it has more than two words.
pub(crate) fn bytes_of(number: &UBig) -> usize {
    let words = number.bit_len().div_ceil(64);
    size_of::<UBig>() + if words > 2 { 8 * words + ALLOCATED } else { 0 }
}

/// Bytes that a list of `len` numbers takes behind a pointer.
pub(crate) const fn bytes_behind(len: usize) -> usize {
    size_of::<Box<[u32]>>() + 4 * len + ALLOCATED
}

/// Bytes that an allocation takes besides what was asked for.
const ALLOCATED: usize = 16;

/// A number of bytes, in words.
fn size(bytes: f64) -> String {
    let mib = bytes / f64::from(1u32 << 20);
    if mib < 1024.0 { format!("{mib:.1} MiB") } else { format!("{:.1} GiB", mib / 1024.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter(states: u64) -> BudgetMeter {
        BudgetMeter::new(Budget { states, ..Budget::question() }, CountingSubject::Step { step: 2, people: 12 })
    }

    #[test]
    fn a_foreseen_number_of_states_is_written_however_large_it_is() {
        let meter = meter(1 << 10);
        let refusal = |log: f64| meter.foresee(log).unwrap_err().to_string();
        assert!(meter.foresee(40.0).is_ok());
        // 2^50 is about 1.1e15.
        assert!(refusal(50.0).contains("takes up to about 1.1e15 states, limit 1.0e3; "), "{}", refusal(50.0));
        assert!(refusal(5000.0).contains("takes up to about 2^5000 states, limit 1.0e3; "), "{}", refusal(5000.0));
        assert!(meter.afford(10.0).is_ok());
        assert!(meter.afford(11.0).unwrap_err().to_string().contains("takes about 2.0e3 states"));
    }

    #[test]
    fn a_refusal_names_what_was_counted_its_size_the_limit_and_the_remedy_there() {
        let refusal = |subject: CountingSubject| {
            BudgetMeter::new(Budget { states: 10, ..Budget::attack() }, subject).spend(11).unwrap_err().to_string()
        };
        let step = refusal(CountingSubject::Step { step: 2, people: 12 });
        assert!(step.starts_with("counting the disclosure set of step 2 for 12 people takes more than 1.0e1 states"));
        assert!(step.contains("the exclusive strategy"), "{step}");
        let cluster = refusal(CountingSubject::Cluster { people: 30, groups: 4, rejected: 3 });
        assert!(
            cluster.starts_with("counting a cluster of 30 people in 4 groups and 3 rejected partitions takes more")
        );
        assert!(cluster.contains("`--budget`") && !cluster.contains("strategy"), "{cluster}");
        let views = refusal(CountingSubject::Views { people: 84, views: 3 });
        assert!(views.starts_with("counting 84 people in 3 overlapping views takes more"), "{views}");
        assert!(views.contains("fewer views") && !views.contains("strategy"), "{views}");
    }

    #[test]
    fn parts_share_memory_and_give_it_back() {
        let all = BudgetMeter::new(
            Budget { bytes: 1 << 20, ..Budget::attack() },
            CountingSubject::Views { people: 9, views: 2 },
        );
        let (one, other) = (all.part(all.asked().subject), all.part(all.asked().subject));
        let mut held = one.holding();
        held.grow(700 << 10).unwrap();
        let refused = other.holding().grow(400 << 10).unwrap_err().to_string();
        assert!(refused.contains("takes about 1.1 MiB of memory, limit 1.0 MiB; "), "{refused}");
        assert!(other.was_crowded() && !one.was_crowded(), "alone it would fit");
        held.shrink(400 << 10);
        other.holding().grow(400 << 10).unwrap();
        drop(held);
        assert_eq!(all.held.load(Ordering::Relaxed), 0);
        assert!(other.holding().grow(2 << 20).is_err());
    }

    #[test]
    fn parts_share_the_clock_and_have_states_of_their_own() {
        let all = BudgetMeter::new(
            Budget { states: 10, seconds: Some(0.0), ..Budget::attack() },
            CountingSubject::Silence { people: 3 },
        );
        let (one, other) = (all.part(all.asked().subject), all.again());
        assert!(one.spend(10).is_ok() && other.spend(10).is_ok() && one.spend(1).is_err());
        assert!(
            one.is_late() && other.check_clock().unwrap_err().to_string().contains("more than 0 seconds, the limit")
        );
    }
}
