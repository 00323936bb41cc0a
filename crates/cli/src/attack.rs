//! `pellucid attack`: what somebody who knows how a release was made believes of the people in it.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use pellucid_core::attack::{BARS, Beliefs, Effort, Span};
use pellucid_core::belief::{Budget, Sampling};
use pellucid_core::error::Result;
use pellucid_core::job::{Attacked, Findings};
use pellucid_core::words::counted;
use serde_json::json;

use crate::Ending;
use crate::publish::{named_after_job, nothing_json, read_job};
use crate::terminal::Terminal;

/// Attack the release of a job as somebody who knows everything but the sensitive values; writes nothing
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  pellucid attack job.toml\n  pellucid attack job.toml --json\n  \
                        pellucid attack job.toml --set method.publisher=search --set privacy.l=5\n  \
                        pellucid attack job.toml --states 20000000 --draws 100000\n\n\
                        Exit status: 0 the attack was made, whatever it found; 2 bad usage or input; 3 the job releases nothing.")]
pub struct Arguments {
    /// The job file (TOML), as for `publish`; relative paths in it are relative to it
    job: PathBuf,
    /// Set a key of the job, e.g. privacy.l=5 or method.publisher=mondrian
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// States that counting one group may visit; groups that need more are estimated
    #[arg(long, value_name = "NUMBER", default_value_t = Effort::default().budget.states,
          value_parser = clap::value_parser!(u64).range(1..))]
    states: u64,
    /// Rejected partitions that are looked at where several concern the same groups, those of the fewest people first
    #[arg(long, value_name = "NUMBER", default_value_t = Effort::default().most_rejected as u64,
          value_parser = clap::value_parser!(u64).range(1..=64))]
    conditions: u64,
    /// Worlds that are drawn for an estimate; 0 for no estimates
    #[arg(long, value_name = "NUMBER", default_value_t = Sampling::default().draws)]
    draws: u64,
    /// With which probability all intervals of estimates hold together
    #[arg(long, value_name = "PROBABILITY", default_value_t = Sampling::default().confidence)]
    confidence: f64,
    /// Draw the same worlds every time
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
}

pub fn run(arguments: &Arguments, terminal: &Terminal) -> Result<Ending> {
    let (job, base_dir) = read_job(&arguments.job, &arguments.set)?;
    let sampling = (arguments.draws > 0).then_some(Sampling {
        draws: arguments.draws,
        confidence: arguments.confidence,
        seed: arguments.seed,
    });
    sampling.iter().try_for_each(Sampling::check)?;
    let budget = Budget { states: arguments.states, ..Effort::default().budget };
    let effort = Effort { budget, sampling, most_rejected: arguments.conditions as usize };
    let progress = |stage| {
        terminal.stage(stage);
        Ok(())
    };
    let begun = Instant::now();
    let attacked = pellucid_io::publish::attack(&job, &base_dir, &effort, &progress);
    match attacked.map_err(|error| named_after_job(error, &arguments.job))? {
        Attacked::Nothing(nothing) => {
            if terminal.wants_json() {
                terminal.json(&nothing_json(&nothing))?;
            } else {
                terminal.text("The job releases nothing, so there is no release to attack.\n")?;
            }
            Ok(Ending::NothingDisclosed)
        }
        Attacked::Release(found) => {
            let seconds = begun.elapsed().as_secs_f64();
            if terminal.wants_json() {
                let mut told = json!(found);
                told["seconds"] = json!(seconds);
                terminal.json(&told)?;
            } else {
                terminal.text(&text(&found, seconds))?;
            }
            Ok(Ending::Done)
        }
    }
}

fn text(found: &Findings, seconds: f64) -> String {
    let account = &found.account;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "Attack on `{}`, about `{}`: {} in the release.",
        found.publisher,
        account.column,
        counted(account.people, "person", "people")
    );
    let _ = writeln!(text, "Whoever knows the mechanism learns: {}.", found.evidence);
    if !found.proven {
        let _ = writeln!(
            text,
            "  {} rejected; counted exactly for {}, within bounds for {}, estimated for {}, not counted for {}.",
            counted(found.rejected, "partition was", "partitions were"),
            counted(account.counted, "person", "people"),
            account.bounded,
            account.estimated,
            account.refused
        );
        if account.partly > 0 {
            let _ = writeln!(
                text,
                "  For {} some of the evidence was left aside.",
                counted(account.partly, "person", "people")
            );
        }
    }
    let bound = account.bound.as_deref().unwrap_or("the bound");
    let _ = writeln!(text, "{:<44} {:>16} {:>16}", "", "ignoring it", "knowing it");
    let mut line = |what: &str, pick: fn(&Beliefs) -> Span| {
        let _ = writeln!(text, "{what:<44} {:>16} {:>16}", span(pick(&account.blind)), span(pick(&account.knowing)));
    };
    if account.bound.is_some() {
        line(&format!("people with a belief above {bound}"), |beliefs| beliefs.above);
    }
    line("people for whom the principles do not hold", |beliefs| beliefs.failing);
    line("people of whom everything is known", |beliefs| beliefs.certain);
    let _ =
        writeln!(text, "{:<44} {:>16.4} {:>16.4}", "highest belief", account.blind.highest, account.knowing.highest);
    for bar in 0..BARS {
        let of = format!("  highest belief from {:.1} to {:.1}", bar as f64 / 10.0, (bar + 1) as f64 / 10.0);
        let (blind, knowing) = (account.blind.histogram[bar], account.knowing.histogram[bar]);
        let _ = writeln!(text, "{of:<44} {blind:>16} {knowing:>16}");
    }
    let _ = writeln!(text, "Largest gain that was counted: {:.4}.", account.largest_gain);
    if let Some(confidence) = account.confidence {
        let _ = writeln!(text, "All intervals of estimates hold together with probability {confidence}.");
    }
    let _ = writeln!(text, "Worst rows of the table (ignoring -> knowing):");
    for worst in &account.worst {
        let mark = if worst.exact { "" } else { " or more, not exact" };
        let _ = writeln!(text, "  row {}: {:.4} -> {:.4}{mark}", worst.row, worst.blind, worst.knowing);
    }
    let _ = writeln!(text, "{seconds:.1} s with reading the table.");
    text
}

fn span(span: Span) -> String {
    if span.is_exact() { span.low.to_string() } else { format!("{} to {}", span.low, span.high) }
}
