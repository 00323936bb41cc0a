//! The census table, in relation to a sort of it by `DuckDB` in the same run.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use pellucid_model::error::{Error, ErrorKind, Result};

use super::board::Board;
use super::cold::{Cold, Taken};
use super::job::{FIVE_ANONYMITY, FIVE_DIVERSITY, JobFile};
use crate::part::data;

/// How often the time of a sort from file to file a release may take, from the start of the process to its end: both read
/// the table and write one.
const BAR: f64 = 3.0;

/// Runs of every job, each beside a sort; the best of each counts.
const ROUNDS: usize = 5;

/// The quasi columns of all jobs.
const QUASI: [&str; 4] = ["age", "gender", "education", "birthplace"];

/// 5-anonymity with four and with six quasi columns, and three kinds of 5-diversity of the occupation.
pub fn run(board: &mut Board) -> Result<()> {
    let Some(file) = data("census/census.csv") else {
        Board::note("skipped: no table census/census.csv; set PELLUCID_DATA to the folder that holds it");
        return Ok(());
    };
    let cold = Cold::new()?;
    let mut sorter = Sorter::start(&file, cold.folder())?;
    if sorter.is_none() {
        Board::note("no ratio: PELLUCID_DUCKDB names no Python that has DuckDB; bench/run installs one");
    }
    let four = |privacy| {
        let job = JobFile::new(&file, "non-uniform-entropy", privacy).quasi(&file, &QUASI, &QUASI);
        job.other("occupation", "sensitive").other("income", "drop")
    };
    let more = ["occupation", "income"];
    let six = JobFile::new(&file, "non-uniform-entropy", FIVE_ANONYMITY).quasi(&file, &QUASI, &QUASI);
    let six = six.quasi(&file, &more, &more);
    Board::note(&format!("{:<34} {} {:>6} {:>6} {:>6}  bar {BAR}", "job", Taken::titles(), "sort", "ratio", "bare"));
    let jobs = [(4, four(FIVE_ANONYMITY)), (6, six)].into_iter();
    for (columns, job) in jobs.chain(FIVE_DIVERSITY.map(|privacy| (4, four(privacy)))) {
        for suppression in ["0", "0.05"] {
            let job = job.suppressing(suppression);
            let mut best: Option<Taken> = None;
            let mut sort = [f64::INFINITY; 2];
            for _ in 0..ROUNDS {
                if let Some(sorter) = &mut sorter {
                    let again = sorter.sort()?;
                    sort = [sort[0].min(again[0]), sort[1].min(again[1])];
                }
                let taken = cold.publish(&job)?;
                best = Some(best.map_or_else(|| taken.clone(), |best| best.or(taken.clone())));
            }
            let Some(best) = best else { continue };
            best.note(&format!("census, end to end, {columns} columns, {}", job.words()))?;
            let ratio = if sorter.is_some() {
                let ratios = sort.map(|sort| best.seconds / sort);
                let ok = board.within(ratios[1], BAR);
                format!("{:>6.3} {:>6.2} {:>6.2}  {ok}", sort[1], ratios[1], ratios[0])
            } else {
                format!("{:>6} {:>6} {:>6}", "-", "-", "-")
            };
            Board::note(&format!("{:<34} {} {ratio}", format!("{columns} columns, {}", job.words()), best.columns()));
        }
    }
    Board::note(
        "sort: reading the file, sorting by all columns and writing it; bare: the ratio to sorting the table in memory alone",
    );
    Ok(())
}

/// A process that sorts the table once for every line it is sent.
struct Sorter {
    process: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Sorter {
    /// Starts the sorter with the Python that `PELLUCID_DUCKDB` names, if it does.
    fn start(table: &Path, folder: &Path) -> Result<Option<Self>> {
        let Some(python) = std::env::var_os("PELLUCID_DUCKDB") else { return Ok(None) };
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/sort.py");
        let mut command = Command::new(&python);
        command.arg(script).arg(table).arg(folder.join("sorted.csv")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().map_err(|error| Error::io(python.to_string_lossy(), error))?;
        let to = process.stdin.take();
        let from = process.stdout.take().ok_or_else(silent)?;
        let mut sorter = Self { process, to, from: BufReader::new(from) };
        // The first sort reads the table and counts for nothing.
        sorter.sort()?;
        Ok(Some(sorter))
    }

    /// Seconds of a sort in memory, and of one from file to file.
    fn sort(&mut self) -> Result<[f64; 2]> {
        let sent = self.to.as_mut().map(|to| to.write_all(b"\n").and_then(|()| to.flush()));
        sent.ok_or_else(silent)?.map_err(|_| silent())?;
        let mut line = String::new();
        self.from.read_line(&mut line).map_err(|_| silent())?;
        let seconds: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        seconds.try_into().map_err(|_| silent())
    }
}

impl Drop for Sorter {
    /// The process ends when nothing more can come.
    fn drop(&mut self) {
        self.to = None;
        let _ = self.process.wait();
    }
}

fn silent() -> Error {
    Error::new(ErrorKind::Io, "the DuckDB sort does not answer; see whether the Python of PELLUCID_DUCKDB has duckdb")
}
