//! What cutting one group after the other tells: cuts that would have come first and are not in the release did not pass.

use crate::error::{Error, Result};
use crate::histogram::Histogram;
use crate::publish::Rejected;

use super::weigh::Seen;

/// A cut of a group in two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Halves {
    /// Rows on one side.
    pub left: Vec<u32>,
    /// Rows on the other side.
    pub right: Vec<u32>,
}

/// The cuts that a publisher looked at and rejected, when it cuts everybody and then every half by the first of `cuts`, an
/// ordered list that follows from quasi-identifiers alone, of which both halves pass, until there is none.
///
/// The tree of cuts is made again from the groups: a cut that parts no group of the release has halves whose histograms are
/// public, so everybody sees whether it was made; one that parts a group was not made although it came first, so it did not
/// pass.
///
/// # Cost
/// As making the cuts, once for every half.
pub fn rejected_cuts(seen: Seen<'_>, cuts: &dyn Fn(&[u32]) -> Vec<Halves>) -> Result<Vec<Rejected>> {
    let mut group_of = vec![u32::MAX; seen.values.len()];
    for (group, members) in (0u32..).zip(seen.groups.iter()) {
        members.iter().for_each(|&row| group_of[row as usize] = group);
    }
    let mut rejected = Vec::new();
    let mut waiting = vec![seen.groups.members().to_vec()];
    'halves: while let Some(rows) = waiting.pop() {
        for halves in cuts(&rows) {
            if parts_a_group(&halves, &group_of) {
                rejected.push(Rejected { parts: vec![halves.left, halves.right] });
            } else if passes(seen, &halves.left) && passes(seen, &halves.right) {
                waiting.extend([halves.left, halves.right]);
                continue 'halves;
            }
        }
        let first = rows.first().map(|&row| group_of[row as usize]);
        if rows.iter().any(|&row| Some(group_of[row as usize]) != first) {
            return Err(Error::bad_input(
                "the groups of the release are not those that this mechanism makes of the table; check that release, table and \
                 parameters belong together",
            ));
        }
    }
    Ok(rejected)
}

fn passes(seen: Seen<'_>, rows: &[u32]) -> bool {
    seen.condition.holds(&Histogram::of(rows.iter().map(|&row| seen.values[row as usize])))
}

/// Whether some group has rows on both sides.
fn parts_a_group(halves: &Halves, group_of: &[u32]) -> bool {
    let groups = |rows: &[u32]| {
        let mut groups: Vec<u32> = rows.iter().map(|&row| group_of[row as usize]).collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    };
    let right = groups(&halves.right);
    groups(&halves.left).iter().any(|group| right.binary_search(group).is_ok())
}
