//! The attack at scale against trying every possible original: the same belief about everybody.

use std::collections::BTreeMap;

use pellucid_inference::attack::{SeenRelease, weigh};
use pellucid_inference::belief::{Requirements, StrategyAdversary};
use pellucid_inference::budget::{Budget, SamplingPlan};
use pellucid_inference::estimate::{Estimate, SampleMethod};
use pellucid_inference::evidence::{Evidence, RejectedPartition};
use pellucid_inference::sequence::{NaiveStrategy, Sequence};
use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::histogram::Histogram;
use pellucid_model::partition::Partition;
use pellucid_model::principle::{self, BoundPrinciple, SensitiveColumn};
use pellucid_model::registry::{EntryArgs, find};
use pellucid_publish::publisher::PUBLISHERS;
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
fn shown(groups: &Partition, values: &[u32]) -> Vec<(Vec<u32>, Vec<u32>)> {
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
    let made = find(PUBLISHERS, "publisher", publisher).unwrap().make(&EntryArgs::new()).unwrap();
    let check = |plan: &pellucid_publish::publisher::PublisherInput<'_>| {
        let output = made.publish(plan, SEED)?.expect("it makes groups");
        let groups = &output.groups;
        let Evidence::Rejected(rejected) = made.evidence(plan, &output)? else { panic!("the evidence is countable") };
        let condition = Requirements::new(plan.goals.iter().map(|goal| goal.test.as_ref()));
        let seen = SeenRelease { groups, values, condition: &condition };
        let mut told = 0;
        for cluster in weigh(seen, &rejected, budget)? {
            told += cluster.rows.len();
            for (at, &row) in cluster.rows.iter().enumerate() {
                let expected = &expected[row as usize];
                let share = |value: u32| expected.get(&value).cloned().unwrap_or(Fraction::ZERO);
                let Some(belief) = &cluster.belief else {
                    let group = groups.iter().find(|group| group.contains(&row)).unwrap();
                    for value in 0..domain {
                        let there = group.iter().filter(|&&other| values[other as usize] == value).count();
                        assert_eq!(fraction(there as u64, group.len() as u64), share(value));
                    }
                    continue;
                };
                let estimate = belief.estimate(at).unwrap();
                if let Estimate::Unknown(why) = &estimate {
                    // Too few worlds may have been drawn.
                    assert_eq!(budget.states, 1, "{why}");
                }
                for value in 0..domain {
                    if let Some(belief) = estimate.counted() {
                        assert_eq!(belief.probability(value), share(value));
                    }
                    let share = share(value).to_f64().value();
                    assert!(estimate.probability(value).contains(share), "{publisher}, row {row}");
                }
            }
        }
        assert_eq!(told, people.len());
        Ok(rejected.len())
    };
    sheet.with_plan(wants, check).unwrap();
}

