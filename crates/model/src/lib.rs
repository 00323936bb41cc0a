//! What Pellucid speaks of: tables, hierarchies, principles, groups, randomness and exact numbers.
//!
//! The lowest layer. It holds no algorithm that decides what is published and no attacker; these are in the crates above, which are
//! `pellucid-inference` (what attackers believe) and `pellucid-publish` (what is released).
//!
//! - [`table`], [`hierarchy`] and [`granulation`]: columns as codes, chains of ever coarser partitions of their domains, a level for each;
//! - [`partition`], [`axis`], [`histogram`] and [`distribution`]: rows published alike, lines to cut them on, what they show, what is believed;
//! - [`principle`] and [`sentence`]: what must hold; [`promise`]: against whom; [`claim`]: what entries of registries say of themselves;
//! - [`manifest`] and [`statistic`]: what is published beside the tables, and instead of values; [`document`]: versions of JSON documents;
//! - [`registry`], [`error`], [`exact`], [`progress`], [`randomness`], [`notation`] and [`words`]: what every layer uses.

pub mod axis;
pub mod claim;
pub mod distribution;
pub mod document;
pub mod error;
pub mod exact;
pub mod granulation;
pub mod hierarchy;
pub mod histogram;
pub mod manifest;
pub mod notation;
pub mod partition;
pub mod principle;
pub mod progress;
pub mod promise;
pub mod randomness;
pub mod registry;
pub mod sentence;
pub mod statistic;
pub mod table;
pub mod words;
