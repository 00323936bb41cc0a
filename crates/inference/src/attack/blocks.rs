//! Blocks: a cluster falls into groups that parts of rejected partitions tie together; each is counted on its own, and what
//! it must still leave to others is only which partitions are rejected.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use dashu_int::UBig;
use hashbrown::HashMap;
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::histogram::Histogram;
use rayon::prelude::*;

use super::columns::{BlockAtom, ClusterBlock, RejectedPart};
use super::counted::{CountedBlock, RejectionCounts};
use super::weigh::GroupForest;
use crate::belief::{Belief, Requirements};
use crate::evidence::RejectedPartition;
use crate::meter::{BudgetMeter, HeldMemory, bytes_of};

/// Rejected partitions of one cluster there may be: a state keeps a bit for each.
pub(super) const MOST: usize = 64;

/// The belief of somebody who knows the multiset of values of every group (`outer`, from 0, by person) and that of every
/// partition in `rejected` some part fails; the rows of these are people.
///
/// Fails with [`ErrorKind::LimitExceeded`] when a block takes more states than `meter` allows, or all of them more time or memory.
///
/// # Cost
/// See [`super::columns`]; blocks add up, and the sets of partitions that tie blocks together multiply.
pub(super) fn count(
    values: &[u32],
    outer: &[u32],
    rejected: &[RejectedPartition],
    condition: &Requirements<'_>,
    meter: &BudgetMeter,
) -> Result<Belief> {
    if rejected.len() > MOST {
        return Err(meter.unfit(&format!("a bit for each of {} rejected partitions, where {MOST} fit", rejected.len())));
    }
    if !countable(condition) {
        return Err(Error::new(
            ErrorKind::LimitExceeded,
            "principles that treat values differently, and are no bounds on single values, are not counted value by value",
        ));
    }
    let site = Site::new(values, outer, rejected, meter)?;
    let counted = site.blocks.par_iter().map(|block| {
        let meter = meter.again();
        Ok((block.count(condition, &meter)?, meter.states()))
    });
    let (mut counted, states): (Vec<CountedBlock<'_>>, Vec<u64>) =
        counted.collect::<Result<Vec<_>>>()?.into_iter().unzip();
    let all = site.shared;
    let worlds: Vec<RejectionCounts> = counted.iter().map(|counted| counted.worlds(meter)).collect::<Result<_>>()?;
    let none = RejectionCounts::from([(0, UBig::ONE)]);
    let mut held = meter.holding();
    let mut after = vec![none.clone()];
    for worlds in worlds.iter().rev() {
        after.push(join(worlds, &after[after.len() - 1], (meter, &mut held))?);
    }
    let total = after.pop().and_then(|mut sets| sets.remove(&all)).unwrap_or(UBig::ZERO);
    let mut codes: Vec<u32> = values.to_vec();
    codes.sort_unstable();
    codes.dedup();
    let mut numbers = Vec::new();
    let mut before = none;
    for (counted, worlds) in counted.iter_mut().zip(&worlds) {
        let others = join(&before, &after.pop().expect("one for every block"), (meter, &mut held))?;
        let weight = |mine: u64| {
            let enough = others.iter().filter(|(set, _)| **set | mine == all);
            enough.fold(UBig::ZERO, |sum, (_, ways)| sum + ways)
        };
        let here = counted.block.codes.as_slice();
        for people in counted.people(weight, meter)? {
            let mut by_code = vec![UBig::ZERO; codes.len()];
            for (code, worlds) in here.iter().zip(people) {
                by_code[codes.binary_search(code).expect("all codes are listed")] = worlds;
            }
            numbers.push(by_code);
        }
        before = join(&before, worlds, (meter, &mut held))?;
    }
    Ok(Belief::of_units(codes, total, &site.unit_of, numbers, states.iter().sum()))
}

/// Whether parts can be judged value by value.
pub(super) fn countable(condition: &Requirements<'_>) -> bool {
    condition.cap(0, 1).is_some() || condition.is_symmetric() && condition.is_closed_under_mixtures()
}

/// Sets of partitions that are rejected in one of two places, with the number of ways.
fn join(
    a: &RejectionCounts,
    b: &RejectionCounts,
    (meter, held): (&BudgetMeter, &mut HeldMemory),
) -> Result<RejectionCounts> {
    let mut sets = RejectionCounts::new();
    for (one, ways) in a {
        meter.check_clock()?;
        for (other, more) in b {
            let product = ways * more;
            match sets.entry(one | other) {
                Entry::Occupied(mut known) => *known.get_mut() += product,
                Entry::Vacant(place) => {
                    held.grow(size_of::<u64>() + bytes_of(&product))?;
                    place.insert(product);
                }
            }
        }
    }
    Ok(sets)
}

/// A cluster in blocks.
struct Site {
    blocks: Vec<ClusterBlock>,
    /// By person, the number of the atom, through all blocks.
    unit_of: Vec<u32>,
    /// Partitions with parts in several blocks, as bits.
    shared: u64,
}

impl Site {
    fn new(values: &[u32], outer: &[u32], rejected: &[RejectedPartition], meter: &BudgetMeter) -> Result<Self> {
        let groups = outer.iter().max().map_or(0, |&last| last as usize + 1);
        // Groups that a part ties together.
        let mut forest = GroupForest::new(groups);
        for part in rejected.iter().flat_map(|rejected| &rejected.parts) {
            part.windows(2).for_each(|pair| forest.join(outer[pair[0] as usize], outer[pair[1] as usize]));
        }
        let block_of: Vec<usize> = (0..groups as u32).map(|group| forest.root(group) as usize).collect();
        let mut codes: Vec<Vec<u32>> = vec![Vec::new(); groups];
        for (&group, &code) in outer.iter().zip(values) {
            codes[group as usize].push(code);
        }
        // By person, the parts they are in: the partition and the number in it.
        let mut parts_of: Vec<Vec<(u32, u32)>> = vec![Vec::new(); values.len()];
        for (partition, rejected) in (0u32..).zip(rejected) {
            for (number, part) in (0u32..).zip(&rejected.parts) {
                part.iter().for_each(|&person| parts_of[person as usize].push((partition, number)));
            }
        }
        let mut groups_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (group, &block) in block_of.iter().enumerate() {
            groups_of.entry(block).or_default().push(group);
        }
        let mut people_of: Vec<Vec<u32>> = vec![Vec::new(); groups];
        for (person, &group) in (0u32..).zip(outer) {
            people_of[block_of[group as usize]].push(person);
        }
        let block_of_part = |part: &Vec<u32>| part.first().map(|&person| block_of[outer[person as usize] as usize]);
        let shared = (0u32..).zip(rejected).fold(0, |shared, (partition, rejected)| {
            let mut blocks: Vec<_> = rejected.parts.iter().map(block_of_part).collect();
            blocks.sort_unstable();
            blocks.dedup();
            shared | u64::from(blocks.len() > 1) << partition
        });
        // By block, its parts.
        let mut parts_in: Vec<Vec<(u32, u32)>> = vec![Vec::new(); groups];
        for (partition, rejected) in (0u32..).zip(rejected) {
            for (number, part) in (0u32..).zip(&rejected.parts) {
                if let Some(block) = block_of_part(part) {
                    parts_in[block].push((partition, number));
                }
            }
        }
        let mut unit_of = vec![0; values.len()];
        let mut blocks = Vec::with_capacity(groups_of.len());
        let mut units = 0;
        for (name, mine) in groups_of {
            meter.check_clock()?;
            let local: HashMap<u32, usize> = mine.iter().enumerate().map(|(at, &group)| (group as u32, at)).collect();
            let parts = std::mem::take(&mut parts_in[name]);
            let mut atoms: Vec<(BlockAtom, Vec<u32>)> = Vec::new();
            let mut numbers = HashMap::new();
            for &person in &people_of[name] {
                let group = local[&outer[person as usize]];
                let within = &parts_of[person as usize];
                let at = *numbers.entry((group, within)).or_insert_with(|| {
                    let parts = within.iter().filter_map(|part| parts.binary_search(part).ok()).collect();
                    atoms.push((BlockAtom { group, size: 0, parts }, Vec::new()));
                    atoms.len() - 1
                });
                atoms[at].0.size += 1;
                atoms[at].1.push(person);
            }
            // The largest atom of a group comes last: what is left falls on it.
            atoms.sort_by_key(|(atom, people)| (atom.group, atom.size, people[0]));
            for (unit, (_, people)) in (units..).zip(&atoms) {
                people.iter().for_each(|&person| unit_of[person as usize] = unit);
            }
            units += atoms.len() as u32;
            let histograms: Vec<Vec<(u32, u32)>> = mine
                .iter()
                .map(|&group| {
                    let histogram = Histogram::of(codes[group].iter().copied());
                    histogram.entries().iter().map(|&(code, count)| (code, count as u32)).collect()
                })
                .collect();
            let sized = parts.iter().map(|&(partition, number)| {
                let rows = rejected[partition as usize].parts[number as usize].len() as u32;
                RejectedPart { partition, rows }
            });
            let sized: Vec<RejectedPart> = sized.collect();
            let atoms = atoms.into_iter().map(|(atom, _)| atom).collect();
            blocks.push(ClusterBlock::new(&histograms, atoms, sized, shared));
        }
        Ok(Self { blocks, unit_of, shared })
    }
}
