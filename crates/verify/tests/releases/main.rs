//! The independent check, on releases made by hand and by publishers.

mod common;
mod foreign;
mod functions;
mod made;
mod opaque;
mod release;
mod search;
mod sentences;
mod statistics;
