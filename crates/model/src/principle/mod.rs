//! Principles: predicates on the distribution of sensitive values that belief, or a group, must satisfy.
//!
//! A [`Principle`] is a set of parameters; [`Principle::bind`] joins it with what it must know of one sensitive column
//! and gives a [`BoundPrinciple`] on histograms and on belief. Evaluated on the histogram of a published group a test is the textbook
//! principle; evaluated on the belief of an adversary who knows the mechanism it is the transparent one.
//!
//! A principle that looks at several columns together has no such test; [`Principle::joint`] makes it a column of its own
//! (`joint.rs`).
//!
//! One file per principle, each ending in an `ENTRY` that [`PRINCIPLES`] lists; `share` holds what the two bounds on a
//! value's share have in common, `closeness` and `ground` the earth mover's distance, `log` logarithms with proved
//! errors. The empty group has no distribution: it fails every principle.

pub mod band;
mod closeness;
pub mod distinct_l_diversity;
#[cfg(test)]
mod entropy_belief_tests;
pub mod entropy_l_diversity;
pub mod frequency_l_diversity;
mod ground;
pub mod highest_ratio;
mod joint;
pub mod k_anonymity;
#[cfg(test)]
mod laws;
mod log;
pub mod logical_security;
pub mod recursive_cl_diversity;
#[cfg(test)]
mod registry_tests;
mod share;
pub mod t_closeness;

use std::cmp::Ordering;
use std::fmt::{self, Debug};

use crate::distribution::Distribution;
use crate::error::{Error, Result};
use crate::exact::{Fraction, format_fraction};
use crate::hierarchy::Hierarchy;
use crate::histogram::{CountProfile, Histogram};
use crate::registry::{EntryArgs, RegistryEntry, find};
use crate::sentence::LogicSentence;
use crate::table::Table;

pub use band::ShareBand;
pub use distinct_l_diversity::DistinctLDiversity;
pub use entropy_l_diversity::EntropyLDiversity;
pub use frequency_l_diversity::FrequencyLDiversity;
pub use highest_ratio::HighestRatio;
pub use joint::{JointColumn, SentenceClaims, SetRoster};
pub use k_anonymity::KAnonymity;
pub use log::{LN_ERROR, compare_product_to_one, ln};
pub use logical_security::LogicalSecurity;
pub use recursive_cl_diversity::RecursiveClDiversity;
pub use t_closeness::{TCloseness, ValueDistance};

/// What a principle may know of the sensitive column it is evaluated on: only public facts and the column's multiset.
#[derive(Debug, Clone, Copy)]
pub struct SensitiveColumn<'a> {
    /// The column's name, for messages.
    pub name: &'a str,
    /// Histogram of the whole column.
    pub whole: &'a Histogram,
    /// Number of codes of the column.
    pub cardinality: usize,
    /// `Some(flags)` by code when only some values are protected.
    pub protected: Option<&'a [bool]>,
    /// The column's hierarchy, when it has one.
    pub hierarchy: Option<&'a Hierarchy>,
}

/// The parameter for which a histogram would just pass: the largest l or k, or the smallest t or ratio.
#[derive(Debug, Clone, PartialEq)]
pub enum AchievedLevel {
    /// An exact value.
    Exact(Fraction),
    /// A value that is no fraction (an exponential of an entropy), rounded so that the principle holds at it.
    Rounded(f64),
    /// Every parameter passes.
    Unbounded,
    /// No parameter passes.
    Never,
}

/// Which way a [`AchievedLevel`] is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BetterDirection {
    /// Larger means more privacy (k, l).
    Larger,
    /// Smaller means more privacy (t, ratio).
    Smaller,
}

/// A privacy principle with its parameters.
pub trait Principle: Debug + Send + Sync {
    /// The registry id.
    fn id(&self) -> &'static str;

    /// The principle and its parameters in words, e.g. "at most 1/3 of a group shares a value".
    fn describe(&self) -> String;

    /// Whether a sensitive column is needed at all (k-anonymity does without).
    fn needs_sensitive(&self) -> bool {
        true
    }

    /// Which way the measure is better.
    fn better(&self) -> BetterDirection;

    /// The largest share of a group one value may have, when the principle is nothing but such a bound; this is what
    /// Ace and Hybrid can guarantee.
    fn share_bound(&self) -> Option<Fraction> {
        None
    }

    /// Whether groups are compared with the whole column ([`SensitiveColumn::whole`]), so that a part of the column does not tell
    /// whether a group passes.
    fn compares_with_column(&self) -> bool {
        false
    }

