//! The ledger in a PostgreSQL database, in the schema `pellucid`.
//!
//! The conditional update locks the row of its table until the end of the transaction, so that processes take turns
//! table by table. A lost connection is an error of the call that was under way; the next call connects again.

use std::io;

use pellucid_model::error::{Error, ErrorKind, Result};
use postgres::error::SqlState;
use postgres::{Client, Config, GenericClient, IsolationLevel, NoTls, Row, Transaction};

use crate::migrations::{LedgerState, POSTGRES, damaged, locked};
use crate::store::{DecisionRow, EntryEvidence, EvidenceRow, LedgerEntry, LedgerStore, TableRow, sql, unsigned};
use pellucid_app::host::{NewTable, RecordResult, WithdrawalRecord};

/// Makes processes that create or migrate the ledger take turns; any number that nobody else takes.
const TURN: i64 = 0x7065_6c6c_7563_6964;

/// What every session sets: where names are looked for, how long to wait for others, and that a commit is on the disk.
const SESSION: &str = "SET search_path = pellucid; SET lock_timeout = '10s'; SET client_min_messages = 'warning'; \
     SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";

/// A ledger in a database.
pub(crate) struct PostgresStore {
    config: Config,
    client: Client,
    place: String,
}

impl PostgresStore {
    /// Connects, and makes the schema when it is missing and `make` is set; `None` when there is no ledger.
    pub(crate) fn open(config: Config, place: String, make: bool) -> Result<Option<Self>> {
        let client = connect(&config, &place)?;
        let mut ledger = Self { config, client, place };
        let place = ledger.place.clone();
        let found = found(&mut ledger.client).map_err(|error| told(&place, &error))?;
        if matches!(found, LedgerState::Nothing) && !make {
            return Ok(None);
        }
        if !found.pending(POSTGRES, &place)?.is_empty() {
            ledger.writing(|transaction| {
                let words = |error| told(&place, &error);
                transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&TURN]).map_err(words)?;
                // Another process may have been faster.
                let steps = self::found(transaction).map_err(words)?.pending(POSTGRES, &place)?;
                steps.iter().try_for_each(|step| transaction.batch_execute(step)).map_err(words)
            })?;
        }
        Ok(Some(ledger))
    }

    /// The connection, made again when it was lost while nothing was under way.
    fn client(&mut self) -> Result<&mut Client> {
        if self.client.batch_execute("").is_err() {
            self.client = connect(&self.config, &self.place)?;
        }
        Ok(&mut self.client)
    }

    /// Runs `work` on one state of the ledger.
    fn reading<T>(&mut self, work: impl FnOnce(&mut Transaction<'_>) -> Result<T, postgres::Error>) -> Result<T> {
        let place = self.place.clone();
        let work = |client: &mut Client| {
            let level = IsolationLevel::RepeatableRead;
            work(&mut client.build_transaction().isolation_level(level).read_only(true).start()?)
        };
        work(self.client()?).map_err(|error| told(&place, &error))
    }

    /// Runs `work` in a transaction, and commits what it did unless it fails.
    fn writing<T>(&mut self, work: impl FnOnce(&mut Transaction<'_>) -> Result<T>) -> Result<T> {
        let place = self.place.clone();
        let level = IsolationLevel::ReadCommitted;
        let begun = self.client()?.build_transaction().isolation_level(level).read_only(false).start();
        let mut transaction = begun.map_err(|error| told(&place, &error))?;
        let done = work(&mut transaction)?;
        transaction.commit().map_err(|error| told(&place, &error))?;
        Ok(done)
    }
}

impl LedgerStore for PostgresStore {
    fn place(&self) -> &str {
        &self.place
    }

    fn tables(&mut self) -> Result<Vec<TableRow>> {
        self.reading(|transaction| transaction.query(sql::TABLES, &[])?.iter().map(table_row).collect())
    }

    fn evidence(&mut self, name: &str) -> Result<Option<(TableRow, Vec<EvidenceRow>)>> {
        self.reading(|transaction| {
            let Some(table) = transaction.query_opt(sql::TABLE, &[&name])? else { return Ok(None) };
            let rows = transaction.query(sql::EVIDENCE, &[&name])?;
            Ok(Some((table_row(&table)?, rows.iter().map(evidence_row).collect::<Result<_, _>>()?)))
        })
    }

    fn decisions(&mut self, name: &str) -> Result<Option<(TableRow, Vec<DecisionRow>)>> {
        self.reading(|transaction| {
            let Some(table) = transaction.query_opt(sql::TABLE, &[&name])? else { return Ok(None) };
            let rows = transaction.query(sql::DECISIONS, &[&name])?;
            Ok(Some((table_row(&table)?, rows.iter().map(decision_row).collect::<Result<_, _>>()?)))
        })
    }

    fn register(&mut self, table: &NewTable, rows: i64, since: &str) -> Result<Vec<TableRow>> {
        let place = self.place.clone();
        self.writing(|transaction| {
            let mut work = || {
                let NewTable { name, fingerprint, gate, .. } = table;
                transaction.execute(sql::REGISTER, &[name, fingerprint, &rows, gate, &since])?;
                transaction
                    .query(sql::NAMESAKES, &[name, fingerprint])?
                    .iter()
                    .map(table_row)
                    .collect::<Result<Vec<_>, postgres::Error>>()
            };
            work().map_err(|error| told(&place, &error))
        })
    }

    fn record(&mut self, entry: &LedgerEntry<'_>) -> Result<Option<RecordResult>> {
        let place = self.place.clone();
        self.writing(|transaction| {
            let written = write(transaction, entry).map_err(|error| told(&place, &error))?;
            let Some((decision, evidence)) = written else {
                let known = transaction.query_opt(sql::TABLE, &[&entry.table]);
                return Ok(known.map_err(|error| told(&place, &error))?.map(|_| RecordResult::Moved));
            };
            let evidence = evidence.map(|number| unsigned(number, &place)).transpose()?;
            Ok(Some(RecordResult::Done { decision: unsigned(decision, &place)?, evidence }))
        })
    }

    fn withdraw(&mut self, table: &str, numbers: &[i64], withdrawal: &WithdrawalRecord) -> Result<()> {
        let place = self.place.clone();
        self.writing(|transaction| {
            let WithdrawalRecord { at, by, reason } = withdrawal;
            for number in numbers {
                let row: [&(dyn postgres::types::ToSql + Sync); 5] = [&table, number, at, by, reason];
                transaction.execute(sql::WITHDRAW, &row).map_err(|error| told(&place, &error))?;
            }
            Ok(())
        })
    }
}

/// Writes the entry and gives its numbers, unless its table is not at its version.
fn write(
    transaction: &mut Transaction<'_>,
    entry: &LedgerEntry<'_>,
) -> Result<Option<(i64, Option<i64>)>, postgres::Error> {
    let step = i64::from(entry.shown.is_some());
    let Some(row) = transaction.query_opt(sql::ADVANCE, &[&step, &entry.table, &entry.version])? else {
        return Ok(None);
    };
    let (version, decision): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    let LedgerEntry { table, at, by, statement, outcome, verdict, detail, reason, shown, .. } = entry;
    if let Some(shown) = shown {
        let EntryEvidence { kind, column, statement, groups, promise, others, gaps } = shown;
        transaction
            .execute(sql::SHOW, &[table, &version, at, by, kind, column, statement, groups, promise, others, gaps])?;
    }
    let evidence = shown.as_ref().map(|_| version);
    let row: [&(dyn postgres::types::ToSql + Sync); 10] =
        [table, &decision, at, by, statement, outcome, verdict, detail, reason, &evidence];
    transaction.execute(sql::DECIDE, &row)?;
    Ok(Some((decision, evidence)))
}

fn connect(config: &Config, place: &str) -> Result<Client> {
    let mut client = config.connect(NoTls).map_err(|error| unreached(place, &error))?;
    client.batch_execute(SESSION).map_err(|error| told(place, &error))?;
    Ok(client)
}

/// What is in the schema.
fn found(client: &mut impl GenericClient) -> Result<LedgerState, postgres::Error> {
    let query = "SELECT count(*), count(*) FILTER (WHERE c.relname = 'pellucid_ledger' AND c.relkind = 'r') \
         FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'pellucid'";
    let row = client.query_one(query, &[])?;
    match (row.try_get::<_, i64>(0)?, row.try_get::<_, i64>(1)?) {
        (0, _) => Ok(LedgerState::Nothing),
        (_, 0) => Ok(LedgerState::Other),
        _ => {
            let row = client.query_opt("SELECT version FROM pellucid.pellucid_ledger", &[])?;
            row.map_or(Ok(0), |row| row.try_get(0)).map(LedgerState::Version)
        }
    }
}

/// Why there is no connection, in words.
fn unreached(place: &str, error: &postgres::Error) -> Error {
    match error.code() {
        Some(_) => told(place, error),
        None if cause_is_io(error) => Error::new(
            ErrorKind::Io,
            format!(
                "the database of the ledger `{place}` cannot be reached; check host and port, and that the server runs"
            ),
        ),
        None => Error::invalid(format!(
            "the server of the ledger `{place}` asks for a way to log in that the URL does not allow; give it a password, or \
             have the server accept one"
        )),
    }
}

/// Whether the operating system failed to send or receive.
fn cause_is_io(error: &postgres::Error) -> bool {
    std::error::Error::source(error).is_some_and(|cause| cause.downcast_ref::<io::Error>().is_some())
}

/// PostgreSQL's error in words; none of its own, which may hold what was to be written.
fn told(place: &str, error: &postgres::Error) -> Error {
    let io = |words: &str| Error::new(ErrorKind::Io, format!("the ledger `{place}` {words}"));
    let Some(code) = error.code() else {
        return if error.is_closed() || cause_is_io(error) { lost(place) } else { damaged(place) };
    };
    match code {
        &SqlState::INVALID_PASSWORD | &SqlState::INVALID_AUTHORIZATION_SPECIFICATION => Error::invalid(format!(
            "the server of the ledger `{place}` does not let this user in; check user and password, and that the server \
             accepts them without TLS"
        )),
        &SqlState::INVALID_CATALOG_NAME => {
            Error::invalid(format!("the database of the ledger `{place}` does not exist; create it, or name another"))
        }
        &SqlState::INSUFFICIENT_PRIVILEGE => Error::invalid(format!(
            "the user of the ledger `{place}` may not use the schema `pellucid` of that database, or not create it; have the \
             database's owner grant it"
        )),
        &SqlState::READ_ONLY_SQL_TRANSACTION => Error::invalid(format!(
            "the database of the ledger `{place}` can only be read; name the server that writes"
        )),
        &SqlState::LOCK_NOT_AVAILABLE => locked(place),
        &SqlState::UNDEFINED_TABLE
        | &SqlState::UNDEFINED_COLUMN
        | &SqlState::DATA_CORRUPTED
        | &SqlState::INDEX_CORRUPTED => damaged(place),
        &SqlState::DISK_FULL => {
            io("does not fit on the server's disk, and nothing was recorded; free some space there")
        }
        &SqlState::TOO_MANY_CONNECTIONS | &SqlState::CANNOT_CONNECT_NOW => {
            io("is on a server that takes no connections now; wait and run again")
        }
        code if ["08", "57"].contains(&&code.code()[..2]) => lost(place),
        code => Error::new(
            ErrorKind::Internal,
            format!("the ledger `{place}` failed (SQLSTATE {}); nothing was recorded", code.code()),
        ),
    }
}

fn lost(place: &str) -> Error {
    Error::new(
        ErrorKind::Io,
        format!(
            "the connection to the ledger `{place}` was lost, and nothing was recorded unless that was acknowledged; see by \
             `pellucid view list` what was recorded, then run again"
        ),
    )
}

fn table_row(row: &Row) -> Result<TableRow, postgres::Error> {
    Ok(TableRow {
        name: row.try_get(0)?,
        fingerprint: row.try_get(1)?,
        rows: row.try_get(2)?,
        gate: row.try_get(3)?,
        version: row.try_get(4)?,
        decisions: row.try_get(5)?,
        since: row.try_get(6)?,
    })
}

fn evidence_row(row: &Row) -> Result<EvidenceRow, postgres::Error> {
    Ok(EvidenceRow {
        number: row.try_get(0)?,
        at: row.try_get(1)?,
        by: row.try_get(2)?,
        kind: row.try_get(3)?,
        column: row.try_get(4)?,
        statement: row.try_get(5)?,
        groups: row.try_get(6)?,
        promise: row.try_get(7)?,
        others: row.try_get(8)?,
        gaps: row.try_get(9)?,
        withdrawn: withdrawal(row)?,
    })
}

/// That what was shown was never handed out, from three columns that are all there or all missing.
fn withdrawal(row: &Row) -> Result<Option<WithdrawalRecord>, postgres::Error> {
    let (at, by, reason): (Option<String>, Option<String>, Option<String>) =
        (row.try_get(10)?, row.try_get(11)?, row.try_get(12)?);
    Ok(at.zip(by).zip(reason).map(|((at, by), reason)| WithdrawalRecord { at, by, reason }))
}

fn decision_row(row: &Row) -> Result<DecisionRow, postgres::Error> {
    Ok(DecisionRow {
        number: row.try_get(0)?,
        at: row.try_get(1)?,
        by: row.try_get(2)?,
        statement: row.try_get(3)?,
        outcome: row.try_get(4)?,
        verdict: row.try_get(5)?,
        detail: row.try_get(6)?,
        reason: row.try_get(7)?,
        evidence: row.try_get(8)?,
    })
}
