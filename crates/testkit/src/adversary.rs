//! The adversary who knows everything but the sensitive values: Proposition 1 of Xiao, Tao, Koudas 2010 by enumeration.
//!
//! [`beliefs`] runs a mechanism on every instance and answers for every possible release; [`beliefs_of_multiset`] and
//! [`belief_about`] skip the instances with another multiset of values, which cannot lead to the releases asked about.

use std::collections::{BTreeMap, BTreeSet};

use pellucid_model::exact::Fraction;
use pellucid_model::histogram::Histogram;

use crate::instance::{Instance, Output};
use crate::literal::assign::subsets;
use crate::mechanism::Mechanism;
use crate::person::Person;
use crate::principle::Principle;

/// What the adversary believes given one answer of the mechanism.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Belief {
    /// Sum over all instances of the probability of this answer (the denominator of Equation 2).
    pub weight: Fraction,
    /// Number of instances that can lead to it.
    pub instances: u64,
    /// For each person of the external source: value to the probability that the person is in the table with it; zeros
    /// are left out.
    pub posterior: Vec<BTreeMap<u32, Fraction>>,
}

impl Belief {
    fn empty(people: usize) -> Self {
        Self { weight: Fraction::ZERO, instances: 0, posterior: vec![BTreeMap::new(); people] }
    }

    fn add(&mut self, instance: &Instance, probability: &Fraction) {
        self.weight += probability;
        self.instances += 1;
        for &(person, value) in instance.rows() {
            *self.posterior[person].entry(value).or_insert(Fraction::ZERO) += probability;
        }
    }

    fn normalise(&mut self) {
        for share in self.posterior.iter_mut().flat_map(BTreeMap::values_mut) {
            *share = &*share / &self.weight;
        }
    }

    /// The disclosure risk of one person (Definition 3).
    pub fn risk(&self, person: usize) -> Fraction {
        self.posterior[person].values().max().cloned().unwrap_or(Fraction::ZERO)
    }

    /// The largest disclosure risk of anyone.
    pub fn max_risk(&self) -> Fraction {
        (0..self.posterior.len()).map(|person| self.risk(person)).max().unwrap_or(Fraction::ZERO)
    }

    /// The largest belief in one of `values`.
    pub fn max_risk_on(&self, values: &BTreeSet<u32>) -> Fraction {
        let all = self.posterior.iter().flatten();
        all.filter(|(value, _)| values.contains(value)).map(|entry| entry.1).max().cloned().unwrap_or(Fraction::ZERO)
    }
}

/// All instances over `external` that leave out at most `extra` people, with values `0..domain`; the instance without
/// rows is no table and is left out.
pub fn instances(external: &[Person], domain: u32, extra: usize) -> Vec<Instance> {
    let everyone: Vec<usize> = (0..external.len()).collect();
    let mut all = Vec::new();
    for missing in 0..=extra.min(external.len()) {
        for people in subsets(&everyone, external.len() - missing) {
            if people.is_empty() {
                continue;
            }
            for values in assignments(people.len(), domain) {
                all.push(Instance::new(people.iter().copied().zip(values).collect()));
            }
        }
    }
    all
}

/// All sequences of `length` values of `0..domain`.
pub fn assignments(length: usize, domain: u32) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        all = all
            .iter()
            .flat_map(|values: &Vec<u32>| {
                (0..domain).map(move |value| values.iter().copied().chain([value]).collect::<Vec<u32>>())
            })
            .collect();
    }
    all
}

/// All distinct arrangements of a multiset of values.
pub fn arrangements(values: &[u32]) -> Vec<Vec<u32>> {
    fn extend(left: &mut BTreeMap<u32, u64>, prefix: &mut Vec<u32>, length: usize, all: &mut Vec<Vec<u32>>) {
        if prefix.len() == length {
            all.push(prefix.clone());
            return;
        }
        let possible: Vec<u32> = left.iter().filter(|entry| *entry.1 > 0).map(|entry| *entry.0).collect();
        for value in possible {
            *left.get_mut(&value).expect("listed") -= 1;
            prefix.push(value);
            extend(left, prefix, length, all);
            prefix.pop();
            *left.get_mut(&value).expect("listed") += 1;
        }
    }
    let mut left = BTreeMap::new();
    for &value in values {
        *left.entry(value).or_insert(0) += 1;
    }
    let mut all = Vec::new();
    extend(&mut left, &mut Vec::new(), values.len(), &mut all);
    all
}

