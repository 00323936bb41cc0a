//! The search engine beside the literal twin, which looks at every granulation of random lattices.

use std::collections::BTreeSet;

use pellucid_model::exact::fraction;
use pellucid_model::registry::EntryArgs;
use pellucid_publish::search::{
    GranulationGenome, MEASURE_IDS, MeasureScore, PassingNode, SEARCHES, SearchInstance, SearchLimits,
};
use pellucid_testkit::engine_search::{Bench, Coded, gauge, keeps_something, search};
use pellucid_testkit::literal::granulation::genetic;
use pellucid_testkit::literal::granulation::lattice::Granulation;
use pellucid_testkit::literal::granulation::search::Outcome;
use pellucid_testkit::literal::granulation::survey::{Asked, Cost, Survey};
use pellucid_testkit::principle::Principle;
use pellucid_testkit::random::generator;
use pellucid_testkit::random_lattice::{LatticeCase, Shape, chain_case, lattice_case, shaped};
use pellucid_testkit::repeats;

/// Relative error of what is no fraction.
const CLOSE: f64 = 1e-9;

/// The search whose answer is the best there is.
const EXACT: &str = "fast";

fn case(seed: u64, chain: bool) -> LatticeCase {
    let mut random = generator(seed);
    if chain { chain_case(&mut random, 14, 4) } else { lattice_case(&mut random, 14, 4) }
}

/// Principles that random cases do not draw.
fn further(seed: u64) -> Principle {
    match seed % 4 {
        0 => Principle::OrderedCloseness { t: fraction(1 + seed as i64 / 4 % 3, 8u8) },
        1 => Principle::Share { l: 2, protect: None },
        2 => Principle::Share { l: 2 + seed / 4 % 2, protect: Some(BTreeSet::from([0, 2])) },
        _ => Principle::KAnonymity { k: 2 + seed / 4 % 3 },
    }
}

/// What is asked of a case: one principle, sentences, or several things at once; and nothing, some or all may be
/// suppressed.
fn asked(case: &LatticeCase, seed: u64) -> Asked {
    let own = case.principle.clone();
    let ordered = |principle: &Principle| !matches!(principle, Principle::OrderedCloseness { .. }) || case.domain > 1;
    let further = Some(further(seed)).filter(ordered);
    let (principles, secrets) = match seed % 5 {
        0 => (vec![own], false),
        1 => (Vec::new(), true),
        2 => (vec![own], true),
        3 => (further.into_iter().chain([Principle::KAnonymity { k: 2 }]).collect(), false),
        _ => (further.into_iter().chain([own]).collect(), true),
    };
    let limit = match seed / 5 % 3 {
        0 => 0,
        1 => case.limit,
        _ => case.rows.len(),
    };
    Asked { principles, secrets: secrets && keeps_something(case), limit }
}

/// Runs `check` on the engine and the twin for `count` cases, of which a third are chains with codes for occurring values
/// only.
fn each(first: u64, count: u64, mut check: impl FnMut(u64, &LatticeCase, &Asked, &SearchInstance<'_>, &Survey<'_>)) {
    for seed in first..first + count {
        let chain = seed % 7 < 2;
        let case = case(seed, chain);
        let asked = asked(&case, seed);
        let coded = if chain { Coded::Occurring } else { Coded::Domain };
        let bench = Bench::new(&case, &asked, coded).unwrap();
        check(seed, &case, &asked, &bench.ground(), &Survey::new(&case, &asked));
    }
}

fn levels(node: &[usize]) -> Vec<u32> {
    node.iter().map(|&level| level as u32).collect()
}

fn node(hit: &PassingNode) -> Granulation {
    hit.levels.iter().map(|&level| level as usize).collect()
}

/// The measures that a ground can be gauged with: those of security need sentences.
fn measures(asked: &Asked) -> impl Iterator<Item = &'static str> {
    let secrets = asked.secrets;
    MEASURE_IDS.iter().copied().filter(move |id| secrets || !id.starts_with("sf"))
}

fn agrees(score: &MeasureScore, cost: &Cost) -> bool {
    match cost {
        Cost::Fraction(cost) => score.exact() == Some(cost),
        Cost::Bits(cost) | Cost::Benefit(cost) => {
            score.exact().is_none() && (score.value() - cost).abs() <= CLOSE * cost.abs().max(1.0)
        }
    }
}

