//! Possible originals: who of an external source is in the table, and with which values.

use std::time::Instant;

use dashu_int::UBig;
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::randomness::RandomStream;
use pellucid_model::words::{counted, magnitude};
use rayon::prelude::*;

use super::World;

/// How many worlds are tried at most unless another limit is set.
pub const LIMIT: u64 = 4_000_000;

/// Parts that a walk is split into, at least where there are so many worlds: enough to keep all processors at work.
const PARTS: usize = 256;

/// Originals that are held possible, each as likely as every other. The table without people is no original.
#[derive(Debug, Clone)]
pub struct PossibleWorlds {
    people: usize,
    /// Number of codes of values.
    values: u32,
    /// How many people are in the table; `None` for any number.
    size: Option<usize>,
    /// By code, how often a value occurs; `None` for any number of times.
    counts: Option<Vec<usize>>,
    limit: u64,
    seconds: Option<f64>,
}

impl PossibleWorlds {
    /// Any people of an external source of `people`, with any of the values `0..values`.
    pub fn any(people: usize, values: u32) -> Self {
        Self { people, values, size: None, counts: None, limit: LIMIT, seconds: None }
    }

    /// Any `size` people, with any of the values `0..values`.
    pub fn of_size(people: usize, size: usize, values: u32) -> Self {
        Self { size: Some(size), ..Self::any(people, values) }
    }

    /// Any people to whom the codes `multiset` can be given, one each: what is possible after a release that shows the
    /// value of every row.
    pub fn of_multiset(people: usize, multiset: &[u32]) -> Self {
        let values = multiset.iter().max().map_or(0, |&largest| largest + 1);
        let mut counts = vec![0; values as usize];
        multiset.iter().for_each(|&value| counts[value as usize] += 1);
        Self { counts: Some(counts), ..Self::of_size(people, multiset.len(), values) }
    }

    /// The same with a limit of `limit` worlds, and of `seconds` for one walk through them.
    #[must_use]
    pub fn within(self, limit: u64, seconds: Option<f64>) -> Self {
        Self { limit, seconds, ..self }
    }

    /// Number of people of the external source.
    pub fn people(&self) -> usize {
        self.people
    }

    /// Number of codes of values.
    pub fn values(&self) -> u32 {
        self.values
    }

    /// How many there are.
    pub fn count(&self) -> UBig {
        let Some(size) = self.size else {
            return (UBig::from(self.values) + UBig::ONE).pow(self.people) - UBig::ONE;
        };
        if size == 0 || size > self.people {
            return UBig::ZERO;
        }
        let members = falling(self.people, size) / falling(size, size);
        match &self.counts {
            None => members * UBig::from(self.values).pow(size),
            Some(counts) => {
                members * counts.iter().fold(falling(size, size), |ways, &count| ways / falling(count, count))
            }
        }
    }

    /// Whether there are more than the limit. Large tables are not counted, which would take minutes.
    pub fn exceed(&self) -> bool {
        let log = |n: usize| (1..=n).map(|factor| (factor as f64).log2()).sum::<f64>();
        let least = match (self.size, &self.counts) {
            (Some(size), Some(counts)) if size <= self.people => {
                log(self.people) - log(self.people - size) - counts.iter().map(|&count| log(count)).sum::<f64>()
            }
            _ => 0.0,
        };
        // Rounding is far below the difference.
        least > 80.0 || self.count() > UBig::from(self.limit)
    }

