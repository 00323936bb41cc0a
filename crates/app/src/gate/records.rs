//! What the ledger keeps, as callers give it and get it back.

use std::fmt;

use pellucid_model::error::{Error, Result};
use pellucid_model::promise::PromiseClass;
use serde::{Deserialize, Serialize};

/// A table to be registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTable {
    /// What people call it.
    pub name: String,
    /// Tells it from every other table; made of all its cells, so it stays in the ledger.
    pub fingerprint: String,
    /// How many people it has.
    pub rows: u64,
    /// The gate through which everything shown of it goes.
    pub gate: String,
}

/// A registered table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TableRecord {
    /// What people call it.
    pub name: String,
    /// Tells it from every other table.
    pub fingerprint: String,
    /// How many people it has.
    pub rows: u64,
    /// The gate through which everything shown of it goes.
    pub gate: String,
    /// How many times something was shown of it.
    pub version: u64,
    /// When it was registered.
    pub since: String,
}

/// What kind of thing was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EvidenceKind {
    /// Some people, and the multiset of their values.
    View,
    /// Groups that cover a table.
    Release,
}

/// People that were shown together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(expecting = "struct Group")]
pub struct ShownGroup {
    /// Their numbers in the canonical order of the table.
    pub members: Vec<u32>,
    /// Each value that was published of them, with how many of them have it.
    pub values: Vec<(String, u64)>,
}

/// Something shown, to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvidence {
    /// What kind of thing.
    pub kind: EvidenceKind,
    /// The sensitive column whose values were shown.
    pub column: String,
    /// What was asked for, in words or as a query.
    pub statement: String,
    /// What was shown.
    pub groups: Vec<ShownGroup>,
    /// Of a release, the class of what it promises; `None` when its manifest does not say it.
    pub promise: Option<PromiseClass>,
    /// Of a release, the other columns that it shows, kept ones and quasi-identifiers.
    pub others: Vec<String>,
    /// What it tells besides the multisets of its groups, a clause each.
    pub gaps: Vec<String>,
}

/// Something shown, as recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EvidenceRecord {
    /// The first thing shown of a table has number 1.
    pub number: u64,
    /// When it was recorded.
    pub at: String,
    /// Who decided to show it.
    pub by: String,
    /// What kind of thing.
    pub kind: EvidenceKind,
    /// The sensitive column whose values were shown.
    pub column: String,
    /// What was asked for, in words or as a query.
    pub statement: String,
    /// What was shown.
    pub groups: Vec<ShownGroup>,
    /// Of a release, the class of what it promises; `None` when that was not recorded.
    pub promise: Option<PromiseClass>,
    /// Of a release, the other columns that it shows; `None` when that was not recorded.
    pub others: Option<Vec<String>>,
    /// What it tells besides the multisets of its groups; `None` when that was not recorded.
    pub gaps: Option<Vec<String>>,
    /// That it was never handed out, on somebody's word.
    pub withdrawn: Option<WithdrawalRecord>,
}

/// That a release was never handed out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WithdrawalRecord {
    /// When that was recorded.
    pub at: String,
    /// On whose word.
    pub by: String,
    /// Why.
    pub reason: String,
}

/// How a decision ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DecisionOutcome {
    /// It was shown, for the gate let it pass.
    Released,
    /// It was not shown.
    Refused,
    /// It was shown although the gate did not let it pass; somebody gave a reason.
    Forced,
}

/// A decision to be recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct NewDecision {
    /// Who decided.
    pub by: String,
    /// What was asked for.
    pub statement: String,
    /// How it ended.
    pub outcome: DecisionOutcome,
    /// What the gate found, in a few words.
    pub verdict: String,
    /// What the gate found, in full.
    pub detail: serde_json::Value,
    /// Why; [`DecisionOutcome::Forced`] needs one.
    pub reason: Option<String>,
}

