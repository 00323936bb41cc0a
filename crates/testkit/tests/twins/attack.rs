//! The adversary of the product against the literal one: every possible answer on random small sources, with people
//! outside the table, and silence.

use std::collections::BTreeMap;

use pellucid_cases::mechanism::{MaskOnPartition, PublisherMechanism};
use pellucid_inference::adversary::{
    ExternalSource, Mechanism as _, PossibleWorlds, PosteriorBelief, World, credibility, reverse_engineer,
    reverse_engineer_all,
};
use pellucid_model::error::Result;
use pellucid_model::exact::Fraction;
use pellucid_model::principle::make;
use pellucid_model::registry::{EntryArgs, find};
use pellucid_publish::publisher::PUBLISHERS;
use pellucid_testkit::adversary::{Belief, beliefs, beliefs_of_multiset};
use pellucid_testkit::instance::{Group, Instance, Output};
use pellucid_testkit::literal;
use pellucid_testkit::mechanism::{Mask, Mechanism, PublisherTwin, Setting, Tailor};
use pellucid_testkit::person::{Person, extents};
use pellucid_testkit::random::{external, generator, instance};
use rand::RngExt;

/// People numbered in the order of their identifiers, as the product wants them.
fn by_identifier(mut people: Vec<Person>) -> Vec<Person> {
    people.sort_by_key(|person| person.id);
    people
}

fn source(people: &[Person]) -> ExternalSource {
    ExternalSource::new(people.iter().map(|person| person.quasi.clone()).collect()).unwrap()
}

fn published(people: &[Person], publisher: &str, args: &EntryArgs, l: u64, domain: u32) -> PublisherMechanism {
    let publisher = find(PUBLISHERS, "publisher", publisher).unwrap().make(args).unwrap();
    let principle = make("frequency-l-diversity", &EntryArgs::new().with("l", l)).unwrap();
    PublisherMechanism::new(source(people), publisher, principle, domain)
}

fn same(found: &PosteriorBelief, expected: &Belief, what: &str) {
    assert_eq!((&found.weight, found.worlds), (&expected.weight, expected.instances), "{what}");
    for (person, row) in expected.posterior.iter().enumerate() {
        let values: BTreeMap<u32, Fraction> =
            found.values(person).map(|(value, share)| (value, share.clone())).collect();
        assert_eq!(&values, row, "{what}");
        assert_eq!(found.risk(person), expected.risk(person), "{what}");
    }
    assert_eq!(found.max_risk(), expected.max_risk(), "{what}");
}

fn all_same(
    found: &BTreeMap<Option<Output>, PosteriorBelief>,
    expected: &BTreeMap<Option<Output>, Belief>,
    what: &str,
) {
    let keys = |found: Vec<&Option<Output>>| found.into_iter().cloned().collect::<Vec<_>>();
    assert_eq!(keys(found.keys().collect()), keys(expected.keys().collect()), "{what}");
    for (answer, belief) in expected {
        same(&found[answer], belief, what);
    }
}

/// The publishers by id and parameters, each with its twin.
fn twins(l: u64, norm: &[i64]) -> Vec<(&'static str, EntryArgs, Box<dyn Mechanism>)> {
    PublisherTwin::mechanisms().map(|twin| (twin.entry.id, twin.args, (twin.make)(Setting::new(l, norm)))).collect()
}

#[test]
fn belief_about_every_answer_of_every_publisher_is_literal() {
    let mut rng = generator(71);
    let mut answers = 0;
    for round in 0..24 {
        let (size, domain) = [(2, 3), (3, 3), (4, 2), (4, 3), (5, 2), (5, 2)][round % 6];
        let people = by_identifier(external(&mut rng, size, 1 + round % 2, 4));
        let l = if domain > 2 && round % 4 == 3 { 3 } else { 2 };
        for (id, args, twin) in twins(l, &extents(&people)) {
            let what = format!("round {round}: {id} on {people:?}, l = {l}");
            let mechanism = published(&people, id, &args, l, domain);
            let found = reverse_engineer_all(&mechanism, &PossibleWorlds::any(size, domain)).unwrap();
            // Leaving out up to everyone: all subsets of the source.
            let expected = beliefs(&*twin, &people, domain, size);
            all_same(&found, &expected, &what);
            assert!(found.contains_key(&None), "a table of one person is never diverse");
            answers += found.len();
            let one = expected.keys().nth(round % expected.len()).unwrap();
            let worlds = PossibleWorlds::any(size, domain);
            assert_eq!(reverse_engineer(&mechanism, &worlds, one.as_ref()).unwrap(), found[one], "{what}");
        }
    }
    assert!(answers > 1000, "{answers}");
}

