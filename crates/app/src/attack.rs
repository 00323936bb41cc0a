//! Attacks on the release of a job by an attacker who knows how it was made: tries or counts originals.

use std::time::Instant;

use arrow_array::RecordBatch;
use hashbrown::HashMap;
use pellucid_inference::adversary::World;
use pellucid_inference::budget::Budget;
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::progress::RunStage;
use pellucid_model::table::coder::ColumnCoder;
use pellucid_model::table::{Column, ColumnType, MISSING, Role, Table, TextTable};
use pellucid_model::words::magnitude;
use pellucid_publish::job::{AttackAnswer, ExternalKnowledge, Job, Prior, ResolvedJob, SeenOutput};
use pellucid_publish::lines::{ReleasedLines, TableLines};

use crate::dataset::{names_of, read_people, read_text};
use crate::output::OutputTable;
use crate::session::JobSession;

/// What an attacker has seen and knows, and how much work may be done.
///
/// Without [`external`](Self::external) the attacker knows everybody's identifiers and quasi-identifiers, and without
/// [`seen`](Self::seen) they see the release that the job makes. They know how a release is made, always.
///
/// # Cost
/// When there are no more possible originals than [`Budget::originals`], every one is tried: the answer is exact. Of larger tables groups
/// are counted, which takes seconds for most releases; what takes more than the budget is bounded or estimated, and the answer says so.
///
/// # Example
/// An attacker who knows the first person's value beforehand:
/// ```
/// # use pellucid_app::{JobData, Error, JobSession};
/// use pellucid_app::{AttackAnswer, AttackRequest};
///
/// # let (job, patients) = pellucid_app::example::six_people();
/// # let data = JobData::from_batches(&job, &patients)?;
/// # let session = JobSession::new(&job, &data);
/// let request = AttackRequest { knows: vec![0], ..AttackRequest::default() };
/// let AttackAnswer::Release(found) = session.attack(&request)? else { panic!("two groups are possible") };
/// let tried = found.tried.as_ref().expect("a small table");
/// assert!(tried.left <= tried.originals);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct AttackRequest {
    /// Everybody who may be in the table; without it, those in the table.
    pub external: Option<ExternalPeople>,
    /// What was seen; without it, the job makes it.
    pub seen: Option<SeenAnswer>,
    /// What is known of the table beforehand, where it matters.
    pub prior: Option<PriorKnowledge>,
    /// The sensitive values that are possible; without them, those of the table or of the release.
    pub values: Option<Vec<String>>,
    /// Rows of the table, from 0, whose values the attacker knows.
    pub knows: Vec<usize>,
    /// How much work may be done. When there are more possible originals than [`Budget::originals`], groups are counted.
    pub budget: Budget,
}

impl Default for AttackRequest {
    fn default() -> Self {
        Self { external: None, seen: None, prior: None, values: None, knows: Vec::new(), budget: Budget::attack() }
    }
}

/// A table of everybody who may be in the job's table, with its identifiers and quasi-identifiers; other columns are not looked at.
///
/// # Example
/// Seven people, of whom six are in the table. Who sees the release without the table does not know which:
/// ```
/// # use pellucid_app::{JobData, Error, PublishAnswer, JobSession};
/// use pellucid_app::{AttackAnswer, AttackRequest, ExternalPeople, SeenAnswer};
///
/// # let (job, patients) = pellucid_app::example::six_people();
/// # let seven = pellucid_app::example::seven_people();
/// # let data = JobData::from_batches(&job, &patients)?;
/// # let PublishAnswer::Release(release) = JobSession::new(&job, &data).publish()? else { panic!("two groups are possible") };
/// let request = AttackRequest {
///     external: Some(ExternalPeople::from_batches(seven)),
///     seen: Some(SeenAnswer::release(&job, &release.tables()?)?),
///     ..AttackRequest::default()
/// };
/// let AttackAnswer::Release(found) = request.without_table(&job, &|_| Ok(()))? else { panic!("a release was seen") };
/// assert_eq!(found.account.people, 7);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ExternalPeople {
    people: People,
    name: String,
}

/// People as they were given.
#[derive(Debug, Clone)]
enum People {
    /// To be typed as the table that they are held against.
    Batches(Vec<RecordBatch>),
    Coded(Table),
}