/// A decision, as recorded.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecisionRecord {
    /// The first decision on a table has number 1.
    pub number: u64,
    /// When it was recorded.
    pub at: String,
    /// The number of what was shown, when something was.
    pub evidence: Option<u64>,
    /// Who decided.
    pub by: String,
    /// What was asked for.
    pub statement: String,
    /// How it ended.
    pub outcome: DecisionOutcome,
    /// What the gate found, in a few words.
    pub verdict: String,
    /// What the gate found, in full.
    pub detail: serde_json::Value,
    /// Why, when a reason was given.
    pub reason: Option<String>,
}

/// A table and everything shown of it, as of one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TableHistory {
    /// Name, size and fingerprint under which everything is recorded.
    pub table: TableRecord,
    /// Everything shown of it, by number.
    pub evidence: Vec<EvidenceRecord>,
}

/// What became of a decision that was to be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "a decision that was not recorded must be made again"]
pub enum RecordResult {
    /// It is recorded, and stays so whatever happens to this machine's power.
    Done {
        /// The number of the decision.
        decision: u64,
        /// The number of what was shown, when something was.
        evidence: Option<u64>,
    },
    /// Nothing is recorded, for something else was shown in the meantime: read the history and decide again.
    Moved,
}

/// Where decisions and what was shown are recorded.
///
/// # Guarantee
/// An implementation keeps what [`LedgerRecords::record`] acknowledges, and of several who decide on one version of a table at most one
/// records that something was shown. [`crate::host`] has the records, and checks that every implementation makes.
///
/// # Example
/// A ledger that several gates of one program share; the crate `pellucid-ledger` has one in SQLite and PostgreSQL.
/// ```
/// # use pellucid_app::{JobData, Error, MemoryLedger};
/// use std::sync::{Arc, Mutex, PoisonError};
/// use pellucid_app::host::{DecisionRecord, TableHistory, NewDecision, NewEvidence, NewTable, RecordResult, TableRecord};
/// use pellucid_app::{Gate, LedgerRecords, Result};
///
/// #[derive(Debug, Clone, Default)]
/// struct SharedLedger(Arc<Mutex<MemoryLedger>>);
///
/// impl SharedLedger {
///     fn with<T>(&self, work: impl FnOnce(&mut MemoryLedger) -> T) -> T {
///         work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
///     }
/// }
///
/// impl LedgerRecords for SharedLedger {
///     fn register(&mut self, table: &NewTable) -> Result<TableRecord> {
///         self.with(|ledger| ledger.register(table))
///     }
///     fn find(&mut self, table: &NewTable) -> Result<Option<TableRecord>> {
///         self.with(|ledger| ledger.find(table))
///     }
///     fn history(&mut self, name: &str) -> Result<Option<TableHistory>> {
///         self.with(|ledger| ledger.history(name))
///     }
///     fn decisions(&mut self, name: &str) -> Result<Vec<DecisionRecord>> {
///         self.with(|ledger| ledger.decisions(name))
///     }
///     fn record(
///         &mut self,
///         table: &str,
///         version: u64,
///         decision: &NewDecision,
///         shown: Option<&NewEvidence>,
///     ) -> Result<RecordResult> {
///         self.with(|ledger| ledger.record(table, version, decision, shown))
///     }
/// }
///
/// # let (job, patients) = pellucid_app::example::six_people();
/// # let data = JobData::from_batches(&job, &patients)?;
/// let ledger = SharedLedger::default();
/// let mut first = Gate::new(&job, &data, Box::new(ledger.clone()))?;
/// let view = first.ask("select disease from patients where age < 40")?;
/// first.add(&view.showing(), "the data steward")?;
///
/// // Another gate counts what the first has shown.
/// let mut second = Gate::new(&job, &data, Box::new(ledger))?;
/// assert_eq!(second.shown_columns()?, ["disease"]);
/// # Ok::<(), Error>(())
/// ```
pub trait LedgerRecords: fmt::Debug {
    /// Registers `table`, or finds it registered just so; an error when it is so in part only (see [`agreed`]).
    fn register(&mut self, table: &NewTable) -> Result<TableRecord>;

    /// The same without registering anything: `None` when it is not there.
    fn find(&mut self, table: &NewTable) -> Result<Option<TableRecord>>;

    /// The table called `name` and everything shown of it; `None` when it is not registered.
    fn history(&mut self, name: &str) -> Result<Option<TableHistory>>;

