//! The kind `aog`: which granulations of a table are logically secure, which of them are most specific, and how secure
//! and how good they are.
//!
//! `columns.rs` reads the quasi columns, with levels in words by `words.rs` and `domain.rs`; `secrets.rs` what people want
//! kept; `answer.rs` asks the search; `show.rs` writes the answer down.

mod answer;
mod columns;
mod domain;
mod secrets;
mod show;
#[cfg(test)]
mod tests;
mod words;

use pellucid_model::error::{Error, Result};
use pellucid_model::exact::Fraction;
use pellucid_model::registry::{EntryArgs, find};
use pellucid_model::words::counted;
use pellucid_publish::search::{GranulationLattice, GranulationLevels, LatticeSearch, SEARCHES};
use serde_json::{Map, Value};

use self::columns::QuasiColumn;
use self::secrets::{KeptSentences, SensitiveValues};
use super::object::{CaseObject, list, whole, wrong};
use super::{AnswerOptions, CaseAnswer, CaseKind, CaseQuestion, values};

/// The registry entry of granulations.
pub const KIND: CaseKind = CaseKind {
    id: "aog",
    summary: "which granulations are logically secure, the most specific, their sf and ql",
    example: r#"{"rows": [[3], [6], [0], [4]], "sensitive": [1, 1, 0, 1], "con_values": [2], "divisors": [[1, 3, 9]], "domain_sizes": [9],
        "weights": ["1/1"]}"#,
    read: |input| Ok(Box::new(Granulations::read(input)?)),
};

/// The keys of the input.
const KEYS: &[&str] = &[
    "rows",
    "sensitive",
    "divisors",
    "domain_sizes",
    "partitions",
    "levels",
    "domains",
    "ql_domains",
    "weights",
    "con_values",
    "con_rows",
    "con_sets",
    "damages",
    "priors",
    "tau",
    "taus",
    "search",
];

/// The searches of the papers; they find what `fast` finds, which answers for them.
const PAPER_SEARCHES: [&str; 2] = ["incognito", "breadth-first"];

/// The most sensitive values of which every set is asked about when nothing says what is confidential.
const MOST_VALUES: usize = 6;

/// A table with its lattice, and what is asked about it.
#[derive(Debug)]
struct Granulations {
    columns: Vec<QuasiColumn>,
    lattice: GranulationLattice,
    sensitive: SensitiveValues,
    /// Weights of the columns, as the measures read them; `None` for equal ones.
    weights: Option<String>,
    tau: Option<GranulationLevels>,
    asked: Asked,
    search: Box<dyn LatticeSearch>,
}

/// What is asked.
#[derive(Debug)]
enum Asked {
    /// About given secrets; some granulations, all, or those that are found.
    Secrets(KeptSentences, Option<Vec<GranulationLevels>>),
    /// About sets of values, each as the secret of everyone.
    Sets(Vec<Vec<u32>>),
}

impl Granulations {
    fn read(input: &Value) -> Result<Self> {
        let input = CaseObject::new(input, KEYS).map_err(|error| error.context("key `input`"))?;
        input.refuse_misspelt()?;
        let with_last = input.find("sensitive").is_none();
        let (columns, last) = columns::read(&input, with_last)?;
        let people = columns[0].codes.len();
        let (names, codes) = if with_last {
            values::coded("rows", last.into_iter())?
        } else {
            let listed = input.list("sensitive")?;
            if listed.len() != people {
                return Err(Error::bad_input(format!(
                    "key `sensitive` has {}, but `rows` {people}; give one for every row",
                    counted(listed.len(), "value", "values")
                )));
            }
            values::coded("sensitive", listed.iter())?
        };
        let sensitive = SensitiveValues { names, codes };
        let lattice = GranulationLattice::new(columns.iter().map(|column| column.admissible.clone()).collect());
        let tau = input.find("tau").map(|tau| levels("tau", tau, &lattice)).transpose()?;
        let asked = match KeptSentences::read(&input, &sensitive)? {
            Some(secrets) => Asked::Secrets(secrets, taus(&input, tau.clone(), &lattice)?),
            None => Asked::Sets(sets(&input, &sensitive)?),
        };
        let weights = input.find("weights").map(|given| weights(given, &columns)).transpose()?;
        let search = input.find("search").map_or(Ok("fast"), |_| input.text("search"))?;
        let search = if PAPER_SEARCHES.contains(&search) { "fast" } else { search };
        let search = find(SEARCHES, "search", search).and_then(|entry| entry.make(&EntryArgs::new()));
        let search = search.map_err(|error| error.context("key `search`"))?;
        Ok(Self { columns, lattice, sensitive, weights, tau, asked, search })
    }
}