fn wants() -> Vec<Vec<Want>> {
    let l = |principle, l: u64| Want::new(principle, EntryArgs::new().with("l", l));
    let recursive = |c: u64, l: u64| Want::new("recursive-cl-diversity", EntryArgs::new().with("c", c).with("l", l));
    let k = |k: u64| Want::new("k-anonymity", EntryArgs::new().with("k", k));
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
    let sampling = SamplingPlan { draws: 2_000, confidence: 0.999, seed: Some(3) };
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

fn bound(id: &str, args: &EntryArgs, values: &[u32]) -> Box<dyn BoundPrinciple> {
    let whole = Histogram::of(values.iter().copied());
    let column = SensitiveColumn { name: "value", whole: &whole, cardinality: 8, protected: None, hierarchy: None };
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
        let l = |l: u64| EntryArgs::new().with("l", l);
        let mut tests = vec![match case % 6 {
            0 => bound("frequency-l-diversity", &l(2), &values),
            1 => bound("distinct-l-diversity", &l(2), &values),
            2 => bound("distinct-l-diversity", &l(3), &values),
            3 => bound("entropy-l-diversity", &l(2), &values),
            4 => bound("recursive-cl-diversity", &EntryArgs::new().with("c", 2).with("l", 3), &values),
            _ => bound("recursive-cl-diversity", &EntryArgs::new().with("c", "3/2").with("l", 2), &values),
        }];
        if case % 5 == 0 {
            tests.push(bound("k-anonymity", &EntryArgs::new().with("k", 3), &values));
        }
        let condition = Requirements::new(tests.iter().map(AsRef::as_ref));
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
                rejected.push(RejectedPartition { parts });
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
        let adversary =
            StrategyAdversary::new(&sequence, &NaiveStrategy, &condition, &values, Budget::question()).unwrap();
        let expected = adversary.disclosure(last).unwrap();
        let blind = adversary.permutation(last).unwrap();
        let ends = (0..groups).map(|group| outer.iter().filter(|&&other| other <= group).count() as u32).collect();
        let groups = Partition::from_parts((0..many).collect(), ends);
        let seen = SeenRelease { groups: &groups, values: &values, condition: &condition };
        // Enough for every case on any machine: what is refused would not be compared.
        for cluster in weigh(seen, &rejected, &Budget::publisher()).unwrap() {
            for (at, &row) in cluster.rows.iter().enumerate() {
                let found = match &cluster.belief {
                    None => blind.distribution(row as usize),
                    Some(belief) => belief.distribution(at),
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
    let column = SensitiveColumn { name: "value", whole: &whole, cardinality: 3, protected: None, hierarchy: None };
    let ratio = EntryArgs::new().with("ratio", "23/36");
    let test = principle::make("highest-ratio", &ratio).unwrap().bind(column).unwrap();
    let condition = Requirements::new([test.as_ref()]);
    let groups = Partition::from_parts((0..72).collect(), vec![36, 72]);
    let seen = SeenRelease { groups: &groups, values: &values, condition: &condition };
    let four = |from: u32| (from..from + 4).collect::<Vec<u32>>();
    let halves = (18..36).chain(54..72).collect::<Vec<u32>>();
    let rejected = [
        RejectedPartition { parts: vec![four(0)] },
        RejectedPartition { parts: vec![four(36)] },
        RejectedPartition { parts: vec![four(4), halves] },
    ];
    let told = |states: u64| {
        let mut clusters = weigh(seen, &rejected, &Budget { states, ..Budget::attack() }).unwrap();
        // One group is tied to the other by what is left aside alone.
        clusters.sort_by_key(|cluster| cluster.rows.clone());
        clusters.remove(0)
    };
    let (poor, rich) = (told(2_000), told(100_000_000));
    let (bounded, exact) = (poor.belief.unwrap(), rich.belief.unwrap());
    assert_eq!(poor.rows, rich.rows);
    for person in 0..poor.rows.len() {
        let estimate = bounded.estimate(person).unwrap();
        assert!(matches!(estimate, Estimate::Within(_)), "{estimate:?}");
        for value in 0..3 {
            let about = estimate.probability(value);
            let share = exact.distribution(person).unwrap().probability(value).to_f64().value();
            assert!(about.contains(share) && about.high - about.low < 0.01, "{person} {value}: {about:?} {share}");
        }
    }
}

/// Evidence of which there is one world in some ten thousand is estimated by populations, and all of it is looked at.
#[test]
fn rare_evidence_is_estimated() {
    let values: Vec<u32> = (0..48).map(|person| person % 4).collect();
    let test = bound("frequency-l-diversity", &EntryArgs::new().with("l", 2), &values);
    let condition = Requirements::new([test.as_ref()]);
    let groups = Partition::from_parts((0..48).collect(), vec![24, 48]);
    let seen = SeenRelease { groups: &groups, values: &values, condition: &condition };
    let cut =
        |from: u32| RejectedPartition { parts: vec![(from..from + 10).collect(), (from + 10..from + 24).collect()] };
    let rejected = [cut(0), cut(24), RejectedPartition { parts: vec![(5..12).chain(30..36).collect()] }];
    let exact = weigh(seen, &rejected, &Budget::publisher()).unwrap();
    let sampling = SamplingPlan { draws: 10_000, confidence: 0.99, seed: Some(1) };
    let budget = Budget { states: 300_000, sampling: Some(sampling), ..Budget::attack() };
    let about = weigh(seen, &rejected, &budget).unwrap();
    let (exact, about) = (exact[0].belief.as_ref().unwrap(), about[0].belief.as_ref().unwrap());
    let record = about.samples()[0];
    assert!(record.method == SampleMethod::Populations && record.share.unwrap().high < 0.001, "{record:?}");
    for person in 0..48 {
        for value in 0..4 {
            let share = exact.distribution(person).unwrap().probability(value).to_f64().value();
            let interval = about.estimate(person).unwrap().probability(value);
            assert!(
                interval.contains(share) && interval.high - interval.low < 0.3,
                "{person} {value}: {interval:?} {share}"
            );
        }
    }
}

/// The arrangements of `counts` (a number of people by value) over parts of these sizes, each with the number of its worlds.
fn spreads(counts: &[u32], sizes: &[u32]) -> Vec<(Vec<Vec<u32>>, u64)> {
    let choose = |n: u32, k: u32| (0..u64::from(k)).fold(1, |ways, at| ways * (u64::from(n) - at) / (at + 1));
    let Some((&count, rest)) = counts.split_first() else { return vec![(Vec::new(), 1)] };
    let mut taken: Vec<(Vec<u32>, u64)> = vec![(Vec::new(), 1)];
    for (at, &size) in sizes.iter().enumerate() {
        let last = at + 1 == sizes.len();
        let more = taken.iter().flat_map(|(before, ways)| {
            let left = count - before.iter().sum::<u32>();
            let range = if last { left..=left } else { 0..=left };
            range
                .filter(|&take| take <= size)
                .map(move |take| ([&before[..], &[take]].concat(), ways * choose(size, take)))
        });
        taken = more.collect();
    }
    let each = taken.into_iter().flat_map(|(row, ways)| {
        let left: Vec<u32> = sizes.iter().zip(&row).map(|(size, take)| size - take).collect();
        spreads(rest, &left).into_iter().map(move |(others, more)| ([vec![row.clone()], others].concat(), ways * more))
    });
    each.collect()
}

/// Two groups of ten people, of which two partitions that cross both are rejected: every world is tried, people of one part of a group
/// together. What is counted with some of the partitions only would be 14149/47065 for the first person, and is never called exact.
#[test]
fn two_rejected_partitions_of_twenty_people_against_every_world() {
    let values = [2, 0, 0, 1, 1, 2, 3, 0, 1, 2, 1, 0, 2, 2, 0, 2, 2, 1, 3, 0];
    let first = [vec![0, 7, 11, 13, 16], vec![3, 4, 5, 6, 8, 10, 15], vec![1, 2, 9, 12, 14, 17, 18, 19]];
    let second = [vec![9, 12], vec![0, 1, 3, 8, 16, 17], vec![2, 4, 5, 6, 7, 10, 11, 13, 14, 15, 18, 19]];
    let test = bound("entropy-l-diversity", &EntryArgs::new().with("l", 2), &values);
    let condition = Requirements::new([test.as_ref()]);
    let place = |parts: &[Vec<u32>], person: u32| parts.iter().position(|part| part.contains(&person)).unwrap();
    // By group, people of one part of both partitions.
    let cells = |group: u32| {
        let mut cells: BTreeMap<(usize, usize), Vec<u32>> = BTreeMap::new();
        for person in group * 10..group * 10 + 10 {
            cells.entry((place(&first, person), place(&second, person))).or_default().push(person);
        }
        cells
    };
    let of_group = |group: u32| {
        let cells = cells(group);
        let sizes: Vec<u32> = cells.values().map(|people| people.len() as u32).collect();
        let count = |value: u32| (0..10).filter(|at| values[(group * 10 + at) as usize] == value).count() as u32;
        let parts: Vec<(usize, usize)> = cells.keys().copied().collect();
        let mut found: BTreeMap<([[u32; 4]; 6], u32), u64> = BTreeMap::new();
        let mine = place(&first, 0);
        let mine = parts.iter().position(|part| *part == (mine, place(&second, 0)));
        for (rows, ways) in spreads(&(0..4).map(count).collect::<Vec<_>>(), &sizes) {
            let mut counts = [[0; 4]; 6];
            for (value, row) in rows.iter().enumerate() {
                for (cell, &many) in row.iter().enumerate() {
                    counts[parts[cell].0][value] += many;
                    counts[3 + parts[cell].1][value] += many;
                }
            }
            // How many people of the first person's cell have the value 0.
            let zeros = if group == 0 { mine.map_or(0, |at| rows[0][at]) } else { 0 };
            *found.entry((counts, zeros)).or_default() += ways;
        }
        (found, mine.map_or(1, |at| u64::from(sizes[at])))
    };
    let ((left, size), (right, _)) = (of_group(0), of_group(1));
    let fails = |counts: &[u32; 4]| {
        !condition.holds(&Histogram::from_entries((0..).zip(counts.map(u64::from)).filter(|entry| entry.1 > 0)))
    };
    let (mut worlds, mut with) = (0u64, 0u64);
    for ((a, zeros), ways) in &left {
        for ((b, _), more) in &right {
            let part = |at: usize| std::array::from_fn(|value| a[at][value] + b[at][value]);
            if (0..3).any(|at| fails(&part(at))) && (3..6).any(|at| fails(&part(at))) {
                worlds += ways * more;
                with += ways * more * u64::from(*zeros);
            }
        }
    }
    let expected = fraction(with, worlds * size);
    assert_eq!(expected, fraction(2_414_267, 7_480_143u64));
    let groups = Partition::from_parts((0..20).collect(), vec![10, 20]);
    let seen = SeenRelease { groups: &groups, values: &values, condition: &condition };
    let rejected = [RejectedPartition { parts: first.to_vec() }, RejectedPartition { parts: second.to_vec() }];
    let told = |states: u64| {
        let clusters = weigh(seen, &rejected, &Budget { states, ..Budget::publisher() }).unwrap();
        let cluster = &clusters[0];
        cluster.belief.as_ref().unwrap().estimate(cluster.rows.iter().position(|&row| row == 0).unwrap()).unwrap()
    };
    assert_eq!(told(100_000_000).counted().unwrap().probability(0), expected);
    assert!(matches!(told(1_000), Estimate::Unknown(_)), "what takes too much is not counted in part");
}
