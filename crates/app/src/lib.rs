//! The public door of Pellucid: publish, attack, compare, verify and gate tables in memory.
//!
//! A program hands over record batches and a [`Job`] without `[input]`, and gets releases as record batches, a [`Manifest`] and report
//! values that serialize themselves. Nothing here reads or writes a file. The command `pellucid` is built on the same calls, so both
//! make the same bytes.
//!
//! Start with [`Dataset`] and [`Session`].

pub mod account;
mod attack;
mod compare;
mod dataset;
mod fingerprint;
pub mod gate;
mod known;
mod output;
mod register;
mod report;
mod roster;
mod session;
mod verify;

pub use attack::{
    AttackRequest, ExternalPeople, PriorKnowledge, SeenAnswer, attack_without_table, only_sensitive, table_lines,
};
pub use compare::{Case, CompareOptions, Compared, Ended, QueryErrors, Released, Sweep, compare, publishers};
pub use dataset::Dataset;
pub use fingerprint::{Fingerprint, fingerprint};
pub use gate::{Gate, LedgerRecords, MemoryLedger};
pub use known::{PeopleSchema, people_schema, register_job};
pub use output::{ReleaseOutput, ReleasedBatches};
pub use pellucid_model::error::{Error, ErrorKind, Result};
pub use pellucid_model::manifest::Manifest;
pub use pellucid_model::progress::Stage;
pub use pellucid_publish::job::{Attacked, Job};
pub use register::Register;
pub use report::{OwnerFacts, class_sizes, risk_lines};
pub use session::{PublishAnswer, Session, StageClock};
pub use verify::Verification;
