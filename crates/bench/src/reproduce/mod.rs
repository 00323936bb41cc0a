//! The experiments of Xiao, Tao and Koudas again: `pellucid-bench reproduce [--out FOLDER] [errors|times]...`.
//!
//! Figures 11 to 15 of "Transparent Anonymization" (ACM TODS 35(2), 2010) on census tables with the domain sizes of the paper's:
//! the error of count queries by l, by dimensionality and by expected selectivity, and the time by number of rows and by l. `OCC` is
//! `census_occ.csv` with occupations, `SAL` is `census.csv` with incomes. With a folder, everything is run, and `experiments.md` and its
//! charts are written into it; what the paper found is judged there by the numbers.
//!
//! - `measure.rs`: runs publishers and measures;
//! - `findings.rs`: what the paper found, and whether it is so here;
//! - `write.rs`: the document and its charts.

mod findings;
mod measure;
mod write;

use std::path::PathBuf;

use pellucid_model::error::{Error, Result};

use crate::part::data;
use measure::{Data, Measured};

/// The publishers, in the order of the paper.
const PUBLISHERS: [&str; 5] = ["tailor", "ace", "hybrid", "mondrian", "mask"];

/// Values of l, of which that in the middle is the usual one.
const LS: [u64; 5] = [6, 7, 8, 9, 10];
const L: u64 = 8;

/// Values of dimensionality, of which the largest is the usual one.
const DIMENSIONS: [usize; 4] = [2, 3, 4, 5];

/// Values of expected selectivity, of which that in the middle is the usual one.
const SELECTIVITIES: [f64; 5] = [0.02, 0.04, 0.06, 0.08, 0.1];

/// Rows up to which tables are copied.
const MOST_ROWS: usize = 10_000_000;

/// Runs of which the fastest counts.
const RUNS: usize = 3;

/// The quasi columns of both tables.
const QUASI: &str = "age,gender,education,birthplace";

/// The tables: what they are called, their file and the sensitive column.
const TABLES: [(&str, &str, &str); 2] =
    [("OCC", "census/census_occ.csv", "occupation"), ("SAL", "census/census.csv", "income")];

/// Runs what `wanted` names; whether it was done.
pub fn run(wanted: &[String]) -> Result<bool> {
    let usage = || Error::invalid("usage: pellucid-bench reproduce [--out FOLDER] [errors|times]...");
    let (mut out, mut errors, mut times) = (None, false, false);
    let mut words = wanted.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--out" => out = Some(PathBuf::from(words.next().ok_or_else(usage)?)),
            "errors" => errors = true,
            "times" => times = true,
            _ => return Err(usage()),
        }
    }
    let all = out.is_some() || !(errors || times);
    let tables = TABLES.iter().map(|&(name, file, sensitive)| {
        let path = data(file).ok_or_else(|| {
            Error::invalid(format!(
                "no table {file}; set PELLUCID_DATA to the folder that has it, as CONTRIBUTING.md says"
            ))
        })?;
        Data::load(name, &path, sensitive)
    });
    let tables = tables.collect::<Result<Vec<Data>>>()?;
    let mut measured = Measured::default();
    for table in &tables {
        if all || errors {
            measure::errors(table, &mut measured)?;
        }
        if all || times {
            measure::times(table, &mut measured)?;
        }
    }
    println!("{}", write::tables(&measured));
    if let Some(out) = out {
        write::document(&out, &tables, &measured)?;
        println!("written: {}", out.join(write::DOCUMENT).display());
    }
    Ok(true)
}
