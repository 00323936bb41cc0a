//! The genetic search: for lattices too large to walk.

use hashbrown::HashMap;
use pellucid_model::error::{Error, Result};
use pellucid_model::exact::Fraction;
use pellucid_model::exact::decimal;
use pellucid_model::registry::{EntryArgs, NO_PARAMETERS, ParamKind, ParamSpec, ProofStatus, RegistryEntry};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::LatticeSearch;
use super::instance::SearchInstance;
use super::lattice::{GranulationLattice, GranulationLevels};
use super::measure::BoundMeasure;
use super::state::{BestSoFar, PassingNode, SearchEffort, SearchLimits, SearchState};

/// The registry entry.
pub const ENTRY: RegistryEntry<dyn LatticeSearch> = RegistryEntry {
    id: "genetic",
    summary: "populations of granulations, for lattices too large to walk; good, not always the best",
    reference: "Wang, Liau, Hsu: Granulation as a Privacy Protection Mechanism, TRS VII, 2007, section 4.3",
    status: ProofStatus::Published,
    claims: &[],
    examples: NO_PARAMETERS,
    params: PARAMS,
    build: |args| Ok(Box::new(GeneticSearch::new(args)?)),
};

/// The parameters of a genetic search.
pub const PARAMS: &[ParamSpec] = &[
    ParamSpec {
        name: "population",
        kind: ParamKind::Integer { min: 2 },
        default: Some("60"),
        help: "granulations in a generation",
    },
    ParamSpec {
        name: "generations",
        kind: ParamKind::Integer { min: 1 },
        default: Some("150"),
        help: "how many generations",
    },
    ParamSpec {
        name: "crossover",
        kind: ParamKind::Number,
        default: Some("0.8"),
        help: "probability that two selected granulations are crossed",
    },
    ParamSpec {
        name: "points",
        kind: ParamKind::Choice(&["1", "2"]),
        default: Some("2"),
        help: "cut points of a crossover",
    },
    ParamSpec {
        name: "mutation",
        kind: ParamKind::Number,
        default: Some("0.03"),
        help: "probability that a bit is flipped",
    },
    ParamSpec {
        name: "seed",
        kind: ParamKind::Integer { min: 0 },
        default: Some("1"),
        help: "where the random choices of the search start; the same seed finds the same",
    },
];

/// The binary encoding of granulations: for every column as few bits as number its partitions.
#[derive(Debug, Clone)]
pub struct GranulationGenome {
    sizes: Vec<u32>,
    bits: Vec<u32>,
}

impl GranulationGenome {
    /// The encoding for columns with `sizes` partitions.
    pub fn new(sizes: Vec<u32>) -> Self {
        let bits = sizes.iter().map(|&size| u32::BITS - size.saturating_sub(1).leading_zeros()).collect();
        Self { sizes, bits }
    }

    /// The encoding for the columns of `lattice`.
    pub fn of(lattice: &GranulationLattice) -> Self {
        Self::new(lattice.columns().iter().map(|column| column.partitions().len() as u32).collect())
    }

    /// Number of bits.
    pub fn len(&self) -> usize {
        self.bits.iter().sum::<u32>() as usize
    }

    /// Whether there is nothing to choose.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bits of a granulation, the highest bit of each column first.
    pub fn encode(&self, levels: &[u32]) -> Vec<bool> {
        let bits = levels.iter().zip(&self.bits);
        bits.flat_map(|(&level, &bits)| (0..bits).rev().map(move |bit| level >> bit & 1 == 1)).collect()
    }

    /// The granulation of a code; a number that stands for no partition is taken modulo the number of partitions.
    pub fn decode(&self, code: &[bool]) -> GranulationLevels {
        let mut rest = code;
        let columns = self.sizes.iter().zip(&self.bits).map(|(&size, &bits)| {
            let (field, tail) = rest.split_at(bits as usize);
            rest = tail;
            field.iter().fold(0, |number, &bit| number << 1 | u32::from(bit)) % size
        });
        columns.collect()
    }
}

/// Exchanges what lies between the cut points: after the only one, or from the first to before the second.
pub fn cross(a: &mut [bool], b: &mut [bool], cuts: &[usize]) {
    let end = cuts.get(1).copied().unwrap_or(a.len());
    let start = cuts.first().copied().unwrap_or(a.len()).min(end);
    a[start..end].swap_with_slice(&mut b[start..end]);
}

