//! `pellucid view belief`: what is believed from everything that was shown.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use pellucid_app::Gate;
use pellucid_app::host::verdict_json;
use pellucid_app::parts::{ColumnState, PersonBelief};
use pellucid_model::error::Result;
use pellucid_model::table::ReleasedColumn;
use pellucid_model::words::counted;
use pellucid_plot::BarChart;
use serde_json::{Value, json};

use super::text::{most, verdict_text};
use super::{Common, PRECIOUS, judging, new_ledger};
use crate::CommandEnding;
use crate::files::{OverwriteOption, words, write_private, write_private_csv};
use crate::terminal::UserTerminal;

/// Say what an adversary believes who has seen everything that is recorded
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  pellucid view belief job.toml\n  \
                        pellucid view belief job.toml --plot belief.svg --beliefs beliefs.csv")]
pub struct ViewBeliefArguments {
    #[command(flatten)]
    common: Common,
    /// Draw how many people are believed to have a value with which probability (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Write the probability of every value of every row (CSV)
    #[arg(long, value_name = "FILE")]
    beliefs: Option<PathBuf>,
    #[command(flatten)]
    replacing: OverwriteOption,
}

pub fn run(arguments: &ViewBeliefArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    terminal.progress("reading");
    let (mut gate, table, place) = arguments.common.peek(terminal)?;
    let files: Vec<&Path> = arguments.plot.iter().chain(&arguments.beliefs).map(PathBuf::as_path).collect();
    let precious = [arguments.common.job.as_path(), table.as_path(), Path::new(&place)];
    arguments.replacing.check(&files, &precious, PRECIOUS)?;
    let columns = gate.shown_columns()?;
    let mut states: Vec<ColumnState> = Vec::with_capacity(columns.len());
    for (at, column) in columns.iter().enumerate() {
        terminal.steps(at, columns.len(), &judging(gate.settings()));
        states.push(gate.state(column)?);
    }
    if let Some(path) = &arguments.plot {
        let svg = chart(gate.source().name(), &states);
        write_private(path, &svg)?;
    }
    if let Some(path) = &arguments.beliefs {
        write_beliefs(path, &gate, &states)?;
    }
    if terminal.wants_json() {
        let all: Vec<Value> = states.iter().map(state_json).collect();
        terminal.json(&json!({
            "table": gate.source().name(),
            "people": gate.source().people(),
            "columns": all,
            "plot": arguments.plot,
            "beliefs": arguments.beliefs,
        }))?;
    } else {
        let mut text = new_ledger(&gate, &place, true);
        if states.is_empty() {
            let _ = writeln!(text, "Nothing was shown of table {}.", gate.source().name());
        }
        for state in &states {
            text += &state_text(state, gate.source().people(), &gate.demanded(&state.column)?);
        }
        for path in arguments.plot.iter().chain(&arguments.beliefs) {
            let _ = writeln!(text, "Written: {}", path.display());
        }
        terminal.text(&text)?;
    }
    Ok(CommandEnding::Done)
}

fn state_json(state: &ColumnState) -> Value {
    let worst = state.worst.iter().map(|(row, highest)| json!({ "row": row, "highest": highest }));
    json!({
        "column": state.column,
        "groups": state.groups,
        "people_seen": state.seen,
        "worlds": state.worlds,
        "judgement": verdict_json(&state.verdict),
        "not_counted": state.gaps,
        "remarks": state.remarks,
        "people_by_tenth": state.verdict.people_by_tenth,
        "worst": worst.collect::<Vec<_>>(),
    })
}

fn state_text(state: &ColumnState, people: usize, demands: &[String]) -> String {
    let mut text = format!(
        "Belief about {} from {}, in which {} of {} were shown:\n",
        state.column,
        counted(state.groups, "group", "groups"),
        state.seen,
        counted(people, "person", "people")
    );
    let _ = writeln!(text, "  Demanded: {}.", demands.join("; "));
    let _ = match &state.worlds {
        Some(worlds) => writeln!(text, "  Tables that agree with all of it: {worlds}."),
        None => writeln!(text, "  Tables that agree with all of it: not counted, for that takes too much."),
    };
    for remark in &state.remarks {
        let _ = writeln!(text, "  Note: {remark}.");
    }
    text += &verdict_text(&state.verdict, None, &state.gaps);
    text += "  People by the highest probability of a value:\n";
    for (tenth, people) in state.verdict.people_by_tenth.iter().enumerate().filter(|(_, people)| **people > 0) {
        let (from, to) = (tenth as f64 / 10.0, (tenth + 1) as f64 / 10.0);
        let end = if tenth == 9 { "to" } else { "to below" };
        let _ = writeln!(text, "    {from:.1} {end} {to:.1}: {people}");
    }
    text += "  Rows of whom most is believed:\n";
    for (row, highest) in &state.worst {
        let _ = writeln!(text, "    row {row}: {}", most(highest));
    }
    text
}

fn chart(table: &str, states: &[ColumnState]) -> String {
    let edges = (0..=10).map(|tenth| f64::from(tenth) / 10.0);
    let chart = BarChart::histogram(format!("What is believed of people in {table}"), edges)
        .x_label("highest probability of a value")
        .y_label("people");
    let series = |chart: BarChart, state: &ColumnState| {
        chart.series(state.column.clone(), state.verdict.people_by_tenth.map(|people| people as f64))
    };
    states.iter().fold(chart, series).to_svg()
}

fn write_beliefs(path: &Path, gate: &Gate, states: &[ColumnState]) -> Result<()> {
    let mut lines: Vec<(&str, String, PersonBelief)> = Vec::new();
    for state in states {
        let column = gate.source().table().column(&state.column)?;
        let beliefs = gate.beliefs(state).into_iter();
        lines.extend(beliefs.map(|belief| (state.column.as_str(), column.text(belief.code), belief)));
    }
    let columns = vec![
        ("column".to_owned(), words(lines.iter().map(|line| line.0))),
        ("row".to_owned(), ReleasedColumn::Ordinal(lines.iter().map(|line| line.2.row).collect())),
        ("value".to_owned(), words(lines.iter().map(|line| line.1.as_str()))),
        ("probability".to_owned(), words(lines.iter().map(|line| line.2.probability.as_str()))),
    ];
    write_private_csv(path, columns)
}
