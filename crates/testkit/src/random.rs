//! Random external sources and tables, small ones and large ones, reproducible from a seed. For tests only.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::instance::Instance;
use crate::person::Person;

/// A generator that gives the same tables for the same seed.
pub fn generator(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// `people` people with `attributes` quasi attributes, each drawn from `0..size` for a random small size of at most
/// `largest`: ties are common. Identifiers are a random permutation, so that they do not follow the index.
pub fn external(rng: &mut ChaCha8Rng, people: usize, attributes: usize, largest: i64) -> Vec<Person> {
    let sizes: Vec<i64> = (0..attributes).map(|_| rng.random_range(1..=largest)).collect();
    let mut ids: Vec<u32> = (0..people as u32).collect();
    for at in (1..people).rev() {
        ids.swap(at, rng.random_range(0..=at));
    }
    ids.into_iter()
        .map(|id| Person::new(id, sizes.iter().map(|&size| rng.random_range(0..size)).collect::<Vec<i64>>()))
        .collect()
}

/// A random source of up to `most` people with many ties.
pub fn tied(rng: &mut ChaCha8Rng, most: usize) -> Vec<Person> {
    let (people, attributes) = (rng.random_range(2..=most), rng.random_range(1..=3));
    let largest = [1, 2, 3, 5, 9][rng.random_range(0..5usize)];
    external(rng, people, attributes, largest)
}

/// Everyone of an external source of `people` people, with values of `0..domain`.
pub fn instance(rng: &mut ChaCha8Rng, people: usize, domain: u32) -> Instance {
    Instance::of_all(&(0..people).map(|_| rng.random_range(0..domain)).collect::<Vec<u32>>())
}

/// A shape of large tables: number of people, and for every attribute how its values are drawn.
#[derive(Debug, Clone)]
pub struct Shape {
    /// Number of people.
    pub people: usize,
    /// How the values of every attribute are drawn.
    pub attributes: Vec<Draw>,
}

/// How the values of one attribute are drawn.
#[derive(Debug, Clone, Copy)]
pub enum Draw {
    /// Evenly from `0..n`.
    Even(i64),
    /// From the whole range of 64-bit integers.
    Huge,
    /// Powers of two, of either sign.
    Powers,
    /// A few values far out, the rest in `0..n`.
    Outliers(i64),
}

impl Draw {
    fn draw(self, rng: &mut ChaCha8Rng) -> i64 {
        match self {
            Self::Even(size) => rng.random_range(0..size),
            Self::Huge => [i64::MIN, i64::MAX, rng.random(), rng.random()][rng.random_range(0..4usize)],
            Self::Powers => (1i64 << rng.random_range(0..63)) * [1, -1][rng.random_range(0..2usize)],
            Self::Outliers(size) => match rng.random_range(0..40) {
                0 => -1_000_000 * size,
                1 => 1_000_000 * size,
                _ => rng.random_range(0..size),
            },
        }
    }
}

impl Shape {
    /// One to four attributes of all kinds, most of them drawn evenly from few or many values.
    pub fn random(rng: &mut ChaCha8Rng, people: usize) -> Self {
        let attributes = rng.random_range(1..=4);
        let draw = |rng: &mut ChaCha8Rng| match rng.random_range(0..8) {
            0 => Draw::Huge,
            1 => Draw::Powers,
            2 => Draw::Outliers([2, 20, 1000][rng.random_range(0..3usize)]),
            _ => Draw::Even([1, 2, 3, 10, 100, 1000][rng.random_range(0..6usize)]),
        };
        Self { people, attributes: (0..attributes).map(|_| draw(rng)).collect() }
    }

    /// People of this shape. Identifiers are a random permutation.
    pub fn people(&self, rng: &mut ChaCha8Rng) -> Vec<Person> {
        let mut ids: Vec<u32> = (0..self.people as u32).collect();
        ids.shuffle(rng);
        let quasi = |rng: &mut ChaCha8Rng| self.attributes.iter().map(|draw| draw.draw(rng)).collect::<Vec<i64>>();
        ids.into_iter().map(|id| Person::new(id, quasi(rng))).collect()
    }
}

/// The values of `people` rows, skewed when `skew` is above 1.
pub fn values(rng: &mut ChaCha8Rng, people: usize, domain: u32, skew: u32) -> Instance {
    let value = |rng: &mut ChaCha8Rng| (0..skew).map(|_| rng.random_range(0..domain)).min().expect("skew is above 0");
    Instance::of_all(&(0..people).map(|_| value(rng)).collect::<Vec<u32>>())
}
