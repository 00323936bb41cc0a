//! Comparisons from files: reads the table and the register, and compares.

use std::path::Path;

use pellucid_app::{Case, CompareOptions, Compared, compare as compare_in_memory};
use pellucid_model::error::{Error, Result};
use pellucid_model::progress::Stage;

use crate::known::read_register;
use crate::publish::load;

/// Runs every case on the table that its job names and measures it; all cases have the same table and columns. Paths of the job are
/// relative to `base_dir`, and so is `register`, a table of the population.
///
/// # Errors
/// Those of reading files, and of [`pellucid_app::compare`].
pub fn compare(
    mut cases: Vec<Case>,
    base_dir: &Path,
    register: Option<&Path>,
    options: &CompareOptions<'_>,
) -> Result<Vec<Compared>> {
    let Some(first) = cases.first() else {
        return Err(Error::invalid("there is nothing to compare; name at least one publisher"));
    };
    (options.progress)(None, Stage::Read)?;
    let (job, data) = load(&first.job, base_dir)?;
    let register = register.map(|path| read_register(&job, base_dir, path, data.table())).transpose()?;
    for case in &mut cases {
        case.job.columns.clone_from(&job.columns);
    }
    compare_in_memory(&data.with_register_table(register), cases, options)
}