/// Figure 7 with the standard genetic algorithm: roulette selection, crossover, mutation; the best granulation so far
/// is carried over unchanged. After the last generation it is improved step by step as long as a direct neighbour is better.
///
/// # Guarantee
/// What it gives passes, and nothing that it looked at is better; something else may be.
/// # Cost
/// At most population times generations checks; a granulation that comes again is not checked again.
#[derive(Debug)]
pub struct GeneticSearch {
    population: usize,
    generations: u64,
    crossover: f64,
    mutation: f64,
    points: usize,
    seed: u64,
}

impl GeneticSearch {
    /// From checked arguments.
    pub fn new(args: &EntryArgs) -> Result<Self> {
        let rate = |name: &str| {
            let rate = args.number(name)?;
            if rate < Fraction::ZERO || rate > Fraction::ONE {
                return Err(Error::invalid(format!("`{name}` is a probability; give a number from 0 to 1")));
            }
            Ok(decimal(&rate))
        };
        Ok(Self {
            population: args.integer("population")? as usize,
            generations: args.integer("generations")?,
            crossover: rate("crossover")?,
            mutation: rate("mutation")?,
            points: args.integer("points")? as usize,
            seed: args.integer("seed")?,
        })
    }
}

impl LatticeSearch for GeneticSearch {
    fn minimal(
        &self,
        _ground: &SearchInstance<'_>,
        _limits: &SearchLimits<'_>,
    ) -> Result<(Vec<PassingNode>, SearchEffort)> {
        Err(Error::invalid(
            "a genetic search finds one good granulation, not all maximally specific ones; use search = \"fast\", or find = \
             \"best\"",
        ))
    }

    fn best(
        &self,
        ground: &SearchInstance<'_>,
        gauge: &dyn BoundMeasure,
        limits: &SearchLimits<'_>,
    ) -> Result<(Option<PassingNode>, SearchEffort)> {
        let genome = GranulationGenome::of(ground.lattice());
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let mut walk = SearchState::new(ground, Some(gauge), limits);
        let mut champion = BestSoFar::default();
        let mut known: HashMap<GranulationLevels, Worth> = HashMap::new();
        let draw =
            |random: &mut ChaCha8Rng, genome: &GranulationGenome| (0..genome.len()).map(|_| random.random()).collect();
        let mut people: Vec<Vec<bool>> = (0..self.population).map(|_| draw(&mut random, &genome)).collect();
        // The least specific granulation passes whenever anything monotone does, so that there is something to start from.
        people[0] = genome.encode(&ground.lattice().top());
        for generation in 0..self.generations {
            walk.tell(generation, self.generations)?;
            let levels: Vec<GranulationLevels> = people.iter().map(|code| genome.decode(code)).collect();
            let mut fresh: Vec<GranulationLevels> =
                levels.iter().filter(|levels| !known.contains_key(*levels)).cloned().collect();
            fresh.sort();
            fresh.dedup();
            for (levels, (passes, hit, _)) in fresh.iter().zip(walk.look_at(&fresh)) {
                let worth = match &hit.score {
                    Some(score) => Worth::Cost(score.at_least()),
                    None => Worth::Failing(hit.suppressed as f64 / ground.rows().max(1) as f64),
                };
                known.insert(levels.clone(), worth);
                if passes {
                    champion.challenge(ground, hit);
                }
            }
            let fitness = fitness(&levels.iter().map(|levels| known[levels]).collect::<Vec<_>>());
            let best = champion.levels().map(|levels| genome.encode(levels));
            people = self.next(&people, &fitness, best, &mut random);
        }
        descend(ground, &mut walk, &mut champion);
        Ok((champion.into_hit(), walk.effort()))
    }

    fn is_exact(&self) -> bool {
        false
    }
}

/// From the best granulation on to its best direct neighbour, more or less specific by one step, as long as that is better.
fn descend(ground: &SearchInstance<'_>, walk: &mut SearchState<'_>, champion: &mut BestSoFar) {
    let columns = ground.lattice().columns();
    while let Some(best) = champion.levels().cloned() {
        let step = |at: usize, level: u32| {
            let mut levels = best.clone();
            levels[at] = level;
            levels
        };
        let near = columns.iter().enumerate().flat_map(|(at, column)| {
            let around = column.predecessors(best[at]).iter().chain(column.successors(best[at]));
            around.map(|&level| step(at, level)).collect::<Vec<_>>()
        });
        for (passes, hit, _) in walk.look_at(&near.collect::<Vec<_>>()) {
            if passes {
                champion.challenge(ground, hit);
            }
        }
        if champion.levels() == Some(&best) {
            break;
        }
    }
}

