//! Attacks from files: reads what an attacker has, and writes what they believe.

use std::path::{Path, PathBuf};
use std::time::Instant;

use pellucid_app::{AttackAnswer, AttackRequest, ExternalPeople, JobSession, SeenAnswer};
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::progress::RunStage;
use pellucid_publish::job::{Job, TrialFindings};

use crate::known::{read_people, read_people_like, read_release};
use crate::private::own_file;
use crate::publish::load;

/// What an attacker has in files; everything else is in the request.
#[derive(Debug, Clone, Default)]
pub struct AttackFiles {
    /// A file of everybody who may be in the table; without it, those in the table.
    pub external: Option<PathBuf>,
    /// The release that was seen: its public folder, or the file of its only table; without it, the job makes it.
    pub release: Option<PathBuf>,
    /// Whether the job's table is left unread: the attacker has the external source and what was seen.
    pub without_table: bool,
}

/// Attacks the release that `job` makes, knowing the mechanism; writes nothing.
///
/// # Errors
/// Those of reading files, and of [`JobSession::attack`].
pub fn attack(
    job: &Job,
    base_dir: &Path,
    files: &AttackFiles,
    request: &AttackRequest,
    progress: &dyn Fn(RunStage) -> Result<()>,
) -> Result<AttackAnswer> {
    let begun = Instant::now();
    job.check()?;
    progress(RunStage::Read)?;
    let mut request = request.clone();
    let read = |job: &Job, path: &PathBuf| {
        let path = base_dir.join(path);
        Ok::<_, Error>(SeenAnswer::from_tables(job, &read_release(&path)?).named(path.display().to_string()))
    };
    if files.without_table {
        if let Some(path) = &files.release {
            request.seen = Some(read(job, path)?);
        }
        if let (Some(path), Some(seen)) = (&files.external, &request.seen) {
            let people = read_people_like(job, base_dir, path, None, seen.columns())?;
            request.external = Some(ExternalPeople::from_table(people, path.display().to_string()));
        }
        request.budget = request.budget.since(begun);
        return request.without_table(job, progress);
    }
    let (job, data) = load(job, base_dir)?;
    let external = files.external.as_ref().map(|path| {
        let people = read_people(&job, base_dir, path, data.table())?;
        Ok::<_, Error>(ExternalPeople::from_table(people, path.display().to_string()))
    });
    request.external = external.transpose()?;
    if let Some(path) = &files.release {
        request.seen = Some(read(&job, path)?);
    }
    request.budget = request.budget.since(begun);
    JobSession::new(&job, &data).with_progress(progress).attack(&request)
}

/// Writes what is believed of every person and value to a new CSV file, which only its owner can read.
pub fn write_beliefs(path: &Path, tried: &TrialFindings) -> Result<()> {
    let lines = tried.beliefs.iter().zip(1u64..).flat_map(|(values, row)| values.iter().map(move |line| (row, line)));
    let failed = |error: csv::Error| Error::new(ErrorKind::Io, format!("cannot write `{}`: {error}", path.display()));
    let fail = |error| Error::io(path.display(), error);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = own_file(folder).map_err(fail)?;
    let mut writer = csv::Writer::from_writer(file);
    writer.write_record(["row", "value", "knowing", "ignoring"]).map_err(failed)?;
    for (row, [value, knowing, blind]) in lines {
        writer.write_record([&row.to_string(), value, knowing, blind]).map_err(failed)?;
    }
    let file = writer.into_inner().map_err(|error| fail(error.into_error()))?;
    file.as_file().sync_all().map_err(fail)?;
    file.persist_noclobber(path).map(drop).map_err(|error| match error.error.kind() {
        std::io::ErrorKind::AlreadyExists => taken(path),
        _ => fail(error.error),
    })
}

/// Fails when beliefs cannot be written to `path`, before the work begins.
pub fn check_beliefs(path: &Path) -> Result<()> {
    if path.exists() { Err(taken(path)) } else { Ok(()) }
}

fn taken(path: &Path) -> Error {
    Error::invalid(format!("`{}` is there already, and beliefs overwrite nothing; name another file", path.display()))
}