    /// Joins the principle with a sensitive column.
    fn bind(&self, column: SensitiveColumn<'_>) -> Result<Box<dyn BoundPrinciple>>;

    /// For a principle that looks at several sensitive columns together: a column made from them, and the principle
    /// bound to it. Such a principle is never bound to a column of the table.
    fn joint(&self, _table: &Table) -> Result<Option<JointColumn>> {
        Ok(None)
    }

    /// The confidential sentences of a principle with [`Principle::joint`]; none for all others.
    fn sentences(&self) -> &[LogicSentence] {
        &[]
    }

    /// Where it stands whose parameters are whose, when people have their own.
    fn roster(&self) -> Option<&SetRoster> {
        None
    }
}

/// The fewest rows, and the fewest different values, that a passing group has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MinimumSize {
    /// A group with fewer rows fails.
    pub rows: u64,
    /// A group with fewer different sensitive values fails.
    pub values: u64,
}

impl MinimumSize {
    /// Of what only the empty group lacks.
    pub const ONE: Self = Self { rows: 1, values: 1 };

    /// At least so many different values, and so at least as many rows.
    pub fn values(values: u64) -> Self {
        Self { rows: values, values }
    }
}

/// What decides whether a group passes, of its size and its counts: enough to go on with when the counts of some values are
/// known and others follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SufficientStatistic {
    /// The size alone.
    Size,
    /// How many different values there are, up to this number.
    Values(u64),
    /// The size and this many of the largest counts.
    Head(u64),
    /// All counts.
    Counts,
}

impl SufficientStatistic {
    /// What decides about two tests.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Size, one) | (one, Self::Size) => one,
            (Self::Values(a), Self::Values(b)) => Self::Values(a.max(b)),
            (Self::Head(a), Self::Head(b)) => Self::Head(a.max(b)),
            _ => Self::Counts,
        }
    }
}

/// A principle bound to one sensitive column: a predicate on the histogram of a group and on belief.
pub trait BoundPrinciple: Debug + Send + Sync {
    /// Whether a group with this histogram passes.
    fn holds(&self, group: &Histogram) -> bool;

    /// The parameter at which this group would just pass.
    fn measure(&self, group: &Histogram) -> AchievedLevel;

    /// A number m such that every sub-multiset of `group` with at least m rows passes, as small as can be proved;
    /// `None` when not even the whole group passes. Depends on `group` as a multiset only.
    fn robust(&self, group: &Histogram) -> Option<u64>;

    /// Whether belief about one person passes: the same predicate as [`BoundPrinciple::holds`], on exact weights of any size and
    /// unchanged when all are multiplied by the same number. A principle that looks at the size of groups alone says
    /// nothing of belief, and passes.
    fn holds_on(&self, belief: &Distribution) -> bool;

    /// Whether every mixture of passing distributions passes; Tailor, Ace and Hybrid refuse a test without that.
    fn is_closed_under_mixtures(&self) -> bool {
        true
    }

    /// Whether a passing group passes with any further rows. A search may then leave out the rows of failing groups and
    /// still rule granulations out, since joining groups never makes a passing row fail.
    fn is_closed_under_growth(&self) -> bool {
        false
    }

    /// What every passing group has, as far as it is easily told: a group with fewer rows or fewer different values fails,
    /// whatever they are, and so does every part of it.
    fn least(&self) -> MinimumSize {
        MinimumSize::ONE
    }

    /// What the codes mean, for a test on the sentences of [`JointColumn`] columns.
    fn claims(&self) -> Option<&SentenceClaims> {
        None
    }

    /// Whether all values are treated alike: permuting them changes nothing.
    fn is_symmetric(&self) -> bool {
        false
    }

    /// For tests that are nothing but a bound on every single value: a group of `rows` rows, at least one, passes just
    /// when every code's count is at most its cap, a number up to `rows`. `None`, whatever the arguments, for the others.
    /// When the caps of all codes are 0, no group of so many rows passes.
    fn cap(&self, _code: u32, _rows: u64) -> Option<u64> {
        None
    }

    /// What decides whether a group passes, for tests that treat all values alike.
    fn recall(&self) -> SufficientStatistic {
        SufficientStatistic::Counts
    }

    /// How far a passing group is from failing, about in rows: positive, and 0 just when it fails. It leads draws to where groups
    /// fail and decides nothing, so that more than its being 0 or not need not be exact.
    fn slack(&self, group: &Histogram) -> f64 {
        let caps = group.entries().iter().map(|&(code, count)| Some((self.cap(code, group.total())?, count)));
        let least = caps.map(|entry| entry.map(|(cap, count)| (cap + 1).saturating_sub(count))).min();
        least.flatten().map_or_else(|| f64::from(u8::from(self.holds(group))), |rows| rows as f64)
    }

    /// The same test for principles that look only at how many values have which count.
    fn by_profile(&self) -> Option<&dyn ProfileTest> {
        None
    }
}

/// A [`BoundPrinciple`] that looks only at how many values have which count.
pub trait ProfileTest: Sync {
    /// See [`BoundPrinciple::robust`]; `None` when not even the whole group passes.
    fn robust_of(&self, profile: &CountProfile) -> Option<u64>;
}

