//! Comparisons from files: reads the table and the register, and compares.

use std::path::Path;

use pellucid_app::{ComparedRelease, Comparison};
use pellucid_model::error::{Error, Result};
use pellucid_model::progress::RunStage;

use crate::known::read_register;
use crate::publish::load;

/// Runs `comparison` on the table that its jobs name. Paths of the job are relative to `base_dir`, and so is `register`, a table of the
/// population.
///
/// # Errors
/// Those of reading files, and of [`Comparison::run`].
pub fn compare(
    mut comparison: Comparison<'_>,
    base_dir: &Path,
    register: Option<&Path>,
) -> Result<Vec<ComparedRelease>> {
    let Some(first) = comparison.cases.first() else {
        return Err(Error::invalid("there is nothing to compare; name at least one publisher"));
    };
    (comparison.progress)(None, RunStage::Read)?;
    let (job, data) = load(&first.job, base_dir)?;
    let register = register.map(|path| read_register(&job, base_dir, path, data.table())).transpose()?;
    for case in &mut comparison.cases {
        case.job.columns.clone_from(&job.columns);
    }
    comparison.run(&data.with_register_table(register))
}
