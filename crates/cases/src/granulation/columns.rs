//! The quasi columns of a case: their admissible partitions, and everyone's value as a code of the domain.

use dashu_int::{IBig, UBig};
use pellucid_model::error::{Error, Result};
use pellucid_model::exact::Fraction;
use pellucid_model::histogram::Histogram;
use pellucid_model::table::ColumnCodes;
use pellucid_model::words::counted;
use pellucid_publish::function::lower_median;
use pellucid_publish::search::{AdmissiblePartition, ColumnLattice};
use serde_json::Value;

use super::domain::{WrittenDomain, check_size, dense};
use super::words::{self, ValueForm};
use crate::object::{CaseObject, list, whole, wrong};

/// A quasi column.
#[derive(Debug)]
pub struct QuasiColumn {
    pub name: String,
    /// The partitions in words.
    pub labels: Vec<String>,
    /// The partitions.
    pub admissible: ColumnLattice,
    /// A code per person, in the order of the values.
    pub codes: ColumnCodes,
    /// The cells as they are written.
    cells: Vec<String>,
    /// What stands for several values; `None` where values have no order.
    pub stands: Option<RepresentativeRule>,
}

/// What stands for several values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepresentativeRule {
    /// The middle one, of an even number the lower of both.
    Median {
        /// Whether values are dates.
        dates: bool,
    },
    /// The mean; the code 0 is this number.
    Mean {
        /// The number of code 0.
        first: i64,
    },
}

/// What stands for the values of a class.
#[derive(Debug, Clone, PartialEq)]
pub enum RepresentativeValue {
    /// A value as it is written.
    Value(String),
    /// The mean or the median, exactly.
    Number(Fraction),
}

impl QuasiColumn {
    /// What stands for the values of `rows`, which are at least one.
    pub fn stand(&self, stands: RepresentativeRule, rows: &[usize]) -> RepresentativeValue {
        match stands {
            RepresentativeRule::Median { .. } => {
                let codes = Histogram::of(rows.iter().map(|&row| self.codes.get(row)));
                let median = lower_median(codes.entries());
                let shown = rows.iter().find(|&&row| Some(self.codes.get(row)) == median);
                RepresentativeValue::Value(shown.map_or_else(String::new, |&row| self.cells[row].clone()))
            }
            RepresentativeRule::Mean { first } => {
                let sum: IBig = rows.iter().map(|&row| IBig::from(first) + IBig::from(self.codes.get(row))).sum();
                RepresentativeValue::Number(Fraction::from_parts(sum, UBig::from(rows.len())))
            }
        }
    }
}

/// A column before the rows are read.
struct Drafted {
    name: String,
    labels: Vec<String>,
    partitions: Vec<AdmissiblePartition>,
    values: Values,
    key: &'static str,
}

/// What the cells of a column are.
enum Values {
    /// Values from a first to a last.
    Stated(WrittenDomain),
    /// Whole numbers below this, with an order or not.
    Numbered(u64, bool),
}

/// Reads the columns of `input`, and the cells that are left over in every row, one or none.
pub fn read<'a>(input: &CaseObject<'a>, with_last: bool) -> Result<(Vec<QuasiColumn>, Vec<&'a Value>)> {
    let given: Vec<&str> =
        ["divisors", "partitions", "levels"].into_iter().filter(|key| input.find(key).is_some()).collect();
    let drafts = match given[..] {
        ["divisors"] => divided(input)?,
        ["partitions"] => written(input)?,
        [_] => worded(input)?,
        [] => {
            return Err(Error::bad_input(
                "keys `divisors`, `partitions` and `levels` are missing; add one of them, the admissible partitions",
            ));
        }
        [a, b, ..] => return Err(Error::bad_input(format!("keys `{a}` and `{b}` say the same; remove one of them"))),
    };
    if drafts.is_empty() {
        return Err(Error::bad_input(format!("key `{}` has no columns; add one", given[0])));
    }
    let rows = input.list("rows")?;
    if rows.is_empty() {
        return Err(Error::bad_input("key `rows` is empty; give a row for every person"));
    }
    let width = drafts.len() + usize::from(with_last);
    let mut cells: Vec<&'a [Value]> = Vec::with_capacity(rows.len());
    for (number, row) in (1..).zip(rows) {
        let row = list("rows", row)?;
        if row.len() != width {
            let sensitive = if with_last { "the columns and the sensitive value last" } else { "the columns" };
            let found = counted(row.len(), "cell", "cells");
            return Err(Error::bad_input(format!(
                "key `rows`, row {number}: {found} instead of {width}, {sensitive}; correct it"
            )));
        }
        cells.push(row);
    }
    let last = if with_last { cells.iter().filter_map(|row| row.last()).collect() } else { Vec::new() };
    let columns = drafts.into_iter().enumerate().map(|(at, draft)| draft.filled(&cells, at));
    Ok((columns.collect::<Result<Vec<QuasiColumn>>>()?, last))
}

