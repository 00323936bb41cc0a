//! Tests: the methods of the engine agree with each other where more than one applies, beyond the reach of enumeration.

use dashu_int::UBig;
use pellucid_model::error::ErrorKind;
use pellucid_model::exact::fraction;
use pellucid_model::histogram::Histogram;
use pellucid_model::principle::{BoundPrinciple, EntropyLDiversity, HighestRatio, Principle, SensitiveColumn};

use super::engine::{BeliefEngine, PlainCount, ProblemSolution};
use super::fills::FillProblem;
use super::problem::{CountingProblem, ExchangeableUnit, TrackedGroup};
use super::requirements::Requirements;
use super::sweep;
use crate::budget::Budget;
use crate::sequence::{ExclusiveStrategy, JumpDistances, KJump, SafeStrategy, Sequence, Strategy};

/// A few numbers that look drawn.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

fn bind(principle: &dyn Principle, values: u32) -> Box<dyn BoundPrinciple> {
    let whole = Histogram::from_counts((0..values).map(|_| 1));
    let cardinality = values as usize;
    principle.bind(SensitiveColumn { name: "x", whole: &whole, cardinality, protected: None, hierarchy: None }).unwrap()
}

/// One outer group with bounded groups inside and free people beside them.
fn star(inner: &[u32], free: u32, counts: Vec<u32>) -> CountingProblem {
    let bounded = (0u32..).zip(inner).map(|(number, &size)| ExchangeableUnit { size, outer: 0, tracked: vec![number] });
    let units =
        bounded.chain((free > 0).then_some(ExchangeableUnit { size: free, outer: 0, tracked: Vec::new() })).collect();
    let tracked = inner.iter().map(|&size| TrackedGroup { size, pass: true, level: None }).collect();
    CountingProblem { units, outers: vec![counts], tracked, codes: Vec::new() }
}

fn outcome(solution: ProblemSolution) -> Option<PlainCount> {
    match solution {
        ProblemSolution::None => None,
        ProblemSolution::Plain(outcome) => Some(outcome),
        ProblemSolution::Keyed(_) => panic!("no levels were asked about"),
    }
}

#[test]
fn counting_by_value_and_along_units_agree_on_large_groups() {
    let half = HighestRatio::new(fraction(1, 2u8)).unwrap();
    let third = HighestRatio::new(fraction(2, 5u8)).unwrap();
    let sequence = Sequence::from_labels(2, vec![vec![0, 0]]).unwrap();
    let mut dice = Dice(7);
    for round in 0..60 {
        let principle: &dyn Principle = if round % 2 == 0 { &half } else { &third };
        let test = bind(principle, 4);
        let condition = Requirements::new([test.as_ref()]);
        let rules = ExclusiveStrategy.rules(1).unwrap();
        let engine = BeliefEngine::new(&sequence, &rules, &condition, 4, Budget::question());
        let inner: Vec<u32> = (0..=dice.below(2)).map(|_| 2 + dice.below(5) as u32).collect();
        // Some free parts are so large that what is used is weighed by falling factorials.
        let free = [0, 3, 40, 200][dice.below(4) as usize];
        let people = inner.iter().sum::<u32>() + free;
        let mut counts = vec![0u32; 3 + dice.below(2) as usize];
        for _ in 0..people {
            let value = dice.below(counts.len() as u64) as usize;
            counts[value] += 1;
        }
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let puzzle = star(&inner, free, counts);
        let along = outcome(sweep::solve(&puzzle, &engine).unwrap());
        let by_value = FillProblem::of(&puzzle, &condition).unwrap().solve(&puzzle, &engine.meter).unwrap();
        match (along, outcome(by_value)) {
            (Some(along), Some(by_value)) => {
                assert_eq!(along.count, by_value.count, "{puzzle:?}");
                assert_eq!(along.worlds, by_value.worlds, "{puzzle:?}");
                for worlds in &along.worlds {
                    assert_eq!(worlds.iter().fold(UBig::ZERO, |sum, part| sum + part), along.count);
                }
            }
            (along, by_value) => assert!(along.is_none() && by_value.is_none(), "{puzzle:?}"),
        }
    }
}

