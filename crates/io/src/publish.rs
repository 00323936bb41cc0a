//! From a job file's value to folders: reads the table, runs the job, writes the release.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use pellucid_app::host::{ReleasedFile, StageClock, assignment_file, released_files};
use pellucid_app::parts::OwnerFacts;
use pellucid_app::{JobData, JobSession, PublishAnswer, ReleaseOutput};
use pellucid_model::document::stamped;
use pellucid_model::error::{Error, Result};
use pellucid_model::hierarchy::{HierarchySpec, LabelFile};
use pellucid_model::manifest::{Manifest, PublishedFile};
use pellucid_model::progress::RunStage;
use pellucid_model::randomness::RandomSource;
use pellucid_model::table::ReleasedColumns;
use pellucid_publish::job::{Job, OutputFormat};
use pellucid_publish::publisher::{NoRelease, SearchAccount};
use pellucid_publish::release::Release;
use serde::Serialize;
use serde_json::json;

use crate::folders::{StagedFolders, private_folder};
use crate::known::read_register;
use crate::private::{self, create_folder};
use crate::roster;
use crate::summary::summary;
use crate::write::{csv_to, parquet_to, stage_file};
use crate::{input_options, read_table};

pub use pellucid_model::document::{MANIFEST, PRIVATE_RECORD as RECORD};

/// The file of the report, in the public folder and in the private one.
pub const REPORT: &str = "report.html";

/// What a run needs to know besides the job.
pub struct PublishOptions<'a> {
    /// Relative paths of the job are relative to this folder.
    pub base_dir: &'a Path,
    /// The public folder, instead of the job's.
    pub out: Option<&'a Path>,
    /// Whether an earlier release may be replaced.
    pub overwrite: bool,
    /// Whether to do everything but write.
    pub dry_run: bool,
    /// Where random choices come from.
    pub randomness: RandomSource<'static>,
    /// Whether to account for everything the publisher could have looked at.
    pub explain: bool,
    /// When the run began; the time that all published files get.
    pub started: SystemTime,
    /// Told of every stage as it begins; an error stops the run.
    pub progress: &'a dyn Fn(RunStage) -> Result<()>,
    /// The command that was given, for the data owner's report.
    pub command: &'a str,
    /// Told what the owner should know before the answer.
    pub note: &'a dyn Fn(&str),
    /// What the release says of an earlier one that was made, seen and withdrawn.
    pub earlier_result: Option<&'a str>,
    /// Asked about the release before anybody can see it; without a yes nothing appears.
    pub inspect: &'a dyn Fn(&FinishedRelease<'_>) -> Result<bool>,
}

/// A release that is made and that nobody can see yet.
pub struct FinishedRelease<'a> {
    /// Complete, but for files.
    pub release: &'a Release,
    /// The BLAKE3 checksum of its manifest, unless it is a dry run.
    pub checksum: Option<String>,
}

/// What a run has done.
#[derive(Debug)]
pub enum PublishOutcome {
    /// A release was made and, unless it was a dry run, written.
    Release(Box<WrittenRelease>),
    /// Nothing can be disclosed.
    Nothing(NoRelease),
    /// A release was made, and [`PublishOptions::inspect`] refused it; nothing was written.
    Refused,
}

/// A release and where it lies.
#[derive(Debug)]
pub struct WrittenRelease {
    /// The release, and all that its owner may know of it.
    pub output: ReleaseOutput,
    /// The public folder.
    pub public: PathBuf,
    /// The private folder.
    pub private: PathBuf,
}

/// Reads the job's table, what other files say of its people, and hierarchies; the job that comes back has these by value.
pub fn load(job: &Job, base_dir: &Path) -> Result<(Job, JobData)> {
    if job.input.is_left_out() {
        return Err(Error::invalid("key `input` is missing; add it, with the path of the table"));
    }
    let mut table = read_table(&base_dir.join(&job.input.path), &input_options(job), &job.schema()?)?;
    for roster in job.rosters()? {
        if let Some(file) = &roster.file {
            table = roster::join(table, &roster, &base_dir.join(file))?;
        }
    }
    let job = with_hierarchies(job, base_dir)?;
    let data = JobData::from_table(&job, table)?;
    Ok((job, data))
}

/// `job` with the content of every hierarchy that is a file; paths are relative to `base_dir`.
pub fn with_hierarchies(job: &Job, base_dir: &Path) -> Result<Job> {
    let mut job = job.clone();
    for (name, column) in &mut job.columns {
        if let Some(HierarchySpec::File(file)) = &mut column.hierarchy
            && file.content().is_none()
        {
            let path = base_dir.join(file.path());
            let content = fs::read(&path).map_err(|error| Error::io(path.display(), error));
            *file = file.clone().with_content(content.map_err(|error| error.context(format!("column `{name}`")))?);
        }
    }
    Ok(job)
}

/// What the search of `job` finds in the lattice of its table.
pub fn search(job: &Job, base_dir: &Path, progress: &dyn Fn(RunStage) -> Result<()>) -> Result<SearchAccount> {
    job.check()?;
    progress(RunStage::Read)?;
    let (job, data) = load(job, base_dir)?;
    JobSession::new(&job, &data).with_progress(progress).search()
}

