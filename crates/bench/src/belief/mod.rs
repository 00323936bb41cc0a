//! Times the belief engine: `pellucid-bench belief [PART...]`, all parts when none is named.
//!
//! Tables are drawn from fixed seeds and everything counted is exact. Unless a part says otherwise the principle is
//! highest ratio 1/2, and what is timed is following the strategy and counting the disclosure set of the last function
//! with its highest ratio, which is the dearest one.

mod adult;
mod board;
mod shapes;

use pellucid_core::error::{Error, Result};
use pellucid_core::registry::{Args, did_you_mean};
use pellucid_core::sequence::{self, Strategy};
use rand_chacha::ChaCha8Rng;

use board::{Board, Trial};
use shapes::{blocks, generator, intervals, nested, table_8, values};

/// A part of the benchmark and what it shows.
struct Part {
    id: &'static str,
    words: &'static str,
    run: fn(&mut Board) -> Result<()>,
}

/// All parts.
const PARTS: &[Part] = &[
    Part { id: "table-8", words: "table 8 of Liu, Wang and Zhang, every disclosure set of every strategy", run: eight },
    Part { id: "intervals", words: "exclusive on intervals that do not nest, 4 values", run: along_intervals },
    Part { id: "strategies", words: "safe and k-jump on intervals", run: strategies },
    Part { id: "nested", words: "five nested functions, 2000 people, 5 values", run: hierarchies },
    Part { id: "adult", words: "Adult by age, occupation: 5, 10, 20, 40 years, everyone", run: adult::run },
    Part { id: "growth", words: "exclusive: growth with people and size of blocks, 4 values", run: growth },
];

/// Runs the parts named in `wanted`; whether every bar was met.
pub fn run(wanted: &[String]) -> Result<bool> {
    if let Some(odd) = wanted.iter().find(|wanted| PARTS.iter().all(|part| part.id != wanted.as_str())) {
        let hint = did_you_mean(odd, PARTS.iter().map(|part| part.id));
        let known: Vec<&str> = PARTS.iter().map(|part| part.id).collect();
        return Err(Error::invalid(format!("no part `{odd}`{hint}; it is one of {}", known.join(", "))));
    }
    let mut board = Board::default();
    for part in PARTS.iter().filter(|part| wanted.is_empty() || wanted.iter().any(|wanted| wanted == part.id)) {
        Board::section(part.words);
        (part.run)(&mut board)?;
    }
    Ok(board.close())
}

/// The strategy called `naive`, `safe`, `exclusive`, or `jump:` and the distances.
fn strategy(name: &str) -> Result<Box<dyn Strategy>> {
    match name.strip_prefix("jump:") {
        Some(jumps) => sequence::make("k-jump", &Args::new().with("jumps", jumps)),
        None => sequence::make(name, &Args::new()),
    }
}

fn eight(board: &mut Board) -> Result<()> {
    let (table, sequence) = table_8()?;
    let names = ["naive", "safe", "exclusive", "jump:1", "jump:2", "jump:3"];
    board.run(&Trial::new("table 8", &table, 10, &sequence, &names)?.every_step().within(0.01))?;
    Ok(())
}

fn along_intervals(board: &mut Board) -> Result<()> {
    for (people, sizes, bar) in [
        (200, [6, 10, 15], Some(0.1)),
        (200, [10, 15, 25], Some(1.0)),
        (2000, [6, 10, 15], None),
        (5000, [6, 10, 15], None),
        (10_000, [6, 10, 15], None),
        (20_000, [6, 10, 15], Some(30.0)),
    ] {
        let (table, sequence) = (values(&mut generator(people as u64), people, 4), blocks(people, &sizes)?);
        let trial = Trial::new(&named("blocks", &sizes), &table, 4, &sequence, &["exclusive"])?;
        board.run(&trial.within_if(bar))?;
    }
    for (people, sizes) in [(200, [6, 10, 15]), (2000, [6, 10, 15]), (200, [10, 15, 25])] {
        let shifted: Vec<(usize, usize)> = sizes.iter().zip(0..).map(|(&size, offset)| (size, offset)).collect();
        let (table, sequence) = (values(&mut generator(people as u64), people, 4), intervals(people, &shifted)?);
        board.run(&Trial::new(&named("shifted", &sizes), &table, 4, &sequence, &["exclusive"])?)?;
    }
    Ok(())
}

fn strategies(board: &mut Board) -> Result<()> {
    const NAMES: [&str; 3] = ["safe", "jump:1", "jump:2"];
    for name in NAMES {
        let sizes = [2, 3, 4];
        let (table, sequence) = (values(&mut generator(64), 64, 6), blocks(64, &sizes)?);
        board.run(&Trial::new(&named("blocks", &sizes), &table, 6, &sequence, &[name])?.within(0.1))?;
    }
    let sizes = [2, 3, 4, 5];
    for name in NAMES {
        let (mut people, mut largest) = (56, None);
        loop {
            let (table, sequence) = (values(&mut generator(56), people, 4), blocks(people, &sizes)?);
            let trial = Trial::new(&named("blocks", &sizes), &table, 4, &sequence, &[name])?;
            let seconds = board.run(&trial.within_if((people == 56).then_some(2.0)))?;
            if !seconds.is_some_and(|seconds| seconds <= 60.0) {
                break;
            }
            largest = Some(people);
            if people >= 4096 {
                break;
            }
            people = if people == 56 { 72 } else { people * 4 / 3 / 8 * 8 };
        }
        let words = largest.map_or_else(|| "none".to_owned(), |people| format!("{people} people"));
        Board::note(&format!("{name}, blocks 2,3,4,5: the largest that was counted within a minute: {words}"));
    }
    Ok(())
}

fn hierarchies(board: &mut Board) -> Result<()> {
    for (case, leaves, bar) in [("leaves of 1-2", 1..=2, Some(1.0)), ("leaves of 2-3", 2..=3, None)] {
        let mut rng: ChaCha8Rng = generator(2000);
        let sequence = nested(&mut rng, 2000, 5, leaves, 16)?;
        let table = values(&mut rng, 2000, 5);
        for name in ["exclusive", "jump:1", "jump:2"] {
            board.run(&Trial::new(case, &table, 5, &sequence, &[name])?.within_if(bar))?;
        }
    }
    Ok(())
}

fn growth(board: &mut Board) -> Result<()> {
    for sizes in [[3, 4, 6], [6, 10, 15], [10, 15, 25]] {
        for people in [100, 200, 400, 800, 1600] {
            let (table, sequence) = (values(&mut generator(people as u64), people, 4), blocks(people, &sizes)?);
            board.run(&Trial::new(&named("blocks", &sizes), &table, 4, &sequence, &["exclusive"])?)?;
        }
    }
    Ok(())
}

/// `blocks 6,10,15`
fn named(word: &str, sizes: &[usize]) -> String {
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    format!("{word} {}", sizes.join(","))
}
