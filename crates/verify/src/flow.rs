//! How many items can be placed: the largest flow from cells to boxes with capacities on both sides.
//!
//! Dinic's method on a bipartite graph: phases of a breadth-first search for the nearest free boxes and a depth-first
//! search for paths that only lead nearer to one. Without recursion, since paths can be as long as the graph is large.

const UNSEEN: u32 = u32::MAX;

/// Cells and boxes with capacities; an edge says that a box may take items of a cell.
#[derive(Debug, Default)]
pub(crate) struct FlowGraph {
    /// Items of each cell.
    pub cells: Vec<u64>,
    /// Room of each box.
    pub boxes: Vec<u64>,
    /// Where the edges of each cell start, and the number of edges at the end.
    pub starts: Vec<u32>,
    /// The box of each edge.
    pub heads: Vec<u32>,
}

impl FlowGraph {
    /// How many items can be placed; `None` when that takes more than `budget` looks at edges.
    pub fn placed(self, budget: &mut u64) -> Option<u64> {
        let total: u64 = self.cells.iter().sum();
        let mut search = Search::new(self);
        search.fill();
        while search.layer(budget)? {
            search.augment(budget)?;
        }
        Some(total - search.graph.cells.iter().sum::<u64>())
    }
}

/// A graph whose capacities are what is left, with the flow found so far.
struct Search {
    graph: FlowGraph,
    tails: Vec<u32>,
    flow: Vec<u64>,
    /// The edges of each box.
    back_starts: Vec<u32>,
    back: Vec<u32>,
    cell_level: Vec<u32>,
    box_level: Vec<u32>,
    cell_next: Vec<u32>,
    box_next: Vec<u32>,
}

impl Search {
    fn new(graph: FlowGraph) -> Self {
        let mut tails = vec![0; graph.heads.len()];
        let mut back_starts = vec![0u32; graph.boxes.len() + 1];
        for cell in 0..graph.cells.len() {
            for edge in graph.starts[cell]..graph.starts[cell + 1] {
                tails[edge as usize] = cell as u32;
                back_starts[graph.heads[edge as usize] as usize + 1] += 1;
            }
        }
        for at in 0..graph.boxes.len() {
            back_starts[at + 1] += back_starts[at];
        }
        let mut next = back_starts.clone();
        let mut back = vec![0u32; graph.heads.len()];
        for (edge, &head) in (0u32..).zip(&graph.heads) {
            let slot = &mut next[head as usize];
            back[*slot as usize] = edge;
            *slot += 1;
        }
        Self {
            tails,
            flow: vec![0; graph.heads.len()],
            back_starts,
            back,
            cell_level: vec![UNSEEN; graph.cells.len()],
            box_level: vec![UNSEEN; graph.boxes.len()],
            cell_next: vec![0; graph.cells.len()],
            box_next: vec![0; graph.boxes.len()],
            graph,
        }
    }

    /// Places what has room at once, cells with the least choice first.
    fn fill(&mut self) {
        let mut order: Vec<u32> = (0..self.graph.cells.len() as u32).collect();
        order.sort_by_key(|&cell| self.graph.starts[cell as usize + 1] - self.graph.starts[cell as usize]);
        for cell in order {
            let cell = cell as usize;
            for edge in self.graph.starts[cell] as usize..self.graph.starts[cell + 1] as usize {
                let head = self.graph.heads[edge] as usize;
                let amount = self.graph.cells[cell].min(self.graph.boxes[head]);
                self.flow[edge] += amount;
                self.graph.cells[cell] -= amount;
                self.graph.boxes[head] -= amount;
            }
        }
    }

    /// Levels by distance from cells with items left; whether a box with room is in reach.
    fn layer(&mut self, budget: &mut u64) -> Option<bool> {
        self.cell_level.fill(UNSEEN);
        self.box_level.fill(UNSEEN);
        let mut layer: Vec<u32> =
            (0..self.graph.cells.len() as u32).filter(|&cell| self.graph.cells[cell as usize] > 0).collect();
        for &cell in &layer {
            self.cell_level[cell as usize] = 0;
        }
        let mut level = 0;
        let mut found = false;
        while !found && !layer.is_empty() {
            let mut next = Vec::new();
            for &cell in &layer {
                let edges = self.graph.starts[cell as usize] as usize..self.graph.starts[cell as usize + 1] as usize;
                *budget = budget.checked_sub(edges.len() as u64)?;
                for edge in edges {
                    let head = self.graph.heads[edge] as usize;
                    if self.box_level[head] != UNSEEN {
                        continue;
                    }
                    self.box_level[head] = level + 1;
                    found |= self.graph.boxes[head] > 0;
                    let back = &self.back[self.back_starts[head] as usize..self.back_starts[head + 1] as usize];
                    *budget = budget.checked_sub(back.len() as u64)?;
                    for &edge in back.iter().filter(|&&edge| self.flow[edge as usize] > 0) {
                        let tail = self.tails[edge as usize];
                        if self.cell_level[tail as usize] == UNSEEN {
                            self.cell_level[tail as usize] = level + 2;
                            next.push(tail);
                        }
                    }
                }
            }
            layer = next;
            level += 2;
        }
        Some(found)
    }

