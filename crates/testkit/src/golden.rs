//! Recorded cases with exact answers about the transparent algorithms and their targets of attack.
//!
//! The cases are the worked examples of Xiao, Tao, Koudas 2010 and random small tables, answered by enumeration. People
//! and values are named in the file; [`World`] turns names into indices and codes in the order of the names.

use std::collections::{BTreeMap, BTreeSet};

use pellucid_model::exact::{Fraction, parse_fraction};
use serde::Deserialize;
use serde_json::Value;

use crate::instance::{Bounds, Instance, Output};
use crate::literal::ace::ValueOrder;
use crate::literal::assign::Choice;
use crate::literal::opt_gen::Ties;
use crate::mechanism::{Ace, BrokenAce, Hybrid, Mechanism, Mondrian, OptGen, Setting, Tailor};
use crate::person::{Person, extents};

/// One recorded case.
#[derive(Debug, Clone, Deserialize)]
pub struct Case {
    /// Its name.
    pub id: String,
    /// What is asked: `transparent`, `assign`, `credibility`, `mask`, `transparent-violation`, `transparent-optgen`.
    pub kind: String,
    /// What is given.
    pub input: Value,
    /// What must come out.
    pub expected: Value,
}

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

/// All recorded cases.
pub fn cases() -> Vec<Case> {
    let text = include_str!("../golden/transparent.json");
    serde_json::from_str::<File>(text).expect("the recorded cases are well-formed").cases
}

/// All cases of one kind.
pub fn cases_of(kind: &str) -> Vec<Case> {
    cases().into_iter().filter(|case| case.kind == kind).collect()
}

/// The case called `id`.
pub fn case(id: &str) -> Case {
    cases().into_iter().find(|case| case.id == id).expect("the case is recorded")
}

/// A case's people and values by index and code.
#[derive(Debug, Clone)]
pub struct World {
    /// Names of the people of the external source, in order.
    pub people: Vec<String>,
    /// The external source; identifiers follow the order of the names.
    pub external: Vec<Person>,
    /// Names of the values, in order.
    pub values: Vec<String>,
    /// The table, when the case has one.
    pub table: Option<Instance>,
    /// Extent of every quasi attribute for the perimeter.
    pub norm: Vec<i64>,
    /// The parameter of diversity.
    pub l: u64,
}

impl World {
    /// Reads people, values and parameters of a case.
    pub fn of(case: &Case) -> Self {
        let input = &case.input;
        let quasi: BTreeMap<String, Vec<i64>> = read(&input["external"]);
        let (people, quasi): (Vec<String>, Vec<Vec<i64>>) = quasi.into_iter().unzip();
        let external: Vec<Person> = (0..).zip(quasi).map(|(id, quasi)| Person::new(id, quasi)).collect();
        let mut values: BTreeSet<String> = BTreeSet::new();
        for list in ["domain", "multiset", "V"] {
            values.extend(input.get(list).map(read::<Vec<String>>).unwrap_or_default());
        }
        let table: BTreeMap<String, String> = input.get("table").map(read).unwrap_or_default();
        values.extend(table.values().cloned());
        if let Some(rows) = input.get("output").and_then(Value::as_array) {
            values.extend(rows.iter().map(|row| read::<String>(&row[1])));
        }
        let values: Vec<String> = values.into_iter().collect();
        let norm = input.get("norm").map_or_else(|| extents(&external), read);
        let l = read(&input["l"]);
        let mut world = Self { people, external, values, table: None, norm, l };
        if !table.is_empty() {
            let rows = table.iter().map(|(person, value)| (world.person(person), world.value(value)));
            world.table = Some(Instance::new(rows.collect()));
        }
        world
    }

    /// Index of a person.
    pub fn person(&self, name: &str) -> usize {
        self.people.iter().position(|person| person == name).expect("a known person")
    }

    /// Code of a value.
    pub fn value(&self, name: &str) -> u32 {
        self.values.iter().position(|value| value == name).expect("a known value") as u32
    }

    /// Number of values.
    pub fn domain(&self) -> u32 {
        self.values.len() as u32
    }

    /// A release as recorded: rows of box and value, or null for *nothing*.
    pub fn output(&self, rows: &Value) -> Option<Output> {
        let rows: Option<Vec<(Bounds, String)>> = read(rows);
        rows.map(|rows| {
            let mut output: Output = rows.into_iter().map(|(bounds, value)| (bounds, self.value(&value))).collect();
            output.sort_unstable();
            output
        })
    }

    /// Person to value to probability as recorded, zeros left out.
    pub fn posterior(&self, risk: &Value) -> Vec<BTreeMap<u32, Fraction>> {
        let risk: BTreeMap<String, BTreeMap<String, String>> = read(risk);
        let mut posterior = vec![BTreeMap::new(); self.people.len()];
        for (person, row) in risk {
            let row = row.iter().map(|(name, share)| (self.value(name), parse_fraction(share).expect("a fraction")));
            posterior[self.person(&person)] = row.filter(|entry| entry.1 > Fraction::ZERO).collect();
        }
        posterior
    }

    /// The mechanism called `name` in the cases, with its options.
    pub fn mechanism(&self, name: &str, options: &Value) -> Box<dyn Mechanism> {
        let setting = Setting::new(self.l, self.norm.clone());
        let opt_gen = |disjoint, ties| Box::new(OptGen { l: self.l, disjoint, ties });
        let broken = |order, choice| Box::new(BrokenAce { setting: setting.clone(), order, choice });
        match name {
            "tailor" => Box::new(Tailor(setting)),
            "ace" => Box::new(Ace(setting)),
            "hybrid" => Box::new(Hybrid(setting)),
            "mondrian" => Box::new(Mondrian { l: self.l, norm: self.norm.clone() }),
            "opt_gen_disjoint_first" => opt_gen(true, Ties::First),
            "opt_gen_literal_uniform" => opt_gen(false, Ties::Uniform),
            "opt_gen" => {
                let ties = if options["ties"] == "first" { Ties::First } else { Ties::Uniform };
                opt_gen(read(&options["disjoint"]), ties)
            }
            "ace:deterministic_by_id" => broken(ValueOrder::Public, Choice::First),
            "ace:first_appearance" => broken(ValueOrder::FirstAppearance, Choice::Random),
            _ => panic!("unknown mechanism"),
        }
    }
}

/// A recorded fraction.
pub fn recorded(value: &Value) -> Fraction {
    parse_fraction(value.as_str().expect("fractions are recorded as text")).expect("a fraction")
}

/// A part of a case as `T`.
pub fn read<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    T::deserialize(value).expect("the recorded cases are well-formed")
}
