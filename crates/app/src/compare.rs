//! Runs a job in several ways on one table and measures what there is to compare; nothing is published.

use std::cell::Cell;
use std::fmt;
use std::time::Instant;

use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::exact::Fraction;
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::manifest::Manifest;
use pellucid_model::progress::RunStage;
use pellucid_model::randomness::RandomSource;
use pellucid_model::table::Table;
use pellucid_publish::job::{AttackAnswer, AttackFindings, Job, JobAnswer, ReportJob};
use pellucid_publish::publisher::NoRelease;
use pellucid_publish::release::{Release, ReleaseCosts};
use pellucid_publish::risk::{ClassSizes, ReidentificationRisk, assess};
use pellucid_publish::workload::{QueryTable, QueryWorkload, ReleaseReader, WorkloadErrors, WorkloadSettings};

use crate::attack::AttackRequest;
use crate::dataset::JobData;
use crate::session::JobSession;

/// Publishers side by side on one table; nothing is published.
///
/// # Guarantee
/// What is wrong with a case, or too much for it, is an answer. Do not pick a publisher because it wins: the choice itself leaks
/// information about the data, whatever each publisher promises.
///
/// # Cost
/// Every case is run in full. Attacks and queries can take much longer than that, and are left out unless they are asked for.
///
/// # Example
/// ```
/// # use pellucid_app::{JobData, Error};
/// use pellucid_app::{AttackRequest, Comparison};
///
/// # let (job, patients) = pellucid_app::example::six_people();
/// # let data = JobData::from_batches(&job, &patients)?;
/// let attack = Some(AttackRequest::default());
/// let comparison = Comparison { attack, ..Comparison::of_publishers(&job, &["tailor", "mondrian"])? };
/// for compared in comparison.run(&data)? {
///     let figures = compared.figures().expect("both can publish this table");
///     println!("{}: {} classes", compared.case.name, figures.manifest.classes);
/// }
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Comparison<'a> {
    /// What is compared: at least one case, all on one table with the same columns.
    pub cases: Vec<ComparisonCase>,
    /// The queries that are estimated from each release, unless none are.
    pub queries: Option<QuerySweep>,
    /// Records with a higher risk are counted.
    pub threshold: Fraction,
    /// How releases are attacked, unless they are not.
    pub attack: Option<AttackRequest>,
    /// Told the number of the case and its stage, no case while reading. An error ends the work.
    pub progress: &'a dyn Fn(Option<usize>, RunStage) -> Result<()>,
}

/// One way to publish a table.
#[derive(Debug, Clone)]
pub struct ComparisonCase {
    /// What it is called.
    pub name: String,
    /// The value of the parameter that is varied, where one is.
    pub at: Option<String>,
    /// The whole job, so that cases can differ in anything but their columns.
    pub job: Job,
    /// Whether errors are measured by dimensionality and by selectivity too.
    pub sweep: bool,
}

impl fmt::Debug for Comparison<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.cases.iter().map(|case| case.name.as_str()).collect();
        f.debug_struct("Comparison").field("cases", &names).finish_non_exhaustive()
    }
}

impl Comparison<'_> {
    /// Neither queries nor attacks; records with a risk above 1/5 are counted.
    pub fn new(cases: Vec<ComparisonCase>) -> Self {
        let threshold = ReportJob::default().threshold().expect("the default can be read");
        Self { cases, queries: None, threshold, attack: None, progress: &|_, _| Ok(()) }
    }

    /// The same with a case for each of the publishers `ids`, all on the table of `job` and with its principles.
    ///
    /// # Errors
    /// When there is no such publisher.
    pub fn of_publishers(job: &Job, ids: &[&str]) -> Result<Self> {
        let case = |id: &&str| {
            let job = job.with_publisher(id)?;
            Ok(ComparisonCase { name: (*id).to_owned(), at: None, job, sweep: false })
        };
        Ok(Self::new(ids.iter().map(case).collect::<Result<_>>()?))
    }

    /// Runs every case and measures it.
    ///
    /// # Errors
    /// Whatever is wrong with the table or the settings.
    pub fn run(self, data: &JobData) -> Result<Vec<ComparedRelease>> {
        if self.cases.is_empty() {
            return Err(Error::invalid("there is nothing to compare; name at least one publisher"));
        }
        let queries = self.queries.as_ref().map(|sweep| Queries::ask(data.table(), data.hierarchies(), sweep));
        let queries = queries.transpose()?;
        let Self { cases, threshold, attack, progress, .. } = self;
        let bench = Bench { data, queries: queries.as_ref(), threshold, attack, progress };
        cases.into_iter().enumerate().map(|(at, case)| bench.run(at, case)).collect()
    }
}

