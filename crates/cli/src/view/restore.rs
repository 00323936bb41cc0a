//! `pellucid view restore`: what to show in addition so that privacy comes back.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use pellucid_app::host::verdict_json;
use pellucid_app::parts::{DecisionAuthor, GateShowing, RestorationReport, RestorationRequest, ViewRequest};
use pellucid_inference::budget::Budget;
use pellucid_inference::views::{RestorationLimits, RestorationResult};
use pellucid_ledger::open_gate;
use pellucid_ledger::peek_gate;
use pellucid_model::error::{Error, Result};
use pellucid_model::words::counted;
use pellucid_publish::job::GateKind;
use serde_json::{Value, json};

use super::text::verdict_text;
use super::{Asking, Common, Deciding, Overriding, PRECIOUS, add, new_ledger};
use crate::CommandEnding;
use crate::files::OverwriteOption;
use crate::numbers::whole;
use crate::terminal::UserTerminal;

/// Seconds of a search, unless the caller says so.
const SECONDS: f64 = 60.0;

/// Find what to show in addition so that belief keeps to the demand again
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  pellucid view restore job.toml --max-additional 2\n  \
                        pellucid view restore job.toml \"select condition from patients where age between 26 and 28\" \
                        --max-additional 2 --add\n\n\
                        Exit status: 0 private, or again with what was found; 4 nothing was found; 2 bad usage or input.")]
pub struct ViewRestoreArguments {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    asking: Asking,
    #[command(flatten)]
    deciding: Deciding,
    /// How many views may be shown in addition
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = whole::<u64>(1..))]
    max_additional: u64,
    /// On how many quasi columns an additional view may be narrower than the one it is a part of
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = whole::<u64>(1..))]
    attributes: u64,
    /// Record the view asked for and the additional ones as shown, all together, and print their values
    #[arg(long)]
    add: bool,
    /// With --add: write values and how many people have them to this file (CSV), instead of printing them
    #[arg(long, value_name = "FILE", requires = "add")]
    out: Option<PathBuf>,
    #[command(flatten)]
    overriding: Overriding,
    #[command(flatten)]
    replacing: OverwriteOption,
}

pub fn run(arguments: &ViewRestoreArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    terminal.progress("reading");
    let (source, table, place, mut settings) = arguments.common.source(terminal)?;
    // Seconds are those of the search.
    settings.budget.seconds = Budget::gate().seconds;
    let asked = arguments.asking.one(&source)?;
    let precious = [arguments.common.job.as_path(), table.as_path(), Path::new(&place)];
    arguments.replacing.check(arguments.out.as_deref().as_slice(), &precious, PRECIOUS)?;
    if arguments.add && source.job().gate() == GateKind::Simulatable {
        return Err(Error::invalid(
            "which views restore privacy depends on the values of the table, so that --add would tell something by its choice, \
             which the gate `simulatable` does not allow; look without --add",
        ));
    }
    let mut gate =
        if arguments.add { open_gate(source, &place, settings)? } else { peek_gate(source, &place, settings)? };
    let columns = match &asked {
        Some(request) => vec![request.column().to_owned()],
        None => gate.shown_columns()?,
    };
    let reach = RestorationLimits {
        most: arguments.max_additional as usize,
        seconds: arguments.common.seconds.unwrap_or(SECONDS),
    };
    let wanted = RestorationRequest { reach, attributes: arguments.attributes as usize };
    let mut sought = Vec::new();
    for column in &columns {
        terminal.progress("searching");
        let progress = |judged: u64| {
            terminal.progress(&format!("searching: {judged} sets of views judged"));
            Ok(())
        };
        sought.push(gate.restore(column, asked.as_ref(), &wanted, &progress)?);
    }
    let solved = sought.iter().all(is_solved);
    if arguments.add && solved {
        let by = arguments.deciding.name();
        let mut decided = Vec::new();
        for found in &sought {
            let more = found.found.iter().flat_map(|(requests, _)| requests);
            let together: Vec<ViewRequest> = asked.iter().chain(more).cloned().collect();
            if !together.is_empty() {
                decided.push(gate.add(
                    &GateShowing::of(&together)?.chosen_by_values(),
                    DecisionAuthor { by: &by, overrides: arguments.overriding.overrides() },
                )?);
            }
        }
        if !decided.is_empty() {
            let new = new_ledger(&gate, &place, false);
            return add::told(&decided, arguments.out.as_deref(), &new, terminal);
        }
    }
    if terminal.wants_json() {
        let all: Vec<Value> = sought.iter().map(sought_json).collect();
        terminal.json(&json!({ "status": if solved { "private" } else { "not-restored" }, "columns": all }))?;
    } else if sought.is_empty() {
        terminal
            .text(&format!("Nothing was shown of table {}, so nothing is to be restored.\n", gate.source().name()))?;
    } else {
        let with = if asked.is_some() { " and the view asked for" } else { "" };
        let texts: Vec<String> = sought.iter().map(|found| sought_text(found, with, &wanted)).collect();
        terminal.text(&texts.join("\n"))?;
    }
    Ok(if solved { CommandEnding::Done } else { CommandEnding::NotPassed })
}

