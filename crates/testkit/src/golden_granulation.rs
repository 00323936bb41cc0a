//! Recorded cases with answers about granulations: the running example and the codes of the paper, and random small
//! tables.
//!
//! Values are indices into domains that the case states, so a domain may have values that do not occur in the table.
//! Answers are exact but for `sf` and `ql`, which are recorded with nine decimals.

use pellucid_model::exact::parse_fraction;
use serde::Deserialize;
use serde_json::Value;

use crate::golden::{Case, read};
use crate::literal::granulation::genetic::{Code, code};
use crate::literal::granulation::lattice::{Class, Granulation, Lattice, Partition, Rows};
use crate::literal::granulation::secrets::Secrets;

#[derive(Deserialize)]
struct File {
    cases: Vec<Value>,
}

fn all() -> Vec<Value> {
    let text = include_str!("../golden/granulation.json");
    serde_json::from_str::<File>(text).expect("the recorded cases are well-formed").cases
}

/// How many cases are recorded.
pub fn recorded_cases() -> usize {
    all().len()
}

/// A table with admissible partitions, and what is recorded of its granulations.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The case's name.
    pub id: String,
    /// The admissible partitions.
    pub lattice: Lattice,
    /// The quasi values.
    pub rows: Rows,
    /// A sensitive value per row.
    pub sensitive: Vec<u32>,
    /// The values that everyone wants kept confidential.
    pub confidential: Vec<u32>,
    /// The weight of every column in `ql`.
    pub weights: Vec<f64>,
    /// What must come out.
    pub expected: Expected,
}

impl Recorded {
    /// What people want kept.
    pub fn secrets(&self) -> Secrets {
        Secrets::of_values(&self.sensitive, &self.confidential)
    }
}

/// The answers of a case.
#[derive(Debug, Clone, Deserialize)]
pub struct Expected {
    /// Number of secure granulations.
    #[serde(rename = "n_secure")]
    pub secure: usize,
    /// The most specific of them.
    #[serde(rename = "minimal_secure")]
    pub minimal: Vec<Granulation>,
    /// Some granulations looked at closely.
    #[serde(rename = "taus")]
    pub nodes: Vec<ExpectedNode>,
}

/// The answers for one granulation.
#[derive(Debug, Clone, Deserialize)]
pub struct ExpectedNode {
    /// Which one.
    #[serde(rename = "tau")]
    pub node: Granulation,
    /// Whether it is secure.
    pub secure: bool,
    /// Its classes.
    pub classes: Vec<Class>,
    /// Its security, damages being even.
    pub sf: f64,
    /// Its quality.
    pub ql: f64,
}

/// The random small tables.
pub fn cases() -> Vec<Recorded> {
    all().iter().filter(|case| case["kind"] == "aog").map(|case| table(&read(case))).collect()
}

fn table(case: &Case) -> Recorded {
    let input = &case.input;
    let divisors: Vec<Vec<usize>> = read(&input["divisors"]);
    let domains: Vec<usize> = read(&input["domain_sizes"]);
    let partitions = |(divisors, &domain): (&Vec<usize>, &usize)| -> Vec<Partition> {
        divisors.iter().map(|divisor| (0..domain).map(|value| value / divisor).collect()).collect()
    };
    Recorded {
        id: case.id.clone(),
        lattice: Lattice::new(divisors.iter().zip(&domains).map(partitions).collect()),
        rows: read(&input["rows"]),
        sensitive: read(&input["sensitive"]),
        confidential: read(&input["con_values"]),
        weights: weights(&input["weights"]),
        expected: read(&case.expected),
    }
}

fn weights(recorded: &Value) -> Vec<f64> {
    let weight = |text: &String| parse_fraction(text).expect("a fraction").to_f64().value();
    read::<Vec<String>>(recorded).iter().map(weight).collect()
}

/// The running example of the paper: dates of birth, zip codes and heights of eleven people with their health.
#[derive(Debug, Clone)]
pub struct Running {
    /// The admissible partitions of the days of 1900 to 1999, the zip codes and the heights.
    pub lattice: Lattice,
    /// The people of figure 1, by day, zip code and height, counted from the first of each domain.
    pub rows: Rows,
    /// Their health.
    pub health: Vec<u32>,
    /// The least height.
    pub shortest: usize,
    /// The weight of every column.
    pub weights: Vec<f64>,
    /// The granulation of figures 2 and 4.
    pub node: Granulation,
    /// What must come out.
    pub expected: ExpectedRunning,
    /// What the paper prints as the median zip codes of figure 4.
    pub printed_median_zip: Vec<String>,
}

/// The answers about the running example.
#[derive(Debug, Clone, Deserialize)]
pub struct ExpectedRunning {
    /// Number of granulations.
    pub lattice_size: usize,
    /// The classes of the granulation of figure 2.
    #[serde(rename = "classes_tau")]
    pub classes: Vec<Class>,
    /// The people known to have health 1.
    #[serde(rename = "lower_H1")]
    pub known_1: Vec<usize>,
    /// The people known to have health 2.
    #[serde(rename = "lower_H2")]
    pub known_2: Vec<usize>,
    /// The median zip codes of the classes.
    pub fig4_median_zip: Vec<String>,
    /// The median dates of the classes.
    pub fig4_median_date: Vec<String>,
    /// The mean heights of the classes of heights.
    pub fig4_mean_height: Vec<u32>,
    /// The quality of some granulations.
    pub ql: Vec<ExpectedQuality>,
    /// By what everyone wants kept.
    pub con: Vec<ExpectedSecurity>,
}

