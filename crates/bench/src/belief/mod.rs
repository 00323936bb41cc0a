//! Times the belief engine: `pellucid-bench belief [PART...]`, all parts when none is named.
//!
//! Tables are drawn from fixed seeds and everything counted is exact. In tables called `passing` no group of the last
//! function fails, because a group that fails in every world leaves little to count. Unless a part says otherwise the principle is
//! highest ratio 1/2, and what is timed is following the strategy and counting the disclosure set of the last function
//! with its highest ratio, which is the dearest one.

mod adult;
mod board;
mod shapes;

use pellucid_inference::sequence::{self, Sequence, Strategy};
use pellucid_model::error::Result;
use pellucid_model::registry::EntryArgs;

use crate::part::{Part, chosen};
use board::{Board, Trial};
use shapes::{blocks, generator, intervals, nested, passing, table_8, values, varied};

/// All parts.
const PARTS: &[Part<Board>] = &[
    Part { id: "table-8", words: "table 8 of Liu, Wang and Zhang, every disclosure set of every strategy", run: eight },
    Part { id: "intervals", words: "exclusive on intervals that do not nest, 4 values", run: along_intervals },
    Part { id: "strategies", words: "safe and k-jump on intervals", run: strategies },
    Part { id: "nested", words: "five nested functions, 2000 people, 5 values", run: hierarchies },
    Part { id: "adult", words: "Adult by age, occupation: 5, 10, 20, 40 years, everyone", run: adult::run },
    Part { id: "growth", words: "exclusive: growth with people and size of blocks, 4 values", run: growth },
];

/// Runs the parts named in `wanted`; whether every bar was met.
pub fn run(wanted: &[String]) -> Result<bool> {
    let mut board = Board::default();
    for part in chosen(PARTS, wanted)? {
        Board::section(part.words);
        (part.run)(&mut board)?;
    }
    Ok(board.close())
}

/// The strategy called `naive`, `safe`, `exclusive`, or `jump:` and the distances.
fn strategy(name: &str) -> Result<Box<dyn Strategy>> {
    match name.strip_prefix("jump:") {
        Some(jumps) => sequence::make("k-jump", &EntryArgs::new().with("jumps", jumps)),
        None => sequence::make(name, &EntryArgs::new()),
    }
}

fn eight(board: &mut Board) -> Result<()> {
    let (table, sequence) = table_8()?;
    let names = ["naive", "safe", "exclusive", "jump:1", "jump:2", "jump:3"];
    board.run(&Trial::new("table 8", &table, 10, &sequence, &names)?.every_step().within(0.01))?;
    Ok(())
}

/// How a table is drawn: freely, so that the last function passes, or so that its groups hold as many values as they can.
#[derive(Clone, Copy, PartialEq)]
enum Drawn {
    Freely,
    Passing,
    Varied,
}

impl Drawn {
    fn table(self, sequence: &Sequence, cardinality: u32) -> Vec<u32> {
        let mut rng = generator(sequence.people() as u64);
        match self {
            Self::Freely => values(&mut rng, sequence.people(), cardinality),
            Self::Passing => passing(&mut rng, sequence, cardinality),
            Self::Varied => varied(&mut rng, sequence, cardinality),
        }
    }

    /// `blocks`, `passing` or `varied`
    fn word(self) -> &'static str {
        match self {
            Self::Freely => "blocks",
            Self::Passing => "passing",
            Self::Varied => "varied",
        }
    }

    /// `blocks 6,10,15`, or `passing 6,10,15`
    fn named(self, sizes: &[usize]) -> String {
        named(self.word(), sizes)
    }
}

