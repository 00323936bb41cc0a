//! Terms that speak of disclosure sets: parts are connected by what decides whether those pass.

use std::sync::Arc;

use dashu_base::UnsignedAbs;
use dashu_int::{IBig, UBig};
use hashbrown::HashMap;
use pellucid_model::distribution::Distribution;
use pellucid_model::error::Result;
use rayon::prelude::*;

use super::engine::{BeliefEngine, PlainCount, ProblemSolution};
use super::levels::ComponentKey;
use super::posterior::BeliefPart;
use super::tables::ComponentTable;

/// Keys with which the worlds of a part can end, each with how many do.
type Ends<'e> = Vec<(&'e ComponentKey, &'e UBig)>;

impl BeliefEngine<'_> {
    /// Joins parts whose worlds count only when the disclosure sets of the steps `released` pass; `None` when none does.
    pub(super) fn keyed(
        &self,
        solutions: &[Arc<ProblemSolution>],
        codes: Vec<Vec<u32>>,
        coefficient: i64,
        released: &[usize],
    ) -> Result<Option<Vec<BeliefPart>>> {
        let ends: Vec<Ends<'_>> = solutions
            .iter()
            .map(|solution| solution.trace().ends().iter().map(|(key, count)| (key, count)).collect())
            .collect();
        let same: Vec<usize> = solutions.iter().map(|solution| Arc::as_ptr(solution) as usize).collect();
        let worth = self.worth(&ends, &same, released)?;
        let factor = Arc::new(IBig::from(coefficient));
        let mut weighed: HashMap<usize, Arc<ProblemSolution>> = HashMap::new();
        let mut parts = Vec::with_capacity(solutions.len());
        for (at, (solution, codes)) in solutions.iter().zip(codes).enumerate() {
            let joined = weighed.entry(same[at]).or_insert_with(|| {
                let trace = solution.trace();
                let counts = trace.ends().iter().zip(&worth[at]);
                let count = counts.fold(UBig::ZERO, |sum, ((_, count), worth)| sum + count * worth);
                Arc::new(ProblemSolution::Plain(PlainCount { worlds: trace.worlds(&worth[at]), count }))
            });
            parts.push(BeliefPart { codes, solution: joined.clone(), factor: factor.clone() });
        }
        let any = parts.first().is_some_and(|part| part.solution.outcome().count > UBig::ZERO);
        Ok(any.then_some(parts))
    }

    /// By part and end, the worlds of all other parts with which the disclosure sets of `released` pass. Parts with equal
    /// `same` end alike.
    fn worth(&self, ends: &[Ends<'_>], same: &[usize], released: &[usize]) -> Result<Vec<Vec<UBig>>> {
        // after[at]: everything from part `at` on.
        let mut after: Vec<HashMap<ComponentKey, UBig>> = vec![HashMap::from_iter([(ComponentKey::new(), UBig::ONE)])];
        for part in ends.iter().rev() {
            let next = self.convolve(after.last().expect("there is one"), part)?;
            after.push(next);
        }
        after.reverse();
        for &step in released {
            self.judge(step, after[0].keys())?;
        }
        let mut before: HashMap<ComponentKey, UBig> = HashMap::from_iter([(ComponentKey::new(), UBig::ONE)]);
        let mut known: HashMap<usize, Vec<UBig>> = HashMap::new();
        let mut worth = Vec::with_capacity(ends.len());
        for (at, part) in ends.iter().enumerate() {
            if !known.contains_key(&same[at]) {
                let others = self.convolve(&before, &sorted(&after[at + 1]))?;
                let others = sorted(&others);
                let mut each = Vec::with_capacity(part.len());
                for (own, _) in part {
                    self.meter.spend(others.len() as u64)?;
                    let mut weight = UBig::ZERO;
                    for &(key, count) in &others {
                        if self.all_pass(&merge(key, own), released)? {
                            weight += count;
                        }
                    }
                    each.push(weight);
                }
                known.insert(same[at], each);
            }
            worth.push(known[&same[at]].clone());
            before = self.convolve(&before, part)?;
        }
        Ok(worth)
    }

    /// Joins the worlds of some parts with those of one more.
    fn convolve(
        &self,
        parts: &HashMap<ComponentKey, UBig>,
        more: &[(&ComponentKey, &UBig)],
    ) -> Result<HashMap<ComponentKey, UBig>> {
        let mut joined: HashMap<ComponentKey, UBig> = HashMap::new();
        for (key, count) in sorted(parts) {
            self.meter.spend(more.len() as u64)?;
            for (other, ways) in more {
                *joined.entry(merge(key, other)).or_default() += count * *ways;
            }
        }
        Ok(joined)
    }

    /// Decides, on all cores, whether the disclosure set of `step` passes for all `keys` at once.
    fn judge<'k>(&self, step: usize, keys: impl Iterator<Item = &'k ComponentKey>) -> Result<()> {
        let mut open: Vec<ComponentKey> = keys.map(|key| of_step(key, step)).collect();
        open.sort_unstable();
        open.dedup();
        let known = self.verdicts.lock();
        open.retain(|key| !known.contains_key(key));
        drop(known);
        if open.len() < 64 {
            return open.into_iter().try_for_each(|key| self.verdict(step, key).map(drop));
        }
        open.into_par_iter().try_for_each(|key| self.verdict(step, key).map(drop))
    }

    /// Whether the disclosure set of every step in `released` passes in worlds with this key.
    fn all_pass(&self, key: &ComponentKey, released: &[usize]) -> Result<bool> {
        for &step in released {
            if !self.verdict(step, of_step(key, step))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the disclosure set of `step` passes in worlds whose components have the tables of `key`.
    fn verdict(&self, step: usize, key: ComponentKey) -> Result<bool> {
        if let Some(known) = self.verdicts.get(&key) {
            return Ok(known);
        }
        let tables: Vec<Arc<ComponentTable>> = {
            let all = self.tables.lock().expect("no thread panicked");
            key.iter().map(|entry| all.get(entry.1)).collect()
        };
        let passes = self.passes(step, &tables)?;
        Ok(self.verdicts.put(key, passes))
    }

    /// Whether the disclosure set of `step` passes when its components have these tables, equal ones side by side.
    fn passes(&self, step: usize, tables: &[Arc<ComponentTable>]) -> Result<bool> {
        let same: Vec<usize> = tables.iter().map(|table| Arc::as_ptr(table) as usize).collect();
        let first: Vec<usize> = (0..tables.len()).filter(|&at| at == 0 || same[at] != same[at - 1]).collect();
        // By different table and slot, what the worlds of all other components are worth, with the term's sign.
        let mut worth: Vec<Vec<IBig>> = first.iter().map(|&at| vec![IBig::ZERO; tables[at].slots.len()]).collect();
        for (term, (product, coefficient)) in self.formulas[step].terms().enumerate() {
            let slots: Vec<Vec<usize>> = tables.iter().map(|table| table.slots_of(term)).collect();
            if slots.iter().any(Vec::is_empty) {
                continue;
            }
            let ends: Vec<Ends<'_>> = tables
                .iter()
                .zip(&slots)
                .map(|(table, slots)| slots.iter().map(|&at| (&table.slots[at].key, &table.slots[at].count)).collect())
                .collect();
            let released: Vec<usize> = (0..product.len()).filter(|&at| product[at].releases()).collect();
            if released.is_empty() {
                let total = ends.iter().fold(UBig::ONE, |total, ends| total * ends[0].1);
                for (&at, worth) in first.iter().zip(&mut worth) {
                    worth[slots[at][0]] = IBig::from(&total / ends[at][0].1) * coefficient;
                }
            } else {
                let each = self.worth(&ends, &same, &released)?;
                for (&at, worth) in first.iter().zip(&mut worth) {
                    for (&slot, weight) in slots[at].iter().zip(&each[at]) {
                        worth[slot] = IBig::from(weight.clone()) * coefficient;
                    }
                }
            }
        }
        for (&at, worth) in first.iter().zip(&worth) {
            for columns in &tables[at].people {
                let mut weights: Vec<(u32, UBig)> = Vec::with_capacity(columns.len());
                for (value, (code, column)) in (0u32..).zip(columns) {
                    let terms = column.iter().zip(worth).filter(|(number, _)| **number > UBig::ZERO);
                    let number =
                        terms.fold(IBig::ZERO, |sum, (number, worth)| sum + worth * IBig::from(number.clone()));
                    weights.push((if self.symmetric { value } else { *code }, number.unsigned_abs()));
                }
                let empty = weights.iter().all(|weight| weight.1 == UBig::ZERO);
                if empty || !self.condition.holds_on(&Distribution::new(weights)) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

impl ComponentTable {
    /// The slots of a term.
    fn slots_of(&self, term: usize) -> Vec<usize> {
        (0..self.slots.len()).filter(|&at| self.slots[at].term == term).collect()
    }
}

/// The part of a key that speaks of `step`.
fn of_step(key: &ComponentKey, step: usize) -> ComponentKey {
    key.iter().copied().filter(|entry| entry.0 as usize == step).collect()
}

/// Two sorted keys as one.
fn merge(a: &ComponentKey, b: &ComponentKey) -> ComponentKey {
    let mut both: ComponentKey = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i] <= b[j] {
            both.push(a[i]);
            i += 1;
        } else {
            both.push(b[j]);
            j += 1;
        }
    }
    both.extend_from_slice(&a[i..]);
    both.extend_from_slice(&b[j..]);
    both
}

/// The entries of a map in order of their keys.
fn sorted(map: &HashMap<ComponentKey, UBig>) -> Ends<'_> {
    let mut entries: Ends<'_> = map.iter().collect();
    entries.sort_unstable_by_key(|entry| entry.0);
    entries
}
