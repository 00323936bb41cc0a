//! Restoring privacy: further views whose release makes belief keep to the demand again.
//!
//! Candidates are refinements: views of some of the people of a view that was shown before ([`sub_intervals`]). A refinement lies
//! inside one component, so that every component that breaks the demand is restored by itself.
//!
//! # Reference
//! Restoring compromised privacy in micro-data disclosure, ASIACCS 2010, section 4 (single refinement set, naive algorithm).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

use pellucid_model::error::Result;
use rayon::prelude::*;

use super::atoms::ViewComponent;
use super::{SeenViews, View};
use crate::budget::Budget;
use crate::verdict::{BeliefRequirements, Verdict};

/// How far to look.
#[derive(Debug, Clone, Copy)]
pub struct RestorationLimits {
    /// How many further views there may be altogether.
    pub most: usize,
    /// Seconds after which the search ends.
    pub seconds: f64,
}

/// What a search for further views ends with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestorationResult {
    /// Nothing is to be restored.
    Private,
    /// The numbers of candidates that restore privacy, ascending: as few as can be, and of these such that show as few people as
    /// can be, added up over views.
    By(Vec<usize>),
    /// A value of so many people is certain, and no further view makes it less so: the worlds that are left only become fewer.
    Certain(u64),
    /// No set of so many candidates does.
    Not,
    /// No set was found in time.
    OutOfTime,
}

/// A search and what it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestorationSearch {
    /// What was found.
    pub restored: RestorationResult,
    /// Candidates that are safe by themselves, in components that break the demand.
    pub candidates: usize,
    /// Sets of candidates that were judged.
    pub judged: u64,
    /// Those that were judged exactly.
    pub exactly: u64,
}

impl SeenViews {
    /// Looks for candidates that restore privacy together, fewest and smallest first.
    ///
    /// # Cost
    /// A judgement for every set of up to [`RestorationLimits::most`] candidates of a component, in the order of what they show, until one
    /// restores it; both cores.
    pub fn restore(
        &self,
        candidates: &[View],
        demand: &BeliefRequirements<'_>,
        budget: &Budget,
        reach: &RestorationLimits,
        progress: &(dyn Fn(u64) -> Result<()> + Sync),
    ) -> Result<RestorationSearch> {
        let clock = Instant::now();
        let mut found =
            RestorationSearch { restored: RestorationResult::Private, candidates: 0, judged: 0, exactly: 0 };
        let mut broken = Vec::new();
        for component in ViewComponent::all(self.people, &self.shown) {
            let alone = self.only(&component);
            let verdict = alone.judge(demand, budget)?;
            if verdict.conclusion.holds() {
                continue;
            }
            if verdict.certain.low > 0 {
                found.restored = RestorationResult::Certain(verdict.certain.low);
                return Ok(found);
            }
            broken.push((component, alone));
        }
        let mut left = reach.most;
        let mut added = Vec::new();
        for (at, (component, alone)) in broken.iter().enumerate() {
            let mine = self.useful(component, candidates, demand);
            found.candidates += mine.len();
            // Every component that is still to come takes one at least.
            let most = (left + at + 1).saturating_sub(broken.len());
            let mut search = Search { alone, mine: &mine, candidates, demand, budget, found: &mut found };
            match search.run(most, &|| clock.elapsed().as_secs_f64() > reach.seconds, progress)? {
                RestorationResult::By(set) => {
                    left -= set.len();
                    added.extend(set);
                }
                other => {
                    found.restored = other;
                    return Ok(found);
                }
            }
        }
        if !broken.is_empty() {
            added.sort_unstable();
            found.restored = RestorationResult::By(added);
        }
        Ok(found)
    }

    /// The views of `component` alone.
    fn only(&self, component: &ViewComponent) -> Self {
        let shown = component.views.iter().map(|&view| self.shown[view].clone()).collect();
        Self { shown, ..*self }
    }

    /// Candidates of a component that tell something and are safe by themselves, smallest first.
    fn useful(&self, component: &ViewComponent, candidates: &[View], demand: &BeliefRequirements<'_>) -> Vec<usize> {
        let mut people: Vec<u32> = component.atoms.iter().flat_map(|atom| atom.people.iter().copied()).collect();
        people.sort_unstable();
        let shown: Vec<&[u32]> = component.views.iter().map(|&view| self.shown[view].members()).collect();
        let tells = |view: &View| people.binary_search(&view.members()[0]).is_ok() && !shown.contains(&view.members());
        let mut useful: Vec<usize> = (0..candidates.len())
            .filter(|&at| tells(&candidates[at]) && demand.is_safe_alone(&candidates[at]))
            .collect();
        useful.sort_by_key(|&at| (candidates[at].members().len(), at));
        useful.dedup_by(|a, b| candidates[*a].members() == candidates[*b].members());
        useful
    }
}

/// A search in one component.
struct Search<'s> {
    alone: &'s SeenViews,
    /// Numbers of candidates, smallest first.
    mine: &'s [usize],
    candidates: &'s [View],
    demand: &'s BeliefRequirements<'s>,
    budget: &'s Budget,
    found: &'s mut RestorationSearch,
}

