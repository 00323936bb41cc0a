//! Attacks on the release of a job: reads what the adversary has, and tries or counts originals.

use std::path::{Path, PathBuf};

use hashbrown::HashMap;
use pellucid_inference::adversary::World;
use pellucid_inference::attack::Effort;
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::progress::Stage;
use pellucid_model::table::coder::Coder;
use pellucid_model::table::{Column, Kind, MISSING, Role, Table};
use pellucid_model::words::magnitude;
use pellucid_publish::job::{Attacked, Checked, Job, Known, Prior, Sight, TableFormat, Tried};

use crate::known::{read_people, read_people_like, read_release, release_columns};
use crate::private::own_file;
use crate::publish::load;
use crate::{Format, ReadOptions};

/// What the adversary has, and how much work may be done.
#[derive(Debug, Clone, Default)]
pub struct AttackOptions {
    /// A file of everybody who may be in the table; without it, those in the table.
    pub external: Option<PathBuf>,
    /// What was seen; without it, the job makes it.
    pub seen: Option<SeenAs>,
    /// Whether the job's table is left unread: the adversary has the external source and what was seen.
    pub without_table: bool,
    /// What is known of the table beforehand, where it matters.
    pub prior: Option<PriorKnowledge>,
    /// The sensitive values that are possible; without them, those of the table or of the release.
    pub values: Option<Vec<String>>,
    /// Rows of the table, from 0, whose values the attacker knows.
    pub knows: Vec<usize>,
    /// How many originals are tried at most; when there are more, groups are counted.
    pub originals: u64,
    /// For counting groups.
    pub effort: Effort,
}

impl AttackOptions {
    /// How many originals are tried at most, and for how many seconds.
    fn limits(&self) -> (u64, f64) {
        (self.originals, self.effort.seconds.unwrap_or(f64::INFINITY))
    }
}

/// Something that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeenAs {
    /// A release: its public folder, or the file of its only table.
    Release(PathBuf),
    /// That nothing was released.
    Nothing,
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

/// Attacks the release that `job` makes, knowing the mechanism; writes nothing.
///
/// Every original is tried when there are at most [`AttackOptions::originals`]; otherwise, and when that takes more than the seconds
/// of the effort, groups are counted, which needs the table itself.
pub fn attack(
    job: &Job,
    base_dir: &Path,
    options: &AttackOptions,
    progress: &dyn Fn(Stage) -> Result<()>,
) -> Result<Attacked> {
    progress(Stage::Read)?;
    if options.without_table {
        return public_only(job, &job.check()?, base_dir, options, progress);
    }
    let (table, hierarchies) = load(job, base_dir)?;
    attack_table(job, &table, &hierarchies, base_dir, options, progress)
}

/// [`attack`] with the table of the job, which was read before.
pub(crate) fn attack_table(
    job: &Job,
    table: &Table,
    hierarchies: &[Option<Hierarchy>],
    base_dir: &Path,
    options: &AttackOptions,
    progress: &dyn Fn(Stage) -> Result<()>,
) -> Result<Attacked> {
    let checked = job.check()?;
    let Some(sensitive) = only_sensitive(table) else {
        // Several columns or none: counting groups says what is missing.
        return checked.attack(table, hierarchies, &options.effort, progress);
    };
    let people = match &options.external {
        Some(path) => read_people(job, base_dir, path, table)?,
        None => Table::new(known_columns(table))?,
    };
    let values = possible_values(job, options, sensitive)?;
    let truth = if options.external.is_none() && options.values.is_none() {
        World::new(sensitive.codes().iter().enumerate().collect())
    } else {
        truth(&people, table, &values, sensitive, options.external.as_deref())?
    };
    let codes: Vec<u32> = truth.rows().iter().map(|row| row.1).collect();
    let silent = options.seen == Some(SeenAs::Nothing);
    let prior = prior(&checked, options, silent, &codes, Some(codes.len()))?;
    let (limit, seconds) = options.limits();
    let told = told(options, sensitive)?;
    let known = Known { people: &people, values: &values, prior, told: &told, base_dir, limit, seconds };
    if silent && !checked.draws(table, hierarchies)? {
        checked.check_belongs(&known, &Sight::Nothing, &truth)?;
    }
    if known.count() > options.originals.into() {
        return at_scale(job, &checked, table, hierarchies, options, &known, progress);
    }
    let shown = without_kept(table)?;
    let shown_hierarchies = job.hierarchies(&shown, base_dir)?;
    let seen = if let Some(seen) = &options.seen {
        let seen = sight(job, base_dir, seen)?;
        checked.check_belongs(&known, &seen, &truth)?;
        seen
    } else {
        match checked.lines(&shown, &shown_hierarchies)? {
            Ok(lines) => Sight::Release(lines),
            Err(nothing) => return Ok(Attacked::Nothing(nothing)),
        }
    };
    match checked.try_originals(&known, &seen, progress) {
        Ok(found) => Ok(Attacked::Release(Box::new(found))),
        // Groups that can be counted need not be tried.
        Err(error) if error.kind() == ErrorKind::LimitExceeded && options.effort.seconds.is_some() => {
            at_scale(job, &checked, table, hierarchies, options, &known, progress).map_err(|_| error)
        }
        Err(error) => Err(error),
    }
}

