//! What is believed of many people, added up: numbers of people, from and to where they are not exact.

use pellucid_model::exact::Fraction;
use pellucid_model::exact::decimal;
use serde::Serialize;

use crate::belief::Interval;

/// Bars of the histogram of beliefs.
pub const BARS: usize = 10;

/// A number of people: exact when both ends agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Span {
    /// At least so many.
    pub low: u64,
    /// At most so many.
    pub high: u64,
}

impl Span {
    fn add(&mut self, people: u64, surely: bool, possibly: bool) {
        self.low += if surely { people } else { 0 };
        self.high += if possibly { people } else { 0 };
    }

    /// What is known of all of `people`.
    fn count(&mut self, people: u64, all: bool) {
        self.add(people, all, all);
    }

    /// Whether the number is known.
    pub fn is_exact(self) -> bool {
        self.low == self.high
    }
}

/// The bound on belief that people were promised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promise {
    /// No value is believed of anybody with more.
    pub bound: Fraction,
    /// Whether principles hold on a belief just when that is so.
    pub decides: bool,
}

/// What an adversary believes of everybody.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Beliefs {
    /// People of whom some value is believed with more than the bound.
    pub above: Span,
    /// People of whom everything is known.
    pub certain: Span,
    /// People for whom the principles do not hold on what is believed of them; bounds and estimates are judged where nothing
    /// but the bound decides.
    pub failing: Span,
    /// The highest belief in a value of anybody; where bounds and estimates decide, the upper end.
    pub highest: f64,
    /// The same, the lower end.
    pub highest_at_least: f64,
    /// By tenth of the highest belief about each, people; 1 counts in the last. Estimates by their mean, which is too high rather
    /// than too low; people of whom nothing was counted or estimated are not among them.
    pub histogram: [u64; BARS],
}

impl Beliefs {
    pub(super) fn none() -> Self {
        let none = Span { low: 0, high: 0 };
        Self { above: none, certain: none, failing: none, highest: 0.0, highest_at_least: 0.0, histogram: [0; BARS] }
    }
}

/// What is believed at most of some people, and whether the principles hold on it.
pub(super) enum Most {
    Exactly(Fraction, bool),
    /// Counted but for a bounded rest.
    Within(Interval),
    About(Interval),
    /// The principles hold on it.
    Proven,
    Unknown,
}

impl Beliefs {
    /// Takes what is believed of so many people.
    pub(super) fn add(&mut self, people: u64, most: &Most, promise: Option<&Promise>) {
        let at = match most {
            Most::Exactly(most, holds) => {
                self.above.count(people, promise.is_some_and(|promise| *most > promise.bound));
                self.certain.count(people, *most == Fraction::ONE);
                self.failing.count(people, !holds);
                let at = decimal(most);
                self.highest = self.highest.max(at);
                self.highest_at_least = self.highest_at_least.max(at);
                at
            }
            Most::Within(interval) | Most::About(interval) => {
                let above = |belief: f64| promise.is_some_and(|promise| belief > decimal(&promise.bound));
                let ends = (above(interval.low), above(interval.high));
                self.above.add(people, ends.0, ends.1);
                self.certain.add(people, interval.low >= 1.0, interval.high >= 1.0);
                let ends = if promise.is_some_and(|promise| promise.decides) { ends } else { (false, true) };
                self.failing.add(people, ends.0, ends.1);
                self.highest = self.highest.max(interval.high);
                self.highest_at_least = self.highest_at_least.max(interval.low);
                interval.at.unwrap_or(interval.high)
            }
            Most::Proven => {
                let decided = promise.filter(|promise| promise.decides);
                self.above.add(people, false, promise.is_some() && decided.is_none());
                self.certain.add(people, false, decided.is_none());
                self.highest = self.highest.max(decided.map_or(1.0, |promise| decimal(&promise.bound)));
                return;
            }
            Most::Unknown => {
                self.above.add(people, false, promise.is_some());
                self.certain.add(people, false, true);
                self.failing.add(people, false, true);
                self.highest = 1.0;
                return;
            }
        };
        self.histogram[((at * BARS as f64) as usize).min(BARS - 1)] += people;
    }
}
