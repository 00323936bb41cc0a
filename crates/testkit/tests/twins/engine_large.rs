//! Fast Tailor and Slice against twins on larger tables: every width of codes and amounts, many attributes, values at
//! the ends of the integers, long and wide buckets.

use std::collections::BTreeSet;

use pellucid_model::histogram::Histogram;
use pellucid_testkit::fast::{Fast, SEED, Want};
use pellucid_testkit::instance::{Group, Instance, publish, sorted};
use pellucid_testkit::literal::assign::{Bucket, Label, signatures};
use pellucid_testkit::literal::slice::slice;
use pellucid_testkit::literal::tailor::{share_robust, tailor_partition};
use pellucid_testkit::person::{Person, extents, in_vector_order};
use pellucid_testkit::random::{Draw, Shape, generator, instance, tied, values};
use pellucid_testkit::repeats;
use pellucid_testkit::sweep;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Whether two people share a vector.
fn has_ties(people: &[Person]) -> bool {
    people.iter().map(|person| &person.quasi).collect::<BTreeSet<_>>().len() < people.len()
}

/// Fast Tailor for "at most 1/l" is the sweeping twin, with identifiers and, where no two people are alike, without.
fn tailor_agrees(people: &[Person], table: &Instance, domain: u32, l: u64) -> usize {
    let robust = share_robust(l, None);
    let mut tailor = Fast::new("tailor", Want::frequency(l), domain);
    let found = tailor.partition(people, table, SEED);
    let eligible = robust(&Histogram::of(table.rows().iter().map(|row| row.1))).is_some();
    let expected = eligible.then(|| sweep::tailor(people, table.rows(), &robust));
    assert!(found == expected, "{} people, l = {l}: {people:?} {table:?}", people.len());
    if !has_ties(people) {
        tailor.identified = false;
        let expected = eligible.then(|| sweep::tailor(&in_vector_order(people), table.rows(), &robust));
        assert!(tailor.partition(people, table, SEED) == expected, "{} people, l = {l}", people.len());
    }
    expected.map_or(0, |groups| groups.len())
}

#[test]
fn the_sweeping_twin_is_literal() {
    let mut rng = generator(5);
    for _ in 0..repeats(1000) {
        let people = tied(&mut rng, 24);
        let table = instance(&mut rng, people.len(), 6);
        let robust = share_robust(2, None);
        let Some(expected) = tailor_partition(&people, &table, &extents(&people), &robust) else { continue };
        assert_eq!(sweep::tailor(&people, table.rows(), &robust), sorted(expected));
        let (alpha, beta) = (people.len() / 3, 3);
        let columns: Vec<(u32, Vec<usize>)> =
            (0..beta).map(|value| (value, (0..alpha).map(|at| at * 3 + value as usize).collect())).collect();
        if alpha > 0 {
            let among: Vec<Person> = people[..3 * alpha].to_vec();
            assert_eq!(sweep::slice(&among, &columns), literal_slice(&among, &columns));
        }
    }
}

/// Literal Slice of the bucket `columns`.
fn literal_slice(people: &[Person], columns: &[(u32, Vec<usize>)]) -> Vec<Group> {
    let mut bucket: Bucket =
        columns.iter().flat_map(|(value, column)| column.iter().map(|&person| (person, (*value, 0)))).collect();
    bucket.sort_unstable();
    let erase = |bucket: Bucket| bucket.into_iter().map(|(person, (value, _))| (person, value)).collect();
    sorted(slice(people, &[bucket], &extents(people)).into_iter().map(erase).collect())
}

#[test]
fn tailor_is_literal_on_larger_tables() {
    let mut rng = generator(6);
    let mut several = 0;
    for round in 0..12 {
        let shape =
            Shape { people: 50 + 20 * round, attributes: vec![Draw::Even(1 << (round % 10 + 1)); 1 + round % 3] };
        let people = shape.people(&mut rng);
        let table = values(&mut rng, people.len(), 8, 1);
        let expected = tailor_partition(&people, &table, &extents(&people), &share_robust(2, None)).map(sorted);
        assert_eq!(Fast::new("tailor", Want::frequency(2), 8).partition(&people, &table, SEED), expected);
    }
    for _ in 0..repeats(400) {
        let size = rng.random_range(50..=300);
        let people = Shape::random(&mut rng, size).people(&mut rng);
        let (domain, skew) = (rng.random_range(2..=60), rng.random_range(1..=2));
        let table = values(&mut rng, people.len(), domain, skew);
        let l = rng.random_range(2..=5);
        several += usize::from(tailor_agrees(&people, &table, domain, l) > 3);
    }
    assert!(several > 150, "{several}");
}

