//! A job and its table: what can be done with them.

use std::cell::RefCell;
use std::fmt;
use std::time::{Duration, Instant};

use pellucid_model::error::Result;
use pellucid_model::hierarchy::HierarchySpec;
use pellucid_model::manifest::Manifest;
use pellucid_model::progress::RunStage;
use pellucid_model::randomness::RandomSource;
use pellucid_publish::job::{Job, JobAnswer};
use pellucid_publish::publisher::{NoRelease, SearchAccount};
use serde::{Serialize, Serializer};

use crate::dataset::JobData;
use crate::output::ReleaseOutput;

/// A job with its table: publishes, searches and attacks, and tells a callback how far work has come.
///
/// # Guarantee
/// No file is read or written. The same job, table and randomness give the tables and the manifest that `pellucid publish` writes.
///
/// # Cost
/// Publishing takes about as long as sorting the table, for the publishers that are proven; a search of the lattice of levels can take
/// much longer. An error from the callback ends any work soon.
///
/// # Example
/// ```
/// # use pellucid_app::JobData;
/// use pellucid_app::{Error, ErrorKind, PublishAnswer, JobSession, RunStage};
///
/// # let (job, patients) = pellucid_app::example::six_people();
/// # let data = JobData::from_batches(&job, &patients)?;
/// let session = JobSession::new(&job, &data);
/// let PublishAnswer::Release(release) = session.publish()? else { panic!("groups of two are possible") };
/// assert_eq!(release.manifest().rows, 6);
///
/// // Somebody wants to stop: nothing is made.
/// let stop = |stage: RunStage| match stage {
///     RunStage::Group => Err(Error::new(ErrorKind::Interrupted, "stopped by the user")),
///     _ => Ok(()),
/// };
/// let stopped = session.with_progress(&stop).publish();
/// assert_eq!(stopped.unwrap_err().kind(), ErrorKind::Interrupted);
///
/// // The most specific levels of hierarchies with which the principle holds; nothing is released.
/// let levels = job.with_publisher("search")?;
/// let found = JobSession::new(&levels, &data).search()?;
/// assert_eq!(found.rows, 6);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct JobSession<'a> {
    pub(crate) job: &'a Job,
    pub(crate) data: &'a JobData,
    pub(crate) progress: &'a dyn Fn(RunStage) -> Result<()>,
    randomness: RandomSource<'a>,
    explain: bool,
    report: bool,
}

impl fmt::Debug for JobSession<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("publisher", &self.job.method.publisher)
            .field("rows", &self.data.rows())
            .finish()
    }
}

/// What publishing came to: a release, or the typed answer that none is possible. Neither is an error.
///
/// # Example
/// At most a seventh of a group may have the same value, which takes seven people at least:
/// ```
/// # use pellucid_app::{JobData, Error};
/// use pellucid_app::{Job, PublishAnswer, JobSession};
///
/// # let (_, patients) = pellucid_app::example::six_people();
/// let job = Job::read(&pellucid_app::example::JOB.replace("l = 2", "l = 7"), &[])?;
/// let data = JobData::from_batches(&job, &patients)?;
/// match JobSession::new(&job, &data).publish()? {
///     PublishAnswer::Release(_) => panic!("no grouping meets the principle"),
///     PublishAnswer::Nothing(why) => assert!(format!("{why:?}").contains("disease")),
/// }
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub enum PublishAnswer {
    /// A release in memory.
    Release(Box<ReleaseOutput>),
    /// Nothing can be disclosed.
    Nothing(NoRelease),
}

impl Serialize for PublishAnswer {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Release(release) => release.serialize(serializer),
            Self::Nothing(nothing) => nothing.serialize(serializer),
        }
    }
}

impl<'a> JobSession<'a> {
    /// `job` with its table `data`; random choices come from the operating system.
    pub fn new(job: &'a Job, data: &'a JobData) -> Self {
        Self { job, data, progress: &|_| Ok(()), randomness: RandomSource::System, explain: false, report: true }
    }

    /// The same; `progress` is told of every stage as it begins, and again and again in long ones. An error from it ends the work.
    #[must_use]
    pub fn with_progress(self, progress: &'a dyn Fn(RunStage) -> Result<()>) -> Self {
        Self { progress, ..self }
    }

