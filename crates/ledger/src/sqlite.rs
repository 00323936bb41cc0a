//! The ledger in an SQLite file.
//!
//! Writers take turns by `BEGIN IMMEDIATE`; the rollback journal and `synchronous = EXTRA` (`FULL`, and the folder too) keep
//! what was acknowledged through a loss of power, and leave one file that can be copied while nobody writes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pellucid_io::private_temporary_file;
use pellucid_model::error::{Error, ErrorKind, Result};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use crate::migrations::{LedgerState, SQLITE, damaged, locked};
use crate::store::{DecisionRow, EntryEvidence, EvidenceRow, LedgerEntry, LedgerStore, TableRow, sql, unsigned};
use pellucid_app::host::{NewTable, RecordResult, WithdrawalRecord};

/// How long to wait for other processes.
const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes of the smallest page that SQLite writes.
const SMALLEST: u64 = 512;

/// A ledger in a file.
pub(crate) struct SqliteStore {
    connection: Connection,
    place: String,
}

impl SqliteStore {
    /// Opens the file, which is made when it is missing and `make` is set; `None` when there is no ledger.
    ///
    /// # Cost
    ///
    /// Reads the file once (`quick_check`): a ledger that has lost evidence would let too much pass.
    pub(crate) fn open(place: &str, make: bool) -> Result<Option<Self>> {
        let path = std::path::absolute(place).map_err(|error| Error::io(place, error))?;
        match fs::metadata(&path) {
            Ok(found) if found.is_dir() => {
                return Err(Error::invalid(format!("the ledger `{place}` is a folder; name a file in it")));
            }
            // SQLite takes a file of one byte for an empty one, and would write over it.
            Ok(found) if (1..SMALLEST).contains(&found.len()) => return Err(foreign(place)),
            Ok(found) => keep_private(&path, &found).map_err(|error| Error::io(place, error))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound && make => create(&path, place)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io(place, error)),
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&path, flags).map_err(|error| told(place, &error))?;
        let mut ledger = Self { connection, place: place.to_owned() };
        Ok(ledger.prepare(&path, make)?.then_some(ledger))
    }

    /// Whether there is a ledger, in its present form.
    fn prepare(&mut self, path: &Path, make: bool) -> Result<bool> {
        let found = self.told(|connection| {
            connection.busy_timeout(PATIENCE)?;
            connection
                .execute_batch("PRAGMA synchronous = EXTRA; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;")?;
            found(connection)
        })?;
        if matches!(found, LedgerState::Nothing) && !make {
            return Ok(false);
        }
        let pending = found.pending(SQLITE, &self.place)?;
        if self.told(|connection| connection.is_readonly("main"))? {
            return Err(forbidden(&self.place));
        }
        let health: String =
            self.told(|connection| connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)))?;
        if health != "ok" {
            return Err(damaged(&self.place));
        }
        if pending.is_empty() {
            return Ok(true);
        }
        if let LedgerState::Version(version) = found {
            self.keep_copy(path, version)?;
        }
        let place = self.place.clone();
        self.writing(|transaction| {
            // Another process may have been faster.
            let steps = found_again(transaction, &place)?;
            steps.iter().try_for_each(|step| transaction.execute_batch(step)).map_err(|error| told(&place, &error))
        })?;
        Ok(true)
    }

    /// Keeps a copy of the file of this version beside it, unless there is one; the copy appears whole or not at all.
    fn keep_copy(&mut self, path: &Path, version: i64) -> Result<()> {
        let mut copy = path.as_os_str().to_owned();
        copy.push(format!(".v{version}"));
        let copy = PathBuf::from(copy);
        if copy.exists() {
            return Ok(());
        }
        let cannot = |error: io::Error| Error::io(format!("{}.v{version}", self.place), error);
        let partial = private_temporary_file(folder_of(path)).map_err(cannot)?;
        let target = partial.path().to_str().ok_or_else(|| {
            Error::invalid(format!("the folder of the ledger `{}` has a name that is no text; rename it", self.place))
        })?;
        self.connection.execute("VACUUM INTO ?1", [target]).map_err(|error| told(&self.place, &error))?;
        partial.as_file().sync_all().map_err(cannot)?;
        match partial.persist_noclobber(&copy) {
            Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => Err(cannot(error.error)),
            _ => Ok(()),
        }
    }

    /// Runs `work`, and tells its error in words.
    fn told<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        work(&self.connection).map_err(|error| told(&self.place, &error))
    }

    /// Runs `work` on one state of the ledger.
    fn reading<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T> {
        let transaction = self.connection.transaction().map_err(|error| told(&self.place, &error))?;
        work(&transaction).map_err(|error| told(&self.place, &error))
    }

    /// Runs `work` while no other process writes, and commits what it did unless it fails.
    fn writing<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let begun = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begun.map_err(|error| told(&self.place, &error))?;
        let done = work(&transaction)?;
        transaction.commit().map_err(|error| told(&self.place, &error))?;
        Ok(done)
    }
}

