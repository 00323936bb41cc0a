//! Adult: the chain of age widths on real people. Skipped where the table is absent.

use std::path::Path;

use pellucid_inference::sequence::Sequence;
use pellucid_io::{ReadOptions, read_header, read_table};
use pellucid_model::error::Result;
use pellucid_model::principle;
use pellucid_model::registry::EntryArgs;
use pellucid_model::table::schema::{ColumnSpec, TableSchema};
use pellucid_model::table::{ColumnType, Role, Table};

use super::board::{Board, Trial};
use crate::part::data;

/// Years that the functions join, the last one everybody's.
const WIDTHS: [i128; 5] = [5, 10, 20, 40, 1000];

/// Runs every strategy with two principles; what is refused is tried again with fewer people until it is not.
pub fn run(board: &mut Board) -> Result<()> {
    let Some(file) = data("adult/adult.csv") else {
        Board::note("skipped: no table adult/adult.csv; set PELLUCID_DATA to the folder that holds it");
        return Ok(());
    };
    let table = load(&file)?;
    let (age, occupation) = (table.column("age")?, table.column("occupation")?);
    let ages: Vec<i128> = age.codes().iter().map(|code| age.domain().position(code)).collect();
    let functions = WIDTHS.map(|width| ages.iter().map(|age| (age / width) as u32).collect());
    let values: Vec<u32> = occupation.codes().iter().collect();
    for (case, id, name, value) in
        [("highest ratio 1/2", "highest-ratio", "ratio", "1/2"), ("frequency l = 4", "frequency-l-diversity", "l", "4")]
    {
        for strategy in ["exclusive", "safe", "jump:2"] {
            let mut every = 1;
            loop {
                let people: Vec<usize> = (0..values.len()).step_by(every).collect();
                let table: Vec<u32> = people.iter().map(|&person| values[person]).collect();
                let labels = functions.iter().map(|labels: &Vec<u32>| people.iter().map(|&p| labels[p]).collect());
                let sequence = Sequence::from_labels(table.len(), labels.collect())?;
                let trial = Trial::new(case, &table, occupation.cardinality(), &sequence, &[strategy])?;
                let trial = trial.looking_at(principle::make(id, &EntryArgs::new().with(name, value))?);
                let trial = trial.within(60.0).or_refused();
                if board.run(&trial)?.is_some() {
                    break;
                }
                if every == 1
                    && let Some(step) = trial.last_counted()
                {
                    Board::note(&format!("of everyone, the disclosure sets of g1 to g{step} are counted"));
                }
                every *= 4;
            }
        }
    }
    Ok(())
}

fn load(file: &Path) -> Result<Table> {
    let options = ReadOptions::default();
    let columns = read_header(file, &options)?.into_iter().map(|name| {
        let (role, kind) = match name.as_str() {
            "age" => (Role::Quasi, ColumnType::Integer),
            "occupation" => (Role::Sensitive, ColumnType::Category),
            _ => (Role::Drop, ColumnType::Category),
        };
        ColumnSpec::new(name, role).with_kind(kind)
    });
    read_table(file, &options, &TableSchema::new(columns.collect()))
}
