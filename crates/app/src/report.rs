//! The report of a release as values: a public edition, and one for the owner.

use std::collections::BTreeMap;
use std::time::SystemTime;

use pellucid_model::error::Result;
use pellucid_model::exact::decimal;
use pellucid_model::exact::{Fraction, format_fraction, parse_fraction};
use pellucid_model::manifest::{Manifest, PublishedColumn, PublishedLoss};
use pellucid_model::registry::{EntryArgs, find};
use pellucid_model::table::sizes_alike;
use pellucid_model::table::{Column, Role};
use pellucid_model::words::shell_word;
use pellucid_publish::function::FUNCTIONS;
use pellucid_publish::job::Job;
use pellucid_publish::release::Release;
use pellucid_publish::risk::{ClassSizes, RISKS, ReidentificationRisk, assess};
use pellucid_publish::utility::{METRICS, MetricInput, MetricValue, NUMBER_IDS};
use pellucid_publish::workload::{QueryTable, ReleaseReader, WorkloadErrors, WorkloadSettings};
use pellucid_report::{
    ColumnLine, InternalFacts, MetricLine, ReleaseReport, ReportNumber, RiskLine, RiskTable, WorkloadLine,
};
use serde_json::Value;

use crate::account::owners_account;
use crate::session::JobSession;

/// What stands for the table in the public edition.
const TABLE: &str = "TABLE.csv";

/// What the owner's report says of how the release came about.
///
/// # Example
/// ```
/// use pellucid_app::parts::OwnerFacts;
///
/// let facts = OwnerFacts { source: "warehouse.patients".to_owned(), ..OwnerFacts::default() };
/// assert_eq!(facts.command, "");
/// ```
#[derive(Debug, Clone, Default)]
pub struct OwnerFacts {
    /// Where the table came from.
    pub source: String,
    /// Its BLAKE3 checksum.
    pub checksum: String,
    /// Where the release will lie.
    pub public: String,
    /// When the run began.
    pub started: Option<SystemTime>,
    /// The command that was given.
    pub command: String,
    /// Stages and how long they took.
    pub seconds: Vec<(String, f64)>,
}

/// The public edition; `manifest` lists the other files.
///
/// # Guarantee
/// It follows from the release, `threshold` and the manifest.
pub(crate) fn public_report<'a>(
    release: &'a Release,
    manifest: &'a Manifest,
    threshold: &Fraction,
) -> Result<ReleaseReport<'a>> {
    let job = Job::from_manifest(manifest, TABLE);
    let note = "# Columns that are not published are to be declared too, with role \"drop\" or \"identifier\".\n";
    let job = format!("{note}{}", job_text(&job));
    report(release, manifest, threshold, job, (&manifest.utility, &|column| column.lost.as_ref()))
}

/// The edition for the owner.
pub(crate) fn owner_report<'a>(
    release: &'a Release,
    threshold: &Fraction,
    session: &JobSession<'_>,
    facts: &OwnerFacts,
    unique_rows: u64,
) -> Result<ReleaseReport<'a>> {
    let (manifest, data) = (&release.manifest, session.data());
    let table = data.table();
    let quasi: Vec<&Column> = table.with_role(Role::Quasi).collect();
    let before = sizes_alike(&quasi, table.rows());
    let risks_before = risks(ClassSizes { records: &before, population: None }, threshold);
    let losses = |column: &PublishedColumn| release.costs.losses.get(&column.name);
    let mut report = report(release, manifest, threshold, job_text(session.job()), (&release.costs.utility, &losses))?;
    let landscape = MetricInput::of_original(&quasi, before);
    for line in &mut report.metrics {
        line.before = match find(METRICS, "metric", &line.id)?.make(&EntryArgs::new())?.measure(&landscape) {
            MetricValue::Number(number) => Some(figure(&number)),
            MetricValue::Histogram(_) => None,
        };
    }
    report.command.clone_from(&facts.command);
    let [public, source] = [&facts.public, &facts.source].map(|place| shell_word(place));
    report.verify = format!("pellucid verify {public} --source {source}");
    let mut risks_after = report.risks.clone();
    if let Some(register) = data.register()
        && let Some(population) = register.could_be_in(release, table)
    {
        let sizes = sizes(release);
        risks_after = risks(ClassSizes { records: &sizes, population: Some(&population) }, threshold);
        risks_after.population = Some(register.describe());
    }
    report.internal = Some(InternalFacts {
        source: facts.source.clone(),
        source_checksum: facts.checksum.clone(),
        started: facts.started.map_or_else(String::new, time),
        unique_rows,
        risks_before,
        risks_after,
        workload: workload(release, session)?,
        account: owners_account(release),
        seconds: facts.seconds.clone(),
    });
    Ok(report)
}

