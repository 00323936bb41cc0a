//! The gate: decides whether something may be shown of a table on top of all that was shown before, and records that.
//!
//! Nothing is printed here: the command line and bindings call it.
//!
//! - `source.rs`: the table, and views that are asked for;
//! - `finding.rs`: what is found about one of them; `known.rs`: where that decides, and what is said with it;
//! - `release.rs`: releases, whose classes are shown all together; `sql/`: the SQL of views;
//! - `records.rs`: what a ledger keeps; `memory.rs`: one that is gone with the program;
//! - `restore.rs`: further views that make belief private again;
//! - `state.rs`: what is believed from all that was shown.

mod finding;
mod known;
mod memory;
mod records;
mod release;
mod restore;
mod source;
mod sql;
mod state;

use std::time::Instant;

use pellucid_inference::budget::{Budget, SamplingPlan};
use pellucid_inference::verdict::{BeliefRequirements, RequiredPrinciple, Verdict};
use pellucid_inference::views::{SeenViews, SimulatableVerdict, View};
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::histogram::Histogram;
use pellucid_model::promise::PromiseClass;
use pellucid_model::table::{Column, Role};
use pellucid_publish::job::{GateKind, Job};

use crate::dataset::JobData;
use crate::output::ReleaseOutput;
use known::standing;

pub use finding::{GateFinding, verdict_json};
pub use known::{ATTACKER, EARLIER_RESULT, EarlierRelease, KNOWN};
pub use memory::MemoryLedger;
pub use records::{
    DecisionOutcome, DecisionRecord, EvidenceKind, EvidenceRecord, LedgerRecords, NewDecision, NewEvidence, NewTable,
    RecordResult, ShownGroup, TableHistory, TableRecord, WithdrawalRecord, agreed, check_entry, named, plain,
};
pub use restore::{RestorationReport, RestorationRequest};
pub use source::{GateSource, ViewRequest};
pub use state::{ColumnState, PersonBelief};

/// Seconds that judging takes at most, unless it is said.
pub const SECONDS: f64 = 30.0;

/// How belief is counted or estimated.
#[derive(Debug, Clone, Copy)]
pub struct GateSettings {
    /// How much work it may take, and with which confidence estimates hold.
    pub budget: Budget,
    /// By how much an estimate may leave open whether a probability is above its bound.
    pub epsilon: f64,
}

impl GateSettings {
    /// As the job says, or else as is usual.
    pub fn of(job: &Job) -> Self {
        let mut budget = Budget { seconds: Some(SECONDS), ..Budget::gate() };
        let views = job.views.as_ref();
        if let (Some(sampling), Some(theta)) = (&mut budget.sampling, views.and_then(|views| views.theta)) {
            *sampling = SamplingPlan { confidence: theta, ..*sampling };
        }
        Self { budget, epsilon: views.and_then(|views| views.epsilon).unwrap_or(0.0) }
    }

    /// How much judging what was shown before may take, and judging it with something more; both count first, then draw as long.
    fn shares(&self) -> (Budget, Budget) {
        let of = |share: f64| {
            let seconds = self.budget.seconds.map(|seconds| seconds * share);
            Budget { seconds, ..self.budget }
        };
        (of(0.1), of(0.4))
    }
}

/// Groups of people whose multisets of values are to be shown together, of one sensitive column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateShowing {
    kind: EvidenceKind,
    column: String,
    statement: String,
    /// The statements of groups, where each has one.
    titles: Vec<String>,
    groups: Vec<Vec<u32>>,
    /// Of a release, the class of its promise, and the other columns that it shows.
    promise: Option<PromiseClass>,
    others: Vec<String>,
    /// What it tells besides the multisets of its groups, a clause each.
    gaps: Vec<String>,
}