/// The attack of somebody who has what was seen and an external source.
fn public_only(
    job: &Job,
    checked: &Checked<'_>,
    base_dir: &Path,
    options: &AttackOptions,
    progress: &dyn Fn(Stage) -> Result<()>,
) -> Result<Attacked> {
    let (Some(external), Some(seen)) = (&options.external, &options.seen) else {
        return Err(Error::invalid(
            "without the table there must be an external source and something that was seen; name both",
        ));
    };
    let name = sensitive_name(job)?;
    let sight = sight(job, base_dir, seen)?;
    let shown: Vec<String> = match &sight {
        Sight::Release(lines) => {
            let shown = lines.column(name).ok_or_else(|| no_column(seen, name))?;
            shown.into_iter().map(str::to_owned).collect()
        }
        Sight::Nothing => Vec::new(),
    };
    let sensitive = if let Some(values) = &options.values {
        column_of(job, name, values)?
    } else if shown.is_empty() {
        return Err(Error::invalid("which values are possible is not known; list them with `--values`"));
    } else {
        column_of(job, name, &shown)?
    };
    let order = match seen {
        SeenAs::Release(path) => release_columns(&base_dir.join(path))?,
        SeenAs::Nothing => Vec::new(),
    };
    let people = read_people_like(job, base_dir, external, None, &order)?;
    let codes: Vec<u32> =
        shown.iter().map(|text| code_of(&sensitive, text)).collect::<Option<_>>().ok_or_else(|| {
            Error::invalid("the release shows a value that is not among the possible ones; list it too with `--values`")
        })?;
    let size = (!shown.is_empty()).then_some(shown.len());
    let prior = prior(checked, options, sight == Sight::Nothing, &codes, size)?;
    let (limit, seconds) = options.limits();
    let known = Known { people: &people, values: &sensitive, prior, told: &[], base_dir, limit, seconds };
    Ok(Attacked::Release(Box::new(checked.try_originals(&known, &sight, progress)?)))
}

/// Counting groups, where there are too many originals to try.
fn at_scale(
    job: &Job,
    checked: &Checked<'_>,
    table: &Table,
    hierarchies: &[Option<Hierarchy>],
    options: &AttackOptions,
    known: &Known<'_>,
    progress: &dyn Fn(Stage) -> Result<()>,
) -> Result<Attacked> {
    // A register of just the people of the table tells nothing more.
    let small_only = known.people.rows() > table.rows()
        || options.seen == Some(SeenAs::Nothing)
        || options.prior.is_some()
        || !options.knows.is_empty()
        || options.values.is_some();
    if small_only {
        return Err(Error::new(
            ErrorKind::LimitExceeded,
            format!(
                "there are {} possible originals, `--originals` allows {}, and every one must be tried where more people than those \
                 in the table, silence, a prior, known people or other values are asked about; take fewer people or values, or raise it",
                magnitude(&known.count()),
                options.originals
            ),
        ));
    }
    if let Some(SeenAs::Release(path)) = &options.seen {
        check_same_release(job, checked, table, hierarchies, path, known.base_dir)?;
    }
    checked.attack(table, hierarchies, &options.effort, progress)
}