#[test]
fn groups_that_pass_whatever_falls_where_may_be_left_out() {
    let ratio = HighestRatio::new(fraction(1, 2u8)).unwrap();
    let entropy = EntropyLDiversity::new(fraction(2, 1u8)).unwrap();
    let mut dice = Dice(11);
    for round in 0..12 {
        let principle: &dyn Principle = if round % 2 == 0 { &ratio } else { &entropy };
        let test = bind(principle, 3);
        let condition = Requirements::new([test.as_ref()]);
        // Groups of 2 and 14 inside groups of 16; the large ones pass in nearly all worlds or in all.
        let people = 32;
        let label = |person: usize, cuts: &[usize]| cuts.iter().filter(|&&cut| person >= cut).count() as u32;
        let functions = [vec![2, 16, 30], vec![14, 16, 18], vec![16]];
        let labels = functions.iter().map(|cuts| (0..people).map(|person| label(person, cuts)).collect());
        let sequence = Sequence::from_labels(people, labels.collect()).unwrap();
        let world: Vec<u32> = (0..people).map(|_| dice.below(3) as u32).collect();
        let strategies: [Box<dyn Strategy>; 3] = [
            Box::new(ExclusiveStrategy),
            Box::new(SafeStrategy),
            Box::new(KJump::new(JumpDistances::Same(1)).unwrap()),
        ];
        for strategy in strategies {
            let rules = strategy.rules(3).unwrap();
            let counted = [usize::MAX, 8].map(|small| {
                let mut engine = BeliefEngine::new(&sequence, &rules, &condition, 3, Budget::question());
                engine.small = small;
                engine.disclosure(2, &world).unwrap()
            });
            assert_eq!(counted[0].worlds(), counted[1].worlds());
            for person in 0..people {
                assert_eq!(counted[0].distribution(person), counted[1].distribution(person));
            }
        }
    }
}

#[test]
fn the_order_of_people_changes_no_number() {
    let ratio = HighestRatio::new(fraction(1, 2u8)).unwrap();
    let test = bind(&ratio, 4);
    let condition = Requirements::new([test.as_ref()]);
    let mut dice = Dice(13);
    let people = 60;
    let world: Vec<u32> = (0..people).map(|_| dice.below(4) as u32).collect();
    let functions: Vec<Vec<u32>> =
        [6, 10, 15].iter().map(|&size| (0..people).map(|person| person as u32 / size).collect()).collect();
    let mut order: Vec<usize> = (0..people).collect();
    for at in (1..people).rev() {
        order.swap(at, dice.below(at as u64 + 1) as usize);
    }
    let shuffled_functions =
        functions.iter().map(|labels| order.iter().map(|&person| labels[person]).collect()).collect();
    let shuffled_world: Vec<u32> = order.iter().map(|&person| world[person]).collect();
    let straight = Sequence::from_labels(people, functions).unwrap();
    let shuffled = Sequence::from_labels(people, shuffled_functions).unwrap();
    let rules = ExclusiveStrategy.rules(3).unwrap();
    let belief = BeliefEngine::new(&straight, &rules, &condition, 4, Budget::question()).disclosure(2, &world).unwrap();
    let other =
        BeliefEngine::new(&shuffled, &rules, &condition, 4, Budget::question()).disclosure(2, &shuffled_world).unwrap();
    assert_eq!(belief.worlds(), other.worlds());
    for (now, &before) in order.iter().enumerate() {
        assert_eq!(belief.distribution(before), other.distribution(now));
    }
}

/// `world` with the values inside every block of `size` people dealt out anew.
fn dealt(world: &[u32], size: usize, dice: &mut Dice) -> Vec<u32> {
    let mut world = world.to_vec();
    for block in world.chunks_mut(size) {
        for at in (1..block.len()).rev() {
            block.swap(at, dice.below(at as u64 + 1) as usize);
        }
    }
    world
}

