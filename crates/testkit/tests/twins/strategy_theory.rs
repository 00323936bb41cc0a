//! What the papers prove about strategies, over all tables of random families, by the literal twin.

use std::collections::BTreeMap;

use pellucid_testkit::literal::strategy::{Simulation, Strategy};
use pellucid_testkit::literal::worlds::{Judge, World, Worlds};
use pellucid_testkit::principle::Principle;
use pellucid_testkit::random::generator;
use pellucid_testkit::random_sequence::{Family, Shape, closed_principles, family, principles, sequence, strategies};
use pellucid_testkit::repeats;
use rand::RngExt;

/// Random families of up to `people` people, each with one of `principles` in turn.
fn families(seed: u64, rounds: usize, people: usize, principles: &[Principle], visit: &mut dyn FnMut(&Scene<'_>)) {
    let mut rng = generator(seed);
    for round in 0..rounds {
        let family = family(&mut rng, people, 4, 4);
        let principle = &principles[round % principles.len()];
        let (worlds, judge) = (family.worlds(), family.judge(principle));
        let strategies = strategies(&mut rng, family.steps());
        visit(&Scene { family: &family, principle, worlds: &worlds, judge: &judge, strategies: &strategies });
    }
}

/// A family with all its worlds, a principle and strategies.
struct Scene<'a> {
    family: &'a Family,
    principle: &'a Principle,
    worlds: &'a Worlds,
    judge: &'a Judge<'a>,
    /// Naive, safe, exclusive, jump 1, jump 2 (1 where there is one function only), a jump vector.
    strategies: &'a [Strategy],
}

impl<'a> Scene<'a> {
    fn run(&self, strategy: &'a Strategy) -> Simulation<'a> {
        Simulation::new(self.worlds, self.judge, strategy)
    }

    fn jump(&self, distance: usize) -> Strategy {
        Strategy::jump(distance, self.worlds.steps())
    }

    /// One world for everything that function `step` shows.
    fn shown(&self, step: usize) -> impl Iterator<Item = World> + '_ {
        (0..self.worlds.showings(step)).map(move |shown| self.worlds.alike(step, shown as u32)[0])
    }

    fn words(&self) -> String {
        format!("{:?} {:?}", self.family, self.principle)
    }
}

/// The worlds by what is released for them: the step and what its function shows.
fn releases(simulation: &mut Simulation<'_>, worlds: &Worlds) -> BTreeMap<(usize, u32), Vec<World>> {
    let mut alike: BTreeMap<(usize, u32), Vec<World>> = BTreeMap::new();
    for world in 0..worlds.len() {
        if let Some(step) = simulation.release(world) {
            alike.entry((step, worlds.shown(step, world))).or_default().push(world);
        }
    }
    alike
}

fn is_subset(part: &[World], whole: &[World]) -> bool {
    part.iter().all(|world| whole.binary_search(world).is_ok())
}

#[test]
fn the_first_disclosure_set_is_the_permutation_set() {
    families(1, 300, 7, &principles(), &mut |scene| {
        for strategy in scene.strategies {
            let mut simulation = scene.run(strategy);
            for world in scene.shown(1) {
                assert_eq!(
                    simulation.disclosure_set(1, world),
                    simulation.permutation_set(1, world),
                    "{}",
                    scene.words()
                );
            }
        }
    });
}

#[test]
fn the_second_disclosure_set_is_the_same_for_all_strategies() {
    families(2, 300, 7, &principles(), &mut |scene| {
        if scene.worlds.steps() < 2 {
            return;
        }
        let naive = &Strategy::Naive;
        for strategy in scene.strategies {
            let (mut first, mut second) = (scene.run(naive), scene.run(strategy));
            for world in scene.shown(2) {
                assert_eq!(first.disclosure_set(2, world), second.disclosure_set(2, world), "{}", scene.words());
            }
        }
    });
}

