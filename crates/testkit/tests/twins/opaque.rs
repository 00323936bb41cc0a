//! The publishers that are not transparent against their twins: Mondrian, Opt-Gen, Mask and Vul-Gen give the literal
//! answers with the literal probabilities, and the recorded ones; and the adversary who knows them wins.

use std::collections::BTreeSet;

use pellucid_model::error::ErrorKind;
use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::registry::EntryArgs;
use pellucid_publish::publisher::mondrian::cuts;
use pellucid_testkit::adversary::{belief_about, beliefs, beliefs_of_multiset};
use pellucid_testkit::fast::{Fast, SEED, Sheet, Want};
use pellucid_testkit::golden::{World, case, cases_of, read, recorded};
use pellucid_testkit::instance::{Group, Instance, Outputs, Row, certainly, histogram, is_diverse, publish, sorted};
use pellucid_testkit::literal::mondrian::{self, mondrian_partition};
use pellucid_testkit::literal::opt_gen::{Ties, minimisers_where};
use pellucid_testkit::mechanism::{Mask, Mechanism, Mondrian, OptGen, VulGen};
use pellucid_testkit::person::{Person, extents, in_vector_order};
use pellucid_testkit::principle::Principle;
use pellucid_testkit::random::{Shape, external, generator, instance, tied, values};
use pellucid_testkit::repeats;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

/// Every principle of the registry with its examples and its literal form, as far as a domain of so many values bears it, and
/// frequency l-diversity with only some values protected.
fn principles(domain: u32) -> Vec<(Want, Principle)> {
    let bearable = Principle::examples().filter(|(.., literal)| literal.least_domain() <= domain);
    let mut all: Vec<(Want, Principle)> =
        bearable.map(|(entry, args, literal)| (Want::example(entry, &args), literal)).collect();
    for l in 2..=3 {
        let protect = Some(BTreeSet::from([0]));
        all.push((Want::frequency(l).protecting(protect.clone()), Principle::Share { l, protect }));
    }
    all
}

/// One to three principles, and whether a group of `table` meets them all.
fn goals(rng: &mut ChaCha8Rng, table: &Instance, domain: u32) -> (Vec<Want>, impl Fn(&[Row]) -> bool + use<>) {
    let mut all = principles(domain);
    all.shuffle(rng);
    all.truncate(if rng.random_range(0..3) == 0 { rng.random_range(2..=3) } else { 1 });
    let (wants, principles): (Vec<Want>, Vec<Principle>) = all.into_iter().unzip();
    let counts = move |rows: &[Row]| -> Vec<u64> {
        let histogram = histogram(rows);
        (0..domain).map(|value| histogram.count(value)).collect()
    };
    let whole = counts(table.rows());
    let passes = move |rows: &[Row]| principles.iter().all(|principle| principle.group_passes(&counts(rows), &whole));
    (wants, passes)
}

fn fast(publisher: &'static str, wants: Vec<Want>, domain: u32) -> Fast {
    let mut fast = Fast::new(publisher, Want::frequency(1), domain);
    fast.wants = wants;
    fast
}

#[test]
fn mondrian_is_literal_mondrian_for_every_principle() {
    let mut rng = generator(41);
    let (mut cut, mut nothing) = (0, 0);
    for _ in 0..repeats(6000) {
        let people = tied(&mut rng, 14);
        let domain = rng.random_range(1..=5);
        let table = instance(&mut rng, people.len(), domain);
        let (wants, passes) = goals(&mut rng, &table, domain);
        let expected = mondrian_partition(&people, &table, &extents(&people), &passes).map(sorted);
        let mut fast = fast("mondrian", wants, domain);
        fast.identified = rng.random_range(0..2) == 0;
        assert_eq!(fast.partition(&people, &table, SEED), expected, "{:?} {people:?} {table:?}", fast.wants);
        cut += usize::from(expected.as_ref().is_some_and(|groups| groups.len() > 1));
        nothing += usize::from(expected.is_none());
    }
    assert!(cut > 800 && nothing > 500, "{cut} cut, {nothing} nothing");
}

