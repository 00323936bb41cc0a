//! The ledger: which tables there are, what was shown of each, what was decided about that, and by whom.
//!
//! It is kept in an SQLite file or in a PostgreSQL database and knows nothing of privacy: whoever decides reads the history
//! of a table, decides, and records the decision on condition that nothing else was shown in the meantime. Of a table's
//! cells it keeps only the multisets that were published. [`pellucid_app::Gate`] is who decides.

mod address;
mod gates;
mod migrations;
mod postgres;
mod sqlite;
mod store;

use std::fmt;

use chrono::{SecondsFormat, Utc};
use pellucid_model::error::{Error, Result};
use pellucid_model::promise::PromiseClass;
use pellucid_model::registry::did_you_mean;

use crate::address::LedgerAddress;
use crate::postgres::PostgresStore;
use crate::sqlite::SqliteStore;
use crate::store::{EntryEvidence, LedgerEntry, LedgerStore, all_there, signed};
pub use gates::{open_gate, peek_gate};
pub use pellucid_app::host::{
    DecisionRecord, EvidenceKind, EvidenceRecord, NewDecision, NewEvidence, NewTable, RecordResult, ShownGroup,
    TableHistory, TableRecord, WithdrawalRecord,
};
use pellucid_app::host::{agreed, check_entry, named, plain};
pub use pellucid_app::parts::DecisionOutcome;

/// A ledger that is open.
///
/// # Guarantee
///
/// What [`Ledger::record`] acknowledges stays recorded, and a call that fails or is killed leaves all of its entry or none.
/// Of several processes that decide on the same history of a table, at most one records that something was shown.
pub struct Ledger {
    store: Box<dyn LedgerStore>,
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger").field("place", &self.store.place()).finish()
    }
}

impl Ledger {
    /// Opens the ledger at `place`: the path of an SQLite file, or `postgres://..` or `postgresql://..`.
    ///
    /// A file that is missing is made, for its owner only; so are missing tables in a database. An older ledger is brought
    /// to the present form, and of a file a copy is kept beside it first, as `FILE.v1` for version 1.
    pub fn open(place: &str) -> Result<Self> {
        Self::at(place, true)?
    }

    /// The same, and an error where there is no ledger yet.
    pub fn open_existing(place: &str) -> Result<Self> {
        Self::at(place, false)?
    }

    /// The same, and `None` where there is no ledger yet.
    pub fn open_if_there(place: &str) -> Result<Option<Self>> {
        Ok(Self::at(place, false)?.ok())
    }

    /// The inner error is that there is no ledger.
    fn at(place: &str, make: bool) -> Result<Result<Self>> {
        let (store, words): (Option<Box<dyn LedgerStore>>, _) = match LedgerAddress::read(place)? {
            LedgerAddress::File(file) => {
                (SqliteStore::open(file, make)?.map(|store| Box::new(store) as Box<dyn LedgerStore>), file.to_owned())
            }
            LedgerAddress::Database(config, words) => {
                let opened = PostgresStore::open(*config, words.clone(), make)?;
                (opened.map(|store| Box::new(store) as Box<dyn LedgerStore>), words)
            }
        };
        Ok(store.map(|store| Self { store }).ok_or_else(|| migrations::missing(&words)))
    }

    /// Where it is, without a password.
    pub fn place(&self) -> &str {
        self.store.place()
    }

    /// All tables, by name.
    pub fn tables(&mut self) -> Result<Vec<TableRecord>> {
        let rows = self.store.tables()?;
        let mut tables: Vec<_> = rows.into_iter().map(|row| row.record(self.store.place())).collect::<Result<_>>()?;
        // Databases differ in how they sort text.
        tables.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(tables)
    }

    /// The table called `name` and everything shown of it, as of one moment; `None` when it is not registered.
    ///
    /// An error when anything that was shown is missing.
    pub fn history(&mut self, name: &str) -> Result<Option<TableHistory>> {
        plain("the name of the table", name)?;
        let Some((table, rows)) = self.store.evidence(name)? else { return Ok(None) };
        let place = self.store.place();
        all_there(rows.iter().map(|row| row.number), table.version, place)?;
        let evidence = rows.into_iter().map(|row| row.evidence(place)).collect::<Result<_>>()?;
        Ok(Some(TableHistory { table: table.record(place)?, evidence }))
    }

    /// Registers a table, or finds it registered just so.
    ///
    /// An error when its name stands for another table, or when it has another name or another gate.
    pub fn register(&mut self, table: &NewTable) -> Result<TableRecord> {
        named("the name of the table", &table.name)?;
        named("the fingerprint of the table", &table.fingerprint)?;
        named("the gate of the table", &table.gate)?;
        let rows = signed(table.rows, "the number of rows")?;
        let found = self.store.register(table, rows, &now())?;
        let place = self.store.place();
        let known: Vec<_> = found.into_iter().map(|row| row.record(place)).collect::<Result<_>>()?;
        agreed(known, table, place)?.ok_or_else(|| migrations::damaged(place))
    }

