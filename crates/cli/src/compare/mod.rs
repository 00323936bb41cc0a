//! `pellucid compare`: what several publishers make of the same table, side by side.
//!
//! `cases.rs` has what is compared, `belief.rs` what adversaries believe in few words; `text.rs`, `data.rs` and `page.rs` show it on
//! the terminal, to programs and in a browser.

mod belief;
mod cases;
mod data;
mod page;
mod text;

use std::path::{Path, PathBuf};

use clap::Args;
use pellucid_app::parts::{CaseEnding, QuerySweep};
use pellucid_app::{AttackRequest, ComparedRelease, Comparison};
use pellucid_inference::budget::{Budget, SamplingPlan};
use pellucid_io::compare::compare;
use pellucid_model::error::{Error, Result};
use pellucid_model::exact::{Fraction, parse_fraction};
use pellucid_publish::workload::WorkloadSettings;

use crate::CommandEnding;
use crate::files::{OverwriteOption, write_private};
use crate::numbers::{probability, seconds, share, whole};
use crate::publish::{command_line, named_after_job, read_job};
use crate::terminal::UserTerminal;
use cases::{AskedPublishers, VariedParameter};

/// Run a job with several publishers and show what each makes of the table: use, risk and cost; publishes nothing
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  pellucid compare job.toml\n  \
                        pellucid compare job.toml --publishers hybrid,tailor,ace,mondrian,search --l 6..10 --html compare.html\n  \
                        pellucid compare job.toml --vary k=2,5,10 --csv compare.csv --json\n  \
                        pellucid compare job.toml --with publisher=tailor --with 'publisher=search measure=height'\n  \
                        pellucid compare job.toml --with 'strategy=safe jumps=' --with 'strategy=k-jump jumps=[1, 2, 1]'\n\n\
                        Exit status: 0 some publisher releases something; 2 bad usage or input, or none takes the job; 3 all \
                        answer nothing.")]
pub struct CompareArguments {
    /// The job file (TOML), as for `publish`; relative paths in it are relative to it
    job: PathBuf,
    /// Set a key of the job, e.g. privacy.l=5
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The publishers to compare, by name; every publisher but demonstrations when none is named
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "What is compared")]
    publishers: Vec<String>,
    /// Compare demonstrations as well: publishers that exist to be attacked
    #[arg(long, conflicts_with_all = ["publishers", "with"], help_heading = "What is compared")]
    all: bool,
    /// A publisher to compare, with keys of the section `method`, e.g. 'publisher=search measure=height'; may be given several times. The job's own
    /// publisher keeps the keys of the job, but for those given here; KEY= takes one away
    #[arg(long = "with", value_name = "KEY=VALUE ...", help_heading = "What is compared")]
    with: Vec<String>,
    /// Values of the parameter l of the principles, e.g. 6..10 (both ends included) or 2,4,8
    #[arg(long, value_name = "VALUES", conflicts_with = "vary", help_heading = "What is compared")]
    l: Option<String>,
    /// Values of another parameter of the principles, e.g. k=5,10 or t=0.1,0.2
    #[arg(long, value_name = "NAME=VALUES", help_heading = "What is compared")]
    vary: Option<String>,
    /// Number of random count queries that are estimated from each release; 0 for none
    #[arg(long, value_name = "NUMBER", default_value_t = WorkloadSettings::default().queries, value_parser = whole::<usize>(..), help_heading = "Use")]
    queries: usize,
    /// Columns that a query names, the sensitive one among them; as many as there are when left out
    #[arg(long, value_name = "NUMBER", value_parser = whole::<usize>(1..), help_heading = "Use")]
    dimensions: Option<usize>,
    /// Share of the rows that a query is expected to count
    #[arg(long, value_name = "SHARE", default_value_t = WorkloadSettings::default().selectivity, value_parser = share, help_heading = "Use")]
    selectivity: f64,
    /// Another number for other queries
    #[arg(long, value_name = "NUMBER", default_value_t = WorkloadSettings::default().seed, value_parser = whole::<u64>(..), help_heading = "Use")]
    query_seed: u64,
    /// Count the records that are found with a higher probability than this
    #[arg(long, value_name = "SHARE", default_value = "1/5", help_heading = "Risk")]
    threshold: String,
    /// A table of the population that the people of the job's table are taken from, with its quasi-identifiers: how likely
    /// somebody who has it finds a record. Without it, at most as likely as somebody who knows who is in the table
    #[arg(long, value_name = "FILE", help_heading = "Risk")]
    external: Option<PathBuf>,
    /// Do not attack the releases, which can take long
    #[arg(long, help_heading = "Risk")]
    without_attack: bool,
    /// Seconds that the attack on a release may take; of whom nothing was found out by then, anything may be believed
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds, help_heading = "Risk")]
    seconds: f64,
    /// With which probability all intervals of belief in a release hold together
    #[arg(long, value_name = "PROBABILITY", default_value_t = SamplingPlan::default().confidence, value_parser = probability,
          help_heading = "Risk")]
    confidence: f64,
    /// For experts: how much work an attack may do, as for `attack`
    #[arg(long, value_name = "NUMBER", default_value_t = Budget::attack().states, value_parser = whole::<u64>(1..), help_heading = "Risk")]
    budget: u64,
    /// Write all figures to a file, a line for each release (CSV)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    csv: Option<PathBuf>,
    /// Write a page with tables and charts to a file (HTML)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,
    #[command(flatten)]
    replacing: OverwriteOption,
}

