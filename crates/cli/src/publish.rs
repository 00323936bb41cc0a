//! `pellucid publish`: from a job file to a release.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::Args;
use pellucid_app::ReleaseOutput;
use pellucid_app::host::{search, walk as account};
use pellucid_io::publish::{PublishOptions, PublishOutcome, REPORT, WrittenRelease, publish};
use pellucid_io::{reading_words, summary};
use pellucid_model::error::{Error, Result};
use pellucid_model::exact::decimal;
use pellucid_model::exact::{Fraction, format_fraction};
use pellucid_model::principle::AchievedLevel;
use pellucid_model::promise::PromiseClass;
use pellucid_model::randomness::RandomSource;
use pellucid_model::table::Role;
use pellucid_model::words::{are, counted, shell_word, wrapped};
use pellucid_publish::job::Job;
use pellucid_publish::publisher::{IneligibleTable, NoRelease};
use pellucid_publish::release::Release;
use serde::Serialize;
use serde_json::{Value, json};

use crate::CommandEnding;
use crate::numbers::whole;
use crate::terminal::UserTerminal;
use crate::view::{RecordingOptions, ReleaseKeeper};

/// Publish a table as a job file says
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  pellucid publish job.toml\n  pellucid publish job.toml --set privacy.l=4\n  \
                        pellucid publish job.toml --dry-run --json\n  pellucid publish job.toml --explain\n  \
                        pellucid publish job.toml --ledger ledger.sqlite\n\n\
                        Exit status: 0 released; 2 bad usage or input; 3 no release is possible; 4 the ledger refused it.")]
pub struct PublishArguments {
    /// The job file (TOML); relative paths in it are relative to it
    job: PathBuf,
    /// Set a key of the job, e.g. privacy.l=4 or method.publisher=tailor
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The public folder, instead of the job's output.dir; the private one lies beside it
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Do everything but write
    #[arg(long)]
    dry_run: bool,
    /// Replace an earlier release in the same place
    #[arg(long)]
    overwrite: bool,
    /// Make random choices from a seed, for experiments; whoever knows the seed can undo the release, which is marked as
    /// not for publication
    #[arg(long, value_name = "SEED", value_parser = whole::<u64>(..))]
    insecure_seed: Option<u64>,
    /// Of a sequence, show every function: its sets of worlds, their highest ratios and the way along them; depends on
    /// sensitive values, for your eyes only
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    recording: RecordingOptions,
}

pub fn run(arguments: &PublishArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    let (job, base_dir) = read_job(&arguments.job, &arguments.set, terminal)?;
    let keeper = arguments.recording.keeper(&job, &base_dir, arguments.dry_run, terminal);
    let keeper = keeper.map_err(|error| named_after_job(error, &arguments.job))?;
    let call = PublishCall {
        out: arguments.out.as_deref(),
        dry_run: arguments.dry_run,
        overwrite: arguments.overwrite,
        randomness: arguments.insecure_seed.map_or(RandomSource::System, RandomSource::InsecureSeed),
        explain: arguments.explain,
        keeper: keeper.as_ref(),
    };
    let published = publish_job(&job, &base_dir, &call, terminal);
    let published = published.map_err(|error| named_after_job(error, &arguments.job))?;
    report(&published, &call, terminal)
}

/// How a job is to be run.
pub struct PublishCall<'a> {
    pub out: Option<&'a Path>,
    pub dry_run: bool,
    pub overwrite: bool,
    pub randomness: RandomSource<'static>,
    pub explain: bool,
    pub keeper: Option<&'a ReleaseKeeper<'a>>,
}

