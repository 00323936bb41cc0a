//! Cells: the numbers that an estimate keeps, one for every atom and every value that its people may have.

use std::ops::Range;

use hashbrown::HashMap;
use pellucid_model::error::{Error, ErrorKind, Result};

use super::engine::BeliefEngine;

/// Cells there may be: every thread keeps a number for each.
const MOST: usize = 10_000_000;

/// A group of the step itself.
#[derive(Debug, Clone)]
pub(crate) struct OuterGroup {
    /// The places of its people.
    pub(crate) range: Range<usize>,
    /// Its codes, ascending; with one only, everything is known and there are no cells.
    pub(crate) codes: Vec<u32>,
}

/// People whom no function up to a step tells apart.
#[derive(Debug, Clone)]
pub(crate) struct StepAtom {
    /// Who they are, ascending.
    pub(crate) people: Vec<u32>,
    /// The number of their group.
    pub(crate) group: usize,
    /// The cell of their group's first code; the others follow.
    pub(crate) first: usize,
}

/// The cells of a step, and people in the order of its groups.
#[derive(Debug, Clone)]
pub(crate) struct StepCells {
    /// How many there are.
    pub(crate) many: usize,
    /// The person at every place: groups of the step one after the other.
    pub(crate) order: Vec<u32>,
    /// By place, the first cell of the person's atom.
    pub(super) first: Vec<usize>,
    pub(crate) groups: Vec<OuterGroup>,
    pub(crate) atoms: Vec<StepAtom>,
    /// By person, the number of the atom.
    pub(crate) atom_of: Vec<u32>,
}

impl StepCells {
    /// For `step`, from 0, and the table `values`; the number of steps stands for silence.
    pub(super) fn new(engine: &BeliefEngine<'_>, step: usize, values: &[u32]) -> Result<Self> {
        let labels: Vec<&[u32]> = (1..=step).map(|earlier| engine.sequence.labels(earlier)).collect();
        Self::of(&engine.outer(step), &labels, values)
    }

    /// For groups `outer`, numbered from 0, and functions that tell people apart, each as a label by person.
    pub(crate) fn of(outer: &[u32], functions: &[impl AsRef<[u32]>], values: &[u32]) -> Result<Self> {
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); outer.iter().max().map_or(0, |&last| last as usize + 1)];
        for (person, &group) in (0u32..).zip(outer) {
            members[group as usize].push(person);
        }
        let mut groups = Vec::with_capacity(members.len());
        let mut order: Vec<u32> = Vec::with_capacity(values.len());
        for people in members {
            let mut codes: Vec<u32> = people.iter().map(|&person| values[person as usize]).collect();
            codes.sort_unstable();
            codes.dedup();
            let from = order.len();
            order.extend(people);
            groups.push(OuterGroup { range: from..order.len(), codes });
        }
        let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut atoms: Vec<StepAtom> = Vec::new();
        let mut atom_of = Vec::with_capacity(values.len());
        let mut many = 0;
        for (person, &group) in (0u32..).zip(outer) {
            let mut labels = vec![group];
            labels.extend(functions.iter().map(|labels| labels.as_ref()[person as usize]));
            let atom = *numbers.entry(labels).or_insert(atoms.len() as u32);
            if atom as usize == atoms.len() {
                let group = group as usize;
                atoms.push(StepAtom { people: Vec::new(), group, first: many });
                let codes = groups[group].codes.len();
                many += if codes > 1 { codes } else { 0 };
            }
            atoms[atom as usize].people.push(person);
            atom_of.push(atom);
        }
        if many > MOST {
            return Err(Error::new(
                ErrorKind::LimitExceeded,
                format!(
                    "an estimate keeps a number for every person and value, here about {:.1e}, limit {:.1e}; use smaller \
                     functions or fewer values",
                    many as f64, MOST as f64
                ),
            ));
        }
        let first = order.iter().map(|&person| atoms[atom_of[person as usize] as usize].first).collect();
        Ok(Self { many, order, first, groups, atoms, atom_of })
    }
}
