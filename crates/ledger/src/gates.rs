//! Gates on ledgers in files and databases.

use pellucid_app::host::{
    DecisionRecord, GateSource, NewDecision, NewEvidence, NewTable, RecordResult, TableHistory, TableRecord,
};
use pellucid_app::parts::GateSettings;
use pellucid_app::{Gate, LedgerRecords};
use pellucid_model::error::Result;

use crate::Ledger;

impl LedgerRecords for Ledger {
    fn register(&mut self, table: &NewTable) -> Result<TableRecord> {
        Self::register(self, table)
    }

    fn find(&mut self, table: &NewTable) -> Result<Option<TableRecord>> {
        Self::find(self, table)
    }

    fn history(&mut self, name: &str) -> Result<Option<TableHistory>> {
        Self::history(self, name)
    }

    fn decisions(&mut self, name: &str) -> Result<Vec<DecisionRecord>> {
        Self::decisions(self, name)
    }

    fn record(
        &mut self,
        table: &str,
        version: u64,
        decision: &NewDecision,
        shown: Option<&NewEvidence>,
    ) -> Result<RecordResult> {
        Self::record(self, table, version, decision, shown)
    }
}

/// The gate of `source` with the ledger at `place`, which is made when it is missing; the table is registered.
///
/// # Errors
/// When the ledger knows another table by that name, or this one by another name or gate.
pub fn open_gate(source: GateSource, place: &str, settings: GateSettings) -> Result<Gate> {
    let there = Ledger::open_if_there(place)?;
    let new = there.is_none();
    let ledger = there.map_or_else(|| Ledger::open(place), Ok)?;
    Gate::open(source, Box::new(ledger), new, settings)
}

/// The same without making or registering anything: what is not there yet is taken as empty.
///
/// # Errors
/// Those of [`open_gate`].
pub fn peek_gate(source: GateSource, place: &str, settings: GateSettings) -> Result<Gate> {
    let ledger = Ledger::open_if_there(place)?;
    Gate::peek(source, ledger.map(|ledger| Box::new(ledger) as Box<dyn LedgerRecords>), settings)
}
