//! The measures of sections 4.1 and 4.2: security `sf` and quality `ql`.

use std::collections::{BTreeMap, BTreeSet};

use super::lattice::{Class, Lattice, Partition};
use super::secrets::Secrets;

/// Damage by row and sentence.
pub type Damages = Vec<BTreeMap<usize, f64>>;

/// The same damage for every sentence that a person wants kept, 1 altogether.
pub fn even_damages(secrets: &Secrets) -> Damages {
    let even = |kept: &BTreeSet<usize>| kept.iter().map(|&sentence| (sentence, 1.0 / kept.len() as f64)).collect();
    secrets.confidential.iter().map(even).collect()
}

/// Damages scaled to 1 for every person who has any.
pub fn normalized(damages: &Damages) -> Damages {
    let scaled = |own: &BTreeMap<usize, f64>| {
        let total: f64 = own.values().sum();
        own.iter().map(|(&sentence, damage)| (sentence, damage / total)).collect()
    };
    damages.iter().map(scaled).collect()
}

/// By sentence, the share of the table of which it is true.
pub fn priors(secrets: &Secrets) -> Vec<f64> {
    let people = secrets.truth.len() as f64;
    (0..secrets.sentences()).map(|sentence| secrets.meaning(sentence).len() as f64 / people).collect()
}

/// By how much seeing `posterior` instead of `prior` tells about a sentence: `max((ln Pr - ln Prt) / ln Pr, 0)`.
///
/// Where the quotient is not defined its limit is taken: 0 when the sentence is certain beforehand, 0 when it is known
/// to be false afterwards, 1 when it was held impossible and is not.
pub fn gain(prior: f64, posterior: f64) -> f64 {
    if prior >= 1.0 || posterior <= 0.0 {
        0.0
    } else if prior <= 0.0 {
        1.0
    } else {
        ((prior.ln() - posterior.ln()) / prior.ln()).max(0.0)
    }
}

/// The risk to a person: damage times gain, over the sentences that the person wants kept. Whoever is in no class, being
/// suppressed, has risk 0.
pub fn risk(classes: &[Class], secrets: &Secrets, damages: &Damages, priors: &[f64], row: usize) -> f64 {
    let Some(class) = classes.iter().find(|class| class.contains(&row)) else { return 0.0 };
    let mut sum = 0.0;
    for &sentence in &secrets.confidential[row] {
        let satisfying = class.iter().filter(|&&other| secrets.truth[other][sentence]).count();
        let posterior = satisfying as f64 / class.len() as f64;
        sum += damages[row][&sentence] * gain(priors[sentence], posterior);
    }
    sum
}

/// The security measure: 1 minus the mean risk.
pub fn sf(classes: &[Class], secrets: &Secrets, damages: &Damages, priors: &[f64]) -> f64 {
    let people = secrets.truth.len();
    let sum: f64 = (0..people).map(|row| risk(classes, secrets, damages, priors, row)).sum();
    1.0 - sum / people as f64
}

/// The entropy of a partition of a domain.
pub fn entropy(partition: &Partition) -> f64 {
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    for &block in partition {
        *sizes.entry(block).or_default() += 1;
    }
    let share = |size: usize| size as f64 / partition.len() as f64;
    sizes.values().map(|&size| -share(size) * share(size).ln()).sum()
}

/// The quality of a granulation. A column of one value, which has no entropy to keep, counts 0.
pub fn ql(lattice: &Lattice, node: &[usize], weights: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (column, weight) in weights.iter().enumerate() {
        let partition = lattice.partition(node, column);
        if partition.len() > 1 {
            sum += weight * entropy(partition) / (partition.len() as f64).ln();
        }
    }
    sum
}
