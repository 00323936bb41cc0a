//! Random small external sources and tables, reproducible from a seed. For tests only.

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

/// Everyone of an external source of `people` people, with values of `0..domain`.
pub fn instance(rng: &mut ChaCha8Rng, people: usize, domain: u32) -> Instance {
    Instance::of_all(&(0..people).map(|_| rng.random_range(0..domain)).collect::<Vec<u32>>())
}
