//! From a job file's value to folders: reads the table, runs the job, writes the release.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use pellucid_model::error::{Error, Result};
use pellucid_model::exact::Fraction;
use pellucid_model::hierarchy::{Hierarchy, HierarchySpec, LabelFile};
use pellucid_model::progress::Stage;
use pellucid_model::randomness::Randomness;
use pellucid_model::table::unique_rows;
use pellucid_model::table::{Role, Table};
use pellucid_publish::function::{Sheet, Shown};
use pellucid_publish::job::{Answer, Job, OutputFormat};
use pellucid_publish::manifest::{Manifest, PublishedFile, Release};
use pellucid_publish::publisher::{Nothing, SearchAccount};
use serde_json::json;

use crate::attack::input_options;
use crate::folders::{Staging, private_folder};
use crate::private::{self, create_folder};
use crate::register::Register;
use crate::report::{Owner, REPORT, internal_report, public_report};
use crate::roster;
use crate::summary::summary;
use crate::write::{csv_to, parquet_to, stage_file};
use crate::{Columns, OutputColumn, read_table};

/// The file that says what was published and how.
pub const MANIFEST: &str = "manifest.json";

/// The file of the private folder that says what was run, on what.
pub const RECORD: &str = "private.json";

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
    pub randomness: Randomness<'static>,
    /// Whether to account for everything the publisher could have looked at.
    pub explain: bool,
    /// When the run began; the time that all published files get.
    pub started: SystemTime,
    /// Told of every stage as it begins; an error stops the run.
    pub progress: &'a dyn Fn(Stage) -> Result<()>,
    /// The command that was given, for the data owner's report.
    pub command: &'a str,
    /// What the publisher saw on its way, in paragraphs for the data owner's report.
    pub account: &'a dyn Fn(&Release) -> Vec<String>,
    /// Told what the owner should know before the answer.
    pub note: &'a dyn Fn(&str),
    /// What the release says of an earlier one that was made, seen and withdrawn.
    pub earlier_result: Option<&'a str>,
    /// Asked about the release before anybody can see it; without a yes nothing appears.
    pub inspect: &'a dyn Fn(&Finished<'_>) -> Result<bool>,
}

/// A release that is made and that nobody can see yet.
pub struct Finished<'a> {
    /// The release.
    pub release: &'a Release,
    /// The BLAKE3 checksum of its manifest, unless it is a dry run.
    pub checksum: Option<String>,
}

/// What a run has done.
#[derive(Debug)]
pub enum Published {
    /// A release was made and, unless it was a dry run, written.
    Release(Box<Done>),
    /// Nothing can be disclosed.
    Nothing(Nothing),
    /// A release was made, and [`PublishOptions::inspect`] refused it; nothing was written.
    Refused,
}

/// A release and where it lies.
#[derive(Debug)]
pub struct Done {
    /// The release.
    pub release: Release,
    /// The public folder.
    pub public: PathBuf,
    /// The private folder.
    pub private: PathBuf,
    /// How long each stage took.
    pub timings: Vec<(Stage, Duration)>,
    /// Rows whose quasi-identifiers nobody else in the table has.
    pub unique_rows: u64,
}

/// Reads the job's table, what other files say of its people, and hierarchies.
pub fn load(job: &Job, base_dir: &Path) -> Result<(Table, Vec<Option<Hierarchy>>)> {
    let mut table = read_table(&base_dir.join(&job.input.path), &input_options(job), &job.schema()?)?;
    for roster in job.rosters()? {
        if let Some(file) = &roster.file {
            table = roster::join(table, &roster, &base_dir.join(file))?;
        }
    }
    let hierarchies = job.hierarchies(&table, base_dir)?;
    Ok((table, hierarchies))
}

/// What the search of `job` finds in the lattice of its table.
pub fn search(job: &Job, base_dir: &Path, progress: &dyn Fn(Stage) -> Result<()>) -> Result<SearchAccount> {
    let checked = job.check()?;
    progress(Stage::Read)?;
    let (table, hierarchies) = load(job, base_dir)?;
    checked.search(&table, &hierarchies, progress)
}