impl Search<'_> {
    fn run(
        &mut self,
        most: usize,
        late: &dyn Fn() -> bool,
        progress: &(dyn Fn(u64) -> Result<()> + Sync),
    ) -> Result<RestorationResult> {
        let sizes: Vec<usize> = self.mine.iter().map(|&at| self.candidates[at].members().len()).collect();
        for many in 1..=most.min(self.mine.len()) {
            let mut sets = Sets::new(&sizes, many);
            loop {
                let batch: Vec<Vec<usize>> = sets.by_ref().take(rayon::current_num_threads()).collect();
                if batch.is_empty() {
                    break;
                }
                if late() {
                    return Ok(RestorationResult::OutOfTime);
                }
                let judged: Vec<Verdict> = batch.par_iter().map(|set| self.judge(set)).collect::<Result<_>>()?;
                self.found.judged += judged.len() as u64;
                self.found.exactly += judged.iter().filter(|verdict| verdict.is_exact()).count() as u64;
                progress(self.found.judged)?;
                if let Some(at) = judged.iter().position(|verdict| verdict.conclusion.holds()) {
                    return Ok(RestorationResult::By(batch[at].iter().map(|&place| self.mine[place]).collect()));
                }
            }
        }
        Ok(RestorationResult::Not)
    }

    fn judge(&self, set: &[usize]) -> Result<Verdict> {
        let mut views = self.alone.clone();
        views.shown.extend(set.iter().map(|&place| self.candidates[self.mine[place]].clone()));
        views.judge(self.demand, self.budget)
    }
}

/// All sets of so many numbers below that of `sizes`, by the sum of their sizes, which ascend.
///
/// A set that is not the first has one parent: with its first number that can be lowered by one, lowered. So every set is come to
/// once, and never before its parent, which is not larger.
struct Sets<'s> {
    sizes: &'s [usize],
    heap: BinaryHeap<Reverse<(usize, Vec<usize>)>>,
}

impl<'s> Sets<'s> {
    fn new(sizes: &'s [usize], many: usize) -> Self {
        let first: Vec<usize> = (0..many).collect();
        let heap = if many > sizes.len() { Vec::new() } else { vec![Reverse((sizes[..many].iter().sum(), first))] };
        Self { sizes, heap: heap.into() }
    }
}

impl Iterator for Sets<'_> {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let Reverse((sum, set)) = self.heap.pop()?;
        for at in 0..set.len() {
            // All before are as low as can be, so that in the child this one is the first that can be lowered.
            if at > 0 && set[at - 1] != at - 1 {
                break;
            }
            let next = set[at] + 1;
            if next < set.get(at + 1).copied().unwrap_or(self.sizes.len()) {
                let mut child = set.clone();
                child[at] = next;
                self.heap.push(Reverse((sum + self.sizes[next] - self.sizes[next - 1], child)));
            }
        }
        Some(set)
    }
}

/// The people of a view whose rank is in an interval, for every interval that has some and not all of them; `rank` is `None` for
/// people whom no interval has. Each set ascends and comes once, with the first and last rank in it.
pub fn sub_intervals(members: &[u32], rank: impl Fn(u32) -> Option<u32>) -> Vec<(u32, u32, Vec<u32>)> {
    let mut ranked: Vec<(u32, u32)> =
        members.iter().filter_map(|&person| rank(person).map(|rank| (rank, person))).collect();
    ranked.sort_unstable();
    let mut ranks: Vec<u32> = ranked.iter().map(|entry| entry.0).collect();
    ranks.dedup();
    let mut found = Vec::new();
    for (at, &from) in ranks.iter().enumerate() {
        for &to in &ranks[at..] {
            let mut people: Vec<u32> =
                ranked.iter().filter(|entry| (from..=to).contains(&entry.0)).map(|entry| entry.1).collect();
            if people.len() < members.len() {
                people.sort_unstable();
                found.push((from, to, people));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_comes_once_and_none_before_a_smaller_one() {
        let sizes = [1, 2, 2, 3, 5, 5, 9];
        for (many, expected) in [(0, 1), (1, 7), (2, 21), (3, 35), (7, 1), (8, 0)] {
            let sets: Vec<Vec<usize>> = Sets::new(&sizes, many).collect();
            assert_eq!(sets.len(), expected);
            let sums: Vec<usize> = sets.iter().map(|set| set.iter().map(|&at| sizes[at]).sum()).collect();
            assert!(sums.is_sorted(), "{sums:?}");
            let mut different = sets.clone();
            different.sort();
            different.dedup();
            assert_eq!(different.len(), expected);
            assert!(sets.iter().all(|set| set.windows(2).all(|pair| pair[0] < pair[1])));
        }
    }

    #[test]
    fn intervals_have_some_of_the_people() {
        let ranks = [Some(5), Some(3), Some(5), None, Some(8)];
        let found = sub_intervals(&[0, 1, 2, 3, 4], |person| ranks[person as usize]);
        let expected = [
            (3, 3, vec![1]),
            (3, 5, vec![0, 1, 2]),
            (3, 8, vec![0, 1, 2, 4]),
            (5, 5, vec![0, 2]),
            (5, 8, vec![0, 2, 4]),
            (8, 8, vec![4]),
        ];
        assert_eq!(found, expected);
        assert_eq!(sub_intervals(&[0, 2], |person| ranks[person as usize]), []);
    }
}