impl Drafted {
    fn filled(self, rows: &[&[Value]], at: usize) -> Result<QuasiColumn> {
        let mut codes = Vec::with_capacity(rows.len());
        let mut cells = Vec::with_capacity(rows.len());
        for (number, row) in (1..).zip(rows) {
            let cell = &row[at];
            let code = match &self.values {
                Values::Stated(domain) => domain.code(cell),
                Values::Numbered(size, _) => cell.as_u64().filter(|value| value < size).map(|value| value as u32),
            };
            codes.push(code.ok_or_else(|| {
                let name = &self.name;
                Error::bad_input(format!(
                    "key `rows`, row {number}: the cell of `{name}` is no value of its domain; correct the cell or the domain"
                ))
            })?);
            cells.push(cell.as_str().map_or_else(|| cell.to_string(), str::to_owned));
        }
        let stands = match &self.values {
            Values::Numbered(_, ordered) => ordered.then_some(RepresentativeRule::Mean { first: 0 }),
            Values::Stated(domain) => Some(match domain.form {
                ValueForm::Number => RepresentativeRule::Mean { first: domain.first() },
                ValueForm::Date(_) => RepresentativeRule::Median { dates: true },
                ValueForm::Digits(_) => RepresentativeRule::Median { dates: false },
            }),
        };
        let size = self.partitions.first().map_or(0, |partition| partition.blocks.len());
        let admissible = ColumnLattice::new(&*self.name, self.partitions);
        let admissible = admissible.map_err(|error| error.context(format!("key `{}`", self.key)))?;
        let codes = ColumnCodes::narrow(codes, size);
        Ok(QuasiColumn { name: self.name, labels: self.labels, admissible, codes, cells, stands })
    }
}

/// The name of a column that has none.
fn name(at: usize) -> String {
    format!("column {}", at + 1)
}

/// `divisors` and `domain_sizes`: level j of a column takes v to v div d.
fn divided(input: &CaseObject<'_>) -> Result<Vec<Drafted>> {
    let (divisors, sizes) = (input.list("divisors")?, input.list("domain_sizes")?);
    if divisors.len() != sizes.len() {
        let (levels, sizes) = (divisors.len(), counted(sizes.len(), "column", "columns"));
        return Err(Error::bad_input(format!(
            "key `domain_sizes` has {sizes}, but `divisors` {levels}; correct one of them"
        )));
    }
    let column = |(at, (divisors, size)): (usize, (&Value, &Value))| {
        let size = whole("domain_sizes", size)? as u64;
        check_size(size).map_err(|error| error.context(format!("key `domain_sizes`, {}", name(at))))?;
        if size == 0 {
            return Err(wrong("domain_sizes", "made of numbers of at least 1"));
        }
        let divisors = list("divisors", divisors)?.iter().map(|divisor| whole("divisors", divisor));
        let divisors = divisors.collect::<Result<Vec<usize>>>()?;
        if divisors.contains(&0) {
            return Err(wrong("divisors", "made of numbers of at least 1"));
        }
        let partition = |&divisor: &usize| dense((0..size).map(|value| (value / divisor as u64) as i64));
        Ok(Drafted {
            name: name(at),
            labels: divisors.iter().map(|divisor| format!("div {divisor}")).collect(),
            partitions: divisors.iter().map(partition).collect(),
            values: Values::Numbered(size, true),
            key: "divisors",
        })
    };
    divisors.iter().zip(sizes).enumerate().map(column).collect()
}