/// Runs the job and shows its progress.
pub fn publish_job(
    job: &Job,
    base_dir: &Path,
    call: &PublishCall<'_>,
    terminal: &UserTerminal,
) -> Result<PublishOutcome> {
    // The one place where the time is taken; published files carry it instead of the time they were finished.
    #[expect(clippy::disallowed_methods, reason = "the start of the run does not depend on the table")]
    let started = SystemTime::now();
    let options = PublishOptions {
        base_dir,
        out: call.out,
        overwrite: call.overwrite,
        dry_run: call.dry_run,
        randomness: call.randomness,
        explain: call.explain,
        started,
        progress: &|stage| {
            terminal.stage(stage);
            Ok(())
        },
        command: &command_line(),
        note: &|words| terminal.note(words),
        earlier_result: call.keeper.and_then(|keeper| keeper.earlier_result),
        inspect: &|finished| call.keeper.map_or(Ok(true), |keeper| keeper.inspect(finished)),
    };
    publish(job, &options)
}

/// The command as it was given, in words that a shell takes, without passwords.
pub fn command_line() -> String {
    std::env::args()
        .skip(1)
        .fold("pellucid".to_owned(), |line, word| line + " " + &shell_word(&without_password(&word)))
}

/// `word` without the user and the password of an address.
fn without_password(word: &str) -> String {
    let address = word.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.rsplit_once('@')?.1)));
    address.map_or_else(|| word.to_owned(), |(scheme, rest)| format!("{scheme}://{rest}"))
}

/// Reads a job file and warns of keys in it that are deprecated; gives also the folder that its paths are relative to.
pub fn read_job(path: &Path, set: &[String], terminal: &UserTerminal) -> Result<(Job, PathBuf)> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(path.display(), error))?;
    let overrides = set.iter().map(|pair| match pair.split_once('=') {
        Some((key, value)) => Ok((key.trim().to_owned(), value.trim().to_owned())),
        None => Err(Error::invalid(format!("--set {pair}: write it as KEY=VALUE, e.g. privacy.l=4"))),
    });
    let overrides: Vec<(String, String)> = overrides.collect::<Result<_>>()?;
    let read = Job::read_with_warnings(&text, &overrides);
    let (job, warnings) = read.map_err(|error| named_after_job(error, path))?;
    warnings.iter().for_each(|warning| terminal.warn(&format!("{}: {warning}", path.display())));
    Ok((job, path.parent().unwrap_or(Path::new("")).to_owned()))
}

/// Reads a job file for a search: one that names no publisher is taken to mean publisher `search`.
pub fn read_search_job(path: &Path, set: &[String], terminal: &UserTerminal) -> Result<(Job, PathBuf)> {
    let names_publisher = std::fs::read_to_string(path)
        .ok()
        .and_then(|text| text.parse::<toml::Table>().ok())
        .is_some_and(|job| job.get("method").is_some_and(|method| method.get("publisher").is_some()));
    let mut set = set.to_vec();
    if !names_publisher && !set.iter().any(|pair| pair.trim_start().starts_with("method.publisher")) {
        set.push("method.publisher=search".to_owned());
    }
    read_job(path, &set, terminal)
}

/// Errors about the job name its file; errors about other files name those.
pub fn named_after_job(error: Error, job: &Path) -> Error {
    match error.kind() {
        pellucid_model::error::ErrorKind::InvalidParameter => error.context(job.display()),
        _ => error,
    }
}

/// Prints what was done.
pub fn report(published: &PublishOutcome, call: &PublishCall<'_>, terminal: &UserTerminal) -> Result<CommandEnding> {
    match published {
        PublishOutcome::Release(done) => {
            if terminal.wants_json() {
                terminal.json(&release_json(done, call))?;
            } else {
                let recorded = call.keeper.map_or_else(String::new, ReleaseKeeper::text);
                terminal.text(&(release_text(done, call) + &recorded))?;
            }
            Ok(CommandEnding::Done)
        }
        PublishOutcome::Refused => {
            if terminal.wants_json() {
                terminal.json(&json!({ "status": "refused", "ledger": call.keeper.map(ReleaseKeeper::json) }))?;
            } else {
                let recorded = call.keeper.map_or_else(String::new, ReleaseKeeper::text);
                let remedy = call.keeper.map_or("", ReleaseKeeper::remedy);
                terminal.text(&format!("{recorded}Refused: nothing was published. {remedy}\n"))?;
            }
            Ok(CommandEnding::NotPassed)
        }
        PublishOutcome::Nothing(nothing) => {
            if terminal.wants_json() {
                terminal.json(&json!(nothing))?;
            } else {
                terminal.text(&nothing_text(nothing, call.explain))?;
            }
            Ok(CommandEnding::NothingDisclosed)
        }
    }
}

