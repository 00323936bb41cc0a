//! The attack at scale against trying every possible original: the same belief about everybody.

use std::collections::BTreeMap;

use pellucid_core::attack::{Effort, Seen, Told, weigh};
use pellucid_core::belief::{Budget, Condition, Sampling};
use pellucid_core::exact::{Fraction, fraction};
use pellucid_core::publish::{Evidence, Groups, Outcome, PUBLISHERS};
use pellucid_core::registry::{Args, find};
use pellucid_testkit::adversary::arrangements;
use pellucid_testkit::fast::{SEED, Sheet, Want};
use pellucid_testkit::instance::Instance;
use pellucid_testkit::person::Person;
use pellucid_testkit::random::{external, generator, instance};
use rand::RngExt;

/// Person to value to probability.
type Posterior = Vec<BTreeMap<u32, Fraction>>;

/// What everybody sees of groups: who is in each, and its multiset of values.
fn shown(groups: &Groups, values: &[u32]) -> Vec<(Vec<u32>, Vec<u32>)> {
    let mut shown: Vec<(Vec<u32>, Vec<u32>)> = groups
        .iter()
        .map(|group| {
            let mut people = group.to_vec();
            people.sort_unstable();
            let mut there: Vec<u32> = people.iter().map(|&person| values[person as usize]).collect();
            there.sort_unstable();
            (people, there)
        })
        .collect();
    shown.sort();
    shown
}

/// Belief by running the publisher on every arrangement of the values.
fn literal(people: &[Person], values: &[u32], domain: u32, publisher: &str, want: &Want) -> Option<Posterior> {
    let publish = |values: &[u32]| {
        let sheet = Sheet::of_instance(people, &Instance::of_all(values), domain, true);
        let groups = sheet.publish(publisher, std::slice::from_ref(want), SEED).unwrap();
        groups.map(|groups| shown(&groups, values))
    };
    let seen = publish(values)?;
    let mut posterior: Posterior = vec![BTreeMap::new(); people.len()];
    let mut worlds = 0u64;
    for world in arrangements(values) {
        if publish(&world).as_ref() == Some(&seen) {
            worlds += 1;
            for (belief, &value) in posterior.iter_mut().zip(&world) {
                *belief.entry(value).or_insert(Fraction::ZERO) += Fraction::ONE;
            }
        }
    }
    for share in posterior.iter_mut().flat_map(BTreeMap::values_mut) {
        *share = &*share / fraction(worlds, 1u8);
    }
    Some(posterior)
}

/// What the attack at scale says: exact belief, or intervals that are checked against `expected`.
fn attack(
    people: &[Person],
    values: &[u32],
    domain: u32,
    publisher: &str,
    want: &Want,
    effort: &Effort,
    expected: &Posterior,
) {
    let sheet = Sheet::of_instance(people, &Instance::of_all(values), domain, true);
    let made = find(PUBLISHERS, "publisher", publisher).unwrap().make(&Args::new()).unwrap();
    let check = |plan: &pellucid_core::publish::Plan<'_>| {
        let outcome = made.publish(plan, SEED)?;
        let groups = match &outcome {
            Outcome::Groups(groups) => groups,
            Outcome::Granulated(found) => &found.groups,
            other => panic!("no groups: {other:?}"),
        };
        let Evidence::Rejected(rejected) = made.evidence(plan, &outcome)? else { panic!("the evidence is countable") };
        let condition = Condition::new(plan.goals.iter().map(|goal| goal.test.as_ref()));
        let seen = Seen { groups, values, condition: &condition };
        let mut told = 0;
        for cluster in weigh(seen, &rejected, effort)? {
            told += cluster.rows.len();
            assert_eq!(cluster.ignored, 0);
            for (at, &row) in cluster.rows.iter().enumerate() {
                let expected = &expected[row as usize];
                match &cluster.told {
                    Told::Nothing => {
                        let group = groups.iter().find(|group| group.contains(&row)).unwrap();
                        for value in 0..domain {
                            let there = group.iter().filter(|&&other| values[other as usize] == value).count();
                            let share = fraction(there as u64, group.len() as u64);
                            assert_eq!(share, expected.get(&value).cloned().unwrap_or(Fraction::ZERO));
                        }
                    }
                    Told::Exactly(belief) => {
                        let belief = belief.distribution(at).unwrap();
                        for value in 0..domain {
                            assert_eq!(
                                belief.probability(value),
                                expected.get(&value).cloned().unwrap_or(Fraction::ZERO)
                            );
                        }
                    }
                    Told::About(estimate) => {
                        for value in 0..domain {
                            let share = expected.get(&value).map_or(0.0, |share| share.to_f64().value());
                            assert!(estimate.probability(at, value).contains(share), "{publisher}, row {row}");
                        }
                    }
                    Told::Refused(why) => panic!("{why}"),
                }
            }
        }
        assert_eq!(told, people.len());
        Ok(rejected.len())
    };
    sheet.with_plan(std::slice::from_ref(want), check).unwrap();
}

