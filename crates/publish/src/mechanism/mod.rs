//! Publishers as mechanisms: what the exhaustive adversary runs on every possible original.
//!
//! - `publisher.rs`: any publisher of the registry; `mask.rs`: Mask on a partition that is given.
//! - `lines.rs`: what is seen of releases that are files.

mod lines;
mod mask;
mod publisher;

pub use lines::{Lines, TableLines};
pub use mask::{MaskOnPartition, masked};
pub use publisher::{Draws, Published, ValueOrder};
