//! Terms that speak of disclosure sets: parts are connected by what decides whether those pass.

use std::sync::Arc;

use dashu_int::{IBig, UBig};
use hashbrown::HashMap;
use rayon::prelude::*;

use super::engine::{Engine, Outcome, Solution};
use super::levels::Key;
use super::posterior::BeliefPart;
use super::sweep::Trace;
use crate::error::Result;

impl Engine<'_> {
    /// Joins parts whose worlds count only when the disclosure sets of the steps `released` pass; `None` when none does.
    pub(super) fn keyed(
        &self,
        solutions: &[Arc<Solution>],
        codes: Vec<Vec<u32>>,
        coefficient: i64,
        released: &[usize],
    ) -> Result<Option<Vec<BeliefPart>>> {
        let counts: Vec<Vec<(&Key, &UBig)>> = solutions
            .iter()
            .map(|solution| solution.trace().ends().iter().map(|(key, count)| (key, count)).collect())
            .collect();
        // after[at]: everything from part `at` on.
        let mut after: Vec<HashMap<Key, UBig>> = vec![HashMap::from_iter([(Key::new(), UBig::ONE)])];
        for part in counts.iter().rev() {
            let next = self.convolve(after.last().expect("there is one"), part)?;
            after.push(next);
        }
        after.reverse();
        let mut before: HashMap<Key, UBig> = HashMap::from_iter([(Key::new(), UBig::ONE)]);
        let mut total = UBig::ZERO;
        let mut parts: Vec<BeliefPart> = Vec::with_capacity(solutions.len());
        let mut known: HashMap<*const Solution, Arc<Solution>> = HashMap::new();
        for (at, (solution, codes)) in solutions.iter().zip(codes).enumerate() {
            let address = Arc::as_ptr(solution);
            let joined = match known.get(&address) {
                Some(joined) => joined.clone(),
                None => {
                    let beside: Vec<(&Key, &UBig)> = sorted(&after[at + 1]);
                    let others = self.convolve(&before, &beside)?;
                    let joined = Arc::new(Solution::Plain(self.weigh(solution.trace(), &others, released)?));
                    known.insert(address, joined.clone());
                    joined
                }
            };
            if at == 0 {
                total = joined.outcome().count.clone();
            }
            before = self.convolve(&before, &counts[at])?;
            parts.push(BeliefPart { codes, solution: joined, factor: Arc::new(IBig::from(coefficient)) });
        }
        Ok((total > UBig::ZERO).then_some(parts))
    }

    /// The worlds of one part, each weighed by the worlds of all `others` with which the disclosure sets pass.
    fn weigh(&self, trace: &dyn Trace, others: &HashMap<Key, UBig>, released: &[usize]) -> Result<Outcome> {
        let others = sorted(others);
        for &step in released {
            self.judge(step, trace.ends().iter().flat_map(|(own, _)| others.iter().map(|(key, _)| merge(key, own))))?;
        }
        let mut count = UBig::ZERO;
        let mut worth = Vec::with_capacity(trace.ends().len());
        for (own, ways) in trace.ends() {
            let mut weight = UBig::ZERO;
            for &(key, count) in &others {
                self.meter.spend(1)?;
                if self.all_pass(&merge(key, own), released)? {
                    weight += count;
                }
            }
            count += ways * &weight;
            worth.push(weight);
        }
        Ok(Outcome { worlds: trace.worlds(&worth), count })
    }

    /// Joins the worlds of some parts with those of one more.
    fn convolve(&self, parts: &HashMap<Key, UBig>, more: &[(&Key, &UBig)]) -> Result<HashMap<Key, UBig>> {
        let mut joined: HashMap<Key, UBig> = HashMap::new();
        for (key, count) in sorted(parts) {
            self.meter.spend(more.len() as u64)?;
            for (other, ways) in more {
                *joined.entry(merge(key, other)).or_default() += count * *ways;
            }
        }
        Ok(joined)
    }

    /// Decides, on all cores, whether the disclosure set of `step` passes for all `keys` at once.
    fn judge(&self, step: usize, keys: impl Iterator<Item = Key>) -> Result<()> {
        let mut open: Vec<Key> = Vec::new();
        let mut seen: HashMap<Key, ()> = HashMap::new();
        for key in keys {
            let own = of_step(&key, step);
            let known = self.verdicts.lock().expect("no thread panicked").contains_key(&own);
            if !known && seen.insert(own.clone(), ()).is_none() {
                open.push(own);
            }
        }
        open.into_par_iter().try_for_each(|key| self.verdict(step, key).map(drop))
    }

    /// Whether the disclosure set of every step in `released` passes in worlds with this key.
    fn all_pass(&self, key: &Key, released: &[usize]) -> Result<bool> {
        for &step in released {
            if !self.verdict(step, of_step(key, step))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the disclosure set of `step` passes in worlds whose components have the classes of `key`.
    fn verdict(&self, step: usize, key: Key) -> Result<bool> {
        if let Some(&known) = self.verdicts.lock().expect("no thread panicked").get(&key) {
            return Ok(known);
        }
        let world = self.representative(step, &key);
        let belief = self.disclosure(step, &world)?;
        let passes = belief.holds(self.condition) == Some(true);
        self.verdicts.lock().expect("no thread panicked").insert(key, passes);
        Ok(passes)
    }

    /// A world whose components under `step` have the classes of `key`.
    fn representative(&self, step: usize, key: &Key) -> Vec<u32> {
        let map = self.levels[step].as_ref().expect("levels of asked steps exist");
        let classes = self.classes.lock().expect("no thread panicked");
        let mut by_shape: HashMap<u32, Vec<u32>> = HashMap::new();
        for &(_, class) in key {
            by_shape.entry(classes.get(class).shape).or_default().push(class);
        }
        let mut world = vec![0; self.sequence.people()];
        for (component, groups) in map.groups.iter().enumerate() {
            let class =
                by_shape.get_mut(&map.shape[component]).and_then(Vec::pop).expect("a class for every component");
            let class = classes.get(class);
            for (place, &group) in groups.iter().enumerate() {
                let mut members = self.members[step][group as usize].iter();
                for (value, (code, counts)) in (0u32..).zip(&class.columns) {
                    let code = if self.symmetric { value } else { *code };
                    for &person in members.by_ref().take(counts[place] as usize) {
                        world[person as usize] = code;
                    }
                }
            }
        }
        world
    }
}

/// The part of a key that speaks of `step`.
fn of_step(key: &Key, step: usize) -> Key {
    key.iter().copied().filter(|entry| entry.0 as usize == step).collect()
}

/// Two sorted keys as one.
fn merge(a: &Key, b: &Key) -> Key {
    let mut both: Key = a.iter().chain(b).copied().collect();
    both.sort_unstable();
    both
}

/// The entries of a map in order of their keys.
fn sorted(map: &HashMap<Key, UBig>) -> Vec<(&Key, &UBig)> {
    let mut entries: Vec<(&Key, &UBig)> = map.iter().collect();
    entries.sort_unstable_by_key(|entry| entry.0);
    entries
}