impl ExternalPeople {
    /// The people in `batches`; an attack fails when they lack a quasi column, or a cell cannot be read as its type.
    pub fn from_batches(batches: Vec<RecordBatch>) -> Self {
        Self { people: People::Batches(batches), name: String::new() }
    }

    /// The people of `table`, called `name` in errors, typed as the table that they will be held against.
    pub fn from_table(people: Table, name: String) -> Self {
        Self { people: People::Coded(people), name }
    }

    /// The people, typed as in `table` where that is at hand, with the columns of `order` first.
    fn coded(&self, job: &Job, table: Option<&Table>, order: &[String]) -> Result<Table> {
        match &self.people {
            People::Coded(people) => Ok(people.clone()),
            People::Batches(batches) => read_people(job, batches, table, order),
        }
    }
}

/// An answer of a job that was seen: a release, or that nothing was released.
///
/// # Example
/// Silence can tell something too. It must be what the job answers, as a release must be the one that it makes:
/// ```
/// # use pellucid_app::{JobData, Error, JobSession};
/// use pellucid_app::{AttackRequest, SeenAnswer};
///
/// # let (job, patients) = pellucid_app::example::six_people();
/// # let data = JobData::from_batches(&job, &patients)?;
/// let request = AttackRequest { seen: Some(SeenAnswer::nothing()), ..AttackRequest::default() };
/// // The job releases something of this table, so that silence was not its answer.
/// assert!(JobSession::new(&job, &data).attack(&request).is_err());
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenAnswer {
    sight: SeenOutput,
    /// The columns of its tables, in their order.
    columns: Vec<String>,
    /// What it is called in errors; may be empty.
    name: String,
}

impl SeenAnswer {
    /// The release of `job` that has these tables.
    ///
    /// # Errors
    /// When the batches of a table have different schemas.
    pub fn release(job: &Job, tables: &[OutputTable]) -> Result<Self> {
        let texts = tables.iter().map(|table| Ok((table.name.as_str(), read_text(&table.batches)?)));
        Ok(Self::from_tables(job, &texts.collect::<Result<Vec<_>>>()?))
    }

    /// That nothing was released.
    pub fn nothing() -> Self {
        Self { sight: SeenOutput::Nothing, columns: Vec::new(), name: String::new() }
    }

    /// The release of `job` with these tables of text by name.
    pub fn from_tables(job: &Job, tables: &[(&str, TextTable)]) -> Self {
        let kept = |name: &str| job.columns.get(name).is_some_and(|column| column.role == Role::Keep);
        let lines = ReleasedLines::new(tables.iter().map(|(name, table)| table_lines(name, table, kept)).collect());
        let columns = tables.iter().flat_map(|(_, table)| table.columns()).map(|column| column.name().to_owned());
        Self { sight: SeenOutput::Release(lines), columns: columns.collect(), name: String::new() }
    }

    /// The same, called `name` in errors.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// The lines of its tables, without columns that are published as they are; `None` when nothing was released.
    pub fn lines(&self) -> Option<&ReleasedLines> {
        match &self.sight {
            SeenOutput::Release(lines) => Some(lines),
            SeenOutput::Nothing => None,
        }
    }

    /// The columns of its tables, in their order.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// An error about it.
    fn error(&self, message: &str) -> Error {
        if self.name.is_empty() {
            Error::bad_input(message)
        } else {
            Error::bad_input(format!("{}: {message}", self.name))
        }
    }
}

/// The lines of a table of text, but for columns that are `left_out`.
pub fn table_lines(name: &str, table: &TextTable, left_out: impl Fn(&str) -> bool) -> TableLines {
    let columns: Vec<_> = table.columns().iter().filter(|column| !left_out(column.name())).collect();
    TableLines {
        name: name.to_owned(),
        columns: columns.iter().map(|column| column.name().to_owned()).collect(),
        lines: (0..table.rows())
            .map(|line| columns.iter().map(|column| column.cell(line).to_owned()).collect())
            .collect(),
    }
}

/// What is known of a table beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriorKnowledge {
    /// How often every value occurs.
    Multiset,
    /// How many people are in it.
    Size,
    /// Nothing.
    Any,
}

