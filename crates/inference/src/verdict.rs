//! Verdicts: belief about everybody held against what is demanded of it, in numbers of people.

use std::fmt;

use dashu_int::UBig;
use pellucid_model::distribution::Distribution;
use pellucid_model::exact::{Fraction, decimal};
use pellucid_model::principle::{BoundPrinciple, SentenceClaims, SufficientStatistic};
use serde::{Serialize, Serializer};

use crate::belief::{Belief, UnitInterval};
use crate::estimate::{Estimate, HighestProbability, SampleRecord};

/// Parts of the histogram of beliefs: tenths.
pub const TENTHS: usize = 10;

/// One principle as it is held against belief.
#[derive(Debug, Clone, Copy)]
pub struct RequiredPrinciple<'a> {
    /// A principle, bound to the sensitive column.
    pub test: &'a dyn BoundPrinciple,
    /// The highest probability a value may have, when the principle is nothing but that.
    pub share: Option<&'a Fraction>,
    /// By code, whether the value is protected; `None` when all are.
    pub protected: Option<&'a [bool]>,
}

/// What is demanded of the belief about everybody.
#[derive(Debug, Clone)]
pub struct BeliefRequirements<'a> {
    /// All must hold.
    pub bounds: Vec<RequiredPrinciple<'a>>,
    /// Epsilon of gamma-privacy with (epsilon, theta)-confidence: an estimate may leave open whether a probability is above the
    /// bound by up to this much. Theta is the confidence of the estimate. Nothing that is counted is allowed anything.
    pub epsilon: f64,
    /// The bound on belief that people were promised; those above it are counted.
    pub promised: Option<Fraction>,
    /// By code, whether a value counts in the figures of a verdict; `None` when all do.
    pub counted: Option<Vec<bool>>,
    /// What codes mean, where the figures of a verdict are about confidential sentences.
    pub claims: Option<&'a SentenceClaims>,
}

/// Whether what is demanded of belief holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerdictConclusion {
    /// It does.
    Holds,
    /// It does not.
    Fails,
    /// What is known does not tell; to be treated as [`VerdictConclusion::Fails`].
    Undecided,
}

impl VerdictConclusion {
    /// Whether it may be relied on.
    pub fn holds(self) -> bool {
        self == Self::Holds
    }

    /// As it is written in verdicts on views.
    pub fn label(self) -> &'static str {
        match self {
            Self::Holds => "private",
            Self::Fails => "not private",
            Self::Undecided => "undecided",
        }
    }
}

impl fmt::Display for VerdictConclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

impl Serialize for VerdictConclusion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Holds => serializer.serialize_some(&true),
            Self::Fails => serializer.serialize_some(&false),
            Self::Undecided => serializer.serialize_none(),
        }
    }
}

/// What a verdict rests on; of several, the last. Samples may miss; all others hold for sure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum VerdictBasis {
    /// Everything was counted.
    Exact,
    /// Belief is known to lie within bounds.
    Bounds,
    /// By a theorem what is demanded holds; nothing was counted.
    Proof,
    /// Of some people anything may be believed.
    Unknown,
    /// Worlds were drawn.
    Samples,
}

impl VerdictBasis {
    /// As it is written in tables.
    pub fn label(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Bounds | Self::Proof | Self::Unknown => "bound",
            Self::Samples => "estimate",
        }
    }
}

/// A number of people: exact when both ends agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct CountRange {
    /// At least so many.
    pub low: u64,
    /// At most so many.
    pub high: u64,
}

impl CountRange {
    fn add(&mut self, people: u64, surely: bool, possibly: bool) {
        self.low += if surely { people } else { 0 };
        self.high += if possibly { people } else { 0 };
    }

    /// Whether the number is known.
    pub fn is_exact(self) -> bool {
        self.low == self.high
    }
}

impl fmt::Display for CountRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_exact() { write!(f, "{}", self.low) } else { write!(f, "{} to {}", self.low, self.high) }
    }
}