    /// Refuses more worlds than the limit.
    pub fn check(&self) -> Result<()> {
        let count = self.count();
        if count <= UBig::from(self.limit) {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::LimitExceeded,
            format!(
                "there are {} possible originals to try, the limit is {}; take fewer people or values, or raise the limit",
                magnitude(&count),
                self.limit
            ),
        ))
    }

    /// One of them, all being equally likely; the first people, when a size or counts leave no choice.
    pub(super) fn draw(&self, source: &mut RandomStream<'_>) -> World {
        let Some(size) = self.size else {
            loop {
                let one = |person| (person, source.below(self.values as usize + 1));
                let drawn: Vec<(usize, usize)> = (0..self.people).map(one).collect();
                let inside = drawn.into_iter().filter(|&(_, value)| value > 0);
                let world = World::new(inside.map(|(person, value)| (person, value as u32 - 1)).collect());
                if !world.rows().is_empty() || self.people == 0 || self.values == 0 {
                    return world;
                }
            }
        };
        let mut people: Vec<usize> = (0..self.people).collect();
        source.shuffle(&mut people);
        let values: Vec<u32> = match &self.counts {
            Some(counts) => source.arrange(counts),
            None => (0..size).map(|_| source.below(self.values as usize) as u32).collect(),
        };
        World::new(people.into_iter().zip(values).collect())
    }

    /// Shows every world to `each`, on all processors: parts of the walk start from `make` and are put together by
    /// `merge`, in any order.
    pub fn fold<T: Send>(
        &self,
        make: impl Fn() -> T + Sync,
        each: impl Fn(&mut T, &World) -> Result<()> + Sync,
        merge: impl Fn(T, T) -> T + Sync,
    ) -> Result<T> {
        self.check()?;
        let started = Instant::now();
        let timed = |folded: &mut T, world: &World| {
            if let Some(seconds) = self.seconds.filter(|&seconds| started.elapsed().as_secs_f64() > seconds) {
                return Err(Error::new(
                    ErrorKind::LimitExceeded,
                    format!(
                        "trying {} takes more than {} seconds, the limit; take fewer people or values, or raise the limit",
                        counted(magnitude(&self.count()), "possible original", "possible originals"),
                        (seconds * 10.0).round() / 10.0
                    ),
                ));
            }
            each(folded, world)
        };
        self.parts()
            .into_par_iter()
            .with_max_len(1)
            .map(|mut part| {
                let mut folded = make();
                part.walk(&mut |world| timed(&mut folded, world))?;
                Ok(folded)
            })
            .try_reduce(&make, |a, b| Ok(merge(a, b)))
    }

    /// The walk in parts: what the first people may be, until there are enough.
    fn parts(&self) -> Vec<Part> {
        let left = self.counts.clone().unwrap_or_default();
        let impossible = self.size.is_some_and(|size| size == 0 || size > self.people);
        let whole = Part { worlds: self.clone(), left, need: self.size, next: 0, world: World::default() };
        let mut parts = if impossible { Vec::new() } else { vec![whole] };
        for _ in 0..self.people {
            if parts.len() >= PARTS {
                break;
            }
            parts = parts.iter().flat_map(Part::split).collect();
        }
        parts
    }
}

/// `n (n - 1) ..`, as many factors as `factors` says.
fn falling(n: usize, factors: usize) -> UBig {
    (0..factors).fold(UBig::ONE, |product, at| product * UBig::from(n - at))
}

/// The worlds in which the first people are settled.
#[derive(Debug, Clone)]
struct Part {
    worlds: PossibleWorlds,
    /// By code, how often a value is still to be given.
    left: Vec<usize>,
    /// How many people are still to be put in the table.
    need: Option<usize>,
    /// The first person who is not settled.
    next: usize,
    world: World,
}

impl Part {
    /// Whether the next person may be left out.
    fn may_miss(&self) -> bool {
        self.need.is_none_or(|need| need < self.worlds.people - self.next)
    }

    /// Whether the next person may have `value`.
    fn may_have(&self, value: u32) -> bool {
        self.need != Some(0) && (self.worlds.counts.is_none() || self.left[value as usize] > 0)
    }

    /// Settles that the next person is left out, or in the table with a value.
    fn settle(&mut self, value: Option<u32>) {
        if let Some(value) = value {
            self.world.rows.push((self.next, value));
            self.need = self.need.map(|need| need - 1);
            if self.worlds.counts.is_some() {
                self.left[value as usize] -= 1;
            }
        }
        self.next += 1;
    }

    /// Undoes the last [`Part::settle`].
    fn unsettle(&mut self, value: Option<u32>) {
        self.next -= 1;
        if let Some(value) = value {
            self.world.rows.pop();
            self.need = self.need.map(|need| need + 1);
            if self.worlds.counts.is_some() {
                self.left[value as usize] += 1;
            }
        }
    }

    fn options(&self) -> Vec<Option<u32>> {
        let missing = self.may_miss().then_some(None);
        missing.into_iter().chain((0..self.worlds.values).filter(|&value| self.may_have(value)).map(Some)).collect()
    }

