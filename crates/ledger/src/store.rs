//! What a database must do for the ledger, the statements that both databases understand, and rows as they are kept.

use pellucid_model::error::{Error, Result};
use pellucid_model::promise::PromiseClass;

use crate::migrations::damaged;
use pellucid_app::host::{
    DecisionRecord, EvidenceKind, EvidenceRecord, NewTable, RecordResult, TableRecord, WithdrawalRecord,
};
use pellucid_app::parts::DecisionOutcome;

/// A database that keeps a ledger.
pub(crate) trait LedgerStore: Send {
    /// Where the ledger is, as messages may tell it.
    fn place(&self) -> &str;

    /// All tables, by name.
    fn tables(&mut self) -> Result<Vec<TableRow>>;

    /// The table called `name` with its rows of evidence, as of one moment.
    fn evidence(&mut self, name: &str) -> Result<Option<(TableRow, Vec<EvidenceRow>)>>;

    /// The table called `name` with its rows of decisions, as of one moment.
    fn decisions(&mut self, name: &str) -> Result<Option<(TableRow, Vec<DecisionRow>)>>;

    /// Inserts the table unless its name or fingerprint is there; then all tables that have one of them.
    fn register(&mut self, table: &NewTable, rows: i64, since: &str) -> Result<Vec<TableRow>>;

    /// Writes the entry if its table is at its version; `None` when there is no such table.
    fn record(&mut self, entry: &LedgerEntry<'_>) -> Result<Option<RecordResult>>;

    /// Writes that everything shown under these numbers was never handed out; what says so already stays as it is.
    fn withdraw(&mut self, table: &str, numbers: &[i64], withdrawal: &WithdrawalRecord) -> Result<()>;
}

/// A decision and what was shown, ready to be written.
pub(crate) struct LedgerEntry<'a> {
    pub table: &'a str,
    pub version: i64,
    pub at: String,
    pub by: &'a str,
    pub statement: &'a str,
    pub outcome: &'static str,
    pub verdict: &'a str,
    pub detail: String,
    pub reason: Option<&'a str>,
    pub shown: Option<EntryEvidence<'a>>,
}

/// What was shown, ready to be written.
pub(crate) struct EntryEvidence<'a> {
    pub kind: &'static str,
    pub column: &'a str,
    pub statement: &'a str,
    pub groups: String,
    pub promise: Option<&'static str>,
    pub others: String,
    pub gaps: String,
}

/// Parameters are numbered in the order in which they first occur, which is how SQLite counts them.
pub(crate) mod sql {
    pub(crate) const TABLES: &str =
        "SELECT name, fingerprint, row_count, gate, version, decisions, since FROM tables ORDER BY name";
    pub(crate) const TABLE: &str =
        "SELECT name, fingerprint, row_count, gate, version, decisions, since FROM tables WHERE name = $1";
    pub(crate) const EVIDENCE: &str = "SELECT e.number, e.at_time, e.by_whom, e.kind, e.column_name, e.statement, e.shown, \
         e.promise, e.other_columns, e.gaps, w.at_time, w.by_whom, w.reason FROM evidence e LEFT JOIN withdrawals w \
         ON w.table_name = e.table_name AND w.evidence = e.number WHERE e.table_name = $1 ORDER BY e.number";
    pub(crate) const DECISIONS: &str = "SELECT number, at_time, by_whom, statement, outcome, verdict, detail, reason, \
         evidence FROM decisions WHERE table_name = $1 ORDER BY number";
    pub(crate) const REGISTER: &str = "INSERT INTO tables (name, fingerprint, row_count, gate, since) \
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
    pub(crate) const NAMESAKES: &str = "SELECT name, fingerprint, row_count, gate, version, decisions, since FROM tables \
         WHERE name = $1 OR fingerprint = $2 ORDER BY name";
    pub(crate) const ADVANCE: &str = "UPDATE tables SET version = version + $1, decisions = decisions + 1 \
         WHERE name = $2 AND version = $3 RETURNING version, decisions";
    pub(crate) const SHOW: &str = "INSERT INTO evidence \
         (table_name, number, at_time, by_whom, kind, column_name, statement, shown, promise, other_columns, gaps) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    pub(crate) const WITHDRAW: &str = "INSERT INTO withdrawals (table_name, evidence, at_time, by_whom, reason) \
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
    pub(crate) const DECIDE: &str = "INSERT INTO decisions \
         (table_name, number, at_time, by_whom, statement, outcome, verdict, detail, reason, evidence) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
}

