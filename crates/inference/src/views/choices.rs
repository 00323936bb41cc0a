//! Choices: all ways to give several codes to people, so many of each.

/// Goes through all numbers of people, one for each code, that lie within bounds and add up to something within bounds.
#[derive(Debug)]
pub(super) struct CellChoices<'b> {
    /// By code, at least and at most so many.
    bounds: &'b [(u32, u32)],
    /// All codes from each on, at least and at most so many.
    rest: Vec<(u32, u32)>,
    least: u32,
    most: u32,
    taken: Vec<u32>,
    begun: bool,
}

impl<'b> CellChoices<'b> {
    /// Of each code as many as `bounds` says, of all codes at least `least` and at most `most`.
    pub(super) fn new(bounds: &'b [(u32, u32)], least: u32, most: u32) -> Self {
        let mut rest = vec![(0, 0); bounds.len() + 1];
        for (at, bounds) in bounds.iter().enumerate().rev() {
            rest[at] = (rest[at + 1].0 + bounds.0, rest[at + 1].1 + bounds.1);
        }
        Self { bounds, rest, least, most, taken: vec![0; bounds.len()], begun: false }
    }

    /// The next choice.
    pub(super) fn next(&mut self) -> Option<&[u32]> {
        if !self.begun {
            self.begun = true;
            let possible = self.bounds.iter().all(|bounds| bounds.0 <= bounds.1)
                && self.rest[0].0 <= self.most
                && self.rest[0].1 >= self.least;
            return (possible && self.fill(0, 0)).then_some(self.taken.as_slice());
        }
        let mut before: u32 = self.taken.iter().sum();
        for at in (0..self.taken.len()).rev() {
            before -= self.taken[at];
            if self.taken[at] < self.highest(at, before) {
                self.taken[at] += 1;
                let so_far = before + self.taken[at];
                if self.fill(at + 1, so_far) {
                    return Some(&self.taken);
                }
            }
        }
        None
    }

    /// The most that the code at `at` may have when those before it have `before` together.
    fn highest(&self, at: usize, before: u32) -> u32 {
        self.bounds[at].1.min(self.most.saturating_sub(before + self.rest[at + 1].0))
    }

    /// Gives as little as can be to every code from `at` on.
    fn fill(&mut self, at: usize, mut before: u32) -> bool {
        for at in at..self.taken.len() {
            let lowest = self.bounds[at].0.max(self.least.saturating_sub(before + self.rest[at + 1].1));
            if lowest > self.highest(at, before) {
                return false;
            }
            self.taken[at] = lowest;
            before += lowest;
        }
        (self.least..=self.most).contains(&before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_comes_once() {
        let limits = [(0, 2), (1, 1), (0, 3), (2, 4)];
        for many in 0..=limits.len() {
            let bounds = &limits[..many];
            for (least, most) in [(0, 9), (4, 6), (6, 6), (9, 12), (3, 2), (11, 20)] {
                let mut choices = CellChoices::new(bounds, least, most);
                let mut found = Vec::new();
                while let Some(taken) = choices.next() {
                    found.push(taken.to_vec());
                }
                let mut expected = vec![Vec::new()];
                for &(low, high) in bounds {
                    let longer = |taken: Vec<u32>| (low..=high).map(move |more| [taken.as_slice(), &[more]].concat());
                    expected = expected.into_iter().flat_map(longer).collect();
                }
                expected.retain(|taken| (least..=most).contains(&taken.iter().sum()));
                assert_eq!(found, expected, "{bounds:?} {least} {most}");
            }
        }
    }

    #[test]
    fn bounds_that_contradict_each_other_leave_no_choice() {
        assert!(CellChoices::new(&[(2, 1)], 0, 9).next().is_none());
    }
}
