//! The search engine of the product, on the random cases that the twin answers.

use std::collections::{BTreeMap, BTreeSet};

use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::exact::{format_fraction, fraction};
use pellucid_model::histogram::Histogram;
use pellucid_model::principle::{self, BoundPrinciple, JointColumn, SensitiveColumn};
use pellucid_model::registry::{EntryArgs, find};
use pellucid_model::table::{Column, ColumnCodes, ColumnDomain, Role, Table};
use pellucid_publish::search::{
    AdmissiblePartition, BoundMeasure, ColumnLattice, GranulationLattice, JudgedCodes, LatticeSearch, MEASURES,
    SEARCHES, SearchInstance, SearchMeasure, WEIGHTS,
};
use serde_json::{Map, Value, json};

use crate::engine_belief;
use crate::literal::granulation::lattice::Partition as Blocks;
use crate::literal::granulation::survey::Asked;
use crate::principle::Principle;
use crate::random_lattice::LatticeCase;

/// Which values of a quasi column have a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coded {
    /// All values of the domain.
    Domain,
    /// Those that occur, as in a table that was read; the others are known to hierarchies alone. The engine orders
    /// partitions by what they do to codes, so only in chains is the order the same as over the domain.
    Occurring,
}

/// A case and what is asked of it, as the engine takes it.
#[derive(Debug)]
pub struct Bench {
    lattice: GranulationLattice,
    quasi: Vec<ColumnCodes>,
    judged: Vec<Column>,
    tests: Vec<(Option<usize>, Box<dyn BoundPrinciple>)>,
    rows: usize,
    limit: u64,
}

impl Bench {
    /// Binds `asked` to the table of `case`.
    pub fn new(case: &LatticeCase, asked: &Asked, coded: Coded) -> Result<Self> {
        let mut columns = Vec::new();
        let mut quasi = Vec::new();
        for (at, partitions) in case.columns.iter().enumerate() {
            let values: Vec<usize> = case.rows.iter().map(|row| row[at]).collect();
            let with_code: Vec<usize> = match coded {
                Coded::Domain => (0..partitions[0].len()).collect(),
                Coded::Occurring => values.iter().copied().collect::<BTreeSet<usize>>().into_iter().collect(),
            };
            let codes = values.iter().map(|&value| place(&with_code, value)).collect();
            quasi.push(ColumnCodes::narrow(codes, with_code.len()));
            let partitions = partitions.iter().map(|blocks| partition(blocks, &with_code)).collect();
            columns.push(ColumnLattice::new(name(at), partitions)?);
        }
        let value = Column::new("value", Role::Sensitive, numbers(case.domain), false, case.sensitive.clone())?;
        let mut tests = Vec::new();
        for principle in &asked.principles {
            tests.push(bound(principle, &value, case)?);
        }
        let mut judged = vec![value];
        if asked.secrets {
            let JointColumn { column, test } = joint(case)?;
            judged.push(column);
            tests.push((Some(1), test));
        }
        let lattice = GranulationLattice::new(columns);
        Ok(Self { lattice, quasi, judged, tests, rows: case.rows.len(), limit: asked.limit as u64 })
    }

    /// The ground of a search.
    pub fn ground(&self) -> SearchInstance<'_> {
        let quasi: Vec<&ColumnCodes> = self.quasi.iter().collect();
        let judged =
            self.judged.iter().map(|column| JudgedCodes { codes: column.codes(), cardinality: column.cardinality() });
        let judged: Vec<JudgedCodes<'_>> = judged.collect();
        let tests = self.tests.iter().map(|(column, test)| (*column, test.as_ref())).collect();
        SearchInstance::new(self.lattice.clone(), &quasi, &judged, tests, self.rows, self.limit)
    }
}

fn place(sorted: &[usize], value: usize) -> u32 {
    sorted.binary_search(&value).expect("the value has a code") as u32
}

fn numbers(domain: u32) -> ColumnDomain {
    ColumnDomain::Integer((0..i64::from(domain)).collect())
}

/// The name of a quasi column.
fn name(column: usize) -> String {
    format!("c{column}")
}

/// Blocks of the values `with_code`, numbered as they come, and beside them those that hold no such value.
fn partition(blocks: &Blocks, with_code: &[usize]) -> AdmissiblePartition {
    let mut sizes: BTreeMap<usize, u64> = BTreeMap::new();
    for &block in blocks {
        *sizes.entry(block).or_default() += 1;
    }
    let mut numbers: BTreeMap<usize, u32> = BTreeMap::new();
    let mut partition = AdmissiblePartition { blocks: Vec::new(), values: Vec::new(), outside: Vec::new() };
    for &value in with_code {
        let next = numbers.len() as u32;
        let number = *numbers.entry(blocks[value]).or_insert(next);
        if number == next {
            partition.values.push(sizes.remove(&blocks[value]).unwrap_or(0));
        }
        partition.blocks.push(number);
    }
    partition.outside = sizes.into_values().collect();
    partition
}