/// Lemma 1 of the k-jump paper, and the same for jump vectors whose second jump is above 1.
#[test]
fn the_third_disclosure_set_is_largest_without_jumps() {
    families(3, 400, 7, &principles(), &mut |scene| {
        if scene.worlds.steps() < 3 {
            return;
        }
        let without = scene.jump(1);
        for strategy in scene.strategies.iter().filter(|strategy| matches!(strategy, Strategy::Jump(_))) {
            let (mut without, mut with) = (Simulation::new(scene.worlds, scene.judge, &without), scene.run(strategy));
            for world in scene.shown(3) {
                let (part, whole) = (with.disclosure_set(3, world), without.disclosure_set(3, world));
                assert!(is_subset(&part, &whole), "{}", scene.words());
            }
        }
    });
}

/// Lemma 4 of the k-jump paper.
#[test]
fn the_third_disclosure_set_of_safe_is_part_of_that_without_jumps() {
    families(4, 600, 7, &principles(), &mut |scene| {
        if scene.worlds.steps() < 3 {
            return;
        }
        let without = scene.jump(1);
        let (mut safe, mut without) =
            (scene.run(&Strategy::Safe), Simulation::new(scene.worlds, scene.judge, &without));
        for world in scene.shown(3) {
            let (part, whole) = (safe.disclosure_set(3, world), without.disclosure_set(3, world));
            assert!(is_subset(&part, &whole), "{}", scene.words());
        }
    });
}

/// Corollary 1 of the k-jump paper, for every principle that bounds a quasi-convex function: where a permutation set
/// fails so does every part of it.
#[test]
fn safe_releases_what_is_released_without_jumps() {
    families(5, 900, 7, &closed_principles(), &mut |scene| {
        let without = scene.jump(1);
        let (mut safe, mut without) =
            (scene.run(&Strategy::Safe), Simulation::new(scene.worlds, scene.judge, &without));
        for world in 0..scene.worlds.len() {
            assert_eq!(safe.release(world), without.release(world), "{}", scene.words());
        }
    });
}

#[test]
fn exclusive_is_jumping_beyond_the_end() {
    families(6, 500, 7, &principles(), &mut |scene| {
        let beyond = scene.jump(scene.worlds.steps());
        let (mut exclusive, mut beyond) =
            (scene.run(&Strategy::Exclusive), Simulation::new(scene.worlds, scene.judge, &beyond));
        for world in 0..scene.worlds.len() {
            assert_eq!(exclusive.release(world), beyond.release(world), "{}", scene.words());
        }
        for step in 1..=scene.worlds.steps() {
            for world in scene.shown(step) {
                let sets = (exclusive.disclosure_set(step, world), beyond.disclosure_set(step, world));
                assert_eq!(sets.0, sets.1, "{}", scene.words());
            }
        }
    });
}

/// Theorem 3 of the k-jump paper speaks of different vectors; these differ in what is never used.
#[test]
fn the_first_jump_and_the_length_of_jumps_beyond_the_end_do_not_matter() {
    families(11, 500, 7, &principles(), &mut |scene| {
        let steps = scene.worlds.steps();
        let Some(Strategy::Jump(vector)) = scene.strategies.last() else { panic!("the last one is a jump vector") };
        let other = |(at, &jump): (usize, &usize)| match at {
            0 => steps + 1 - jump,
            _ if at + jump >= steps => steps - at,
            _ => jump,
        };
        let (one, other) =
            (Strategy::Jump(vector.clone()), Strategy::Jump(vector.iter().enumerate().map(other).collect()));
        let mut one = Simulation::new(scene.worlds, scene.judge, &one);
        let mut other = Simulation::new(scene.worlds, scene.judge, &other);
        for world in 0..scene.worlds.len() {
            assert_eq!(one.release(world), other.release(world), "{}", scene.words());
        }
    });
}

/// Lemma 2 of the k-jump paper: distinct l-diversity is set-monotonic.
#[test]
fn of_three_functions_none_is_released_later_without_jumps_under_a_set_monotonic_principle() {
    let mut rng = generator(7);
    let rank = |release: Option<usize>| release.unwrap_or(usize::MAX);
    let mut earlier = 0;
    for round in 0..repeats(400) {
        let mut family = family(&mut rng, 7, 4, 1);
        family.functions = sequence(&mut rng, family.table.len(), 3, Shape::Mixed);
        let principle = Principle::Distinct { l: 2 + round % 2 };
        let (worlds, judge) = (family.worlds(), family.judge(&principle));
        let without = Strategy::jump(1, 3);
        for distance in 2..=3 {
            let with = Strategy::jump(distance, 3);
            let (mut without, mut with) =
                (Simulation::new(&worlds, &judge, &without), Simulation::new(&worlds, &judge, &with));
            for world in 0..worlds.len() {
                let (without, with) = (rank(without.release(world)), rank(with.release(world)));
                assert!(without <= with, "{family:?} {principle:?}");
                earlier += u32::from(without < with);
            }
        }
    }
    assert!(earlier > 0);
}

