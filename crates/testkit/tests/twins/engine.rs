//! Fast Tailor is literal Tailor on small tables for every principle and for several at once, its answers do not depend
//! on the order of rows nor on which of several isomorphic tables they were made from, and risk is bounded by exhaustion.

use std::collections::{BTreeMap, BTreeSet};

use pellucid_model::claim::EntryClaim;
use pellucid_model::exact::fraction;
use pellucid_model::histogram::Histogram;
use pellucid_testkit::adversary::{beliefs, beliefs_of_multiset, worst_risk};
use pellucid_testkit::fast::{Fast, SEED, Sheet, Want, partition};
use pellucid_testkit::instance::{Group, Instance, publish, sorted};
use pellucid_testkit::literal::tailor::tailor_partition;
use pellucid_testkit::person::{Person, extents};
use pellucid_testkit::principle::Principle;
use pellucid_testkit::random::{Shape, external, generator, tied, values};
use pellucid_testkit::repeats;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// The robust size of a principle on a group's histogram, given that of the whole table and the number of values.
type Robust = Box<dyn Fn(&Histogram, &Histogram, u32) -> Option<u64>>;

fn literally(principle: Principle) -> Robust {
    Box::new(move |group, whole, domain| principle.robust(group, whole, domain))
}

/// Every principle of the registry that Tailor takes and whose robust size is the least, with all its examples, and that size; frequency
/// l-diversity with only some values protected as well; each with the smallest domain that it makes sense on.
fn principles() -> Vec<(Want, Robust, u32)> {
    let claims = [EntryClaim::Mixtures, EntryClaim::LeastRobust];
    let taken = Principle::examples().filter(|(entry, ..)| claims.into_iter().all(|claim| entry.claims(claim)));
    let mut all: Vec<(Want, Robust, u32)> = taken
        .map(|(entry, args, literal)| {
            let least = literal.least_domain();
            (Want::example(entry, &args), literally(literal), least)
        })
        .collect();
    for l in 2..=4 {
        let protect = Some(BTreeSet::from([0, 2]));
        let want = Want::frequency(l).protecting(protect.clone());
        all.push((want, literally(Principle::Share { l, protect }), 1));
    }
    all
}

/// Two sensitive columns written as one, so that an instance can hold them.
const PAIR: u32 = 8;

/// The histograms of the two columns of a pair.
fn unpaired(group: &Histogram) -> [Histogram; 2] {
    let column = |value_of: fn(u32) -> u32| {
        let rows = group.entries().iter();
        Histogram::of(rows.flat_map(|&(pair, count)| std::iter::repeat_n(value_of(pair), count as usize)))
    };
    [column(|pair| pair / PAIR), column(|pair| pair % PAIR)]
}

/// Fast and literal Tailor agree on pairs of values, with `wants` and their robust sizes on the columns they name; gives
/// the number of groups.
fn agree(people: &[Person], pairs: &Instance, domain: u32, wants: &[(Want, &Robust)]) -> usize {
    let whole = unpaired(&Histogram::of(pairs.rows().iter().map(|row| row.1)));
    let known = std::cell::RefCell::new(BTreeMap::new());
    let robust = |group: &Histogram| -> Option<u64> {
        let answer = || {
            let columns = unpaired(group);
            let sizes = wants.iter().map(|(want, robust)| robust(&columns[want.column], &whole[want.column], domain));
            sizes.collect::<Option<Vec<u64>>>().map(|sizes| sizes.into_iter().max().unwrap_or(0))
        };
        *known.borrow_mut().entry(group.clone()).or_insert_with(answer)
    };
    let expected = tailor_partition(people, pairs, &extents(people), &robust).map(sorted);
    let columns = [|value: u32| value / PAIR, |value: u32| value % PAIR];
    let values = columns.map(|column| pairs.rows().iter().map(|row| column(row.1)).collect());
    let everyone: Vec<&Person> = people.iter().collect();
    let sheet = Sheet::of_people(&everyone, &values, domain, true);
    let asked: Vec<Want> = wants.iter().map(|(want, _)| want.clone()).collect();
    let groups = sheet.publish("tailor", &asked, SEED).unwrap();
    let found = groups.map(|groups| partition(pairs, &groups));
    assert_eq!(found, expected, "{people:?} {pairs:?} {asked:?}");
    expected.map_or(0, |groups| groups.len())
}

