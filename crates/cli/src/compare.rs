//! `pellucid compare`: what several publishers make of the same table, side by side.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use pellucid_core::error::{Error, Result};
use pellucid_core::exact::format_fraction;
use pellucid_core::job::{Job, Method, Stage};
use pellucid_core::registry::PUBLISHER;
use pellucid_core::release::decimal;
use pellucid_core::utility::NUMBER_IDS;
use pellucid_io::compare::{Compared, Ended, Released, compare};
use serde_json::{Value, json};

use crate::Ending;
use crate::publish::{named_after_job, nothing_json, nothing_text, read_job};
use crate::search::wrapped;
use crate::terminal::Terminal;

/// Run a job with several publishers and show what each makes of the table; writes nothing
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  pellucid compare job.toml\n  pellucid compare job.toml --json\n  \
                        pellucid compare job.toml --with publisher=tailor --with 'publisher=mask k=3'\n  \
                        pellucid compare job.toml --with 'strategy=safe jumps=' --with 'strategy=k-jump jumps=[1, 2, 1]'\n\n\
                        Exit status: 0 some publisher releases something; 2 bad usage or input, or none takes the job; 3 all \
                        answer nothing.")]
pub struct Arguments {
    /// The job file (TOML), as for `publish`; relative paths in it are relative to it
    job: PathBuf,
    /// Set a key of the job, e.g. privacy.l=5
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// A publisher to compare, with keys of the section `method`, e.g. 'publisher=mask k=3'; may be given several times. The job's own
    /// publisher keeps the keys of the job, but for those given here; KEY= takes one away. Every publisher when left out
    #[arg(long = "with", value_name = "KEY=VALUE ...")]
    with: Vec<String>,
}

/// What the table does not say.
const NOTE: &str = "Choosing by this table is itself a mechanism: its release tells that the others looked worse here, and that can \
                    give people away even where each publisher is safe. Keep to one that you chose beforehand, or see \
                    docs/attacks.md for what the choice tells.";

pub fn run(arguments: &Arguments, terminal: &Terminal) -> Result<Ending> {
    let (job, base_dir) = read_job(&arguments.job, &arguments.set)?;
    let (names, methods): (Vec<String>, Vec<Method>) = methods(&job, &arguments.with)?.into_iter().unzip();
    let (all, at) = (methods.clone(), Cell::new(0));
    let progress = |method: Option<&Method>, stage: Stage| {
        match method {
            None => terminal.stage(stage),
            Some(method) => {
                // Methods that do not take the job are not told of.
                let further = all.iter().skip(at.get()).position(|other| other == method);
                at.set(at.get() + further.unwrap_or(0));
                terminal.steps(at.get(), all.len(), &format!("{}: {}", method.publisher, stage.words()));
            }
        }
        Ok(())
    };
    let compared = compare(&job, methods, &base_dir, &progress);
    let compared = compared.map_err(|error| named_after_job(error, &arguments.job))?;
    let refusals = compared.iter().filter_map(|one| match &one.ended {
        Ended::Refused(why) => Some(why),
        _ => None,
    });
    let refusals: Vec<&String> = refusals.collect();
    if refusals.len() == compared.len() && refusals.iter().all(|why| *why == refusals[0]) {
        return Err(named_after_job(Error::invalid(refusals[0]), &arguments.job));
    }
    if terminal.wants_json() {
        let all: Vec<Value> = compared.iter().map(one_json).collect();
        terminal.json(&json!({ "compared": all, "note": NOTE }))?;
    } else {
        terminal.text(&text(&names, &compared))?;
    }
    if refusals.len() == compared.len() {
        let why = "no publisher takes this job; change what stands in the way, or name others with --with";
        return Err(named_after_job(Error::invalid(why), &arguments.job));
    }
    let released = compared.iter().any(|one| matches!(one.ended, Ended::Released(_)));
    Ok(if released { Ending::Done } else { Ending::NothingDisclosed })
}

