//! The algorithms as their definitions say, with exact arithmetic and every random choice enumerated.

pub mod ace;
pub mod assign;
pub mod best_of;
pub mod credibility;
pub mod cut;
pub mod granulation;
pub mod hybrid;
pub mod mask;
pub mod mondrian;
pub mod opt_gen;
pub mod slice;
pub mod strategy;
pub mod tailor;
pub mod views;
pub mod vul_gen;
pub mod workload;
pub mod worlds;
