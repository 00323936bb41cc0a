//! Times the search of granulations: `pellucid-bench search [PART...]`, all parts when none is named.
//!
//! `adult` and `census` run the command `pellucid publish` in a fresh process, from reading the table to the written
//! release; the command lies beside this program. `million` and `genetic` search in this process, on lattices without
//! files, so that the memory can be counted. Times are the best of several runs; the time that the processors spent is
//! given too, which other work on the machine disturbs less.

mod adult;
mod board;
mod census;
mod cold;
mod genetic;
mod grown;
mod job;
mod million;

use pellucid_model::error::Result;

use crate::part::{Part, chosen};
pub use board::Board;

/// All parts.
const PARTS: &[Part<Board>] = &[
    Part { id: "adult", words: "Adult, 30,162 rows: cold and end to end, the best of 5", run: adult::run },
    Part {
        id: "census",
        words: "census, 600,000 rows: cold and end to end, as a ratio to a DuckDB sort",
        run: census::run,
    },
    Part { id: "million", words: "lattices of millions of granulations, grown tables, 5-anonymity", run: million::run },
    Part {
        id: "genetic",
        words: "the genetic search against the optimum, and where there is none to be had",
        run: genetic::run,
    },
];

/// Runs the parts named in `wanted`; whether every bar was met.
pub fn run(wanted: &[String]) -> Result<bool> {
    let mut board = Board::default();
    for part in chosen(PARTS, wanted)? {
        Board::note(&format!("\n{}", part.words));
        (part.run)(&mut board)?;
    }
    Ok(board.close())
}
