//! What `--overwrite` may remove: an earlier release, with its own files and nothing else.
//!
//! The public folder is one when its manifest can be read, says that Pellucid made it, and every file is listed there with the
//! checksum that it has; the private one when its record can be read and no other file lies beside those that `publish` writes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use pellucid_model::error::{Error, Result};
use pellucid_model::manifest::Manifest;
use serde_json::Value;

use super::Side;
use crate::publish::REPORT;
use crate::publish::{MANIFEST, RECORD, checksum};

/// What `made_by` begins with in everything that Pellucid makes.
const MAKER: &str = "pellucid ";

/// Fails unless nothing, an empty folder or that side of an earlier release is at `place`.
pub(super) fn check_replaceable(side: Side, place: &Path) -> Result<()> {
    let Ok(found) = place.symlink_metadata() else { return Ok(()) };
    if !found.is_dir() {
        return Err(refusal(place, "it is no folder"));
    }
    if fs::read_dir(place).is_ok_and(|mut entries| entries.next().is_none()) {
        return Ok(());
    }
    match side {
        Side::Public => check_public(place),
        Side::Private => check_private(place),
    }
}

fn refusal(place: &Path, why: &str) -> Error {
    Error::invalid(format!(
        "`{}` is no earlier release and is not overwritten: {why}; name another folder, or remove it yourself",
        place.display()
    ))
}

fn check_public(place: &Path) -> Result<()> {
    let unread = || refusal(place, &format!("its `{MANIFEST}` is missing or cannot be read as one"));
    let text = fs::read(place.join(MANIFEST)).map_err(|_| unread())?;
    let manifest: Manifest = serde_json::from_slice(&text).map_err(|_| unread())?;
    if !manifest.made_by.starts_with(MAKER) {
        return Err(refusal(place, &format!("its `{MANIFEST}` was not made by Pellucid")));
    }
    let listed: BTreeMap<&str, &str> =
        manifest.files.iter().map(|file| (file.name.as_str(), file.blake3.as_str())).collect();
    for name in names(place, "")? {
        let is_own = name == MANIFEST
            || listed
                .get(name.as_str())
                .is_some_and(|sum| checksum(&place.join(&name)).is_ok_and(|found| found.0 == **sum));
        if !is_own {
            let what = if listed.contains_key(name.as_str()) { "has changed since" } else { "is not part of it" };
            return Err(refusal(place, &format!("`{name}` {what}")));
        }
    }
    Ok(())
}

fn check_private(place: &Path) -> Result<()> {
    let record: Option<Value> = fs::read(place.join(RECORD)).ok().and_then(|text| serde_json::from_slice(&text).ok());
    let made_by = record.as_ref().and_then(|record| record["made_by"].as_str());
    if !made_by.is_some_and(|maker| maker.starts_with(MAKER)) {
        return Err(refusal(place, &format!("its `{RECORD}` is missing or cannot be read as one")));
    }
    let own = [RECORD, REPORT, "assignment.csv", "assignment.parquet"];
    match names(place, "")?.into_iter().find(|name| !own.contains(&name.as_str())) {
        Some(name) => Err(refusal(place, &format!("`{name}` is not part of it"))),
        None => Ok(()),
    }
}

/// Everything below `folder` but folders, by its name relative to it.
fn names(folder: &Path, prefix: &str) -> Result<Vec<String>> {
    let failed = |error| Error::io(folder.display(), error);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type().map_err(failed)?.is_dir() {
            names.extend(self::names(&entry.path(), &format!("{name}/"))?);
        } else {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}