/// Runs `job` and writes its release.
///
/// # Errors
/// Whatever is wrong with the job, the table or the disk; nothing is then written.
pub fn publish(job: &Job, options: &PublishOptions<'_>) -> Result<Published> {
    let checked = job.check()?.explaining(options.explain);
    let report = job.report.clone().unwrap_or_default();
    let threshold = report.threshold()?;
    let spreads = (report.queries() > 0 || report.external.is_some()) && !options.dry_run;
    let checked = if spreads { checked.spreading() } else { checked };
    let public = options.out.map_or_else(|| options.base_dir.join(&job.output.dir), Path::to_owned);
    // Before the work begins, so that a release that cannot be written costs no time.
    let staging = if options.dry_run { None } else { Some(Staging::begin(&public, options.overwrite)?) };
    for name in staging.iter().flat_map(Staging::finished) {
        (options.note)(&format!(
            "`{name}` was made by a run that was interrupted, and has just been put in its place; look at it before it is handed out"
        ));
    }
    let clock = Clock::new(options.progress);
    clock.begin(Stage::Read)?;
    let (table, hierarchies) = load(job, options.base_dir)?;
    let register = report.external.as_ref();
    let register = register.map(|path| Register::read(job, options.base_dir, path, &table)).transpose()?;
    let answer = checked.run(&table, &hierarchies, options.randomness, &|stage| clock.begin(stage))?;
    let mut release = match answer {
        Answer::Release(release) => *release,
        Answer::Nothing(nothing) => return Ok(Published::Nothing(nothing)),
    };
    release.manifest.earlier_result = options.earlier_result.map(str::to_owned);
    let quasi: Vec<_> = table.with_role(Role::Quasi).collect();
    let unique_rows = unique_rows(&quasi, table.rows());
    if let Some(staging) = staging {
        clock.begin(Stage::Write)?;
        let source = Source {
            path: options.base_dir.join(&job.input.path),
            randomness: options.randomness,
            started: options.started,
        };
        let (manifest, checksum_of_source) =
            write_release(&release, job, &source, &threshold, options.base_dir, &staging)?;
        release.manifest = manifest;
        let owner = Owner {
            table: &table,
            hierarchies: &hierarchies,
            register: register.as_ref(),
            job,
            source: &source.path,
            checksum: &checksum_of_source,
            public: &public,
            started: options.started,
            command: options.command,
            unique_rows,
            account: (options.account)(&release),
            seconds: clock
                .so_far()
                .into_iter()
                .map(|(stage, time)| (stage.words().to_owned(), time.as_secs_f64()))
                .collect(),
        };
        let internal = internal_report(&release, &release.manifest, &threshold, owner)?;
        write_text(&staging.private().join(REPORT), &internal)?;
        let checksum = Some(checksum(&staging.public().join(MANIFEST))?.0);
        if !(options.inspect)(&Finished { release: &release, checksum })? {
            return Ok(Published::Refused);
        }
        staging.commit(options.started)?;
    } else if !(options.inspect)(&Finished { release: &release, checksum: None })? {
        return Ok(Published::Refused);
    }
    let private = private_folder(&public);
    Ok(Published::Release(Box::new(Done { release, public, private, timings: clock.so_far(), unique_rows })))
}

/// Announces stages and measures how long they take.
struct Clock<'a> {
    progress: &'a dyn Fn(Stage) -> Result<()>,
    begun: std::cell::RefCell<Vec<(Stage, Instant)>>,
}

impl<'a> Clock<'a> {
    fn new(progress: &'a dyn Fn(Stage) -> Result<()>) -> Self {
        Self { progress, begun: std::cell::RefCell::default() }
    }

    fn begin(&self, stage: Stage) -> Result<()> {
        let mut begun = self.begun.borrow_mut();
        if begun.last().is_none_or(|last| last.0.words() != stage.words()) {
            begun.push((stage, Instant::now()));
        }
        drop(begun);
        (self.progress)(stage)
    }

    /// Stages that have begun, and how long they took until now.
    fn so_far(&self) -> Vec<(Stage, Duration)> {
        let begun = self.begun.borrow();
        let ends = begun.iter().skip(1).map(|next| next.1).chain([Instant::now()]);
        begun.iter().zip(ends).map(|(&(stage, start), end)| (stage, end - start)).collect()
    }
}

/// Where a release comes from.
struct Source {
    path: PathBuf,
    randomness: Randomness<'static>,
    started: SystemTime,
}

