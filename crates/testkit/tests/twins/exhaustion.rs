//! Every instance over thousands of random small external sources: what is claimed of the literal twins holds for every
//! possible release, and the same adversary breaks what can be broken.

use std::collections::{BTreeMap, BTreeSet};

use pellucid_model::claim::EntryClaim;
use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::principle::PRINCIPLES;
use pellucid_testkit::adversary::{Belief, belief_holds, beliefs, beliefs_of_multiset, worst_risk};
use pellucid_testkit::instance::{Group, Instance, Output, histogram, publish};
use pellucid_testkit::literal::ace::ValueOrder;
use pellucid_testkit::literal::assign::Choice;
use pellucid_testkit::literal::opt_gen::Ties;
use pellucid_testkit::literal::tailor::{share_robust, tailor, tailor_partition};
use pellucid_testkit::mechanism::{
    Ace, BrokenAce, Hybrid, Mechanism, MechanismTwin, OptGen, PublisherTwin, Setting, Tailor, TailorFor,
};
use pellucid_testkit::person::{Person, extents};
use pellucid_testkit::principle::Principle;
use pellucid_testkit::random::{external, generator, instance};
use pellucid_testkit::repeats;
use rand::RngExt;
use rayon::prelude::*;

/// A random source for one round of a test, and how much of it is enumerated.
struct Round {
    external: Vec<Person>,
    domain: u32,
    extra: usize,
    l: u64,
}

/// Rounds with few people are many, rounds with many people few: `sizes` lists people, values and number of rounds.
fn rounds(seed: u64, sizes: &[(usize, u32, usize)]) -> Vec<Round> {
    let mut rng = generator(seed);
    let mut rounds = Vec::new();
    for &(people, domain, number) in sizes {
        for round in 0..number {
            let attributes = 1 + round % 2;
            let l = if domain > 2 && round % 3 == 2 { 3 } else { 2 };
            let extra = rng.random_range(0..=1);
            rounds.push(Round { external: external(&mut rng, people, attributes, 4), domain, extra, l });
        }
    }
    rounds
}

type Beliefs = BTreeMap<Option<Output>, Belief>;

fn believe(mechanism: &dyn Mechanism, round: &Round) -> Beliefs {
    beliefs(mechanism, &round.external, round.domain, round.extra)
}

/// Sources with few people, over every instance.
const PLAIN: &[(usize, u32, usize)] = &[
    (2, 3, 50),
    (3, 3, 300),
    (4, 3, 800),
    (5, 2, 300),
    (5, 3, 800),
    (6, 2, 400),
    (6, 3, 120),
    (7, 2, 60),
    (4, 4, 150),
];

/// Multisets of values, people beyond the rows, and number of sources. Tailor cuts only what is 2l-diverse, which takes
/// more values than every instance can be tried for; over one multiset all instances can.
const DIVERSE: &[(&[u32], usize, usize)] = &[
    (&[0, 1, 2, 3], 0, 150),
    (&[0, 1, 2, 3], 1, 100),
    (&[0, 1, 2, 3, 4], 0, 60),
    (&[0, 1, 2, 3, 4], 1, 20),
    (&[0, 0, 1, 2, 3, 4], 0, 20),
    (&[0, 0, 1, 1, 2, 3], 0, 30),
    (&[0, 1, 2, 3, 4, 5], 0, 20),
    (&[0, 1, 2, 3, 4, 5], 1, 4),
    (&[0, 0, 1, 1, 2, 2, 3, 3], 0, 4),
];

/// A random source for each entry of `sizes`, with the multiset.
fn diverse(seed: u64, sizes: &'static [(&[u32], usize, usize)]) -> Vec<(Vec<Person>, &'static [u32])> {
    let mut rng = generator(seed);
    let mut sources = Vec::new();
    for &(values, extra, number) in sizes {
        for round in 0..number {
            sources.push((external(&mut rng, values.len() + extra, 1 + round % 2, 5), values));
        }
    }
    sources
}

/// Whether a release shows more than one box.
fn has_boxes(output: &Output) -> bool {
    output.iter().any(|row| row.0 != output[0].0)
}

