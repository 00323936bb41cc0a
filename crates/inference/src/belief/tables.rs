//! Tables: all that a component counts towards the disclosure set of its step.
//!
//! For every term of the step's formula, and every key with which the component's worlds can end, a table holds the number
//! of worlds and, for every person and value, in how many of them the person has it. Classes with equal tables, up to a
//! common factor, are the same to every verdict, so a table's number stands for all of them.

use std::sync::Arc;

use dashu_int::UBig;
use dashu_int::ops::Gcd;
use hashbrown::HashMap;
use pellucid_model::error::Result;

use super::engine::{BeliefEngine, OuterHistograms, ProblemSolution, product_of};
use super::formula::EventProduct;
use super::layout::{TermLayout, TrackedPeople};
use super::levels::{ComponentClass, ComponentKey};

/// Worlds of one term that end with one key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct TermSlot {
    /// The term, by its place in the formula.
    pub(super) term: usize,
    pub(super) key: ComponentKey,
    pub(super) count: UBig,
}

/// What a component counts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ComponentTable {
    /// Terms and keys.
    pub(super) slots: Vec<TermSlot>,
    /// Different kinds of people: by value, its code and by slot the worlds in which such a person has it.
    pub(super) people: Vec<Vec<(u32, Vec<UBig>)>>,
}

/// A key, its number of worlds, and by person or unit the numbers of their values.
type Counted<T> = (ComponentKey, UBig, Vec<Vec<T>>);

/// All tables met so far.
#[derive(Debug, Default)]
pub(super) struct ComponentTables {
    numbers: HashMap<Arc<ComponentTable>, u32>,
    all: Vec<Arc<ComponentTable>>,
}

impl ComponentTables {
    fn number(&mut self, table: ComponentTable) -> u32 {
        let table = Arc::new(table);
        let next = self.all.len() as u32;
        let number = *self.numbers.entry(table.clone()).or_insert(next);
        if number == next {
            self.all.push(table);
        }
        number
    }

    /// Table `number`.
    pub(super) fn get(&self, number: u32) -> Arc<ComponentTable> {
        self.all[number as usize].clone()
    }
}

