//! The attack at scale against trying every possible original: the same belief about everybody.

use std::collections::BTreeMap;

use pellucid_inference::attack::{Seen, Told, weigh};
use pellucid_inference::belief::{Adversary, Condition};
use pellucid_inference::budget::{Budget, Sampling};
use pellucid_inference::evidence::{Evidence, Rejected};
use pellucid_inference::sequence::{Naive, Sequence};
use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::histogram::Histogram;
use pellucid_model::partition::Groups;
use pellucid_model::principle::{self, Sensitive, Test};
use pellucid_model::registry::{Args, find};
use pellucid_publish::publisher::{Outcome, PUBLISHERS};
use pellucid_testkit::adversary::arrangements;
use pellucid_testkit::fast::{SEED, Sheet, Want};
use pellucid_testkit::instance::Instance;
use pellucid_testkit::person::Person;
use pellucid_testkit::random::{external, generator, instance};
use pellucid_testkit::repeats;
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
fn literal(people: &[Person], values: &[u32], domain: u32, publisher: &str, wants: &[Want]) -> Option<Posterior> {
    let publish = |values: &[u32]| {
        let sheet = Sheet::of_instance(people, &Instance::of_all(values), domain, true);
        let groups = sheet.publish(publisher, wants, SEED).unwrap();
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
    wants: &[Want],
    budget: &Budget,
    expected: &Posterior,
) {
    let sheet = Sheet::of_instance(people, &Instance::of_all(values), domain, true);
    let made = find(PUBLISHERS, "publisher", publisher).unwrap().make(&Args::new()).unwrap();
    let check = |plan: &pellucid_publish::publisher::Plan<'_>| {
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
        for cluster in weigh(seen, &rejected, budget)? {
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
                    Told::Within(bounded) => {
                        let belief = bounded.belief.distribution(at).unwrap();
                        for value in 0..domain {
                            let share = expected.get(&value).map_or(0.0, |share| share.to_f64().value());
                            assert!(
                                bounded.interval(&belief.probability(value)).contains(share),
                                "{publisher}, row {row}"
                            );
                        }
                    }
                    Told::About(estimate) => {
                        for value in 0..domain {
                            let share = expected.get(&value).map_or(0.0, |share| share.to_f64().value());
                            assert!(estimate.probability(at, value).contains(share), "{publisher}, row {row}");
                        }
                    }
                    // Too few worlds may have been drawn.
                    Told::Refused(why) => assert_eq!(budget.states, 1, "{why}"),
                    Told::Proven => panic!("nothing is proved of {publisher}"),
                }
            }
        }
        assert_eq!(told, people.len());
        Ok(rejected.len())
    };
    sheet.with_plan(wants, check).unwrap();
}

fn wants() -> Vec<Vec<Want>> {
    let l = |principle, l: u64| Want::new(principle, Args::new().with("l", l));
    let recursive = |c: u64, l: u64| Want::new("recursive-cl-diversity", Args::new().with("c", c).with("l", l));
    let k = |k: u64| Want::new("k-anonymity", Args::new().with("k", k));
    vec![
        vec![Want::frequency(2)],
        vec![l("distinct-l-diversity", 2)],
        vec![l("distinct-l-diversity", 3)],
        vec![l("entropy-l-diversity", 2)],
        vec![recursive(2, 2)],
        vec![recursive(3, 3)],
        vec![k(3), Want::frequency(2)],
        vec![l("distinct-l-diversity", 2), k(3)],
        vec![k(2), l("entropy-l-diversity", 2)],
        vec![l("distinct-l-diversity", 3), Want::frequency(2)],
    ]
}