#[test]
fn worlds_of_a_multiset_are_enough_for_a_release() {
    let mut rng = generator(72);
    for round in 0..12 {
        // Some people more than rows.
        let (size, rows) = [(5, 5), (6, 5), (6, 4), (7, 4)][round % 4];
        let people = by_identifier(external(&mut rng, size, 1 + round % 2, 5));
        let values: Vec<u32> = (0..rows).map(|_| rng.random_range(0..3)).collect();
        for (id, args, twin) in twins(2, &extents(&people)).into_iter().take(4) {
            let mechanism = published(&people, id, &args, 2, 3);
            let mut found = reverse_engineer_all(&mechanism, &PossibleWorlds::of_multiset(size, &values)).unwrap();
            found.remove(&None);
            let expected = beliefs_of_multiset(&*twin, &people, &values);
            let expected = expected.into_iter().map(|(output, belief)| (Some(output), belief)).collect();
            all_same(&found, &expected, &format!("round {round}: {id} on {people:?} with {values:?}"));
        }
    }
}

#[test]
fn another_norm_leads_to_the_literal_answers_too() {
    let mut rng = generator(73);
    for round in 0..40 {
        let people = by_identifier(external(&mut rng, 6, 2, 6));
        let norm: Vec<u64> = (0..2).map(|_| rng.random_range(1..12)).collect();
        let table = instance(&mut rng, 6, 3);
        let world = World::new(table.rows().to_vec());
        let twin = Tailor(Setting::new(2, norm.iter().map(|&norm| norm as i64).collect::<Vec<i64>>()));
        let mechanism = published(&people, "tailor", &EntryArgs::new(), 2, 3).with_norm(&norm).unwrap();
        let answers: BTreeMap<Option<Output>, Fraction> = mechanism.answers(&world).unwrap().into_iter().collect();
        assert_eq!(answers, twin.outputs(&people, &table), "round {round}: {people:?} by {norm:?}");
    }
}

#[test]
fn mask_on_a_partition_is_literal() {
    let mut rng = generator(74);
    for round in 0..20 {
        let size = 4 + round % 3;
        let domain = if size == 6 { 2 } else { 3 };
        let people = by_identifier(external(&mut rng, size, 1, 4));
        let border = rng.random_range(1..size);
        let partition = vec![(0..border).collect::<Vec<usize>>(), (border..size).collect()];
        let protected = std::collections::BTreeSet::from([rng.random_range(0..domain)]);
        let twin = Mask { l: 2, partition: partition.clone(), protect: protected.clone() };
        let mechanism = MaskOnPartition { external: source(&people), partition, l: 2, protected };
        let found = reverse_engineer_all(&mechanism, &PossibleWorlds::of_size(size, size, domain)).unwrap();
        all_same(&found, &beliefs(&twin, &people, domain, 0), &format!("round {round}"));
    }
}

#[test]
fn credibility_is_literal() {
    let mut rng = generator(75);
    for round in 0..120 {
        let people = by_identifier(external(&mut rng, 7, 1 + round % 2, 4));
        let table: Instance = instance(&mut rng, 7, 3);
        let border = rng.random_range(1..6);
        let partition: Vec<Group> = vec![table.rows()[..border].to_vec(), table.rows()[border..].to_vec()];
        let l = 2 + round % 2;
        let expected = literal::credibility::credibility(&people, &partition, l as u64);
        let found = credibility(&source(&people), &partition, l as u64, 1_000_000).unwrap();
        let what = format!("round {round}: {people:?}, {partition:?}");
        assert_eq!(found.possible, expected.possible.into(), "{what}");
        assert_eq!(found.minimal, expected.minimal.into(), "{what}");
        if expected.minimal > 0 {
            let of: BTreeMap<usize, Fraction> =
                found.of.into_iter().map(|(person, share)| (person, share.unwrap())).collect();
            assert_eq!(of, expected.credibility, "{what}");
        }
    }
}

#[test]
fn an_attack_ends_with_the_first_error() -> Result<()> {
    let people = by_identifier(external(&mut generator(76), 3, 1, 4));
    let mechanism = published(&people, "tailor", &EntryArgs::new(), 2, 2);
    let refused = reverse_engineer_all(&mechanism, &PossibleWorlds::any(3, 2).within(25, Some(60.0))).unwrap_err();
    assert!(refused.message().contains("there are 26 possible originals to try, the limit is 25"), "{refused}");
    reverse_engineer_all(&mechanism, &PossibleWorlds::any(3, 2).within(26, Some(60.0))).map(drop)
}