#[test]
fn mondrian_is_literal_mondrian_on_larger_tables() {
    let mut rng = generator(42);
    for round in 0..12 {
        let people = Shape::random(&mut rng, 5000).people(&mut rng);
        // The twin subtracts 64-bit numbers.
        let people: Vec<Person> = people
            .into_iter()
            .map(|person| Person::new(person.id, person.quasi.iter().map(|value| value / 4).collect::<Vec<i64>>()))
            .collect();
        let (domain, l) = (rng.random_range(3..=9), rng.random_range(2..=3));
        let table = values(&mut rng, people.len(), domain, 1 + round % 2);
        let passes = |rows: &[Row]| is_diverse(rows, l);
        let expected = mondrian_partition(&people, &table, &extents(&people), &passes).map(sorted);
        let found = fast("mondrian", vec![Want::frequency(l)], domain).partition(&people, &table, SEED);
        assert!(found == expected, "round {round}");
    }
}

#[test]
fn mondrian_does_not_depend_on_the_order_of_rows() {
    let mut rng = generator(43);
    for _ in 0..repeats(300) {
        let people = tied(&mut rng, 20);
        let table = instance(&mut rng, people.len(), 4);
        let release = |people: &[Person], table: &Instance| {
            fast("mondrian", vec![Want::frequency(2)], 4).output(people, table, SEED)
        };
        let expected = release(&people, &table);
        let mut order: Vec<usize> = (0..people.len()).collect();
        order.shuffle(&mut rng);
        let shuffled: Vec<Person> = order.iter().map(|&at| people[at].clone()).collect();
        let values: Vec<u32> = order.iter().map(|&at| table.rows()[at].1).collect();
        assert_eq!(release(&shuffled, &Instance::of_all(&values)), expected);
    }
}

#[test]
fn the_cuts_that_are_told_are_those_that_are_tried() {
    let mut rng = generator(44);
    let mut several = 0;
    for _ in 0..repeats(1500) {
        let people = tied(&mut rng, 12);
        let table = instance(&mut rng, people.len(), 3);
        let sheet = Sheet::of_instance(&people, &table, 3, true);
        let rows: Vec<u32> = (0..people.len() as u32).filter(|_| rng.random_range(0..3) > 0).collect();
        let found = sheet.with_plan(&[Want::frequency(2)], |plan| Ok(cuts(plan, &rows))).unwrap();
        let of_rows = |rows: &[u32]| rows.iter().map(|&row| table.rows()[row as usize]).collect::<Group>();
        let found: Vec<(usize, Group, Group)> =
            found.iter().map(|cut| (cut.axis, of_rows(&cut.left), of_rows(&cut.right))).collect();
        let group = of_rows(&rows);
        let expected = if group.is_empty() { Vec::new() } else { mondrian::cuts(&people, &group, &extents(&people)) };
        several += usize::from(expected.len() > 1);
        assert_eq!(found, expected);
    }
    assert!(several > 200, "{several}");
}

/// People with few different vectors; their numbers follow the order of the list.
fn blocky(rng: &mut ChaCha8Rng, people: usize) -> Vec<Person> {
    let attributes = rng.random_range(1..=3);
    let people = external(rng, people, attributes, 4);
    (0..).zip(people).map(|(id, person)| Person::new(id, person.quasi)).collect()
}

