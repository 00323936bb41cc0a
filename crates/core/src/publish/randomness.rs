//! Where random choices come from.
//!
//! Choices that protect people are drawn from the operating system. A seed exists for tests and experiments only: an
//! adversary who knows it can replay `Assign` and wins, so a release made with one is marked as not for publication.

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

    /// A generator for the part of the work called `stream`; parts get independent streams so that the result does not
    /// depend on how the work is spread over threads.
    pub fn stream(self, stream: u64) -> Source {
        match self {
            Self::System => Source::System(Box::new(Pool { bytes: [0; POOL], used: POOL })),
            Self::InsecureSeed(seed) => {
                let mut generator = ChaCha20Rng::seed_from_u64(seed);
                generator.set_stream(stream);
                Source::Seeded(Box::new(generator))
            }
        }
    }
}

const POOL: usize = 4096;

/// Bytes fetched from the operating system and not yet used.
#[derive(Debug)]
pub struct Pool {
    bytes: [u8; POOL],
    used: usize,
}

/// A random number generator made by [`Randomness::stream`].
#[derive(Debug)]
pub enum Source {
    /// Fetches from the operating system, a page at a time.
    System(Box<Pool>),
    /// `ChaCha20` from a seed.
    Seeded(Box<ChaCha20Rng>),
}

impl Pool {
    #[inline]
    fn take<const N: usize>(&mut self) -> [u8; N] {
        if self.used + N > POOL {
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
            Self::System(pool) => Ok(u32::from_le_bytes(pool.take())),
            Self::Seeded(generator) => generator.try_next_u32(),
        }
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        match self {
            Self::System(pool) => Ok(u64::from_le_bytes(pool.take())),
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
        let draw = |seed, stream| Randomness::InsecureSeed(seed).stream(stream).next_u64();
        assert_eq!(draw(7, 1), draw(7, 1));
        assert_ne!(draw(7, 1), draw(7, 2));
        assert_ne!(draw(7, 1), draw(8, 1));
    }

    #[test]
    fn the_system_never_repeats_itself() {
        let mut source = Randomness::System.check().unwrap().stream(0);
        let mut drawn: Vec<u64> = (0..2000).map(|_| source.next_u64()).collect();
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn.len(), 2000);
    }
}