/// The methods that `with` writes, or one with every publisher, each with what it is called.
fn methods(job: &Job, with: &[String]) -> Result<Vec<(String, Method)>> {
    if with.is_empty() {
        let own = &job.method;
        let named = |method: Method| {
            let is_own = method.publisher == own.publisher && !own.parameters.is_empty();
            let name = if is_own { format!("{} (as in the job)", method.publisher) } else { method.publisher.clone() };
            (name, method)
        };
        return Ok(job.every_method()?.into_iter().map(named).collect());
    }
    let method = |text: &String| {
        let keys = split(text).into_iter().map(|pair| match pair.split_once('=') {
            Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
            _ => Err(Error::invalid("write it as KEY=VALUE, several parted by blanks, e.g. 'publisher=mask k=3'")),
        });
        let keys = keys.collect::<Result<Vec<_>>>()?;
        let method = job.other_method(&keys)?;
        Ok((name(&method, &keys), method))
    };
    with.iter().map(|text| method(text).map_err(|error: Error| error.context(format!("--with '{text}'")))).collect()
}

/// A publisher and the keys that were written for it, cut where they are long.
fn name(method: &Method, keys: &[(String, String)]) -> String {
    /// Characters of keys that are shown.
    const MOST: usize = 36;
    let others = keys.iter().filter(|(key, _)| key != PUBLISHER);
    let given = others.map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ");
    let shown: String = given.chars().take(MOST).collect();
    let more = if shown.len() < given.len() { ".." } else { "" };
    format!("{} {shown}{more}", method.publisher).trim_end().to_owned()
}