/// Random pairs of values below `domain` for everyone: as they come, or all as often as each other, so that tables can
/// be cut.
fn pairs(rng: &mut ChaCha8Rng, people: usize, domain: u32) -> Instance {
    let mut column = || -> Vec<u32> {
        if rng.random_range(0..3) == 0 {
            return (0..people).map(|_| rng.random_range(0..domain)).collect();
        }
        let mut even: Vec<u32> = (0..people as u32).map(|at| at % domain).collect();
        even.shuffle(rng);
        even
    };
    let (first, second) = (column(), column());
    Instance::of_all(&first.iter().zip(second).map(|(first, second)| first * PAIR + second).collect::<Vec<u32>>())
}

#[test]
fn tailor_is_literal_for_every_principle() {
    let mut rng = generator(1);
    let mut few = Vec::new();
    for (want, robust, least) in principles() {
        let mut several = 0;
        for round in 0..repeats(250) {
            let people = tied(&mut rng, 14);
            let domain = rng.random_range(2..=6).max(least);
            let table = pairs(&mut rng, people.len(), domain);
            let on = want.clone().on(round % 2);
            several += usize::from(agree(&people, &table, domain, &[(on, &robust)]) > 1);
        }
        few.extend((several == 0).then(|| format!("{:?}", want.args)));
    }
    assert!(few.len() < 6, "hardly any table was cut for {few:?}");
}

#[test]
fn tailor_is_literal_for_several_principles_on_two_columns() {
    let mut rng = generator(2);
    let all = principles();
    let mut several = 0;
    for _ in 0..repeats(1500) {
        let people = tied(&mut rng, 14);
        let domain = rng.random_range(3..=6);
        let table = pairs(&mut rng, people.len(), domain);
        let number = rng.random_range(2..=3);
        let wants: Vec<(Want, &Robust)> = (0..number)
            .map(|_| {
                let (want, robust, _) = &all[rng.random_range(0..all.len())];
                (want.clone().on(rng.random_range(0..2)), robust)
            })
            .collect();
        several += usize::from(agree(&people, &table, domain, &wants) > 1);
    }
    assert!(several > 100, "{several}");
}

#[test]
fn tailor_is_literal_for_sentences_on_two_columns() {
    let sentences = ["s0 = 0000000000 and not s1 = 0000000001", "s0 = 0000000001 and s1 = 0000000000"];
    let satisfying =
        |holds: fn(u32, u32) -> bool| (0..PAIR * PAIR).filter(|pair| holds(pair / PAIR, pair % PAIR)).collect();
    let literal = Principle::Logical {
        sentences: vec![satisfying(|s0, s1| s0 == 0 && s1 != 1), satisfying(|s0, s1| s0 == 1 && s1 == 0)],
    };
    let mut rng = generator(8);
    let mut several = 0;
    for _ in 0..repeats(150) {
        let people = tied(&mut rng, 9);
        let table = pairs(&mut rng, people.len(), 3);
        let robust = |group: &Histogram| literal.robust(group, group, PAIR * PAIR);
        let expected = tailor_partition(&people, &table, &extents(&people), &robust).map(sorted);
        let columns = [|value: u32| value / PAIR, |value: u32| value % PAIR];
        let values = columns.map(|column| table.rows().iter().map(|row| column(row.1)).collect());
        let sheet = Sheet::of_people(&people.iter().collect::<Vec<_>>(), &values, 3, true);
        let groups = sheet.publish("tailor", &[Want::logical(&sentences)], SEED).unwrap();
        assert_eq!(groups.map(|groups| partition(&table, &groups)), expected, "{people:?} {table:?}");
        several += usize::from(expected.is_some_and(|groups| groups.len() > 1));
    }
    assert!(several > 10, "{several}");
}

