//! The science of Pellucid.
pub mod error;
pub mod exact;
pub mod function;
pub mod hierarchy;
pub mod histogram;
pub mod job;
pub mod notation;
pub mod principle;
pub mod publish;
pub mod registry;
pub mod release;
pub mod table;
pub mod utility;