fn seen(hit: &PassingNode) -> (u64, u64) {
    (hit.classes, hit.suppressed)
}

fn expected(outcome: &Outcome) -> (u64, u64) {
    (outcome.kept.len() as u64, outcome.suppressed.len() as u64)
}

#[test]
fn the_exact_search_finds_all_maximally_specific_granulations() {
    let [mut several, mut none, mut not_closed, mut not_graded] = [0; 4];
    each(0, 2400, |seed, _, asked, ground, survey| {
        let minimal = survey.minimal();
        let (hits, _) = search(EXACT, &EntryArgs::new()).unwrap().minimal(ground, &SearchLimits::default()).unwrap();
        assert_eq!(hits.iter().map(node).collect::<Vec<_>>(), minimal, "{seed} {asked:?}");
        for hit in &hits {
            let outcome = survey.outcomes().find(|(other, _)| **other == node(hit)).unwrap().1;
            assert_eq!(seen(hit), expected(outcome), "{seed} {asked:?}");
            assert!(hit.score.is_none());
        }
        several += usize::from(minimal.len() > 1);
        none += usize::from(minimal.is_empty());
        not_closed += usize::from(!survey.is_upward_closed());
        not_graded += usize::from(!survey.lattice().is_graded());
    });
    assert!([several, none, not_closed, not_graded].iter().all(|&count| count > 100), "{several} {none} {not_closed}");
}

#[test]
fn the_exact_search_finds_the_best_granulation() {
    let mut tied = 0;
    each(10_000, 2400, |seed, case, asked, ground, survey| {
        for id in measures(asked) {
            let gauge = gauge(case, id, ground).unwrap();
            let best = survey.best(id);
            let found = search(EXACT, &EntryArgs::new()).unwrap();
            let (hit, _) = found.best(ground, gauge.as_ref(), &SearchLimits::default()).unwrap();
            let told = format!("{id} {seed} {asked:?}");
            let (Some(hit), Some((expected_node, outcome, cost))) = (&hit, best) else {
                assert!(hit.is_none() && survey.passing().next().is_none(), "{told}");
                continue;
            };
            assert_eq!(node(hit), *expected_node, "{told}");
            assert_eq!(seen(hit), expected(outcome), "{told}");
            assert!(agrees(hit.score.as_ref().unwrap(), &cost), "{told}: {:?} {cost:?}", hit.score);
            let equal = survey.passing().filter(|(node, outcome)| survey.cost(id, node, outcome) == cost).count();
            tied += usize::from(equal > 1);
        }
    });
    assert!(tied > 500, "{tied}");
}

#[test]
fn scores_and_classes_are_the_literal_ones_on_every_granulation_that_passes() {
    let mut scores = 0;
    each(20_000, 1000, |seed, case, asked, ground, survey| {
        for (node, outcome) in survey.outcomes() {
            let (class_of, passes) = ground.partition(&levels(node));
            let kept: Vec<usize> = (0..class_of.len()).filter(|&row| passes[class_of[row] as usize]).collect();
            let mut literal: Vec<usize> = outcome.kept.concat();
            literal.sort_unstable();
            assert_eq!(kept, literal, "{seed} {node:?}");
            let one_class = |class: &Vec<usize>| class.iter().all(|&row| class_of[row] == class_of[class[0]]);
            assert!(outcome.kept.iter().all(one_class), "{seed} {node:?}");
            assert_eq!(passes.iter().filter(|passes| **passes).count(), outcome.kept.len(), "{seed} {node:?}");
        }
        for id in measures(asked) {
            let gauge = gauge(case, id, ground).unwrap();
            for (node, outcome) in survey.passing() {
                let score = ground.score(gauge.as_ref(), &levels(node));
                let cost = survey.cost(id, node, outcome);
                assert!(agrees(&score, &cost), "{id} {seed} {node:?} {asked:?}: {score:?} {cost:?}");
                scores += 1;
            }
        }
    });
    assert!(scores > 100_000, "{scores}");
}

