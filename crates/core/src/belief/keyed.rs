//! Terms that speak of disclosure sets: parts are connected by what decides whether those pass.

use std::sync::Arc;

use dashu_int::{IBig, UBig};
use hashbrown::HashMap;

use super::engine::{Engine, Outcome};
use super::levels::Key;
use super::posterior::BeliefPart;
use crate::error::Result;

impl Engine<'_> {
    /// Joins parts whose worlds count only when the disclosure sets of the steps `released` pass; `None` when none does.
    pub(super) fn keyed(
        &self,
        solutions: &[Arc<Vec<Outcome>>],
        codes: Vec<Vec<u32>>,
        coefficient: i64,
        released: &[usize],
    ) -> Result<Option<Vec<BeliefPart>>> {
        let counts: Vec<Vec<(&Key, &UBig)>> = solutions
            .iter()
            .map(|solution| solution.iter().map(|outcome| (&outcome.key, &outcome.count)).collect())
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
        let mut known: HashMap<*const Vec<Outcome>, Arc<Vec<Outcome>>> = HashMap::new();
        for (at, (solution, codes)) in solutions.iter().zip(codes).enumerate() {
            let address = Arc::as_ptr(solution);
            let joined = match known.get(&address) {
                Some(joined) => joined.clone(),
                None => {
                    let beside: Vec<(&Key, &UBig)> = sorted(&after[at + 1]);
                    let others = self.convolve(&before, &beside)?;
                    let joined = Arc::new(vec![self.weigh(solution, &others, released)?]);
                    known.insert(address, joined.clone());
                    joined
                }
            };
            if at == 0 {
                total = joined[0].count.clone();
            }
            before = self.convolve(&before, &counts[at])?;
            parts.push(BeliefPart { codes, solution: joined, factor: Arc::new(IBig::from(coefficient)) });
        }
        Ok((total > UBig::ZERO).then_some(parts))
    }

    /// The worlds of one part, each weighed by the worlds of all `others` with which the disclosure sets pass.
    fn weigh(&self, solution: &[Outcome], others: &HashMap<Key, UBig>, released: &[usize]) -> Result<Outcome> {
        let mut sum = Outcome {
            key: Key::new(),
            count: UBig::ZERO,
            worlds: solution[0].worlds.iter().map(|values| vec![UBig::ZERO; values.len()]).collect(),
        };
        let others = sorted(others);
        for outcome in solution {
            let mut weight = UBig::ZERO;
            for &(key, count) in &others {
                self.meter.spend(1)?;
                if self.all_pass(&merge(key, &outcome.key), released)? {
                    weight += count;
                }
            }
            if weight == UBig::ZERO {
                continue;
            }
            sum.count += &outcome.count * &weight;
            for (slots, worlds) in sum.worlds.iter_mut().zip(&outcome.worlds) {
                for (slot, worlds) in slots.iter_mut().zip(worlds) {
                    *slot += worlds * &weight;
                }
            }
        }
        Ok(sum)
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

    /// Whether the disclosure set of every step in `released` passes in worlds with this key.
    fn all_pass(&self, key: &Key, released: &[usize]) -> Result<bool> {
        for &step in released {
            let own: Key = key.iter().copied().filter(|entry| entry.0 as usize == step).collect();
            if !self.verdict(step, own)? {
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
            let class = by_shape.get_mut(&map.shape[component]).and_then(Vec::pop).expect("a class for every component");
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
