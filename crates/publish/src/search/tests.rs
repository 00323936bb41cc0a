//! Class tables, their store and the limits of searches, on random tables.

use std::cell::Cell;
use std::collections::BTreeMap;

use pellucid_model::error::{Error, ErrorKind};
use pellucid_model::histogram::Histogram;
use pellucid_model::principle::{BoundPrinciple, DistinctLDiversity, KAnonymity, Principle, SensitiveColumn};
use pellucid_model::progress::SearchProgress;
use pellucid_model::registry::EntryArgs;
use pellucid_model::table::ColumnCodes;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::classes::ClassTable;
use super::store::ClassStore;
use super::*;

/// Classes must have as many rows, and as many different values of the judged column.
const ROWS: u64 = 3;
const VALUES: u64 = 2;

/// A random table; every column has blocks of 1, 2, 4, .. neighbouring values, and all in one.
struct Sample {
    values: Vec<u32>,
    quasi: Vec<Vec<u32>>,
    judged: Vec<u32>,
    tests: [Box<dyn BoundPrinciple>; 2],
    judged_codes: ColumnCodes,
}

const JUDGED: u32 = 5;

impl Sample {
    fn new(seed: u64, rows: usize, values: &[u32]) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        // Near each other, so that some rows fall into one class.
        let centre: Vec<u32> = values.iter().map(|&values| random.random_range(0..values)).collect();
        let mut near = |at: usize| {
            let away = random.random_range(0..values[at]).min(random.random_range(0..values[at]));
            (centre[at] + away / [1, 50][random.random_range(0..2)]) % values[at]
        };
        let quasi = (0..values.len()).map(|at| (0..rows).map(|_| near(at)).collect()).collect();
        let judged: Vec<u32> = (0..rows).map(|_| random.random_range(0..JUDGED)).collect();
        let whole = Histogram::of(judged.iter().copied());
        let column = SensitiveColumn {
            name: "y",
            whole: &whole,
            cardinality: JUDGED as usize,
            protected: None,
            hierarchy: None,
        };
        let tests = [
            KAnonymity::new(ROWS).unwrap().bind(column).unwrap(),
            DistinctLDiversity::new(VALUES).unwrap().bind(column).unwrap(),
        ];
        let judged_codes = ColumnCodes::narrow(judged.clone(), JUDGED as usize);
        Self { values: values.to_vec(), quasi, judged, tests, judged_codes }
    }

    fn widths(values: u32) -> Vec<u32> {
        let mut widths: Vec<u32> = (0..u32::BITS).map(|power| 1 << power).take_while(|&width| width < values).collect();
        widths.push(values);
        widths
    }

    fn lattice(&self) -> GranulationLattice {
        let column = |(at, &values): (usize, &u32)| {
            let partition = |width: u32| {
                let blocks: Vec<u32> = (0..values).map(|value| value / width).collect();
                let sizes = blocks.chunk_by(|a, b| a == b).map(|block| block.len() as u64).collect();
                AdmissiblePartition { blocks, values: sizes, outside: Vec::new() }
            };
            let partitions = Self::widths(values).into_iter().map(partition).collect();
            ColumnLattice::new(format!("x{at}"), partitions).unwrap()
        };
        GranulationLattice::new(self.values.iter().enumerate().map(column).collect())
    }

    fn ground(&self, limit: u64) -> SearchInstance<'_> {
        let quasi = self.quasi.iter().zip(&self.values);
        let quasi: Vec<ColumnCodes> =
            quasi.map(|(codes, &values)| ColumnCodes::narrow(codes.clone(), values as usize)).collect();
        let judged = [JudgedCodes { codes: &self.judged_codes, cardinality: JUDGED as usize }];
        let tests = vec![(None, self.tests[0].as_ref()), (Some(0), self.tests[1].as_ref())];
        SearchInstance::new(self.lattice(), &quasi.iter().collect::<Vec<_>>(), &judged, tests, self.judged.len(), limit)
    }

    fn random_levels(&self, random: &mut ChaCha8Rng, least: &[u32]) -> GranulationLevels {
        let level = |(&values, &least): (&u32, &u32)| random.random_range(least..Self::widths(values).len() as u32);
        self.values.iter().zip(least).map(level).collect()
    }

    /// From the rows: by the blocks of a class, how often each value occurs in it.
    fn literal(&self, levels: &[u32]) -> BTreeMap<Vec<u32>, BTreeMap<u32, u32>> {
        let mut classes: BTreeMap<Vec<u32>, BTreeMap<u32, u32>> = BTreeMap::new();
        for (row, &value) in self.judged.iter().enumerate() {
            let block = |at: usize| self.quasi[at][row] / Self::widths(self.values[at])[levels[at] as usize];
            let key = (0..levels.len()).map(block).collect();
            *classes.entry(key).or_default().entry(value).or_default() += 1;
        }
        classes
    }

    /// Asserts that `classes` are those of the rows.
    fn check(&self, classes: &ClassTable, levels: &[u32]) {
        let literal = self.literal(levels);
        assert_eq!(classes.len(), literal.len());
        let mut failing = 0;
        for at in 0..classes.len() {
            let blocks: Vec<u32> = (0..levels.len()).map(|column| classes.block(at, column)).collect();
            let counts = &literal[&blocks];
            assert!(classes.tally(0).class(at).iter().copied().eq(counts.iter().map(|(&code, &count)| (code, count))));
            let rows = u64::from(counts.values().sum::<u32>());
            assert_eq!(classes.rows(at), rows);
            let passes = rows >= ROWS && counts.len() as u64 >= VALUES;
            assert_eq!(classes.passes(at), passes);
            failing += if passes { 0 } else { rows };
        }
        assert_eq!(classes.failing_rows(), failing);
    }
}