#[test]
fn tailor_is_literal_for_every_width_of_codes_and_amounts() {
    let mut rng = generator(7);
    let even = |size: i64, attributes: usize| vec![Draw::Even(size); attributes];
    let shapes = [
        (300, even(2, 9)),
        (300, even(50, 12)),
        (200, even(3, 17)),
        (150, even(1000, 20)),
        (2000, even(100_000, 2)),
        (1500, even(257, 3)),
        (70_000, even(1 << 40, 2)),
        (40_000, even(300, 3)),
        (40_000, even(3, 2)),
        (400, vec![Draw::Huge; 1]),
        (400, vec![Draw::Huge; 2]),
        (300, vec![Draw::Huge, Draw::Powers, Draw::Even(7)]),
        (200, vec![Draw::Huge; 9]),
        (120, vec![Draw::Huge; 17]),
        (600, vec![Draw::Powers; 3]),
        (3000, vec![Draw::Outliers(10), Draw::Outliers(1000)]),
    ];
    for (size, attributes) in shapes {
        let people = Shape { people: size, attributes }.people(&mut rng);
        let domain = 50;
        let table = values(&mut rng, size, domain, 1);
        assert!(tailor_agrees(&people, &table, domain, 3) > 1);
    }
}

/// A bucket that is a whole table: `columns` columns of `alpha` people, values in random order over the people.
fn whole_bucket(rng: &mut ChaCha8Rng, alpha: usize, columns: u32) -> Vec<u32> {
    let mut values: Vec<u32> = (0..columns).flat_map(|value| std::iter::repeat_n(value, alpha)).collect();
    values.shuffle(rng);
    values
}

/// Ace on a table that is one bucket is Slice of it, with identifiers; without, equal people are exchangeable and the
/// release is the same.
fn slice_agrees(people: &[Person], values: &[u32], columns: u32, literal: bool) {
    let table = Instance::of_all(values);
    let by_value = |value: u32| {
        let rows = table.rows().iter().filter(|row| row.1 == value);
        (value, rows.map(|row| row.0).collect())
    };
    let bucket: Vec<(u32, Vec<usize>)> = (0..columns).map(by_value).collect();
    let mut ace = Fast::new("ace", Want::frequency(u64::from(columns)), columns);
    let found = ace.partition(people, &table, SEED).expect("the table is eligible");
    let expected = sweep::slice(people, &bucket);
    assert!(found == expected, "{columns} columns: {people:?} {values:?}");
    let fits = people.iter().flat_map(|person| &person.quasi).all(|value| value.unsigned_abs() < 1 << 62);
    if literal && fits {
        assert!(literal_slice(people, &bucket) == expected);
    }
    ace.identified = false;
    let expected = publish(people, &sweep::slice(&in_vector_order(people), &bucket));
    assert!(ace.output(people, &table, SEED) == Some(expected), "{columns} columns: {people:?} {values:?}");
}

#[test]
fn slice_is_literal_on_random_buckets() {
    let mut rng = generator(8);
    for round in 0..repeats(500) {
        let columns = rng.random_range(2..=5);
        let alpha = if round % 3 == 0 { rng.random_range(49..=200) } else { rng.random_range(1..=60) };
        let people = Shape::random(&mut rng, alpha * columns as usize).people(&mut rng);
        let values = whole_bucket(&mut rng, alpha, columns);
        slice_agrees(&people, &values, columns, alpha < 12);
    }
}

#[test]
fn slice_is_literal_on_flat_and_nearly_flat_buckets() {
    let mut rng = generator(9);
    for round in 0..repeats(400) {
        let columns: u32 = rng.random_range(2..=4);
        let alpha = rng.random_range(40..=130);
        let attributes = rng.random_range(1..=3);
        let values = whole_bucket(&mut rng, alpha, columns);
        let mut people = Shape { people: values.len(), attributes: vec![Draw::Even(1); attributes] }.people(&mut rng);
        // Columns stand at corners; those in the middle may have an order of their own.
        let corner: Vec<Vec<i64>> = (0..columns)
            .map(|_| (0..attributes).map(|_| [0, 500, 1000][rng.random_range(0..3usize)]).collect())
            .collect();
        let exceptions = [0.0, 0.0, 0.01, 0.2][round % 4];
        for (person, &value) in people.iter_mut().zip(&values) {
            person.quasi.clone_from(&corner[value as usize]);
            for place in &mut person.quasi {
                if *place == 500 || rng.random_bool(exceptions) {
                    *place = rng.random_range(0..=1000);
                }
            }
        }
        slice_agrees(&people, &values, columns, false);
    }
}

