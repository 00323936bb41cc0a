//! Files that commands write beside what they print.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;
use pellucid_io::replace_private_file;
use pellucid_model::error::{Error, Result};
use pellucid_model::table::ColumnCodes;
use pellucid_model::table::{ReleasedColumn, ReleasedColumns};

/// Whether files that exist may be replaced.
#[derive(Debug, Args)]
pub struct OverwriteOption {
    /// Replace files that exist
    #[arg(long)]
    overwrite: bool,
}

impl OverwriteOption {
    /// Refuses, before anything is done, to write to `files` what could not be written or would destroy something else: one of
    /// `precious`, which are what `named` says.
    pub fn check(&self, files: &[&Path], precious: &[&Path], named: &str) -> Result<()> {
        let same = |a: &Path, b: &Path| a.canonicalize().ok().zip(b.canonicalize().ok()).is_some_and(|(a, b)| a == b);
        for (at, file) in files.iter().enumerate() {
            let shown = file.display();
            if files[..at].contains(file) {
                return Err(Error::invalid(format!("`{shown}` is to be written twice; name two files")));
            }
            if precious.iter().any(|precious| same(file, precious)) {
                return Err(Error::invalid(format!("`{shown}` is {named}; name another file")));
            }
            if file.exists() && !self.overwrite {
                return Err(Error::invalid(format!("`{shown}` exists; name another file, or add --overwrite")));
            }
            let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
            if folder.is_some_and(|folder| !folder.is_dir()) {
                return Err(Error::invalid(format!("there is no folder for `{shown}`; make it, or name another file")));
            }
        }
        Ok(())
    }
}

/// A column of text for a file.
pub fn words<'a>(cells: impl Iterator<Item = &'a str>) -> ReleasedColumn {
    let mut labels: Vec<String> = Vec::new();
    let mut places: BTreeMap<&str, u32> = BTreeMap::new();
    let mut codes = Vec::new();
    for cell in cells {
        let next = labels.len() as u32;
        let code = *places.entry(cell).or_insert_with(|| {
            labels.push(cell.to_owned());
            next
        });
        codes.push(code);
    }
    let codes = ColumnCodes::narrow(codes, labels.len());
    ReleasedColumn::Labels { labels, codes }
}

/// Writes columns that only their owner may read as CSV, whole or not at all.
pub fn write_private_csv(path: &Path, columns: Vec<(String, ReleasedColumn)>) -> Result<()> {
    pellucid_io::write_private_csv(path, &ReleasedColumns::new(columns)?)
}

/// Writes text that only its owner may read, whole or not at all.
pub fn write_private(path: &Path, text: &str) -> Result<()> {
    let fail = |error| Error::io(path.display(), error);
    replace_private_file(path, |file| file.write_all(text.as_bytes()).map_err(fail))
}