    /// The same with replayable choices, for tests and experiments: whoever knows the seed can undo the release, which is marked as not
    /// for publication.
    #[must_use]
    pub fn with_insecure_seed(self, seed: u64) -> Self {
        self.with_randomness(RandomSource::InsecureSeed(seed))
    }

    /// The same with choices from `randomness`.
    #[must_use]
    pub fn with_randomness(self, randomness: RandomSource<'a>) -> Self {
        Self { randomness, ..self }
    }

    /// The same; the publisher accounts for everything that it could have looked at.
    #[must_use]
    pub fn explaining(self, explain: bool) -> Self {
        Self { explain, ..self }
    }

    /// The same without what only a report needs, such as the error of counts.
    #[must_use]
    pub fn without_report(self) -> Self {
        Self { report: false, ..self }
    }

    /// What was handed to the constructor, unchanged.
    pub fn job(&self) -> &'a Job {
        self.job
    }

    /// The table.
    pub fn data(&self) -> &'a JobData {
        self.data
    }

    /// Makes the release of the job.
    ///
    /// # Errors
    /// Whatever is wrong with job or table, and errors of the progress callback. That nothing can be disclosed is an answer.
    pub fn publish(&self) -> Result<PublishAnswer> {
        let checked = self.job.check()?.explaining(self.explain);
        let report = self.job.report.clone().unwrap_or_default();
        let threshold = report.threshold()?;
        let spreads = self.report && (report.queries() > 0 || self.data.register().is_some());
        let checked = if spreads { checked.spreading() } else { checked };
        let clock = StageClock::new(self.progress);
        let begin = |stage| clock.begin(stage);
        let answer = checked.run(self.data.table(), self.data.hierarchies(), self.randomness, &begin)?;
        Ok(match answer {
            JobAnswer::Release(release) => {
                let unique = self.data.unique_rows();
                PublishAnswer::Release(Box::new(ReleaseOutput::new(*release, threshold, unique, clock.so_far())))
            }
            JobAnswer::Nothing(nothing) => PublishAnswer::Nothing(nothing),
        })
    }

    /// The files of hierarchies, which are part of the mechanism: the place of the column in `manifest`, and the content.
    pub fn hierarchy_files(&self, manifest: &Manifest) -> Vec<(usize, Vec<u8>)> {
        let content = |name: &str| match self.job.columns.get(name)?.hierarchy.as_ref()? {
            HierarchySpec::File(file) => Some(file.content()?.to_vec()),
            _ => None,
        };
        let columns = manifest.columns.iter().enumerate();
        columns.filter_map(|(at, column)| Some((at, content(&column.name)?))).collect()
    }

    /// What the search of the job finds in the lattice of the table; nothing is released.
    ///
    /// # Errors
    /// When the job's publisher searches no lattice, and those of [`JobSession::publish`].
    pub fn search(&self) -> Result<SearchAccount> {
        self.job.check()?.search(self.data.table(), self.data.hierarchies(), self.progress)
    }
}

/// Announces stages and measures how long they take.
pub struct StageClock<'a> {
    progress: &'a dyn Fn(RunStage) -> Result<()>,
    begun: RefCell<Vec<(RunStage, Instant)>>,
}

impl<'a> StageClock<'a> {
    /// Nothing has begun; `progress` will be told.
    pub fn new(progress: &'a dyn Fn(RunStage) -> Result<()>) -> Self {
        Self { progress, begun: RefCell::default() }
    }

    /// Begins `stage`, or goes on with it.
    ///
    /// # Errors
    /// That of the one who is told.
    pub fn begin(&self, stage: RunStage) -> Result<()> {
        let mut begun = self.begun.borrow_mut();
        if begun.last().is_none_or(|last| last.0.label() != stage.label()) {
            begun.push((stage, Instant::now()));
        }
        drop(begun);
        (self.progress)(stage)
    }

    /// Stages that have begun, and how long they took until now.
    pub fn so_far(&self) -> Vec<(RunStage, Duration)> {
        let begun = self.begun.borrow();
        let ends = begun.iter().skip(1).map(|next| next.1).chain([Instant::now()]);
        begun.iter().zip(ends).map(|(&(stage, start), end)| (stage, end - start)).collect()
    }
}
