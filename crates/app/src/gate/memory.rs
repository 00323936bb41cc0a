//! A ledger in memory: for programs that keep their own records, and for tests.

use pellucid_model::error::{Error, ErrorKind, Result};

use super::records::{
    DecisionRecord, EvidenceRecord, LedgerRecords, NewDecision, NewEvidence, NewTable, RecordResult, TableHistory,
    TableRecord, agreed, check_entry,
};

/// What is said of the place of a ledger in memory.
const PLACE: &str = "in memory";

/// A ledger that is gone with the program.
///
/// # Example
/// ```
/// # use pellucid_app::{JobData, Error};
/// use pellucid_app::{Gate, LedgerRecords, MemoryLedger};
///
/// # let (job, patients) = pellucid_app::example::six_people();
/// # let data = JobData::from_batches(&job, &patients)?;
/// let mut ledger = MemoryLedger::default();
/// assert!(ledger.history("patients")?.is_none());
/// let gate = Gate::new(&job, &data, Box::new(ledger))?;
/// assert_eq!(gate.source().people(), 6);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct MemoryLedger {
    tables: Vec<(TableHistory, Vec<DecisionRecord>)>,
}

impl MemoryLedger {
    fn known(&self) -> Vec<TableRecord> {
        self.tables.iter().map(|(history, _)| history.table.clone()).collect()
    }

    fn at(&mut self, name: &str) -> Option<&mut (TableHistory, Vec<DecisionRecord>)> {
        self.tables.iter_mut().find(|(history, _)| history.table.name == name)
    }
}

impl LedgerRecords for MemoryLedger {
    fn register(&mut self, table: &NewTable) -> Result<TableRecord> {
        if let Some(found) = self.find(table)? {
            return Ok(found);
        }
        let NewTable { name, fingerprint, rows, gate } = table.clone();
        let record = TableRecord { name, fingerprint, rows, gate, version: 0, since: String::new() };
        self.tables.push((TableHistory { table: record.clone(), evidence: Vec::new() }, Vec::new()));
        Ok(record)
    }

    fn find(&mut self, table: &NewTable) -> Result<Option<TableRecord>> {
        agreed(self.known(), table, PLACE)
    }

    fn history(&mut self, name: &str) -> Result<Option<TableHistory>> {
        Ok(self.at(name).map(|(history, _)| history.clone()))
    }

    fn decisions(&mut self, name: &str) -> Result<Vec<DecisionRecord>> {
        self.at(name).map(|(_, decisions)| decisions.clone()).ok_or_else(unknown)
    }

    fn record(
        &mut self,
        table: &str,
        version: u64,
        decision: &NewDecision,
        shown: Option<&NewEvidence>,
    ) -> Result<RecordResult> {
        check_entry(decision, shown)?;
        let (history, decisions) = self.at(table).ok_or_else(unknown)?;
        if history.table.version != version {
            return Ok(RecordResult::Moved);
        }
        let number = decisions.len() as u64 + 1;
        let at = format!("decision {number}");
        let evidence = shown.map(|shown| {
            history.table.version += 1;
            let NewEvidence { kind, column, statement, groups, promise, others, gaps } = shown.clone();
            history.evidence.push(EvidenceRecord {
                number: history.table.version,
                at: at.clone(),
                by: decision.by.clone(),
                kind,
                column,
                statement,
                groups,
                promise,
                others: Some(others),
                gaps: Some(gaps),
                withdrawn: None,
            });
            history.table.version
        });
        let NewDecision { by, statement, outcome, verdict, detail, reason } = decision.clone();
        decisions.push(DecisionRecord { number, at, evidence, by, statement, outcome, verdict, detail, reason });
        Ok(RecordResult::Done { decision: number, evidence })
    }
}

fn unknown() -> Error {
    Error::new(ErrorKind::Internal, "a table that is not registered is asked for; please report it")
}
