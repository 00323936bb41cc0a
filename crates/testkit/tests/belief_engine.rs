//! The belief engine gives the recorded answers and those of the literal twin: sizes, all marginals, walks, silence.

use pellucid_testkit::engine_belief;
use pellucid_testkit::golden_strategy::cases;
use pellucid_testkit::literal::strategy::Simulation;
use pellucid_testkit::principle::Principle;
use pellucid_testkit::random::generator;
use pellucid_testkit::random_sequence::{Family, closed_principles, family, principles, strategies};
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

#[test]
fn small_tables_are_answered_as_by_the_twin() {
    let mut rng = generator(41);
    let principles = principles();
    for round in 0..1800 {
        let family = family(&mut rng, 7, 4, 4);
        compare(&mut rng, &family, &principles[round % principles.len()]);
    }
}

#[test]
fn tables_of_up_to_nine_people_are_answered_as_by_the_twin() {
    let mut rng = generator(42);
    let principles = principles();
    for round in 0..300 {
        let family = family(&mut rng, 9, 4, 4);
        compare(&mut rng, &family, &principles[round % principles.len()]);
    }
}

#[test]
fn long_sequences_are_answered_as_by_the_twin() {
    let mut rng = generator(43);
    let principles = closed_principles();
    for round in 0..150 {
        let family = family(&mut rng, 6, 3, 7);
        compare(&mut rng, &family, &principles[round % principles.len()]);
    }
}
