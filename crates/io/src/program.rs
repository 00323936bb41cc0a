//! Programs that read a table and write a release: run on a table of text, watched, and read back.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pellucid_model::error::{Error, ErrorKind, Result};

use crate::folders::ScratchFolder;
use crate::known::release_files;
use crate::private::{create_file, create_folder};
use crate::read_strings;
use pellucid_model::table::TextTable;

/// Seconds that one run may take where no time is given for all: a program that waits for something ends.
const PATIENCE: f64 = 60.0;

/// The status by which a program says that nothing can be disclosed, as `pellucid` itself does.
const NOTHING: i32 = 3;

/// Programs that are running; a process about to exit stops them.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Stops everything that is running.
pub(crate) fn stop_all() {
    for &id in RUNNING.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        stop(id);
    }
}

/// Stops the program with this id and everything that it started.
#[cfg(unix)]
fn stop(id: u32) {
    if let Some(group) = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw) {
        // It may have ended by itself.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn stop(_: u32) {}

/// A command line with places for its input, its output and a seed.
#[derive(Debug)]
pub(crate) struct ProgramCommand {
    command: String,
    separator: u8,
    /// When all runs together began, and the seconds that they may take.
    begun: Instant,
    seconds: Option<f64>,
    scratch: ScratchFolder,
    runs: AtomicU64,
}

/// What a program wrote, by the name of the table; `None` when it released nothing.
pub(crate) type ProgramOutput = Option<Vec<(&'static str, TextTable)>>;

impl ProgramCommand {
    /// The program that `command` calls with `{in}`, `{out}` and, where it draws, `{seed}` filled in. All runs together may take so many
    /// seconds from the time given.
    pub fn new(command: &str, separator: u8, (begun, seconds): (Instant, Option<f64>)) -> Result<Self> {
        for place in ["{in}", "{out}"] {
            if !command.contains(place) {
                return Err(Error::invalid(format!(
                    "the command of the mechanism lacks {place}; write it like 'anonymize {{in}} {{out}}'"
                )));
            }
        }
        let (scratch, runs) = (ScratchFolder::new()?, AtomicU64::new(0));
        Ok(Self { command: command.to_owned(), separator, begun, seconds, scratch, runs })
    }

    /// Whether the command has a place for a seed.
    pub fn draws(&self) -> bool {
        self.command.contains("{seed}")
    }

    /// Runs it on a table with this header and these rows.
    ///
    /// # Errors
    /// When it cannot be started, takes too long, ends with an error or writes what is no table. What it says itself is not
    /// repeated: that may be about people.
    pub fn run(&self, header: &[&str], rows: &[Vec<&str>], seed: u64) -> Result<ProgramOutput> {
        let folder = self.scratch.path().join(self.runs.fetch_add(1, Ordering::Relaxed).to_string());
        create_folder(&folder).map_err(|error| Error::io(folder.display(), error))?;
        let ended = self.run_in(&folder, header, rows, seed);
        fs::remove_dir_all(&folder).map_err(|error| Error::io(folder.display(), error))?;
        ended
    }

    fn run_in(&self, folder: &Path, header: &[&str], rows: &[Vec<&str>], seed: u64) -> Result<ProgramOutput> {
        let (input, output) = (folder.join("in.csv"), folder.join("out.csv"));
        self.write(&input, header, rows)?;
        let quoted = |path: &Path| format!("'{}'", path.display().to_string().replace('\'', r"'\''"));
        let command = self.command.replace("{in}", &quoted(&input)).replace("{out}", &quoted(&output));
        let status = self.wait(start(&command.replace("{seed}", &seed.to_string()))?)?;
        if status.code() == Some(NOTHING) {
            return Ok(None);
        }
        if !status.success() {
            let how = match status.code() {
                Some(127) => "cannot be found by the shell, or ended with status 127".to_owned(),
                Some(code) => format!("ended with status {code}"),
                None => "was stopped by a signal".to_owned(),
            };
            return Err(Error::bad_input(format!(
                "the program of the mechanism {how} on one of the possible originals; run it on the table yourself to see why, \
                 and let it end with status {NOTHING} where it releases nothing"
            )));
        }
        if !output.exists() {
            return Ok(None);
        }
        let nonsense = |error: Error| {
            let why = match error.kind() {
                ErrorKind::Io => "it cannot be read".to_owned(),
                _ => error
                    .message()
                    .rsplit("out.csv")
                    .next()
                    .unwrap_or_default()
                    .trim_start_matches([',', ':', ' '])
                    .to_owned(),
            };
            Error::bad_input(format!("what the program of the mechanism wrote is not a table with a header: {why}"))
        };
        let read = |(name, file, options): (&'static str, PathBuf, crate::ReadOptions)| {
            let options =
                crate::ReadOptions { separator: options.separator.or(Some(self.separator.into())), ..options };
            Ok((name, read_strings(&file, &options).map_err(nonsense)?))
        };
        let files = release_files(&output).map_err(nonsense)?;
        Ok(Some(files.into_iter().map(read).collect::<Result<_>>()?))
    }

    fn write(&self, path: &Path, header: &[&str], rows: &[Vec<&str>]) -> Result<()> {
        let failed =
            |error: csv::Error| Error::new(ErrorKind::Io, format!("cannot write `{}`: {error}", path.display()));
        let file = create_file(path).map_err(|error| Error::io(path.display(), error))?;
        let mut writer = csv::WriterBuilder::new().delimiter(self.separator).from_writer(file);
        writer.write_record(header).map_err(failed)?;
        rows.iter().try_for_each(|row| writer.write_record(row)).map_err(failed)?;
        writer.flush().map_err(|error| Error::io(path.display(), error))
    }

    /// Waits for the program to end, or stops it when it takes too long.
    fn wait(&self, mut child: Child) -> Result<ExitStatus> {
        let id = child.id();
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).push(id);
        let (begun, most) = match self.seconds {
            Some(seconds) => (self.begun, seconds),
            None => (Instant::now(), PATIENCE),
        };
        let mut pause = Duration::from_micros(200);
        let ended = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Ok(status),
                Err(error) => break Err(Error::io("the program of the mechanism", error)),
                Ok(None) if begun.elapsed().as_secs_f64() >= most => {
                    stop(id);
                    // Where groups of processes are not known, the program itself.
                    let _ = child.kill();
                    let _ = child.wait();
                    let what = if self.seconds.is_some() { "all runs" } else { "one run" };
                    break Err(Error::new(
                        ErrorKind::LimitExceeded,
                        format!(
                            "{what} of the program of the mechanism may take {most} seconds, and the program still runs; check that it \
                             does not wait for something, or allow more with `--seconds`"
                        ),
                    ));
                }
                Ok(None) => std::thread::sleep(pause),
            }
            pause = (pause * 2).min(Duration::from_millis(10));
        };
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).retain(|&other| other != id);
        ended
    }
}

fn start(command: &str) -> Result<Child> {
    #[cfg(unix)]
    let mut shell = {
        use std::os::unix::process::CommandExt;
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command).process_group(0);
        shell
    };
    #[cfg(not(unix))]
    let mut shell = {
        let mut shell = Command::new("cmd");
        shell.arg("/C").arg(command);
        shell
    };
    shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.spawn().map_err(|error| Error::io("the program of the mechanism", error))
}
