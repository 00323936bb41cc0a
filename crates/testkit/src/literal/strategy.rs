//! The strategies naive, safe, exclusive and k-jump by running them on every world.
//!
//! Written down from tables 5 to 7 of Liu, Wang, Zhang, "k-jump strategy for preserving privacy in micro-data
//! disclosure", ICDT 2010, and tables 3 and 5 of Zhang, Wang, Jajodia, "Exclusive strategy for generalization algorithms
//! in micro-data disclosure", DBSEC 2008. A [`Simulation`] follows the recursion: to know a disclosure set, run the
//! strategy on every world of the permutation set; to run it, know disclosure sets of earlier steps. What is shown decides
//! both sets, so each verdict is found once for everything that can be shown.
//!
//! DIFFERENCE: table 7 never goes on from a permutation set that fails; here it goes to the next step.
//! DIFFERENCE: with table 7 a disclosure set holds the worlds for which it is evaluated, so it is empty where the
//! permutation set fails; here it holds the worlds that come to the step, which is the same wherever it is evaluated.

use std::collections::BTreeMap;

use dashu_int::UBig;
use pellucid_inference::belief::{StrategyLook, WorldSet};
use pellucid_inference::sequence::STRATEGIES;
use pellucid_model::exact::fraction;
use pellucid_model::registry::EntryArgs;

use super::worlds::{Functions, Judge, World, Worlds};
use crate::answer::{Answer, Belief};
use crate::principle::Principle;

/// A way to walk along a sequence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strategy {
    /// The first function whose permutation set passes.
    Naive,
    /// The first function whose disclosure set passes.
    Safe,
    /// The first function whose permutation set passes, if its disclosure set does.
    Exclusive,
    /// The first function whose permutation set and disclosure set pass; where only the former does, so many steps
    /// further: one distance for every step.
    Jump(Vec<usize>),
}

impl Strategy {
    /// The same distance from each of `steps` steps.
    pub fn jump(distance: usize, steps: usize) -> Self {
        Self::Jump(vec![distance; steps])
    }

    /// Every strategy of the registry with the arguments of each of its examples, for a sequence of `steps`; jumps go no further
    /// than its end, and examples for sequences of another length are left out.
    ///
    /// # Panics
    /// When a strategy has no literal form yet.
    pub fn examples(steps: usize) -> impl Iterator<Item = Self> {
        let all = STRATEGIES.iter().flat_map(|entry| entry.examples().map(|args| (entry.id, args)));
        all.filter_map(move |(id, args)| {
            Some(match id {
                "naive" => Self::Naive,
                "safe" => Self::Safe,
                "exclusive" => Self::Exclusive,
                "k-jump" => {
                    let distances = args.text("jumps").expect("it is given").split(',');
                    let distances: Vec<usize> = distances.map(|jump| jump.parse().expect("a distance")).collect();
                    match distances[..] {
                        [distance] => Self::jump(distance.min(steps), steps),
                        _ => Self::Jump(Some(distances).filter(|distances| distances.len() == steps)?),
                    }
                }
                _ => panic!("strategy `{id}` has no literal form; write it in crates/testkit/src/literal/strategy.rs"),
            })
        })
    }

    /// The strategy's id and arguments in the registry; equal distances are given as one.
    pub fn in_registry(&self) -> (&'static str, EntryArgs) {
        match self {
            Self::Naive => ("naive", EntryArgs::new()),
            Self::Safe => ("safe", EntryArgs::new()),
            Self::Exclusive => ("exclusive", EntryArgs::new()),
            Self::Jump(distances) => {
                let same = distances.windows(2).all(|pair| pair[0] == pair[1]);
                let words = distances.iter().take(if same { 1 } else { distances.len() }).map(ToString::to_string);
                ("k-jump", EntryArgs::new().with("jumps", words.collect::<Vec<String>>().join(",")))
            }
        }
    }
}

/// What is done at a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Release,
    Go(usize),
    Stop,
}

/// A strategy run on worlds.
#[derive(Debug)]
pub struct Simulation<'a> {
    worlds: &'a Worlds,
    judge: &'a Judge<'a>,
    strategy: &'a Strategy,
    /// By step and number of what is shown, whether the permutation set passes, once known.
    permutation: Vec<Vec<Option<bool>>>,
    /// The same for the disclosure set.
    disclosure: Vec<Vec<Option<bool>>>,
}

impl<'a> Simulation<'a> {
    /// `strategy` with the principle of `judge` on `worlds`.
    pub fn new(worlds: &'a Worlds, judge: &'a Judge<'a>, strategy: &'a Strategy) -> Self {
        let unknown: Vec<Vec<Option<bool>>> =
            (1..=worlds.steps()).map(|step| vec![None; worlds.showings(step)]).collect();
        Self { worlds, judge, strategy, permutation: unknown.clone(), disclosure: unknown }
    }

