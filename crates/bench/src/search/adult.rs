//! Adult, with the hierarchies beside it.

use std::path::Path;

use pellucid_model::error::Result;

use super::board::Board;
use super::cold::{Cold, Taken};
use super::job::{FIVE_ANONYMITY, FIVE_DIVERSITY, JobFile};
use crate::part::data;

/// Seconds that a release may take, from the start of the process to its end.
const BAR: f64 = 0.3;

/// Runs of every job; the best counts.
const ROUNDS: usize = 5;

/// All columns but the occupation, which is sensitive in some jobs.
const QUASI: [&str; 8] =
    ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class"];

/// Shares of rows that may be left out.
const SUPPRESSIONS: [&str; 3] = ["0", "0.05", "1"];

/// Adult's file, or words that say why there is none.
pub fn table() -> Option<std::path::PathBuf> {
    let file = data("adult/adult.csv");
    if file.is_none() {
        Board::note("skipped: no table adult/adult.csv; set PELLUCID_DATA to the folder that holds it");
    }
    file
}

/// Nine quasi columns and 5-anonymity.
pub fn anonymous(file: &Path, measure: &'static str) -> JobFile {
    let job = JobFile::new(file, measure, FIVE_ANONYMITY);
    job.quasi(file, &QUASI, &["age"]).quasi(file, &["occupation"], &[])
}

/// Eight quasi columns, occupation sensitive.
pub fn diverse(file: &Path, measure: &'static str, privacy: &'static [(&'static str, &'static str)]) -> JobFile {
    JobFile::new(file, measure, privacy).quasi(file, &QUASI, &["age"]).other("occupation", "sensitive")
}

/// 5-anonymity and three kinds of 5-diversity, with three shares of rows that may be left out.
pub fn run(board: &mut Board) -> Result<()> {
    const MEASURE: &str = "non-uniform-entropy";
    let Some(file) = table() else { return Ok(()) };
    let cold = Cold::new()?;
    Board::note(&format!("{:<30} {}  bar {BAR}", "job", Taken::titles()));
    let jobs = FIVE_DIVERSITY.map(|privacy| diverse(&file, MEASURE, privacy));
    for job in [anonymous(&file, MEASURE)].into_iter().chain(jobs) {
        for suppression in SUPPRESSIONS {
            let job = job.suppressing(suppression);
            let mut best = cold.publish(&job)?;
            for _ in 1..ROUNDS {
                best = best.or(cold.publish(&job)?);
            }
            best.note(&format!("Adult, end to end, {}", job.words()))?;
            let ok = board.within(best.seconds, BAR);
            Board::note(&format!("{:<30} {}  {ok}", job.words(), best.columns()));
        }
    }
    Ok(())
}