/// A principle bound to the sensitive column, and the judged column that it looks at.
fn bound(
    principle: &Principle,
    value: &Column,
    case: &LatticeCase,
) -> Result<(Option<usize>, Box<dyn BoundPrinciple>)> {
    let (id, args) = principle.in_registry();
    let made = principle::make(id, &args)?;
    let whole = Histogram::of(case.sensitive.iter().copied());
    let protected = engine_belief::protected(principle, case.domain);
    let test = made.bind(SensitiveColumn {
        name: value.name(),
        whole: &whole,
        cardinality: value.cardinality(),
        protected: protected.as_deref(),
        hierarchy: None,
    })?;
    Ok((made.needs_sensitive().then_some(0), test))
}

/// Whether somebody wants a sentence kept; without that the engine refuses sentences.
pub fn keeps_something(case: &LatticeCase) -> bool {
    case.confidential.iter().any(|own| !own.is_empty())
}

/// The confidential sentences of `case` as the principle of the registry: a list when everybody wants the same kept, and
/// sets of which a column says whose they are where not.
fn joint(case: &LatticeCase) -> Result<JointColumn> {
    let mut sets: Vec<&BTreeMap<usize, u32>> = Vec::new();
    let mut set_of_row = Vec::new();
    for own in &case.damages {
        let known = sets.iter().position(|set| *set == own);
        set_of_row.push(known.unwrap_or_else(|| {
            sets.push(own);
            sets.len() - 1
        }));
    }
    let entry = |(&sentence, damage): (&usize, &u32)| {
        let mut entry = json!({ "sentence": written(case, sentence), "damage": damage });
        if let Some((numerator, denominator)) = case.priors.as_ref().map(|priors| priors[sentence]) {
            entry["prior"] = json!(format_fraction(&fraction(numerator, denominator)));
        }
        entry
    };
    let list = |set: &BTreeMap<usize, u32>| -> Value { set.iter().map(entry).collect() };
    let args = if let [everybody] = &sets[..] {
        EntryArgs::new().with("sentences", list(everybody))
    } else {
        let named: Map<String, Value> = (0..).zip(&sets).map(|(at, set)| (set_name(at), list(set))).collect();
        EntryArgs::new().with("sentences", Value::Object(named)).with("by", "whose")
    };
    let mut names: Vec<String> = (0..sets.len()).map(set_name).collect();
    names.sort();
    let of_row = set_of_row.iter().map(|&set| names.binary_search(&set_name(set)).expect("it is a name") as u32);
    let table = Table::new(vec![
        Column::new("value", Role::Sensitive, numbers(case.domain), false, case.sensitive.clone())?,
        Column::new("whose", Role::Drop, ColumnDomain::Category(names.clone()), false, of_row.collect())?,
    ])?;
    let joint = principle::make("logical-security", &args)?.joint(&table)?;
    joint.ok_or_else(|| Error::new(ErrorKind::Internal, "sentences have a column of their own"))
}

fn set_name(at: usize) -> String {
    format!("set {at}")
}

/// A sentence in words. Equal sentences are told apart by an alternative that is true of nobody.
fn written(case: &LatticeCase, sentence: usize) -> String {
    let values: Vec<String> = case.sentences[sentence].iter().map(ToString::to_string).collect();
    let nobody = format!("value < -{}", sentence + 1);
    if values.is_empty() { nobody } else { format!("value in ({}) or {nobody}", values.join(", ")) }
}

/// A measure of the registry with the weights of `case`, where it takes weights.
pub fn measure(case: &LatticeCase, id: &str) -> Result<Box<dyn SearchMeasure>> {
    let entry = find(MEASURES, "measure", id)?;
    let weights: Map<String, Value> = (0..).zip(&case.weights).map(|(at, weight)| (name(at), json!(weight))).collect();
    let takes_weights = entry.params.iter().any(|param| param.name == WEIGHTS.name);
    entry.make(&if takes_weights {
        EntryArgs::new().with(WEIGHTS.name, Value::Object(weights))
    } else {
        EntryArgs::new()
    })
}

/// The same bound to a ground.
pub fn gauge(case: &LatticeCase, id: &str, ground: &SearchInstance<'_>) -> Result<Box<dyn BoundMeasure>> {
    measure(case, id)?.gauge(ground)
}

/// A search of the registry.
pub fn search(id: &str, args: &EntryArgs) -> Result<Box<dyn LatticeSearch>> {
    find(SEARCHES, "search", id)?.make(args)
}