pub(crate) struct TableRow {
    pub name: String,
    pub fingerprint: String,
    pub rows: i64,
    pub gate: String,
    pub version: i64,
    pub decisions: i64,
    pub since: String,
}

pub(crate) struct EvidenceRow {
    pub number: i64,
    pub at: String,
    pub by: String,
    pub kind: String,
    pub column: String,
    pub statement: String,
    pub groups: String,
    pub promise: Option<String>,
    pub others: Option<String>,
    pub gaps: Option<String>,
    pub withdrawn: Option<WithdrawalRecord>,
}

pub(crate) struct DecisionRow {
    pub number: i64,
    pub at: String,
    pub by: String,
    pub statement: String,
    pub outcome: String,
    pub verdict: String,
    pub detail: String,
    pub reason: Option<String>,
    pub evidence: Option<i64>,
}

impl TableRow {
    pub(crate) fn record(self, place: &str) -> Result<TableRecord> {
        Ok(TableRecord {
            rows: unsigned(self.rows, place)?,
            version: unsigned(self.version, place)?,
            name: self.name,
            fingerprint: self.fingerprint,
            gate: self.gate,
            since: self.since,
        })
    }
}

impl EvidenceRow {
    pub(crate) fn evidence(self, place: &str) -> Result<EvidenceRecord> {
        Ok(EvidenceRecord {
            number: unsigned(self.number, place)?,
            kind: EvidenceKind::of(&self.kind).ok_or_else(|| damaged(place))?,
            groups: serde_json::from_str(&self.groups).map_err(|_| damaged(place))?,
            promise: self.promise.map(|word| promise_of(&word).ok_or_else(|| damaged(place))).transpose()?,
            others: self.others.map(|names| serde_json::from_str(&names).map_err(|_| damaged(place))).transpose()?,
            gaps: self.gaps.map(|gaps| serde_json::from_str(&gaps).map_err(|_| damaged(place))).transpose()?,
            withdrawn: self.withdrawn,
            at: self.at,
            by: self.by,
            column: self.column,
            statement: self.statement,
        })
    }
}

impl DecisionRow {
    pub(crate) fn decision(self, place: &str) -> Result<DecisionRecord> {
        Ok(DecisionRecord {
            number: unsigned(self.number, place)?,
            evidence: self.evidence.map(|number| unsigned(number, place)).transpose()?,
            outcome: DecisionOutcome::of(&self.outcome).ok_or_else(|| damaged(place))?,
            detail: serde_json::from_str(&self.detail).map_err(|_| damaged(place))?,
            at: self.at,
            by: self.by,
            statement: self.statement,
            verdict: self.verdict,
            reason: self.reason,
        })
    }
}

fn promise_of(word: &str) -> Option<PromiseClass> {
    PromiseClass::ALL.into_iter().find(|class| class.as_str() == word)
}

/// Whether `numbers` are 1, 2, .. up to `count`; otherwise something was lost.
pub(crate) fn all_there(numbers: impl ExactSizeIterator<Item = i64>, count: i64, place: &str) -> Result<()> {
    let whole =
        i64::try_from(numbers.len()) == Ok(count) && numbers.zip(1..).all(|(number, expected)| number == expected);
    if whole { Ok(()) } else { Err(damaged(place)) }
}

/// A count, as callers get it.
pub(crate) fn unsigned(count: i64, place: &str) -> Result<u64> {
    u64::try_from(count).map_err(|_| damaged(place))
}

/// A count, as databases keep it.
pub(crate) fn signed(count: u64, what: &str) -> Result<i64> {
    i64::try_from(count).map_err(|_| Error::invalid(format!("{what} is out of range; it must be below 2^63")))
}
