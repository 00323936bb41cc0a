//! Decisions about views against trying every world: simulatable ones, and further views that restore privacy.

use pellucid_inference::budget::Budget;
use pellucid_inference::verdict::{BeliefRequirements, RequiredPrinciple};
use pellucid_inference::views::{RestorationLimits, RestorationResult, SeenViews, SimulatableVerdict, View};
use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::histogram::Histogram;
use pellucid_model::principle::{BoundPrinciple, HighestRatio, Principle, SensitiveColumn};
use pellucid_testkit::literal::views as literal;
use pellucid_testkit::random::generator;
use pellucid_testkit::repeats;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

fn test(gamma: &Fraction, domain: u32) -> Box<dyn BoundPrinciple> {
    let whole = Histogram::of(0..domain);
    let column = SensitiveColumn {
        name: "value",
        whole: &whole,
        cardinality: domain as usize,
        protected: None,
        hierarchy: None,
    };
    HighestRatio::new(gamma.clone()).unwrap().bind(column).unwrap()
}

/// Some of the people, at least one.
fn some(people: u32, rng: &mut ChaCha8Rng) -> Vec<u32> {
    loop {
        let members: Vec<u32> = (0..people).filter(|_| rng.random_range(0..2) == 0).collect();
        if !members.is_empty() {
            return members;
        }
    }
}

fn view(members: Vec<u32>, table: &[u32]) -> View {
    let values = literal::shown(&members, table);
    View::new(members, values).unwrap()
}

#[test]
fn a_simulatable_decision_is_that_of_trying_every_table() {
    let mut rng = generator(31);
    let (mut safe, mut several, mut refused) = (0, 0, 0);
    for case in 0..repeats(1500) {
        let (mut people, mut domain) = (rng.random_range(2..=6u32), rng.random_range(2..=4u32));
        // Where everybody is known to have another value, many views are safe.
        let all_differ = case % 4 == 0;
        if all_differ {
            (people, domain) = (4, 4);
        }
        if u64::from(domain).pow(people) > 1100 {
            continue;
        }
        let table: Vec<u32> = (0..people).map(|person| person % domain).collect();
        let mut past: Vec<View> = (0..rng.random_range(0..=3)).map(|_| view(some(people, &mut rng), &table)).collect();
        if all_differ {
            past.truncate(1);
            past.push(view((0..people).collect(), &table));
        }
        let members = some(people, &mut rng);
        let gamma = [fraction(1, 2u8), fraction(2, 3u8)][rng.random_range(0..2)].clone();
        let mut multisets: Vec<Histogram> = literal::worlds(people as usize, domain, &past)
            .iter()
            .map(|world| literal::shown(&members, world))
            .collect();
        multisets.sort_by(|a, b| a.entries().cmp(b.entries()));
        multisets.dedup();
        let always = multisets.iter().all(|values| {
            let mut views = past.clone();
            views.push(View::new(members.clone(), values.clone()).unwrap());
            literal::is_private(people as usize, domain, &views, &gamma)
        });
        let bound = test(&gamma, domain);
        let demand = BeliefRequirements::new(
            vec![RequiredPrinciple { test: bound.as_ref(), share: Some(&gamma), protected: None }],
            0.0,
        );
        let views = SeenViews::new(people as usize, domain, past).unwrap();
        let found = views.simulate(&members, &demand, &Budget { seconds: Some(60.0), ..Budget::gate() }).unwrap();
        let expected = if always {
            SimulatableVerdict::Safe { possible: multisets.len() as u64 }
        } else {
            SimulatableVerdict::Unsafe
        };
        assert_eq!(found, expected, "case {case}");
        safe += usize::from(always);
        several += usize::from(always && multisets.len() > 1);
        refused += usize::from(!always);
    }
    assert!(safe > 50 && several > 15 && refused > 300, "{safe} {several} {refused}");
}

