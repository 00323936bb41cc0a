//! Tags: what is known of every node of a lattice, and how it spreads along the order.

use super::lattice::{GranulationLattice, LatticeNode};

/// The node passes.
pub(super) const PASSES: u8 = 1;
/// The node fails.
pub(super) const FAILS: u8 = 2;
/// The node cannot be what is searched for.
pub(super) const NEEDLESS: u8 = 4;
/// Nothing rules the node out from above.
pub(super) const OPEN: u8 = 16;
/// The node's classes were made.
pub(super) const SEEN: u8 = 8;

/// A byte of tags for every node.
pub(super) struct NodeTags<'a> {
    lattice: &'a GranulationLattice,
    of_node: Vec<u8>,
    decided: u64,
}

impl<'a> NodeTags<'a> {
    pub fn new(lattice: &'a GranulationLattice, size: u64) -> Self {
        Self { lattice, of_node: vec![0; size as usize], decided: 0 }
    }

    /// The tags of `node`.
    #[inline]
    pub fn get(&self, node: LatticeNode) -> u8 {
        self.of_node[node as usize]
    }

    /// Adds `tag` to `node`.
    pub fn add(&mut self, node: LatticeNode, tag: u8) {
        let tags = &mut self.of_node[node as usize];
        self.decided += u64::from(*tags == 0);
        *tags |= tag;
    }

    /// Number of nodes that have a tag.
    pub fn decided(&self) -> u64 {
        self.decided
    }

    /// Adds `tag` to everything that is less specific than `node`.
    pub fn spread_up(&mut self, node: LatticeNode, tag: u8) {
        self.spread(node, tag, true);
    }

    /// Adds `tag` to everything that is more specific than `node`.
    pub fn spread_down(&mut self, node: LatticeNode, tag: u8) {
        self.spread(node, tag, false);
    }

    /// A node that has the tag has spread it already, so every node is left once.
    fn spread(&mut self, node: LatticeNode, tag: u8, up: bool) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let levels = self.lattice.levels(node);
            let mut step = |next: LatticeNode| {
                if self.of_node[next as usize] & tag == 0 {
                    self.decided += u64::from(self.of_node[next as usize] == 0);
                    self.of_node[next as usize] |= tag;
                    open.push(next);
                }
            };
            if up {
                self.lattice.successors(node, &levels).for_each(&mut step);
            } else {
                self.lattice.predecessors(node, &levels).for_each(&mut step);
            }
        }
    }
}