impl JobSession<'_> {
    /// Attacks the release that the job makes of the table, knowing how it is made; publishes nothing.
    ///
    /// Every original is tried when there are at most [`Budget::originals`]; otherwise, and when that takes more than the seconds
    /// of the budget, groups are counted.
    ///
    /// # Errors
    /// When job, table and request do not fit together, or the work takes more than the request allows.
    pub fn attack(&self, request: &AttackRequest) -> Result<AttackAnswer> {
        attack(*self, request)
    }
}

fn attack(session: JobSession<'_>, options: &AttackRequest) -> Result<AttackAnswer> {
    let begun = Instant::now();
    let JobSession { job, data, progress, .. } = session;
    let (table, hierarchies) = (data.table(), data.hierarchies());
    let checked = job.check()?;
    let Some(sensitive) = only_sensitive(table) else {
        // Several columns or none: counting groups says what is missing.
        return checked.attack(table, hierarchies, &options.budget, progress);
    };
    let left = || options.budget.since(begun);
    let people = match &options.external {
        Some(external) => external.coded(job, Some(table), &names_of(table))?,
        None => Table::new(known_columns(table))?,
    };
    let values = possible_values(job, options, sensitive)?;
    let truth = if options.external.is_none() && options.values.is_none() {
        World::new(sensitive.codes().iter().enumerate().collect())
    } else {
        truth(&people, table, &values, sensitive, options.external.as_ref())?
    };
    let codes: Vec<u32> = truth.rows().iter().map(|row| row.1).collect();
    let silent = options.seen == Some(SeenAnswer::nothing());
    let prior = prior(&checked, options, silent, &codes, Some(codes.len()))?;
    let told = told(options, sensitive)?;
    let known = ExternalKnowledge { people: &people, values: &values, prior, told: &told, budget: left() };
    if silent && !checked.draws(table, hierarchies)? {
        checked.check_belongs(&known, &SeenOutput::Nothing, &truth)?;
    }
    if known.exceed() {
        return at_scale(session, &checked, options, &known, &left());
    }
    let shown = without_kept(table)?;
    let shown_hierarchies = job.hierarchies(&shown)?;
    let seen = if let Some(seen) = &options.seen {
        let seen = seen.sight.clone();
        checked.check_belongs(&known, &seen, &truth)?;
        seen
    } else {
        match checked.lines(&shown, &shown_hierarchies)? {
            Ok(lines) => SeenOutput::Release(lines),
            Err(nothing) => return Ok(AttackAnswer::Nothing(nothing)),
        }
    };
    match checked.try_originals(&known, &seen, progress) {
        Ok(found) => Ok(AttackAnswer::Release(Box::new(found))),
        // Groups that can be counted need not be tried.
        Err(error) if error.kind() == ErrorKind::LimitExceeded && options.budget.seconds.is_some() => {
            at_scale(session, &checked, options, &known, &left()).map_err(|_| error)
        }
        Err(error) => Err(error),
    }
}

impl AttackRequest {
    /// The attack of somebody who has what was seen and an external source, and not the table of `job`.
    ///
    /// # Errors
    /// When neither request nor release tells which values are possible, and those of [`JobSession::attack`].
    pub fn without_table(&self, job: &Job, progress: &dyn Fn(RunStage) -> Result<()>) -> Result<AttackAnswer> {
        attack_without_table(job, self, progress)
    }
}

fn attack_without_table(
    job: &Job,
    options: &AttackRequest,
    progress: &dyn Fn(RunStage) -> Result<()>,
) -> Result<AttackAnswer> {
    let checked = &job.check()?;
    let (Some(external), Some(seen)) = (&options.external, &options.seen) else {
        return Err(Error::invalid(
            "without the table there must be an external source and something that was seen; name both",
        ));
    };
    let name = sensitive_name(job)?;
    let sight = &seen.sight;
    let shown: Vec<String> = match sight {
        SeenOutput::Release(lines) => {
            let shown = lines.column(name).ok_or_else(|| {
                seen.error(&format!("no table of the release has column `{name}`; name the release of this job"))
            })?;
            shown.into_iter().map(str::to_owned).collect()
        }
        SeenOutput::Nothing => Vec::new(),
    };
    let sensitive = if let Some(values) = &options.values {
        column_of(job, name, values)?
    } else if shown.is_empty() {
        return Err(Error::invalid("which values are possible is not known; list them with `--values`"));
    } else {
        column_of(job, name, &shown)?
    };
    let codes: Vec<u32> =
        shown.iter().map(|text| code_of(&sensitive, text)).collect::<Option<_>>().ok_or_else(|| {
            Error::invalid("the release shows a value that is not among the possible ones; list it too with `--values`")
        })?;
    let size = (!shown.is_empty()).then_some(shown.len());
    let prior = prior(checked, options, *sight == SeenOutput::Nothing, &codes, size)?;
    let people = external.coded(job, None, &seen.columns)?;
    let known = ExternalKnowledge { people: &people, values: &sensitive, prior, told: &[], budget: options.budget };
    Ok(AttackAnswer::Release(Box::new(checked.try_originals(&known, sight, progress)?)))
}

