//! Publishers as mechanisms on small examples: what the exhaustive adversary runs on every possible original.
//!
//! `publisher.rs` has any publisher of the registry, `mask.rs` Mask on a partition that is given. Attacks on jobs run whole jobs instead.

mod mask;
mod publisher;

pub use mask::MaskOnPartition;
pub use publisher::{DrawMode, PublisherMechanism, ValueOrder};