/// `partitions`: by column and partition, the block of every value.
fn written(input: &CaseObject<'_>) -> Result<Vec<Drafted>> {
    let column = |(at, partitions): (usize, &Value)| {
        let blocks = |partition: &Value| {
            list("partitions", partition)?.iter().map(|block| whole("partitions", block)).collect::<Result<Vec<_>>>()
        };
        let partitions = list("partitions", partitions)?.iter().map(blocks).collect::<Result<Vec<_>>>()?;
        let size = partitions.first().map_or(0, Vec::len);
        check_size(size as u64).map_err(|error| error.context(format!("key `partitions`, {}", name(at))))?;
        if partitions.iter().any(|partition| partition.len() != size || size == 0) {
            let name = name(at);
            return Err(Error::bad_input(format!(
                "key `partitions`, {name}: each must give a block for every value of the domain; correct their lengths"
            )));
        }
        Ok(Drafted {
            name: name(at),
            labels: (0..partitions.len()).map(|number| format!("partition {number}")).collect(),
            partitions: partitions.iter().map(|blocks| dense(blocks.iter().map(|&block| block as i64))).collect(),
            values: Values::Numbered(size as u64, false),
            key: "partitions",
        })
    };
    input.list("partitions")?.iter().enumerate().map(column).collect()
}

/// `levels`, words by the name of the column, and `domains` or `ql_domains`.
fn worded(input: &CaseObject<'_>) -> Result<Vec<Drafted>> {
    let levels = input.get("levels")?.as_object();
    let levels = levels.ok_or_else(|| wrong("levels", "an object; write words by the name of the column"))?;
    let prose = input.find("ql_domains").map(|_| input.text("ql_domains")).transpose()?;
    let stated = input.find("domains");
    if let Some(unknown) =
        stated.and_then(Value::as_object).and_then(|all| all.keys().find(|key| !levels.contains_key(*key)))
    {
        return Err(Error::bad_input(format!("key `domains`: there is no column `{unknown}` in `levels`; correct it")));
    }
    let column = |(name, given): (&String, &Value)| {
        let given = list("levels", given)?.iter().map(|word| word.as_str());
        let given = given.collect::<Option<Vec<&str>>>().ok_or_else(|| wrong("levels", "made of lists of words"))?;
        let at = |key: &'static str| move |error: Error| error.context(format!("key `{key}`, column `{name}`"));
        let (form, levels) = words::read(&given).map_err(at("levels"))?;
        let ends = match stated.and_then(|all| all.get(name.as_str())) {
            Some(ends) => match list("domains", ends)? {
                [first, last] => Some([first.clone(), last.clone()]),
                _ => return Err(wrong("domains", "made of lists of two: the first and the last value")),
            },
            None => prose.and_then(|prose| ends_in(prose, name)),
        };
        let domain = WrittenDomain::new(form, ends).map_err(at("domains"))?;
        Ok(Drafted {
            name: name.clone(),
            labels: given.iter().map(|word| (*word).to_owned()).collect(),
            partitions: levels.iter().map(|level| domain.partition(level)).collect(),
            values: Values::Stated(domain),
            key: "levels",
        })
    };
    levels.iter().map(column).collect()
}

/// The ends of the domain of `name` in a text such as `ZIP = 00000..99999, height = 100..199`.
fn ends_in(prose: &str, name: &str) -> Option<[Value; 2]> {
    prose.split([',', ';']).find_map(|piece| {
        let (of, says) = piece.split_once('=')?;
        let (first, last) = says.split_whitespace().find_map(|word| word.split_once(".."))?;
        (of.trim() == name).then(|| [first.into(), last.into()])
    })
}