    /// All decisions on the table called `name`.
    fn decisions(&mut self, name: &str) -> Result<Vec<DecisionRecord>>;

    /// Records a decision and what was shown, if anything was, provided that the table still is at `version`; a decision that shows
    /// something increments it.
    fn record(
        &mut self,
        table: &str,
        version: u64,
        decision: &NewDecision,
        shown: Option<&NewEvidence>,
    ) -> Result<RecordResult>;
}

/// That of the `known` tables of the ledger at `place` that is `table`; an error when one is so in part only.
pub fn agreed(known: Vec<TableRecord>, table: &NewTable, place: &str) -> Result<Option<TableRecord>> {
    let NewTable { name, fingerprint, gate, .. } = table;
    if let Some(other) = known.iter().find(|known| known.fingerprint == *fingerprint && known.name != *name) {
        return Err(Error::invalid(format!(
            "the table `{name}` is recorded as `{}` in the ledger `{place}`; call it so, for what was shown of one table \
             must stay together",
            other.name
        )));
    }
    let Some(recorded) = known.into_iter().find(|known| known.name == *name) else { return Ok(None) };
    if recorded.fingerprint != *fingerprint || recorded.rows != table.rows {
        return Err(Error::bad_input(format!(
            "the table `{name}` is not the one recorded by that name in the ledger `{place}`, so it has changed; give the \
             changed table a new name, what was shown of the old one remains"
        )));
    }
    if recorded.gate != *gate {
        return Err(Error::invalid(format!(
            "the table `{name}` is recorded with the gate `{}` in the ledger `{place}`, not `{gate}`; keep to the recorded \
             gate, by which everything so far was decided",
            recorded.gate
        )));
    }
    Ok(Some(recorded))
}

/// Fails unless a decision and what was shown fit together.
pub fn check_entry(decision: &NewDecision, shown: Option<&NewEvidence>) -> Result<()> {
    named("who decides", &decision.by)?;
    plain("the statement", &decision.statement)?;
    plain("the verdict", &decision.verdict)?;
    plain("the reason", decision.reason.as_deref().unwrap_or_default())?;
    if decision.outcome == DecisionOutcome::Forced
        && decision.reason.as_deref().is_none_or(|reason| reason.trim().is_empty())
    {
        return Err(Error::invalid("a forced decision needs a reason; say why it is right all the same"));
    }
    let Some(shown) = shown else {
        return if decision.outcome == DecisionOutcome::Refused {
            Ok(())
        } else {
            Err(Error::invalid("a decision to show something comes without what is shown; record both together"))
        };
    };
    if decision.outcome == DecisionOutcome::Refused {
        return Err(Error::invalid("a refusal shows nothing; record it without anything shown"));
    }
    named("the sensitive column", &shown.column)?;
    plain("the statement", &shown.statement)?;
    let whole = |group: &ShownGroup| {
        let total = group.values.iter().try_fold(0_u64, |total, (_, count)| total.checked_add(*count));
        total == Some(group.members.len() as u64)
    };
    match shown.groups.iter().position(|group| !whole(group)) {
        Some(at) => Err(Error::invalid(format!(
            "group {} of what is shown has more or fewer values than people; give every value of every person",
            at + 1
        ))),
        None => Ok(()),
    }
}

/// Fails on a text that not every database can keep.
pub fn plain(what: &str, text: &str) -> Result<()> {
    if text.contains('\0') {
        return Err(Error::invalid(format!("{what} holds a zero byte; take it out")));
    }
    Ok(())
}

/// The same, and on an empty one.
pub fn named(what: &str, text: &str) -> Result<()> {
    if text.trim().is_empty() {
        return Err(Error::invalid(format!("{what} is empty; give it")));
    }
    plain(what, text)
}

/// The words by which an enumeration is kept.
macro_rules! words {
    ($type:ident { $($variant:ident = $word:literal),+ }) => {
        impl $type {
            /// The word by which it is kept and told.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// What is kept by this word.
            pub fn of(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

words!(EvidenceKind { View = "view", Release = "release" });
words!(DecisionOutcome { Released = "released", Refused = "refused", Forced = "forced" });