#[test]
fn bounds_of_measures_hold_for_everything_less_specific() {
    let mut compared = 0;
    each(30_000, 250, |seed, case, asked, ground, survey| {
        for id in measures(asked) {
            let gauge = gauge(case, id, ground).unwrap();
            let passing: Vec<(&Granulation, MeasureScore)> =
                survey.passing().map(|(node, _)| (node, ground.score(gauge.as_ref(), &levels(node)))).collect();
            for below in survey.lattice().nodes() {
                let floor = gauge.floor(&levels(below));
                for (node, score) in &passing {
                    if survey.lattice().is_at_least_as_specific(below, node) {
                        assert!(floor <= score.at_most(), "{id} {seed} {below:?} {node:?}");
                        compared += 1;
                    }
                }
            }
            if asked.limit == 0 && gauge.is_monotone() {
                let worse = |a: &(&Granulation, MeasureScore), b: &(&Granulation, MeasureScore)| {
                    !survey.lattice().is_more_specific(a.0, b.0) || a.1.compare(&b.1).is_le()
                };
                assert!(passing.iter().all(|a| passing.iter().all(|b| worse(a, b))), "{id} {seed}");
            }
        }
    });
    assert!(compared > 100_000, "{compared}");
}

#[test]
fn what_is_called_monotone_is_closed_upwards() {
    let [mut monotone, mut wrongly_closed, mut rightly_refused] = [0; 3];
    each(40_000, 2000, |seed, _, asked, ground, survey| {
        let closed = survey.is_upward_closed();
        if ground.is_monotone() {
            assert!(closed, "{seed} {asked:?}");
            monotone += 1;
        } else if closed {
            wrongly_closed += 1;
        } else {
            rightly_refused += 1;
        }
    });
    assert!(monotone > 300 && rightly_refused > 100, "{monotone} {wrongly_closed} {rightly_refused}");
}

/// Values 0 1 and 0 0 in two classes: half may share a value. One class of two is left, and joined three of four share one.
#[test]
fn a_share_with_suppression_is_rightly_not_called_monotone() {
    let mut case = shaped(&mut generator(1), 4, &[Shape::Chain]);
    case.columns = vec![vec![vec![0, 1], vec![0, 0]]];
    case.rows = vec![vec![0], vec![0], vec![1], vec![1]];
    (case.sensitive, case.domain) = (vec![0, 1, 0, 0], 2);
    case.confidential = vec![BTreeSet::new(); 4];
    case.damages = vec![[].into(); 4];
    for principle in [
        Principle::Share { l: 2, protect: None },
        Principle::Ratio { ratio: fraction(1, 2u8) },
        Principle::Entropy { l: fraction(2, 1u8) },
        Principle::Recursive { c: fraction(2, 1u8), l: 2 },
        Principle::EqualCloseness { t: fraction(1, 4u8) },
    ] {
        let mut asked = Asked { principles: vec![principle.clone()], secrets: false, limit: 2 };
        let suppressing = Bench::new(&case, &asked, Coded::Domain).unwrap();
        assert!(!suppressing.ground().is_monotone(), "{principle:?}");
        let survey = Survey::new(&case, &asked);
        let witness = !survey.is_upward_closed();
        // Of the whole table the joined class has distance 0.
        assert_eq!(witness, !matches!(principle, Principle::EqualCloseness { .. }), "{principle:?}");
        asked.limit = 0;
        assert!(Bench::new(&case, &asked, Coded::Domain).unwrap().ground().is_monotone(), "{principle:?}");
    }
}

#[test]
fn a_band_is_searched_without_ruling_anything_out() {
    let mut not_closed = 0;
    for seed in 0..repeats(400) {
        let mut case = case(seed, false);
        case.domain = 3;
        case.sensitive = case.sensitive.iter().map(|value| value % 3).collect();
        let principles = vec![Principle::Band { delta: fraction(2, 3u8), eps: fraction(1, 3u8) }];
        let asked = Asked { principles, secrets: false, limit: [0, case.limit][seed as usize % 2] };
        let bench = Bench::new(&case, &asked, Coded::Domain).unwrap();
        let (ground, survey) = (bench.ground(), Survey::new(&case, &asked));
        assert!(!ground.is_monotone());
        let (hits, effort) =
            search(EXACT, &EntryArgs::new()).unwrap().minimal(&ground, &SearchLimits::default()).unwrap();
        assert_eq!(hits.iter().map(node).collect::<Vec<_>>(), survey.minimal(), "{seed}");
        assert!(!effort.monotone);
        not_closed += usize::from(!survey.is_upward_closed());
    }
    assert!(not_closed > 20, "{not_closed}");
}

