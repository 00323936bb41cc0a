//! All worlds of a table, and what a sequence of functions shows of each of them.
//!
//! A world gives every person one value of the table's multiset; a function shows the multiset of values of each of its
//! groups. Worlds and what is shown of them are numbered, so that sets of worlds are lists of small numbers.

use std::cell::RefCell;
use std::collections::HashMap;

use pellucid_model::exact::Fraction;

use crate::adversary::arrangements;
use crate::principle::{Principle, shares};

/// Functions g1..gn: each a list of groups, each a list of people numbered from 0.
pub type Functions = Vec<Vec<Vec<usize>>>;

/// The number of a world.
pub type World = usize;

/// The worlds of a table under a sequence of functions.
#[derive(Debug, Clone)]
pub struct Worlds {
    people: usize,
    domain: usize,
    /// The values of all worlds, one world after the other.
    values: Vec<u8>,
    /// By function and world, the number of what is shown.
    shown: Vec<Vec<u32>>,
    /// By function and number of what is shown, the worlds of which it is shown.
    alike: Vec<Vec<Vec<World>>>,
    table: World,
}

impl Worlds {
    /// All worlds of `table`, which has values of `0..domain`.
    ///
    /// # Panics
    /// When `domain` is above 256.
    pub fn new(table: &[u32], domain: u32, functions: &Functions) -> Self {
        let values: Vec<u8> = arrangements(table).concat().iter().map(|&value| narrow(value)).collect();
        let narrowed: Vec<u8> = table.iter().map(|&value| narrow(value)).collect();
        let mut all = Self {
            people: table.len(),
            domain: domain as usize,
            values,
            shown: Vec::new(),
            alike: Vec::new(),
            table: 0,
        };
        all.table = (0..all.len()).find(|&world| all.world(world) == narrowed).expect("the table is a world");
        for groups in functions {
            all.apply(groups);
        }
        all
    }

    /// Numbers what one more function shows.
    fn apply(&mut self, groups: &[Vec<usize>]) {
        let (mut shown, mut alike) = (Vec::with_capacity(self.len()), Vec::new());
        let mut numbers: HashMap<Vec<u8>, u32> = HashMap::new();
        for world in 0..self.len() {
            let number = *numbers.entry(self.show(groups, world)).or_insert(alike.len() as u32);
            if number as usize == alike.len() {
                alike.push(Vec::new());
            }
            alike[number as usize].push(world);
            shown.push(number);
        }
        self.shown.push(shown);
        self.alike.push(alike);
    }

    /// The sorted values of every group, one group after the other.
    fn show(&self, groups: &[Vec<usize>], world: World) -> Vec<u8> {
        let values = self.world(world);
        let mut shown = Vec::with_capacity(self.people);
        for group in groups {
            let start = shown.len();
            shown.extend(group.iter().map(|&person| values[person]));
            shown[start..].sort_unstable();
        }
        shown
    }

    /// Number of worlds.
    pub fn len(&self) -> usize {
        self.values.len() / self.people
    }

    /// Whether there is no world; never so.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Number of people.
    pub fn people(&self) -> usize {
        self.people
    }

    /// Number of functions.
    pub fn steps(&self) -> usize {
        self.shown.len()
    }

    /// The world that is the table.
    pub fn table(&self) -> World {
        self.table
    }

    /// The values of a world, by person.
    pub fn world(&self, world: World) -> &[u8] {
        &self.values[world * self.people..][..self.people]
    }

    /// The number of what function `step`, from 1, shows of a world.
    pub fn shown(&self, step: usize, world: World) -> u32 {
        self.shown[step - 1][world]
    }

    /// How many different things function `step` shows.
    pub fn showings(&self, step: usize) -> usize {
        self.alike[step - 1].len()
    }

    /// The permutation set: the worlds of which function `step` shows what is numbered `shown`.
    pub fn alike(&self, step: usize, shown: u32) -> &[World] {
        &self.alike[step - 1][shown as usize]
    }

    /// By person and value, in how many of `worlds` the person has the value.
    pub fn count(&self, worlds: &[World]) -> Vec<Vec<u64>> {
        let mut counts = vec![vec![0; self.domain]; self.people];
        for &world in worlds {
            for (counts, &value) in counts.iter_mut().zip(self.world(world)) {
                counts[usize::from(value)] += 1;
            }
        }
        counts
    }
}

fn narrow(value: u32) -> u8 {
    u8::try_from(value).expect("few values")
}

/// Decides whether a principle holds on belief; remembers what it decided, because the same shares come again and again.
#[derive(Debug)]
pub struct Judge<'a> {
    principle: &'a Principle,
    whole: Vec<Fraction>,
    decided: RefCell<HashMap<Vec<u64>, bool>>,
}

impl<'a> Judge<'a> {
    /// `principle` for the worlds of `table`, which has values of `0..domain`.
    pub fn new(principle: &'a Principle, table: &[u32], domain: u32) -> Self {
        let mut counts = vec![0; domain as usize];
        for &value in table {
            counts[value as usize] += 1;
        }
        Self { principle, whole: shares(&counts), decided: RefCell::default() }
    }

    /// Whether the principle holds on the belief about every person, given in how many worlds each has which value;
    /// `None` when there is no world.
    pub fn holds(&self, counts: &[Vec<u64>]) -> Option<bool> {
        let any = counts.iter().any(|counts| counts.iter().any(|&count| count > 0));
        any.then(|| counts.iter().all(|counts| self.passes(counts)))
    }

    fn passes(&self, counts: &[u64]) -> bool {
        let common = counts.iter().fold(0, |common, &count| gcd(common, count));
        let lowest: Vec<u64> = counts.iter().map(|count| count / common).collect();
        if let Some(&passes) = self.decided.borrow().get(&lowest) {
            return passes;
        }
        let passes = self.principle.belief_passes(&shares(&lowest), &self.whole);
        self.decided.borrow_mut().insert(lowest, passes);
        passes
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use pellucid_model::exact::fraction;

    use super::*;

    #[test]
    fn worlds_that_look_alike_have_equal_groups() {
        // Tables 1 and 2 of the k-jump paper with flu, cold, cancer, headache, toothache = 0..5: 6!/2 = 360 worlds, and
        // permutation sets of 2 * 1 * 2, (3!)^2 and 4!/2 * 2 worlds.
        let functions = vec![
            vec![vec![0, 1], vec![2, 3], vec![4, 5]],
            vec![vec![0, 1, 2], vec![3, 4, 5]],
            vec![vec![0, 1, 2, 3], vec![4, 5]],
        ];
        let worlds = Worlds::new(&[0, 1, 2, 2, 3, 4], 5, &functions);
        assert_eq!(worlds.len(), 360);
        let sizes = (1..=3).map(|step| worlds.alike(step, worlds.shown(step, worlds.table())).len());
        assert_eq!(sizes.collect::<Vec<usize>>(), [4, 36, 24]);
        assert_eq!(worlds.world(worlds.table()), [0, 1, 2, 2, 3, 4]);
    }

    #[test]
    fn a_verdict_needs_a_world() {
        let principle = Principle::Ratio { ratio: fraction(1, 2u8) };
        let judge = Judge::new(&principle, &[0, 1], 2);
        assert_eq!(judge.holds(&[vec![0, 0], vec![0, 0]]), None);
        assert_eq!(judge.holds(&[vec![2, 2], vec![3, 3]]), Some(true));
        assert_eq!(judge.holds(&[vec![2, 2], vec![3, 1]]), Some(false));
    }
}