/// Counting groups, where there are too many originals to try.
fn at_scale(
    session: JobSession<'_>,
    checked: &ResolvedJob<'_>,
    options: &AttackRequest,
    known: &ExternalKnowledge<'_>,
    budget: &Budget,
) -> Result<AttackAnswer> {
    let JobSession { job, data, progress, .. } = session;
    let (table, hierarchies) = (data.table(), data.hierarchies());
    // A register of just the people of the table tells nothing more.
    let small_only = known.people.rows() > table.rows()
        || options.seen == Some(SeenAnswer::nothing())
        || options.prior.is_some()
        || !options.knows.is_empty()
        || options.values.is_some();
    if small_only {
        return Err(Error::new(
            ErrorKind::LimitExceeded,
            format!(
                "there are {} possible originals, `--budget` allows {}, and every one must be tried where more people than those \
                 in the table, silence, a prior, known people or other values are asked about; take fewer people or values, or raise it",
                magnitude(&known.count()),
                options.budget.originals()
            ),
        ));
    }
    if let Some(seen) = &options.seen {
        check_same_release(job, checked, (table, hierarchies), seen)?;
    }
    checked.attack(table, hierarchies, budget, progress)
}

/// Fails unless the job makes the release with the lines `seen` of the table.
fn check_same_release(
    job: &Job,
    checked: &ResolvedJob<'_>,
    (table, hierarchies): (&Table, &[Option<Hierarchy>]),
    seen: &SeenAnswer,
) -> Result<()> {
    if checked.draws(table, hierarchies)? {
        return Err(Error::invalid(
            "the publisher draws at random, and there are too many originals to try with each of its draws; attack the job \
             without naming a release (what is proven holds for all of them), and hold this one against the table with \
             `pellucid verify`",
        ));
    }
    let shown = without_kept(table)?;
    let made = checked.lines(&shown, &job.hierarchies(&shown)?)?;
    if made.is_ok_and(|made| SeenOutput::Release(made) == seen.sight) {
        return Ok(());
    }
    Err(seen.error(
        "the release does not belong to the table: the job makes another one of it; give the table, the job and the \
         parameters that it was made with",
    ))
}

fn prior(
    checked: &ResolvedJob<'_>,
    options: &AttackRequest,
    silent: bool,
    codes: &[u32],
    size: Option<usize>,
) -> Result<Prior> {
    // A release that shows every value tells how often each occurs, whatever was known before.
    let told = checked.shows_every_value() && !silent;
    Ok(match options.prior {
        _ if told => Prior::Multiset(codes.to_vec()),
        Some(PriorKnowledge::Multiset) if !codes.is_empty() => Prior::Multiset(codes.to_vec()),
        Some(PriorKnowledge::Multiset) => {
            return Err(Error::invalid(
                "how often every value occurs is not known without the table; use another prior",
            ));
        }
        Some(PriorKnowledge::Any) => Prior::Any,
        Some(PriorKnowledge::Size) | None => size.map_or(Prior::Any, Prior::Size),
    })
}