fn wants() -> Vec<Want> {
    let l = |principle, l: u64| Want::new(principle, Args::new().with("l", l));
    vec![
        Want::frequency(2),
        l("distinct-l-diversity", 2),
        l("distinct-l-diversity", 3),
        l("entropy-l-diversity", 2),
        Want::new("recursive-cl-diversity", Args::new().with("c", 2u64).with("l", 2u64)),
    ]
}

/// Random tables and what the publisher leads an adversary to believe of them; gives how often it is more than the blind
/// belief.
fn compare(publisher: &str, seed: u64, tables: usize, most: usize, effort: &Effort) -> usize {
    let mut rng = generator(seed);
    let (mut attacked, mut sharper) = (0, 0);
    for _ in 0..tables {
        let (many, attributes) = (rng.random_range(4..=most), rng.random_range(1..=3));
        let people = external(&mut rng, many, attributes, 4);
        let domain = rng.random_range(2..=4);
        let values: Vec<u32> = instance(&mut rng, many, domain).rows().iter().map(|row| row.1).collect();
        for want in wants() {
            let Some(expected) = literal(&people, &values, domain, publisher, &want) else { continue };
            attack(&people, &values, domain, publisher, &want, effort, &expected);
            attacked += 1;
            sharper += usize::from(expected.iter().flat_map(BTreeMap::values).any(|share| *share == Fraction::ONE));
        }
    }
    assert!(attacked > tables / 2, "{attacked}");
    sharper
}

#[test]
fn belief_about_mondrians_groups_is_that_of_trying_every_original() {
    assert!(compare("mondrian", 1, 120, 7, &Effort::default()) > 0, "somebody is certain somewhere");
}

#[test]
fn belief_about_a_searched_granulation_is_that_of_trying_every_original() {
    compare("search", 2, 100, 7, &Effort::default());
}

#[test]
fn intervals_of_estimates_hold_what_counting_finds() {
    let budget = Budget { states: 1, ..Budget::default() };
    let sampling = Sampling { draws: 2_000, confidence: 0.999, seed: Some(3) };
    let effort = Effort { budget, sampling: Some(sampling), ..Effort::default() };
    compare("mondrian", 3, 25, 6, &effort);
}

/// The smallest table on one line that gives two people away under Mondrian.
#[test]
fn six_people_are_enough_for_certainty() {
    let people: Vec<Person> = (0..6).map(|id| Person::new(id, vec![i64::from(id >= 4)])).collect();
    let values = [1, 2, 3, 4, 0, 0];
    let want = Want::frequency(2);
    let expected = literal(&people, &values, 5, "mondrian", &want).unwrap();
    assert_eq!(expected[4], BTreeMap::from([(0, Fraction::ONE)]));
    attack(&people, &values, 5, "mondrian", &want, &Effort::default(), &expected);
}
