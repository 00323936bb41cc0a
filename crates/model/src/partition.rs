//! Groups of rows as publishers make them.

use rayon::prelude::*;

/// Groups one after the other: members, and where each group ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Partition {
    members: Vec<u32>,
    ends: Vec<u32>,
}

impl Partition {
    /// One group of `members`.
    pub fn single(members: Vec<u32>) -> Self {
        let ends = vec![members.len() as u32];
        Self { members, ends }
    }

    /// No group yet, with room for `rows` members in `groups` groups.
    pub fn with_capacity(rows: usize, groups: usize) -> Self {
        Self { members: Vec::with_capacity(rows), ends: Vec::with_capacity(groups) }
    }

    /// From members and the end of each group among them.
    pub fn from_parts(members: Vec<u32>, ends: Vec<u32>) -> Self {
        debug_assert_eq!(ends.last().copied().unwrap_or(0) as usize, members.len());
        Self { members, ends }
    }

    /// Adds a row to the group that is open.
    #[inline]
    pub fn push_row(&mut self, row: u32) {
        self.members.push(row);
    }

    /// Ends the group that is open.
    #[inline]
    pub fn close(&mut self) {
        self.ends.push(self.members.len() as u32);
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no group.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Number of rows in all groups.
    pub fn rows(&self) -> usize {
        self.members.len()
    }

    /// The members of group `at`.
    pub fn group(&self, at: usize) -> &[u32] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.members[start..self.ends[at] as usize]
    }

    /// The members of group `at`, to be reordered.
    pub fn group_mut(&mut self, at: usize) -> &mut [u32] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &mut self.members[start..self.ends[at] as usize]
    }

    /// Applies `change` to the members of every group; it may reorder them.
    pub fn each_mut(&mut self, change: impl Fn(&mut [u32]) + Send + Sync) {
        let mut rest: &mut [u32] = &mut self.members;
        let mut slices = Vec::with_capacity(self.ends.len());
        let mut start = 0;
        for &end in &self.ends {
            let (group, tail) = rest.split_at_mut((end - start) as usize);
            slices.push(group);
            rest = tail;
            start = end;
        }
        slices.into_par_iter().for_each(change);
    }

    /// The members of all groups, one group after the other.
    pub fn members(&self) -> &[u32] {
        &self.members
    }

    /// All groups.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|at| self.group(at))
    }

    /// All groups of `parts`, in their order, with `name` applied to every member.
    pub fn gather(parts: &[Self], name: impl Fn(u32) -> u32 + Sync) -> Self {
        let mut members = vec![0; parts.iter().map(Self::rows).sum()];
        let mut ends = Vec::with_capacity(parts.iter().map(Self::len).sum());
        let mut rest: &mut [u32] = &mut members;
        let mut pieces = Vec::with_capacity(parts.len());
        let mut offset = 0;
        for part in parts {
            let (piece, tail) = rest.split_at_mut(part.rows());
            pieces.push((piece, part));
            rest = tail;
            ends.extend(part.ends.iter().map(|end| end + offset));
            offset += part.rows() as u32;
        }
        pieces.into_par_iter().for_each(|(piece, part)| {
            for (place, &member) in piece.iter_mut().zip(&part.members) {
                *place = name(member);
            }
        });
        Self { members, ends }
    }
}
