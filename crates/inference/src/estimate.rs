//! Estimates: what is believed of one person, as exactly as it is known.

use pellucid_model::distribution::Distribution;
use pellucid_model::exact::{Fraction, decimal};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::belief::UnitInterval;

/// What is believed of one person: how likely each value is, as exactly as it is known.
#[derive(Debug, Clone, PartialEq)]
pub enum Estimate {
    /// Counted.
    Exact(Distribution),
    /// By code, where its probability surely lies; codes that are missing are impossible.
    Within(Vec<(u32, UnitInterval)>),
    /// The same, from samples: how sure it is depends on the method.
    Sampled(Vec<(u32, UnitInterval)>, SampleMethod),
    /// Not known, for this reason: any value may be certain.
    Unknown(String),
}

/// How worlds are drawn for an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SampleMethod {
    /// Independent worlds, those kept that agree with the evidence. All intervals hold together with the confidence asked for.
    Independent,
    /// Independent worlds with weights. All intervals hold together with the confidence asked for.
    Weighted,
    /// Populations of worlds that are led to the evidence by sequential Monte Carlo. Intervals show how much populations differ; that
    /// they hold is not proved.
    Populations,
}

/// Draws behind the estimates of some people.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SampleRecord {
    /// How worlds were drawn.
    pub method: SampleMethod,
    /// Worlds that were drawn.
    pub draws: u64,
    /// To how many independent worlds of equal weight they amount; with none, nothing is known.
    pub effective: f64,
    /// With which probability all intervals hold together.
    pub confidence: f64,
    /// The share of the worlds drawn from that agrees with the evidence, where it is estimated.
    #[serde(skip)]
    pub share: Option<UnitInterval>,
    /// Where worlds agree with views, those that the draws follow by themselves, and all.
    #[serde(flatten)]
    pub views: Option<FollowedViews>,
}

/// Views that draws follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FollowedViews {
    /// Those that draws follow by themselves; with the others they agree by choice.
    pub remembered: usize,
    /// All.
    pub views: usize,
}

/// The highest probability of a value, as exactly as it is known.
#[derive(Debug, Clone, PartialEq)]
pub struct HighestProbability {
    /// It, where it was counted.
    pub exactly: Option<Fraction>,
    /// Where it lies.
    pub within: UnitInterval,
}

impl HighestProbability {
    /// Of nobody, or of no value.
    pub const NONE: Self =
        Self { exactly: Some(Fraction::ZERO), within: UnitInterval { low: 0.0, at: Some(0.0), high: 0.0 } };

    /// What was counted.
    pub fn exactly(probability: Fraction) -> Self {
        Self { within: UnitInterval::exactly(decimal(&probability)), exactly: Some(probability) }
    }

    /// What is known to lie there.
    pub fn within(interval: UnitInterval) -> Self {
        Self { exactly: None, within: interval }
    }

    /// The higher of two: exactly known where the counted one is known to be higher.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        let within = self.within.above(other.within);
        let exactly = match (self.exactly, other.exactly) {
            (Some(one), Some(two)) => Some(one.max(two)),
            (Some(one), None) => Some(one).filter(|_| other.within.high <= self.within.low),
            (None, Some(two)) => Some(two).filter(|_| self.within.high <= other.within.low),
            (None, None) => None,
        };
        Self { exactly, within }
    }
}

impl Serialize for HighestProbability {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("HighestProbability", 3)?;
        fields.serialize_field("exactly", &self.exactly.as_ref().map(pellucid_model::exact::format_fraction))?;
        fields.serialize_field("low", &self.within.low)?;
        fields.serialize_field("high", &self.within.high)?;
        fields.end()
    }
}