/// Random tables and what the publisher leads an adversary to believe of them; gives how often it is more than the blind
/// belief.
fn compare(publisher: &str, seed: u64, tables: usize, most: usize, budget: &Budget) -> usize {
    let mut rng = generator(seed);
    let (mut attacked, mut sharper) = (0, 0);
    for _ in 0..tables {
        let (many, attributes) = (rng.random_range(4..=most), rng.random_range(1..=3));
        let people = external(&mut rng, many, attributes, 4);
        let domain = rng.random_range(2..=4);
        let values: Vec<u32> = instance(&mut rng, many, domain).rows().iter().map(|row| row.1).collect();
        for wants in wants() {
            let Some(expected) = literal(&people, &values, domain, publisher, &wants) else { continue };
            attack(&people, &values, domain, publisher, &wants, budget, &expected);
            attacked += 1;
            sharper += usize::from(expected.iter().flat_map(BTreeMap::values).any(|share| *share == Fraction::ONE));
        }
    }
    assert!(attacked > tables / 2, "{attacked}");
    sharper
}

#[test]
fn belief_about_mondrians_groups_is_that_of_trying_every_original() {
    assert!(compare("mondrian", 1, 120, 7, &Budget::attack()) > 0, "somebody is certain somewhere");
}

#[test]
fn belief_about_a_searched_granulation_is_that_of_trying_every_original() {
    compare("search", 2, 100, 7, &Budget::attack());
}

#[test]
fn intervals_of_estimates_hold_what_counting_finds() {
    let sampling = Sampling { draws: 2_000, confidence: 0.999, seed: Some(3) };
    compare("mondrian", 3, 25, 6, &Budget { states: 1, sampling: Some(sampling), ..Budget::attack() });
}

/// The smallest table on one line that gives two people away under Mondrian.
#[test]
fn six_people_are_enough_for_certainty() {
    let people: Vec<Person> = (0..6).map(|id| Person::new(id, vec![i64::from(id >= 4)])).collect();
    let values = [1, 2, 3, 4, 0, 0];
    let wants = [Want::frequency(2)];
    let expected = literal(&people, &values, 5, "mondrian", &wants).unwrap();
    assert_eq!(expected[4], BTreeMap::from([(0, Fraction::ONE)]));
    attack(&people, &values, 5, "mondrian", &wants, &Budget::attack(), &expected);
}

fn bound(id: &str, args: &Args, values: &[u32]) -> Box<dyn Test> {
    let whole = Histogram::of(values.iter().copied());
    let column = Sensitive { name: "value", whole: &whole, cardinality: 8, protected: None, hierarchy: None };
    principle::make(id, args).unwrap().bind(column).unwrap()
}