/// Risk is at most 1/l for every release of `make(setting)`, over all instances of small sources and over all instances
/// with a given multiset of values of larger ones; by l, how many releases have several boxes.
fn risk_is_bounded(make: &dyn Fn(Setting) -> Box<dyn Mechanism>, seed: u64) -> BTreeMap<u64, u64> {
    for round in rounds(seed, PLAIN) {
        let mechanism = make(Setting::new(round.l, extents(&round.external)));
        let beliefs = believe(&*mechanism, &round);
        assert!(worst_risk(&beliefs) <= fraction(1, round.l), "{:?} l = {}", round.external, round.l);
    }
    let mut several_boxes: BTreeMap<u64, u64> = BTreeMap::new();
    for (external, values) in diverse(seed, DIVERSE) {
        for l in 2..=3 {
            let mechanism = make(Setting::new(l, extents(&external)));
            for (output, belief) in beliefs_of_multiset(&*mechanism, &external, values) {
                assert!(belief.max_risk() <= fraction(1, l), "{external:?} l = {l} {output:?}");
                *several_boxes.entry(l).or_insert(0) += u64::from(has_boxes(&output));
            }
        }
    }
    several_boxes
}

#[test]
fn what_is_proved_is_transparent() {
    let names: BTreeSet<&str> =
        PublisherTwin::mechanisms().filter(MechanismTwin::is_proven).map(|twin| twin.entry.id).collect();
    let mut boxes: BTreeMap<u64, u64> = BTreeMap::new();
    let found: Vec<BTreeMap<u64, u64>> = names.into_par_iter().map(bounded).collect();
    found.into_iter().flatten().for_each(|(l, number)| *boxes.entry(l).or_insert(0) += number);
    assert!(boxes[&2] > 300 && boxes[&3] > 300, "{boxes:?}");
}

/// [`risk_is_bounded`] for publisher `id`, with every example.
fn bounded(id: &str) -> BTreeMap<u64, u64> {
    let twins = PublisherTwin::mechanisms().filter(|twin| twin.entry.id == id);
    let found = twins.zip(1..).flat_map(|(twin, seed)| risk_is_bounded(&twin.make, seed));
    found.fold(BTreeMap::new(), |mut boxes, (l, number)| {
        *boxes.entry(l).or_insert(0) += number;
        boxes
    })
}

/// Literal Tailor, Ace and Hybrid.
fn transparent(setting: &Setting) -> [Box<dyn Mechanism>; 3] {
    [Box::new(Tailor(setting.clone())), Box::new(Ace(setting.clone())), Box::new(Hybrid(setting.clone()))]
}

#[test]
fn protected_values_keep_their_bound() {
    let sizes = &[(2, 3, 100), (3, 3, 400), (4, 3, 400), (5, 2, 200), (5, 3, 80), (6, 2, 40)];
    let mut others_above_the_bound = false;
    for (at, round) in rounds(4, sizes).iter().enumerate() {
        let protect: BTreeSet<u32> =
            if at % 2 == 0 || round.domain == 2 { [at as u32 / 2 % 2].into() } else { [0, 2].into() };
        let setting = Setting::new(round.l, extents(&round.external)).protecting(protect.clone());
        for mechanism in transparent(&setting) {
            for (_, belief) in believe(&*mechanism, round).iter().filter(|entry| entry.0.is_some()) {
                assert!(belief.max_risk_on(&protect) <= fraction(1, round.l), "{:?} {setting:?}", round.external);
                others_above_the_bound |= belief.max_risk() > fraction(1, round.l);
            }
        }
    }
    assert!(others_above_the_bound, "protecting fewer values must make a difference");
}

const PROTECTED: &[(&[u32], usize, usize)] = &[
    (&[0, 1, 1, 1], 1, 40),
    (&[0, 1, 1, 2, 2], 0, 40),
    (&[0, 1, 1, 2, 2], 1, 10),
    (&[0, 0, 1, 1, 1, 1], 0, 30),
    (&[0, 0, 1, 1, 1, 2], 1, 5),
    (&[0, 0, 1, 1, 2, 2, 2], 0, 5),
    (&[0, 0, 1, 1, 1, 1, 2, 2], 0, 1),
];

