//! `pellucid search`: the most specific, or the best, levels of the quasi columns whose classes pass.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use pellucid_model::error::Result;
use pellucid_model::words::{counted, wrapped};
use pellucid_publish::publisher::{SearchAccount, Told};
use serde_json::json;

use crate::Ending;
use crate::publish::{named_after_job, read_search_job};
use crate::terminal::Terminal;

/// Find the most specific levels of the hierarchies that keep what must stay confidential; writes nothing
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  pellucid search job.toml\n  pellucid search job.toml --json\n  \
                        pellucid search job.toml --set method.measure=discernibility --set privacy.suppression=0.05\n  \
                        pellucid search job.toml --set method.search=genetic")]
pub struct Arguments {
    /// The job file (TOML), as for `publish`; relative paths in it are relative to it
    job: PathBuf,
    /// Set a key of the job, e.g. privacy.k=10 or method.measure=loss
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

/// Lines of maximally specific granulations that are printed; JSON has them all.
const MOST_LINES: usize = 20;

pub fn run(arguments: &Arguments, terminal: &Terminal) -> Result<Ending> {
    let (job, base_dir) = read_search_job(&arguments.job, &arguments.set)?;
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
    Ok(if account.best.is_some() { Ending::Done } else { Ending::NothingDisclosed })
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

fn line(told: &Told) -> String {
    let classes = counted(told.classes, "class", "classes");
    let suppressed = match told.suppressed {
        0 => String::new(),
        many => format!(", {} left out", counted(many, "row", "rows")),
    };
    format!("{} ({classes}{suppressed})", told.words())
}

fn score(told: &Told) -> String {
    told.score.map_or_else(String::new, |score| format!(", {}", number(score)))
}

/// A score with six decimals, fewer when they are zero.
fn number(score: f64) -> String {
    let text = format!("{score:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What was looked at.
pub fn effort(account: &SearchAccount) -> String {
    let pruned = if account.monotone {
        "what lies above a passing one passes"
    } else {
        "no one tells about another, with these principles and what may be left out"
    };
    format!(
        "Search `{}`: {}, {} checked; {pruned}.\n  Stored class tables took at most {:.1} MB.\n",
        account.search,
        counted(&account.nodes, "granulation", "granulations"),
        account.checked,
        account.bytes as f64 / 1e6
    )
}

/// What somebody who knows the search learns.
pub fn leak(account: &SearchAccount) -> String {
    if account.transparent {
        return "The principles look at the sizes of classes alone, so the levels follow from quasi-identifiers: knowing the \
                search tells nothing about sensitive values. The principles bound none of them either."
            .to_owned();
    }
    let learns = match &account.best {
        Some(best) if account.most_specific && best.more_specific == "1" => {
            "Not transparent: whoever knows that this was searched for learns that the one more specific granulation fails \
             for this table"
                .to_owned()
        }
        Some(best) if account.most_specific && best.more_specific != "0" => format!(
            "Not transparent: whoever knows that this was searched for learns that each of the {} more specific granulations \
             fails for this table, and so does every other that is better in `{}`",
            best.more_specific, account.measure
        ),
        _ if !account.exact => "Not transparent: whoever knows the search learns that everything better that it looked at \
                                fails for this table"
            .to_owned(),
        _ => "Not transparent: whoever knows that this was searched for learns that everything better fails for this table"
            .to_owned(),
    };
    let instead = match account.transparent_publishers.as_slice() {
        [] => "No publisher takes these principles and promises more.".to_owned(),
        several => {
            let words = several.iter().map(|id| match *id {
                "sequence" => {
                    "\"sequence\" with strategy \"exclusive\" and sequence = \"chain\", or \"lattice\" where it can be counted, \
                     over the same hierarchies"
                        .to_owned()
                }
                id => format!("\"{id}\""),
            });
            format!("These publishers promise more: {}.", words.collect::<Vec<_>>().join("; "))
        }
    };
    let missing = account.best.as_ref().map_or(0, |best| best.suppressed);
    let missing = if missing > 0 {
        format!(
            " Rows are left out just when their class fails: whoever knows who is in the table sees that {} missing, and \
             learns that of them.",
            if missing == 1 { "1 person is".to_owned() } else { format!("{missing} people are") }
        )
    } else {
        String::new()
    };
    format!(
        "{learns}, can rule out the originals for which one passes, and may then believe more of a person than the principle \
         allows. {instead}{missing}"
    )
}

/// Why nothing is found.
pub fn nothing(account: &SearchAccount) -> String {
    let may = if account.may_leave_out > 0 {
        format!(", leaving out at most {} of {}", account.may_leave_out, counted(account.rows, "row", "rows"))
    } else {
        String::new()
    };
    let remedy = if account.whole_fails {
        "Not even the whole table as one class passes: relax a parameter, or check that what is asked for can hold at all."
    } else {
        "Relax a parameter, allow `suppression`, or give the columns hierarchies with coarser levels."
    };
    let none = match (account.nodes.as_str(), account.exact) {
        ("1", _) => "not even the only granulation".to_owned(),
        (nodes, true) => format!("none of the {nodes} granulations"),
        (nodes, false) => format!("none that was looked at of the {nodes} granulations"),
    };
    format!(
        "Nothing can be disclosed: {none} passes{may}.\nWhat was asked: {}.\n{remedy}\n",
        account.principles.join("; ")
    )
}
