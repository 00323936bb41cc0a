//! The genetic search: how near it comes to the optimum, and that it answers where nothing else does.

use std::path::Path;
use std::time::Instant;

use pellucid_app::JobSession;
use pellucid_io::publish::load;
use pellucid_model::error::{ErrorKind, Result};
use pellucid_publish::job::Job;
use pellucid_publish::publisher::SearchAccount;

use super::adult::{anonymous, diverse, table};
use super::board::{Board, mebibytes};
use super::grown::{Asked, Grown};
use super::job::{FIVE_DIVERSITY, JobFile};
use crate::MEMORY;
use crate::usage::{UserClock, note};

/// Seeds of the genetic search.
const SEEDS: [&str; 3] = ["1", "2", "3"];

/// Nobody can be deduced to have one of two occupations.
const SENTENCES: &[(&str, &str)] =
    &[("principle", "logical-security"), ("sentences", "occupation in ('Exec-managerial', 'Prof-specialty')")];

/// When a search is given up.
const PATIENCE: f64 = 120.0;

/// On Adult, whose lattice can be walked, and on lattices that cannot.
pub fn run(board: &mut Board) -> Result<()> {
    if let Some(file) = table() {
        near(board, &file)?;
    }
    beyond(board)
}

/// What the genetic search reaches of the optimum that the fast one finds.
fn near(board: &mut Board, file: &Path) -> Result<()> {
    Board::note("score reached over optimum: at least 1 where less is better, at most 1 where more is");
    Board::note(&format!(
        "{:<28} {:<20} {:>12} {:>8} {:>8}  {:<26} {:>8} {:>8}",
        "job", "measure", "optimum", "checked", "seconds", "reached, by seed", "checked", "seconds"
    ));
    let distinct = |measure| diverse(file, measure, FIVE_DIVERSITY[0]);
    let secure = |measure| diverse(file, measure, SENTENCES);
    for (job, more_is_better) in [
        (secure("sf*ql"), true),
        (secure("ql"), true),
        (distinct("loss"), false),
        (anonymous(file, "loss"), false),
        (anonymous(file, "non-uniform-entropy"), false),
    ] {
        for suppression in ["0", "0.05"] {
            let job = job.suppressing(suppression);
            let (optimum, seconds) = account(&job, None)?;
            let genetic = job.genetic();
            let tries = SEEDS.map(|seed| account(&genetic, Some(seed)));
            let tries: Vec<(SearchAccount, f64)> = tries.into_iter().collect::<Result<_>>()?;
            let best = score(&optimum);
            let ratios: Vec<f64> = tries.iter().map(|(found, _)| score(found) / best).collect();
            // Nothing is better than the optimum, but for the last digit.
            let sound = |ratio: &f64| if more_is_better { *ratio <= 1.0 + 1e-9 } else { *ratio >= 1.0 - 1e-9 };
            let ok = board.holds(ratios.iter().all(sound));
            let shown: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.5}")).collect();
            let most = tries.iter().map(|(_, seconds)| *seconds).fold(0.0, f64::max);
            Board::note(&format!(
                "{:<28} {:<20} {best:>12.5} {:>8} {seconds:>8.3}  {:<26} {:>8} {most:>8.3}  {ok}",
                job.words(),
                job.measure(),
                optimum.checked,
                shown.join(" "),
                tries.iter().map(|(found, _)| found.checked).max().unwrap_or(0),
            ));
        }
    }
    Ok(())
}

fn score(found: &SearchAccount) -> f64 {
    found.best.as_ref().and_then(|best| best.score).unwrap_or(f64::NAN)
}

/// What the search of a job finds, and its seconds without those of reading.
fn account(job: &JobFile, seed: Option<&str>) -> Result<(SearchAccount, f64)> {
    let set = seed.map(|seed| ("method.seed".to_owned(), seed.to_owned()));
    let read = Job::read(&job.text(), set.as_slice())?;
    let (read, data) = load(&read, Path::new(""))?;
    MEMORY.start();
    let (clock, user) = (Instant::now(), UserClock::start());
    let found = JobSession::new(&read, &data).search()?;
    let seconds = clock.elapsed().as_secs_f64();
    let how = seed.map_or_else(|| "fast".to_owned(), |seed| format!("genetic, seed {seed}"));
    note(&format!("Adult, {}, {}, {how}", job.words(), job.measure()), user.seconds(), MEMORY.peak() as u64)?;
    Ok((found, seconds))
}

/// Lattices with more granulations than a search keeps tags for.
fn beyond(board: &mut Board) -> Result<()> {
    Board::note(
        "\nlattices too large to walk: the fast search must refuse, the genetic one must answer; measure `loss`",
    );
    Board::note(&format!(
        "{:<8} {:<16} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "columns", "nodes", "may omit", "loss", "checked", "seconds", "MiB kept", "MiB peak"
    ));
    for columns in [12, 24] {
        let grown = Grown::new(20_000, &vec![10; columns]);
        for one_in in [None, Some(20)] {
            let refused = grown.search("fast", Asked::Best, one_in, PATIENCE).err();
            let is_typed = refused.as_ref().is_some_and(|error| error.kind() == ErrorKind::LimitExceeded);
            let words = refused.map_or_else(|| "it answers".to_owned(), |error| error.to_string());
            let fast = board.holds(is_typed);
            let found = grown.search("genetic", Asked::Best, one_in, PATIENCE)?;
            let omit = if one_in.is_some() { "5 %" } else { "0 %" };
            note(&format!("genetic, {columns} columns, {omit}"), found.user, found.peak as u64)?;
            let loss = found
                .hits
                .first()
                .and_then(|hit| hit.score.as_ref())
                .map(pellucid_publish::search::MeasureScore::value);
            let answers = board.holds(loss.is_some());
            Board::note(&format!(
                "{columns:<8} {:<16} {:>8} {:>8.4} {:>8} {:>8.3} {:>8.1} {:>8.1}  {answers}",
                found.effort.nodes,
                omit,
                loss.unwrap_or(f64::NAN),
                found.effort.checked,
                found.seconds,
                mebibytes(found.effort.bytes as u64),
                mebibytes(found.peak as u64),
            ));
            Board::note(&format!("  fast: {words}  {fast}"));
        }
    }
    Ok(())
}