/// Writes all files but the data owner's report into the staged folders and returns the manifest with the files in it, and the checksum
/// of the source.
///
/// Tables are written side by side, and checksums are made while the disk is still at work.
fn write_release(
    release: &Release,
    job: &Job,
    source: &Source,
    threshold: &Fraction,
    base_dir: &Path,
    staging: &Staging,
) -> Result<(Manifest, String)> {
    std::thread::scope(|scope| {
        let save = |table: Written| scope.spawn(move || table.save());
        let sheets = scope.spawn(|| write_sheets(release, job, staging.public()));
        let assignment = write_assignment(release, job, staging.private()).map(save);
        let checksum = checksum(&source.path);
        let sheets = sheets.join().unwrap_or_else(|cause| std::panic::resume_unwind(cause))?;
        let mut saved: Vec<_> = sheets.into_iter().map(save).collect();
        saved.push(assignment?);
        let checksum = checksum?.0;
        write_record(release, job, source, &checksum, staging.private())?;
        let manifest = finish_public(release, threshold, base_dir, staging.public())?;
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
    fn write(folder: &Path, name: &str, format: OutputFormat, columns: &Columns) -> Result<Self> {
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

fn write_sheets(release: &Release, job: &Job, folder: &Path) -> Result<Vec<Written>> {
    let sheets = release.exhibit.sheets.iter();
    sheets.map(|sheet| Written::write(folder, sheet.name, job.output.format, &sheet_columns(sheet)?)).collect()
}

/// Writes what tells of the sheets, which are written.
fn finish_public(release: &Release, threshold: &Fraction, base_dir: &Path, folder: &Path) -> Result<Manifest> {
    let mut manifest = release.manifest.clone();
    copy_hierarchies(&mut manifest, base_dir, folder)?;
    write_text(&folder.join("summary.txt"), &summary(&manifest))?;
    manifest.files = list_files(folder, folder)?;
    // The report tells of all other files, so it comes after them.
    let report = folder.join(REPORT);
    write_text(&report, &public_report(release, &manifest, threshold)?)?;
    let (blake3, bytes) = checksum(&report)?;
    manifest.files.push(PublishedFile { name: REPORT.to_owned(), blake3, bytes });
    manifest.files.sort_by(|a, b| a.name.cmp(&b.name));
    let text = serde_json::to_string_pretty(&manifest).map_err(|error| internal(&error))?;
    write_text(&folder.join(MANIFEST), &(text + "\n"))?;
    Ok(manifest)
}

fn write_assignment(release: &Release, job: &Job, folder: &Path) -> Result<Written> {
    let sheets = &release.exhibit.sheets;
    let rows = (release.manifest.rows + release.manifest.left_out) as usize;
    let mut columns = vec![("row".to_owned(), OutputColumn::Ordinal((1..=rows as u32).collect()))];
    for sheet in sheets {
        // A row that is left out has no line.
        let mut line_of = vec![0; rows];
        for (&row, line) in sheet.row_of.iter().zip(1..) {
            line_of[row as usize] = line;
        }
        let name = if sheets.len() == 1 { "line".to_owned() } else { format!("{}_line", sheet.name) };
        columns.push((name, OutputColumn::Ordinal(line_of)));
    }
    Written::write(folder, "assignment", job.output.format, &Columns::new(columns)?)
}

/// Writes what only the data owner may know of the run; `checksum` is that of the source.
fn write_record(release: &Release, job: &Job, source: &Source, checksum: &str, folder: &Path) -> Result<()> {
    let seed = match source.randomness {
        Randomness::InsecureSeed(seed) => Some(seed),
        Randomness::System | Randomness::Scripted(_) => None,
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
    let record = serde_json::to_string_pretty(&record).map_err(|error| internal(&error))?;
    write_text(&folder.join(RECORD), &(record + "\n"))
}

fn internal(error: &serde_json::Error) -> Error {
    Error::new(pellucid_model::error::ErrorKind::Internal, format!("cannot write JSON: {error}"))
}

fn sheet_columns(sheet: &Sheet) -> Result<Columns> {
    let columns = sheet.columns.iter().map(|(name, shown)| {
        let column = match shown {
            Shown::Labels { labels, codes } => OutputColumn::Text { labels: labels.clone(), codes: codes.clone() },
            Shown::Values { domain, codes } => OutputColumn::Values { domain: domain.clone(), codes: codes.clone() },
        };
        (name.clone(), column)
    });
    Columns::new(columns.collect())
}

/// Copies the hierarchy files, which are part of the mechanism, into the release and names them there.
fn copy_hierarchies(manifest: &mut Manifest, base_dir: &Path, folder: &Path) -> Result<()> {
    for (at, column) in manifest.columns.iter_mut().enumerate() {
        let Some(HierarchySpec::File(file)) = &column.hierarchy else { continue };
        let below = folder.join("hierarchies");
        // Never the folder itself: an interrupt may have removed it, and nothing may come back.
        if !below.is_dir() {
            create_folder(&below).map_err(|error| Error::io(below.display(), error))?;
        }
        // Numbered, because a column's name need not be a file's name.
        let name = format!("hierarchies/{}.csv", at + 1);
        let source = base_dir.join(file.path());
        let content = fs::read(&source).map_err(|error| Error::io(source.display(), error))?;
        let target = folder.join(&name);
        private::write(&target, content).map_err(|error| Error::io(target.display(), error))?;
        column.hierarchy = Some(HierarchySpec::File(LabelFile::new(name).with_separator(file.separator())?));
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
