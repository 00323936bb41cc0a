//! `pellucid view add`: shows a view, or refuses to.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use pellucid_app::parts::{DecisionAuthor, GateDecision};
use pellucid_io::earlier::classes_in;
use pellucid_ledger::DecisionOutcome;
use pellucid_ledger::open_gate;
use pellucid_model::error::Result;
use pellucid_model::table::ReleasedColumn;
use pellucid_publish::job::GateKind;
use serde_json::{Value, json};

use super::{Asking, Common, Deciding, Overriding, PRECIOUS, finding_text, judging, new_ledger, tell_releases};
use crate::CommandEnding;
use crate::files::{OverwriteOption, words, write_private_csv};
use crate::terminal::UserTerminal;

/// Record a view as shown and print its values, unless it reveals too much
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  pellucid view add job.toml \"select condition from patients where age between 29 and 33\"\n  \
                        pellucid view add job.toml --show condition --where age=29..33 --out values.csv\n  \
                        pellucid view add job.toml \"select condition from patients\" --force --reason \"the board agreed\"\n\n\
                        Exit status: 0 shown, 4 refused, 2 bad usage or input."
)]
pub struct ViewAddArguments {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    asking: Asking,
    #[command(flatten)]
    deciding: Deciding,
    #[command(flatten)]
    overriding: Overriding,
    /// Record a release that lies in this folder, with its private folder beside it, instead of a view
    #[arg(long, value_name = "DIR", conflicts_with_all = ["sql", "show", "out"])]
    release: Option<PathBuf>,
    /// Write values and how many people have them to this file (CSV), instead of printing them
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    replacing: OverwriteOption,
}

pub fn run(arguments: &ViewAddArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    terminal.progress("reading");
    let (source, table, place, settings) = arguments.common.source(terminal)?;
    let out = arguments.out.as_deref();
    let precious = [arguments.common.job.as_path(), table.as_path(), Path::new(&place)];
    arguments.replacing.check(out.as_slice(), &precious, PRECIOUS)?;
    let by = arguments.deciding.name();
    let author = DecisionAuthor { by: &by, overrides: arguments.overriding.overrides() };
    let new;
    let decided: Vec<GateDecision> = if let Some(folder) = &arguments.release {
        let classes = classes_in(&source, &table, folder)?;
        let mut gate = open_gate(source, &place, settings)?;
        new = new_ledger(&gate, &place, false);
        tell_releases(&mut gate, terminal)?;
        terminal.progress(&judging(&settings));
        // What is public already need not be shown.
        let hidden = |decided: GateDecision| GateDecision { values: Vec::new(), ..decided };
        gate.add_columns(&classes, author)?.into_iter().map(hidden).collect()
    } else {
        let requests = arguments.asking.all(&source, &arguments.common.job)?;
        let mut gate = open_gate(source, &place, settings)?;
        new = new_ledger(&gate, &place, false);
        tell_releases(&mut gate, terminal)?;
        let (mut decided, many) = (Vec::with_capacity(requests.len()), requests.len());
        for (at, request) in requests.into_iter().enumerate() {
            terminal.steps(at, many, &judging(&settings));
            decided.push(gate.add(&request.showing(), author)?);
        }
        decided
    };
    told(&decided, out, &new, terminal)
}

/// Says what was decided, and shows values; `first` is said before.
///
/// When that fails, the error says what is recorded already.
pub fn told(
    decided: &[GateDecision],
    out: Option<&Path>,
    first: &str,
    terminal: &UserTerminal,
) -> Result<CommandEnding> {
    let recorded = decided.iter().any(|decided| decided.evidence.is_some());
    tell(decided, out, first, terminal).map_err(|error| {
        if recorded {
            error.context(
                "what was asked for is recorded as shown (see `pellucid view list`), but could not be shown; ask again",
            )
        } else {
            error
        }
    })
}

