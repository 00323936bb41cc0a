//! The solver and the sampler of the paper on views, analysed exactly: the kinds `lp_vertex`, `lp_infeasible`, `weights` and `alg2`.
//!
//! `relaxation.rs` is the solver and `misled.rs` shows where it misleads; `tree.rs` has all draws of the sampler and `drawn.rs` what comes
//! of them. Nothing else uses them: belief from views is counted by [`pellucid_inference::views`].
//!
//! # Reference
//! Restoring compromised privacy in micro-data disclosure, ASIACCS 2010, section 3 (claim 7 and algorithm 2).

mod drawn;
mod misled;
mod relaxation;
mod tree;

pub(super) use drawn::{DEAD_END, WEIGHTS};
pub(super) use misled::{INFEASIBLE, VERTEX};