/// Belief about everybody, held against what is demanded of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// Whether what is demanded holds for everybody.
    #[serde(rename = "holds")]
    pub conclusion: VerdictConclusion,
    /// What it rests on.
    pub basis: VerdictBasis,
    /// Whether it holds only with the tolerance epsilon.
    pub tolerated: bool,
    /// People of whom a value is believed with more than was promised, where something was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<CountRange>,
    /// People for whom what is demanded does not hold.
    pub failing: CountRange,
    /// People of whom a value is certain.
    pub certain: CountRange,
    /// The highest probability of a value of anybody.
    pub highest: HighestProbability,
    /// By tenth of the highest probability about each, people; 1 counts in the last. Estimates count by their means; people of whom
    /// nothing was counted or estimated are not among them.
    pub people_by_tenth: [u64; TENTHS],
    /// How many worlds agree with the evidence, where they were counted; none when it contradicts itself.
    #[serde(serialize_with = "digits", skip_serializing_if = "Option::is_none")]
    pub worlds: Option<UBig>,
    /// The draws that it rests on, where worlds were drawn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<SampleRecord>,
    /// Why belief is not known, where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
}

#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
fn digits<S: Serializer>(number: &Option<UBig>, serializer: S) -> Result<S::Ok, S::Error> {
    number.as_ref().map(ToString::to_string).serialize(serializer)
}

impl Verdict {
    /// Nobody was judged yet.
    pub fn of_nobody(demand: &BeliefRequirements<'_>) -> Self {
        Self {
            conclusion: VerdictConclusion::Holds,
            basis: VerdictBasis::Exact,
            tolerated: false,
            above: demand.promised.as_ref().map(|_| CountRange::default()),
            failing: CountRange::default(),
            certain: CountRange::default(),
            highest: HighestProbability::NONE,
            people_by_tenth: [0; TENTHS],
            worlds: None,
            samples: Vec::new(),
            unknown: None,
        }
    }

    /// Of `people` people nothing is known, for this reason.
    pub fn unknown(people: u64, why: String) -> Self {
        let all = CountRange { low: 0, high: people };
        Self {
            conclusion: VerdictConclusion::Undecided,
            basis: VerdictBasis::Unknown,
            tolerated: false,
            above: None,
            failing: all,
            certain: all,
            highest: HighestProbability::within(UnitInterval::ANY),
            people_by_tenth: [0; TENTHS],
            worlds: None,
            samples: Vec::new(),
            unknown: Some(why),
        }
    }

    /// Whether the evidence contradicts itself: no world agrees with it.
    pub fn is_impossible(&self) -> bool {
        self.worlds == Some(UBig::ZERO)
    }

    /// It, or why belief is not known.
    ///
    /// # Errors
    /// The reason.
    pub fn known(&self) -> Result<&Self, &str> {
        self.unknown.as_deref().map_or(Ok(self), Err)
    }

    /// Whether what is demanded holds; `None` where that is not known or no world is left.
    pub fn holds(&self) -> Option<bool> {
        match self.conclusion {
            _ if self.is_impossible() => None,
            VerdictConclusion::Holds => Some(true),
            VerdictConclusion::Fails => Some(false),
            VerdictConclusion::Undecided => None,
        }
    }

    /// Whether everything was counted.
    pub fn is_exact(&self) -> bool {
        self.basis == VerdictBasis::Exact
    }

