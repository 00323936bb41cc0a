//! The recorded answers about strategies, and the worked examples of the papers, on the literal twin.

use pellucid_testkit::golden_strategy::cases;
use pellucid_testkit::literal::strategy::Simulation;

/// Too many worlds to enumerate: 15 people with ten values have 15! / (3! 2!^3) of them.
const MOST_PEOPLE: usize = 10;

#[test]
fn recorded_answers_are_the_literal_ones() {
    let mut compared = 0;
    for case in cases().iter().filter(|case| case.table.len() <= MOST_PEOPLE) {
        let (worlds, judge) = (case.worlds(), case.judge());
        for (name, strategy) in &case.strategies {
            let answer = Simulation::new(&worlds, &judge, strategy).answer();
            assert_eq!(case.differences(name, &answer), Vec::<String>::new());
            compared += 1;
        }
    }
    assert_eq!(compared, 1437);
}