impl BeliefEngine<'_> {
    /// The number of the table of `class`.
    pub(super) fn table_of(&self, class: ComponentClass) -> Result<u32> {
        if let Some(known) = self.classes.get(&class) {
            return Ok(known);
        }
        let table = self.tabulate(&class)?;
        let number = self.tables.lock().expect("no thread panicked").number(table);
        Ok(self.classes.put(class, number))
    }

    /// Counts what a component of `class` counts towards each term.
    fn tabulate(&self, class: &ComponentClass) -> Result<ComponentTable> {
        let step = class.step as usize;
        let map = self.levels[step].as_ref().expect("levels of asked steps exist");
        let component = map.example[class.shape as usize];
        let own = &map.groups[component as usize];
        let mut people: Vec<u32> =
            own.iter().flat_map(|&group| self.members[step][group as usize].iter().copied()).collect();
        people.sort_unstable();
        let mut histograms: OuterHistograms = vec![Vec::new(); self.members[step].len()];
        for (value, (code, counts)) in (0u32..).zip(&class.columns) {
            let code = if self.symmetric { value } else { *code };
            for (&group, &count) in own.iter().zip(counts) {
                if count > 0 {
                    histograms[group as usize].push((code, count));
                }
            }
        }
        let mut slots: Vec<TermSlot> = Vec::new();
        let products: Vec<EventProduct> = self.formulas[step].terms().map(|(product, _)| product.clone()).collect();
        let layouts: Vec<Arc<TermLayout>> =
            products.iter().map(|product| self.part_layout(step, product, &people)).collect();
        // One person stands for all whom no term tells apart.
        let mut seen: HashMap<Vec<(u32, u32)>, ()> = HashMap::new();
        let places = |at: usize| layouts.iter().map(|layout| layout.place[at]).collect::<Vec<_>>();
        let chosen: Vec<usize> = (0..people.len()).filter(|&at| seen.insert(places(at), ()).is_none()).collect();
        // By person and code, the worlds of every slot.
        let mut numbers: Vec<HashMap<u32, Vec<UBig>>> = vec![HashMap::new(); chosen.len()];
        for (term, layout) in layouts.iter().enumerate() {
            for (key, count, worlds) in self.count_part(layout, &chosen, &histograms)? {
                let slot = slots.len();
                slots.push(TermSlot { term, key, count });
                for (at, by_code) in worlds.into_iter().enumerate() {
                    for (code, worlds) in by_code {
                        let column = numbers[at].entry(code).or_default();
                        column.resize(slot, UBig::ZERO);
                        column.push(worlds);
                    }
                }
            }
        }
        let mut kinds: Vec<Vec<(u32, Vec<UBig>)>> = numbers
            .into_iter()
            .map(|by_code| {
                let mut columns: Vec<(u32, Vec<UBig>)> = by_code.into_iter().collect();
                for (code, column) in &mut columns {
                    column.resize(slots.len(), UBig::ZERO);
                    *code = if self.symmetric { 0 } else { *code };
                }
                columns.sort_unstable();
                columns
            })
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        let mut table = ComponentTable { slots, people: kinds };
        table.reduce();
        Ok(table)
    }

    /// For one term, by key: the worlds of the component, and by person of `chosen` and code those in which the person has
    /// it; empty when there are none.
    fn count_part(
        &self,
        layout: &TermLayout,
        chosen: &[usize],
        histograms: &OuterHistograms,
    ) -> Result<Vec<Counted<(u32, UBig)>>> {
        let (puzzles, codes): (Vec<_>, Vec<_>) =
            layout.parts.iter().map(|part| part.puzzle(histograms, self.symmetric)).unzip();
        let solutions = self.solve_all(puzzles)?;
        if solutions.iter().any(|solution| matches!(**solution, ProblemSolution::None)) {
            return Ok(Vec::new());
        }
        // By part and end: key, count, and worlds by unit and value.
        let ends: Vec<Vec<Counted<UBig>>> = solutions
            .iter()
            .map(|solution| match solution.as_ref() {
                ProblemSolution::Keyed(trace) => (0..trace.ends().len())
                    .map(|end| {
                        self.meter.check_clock()?;
                        let mut worth = vec![UBig::ZERO; trace.ends().len()];
                        worth[end] = UBig::ONE;
                        let (key, count) = trace.ends()[end].clone();
                        Ok((key, count, trace.worlds(&worth)))
                    })
                    .collect(),
                _ => {
                    Ok(vec![(ComponentKey::new(), solution.outcome().count.clone(), solution.outcome().worlds.clone())])
                }
            })
            .collect::<Result<_>>()?;
        // Every choice of an end for each part, joined by key.
        let mut joined: Vec<Counted<(u32, UBig)>> = Vec::new();
        let mut numbers: HashMap<ComponentKey, usize> = HashMap::new();
        let mut choice = vec![0; ends.len()];
        loop {
            self.meter.spend(chosen.len() as u64)?;
            let ended: Vec<&Counted<UBig>> = choice.iter().zip(&ends).map(|(&at, ends)| &ends[at]).collect();
            let count = product_of(ended.iter().map(|end| &end.1));
            let mut key: ComponentKey = ended.iter().flat_map(|end| end.0.iter().copied()).collect();
            key.sort_unstable();
            let at = *numbers.entry(key.clone()).or_insert_with(|| {
                joined.push((key, UBig::ZERO, vec![Vec::new(); chosen.len()]));
                joined.len() - 1
            });
            joined[at].1 += &count;
            for (person, &position) in chosen.iter().enumerate() {
                let (part, unit) = layout.place[position];
                let end = ended[part as usize];
                let others = &count / &end.1;
                for (&code, worlds) in codes[part as usize].iter().zip(&end.2[unit as usize]) {
                    if *worlds > UBig::ZERO {
                        add(&mut joined[at].2[person], code, worlds * &others);
                    }
                }
            }
            // The next choice, as an odometer.
            let Some(turn) = (0..choice.len()).find(|&at| choice[at] + 1 < ends[at].len()) else { break };
            choice[..turn].fill(0);
            choice[turn] += 1;
        }
        joined.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(joined)
    }

    /// The layout of a product on the people of one component.
    fn part_layout(&self, step: usize, product: &EventProduct, people: &[u32]) -> Arc<TermLayout> {
        let at = (step, product.clone(), people[0]);
        if let Some(known) = self.part_layouts.get(&at) {
            return known;
        }
        let inside = |group: &&TrackedPeople| people.binary_search(&group.members[0]).is_ok();
        let groups: Vec<TrackedPeople> = self.groups(step, product).iter().filter(inside).cloned().collect();
        let kept = vec![true; groups.len()];
        self.part_layouts.put(at, Arc::new(TermLayout::new(people, &self.outer(step), &groups, &kept)))
    }
}

impl ComponentTable {
    /// Divides all numbers by what divides them all.
    fn reduce(&mut self) {
        let counts = self.slots.iter().map(|slot| &slot.count);
        let numbers = self.people.iter().flatten().flat_map(|column| &column.1);
        let common = counts
            .chain(numbers)
            .filter(|n| **n > UBig::ZERO)
            .fold(UBig::ZERO, |common, n| if common == UBig::ZERO { n.clone() } else { (&common).gcd(n) });
        if common > UBig::ONE {
            self.slots.iter_mut().for_each(|slot| slot.count /= &common);
            self.people.iter_mut().flatten().flat_map(|column| &mut column.1).for_each(|n| *n /= &common);
        }
    }
}

/// Adds to the number of `code`.
fn add(numbers: &mut Vec<(u32, UBig)>, code: u32, more: UBig) {
    match numbers.iter_mut().find(|entry| entry.0 == code) {
        Some(entry) => entry.1 += more,
        None => numbers.push((code, more)),
    }
}
