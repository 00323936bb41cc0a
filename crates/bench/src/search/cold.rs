//! Runs of the command in a fresh process, from the table's file to the written release.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use pellucid_core::error::{Error, ErrorKind, Result};
use serde_json::Value;

use super::board::mebibytes;
use super::job::JobFile;

/// Ticks in which Linux counts processor time for programs, on all common machines.
const TICKS_PER_SECOND: f64 = 100.0;

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
    /// Seconds of processors outside the kernel, where the system tells.
    user: Option<f64>,
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
        let mut command = Command::new(&self.program);
        let before = user_seconds();
        let clock = Instant::now();
        let output = command.args(arguments).output().map_err(|error| Error::io(self.program.display(), error))?;
        let seconds = clock.elapsed().as_secs_f64();
        let user = before.and_then(|before| Some(user_seconds()? - before));
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(Error::invalid(format!("the job `{}` makes no release: {}", job.words(), said.trim())));
        }
        let told = serde_json::from_slice(&output.stdout)
            .map_err(|error| Error::new(ErrorKind::Internal, format!("the command printed no JSON: {error}")))?;
        Ok(Taken { seconds, user, told })
    }

    /// A folder that is removed with this value.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Seconds that the processors spent for children of this process that have ended.
fn user_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the program's name in parentheses; the ended children's time in user mode is field 16.
    let after_name = stat.rsplit_once(')')?.1;
    let ticks: f64 = after_name.split_whitespace().nth(13)?.parse().ok()?;
    Some(ticks / TICKS_PER_SECOND)
}

impl Taken {
    /// The better of two in each time.
    pub fn or(self, other: Self) -> Self {
        let user = self.user.into_iter().chain(other.user).min_by(f64::total_cmp);
        let faster = if other.seconds < self.seconds { other } else { self };
        Self { user, ..faster }
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
            "{:>7} {checked:>8} {:>8.0} {:>8.1} {:>8} {:>7.3} {:>6} {:>6.3} {:>6.3} {:>6.3} {:>7.3} {write:>6.3} {other:>6.3}",
            search["nodes"].as_str().unwrap_or("-"),
            self.search() * 1e6 / checked.max(1) as f64,
            mebibytes(search["bytes"].as_u64().unwrap_or(0)),
            search["best"]["suppressed"].as_u64().unwrap_or(0),
            self.seconds,
            self.user.map_or_else(|| "-".to_owned(), |user| format!("{user:.2}")),
            stages[0],
            stages[1],
            stages[2],
            stages[3],
        )
    }
}