/// The partition of Tailor on rows given in any order, as sets of people.
fn tailor_of_rows(people: &[Person], rows: &[(usize, u32)], domain: u32, l: u64) -> Option<Vec<Group>> {
    let listed: Vec<&Person> = rows.iter().map(|row| &people[row.0]).collect();
    let sheet = Sheet::of_people(&listed, &[rows.iter().map(|row| row.1).collect()], domain, true);
    let groups = sheet.publish("tailor", &[Want::frequency(l)], SEED).unwrap()?;
    Some(sorted(groups.iter().map(|group| group.iter().map(|&row| rows[row as usize]).collect()).collect()))
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let mut rng = generator(14);
    for round in 0..repeats(300) {
        let size = if round == 0 { 50_000 } else { rng.random_range(5..=200) };
        let people = Shape::random(&mut rng, size).people(&mut rng);
        let table = values(&mut rng, people.len(), 9, 1);
        let mut rows = table.rows().to_vec();
        rows.shuffle(&mut rng);
        assert!(tailor_of_rows(&people, &rows, 9, 2) == tailor_of_rows(&people, table.rows(), 9, 2));
    }
}

#[test]
fn isomorphic_tables_are_cut_alike() {
    let mut rng = generator(15);
    let mut changed = 0;
    for _ in 0..repeats(600) {
        let size = rng.random_range(4..=60);
        let people = Shape::random(&mut rng, size).people(&mut rng);
        let table = values(&mut rng, people.len(), 9, 1);
        let l = rng.random_range(2..=3);
        let Some(groups) = tailor_of_rows(&people, table.rows(), 9, l) else { continue };
        let mut swapped = groups.clone();
        for group in &mut swapped {
            let mut values: Vec<u32> = group.iter().map(|row| row.1).collect();
            values.shuffle(&mut rng);
            group.iter_mut().zip(values).for_each(|(row, value)| row.1 = value);
        }
        changed += usize::from(swapped != groups);
        let other = tailor_of_rows(&people, &swapped.concat(), 9, l).unwrap();
        assert_eq!(publish(&people, &other), publish(&people, &groups));
        assert_eq!(other, sorted(swapped));
    }
    assert!(changed > 300, "{changed}");
}

#[test]
fn risk_is_bounded_by_exhaustion() {
    let mut rng = generator(16);
    for round in 0..repeats(240) {
        let (people, domain) = [(3, 3), (4, 3), (5, 2), (4, 4), (5, 3), (6, 2)][round % 6];
        let external = external(&mut rng, people, 1 + round % 2, 4);
        let l = rng.random_range(2..=3);
        let tailor = Fast::new("tailor", Want::frequency(l), domain);
        let risk = worst_risk(&beliefs(&tailor, &external, domain, round / 6 % 2));
        assert!(risk <= fraction(1, l), "{external:?} l = {l}");
    }
    let mut several_boxes = 0;
    for round in 0..repeats(60) {
        let (values, extra): (&[u32], usize) =
            [(&[0, 1, 2, 3][..], 0), (&[0, 1, 2, 3], 1), (&[0, 1, 2, 3, 4], 0), (&[0, 0, 1, 1, 2, 3], 0)][round % 4];
        let external = external(&mut rng, values.len() + extra, 1 + round % 2, 5);
        for (output, belief) in beliefs_of_multiset(&Fast::new("tailor", Want::frequency(2), 5), &external, values) {
            assert!(belief.max_risk() <= fraction(1, 2u8), "{external:?} {output:?}");
            several_boxes += usize::from(output.iter().any(|row| row.0 != output[0].0));
        }
    }
    assert!(several_boxes > 50, "{several_boxes}");
}

#[test]
fn a_table_without_quasi_columns_is_published_or_refused() {
    for ids in [None, Some(&[0, 1, 2, 3, 4][..])] {
        let sheet = Sheet::new(ids, &[], &[vec![0, 0, 1, 1, 2]], 3);
        for publisher in ["tailor", "ace", "hybrid"] {
            if let Ok(groups) = sheet.publish(publisher, &[Want::frequency(2)], SEED) {
                assert_eq!(groups.expect("the table is eligible").rows(), 5, "{publisher}");
            }
        }
    }
}
