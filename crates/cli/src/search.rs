//! `pellucid search`: the most specific, or the best, levels of the quasi columns whose classes pass.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use pellucid_app::host::search::{effort, leak, nothing};
use pellucid_model::error::Result;
use pellucid_model::words::{counted, wrapped};
use pellucid_publish::publisher::{FoundGranulation, SearchAccount};
use serde_json::json;

use crate::CommandEnding;
use crate::publish::{named_after_job, read_search_job};
use crate::terminal::UserTerminal;

/// Find the most specific levels of the hierarchies that keep what must stay confidential; writes nothing
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  pellucid search job.toml\n  pellucid search job.toml --json\n  \
                        pellucid search job.toml --set method.measure=discernibility --set privacy.suppression=0.05\n  \
                        pellucid search job.toml --set method.search=genetic\n\n\
                        Exit status: 0 levels were found; 2 bad usage or input; 3 no levels keep what is demanded.")]
pub struct SearchArguments {
    /// The job file (TOML), as for `publish`; relative paths in it are relative to it
    job: PathBuf,
    /// Set a key of the job, e.g. privacy.k=10 or method.measure=loss
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

/// Lines of maximally specific granulations that are printed; JSON has them all.
const MOST_LINES: usize = 20;

pub fn run(arguments: &SearchArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    let (job, base_dir) = read_search_job(&arguments.job, &arguments.set, terminal)?;
    let progress = |stage| {
        terminal.stage(stage);
        Ok(())
    };
    let begun = Instant::now();
    let account = pellucid_io::publish::search(&job, &base_dir, &progress);
    let account = account.map_err(|error| named_after_job(error, &arguments.job))?;
    if terminal.wants_json() {
        let mut told = json!(account);
        told["seconds"] = json!(begun.elapsed().as_secs_f64());
        told["not_transparent"] = json!((!account.transparent).then(|| leak(&account)));
        terminal.json(&told)?;
    } else {
        terminal.text(&text(&account, begun.elapsed().as_secs_f64()))?;
    }
    Ok(if account.best.is_some() { CommandEnding::Done } else { CommandEnding::NothingDisclosed })
}

fn text(account: &SearchAccount, seconds: f64) -> String {
    let Some(best) = &account.best else { return nothing(account) };
    let mut text = String::new();
    let of = if account.exact { "Best" } else { "Best that was found (a genetic search may miss a better one)" };
    let _ = writeln!(text, "{of} in `{}`{}:", account.measure, score(best));
    let _ = writeln!(text, "  {}", line(best));
    if let Some(minimal) = &account.minimal {
        let _ = writeln!(text, "Maximally specific: {}", minimal.len());
        for told in minimal.iter().take(MOST_LINES) {
            let _ = writeln!(text, "  {}{}", line(told), score(told));
        }
        if minimal.len() > MOST_LINES {
            let _ = writeln!(text, "  and {} more; --json lists them all", minimal.len() - MOST_LINES);
        }
    }
    text += &effort(account);
    if seconds >= 0.1 {
        let _ = writeln!(text, "  {seconds:.1} s with reading the table.");
    }
    let _ = writeln!(text, "What an adversary learns:\n{}", wrapped(&leak(account)));
    text
}

fn line(told: &FoundGranulation) -> String {
    let classes = counted(told.classes, "class", "classes");
    let suppressed = match told.suppressed {
        0 => String::new(),
        many => format!(", {} left out", counted(many, "row", "rows")),
    };
    format!("{} ({classes}{suppressed})", told.label())
}

fn score(told: &FoundGranulation) -> String {
    told.score.map_or_else(String::new, |score| format!(", {}", number(score)))
}

/// A score with six decimals, fewer when they are zero.
fn number(score: f64) -> String {
    let text = format!("{score:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