    /// Takes what is believed of `people` people.
    pub fn add(&mut self, people: u64, estimate: &Estimate, demand: &BeliefRequirements<'_>) {
        let standing = demand.standing(estimate);
        self.conclude(standing);
        self.failing.add(people, standing == Standing::Broken, standing > Standing::Tolerated);
        self.basis = self.basis.max(match estimate {
            Estimate::Exact(_) => VerdictBasis::Exact,
            Estimate::Within(_) => VerdictBasis::Bounds,
            Estimate::Sampled(..) => VerdictBasis::Samples,
            Estimate::Unknown(_) => VerdictBasis::Unknown,
        });
        if let Estimate::Unknown(why) = estimate {
            self.unknown.get_or_insert_with(|| why.clone());
        }
        let highest = demand.highest(estimate);
        if let (Some(above), Some(promised)) = (&mut self.above, &demand.promised) {
            if let Some(exactly) = &highest.exactly {
                above.add(people, exactly > promised, exactly > promised);
            } else {
                let promised = decimal(promised);
                above.add(people, highest.within.low > promised, highest.within.high > promised);
            }
        }
        match &highest.exactly {
            Some(exactly) => self.certain.add(people, *exactly == Fraction::ONE, *exactly == Fraction::ONE),
            None => self.certain.add(people, highest.within.low >= 1.0, highest.within.high >= 1.0),
        }
        if let Some(tenth) = tenth(&highest, estimate) {
            self.people_by_tenth[tenth] += people;
        }
        self.highest = std::mem::replace(&mut self.highest, HighestProbability::NONE).max(highest);
    }

    /// Takes `people` people, of whom the values `codes` are possible, for whom what is demanded holds by a theorem.
    pub fn add_proven(&mut self, people: u64, codes: &[u32], demand: &BeliefRequirements<'_>) {
        self.basis = self.basis.max(VerdictBasis::Proof);
        let bound = demand.promised.as_ref().filter(|_| demand.is_a_bound());
        if let Some(above) = &mut self.above {
            above.add(people, false, bound.is_none());
        }
        let certainty = |code: &u32| demand.holds_on(&Distribution::new([(*code, UBig::ONE)]));
        self.certain.add(people, false, codes.iter().any(certainty));
        let within = UnitInterval { low: 0.0, at: None, high: bound.map_or(1.0, decimal) };
        self.highest =
            std::mem::replace(&mut self.highest, HighestProbability::NONE).max(HighestProbability::within(within));
    }

    fn conclude(&mut self, standing: Standing) {
        self.tolerated = match standing {
            Standing::Holds => self.tolerated,
            Standing::Tolerated => self.conclusion == VerdictConclusion::Holds,
            Standing::Open | Standing::Broken => false,
        };
        self.conclusion = match (self.conclusion, standing) {
            (VerdictConclusion::Fails, _) | (_, Standing::Broken) => VerdictConclusion::Fails,
            (VerdictConclusion::Undecided, _) | (_, Standing::Open) => VerdictConclusion::Undecided,
            (VerdictConclusion::Holds, Standing::Holds | Standing::Tolerated) => VerdictConclusion::Holds,
        };
    }
}

/// The tenth that people count in, if what is believed of them is known at all.
fn tenth(highest: &HighestProbability, estimate: &Estimate) -> Option<usize> {
    let whole = match (&highest.exactly, estimate) {
        (Some(exactly), _) => decimal(&(exactly.clone() * Fraction::from(TENTHS)).floor().into()),
        (None, Estimate::Unknown(_)) => return None,
        (None, _) => {
            let UnitInterval { low, at, high } = highest.within;
            (at.unwrap_or(f64::midpoint(low, high)) * TENTHS as f64).floor()
        }
    };
    Some((whole as usize).min(TENTHS - 1))
}

/// How belief about somebody stands to what is demanded; the worse, the later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    Holds,
    Tolerated,
    Open,
    Broken,
}

impl<'a> BeliefRequirements<'a> {
    /// That all of `bounds` hold, with the figures of protected values.
    pub fn new(bounds: Vec<RequiredPrinciple<'a>>, epsilon: f64) -> Self {
        let codes = bounds.iter().filter_map(|bound| bound.protected).map(<[bool]>::len).max();
        let protects = |code: usize| {
            bounds.iter().any(|bound| bound.protected.is_none_or(|flags| flags.get(code).copied().unwrap_or(true)))
        };
        let all = bounds.iter().any(|bound| bound.protected.is_none());
        let counted = codes.filter(|_| !all).map(|codes| (0..codes).map(protects).collect());
        let promised = bounds.iter().filter_map(|bound| bound.share).min().cloned();
        Self { bounds, epsilon, promised, counted, claims: None }
    }

