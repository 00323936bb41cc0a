//! Keeping the best of several answers: the same answers as by definition, and what the choice gives away.

use pellucid_cases::mechanism::PublisherMechanism;
use pellucid_inference::adversary::{
    ExternalSource, PossibleWorlds, PosteriorBelief, World, reverse_engineer, reverse_engineer_all,
};
use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::principle::make;
use pellucid_model::registry::{EntryArgs, find};
use pellucid_publish::publisher::PUBLISHERS;
use pellucid_testkit::fast::{Fast, Want};
use pellucid_testkit::literal::best_of::best_of;
use pellucid_testkit::mechanism::{Ace, Hybrid, Mechanism, Mondrian, Setting, Tailor};
use pellucid_testkit::person::{Person, extents};
use pellucid_testkit::random::{external, generator, instance};
use pellucid_testkit::repeats;
use rand::RngExt;

/// People numbered in the order of their identifiers, so that ties go by them.
fn people(rng: &mut rand_chacha::ChaCha8Rng, size: usize, attributes: usize) -> Vec<Person> {
    let people = external(rng, size, attributes, 4);
    (0..).zip(people).map(|(id, person)| Person::new(id, person.quasi)).collect()
}

#[test]
fn the_best_answer_is_the_literal_one_with_the_same_chances() {
    let mut rng = generator(91);
    let (mut random, mut nothing, mut chosen) = (0, 0, 0);
    for round in 0..repeats(300) {
        let size = rng.random_range(2..=6);
        let people = people(&mut rng, size, 1 + round % 2);
        let domain = rng.random_range(2..=4);
        let table = instance(&mut rng, size, domain);
        let norm = extents(&people);
        let setting = || Setting::new(2, norm.clone());
        let twins: [(&str, Box<dyn Mechanism>); 4] = [
            ("tailor", Box::new(Tailor(setting()))),
            ("ace", Box::new(Ace(setting()))),
            ("hybrid", Box::new(Hybrid(setting()))),
            ("mondrian", Box::new(Mondrian { l: 2, norm: norm.clone() })),
        ];
        let (first, second) = (round % 4, rng.random_range(0..4));
        let outputs = [first, second].map(|at| twins[at].1.outputs(&people, &table));
        let expected = best_of(&outputs, &norm);
        let of = format!(r#"["{}", "{}"]"#, twins[first].0, twins[second].0);
        let fast = Fast::new("best-of", Want::frequency(2), domain).with("of", &of).with("measure", "perimeter");
        assert_eq!(fast.chances(&people, &table), expected, "round {round}: {of} on {people:?}, {table:?}");
        random += usize::from(expected.len() > 1);
        nothing += usize::from(expected.contains_key(&None));
        chosen += usize::from(expected != outputs[0]);
    }
    assert!(random > 15 && nothing > 30 && chosen > 15, "{random} {nothing} {chosen}");
}

/// Seven people in a plane. The four functions cut it at one line each: twice across the first axis, twice across the second.
const PLACES: [[i64; 2]; 7] = [[2, 0], [2, 0], [0, 0], [1, 4], [0, 4], [1, 1], [2, 4]];
const FUNCTIONS: &str = r#"[
    {"quasi 1": [0, 2, 3], "quasi 2": [0, 5]},
    {"quasi 1": [0, 1, 3], "quasi 2": [0, 5]},
    {"quasi 1": [0, 3], "quasi 2": [0, 4, 5]},
    {"quasi 1": [0, 3], "quasi 2": [0, 1, 5]}]"#;

/// The sensitive values of the table.
const VALUES: [u32; 7] = [0, 1, 2, 3, 0, 2, 1];

fn jump(distance: usize) -> String {
    format!(r#"{{"publisher": "sequence", "strategy": "k-jump", "jumps": {distance}, "sequence": {FUNCTIONS}}}"#)
}

fn mechanism(publisher: &str, args: &EntryArgs) -> PublisherMechanism {
    let source = ExternalSource::new(PLACES.map(|place| place.to_vec()).to_vec()).unwrap();
    let publisher = find(PUBLISHERS, "publisher", publisher).unwrap().make(args).unwrap();
    let principle = make("highest-ratio", &EntryArgs::new().with("ratio", "1/2")).unwrap();
    PublisherMechanism::new(source, publisher, principle, 4)
}

fn worlds() -> PossibleWorlds {
    PossibleWorlds::of_multiset(7, &VALUES)
}

#[test]
fn each_strategy_is_safe_and_the_better_of_both_is_not() {
    for distance in [1, 2] {
        let args = EntryArgs::new().with("strategy", "k-jump").with("jumps", distance).with("sequence", FUNCTIONS);
        let beliefs = reverse_engineer_all(&mechanism("sequence", &args), &worlds()).unwrap();
        let worst = beliefs.iter().filter(|belief| belief.0.is_some()).map(|belief| belief.1.max_risk()).max();
        assert_eq!(worst, Some(fraction(1, 2u8)), "jump {distance}");
    }
    let args = EntryArgs::new().with("of", format!("[{}, {}]", jump(1), jump(2)));
    let best = mechanism("best-of", &args);
    let table = World::new(VALUES.into_iter().enumerate().collect());
    let partitions = best.partitions(&table).unwrap();
    assert_eq!(partitions.into_keys().next().unwrap(), Some(vec![vec![0, 1, 2], vec![3, 4, 5, 6]]));
    let answers = pellucid_inference::adversary::Mechanism::answers(&best, &table).unwrap();
    let belief: PosteriorBelief = reverse_engineer(&best, &worlds(), answers[0].0.as_ref()).unwrap();
    assert_eq!((belief.worlds, belief.probability(3, 3), belief.max_risk()), (12, Fraction::ONE, Fraction::ONE));
}

#[test]
fn a_choice_between_equals_gives_nothing_away() {
    let args = EntryArgs::new().with("of", r#"["tailor", "tailor"]"#);
    let beliefs = reverse_engineer_all(&mechanism("best-of", &args), &worlds()).unwrap();
    let alone = reverse_engineer_all(&mechanism("tailor", &EntryArgs::new()), &worlds()).unwrap();
    assert_eq!(beliefs, alone);
}
