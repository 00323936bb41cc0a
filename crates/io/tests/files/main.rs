//! Files of every format, read and written.

mod common;
mod fingerprint;
mod read_csv;
mod read_typed;
mod release_bytes;
mod sentences;
mod write;
