//! Publishing the census table of 665,800 rows: `pellucid-bench publish [PUBLISHER...]`, every publisher when none is named.
//!
//! What is timed is a whole run of the job in memory, with l = 3: grouping, showing and measuring, without reading and writing files.

use std::time::Instant;

use pellucid_model::error::{Error, Result};
use pellucid_model::randomness::Randomness;
use pellucid_model::registry::{PUBLISHER, find};
use pellucid_publish::job::{Answer, Job};
use pellucid_publish::publisher::PUBLISHERS;

use crate::MEMORY;
use crate::search::Board;
use crate::usage::{UserClock, note};
use crate::workload::{self, Census};

/// By publisher the keys of `[method]` that it needs.
const KEYS: [(&str, &str, &str); 2] = [
    (
        "sequence",
        "sequence",
        "[{ age = 4, education = 2, birthplace = 2 }, { age = \"top\", gender = \"top\", education = \"top\", birthplace = \"top\" }]",
    ),
    ("best-of", "of", "[\"tailor\", \"mondrian\"]"),
];

/// Times the publishers named in `wanted`; there is no bar.
pub fn run(wanted: &[String]) -> Result<bool> {
    for name in wanted {
        find(PUBLISHERS, "publisher", name)?;
    }
    let Some(census) = Census::load()? else { return Ok(true) };
    Board::note(&format!("{:<12} {:>9} {:>9} {:>9} {:>9}", "publisher", "classes", "seconds", "user", "MiB"));
    for entry in PUBLISHERS.iter().filter(|entry| wanted.is_empty() || wanted.iter().any(|name| name == entry.id)) {
        if let Err(error) = publish(entry.id, &census) {
            Board::note(&format!("{:<12} refused: {error}", entry.id));
        }
    }
    Ok(true)
}

fn publish(id: &str, census: &Census) -> Result<()> {
    let keys = KEYS.iter().filter(|(publisher, ..)| *publisher == id).map(|&(_, key, value)| (key, value));
    let keys = keys.chain([(PUBLISHER, id)]).map(|(key, value)| (key.to_owned(), value.to_owned()));
    let mut job = Job::read(workload::JOB, &[("privacy.l".to_owned(), "3".to_owned())])?;
    job.method = job.other_method(&keys.collect::<Vec<_>>())?;
    MEMORY.start();
    let (clock, user) = (Instant::now(), UserClock::start());
    let answer = job.check()?.run(&census.table, &census.hierarchies, Randomness::InsecureSeed(1), &|_| Ok(()))?;
    let (seconds, user, bytes) = (clock.elapsed().as_secs_f64(), user.seconds(), MEMORY.peak() as u64);
    let Answer::Release(release) = answer else { return Err(Error::invalid("nothing is released")) };
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    Board::note(&format!("{id:<12} {:>9} {seconds:>9.3} {user:>9.3} {mebibytes:>9.1}", release.manifest.classes));
    note(id, user, bytes)
}