/// Proposition 1 of the k-jump paper: distinct l-diversity is set-monotonic.
#[test]
fn using_a_function_again_changes_nothing_without_jumps_under_a_set_monotonic_principle() {
    let mut rng = generator(8);
    for round in 0..repeats(400) {
        let family = family(&mut rng, 7, 4, 4);
        let principle = Principle::Distinct { l: 2 + round % 2 };
        let steps = family.steps();
        let again = rng.random_range(0..steps);
        let place = rng.random_range(again + 1..=steps);
        let mut longer = family.clone();
        longer.functions.insert(place, family.functions[again].clone());
        let (once, twice) = (family.worlds(), longer.worlds());
        let judge = family.judge(&principle);
        let (short, long) = (Strategy::jump(1, steps), Strategy::jump(1, steps + 1));
        let (mut short, mut long) = (Simulation::new(&once, &judge, &short), Simulation::new(&twice, &judge, &long));
        for world in 0..once.len() {
            // Steps are numbered from 1 and places from 0: the function at `place` is step `place + 1`.
            let expected = short.release(world).map(|step| if step > place { step + 1 } else { step });
            assert_eq!(long.release(world), expected, "{longer:?} {principle:?}");
        }
    }
}

/// The safety law: the principle holds on the belief of an adversary who runs the strategy on every world and keeps those
/// with the same release; and that belief is the disclosure set. For naive it does not.
#[test]
fn what_is_released_is_safe_under_all_strategies_but_naive() {
    let (mut safe, mut unsafe_naive) = (0, 0);
    families(9, 1500, 7, &principles(), &mut |scene| {
        for strategy in scene.strategies {
            let mut simulation = scene.run(strategy);
            for ((step, _), worlds) in releases(&mut simulation, scene.worlds) {
                assert_eq!(simulation.disclosure_set(step, worlds[0]), worlds, "{}", scene.words());
                let holds = scene.judge.holds(&scene.worlds.count(&worlds)) == Some(true);
                if *strategy == Strategy::Naive {
                    unsafe_naive += u32::from(!holds);
                } else {
                    assert!(holds, "{strategy:?} {}", scene.words());
                    safe += 1;
                }
            }
        }
    });
    assert!(safe > 5_000 && unsafe_naive > 100, "{safe} {unsafe_naive}");
}

/// An adversary need not see which of two equal functions was released: then belief is a mixture of disclosure sets. It is
/// one of several where a jump leads over a function to its second use.
#[test]
fn what_is_released_is_safe_when_equal_functions_cannot_be_told_apart() {
    let (mut rng, principles) = (generator(10), closed_principles());
    let mut mixtures = 0;
    for round in 0..repeats(2500) {
        let mut family = family(&mut rng, 7, 4, 1);
        family.functions = sequence(&mut rng, family.table.len(), 3, Shape::Arbitrary);
        family.functions.push(family.functions[2].clone());
        let principle = &principles[round % principles.len()];
        let (worlds, judge) = (family.worlds(), family.judge(principle));
        for strategy in [Strategy::jump(2, 4), Strategy::Jump(vec![1, 2, 1, 1]), Strategy::Jump(vec![1, 1, 1, 1])] {
            let mut alike: BTreeMap<(usize, u32), Vec<Vec<World>>> = BTreeMap::new();
            for ((step, shown), left) in releases(&mut Simulation::new(&worlds, &judge, &strategy), &worlds) {
                // Equal functions number what they show alike, because worlds come in the same order.
                alike.entry((step.min(3), shown)).or_default().push(left);
            }
            for sets in alike.values() {
                mixtures += u32::from(sets.len() > 1);
                let counts = worlds.count(&sets.concat());
                assert_eq!(judge.holds(&counts), Some(true), "{strategy:?} {family:?} {principle:?}");
            }
        }
    }
    assert!(mixtures > 0);
}
