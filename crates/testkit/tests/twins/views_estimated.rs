//! Belief from views that takes too much to be counted: estimates against counting, and verdicts.

use pellucid_inference::budget::{Budget, SamplingPlan};
use pellucid_inference::estimate::Estimate;
use pellucid_inference::verdict::{BeliefRequirements, RequiredPrinciple, VerdictConclusion};
use pellucid_inference::views::{DrawUntil, SeenViews, View};
use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::histogram::Histogram;
use pellucid_model::principle::{BoundPrinciple, HighestRatio, Principle, SensitiveColumn};
use pellucid_testkit::random::generator;
use rand::RngExt;
use rand::seq::SliceRandom;

/// Views of up to `widest` neighbours in one of two orders of the people, of a random table.
fn crossing(people: u32, domain: u32, many: usize, widest: usize, seed: u64) -> (Vec<u32>, SeenViews) {
    let mut rng = generator(seed);
    let table: Vec<u32> = (0..people).map(|_| rng.random_range(0..domain)).collect();
    let mut orders: Vec<Vec<u32>> = vec![(0..people).collect(); 2];
    orders[1].shuffle(&mut rng);
    let views = (0..many).map(|number| {
        let size = rng.random_range(2..=widest);
        let from = rng.random_range(0..=people as usize - size);
        let members = orders[number % 2][from..from + size].to_vec();
        let values = Histogram::of(members.iter().map(|&person| table[person as usize]));
        View::new(members, values).unwrap()
    });
    let views = SeenViews::new(people as usize, domain, views.collect()).unwrap();
    (table, views)
}

/// Counts next to nothing, and draws from small relaxations.
fn poor(draws: u64, confidence: f64, seed: u64) -> Budget {
    Budget { states: 1, sampling: Some(SamplingPlan { draws, confidence, seed: Some(seed) }), ..Budget::gate() }
}

fn decimal(value: &Fraction) -> f64 {
    value.to_f64().value()
}

#[test]
fn intervals_of_weighted_worlds_hold_what_counting_finds() {
    let (mut asked, mut missed, mut told, mut uneven, mut dropped) = (0, 0, 0, 0, 0);
    for seed in 0..120 {
        let (_, views) = crossing(12, 3, 6, 6, seed);
        let exact = views.belief(&Budget::question(), DrawUntil::End).unwrap();
        let estimated = views.belief(&poor(4096, 0.9, seed), DrawUntil::End).unwrap();
        assert!(!estimated.is_empty());
        for record in estimated.samples() {
            asked += 1;
            let followed = record.views.unwrap();
            assert!(followed.remembered <= followed.views && record.draws == 4096);
            dropped += usize::from(followed.remembered < followed.views);
            uneven += usize::from(record.effective < 4000.0);
        }
        let mut wrong = false;
        for (people, estimate) in estimated.atoms() {
            let Estimate::Sampled(intervals, _) = estimate else { continue };
            let belief = exact.distribution(people[0] as usize).unwrap();
            for code in 0..3 {
                let truth = decimal(&belief.probability(code));
                match intervals.iter().find(|entry| entry.0 == code) {
                    Some((_, interval)) => {
                        wrong |= !interval.contains(truth);
                        told += usize::from(interval.high - interval.low < 0.2);
                    }
                    None => assert!(truth == 0.0, "an impossible value is possible"),
                }
            }
        }
        missed += i32::from(wrong);
    }
    assert!(asked >= 60 && told > 500 && uneven > 10 && dropped > 20, "{asked} {told} {uneven} {dropped}");
    assert!(missed <= 12, "{missed} of {asked} miss");
}

/// Three views of four people, each with two a and one b: fixing the first to a has fractional solutions only. Draws never come to an
/// end.
#[test]
fn no_draw_comes_to_an_end() {
    let of = |members: &[u32]| View::new(members.to_vec(), Histogram::of([0, 0, 1])).unwrap();
    let views = SeenViews::new(4, 2, vec![of(&[0, 1, 2]), of(&[0, 1, 3]), of(&[0, 2, 3])]).unwrap();
    let belief = views.belief(&poor(1024, 0.9, 1), DrawUntil::End).unwrap();
    // The only world: the first has b, the others a.
    let effective = belief.samples()[0].effective;
    assert!((effective - 1024.0).abs() < 1e-6, "{effective}");
    for (people, estimate) in belief.atoms() {
        assert!(matches!(estimate, Estimate::Sampled(..)), "it was drawn");
        assert_eq!(estimate.probability(1).at, Some(f64::from(u8::from(people[0] == 0))));
    }
}

fn at_most(ratio: Fraction, whole: &Histogram, domain: u32) -> (Box<dyn BoundPrinciple>, Fraction) {
    let principle = HighestRatio::new(ratio).unwrap();
    let column =
        SensitiveColumn { name: "value", whole, cardinality: domain as usize, protected: None, hierarchy: None };
    (principle.bind(column).unwrap(), principle.ratio().clone())
}

#[test]
fn verdicts_on_estimates_are_those_of_counting_or_undecided() {
    let (mut private, mut broken, mut undecided, mut tolerated) = (0, 0, 0, 0);
    for seed in 0..60 {
        let (table, views) = crossing(16, 4, 3 + (seed % 4) as usize, 12, 1000 + seed);
        let (test, share) = at_most(fraction(7, 10u8), &Histogram::of(table), 4);
        let strict = BeliefRequirements::new(
            vec![RequiredPrinciple { test: test.as_ref(), share: Some(&share), protected: None }],
            0.0,
        );
        let exact = views.judge(&strict, &Budget::gate()).unwrap();
        assert!(exact.is_exact() && exact.conclusion != VerdictConclusion::Undecided && exact.failing.is_exact());
        let drawn = views.judge(&strict, &poor(16_384, 0.99, seed)).unwrap();
        if drawn.is_exact() {
            assert_eq!(drawn.conclusion, exact.conclusion);
            continue;
        }
        match drawn.conclusion {
            VerdictConclusion::Undecided => undecided += 1,
            conclusion => assert_eq!(conclusion, exact.conclusion, "{seed}"),
        }
        assert!(drawn.failing.low <= exact.failing.low && exact.failing.high <= drawn.failing.high);
        let highest = decimal(exact.highest.exactly.as_ref().unwrap());
        assert!(drawn.highest.within.contains(highest));
        private += i32::from(drawn.conclusion == VerdictConclusion::Holds);
        broken += i32::from(drawn.conclusion == VerdictConclusion::Fails);
        let tolerant = BeliefRequirements { epsilon: 0.1, ..strict };
        let within = views.judge(&tolerant, &poor(16_384, 0.99, seed)).unwrap();
        if within.tolerated {
            tolerated += 1;
            assert!(within.conclusion == VerdictConclusion::Holds && highest <= 0.8);
        }
    }
    assert!(private > 3 && broken > 3 && undecided > 3 && tolerated > 0, "{private} {broken} {undecided} {tolerated}");
}

#[test]
fn a_seed_gives_the_same_on_any_number_of_threads() {
    let (_, views) = crossing(14, 3, 7, 8, 5);
    let told = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let belief = pool.install(|| views.belief(&poor(2000, 0.9, 3), DrawUntil::End)).unwrap();
        assert!(!belief.samples().is_empty());
        format!("{belief:?}")
    };
    assert_eq!(told(1), told(3));
}
