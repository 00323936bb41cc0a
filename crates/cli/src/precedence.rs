//! Which place counts when several say the same thing: the option of the call, then the environment, then the job file, then what is
//! usual. `docs/stability.md` has the table.

use std::path::Path;

use pellucid_publish::job::Job;

/// The file of a ledger that nobody names.
const USUAL_LEDGER: &str = "ledger.sqlite";

/// What holds of a setting: the first that says something.
fn settled<T>(
    option: Option<T>,
    environment: impl FnOnce() -> Option<T>,
    job: impl FnOnce() -> Option<T>,
    usual: impl FnOnce() -> Option<T>,
) -> Option<T> {
    option.or_else(environment).or_else(job).or_else(usual)
}

/// An environment variable that says something.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// Which ledger is taken when nobody names one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsualLedger {
    /// `ledger.sqlite` beside the job file; none without one.
    BesideJob,
    /// The same, but in the folder of the call without a job file.
    BesideJobOrHere,
    /// None: a ledger must be asked for.
    None,
}

/// The place of the ledger; what a job says is relative to the folder that stands beside it.
pub fn ledger_place(option: Option<&str>, job: Option<(&Job, &Path)>, usual: UsualLedger) -> Option<String> {
    let beside = |base_dir: &Path, place: &str| {
        let is_file = !place.contains("://");
        if is_file { base_dir.join(place).display().to_string() } else { place.to_owned() }
    };
    let of_job = || {
        let (job, base_dir) = job?;
        Some(beside(base_dir, job.views.as_ref()?.ledger.as_deref()?))
    };
    let usually = || match (usual, job) {
        (UsualLedger::BesideJob | UsualLedger::BesideJobOrHere, Some((_, base_dir))) => {
            Some(beside(base_dir, USUAL_LEDGER))
        }
        (UsualLedger::BesideJobOrHere, None) => Some(USUAL_LEDGER.to_owned()),
        (UsualLedger::BesideJob, None) | (UsualLedger::None, _) => None,
    };
    settled(option.map(str::to_owned), || variable("PELLUCID_LEDGER"), of_job, usually)
}

/// The name of the table in the ledger.
pub fn table_name(option: Option<&str>, job: Option<&Job>) -> Option<String> {
    settled(option.map(str::to_owned), || None, || job.map(Job::table_name), || None)
}

/// Who decides.
pub fn author(option: Option<&str>) -> String {
    let environment = || variable("USER").or_else(|| variable("LOGNAME"));
    settled(option.map(str::to_owned), environment, || None, || None).unwrap_or_else(|| "unknown".to_owned())
}
