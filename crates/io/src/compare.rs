//! Runs a job with several methods on one table and keeps what there is to compare; nothing is written.

use std::path::Path;
use std::time::Instant;

use pellucid_core::error::{ErrorKind, Result};
use pellucid_core::exact::Fraction;
use pellucid_core::job::{Answer, Job, Method, Stage};
use pellucid_core::publish::{Nothing, Randomness};
use pellucid_core::release::Manifest;

use crate::publish::load;

/// What came of one method.
#[derive(Debug)]
pub struct Compared {
    /// The method.
    pub method: Method,
    /// How it ended.
    pub ended: Ended,
    /// How long it took, without reading the table.
    pub seconds: f64,
}

/// How a run ended.
#[derive(Debug)]
pub enum Ended {
    /// With a release.
    Released(Box<Released>),
    /// With the answer that nothing can be disclosed.
    Nothing(Nothing),
    /// Before it began: why the method does not take the job.
    Refused(String),
}

/// What is told of a release.
#[derive(Debug)]
pub struct Released {
    /// Its manifest, without files.
    pub manifest: Manifest,
    /// The largest share of one (protected) value, or confidential sentence, in a class.
    pub highest_share: Option<Fraction>,
}

/// Runs `job` with each of `methods` instead of its own. `progress` is told the method of every stage, none while reading.
///
/// # Errors
/// Whatever is wrong with the table or the files of the job. What is wrong with a method, or too much for it, is an answer.
pub fn compare(
    job: &Job,
    methods: Vec<Method>,
    base_dir: &Path,
    progress: &dyn Fn(Option<&Method>, Stage) -> Result<()>,
) -> Result<Vec<Compared>> {
    progress(None, Stage::Read)?;
    let (table, hierarchies) = load(job, base_dir)?;
    let run = |method: Method| {
        let begun = Instant::now();
        let job = Job { method: method.clone(), ..job.clone() };
        let answer = job.check().and_then(|checked| {
            checked.run(&table, &hierarchies, Randomness::System, &|stage| progress(Some(&method), stage))
        });
        let ended = match answer {
            Ok(Answer::Release(release)) => {
                Ended::Released(Box::new(Released { manifest: release.manifest, highest_share: release.highest_share }))
            }
            Ok(Answer::Nothing(nothing)) => Ended::Nothing(nothing),
            Err(error) => match error.kind() {
                ErrorKind::InvalidParameter
                | ErrorKind::LimitExceeded
                | ErrorKind::UnknownColumn
                | ErrorKind::BadHierarchy => Ended::Refused(error.message().to_owned()),
                _ => return Err(error),
            },
        };
        Ok(Compared { method, ended, seconds: begun.elapsed().as_secs_f64() })
    };
    methods.into_iter().map(run).collect()
}