/// The people whose values are known, with the codes of these.
fn told(options: &AttackRequest, sensitive: &Column) -> Result<Vec<(usize, u32)>> {
    let rows = sensitive.codes().len();
    if options.knows.is_empty() {
        return Ok(Vec::new());
    }
    if options.external.is_some() || options.values.is_some() {
        return Err(Error::invalid(
            "`--knows` counts rows of the job's table and takes the values there; leave out `--external` and `--values`",
        ));
    }
    if options.knows.iter().any(|&row| row >= rows) {
        return Err(Error::invalid(format!("`--knows` names a row beyond the last; the table has rows 1 to {rows}")));
    }
    Ok(options.knows.iter().map(|&row| (row, sensitive.code(row))).collect())
}

/// The only sensitive column.
pub fn only_sensitive(table: &Table) -> Option<&Column> {
    let mut sensitive = table.with_role(Role::Sensitive);
    sensitive.next().filter(|_| sensitive.next().is_none())
}

fn sensitive_name(job: &Job) -> Result<&str> {
    let mut sensitive = job.columns.iter().filter(|(_, column)| column.role == Role::Sensitive);
    match (sensitive.next(), sensitive.next()) {
        (Some((name, _)), None) => Ok(name),
        _ => Err(Error::invalid("belief is counted for one sensitive column; declare exactly one")),
    }
}

/// The columns that an adversary may know.
fn known_columns(table: &Table) -> Vec<Column> {
    let known = |column: &&Column| !matches!(column.role(), Role::Sensitive | Role::Keep);
    table.columns().iter().filter(known).cloned().collect()
}

/// The table without columns that are published as they are: nobody is presumed to know them.
fn without_kept(table: &Table) -> Result<Table> {
    Table::new(table.columns().iter().filter(|column| column.role() != Role::Keep).cloned().collect())
}

/// The sensitive column with the values that are possible.
fn possible_values(job: &Job, options: &AttackRequest, sensitive: &Column) -> Result<Column> {
    let Some(values) = &options.values else { return Ok(sensitive.clone()) };
    column_of(job, sensitive.name(), values)
}

/// The code of `text` in `column`.
fn code_of(column: &Column, text: &str) -> Option<u32> {
    (0..column.cardinality() as u32).find(|&code| column.text(code) == text)
}

/// A sensitive column with the values `texts`, read as the job reads that column.
fn column_of(job: &Job, name: &str, texts: &[String]) -> Result<Column> {
    let schema = job.schema()?;
    let spec = schema.columns.iter().find(|column| column.name == name);
    let spec = spec.ok_or_else(|| Error::invalid(format!("column `{name}` is not declared; declare it")))?;
    let kind = spec.kind.unwrap_or(ColumnType::Category);
    let mut coder = ColumnCoder::new(&schema, spec, kind);
    for text in texts {
        if text == MISSING {
            coder.push_missing();
        } else {
            coder.push_text(text).map_err(|fault| Error::bad_input(format!("a value of column `{name}` {fault}")))?;
        }
    }
    coder.finish()
}

/// The rows of `people` that the rows of `table` are, with the codes of their values.
fn truth(
    people: &Table,
    table: &Table,
    values: &Column,
    sensitive: &Column,
    external: Option<&ExternalPeople>,
) -> Result<World> {
    let key = |of: &Table, row: usize| -> Vec<String> {
        let columns = people.columns().iter().filter_map(|column| of.column(column.name()).ok());
        columns.map(|column| column.text(column.code(row))).collect()
    };
    let mut places: HashMap<Vec<String>, Vec<usize>> = HashMap::new();
    for person in (0..people.rows()).rev() {
        places.entry(key(people, person)).or_default().push(person);
    }
    let code: Vec<Option<u32>> =
        (0..sensitive.cardinality() as u32).map(|code| code_of(values, &sensitive.text(code))).collect();
    let rows = (0..table.rows()).map(|row| {
        let person = places.get_mut(&key(table, row)).and_then(Vec::pop).ok_or_else(|| {
            let file = external.filter(|external| !external.name.is_empty());
            let file = file.map_or_else(String::new, |external| format!("{}: ", external.name));
            Error::bad_input(format!(
                "{file}the external source lacks the person of row {} of the table; it must hold everybody who is in the table",
                row + 1
            ))
        })?;
        let value = code[sensitive.code(row) as usize].ok_or_else(|| {
            Error::invalid(format!("row {} of the table has a value that is not among the possible ones", row + 1))
        })?;
        Ok((person, value))
    });
    Ok(World::new(rows.collect::<Result<_>>()?))
}
