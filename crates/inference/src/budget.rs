//! Budgets: how much work a question may take, and what happens to a question that takes more.

use std::time::Instant;

use pellucid_model::error::{Error, Result};
use pellucid_model::randomness::{RandomSource, fresh_seed};

/// Limits of one question.
///
/// All other limits follow from `states` in proportion. The methods below have them, so that one number makes every way of answering
/// cheaper or more thorough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// States that counting may visit.
    pub states: u64,
    /// Bytes that counting may hold at one time.
    pub bytes: u64,
    /// Seconds that the question as a whole may take. Only for questions whose answer decides no release.
    pub seconds: Option<f64>,
    /// How to estimate what takes more; without it, that is refused.
    pub sampling: Option<SamplingPlan>,
}

const GIB: u64 = 1 << 30;

impl Budget {
    /// What a publisher may spend on one question that decides its release: some minutes of counting.
    ///
    /// # Guarantee
    /// No seconds and no estimate. The same table and job give the same release on every machine, however slow or busy.
    pub const fn publisher() -> Self {
        Self { states: 200_000_000, bytes: 4 * GIB, seconds: None, sampling: None }
    }

    /// What a publisher may spend on one question that only its account for the data owner answers: a tenth of what decides.
    pub const fn account() -> Self {
        Self { states: 20_000_000, bytes: 2 * GIB, ..Self::publisher() }
    }

    /// What somebody may spend who asks one question and waits for it: as much as a publisher, for five minutes.
    pub const fn question() -> Self {
        Self { seconds: Some(300.0), ..Self::publisher() }
    }

    /// What an attack may spend on one cluster of groups. A release has up to some hundred thousand clusters, so that counting one ends
    /// after about a second; what takes more is estimated, from the same draws every time: an estimate protects nobody, and whoever
    /// repeats an attack finds the same.
    pub const fn attack() -> Self {
        let sampling = SamplingPlan { seed: Some(1), ..SamplingPlan::usual() };
        Self { states: 1_000_000, bytes: 2 * GIB, seconds: None, sampling: Some(sampling) }
    }

    /// What the gate may spend on one judgement while somebody waits: ten seconds. A verdict needs narrow intervals, hence the many draws.
    pub const fn gate() -> Self {
        let sampling = SamplingPlan { draws: 1 << 20, ..SamplingPlan::usual() };
        Self { states: 20_000_000, bytes: 2 * GIB, seconds: Some(10.0), sampling: Some(sampling) }
    }

    /// The same with so many states, and as many draws more or fewer.
    #[must_use]
    pub fn scaled(self, states: u64) -> Self {
        let draws = |draws: u64| (u128::from(draws) * u128::from(states) / u128::from(self.states.max(1))) as u64;
        let sampling = self
            .sampling
            .map(|sampling| SamplingPlan { draws: draws(sampling.draws).clamp(1, MOST_DRAWS), ..sampling });
        Self { states, sampling, ..self }
    }

    /// What is left of it when the question began then.
    #[must_use]
    pub fn since(self, begun: Instant) -> Self {
        Self { seconds: self.seconds.map(|seconds| (seconds - begun.elapsed().as_secs_f64()).max(0.0)), ..self }
    }

    /// Possible originals that are tried: running a publisher on one takes as long as ten states or more.
    pub const fn originals(&self) -> u64 {
        self.states / 10
    }

    /// Runs of a program as the mechanism: starting one takes as long as some hundred states.
    pub const fn runs(&self) -> u64 {
        self.states / 500
    }

    /// Moves of worlds, in all clusters together whose evidence is too rare to be drawn: some millions take a second.
    pub const fn moves(&self) -> u64 {
        self.states.saturating_mul(200)
    }

    /// States of the relaxation that worlds of views are drawn from. Every draw goes through it, and a tenth of what counting may visit
    /// leaves time for many draws; a hundred states take no time.
    pub const fn relaxed(&self) -> u64 {
        if self.states < 1_000 { 100 } else { self.states / 10 }
    }
}

/// Draws there may be, so that sums over all people fit.
const MOST_DRAWS: u64 = 1_000_000_000;

/// How an estimate is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SamplingPlan {
    /// Worlds to draw.
    pub draws: u64,
    /// With which probability all intervals hold together, strictly between 0 and 1.
    pub confidence: f64,
    /// Where the draws come from; without one, from the operating system. A seed is fine here as it is not for a release:
    /// an estimate protects nobody, and the same seed gives the same estimate on any number of threads.
    pub seed: Option<u64>,
}

impl Default for SamplingPlan {
    fn default() -> Self {
        Self::usual()
    }
}

impl SamplingPlan {
    /// Ten thousand worlds tell probabilities apart by about a hundredth.
    const fn usual() -> Self {
        Self { draws: 10_000, confidence: 0.95, seed: None }
    }

    /// Fails when there is nothing to draw or the confidence is no probability that can be reached.
    pub fn check(&self) -> Result<()> {
        if self.draws == 0 || self.draws > MOST_DRAWS {
            return Err(Error::invalid(format!(
                "an estimate draws {} worlds; give a number from 1 to {MOST_DRAWS}",
                self.draws
            )));
        }
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return Err(Error::invalid(format!(
                "the confidence {} does not lie strictly between 0 and 1; give one like 0.95",
                self.confidence
            )));
        }
        Ok(())
    }

    /// A seed is drawn when there is none, so that every chunk of the work has its own cheap stream.
    pub(crate) fn randomness(&self) -> Result<RandomSource<'static>> {
        let seed = match self.seed {
            Some(seed) => seed,
            None => fresh_seed()?,
        };
        Ok(RandomSource::InsecureSeed(seed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_publisher_may_spend_knows_no_clock_and_no_chance() {
        for budget in [Budget::publisher(), Budget::account()] {
            assert_eq!((budget.seconds, budget.sampling), (None, None));
        }
    }

    #[test]
    fn one_number_scales_all_limits() {
        let usual = Budget::attack();
        assert_eq!((usual.originals(), usual.runs(), usual.moves()), (100_000, 2_000, 200_000_000));
        assert_eq!(Budget::gate().relaxed(), 2_000_000);
        let tenth = usual.scaled(100_000);
        assert_eq!(tenth.sampling.map(|sampling| sampling.draws), Some(1_000));
        assert_eq!((tenth.originals(), tenth.runs(), tenth.moves()), (10_000, 200, 20_000_000));
        assert!(usual.scaled(1).sampling.is_some_and(|sampling| sampling.check().is_ok()), "one draw at least");
        assert!(usual.scaled(u64::MAX).sampling.is_some_and(|sampling| sampling.check().is_ok()));
    }
}