/// What `publish` says to programs of a release.
#[derive(Serialize)]
struct ReleaseDocument<'a> {
    status: &'static str,
    public: &'a Path,
    private: &'a Path,
    #[serde(flatten)]
    release: &'a ReleaseOutput,
    ledger: Option<Value>,
}

fn release_json(done: &WrittenRelease, call: &PublishCall<'_>) -> Value {
    let WrittenRelease { output, public, private } = done;
    let status = if call.dry_run { "dry-run" } else { "released" };
    json!(ReleaseDocument { status, public, private, release: output, ledger: call.keeper.map(ReleaseKeeper::json) })
}

fn release_text(done: &WrittenRelease, call: &PublishCall<'_>) -> String {
    let release = done.output.release();
    let manifest = &release.manifest;
    let mut text = groups_text(release);
    text += &summary(manifest);
    let owners = release.costs.utility.iter().filter(|(metric, _)| !manifest.utility.contains_key(*metric));
    let owners = owners.map(|(metric, reading)| format!("  {metric}, for you only: {}\n", reading_words(reading)));
    let last = text.rfind("Ties: ").unwrap_or(text.len());
    text.insert_str(last, &owners.collect::<String>());
    let _ = writeln!(text, "What attackers learn:");
    let people = manifest.rows + manifest.left_out;
    let quasi = manifest.columns.iter().filter(|column| column.role == Role::Quasi);
    let quasi: Vec<&str> = quasi.map(|column| column.name.as_str()).collect();
    let _ = writeln!(
        text,
        "  Before: {} of {} {} unique in {}; anyone who knows these finds their row.",
        done.output.unique_rows(),
        counted(people, "person", "people"),
        are(done.output.unique_rows()),
        listed(&quasi)
    );
    if let Some(account) = &release.account {
        let disclosed = manifest.mechanism.sequence.as_ref().map(|sequence| account.step(sequence.released));
        let counted = disclosed.and_then(|step| step.disclosure.as_ref()?.known().ok());
        if let Some(counted) = counted
            && let Some(highest) = &counted.highest.exactly
        {
            let value = account.kept;
            let _ = writeln!(
                text,
                "  After: no {value} is believed with a probability above {} (counted exactly) by {}.",
                part(highest),
                PromiseClass::RandomWorlds.attacker()
            );
        }
    } else {
        let _ = writeln!(text, "{}", wrapped(&format!("After: {}", learned(release))));
    }
    if manifest.classes == 1 {
        let _ = writeln!(
            text,
            "  All rows are in one equivalence class, so the quasi-identifiers tell nothing any more: relax the parameter, or\n  \
             protect only the harmful values."
        );
    }
    if let Some(search) = &release.search {
        text.push_str(&wrapped(&search::leak(search)));
        text.push('\n');
        text += &search::effort(search);
    }
    if let Some(account) = &release.account {
        text += &account::short(account);
        if call.explain {
            text += &account::explained(account);
        }
    } else if call.explain {
        let _ = writeln!(text, "There is nothing more to explain: --explain tells of a walk along a sequence.");
    }
    if call.dry_run {
        let _ = writeln!(text, "Dry run: nothing was written.");
    } else {
        let _ = writeln!(text, "Release: {}", done.public.display());
        let _ = writeln!(text, "Private: {} (keep it to yourself)", done.private.display());
        let _ =
            writeln!(text, "Report:  {}, and one for you in the private folder", done.public.join(REPORT).display());
    }
    text
}

