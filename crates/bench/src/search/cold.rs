//! Runs of the command in a fresh process, from the table's file to the written release.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use pellucid_model::error::{Error, ErrorKind, Result};
use serde_json::Value;
use wait4::Wait4;

use super::board::mebibytes;
use super::job::JobFile;
use crate::usage::note;

/// The command, and a folder for jobs and releases.
#[derive(Debug)]
pub struct Cold {
    program: PathBuf,
    folder: tempfile::TempDir,
}

/// What one or several runs took, the shortest of each, and what the fastest of them told.
#[derive(Debug, Clone)]
pub struct Taken {
    /// From start to end.
    pub seconds: f64,
    /// Seconds of user time.
    user: f64,
    /// The most memory that the process held.
    bytes: u64,
    told: Value,
}

impl Cold {
    /// The command that was built together with this program.
    pub fn new() -> Result<Self> {
        let io = |error| Error::io("the command to time", error);
        let name = format!("pellucid{}", std::env::consts::EXE_SUFFIX);
        let program = std::env::current_exe().map_err(io)?.with_file_name(name);
        if !program.is_file() {
            let shown = program.display();
            return Err(Error::invalid(format!("no command {shown}; build it with `cargo build --release`")));
        }
        Ok(Self { program, folder: tempfile::tempdir().map_err(io)? })
    }

    /// Publishes as `job` says, once.
    pub fn publish(&self, job: &JobFile) -> Result<Taken> {
        let file = self.folder.path().join("job.toml");
        fs::write(&file, job.text()).map_err(|error| Error::io(file.display(), error))?;
        let arguments = [OsStr::new("publish"), file.as_os_str(), OsStr::new("--overwrite"), OsStr::new("--json")];
        let failed = |error| Error::io(self.program.display(), error);
        let clock = Instant::now();
        // Errors go to the terminal: nobody would read them from a pipe before the process ends.
        let mut process = Command::new(&self.program).args(arguments).stdout(Stdio::piped()).spawn().map_err(failed)?;
        let mut printed = Vec::new();
        process.stdout.take().map_or(Ok(0), |mut out| out.read_to_end(&mut printed)).map_err(failed)?;
        let ended = process.wait4().map_err(failed)?;
        let seconds = clock.elapsed().as_secs_f64();
        if !ended.status.success() {
            return Err(Error::invalid(format!("the job `{}` makes no release", job.words())));
        }
        let told = serde_json::from_slice(&printed)
            .map_err(|error| Error::new(ErrorKind::Internal, format!("the command printed no JSON: {error}")))?;
        Ok(Taken { seconds, user: ended.rusage.utime.as_secs_f64(), bytes: ended.rusage.maxrss, told })
    }

    /// A folder that is removed with this value.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Taken {
    /// The better of two in each figure.
    pub fn or(self, other: Self) -> Self {
        let (user, bytes) = (self.user.min(other.user), self.bytes.min(other.bytes));
        let faster = if other.seconds < self.seconds { other } else { self };
        Self { user, bytes, ..faster }
    }

    /// Notes it as `case`.
    pub fn note(&self, case: &str) -> Result<()> {
        note(case, self.user, self.bytes)
    }

    /// Seconds of the stage called `words` in the fastest run.
    fn stage(&self, words: &str) -> f64 {
        self.told["seconds"][words].as_f64().unwrap_or(0.0)
    }

    /// Seconds of the search in the fastest run.
    pub fn search(&self) -> f64 {
        self.stage("searching the lattice")
    }

    /// Titles of [`Taken::columns`].
    pub fn titles() -> String {
        format!(
            "{:>7} {:>8} {:>8} {:>8} {:>8} {:>7} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}",
            "nodes",
            "checked",
            "us/check",
            "MiB kept",
            "left out",
            "seconds",
            "user",
            "read",
            "search",
            "show",
            "measure",
            "write",
            "other"
        )
    }

    /// Nodes of the lattice, nodes checked, time of a check, stored tables, rows left out, seconds, seconds of processors,
    /// and how the seconds split.
    pub fn columns(&self) -> String {
        let search = &self.told["search"];
        let checked = search["checked"].as_u64().unwrap_or(0);
        let stages =
            ["reading the table", "searching the lattice", "writing groups out"].map(|words| self.stage(words));
        let stages = [stages[0], stages[1], stages[2], self.stage("measuring privacy and utility")];
        let write = self.stage("saving the release");
        let other = self.seconds - stages.iter().sum::<f64>() - write;
        format!(
            "{:>7} {checked:>8} {:>8.0} {:>8.1} {:>8} {:>7.3} {:>6.2} {:>6.3} {:>6.3} {:>6.3} {:>7.3} {write:>6.3} {other:>6.3}",
            search["nodes"].as_str().unwrap_or("-"),
            self.search() * 1e6 / checked.max(1) as f64,
            mebibytes(search["bytes"].as_u64().unwrap_or(0)),
            search["best"]["suppressed"].as_u64().unwrap_or(0),
            self.seconds,
            self.user,
            stages[0],
            stages[1],
            stages[2],
            stages[3],
        )
    }
}