impl GateShowing {
    /// The views of `requests`, which are of one column and at least one.
    pub fn of(requests: &[ViewRequest]) -> Result<Self> {
        let Some(first) = requests.first() else {
            return Err(Error::invalid("no view is asked for; give a statement, or list views in [[views.view]]"));
        };
        if requests.iter().any(|request| request.column() != first.column()) {
            return Err(Error::invalid("views of several columns are decided column by column; ask for one at a time"));
        }
        let statements: Vec<String> = requests.iter().map(ViewRequest::statement).collect();
        Ok(Self {
            kind: EvidenceKind::View,
            column: first.column().to_owned(),
            statement: statements.join("; "),
            titles: statements,
            groups: requests.iter().map(|request| request.people.clone()).collect(),
            promise: None,
            others: Vec::new(),
            gaps: Vec::new(),
        })
    }

    /// The same, chosen by the values of the table, so that the choice tells something too.
    #[must_use]
    pub fn chosen_by_values(mut self) -> Self {
        self.gaps.push("was chosen by the values of the table, and what that choice tells is not counted".to_owned());
        self
    }

    /// What is to be shown, in words or as a query.
    pub fn statement(&self) -> &str {
        &self.statement
    }
}

/// Who decides, and why when against the gate.
#[derive(Debug, Clone, Copy)]
pub struct DecisionAuthor<'a> {
    /// The name.
    pub by: &'a str,
    /// What is shown although the gate does not let it pass.
    pub overrides: OwnerOverride<'a>,
}

/// What an owner shows on their own responsibility, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnerOverride<'a> {
    /// Nothing.
    Nothing,
    /// What is undecided.
    Undecided(&'a str),
    /// What is undecided, and what reveals too much.
    Everything(&'a str),
}

impl<'a> OwnerOverride<'a> {
    /// Why something is shown of which `finding` says that it does not pass; `None` when it is not shown.
    pub fn reason(self, finding: &GateFinding) -> Option<&'a str> {
        match self {
            Self::Nothing => None,
            Self::Undecided(reason) => finding.is_undecided().then_some(reason),
            Self::Everything(reason) => Some(reason),
        }
    }
}

/// What became of something that was to be shown.
#[derive(Debug, Clone)]
pub struct GateDecision {
    /// What was found.
    pub finding: GateFinding,
    /// How it ended.
    pub outcome: DecisionOutcome,
    /// The number of the decision in the ledger.
    pub decision: u64,
    /// The number of what was shown.
    pub evidence: Option<u64>,
    /// The statements of groups, where each has one.
    pub titles: Vec<String>,
    /// By group each value and how many people have it; nothing when it was refused.
    pub values: Vec<Vec<(String, u64)>>,
}

/// Decides what may be shown of a table on top of all that was shown before, and records it in a ledger.
///
/// # Guarantee
/// What is shown was judged together with everything that was shown of the table before, whoever else decides at the same time. The
/// principles of the job hold then of what an attacker believes who knows everybody's quasi-identifiers and all that was shown, and
/// nothing else of the people. Values come back only after they were recorded.
///
/// # Cost
/// Belief is counted exactly or estimated, in at most [`GateSettings::budget`]; what cannot be told in time is undecided, and not shown.
///
/// # Example
/// Both queries are harmless; together they would give the difference away:
/// ```
/// # use pellucid_app::{JobData, Error, PublishAnswer, JobSession};
/// use pellucid_app::Gate;
/// use pellucid_app::parts::{DecisionOutcome, RestorationRequest};
///
/// # let (job, patients) = pellucid_app::example::six_people();
/// # let data = JobData::from_batches(&job, &patients)?;
/// let mut gate = Gate::in_memory(&job, &data)?;
/// let four = gate.ask("select disease from patients where age between 20 and 39")?;
/// let decided = gate.add(&four.showing(), "the data steward")?;
/// assert_eq!(decided.outcome, DecisionOutcome::Released);
/// assert_eq!(decided.values[0].iter().map(|(_, people)| people).sum::<u64>(), 4);
///
/// let three = gate.ask("select disease from patients where age between 20 and 35")?;
/// assert!(!gate.check(&three.showing())?.passes());
/// assert_eq!(gate.add(&three.showing(), "the data steward")?.outcome, DecisionOutcome::Refused);
///
/// // What is believed by now, and whether a further view would make up for one that was refused.
/// assert!(gate.state("disease")?.verdict.conclusion.holds());
/// let sought = gate.restore("disease", Some(&three), &RestorationRequest::default(), &|_| Ok(()))?;
/// assert!(sought.found.is_none());
///
/// // A release is decided in the same way, with the views before it.
/// # let PublishAnswer::Release(release) = JobSession::new(&job, &data).publish()? else { panic!("groups of two are possible") };
/// for showing in gate.ask_release(&release)? {
///     println!("{}", gate.check(&showing)?.verdict());
/// }
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct Gate {
    source: GateSource,
    ledger: Option<Box<dyn LedgerRecords>>,
    new: bool,
    settings: GateSettings,
}

