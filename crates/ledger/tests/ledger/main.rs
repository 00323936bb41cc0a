//! The ledger on both databases: every test runs on SQLite, and on PostgreSQL where `PELLUCID_TEST_POSTGRES` names one.

mod failures;
mod harness;
mod migrations;
mod processes;
mod records;
mod servers;
