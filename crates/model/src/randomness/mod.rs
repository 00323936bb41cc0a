//! Where random choices come from.
//!
//! Choices that protect people are drawn from the operating system. A seed exists for tests and experiments only: an
//! adversary who knows it can replay `Assign` and wins, so a release made with one is marked as not for publication. A
//! [`ChoiceScript`] plays through all choices in turn, which gives the exact probability of everything a publisher may answer.

mod script;

use std::cell::RefCell;
use std::convert::Infallible;

use rand::rngs::SysRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng, TryRng};
use rand_chacha::ChaCha20Rng;

use crate::error::{Error, ErrorKind, Result};
use script::ChoicePlace;
pub use script::{ChoiceScript, chances};

/// The source of all random choices of one run.
#[derive(Debug, Clone, Copy)]
pub enum RandomSource<'a> {
    /// The operating system's entropy.
    System,
    /// Replayable choices; never for a release that is published.
    InsecureSeed(u64),
    /// The choices that a script plays; nothing is published.
    Scripted(ScriptPart<'a>),
}

/// The choices of a script that belong to one of several publishers.
#[derive(Debug, Clone, Copy)]
pub struct ScriptPart<'a> {
    pub(super) script: &'a ChoiceScript,
    pub(super) member: u64,
}

impl<'a> RandomSource<'a> {
    /// Fails when the operating system has no entropy to give, so that later draws need no error path.
    pub fn check(self) -> Result<Self> {
        if matches!(self, Self::System) {
            fresh_seed()?;
        }
        Ok(self)
    }

    /// Whether the run can be replayed by somebody who knows the seed.
    pub fn is_insecure(self) -> bool {
        matches!(self, Self::InsecureSeed(_))
    }

    /// The choices of the publisher numbered `member` of several, independent of those of the others.
    #[must_use]
    pub fn of_member(self, member: u64) -> Self {
        match self {
            Self::System => Self::System,
            Self::InsecureSeed(_) => match self.stream(ChoicePurpose::Member, member, 0) {
                RandomStream::Drawn(mut generator) => Self::InsecureSeed(generator.random()),
                RandomStream::Played(..) => self,
            },
            Self::Scripted(part) => Self::Scripted(ScriptPart { member, ..part }),
        }
    }

    /// Choices for one part of the work. Different parts get independent ones, so that the result does not depend on how
    /// the work is spread over threads: `purpose` says what for, `group` and `item` which.
    pub fn stream(self, purpose: ChoicePurpose, group: u64, item: u64) -> RandomStream<'a> {
        match self {
            Self::System => RandomStream::Drawn(RandomGenerator::System),
            Self::InsecureSeed(seed) => {
                let mut key = [0; 32];
                key[..8].copy_from_slice(&seed.to_le_bytes());
                key[8..16].copy_from_slice(&group.to_le_bytes());
                key[16] = purpose as u8;
                let mut generator = ChaCha20Rng::from_seed(key);
                generator.set_stream(item);
                RandomStream::Drawn(RandomGenerator::Seeded(Box::new(generator)))
            }
            Self::Scripted(ScriptPart { script, member }) => {
                RandomStream::Played(script, ChoicePlace { member, purpose, group, item, index: 0 })
            }
        }
    }
}

/// A number from the operating system.
pub fn fresh_seed() -> Result<u64> {
    SysRng
        .try_next_u64()
        .map_err(|error| Error::new(ErrorKind::Io, format!("the operating system gives no random numbers: {error}")))
}

/// What random choices are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChoicePurpose {
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
    /// Which of several equally good answers is given.
    Choice,
    /// The seed of one of several publishers.
    Member,
}

/// Random choices made by [`RandomSource::stream`].
#[derive(Debug)]
pub enum RandomStream<'a> {
    /// From a generator.
    Drawn(RandomGenerator),
    /// From a script, the next one at this place.
    Played(&'a ChoiceScript, ChoicePlace),
}

impl RandomStream<'_> {
    /// A number below `options`, each equally likely.
    pub fn below(&mut self, options: usize) -> usize {
        match self {
            Self::Drawn(generator) => generator.random_range(0..options),
            Self::Played(script, place) => script.choose(place.next(), &vec![1; options]),
        }
    }

    /// Puts `items` in random order, all orders equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        match self {
            Self::Drawn(generator) => items.shuffle(generator),
            Self::Played(..) => (1..items.len()).rev().for_each(|at| items.swap(at, self.below(at + 1))),
        }
    }

    /// The numbers of `counts` in random order, each as often as its count says, all different orders equally likely.
    pub fn arrange(&mut self, counts: &[usize]) -> Vec<u32> {
        let mut arranged = Vec::with_capacity(counts.iter().sum());
        match self {
            Self::Drawn(generator) => {
                for (&count, number) in counts.iter().zip(0..) {
                    arranged.resize(arranged.len() + count, number);
                }
                arranged.shuffle(generator);
            }
            Self::Played(script, place) => {
                let mut left = counts.to_vec();
                while left.iter().any(|&count| count > 0) {
                    let number = script.choose(place.next(), &left);
                    left[number] -= 1;
                    arranged.push(number as u32);
                }
            }
        }
        arranged
    }
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

/// A random number generator.
#[derive(Debug)]
pub enum RandomGenerator {
    /// The operating system, a page at a time; every byte is used once.
    System,
    /// `ChaCha20` from a seed.
    Seeded(Box<ChaCha20Rng>),
}

impl Pool {
    #[inline]
    fn take<const N: usize>(&mut self) -> [u8; N] {
        if self.used + N > PAGE {
            // `RandomSource::check` has drawn from the same source; failing later means that the system is going down,
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

impl TryRng for RandomGenerator {
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

    const MANY: usize = 1 << 40;

    #[test]
    fn seeded_streams_repeat_and_differ() {
        let draw =
            |seed, purpose, group, item| RandomSource::InsecureSeed(seed).stream(purpose, group, item).below(MANY);
        assert_eq!(draw(7, ChoicePurpose::Deal, 1, 1), draw(7, ChoicePurpose::Deal, 1, 1));
        for other in
            [draw(8, ChoicePurpose::Deal, 1, 1), draw(7, ChoicePurpose::Ties, 1, 1), draw(7, ChoicePurpose::Deal, 2, 1)]
        {
            assert_ne!(draw(7, ChoicePurpose::Deal, 1, 1), other);
        }
        assert_ne!(draw(7, ChoicePurpose::Deal, 1, 1), draw(7, ChoicePurpose::Deal, 1, 2));
    }

    #[test]
    fn publishers_of_a_family_draw_for_themselves() {
        let draw =
            |member| RandomSource::InsecureSeed(7).of_member(member).stream(ChoicePurpose::Deal, 1, 1).below(MANY);
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        assert_ne!(draw(1), RandomSource::InsecureSeed(7).stream(ChoicePurpose::Deal, 1, 1).below(MANY));
    }

    #[test]
    fn the_system_never_repeats_itself() {
        let mut source = RandomSource::System.check().unwrap().stream(ChoicePurpose::Ties, 0, 0);
        let mut drawn: Vec<usize> = (0..200).map(|_| source.below(1 << 60)).collect();
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn.len(), 200);
    }

    #[test]
    fn arrangements_hold_every_number_as_often_as_counted() {
        let mut arranged = RandomSource::InsecureSeed(1).stream(ChoicePurpose::Deal, 0, 0).arrange(&[3, 0, 2]);
        arranged.sort_unstable();
        assert_eq!(arranged, [0, 0, 0, 2, 2]);
    }
}