/// What the figures do not say.
const NOTE: &str = "Do not pick a publisher because it wins here: the choice itself leaks information about the data, whatever each \
                    publisher promises. Keep to one that you chose beforehand; docs/attacks.md has what a choice tells.";

/// A comparison and what it is about.
struct ComparisonReport {
    job: String,
    table: String,
    columns: Vec<(String, String)>,
    principles: Vec<String>,
    /// The name of the parameter that is varied.
    varied: Option<String>,
    workload: Option<QuerySweep>,
    threshold: Fraction,
    external: Option<PathBuf>,
    command: String,
    compared: Vec<ComparedRelease>,
}

pub fn run(arguments: &CompareArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    let (job, base_dir) = read_job(&arguments.job, &arguments.set, terminal)?;
    let table = base_dir.join(&job.input.path);
    let files: Vec<&Path> = arguments.csv.iter().chain(&arguments.html).map(PathBuf::as_path).collect();
    let read: Vec<&Path> =
        [&arguments.job, &table].into_iter().chain(&arguments.external).map(PathBuf::as_path).collect();
    arguments.replacing.check(&files, &read, "the job, its table or the register")?;
    let threshold = arguments.threshold()?;
    let varied = arguments.varied()?;
    let cases = cases::cases(&job, &arguments.asked(), varied.as_ref());
    let cases = cases.map_err(|error| named_after_job(error, &arguments.job))?;
    let (names, many): (Vec<String>, usize) = (cases.iter().map(cases::label).collect(), cases.len());
    let workload = arguments.workload();
    let asked = Comparison {
        cases,
        queries: workload.clone(),
        threshold: threshold.clone(),
        attack: (!arguments.without_attack).then(|| arguments.attack()),
        progress: &|case, stage| {
            match case {
                None => terminal.stage(stage),
                Some(at) => terminal.steps(at, many, &format!("{}: {}", names[at], stage.label())),
            }
            Ok(())
        },
    };
    let register = arguments.external.as_ref();
    let register = register.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()));
    let compared =
        compare(asked, &base_dir, register.as_deref()).map_err(|error| named_after_job(error, &arguments.job))?;
    let columns = job.columns.iter().map(|(name, column)| (name.clone(), column.role.as_str().to_owned()));
    let comparison = ComparisonReport {
        job: arguments.job.display().to_string(),
        table: job.input.path.display().to_string(),
        columns: columns.collect(),
        principles: job.privacy.iter().map(|privacy| privacy.principle.clone()).collect(),
        varied: varied.map(|varied| varied.name),
        workload,
        threshold,
        external: arguments.external.clone(),
        command: command_line(),
        compared,
    };
    let compared = &comparison.compared;
    let refusals: Vec<&String> = compared.iter().filter_map(refusal).collect();
    let no_publisher = refusals.len() == compared.len();
    if no_publisher && refusals.iter().all(|why| *why == refusals[0]) {
        return Err(named_after_job(Error::invalid(refusals[0]), &arguments.job));
    }
    let files = if no_publisher { Vec::new() } else { files };
    if let Some(path) = arguments.csv.as_ref().filter(|_| !no_publisher) {
        data::write_csv(path, &comparison)?;
    }
    if let Some(path) = arguments.html.as_ref().filter(|_| !no_publisher) {
        write_private(path, &page::page(&comparison).to_html())?;
    }
    if terminal.wants_json() {
        terminal.json(&data::json(&comparison, &files))?;
    } else {
        let written = files.iter().map(|file| format!("Written: {}\n", file.display()));
        terminal.text(&(text::text(&comparison) + &written.collect::<String>()))?;
    }
    if no_publisher {
        let why = "no publisher takes this job; change what stands in the way, or name others with --with";
        return Err(named_after_job(Error::invalid(why), &arguments.job));
    }
    let released = compared.iter().any(|one| matches!(one.ended, CaseEnding::Released(_)));
    Ok(if released { CommandEnding::Done } else { CommandEnding::NothingDisclosed })
}

