//! For programs that read formats, keep ledgers or write pages, as the command does. Nothing here is stable.
//!
//! - **Reading**: [`PeopleSchema`], [`people_schema`], [`register_job`] and [`PopulationRegister`] say how tables of people are read;
//!   [`table_lines`] and [`only_sensitive`] what an attacker sees and asks about; [`TableFingerprint`] tells tables apart in a ledger.
//! - **Ledgers**: records, as [`LedgerRecords`](crate::LedgerRecords) gives and takes them; [`agreed`], [`check_entry`], [`named`] and
//!   [`plain`] are checks that every ledger makes; [`GateSource`] is the table of a gate.
//! - **Writing**: [`ReleasedFile`], columns of releases; [`StageClock`], how long stages take; texts and lines for pages.

pub use crate::account::{search, walk};
pub use crate::attack::{only_sensitive, table_lines};
pub use crate::fingerprint::{TableFingerprint, fingerprint};
pub use crate::gate::{
    ATTACKER, DecisionRecord, EARLIER_RESULT, EvidenceKind, EvidenceRecord, GateSource, KNOWN, NewDecision,
    NewEvidence, NewTable, RecordResult, ShownGroup, TableHistory, TableRecord, WithdrawalRecord, agreed, check_entry,
    named, plain, verdict_json,
};
pub use crate::known::{PeopleSchema, people_schema, register_job};
pub use crate::output::{ReleasedFile, assignment_file, released_files};
pub use crate::register::PopulationRegister;
pub use crate::report::{class_sizes, risk_lines};
pub use crate::session::StageClock;