impl LedgerStore for SqliteStore {
    fn place(&self) -> &str {
        &self.place
    }

    fn tables(&mut self) -> Result<Vec<TableRow>> {
        self.told(|connection| connection.prepare(sql::TABLES)?.query_map([], table_row)?.collect())
    }

    fn evidence(&mut self, name: &str) -> Result<Option<(TableRow, Vec<EvidenceRow>)>> {
        self.reading(|transaction| {
            let Some(table) = transaction.query_row(sql::TABLE, [name], table_row).optional()? else { return Ok(None) };
            let rows =
                transaction.prepare(sql::EVIDENCE)?.query_map([name], evidence_row)?.collect::<Result<_, _>>()?;
            Ok(Some((table, rows)))
        })
    }

    fn decisions(&mut self, name: &str) -> Result<Option<(TableRow, Vec<DecisionRow>)>> {
        self.reading(|transaction| {
            let Some(table) = transaction.query_row(sql::TABLE, [name], table_row).optional()? else { return Ok(None) };
            let rows =
                transaction.prepare(sql::DECISIONS)?.query_map([name], decision_row)?.collect::<Result<_, _>>()?;
            Ok(Some((table, rows)))
        })
    }

    fn register(&mut self, table: &NewTable, rows: i64, since: &str) -> Result<Vec<TableRow>> {
        let place = self.place.clone();
        self.writing(|transaction| {
            let work = || {
                let new = params![table.name, table.fingerprint, rows, table.gate, since];
                transaction.execute(sql::REGISTER, new)?;
                let same = params![table.name, table.fingerprint];
                transaction.prepare(sql::NAMESAKES)?.query_map(same, table_row)?.collect::<rusqlite::Result<Vec<_>>>()
            };
            work().map_err(|error| told(&place, &error))
        })
    }

    fn record(&mut self, entry: &LedgerEntry<'_>) -> Result<Option<RecordResult>> {
        let place = self.place.clone();
        self.writing(|transaction| {
            let written = write(transaction, entry).map_err(|error| told(&place, &error))?;
            let Some((decision, evidence)) = written else {
                let known = transaction.query_row(sql::TABLE, [entry.table], |_| Ok(())).optional();
                return Ok(known.map_err(|error| told(&place, &error))?.map(|()| RecordResult::Moved));
            };
            let evidence = evidence.map(|number| unsigned(number, &place)).transpose()?;
            Ok(Some(RecordResult::Done { decision: unsigned(decision, &place)?, evidence }))
        })
    }

    fn withdraw(&mut self, table: &str, numbers: &[i64], withdrawal: &WithdrawalRecord) -> Result<()> {
        let place = self.place.clone();
        self.writing(|transaction| {
            let WithdrawalRecord { at, by, reason } = withdrawal;
            let write = |number| transaction.execute(sql::WITHDRAW, params![table, number, at, by, reason]).map(drop);
            numbers.iter().try_for_each(write).map_err(|error| told(&place, &error))
        })
    }
}

/// That what was shown was never handed out, from three columns that are all there or all missing.
fn withdrawal(row: &Row<'_>) -> rusqlite::Result<Option<WithdrawalRecord>> {
    let (at, by, reason): (Option<String>, Option<String>, Option<String>) = (row.get(10)?, row.get(11)?, row.get(12)?);
    Ok(at.zip(by).zip(reason).map(|((at, by), reason)| WithdrawalRecord { at, by, reason }))
}