fn refusal(one: &ComparedRelease) -> Option<&String> {
    match &one.ended {
        CaseEnding::Refused(why) => Some(why),
        _ => None,
    }
}

impl CompareArguments {
    fn asked(&self) -> AskedPublishers<'_> {
        AskedPublishers { names: &self.publishers, with: &self.with, all: self.all }
    }

    fn threshold(&self) -> Result<Fraction> {
        let share = parse_fraction(&self.threshold).ok();
        let share = share.filter(|share| *share >= Fraction::ZERO && *share <= Fraction::ONE);
        share.ok_or_else(|| Error::invalid("--threshold must be a probability from 0 to 1, e.g. 0.2 or 1/5"))
    }

    /// The parameter that is varied, and its values.
    fn varied(&self) -> Result<Option<VariedParameter>> {
        let (name, values) = match (&self.l, &self.vary) {
            (Some(values), _) => ("l", values.as_str()),
            (None, Some(vary)) => vary
                .split_once('=')
                .filter(|(name, _)| !name.trim().is_empty())
                .ok_or_else(|| Error::invalid("--vary: write it as NAME=VALUES, e.g. k=5,10 or l=6..10"))?,
            (None, None) => return Ok(None),
        };
        let option = if self.l.is_some() { "--l" } else { "--vary" };
        let values = cases::values(values).map_err(|error| error.context(option))?;
        Ok(Some(VariedParameter { option, name: name.trim().to_owned(), values }))
    }

    fn workload(&self) -> Option<QuerySweep> {
        let settings = WorkloadSettings {
            queries: self.queries,
            dimensions: self.dimensions,
            selectivity: self.selectivity,
            seed: self.query_seed,
        };
        (self.queries > 0).then(|| QuerySweep::of_paper(settings))
    }

    fn attack(&self) -> AttackRequest {
        let budget = Budget::attack().scaled(self.budget);
        let sampling = budget.sampling.map(|sampling| SamplingPlan { confidence: self.confidence, ..sampling });
        AttackRequest { budget: Budget { seconds: Some(self.seconds), sampling, ..budget }, ..AttackRequest::default() }
    }
}
