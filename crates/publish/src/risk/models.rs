//! The three models of the literature.

use std::collections::BTreeMap;

use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::registry::{NO_PARAMETERS, ProofStatus, RegistryEntry};

use super::{ClassSizes, ReidentificationRisk, RiskModel};

/// Who knows that a person is in the table: a record of a class of `f` is the person's with probability `1/f`.
pub const PROSECUTOR: RegistryEntry<dyn RiskModel> = RegistryEntry {
    id: "prosecutor",
    summary: "looks for a person who is known to be in the table: 1 / records of the class",
    reference: "El Emam: Guide to the De-Identification of Personal Health Information, CRC Press 2013",
    status: ProofStatus::Published,
    claims: &[],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Prosecutor)),
};

/// Who wants to find anybody, with a register of the population: a record of a class that `F` people could be in is that of the
/// person picked with probability `1/F`.
pub const JOURNALIST: RegistryEntry<dyn RiskModel> = RegistryEntry {
    id: "journalist",
    summary: "finds anybody with a register of the population: 1 / people who could be in the class",
    reference: "El Emam: Guide to the De-Identification of Personal Health Information, CRC Press 2013",
    status: ProofStatus::Published,
    claims: &[],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Journalist)),
};

/// Who matches all records with the register: the share of records that are expected to be matched rightly.
pub const MARKETER: RegistryEntry<dyn RiskModel> = RegistryEntry {
    id: "marketer",
    summary: "matches all records with the register: share expected to be matched rightly",
    reference: "Dankar, El Emam: A Method for Evaluating Marketer Re-Identification Risk, EDBT/ICDT Workshops 2010",
    status: ProofStatus::Published,
    claims: &[],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Marketer)),
};

#[derive(Debug)]
struct Prosecutor;

impl RiskModel for Prosecutor {
    fn assess(&self, sizes: ClassSizes<'_>, threshold: &Fraction) -> ReidentificationRisk {
        of_pairs(ClassSizes { population: None, ..sizes }, threshold)
    }
}

#[derive(Debug)]
struct Journalist;

impl RiskModel for Journalist {
    fn assess(&self, sizes: ClassSizes<'_>, threshold: &Fraction) -> ReidentificationRisk {
        of_pairs(sizes, threshold)
    }
}

#[derive(Debug)]
struct Marketer;

impl RiskModel for Marketer {
    fn assess(&self, sizes: ClassSizes<'_>, threshold: &Fraction) -> ReidentificationRisk {
        ReidentificationRisk { highest: None, above: None, ..of_pairs(sizes, threshold) }
    }
}

/// Every record of a class has probability `1 / people`.
fn of_pairs(sizes: ClassSizes<'_>, threshold: &Fraction) -> ReidentificationRisk {
    // Equal numbers of people are added up first: fractions are slow, and there are few of these numbers.
    let mut records_by_people: BTreeMap<u64, u64> = BTreeMap::new();
    for (records, people) in sizes.pairs().filter(|&(records, _)| records > 0) {
        *records_by_people.entry(people).or_default() += records;
    }
    let total = sizes.total().max(1);
    let risks = || records_by_people.iter().map(|(&people, &records)| (fraction(1, people), records));
    let expected = risks().fold(Fraction::ZERO, |sum, (risk, records)| sum + risk * Fraction::from(records));
    let above: u64 = risks().filter(|(risk, _)| risk > threshold).map(|(_, records)| records).sum();
    ReidentificationRisk {
        highest: Some(risks().next().map_or(Fraction::ZERO, |(risk, _)| risk)),
        average: expected / Fraction::from(total),
        above: Some(fraction(above, total)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::assess;
    use super::*;

    fn found(records: &[u64], population: Option<&[u64]>) -> Vec<ReidentificationRisk> {
        assess(ClassSizes { records, population }, &fraction(1, 5u8)).into_iter().map(|(_, found)| found).collect()
    }

    #[test]
    fn without_a_register_all_models_count_records() {
        let [prosecutor, journalist, marketer] = &found(&[2, 5, 3], None)[..] else { panic!("three models") };
        // 10 records in 3 classes; those of the classes of 2 and 3 are above 1/5.
        let expected = ReidentificationRisk {
            highest: Some(fraction(1, 2u8)),
            average: fraction(3, 10u8),
            above: Some(fraction(1, 2u8)),
        };
        assert_eq!(*prosecutor, expected);
        assert_eq!(journalist, prosecutor);
        assert_eq!(*marketer, ReidentificationRisk { highest: None, above: None, ..expected });
    }

    #[test]
    fn a_register_hides_records_among_more_people() {
        let [prosecutor, journalist, marketer] = &found(&[2, 3], Some(&[4, 30]))[..] else { panic!("three models") };
        assert_eq!(prosecutor.highest, Some(fraction(1, 2u8)));
        assert_eq!(journalist.highest, Some(fraction(1, 4u8)));
        assert_eq!(journalist.above, Some(fraction(2, 5u8)));
        // (2/4 + 3/30) / 5.
        assert_eq!(marketer.average, fraction(3, 25u8));
    }

    #[test]
    fn nobody_is_found_where_there_is_nobody() {
        for found in found(&[], None) {
            assert_eq!(found.average, Fraction::ZERO);
        }
    }
}