impl<'a> From<&'a str> for DecisionAuthor<'a> {
    /// Somebody of this name who shows what the gate lets pass, and nothing else.
    fn from(by: &'a str) -> Self {
        Self { by, overrides: OwnerOverride::Nothing }
    }
}

impl Gate {
    /// A gate on the table `data` of `job` with a new ledger that is gone with the program.
    ///
    /// # Errors
    /// Those of [`Gate::new`].
    pub fn in_memory(job: &Job, data: &JobData) -> Result<Self> {
        Self::open(GateSource::new(job.clone(), data)?, Box::new(MemoryLedger::default()), true, GateSettings::of(job))
    }

    /// A gate on the table `data` of `job`, which is registered in `ledger` unless it is already.
    ///
    /// # Errors
    /// When the job is not valid, the dataset was not made of whole record batches, or the ledger knows another table by that name, or
    /// this one by another name or gate.
    pub fn new(job: &Job, data: &JobData, ledger: Box<dyn LedgerRecords>) -> Result<Self> {
        Self::open(GateSource::new(job.clone(), data)?, ledger, false, GateSettings::of(job))
    }

    /// Registers the table in `ledger`, which decides on it from now on; `new` says that there was no ledger before.
    ///
    /// # Errors
    /// When the ledger knows another table by that name, or this one by another name or gate.
    pub fn open(
        source: GateSource,
        mut ledger: Box<dyn LedgerRecords>,
        new: bool,
        settings: GateSettings,
    ) -> Result<Self> {
        ledger.register(&source.record())?;
        Ok(Self { source, ledger: Some(ledger), new, settings })
    }

    /// The same without registering anything: what is not there yet is taken as empty.
    ///
    /// # Errors
    /// Those of [`Gate::open`].
    pub fn peek(
        source: GateSource,
        mut ledger: Option<Box<dyn LedgerRecords>>,
        settings: GateSettings,
    ) -> Result<Self> {
        if let Some(ledger) = &mut ledger {
            ledger.find(&source.record())?;
        }
        Ok(Self { source, new: ledger.is_none(), ledger, settings })
    }

    /// How belief is counted or estimated.
    pub fn settings(&self) -> &GateSettings {
        &self.settings
    }

