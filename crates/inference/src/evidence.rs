//! Evidence: what an attacker who knows a publisher learns from a release besides its groups.
//!
//! For publishers that cut one group after the other, [`rejected_cuts`] finds the cuts that would have come first and are not in the
//! release, so did not pass.

use pellucid_model::error::{Error, Result};
use pellucid_model::partition::Partition;

/// A partition of some rows of which not every part passes. It cuts groups of the release, or joins parts of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RejectedPartition {
    /// Rows, each in one part.
    pub parts: Vec<Vec<u32>>,
}

/// What a release tells besides its groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence {
    /// Nothing beyond what the principles allow: there is a proof.
    Proven,
    /// Partitions that were looked at and rejected before the groups were chosen.
    Rejected(Vec<RejectedPartition>),
    /// Something that is not known in such a form; why.
    Unknown(String),
}

/// A cut of a group in two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutHalves {
    /// Rows on one side.
    pub left: Vec<u32>,
    /// Rows on the other side.
    pub right: Vec<u32>,
}

/// The cuts that a publisher looked at and rejected, when it cuts everybody and then every half by the first of `cuts`, an
/// ordered list that follows from quasi-identifiers alone, of which both halves pass, until there is none. `passes` is asked of
/// unions of groups only.
///
/// The tree of cuts is made again from the groups: a cut that parts no group of the release has halves whose histograms are
/// public, so everybody sees whether it was made; one that parts a group was not made although it came first, so it did not
/// pass.
///
/// # Cost
/// As making the cuts, once for every half.
pub fn rejected_cuts(
    groups: &Partition,
    cuts: impl Fn(&[u32]) -> Vec<CutHalves>,
    passes: impl Fn(&[u32]) -> bool,
) -> Result<Vec<RejectedPartition>> {
    let mut group_of = vec![u32::MAX; groups.members().iter().max().map_or(0, |&last| last as usize + 1)];
    for (group, members) in (0u32..).zip(groups.iter()) {
        members.iter().for_each(|&row| group_of[row as usize] = group);
    }
    let mut rejected = Vec::new();
    let mut waiting = vec![groups.members().to_vec()];
    'halves: while let Some(rows) = waiting.pop() {
        for halves in cuts(&rows) {
            if parts_a_group(&halves, &group_of) {
                rejected.push(RejectedPartition { parts: vec![halves.left, halves.right] });
            } else if passes(&halves.left) && passes(&halves.right) {
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

/// Whether some group has rows on both sides.
fn parts_a_group(halves: &CutHalves, group_of: &[u32]) -> bool {
    let groups = |rows: &[u32]| {
        let mut groups: Vec<u32> = rows.iter().map(|&row| group_of[row as usize]).collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    };
    let right = groups(&halves.right);
    groups(&halves.left).iter().any(|group| right.binary_search(group).is_ok())
}