    /// The parts in which one more person is settled.
    fn split(&self) -> Vec<Self> {
        let settled = |option| {
            let mut part = self.clone();
            part.settle(option);
            part
        };
        self.options().into_iter().map(settled).collect()
    }

    fn walk(&mut self, each: &mut impl FnMut(&World) -> Result<()>) -> Result<()> {
        if self.next == self.worlds.people {
            return if self.world.rows.is_empty() { Ok(()) } else { each(&self.world) };
        }
        for option in self.options() {
            self.settle(option);
            self.walk(each)?;
            self.unsettle(option);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn all(worlds: &PossibleWorlds) -> BTreeSet<World> {
        let collect = |set: &mut Vec<World>, world: &World| {
            set.push(world.clone());
            Ok(())
        };
        let listed = worlds.fold(Vec::new, collect, |a, b| [a, b].concat()).unwrap();
        let set: BTreeSet<World> = listed.iter().cloned().collect();
        assert_eq!(set.len(), listed.len(), "every world comes once");
        assert_eq!(UBig::from(listed.len()), worlds.count());
        set
    }

    #[test]
    fn as_many_worlds_come_as_are_counted() {
        // 3^7 - 1; C(5, 2) * 3^2; C(6, 4) * 4! / 2!.
        assert_eq!(all(&PossibleWorlds::any(7, 2)).len(), 2186);
        assert_eq!(all(&PossibleWorlds::of_size(5, 2, 3)).len(), 90);
        assert_eq!(all(&PossibleWorlds::of_multiset(6, &[2, 0, 2, 1])).len(), 180);
        assert_eq!(all(&PossibleWorlds::of_size(2, 3, 3)).len(), 0);
        assert_eq!(all(&PossibleWorlds::of_multiset(2, &[])).len(), 0);
    }

    #[test]
    fn every_world_can_be_drawn_and_no_other() {
        let mut source = pellucid_model::randomness::RandomSource::InsecureSeed(3).stream(
            pellucid_model::randomness::ChoicePurpose::Worlds,
            0,
            0,
        );
        for worlds in
            [PossibleWorlds::any(2, 2), PossibleWorlds::of_size(3, 2, 2), PossibleWorlds::of_multiset(3, &[0, 1, 1])]
        {
            let drawn: BTreeSet<World> = (0..500).map(|_| worlds.draw(&mut source)).collect();
            assert_eq!(drawn, all(&worlds));
        }
    }

    #[test]
    fn multisets_are_kept_and_sizes_too() {
        let multiset = all(&PossibleWorlds::of_multiset(4, &[1, 1, 0]));
        let kept = |world: &World| {
            let mut values: Vec<u32> = world.rows().iter().map(|row| row.1).collect();
            values.sort_unstable();
            values == [0, 1, 1]
        };
        assert!(multiset.iter().all(kept));
        assert!(all(&PossibleWorlds::of_size(4, 3, 2)).is_superset(&multiset));
        assert!(all(&PossibleWorlds::any(4, 2)).is_superset(&multiset));
    }

    #[test]
    fn too_many_worlds_are_refused_before_the_first() {
        let worlds = PossibleWorlds::any(6, 9).within(999_998, None);
        let error = worlds.fold(|| (), |(), _| unreachable!("nothing is tried"), |(), ()| ()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        assert!(error.message().starts_with("there are 999999 possible originals to try, the limit is 999998; take"));
        assert!(PossibleWorlds::any(6, 9).within(999_999, Some(1.0)).check().is_ok());
    }

    #[test]
    fn time_that_is_used_up_ends_the_walk() {
        let error =
            PossibleWorlds::any(3, 3).within(LIMIT, Some(0.0)).fold(|| (), |(), _| Ok(()), |(), ()| ()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        assert!(error.message().contains("trying 63 possible originals takes more than 0 seconds"), "{error}");
    }

    #[test]
    fn an_error_ends_the_walk() {
        let error =
            PossibleWorlds::any(3, 3).fold(|| (), |(), _| Err(Error::invalid("broken")), |(), ()| ()).unwrap_err();
        assert_eq!(error.message(), "broken");
    }
}