    /// The table if it is registered just so; `None` when it is not registered.
    ///
    /// The errors of [`Ledger::register`].
    pub fn find(&mut self, table: &NewTable) -> Result<Option<TableRecord>> {
        let known = self.tables()?;
        agreed(known, table, self.store.place())
    }

    /// Records a decision and what was shown, if anything was, provided that `table` still is at `version`.
    ///
    /// A refusal leaves the version as it is; anything shown increments it and has the new version for its number.
    pub fn record(
        &mut self,
        table: &str,
        version: u64,
        decision: &NewDecision,
        shown: Option<&NewEvidence>,
    ) -> Result<RecordResult> {
        check_entry(decision, shown)?;
        plain("the name of the table", table)?;
        let shown = shown.map(|shown| {
            Ok(EntryEvidence {
                kind: shown.kind.as_str(),
                column: &shown.column,
                statement: &shown.statement,
                groups: json_text(&shown.groups)?,
                promise: shown.promise.map(PromiseClass::as_str),
                others: json_text(&shown.others)?,
                gaps: json_text(&shown.gaps)?,
            })
        });
        let entry = LedgerEntry {
            table,
            version: signed(version, "the version of the table")?,
            at: now(),
            by: &decision.by,
            statement: &decision.statement,
            outcome: decision.outcome.as_str(),
            verdict: &decision.verdict,
            detail: decision.detail.to_string(),
            reason: decision.reason.as_deref(),
            shown: shown.transpose()?,
        };
        match self.store.record(&entry)? {
            Some(recorded) => Ok(recorded),
            None => Err(self.unknown(table)),
        }
    }

    /// Records on the word of `by` that the release with the number `evidence` was never handed out, and gives the numbers under
    /// which it was recorded, one for each sensitive column.
    ///
    /// # Errors
    /// When nothing was shown under that number, when it is a view, whose values were shown when it was recorded, or when it was
    /// withdrawn already.
    pub fn withdraw(&mut self, table: &str, evidence: u64, by: &str, reason: &str) -> Result<Vec<u64>> {
        named("who decides", by)?;
        named("the reason", reason)?;
        let Some(history) = self.history(table)? else { return Err(self.unknown(table)) };
        let Some(shown) = history.evidence.iter().find(|shown| shown.number == evidence) else {
            return Err(Error::invalid(format!(
                "nothing was shown of table `{table}` under number {evidence}; `pellucid view list` has the numbers"
            )));
        };
        if shown.kind == EvidenceKind::View {
            return Err(Error::invalid(format!(
                "evidence {evidence} is a view, and its values were shown when it was recorded; only releases can be withdrawn"
            )));
        }
        if let Some(WithdrawalRecord { at, by, .. }) = &shown.withdrawn {
            return Err(Error::invalid(format!("evidence {evidence} was withdrawn already, {at} by {by}")));
        }
        let numbers = of_one_release(&history.evidence, shown);
        let signed: Vec<i64> = numbers.iter().map(|&number| signed(number, "the number")).collect::<Result<_>>()?;
        let withdrawal = WithdrawalRecord { at: now(), by: by.to_owned(), reason: reason.to_owned() };
        self.store.withdraw(table, &signed, &withdrawal)?;
        Ok(numbers)
    }

    /// All decisions on the table, by number.
    ///
    /// An error when one is missing, or when no such table is registered.
    pub fn decisions(&mut self, table: &str) -> Result<Vec<DecisionRecord>> {
        plain("the name of the table", table)?;
        let Some((row, rows)) = self.store.decisions(table)? else { return Err(self.unknown(table)) };
        let place = self.store.place();
        all_there(rows.iter().map(|row| row.number), row.decisions, place)?;
        rows.into_iter().map(|row| row.decision(place)).collect()
    }

    fn unknown(&mut self, name: &str) -> Error {
        let tables = self.tables().unwrap_or_default();
        let hint = did_you_mean(name, tables.iter().map(|table| table.name.as_str()));
        let place = self.store.place();
        Error::invalid(format!("no table `{name}` is recorded in the ledger `{place}`{hint}; add a view of it first"))
    }
}

/// The numbers under which the release of `shown` was recorded: one after the other, each for another column.
fn of_one_release(evidence: &[EvidenceRecord], shown: &EvidenceRecord) -> Vec<u64> {
    let is_same = |other: &&EvidenceRecord| other.statement == shown.statement && other.kind == shown.kind;
    let before = evidence.iter().filter(|other| other.number < shown.number).rev().take_while(is_same);
    let after = evidence.iter().filter(|other| other.number > shown.number).take_while(is_same);
    let mut columns = vec![shown.column.as_str()];
    let mut numbers = vec![shown.number];
    for side in [before.collect::<Vec<_>>(), after.collect()] {
        for other in side {
            // The same release once more has a column of before.
            if columns.contains(&other.column.as_str()) {
                break;
            }
            columns.push(&other.column);
            numbers.push(other.number);
        }
    }
    numbers.sort_unstable();
    numbers
}

fn json_text(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|_| Error::invalid("what was shown is no JSON"))
}

/// The time in UTC by RFC 3339.
fn now() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true)
}