/// Workloads: the usual one, and others that differ from it in one setting.
#[derive(Debug, Clone)]
pub struct QuerySweep {
    /// The usual settings.
    pub settings: WorkloadSettings,
    /// Other dimensionalities; those that the table has no columns for are left out.
    pub dimensions: Vec<usize>,
    /// Other selectivities.
    pub selectivities: Vec<f64>,
}

impl QuerySweep {
    /// This many queries with the usual settings, and no others.
    pub fn usual(queries: usize) -> Self {
        Self {
            settings: WorkloadSettings { queries, ..WorkloadSettings::default() },
            dimensions: Vec::new(),
            selectivities: Vec::new(),
        }
    }

    /// `usual` settings, and beside them the dimensionalities and selectivities of the experiments of Xiao, Tao and Koudas.
    pub fn of_paper(usual: WorkloadSettings) -> Self {
        Self { settings: usual, dimensions: vec![2, 3, 4, 5], selectivities: vec![0.02, 0.04, 0.06, 0.08, 0.1] }
    }
}

/// What came of one case of a [`Comparison`].
///
/// # Example
/// ```
/// # use pellucid_app::{Comparison, JobData, Error};
/// use pellucid_app::ComparedRelease;
///
/// fn line(compared: &ComparedRelease) -> String {
///     match compared.figures() {
///         Some(figures) => format!("{}: {} classes", compared.case.name, figures.manifest.classes),
///         None => format!("{}: no release", compared.case.name),
///     }
/// }
/// # let (job, patients) = pellucid_app::example::six_people();
/// # let data = JobData::from_batches(&job, &patients)?;
/// let compared = Comparison::of_publishers(&job, &["tailor"])?.run(&data)?;
/// assert_eq!(line(&compared[0]), "tailor: 3 classes");
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct ComparedRelease {
    /// The case, as it was given.
    pub case: ComparisonCase,
    /// How it ended.
    pub ended: CaseEnding,
    /// How long making the release took, without reading the table.
    pub seconds: f64,
}

impl ComparedRelease {
    /// What is told of the release, if there is one.
    pub fn figures(&self) -> Option<&ReleaseFigures> {
        match &self.ended {
            CaseEnding::Released(figures) => Some(figures),
            CaseEnding::Nothing(_) | CaseEnding::Refused(_) => None,
        }
    }
}

/// How a case ended.
#[derive(Debug)]
pub enum CaseEnding {
    /// With a release.
    Released(Box<ReleaseFigures>),
    /// With the answer that nothing can be disclosed.
    Nothing(NoRelease),
    /// Before it began: why the method does not take the job.
    Refused(String),
}

/// What is told of a release that is compared.
#[derive(Debug)]
pub struct ReleaseFigures {
    /// Its manifest, without files.
    pub manifest: Manifest,
    /// The largest share of one (protected) value, or confidential sentence, in a class.
    pub highest_share: Option<Fraction>,
    /// What it costs.
    pub costs: ReleaseCosts,
    /// By model, its id and how likely records are found.
    pub risks: Vec<(&'static str, ReidentificationRisk)>,
    /// The errors of queries.
    pub errors: Option<QueryErrors>,
    /// What an attack found, or why that is not known.
    pub attack: Option<Result<Box<AttackFindings>, String>>,
}

/// The errors of queries that are estimated from a release.
#[derive(Debug, Clone, Default)]
pub struct QueryErrors {
    /// Of the usual workload.
    pub usual: Option<WorkloadErrors>,
    /// By dimensionality.
    pub by_dimensions: Vec<(usize, WorkloadErrors)>,
    /// By selectivity.
    pub by_selectivity: Vec<(f64, WorkloadErrors)>,
}

/// Workloads with their answers on the table.
struct Queries {
    ground: QueryTable,
    usual: (QueryWorkload, Vec<u64>),
    by_dimensions: Vec<(usize, QueryWorkload, Vec<u64>)>,
    by_selectivity: Vec<(f64, QueryWorkload, Vec<u64>)>,
}

impl Queries {
    fn ask(table: &Table, hierarchies: &[Option<Hierarchy>], sweep: &QuerySweep) -> Result<Self> {
        let ground = QueryTable::new(table, hierarchies);
        let ask = |settings: WorkloadSettings| {
            let workload = ground.draw(&settings)?;
            let answers = ground.answers(&workload);
            Ok::<_, Error>((workload, answers))
        };
        let usual = ask(sweep.settings).map_err(|error| error.context("--dimensions"))?;
        let most = ground.draw(&WorkloadSettings { queries: 1, dimensions: None, ..sweep.settings })?.dimensions;
        let dimensions = sweep.dimensions.iter().filter(|&&dimensions| (1..=most).contains(&dimensions));
        let by_dimensions = dimensions.map(|&dimensions| {
            let (workload, answers) = ask(WorkloadSettings { dimensions: Some(dimensions), ..sweep.settings })?;
            Ok((dimensions, workload, answers))
        });
        let by_dimensions = by_dimensions.collect::<Result<_>>()?;
        let by_selectivity = sweep.selectivities.iter().map(|&selectivity| {
            let (workload, answers) = ask(WorkloadSettings { selectivity, ..sweep.settings })?;
            Ok((selectivity, workload, answers))
        });
        let by_selectivity = by_selectivity.collect::<Result<_>>()?;
        Ok(Self { ground, usual, by_dimensions, by_selectivity })
    }

