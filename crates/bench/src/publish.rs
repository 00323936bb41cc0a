//! Publishing the census table of 665,800 rows: `pellucid-bench publish [PUBLISHER...]`, every publisher when none is named.
//!
//! What is timed is a whole run of the job in memory, with l = 3: grouping, showing and measuring, without reading and writing files.

use std::time::Instant;

use pellucid_model::error::{Error, Result};
use pellucid_model::randomness::RandomSource;
use pellucid_model::registry::{PUBLISHER, RegistryEntry, find};
use pellucid_publish::job::{Job, JobAnswer};
use pellucid_publish::publisher::{PUBLISHERS, Publisher};

use crate::MEMORY;
use crate::search::Board;
use crate::usage::{UserClock, note};
use crate::workload::{self, Census};

/// The key of `[method]` whose value speaks of the columns of the table, and its value for the census.
const OF_TABLE: (&str, &str) = (
    "sequence",
    "[{ age = 4, education = 2, birthplace = 2 }, { age = \"top\", gender = \"top\", education = \"top\", birthplace = \"top\" }]",
);

/// Times the publishers named in `wanted`; there is no bar.
pub fn run(wanted: &[String]) -> Result<bool> {
    for name in wanted {
        find(PUBLISHERS, "publisher", name)?;
    }
    let Some(census) = Census::load()? else { return Ok(true) };
    Board::note(&format!("{:<12} {:>9} {:>9} {:>9} {:>9}", "publisher", "classes", "seconds", "user", "MiB"));
    for entry in PUBLISHERS.iter().filter(|entry| wanted.is_empty() || wanted.iter().any(|name| name == entry.id)) {
        if let Err(error) = publish(entry, &census) {
            Board::note(&format!("{:<12} refused: {error}", entry.id));
        }
    }
    Ok(true)
}

/// Publishes with the first example of the publisher.
fn publish(entry: &RegistryEntry<dyn Publisher>, census: &Census) -> Result<()> {
    let id = entry.id;
    let of_table = |key: &str, value| if key == OF_TABLE.0 { OF_TABLE.1 } else { value };
    let keys = entry.examples[0].iter().map(|&(key, value)| (key, of_table(key, value)));
    let keys = keys.chain([(PUBLISHER, id)]).map(|(key, value)| (key.to_owned(), value.to_owned()));
    let mut job = Job::read(workload::JOB, &[("privacy.l".to_owned(), "3".to_owned())])?;
    job.method = job.other_method(&keys.collect::<Vec<_>>())?;
    MEMORY.start();
    let (clock, user) = (Instant::now(), UserClock::start());
    let answer = job.check()?.run(&census.table, &census.hierarchies, RandomSource::InsecureSeed(1), &|_| Ok(()))?;
    let (seconds, user, bytes) = (clock.elapsed().as_secs_f64(), user.seconds(), MEMORY.peak() as u64);
    let JobAnswer::Release(release) = answer else { return Err(Error::invalid("nothing is released")) };
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    Board::note(&format!("{id:<12} {:>9} {seconds:>9.3} {user:>9.3} {mebibytes:>9.1}", release.manifest.classes));
    note(id, user, bytes)
}