/// One word for a key, two, and three with a column that straddles none.
const SHAPES: [&[u32]; 5] = [&[4, 6, 3], &[1, 9], &[300, 1000, 2, 70_000], &[1000; 9], &[1 << 17; 10]];

#[test]
fn classes_rolled_up_are_those_of_the_rows() {
    for (seed, values) in (0..).zip(SHAPES) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let sample = Sample::new(seed, 120, values);
        let ground = sample.ground(0);
        let bottom = ground.lattice().bottom();
        sample.check(&ground.base, &bottom);
        for _ in 0..20 {
            let middle = sample.random_levels(&mut random, &bottom);
            let top = sample.random_levels(&mut random, &middle);
            let classes = ground.classes(&middle);
            sample.check(&classes, &middle);
            let further = classes.roll_up(ground.lattice(), &top, &ground.judge, true).1;
            sample.check(&further, &top);
        }
        sample.check(&ground.classes(&ground.lattice().top()), &ground.lattice().top());
    }
}

/// So many rows are rolled up on all cores.
#[test]
fn classes_of_many_rows_are_those_of_the_rows() {
    let sample = Sample::new(1, 70_000, &[500, 400, 40, 30]);
    let ground = sample.ground(0);
    sample.check(&ground.base, &ground.lattice().bottom());
    for levels in [[0, 0, 0, 1], [0, 1, 2, 0], [5, 3, 2, 1], [9, 9, 6, 5]] {
        sample.check(&ground.classes(&levels), &levels);
    }
}

#[test]
fn rows_of_a_partition_are_in_its_classes() {
    let sample = Sample::new(2, 200, &[40, 300]);
    let ground = sample.ground(0);
    for levels in [[0, 0], [3, 2], [6, 9]] {
        let (class_of, passes) = ground.partition(&levels);
        let literal = sample.literal(&levels);
        assert_eq!(passes.len(), literal.len());
        let mut key_of_class = vec![None; passes.len()];
        for (row, &class) in class_of.iter().enumerate() {
            let block = |at: usize| sample.quasi[at][row] / Sample::widths(sample.values[at])[levels[at] as usize];
            let key = vec![block(0), block(1)];
            let counts = &literal[&key];
            let many = u64::from(counts.values().sum::<u32>()) >= ROWS && counts.len() as u64 >= VALUES;
            assert_eq!(passes[class as usize], many);
            assert_eq!(*key_of_class[class as usize].get_or_insert_with(|| key.clone()), key);
        }
    }
}

#[test]
fn a_store_keeps_within_its_bytes_and_gives_the_same_classes() {
    let sample = Sample::new(3, 150, &[16, 20, 9, 5]);
    let ground = sample.ground(0);
    let size = ground.base.bytes();
    let mut peaks = Vec::new();
    for limit in [0, size / 10, size / 2, 20 * size] {
        let mut random = ChaCha8Rng::seed_from_u64(limit as u64);
        let mut store = ClassStore::new(limit);
        for _ in 0..60 {
            let levels = sample.random_levels(&mut random, &ground.lattice().bottom());
            let (classes, source) = store.classes(&ground, &levels, true);
            sample.check(&classes, &levels);
            assert!(source <= ground.base.weight());
            store.offer(classes, source);
            assert!(store.peak() <= limit);
        }
        peaks.push(store.peak());
    }
    assert_eq!(peaks[0], 0);
    assert!(peaks.is_sorted() && peaks[1] > 0 && peaks[3] > peaks[1], "{peaks:?}");
}

