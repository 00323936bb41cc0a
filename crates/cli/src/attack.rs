//! `pellucid attack`: what somebody who knows how a release was made believes of the people in it.

use std::cell::Cell;
use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use pellucid_app::parts::PriorKnowledge;
use pellucid_app::{AttackAnswer, AttackRequest, SeenAnswer};
use pellucid_inference::budget::{Budget, SamplingPlan};
use pellucid_io::attack::AttackFiles;
use pellucid_io::black_box::{BlackBox, attack_program};
use pellucid_model::error::{Error, Result};
use pellucid_model::progress::RunStage;
use pellucid_publish::job::{AttackFindings, Job};
use serde_json::json;

use crate::CommandEnding;
use crate::attack_text::text;
use crate::numbers::{probability, seconds, whole};
use crate::publish::{named_after_job, read_job};
use crate::terminal::UserTerminal;

/// Attack a release as somebody who knows how it was made and everything but the sensitive values; publishes nothing
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  pellucid attack job.toml\n  pellucid attack job.toml --set method.publisher=search --json\n  \
                        pellucid attack job.toml --release release --external register.csv\n  \
                        pellucid attack job.toml --nothing\n  \
                        pellucid attack job.toml --mechanism 'python3 anonymize.py {in} {out}'\n\n\
                        Exit status: 0 the attack was made, whatever it found; 2 bad usage or input; 3 nothing is released."
)]
pub struct AttackArguments {
    /// The job file (TOML), as for `publish`; relative paths in it are relative to it
    job: PathBuf,
    /// Set a key of the job, e.g. privacy.l=5 or method.publisher=mondrian
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The release that was seen: its public folder, or the file of its only table; without it, one is made
    #[arg(long, value_name = "FOLDER", help_heading = "What was seen")]
    release: Option<PathBuf>,
    /// What was seen is that nothing was released
    #[arg(long, conflicts_with = "release", help_heading = "What was seen")]
    nothing: bool,
    /// A table of everybody who may be in the job's table, with its identifiers and quasi-identifiers
    #[arg(long, value_name = "FILE", help_heading = "What is known beforehand")]
    external: Option<PathBuf>,
    /// Attack with what was seen and the external source alone; the job's table is not read
    #[arg(long, requires = "external", help_heading = "What is known beforehand")]
    without_table: bool,
    /// What is known of the table, where what was seen does not tell it
    #[arg(long, value_name = "WHAT", help_heading = "What is known beforehand")]
    prior: Option<PriorArgument>,
    /// The sensitive values that are possible, separated by commas; without them, those of the table or of the release
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "What is known beforehand")]
    values: Option<Vec<String>>,
    /// Rows of the table, counted from 1, whose sensitive values the attacker knows, such as their own
    #[arg(long, value_name = "ROWS", value_delimiter = ',', conflicts_with = "without_table",
          value_parser = whole::<u64>(1..), help_heading = "What is known beforehand")]
    knows: Vec<u64>,
    /// Attack this program instead of the job's publisher: a command with {in} and {out} for the files it reads and writes
    #[arg(long, value_name = "COMMAND", help_heading = "A program as the mechanism",
          conflicts_with_all = ["external", "without_table", "prior", "values", "knows"])]
    mechanism: Option<String>,
    /// A program that draws takes {seed} in its command, one of 0 to so many less one
    #[arg(long, value_name = "NUMBER", requires = "mechanism", value_parser = whole::<u64>(1..),
          help_heading = "A program as the mechanism")]
    seeds: Option<u64>,
    /// Seconds that the attack may take altogether, reading the table and making the release among them; of whom nothing was found out by
    /// then, anything may be believed. Without it, one run of a program may take 60
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "How much work is done")]
    seconds: Option<f64>,
    /// With which probability all intervals of estimates hold together
    #[arg(long, value_name = "PROBABILITY", default_value_t = SamplingPlan::default().confidence,
          value_parser = probability, help_heading = "How much work is done")]
    confidence: f64,
    /// For experts: states that counting one cluster of groups may visit. Other limits follow: a tenth as many originals are tried, a
    /// hundredth as many worlds drawn, 200 times as many moves made for estimates, and a program is run a 500th as often
    #[arg(long, value_name = "NUMBER", default_value_t = Budget::attack().states, value_parser = whole::<u64>(1..),
          help_heading = "How much work is done")]
    budget: u64,
    /// Where originals were tried, write what is believed of every person and value to this new file (CSV); keep it private
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    beliefs: Option<PathBuf>,
}

/// What is known of the table beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PriorArgument {
    /// How often every value occurs
    Multiset,
    /// How many people are in it
    Size,
    /// Nothing
    Any,
}

