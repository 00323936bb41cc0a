//! Estimates for a cluster that takes too much to be counted: worlds are drawn, and those are kept in which some part of every
//! rejected partition fails.

use pellucid_model::error::Result;
use pellucid_model::histogram::Histogram;
use pellucid_model::randomness::ChoicePurpose;
use rayon::prelude::*;

use crate::belief::{Belief, Requirements, StepCells, StepTally, of_worlds};
use crate::budget::SamplingPlan;
use crate::evidence::RejectedPartition;
use crate::meter::BudgetMeter;

/// Values drawn from one random stream, about; fixed, so that what is drawn does not depend on threads.
const CHUNK: usize = 1 << 16;

/// The belief of somebody who knows groups and that of every partition in `rejected` some part fails, estimated; the rows of
/// these are people, and `cells` are those of the groups and partitions. `None` when the time is up before all worlds are drawn.
pub(super) fn estimate(
    cells: &StepCells,
    values: &[u32],
    rejected: &[RejectedPartition],
    condition: &Requirements<'_>,
    sampling: &SamplingPlan,
    meter: &BudgetMeter,
) -> Result<Option<Belief>> {
    sampling.check()?;
    let mut place = vec![0u32; values.len()];
    for (at, &person) in (0u32..).zip(&cells.order) {
        place[person as usize] = at;
    }
    let codes = values.iter().max().map_or(0, |&last| last + 1);
    let part = |people: &Vec<u32>| {
        let rows = people.len() as u64;
        Part {
            places: people.iter().map(|&person| place[person as usize]).collect(),
            caps: (0..codes).map(|code| condition.cap(code, rows)).collect(),
        }
    };
    let partitions: Vec<Vec<Part>> =
        rejected.iter().map(|rejected| rejected.parts.iter().map(part).collect()).collect();
    let table: Vec<u32> = cells.order.iter().map(|&person| values[person as usize]).collect();
    let each = (CHUNK / values.len().max(1)).max(1) as u64;
    let randomness = sampling.randomness()?;
    let tally = (0..sampling.draws.div_ceil(each))
        .into_par_iter()
        .fold(
            || StepTally::none(cells),
            |mut tally, chunk| {
                let mut source = randomness.stream(ChoicePurpose::Worlds, rejected.len() as u64, chunk);
                let mut world = table.clone();
                let mut counts = vec![0; codes as usize];
                for _ in 0..each.min(sampling.draws - chunk * each) {
                    if meter.is_late() {
                        break;
                    }
                    for group in &cells.groups {
                        source.shuffle(&mut world[group.range.clone()]);
                    }
                    let fails = |parts: &Vec<Part>, counts: &mut [u64]| {
                        parts.iter().any(|part| !part.passes(&world, counts, condition))
                    };
                    if partitions.iter().all(|parts| fails(parts, &mut counts)) {
                        tally.add(&world, cells);
                    }
                }
                tally
            },
        )
        .reduce(|| StepTally::none(cells), StepTally::and);
    Ok((!meter.is_late()).then(|| of_worlds(sampling, cells, &tally)))
}

/// A part of a rejected partition.
struct Part {
    places: Vec<u32>,
    /// The largest count of each code with which it passes, when that is all that counts.
    caps: Option<Vec<u64>>,
}

impl Part {
    /// Whether it passes; `counts` are zero before and after.
    fn passes(&self, world: &[u32], counts: &mut [u64], condition: &Requirements<'_>) -> bool {
        let codes = || self.places.iter().map(|&place| world[place as usize]);
        codes().for_each(|code| counts[code as usize] += 1);
        let passes = if let Some(caps) = &self.caps {
            counts.iter().zip(caps).all(|(count, cap)| count <= cap)
        } else {
            let entries = (0..).zip(counts.iter().copied()).filter(|entry| entry.1 > 0);
            condition.holds(&Histogram::from_entries(entries))
        };
        codes().for_each(|code| counts[code as usize] = 0);
        passes
    }
}
