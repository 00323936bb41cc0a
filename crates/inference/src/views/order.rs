//! Orders: which atom comes next, so that what must be remembered of the open views stays small.

use super::atoms::ViewComponent;

/// Atoms that are tried as the first.
const STARTS: usize = 32;

/// The same, where only the number of states is asked for.
const FEW_STARTS: usize = 4;

impl ViewComponent {
    /// The atoms in an order along which few states are to be expected: from several first atoms on, the next is always the one
    /// after which the open views can look least differently; the order with the smallest sum of states is taken.
    pub(super) fn order(&self) -> Vec<usize> {
        self.best_order(STARTS).map_or_else(Vec::new, |best| best.0)
    }

    /// The logarithm of about how many states counting takes.
    pub(super) fn expected(&self) -> f64 {
        self.best_order(FEW_STARTS).map_or(0.0, |best| best.1)
    }

    fn best_order(&self, starts: usize) -> Option<(Vec<usize>, f64)> {
        let many = self.atoms.len();
        let starts = (0..many.min(starts)).map(|start| start * many / many.min(starts));
        starts.map(|start| self.order_from(start)).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// An order that begins with `start`, and the logarithm of about how many states it has.
    fn order_from(&self, start: usize) -> (Vec<usize>, f64) {
        let sizes: Vec<u32> = self.counts.iter().map(|counts| counts.iter().sum()).collect();
        let values: Vec<usize> =
            self.counts.iter().map(|counts| counts.iter().filter(|&&count| count > 0).count()).collect();
        let mut done = vec![0u32; self.counts.len()];
        let mut left: Vec<usize> = (0..self.atoms.len()).filter(|&atom| atom != start).collect();
        let mut order = vec![start];
        let add = |done: &mut [u32], atom: usize| {
            let size = self.atoms[atom].people.len() as u32;
            self.atoms[atom].views.iter().for_each(|&view| done[view] += size);
        };
        let look = |view: usize, done: u32| looks(done.min(sizes[view] - done), values[view]);
        add(&mut done, start);
        let mut open: f64 = (0..done.len()).map(|view| look(view, done[view])).sum();
        let mut all = open.exp();
        while !left.is_empty() {
            let after = |atom: usize| {
                let size = self.atoms[atom].people.len() as u32;
                let change =
                    self.atoms[atom].views.iter().map(|&view| look(view, done[view] + size) - look(view, done[view]));
                change.sum::<f64>()
            };
            let (at, change) = left
                .iter()
                .enumerate()
                .map(|(at, &atom)| (at, after(atom)))
                .min_by(|a, b| a.1.total_cmp(&b.1))
                .expect("there are atoms left");
            let atom = left.remove(at);
            add(&mut done, atom);
            order.push(atom);
            open += change;
            all += open.exp();
        }
        (order, all.ln())
    }
}

/// The logarithm of about how many histograms so many rows of so many values have.
fn looks(rows: u32, values: usize) -> f64 {
    (1..values).map(|more| ((f64::from(rows) + more as f64) / more as f64).ln()).sum()
}
