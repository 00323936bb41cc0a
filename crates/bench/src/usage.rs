//! What a case takes of the machine, and the file in which the cases of a run are noted.
//!
//! Time is that which processors spend on the program itself (user time), over all threads: other work on the machine disturbs
//! it less than the time that passes. [`note`] writes one line of JSON a case to the file that [`NOTES`] names, where it names one.

use std::fs::OpenOptions;
use std::io::Write;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use pellucid_model::error::{Error, Result};
use serde_json::json;

/// The variable that names the file.
pub const NOTES: &str = "PELLUCID_BENCH_NOTES";

/// Measures the user time of this process.
#[derive(Debug, Clone, Copy)]
pub struct UserClock(f64);

impl UserClock {
    /// Starts.
    pub fn start() -> Self {
        Self(user_seconds())
    }

    /// Seconds since the start.
    pub fn seconds(self) -> f64 {
        user_seconds() - self.0
    }
}

fn user_seconds() -> f64 {
    getrusage(UsageWho::RUSAGE_SELF).map_or(f64::NAN, |usage| usage.user_time().num_microseconds() as f64 / 1e6)
}

/// Notes that `case` took so many seconds of user time and, at its peak, so many bytes.
pub fn note(case: &str, user: f64, bytes: u64) -> Result<()> {
    let Some(path) = std::env::var_os(NOTES) else { return Ok(()) };
    let failed = |error| Error::io(path.to_string_lossy(), error);
    let mut file = OpenOptions::new().append(true).create(true).open(&path).map_err(failed)?;
    writeln!(file, "{}", json!({ "case": case, "user": user, "bytes": bytes })).map_err(failed)
}