impl Estimate {
    /// The codes that are possible, ascending, each with where its probability lies; `None` where that is not known.
    pub fn possible(&self) -> Option<Vec<(u32, UnitInterval)>> {
        match self {
            Self::Exact(belief) => {
                let codes = belief.weights().iter().map(|entry| entry.0);
                Some(codes.map(|code| (code, UnitInterval::exactly(decimal(&belief.probability(code))))).collect())
            }
            Self::Within(intervals) | Self::Sampled(intervals, _) => Some(intervals.clone()),
            Self::Unknown(_) => None,
        }
    }

    /// What was counted, if it was.
    pub fn counted(&self) -> Option<&Distribution> {
        match self {
            Self::Exact(belief) => Some(belief),
            _ => None,
        }
    }

    /// Where the probability of `code` lies.
    pub fn probability(&self, code: u32) -> UnitInterval {
        match self {
            Self::Exact(belief) => UnitInterval::exactly(decimal(&belief.probability(code))),
            Self::Within(intervals) | Self::Sampled(intervals, _) => intervals
                .binary_search_by_key(&code, |entry| entry.0)
                .map_or(UnitInterval::exactly(0.0), |at| intervals[at].1),
            Self::Unknown(_) => UnitInterval::ANY,
        }
    }

    /// The highest probability of a value.
    pub fn highest(&self) -> HighestProbability {
        self.highest_among(|_| true)
    }

    /// The highest probability of the values that count.
    pub fn highest_among(&self, counts: impl Fn(u32) -> bool) -> HighestProbability {
        match self {
            Self::Exact(belief) => {
                let weights = belief.weights().iter().filter(|entry| counts(entry.0));
                let most = weights.max_by(|a, b| a.1.cmp(&b.1));
                HighestProbability::exactly(most.map_or(Fraction::ZERO, |most| belief.probability(most.0)))
            }
            Self::Within(intervals) | Self::Sampled(intervals, _) => {
                let counted = intervals.iter().filter(|entry| counts(entry.0)).map(|entry| entry.1);
                HighestProbability::within(counted.reduce(UnitInterval::above).unwrap_or(UnitInterval::exactly(0.0)))
            }
            Self::Unknown(_) => HighestProbability::within(UnitInterval::ANY),
        }
    }
}

#[cfg(test)]
mod tests {
    use dashu_int::UBig;
    use pellucid_model::exact::fraction;

    use super::*;

    fn interval(low: f64, high: f64) -> UnitInterval {
        UnitInterval { low, at: Some(f64::midpoint(low, high)), high }
    }

    #[test]
    fn the_highest_is_exact_only_where_nothing_else_can_be_higher() {
        let half = || HighestProbability::exactly(fraction(1, 2u8));
        let higher = |low: f64, high: f64| half().max(HighestProbability::within(interval(low, high)));
        assert_eq!(higher(0.2, 0.5).exactly, Some(fraction(1, 2u8)));
        assert_eq!(higher(0.2, 0.6), HighestProbability::within(UnitInterval { low: 0.5, at: Some(0.5), high: 0.6 }));
        assert_eq!(half().max(HighestProbability::exactly(fraction(2, 3u8))).exactly, Some(fraction(2, 3u8)));
    }

    #[test]
    fn values_that_do_not_count_are_left_aside() {
        let belief = Distribution::new([(0, UBig::from(3u8)), (2, UBig::from(1u8))]);
        let exact = Estimate::Exact(belief);
        assert_eq!(exact.highest().exactly, Some(fraction(3, 4u8)));
        assert_eq!(exact.highest_among(|code| code == 2).exactly, Some(fraction(1, 4u8)));
        assert_eq!(exact.highest_among(|code| code == 1), HighestProbability::NONE);
        let sampled = Estimate::Sampled(vec![(0, interval(0.5, 0.7)), (3, interval(0.1, 0.2))], SampleMethod::Weighted);
        assert_eq!(sampled.highest().within, interval(0.5, 0.7));
        assert_eq!((sampled.probability(3), sampled.probability(1)), (interval(0.1, 0.2), UnitInterval::exactly(0.0)));
        assert_eq!(Estimate::Unknown("too large".to_owned()).highest().within, UnitInterval::ANY);
    }
}