/// Up to three groups of 8 to 20 people, and partitions of some of them in up to three parts, all rejected.
#[test]
fn counting_value_by_value_agrees_with_the_engine_of_strategies() {
    let mut rng = generator(5);
    let (mut compared, mut sharper) = (0, 0);
    for case in 0..repeats(1500) {
        let (many, domain) = (rng.random_range(8..=20u32), rng.random_range(3..=6u32));
        let values: Vec<u32> =
            (0..many).map(|_| rng.random_range(0..domain).min(rng.random_range(0..domain))).collect();
        let groups = rng.random_range(1..=3u32);
        let outer: Vec<u32> = (0..many).map(|person| person * groups / many).collect();
        let l = |l: u64| Args::new().with("l", l);
        let mut tests = vec![match case % 6 {
            0 => bound("frequency-l-diversity", &l(2), &values),
            1 => bound("distinct-l-diversity", &l(2), &values),
            2 => bound("distinct-l-diversity", &l(3), &values),
            3 => bound("entropy-l-diversity", &l(2), &values),
            4 => bound("recursive-cl-diversity", &Args::new().with("c", 2).with("l", 3), &values),
            _ => bound("recursive-cl-diversity", &Args::new().with("c", "3/2").with("l", 2), &values),
        }];
        if case % 5 == 0 {
            tests.push(bound("k-anonymity", &Args::new().with("k", 3), &values));
        }
        let condition = Condition::new(tests.iter().map(AsRef::as_ref));
        let passes = |people: &[u32]| condition.holds(&Histogram::of(people.iter().map(|&at| values[at as usize])));
        let within = |group: u32| (0..many).filter(|&person| outer[person as usize] == group).collect::<Vec<u32>>();
        if !(0..groups).all(|group| passes(&within(group))) {
            continue;
        }
        let mut rejected = Vec::new();
        for _ in 0..rng.random_range(1..=4) {
            let cut: Vec<u32> = (0..groups).filter(|_| rng.random_range(0..3) > 0).collect();
            let mut parts = vec![Vec::new(); rng.random_range(2..=3)];
            for person in (0..many).filter(|&person| cut.contains(&outer[person as usize])) {
                let part = rng.random_range(0..4usize).min(parts.len() - 1);
                parts[part].push(person);
            }
            parts.retain(|part| !part.is_empty());
            if parts.iter().any(|part| !passes(part)) {
                rejected.push(Rejected { parts });
            }
        }
        let mut labels: Vec<Vec<u32>> = rejected
            .iter()
            .map(|rejected| {
                let mut label = outer.clone();
                for (number, part) in (groups..).zip(&rejected.parts) {
                    part.iter().for_each(|&person| label[person as usize] = number);
                }
                label
            })
            .collect();
        labels.push(outer.clone());
        let last = labels.len();
        let sequence = Sequence::from_labels(many as usize, labels).unwrap();
        let adversary = Adversary::new(&sequence, &Naive, &condition, &values, Budget::question()).unwrap();
        let expected = adversary.disclosure(last).unwrap();
        let blind = adversary.permutation(last).unwrap();
        let ends = (0..groups).map(|group| outer.iter().filter(|&&other| other <= group).count() as u32).collect();
        let groups = Groups::from_parts((0..many).collect(), ends);
        let seen = Seen { groups: &groups, values: &values, condition: &condition };
        for cluster in weigh(seen, &rejected, &Budget { sampling: None, ..Budget::attack() }).unwrap() {
            for (at, &row) in cluster.rows.iter().enumerate() {
                let found = match &cluster.told {
                    Told::Nothing => blind.distribution(row as usize),
                    Told::Exactly(belief) => belief.distribution(at),
                    other => panic!("{other:?}"),
                };
                let (found, expected) = (found.unwrap(), expected.distribution(row as usize).unwrap());
                for value in 0..domain {
                    assert_eq!(found.probability(value), expected.probability(value), "case {case}, row {row}");
                }
                let before = blind.distribution(row as usize).unwrap();
                sharper += usize::from(before.probability(0) != found.probability(0));
            }
        }
        compared += usize::from(!rejected.is_empty());
    }
    assert!(compared > 200 && sharper > 1000, "{compared} {sharper}");
}

/// Two groups of 36 people, three values 12 times each; in every group four people of whom some value is too common, or else
/// it is so in the half of both groups, which happens once in ten thousand times.
#[test]
fn what_is_unlikely_is_left_aside_and_accounted_for() {
    let values: Vec<u32> = (0..72).map(|person| person % 3).collect();
    let whole = Histogram::of(values.iter().copied());
    let column = Sensitive { name: "value", whole: &whole, cardinality: 3, protected: None, hierarchy: None };
    let ratio = Args::new().with("ratio", "23/36");
    let test = principle::make("highest-ratio", &ratio).unwrap().bind(column).unwrap();
    let condition = Condition::new([test.as_ref()]);
    let groups = Groups::from_parts((0..72).collect(), vec![36, 72]);
    let seen = Seen { groups: &groups, values: &values, condition: &condition };
    let four = |from: u32| (from..from + 4).collect::<Vec<u32>>();
    let halves = (18..36).chain(54..72).collect::<Vec<u32>>();
    let rejected = [
        Rejected { parts: vec![four(0)] },
        Rejected { parts: vec![four(36)] },
        Rejected { parts: vec![four(4), halves] },
    ];
    let told = |states: u64| {
        let mut clusters = weigh(seen, &rejected, &Budget { states, ..Budget::attack() }).unwrap();
        // One group is tied to the other by what is left aside alone.
        clusters.sort_by_key(|cluster| cluster.rows.clone());
        clusters.remove(0)
    };
    let (poor, rich) = (told(2_000), told(100_000_000));
    let (Told::Within(bounded), Told::Exactly(exact)) = (&poor.told, &rich.told) else { panic!("{poor:?} {rich:?}") };
    assert_eq!(poor.rows, rich.rows);
    for person in 0..poor.rows.len() {
        for value in 0..3 {
            let about = bounded.interval(&bounded.belief.distribution(person).unwrap().probability(value));
            let share = exact.distribution(person).unwrap().probability(value).to_f64().value();
            assert!(about.contains(share) && about.high - about.low < 0.01, "{person} {value}: {about:?} {share}");
        }
    }
}