/// Fails unless the job makes the release at `path` of `table`.
fn check_same_release(
    job: &Job,
    checked: &Checked<'_>,
    table: &Table,
    hierarchies: &[Option<Hierarchy>],
    path: &Path,
    base_dir: &Path,
) -> Result<()> {
    let seen = read_release(job, path)?;
    if checked.draws(table, hierarchies)? {
        return Err(Error::invalid(
            "the publisher draws at random, and there are too many originals to try with each of its draws; attack the job \
             without naming a release (what is proven holds for all of them), and hold this one against the table with \
             `pellucid verify`",
        ));
    }
    let shown = without_kept(table)?;
    match checked.lines(&shown, &job.hierarchies(&shown, base_dir)?)? {
        Ok(lines) if lines == seen => Ok(()),
        _ => Err(Error::bad_input(format!(
            "{}: the release does not belong to the table: the job makes another one of it; give the table, the job and the \
             parameters that it was made with",
            path.display()
        ))),
    }
}

fn prior(
    checked: &Checked<'_>,
    options: &AttackOptions,
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
fn told(options: &AttackOptions, sensitive: &Column) -> Result<Vec<(usize, u32)>> {
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
pub(crate) fn only_sensitive(table: &Table) -> Option<&Column> {
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
fn possible_values(job: &Job, options: &AttackOptions, sensitive: &Column) -> Result<Column> {
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
    let kind = spec.kind.unwrap_or(Kind::Category);
    let mut coder = Coder::new(&schema, spec, kind);
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
fn truth(people: &Table, table: &Table, values: &Column, sensitive: &Column, external: Option<&Path>) -> Result<World> {
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
            let file = external.map_or_else(String::new, |path| format!("{}: ", path.display()));
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

fn sight(job: &Job, base_dir: &Path, seen: &SeenAs) -> Result<Sight> {
    match seen {
        SeenAs::Nothing => Ok(Sight::Nothing),
        SeenAs::Release(path) => Ok(Sight::Release(read_release(job, &base_dir.join(path))?)),
    }
}

fn no_column(seen: &SeenAs, name: &str) -> Error {
    let place = match seen {
        SeenAs::Release(path) => format!("{}: ", path.display()),
        SeenAs::Nothing => String::new(),
    };
    Error::bad_input(format!("{place}no table of the release has column `{name}`; name the release of this job"))
}

/// How the job's table is read.
pub fn input_options(job: &Job) -> ReadOptions {
    let format = job.input.format.map(|format| match format {
        TableFormat::Csv => Format::Csv,
        TableFormat::Tsv => Format::Tsv,
        TableFormat::Parquet => Format::Parquet,
        TableFormat::Arrow => Format::Arrow,
    });
    ReadOptions { format, separator: job.input.separator }
}

/// Writes what is believed of every person and value to a new CSV file, which only its owner can read.
pub fn write_beliefs(path: &Path, tried: &Tried) -> Result<()> {
    let lines = tried.beliefs.iter().zip(1u64..).flat_map(|(values, row)| values.iter().map(move |line| (row, line)));
    let failed = |error: csv::Error| Error::new(ErrorKind::Io, format!("cannot write `{}`: {error}", path.display()));
    let fail = |error| Error::io(path.display(), error);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = own_file(folder).map_err(fail)?;
    let mut writer = csv::Writer::from_writer(file);
    writer.write_record(["row", "value", "knowing", "ignoring"]).map_err(failed)?;
    for (row, [value, knowing, blind]) in lines {
        writer.write_record([&row.to_string(), value, knowing, blind]).map_err(failed)?;
    }
    let file = writer.into_inner().map_err(|error| fail(error.into_error()))?;
    file.as_file().sync_all().map_err(fail)?;
    file.persist_noclobber(path).map(drop).map_err(|error| match error.error.kind() {
        std::io::ErrorKind::AlreadyExists => taken(path),
        _ => fail(error.error),
    })
}

/// Fails when beliefs cannot be written to `path`, before the work begins.
pub fn check_beliefs(path: &Path) -> Result<()> {
    if path.exists() { Err(taken(path)) } else { Ok(()) }
}

fn taken(path: &Path) -> Error {
    Error::invalid(format!("`{}` is there already, and beliefs overwrite nothing; name another file", path.display()))
}
