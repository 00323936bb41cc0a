//! Granulations as their definitions say: slow, on plain data, without the engine they check.
//!
//! The definitions are those of Wang, Liau, Hsu, "Granulation as a Privacy Protection Mechanism", Transactions on Rough
//! Sets VII, 2007: a column has admissible partitions of its values, a granulation takes one of them for every column,
//! and granulations are ordered by refinement. [`lattice`] has the order, [`secrets`] confidential sentences and logical
//! security, [`search`] the granulations that pass and the most specific among them, [`measure`] the measures `sf` and
//! `ql`, [`quality`] the usual measures of what generalization and suppression cost, [`survey`] all of it for the
//! granulations of a random case, [`microaggregation`] what may stand for a value, [`genetic`] granulations as strings of
//! bits.

pub mod genetic;
pub mod lattice;
pub mod measure;
pub mod microaggregation;
pub mod quality;
pub mod search;
pub mod secrets;
pub mod survey;
