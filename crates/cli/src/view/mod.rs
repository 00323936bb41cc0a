//! `pellucid view`: many requests on one table, each decided with everything that was shown before.
//!
//! One file a sub-command; `text.rs` has what they say alike.

mod add;
mod belief;
mod check;
mod list;
mod release;
mod restore;
mod text;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use pellucid_app::Gate;
use pellucid_app::host::GateSource;
use pellucid_app::parts::{EarlierRelease, GateSettings, OwnerOverride, ViewRequest};
use pellucid_inference::budget::Budget;
use pellucid_inference::views::selection::{WantedRange, WantedRanges};
use pellucid_io::load_source;
use pellucid_ledger::peek_gate;
use pellucid_model::error::{Error, Result};
use pellucid_model::table::{Column, Role};
use pellucid_publish::job::{Job, PrivacyJob};

use crate::CommandEnding;
use crate::numbers::{probability, whole};
use crate::precedence::{UsualLedger, author, ledger_place};
use crate::publish::{named_after_job, read_job};
use crate::terminal::UserTerminal;

pub use release::{RecordingOptions, ReleaseKeeper};
use text::finding_text;

/// Answer repeated queries on one table; refuse those that would disclose too much in combination
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        pellucid view check job.toml \"select condition from patients where age between 29 and 33\"\n  \
        pellucid view add job.toml \"select condition from patients where age between 29 and 33\"\n  \
        pellucid view list job.toml\n\n\
        Exit status: 0 private, 4 not private, undecided, refused or not restored, 2 bad usage or input.")]
pub struct ViewArguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::ViewCheckArguments),
    Add(add::ViewAddArguments),
    Restore(restore::ViewRestoreArguments),
    List(list::ViewListArguments),
    Belief(belief::ViewBeliefArguments),
}

pub fn run(arguments: &ViewArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    match &arguments.command {
        Command::Check(arguments) => check::run(arguments, terminal),
        Command::Add(arguments) => add::run(arguments, terminal),
        Command::Restore(arguments) => restore::run(arguments, terminal),
        Command::List(arguments) => list::run(arguments, terminal),
        Command::Belief(arguments) => belief::run(arguments, terminal),
    }
}

/// The job, the ledger, and how belief is judged.
#[derive(Debug, Args)]
struct Common {
    /// The job file (TOML); relative paths in it are relative to it
    job: PathBuf,
    /// Set a key of the job, e.g. privacy.ratio=1/3
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Where what was shown is recorded: a file, or `postgres://user@host/database`; else what `PELLUCID_LEDGER` says, else
    /// `ledger` in `[views]`, else ledger.sqlite beside the job file
    #[arg(long, value_name = "PLACE")]
    ledger: Option<String>,
    /// Let nobody's value be believed with more than this, instead of what `[privacy]` says
    #[arg(long, value_name = "PROBABILITY")]
    gamma: Option<String>,
    /// By how much an estimate may leave open whether a probability is above its bound
    #[arg(long, value_name = "NUMBER")]
    epsilon: Option<f64>,
    /// With which probability all intervals of an estimate hold together, instead of what `theta` in `[views]` says
    #[arg(long, alias = "theta", value_name = "PROBABILITY", value_parser = probability)]
    confidence: Option<f64>,
    /// Seconds that judging may take, 30 unless said; what is not decided by then is undecided. Of `restore`, those of the search
    #[arg(long, value_name = "NUMBER")]
    seconds: Option<f64>,
    /// For experts: states that counting may visit before belief is estimated
    #[arg(long, value_name = "NUMBER", default_value_t = Budget::gate().states, value_parser = whole::<u64>(1..))]
    budget: u64,
}

/// Which view is asked for.
#[derive(Debug, Args)]
struct Asking {
    /// The view: select COLUMN from TABLE where CONDITION; without it and --show, `check` and `add` take the views that the job lists,
    /// and `restore` what is recorded alone
    #[arg(value_name = "SQL", conflicts_with_all = ["show", "wanted"])]
    sql: Option<String>,
    /// The sensitive column to show, instead of SQL
    #[arg(long, value_name = "COLUMN")]
    show: Option<String>,
    /// Of whom, with --show: COLUMN=VALUE, or COLUMN=FROM..TO with one end left out where it is open
    #[arg(long = "where", value_name = "CONDITION", requires = "show")]
    wanted: Vec<String>,
}

/// Who decides.
#[derive(Debug, Args)]
struct Deciding {
    /// Who decides; the name of the user when left out
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
}

impl Deciding {
    fn name(&self) -> String {
        author(self.by.as_deref())
    }
}

impl Common {
    /// Reads the job and its table; gives also the file of the table and the place of the ledger.
    fn source(&self, terminal: &UserTerminal) -> Result<(GateSource, PathBuf, String, GateSettings)> {
        let (mut job, base_dir) = read_job(&self.job, &self.set, terminal)?;
        if let Some(gamma) = &self.gamma {
            let parameters = BTreeMap::from([("ratio".to_owned(), toml::Value::from(gamma.as_str()))]);
            job.privacy = vec![PrivacyJob { principle: "highest-ratio".to_owned(), suppression: None, parameters }];
            job.check().map_err(|error| error.context("--gamma"))?;
        }
        let settings = self.settings(&job)?;
        let place =
            ledger_place(self.ledger.as_deref(), Some((&job, &base_dir)), UsualLedger::BesideJob).unwrap_or_default();
        let source = load_source(&job, &base_dir).map_err(|error| named_after_job(error, &self.job))?;
        Ok((source, base_dir.join(&job.input.path), place, settings))
    }

