//! Tables from files, for gates.

use std::path::Path;

use pellucid_app::host::{GateSource, fingerprint};
use pellucid_model::error::{Error, Result};
use pellucid_publish::job::Job;

use crate::publish::load;
use crate::{in_file, input_options, read_strings};

/// Reads the table of `job`, whose relative paths are relative to `base_dir`, for a gate.
///
/// # Errors
/// Whatever is wrong with the job or its files.
pub fn load_source(job: &Job, base_dir: &Path) -> Result<GateSource> {
    job.check()?;
    let (job, data) = load(job, base_dir)?;
    let path = base_dir.join(&job.input.path);
    let contents = fingerprint(&read_strings(&path, &input_options(&job))?).map_err(|error| in_file(&path, error))?;
    if contents.numbers.len() != data.rows() {
        return Err(Error::bad_input(format!("{}: the file changed while it was read; run again", path.display())));
    }
    GateSource::new(job, &data.with_fingerprint(contents))
}