#[test]
fn what_a_disclosure_set_takes_depends_on_its_own_groups_alone() {
    let ratio = HighestRatio::new(fraction(1, 2u8)).unwrap();
    let test = bind(&ratio, 4);
    let condition = Requirements::new([test.as_ref()]);
    let mut dice = Dice(17);
    let people = 60;
    let functions =
        [6, 10, 15].iter().map(|&size| (0..people).map(|person| person / size).collect::<Vec<u32>>()).collect();
    let sequence = Sequence::from_labels(people as usize, functions).unwrap();
    let strategies: [Box<dyn Strategy>; 3] =
        [Box::new(ExclusiveStrategy), Box::new(SafeStrategy), Box::new(KJump::new(JumpDistances::Same(1)).unwrap())];
    for strategy in strategies {
        let rules = strategy.rules(3).unwrap();
        let takes = |world: &[u32]| {
            let engine = BeliefEngine::new(&sequence, &rules, &condition, 4, Budget::question());
            engine.disclosure(1, world).unwrap().states()
        };
        let world: Vec<u32> = (0..people).map(|_| dice.below(4) as u32).collect();
        let first = takes(&world);
        assert!((0..6).all(|_| takes(&dealt(&world, 10, &mut dice)) == first));
        // So it tells apart worlds that look alike once a later function is released.
        assert!((0..6).any(|_| takes(&dealt(&world, 15, &mut dice)) != first));
    }
}

#[test]
fn work_beyond_the_budget_is_refused() {
    let ratio = HighestRatio::new(fraction(1, 2u8)).unwrap();
    let test = bind(&ratio, 4);
    let condition = Requirements::new([test.as_ref()]);
    let labels = |size: u32| (0..120).map(|person| person / size).collect::<Vec<u32>>();
    let sequence = Sequence::from_labels(120, vec![labels(20), labels(30), labels(40)]).unwrap();
    let world: Vec<u32> = (0..120).map(|person| person % 4).collect();
    let rules = ExclusiveStrategy.rules(3).unwrap();
    let refusal = |budget: Budget| {
        BeliefEngine::new(&sequence, &rules, &condition, 4, budget).disclosure(2, &world).unwrap_err().to_string()
    };
    let full = Budget::question();
    // That more than the limit is needed is all that is known where counting was stopped.
    assert!(refusal(Budget { states: 1000, ..full }).contains("takes more than 1.0e3 states, the limit; "));
    assert!(refusal(Budget { seconds: Some(0.0), ..full }).contains("more than 0 seconds"));
    assert!(refusal(Budget { bytes: 1 << 16, ..full }).contains(" of memory, limit 0.1 MiB; "));
}

/// One outer group of people with `values` values, `each` of every value, and `groups` groups that are open together
/// half-way: every one has two units, and all first units come before all second ones.
fn open_together(groups: u32, values: u32, each: u32) -> CountingProblem {
    let size = values * each / groups / 2;
    let units = (0..2 * groups).map(|unit| ExchangeableUnit { size, outer: 0, tracked: vec![unit % groups] }).collect();
    let tracked = (0..groups).map(|_| TrackedGroup { size: 2 * size, pass: true, level: None }).collect();
    CountingProblem { units, outers: vec![vec![each; values as usize]], tracked, codes: Vec::new() }
}

#[test]
fn states_that_do_not_fit_are_refused_for_what_they_are() {
    let ratio = HighestRatio::new(fraction(1, 2u8)).unwrap();
    let test = bind(&ratio, 4);
    let condition = Requirements::new([test.as_ref()]);
    let sequence = Sequence::from_labels(2, vec![vec![0, 0]]).unwrap();
    let rules = ExclusiveStrategy.rules(1).unwrap();
    let engine = BeliefEngine::new(&sequence, &rules, &condition, 4, Budget::question());
    let refusal = |puzzle: &CountingProblem| {
        let error = sweep::solve(puzzle, &engine).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        error.message().to_owned()
    };
    // Groups of 200 people take 8 bits each and the outer group with 400 of each value 9: the seventh of 8 groups ends at
    // bit 65.
    let message = refusal(&open_together(8, 4, 400));
    assert!(message.contains("takes 65 bits or more to count one value"), "{message}");
    assert!(message.contains(", where 64 fit; use fewer") && !message.contains(" states"), "{message}");
    // 5 groups of 200 people take 8 bits each and the outer group with 5 of each value 3: 43 bits for each of 200 values,
    // and 32 for the key.
    let message = refusal(&open_together(5, 200, 5));
    assert!(message.contains("takes 8632 bits to count 200 values"), "{message}");
    assert!(message.contains(", where 8192 fit; use fewer") && !message.contains("higher limit"), "{message}");
}
