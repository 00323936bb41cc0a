//! Random small tables with admissible partitions, confidential sentences, principles and limits of suppression,
//! reproducible from a seed. For tests only.

use std::collections::{BTreeMap, BTreeSet};

use pellucid_model::exact::fraction;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::literal::granulation::lattice::{Lattice, Partition, Rows};
use crate::literal::granulation::measure::{self, Damages};
use crate::literal::granulation::secrets::Secrets;
use crate::principle::Principle;

/// How the partitions of a column are drawn. The partition into single values comes first, all values in one block last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Each joins blocks of the one before, or is the same again: the levels of a hierarchy.
    Chain,
    /// Two chains that know nothing of each other, one of them of one partition or none, in any order.
    TwoChains,
    /// Any partitions, in any order.
    Arbitrary,
}

/// A table with everything that can be asked about its granulations, as plain data.
#[derive(Debug, Clone)]
pub struct LatticeCase {
    /// The admissible partitions by column.
    pub columns: Vec<Vec<Partition>>,
    /// How they were drawn.
    pub shapes: Vec<Shape>,
    /// By row and column, the index of the value.
    pub rows: Rows,
    /// A sensitive value per row.
    pub sensitive: Vec<u32>,
    /// Number of sensitive values; not all of them need occur.
    pub domain: u32,
    /// Sentences, each by the sensitive values of which it is true.
    pub sentences: Vec<BTreeSet<u32>>,
    /// By row, the numbers of the sentences that the person wants kept; for some nobody, for some the same for all.
    pub confidential: Vec<BTreeSet<usize>>,
    /// By row, the damage of every sentence that the person wants kept; above 0, not scaled.
    pub damages: Vec<BTreeMap<usize, u32>>,
    /// By sentence, a share of the population above 0 as numerator and denominator; `None` to take the table's.
    pub priors: Option<Vec<(u32, u32)>>,
    /// The weight of every column, not scaled; at least one is above 0.
    pub weights: Vec<u32>,
    /// What every class must pass.
    pub principle: Principle,
    /// How many rows may be suppressed.
    pub limit: usize,
}

impl LatticeCase {
    /// The granulations with their order.
    pub fn lattice(&self) -> Lattice {
        Lattice::new(self.columns.clone())
    }

    /// What people want kept.
    pub fn secrets(&self) -> Secrets {
        let truths = |value: &u32| self.sentences.iter().map(|sentence| sentence.contains(value)).collect();
        Secrets { truth: self.sensitive.iter().map(truths).collect(), confidential: self.confidential.clone() }
    }

    /// Damages, scaled to 1 for every person.
    pub fn scaled_damages(&self) -> Damages {
        let plain = |own: &BTreeMap<usize, u32>| own.iter().map(|(&at, &damage)| (at, f64::from(damage))).collect();
        measure::normalized(&self.damages.iter().map(plain).collect())
    }

    /// By sentence, the prior probability.
    pub fn prior_shares(&self) -> Vec<f64> {
        let share = |&(numerator, denominator): &(u32, u32)| f64::from(numerator) / f64::from(denominator);
        let given = self.priors.as_ref().map(|priors| priors.iter().map(share).collect());
        given.unwrap_or_else(|| measure::priors(&self.secrets()))
    }

    /// Weights, scaled to 1.
    pub fn scaled_weights(&self) -> Vec<f64> {
        let total: u32 = self.weights.iter().sum();
        self.weights.iter().map(|&weight| f64::from(weight) / f64::from(total)).collect()
    }
}

/// One to `columns` columns whose partitions are drawn in any way, and one to `rows` rows.
pub fn lattice_case(rng: &mut ChaCha8Rng, rows: usize, columns: usize) -> LatticeCase {
    let count = rng.random_range(1..=columns);
    let any = [Shape::Chain, Shape::Chain, Shape::TwoChains, Shape::TwoChains, Shape::Arbitrary];
    let shapes: Vec<Shape> = (0..count).map(|_| any[rng.random_range(0..any.len())]).collect();
    shaped(rng, rows, &shapes)
}

/// One to `columns` columns with a hierarchy each, and one to `rows` rows.
pub fn chain_case(rng: &mut ChaCha8Rng, rows: usize, columns: usize) -> LatticeCase {
    let count = rng.random_range(1..=columns);
    shaped(rng, rows, &vec![Shape::Chain; count])
}