/// Writes the entry and gives its numbers, unless its table is not at its version.
fn write(transaction: &Transaction<'_>, entry: &LedgerEntry<'_>) -> rusqlite::Result<Option<(i64, Option<i64>)>> {
    let step = i64::from(entry.shown.is_some());
    let at = params![step, entry.table, entry.version];
    let numbers = transaction.query_row(sql::ADVANCE, at, |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let Some((version, decision)): Option<(i64, i64)> = numbers else { return Ok(None) };
    if let Some(shown) = &entry.shown {
        let LedgerEntry { table, at, by, .. } = entry;
        let EntryEvidence { kind, column, statement, groups, promise, others, gaps } = shown;
        let row = params![table, version, at, by, kind, column, statement, groups, promise, others, gaps];
        transaction.execute(sql::SHOW, row)?;
    }
    let evidence = entry.shown.as_ref().map(|_| version);
    let LedgerEntry { table, at, by, statement, outcome, verdict, detail, reason, .. } = entry;
    let row = params![table, decision, at, by, statement, outcome, verdict, detail, reason, evidence];
    transaction.execute(sql::DECIDE, row)?;
    Ok(Some((decision, evidence)))
}

/// What is in the file.
fn found(connection: &Connection) -> rusqlite::Result<LedgerState> {
    let all: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let ours = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'pellucid_ledger'";
    match (all, connection.query_row(ours, [], |row| row.get::<_, i64>(0))?) {
        (0, _) => Ok(LedgerState::Nothing),
        (_, 0) => Ok(LedgerState::Other),
        _ => connection
            .query_row("SELECT version FROM pellucid_ledger", [], |row| row.get(0))
            .optional()
            .map(|version| LedgerState::Version(version.unwrap_or(0))),
    }
}

/// The steps that are to be taken, seen from inside a transaction.
fn found_again(transaction: &Transaction<'_>, place: &str) -> Result<&'static [&'static str]> {
    found(transaction).map_err(|error| told(place, &error))?.pending(SQLITE, place)
}

/// Makes an empty file that only its owner may use, unless there is one.
///
/// It is made under another name and closed first: closing a file drops the locks that SQLite may hold on it in this process.
fn create(path: &Path, place: &str) -> Result<()> {
    let folder = folder_of(path);
    loop {
        let made = private_temporary_file(folder).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Error::invalid(format!(
                "the folder of the ledger `{place}` does not exist; make it first, or name a file elsewhere"
            )),
            _ => Error::io(place, error),
        })?;
        match made.into_temp_path().persist_noclobber(path) {
            // Once closed it is no longer locked, and another process may have taken it for left over.
            Err(error) if error.error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(Error::io(place, error.error));
            }
            _ => return Ok(()),
        }
    }
}

/// Takes a file that is there from everybody but its owner while it is empty, and from strangers afterwards: the group that its owner
/// shares it with may stay.
#[cfg(unix)]
fn keep_private(path: &Path, found: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = found.permissions().mode() & 0o777;
    let wanted = if found.len() == 0 { 0o600 } else { mode & 0o770 };
    if mode == wanted {
        return Ok(());
    }
    match fs::set_permissions(path, fs::Permissions::from_mode(wanted)) {
        // Only its owner can, and what it holds is there already.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && found.len() > 0 => Ok(()),
        done => done,
    }
}

#[cfg(not(unix))]
fn keep_private(_: &Path, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

fn foreign(place: &str) -> Error {
    Error::bad_input(format!("`{place}` is no ledger, for it is no SQLite file; name another file"))
}

fn forbidden(place: &str) -> Error {
    Error::invalid(format!(
        "the ledger `{place}` cannot be written; change the permissions of the file and its folder, or run as its owner"
    ))
}

/// SQLite's error in words; none of its own, which may hold what was to be written.
fn told(place: &str, error: &rusqlite::Error) -> Error {
    let io = |words: &str| Error::new(ErrorKind::Io, format!("the ledger `{place}` {words}"));
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => foreign(place),
        // Unknown: a statement names a table or column that is not there.
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::Unknown) | None => damaged(place),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
            locked(place)
        }
        Some(ErrorCode::PermissionDenied | ErrorCode::ReadOnly | ErrorCode::CannotOpen) => forbidden(place),
        Some(ErrorCode::DiskFull) => {
            io("does not fit on the disk, and nothing was recorded; free some space and run again")
        }
        Some(ErrorCode::TooBig) => Error::new(
            ErrorKind::LimitExceeded,
            format!("what is to be recorded in `{place}` is too large; show less at once"),
        ),
        Some(ErrorCode::SystemIoFailure) => {
            io("cannot be read or written, and nothing was recorded; check the disk and run again")
        }
        Some(code) => {
            Error::new(ErrorKind::Internal, format!("the ledger `{place}` failed ({code:?}); nothing was recorded"))
        }
    }
}

fn table_row(row: &Row<'_>) -> rusqlite::Result<TableRow> {
    Ok(TableRow {
        name: row.get(0)?,
        fingerprint: row.get(1)?,
        rows: row.get(2)?,
        gate: row.get(3)?,
        version: row.get(4)?,
        decisions: row.get(5)?,
        since: row.get(6)?,
    })
}

fn evidence_row(row: &Row<'_>) -> rusqlite::Result<EvidenceRow> {
    Ok(EvidenceRow {
        number: row.get(0)?,
        at: row.get(1)?,
        by: row.get(2)?,
        kind: row.get(3)?,
        column: row.get(4)?,
        statement: row.get(5)?,
        groups: row.get(6)?,
        promise: row.get(7)?,
        others: row.get(8)?,
        gaps: row.get(9)?,
        withdrawn: withdrawal(row)?,
    })
}

fn decision_row(row: &Row<'_>) -> rusqlite::Result<DecisionRow> {
    Ok(DecisionRow {
        number: row.get(0)?,
        at: row.get(1)?,
        by: row.get(2)?,
        statement: row.get(3)?,
        outcome: row.get(4)?,
        verdict: row.get(5)?,
        detail: row.get(6)?,
        reason: row.get(7)?,
        evidence: row.get(8)?,
    })
}