/// Runs `job` and writes its release.
///
/// # Errors
/// Whatever is wrong with the job, the table or the disk; nothing is then written.
pub fn publish(job: &Job, options: &PublishOptions<'_>) -> Result<PublishOutcome> {
    job.check()?;
    let report = job.report.clone().unwrap_or_default();
    report.threshold()?;
    let public = options.out.map_or_else(|| options.base_dir.join(&job.output.dir), Path::to_owned);
    // Before the work begins, so that a release that cannot be written costs no time.
    let staging = if options.dry_run { None } else { Some(StagedFolders::begin(&public, options.overwrite)?) };
    for name in staging.iter().flat_map(StagedFolders::finished) {
        (options.note)(&format!(
            "`{name}` was made by a run that was interrupted, and has just been put in its place; look at it before it is handed out"
        ));
    }
    let clock = StageClock::new(options.progress);
    clock.begin(RunStage::Read)?;
    let (job, data) = load(job, options.base_dir)?;
    let register = report.external.as_ref();
    let register = register.map(|path| read_register(&job, options.base_dir, path, data.table())).transpose()?;
    let data = data.with_register_table(register);
    let begin = |stage| clock.begin(stage);
    let session = JobSession::new(&job, &data).with_progress(&begin);
    let session = session.with_randomness(options.randomness).explaining(options.explain);
    let session = if options.dry_run { session.without_report() } else { session };
    let mut output = match session.publish()? {
        PublishAnswer::Release(output) => *output,
        PublishAnswer::Nothing(nothing) => return Ok(PublishOutcome::Nothing(nothing)),
    };
    output.manifest_mut().earlier_result = options.earlier_result.map(str::to_owned);
    if let Some(staging) = staging {
        clock.begin(RunStage::Write)?;
        let source = Source {
            path: options.base_dir.join(&job.input.path),
            randomness: options.randomness,
            started: options.started,
        };
        let (manifest, checksum_of_source) = write_release(&output, session, &source, &staging)?;
        *output.manifest_mut() = manifest;
        let facts = OwnerFacts {
            source: source.path.display().to_string(),
            checksum: checksum_of_source,
            public: public.display().to_string(),
            started: Some(options.started),
            command: options.command.to_owned(),
            seconds: clock
                .so_far()
                .into_iter()
                .map(|(stage, time)| (stage.label().to_owned(), time.as_secs_f64()))
                .collect(),
        };
        let internal = output.owner_report(&session, &facts)?.to_html();
        write_text(&staging.private().join(REPORT), &internal)?;
        let checksum = Some(checksum(&staging.public().join(MANIFEST))?.0);
        if !(options.inspect)(&FinishedRelease { release: output.release(), checksum })? {
            return Ok(PublishOutcome::Refused);
        }
        staging.commit(options.started)?;
    } else if !(options.inspect)(&FinishedRelease { release: output.release(), checksum: None })? {
        return Ok(PublishOutcome::Refused);
    }
    let private = private_folder(&public);
    let output = output.with_timings(clock.so_far());
    Ok(PublishOutcome::Release(Box::new(WrittenRelease { output, public, private })))
}

/// Where a release comes from.
struct Source {
    path: PathBuf,
    randomness: RandomSource<'static>,
    started: SystemTime,
}

/// Writes all files but the owner's report into the staged folders; returns the complete manifest and the checksum of the source.
///
/// Tables are written side by side, and checksums are made while the disk is still at work.
fn write_release(
    output: &ReleaseOutput,
    session: JobSession<'_>,
    source: &Source,
    staging: &StagedFolders,
) -> Result<(Manifest, String)> {
    let job = session.job();
    std::thread::scope(|scope| {
        let save = |table: Written| scope.spawn(move || table.save());
        let tables = scope.spawn(move || write_tables(output, job, staging.public()));
        let assignment = write_table(&assignment_file(output)?, job, staging.private()).map(save);
        let checksum = checksum(&source.path);
        let tables = tables.join().unwrap_or_else(|cause| std::panic::resume_unwind(cause))?;
        let mut saved: Vec<_> = tables.into_iter().map(save).collect();
        saved.push(assignment?);
        let checksum = checksum?.0;
        write_record(output.release(), job, source, &checksum, staging.private())?;
        let manifest = finish_public(output, session, staging.public())?;
        for table in saved {
            table.join().unwrap_or_else(|cause| std::panic::resume_unwind(cause))?;
        }
        Ok((manifest, checksum))
    })
}

/// A table that is written and may not have reached the disk.
struct Written {
    path: PathBuf,
    file: fs::File,
}

impl Written {
    fn write(folder: &Path, name: &str, format: OutputFormat, columns: &ReleasedColumns) -> Result<Self> {
        let path = folder.join(match format {
            OutputFormat::Csv => format!("{name}.csv"),
            OutputFormat::Parquet => format!("{name}.parquet"),
        });
        let file = stage_file(&path, |file| match format {
            OutputFormat::Csv => csv_to(file, &path, columns),
            OutputFormat::Parquet => parquet_to(file, &path, columns),
        })?;
        Ok(Self { path, file })
    }

