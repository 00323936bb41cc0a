//! Levels and classes: what of a function's groups decides whether its disclosure set passes.
//!
//! The disclosure set of `g_j` depends on the histograms of its groups. The functions that matter for it join people into
//! components; given the histograms, components are independent, so only the multiset of their **classes** matters: a
//! component's shape and its histograms, up to a permutation of values when the principle treats them alike. Of a class,
//! in turn, only what it counts matters: its table (see [`super::tables`]), whose number stands for it in a [`ComponentKey`].

use hashbrown::HashMap;

use super::layout::components;
use crate::sequence::Sequence;

/// What of a world decides events about disclosure sets: `(step, table)` of every component, sorted.
pub(super) type ComponentKey = Vec<(u32, u32)>;

/// The components of the functions that matter for one step.
#[derive(Debug)]
pub(super) struct LevelMap {
    /// By group of the step's function, its component and its place there.
    pub(super) group: Vec<(u32, u32)>,
    /// By component, its shape.
    pub(super) shape: Vec<u32>,
    /// By component, its groups in order of their places.
    pub(super) groups: Vec<Vec<u32>>,
    /// By shape, a component that has it.
    pub(super) example: Vec<u32>,
}

impl LevelMap {
    /// The components of step `step`, from 0, joined by the functions `matter` and its own.
    pub(super) fn new(sequence: &Sequence, step: usize, matter: &[usize]) -> Self {
        let own = sequence.labels(step + 1);
        let mut functions: Vec<&[u32]> = matter.iter().map(|&other| sequence.labels(other + 1)).collect();
        functions.push(own);
        let component = components(sequence.people(), &functions);
        let many = component.iter().max().map_or(0, |&last| last as usize + 1);
        let mut signatures: Vec<Signature> = (0..many).map(|_| Signature::default()).collect();
        let groups_many = own.iter().max().map_or(0, |&last| last as usize + 1);
        let mut group = vec![(u32::MAX, 0); groups_many];
        let mut groups: Vec<Vec<u32>> = vec![Vec::new(); many];
        for person in 0..sequence.people() {
            let at = component[person] as usize;
            let labels: Vec<u32> = functions.iter().map(|labels| labels[person]).collect();
            signatures[at].admit(&labels);
            let slot = &mut group[own[person] as usize];
            if slot.0 == u32::MAX {
                *slot = (at as u32, groups[at].len() as u32);
                groups[at].push(own[person]);
            }
        }
        let mut shapes: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut example = Vec::new();
        let mut shape = Vec::with_capacity(many);
        for (component, signature) in (0u32..).zip(signatures) {
            let next = shapes.len() as u32;
            let number = *shapes.entry(signature.finish()).or_insert(next);
            if number == next {
                example.push(component);
            }
            shape.push(number);
        }
        Self { group, shape, groups, example }
    }
}

/// How functions cut a component: people in the same groups are counted together.
#[derive(Default)]
struct Signature {
    atoms: Vec<(Vec<u32>, u32)>,
    numbers: HashMap<Vec<u32>, u32>,
    local: Vec<HashMap<u32, u32>>,
}

impl Signature {
    fn admit(&mut self, labels: &[u32]) {
        self.local.resize_with(labels.len(), HashMap::new);
        let local = labels.iter().zip(&mut self.local).map(|(&label, seen)| {
            let next = seen.len() as u32;
            *seen.entry(label).or_insert(next)
        });
        let local: Vec<u32> = local.collect();
        let next = self.atoms.len() as u32;
        let at = *self.numbers.entry(local.clone()).or_insert(next);
        if at == next {
            self.atoms.push((local, 0));
        }
        self.atoms[at as usize].1 += 1;
    }

    fn finish(self) -> Vec<u32> {
        let flat = self.atoms.into_iter().flat_map(|(labels, size)| labels.into_iter().chain([size]));
        flat.collect()
    }
}

/// A component's histograms, up to what does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ComponentClass {
    pub(super) step: u32,
    pub(super) shape: u32,
    /// By value, how often it occurs in each group; with its code when values are told apart.
    pub(super) columns: Vec<(u32, Vec<u32>)>,
}

impl ComponentClass {
    /// The class of a component with these counts by group and value; `codes` is empty when all values are alike.
    pub(super) fn new(step: u32, shape: u32, groups: &[Vec<u32>], codes: &[u32]) -> Self {
        let values = groups.first().map_or(0, Vec::len);
        let mut columns: Vec<(u32, Vec<u32>)> = (0..values)
            .map(|value| {
                let counts: Vec<u32> = groups.iter().map(|counts| counts[value]).collect();
                (codes.get(value).copied().unwrap_or(0), counts)
            })
            .filter(|column| column.1.iter().any(|&count| count > 0))
            .collect();
        columns.sort_unstable();
        Self { step, shape, columns }
    }
}
