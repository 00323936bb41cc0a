//! Re-identification risk: how likely somebody finds the record of a person, by the models that disclosure officers use.
//!
//! All look at classes of records published alike. Who is known to be in a class of `f` records has one of them; whose record is
//! looked for in a class that `F` people of the population could be in is one of those. What a record then tells is
//! another matter, which principles bound.
//!
//! `F` is counted in a register of the population ([`could_be_in`]). Where there is none, it is taken to be `f`: the population has
//! everybody who is in the table, so the risk is at most what is stated.
//!
//! # Reference
//! El Emam: Guide to the De-Identification of Personal Health Information, CRC Press 2013, chapters 15 and 16.

mod models;
mod population;

use std::fmt::Debug;

pub use population::could_be_in;

use pellucid_model::exact::Fraction;
use pellucid_model::registry::{EntryArgs, RegistryEntry};

/// Records and people by class.
#[derive(Debug, Clone, Copy)]
pub struct ClassSizes<'a> {
    /// Released records.
    pub records: &'a [u64],
    /// People of the population who could be in the class, where the population is known.
    pub population: Option<&'a [u64]>,
}

impl ClassSizes<'_> {
    /// Of every class, its records and the people who could be in it: at least as many.
    fn pairs(&self) -> impl Iterator<Item = (u64, u64)> {
        let people =
            |at: usize, records: u64| self.population.and_then(|people| people.get(at).copied()).unwrap_or(records);
        self.records.iter().enumerate().map(move |(at, &records)| (records, people(at, records).max(records)))
    }

    /// All records.
    fn total(&self) -> u64 {
        self.records.iter().sum()
    }
}

/// How likely records are found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReidentificationRisk {
    /// The highest probability of a record; `None` where the model knows only all records together.
    pub highest: Option<Fraction>,
    /// The mean over all records.
    pub average: Fraction,
    /// The share of records whose probability is above the threshold; `None` as above.
    pub above: Option<Fraction>,
}

/// A model of somebody who looks for records.
pub trait RiskModel: Debug + Send + Sync {
    /// Measures; a release without records has no risk.
    fn assess(&self, sizes: ClassSizes<'_>, threshold: &Fraction) -> ReidentificationRisk;
}

/// All models.
pub static RISKS: &[RegistryEntry<dyn RiskModel>] = &[models::PROSECUTOR, models::JOURNALIST, models::MARKETER];

/// What every model says of `sizes`, in the order of [`RISKS`].
pub fn assess(
    sizes: ClassSizes<'_>,
    threshold: &Fraction,
) -> Vec<(&'static RegistryEntry<dyn RiskModel>, ReidentificationRisk)> {
    let of_model = |entry: &'static RegistryEntry<dyn RiskModel>| {
        let model = entry.make(&EntryArgs::new()).expect("models of risk take no parameters");
        (entry, model.assess(sizes, threshold))
    };
    RISKS.iter().map(of_model).collect()
}
