//! Judging joint belief: private, not private, or undecided at the confidence asked for.

use std::fmt;

use pellucid_model::distribution::Distribution;
use pellucid_model::error::Result;
use pellucid_model::exact::Fraction;
use pellucid_model::exact::decimal;
use pellucid_model::principle::Test;
use serde::Serialize;

use super::joint::{Drawing, Joint, Part, Told};
use super::{View, Views};
use crate::attack::Span;
use crate::belief::Interval;
use crate::budget::Budget;

/// What must hold of the belief about everybody.
#[derive(Debug, Clone, Copy)]
pub struct Bound<'a> {
    /// A principle, bound to the sensitive column.
    pub test: &'a dyn Test,
    /// The highest probability a value may have, when the principle is nothing but that.
    pub share: Option<&'a Fraction>,
    /// By code, whether the value is protected; `None` when all are.
    pub protected: Option<&'a [bool]>,
}

/// What must hold, and how sure that must be where it is estimated.
#[derive(Debug, Clone, Copy)]
pub struct Demand<'a> {
    /// All must hold.
    pub bounds: &'a [Bound<'a>],
    /// Epsilon of gamma-privacy with (epsilon, theta)-confidence: an estimate may leave open whether a probability is above the
    /// bound by up to this much. Theta is the confidence of the estimate. Nothing that is counted is allowed anything.
    pub epsilon: f64,
}

/// Whether belief keeps to what must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It does.
    Private,
    /// It does not.
    NotPrivate,
    /// The estimate does not tell; to be treated as [`Verdict::NotPrivate`].
    Undecided,
}

impl Verdict {
    /// Whether it may be released.
    pub fn is_private(self) -> bool {
        self == Self::Private
    }

    /// The verdict in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::NotPrivate => "not private",
            Self::Undecided => "undecided",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// The highest probability of a protected value of anybody.
#[derive(Debug, Clone, PartialEq)]
pub struct Most {
    /// It, when everybody who could have it was counted.
    pub exactly: Option<Fraction>,
    /// Where it lies.
    pub within: Interval,
}

/// What was found about a joint belief.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Whether everything was counted.
    pub exact: bool,
    /// Whether it is private only with the tolerance epsilon.
    pub tolerated: bool,
    /// The highest probability of a protected value.
    pub highest: Most,
    /// People of whom the demand is broken.
    pub failing: Span,
    /// People of whom a protected value is certain.
    pub certain: Span,
    /// How parts were estimated.
    pub drawn: Vec<Drawing>,
    /// Whether views contradict each other.
    pub impossible: bool,
}

/// What is found about people whom no view tells apart; the worse, the later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Finding {
    Holds,
    Tolerated,
    Open,
    Broken,
}

impl Demand<'_> {
    /// Whether it holds on a belief that was counted.
    pub fn holds_on(&self, belief: &Distribution) -> bool {
        self.bounds.iter().all(|bound| bound.test.holds_on(belief))
    }

    /// Whether a view would be safe if nothing else had been shown.
    pub fn is_safe_alone(&self, view: &View) -> bool {
        Distribution::of(view.values()).is_some_and(|belief| self.holds_on(&belief))
    }

    fn is_protected(&self, code: u32) -> bool {
        self.bounds.iter().any(|bound| bound.protected.is_none_or(|flags| flags[code as usize]))
    }

    fn find(&self, told: &Told) -> Finding {
        let intervals = match told {
            Told::Exactly(belief) => return if self.holds_on(belief) { Finding::Holds } else { Finding::Broken },
            Told::About(intervals) => intervals,
        };
        let mut worst = Finding::Holds;
        for bound in self.bounds {
            let Some(share) = bound.share else {
                worst = worst.max(Finding::Open);
                continue;
            };
            // One unit in the last place of the decimal decides nothing for an estimate.
            let share = decimal(share);
            let counted = intervals.iter().filter(|entry| bound.protected.is_none_or(|flags| flags[entry.0 as usize]));
            for (_, interval) in counted {
                worst = worst.max(match interval {
                    _ if interval.low > share => Finding::Broken,
                    _ if interval.high <= share => Finding::Holds,
                    _ if interval.high <= share + self.epsilon => Finding::Tolerated,
                    _ => Finding::Open,
                });
            }
        }
        worst
    }

    /// The highest probability of a protected value for people of whom so much is told.
    pub fn most(&self, told: &Told) -> Most {
        match told {
            Told::Exactly(belief) => {
                let protected = belief.weights().iter().filter(|entry| self.is_protected(entry.0));
                let most = protected.map(|entry| belief.probability(entry.0)).max().unwrap_or(Fraction::ZERO);
                Most { within: Interval::exactly(decimal(&most)), exactly: Some(most) }
            }
            Told::About(intervals) => {
                let protected = intervals.iter().filter(|entry| self.is_protected(entry.0));
                let most = protected.map(|entry| entry.1).reduce(Interval::above);
                Most { exactly: None, within: most.unwrap_or(Interval::exactly(0.0)) }
            }
        }
    }

    /// Judges what is believed of everybody.
    pub fn judge(&self, joint: &Joint) -> Judgement {
        let mut found = Judgement {
            verdict: Verdict::Private,
            exact: joint.parts().iter().all(|part| part.drawn.is_none()),
            tolerated: false,
            highest: Most { exactly: Some(Fraction::ZERO), within: Interval::exactly(0.0) },
            failing: Span { low: 0, high: 0 },
            certain: Span { low: 0, high: 0 },
            drawn: joint.parts().iter().filter_map(|part| part.drawn).collect(),
            impossible: joint.is_impossible(),
        };
        let mut worst = Finding::Holds;
        let mut counted = Fraction::ZERO;
        let mut estimated: Option<Interval> = None;
        for (people, told) in joint.atoms() {
            let many = people.len() as u64;
            let finding = self.find(&told);
            worst = worst.max(finding);
            found.failing.low += if finding == Finding::Broken { many } else { 0 };
            found.failing.high += if finding == Finding::Holds { 0 } else { many };
            let Most { exactly, within: most } = self.most(&told);
            found.certain.low += if most.low >= 1.0 { many } else { 0 };
            found.certain.high += if most.high >= 1.0 { many } else { 0 };
            found.highest.within = found.highest.within.above(most);
            match exactly {
                Some(exactly) => counted = counted.max(exactly),
                None => estimated = Some(estimated.map_or(most, |other| other.above(most))),
            }
        }
        // What was counted is the highest where nothing that was estimated can be higher.
        let known = estimated.is_none_or(|estimated| estimated.high <= decimal(&counted));
        found.highest.exactly = known.then_some(counted);
        found.tolerated = worst == Finding::Tolerated;
        found.verdict = match worst {
            Finding::Holds | Finding::Tolerated => Verdict::Private,
            Finding::Open => Verdict::Undecided,
            Finding::Broken => Verdict::NotPrivate,
        };
        found
    }

    /// Whether more draws would not change the verdict on a part.
    fn settles(&self, part: &Part) -> bool {
        match part.atoms.iter().map(|(_, told)| self.find(told)).max().unwrap_or(Finding::Holds) {
            Finding::Holds | Finding::Tolerated | Finding::Broken => true,
            // Without a bound to compare with, draws tell nothing.
            Finding::Open => self.bounds.iter().all(|bound| bound.share.is_none()),
        }
    }
}

impl Views {
    /// Judges what all views together tell.
    pub fn judge(&self, demand: &Demand<'_>, budget: &Budget) -> Result<Judgement> {
        Ok(demand.judge(&self.joint(budget, &|part| demand.settles(part))?))
    }
}
