//! The publishers that draw at random against the exact distributions of their twins: Ace and Hybrid, and all three where
//! no identifier settles ties.

use std::collections::BTreeMap;

use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::registry::EntryArgs;
use pellucid_testkit::fast::{Fast, SEED, Sheet, Want};
use pellucid_testkit::instance::{Instance, Output, Outputs};
use pellucid_testkit::mechanism::{Ace, Hybrid, Mechanism, Setting, Tailor};
use pellucid_testkit::person::{Person, extents};
use pellucid_testkit::random::{external, generator, instance};
use pellucid_testkit::repeats;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Every answer is possible, and every answer with a probability of at least 1/50 came.
fn same_support(counts: &BTreeMap<Option<Output>, u64>, expected: &Outputs) -> bool {
    counts.keys().all(|output| expected.contains_key(output))
        && expected.iter().all(|(output, share)| *share < fraction(1, 50u8) || counts.contains_key(output))
}

/// Whether frequencies are plausible: a chi-square test with an error of about one in a million.
fn plausible(counts: &BTreeMap<Option<Output>, u64>, expected: &Outputs) -> bool {
    let seeds: u64 = counts.values().sum();
    let (mut statistic, mut bins) = (0.0, 0.0);
    let (mut rare, mut rare_seen) = (0.0, 0.0);
    let mut add = |seen: f64, share: f64| {
        statistic += (seen - share).powi(2) / share;
        bins += 1.0;
    };
    for (output, share) in expected {
        let share = share.to_f64().value() * seeds as f64;
        let seen = counts.get(output).copied().unwrap_or(0) as f64;
        if share < 10.0 {
            (rare, rare_seen) = (rare + share, rare_seen + seen);
        } else {
            add(seen, share);
        }
    }
    if rare >= 10.0 {
        add(rare_seen, rare);
    } else if rare_seen > 40.0 {
        return false;
    }
    // Wilson and Hilferty: the cube root is nearly normal; 4.75 standard deviations.
    let freedom: f64 = bins - 1.0;
    let spread = 2.0 / (9.0 * freedom);
    freedom < 0.5 || statistic < freedom * (1.0 - spread + 4.75 * spread.sqrt()).powi(3)
}

/// A small source and table, a bound, and which values are protected.
fn small_case(rng: &mut ChaCha8Rng, most: usize, protected: bool) -> (Vec<Person>, Instance, u32, Setting) {
    let (people, attributes) = (rng.random_range(3..=most), rng.random_range(1..=2));
    let people = external(rng, people, attributes, 5);
    let domain = rng.random_range(2..=5);
    let table = instance(rng, people.len(), domain);
    let mut setting = Setting::new(rng.random_range(2..=3), extents(&people));
    if protected {
        setting = setting.protecting((0..domain).filter(|_| rng.random_range(0..2) == 0));
    }
    (people, table, domain, setting)
}

/// Literal Ace and Hybrid by the names of the fast ones.
fn random_twins(setting: &Setting) -> [(&'static str, Box<dyn Mechanism>); 2] {
    [("ace", Box::new(Ace(setting.clone()))), ("hybrid", Box::new(Hybrid(setting.clone())))]
}

#[test]
fn ace_and_hybrid_give_the_literal_answers() {
    let mut rng = generator(3);
    let mut random = 0;
    for round in 0..repeats(160) {
        let protected = round % 2 == 1;
        let (people, table, domain, setting) = small_case(&mut rng, if protected { 6 } else { 7 }, protected);
        for (publisher, twin) in random_twins(&setting) {
            let expected = twin.outputs(&people, &table);
            let want = Want::frequency(setting.l).protecting(setting.protect.clone());
            let seeds = if expected.len() == 1 { 20 } else { 500 };
            random += usize::from(expected.len() > 1);
            let counts = Fast::new(publisher, want, domain).sample(&people, &table, seeds);
            assert!(same_support(&counts, &expected), "{publisher} {people:?} {table:?} {setting:?}");
            assert!(plausible(&counts, &expected), "{publisher} {people:?} {table:?} {setting:?}");
        }
    }
    assert!(random > 60, "{random}");
}

#[test]
fn ace_and_hybrid_give_them_with_the_literal_frequencies() {
    let mut rng = generator(4);
    let mut done = [[0; 2]; 2];
    while done != [[3; 2]; 2] {
        let protected = rng.random_range(0..2) == 1;
        let (people, table, domain, setting) = small_case(&mut rng, if protected { 7 } else { 8 }, protected);
        for (at, (publisher, twin)) in random_twins(&setting).into_iter().enumerate() {
            let expected = twin.outputs(&people, &table);
            if expected.len() < 4 || done[usize::from(protected)][at] == 3 {
                continue;
            }
            done[usize::from(protected)][at] += 1;
            let want = Want::frequency(setting.l).protecting(setting.protect.clone());
            let counts = Fast::new(publisher, want, domain).sample(&people, &table, 4000);
            assert!(same_support(&counts, &expected), "{publisher} {people:?} {table:?} {setting:?}");
            assert!(plausible(&counts, &expected), "{publisher} {people:?} {table:?} {setting:?}");
        }
    }
}

/// The average of a twin's answers over all orders of identifiers that follow the order of vectors.
fn over_orders(people: &[Person], table: &Instance, twin: &dyn Mechanism) -> Outputs {
    fn orders(classes: &[Vec<usize>]) -> Vec<Vec<usize>> {
        let Some((first, rest)) = classes.split_first() else { return vec![Vec::new()] };
        let tails = orders(rest);
        let heads = permutations(first);
        heads.iter().flat_map(|head| tails.iter().map(move |tail| [head.clone(), tail.clone()].concat())).collect()
    }
    fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
        if items.is_empty() {
            return vec![Vec::new()];
        }
        let mut all = Vec::new();
        for at in 0..items.len() {
            let mut rest = items.to_vec();
            let first = rest.remove(at);
            all.extend(permutations(&rest).into_iter().map(|tail| [vec![first], tail].concat()));
        }
        all
    }
    let mut classes: BTreeMap<&[i64], Vec<usize>> = BTreeMap::new();
    for (at, person) in people.iter().enumerate() {
        classes.entry(&person.quasi).or_default().push(at);
    }
    let orders = orders(&classes.into_values().collect::<Vec<_>>());
    let share = fraction(1, orders.len() as u64);
    let mut average = Outputs::new();
    for order in orders {
        let mut numbered = people.to_vec();
        order.iter().zip(0..).for_each(|(&person, id)| numbered[person].id = id);
        for (output, probability) in twin.outputs(&numbered, table) {
            *average.entry(output).or_insert(Fraction::ZERO) += &share * probability;
        }
    }
    average
}