#[test]
fn opt_gen_is_literal_opt_gen_with_the_same_chances() {
    let mut rng = generator(45);
    let (mut releases, mut random, mut apart) = (0, 0, 0);
    for round in 0..repeats(700) {
        let size = rng.random_range(2..=8);
        let mut people = blocky(&mut rng, size);
        let domain = rng.random_range(2..=5);
        let table = instance(&mut rng, people.len(), domain);
        let (wants, passes) = goals(&mut rng, &table, domain);
        let identified = round % 2 == 0;
        if !identified {
            // Without identifiers the order is that of vectors.
            people = in_vector_order(&people);
            people.sort_by_key(|person| person.id);
        }
        let mut answers = BTreeSet::new();
        for (recoding, disjoint) in [("disjoint", true), ("equal", false)] {
            let found = minimisers_where(&people, &table, disjoint, &passes).map(|(_, found)| found);
            for ties in ["first", "uniform"] {
                let mut fast = fast("opt-gen", wants.clone(), domain).with("recoding", recoding).with("ties", ties);
                fast.identified = identified;
                let chosen = found.as_ref().map(|found| if ties == "first" { &found[..1] } else { &found[..] });
                let mut expected = Outputs::new();
                for partition in chosen.into_iter().flatten() {
                    *expected.entry(Some(publish(&people, partition))).or_insert(Fraction::ZERO) +=
                        fraction(1, chosen.map_or(1, <[_]>::len) as u64);
                }
                if found.is_none() {
                    expected = certainly(None);
                }
                let what = format!("{recoding} {ties} {identified} {wants:?} {people:?} {table:?}");
                assert_eq!(fast.chances(&people, &table), expected, "{what}");
                random += usize::from(expected.len() > 1);
                releases += usize::from(found.is_some());
                answers.insert(expected);
            }
        }
        apart += usize::from(answers.len() > 2);
    }
    assert!(releases > 800 && random > 100 && apart > 30, "{releases} {random} {apart}");
}

#[test]
fn opt_gen_names_its_limit_before_it_starts() {
    let quasi: Vec<i64> = (0..40).collect();
    let sheet = Sheet::new(None, std::slice::from_ref(&quasi), &[quasi.iter().map(|&at| (at % 2) as u32).collect()], 2);
    let error = sheet.answer("opt-gen", &EntryArgs::new(), &[Want::frequency(2)], SEED).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    let message = error.to_string();
    assert!(message.contains("have 40 different combinations") && message.contains("up to 16"), "{message}");
}

#[test]
fn opt_gen_takes_as_many_combinations_as_it_says() {
    let mut rng = generator(46);
    for recoding in ["disjoint", "equal"] {
        // A grid of 4 by 4 places with two people each, no two alike.
        let people: Vec<Person> =
            (0..32).map(|id| Person::new(id, [i64::from(id / 2 % 4), i64::from(id / 8)])).collect();
        let table = instance(&mut rng, 32, 4);
        let opt_gen = fast("opt-gen", vec![Want::frequency(2)], 4).with("recoding", recoding).with("ties", "uniform");
        let groups = opt_gen.partition(&people, &table, SEED).unwrap();
        assert!(groups.iter().all(|group| is_diverse(group, 2)));
        assert!(groups.len() > 4, "{recoding}");
    }
}

#[test]
fn mask_is_literal_mask_with_the_same_chances() {
    let mut rng = generator(47);
    let (mut random, mut nothing, mut kept) = (0, 0, 0);
    for _ in 0..repeats(1500) {
        let people = rng.random_range(2..=9);
        let attributes = rng.random_range(1..=2);
        let people = external(&mut rng, people, attributes, 6);
        let domain = rng.random_range(2..=4);
        let table = instance(&mut rng, people.len(), domain);
        let (k, l) = (rng.random_range(1..=3), rng.random_range(2..=3));
        let protect: BTreeSet<u32> = (0..domain).filter(|value| *value == 0 || rng.random_range(0..3) == 0).collect();
        let by_size = |rows: &[Row]| rows.len() as u64 >= k;
        let partition = mondrian_partition(&people, &table, &extents(&people), &by_size);
        let expected = match partition {
            None => certainly(None),
            Some(partition) => {
                let of_people = partition.iter().map(|group| group.iter().map(|row| row.0).collect()).collect();
                Mask { l, partition: of_people, protect: protect.clone() }.outputs(&people, &table)
            }
        };
        let want = Want::frequency(l).protecting(Some(protect));
        let found = fast("mask", vec![want], domain).with("k", k).chances(&people, &table);
        assert_eq!(found, expected, "{k} {l} {people:?} {table:?}");
        random += usize::from(expected.len() > 1);
        nothing += usize::from(expected.contains_key(&None));
        kept += usize::from(expected.len() == 1 && !expected.contains_key(&None));
    }
    assert!(random > 50 && nothing > 100 && kept > 200, "{random} {nothing} {kept}");
}