/// The parts of `text` between blanks that stand in no quotes and no brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quote) = (Vec::new(), 0, 0_usize, None);
    for (at, mark) in text.char_indices() {
        match (quote, mark) {
            (Some(open), _) => quote = Some(open).filter(|open| *open != mark),
            (None, '"' | '\'') => quote = Some(mark),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, _) if depth == 0 && mark.is_whitespace() => {
                parts.push(&text[start..at]);
                start = at + mark.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Whether the principles hold against somebody who knows how the release was made.
fn is_transparent(released: &Released) -> bool {
    released.manifest.not_transparent.is_none() && released.manifest.caveat.is_none()
}

fn parameters(method: &Method) -> Result<BTreeMap<String, String>> {
    Ok(method.args()?.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

fn one_json(one: &Compared) -> Value {
    let mut told = match &one.ended {
        Ended::Released(released) => json!({
            "status": "released",
            "rows": released.manifest.rows,
            "left_out": released.manifest.left_out,
            "classes": released.manifest.classes,
            "utility": released.manifest.utility,
            "measured": released.manifest.measured,
            "highest_share": released.highest_share.as_ref().map(format_fraction),
            "transparent": is_transparent(released),
            "not_transparent": released.manifest.not_transparent,
            "caveat": released.manifest.caveat,
        }),
        Ended::Nothing(nothing) => nothing_json(nothing),
        Ended::Refused(why) => json!({ "status": "refused", "why": why }),
    };
    told["publisher"] = json!(one.method.publisher);
    told["function"] = json!(one.method.function);
    told["parameters"] = json!(parameters(&one.method).unwrap_or_default());
    told["seconds"] = json!(one.seconds);
    told
}

fn text(names: &[String], compared: &[Compared]) -> String {
    let mut lines: Vec<Vec<String>> = header();
    let (mut refused, mut nothing, mut marked) = (String::new(), String::new(), String::new());
    for (name, one) in names.iter().zip(compared) {
        match &one.ended {
            Ended::Released(released) => {
                if let Some(caveat) = &released.manifest.caveat {
                    let _ = writeln!(marked, "{}", wrapped(&format!("{name}: {caveat}.")));
                }
                lines.push(line(name.clone(), released, one.seconds));
            }
            Ended::Nothing(why) => {
                let why = nothing_text(why, false);
                let why = why.strip_prefix("Nothing can be disclosed: ").unwrap_or(&why);
                let _ = writeln!(nothing, "{}", wrapped(&format!("{name}: {why}")));
            }
            Ended::Refused(why) => {
                let _ = writeln!(refused, "{}", wrapped(&format!("{name}: {why}.")));
            }
        }
    }
    let mut functions: Vec<&str> = compared.iter().map(|one| one.method.function.as_str()).collect();
    functions.sort_unstable();
    functions.dedup();
    let mut text = format!("Shown by function `{}`.\n", functions.join("` or `"));
    if lines.len() > header().len() {
        text.push_str(&columns(&lines));
    }
    for (words, list) in
        [("Not for publication:", marked), ("Nothing can be disclosed by:", nothing), ("Not taking this job:", refused)]
    {
        if !list.is_empty() {
            let _ = writeln!(text, "{words}\n{}", list.trim_end());
        }
    }
    let _ = writeln!(text, "{}", wrapped(NOTE).lines().map(str::trim_start).collect::<Vec<_>>().join("\n"));
    text
}

/// The words above the columns, a word a line, the last one lowest.
fn header() -> Vec<Vec<String>> {
    let metrics = NUMBER_IDS.iter().copied();
    let heads = ["publisher", "classes"].into_iter().chain(metrics).chain(["highest-share", "transparent", "seconds"]);
    let heads: Vec<Vec<&str>> = heads.map(|head| head.split('-').collect()).collect();
    let most = heads.iter().map(Vec::len).max().unwrap_or(0);
    let word = |head: &Vec<&str>, at: usize| {
        let word = (at + head.len()).checked_sub(most).and_then(|at| head.get(at).copied());
        word.unwrap_or_default().to_owned()
    };
    (0..most).map(|at| heads.iter().map(|head| word(head, at)).collect()).collect()
}

fn line(name: String, released: &Released, seconds: f64) -> Vec<String> {
    let Released { manifest, highest_share } = released;
    let figure = |id: &&str| match manifest.utility.get(*id).and_then(|reading| reading["decimal"].as_f64()) {
        Some(figure) if figure.abs() >= 1000.0 => format!("{figure:.0}"),
        Some(figure) => format!("{figure:.4}"),
        None => "-".to_owned(),
    };
    let share = highest_share.as_ref().map_or_else(|| "-".to_owned(), |share| format!("{:.4}", decimal(share)));
    let transparent = if is_transparent(released) { "yes" } else { "NO" };
    let figures = NUMBER_IDS.iter().map(figure);
    let rest = [share, transparent.to_owned(), format!("{seconds:.2}")];
    [name, manifest.classes.to_string()].into_iter().chain(figures).chain(rest).collect()
}

/// Lines in columns, the first to the left and the others to the right.
fn columns(lines: &[Vec<String>]) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for line in lines {
        let cells = line.iter().enumerate().map(|(column, cell)| match (column, width(column)) {
            (0, wide) => format!("{cell:<wide$}"),
            (_, wide) => format!("{cell:>wide$}"),
        });
        let _ = writeln!(text, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_part_keys_but_not_inside_of_values() {
        assert_eq!(split("publisher=mask  k=3 "), ["publisher=mask", "k=3"]);
        let nested = "publisher=sequence sequence=[{ age = 1 }, {}] measure='a b' x=\"c d\"";
        let parts = ["publisher=sequence", "sequence=[{ age = 1 }, {}]", "measure='a b'", "x=\"c d\""];
        assert_eq!(split(nested), parts);
        assert!(split("  ").is_empty());
    }

    #[test]
    fn heads_stand_on_the_lowest_line() {
        let header = header();
        assert_eq!(header.len(), 3);
        assert_eq!(header[2][..3], ["publisher", "classes", "perimeter"]);
        assert!(header[0].contains(&"normalized".to_owned()) && header[1].contains(&"certainty".to_owned()));
    }
}
