//! Belief from views against trying every world.

use dashu_int::UBig;
use pellucid_inference::belief::Belief;
use pellucid_inference::budget::Budget;
use pellucid_inference::views::{DrawUntil, SeenViews, View};
use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::histogram::Histogram;
use pellucid_testkit::literal::views as literal;
use pellucid_testkit::random::generator;
use pellucid_testkit::repeats;
use rand::RngExt;

/// The belief, counted.
fn counted(views: &SeenViews) -> Belief {
    views.belief(&Budget::question(), DrawUntil::End).unwrap()
}

#[test]
fn belief_is_that_of_trying_every_world() {
    let mut rng = generator(11);
    let (mut impossible, mut sharp, mut free) = (0, 0, 0);
    for case in 0..repeats(600) {
        let (people, domain) = (rng.random_range(1..=7usize), rng.random_range(1..=3u32));
        let table: Vec<u32> = (0..people).map(|_| rng.random_range(0..domain)).collect();
        let mut views = Vec::new();
        for _ in 0..rng.random_range(0..=5) {
            let members: Vec<u32> = if rng.random_range(0..2) == 0 {
                let (a, b) = (rng.random_range(0..people as u32), rng.random_range(0..people as u32));
                (a.min(b)..=a.max(b)).collect()
            } else {
                (0..people as u32).filter(|_| rng.random_range(0..2) == 0).collect()
            };
            if members.is_empty() {
                continue;
            }
            let lies = case % 10 == 0;
            let shown = members.iter().map(|&at| if lies { rng.random_range(0..domain) } else { table[at as usize] });
            let values = Histogram::of(shown.collect::<Vec<u32>>());
            views.push(View::new(members, values).unwrap());
        }
        let worlds = literal::worlds(people, domain, &views);
        let expected = literal::belief(people, &worlds);
        let belief = counted(&SeenViews::new(people, domain, views.clone()).unwrap());
        assert_eq!(belief.worlds(), Some(&UBig::from(worlds.len())), "case {case}");
        if worlds.is_empty() {
            impossible += 1;
            continue;
        }
        for (person, expected) in expected.iter().enumerate() {
            let Some(found) = belief.distribution(person) else { continue };
            for value in 0..domain {
                let share = expected.get(&value).cloned().unwrap_or(Fraction::ZERO);
                assert_eq!(found.probability(value), share, "case {case}, person {person}");
                sharp += usize::from(share == Fraction::ONE);
            }
            free += usize::from(views.iter().all(|view| !view.members().contains(&(person as u32))));
        }
    }
    assert!(impossible > 5 && sharp > 200 && free > 200, "{impossible} {sharp} {free}");
}

/// K views of four people who share one of them; the shared one has a common value in all.
fn construction(many: u32, restored: bool) -> SeenViews {
    let mut views = Vec::new();
    let shared = 3 * many;
    for view in 0..many {
        let first = 3 * view;
        let values = Histogram::of([0, 0, 1, 2 + view]);
        views.push(View::new(vec![first, first + 1, first + 2, shared], values).unwrap());
        if restored {
            views.push(View::new(vec![first + 1, shared], Histogram::of([0, 1])).unwrap());
        }
    }
    SeenViews::new(shared as usize + 1, many + 2, views).unwrap()
}

/// The construction that needs exactly K additional views: without them the shared person is believed to have the common
/// value with 2^K / (2^K + 1), with them with 1/2.
#[test]
fn the_shared_person_is_given_away_and_restored() {
    for many in 2..=12u32 {
        let highest = |restored| counted(&construction(many, restored)).highest().unwrap().exactly;
        let power = 1u64 << many;
        let given_away = fraction(power, power + 1);
        assert_eq!(highest(false), Some(given_away.clone()));
        let belief = counted(&construction(many, false));
        let concerned = belief.atoms().filter(|(_, estimate)| estimate.highest().exactly.as_ref() == Some(&given_away));
        assert_eq!(concerned.map(|(people, _)| people.to_vec()).collect::<Vec<_>>(), [vec![3 * many]]);
        assert_eq!(highest(true), Some(fraction(1, 2u8)));
    }
}

/// Two hundred people in a row, five values, views of seven to fourteen neighbours: counted, and as one large view says where
/// there is no other.
#[test]
fn twenty_intervals_of_two_hundred_people_are_counted() {
    let mut rng = generator(12);
    let table: Vec<u32> = (0..200).map(|_| rng.random_range(0..5)).collect();
    let views = (0..20).map(|_| {
        let (size, from) = (rng.random_range(7..=14u32), rng.random_range(0..186u32));
        let members: Vec<u32> = (from..from + size).collect();
        View::new(members.clone(), Histogram::of(members.iter().map(|&at| table[at as usize]))).unwrap()
    });
    let views = SeenViews::new(200, 5, views.collect()).unwrap();
    let belief = counted(&views);
    assert!(!belief.is_empty());
    for (person, &value) in table.iter().enumerate() {
        let found = belief.distribution(person).unwrap();
        assert!(found.probability(value) > Fraction::ZERO, "the table itself is possible");
        let sum = (0..5).fold(Fraction::ZERO, |sum, value| sum + found.probability(value));
        assert_eq!(sum, Fraction::ONE);
    }
}