fn along_intervals(board: &mut Board) -> Result<()> {
    for drawn in [Drawn::Freely, Drawn::Passing] {
        for (people, sizes, bar) in [
            (200, [6, 10, 15], Some(0.1)),
            (200, [10, 15, 25], Some(1.0)),
            (2000, [6, 10, 15], None),
            (5000, [6, 10, 15], None),
            (10_000, [6, 10, 15], None),
            (20_000, [6, 10, 15], Some(30.0)),
        ] {
            let sequence = blocks(people, &sizes)?;
            let table = drawn.table(&sequence, 4);
            board.run(&Trial::new(&drawn.named(&sizes), &table, 4, &sequence, &["exclusive"])?.within_if(bar))?;
        }
    }
    for (people, sizes) in [(200, [6, 10, 15]), (2000, [6, 10, 15]), (200, [10, 15, 25])] {
        let shifted: Vec<(usize, usize)> = sizes.iter().zip(0..).map(|(&size, offset)| (size, offset)).collect();
        let sequence = intervals(people, &shifted)?;
        let table = Drawn::Passing.table(&sequence, 4);
        board.run(&Trial::new(&named("passing, shifted", &sizes), &table, 4, &sequence, &["exclusive"])?)?;
    }
    Ok(())
}

fn strategies(board: &mut Board) -> Result<()> {
    const NAMES: [&str; 3] = ["safe", "jump:1", "jump:2"];
    for (people, cardinality, sizes, bar) in [(64, 6, &[2, 3, 4][..], 0.1), (56, 4, &[2, 3, 4, 5], 2.0)] {
        let sequence = blocks(people, sizes)?;
        for drawn in [Drawn::Freely, Drawn::Passing, Drawn::Varied] {
            let table = drawn.table(&sequence, cardinality);
            for name in NAMES {
                let trial = Trial::new(&drawn.named(sizes), &table, cardinality as usize, &sequence, &[name])?;
                // Varied tables are the hardest there are; with four functions they are shown for information.
                let hardest = drawn == Drawn::Varied && sizes.len() == 4;
                board.run(&trial.within_if((!hardest).then_some(bar)))?;
            }
        }
    }
    // Tables drawn freely are easy here: some group is bound to fail. From small to large, the others show how far it goes.
    for (drawn, sizes, cardinality, target, bar) in
        [(Drawn::Varied, &[2, 3, 4][..], 6, 64, 0.1), (Drawn::Passing, &[2, 3, 4, 5], 4, 56, 2.0)]
    {
        for name in NAMES {
            let (mut people, mut largest) = (16, 0);
            while people <= 4096 {
                let sequence = blocks(people, sizes)?;
                let table = drawn.table(&sequence, cardinality);
                let trial = Trial::new(&drawn.named(sizes), &table, cardinality as usize, &sequence, &[name])?;
                let seconds = board.run(&trial.within_if((people == target).then_some(bar)))?;
                if !seconds.is_some_and(|seconds| seconds <= 60.0) {
                    break;
                }
                largest = people;
                people = if people < 64 { people + 8 } else { people * 5 / 4 / 8 * 8 };
            }
            Board::note(&format!("{name}: the largest counted within a minute: {largest} people"));
            if people < target {
                board.miss(&format!("{name}, {target} people within {bar} seconds"));
            }
        }
    }
    Ok(())
}

fn hierarchies(board: &mut Board) -> Result<()> {
    for least in [1, 2] {
        let sequence = nested(&mut generator(2000), 2000, 5, least, 16)?;
        for drawn in [Drawn::Freely, Drawn::Passing] {
            let table = drawn.table(&sequence, 5);
            let case = format!("{} leaves from {least}", drawn.word());
            for name in ["exclusive", "safe", "jump:1", "jump:2"] {
                board.run(&Trial::new(&case, &table, 5, &sequence, &[name])?.within(1.0))?;
            }
        }
    }
    Ok(())
}

fn growth(board: &mut Board) -> Result<()> {
    for sizes in [[3, 4, 6], [6, 10, 15], [10, 15, 25]] {
        for people in [100, 200, 400, 800, 1600] {
            let sequence = blocks(people, &sizes)?;
            let table = Drawn::Passing.table(&sequence, 4);
            board.run(&Trial::new(&Drawn::Passing.named(&sizes), &table, 4, &sequence, &["exclusive"])?)?;
        }
    }
    Ok(())
}

/// A word and the sizes of blocks.
fn named(word: &str, sizes: &[usize]) -> String {
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    format!("{word} {}", sizes.join(","))
}