/// What is told of costs: the readings by metric, and what was lost of a column.
type CostsShown<'a, 'f> = (&'a BTreeMap<String, Value>, &'f dyn Fn(&'a PublishedColumn) -> Option<&'a PublishedLoss>);

fn report<'a>(
    release: &'a Release,
    manifest: &'a Manifest,
    threshold: &Fraction,
    job: String,
    costs: CostsShown<'a, '_>,
) -> Result<ReleaseReport<'a>> {
    let metrics = NUMBER_IDS.iter().filter_map(|id| Some((id, costs.0.get(*id)?))).map(|(id, reading)| {
        let entry = find(METRICS, "metric", id)?;
        let after = figure_of_json(reading);
        Ok(MetricLine { id: entry.id.to_owned(), means: entry.summary.to_owned(), before: None, after })
    });
    let columns = manifest.columns.iter().map(|column| column_line(manifest, column, (costs.1)(column)));
    Ok(ReleaseReport {
        manifest,
        bound: release.bound.as_ref().map(figure),
        highest_share: release.shown_share.as_ref().map(figure),
        single_value: release.single_value,
        risks: risks(ClassSizes { records: &sizes(release), population: None }, threshold),
        columns: columns.collect::<Result<_>>()?,
        metrics: metrics.collect::<Result<_>>()?,
        sizes: class_sizes(manifest),
        smallest: sizes(release).into_iter().min().unwrap_or(0),
        job,
        command: "pellucid publish job.toml".to_owned(),
        verify: format!("pellucid verify . --source {TABLE}"),
        internal: None,
    })
}

fn column_line(manifest: &Manifest, column: &PublishedColumn, loss: Option<&PublishedLoss>) -> Result<ColumnLine> {
    let share = |text: &str| parse_fraction(text).map(|share| figure(&share));
    let shown = match column.role {
        Role::Quasi => match &column.aggregate {
            Some(statistic) => format!("the {} of the values that are joined", statistic.as_str()),
            None => find(FUNCTIONS, "function", &manifest.mechanism.function)?.summary.to_owned(),
        },
        _ if manifest.mechanism.altered.as_ref() == Some(&column.name) => {
            "values may have been replaced by others".to_owned()
        }
        _ => "as it is".to_owned(),
    };
    Ok(ColumnLine {
        name: column.name.clone(),
        role: column.role.as_str().to_owned(),
        shown,
        lost: loss.map(|loss| share(&loss.mean)).transpose()?,
        worst: loss.map(|loss| share(&loss.highest)).transpose()?,
        intact: loss.map(|loss| loss.intact),
    })
}

/// Rows per class.
fn sizes(release: &Release) -> Vec<u64> {
    release.exhibit.classes.iter().map(|rows| rows.len() as u64).collect()
}

fn risks(sizes: ClassSizes<'_>, threshold: &Fraction) -> RiskTable {
    let found = assess(sizes, threshold);
    let found: Vec<(&'static str, ReidentificationRisk)> =
        found.into_iter().map(|(entry, found)| (entry.id, found)).collect();
    RiskTable { threshold: figure(threshold), lines: risk_lines(&found), population: None }
}

/// What models of risk, by id, found, as lines of a report.
pub fn risk_lines(found: &[(&'static str, ReidentificationRisk)]) -> Vec<RiskLine> {
    let means = |id: &str| RISKS.iter().find(|entry| entry.id == id).map_or("", |entry| entry.summary);
    let line = |(id, found): &(&'static str, ReidentificationRisk)| RiskLine {
        model: (*id).to_owned(),
        means: means(id).to_owned(),
        highest: found.highest.as_ref().map(figure),
        average: figure(&found.average),
        above: found.above.as_ref().map(figure),
    };
    found.iter().map(line).collect()
}

/// How many classes have how many rows, as the manifest says it.
pub fn class_sizes(manifest: &Manifest) -> Vec<(u64, u64, u64)> {
    let bins = manifest.utility.get("class-sizes").and_then(Value::as_array);
    let number = |bin: &Value, key: &str| bin[key].as_u64().unwrap_or(0);
    let of_bin = |bin: &Value| (number(bin, "from"), number(bin, "to"), number(bin, "classes"));
    bins.map_or_else(Vec::new, |bins| bins.iter().map(of_bin).collect())
}

fn workload(release: &Release, session: &JobSession<'_>) -> Result<Option<WorkloadLine>> {
    let queries = session.job().report.clone().unwrap_or_default().queries();
    let Some(spreads) = release.spreads.as_ref().filter(|_| queries > 0) else { return Ok(None) };
    let ground = QueryTable::new(session.data().table(), session.data().hierarchies());
    let workload = ground.draw(&WorkloadSettings { queries, ..WorkloadSettings::default() })?;
    let reader = ReleaseReader::new(&ground, &release.exhibit, spreads)?;
    let errors = WorkloadErrors::of(ground.rows(), &ground.answers(&workload), &reader.estimates(&workload));
    Ok(Some(WorkloadLine {
        queries: queries as u64,
        qd: workload.dimensions as u64,
        s: workload.selectivity,
        error: errors.mean,
    }))
}

fn job_text(job: &Job) -> String {
    toml::to_string(job).unwrap_or_else(|error| format!("# this job cannot be written as TOML: {error}\n"))
}

fn figure(number: &Fraction) -> ReportNumber {
    ReportNumber { exact: Some(format_fraction(number)), decimal: decimal(number) }
}

fn figure_of_json(reading: &Value) -> ReportNumber {
    ReportNumber {
        exact: reading["exact"].as_str().map(str::to_owned),
        decimal: reading["decimal"].as_f64().unwrap_or_default(),
    }
}

/// `2026-11-16 19:15 UTC`.
fn time(at: SystemTime) -> String {
    let seconds = at.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let time = chrono::DateTime::from_timestamp(seconds as i64, 0);
    time.map_or_else(String::new, |time| time.format("%Y-%m-%d %H:%M UTC").to_string())
}
