//! Belief from views: `pellucid-bench views [PART...]`, all parts when none is named.
//!
//! Two hundred people, five values, and views of seven to fourteen neighbours by one of several attributes, each a random order of the
//! people: how long exact belief takes, the slowest of several tables.

use std::time::Instant;

use pellucid_inference::budget::Budget;
use pellucid_inference::views::{DrawUntil, SeenViews, View};
use pellucid_model::error::{ErrorKind, Result};
use pellucid_model::histogram::Histogram;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::MEMORY;
use crate::part::{Part, chosen};
use crate::search::Board;
use crate::usage::{UserClock, note};

/// People, and values they may have.
const PEOPLE: u32 = 200;
const VALUES: u32 = 5;

/// Tables of each kind.
const TABLES: u64 = 10;

/// Seconds that the largest case on four attributes may take.
const LONGEST: f64 = 10.0;

/// All parts.
const PARTS: &[Part<Board>] = &[
    Part { id: "one", words: "20 views on one attribute", run: |board| time(board, 1, 20, 0.05) },
    Part { id: "two", words: "12 views on two attributes", run: |board| time(board, 2, 12, 2.0) },
    Part { id: "four", words: "ever more views on four attributes", run: |_| grow(4) },
];

/// Times the parts named in `wanted`; whether every bar was met.
pub fn run(wanted: &[String]) -> Result<bool> {
    let mut board = Board::default();
    for part in chosen(PARTS, wanted)? {
        Board::note(&format!("\n{}", part.words));
        (part.run)(&mut board)?;
    }
    Ok(board.close())
}

/// A random table with so many views, spread over the attributes in turn.
fn table(attributes: usize, many: usize, seed: u64) -> Result<SeenViews> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let values: Vec<u32> = (0..PEOPLE).map(|_| rng.random_range(0..VALUES)).collect();
    let mut orders: Vec<Vec<u32>> = vec![(0..PEOPLE).collect(); attributes];
    orders.iter_mut().for_each(|order| order.shuffle(&mut rng));
    let views = (0..many).map(|number| {
        let size = rng.random_range(7..=14usize);
        let from = rng.random_range(0..=PEOPLE as usize - size);
        let members = orders[number % attributes][from..from + size].to_vec();
        let shown = Histogram::of(members.iter().map(|&person| values[person as usize]));
        View::new(members, shown)
    });
    SeenViews::new(PEOPLE as usize, VALUES, views.collect::<Result<_>>()?)
}

/// Seconds and states that belief takes; notes it as `case`.
fn clocked(case: &str, views: &SeenViews, seconds: f64) -> Result<(f64, u64)> {
    MEMORY.start();
    let (clock, user) = (Instant::now(), UserClock::start());
    let budget = Budget { states: u64::MAX, seconds: Some(seconds), ..Budget::question() };
    let belief = views.belief(&budget, DrawUntil::End);
    note(case, user.seconds(), MEMORY.peak() as u64)?;
    Ok((clock.elapsed().as_secs_f64(), belief?.states()))
}

fn case(attributes: usize, many: usize, seed: u64) -> String {
    format!("{many} views on {attributes} attributes, table {seed}")
}

fn time(board: &mut Board, attributes: usize, many: usize, bar: f64) -> Result<()> {
    for seed in 0..TABLES {
        let (seconds, states) = clocked(&case(attributes, many, seed), &table(attributes, many, seed)?, f64::MAX)?;
        let ok = board.within(seconds, bar);
        Board::note(&format!("table {seed:>2}: {seconds:>8.4} s, bar {bar} {ok}, {states} states"));
    }
    Ok(())
}

/// The most views for which every table is done in time.
fn grow(attributes: usize) -> Result<()> {
    for many in (2..).step_by(2) {
        let mut slowest = (0.0, 0);
        for seed in 0..TABLES {
            match clocked(&case(attributes, many, seed), &table(attributes, many, seed)?, LONGEST) {
                Ok((seconds, states)) if seconds > slowest.0 => slowest = (seconds, states),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::LimitExceeded => {
                    Board::note(&format!("{many} views: table {seed} takes more than {LONGEST} s"));
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
        Board::note(&format!("{many} views: {:.4} s at most, {} states", slowest.0, slowest.1));
    }
    Ok(())
}