    /// The worlds of the permutation set of what `step` shows of `world`.
    pub fn permutation_set(&self, step: usize, world: World) -> &'a [World] {
        self.worlds.alike(step, self.worlds.shown(step, world))
    }

    /// The worlds of the permutation set for which the strategy comes to `step`.
    pub fn disclosure_set(&mut self, step: usize, world: World) -> Vec<World> {
        let alike = self.permutation_set(step, world);
        alike.iter().copied().filter(|&other| self.comes_to(step, other)).collect()
    }

    /// Whether the strategy, run on `world`, comes to `step`.
    pub fn comes_to(&mut self, step: usize, world: World) -> bool {
        let mut at = 1;
        while at < step {
            match self.next(at, world, &mut |_| ()) {
                Next::Go(further) => at = further,
                Next::Release | Next::Stop => return false,
            }
        }
        at == step
    }

    /// The step released for `world`; `None` for nothing.
    pub fn release(&mut self, world: World) -> Option<usize> {
        self.walk(world, &mut |_| ())
    }

    fn walk(&mut self, world: World, report: &mut dyn FnMut(StrategyLook)) -> Option<usize> {
        let mut at = 1;
        while at <= self.worlds.steps() {
            match self.next(at, world, report) {
                Next::Release => return Some(at),
                Next::Go(further) => at = further,
                Next::Stop => return None,
            }
        }
        None
    }

    /// What the strategy does at `step` when run on `world`.
    fn next(&mut self, step: usize, world: World, report: &mut dyn FnMut(StrategyLook)) -> Next {
        let mut look = |simulation: &mut Self, set: WorldSet| {
            let holds = simulation.holds(set, step, world);
            report(StrategyLook { step, set, holds });
            holds
        };
        let strategy = self.strategy;
        match strategy {
            Strategy::Naive if look(self, WorldSet::Permutation) => Next::Release,
            Strategy::Safe if look(self, WorldSet::Disclosure) => Next::Release,
            Strategy::Naive | Strategy::Safe => Next::Go(step + 1),
            Strategy::Exclusive | Strategy::Jump(_) if !look(self, WorldSet::Permutation) => Next::Go(step + 1),
            Strategy::Exclusive | Strategy::Jump(_) if look(self, WorldSet::Disclosure) => Next::Release,
            Strategy::Exclusive => Next::Stop,
            Strategy::Jump(distances) => Next::Go(step + distances[step - 1]),
        }
    }

    /// Whether the principle holds on a set; on none it does not.
    fn holds(&mut self, set: WorldSet, step: usize, world: World) -> bool {
        let shown = self.worlds.shown(step, world) as usize;
        let verdicts = if set == WorldSet::Permutation { &self.permutation } else { &self.disclosure };
        if let Some(holds) = verdicts[step - 1][shown] {
            return holds;
        }
        let counts = match set {
            WorldSet::Permutation => self.worlds.count(self.permutation_set(step, world)),
            WorldSet::Disclosure => {
                let left = self.disclosure_set(step, world);
                self.worlds.count(&left)
            }
        };
        let holds = self.judge.holds(&counts) == Some(true);
        let verdicts = if set == WorldSet::Permutation { &mut self.permutation } else { &mut self.disclosure };
        verdicts[step - 1][shown] = Some(holds);
        holds
    }

    /// The worlds for which the same is released as for `world`: the same function shows the same.
    pub fn released_alike(&mut self, world: World) -> Vec<World> {
        let (worlds, release) = (self.worlds, self.release(world));
        let shown = |other: World| release.map(|step| worlds.shown(step, other));
        (0..worlds.len()).filter(|&other| shown(other) == shown(world) && self.release(other) == release).collect()
    }

    /// What is believed when these worlds are held possible.
    pub fn belief(&self, worlds: &[World]) -> Belief {
        let counts = self.worlds.count(worlds);
        let total = worlds.len() as u64;
        let share = |(value, &count): (u32, &u64)| (count > 0).then(|| (value, fraction(count, total)));
        let marginal = |counts: &Vec<u64>| (0..).zip(counts).filter_map(share).collect::<BTreeMap<u32, _>>();
        Belief {
            worlds: UBig::from(total),
            marginals: counts.iter().map(marginal).collect(),
            holds: self.judge.holds(&counts),
        }
    }

    /// Everything about the table.
    pub fn answer(&mut self) -> Answer {
        let (worlds, table) = (self.worlds, self.worlds.table());
        let mut looks = Vec::new();
        let release = self.walk(table, &mut |look| looks.push(look));
        let steps = 1..=worlds.steps();
        let permutation = steps.clone().map(|step| self.belief(self.permutation_set(step, table))).collect();
        let mut disclosure = Vec::new();
        for step in steps.clone() {
            let left = self.disclosure_set(step, table);
            disclosure.push(self.belief(&left));
        }
        let reaches = steps.map(|step| self.comes_to(step, table)).collect();
        let posterior = release.map(|_| {
            let left = self.released_alike(table);
            self.belief(&left)
        });
        let silent: Vec<World> = (0..worlds.len()).filter(|&world| self.release(world).is_none()).collect();
        let silence = Some(self.belief(&silent));
        let anything = self.belief(&(0..worlds.len()).collect::<Vec<World>>());
        Answer { release, looks, permutation, disclosure, reaches, posterior, silence, anything }
    }
}

/// The literal answer for one table with values of `0..domain`.
pub fn answer(table: &[u32], domain: u32, functions: &Functions, strategy: &Strategy, principle: &Principle) -> Answer {
    let worlds = Worlds::new(table, domain, functions);
    let judge = Judge::new(principle, table, domain);
    Simulation::new(&worlds, &judge, strategy).answer()
}
