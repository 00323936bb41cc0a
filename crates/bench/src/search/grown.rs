//! Tables that are drawn, with hierarchies that halve, so that lattices can have any size.

use std::time::Instant;

use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::histogram::Histogram;
use pellucid_model::principle::{self, SensitiveColumn};
use pellucid_model::progress::SearchProgress;
use pellucid_model::registry::{EntryArgs, find};
use pellucid_model::table::ColumnCodes;
use pellucid_publish::search::{
    AdmissiblePartition, ColumnLattice, GranulationLattice, MEASURES, PassingNode, SEARCHES, SearchEffort,
    SearchInstance, SearchLimits,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::MEMORY;
use crate::usage::UserClock;

/// A table of quasi columns; a column of n levels has 2^(n-1) values, and every level joins pairs of the one before.
#[derive(Debug)]
pub struct Grown {
    levels: Vec<u32>,
    codes: Vec<ColumnCodes>,
    rows: usize,
}

/// What is asked of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Asked {
    /// The best granulation by loss.
    Best,
    /// All maximally specific granulations.
    Minimal,
}

/// What a search found and took.
#[derive(Debug)]
pub struct Found {
    /// Granulations that were found.
    pub hits: Vec<PassingNode>,
    /// What was done.
    pub effort: SearchEffort,
    /// Time of the search; binding the table to its lattice is part of it.
    pub seconds: f64,
    /// User time of the same.
    pub user: f64,
    /// The most bytes in use beyond the table.
    pub peak: usize,
}

impl Grown {
    /// `rows` people, drawn the same every time; small values are frequent, and neighbouring columns depend on each other.
    pub fn new(rows: usize, levels: &[u32]) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(levels.len() as u64);
        let mut before: Vec<f64> = vec![0.5; rows];
        let codes = levels.iter().map(|&levels| {
            let cardinality = 1usize << (levels - 1);
            let column = before.iter_mut().map(|place| {
                let fresh: f64 = random.random();
                *place = (*place + 3.0 * fresh * fresh) / 4.0;
                (*place * cardinality as f64) as u32
            });
            ColumnCodes::narrow(column.collect(), cardinality)
        });
        Self { codes: codes.collect(), levels: levels.to_vec(), rows }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.levels.len()
    }

    fn lattice(&self) -> Result<GranulationLattice> {
        let columns = self.levels.iter().enumerate().map(|(at, &levels)| {
            let cardinality = 1u32 << (levels - 1);
            let partitions = (0..levels).map(|level| AdmissiblePartition {
                blocks: (0..cardinality).map(|code| code >> level).collect(),
                values: vec![1 << level; (cardinality >> level) as usize],
                outside: Vec::new(),
            });
            ColumnLattice::new(format!("column {}", at + 1), partitions.collect())
        });
        Ok(GranulationLattice::new(columns.collect::<Result<_>>()?))
    }

    /// Searches for 5-anonymity with the search called `id`, leaving out one row in `one_in`, if any; gives up after
    /// `most` seconds.
    pub fn search(&self, id: &str, asked: Asked, one_in: Option<u64>, most: f64) -> Result<Found> {
        let principle = principle::make("k-anonymity", &EntryArgs::new().with("k", "5"))?;
        let whole = Histogram::of((0..self.rows).map(|_| 0));
        let rows = SensitiveColumn { name: "rows", whole: &whole, cardinality: 1, protected: None, hierarchy: None };
        let test = principle.bind(rows)?;
        let search = find(SEARCHES, "search", id)?;
        let defaults = search.params.iter().filter_map(|param| Some((param.name, param.default?)));
        let search = search.make(&defaults.fold(EntryArgs::new(), |all, (name, value)| all.with(name, value)))?;
        let measure = find(MEASURES, "measure", "loss")?.make(&EntryArgs::new())?;
        MEMORY.start();
        let (clock, user) = (Instant::now(), UserClock::start());
        let quasi: Vec<&ColumnCodes> = self.codes.iter().collect();
        let limit = one_in.map_or(0, |one_in| self.rows as u64 / one_in);
        let ground = SearchInstance::new(self.lattice()?, &quasi, &[], vec![(None, test.as_ref())], self.rows, limit);
        let watch = |progress: SearchProgress| {
            if clock.elapsed().as_secs_f64() <= most {
                return Ok(());
            }
            let SearchProgress { checked, done, of } = progress;
            let words = format!("stopped after {most} seconds: {checked} checked, {done} of {of} decided");
            Err(Error::new(ErrorKind::Interrupted, words))
        };
        let limits = SearchLimits { watch: &watch, ..SearchLimits::default() };
        let (hits, effort) = match asked {
            Asked::Minimal => search.minimal(&ground, &limits)?,
            Asked::Best => {
                let (hit, effort) = search.best(&ground, measure.gauge(&ground)?.as_ref(), &limits)?;
                (hit.into_iter().collect(), effort)
            }
        };
        let seconds = clock.elapsed().as_secs_f64();
        Ok(Found { hits, effort, seconds, user: user.seconds(), peak: MEMORY.peak() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_a_small_grown_table_is_maximally_specific() {
        let grown = Grown::new(200, &[4, 3, 4]);
        let search = |asked| grown.search("fast", asked, None, 60.0).unwrap();
        let (best, minimal) = (search(Asked::Best), search(Asked::Minimal));
        assert_eq!(best.effort.nodes, "48");
        assert!(minimal.hits.iter().any(|hit| hit.levels == best.hits[0].levels));
    }
}