impl From<PriorArgument> for PriorKnowledge {
    fn from(prior: PriorArgument) -> Self {
        match prior {
            PriorArgument::Multiset => Self::Multiset,
            PriorArgument::Size => Self::Size,
            PriorArgument::Any => Self::Any,
        }
    }
}

pub fn run(arguments: &AttackArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    let (job, base_dir) = read_job(&arguments.job, &arguments.set, terminal)?;
    let begun = Instant::now();
    // When the release was there.
    let made = Cell::new(None);
    let progress = |stage: RunStage| {
        if matches!(stage, RunStage::Count | RunStage::Try { .. }) && made.get().is_none() {
            made.set(Some(begun.elapsed().as_secs_f64()));
        }
        terminal.stage(stage);
        Ok(())
    };
    arguments.beliefs.as_deref().map_or(Ok(()), pellucid_io::attack::check_beliefs)?;
    let attacked = match &arguments.mechanism {
        Some(command) => attack_program(&job, &base_dir, &arguments.black_box(command), &progress),
        None => arguments.attack(&job, &base_dir, &progress),
    };
    match attacked.map_err(|error| named_after_job(error, &arguments.job))? {
        AttackAnswer::Nothing(nothing) => {
            if terminal.wants_json() {
                terminal.json(&json!(nothing))?;
            } else {
                terminal.text(
                    "Nothing is released, so there is no release to attack. What that silence tells is asked with --nothing.\n",
                )?;
            }
            Ok(CommandEnding::NothingDisclosed)
        }
        AttackAnswer::Release(found) => {
            let seconds = begun.elapsed().as_secs_f64();
            let first = made.get().unwrap_or(seconds);
            let late = found.account.refused > 0 && arguments.seconds.is_some_and(|most| seconds >= most);
            if let Some(path) = &arguments.beliefs {
                write_beliefs(path, &found)?;
            }
            if terminal.wants_json() {
                let mut told = json!(found);
                told["seconds"] = json!(seconds);
                told["seconds_for_release"] = json!(first);
                told["time_is_up"] = json!(late);
                told["known_rows"] = json!(arguments.knows);
                terminal.json(&told)?;
            } else {
                let late = if late {
                    "The time was up before everybody was reached; allow more with --seconds.\n"
                } else {
                    ""
                };
                terminal.text(&(arguments.known_text() + &text(&found, seconds, first) + late))?;
            }
            Ok(CommandEnding::Done)
        }
    }
}

impl AttackArguments {
    /// Whose values the attacker knows, if anybody's.
    fn known_text(&self) -> String {
        let rows: Vec<String> = self.knows.iter().map(ToString::to_string).collect();
        match &rows[..] {
            [] => String::new(),
            rows => format!(
                "The attacker also knows the values of rows {}; they are among the people below, and `ignoring it` is without that.\n",
                rows.join(", ")
            ),
        }
    }

    fn attack(
        &self,
        job: &Job,
        base_dir: &std::path::Path,
        progress: &dyn Fn(RunStage) -> Result<()>,
    ) -> Result<AttackAnswer> {
        // Named on the command line, so relative to where that is typed.
        let here = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let files = AttackFiles {
            external: self.external.as_ref().map(here),
            release: self.release.as_ref().map(here),
            without_table: self.without_table,
        };
        let request = AttackRequest {
            external: None,
            seen: self.nothing.then_some(SeenAnswer::nothing()),
            prior: self.prior.map(PriorKnowledge::from),
            values: self.values.clone(),
            knows: self.knows.iter().map(|&row| row as usize - 1).collect(),
            budget: self.budget(),
        };
        pellucid_io::attack::attack(job, base_dir, &files, &request, progress)
    }

    fn black_box(&self, command: &str) -> BlackBox {
        BlackBox {
            command: command.to_owned(),
            seeds: self.seeds,
            budget: self.budget(),
            release: self.release.as_ref().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone())),
            silence: self.nothing,
        }
    }

    fn budget(&self) -> Budget {
        let budget = Budget::attack().scaled(self.budget);
        let sampling = budget.sampling.map(|sampling| SamplingPlan { confidence: self.confidence, ..sampling });
        Budget { seconds: self.seconds, sampling, ..budget }
    }
}

/// Writes a line for every person and value that is possible.
fn write_beliefs(path: &std::path::Path, found: &AttackFindings) -> Result<()> {
    let Some(tried) = &found.tried else {
        return Err(Error::invalid(
            "--beliefs is for attacks that try originals, and groups were counted; raise `--budget`, or leave it out",
        ));
    };
    pellucid_io::attack::write_beliefs(path, tried)
}
