//! Releases that lie in a folder already: their classes are found again by the private record of whose line is whose.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pellucid_model::error::{Error, Result};
use pellucid_model::manifest::Manifest;
use pellucid_model::table::Role;
use pellucid_model::table::{TextColumn, TextTable};

use pellucid_app::host::GateSource;
use pellucid_app::parts::GateShowing;

use crate::folders::private_folder;
use crate::publish::{MANIFEST, checksum};
use crate::verify::{VerifyOptions, verify_release};
use crate::{ReadOptions, input_options, read_strings};

/// The classes of the release of `of`, whose file is `table`, in the public folder `folder`, for each sensitive column.
///
/// # Errors
/// When the private folder does not lie beside it, when the release does not pass its verification against this table, and
/// those of [`GateSource::classes_of`].
pub fn classes_in(of: &GateSource, table: &Path, folder: &Path) -> Result<Vec<GateShowing>> {
    let path = folder.join(MANIFEST);
    let text = std::fs::read(&path).map_err(|error| Error::io(path.display(), error))?;
    let manifest: Manifest = serde_json::from_slice(&text).map_err(|_| {
        Error::bad_input(format!("`{}` is no manifest; name the public folder of a release", path.display()))
    })?;
    let private = private_folder(folder);
    let Some(assignment) = table_in(&private, "assignment") else {
        return Err(Error::bad_input(format!(
            "there is no assignment in `{}`, so that nobody can tell who is in which class of the release; record a release \
             when it is made, with `pellucid publish --ledger`",
            private.display()
        )));
    };
    // What its classes are is told by the manifest before whether they are private.
    of.classes(&manifest, None, Vec::new())?;
    let options = VerifyOptions {
        source: Some(table.to_owned()),
        source_read: input_options(of.job()),
        assignment: Some(assignment.clone()),
        ..VerifyOptions::default()
    };
    let report = verify_release(folder, &options)?;
    if let Some(failed) = report.failures().find(|check| check.name != "publication") {
        return Err(Error::bad_input(format!(
            "`{}` is no release of table `{}` as it is now (check `{}` fails); see what `pellucid verify --source` says",
            folder.display(),
            of.name(),
            failed.name
        )));
    }
    let classes = classes(folder, &manifest, &read(&assignment)?)?;
    of.classes(&manifest, Some(&checksum(&path)?.0), classes)
}

/// The rows of every class, by what their lines show alike.
fn classes(folder: &Path, manifest: &Manifest, assignment: &TextTable) -> Result<Vec<Vec<u32>>> {
    let lost = |what: &str| Error::bad_input(format!("`{}` {what}; publish it again", folder.display()));
    let sheet = table_in(folder, "data").or_else(|| table_in(folder, "quasi"));
    let sheet = read(&sheet.ok_or_else(|| lost("has no released table"))?)?;
    let line_of = assignment.column("line").or_else(|_| assignment.column("quasi_line"))?;
    let quasi = manifest.columns.iter().filter(|column| column.role == Role::Quasi);
    let alike: Vec<&TextColumn> = match &manifest.group_column {
        Some(group) => vec![sheet.column(group)?],
        None => quasi.map(|column| sheet.column(&column.name)).collect::<Result<_>>()?,
    };
    let mut classes: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    for (row, line) in (0..).zip(line_of.iter()) {
        // Rows without a line are left out.
        let Some(line) = line.parse::<usize>().ok().and_then(|line| line.checked_sub(1)) else { continue };
        if line >= sheet.rows() {
            return Err(lost("has fewer lines than its private assignment says"));
        }
        classes.entry(alike.iter().map(|column| column.code(line)).collect()).or_default().push(row);
    }
    Ok(classes.into_values().collect())
}

/// The table called `name` in `folder`.
fn table_in(folder: &Path, name: &str) -> Option<PathBuf> {
    ["csv", "parquet"].map(|end| folder.join(format!("{name}.{end}"))).into_iter().find(|path| path.is_file())
}

fn read(path: &Path) -> Result<TextTable> {
    read_strings(path, &ReadOptions::default())
}
