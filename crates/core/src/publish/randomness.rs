//! Where random choices come from.
//!
//! Choices that protect people are drawn from the operating system. A seed exists for tests and experiments only: an
//! adversary who knows it can replay `Assign` and wins, so a release made with one is marked as not for publication.

use std::cell::RefCell;
use std::convert::Infallible;

use rand::rngs::SysRng;
use rand::{SeedableRng, TryRng};
use rand_chacha::ChaCha20Rng;

use crate::error::{Error, ErrorKind, Result};

/// The source of all random choices of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Randomness {
    /// The operating system's entropy.
    System,
    /// Replayable choices; never for a release that is published.
    InsecureSeed(u64),
}

impl Randomness {
    /// Fails when the operating system has no entropy to give, so that later draws need no error path.
    pub fn check(self) -> Result<Self> {
        if self == Self::System {
            SysRng.try_next_u64().map_err(|error| {
                Error::new(ErrorKind::Io, format!("the operating system gives no random numbers: {error}"))
            })?;
        }
        Ok(self)
    }

    /// Whether the run can be replayed by somebody who knows the seed.
    pub fn is_insecure(self) -> bool {
        matches!(self, Self::InsecureSeed(_))
    }

    /// A generator for one part of the work. Different parts get independent numbers, so that the result does not depend
    /// on how the work is spread over threads: `purpose` says what for, `group` and `item` which.
    pub fn stream(self, purpose: Purpose, group: u64, item: u64) -> Source {
        match self {
            Self::System => Source::System,
            Self::InsecureSeed(seed) => {
                let mut key = [0; 32];
                key[..8].copy_from_slice(&seed.to_le_bytes());
                key[8..16].copy_from_slice(&group.to_le_bytes());
                key[16] = purpose as u8;
                let mut generator = ChaCha20Rng::from_seed(key);
                generator.set_stream(item);
                Source::Seeded(Box::new(generator))
            }
        }
    }
}

/// What random numbers are drawn for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The order of rows that nothing public tells apart.
    Ties,
    /// Which label an unprotected row gets.
    Labels,
    /// Which bucket a row goes to.
    Deal,
    /// How far a strategy jumps.
    Jumps,
    /// Which worlds an estimate looks at.
    Worlds,
}

/// Bytes fetched from the operating system at a time.
const PAGE: usize = 4096;

/// Bytes fetched from the operating system and not yet used.
struct Pool {
    bytes: [u8; PAGE],
    used: usize,
}

thread_local! {
    /// One pool a thread, so that short draws do not each cost a call to the system.
    static POOL: RefCell<Pool> = const { RefCell::new(Pool { bytes: [0; PAGE], used: PAGE }) };
}

/// A random number generator made by [`Randomness::stream`].
#[derive(Debug)]
pub enum Source {
    /// The operating system, a page at a time; every byte is used once.
    System,
    /// `ChaCha20` from a seed.
    Seeded(Box<ChaCha20Rng>),
}

impl Pool {
    #[inline]
    fn take<const N: usize>(&mut self) -> [u8; N] {
        if self.used + N > PAGE {
            // `Randomness::check` has drawn from the same source; failing later means that the system is going down,
            // and no release may be made without entropy.
            assert!(
                SysRng.try_fill_bytes(&mut self.bytes).is_ok(),
                "the operating system stopped giving random numbers"
            );
            self.used = 0;
        }
        let taken = std::array::from_fn(|at| self.bytes[self.used + at]);
        self.bytes[self.used..self.used + N].fill(0);
        self.used += N;
        taken
    }
}

impl TryRng for Source {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        match self {
            Self::System => Ok(u32::from_le_bytes(POOL.with_borrow_mut(Pool::take))),
            Self::Seeded(generator) => generator.try_next_u32(),
        }
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        match self {
            Self::System => Ok(u64::from_le_bytes(POOL.with_borrow_mut(Pool::take))),
            Self::Seeded(generator) => generator.try_next_u64(),
        }
    }

    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Infallible> {
        for byte in dst {
            *byte = self.try_next_u32()? as u8;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn seeded_streams_repeat_and_differ() {
        let draw = |seed, purpose, group, item| Randomness::InsecureSeed(seed).stream(purpose, group, item).next_u64();
        assert_eq!(draw(7, Purpose::Deal, 1, 1), draw(7, Purpose::Deal, 1, 1));
        for other in [draw(8, Purpose::Deal, 1, 1), draw(7, Purpose::Ties, 1, 1), draw(7, Purpose::Deal, 2, 1)] {
            assert_ne!(draw(7, Purpose::Deal, 1, 1), other);
        }
        assert_ne!(draw(7, Purpose::Deal, 1, 1), draw(7, Purpose::Deal, 1, 2));
    }

    #[test]
    fn the_system_never_repeats_itself() {
        let mut source = Randomness::System.check().unwrap().stream(Purpose::Ties, 0, 0);
        let mut drawn: Vec<u64> = (0..2000).map(|_| source.next_u64()).collect();
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn.len(), 2000);
    }
}
