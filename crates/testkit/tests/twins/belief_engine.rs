//! The belief engine gives the recorded answers and those of the literal twin: sizes, all marginals, walks, silence.

use dashu_int::UBig;
use pellucid_model::distribution::Distribution;
use pellucid_model::histogram::Histogram;
use pellucid_model::principle::{SensitiveColumn, make};
use pellucid_testkit::adversary::assignments;
use pellucid_testkit::engine_belief;
use pellucid_testkit::golden_strategy::cases;
use pellucid_testkit::literal::strategy::Simulation;
use pellucid_testkit::principle::{Principle, shares};
use pellucid_testkit::random::generator;
use pellucid_testkit::random_sequence::{Family, closed_principles, family, principles, strategies, telling};
use pellucid_testkit::repeats;
use rand_chacha::ChaCha8Rng;

/// Compares the engine with the twin for all strategies.
fn compare(rng: &mut ChaCha8Rng, family: &Family, principle: &Principle) {
    let (worlds, judge) = (family.worlds(), family.judge(principle));
    for strategy in strategies(rng, family.steps()) {
        let literal = Simulation::new(&worlds, &judge, &strategy).answer();
        let answer =
            engine_belief::answer(&family.table, family.domain, &family.functions, &strategy, principle, true).unwrap();
        assert_eq!(answer, literal, "{family:?} {strategy:?} {principle:?}");
    }
}

#[test]
fn recorded_answers_are_given() {
    for case in cases() {
        for (name, strategy) in &case.strategies {
            let answer = engine_belief::answer(
                &case.table,
                case.domain(),
                &case.functions,
                strategy,
                &case.principle,
                case.knows_silence(name),
            );
            assert_eq!(case.differences(name, &answer.unwrap()), Vec::<String>::new());
        }
    }
}

/// Judges belief with a principle of the product's registry.
#[test]
fn principles_judge_belief_as_the_literal_ones() {
    const DOMAIN: u32 = 4;
    let whole = [3, 1, 2, 2];
    let histogram = Histogram::from_counts(whole);
    let worlds: Vec<Vec<u32>> =
        assignments(DOMAIN as usize, 7).into_iter().filter(|counts| counts.iter().sum::<u32>() > 0).collect();
    for principle in principles() {
        let (id, args) = principle.in_registry();
        let flags = engine_belief::protected(&principle, DOMAIN);
        let (cardinality, protected) = (DOMAIN as usize, flags.as_deref());
        let column = SensitiveColumn { name: "value", whole: &histogram, cardinality, protected, hierarchy: None };
        let test = make(id, &args).unwrap().bind(column).unwrap();
        for counts in &worlds {
            let belief = Distribution::new((0..).zip(counts.iter().map(|&count| UBig::from(count))));
            let literal: Vec<u64> = counts.iter().map(|&count| u64::from(count)).collect();
            assert_eq!(
                test.holds_on(&belief),
                principle.belief_passes(&shares(&literal), &shares(&whole)),
                "{principle:?} {counts:?}"
            );
        }
    }
}

#[test]
fn small_tables_are_answered_as_by_the_twin() {
    let mut rng = generator(41);
    let principles = principles();
    for round in 0..repeats(2400) {
        let family = family(&mut rng, 7, 4, 4);
        compare(&mut rng, &family, &principles[round % principles.len()]);
    }
}

#[test]
fn tables_on_which_strategies_differ_are_answered_as_by_the_twin() {
    let mut rng = generator(42);
    let principles = principles();
    for round in 0..repeats(600) {
        let principle = &principles[round % principles.len()];
        let family = telling(&mut rng, 7, 4, 4, principle);
        compare(&mut rng, &family, principle);
    }
}

#[test]
fn tables_of_up_to_nine_people_are_answered_as_by_the_twin() {
    let mut rng = generator(43);
    let principles = principles();
    for round in 0..repeats(400) {
        let family = family(&mut rng, 9, 4, 4);
        compare(&mut rng, &family, &principles[round % principles.len()]);
    }
}

#[test]
fn long_sequences_are_answered_as_by_the_twin() {
    let mut rng = generator(44);
    let principles = closed_principles();
    for round in 0..repeats(200) {
        let family = family(&mut rng, 6, 3, 7);
        compare(&mut rng, &family, &principles[round % principles.len()]);
    }
}