fn is_solved(sought: &RestorationReport) -> bool {
    sought.gaps.is_empty() && matches!(sought.search.restored, RestorationResult::Private | RestorationResult::By(_))
}

fn sought_json(sought: &RestorationReport) -> Value {
    let (answer, certain) = match &sought.search.restored {
        RestorationResult::Private | RestorationResult::By(_) if !sought.gaps.is_empty() => ("undecided", None),
        RestorationResult::Private => ("already-private", None),
        RestorationResult::By(_) => ("restored", None),
        RestorationResult::Certain(people) => ("certain", Some(*people)),
        RestorationResult::Not => ("none", None),
        RestorationResult::OutOfTime => ("out-of-time", None),
    };
    let views = sought.found.iter().flat_map(|(requests, _)| requests);
    let views = views.map(|request| json!({ "statement": request.statement(), "people": request.people() }));
    json!({
        "column": sought.column,
        "answer": answer,
        "not_counted": sought.gaps,
        "certain": certain,
        "views": views.collect::<Vec<_>>(),
        "people_shown": shown(sought),
        "before": verdict_json(&sought.before),
        "after": sought.found.as_ref().map(|(_, after)| verdict_json(after)),
        "searched": {
            "refined": sought.refined,
            "passed_over": sought.passed_over,
            "refinements": sought.refinements,
            "candidates": sought.search.candidates,
            "judged": sought.search.judged,
            "judged_exactly": sought.search.exactly,
        },
    })
}

/// People that the additional views show, counted once for each view.
fn shown(sought: &RestorationReport) -> usize {
    sought.found.iter().flat_map(|(requests, _)| requests).map(ViewRequest::people).sum()
}

fn sought_text(sought: &RestorationReport, with: &str, wanted: &RestorationRequest) -> String {
    let mut text = format!("Belief about {} from what was shown{with}:\n", sought.column);
    text += &verdict_text(&sought.before, None, &sought.gaps);
    let most = wanted.reach.most;
    match &sought.search.restored {
        RestorationResult::Private if sought.gaps.is_empty() => {
            text += "It is private already; nothing need be added.\n";
        }
        RestorationResult::Private => {
            text += "Groups alone reveal nothing more than may be; whether all that was told does is undecided.\n";
        }
        RestorationResult::By(_) => {
            let Some((requests, after)) = &sought.found else { return text };
            let many = counted(requests.len(), "additional view restores", "additional views restore");
            let fewer = if sought.search.exactly == sought.search.judged { ", and no fewer do" } else { "" };
            let _ = writeln!(text, "{many} privacy{fewer}:");
            for request in requests {
                let _ =
                    writeln!(text, "  {} -- {}", request.statement(), counted(request.people(), "person", "people"));
            }
            let _ = writeln!(
                text,
                "With that, {} more in all:",
                counted(shown(sought), "person is shown", "people are shown")
            );
            text += &verdict_text(after, None, &sought.gaps);
        }
        RestorationResult::Certain(people) => {
            let whose = counted(people, "person is", "people are");
            let _ =
                writeln!(text, "A value of {whose} certain, and nothing that is shown in addition can hide it again.");
        }
        RestorationResult::Not => {
            let _ = writeln!(
                text,
                "No {} privacy; allow more with --max-additional or --attributes, or ask for less.",
                if most == 1 {
                    "additional view restores".to_owned()
                } else {
                    format!("set of up to {most} additional views restores")
                }
            );
        }
        RestorationResult::OutOfTime => {
            let _ = writeln!(
                text,
                "No set of up to {most} additional views was found within {} seconds; give more with --seconds.",
                wanted.reach.seconds
            );
        }
    }
    if !matches!(sought.search.restored, RestorationResult::Private) {
        let _ = writeln!(
            text,
            "Searched: {} of {}; {} safe by themselves, {} judged.",
            counted(sought.refinements, "refinement", "refinements"),
            counted(sought.refined, "group", "groups"),
            sought.search.candidates,
            counted(sought.search.judged, "set", "sets")
        );
        if sought.passed_over > 0 {
            let groups = counted(sought.passed_over, "group was", "groups were");
            let _ = writeln!(text, "{groups} not refined: no ranges of quasi columns select exactly the same people.");
        }
    }
    text
}