    /// What a release says of itself when an earlier one of the table was withdrawn.
    pub fn earlier_result(&mut self) -> Result<Option<&'static str>> {
        Ok(self.releases()?.iter().any(|release| release.withdrawn).then_some(EARLIER_RESULT))
    }

    /// Whether there was no ledger.
    pub fn is_new(&self) -> bool {
        self.new
    }

    /// The table.
    pub fn source(&self) -> &GateSource {
        &self.source
    }

    /// The view that `sql` asks for: `select COLUMN from TABLE where CONDITION`.
    ///
    /// # Errors
    /// When it is no view of this table, or shows nobody.
    pub fn ask(&self, sql: &str) -> Result<ViewRequest> {
        self.source.ask(sql)
    }

    /// What `release`, made of this table, would show, for each sensitive column. Its decisions belong together
    /// ([`Gate::add_columns`]).
    ///
    /// # Errors
    /// When it has altered values, or other people.
    pub fn ask_release(&self, release: &ReleaseOutput) -> Result<Vec<GateShowing>> {
        self.source.classes_of(release.release(), None)
    }

    /// What must hold of belief about `column`, in words.
    pub fn demanded(&self, column: &str) -> Result<Vec<String>> {
        let checked = self.source.job.check()?;
        let goals = checked.belief_goals(&self.source.table, &self.source.hierarchies, column)?;
        if !checked.caps_belief() {
            return Ok(vec!["nobody's value becomes certain, as no principle of the job looks at values".to_owned()]);
        }
        Ok(goals.iter().map(|goal| goal.principle.describe()).collect())
    }

    /// The sensitive columns of which something was shown, in the order of the table.
    pub fn shown_columns(&mut self) -> Result<Vec<String>> {
        let history = self.history()?;
        let shown = |column: &&Column| standing(history.as_ref()).any(|evidence| evidence.column == column.name());
        Ok(self.source.table.with_role(Role::Sensitive).filter(shown).map(|column| column.name().to_owned()).collect())
    }

    /// Everything shown; `None` when the table is not registered.
    fn history(&mut self) -> Result<Option<TableHistory>> {
        let name = &self.source.name;
        let history = self.ledger.as_mut().map_or(Ok(None), |ledger| ledger.history(name))?;
        let shown = standing(history.as_ref()).map(|evidence| &evidence.column);
        let sensitive = |name: &&String| {
            let column = self.source.table.column(name);
            column.is_ok_and(|column| column.role() == Role::Sensitive)
        };
        if let Some(other) = shown.into_iter().find(|name| !sensitive(name)) {
            return Err(Error::invalid(format!(
                "column `{other}` was shown as a sensitive one before, and the job gives it another role, so that what was shown would \
                 not count; give it role `sensitive`"
            )));
        }
        Ok(history)
    }

    /// Everything that is recorded, with what is said of it.
    fn basis(&mut self) -> Result<Basis> {
        let history = self.history()?;
        let decisions = match (&mut self.ledger, &history) {
            (Some(ledger), Some(_)) => ledger.decisions(&self.source.name)?,
            _ => Vec::new(),
        };
        let remarks = known::remarks(history.as_ref(), &decisions);
        Ok(Basis { history, remarks })
    }

    /// Runs `work` with what must hold of belief about `column`.
    fn with_demand<T>(&self, column: &str, work: impl FnOnce(&BeliefRequirements<'_>) -> Result<T>) -> Result<T> {
        let checked = self.source.job.check()?;
        let goals = checked.belief_goals(&self.source.table, &self.source.hierarchies, column)?;
        let bounds = goals.iter().map(|goal| RequiredPrinciple {
            test: goal.test.as_ref(),
            share: goal.share.as_ref(),
            protected: goal.protected.as_deref(),
        });
        work(&BeliefRequirements::new(bounds.collect(), self.settings.epsilon))
    }

    /// All groups of `column` that were shown, with the numbers of their evidence.
    fn seen(&self, history: Option<&TableHistory>, column: &Column) -> Result<Vec<(u64, View)>> {
        let code = self.source.codes(column);
        let mut seen = Vec::new();
        for evidence in standing(history).filter(|evidence| evidence.column == column.name()) {
            for group in &evidence.groups {
                let values = group.values.iter().map(|(text, count)| Ok((code(text)?, *count)));
                let values: Vec<(u32, u64)> = values.collect::<Result<_>>()?;
                let view = View::new(group.members.clone(), Histogram::from_entries(values))?;
                seen.push((evidence.number, view));
            }
        }
        Ok(seen)
    }

    fn views(&self, column: &Column, shown: Vec<View>) -> Result<SeenViews> {
        SeenViews::new(self.source.people(), column.cardinality() as u32, shown)
    }

    /// What `showing` would reveal on top of `seen`, which `basis` is said of.
    fn find(&self, basis: &Basis, seen: &[(u64, View)], showing: &GateShowing) -> Result<GateFinding> {
        let column = self.source.table.column(&showing.column)?;
        let gate = self.source.job.gate();
        let (first, last) = self.settings.shares();
        let clock = Instant::now();
        let shown: Vec<View> = seen.iter().map(|(_, view)| view.clone()).collect();
        let repeats = match showing.groups.as_slice() {
            // A release may show more than its groups.
            [only] if showing.kind == EvidenceKind::View => {
                seen.iter().find(|(_, view)| view.members() == only).map(|(number, _)| *number)
            }
            _ => None,
        };
        self.with_demand(&showing.column, |demand| {
            let before = self.views(column, shown.clone())?;
            let judged = settled(before.judge(demand, &first))?;
            let simulated = match (gate, repeats, showing.groups.as_slice()) {
                (GateKind::Open, ..) | (_, Some(_), _) => None,
                (_, None, [only]) => Some(before.simulate(only, demand, &last)?),
                // Whether the next group is safe would depend on what the one before shows.
                _ => Some(SimulatableVerdict::Unknown),
            };
            let after = match &simulated {
                None | Some(SimulatableVerdict::Safe { .. }) => {
                    let mut all = shown;
                    for people in &showing.groups {
                        all.push(self.source.view(column, people)?);
                    }
                    settled(self.views(column, all)?.judge(demand, &last))?
                }
                Some(SimulatableVerdict::Unsafe | SimulatableVerdict::Unknown) => None,
            };
            Ok(GateFinding {
                column: showing.column.clone(),
                statement: showing.statement.clone(),
                demanded: self.demanded(&showing.column)?,
                epsilon: self.settings.epsilon,
                confidence: last.sampling.map(|sampling| sampling.confidence),
                gaps: known::gaps(&self.sensitive(), basis.history.as_ref(), &showing.column, Some(showing)),
                remarks: basis.remarks.clone(),
                seconds: clock.elapsed().as_secs_f64(),
                groups: showing.groups.len(),
                people: different(&showing.groups),
                earlier: seen.len(),
                gate,
                repeats,
                before: judged,
                simulated,
                after,
            })
        })
    }

    /// What `showing` would reveal on top of everything recorded; records nothing.
    pub fn check(&mut self, showing: &GateShowing) -> Result<GateFinding> {
        let basis = self.basis()?;
        let seen = self.seen(basis.history.as_ref(), self.source.table.column(&showing.column)?)?;
        self.find(&basis, &seen, showing)
    }

    /// What `requests` would reveal on top of everything recorded: those of a column together, or, where the gate must not look
    /// at values, one after the other up to the first that is refused; records nothing.
    pub fn check_all(&mut self, requests: &[ViewRequest]) -> Result<Vec<GateFinding>> {
        let basis = self.basis()?;
        let mut findings = Vec::new();
        for column in self.source.table.with_role(Role::Sensitive) {
            let of_column = requests.iter().filter(|request| request.column() == column.name()).cloned();
            let mine: Vec<ViewRequest> = of_column.collect();
            if mine.is_empty() {
                continue;
            }
            let mut seen = self.seen(basis.history.as_ref(), column)?;
            if self.source.job.gate() == GateKind::Open {
                findings.push(self.find(&basis, &seen, &GateShowing::of(&mine)?)?);
                continue;
            }
            for request in mine {
                let finding = self.find(&basis, &seen, &GateShowing::of(std::slice::from_ref(&request))?)?;
                let passes = finding.passes();
                findings.push(finding);
                if !passes {
                    return Ok(findings);
                }
                seen.push((0, self.source.view(column, &request.people)?));
            }
        }
        Ok(findings)
    }

    /// Decides on `showing`, records the decision with what is shown, and only then gives values.
    ///
    /// # Guarantee
    /// What is shown was judged together with everything else that was shown before it, whoever else decides at the same time.
    pub fn add<'b>(&mut self, showing: &GateShowing, author: impl Into<DecisionAuthor<'b>>) -> Result<GateDecision> {
        let author = author.into();
        let reason = match author.overrides {
            OwnerOverride::Nothing => "",
            OwnerOverride::Undecided(reason) | OwnerOverride::Everything(reason) => reason,
        };
        if author.by.chars().chain(reason.chars()).any(char::is_control) {
            return Err(Error::invalid(
                "the name and the reason are one line of text each; leave out control characters",
            ));
        }
        loop {
            let basis = self.basis()?;
            let version = basis.history.as_ref().ok_or_else(unregistered)?.table.version;
            let column = self.source.table.column(&showing.column)?;
            let seen = self.seen(basis.history.as_ref(), column)?;
            let finding = self.find(&basis, &seen, showing)?;
            let reason = author.overrides.reason(&finding).filter(|_| !finding.passes());
            let outcome = match (finding.passes(), reason) {
                (true, _) => DecisionOutcome::Released,
                (false, Some(_)) => DecisionOutcome::Forced,
                (false, None) => DecisionOutcome::Refused,
            };
            let groups =
                if outcome == DecisionOutcome::Refused { Vec::new() } else { self.groups(column, &showing.groups)? };
            let decision = NewDecision {
                by: author.by.to_owned(),
                statement: showing.statement.clone(),
                outcome,
                verdict: finding.verdict().to_owned(),
                detail: finding.json(),
                reason: reason.map(str::to_owned),
            };
            let values = groups.iter().map(|group| group.values.clone()).collect();
            let evidence = NewEvidence {
                kind: showing.kind,
                column: showing.column.clone(),
                statement: showing.statement.clone(),
                groups,
                promise: showing.promise,
                others: showing.others.clone(),
                gaps: showing.gaps.clone(),
            };
            let shown = (outcome != DecisionOutcome::Refused).then_some(&evidence);
            let ledger = self.ledger.as_mut().ok_or_else(unregistered)?;
            match ledger.record(&self.source.name, version, &decision, shown)? {
                RecordResult::Done { decision, evidence } => {
                    let titles = showing.titles.clone();
                    return Ok(GateDecision { finding, outcome, decision, evidence, titles, values });
                }
                RecordResult::Moved => {}
            }
        }
    }

    /// The groups with their values, as they are recorded.
    fn groups(&self, column: &Column, groups: &[Vec<u32>]) -> Result<Vec<ShownGroup>> {
        let group = |people: &Vec<u32>| {
            let view = self.source.view(column, people)?;
            let values = view.values().entries().iter().map(|&(code, count)| (column.text(code), count)).collect();
            Ok(ShownGroup { members: people.clone(), values })
        };
        groups.iter().map(group).collect()
    }
}

/// What is judged with.
struct Basis {
    history: Option<TableHistory>,
    remarks: Vec<String>,
}

/// A verdict; `None` when it takes too much, which is no error here.
fn settled(judged: Result<Verdict>) -> Result<Option<Verdict>> {
    match judged {
        Ok(verdict) => Ok(Some(verdict)),
        Err(error) if error.kind() == ErrorKind::LimitExceeded => Ok(None),
        Err(error) => Err(error),
    }
}

/// How many different people groups have.
fn different(groups: &[Vec<u32>]) -> usize {
    let mut people: Vec<u32> = groups.concat();
    people.sort_unstable();
    people.dedup();
    people.len()
}

fn unregistered() -> Error {
    Error::new(ErrorKind::Internal, "a gate that was opened to look only cannot record; open it to record")
}