#[test]
fn protected_values_keep_their_bound_when_groups_are_cut() {
    let mut several_boxes = [false; 3];
    for (external, values) in diverse(9, PROTECTED) {
        for l in 2..=3 {
            let setting = Setting::new(l, extents(&external)).protecting([0]);
            for (several_boxes, mechanism) in several_boxes.iter_mut().zip(transparent(&setting)) {
                for (output, belief) in beliefs_of_multiset(&*mechanism, &external, values) {
                    assert!(belief.max_risk_on(&[0].into()) <= fraction(1, l), "{external:?} {setting:?}");
                    *several_boxes |= has_boxes(&output);
                }
            }
        }
    }
    assert_eq!(several_boxes, [true; 3]);
}

/// Every principle of the registry that is closed under mixtures with its first examples, and more sentences; each with its id.
fn principles() -> Vec<(&'static str, Principle)> {
    let mut all = vec![
        ("sentences", Principle::Logical { sentences: vec![[0].into()] }),
        ("sentences", Principle::Logical { sentences: vec![[0].into(), [1].into()] }),
    ];
    for entry in PRINCIPLES.iter().filter(|entry| entry.claims(EntryClaim::Mixtures)) {
        let of_entry = Principle::examples().filter(|(other, ..)| std::ptr::eq(*other, entry));
        for (.., principle) in of_entry.take(4) {
            if all.iter().all(|(_, known)| *known != principle) {
                all.push((entry.id, principle));
            }
        }
    }
    all
}

/// The releases of Tailor for `principle` carry it over to belief; whether one of them has several boxes.
fn carries_over(principle: &Principle, domain: u32, releases: impl IntoIterator<Item = (Output, Belief)>) -> bool {
    let mut several_boxes = false;
    for (output, belief) in releases {
        assert!(belief_holds(&belief, &output, principle, domain), "{principle:?} {output:?}");
        if let Principle::KAnonymity { k } = principle {
            let rows = |bounds| output.iter().filter(|row| &row.0 == bounds).count() as u64;
            assert!(output.iter().all(|row| rows(&row.0) >= *k));
        }
        several_boxes |= has_boxes(&output);
    }
    several_boxes
}

const PRINCIPLED: &[(&[u32], usize, usize)] = &[
    (&[0, 1, 2, 3], 0, 40),
    (&[0, 1, 2, 3], 1, 20),
    (&[0, 0, 1, 2, 3], 0, 20),
    (&[0, 1, 2, 3, 4], 1, 4),
    (&[0, 0, 1, 1, 2, 3], 0, 10),
    (&[0, 0, 1, 1, 2, 2], 1, 10),
    (&[0, 1, 2, 3, 4, 5], 0, 6),
    (&[0, 0, 1, 1, 2, 2, 3, 3], 0, 1),
];

#[test]
fn tailor_carries_every_principle_over_to_belief() {
    let sizes = &[(2, 3, 10), (3, 3, 60), (4, 3, 120), (5, 3, 60), (6, 2, 60), (6, 3, 10), (7, 2, 20)];
    let mut cut: BTreeMap<&str, bool> = BTreeMap::new();
    for (seed, (id, principle)) in (100..).zip(principles()) {
        let mut several_boxes = false;
        for round in rounds(seed, sizes) {
            let mechanism = TailorFor::new(principle.clone(), extents(&round.external), round.domain);
            let releases =
                believe(&mechanism, &round).into_iter().filter_map(|(output, belief)| Some((output?, belief)));
            several_boxes |= carries_over(&principle, round.domain, releases);
        }
        for (external, values) in diverse(seed, PRINCIPLED) {
            let domain = values.iter().max().unwrap() + 1;
            let mechanism = TailorFor::new(principle.clone(), extents(&external), domain);
            several_boxes |= carries_over(&principle, domain, beliefs_of_multiset(&mechanism, &external, values));
        }
        *cut.entry(id).or_insert(false) |= several_boxes;
    }
    assert!(cut.values().all(|&cut| cut), "some principle never let a group be cut: {cut:?}");
}