    fn errors(&self, release: &Release, sweep: bool) -> Result<QueryErrors> {
        let Some(spreads) = &release.spreads else { return Ok(QueryErrors::default()) };
        let reader = ReleaseReader::new(&self.ground, &release.exhibit, spreads)?;
        let of = |workload: &QueryWorkload, answers: &[u64]| {
            WorkloadErrors::of(self.ground.rows(), answers, &reader.estimates(workload))
        };
        let mut errors = QueryErrors { usual: Some(of(&self.usual.0, &self.usual.1)), ..QueryErrors::default() };
        if sweep {
            let by_dimensions = self.by_dimensions.iter();
            errors.by_dimensions = by_dimensions.map(|(at, workload, answers)| (*at, of(workload, answers))).collect();
            let by_selectivity = self.by_selectivity.iter();
            errors.by_selectivity =
                by_selectivity.map(|(at, workload, answers)| (*at, of(workload, answers))).collect();
        }
        Ok(errors)
    }
}

/// Where cases are run.
struct Bench<'a> {
    data: &'a JobData,
    queries: Option<&'a Queries>,
    threshold: Fraction,
    attack: Option<AttackRequest>,
    progress: &'a dyn Fn(Option<usize>, RunStage) -> Result<()>,
}

impl Bench<'_> {
    fn run(&self, at: usize, case: ComparisonCase) -> Result<ComparedRelease> {
        let begun = Instant::now();
        let taken = || begun.elapsed().as_secs_f64();
        // The release is made when queries begin.
        let made: Cell<Option<f64>> = Cell::new(None);
        let progress = |stage| {
            if stage == RunStage::Query && made.get().is_none() {
                made.set(Some(taken()));
            }
            (self.progress)(Some(at), stage)
        };
        let answer = case.job.check().and_then(|checked| {
            let spreads = self.queries.is_some() || self.data.register().is_some();
            let checked = if spreads { checked.spreading() } else { checked };
            checked.run(self.data.table(), self.data.hierarchies(), RandomSource::System, &progress)
        });
        let seconds = made.get().unwrap_or_else(taken);
        let ended = match answer {
            Ok(JobAnswer::Release(release)) => {
                CaseEnding::Released(Box::new(self.measure(&case, *release, &progress)?))
            }
            Ok(JobAnswer::Nothing(nothing)) => CaseEnding::Nothing(nothing),
            Err(error) if is_about_the_case(&error) => CaseEnding::Refused(error.message().to_owned()),
            Err(error) => return Err(error),
        };
        Ok(ComparedRelease { case, ended, seconds })
    }

    fn measure(
        &self,
        case: &ComparisonCase,
        release: Release,
        progress: &dyn Fn(RunStage) -> Result<()>,
    ) -> Result<ReleaseFigures> {
        let sizes: Vec<u64> = release.exhibit.classes.iter().map(|rows| rows.len() as u64).collect();
        let population = self.data.register().and_then(|register| register.could_be_in(&release, self.data.table()));
        let sizes = ClassSizes { records: &sizes, population: population.as_deref() };
        let found = assess(sizes, &self.threshold);
        let risks = found.into_iter().map(|(entry, found)| (entry.id, found)).collect();
        let errors = self.queries.map(|queries| queries.errors(&release, case.sweep)).transpose()?;
        let Release { manifest, highest_share, costs, .. } = release;
        let attack = self.attack.as_ref().map(|request| self.attack(case, request, progress)).transpose()?;
        Ok(ReleaseFigures { manifest, highest_share, costs, risks, errors, attack })
    }

    fn attack(
        &self,
        case: &ComparisonCase,
        request: &AttackRequest,
        progress: &dyn Fn(RunStage) -> Result<()>,
    ) -> Result<Result<Box<AttackFindings>, String>> {
        match JobSession::new(&case.job, self.data).with_progress(progress).attack(request) {
            Ok(AttackAnswer::Release(found)) => Ok(Ok(found)),
            Ok(AttackAnswer::Nothing(_)) => Ok(Err("nothing was released when it was made again".to_owned())),
            Err(error) if is_about_the_case(&error) => Ok(Err(error.message().to_owned())),
            Err(error) => Err(error),
        }
    }
}

/// Whether another method, or another parameter, might not have the error.
fn is_about_the_case(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::InvalidParameter | ErrorKind::LimitExceeded | ErrorKind::UnknownColumn | ErrorKind::BadHierarchy
    )
}