/// The quality of a granulation.
#[derive(Debug, Clone, Deserialize)]
pub struct ExpectedQuality {
    /// Which one.
    #[serde(rename = "tau")]
    pub node: Granulation,
    /// Its quality.
    pub ql: f64,
}

/// The answers about the running example for one set of confidential values.
#[derive(Debug, Clone, Deserialize)]
pub struct ExpectedSecurity {
    /// The values of health that everyone wants kept.
    pub con_values: Vec<u32>,
    /// Whether the granulation of figure 2 is secure.
    pub tau_secure: bool,
    /// Number of secure granulations.
    pub n_secure: usize,
    /// The most specific of them.
    pub minimal_secure: Vec<Granulation>,
    /// Security of the granulation of figure 2.
    pub sf_tau: f64,
    /// Security of the most specific secure ones.
    pub sf_minimal: Vec<f64>,
}

/// The running example.
pub fn running() -> Running {
    let case = all().into_iter().find(|case| case["id"] == "E.running").expect("the case is recorded");
    let input = &case["input"];
    let people: Vec<(String, String, usize)> = read(&input["rows"]);
    let days = days();
    let (low, high): (usize, usize) = read(&input["domains"]["height"]);
    let (first, last): (String, String) = read(&input["domains"]["ZIP"]);
    let (first, last) = (number(&first), number(&last));
    let person = |(born, zip, height): &(String, String, usize)| vec![day(born), number(zip) - first, height - low];
    let dates: Vec<Partition> = vec![
        (0..days.len()).collect(),
        days.iter().map(|(_, month, year)| 12 * year + month).collect(),
        days.iter().map(|(_, _, year)| *year).collect(),
        vec![0; days.len()],
    ];
    let steps = |low: usize, high: usize, width: usize| (low..=high).map(|value| value / width).collect::<Partition>();
    let zips = [1, 10, 100, 1_000, 10_000, 100_000].map(|width| steps(first, last, width)).to_vec();
    let mut heights = [1, 5, 10, 20].map(|width| steps(low, high, width)).to_vec();
    heights.push(vec![0; high - low + 1]);
    let levels: Vec<Vec<String>> = ["DOB", "ZIP", "height"].map(|column| read(&input["levels"][column])).to_vec();
    let lattice = Lattice::new(vec![dates, zips, heights]);
    assert_eq!(levels.iter().map(Vec::len).collect::<Vec<usize>>(), lattice.sizes());
    Running {
        rows: people.iter().map(person).collect(),
        lattice,
        health: read(&input["sensitive"]),
        shortest: low,
        weights: weights(&input["weights"]),
        node: read(&input["tau"]),
        expected: read(&case["expected"]),
        printed_median_zip: read(&case["printed"]["fig4_median_zip"]),
    }
}

fn number(digits: &str) -> usize {
    digits.parse().expect("a number")
}

/// The days of 1900 to 1999 as day, month and year of the century; 1900 was no leap year.
fn days() -> Vec<(usize, usize, usize)> {
    let length = |month: usize, year: usize| match month {
        2 if year > 0 && year.is_multiple_of(4) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let months = (0..100).flat_map(|year| (1..=12).map(move |month| (month, year)));
    months.flat_map(|(month, year)| (1..=length(month, year)).map(move |day| (day, month, year))).collect()
}

/// The index of a day written as `dd/mm/yy`.
pub fn day(text: &str) -> usize {
    let parts: Vec<usize> = text.split('/').map(number).collect();
    days().iter().position(|&(day, month, year)| parts == [day, month, year]).expect("a day of the century")
}

/// The crossover of section 4.3.
#[derive(Debug, Clone)]
pub struct Crossover {
    /// Partitions by column.
    pub sizes: Vec<usize>,
    /// Both parents.
    pub parents: [Code; 2],
    /// Where they are cut.
    pub cut: usize,
    /// The granulation of the first parent.
    pub decoded: Granulation,
    /// The children as they come out.
    pub raw: [Code; 2],
    /// The children made legal.
    pub repaired: [Code; 2],
}

/// The crossover of section 4.3.
pub fn crossover() -> Crossover {
    let case: Case = read(&all().into_iter().find(|case| case["id"] == "E.GA").expect("the case is recorded"));
    let codes = |texts: &Value| read::<[String; 2]>(texts).map(|text| code(&text));
    let parent = |key: &str| code(&read::<String>(&case.input[key]));
    Crossover {
        sizes: read(&case.input["levels"]),
        parents: [parent("parent1"), parent("parent2")],
        cut: read(&case.input["cut"]),
        decoded: read(&case.expected["decoded_parent1"]),
        raw: codes(&case.expected["children_raw"]),
        repaired: codes(&case.expected["children_fixed"]),
    }
}
