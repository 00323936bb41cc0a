//! Tables from Arrow record batches, and releases as such.
//!
//! [`read_batches`] codes batches into the columns of a table as a plan declares them; [`ColumnBatches`] gives released columns back, in
//! batches that depend on their contents alone. Files are read and written elsewhere.

mod cells;
mod read;
mod write;

pub use read::{names, read_batches};
pub use write::ColumnBatches;

/// The most rows that a record batch made here has.
pub const BATCH_ROWS: usize = 1 << 16;