/// Evidence of which there is one world in some ten thousand is estimated by populations, and all of it is looked at.
#[test]
fn rare_evidence_is_estimated() {
    let values: Vec<u32> = (0..48).map(|person| person % 4).collect();
    let test = bound("frequency-l-diversity", &Args::new().with("l", 2), &values);
    let condition = Condition::new([test.as_ref()]);
    let groups = Groups::from_parts((0..48).collect(), vec![24, 48]);
    let seen = Seen { groups: &groups, values: &values, condition: &condition };
    let cut = |from: u32| Rejected { parts: vec![(from..from + 10).collect(), (from + 10..from + 24).collect()] };
    let rejected = [cut(0), cut(24), Rejected { parts: vec![(5..12).chain(30..36).collect()] }];
    let exact = weigh(seen, &rejected, &Budget { sampling: None, ..Budget::attack() }).unwrap();
    let sampling = Sampling { draws: 10_000, confidence: 0.99, seed: Some(1) };
    let about =
        weigh(seen, &rejected, &Budget { states: 300_000, sampling: Some(sampling), ..Budget::attack() }).unwrap();
    let (Told::Exactly(exact), Told::About(about)) = (&exact[0].told, &about[0].told) else { panic!("{about:?}") };
    assert!(about.populations().is_some_and(|many| many >= 10) && about.share.high < 0.001, "{about:?}");
    for person in 0..48 {
        for value in 0..4 {
            let share = exact.distribution(person).unwrap().probability(value).to_f64().value();
            let interval = about.probability(person, value);
            assert!(
                interval.contains(share) && interval.high - interval.low < 0.3,
                "{person} {value}: {interval:?} {share}"
            );
        }
    }
}

/// Belief that ignores a condition is no bound on belief that does not: it is sometimes higher and sometimes lower.
#[test]
fn ignoring_a_condition_bounds_nothing() {
    let mut rng = generator(6);
    let (mut higher, mut lower) = (0, 0);
    for _ in 0..repeats(300) {
        let values: Vec<u32> = (0..10).map(|_| rng.random_range(0..3)).collect();
        let test = bound("frequency-l-diversity", &Args::new().with("l", 2), &values);
        let condition = Condition::new([test.as_ref()]);
        let passes = |people: &[u32]| condition.holds(&Histogram::of(people.iter().map(|&at| values[at as usize])));
        let groups = Groups::from_parts((0..10).collect(), vec![10]);
        let parts: Vec<Rejected> = (0..2)
            .map(|_| (0..10).filter(|_| rng.random_range(0..2) == 0).collect::<Vec<u32>>())
            .filter(|part| !part.is_empty() && !passes(part))
            .map(|part| Rejected { parts: vec![part] })
            .collect();
        if parts.len() < 2 || !passes(&(0..10).collect::<Vec<u32>>()) {
            continue;
        }
        let seen = Seen { groups: &groups, values: &values, condition: &condition };
        let belief = |rejected: &[Rejected]| {
            let told = weigh(seen, rejected, &Budget::attack()).unwrap().remove(0).told;
            let Told::Exactly(belief) = told else { return None };
            Some((0..10).map(|person| belief.distribution(person).unwrap().probability(0)).collect::<Vec<Fraction>>())
        };
        let (Some(part), Some(whole)) = (belief(&parts[..1]), belief(&parts)) else { continue };
        higher += usize::from(part.iter().zip(&whole).any(|(part, whole)| part > whole));
        lower += usize::from(part.iter().zip(&whole).any(|(part, whole)| part < whole));
    }
    assert!(higher > 10 && lower > 10, "{higher} {lower}");
}
