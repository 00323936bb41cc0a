//! What every case takes, to compare later changes with: `pellucid-bench baseline [SUITE[:PART]...]`, all suites when none is
//! named.
//!
//! Every suite is run `--runs` times in processes of its own; of each case the least user time and the least memory count. They
//! are written to `--out FOLDER`, a file a suite. Times of two days or machines do not compare: `--against PROGRAM` runs another
//! build of this program in turn with this one, and prints the ratios.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pellucid_model::error::{Error, ErrorKind, Result};
use serde_json::Value;

use crate::usage::NOTES;

/// All suites that have cases.
const SUITES: [&str; 6] = ["belief", "views", "attack", "search", "workload", "publish"];

/// How often a suite is run, unless it is said.
const RUNS: usize = 5;

/// What is asked for.
struct Wanted {
    suites: Vec<String>,
    runs: usize,
    out: Option<PathBuf>,
    against: Option<PathBuf>,
}

/// The least of several runs of a case.
#[derive(Debug, Clone, Copy)]
struct Least {
    user: f64,
    bytes: u64,
}

/// Cases in the order in which they came first.
#[derive(Debug, Default)]
struct Cases {
    names: Vec<String>,
    least: HashMap<String, Least>,
}

/// Measures what is wanted; always done.
pub fn run(arguments: &[String]) -> Result<bool> {
    let wanted = read(arguments)?;
    let own = std::env::current_exe().map_err(|error| Error::io("this program", error))?;
    let programs: Vec<PathBuf> = std::iter::once(own).chain(wanted.against).collect();
    for suite in &wanted.suites {
        let mut found: Vec<Cases> = programs.iter().map(|_| Cases::default()).collect();
        for _ in 0..wanted.runs {
            for (program, cases) in programs.iter().zip(&mut found) {
                cases.add(&noted(program, suite)?)?;
            }
        }
        let text = match &found[..] {
            [own, other] => compared(own, other),
            _ => listed(&found[0], suite, wanted.runs),
        };
        print!("{text}");
        if let Some(folder) = &wanted.out {
            let path = folder.join(format!("{}.tsv", suite.replace(':', "-")));
            fs::create_dir_all(folder)
                .and_then(|()| fs::write(&path, &text))
                .map_err(|error| Error::io(path.display(), error))?;
        }
    }
    Ok(true)
}

fn read(arguments: &[String]) -> Result<Wanted> {
    let usage = || {
        Error::invalid("usage: pellucid-bench baseline [SUITE[:PART]...] [--runs N] [--out FOLDER] [--against PROGRAM]")
    };
    let mut wanted = Wanted { suites: Vec::new(), runs: RUNS, out: None, against: None };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(usage);
        match word.as_str() {
            "--runs" => wanted.runs = value()?.parse().ok().filter(|runs| *runs > 0).ok_or_else(usage)?,
            "--out" => wanted.out = Some(value()?.into()),
            "--against" => wanted.against = Some(value()?.into()),
            suite if SUITES.contains(&suite.split(':').next().unwrap_or(suite)) => wanted.suites.push(suite.to_owned()),
            _ => return Err(usage()),
        }
    }
    if wanted.suites.is_empty() {
        wanted.suites = SUITES.map(str::to_owned).to_vec();
    }
    Ok(wanted)
}

/// Runs a suite once and gives what it noted; bars that are missed do not matter here.
fn noted(program: &Path, suite: &str) -> Result<String> {
    let folder = tempfile::tempdir().map_err(|error| Error::io("a folder for notes", error))?;
    let notes = folder.path().join("notes");
    let failed = |error| Error::io(program.display(), error);
    let status = Command::new(program)
        .args(suite.split(':'))
        .env(NOTES, &notes)
        .stdout(Stdio::null())
        .status()
        .map_err(failed)?;
    if !matches!(status.code(), Some(0 | 1)) {
        return Err(Error::invalid(format!("`{} {suite}` fails; run it alone to see why", program.display())));
    }
    // A suite whose tables are missing notes nothing.
    if notes.exists() { fs::read_to_string(&notes).map_err(failed) } else { Ok(String::new()) }
}

impl Cases {
    fn add(&mut self, notes: &str) -> Result<()> {
        for line in notes.lines() {
            let odd = || Error::new(ErrorKind::Internal, "a note of a benchmark cannot be read");
            let value: Value = serde_json::from_str(line).map_err(|_| odd())?;
            let name = value["case"].as_str().ok_or_else(odd)?;
            let (user, bytes) = (value["user"].as_f64().ok_or_else(odd)?, value["bytes"].as_u64().ok_or_else(odd)?);
            if !self.least.contains_key(name) {
                self.names.push(name.to_owned());
            }
            let least = self.least.entry(name.to_owned()).or_insert(Least { user, bytes });
            *least = Least { user: least.user.min(user), bytes: least.bytes.min(bytes) };
        }
        Ok(())
    }

    fn iter(&self) -> impl Iterator<Item = (&str, Least)> {
        self.names.iter().map(|name| (name.as_str(), self.least[name]))
    }
}

fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// A line a case, with what it took.
fn listed(cases: &Cases, suite: &str, runs: usize) -> String {
    let mut text =
        format!("# pellucid-bench baseline {suite}: least of {runs} runs, pellucid {}\n", env!("CARGO_PKG_VERSION"));
    text += "case\tuser_seconds\tmebibytes\n";
    for (name, least) in cases.iter() {
        let _ = writeln!(text, "{name}\t{:.6}\t{:.3}", least.user, mebibytes(least.bytes));
    }
    text
}

/// A line a case that both have, with the ratios of this program to the other.
fn compared(own: &Cases, other: &Cases) -> String {
    let mut text = "case\tuser_seconds\tof_other\tratio\tmebibytes\tof_other\tratio\n".to_owned();
    for (name, least) in own.iter() {
        let Some(before) = other.least.get(name) else { continue };
        let _ = writeln!(
            text,
            "{name}\t{:.6}\t{:.6}\t{:.3}\t{:.3}\t{:.3}\t{:.3}",
            least.user,
            before.user,
            least.user / before.user,
            mebibytes(least.bytes),
            mebibytes(before.bytes),
            least.bytes as f64 / before.bytes as f64
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_each_case_counts_in_the_order_of_the_first_run() {
        let mut cases = Cases::default();
        cases.add("{\"case\":\"b\",\"user\":2.0,\"bytes\":10}\n{\"case\":\"a\",\"user\":1.0,\"bytes\":30}\n").unwrap();
        cases.add("{\"case\":\"a\",\"user\":3.0,\"bytes\":20}\n{\"case\":\"b\",\"user\":1.5,\"bytes\":40}\n").unwrap();
        let found: Vec<(&str, f64, u64)> = cases.iter().map(|(name, least)| (name, least.user, least.bytes)).collect();
        assert_eq!(found, [("b", 1.5, 10), ("a", 1.0, 20)]);
        assert!(cases.add("{\"case\":1}").is_err());
    }

    #[test]
    fn suites_are_chosen_by_name_and_part() {
        let words = |words: &[&str]| read(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(words(&[]).unwrap().suites, SUITES);
        let some = words(&["views:one", "--runs", "2", "--out", "x"]).unwrap();
        assert_eq!((some.suites, some.runs, some.out), (vec!["views:one".to_owned()], 2, Some("x".into())));
        assert!(words(&["veiws"]).is_err() && words(&["--runs", "0"]).is_err() && words(&["--out"]).is_err());
    }
}