    /// Waits until it is on the disk.
    fn save(self) -> Result<()> {
        self.file.sync_all().map_err(|error| Error::io(self.path.display(), error))
    }
}

fn write_tables(output: &ReleaseOutput, job: &Job, folder: &Path) -> Result<Vec<Written>> {
    released_files(output)?.iter().map(|table| write_table(table, job, folder)).collect()
}

fn write_table(table: &ReleasedFile, job: &Job, folder: &Path) -> Result<Written> {
    Written::write(folder, &table.name, job.output.format, &table.columns)
}

/// Writes what tells of the tables, which are written, and returns the manifest with all files.
fn finish_public(output: &ReleaseOutput, session: JobSession<'_>, folder: &Path) -> Result<Manifest> {
    let mut manifest = output.manifest().clone();
    write_hierarchies(&mut manifest, session, folder)?;
    write_text(&folder.join("summary.txt"), &summary(&manifest))?;
    manifest.files = list_files(folder, folder)?;
    // The report tells of all other files, so it comes after them.
    let report = folder.join(REPORT);
    write_text(&report, &output.public_report_with(&manifest)?.to_html())?;
    let (blake3, bytes) = checksum(&report)?;
    manifest.files.push(PublishedFile { name: REPORT.to_owned(), blake3, bytes });
    manifest.files.sort_by(|a, b| a.name.cmp(&b.name));
    write_document(MANIFEST, &manifest, folder)?;
    Ok(manifest)
}

/// Writes what only the data owner may know of the run; `checksum` is that of the source.
fn write_record(release: &Release, job: &Job, source: &Source, checksum: &str, folder: &Path) -> Result<()> {
    let seed = match source.randomness {
        RandomSource::InsecureSeed(seed) => Some(seed),
        RandomSource::System | RandomSource::Scripted(_) => None,
    };
    let started = source.started.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let mut record = json!({
        "made_by": release.manifest.made_by,
        "job": job,
        "source": { "path": source.path, "blake3": checksum },
        "insecure_seed": seed,
        "started_unix": started,
    });
    if let Some(account) = &release.account {
        record["account"] = serde_json::to_value(account).map_err(|error| internal(&error))?;
        record["secret_jumps"] = json!(account.drawn);
    }
    if let Some(search) = &release.search {
        record["search"] = serde_json::to_value(search).map_err(|error| internal(&error))?;
    }
    write_document(RECORD, &record, folder)
}

/// Writes the JSON document called `name` to the file of that name in `folder`.
fn write_document(name: &str, value: &impl Serialize, folder: &Path) -> Result<()> {
    let text = serde_json::to_string_pretty(&stamped(name, value)?).map_err(|error| internal(&error))?;
    write_text(&folder.join(name), &(text + "\n"))
}

fn internal(error: &serde_json::Error) -> Error {
    Error::new(pellucid_model::error::ErrorKind::Internal, format!("cannot write JSON: {error}"))
}

/// Writes the hierarchy files, which are part of the mechanism, into the release and names them there.
fn write_hierarchies(manifest: &mut Manifest, session: JobSession<'_>, folder: &Path) -> Result<()> {
    for (at, content) in session.hierarchy_files(manifest) {
        let below = folder.join("hierarchies");
        // Never the folder itself: an interrupt may have removed it, and nothing may come back.
        if !below.is_dir() {
            create_folder(&below).map_err(|error| Error::io(below.display(), error))?;
        }
        // Numbered, because a column's name need not be a file's name.
        let name = format!("hierarchies/{}.csv", at + 1);
        let target = folder.join(&name);
        private::write(&target, content).map_err(|error| Error::io(target.display(), error))?;
        let column = &mut manifest.columns[at];
        if let Some(HierarchySpec::File(file)) = &column.hierarchy {
            column.hierarchy = Some(HierarchySpec::File(LabelFile::new(name).with_separator(file.separator())?));
        }
    }
    Ok(())
}

fn write_text(path: &Path, text: &str) -> Result<()> {
    private::write(path, text).map_err(|error| Error::io(path.display(), error))
}

/// All files below `folder`, in the order of their names relative to `root`.
fn list_files(folder: &Path, root: &Path) -> Result<Vec<PublishedFile>> {
    let failed = |error| Error::io(folder.display(), error);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            files.extend(list_files(&path, root)?);
        } else {
            let (blake3, bytes) = checksum(&path)?;
            let parts = path.strip_prefix(root).unwrap_or(&path).components();
            let parts: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
            files.push(PublishedFile { name: parts.join("/"), blake3, bytes });
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

/// BLAKE3 checksum and size of a file.
pub fn checksum(path: &Path) -> Result<(String, u64)> {
    let failed = |error| Error::io(path.display(), error);
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(fs::File::open(path).map_err(failed)?).map_err(failed)?;
    Ok((hasher.finalize().to_hex().to_string(), hasher.count()))
}
