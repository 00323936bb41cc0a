//! Time is linear in the number of rows, on tables that could tempt an engine into more.

use std::time::{Duration, Instant};

use pellucid_model::claim::EntryClaim;
use pellucid_model::principle::{PRINCIPLES, Principle};
use pellucid_model::registry::RegistryEntry;
use pellucid_testkit::fast::{SEED, Sheet, Want};

/// A table that could tempt an engine into quadratic time; its codes keep their width when the table grows.
struct Hard {
    name: &'static str,
    identified: bool,
    quasi: fn(usize, usize) -> Vec<i64>,
    value: fn(usize, usize) -> u32,
}

const HARD: &[Hard] = &[
    Hard { name: "one place, distinct values", identified: true, quasi: |_, _| vec![7, 7], value: |at, _| at as u32 },
    Hard { name: "one place, 50 values", identified: true, quasi: |_, _| vec![7, 7], value: |at, _| at as u32 % 50 },
    Hard {
        name: "one place, no identifier, distinct values",
        identified: false,
        quasi: |_, _| vec![7, 7],
        value: |at, _| at as u32,
    },
    Hard {
        name: "one place, no identifier, 50 values",
        identified: false,
        quasi: |_, _| vec![7, 7],
        value: |at, _| at as u32 % 50,
    },
    Hard {
        name: "two far outliers on each side",
        identified: true,
        quasi: |at, _| match at {
            0 | 1 => vec![-1_000_000 * (at as i64 + 1), 7],
            2 | 3 => vec![1_000_000 * (at as i64 + 1), 7],
            _ => vec![0, 7],
        },
        value: |at, _| at as u32 % 50,
    },
    Hard {
        name: "outliers at powers of two",
        identified: false,
        quasi: |at, _| if at < 120 { vec![(1 << (at / 2)) * [1, -1][at % 2], 0] } else { vec![0, at as i64 % 3] },
        value: |at, _| at as u32 % 50,
    },
    Hard {
        name: "every value at a place of its own",
        identified: true,
        quasi: |at, _| vec![at as i64 % 6 * 1000, at as i64 % 6 / 3],
        value: |at, _| at as u32 % 6,
    },
    Hard {
        name: "two constant columns with others between",
        identified: true,
        quasi: |at, rows| match at % 3 {
            0 => vec![0, 0],
            1 => vec![rows as i64, rows as i64],
            _ => vec![at as i64 / 4, (at as i64 * 7919) % (rows as i64 / 4)],
        },
        value: |at, _| at as u32 % 3,
    },
    Hard {
        name: "sorted input",
        identified: false,
        quasi: |at, rows| vec![at as i64 / 4, (rows - at) as i64 / 4],
        value: |at, _| at as u32 % 50,
    },
    Hard {
        name: "sorted by value, which follows the place",
        identified: true,
        quasi: |at, _| vec![at as i64 / 4, at as i64 / 12],
        value: |at, rows| (at * 20 / rows) as u32,
    },
    Hard {
        name: "one value as common as allowed",
        identified: true,
        quasi: |at, _| vec![at as i64 % 1000, at as i64 % 7],
        value: |at, rows| if at < rows / 3 { 0 } else { at as u32 },
    },
];

impl Hard {
    fn sheet(&self, rows: usize) -> Sheet {
        let ids: Vec<u32> = (0..rows as u32).map(|at| at.wrapping_mul(2_654_435_761)).collect();
        let places: Vec<Vec<i64>> = (0..rows).map(|at| (self.quasi)(at, rows)).collect();
        let quasi: Vec<Vec<i64>> = (0..2).map(|axis| places.iter().map(|place| place[axis]).collect()).collect();
        let values: Vec<u32> = (0..rows).map(|at| (self.value)(at, rows)).collect();
        let domain = values.iter().max().map_or(0, |largest| largest + 1);
        Sheet::new(self.identified.then_some(&ids[..]), &quasi, &[values], domain)
    }

    /// Four times the rows may take four times as long and some more, not sixteen times; a run that is too slow is
    /// repeated, because something else may have been running.
    fn is_linear(&self, rows: usize, asked: &[(&str, Want)]) {
        let sheets = [self.sheet(rows), self.sheet(4 * rows)];
        for (publisher, want) in asked {
            let measure = || {
                let [short, long] = [0, 1].map(|at| time(&sheets[at], publisher, want));
                let linear = short * 10 + Duration::from_millis(300);
                (long < linear.min(Duration::from_secs(8)), short, long)
            };
            let runs: Vec<_> = (0..3).map(|_| measure()).take_while(|run| !run.0).collect();
            assert!(runs.len() < 3, "{publisher}, {want:?}, {}: {runs:?}", self.name);
        }
    }
}

fn time(sheet: &Sheet, publisher: &str, want: &Want) -> Duration {
    let start = Instant::now();
    let groups = sheet.publish(publisher, std::slice::from_ref(want), SEED).unwrap();
    assert!(groups.is_some(), "the table is eligible");
    start.elapsed()
}

/// Tailor for every principle of the registry that it takes, but for bounds on shares and for principles that compare groups with
/// the whole column, for which time is not promised.
fn other_principles() -> Vec<(&'static str, Want)> {
    let first = |entry: &'static RegistryEntry<dyn Principle>| {
        let args = entry.examples().next().filter(|_| entry.claims(EntryClaim::Mixtures))?;
        let principle = entry.make(&args).expect("examples are good");
        let other = principle.share_bound().is_none() && !principle.compares_with_column();
        other.then(|| ("tailor", Want::example(entry, &args)))
    };
    PRINCIPLES.iter().filter_map(first).collect()
}

#[test]
fn time_is_linear() {
    let mut asked = Vec::new();
    for publisher in ["tailor", "ace", "hybrid"] {
        for l in 2..=3 {
            asked.push((publisher, Want::frequency(l)));
        }
    }
    asked.push(("hybrid", Want::frequency(2).protecting(Some([0].into()))));
    for hard in HARD {
        hard.is_linear(48_000, &asked);
    }
}

#[test]
fn time_is_linear_for_other_principles_and_few_values() {
    let asked = other_principles();
    for hard in HARD.iter().filter(|hard| !hard.name.contains("distinct")) {
        hard.is_linear(6_000, &asked);
    }
}

#[test]
fn time_is_linear_for_other_principles_and_distinct_values() {
    let asked = other_principles();
    for hard in HARD.iter().filter(|hard| hard.name.contains("distinct")) {
        hard.is_linear(6_000, &asked);
    }
}