/// For every possible answer of `mechanism`, what the adversary believes (Proposition 1). Instances are equally likely
/// a priori: those of [`instances`]; `extra = external.len()` gives all subsets of the external source.
pub fn beliefs(
    mechanism: &dyn Mechanism,
    external: &[Person],
    domain: u32,
    extra: usize,
) -> BTreeMap<Option<Output>, Belief> {
    let mut beliefs: BTreeMap<Option<Output>, Belief> = BTreeMap::new();
    for instance in instances(external, domain, extra) {
        for (output, probability) in mechanism.outputs(external, &instance) {
            let belief = beliefs.entry(output).or_insert_with(|| Belief::empty(external.len()));
            belief.add(&instance, &probability);
        }
    }
    for belief in beliefs.values_mut() {
        belief.normalise();
    }
    beliefs
}

/// The same as [`beliefs`] for the releases with this multiset of values only, over all sets of as many people: exact
/// for a mechanism that publishes every row's value unchanged, because other instances cannot lead to such a release.
pub fn beliefs_of_multiset(mechanism: &dyn Mechanism, external: &[Person], values: &[u32]) -> BTreeMap<Output, Belief> {
    let arrangements = arrangements(values);
    let mut beliefs: BTreeMap<Output, Belief> = BTreeMap::new();
    for people in subsets(&(0..external.len()).collect::<Vec<usize>>(), values.len()) {
        for values in &arrangements {
            let instance = Instance::new(people.iter().copied().zip(values.iter().copied()).collect());
            for (output, probability) in mechanism.outputs(external, &instance) {
                let Some(output) = output else { continue };
                let belief = beliefs.entry(output).or_insert_with(|| Belief::empty(external.len()));
                belief.add(&instance, &probability);
            }
        }
    }
    for belief in beliefs.values_mut() {
        belief.normalise();
    }
    beliefs
}

/// What the adversary believes given one release of a mechanism that publishes every row's value unchanged. `None` when
/// no instance leads to it.
pub fn belief_about(mechanism: &dyn Mechanism, external: &[Person], output: &Output) -> Option<Belief> {
    let values: Vec<u32> = output.iter().map(|row| row.1).collect();
    beliefs_of_multiset(mechanism, external, &values).remove(output)
}

/// The largest disclosure risk over all releases; *nothing* is outside Definition 5 and is left out.
pub fn worst_risk(beliefs: &BTreeMap<Option<Output>, Belief>) -> Fraction {
    let releases = beliefs.iter().filter(|entry| entry.0.is_some());
    releases.map(|entry| entry.1.max_risk()).max().unwrap_or(Fraction::ZERO)
}

/// Whether the belief about every person passes `principle`, given that the person is in the table (which is certain
/// when the external source has no other people). The whole table's distribution is that of the values of `output`.
pub fn belief_holds(belief: &Belief, output: &Output, principle: &Principle, domain: u32) -> bool {
    let counts = Histogram::of(output.iter().map(|row| row.1));
    let whole: Vec<u64> = (0..domain).map(|value| counts.count(value)).collect();
    let whole = crate::principle::shares(&whole);
    belief.posterior.iter().all(|posterior| {
        let present = posterior.values().fold(Fraction::ZERO, |sum, share| sum + share);
        if present == Fraction::ZERO {
            return true;
        }
        let given: Vec<Fraction> =
            (0..domain).map(|value| posterior.get(&value).map_or(Fraction::ZERO, |share| share / &present)).collect();
        principle.belief_passes(&given, &whole)
    })
}