/// Rounds in which a publisher without identifiers is compared with its twin over all orders.
fn without_identifiers(seed: u64, wanted: usize, publisher: &'static str, twin: fn(Setting) -> Box<dyn Mechanism>) {
    let mut rng = generator(seed);
    let mut random = 0;
    while random < wanted {
        let number = rng.random_range(4..=8);
        let people = external(&mut rng, number, 1 + random % 2, 3);
        let mut classes: BTreeMap<&[i64], u64> = BTreeMap::new();
        for person in &people {
            *classes.entry(&person.quasi).or_default() += 1;
        }
        if classes.values().map(|&size| (1..=size).product::<u64>()).product::<u64>() > 150 {
            continue;
        }
        let table = instance(&mut rng, number, 5);
        let twin = twin(Setting::new(2, extents(&people)));
        let expected = over_orders(&people, &table, &*twin);
        if expected.len() == 1 && rng.random_range(0..10) > 0 {
            continue;
        }
        random += usize::from(expected.len() > 1);
        let mut fast = Fast::new(publisher, Want::frequency(2), 5);
        fast.identified = false;
        let counts = fast.sample(&people, &table, 1500);
        assert!(same_support(&counts, &expected), "{publisher} {people:?} {table:?}");
        assert!(plausible(&counts, &expected), "{publisher} {people:?} {table:?} {counts:?} {expected:?}");
    }
}

#[test]
fn without_identifiers_tailor_breaks_ties_at_random() {
    without_identifiers(11, 25, "tailor", |setting| Box::new(Tailor(setting)));
}

#[test]
fn without_identifiers_ace_gives_the_literal_frequencies() {
    without_identifiers(12, 12, "ace", |setting| Box::new(Ace(setting)));
}

#[test]
fn without_identifiers_hybrid_gives_the_literal_frequencies() {
    without_identifiers(13, 25, "hybrid", |setting| Box::new(Hybrid(setting)));
}

#[test]
fn seeded_ties_and_seeded_deals_are_independent() {
    // Tailor's first group is the three people before 20 and one of the four there; which of the two people with value 0
    // is put together with whom must not depend on which of the four it is.
    let places = [0, 5, 10, 20, 20, 20, 20, 30];
    let people: Vec<Person> = (0..).zip(places).map(|(id, place)| Person::new(id, [place])).collect();
    let table = Instance::of_all(&[0, 0, 1, 2, 3, 4, 5, 1]);
    let expected = over_orders(&people, &table, &Hybrid(Setting::new(2, extents(&people))));
    let mut hybrid = Fast::new("hybrid", Want::frequency(2), 6);
    hybrid.identified = false;
    let counts = hybrid.sample(&people, &table, 4000);
    assert!(same_support(&counts, &expected), "{counts:?}");
    assert!(plausible(&counts, &expected), "{counts:?}");
}

#[test]
fn unit_ratios_are_met_by_ace_and_hybrid() {
    let mut rng = generator(19);
    for _ in 0..repeats(200) {
        let (people, table, domain, setting) = small_case(&mut rng, 8, true);
        let ratio = EntryArgs::new().with("ratio", format!("1/{}", setting.l));
        for publisher in ["ace", "hybrid"] {
            let answers = [Want::frequency(setting.l), Want::new("highest-ratio", ratio.clone())]
                .map(|want| Fast::new(publisher, want.protecting(setting.protect.clone()), domain))
                .map(|fast| fast.partition(&people, &table, SEED));
            assert_eq!(answers[0], answers[1]);
        }
    }
}

#[test]
fn ratios_between_unit_fractions_are_met_by_ace_and_hybrid() {
    // At most 2/5, as two values have; not at most 1/3.
    let sheet = Sheet::new(Some(&[0, 1, 2, 3, 4]), &[vec![0, 1, 2, 3, 4]], &[vec![0, 0, 1, 1, 2]], 3);
    let want = Want::new("highest-ratio", EntryArgs::new().with("ratio", "2/5"));
    for publisher in ["ace", "hybrid"] {
        if let Some(groups) = sheet.publish(publisher, std::slice::from_ref(&want), SEED).unwrap() {
            assert_eq!(groups.len(), 1, "{publisher}");
        }
    }
}