fn tell(decided: &[GateDecision], out: Option<&Path>, first: &str, terminal: &UserTerminal) -> Result<CommandEnding> {
    if let Some(path) = out.filter(|_| decided.iter().any(|decided| !decided.values.is_empty())) {
        write(path, decided)?;
    }
    let refused = decided.iter().any(|decided| decided.outcome == DecisionOutcome::Refused);
    if terminal.wants_json() {
        let all: Vec<Value> = decided.iter().map(|decided| decided_json(decided, out.is_some())).collect();
        terminal.json(&json!({ "status": if refused { "refused" } else { "shown" }, "decisions": all, "out": out,
            "new_ledger": !first.is_empty() }))?;
    } else {
        let mut text = first.to_owned();
        for decided in decided {
            text += &finding_text(&decided.finding);
            text += &decided_text(decided, out);
        }
        terminal.text(&text)?;
    }
    Ok(if refused { CommandEnding::NotPassed } else { CommandEnding::Done })
}

fn decided_json(decided: &GateDecision, written: bool) -> Value {
    let group = |values: &Vec<(String, u64)>| {
        values.iter().map(|(value, count)| json!({ "value": value, "count": count })).collect::<Vec<_>>()
    };
    let values = (!written && decided.outcome != DecisionOutcome::Refused)
        .then(|| decided.values.iter().map(group).collect::<Vec<_>>());
    json!({
        "outcome": decided.outcome,
        "decision": decided.decision,
        "evidence": decided.evidence,
        "finding": decided.finding.json(),
        "values": values,
    })
}

fn decided_text(decided: &GateDecision, out: Option<&Path>) -> String {
    let number = decided.decision;
    let mut text = match (decided.outcome, decided.evidence) {
        (DecisionOutcome::Released, Some(evidence)) => format!("Shown: evidence {evidence}, decision {number}.\n"),
        (DecisionOutcome::Forced, Some(evidence)) => {
            let how = if decided.finding.is_undecided() { "although undecided" } else { "by force" };
            format!("Shown {how}: evidence {evidence}, decision {number}, recorded with its reason.\n")
        }
        _ if decided.titles.is_empty() => {
            return format!(
                "Refused: decision {number}. If the release is out already, record it with --record-undecided or --force and --reason, \
                 so that later views are judged with it.\n"
            );
        }
        _ if decided.finding.is_undecided() => {
            return format!(
                "Refused: decision {number}, undecided. To show it on your own responsibility, add --record-undecided --reason TEXT.\n"
            );
        }
        _ if decided.finding.gate == GateKind::Simulatable => {
            return format!("Refused: decision {number}. Ask for people of whom more is public already.\n");
        }
        _ if decided.finding.after.as_ref().is_some_and(|after| after.certain.low > 0) => {
            return format!(
                "Refused: decision {number}. Ask for less; what would be certain cannot be hidden by showing more.\n"
            );
        }
        _ => {
            return format!(
                "Refused: decision {number}. Look for what to show in addition with `pellucid view restore`, or ask for less.\n"
            );
        }
    };
    if let Some(path) = out {
        let _ = writeln!(text, "Values: {}", path.display());
        return text;
    }
    for (at, values) in decided.values.iter().enumerate() {
        if decided.values.len() > 1 {
            let title = decided.titles.get(at).map_or("a class", String::as_str);
            let _ = writeln!(text, "{title}:");
        }
        let wide = values.iter().map(|(value, _)| value.chars().count()).max().unwrap_or(0);
        for (value, count) in values {
            let _ = writeln!(text, "  {:<wide$}  {count}", plain(value));
        }
    }
    text
}

/// The value with control characters made visible.
fn plain(value: &str) -> String {
    let shown = |char: char| if char.is_control() { char.escape_default().collect() } else { char.to_string() };
    value.chars().map(shown).collect()
}

fn write(path: &Path, decided: &[GateDecision]) -> Result<()> {
    let groups: Vec<&Vec<(String, u64)>> = decided.iter().flat_map(|decided| &decided.values).collect();
    let values = || groups.iter().flat_map(|group| group.iter());
    let mut columns = Vec::new();
    if groups.len() > 1 {
        let numbers = (1u32..).zip(&groups).flat_map(|(number, group)| group.iter().map(move |_| number));
        columns.push(("view".to_owned(), ReleasedColumn::Ordinal(numbers.collect())));
    }
    columns.push(("value".to_owned(), words(values().map(|(value, _)| value.as_str()))));
    let counts = values().map(|(_, count)| *count as u32).collect();
    columns.push(("count".to_owned(), ReleasedColumn::Ordinal(counts)));
    write_private_csv(path, columns)
}