    /// Sends items along the layers until no path is left.
    fn augment(&mut self, budget: &mut u64) -> Option<()> {
        let cells = self.graph.cells.len();
        self.cell_next.copy_from_slice(&self.graph.starts[..cells]);
        let boxes = self.graph.boxes.len();
        self.box_next.copy_from_slice(&self.back_starts[..boxes]);
        for root in 0..cells {
            while self.graph.cells[root] > 0 && self.path(root, budget)? {}
        }
        Some(())
    }

    /// Sends items of `root` along one path; whether there was one.
    fn path(&mut self, root: usize, budget: &mut u64) -> Option<bool> {
        let mut path: Vec<(usize, usize)> = Vec::new();
        let mut cell = root;
        loop {
            *budget = budget.checked_sub(1)?;
            let edge = self.cell_next[cell] as usize;
            if edge == self.graph.starts[cell + 1] as usize {
                // A dead end: the box before it looks for another cell.
                let Some((edge, _)) = path.pop() else { return Some(false) };
                self.box_next[self.graph.heads[edge] as usize] += 1;
                cell = self.tails[edge] as usize;
                continue;
            }
            let head = self.graph.heads[edge] as usize;
            if self.box_level[head] != self.cell_level[cell].saturating_add(1) {
                self.cell_next[cell] += 1;
            } else if self.graph.boxes[head] > 0 {
                let narrowest = path.iter().map(|&(_, back)| self.flow[back]).min().unwrap_or(u64::MAX);
                let amount = narrowest.min(self.graph.cells[root]).min(self.graph.boxes[head]);
                for &(forth, back) in &path {
                    self.flow[forth] += amount;
                    self.flow[back] -= amount;
                }
                self.flow[edge] += amount;
                self.graph.cells[root] -= amount;
                self.graph.boxes[head] -= amount;
                return Some(true);
            } else if let Some(back) = self.way_back(head, budget).ok()? {
                path.push((edge, back));
                cell = self.tails[back] as usize;
            } else {
                self.cell_next[cell] += 1;
            }
        }
    }

    /// The next edge by which the full box `head` can give back items to a cell one level on; fails out of budget.
    fn way_back(&mut self, head: usize, budget: &mut u64) -> Result<Option<usize>, ()> {
        while self.box_next[head] < self.back_starts[head + 1] {
            *budget = budget.checked_sub(1).ok_or(())?;
            let back = self.back[self.box_next[head] as usize] as usize;
            if self.flow[back] > 0 && self.cell_level[self.tails[back] as usize] == self.box_level[head] + 1 {
                return Ok(Some(back));
            }
            self.box_next[head] += 1;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(cells: &[u64], boxes: &[u64], edges: &[&[u32]]) -> FlowGraph {
        let mut graph = FlowGraph { cells: cells.into(), boxes: boxes.into(), starts: vec![0], heads: Vec::new() };
        for heads in edges {
            graph.heads.extend_from_slice(heads);
            graph.starts.push(graph.heads.len() as u32);
        }
        graph
    }

    /// By Hall's theorem: the least, over all sets of cells, of what stays outside and what their boxes can take.
    fn least_cut(graph: &FlowGraph) -> u64 {
        let cells = graph.cells.len();
        let cut = |set: u32| {
            let outside: u64 = (0..cells).filter(|at| set >> at & 1 == 0).map(|at| graph.cells[at]).sum();
            let mut reached = vec![false; graph.boxes.len()];
            for cell in (0..cells).filter(|at| set >> at & 1 == 1) {
                for edge in graph.starts[cell]..graph.starts[cell + 1] {
                    reached[graph.heads[edge as usize] as usize] = true;
                }
            }
            outside + graph.boxes.iter().zip(reached).filter(|(_, reached)| *reached).map(|(room, _)| room).sum::<u64>()
        };
        (0..1u32 << cells).map(cut).min().unwrap_or(0)
    }

    #[test]
    fn a_first_choice_is_taken_back() {
        let chain = graph(&[1, 1, 1], &[1, 1, 1], &[&[0, 1], &[0, 2], &[0, 1]]);
        assert_eq!(chain.placed(&mut 1000), Some(3));
        let starved = graph(&[1, 1, 1], &[1, 1, 1], &[&[0], &[0], &[0, 1, 2]]);
        assert_eq!(starved.placed(&mut 1000), Some(2));
    }

    #[test]
    fn the_largest_flow_is_the_least_cut() {
        let mut state = 1u64;
        let mut random = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        for _ in 0..3000 {
            let cells: Vec<u64> = (0..=random(6)).map(|_| random(4)).collect();
            let boxes: Vec<u64> = (0..=random(6)).map(|_| random(4)).collect();
            let edges: Vec<Vec<u32>> =
                cells.iter().map(|_| (0..boxes.len() as u32).filter(|_| random(5) < 2).collect()).collect();
            let edges: Vec<&[u32]> = edges.iter().map(Vec::as_slice).collect();
            let graph = graph(&cells, &boxes, &edges);
            let least = least_cut(&graph);
            assert_eq!(graph.placed(&mut 1_000_000), Some(least));
        }
    }

    #[test]
    fn the_budget_is_kept() {
        let full = graph(&[1, 1], &[1, 0], &[&[0, 1], &[0, 1]]);
        assert_eq!(full.placed(&mut 1), None);
    }
}