#[test]
fn slice_is_literal_on_wide_and_on_long_buckets() {
    let mut rng = generator(10);
    let shapes = [
        (20_000, 3, vec![Draw::Even(1 << 40); 2]),
        (20_000, 2, vec![Draw::Even(30); 2]),
        (12_000, 2, vec![Draw::Outliers(5000); 3]),
        (40_000, 2, vec![Draw::Even(1)]),
        (100, 3, vec![Draw::Even(4); 10]),
        (90, 3, vec![Draw::Even(9); 18]),
        (300, 2, vec![Draw::Huge; 3]),
        (60, 2, vec![Draw::Huge; 17]),
        (400, 4, vec![Draw::Powers; 2]),
        (2, 400, vec![Draw::Even(50); 2]),
        (3, 300, vec![Draw::Powers; 2]),
    ];
    for (alpha, columns, attributes) in shapes {
        let flat = matches!(attributes[..], [Draw::Even(1)]);
        let people = Shape { people: alpha * columns as usize, attributes }.people(&mut rng);
        let values = whole_bucket(&mut rng, alpha, columns);
        if flat {
            // Every division is alike: the people of each column in order.
            let ace = Fast::new("ace", Want::frequency(u64::from(columns)), columns);
            let found = ace.partition(&people, &Instance::of_all(&values), SEED).expect("the table is eligible");
            let column = |value: u32| {
                let mut column: Vec<usize> = (0..people.len()).filter(|&at| values[at] == value).collect();
                column.sort_unstable_by_key(|&person| people[person].id);
                column
            };
            let (zeros, ones) = (column(0), column(1));
            let expected = zeros.into_iter().zip(ones).map(|(zero, one)| vec![(zero, 0), (one, 1)]).collect();
            assert!(found == sorted(expected));
        } else {
            slice_agrees(&people, &values, columns, false);
        }
    }
}

#[test]
fn groups_of_ace_carry_the_literal_signatures() {
    let mut rng = generator(18);
    for round in 0..repeats(60) {
        let size = if round == 0 { 90_000 } else { rng.random_range(20..=2000) };
        let people = Shape { people: size, attributes: vec![Draw::Even(40); 2] }.people(&mut rng);
        let (domain, skew, l) = (rng.random_range(4..=30), rng.random_range(1..=3), rng.random_range(2..=4));
        let table = values(&mut rng, size, domain, skew);
        let protect: Option<BTreeSet<u32>> = (round % 3 == 2).then(|| (0..domain).step_by(2).collect());
        let ace = Fast::new("ace", Want::frequency(l).protecting(protect.clone()), domain);
        let Some(groups) = ace.partition(&people, &table, SEED) else { continue };
        let is_protected = |value: u32| protect.as_ref().is_none_or(|set| set.contains(&value));
        // Every row with an unprotected value is a label of its own.
        let mut counts: Vec<(Label, u64)> = Vec::new();
        for &(value, count) in Histogram::of(table.rows().iter().map(|row| row.1)).entries() {
            if is_protected(value) {
                counts.push(((value, 0), count));
            } else {
                counts.extend((1..=count as u32).map(|index| ((value, index), 1)));
            }
        }
        let mut expected: Vec<Vec<u32>> = Vec::new();
        for (alpha, signature) in signatures(&counts, l) {
            let mut values: Vec<u32> = signature.iter().map(|label| label.0).collect();
            values.sort_unstable();
            expected.extend(std::iter::repeat_n(values, alpha as usize));
        }
        expected.sort_unstable();
        let values_of = |group: &Group| {
            let mut values: Vec<u32> = group.iter().map(|row| row.1).collect();
            values.sort_unstable();
            values
        };
        let mut found: Vec<Vec<u32>> = groups.iter().map(values_of).collect();
        found.sort_unstable();
        assert!(found == expected, "{size} people, {domain} values, l = {l}, {protect:?}");
    }
}
