//! Lattices of a million and of ten million granulations.

use pellucid_model::error::{ErrorKind, Result};

use super::board::{Board, mebibytes};
use super::grown::{Asked, Grown};
use crate::usage::note;

/// Rows of the tables.
const ROWS: usize = 20_000;

/// When a search is given up.
const PATIENCE: f64 = 120.0;

/// By table: levels of its columns, and the seconds that a search may take.
const TABLES: [(&[u32], f64); 3] = [(&[10; 6], 10.0), (&[6, 6, 6, 6, 6, 5, 5, 5], 10.0), (&[10; 7], 60.0)];

/// The best granulation without suppression and with it, and all maximally specific ones.
pub fn run(board: &mut Board) -> Result<()> {
    Board::note(&format!(
        "{:<8} {:>7} {:>9} {:<8} {:>8} {:>8} {:>6} {:>8} {:>8} {:>8} {:>8} {:>5}",
        "columns",
        "rows",
        "nodes",
        "asked",
        "may omit",
        "checked",
        "found",
        "seconds",
        "us/check",
        "MiB kept",
        "MiB peak",
        "bar"
    ));
    for (levels, bar) in TABLES {
        let grown = Grown::new(ROWS, levels);
        let nodes: u64 = levels.iter().map(|&levels| u64::from(levels)).product();
        for (asked, one_in, bar) in
            [(Asked::Best, None, Some(bar)), (Asked::Best, Some(20), Some(bar)), (Asked::Minimal, None, None)]
        {
            let asks = if asked == Asked::Best { "best" } else { "minimal" };
            let omit = if one_in.is_some() { "5 %" } else { "0 %" };
            let case = format!("{:<8} {:>7} {nodes:>9} {asks:<8} {omit:>8}", grown.columns(), grown.rows());
            let found = match grown.search("fast", asked, one_in, PATIENCE) {
                Ok(found) => found,
                Err(error) if error.kind() == ErrorKind::Interrupted => {
                    let ok = if bar.is_some() { board.holds(false) } else { "" };
                    Board::note(&format!("{case} {error}  {ok}"));
                    continue;
                }
                Err(error) => return Err(error),
            };
            let ok = bar.map_or_else(String::new, |bar| format!("{bar:>5}  {}", board.within(found.seconds, bar)));
            note(
                &format!("million, {} columns, {nodes} nodes, {asks}, {omit}", grown.columns()),
                found.user,
                found.peak as u64,
            )?;
            let checked = found.effort.checked;
            Board::note(&format!(
                "{case} {checked:>8} {:>6} {:>8.3} {:>8.0} {:>8.1} {:>8.1} {ok}",
                found.hits.len(),
                found.seconds,
                found.seconds * 1e6 / checked.max(1) as f64,
                mebibytes(found.effort.bytes as u64),
                mebibytes(found.peak as u64),
            ));
        }
    }
    Ok(())
}
