//! What attackers believe: **worlds -> evidence -> belief -> principle -> verdict**.
//!
//! A world assigns sensitive values to people; what is published, and how it was made, is [`evidence`] that rules worlds out;
//! [`belief`] is what remains, counted exactly.
//!
//! - [`sequence`]: strategies along a sequence of functions, and what an attacker who knows them believes;
//! - [`views`]: overlapping selections of people whose values were shown;
//! - [`attack`]: releases of any size, given what their publisher is known to have rejected;
//! - [`adversary`]: small tables under any mechanism, by trying every possible original.
//!
//! A [`budget`] limits the work of each.

pub mod adversary;
pub mod attack;
pub mod belief;
pub mod budget;
pub mod estimate;
pub mod evidence;
mod meter;
pub mod sequence;
pub mod verdict;
pub mod views;