fn made(id: &str) -> Box<dyn LatticeSearch> {
    pellucid_model::registry::find(SEARCHES, "search", id).unwrap().make(&EntryArgs::new()).unwrap()
}

fn loss(ground: &SearchInstance<'_>) -> Box<dyn BoundMeasure> {
    pellucid_model::registry::find(MEASURES, "measure", "loss")
        .unwrap()
        .make(&EntryArgs::new())
        .unwrap()
        .gauge(ground)
        .unwrap()
}

#[test]
fn what_is_found_does_not_depend_on_what_is_stored() {
    let told = |hit: &PassingNode| {
        (hit.levels.clone(), hit.classes, hit.suppressed, hit.score.as_ref().map(MeasureScore::value))
    };
    for limit in [0, 12] {
        let sample = Sample::new(4, 120, &[16, 20, 9]);
        let ground = sample.ground(limit);
        let gauge = loss(&ground);
        for id in SEARCH_IDS {
            let search = made(id);
            let (best, effort) = search.best(&ground, gauge.as_ref(), &SearchLimits::default()).unwrap();
            for bytes in [0, 1000, 10_000] {
                let limits = SearchLimits { bytes, ..SearchLimits::default() };
                let (again, limited) = search.best(&ground, gauge.as_ref(), &limits).unwrap();
                assert_eq!(again.as_ref().map(told), best.as_ref().map(told), "{id}");
                assert!(limited.bytes <= bytes && limited.read >= effort.read, "{id}");
                if !search.is_exact() {
                    continue;
                }
                let (minimal, _) = search.minimal(&ground, &SearchLimits::default()).unwrap();
                let (again, limited) = search.minimal(&ground, &limits).unwrap();
                assert_eq!(again.iter().map(told).collect::<Vec<_>>(), minimal.iter().map(told).collect::<Vec<_>>());
                assert!(limited.bytes <= bytes, "{id}");
            }
        }
    }
}

#[test]
fn a_lattice_beyond_the_limit_of_nodes_is_refused_by_searches_that_tag_every_node() {
    let sample = Sample::new(5, 30, &[16, 20, 9]);
    let ground = sample.ground(0);
    let gauge = loss(&ground);
    let size = ground.lattice().size().unwrap();
    assert_eq!(size, 5 * 6 * 5);
    let limits = |nodes: u64| SearchLimits { nodes, ..SearchLimits::default() };
    for id in SEARCH_IDS {
        let search = made(id);
        assert!(search.best(&ground, gauge.as_ref(), &limits(size)).is_ok(), "{id}");
        let refused = search.best(&ground, gauge.as_ref(), &limits(size - 1));
        if !search.is_exact() {
            assert!(refused.is_ok(), "{id}");
            continue;
        }
        for error in [refused.unwrap_err(), search.minimal(&ground, &limits(size - 1)).unwrap_err()] {
            assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{id}");
            assert_eq!(
                error.to_string(),
                "the lattice has 150 granulations, and a search that keeps a tag for each takes at most 149; leave levels \
                 out of the hierarchies or use search = \"genetic\"",
                "{id}"
            );
        }
    }
}

#[test]
fn an_error_of_the_watch_stops_a_search() {
    let sample = Sample::new(6, 60, &[16, 20, 9]);
    for limit in [0, 5] {
        let ground = sample.ground(limit);
        let gauge = loss(&ground);
        for id in SEARCH_IDS {
            let search = made(id);
            for patience in [0, 2] {
                let asked = Cell::new(0);
                let watch = |progress: SearchProgress| {
                    assert!(progress.done <= progress.of, "{id}");
                    asked.set(asked.get() + 1);
                    if asked.get() > patience { Err(Error::invalid("enough")) } else { Ok(()) }
                };
                let limits = SearchLimits { watch: &watch, ..SearchLimits::default() };
                let stopped = search.best(&ground, gauge.as_ref(), &limits).unwrap_err();
                assert_eq!((stopped.to_string().as_str(), asked.get()), ("enough", patience + 1), "{id}");
                if search.is_exact() {
                    asked.set(0);
                    let stopped = search.minimal(&ground, &limits).unwrap_err();
                    assert_eq!((stopped.to_string().as_str(), asked.get()), ("enough", patience + 1), "{id}");
                }
            }
        }
    }
}

#[test]
fn a_genetic_search_does_not_list_all_maximally_specific_granulations() {
    let sample = Sample::new(7, 20, &[4]);
    let message = made("genetic").minimal(&sample.ground(0), &SearchLimits::default()).unwrap_err().to_string();
    assert!(message.contains("use search = \"fast\""), "{message}");
}