impl CaseQuestion for Granulations {
    fn answer(&self, options: &AnswerOptions) -> Result<Box<dyn CaseAnswer>> {
        Ok(Box::new(self.ask(options)?))
    }
}

/// One granulation: the number of a partition for every column.
fn levels(key: &str, value: &Value, lattice: &GranulationLattice) -> Result<GranulationLevels> {
    let levels = list(key, value)?.iter().map(|level| whole(key, level)).collect::<Result<Vec<usize>>>()?;
    let columns = lattice.columns();
    let fits = levels.len() == columns.len()
        && levels.iter().zip(columns).all(|(&level, column)| level < column.partitions().len());
    if !fits {
        return Err(wrong(key, "granulations: for every column the number of one of its partitions, from 0"));
    }
    Ok(levels.into_iter().map(|level| level as u32).collect())
}

/// The granulations to report, if any are named.
fn taus(
    input: &CaseObject<'_>,
    tau: Option<GranulationLevels>,
    lattice: &GranulationLattice,
) -> Result<Option<Vec<GranulationLevels>>> {
    let listed = match input.find("taus") {
        None => return Ok(tau.map(|tau| vec![tau])),
        Some(listed) => list("taus", listed)?.iter().map(|tau| levels("taus", tau, lattice)),
    };
    let mut taus = listed.collect::<Result<Vec<GranulationLevels>>>()?;
    taus.extend(tau.filter(|tau| !taus.contains(tau)));
    Ok(Some(taus))
}

/// The sets of values that are asked about: `con_sets`, or all that are not empty where values are few, otherwise every
/// single value and all of them.
fn sets(input: &CaseObject<'_>, sensitive: &SensitiveValues) -> Result<Vec<Vec<u32>>> {
    let many = sensitive.names.len();
    let Some(given) = input.find("con_sets") else {
        let all = (0..many as u32).collect::<Vec<u32>>();
        if many > MOST_VALUES {
            return Ok(all.iter().map(|&code| vec![code]).chain([all.clone()]).collect());
        }
        let chosen = |mask: u32| all.iter().copied().filter(|code| mask >> code & 1 == 1).collect::<Vec<u32>>();
        let mut sets: Vec<Vec<u32>> = (1..1 << many).map(chosen).collect();
        sets.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        return Ok(sets);
    };
    let set = |set: &Value| -> Result<Vec<u32>> {
        let mut codes = Vec::new();
        for value in list("con_sets", set)? {
            let text = values::text("con_sets", value)?;
            let code = sensitive.names.iter().position(|name| *name == text);
            codes.push(code.ok_or_else(|| wrong("con_sets", "made of lists of sensitive values that occur"))? as u32);
        }
        codes.sort_unstable();
        codes.dedup();
        if codes.is_empty() {
            return Err(wrong("con_sets", "made of lists of at least one sensitive value"));
        }
        Ok(codes)
    };
    let mut sets = list("con_sets", given)?.iter().map(set).collect::<Result<Vec<_>>>()?;
    let mut seen = Vec::new();
    sets.retain(|set| {
        !seen.contains(set) && {
            seen.push(set.clone());
            true
        }
    });
    Ok(sets)
}

/// The weights of the columns as the measures take them.
fn weights(given: &Value, columns: &[QuasiColumn]) -> Result<String> {
    let given = list("weights", given)?;
    if given.len() != columns.len() {
        let (found, columns) = (counted(given.len(), "entry", "entries"), counted(columns.len(), "column", "columns"));
        return Err(Error::bad_input(format!("key `weights` has {found} for {columns}; correct it")));
    }
    let numbers = given.iter().map(|weight| values::number("weights", weight)).collect::<Result<Vec<Fraction>>>()?;
    let negative = numbers.iter().any(|weight| *weight < Fraction::ZERO);
    if negative || numbers.iter().all(|weight| *weight == Fraction::ZERO) {
        return Err(wrong("weights", "made of numbers of at least 0, one of them above 0"));
    }
    let text = |weight: &Fraction| Value::from(pellucid_model::exact::format_fraction(weight));
    let named = columns.iter().zip(&numbers).map(|(column, weight)| (column.name.clone(), text(weight)));
    Ok(Value::Object(named.collect::<Map<String, Value>>()).to_string())
}