/// One to `rows` rows, and a column for every shape. The more columns, the fewer partitions has each: a few hundred
/// granulations at most.
pub fn shaped(rng: &mut ChaCha8Rng, rows: usize, shapes: &[Shape]) -> LatticeCase {
    let people = rng.random_range(1..=rows).max(rng.random_range(1..=rows));
    let most = [8, 8, 7, 6, 4][shapes.len().min(4)];
    let columns: Vec<Vec<Partition>> = shapes.iter().map(|&shape| partitions(rng, most, shape)).collect();
    let row = |rng: &mut ChaCha8Rng| columns.iter().map(|column| rng.random_range(0..column[0].len())).collect();
    let rows: Rows = (0..people).map(|_| row(rng)).collect();
    // With a value of their own for everyone, sentences are true of any set of people.
    let own_values = rng.random_range(0..4) == 0;
    let domain = if own_values { people as u32 } else { rng.random_range(1..=4) };
    let mut sensitive: Vec<u32> =
        (0..people as u32).map(|row| if own_values { row } else { rng.random_range(0..domain) }).collect();
    sensitive.shuffle(rng);
    let sentence = |rng: &mut ChaCha8Rng| {
        let odds = rng.random_range(1..=3);
        (0..domain).filter(|_| rng.random_range(0..4) < odds).collect::<BTreeSet<u32>>()
    };
    let sentences: Vec<BTreeSet<u32>> = (0..rng.random_range(1..=4)).map(|_| sentence(rng)).collect();
    let confidential = confidential(rng, people, sentences.len());
    let damage = |rng: &mut ChaCha8Rng, own: &BTreeSet<usize>| {
        own.iter().map(|&at| (at, rng.random_range(1..=5))).collect::<BTreeMap<usize, u32>>()
    };
    let damages = confidential.iter().map(|own| damage(rng, own)).collect();
    let prior = |rng: &mut ChaCha8Rng| {
        let denominator = rng.random_range(1..=8);
        (rng.random_range(1..=denominator), denominator)
    };
    let priors = (rng.random_range(0..2) == 0).then(|| sentences.iter().map(|_| prior(rng)).collect());
    let mut weights: Vec<u32> = shapes.iter().map(|_| rng.random_range(0..=3)).collect();
    if weights.iter().all(|&weight| weight == 0) {
        weights.fill(1);
    }
    let limit = if rng.random_range(0..3) == 0 { 0 } else { rng.random_range(0..=people / 2) };
    LatticeCase {
        columns,
        shapes: shapes.to_vec(),
        rows,
        domain,
        sensitive,
        sentences,
        confidential,
        damages,
        priors,
        weights,
        principle: principle(rng),
        limit,
    }
}

/// The same sentences for all, or some for everyone, and for some nobody's.
fn confidential(rng: &mut ChaCha8Rng, people: usize, sentences: usize) -> Vec<BTreeSet<usize>> {
    let some = |rng: &mut ChaCha8Rng, odds: u32| {
        (0..sentences).filter(|_| rng.random_range(0..4) < odds).collect::<BTreeSet<usize>>()
    };
    if rng.random_range(0..3) == 0 {
        return vec![some(rng, 3); people];
    }
    let odds = rng.random_range(1..=3);
    (0..people).map(|_| some(rng, odds)).collect()
}

/// Principles that joining classes keeps, most of them only where nothing is suppressed, and one that joining breaks.
fn principle(rng: &mut ChaCha8Rng) -> Principle {
    match rng.random_range(0..8) {
        0 | 1 => Principle::KAnonymity { k: rng.random_range(2..=5) },
        2 => Principle::Distinct { l: rng.random_range(2..=3) },
        3 => Principle::Ratio { ratio: fraction(rng.random_range(1..=3), 4u8) },
        4 => Principle::Recursive { c: fraction(rng.random_range(1..=6), 2u8), l: rng.random_range(2..=3) },
        5 => Principle::Entropy { l: fraction(rng.random_range(3..=6), 2u8) },
        6 => Principle::EqualCloseness { t: fraction(rng.random_range(1..=4), 8u8) },
        _ => Principle::Band { delta: fraction(rng.random_range(2..=3), 4u8), eps: fraction(1, 3u8) },
    }
}

/// Two to `most` partitions of up to eight values; a column of one value has the same partition first and last.
fn partitions(rng: &mut ChaCha8Rng, most: usize, shape: Shape) -> Vec<Partition> {
    let values = match (rng.random_range(0..12), shape) {
        (0, _) => 1,
        (_, Shape::TwoChains) => rng.random_range(5..=8),
        _ => rng.random_range(2..=7),
    };
    let room = most - 2;
    let bottom: Partition = (0..values).collect();
    let mut between = match shape {
        Shape::Chain => {
            let length = rng.random_range(0..=room);
            chain(rng, &bottom, length)
        }
        Shape::TwoChains => {
            let length = rng.random_range(room / 2..=room);
            let short = rng.random_range(0..=1);
            [chain(rng, &bottom, short), chain(rng, &bottom, length - short)].concat()
        }
        Shape::Arbitrary => {
            let any = |rng: &mut ChaCha8Rng| (0..values).map(|_| rng.random_range(0..values)).collect();
            (0..rng.random_range(0..=room)).map(|_| any(rng)).collect()
        }
    };
    if shape != Shape::Chain {
        between.shuffle(rng);
    }
    [vec![bottom], between, vec![vec![0; values]]].concat()
}

/// `length` partitions above `bottom`, each joining two or three blocks of the one before as long as there are as many;
/// some join nothing.
fn chain(rng: &mut ChaCha8Rng, bottom: &Partition, length: usize) -> Vec<Partition> {
    let mut chain = Vec::new();
    let mut last = bottom.clone();
    for _ in 0..length {
        let mut blocks: Vec<usize> = last.iter().copied().collect::<BTreeSet<usize>>().into_iter().collect();
        blocks.shuffle(rng);
        blocks.truncate([1, 2, 2, 2, 2, 2, 3, 3][rng.random_range(0..8usize)]);
        last.iter_mut().filter(|block| blocks.contains(block)).for_each(|block| *block = blocks[0]);
        chain.push(last.clone());
    }
    chain
}