#[test]
fn vul_gen_is_literal_vul_gen() {
    let mut rng = generator(48);
    let mut single = 0;
    for _ in 0..repeats(2000) {
        let people = tied(&mut rng, 8);
        let (domain, l) = (rng.random_range(3..=6), rng.random_range(2..=3));
        let table = instance(&mut rng, people.len(), domain);
        let expected = VulGen { l, norm: extents(&people) }.outputs(&people, &table);
        let found = fast("vul-gen", vec![Want::frequency(l)], domain).outputs(&people, &table);
        assert_eq!(found, expected, "{people:?} {table:?}");
        single +=
            usize::from(found.keys().flatten().any(|output| output.windows(2).all(|pair| pair[0].0 == pair[1].0)));
    }
    assert!(single > 20, "{single}");
}

#[test]
fn one_group_of_vul_gen_gives_everybody_away() {
    let people: Vec<Person> = (0..6).map(|id| Person::new(id, [i64::from(id)])).collect();
    let vul_gen = fast("vul-gen", vec![Want::frequency(2)], 3);
    let values = [0, 0, 1, 1, 2, 2];
    let release = vul_gen.output(&people, &Instance::of_all(&values), SEED).unwrap();
    assert!(release.iter().all(|row| row.0 == vec![(0, 5)]), "one group");
    let belief = belief_about(&vul_gen, &people, &release).unwrap();
    assert!((0..6).all(|person| belief.risk(person) == Fraction::ONE));
    // All other releases have several groups.
    let others = beliefs_of_multiset(&vul_gen, &people, &values);
    assert!(others.len() > 1);
    assert!(others.keys().filter(|output| **output != release).all(|output| output[0].0 != output[5].0));
}

#[test]
fn recorded_answers_of_mondrian_and_opt_gen() {
    let mut compared = [0; 3];
    for case in cases_of("transparent").iter().filter(|case| case.input.get("algorithm").is_none()) {
        let world = World::of(case);
        let table = world.table.as_ref().expect("a case has a table");
        let people: Vec<Person> = table.rows().iter().map(|row| world.external[row.0].clone()).collect();
        let wants = || vec![Want::frequency(world.l)];
        let opt_gen =
            |recoding, ties| fast("opt-gen", wants(), world.domain()).with("recoding", recoding).with("ties", ties);
        let publishers = [
            ("mondrian", fast("mondrian", wants(), world.domain())),
            ("opt_gen_disjoint_first", opt_gen("disjoint", "first")),
            ("opt_gen_literal_uniform", opt_gen("equal", "uniform")),
        ];
        for (at, (name, publisher)) in publishers.into_iter().enumerate() {
            // Mondrian normalises by the table's own extents.
            if name == "mondrian" && extents(&people) != world.norm {
                continue;
            }
            let Some(expected) = case.expected.get(name) else { continue };
            let list = expected["outputs"].as_array().expect("a list of outputs");
            let expected: Outputs =
                list.iter().map(|output| (world.output(&output["rows"]), recorded(&output["prob"]))).collect();
            assert_eq!(publisher.outputs(&world.external, table), expected, "{} {name}", case.id);
            compared[at] += 1;
        }
    }
    assert!(compared.iter().all(|&cases| cases > 30), "{compared:?}");
}

