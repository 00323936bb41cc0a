//! Every entry of the registries has a literal twin, and does what its twin does.

use pellucid_model::histogram::Histogram;
use pellucid_model::principle::{SensitiveColumn, make};
use pellucid_testkit::fast::{Fast, Want};
use pellucid_testkit::mechanism::{PublisherTwin, Setting};
use pellucid_testkit::person::{Person, extents};
use pellucid_testkit::principle::Principle;
use pellucid_testkit::random::{external, generator, instance};
use pellucid_testkit::repeats;
use rand::RngExt;

#[test]
fn every_principle_judges_groups_as_its_literal_form() {
    let whole = [4_u64, 3, 2, 1];
    let histogram = Histogram::from_counts(whole);
    for (entry, args, literal) in Principle::examples() {
        let principle = make(entry.id, &args).unwrap();
        let needs_hierarchy = args.given("distance") == Some("hierarchical");
        if !principle.sentences().is_empty() || needs_hierarchy {
            // Tailor is held against the literal form for these, on tables.
            continue;
        }
        let column = SensitiveColumn {
            name: "value",
            whole: &histogram,
            cardinality: whole.len(),
            protected: None,
            hierarchy: None,
        };
        let test = principle.bind(column).unwrap();
        for number in 1..6_u64.pow(4) {
            let counts: Vec<u64> = (0..4).map(|at| number / 6_u64.pow(at) % 6).collect();
            let group = Histogram::from_counts(counts.iter().copied());
            assert_eq!(test.holds(&group), literal.group_passes(&counts, &whole), "{literal:?} on {counts:?}");
        }
        let (id, again) = literal.in_registry();
        assert_eq!(make(id, &again).unwrap().describe(), principle.describe(), "{literal:?}");
    }
}

/// People numbered in the order of their identifiers, so that ties go by them.
fn people(rng: &mut rand_chacha::ChaCha8Rng, size: usize, attributes: usize) -> Vec<Person> {
    let people = external(rng, size, attributes, 4);
    (0..).zip(people).map(|(id, person)| Person::new(id, person.quasi)).collect()
}

#[test]
fn every_publisher_gives_the_literal_answers_with_the_same_chances() {
    let mut rng = generator(211);
    let twins: Vec<_> = PublisherTwin::mechanisms().collect();
    assert!(!twins.is_empty());
    for round in 0..repeats(60) {
        let people = {
            let size = rng.random_range(2..=6);
            people(&mut rng, size, 1 + round % 2)
        };
        let domain = rng.random_range(2..=4);
        let table = instance(&mut rng, people.len(), domain);
        let l = rng.random_range(2..=3);
        for twin in &twins {
            let expected = (twin.make)(Setting::new(l, extents(&people))).outputs(&people, &table);
            let mut fast = Fast::new(twin.entry.id, Want::frequency(l), domain);
            fast.args = twin.args.clone();
            let found = fast.chances(&people, &table);
            assert_eq!(found, expected, "{} {:?} on {people:?}, {table:?}, l = {l}", twin.entry.id, twin.args);
        }
    }
}