/// All principles.
pub static PRINCIPLES: &[RegistryEntry<dyn Principle>] = &[
    k_anonymity::ENTRY,
    frequency_l_diversity::ENTRY,
    highest_ratio::ENTRY,
    distinct_l_diversity::ENTRY,
    entropy_l_diversity::ENTRY,
    recursive_cl_diversity::ENTRY,
    t_closeness::ENTRY,
    band::ENTRY,
    logical_security::ENTRY,
];

/// The principle `id` with the arguments `args`; an unknown id names the nearest one.
pub fn make(id: &str, args: &EntryArgs) -> Result<Box<dyn Principle>> {
    find(PRINCIPLES, "principle", id)?.make(args)
}

/// The measure that offers less privacy: over all groups of a release, what the release as a whole would just pass.
pub fn worst(better: BetterDirection, a: AchievedLevel, b: AchievedLevel) -> AchievedLevel {
    let order = a.compare(&b);
    let a_is_worse = match (&a, &b) {
        (AchievedLevel::Never, _) | (_, AchievedLevel::Unbounded) => true,
        (_, AchievedLevel::Never) | (AchievedLevel::Unbounded, _) => false,
        _ => match better {
            BetterDirection::Larger => order != Ordering::Greater,
            BetterDirection::Smaller => order != Ordering::Less,
        },
    };
    if a_is_worse { a } else { b }
}

impl AchievedLevel {
    /// The value as a fraction, when there is one; a rounded value is the exact value of its floating-point number.
    pub fn value(&self) -> Option<Fraction> {
        match self {
            Self::Exact(value) => Some(value.clone()),
            Self::Rounded(value) => Fraction::try_from(*value).ok(),
            Self::Unbounded | Self::Never => None,
        }
    }

    /// Compares the values; what has none is equal to everything.
    fn compare(&self, other: &Self) -> Ordering {
        match (self.value(), other.value()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => Ordering::Equal,
        }
    }
}

/// `3`, `7/3`, `2.41 (rounded)`, `unbounded` or `never`; rounded values are cut after two decimals, never rounded up.
impl fmt::Display for AchievedLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(value) => f.write_str(&format_fraction(value)),
            Self::Rounded(value) => write!(f, "{:.2} (rounded)", (value * 100.0).floor() / 100.0),
            Self::Unbounded => f.write_str("unbounded"),
            Self::Never => f.write_str("never"),
        }
    }
}

/// Refuses a column with protected values on behalf of a principle that cannot tell values apart.
fn refuse_protected(id: &str, column: &SensitiveColumn<'_>) -> Result<()> {
    if column.protected.is_none() {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "`{id}` treats all values of column `{}` alike, so it cannot protect only some of them; use \
         `frequency-l-diversity` or `highest-ratio`, or drop `protect`",
        column.name
    )))
}

/// An integer parameter of at least 2, or the error that names it.
fn at_least_two(name: &str, value: u64) -> Result<u64> {
    if value < 2 { Err(Error::invalid(format!("{name} ({value}) must be at least 2"))) } else { Ok(value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::fraction;

    #[test]
    fn unknown_principles_get_a_hint() {
        let message = make("k-anonimity", &EntryArgs::new()).unwrap_err().to_string();
        assert!(message.contains("did you mean `k-anonymity`?"), "{message}");
    }

    #[test]
    fn the_worst_measure_offers_least_privacy() {
        let exact = |n: i32, d: u8| AchievedLevel::Exact(fraction(n, d));
        assert_eq!(worst(BetterDirection::Larger, exact(3, 1), exact(7, 3)), exact(7, 3));
        assert_eq!(worst(BetterDirection::Smaller, exact(3, 1), exact(7, 3)), exact(3, 1));
        assert_eq!(worst(BetterDirection::Larger, AchievedLevel::Rounded(2.5), exact(7, 3)), exact(7, 3));
        assert_eq!(
            worst(BetterDirection::Larger, AchievedLevel::Rounded(2.25), exact(7, 3)),
            AchievedLevel::Rounded(2.25)
        );
        for better in [BetterDirection::Larger, BetterDirection::Smaller] {
            assert_eq!(worst(better, AchievedLevel::Unbounded, exact(1, 2)), exact(1, 2));
            assert_eq!(worst(better, exact(1, 2), AchievedLevel::Unbounded), exact(1, 2));
            assert_eq!(worst(better, exact(1, 2), AchievedLevel::Never), AchievedLevel::Never);
            assert_eq!(worst(better, AchievedLevel::Never, AchievedLevel::Unbounded), AchievedLevel::Never);
        }
    }

    #[test]
    fn measures_are_written_without_rounding_up() {
        assert_eq!(AchievedLevel::Exact(fraction(3, 1u8)).to_string(), "3");
        assert_eq!(AchievedLevel::Exact(fraction(7, 3u8)).to_string(), "7/3");
        assert_eq!(AchievedLevel::Rounded(2.419).to_string(), "2.41 (rounded)");
        assert_eq!(AchievedLevel::Unbounded.to_string(), "unbounded");
        assert_eq!(AchievedLevel::Never.to_string(), "never");
    }
}
