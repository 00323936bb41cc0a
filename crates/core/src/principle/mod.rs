//! Principles: predicates on the distribution of sensitive values that belief, or a group, must satisfy.
//!
//! A [`Principle`] is a set of parameters; [`Principle::bind`] joins it with what it must know of one sensitive column
//! and gives a [`Test`] on histograms. Evaluated on the histogram of a published group a test is the textbook principle;
//! evaluated on the belief of an adversary who knows the mechanism it is the transparent one.

use std::fmt::Debug;

use crate::error::Result;
use crate::exact::Fraction;
use crate::hierarchy::Hierarchy;
use crate::histogram::Histogram;
use crate::registry::Entry;

/// What a principle may know of the sensitive column it is evaluated on: only public facts and the column's multiset.
#[derive(Debug, Clone, Copy)]
pub struct Sensitive<'a> {
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
pub enum Measure {
    /// An exact value.
    Exact(Fraction),
    /// A value that is no fraction (an exponential of an entropy), rounded so that the principle holds at it.
    Rounded(f64),
    /// Every parameter passes.
    Unbounded,
}

/// Which way a [`Measure`] is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
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
    fn better(&self) -> Better;

    /// The largest share of a group one value may have, when the principle is nothing but such a bound; this is what
    /// Ace and Hybrid can guarantee.
    fn share_bound(&self) -> Option<Fraction> {
        None
    }

    /// Joins the principle with a sensitive column.
    fn bind(&self, column: Sensitive<'_>) -> Result<Box<dyn Test>>;
}

/// A principle bound to one sensitive column: a predicate on histograms, closed under mixtures.
pub trait Test: Debug + Send + Sync {
    /// Whether a group with this histogram passes.
    fn holds(&self, group: &Histogram) -> bool;

    /// The parameter at which this group would just pass.
    fn measure(&self, group: &Histogram) -> Measure;

    /// A number m such that every sub-multiset of `group` with at least m rows passes, as small as can be proved;
    /// `None` when not even the whole group passes. Depends on `group` as a multiset only.
    fn robust(&self, group: &Histogram) -> Option<u64>;
}

/// All principles.
pub static PRINCIPLES: &[Entry<dyn Principle>] = &[];
