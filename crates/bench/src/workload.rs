//! Count queries: `pellucid-bench workload [PART...]`, all parts when none is named.
//!
//! How long 1000 queries on the census table of 665,800 rows take, and how much memory: answered exactly, and estimated from releases of every
//! function.

use std::time::Instant;

use pellucid_io::publish::with_hierarchies;
use pellucid_model::error::{Error, Result};
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::randomness::RandomSource;
use pellucid_model::table::Table;
use pellucid_publish::function::FUNCTIONS;
use pellucid_publish::job::{Job, JobAnswer};
use pellucid_publish::workload::{QueryTable, ReleaseReader, WorkloadErrors, WorkloadSettings};

use crate::MEMORY;
use crate::part::{Part, chosen, data};
use crate::search::Board;
use crate::usage::{UserClock, note};

/// Seconds that 1000 queries may take.
const BAR: f64 = 5.0;

/// Bytes for every row that reading a release and asking may take.
const BYTES: f64 = 64.0;

/// A job on the census table.
pub const JOB: &str = r#"
[input]
path = "census_occ.csv"
[columns]
age = { role = "quasi", hierarchy = { widths = [5, 10, 20, 40] } }
gender = { role = "quasi", hierarchy = { widths = [2] } }
education = { role = "quasi", hierarchy = { widths = [2, 4, 8] } }
birthplace = { role = "quasi", hierarchy = { widths = [4, 16] } }
occupation = { role = "sensitive" }
[privacy]
principle = "frequency-l-diversity"
l = 8
[method]
publisher = "hybrid"
"#;

/// All parts.
const PARTS: &[Part<Board>] = &[Part { id: "census", words: "1000 queries on the census table", run: census }];

/// Times the parts named in `wanted`; whether every bar was met.
pub fn run(wanted: &[String]) -> Result<bool> {
    let mut board = Board::default();
    for part in chosen(PARTS, wanted)? {
        Board::note(&format!("\n{}", part.words));
        (part.run)(&mut board)?;
    }
    Ok(board.close())
}

/// The census table, with the hierarchies of [`JOB`].
pub struct Census {
    /// The table.
    pub table: Table,
    /// By column of the table.
    pub hierarchies: Vec<Option<Hierarchy>>,
}

impl Census {
    /// Reads it; says so where it is not there.
    pub fn load() -> Result<Option<Self>> {
        let Some(path) = data("census/census_occ.csv") else {
            Board::note("skipped: no table census/census_occ.csv; set PELLUCID_DATA to the folder that has it");
            return Ok(None);
        };
        let table = crate::load(&path, "age,gender,education,birthplace", "occupation")?;
        let job = with_hierarchies(&Job::read(JOB, &[])?, path.parent().unwrap_or(&path))?;
        let hierarchies = job.hierarchies(&table)?;
        Ok(Some(Self { table, hierarchies }))
    }
}

fn census(board: &mut Board) -> Result<()> {
    let Some(Census { table, hierarchies }) = Census::load()? else { return Ok(()) };
    let job = Job::read(JOB, &[])?;
    MEMORY.start();
    let (clock, user) = (Instant::now(), UserClock::start());
    let ground = QueryTable::new(&table, &hierarchies);
    let workload = ground.draw(&WorkloadSettings::default())?;
    let answers = ground.answers(&workload);
    line(board, "answered on the table", [clock.elapsed().as_secs_f64(), user.seconds()], table.rows(), None)?;
    for function in FUNCTIONS {
        let release = release(&job, function.id, &table, &hierarchies)?;
        let spreads = release.spreads.as_ref().ok_or_else(|| Error::invalid("the release has no spreads"))?;
        MEMORY.start();
        let (clock, user) = (Instant::now(), UserClock::start());
        let reader = ReleaseReader::new(&ground, &release.exhibit, spreads)?;
        let estimates = reader.estimates(&workload);
        let seconds = [clock.elapsed().as_secs_f64(), user.seconds()];
        let error = WorkloadErrors::of(table.rows(), &answers, &estimates).mean;
        line(board, &format!("estimated from {}", function.id), seconds, table.rows(), Some(error))?;
    }
    Ok(())
}

fn release(
    job: &Job,
    function: &str,
    table: &Table,
    hierarchies: &[Option<Hierarchy>],
) -> Result<pellucid_publish::release::Release> {
    let mut job = job.clone();
    function.clone_into(&mut job.method.function);
    match job.check()?.spreading().run(table, hierarchies, RandomSource::InsecureSeed(1), &|_| Ok(()))? {
        JobAnswer::Release(release) => Ok(*release),
        JobAnswer::Nothing(_) => Err(Error::invalid("nothing is released")),
    }
}

fn line(board: &mut Board, what: &str, [seconds, user]: [f64; 2], rows: usize, error: Option<f64>) -> Result<()> {
    let peak = MEMORY.peak();
    let bytes = peak as f64 / rows as f64;
    let (in_time, in_room) = (board.within(seconds, BAR), board.within(bytes, BYTES));
    let error = error.map_or_else(String::new, |error| format!(", error {:.2} %", 100.0 * error));
    Board::note(&format!(
        "{what:<32} {seconds:>7.3} s, bar {BAR} {in_time}; {bytes:>5.1} bytes a row, bar {BYTES} {in_room}{error}"
    ));
    note(what, user, peak as u64)
}
