//! Tables and sequences to count on, the same every time.

use pellucid_inference::sequence::Sequence;
use pellucid_model::error::Result;
use pellucid_model::histogram::Histogram;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A generator that draws the same for the same seed.
pub fn generator(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A value per person, drawn evenly.
pub fn values(rng: &mut ChaCha8Rng, people: usize, cardinality: u32) -> Vec<u32> {
    (0..people).map(|_| rng.random_range(0..cardinality)).collect()
}

/// A value per person, drawn evenly again and again until no value has more than half of a group of the last function. In
/// tables drawn freely some group is soon bound to fail in every world, and then there is little left to count.
pub fn passing(rng: &mut ChaCha8Rng, sequence: &Sequence, cardinality: u32) -> Vec<u32> {
    let mut table = vec![0; sequence.people()];
    for group in sequence.groups(sequence.len()) {
        loop {
            let drawn = values(rng, group.len(), cardinality);
            let histogram = &Histogram::of(drawn.iter().copied());
            if histogram.max() * 2 <= histogram.total() {
                group.iter().zip(drawn).for_each(|(&person, value)| table[person] = value);
                break;
            }
        }
    }
    table
}

/// A value per person, drawn so that no value occurs twice in a group of the last function before all have occurred once.
/// In such tables the groups of every function can pass, and there is most to count.
pub fn varied(rng: &mut ChaCha8Rng, sequence: &Sequence, cardinality: u32) -> Vec<u32> {
    let mut table = vec![0; sequence.people()];
    for group in sequence.groups(sequence.len()) {
        let mut left: Vec<u32> = Vec::new();
        for person in group {
            if left.is_empty() {
                left = (0..cardinality).collect();
            }
            table[person] = left.swap_remove(rng.random_range(0..left.len()));
        }
    }
    table
}

/// Functions that cut a line of people into blocks, by size and offset of the first border. A single person left over at
/// an end joins the block beside: alone, no world could pass.
pub fn intervals(people: usize, functions: &[(usize, usize)]) -> Result<Sequence> {
    let labels = |&(size, offset): &(usize, usize)| {
        let mut labels: Vec<u32> = (0..people).map(|person| ((person + size - offset) / size) as u32).collect();
        if people > 2 && labels[0] != labels[1] {
            labels[0] = labels[1];
        }
        if people > 2 && labels[people - 1] != labels[people - 2] {
            labels[people - 1] = labels[people - 2];
        }
        labels
    };
    Sequence::from_labels(people, functions.iter().map(labels).collect())
}

/// Functions that cut a line of people into blocks of `sizes`, all from its beginning.
pub fn blocks(people: usize, sizes: &[usize]) -> Result<Sequence> {
    intervals(people, &sizes.iter().map(|&size| (size, 0)).collect::<Vec<_>>())
}

/// Nested functions, the finest first: groups of up to `largest` people, cut `levels - 1` times into two or, one time in
/// four, three nearly equal parts of at least `least` people.
pub fn nested(rng: &mut ChaCha8Rng, people: usize, levels: usize, least: usize, largest: usize) -> Result<Sequence> {
    let mut sizes = Vec::new();
    let mut left = people;
    while left > 0 {
        // Enough is left for another group: a single person could never pass.
        let drawn = rng.random_range(largest * 3 / 4..=largest);
        let size = if left <= largest { left } else { drawn.min(left - largest / 2) };
        sizes.push(size);
        left -= size;
    }
    let mut functions = vec![labels(&sizes)];
    for _ in 1..levels {
        let mut parts: Vec<usize> = Vec::new();
        for group in sizes {
            let many = if rng.random_range(0..4) == 0 { 3 } else { 2 }.min(group / least).max(1);
            let bonus = rng.random_range(0..many);
            parts.extend((0..many).map(|part| (group + (part + bonus) % many) / many));
        }
        functions.push(labels(&parts));
        sizes = parts;
    }
    functions.reverse();
    Sequence::from_labels(people, functions)
}

/// A label per person for groups of `sizes`, one after the other.
fn labels(sizes: &[usize]) -> Vec<u32> {
    (0u32..).zip(sizes).flat_map(|(label, &size)| std::iter::repeat_n(label, size)).collect()
}

/// Table 8 of Liu, Wang and Zhang 2010 with its three functions.
pub fn table_8() -> Result<(Vec<u32>, Sequence)> {
    let table = vec![0, 1, 2, 3, 4, 5, 6, 6, 6, 7, 7, 8, 8, 9, 9];
    let functions = [labels(&[4, 5, 4, 2]), labels(&[2, 5, 6, 2]), labels(&[2, 2, 4, 7])];
    Ok((table, Sequence::from_labels(15, functions.to_vec())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_alone_at_the_ends_of_intervals() {
        // 64 = 21 * 3 + 1; with the border shifted to 1, the first person would be alone.
        for functions in [[(3, 0)], [(6, 1)]] {
            let groups = intervals(64, &functions).unwrap().groups(1);
            assert!(groups.iter().all(|group| group.len() >= 2), "{groups:?}");
            assert!(groups.iter().all(|group| group.len() <= functions[0].0 + 1));
        }
        assert_eq!(intervals(20, &[(6, 2)]).unwrap().groups(1)[0], [0, 1]);
    }

    #[test]
    fn nested_functions_nest_and_stay_small() {
        let sequence = nested(&mut generator(1), 500, 5, 1, 16).unwrap();
        for step in 1..5 {
            assert!(sequence.refines(step, step + 1) && !sequence.refines(step + 1, step));
        }
        assert!(sequence.groups(5).iter().all(|group| group.len() <= 16));
    }
}