#[test]
fn recorded_violations_of_mondrian_and_opt_gen() {
    let mut found = 0;
    for case in cases_of("transparent-violation") {
        let world = World::of(&case);
        let wants = vec![Want::frequency(world.l)];
        let publisher = match case.input["algorithm"].as_str() {
            Some("mondrian") => fast("mondrian", wants, world.domain()),
            Some("opt_gen") => {
                let ties = if case.input["options"]["ties"] == "first" { "first" } else { "uniform" };
                fast("opt-gen", wants, world.domain()).with("ties", ties)
            }
            _ => continue,
        };
        let output = world.output(&case.input["output"]).expect("a release");
        let belief = belief_about(&publisher, &world.external, &output).expect("a possible release");
        assert_eq!(belief.posterior, world.posterior(&case.expected["risk"]), "{}", case.id);
        found += 1;
    }
    assert_eq!(found, 4);
}

#[test]
fn example_2_opt_gen_gives_ed_away() {
    let world = World::of(&case("C.Ex2.literal"));
    let table = world.table.as_ref().unwrap();
    let opt_gen = fast("opt-gen", vec![Want::frequency(2)], world.domain());
    let release = opt_gen.output(&world.external, table, SEED).unwrap();
    let belief = belief_about(&opt_gen, &world.external, &release).unwrap();
    let (ed, gastritis) = (world.person("Ed"), world.value("gastritis"));
    assert_eq!(belief.posterior[ed].get(&gastritis), Some(&Fraction::ONE));
}

#[test]
fn recorded_beliefs_about_mask() {
    let mut compared = 0;
    for case in cases_of("mask") {
        let world = World::of(&case);
        let name = |person: &Value| person.as_str().map_or_else(|| person.to_string(), str::to_owned);
        let groups: Vec<Vec<Value>> = read(&case.input["kpart"]);
        let group = |group: &Vec<Value>| group.iter().map(|person| (world.person(&name(person)), 0)).collect();
        let everyone = Instance::of_all(&vec![0; world.people.len()]);
        let made = mondrian_partition(&world.external, &everyone, &world.norm, &|rows| rows.len() > 1);
        if made.map(sorted) != Some(sorted(groups.iter().map(group).collect())) {
            continue;
        }
        let protect: BTreeSet<u32> =
            read::<Vec<String>>(&case.input["V"]).iter().map(|name| world.value(name)).collect();
        let want = Want::frequency(world.l).protecting(Some(protect));
        let mask = fast("mask", vec![want], world.domain()).with("k", 2);
        let beliefs = beliefs(&mask, &world.external, world.domain(), 0);
        let belief = &beliefs[&world.output(&case.input["output"])];
        assert_eq!(belief.weight, recorded(&case.expected["weight"]), "{}", case.id);
        if let Some(risk) = case.expected.get("risk") {
            assert_eq!(belief.posterior, world.posterior(risk), "{}", case.id);
            compared += 1;
        }
    }
    assert!(compared > 8, "{compared}");
}

#[test]
fn the_fast_mechanisms_are_the_literal_ones_to_the_adversary() {
    let mut rng = generator(49);
    for _ in 0..10 {
        let people = blocky(&mut rng, 5);
        let norm = extents(&people);
        let twins: [(Fast, Box<dyn Mechanism>); 2] = [
            (fast("mondrian", vec![Want::frequency(2)], 3), Box::new(Mondrian { l: 2, norm })),
            (
                fast("opt-gen", vec![Want::frequency(2)], 3),
                Box::new(OptGen { l: 2, disjoint: true, ties: Ties::First }),
            ),
        ];
        for (fast, twin) in twins {
            let posterior = |mechanism: &dyn Mechanism| {
                beliefs(mechanism, &people, 3, 0)
                    .into_iter()
                    .map(|(output, belief)| (output, belief.posterior))
                    .collect::<Vec<_>>()
            };
            assert_eq!(posterior(&fast), posterior(twin.as_ref()));
        }
    }
}