#[test]
fn security_is_not_measured_without_sentences() {
    let case = case(3, true);
    let asked = Asked { principles: vec![Principle::KAnonymity { k: 2 }], secrets: false, limit: 0 };
    let bench = Bench::new(&case, &asked, Coded::Occurring).unwrap();
    for id in ["sf", "sf*ql"] {
        let message = gauge(&case, id, &bench.ground()).unwrap_err().to_string();
        assert!(message.contains("add a [[privacy]] section"), "{message}");
    }
}

#[test]
fn codes_of_the_genetic_search_are_the_literal_ones() {
    each(50_000, 100, |_, _, _, ground, survey| {
        let (genome, sizes) = (GranulationGenome::of(ground.lattice()), survey.lattice().sizes());
        assert_eq!(genome.len(), sizes.iter().map(|&size| genetic::bits(size)).sum::<usize>());
        for node in survey.lattice().nodes() {
            let code = genome.encode(&levels(node));
            assert_eq!(code, genetic::encode(node, &sizes));
            for place in 0..code.len() {
                let mutant = genetic::mutated(&code, &[place]);
                assert_eq!(*genome.decode(&mutant), levels(&genetic::decode(&mutant, &sizes)));
            }
        }
    });
}

#[test]
fn crossovers_of_the_genetic_search_are_the_literal_ones() {
    let (a, b) = (genetic::code("010011100101"), genetic::code("100100111010"));
    for cut in 1..a.len() {
        let (mut one, mut other) = (a.clone(), b.clone());
        pellucid_publish::search::cross(&mut one, &mut other, &[cut]);
        assert_eq!((one, other), genetic::one_point(&a, &b, cut));
        for end in cut..a.len() {
            let (mut one, mut other) = (a.clone(), b.clone());
            pellucid_publish::search::cross(&mut one, &mut other, &[cut, end]);
            assert_eq!((one, other), genetic::two_point(&a, &b, cut, end));
        }
    }
}

/// Seeds are fixed, so the shares are the same every time; most cases have a few hundred granulations.
#[test]
fn a_genetic_search_never_beats_the_best_and_mostly_reaches_it() {
    let [mut optimal, mut passing, mut missed] = [0; 3];
    each(60_000, 600, |seed, case, asked, ground, survey| {
        let all: Vec<&str> = measures(asked).collect();
        let id = all[seed as usize % all.len()];
        let gauge = gauge(case, id, ground).unwrap();
        let args = EntryArgs::new().with("seed", seed).with("population", 20).with("generations", 15);
        let found = || {
            let genetic = search("genetic", &args).unwrap();
            genetic.best(ground, gauge.as_ref(), &SearchLimits::default()).unwrap()
        };
        let (hit, effort) = found();
        let (again, same) = found();
        assert_eq!((hit.as_ref().map(node), &effort), (again.as_ref().map(node), &same));
        let Some((best, _, cost)) = survey.best(id) else {
            assert!(hit.is_none(), "{id} {seed}");
            return;
        };
        passing += 1;
        let Some(hit) = hit else {
            missed += 1;
            return;
        };
        let outcome = survey.passing().find(|(other, _)| **other == node(&hit)).expect("what is found passes").1;
        assert_eq!(seen(&hit), expected(outcome));
        let own = survey.cost(id, &node(&hit), outcome);
        assert!(agrees(hit.score.as_ref().unwrap(), &own), "{id} {seed}");
        let ahead = own.value() - cost.value();
        let ahead = if matches!(own, Cost::Benefit(_)) { -ahead } else { ahead };
        assert!(ahead >= -CLOSE, "{id} {seed}");
        optimal += usize::from(node(&hit) == *best);
    });
    assert!(passing > 300 && optimal * 10 > passing * 8 && missed * 20 < passing, "{optimal} of {passing}, {missed}");
}

#[test]
fn searches_are_those_that_are_compared_here() {
    let exact = SEARCHES.iter().filter(|entry| entry.make(&EntryArgs::new()).unwrap().is_exact()).map(|entry| entry.id);
    assert_eq!(exact.collect::<Vec<_>>(), [EXACT]);
}