/// The first line: what the groups themselves show.
fn groups_text(release: &Release) -> String {
    let Some(highest) = &release.shown_share else { return String::new() };
    let people = counted(release.single_value, "person is", "people are");
    let disclosed = if release.single_value == 0 { "" } else { ", which is thereby disclosed" };
    let hint = if release.bound.is_none() {
        "\nNo principle of the job caps shares; `frequency-l-diversity` in a second section does (write [[privacy]] above both)."
    } else {
        ""
    };
    format!(
        "{people} in a group with a single value{disclosed}. Highest share of one value in a group: {}.{hint}\n",
        part(highest)
    )
}

/// What attackers learn from a release, by its promise.
fn learned(release: &Release) -> String {
    let mechanism = &release.manifest.mechanism;
    let promise = mechanism.promise.unwrap_or(PromiseClass::None);
    let shown = "no more than what the groups show";
    let keeps = release.manifest.columns.iter().any(|column| column.role == Role::Keep);
    let else_known = if keeps { "whatever they know but kept columns" } else { "whatever else they know" };
    let some = release.manifest.columns.iter().any(|column| column.protect.is_some());
    let value = if some { "protected value" } else { "value" };
    match (promise, &release.bound) {
        (PromiseClass::RandomWorlds, Some(bound)) => {
            format!("no {value} is believed with more than {} (proved) by {}.", part(bound), promise.attacker())
        }
        (PromiseClass::RandomWorlds, None) => {
            format!("no more is believed than the principles allow (proved) by {}.", promise.attacker())
        }
        (PromiseClass::CoarseningAtRandom, _) => {
            format!("an attacker who knows the algorithm learns {shown}, {else_known} (proved).")
        }
        (PromiseClass::None, _) => {
            format!(
                "an attacker who does not know the algorithm learns {shown}; one who does may be certain of more people."
            )
        }
    }
}

/// `age, zip and sex`.
fn listed(names: &[&str]) -> String {
    match names {
        [] => "nothing".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// `1/3 (33.3 %)`, or the percentage alone where the fraction has many digits.
fn part(share: &Fraction) -> String {
    let (exact, percent) = (format_fraction(share), decimal(share) * 100.0);
    if exact.len() <= LONG { format!("{exact} ({percent:.1} %)") } else { format!("{percent:.1} %") }
}

/// Characters of a fraction that is worth printing.
const LONG: usize = 24;

/// The same in words.
pub fn nothing_text(nothing: &NoRelease, explain: bool) -> String {
    let IneligibleTable { column, principle, eligible } = match nothing {
        NoRelease::Ineligible(ineligible) => ineligible,
        NoRelease::Exhausted(account) if explain => return account::nothing(account) + &account::explained(account),
        NoRelease::Exhausted(account) => return account::nothing(account),
        NoRelease::NoGranulation(account) => return search::nothing(account),
        NoRelease::Withheld(why) => return format!("Nothing can be disclosed: {why}.\n"),
    };
    let fractional = eligible.value().filter(|value| format_fraction(value).contains('/'));
    let about = fractional.map_or_else(String::new, |value| format!(" (about {:.2})", decimal(&value)));
    let on = column.as_ref().map_or_else(String::new, |column| format!(" on column `{column}`"));
    let protect = if column.is_some() { ", protect only the\nvalues that are harmful" } else { "" };
    if *eligible == AchievedLevel::Never {
        return format!(
            "Nothing can be disclosed: not even the whole table as one group meets the principle{on}\n\
             ({principle}), and no parameter would help; choose another principle, or leave out what all rows have in common.\n"
        );
    }
    format!(
        "Nothing can be disclosed: not even the whole table as one group meets the principle{on}\n\
         ({principle}). The whole table just meets it at {eligible}{about}; relax the parameter to that{protect}, or choose another principle.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_split_them() {
        assert_eq!(shell_word("--l"), "--l");
        assert_eq!(shell_word("publisher=mask k=3"), "'publisher=mask k=3'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
    }

    #[test]
    fn passwords_are_not_kept() {
        assert_eq!(without_password("--ledger=postgres://me:p@ss@host/db"), "--ledger=postgres://host/db");
        assert_eq!(without_password("ledger.sqlite"), "ledger.sqlite");
    }
}