    /// Whether it holds on a belief that was counted.
    pub fn holds_on(&self, belief: &Distribution) -> bool {
        self.bounds.iter().all(|bound| bound.test.holds_on(belief))
    }

    /// The highest probability of a value that counts, or of a confidential sentence.
    pub fn highest(&self, estimate: &Estimate) -> HighestProbability {
        if let (Some(claims), Some(belief)) = (self.claims, estimate.counted()) {
            return claims.highest(belief).map_or(HighestProbability::NONE, HighestProbability::exactly);
        }
        estimate.highest_among(|code| {
            self.counted.as_ref().is_none_or(|counted| counted.get(code as usize).copied().unwrap_or(true))
        })
    }

    /// Whether it is nothing but a bound on the probability of every value.
    fn is_a_bound(&self) -> bool {
        let mut bounds = self.bounds.iter().filter(|bound| bound.looks_at_values());
        bounds.all(|bound| bound.share.is_some() && bound.test.is_symmetric())
    }

    fn standing(&self, estimate: &Estimate) -> Standing {
        let intervals = match estimate {
            Estimate::Exact(belief) => {
                let holds = belief.given_present().is_none_or(|belief| self.holds_on(&belief));
                return if holds { Standing::Holds } else { Standing::Broken };
            }
            Estimate::Unknown(_) => return Standing::Open,
            Estimate::Within(intervals) | Estimate::Sampled(intervals, _) => intervals,
        };
        let bounds = self.bounds.iter().filter(|bound| bound.looks_at_values());
        bounds.map(|bound| bound.standing(intervals, self.epsilon)).max().unwrap_or(Standing::Holds)
    }

    /// Whether more draws would not change what is concluded from `estimates`.
    pub(crate) fn settles<'e>(&self, estimates: impl IntoIterator<Item = &'e Estimate>) -> bool {
        match estimates.into_iter().map(|estimate| self.standing(estimate)).max().unwrap_or(Standing::Holds) {
            Standing::Holds | Standing::Tolerated | Standing::Broken => true,
            // Without a bound to compare with, draws tell nothing.
            Standing::Open => self.bounds.iter().all(|bound| bound.share.is_none()),
        }
    }

    /// Judges what is believed of everybody.
    pub fn judge(&self, belief: &Belief) -> Verdict {
        let mut verdict = Verdict::of_nobody(self);
        belief.atoms().for_each(|(people, estimate)| verdict.add(people.len() as u64, &estimate, self));
        verdict.worlds = belief.worlds().cloned();
        verdict.samples = belief.samples().to_vec();
        verdict
    }
}

impl RequiredPrinciple<'_> {
    /// Whether the principle looks at values, not at the size of groups alone.
    fn looks_at_values(&self) -> bool {
        self.test.recall() != SufficientStatistic::Size
    }

    fn standing(&self, intervals: &[(u32, UnitInterval)], epsilon: f64) -> Standing {
        let Some(share) = self.share else { return Standing::Open };
        // One unit in the last place of the decimal decides nothing for an estimate.
        let share = decimal(share);
        let counted = intervals.iter().filter(|entry| self.protected.is_none_or(|flags| flags[entry.0 as usize]));
        let standing = counted.map(|(_, interval)| match interval {
            _ if interval.low > share => Standing::Broken,
            _ if interval.high <= share => Standing::Holds,
            _ if interval.high <= share + epsilon => Standing::Tolerated,
            _ => Standing::Open,
        });
        standing.max().unwrap_or(Standing::Holds)
    }
}