/// What is known of a granulation.
#[derive(Debug, Clone, Copy)]
enum Worth {
    /// It passes and costs so much.
    Cost(f64),
    /// It fails, and such a share of the rows is in failing classes.
    Failing(f64),
}

/// Positive fitness for the roulette: among passing granulations linear in the cost, from 1 for the costliest of the
/// generation to 10 for the cheapest; below 1, and the lower the more rows fail, for failing ones.
fn fitness(worths: &[Worth]) -> Vec<f64> {
    let costs = || worths.iter().filter_map(|worth| if let Worth::Cost(cost) = worth { Some(*cost) } else { None });
    let (low, high) =
        costs().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), cost| (low.min(cost), high.max(cost)));
    let of = |worth: &Worth| match worth {
        Worth::Cost(cost) if high > low => 1.0 + 9.0 * (high - cost) / (high - low),
        Worth::Cost(_) => 1.0,
        Worth::Failing(share) => 0.01 + 0.5 * (1.0 - share),
    };
    worths.iter().map(of).collect()
}

impl GeneticSearch {
    /// The next generation.
    fn next(
        &self,
        people: &[Vec<bool>],
        fitness: &[f64],
        best: Option<Vec<bool>>,
        random: &mut ChaCha8Rng,
    ) -> Vec<Vec<bool>> {
        let total: f64 = fitness.iter().sum();
        let mut next: Vec<Vec<bool>> = best.into_iter().collect();
        while next.len() < people.len() {
            let mut pair = [(); 2].map(|()| people[spin(fitness, total, random)].clone());
            let [a, b] = &mut pair;
            if random.random::<f64>() < self.crossover && a.len() > 1 {
                let mut cuts: Vec<usize> = (0..self.points).map(|_| random.random_range(1..a.len())).collect();
                cuts.sort_unstable();
                cross(a, b, &cuts);
            }
            for mut child in pair {
                for bit in &mut child {
                    *bit ^= random.random::<f64>() < self.mutation;
                }
                if next.len() < people.len() {
                    next.push(child);
                }
            }
        }
        next
    }
}

/// Roulette: each index with a probability proportional to its fitness.
fn spin(fitness: &[f64], total: f64, random: &mut impl Rng) -> usize {
    let mut left = random.random::<f64>() * total;
    fitness
        .iter()
        .position(|&part| {
            left -= part;
            left < 0.0
        })
        .unwrap_or(fitness.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(text: &str) -> Vec<bool> {
        text.bytes().map(|byte| byte == b'1').collect()
    }

    #[test]
    fn the_example_of_section_4_3_comes_out() {
        // Four partitions of the date of birth, six of the ZIP code, five of the height.
        let genome = GranulationGenome::new(vec![4, 6, 5]);
        let (mut a, mut b) = (bits("01011010"), bits("00100101"));
        assert_eq!(*genome.decode(&a), [1, 3, 2]);
        cross(&mut a, &mut b, &[3]);
        assert_eq!((a.clone(), b.clone()), (bits("01000101"), bits("00111010")));
        assert_eq!(genome.encode(&genome.decode(&a)), bits("01000000"));
        assert_eq!(genome.encode(&genome.decode(&b)), bits("00001010"));
    }

    #[test]
    fn two_points_exchange_what_lies_between_them() {
        let (mut a, mut b) = (bits("0100111001"), bits("1000100111"));
        cross(&mut a, &mut b, &[3, 7]);
        assert_eq!((a, b), (bits("0100100001"), bits("1000111111")));
    }

    #[test]
    fn the_roulette_favours_the_fit() {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let mut hits = [0; 3];
        for _ in 0..4000 {
            hits[spin(&[1.0, 2.0, 5.0], 8.0, &mut random)] += 1;
        }
        assert!(hits[0] > 350 && hits[0] < 650 && hits[2] > 2250 && hits[2] < 2750, "{hits:?}");
    }
}