/// The fewest candidates, and of these the fewest people shown, that restore privacy; every set of up to two is tried.
fn best(people: usize, domain: u32, views: &[View], candidates: &[View], gamma: &Fraction) -> Option<(usize, usize)> {
    let private = |more: &[&View]| {
        let all: Vec<View> = views.iter().chain(more.iter().copied()).cloned().collect();
        literal::is_private(people, domain, &all, gamma)
    };
    let safe: Vec<&View> = candidates
        .iter()
        .filter(|view| view.values().entries().iter().all(|entry| fraction(entry.1, view.values().total()) <= *gamma))
        .collect();
    let size = |set: &[&View]| set.iter().map(|view| view.members().len()).sum::<usize>();
    let one = safe.iter().filter(|view| private(&[view])).map(|view| size(&[view])).min();
    if let Some(size) = one {
        return Some((1, size));
    }
    let pairs = (0..safe.len()).flat_map(|a| (a + 1..safe.len()).map(move |b| (a, b)));
    let two = pairs.map(|(a, b)| [safe[a], safe[b]]).filter(|set| private(set)).map(|set| size(&set)).min();
    two.map(|size| (2, size))
}

/// What restores privacy, of every part of a view; held against trying every set of up to two.
fn restored(table: &[u32], domain: u32, views: &[View], gamma: &Fraction) -> RestorationResult {
    let people = table.len();
    let mut candidates: Vec<View> = Vec::new();
    for shown in views {
        for mask in 1..(1u32 << shown.members().len()) - 1 {
            let members = (0..).zip(shown.members()).filter(|entry| mask >> entry.0 & 1 == 1).map(|entry| *entry.1);
            let candidate = view(members.collect(), table);
            if !candidates.contains(&candidate) && !views.contains(&candidate) {
                candidates.push(candidate);
            }
        }
    }
    let bound = test(gamma, domain);
    let demand = BeliefRequirements::new(
        vec![RequiredPrinciple { test: bound.as_ref(), share: Some(gamma), protected: None }],
        0.0,
    );
    let asked = SeenViews::new(people, domain, views.to_vec()).unwrap();
    let reach = RestorationLimits { most: 2, seconds: 60.0 };
    let found = asked.restore(&candidates, &demand, &Budget::gate(), &reach, &|_| Ok(())).unwrap().restored;
    let expected = best(people, domain, views, &candidates, gamma);
    match &found {
        RestorationResult::By(set) => {
            let size = set.iter().map(|&at| candidates[at].members().len()).sum();
            assert_eq!(expected, Some((set.len(), size)), "{table:?} {views:?}");
        }
        RestorationResult::Certain(people) => assert!(*people > 0 && expected.is_none(), "{table:?} {views:?}"),
        RestorationResult::Not => assert_eq!(expected, None, "{table:?} {views:?}"),
        other => panic!("{other:?}"),
    }
    found
}

#[test]
fn what_restores_privacy_is_the_least_that_does() {
    let mut rng = generator(32);
    let (mut by_one, mut certain, mut not) = (0, 0, 0);
    for _ in 0..repeats(2500) {
        let (people, domain) = (rng.random_range(4..=6u32), 3u32);
        let table: Vec<u32> = (0..people).map(|_| rng.random_range(0..domain)).collect();
        let many = rng.random_range(2..=3);
        let views: Vec<View> = (0..many).map(|_| view(some(people, &mut rng), &table)).collect();
        let gamma = [fraction(1, 2u8), fraction(3, 5u8)][rng.random_range(0..2)].clone();
        if literal::is_private(people as usize, domain, &views, &gamma) {
            continue;
        }
        match restored(&table, domain, &views, &gamma) {
            RestorationResult::By(_) => by_one += 1,
            RestorationResult::Certain(_) => certain += 1,
            _ => not += 1,
        }
    }
    assert!(by_one > 5 && certain > 100 && not > 50, "{by_one} {certain} {not}");
    // Two views that share one person, whom both give away: it takes two further ones.
    let table = [0, 1, 2, 0, 1, 3, 0];
    let views = [view(vec![0, 1, 2, 6], &table), view(vec![3, 4, 5, 6], &table)];
    let RestorationResult::By(set) = restored(&table, 4, &views, &fraction(1, 2u8)) else {
        panic!("two views restore it")
    };
    assert_eq!(set.len(), 2);
}