    fn settings(&self, job: &Job) -> Result<GateSettings> {
        let mut settings = GateSettings::of(job);
        settings.epsilon = self.epsilon.unwrap_or(settings.epsilon);
        if !(0.0..1.0).contains(&settings.epsilon) {
            return Err(Error::invalid("--epsilon must be a probability from 0 to below 1, e.g. 0.01"));
        }
        settings.budget.states = self.budget;
        settings.budget.seconds = checked_seconds(self.seconds)?.or(settings.budget.seconds);
        if let Some(sampling) = &mut settings.budget.sampling {
            sampling.confidence = self.confidence.unwrap_or(sampling.confidence);
        }
        Ok(settings)
    }

    /// A gate that looks and records nothing.
    fn peek(&self, terminal: &UserTerminal) -> Result<(Gate, PathBuf, String)> {
        let (source, table, place, settings) = self.source(terminal)?;
        Ok((peek_gate(source, &place, settings)?, table, place))
    }
}

/// The seconds given, if they can be.
fn checked_seconds(seconds: Option<f64>) -> Result<Option<f64>> {
    match seconds {
        Some(seconds) if !(seconds > 0.0 && seconds.is_finite()) => {
            Err(Error::invalid("--seconds must be a number above 0, e.g. 10"))
        }
        seconds => Ok(seconds),
    }
}

impl Asking {
    /// The view asked for; `None` when none is.
    fn one(&self, source: &GateSource) -> Result<Option<ViewRequest>> {
        match (&self.sql, &self.show) {
            (Some(sql), _) => source.ask(sql).map(Some),
            (None, Some(show)) => {
                let ranges = self.wanted.iter().map(|text| range(text)).collect::<Result<BTreeMap<_, _>>>()?;
                if ranges.len() < self.wanted.len() {
                    return Err(Error::invalid("--where names a column twice; give one condition for each column"));
                }
                source.ask_ranges(show, WantedRanges(ranges)).map(Some)
            }
            (None, None) => Ok(None),
        }
    }

    /// The view asked for, or those of the job.
    fn all(&self, source: &GateSource, job: &Path) -> Result<Vec<ViewRequest>> {
        if let Some(request) = self.one(source)? {
            return Ok(vec![request]);
        }
        let listed = source.listed().map_err(|error| error.context(job.display()))?;
        if listed.is_empty() {
            let columns: Vec<&str> = source.table().with_role(Role::Sensitive).map(Column::name).collect();
            return Err(Error::invalid(format!(
                "no view is asked for; write a statement such as \"select {} from {}\", or list views in [[views.view]]",
                columns.first().unwrap_or(&"COLUMN"),
                source.name()
            )));
        }
        Ok(listed)
    }
}

/// `age=29..33`, `age=29..`, `age=..33` or `sex=F`.
fn range(text: &str) -> Result<(String, WantedRange)> {
    let Some((column, value)) = text.split_once('=') else {
        return Err(Error::invalid("--where is no condition; write COLUMN=VALUE or COLUMN=FROM..TO"));
    };
    let end = |text: &str| (!text.trim().is_empty()).then(|| text.trim().to_owned());
    let range = match value.split_once("..").map(|(from, to)| (end(from), end(to))) {
        None => WantedRange::One(value.trim().to_owned()),
        Some((None, None)) => {
            return Err(Error::invalid(format!(
                "--where leaves column `{}` open at both ends; write COLUMN=FROM..TO",
                column.trim()
            )));
        }
        Some((from, to)) => WantedRange::FromTo(from, to),
    };
    Ok((column.trim().to_owned(), range))
}

/// What is shown although the gate does not let it pass.
#[derive(Debug, Args)]
struct Overriding {
    /// Record and show what is undecided, on your own responsibility; every later verdict on the table says so
    #[arg(long, requires = "reason", group = "overriding")]
    record_undecided: bool,
    /// Show it even if it is known to reveal too much; recorded with the reason
    #[arg(long, requires = "reason", group = "overriding")]
    force: bool,
    /// Why it is shown all the same
    #[arg(long, value_name = "TEXT", requires = "overriding")]
    reason: Option<String>,
}

impl Overriding {
    fn overrides(&self) -> OwnerOverride<'_> {
        match &self.reason {
            None => OwnerOverride::Nothing,
            Some(reason) if self.force => OwnerOverride::Everything(reason),
            Some(reason) => OwnerOverride::Undecided(reason),
        }
    }
}

/// Says, before anything is counted, that the table was released before: when, by whom and as what.
fn tell_releases(gate: &mut Gate, terminal: &UserTerminal) -> Result<()> {
    for EarlierRelease { number, at, by, statement, withdrawn } in gate.releases()? {
        let name = gate.source().name();
        let withdrawn = if withdrawn { "; withdrawn since" } else { "" };
        terminal.note(&format!(
            "table `{name}` was released before: {at} by {by}, {statement} (evidence {number}){withdrawn}"
        ));
    }
    Ok(())
}

/// What is said while it is judged.
fn judging(settings: &GateSettings) -> String {
    let most = settings.budget.seconds.map_or_else(String::new, |seconds| format!(", for {seconds} s at most"));
    format!("judging with everything that was shown{most}")
}

/// What files that are written may not be.
const PRECIOUS: &str = "the job, its table or the ledger";

/// That a ledger is new, when it is.
fn new_ledger(gate: &Gate, place: &str, looking_only: bool) -> String {
    let place = if place.contains("://") { "the address given".to_owned() } else { format!("`{place}`") };
    match (gate.is_new(), looking_only) {
        (false, _) => String::new(),
        (true, false) => format!("There was no ledger at {place}; a new one was made.\n"),
        (true, true) => format!("There is no ledger at {place} yet: as if nothing had been shown.\n"),
    }
}