#[test]
fn the_brute_force_robust_size_of_a_share_is_tailors() {
    let mut rng = generator(5);
    for _ in 0..repeats(500) {
        let rows = rng.random_range(1..=9);
        let group = histogram(instance(&mut rng, rows, 4).rows());
        for l in 2..=4 {
            let found = Principle::Share { l, protect: None }.robust(&group, &group, 4);
            assert_eq!(found, share_robust(l, None)(&group));
        }
    }
}

/// Whether some release over some source has a risk above 1/l.
fn breaks(make: &dyn Fn(&Round) -> Box<dyn Mechanism>, sizes: &[(usize, u32, usize)]) -> bool {
    rounds(6, sizes).iter().any(|round| worst_risk(&believe(&*make(round), round)) > fraction(1, round.l))
}

#[test]
fn the_same_adversary_breaks_what_is_not_transparent() {
    let setting = |round: &Round| Setting::new(round.l, extents(&round.external));
    let sizes = &[(5, 3, 200), (6, 3, 200)];
    for twin in PublisherTwin::mechanisms().filter(|twin| !twin.is_proven()) {
        assert!(breaks(&|round| (twin.make)(setting(round)), sizes), "{}: {:?}", twin.entry.id, twin.args);
    }
    for (disjoint, ties) in [(true, Ties::Uniform), (false, Ties::First)] {
        assert!(breaks(&|round| Box::new(OptGen { l: round.l, disjoint, ties }), sizes), "{disjoint} {ties:?}");
    }
    let sizes = &[(4, 3, 100), (4, 4, 100), (5, 4, 100)];
    for (order, choice) in [(ValueOrder::Public, Choice::First), (ValueOrder::FirstAppearance, Choice::Random)] {
        let make =
            |round: &Round| -> Box<dyn Mechanism> { Box::new(BrokenAce { setting: setting(round), order, choice }) };
        assert!(breaks(&make, sizes), "{order:?} {choice:?}");
    }
}

/// The same people in every group, with the values of the group in another order.
fn shuffle_inside(rng: &mut impl RngExt, partition: &[Group]) -> Vec<Group> {
    let mut shuffled = partition.to_vec();
    for group in &mut shuffled {
        for at in (1..group.len()).rev() {
            let other = rng.random_range(0..=at);
            (group[at].1, group[other].1) = (group[other].1, group[at].1);
        }
    }
    shuffled
}

#[test]
fn isomorphic_tables_are_published_alike() {
    let mut rng = generator(7);
    let mut changed = 0;
    for _ in 0..repeats(2000) {
        let (people, attributes) = (rng.random_range(2..=12), rng.random_range(1..=3));
        let external = external(&mut rng, people, attributes, 6);
        let table = instance(&mut rng, people, 6);
        let (norm, robust) = (extents(&external), share_robust(2, None));
        let Some(partition) = tailor_partition(&external, &table, &norm, &robust) else { continue };
        let shuffled = shuffle_inside(&mut rng, &partition);
        let other = Instance::new(shuffled.concat());
        changed += usize::from(other != table);
        // Lemma 3: the same release, decided by the isomorphic partition.
        assert_eq!(tailor(&external, &other, &norm, &robust), Some(publish(&external, &partition)));
        assert_eq!(tailor_partition(&external, &other, &norm, &robust), Some(shuffled));
    }
    assert!(changed > 500);
}

#[test]
fn belief_sums_to_one_without_extra_people() {
    for round in rounds(8, &[(4, 3, 30)]) {
        let hybrid = Hybrid(Setting::new(2, extents(&round.external)));
        for (output, belief) in beliefs(&hybrid, &round.external, round.domain, 0) {
            for person in &belief.posterior {
                let sum = person.values().fold(Fraction::ZERO, |sum, share| sum + share);
                assert_eq!(sum, Fraction::ONE, "{output:?}");
            }
        }
    }
}
