//! Demonstration publishers: targets of attack, to show what a promise is worth without a proof.
//!
//! They are faithful to their papers and never recommended; lists and comparisons show them when they are asked for.

mod best_of;
mod mask;
mod opt_gen;
mod vul_gen;

pub use best_of::ENTRY as BEST_OF;
pub use mask::ENTRY as MASK;
pub use mask::copy_distribution;
pub use opt_gen::ENTRY as OPT_GEN;
pub use vul_gen::ENTRY as VUL_GEN;
