//! The publishers themselves on every recorded case about the transparent algorithms: Tailor gives the recorded release,
//! Ace and Hybrid give the recorded releases and no others.
//!
//! A publisher normalises extents by those of its table, so only cases recorded with that norm can be compared.

use std::collections::BTreeSet;

use pellucid_model::exact::fraction;
use pellucid_testkit::fast::{Fast, SEED, Want};
use pellucid_testkit::golden::{Case, World, case, cases_of, recorded};
use pellucid_testkit::instance::{Instance, Output, Outputs};
use pellucid_testkit::person::{Person, extents};
use serde_json::Value;

/// An answer of probability 1/20 stays away over this many seeds once in a billion times.
const SEEDS: u64 = 400;

/// The recorded answers of `algorithm`, when the case has some.
fn answers(case: &Case, world: &World, algorithm: &str) -> Option<Outputs> {
    let expected = match case.input.get("algorithm").and_then(Value::as_str) {
        Some(only) => (only == algorithm).then_some(&case.expected),
        None => case.expected.get(algorithm),
    }?;
    let list = expected["outputs"].as_array().expect("a list of outputs");
    Some(list.iter().map(|output| (world.output(&output["rows"]), recorded(&output["prob"]))).collect())
}

/// The table of a case, when the case was recorded with the table's own extents as its norm.
fn comparable(world: &World) -> Option<&Instance> {
    let table = world.table.as_ref().expect("a case has a table");
    let people: Vec<Person> = table.rows().iter().map(|row| world.external[row.0].clone()).collect();
    (extents(&people) == world.norm).then_some(table)
}

fn fast(publisher: &'static str, world: &World) -> Fast {
    Fast::new(publisher, Want::frequency(world.l), world.domain())
}

/// What a comparison was about.
#[derive(Default)]
struct Compared {
    /// Cases.
    cases: usize,
    /// Those with a release, not *nothing*.
    releases: usize,
    /// Those with several possible answers.
    random: usize,
}

impl Compared {
    fn add(&mut self, answers: &Outputs) {
        self.cases += 1;
        self.releases += usize::from(answers.keys().any(Option::is_some));
        self.random += usize::from(answers.len() > 1);
    }
}

/// Compares Tailor with a recorded case; false when they cannot be compared.
fn compare_tailor(case: &Case, compared: &mut Compared) -> bool {
    let world = World::of(case);
    let (Some(table), Some(answers)) = (comparable(&world), answers(case, &world, "tailor")) else { return false };
    let found = fast("tailor", &world).output(&world.external, table, SEED);
    assert_eq!(vec![&found], answers.keys().collect::<Vec<_>>(), "{}", case.id);
    compared.add(&answers);
    true
}

/// Compares the answers of a publisher over many seeds with a recorded case; false when they cannot be compared or some
/// answer is too rare to be seen for certain.
fn compare_random(publisher: &'static str, case: &Case, compared: &mut Compared) -> bool {
    let world = World::of(case);
    let (Some(table), Some(answers)) = (comparable(&world), answers(case, &world, publisher)) else { return false };
    if answers.values().any(|share| *share < fraction(1, 20u8)) {
        return false;
    }
    let seen = fast(publisher, &world).sample(&world.external, table, SEEDS);
    let seen: BTreeSet<&Option<Output>> = seen.keys().collect();
    assert_eq!(seen, answers.keys().collect(), "{publisher} {}", case.id);
    compared.add(&answers);
    true
}

#[test]
fn tailor_gives_every_recorded_release() {
    let mut compared = Compared::default();
    for case in cases_of("transparent") {
        compare_tailor(&case, &mut compared);
    }
    assert!(compared.cases >= 60 && compared.releases >= 40, "{} {}", compared.cases, compared.releases);
}

/// All cases of one of the publishers that draw at random.
fn every_case(publisher: &'static str) {
    let mut compared = Compared::default();
    for case in cases_of("transparent") {
        compare_random(publisher, &case, &mut compared);
    }
    assert!(compared.cases >= 60 && compared.releases >= 40, "{} {}", compared.cases, compared.releases);
    assert!(compared.random >= 15, "{}", compared.random);
}

#[test]
fn ace_gives_the_recorded_releases_and_no_others() {
    every_case("ace");
}

#[test]
fn hybrid_gives_the_recorded_releases_and_no_others() {
    every_case("hybrid");
}

#[test]
fn examples_4_and_5_tailor_publishes_table_9_for_both_tables() {
    let [first, second] = ["C.Ex4", "C.Ex4.T3"].map(case);
    for example in [&first, &second] {
        assert!(compare_tailor(example, &mut Compared::default()), "{} can be compared", example.id);
    }
    assert_eq!(first.expected["outputs"], second.expected["outputs"]);
    assert_ne!(first.input["table"], second.input["table"]);
}

#[test]
fn example_6_ace_publishes_table_10_for_both_tables() {
    let [first, second] = ["C.Ex6", "C.Ex6.T8"].map(case);
    for example in [&first, &second] {
        assert!(compare_random("ace", example, &mut Compared::default()), "{} can be compared", example.id);
    }
    assert_eq!(first.expected["outputs"], second.expected["outputs"]);
    assert_ne!(first.input["table"], second.input["table"]);
}

#[test]
fn section_3_3_hybrid_splits_the_first_group_of_table_9() {
    let example = case("C.Hybrid.T5");
    assert!(compare_random("hybrid", &example, &mut Compared::default()), "{} can be compared", example.id);
}
