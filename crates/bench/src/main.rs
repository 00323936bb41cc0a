//! Times one publisher on a table, replicated in memory, and measures the memory it takes beyond the table.
//!
//! `pellucid-bench FILE QUASI,... SENSITIVE PUBLISHER L COPIES RUNS` prints one line of JSON. The table is read before the
//! clock starts; `bench/run` sets the times in relation to a sort of the same rows. `pellucid-bench belief [PART...]`,
//! `pellucid-bench search [PART...]`, `pellucid-bench attack [PUBLISHER...]` and `pellucid-bench views [PART...]` time the belief
//! engine, the search, attacks and belief from views against their bars and end with status 1 when one is missed.
//! `pellucid-bench workload [PART...]` times count queries against their bars, `pellucid-bench reproduce` runs the experiments of a paper again.
//! `pellucid-bench publish [PUBLISHER...]` times whole jobs on a large table, `pellucid-bench baseline` notes what every case of these takes.
//! `pellucid-bench ledger [PART...]` counts the decisions that a ledger records a second; it has no bar.

#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

mod attack;
mod baseline;
mod belief;
mod ledger;
mod part;
mod publish;
mod reproduce;
mod restore;
mod search;
mod usage;
mod views;
mod workload;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use pellucid_io::{ReadOptions, read_header, read_table};
use pellucid_memory::CountingAllocator;
use pellucid_model::axis::QuasiAxis;
use pellucid_model::error::{Error, Result};
use pellucid_model::exact::Fraction;
use pellucid_model::principle::{self, Principle, SensitiveColumn};
use pellucid_model::progress::ProgressWatch;
use pellucid_model::randomness::RandomSource;
use pellucid_model::registry::{EntryArgs, find};
use pellucid_model::table::schema::{ColumnSpec, TableSchema};
use pellucid_model::table::{Column, ColumnType, Role, Table};
use pellucid_publish::publisher::{PUBLISHERS, PrivacyGoal, PublisherInput};
use serde_json::json;

#[global_allocator]
static MEMORY: CountingAllocator = CountingAllocator::new();

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.split_first() {
        Some((first, parts)) if first == "attack" => attack::run(parts),
        Some((first, parts)) if first == "baseline" => baseline::run(parts),
        Some((first, parts)) if first == "belief" => belief::run(parts),
        Some((first, parts)) if first == "ledger" => ledger::run(parts),
        Some((first, parts)) if first == "publish" => publish::run(parts),
        Some((first, parts)) if first == "reproduce" => reproduce::run(parts),
        Some((first, parts)) if first == "restore" => restore::run(parts),
        Some((first, parts)) if first == "search" => search::run(parts),
        Some((first, parts)) if first == "views" => views::run(parts),
        Some((first, parts)) if first == "workload" => workload::run(parts),
        _ => run(&arguments).map(|()| true),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let [file, quasi, sensitive, publisher, l, copies, runs] = arguments else {
        return Err(Error::invalid("usage: pellucid-bench FILE QUASI,... SENSITIVE PUBLISHER L COPIES RUNS"));
    };
    let number = |text: &str| text.parse::<usize>().map_err(|_| Error::invalid(format!("`{text}` is no number")));
    let table = replicated(&load(Path::new(file), quasi, sensitive)?, number(copies)?)?;
    let principle = principle::make("frequency-l-diversity", &EntryArgs::new().with("l", l))?;
    let plan = plan(&table, principle.as_ref())?;
    let publisher_entry = find(PUBLISHERS, "publisher", publisher)?;
    let made = publisher_entry.make(&EntryArgs::new())?;
    let mut seconds = Vec::new();
    let mut peak = 0;
    let mut groups = 0;
    for _ in 0..number(runs)? {
        MEMORY.start();
        let clock = Instant::now();
        let answer = made.publish(&plan, RandomSource::System)?;
        seconds.push(clock.elapsed().as_secs_f64());
        peak = peak.max(MEMORY.peak());
        if let Ok(output) = answer {
            groups = output.groups.len();
        }
    }
    let rows = table.rows();
    println!(
        "{}",
        json!({ "publisher": publisher, "rows": rows, "l": l, "groups": groups, "seconds": seconds,
            "peak_bytes_per_row": peak as f64 / rows as f64 })
    );
    Ok(())
}

fn load(file: &Path, quasi: &str, sensitive: &str) -> Result<Table> {
    let options = ReadOptions::default();
    let columns = read_header(file, &options)?.into_iter().map(|name| {
        let role = if quasi.split(',').any(|other| other == name) {
            Role::Quasi
        } else if name == sensitive {
            Role::Sensitive
        } else {
            Role::Drop
        };
        ColumnSpec::new(name, role).with_kind(ColumnType::Integer)
    });
    read_table(file, &options, &TableSchema::new(columns.collect()))
}

fn replicated(table: &Table, copies: usize) -> Result<Table> {
    let columns = table.columns().iter().map(|column| {
        let codes: Vec<u32> = (0..copies).flat_map(|_| column.codes().iter()).collect();
        Column::new(column.name(), column.role(), column.domain().clone(), false, codes)
    });
    Table::new(columns.collect::<Result<_>>()?)
}

fn plan<'a>(table: &'a Table, principle: &'a dyn Principle) -> Result<PublisherInput<'a>> {
    let sensitive = table.with_role(Role::Sensitive).next();
    let column = sensitive.ok_or_else(|| Error::invalid("the sensitive column is not in the file"))?;
    let whole = column.histogram();
    let context = SensitiveColumn {
        name: column.name(),
        whole: &whole,
        cardinality: column.cardinality(),
        protected: None,
        hierarchy: None,
    };
    let test = principle.bind(context)?;
    let goal = PrivacyGoal { column, principle, test, share: principle.share_bound(), protected: None };
    let quasi: Vec<_> = table.with_role(Role::Quasi).map(|column| (column, QuasiAxis::new(column, None))).collect();
    let hierarchies = vec![None; quasi.len()];
    Ok(PublisherInput {
        rows: table.rows(),
        quasi,
        hierarchies,
        identifiers: Vec::new(),
        goals: vec![goal],
        suppression: Fraction::ZERO,
        explain: false,
        watch: ProgressWatch::default(),
    })
}
