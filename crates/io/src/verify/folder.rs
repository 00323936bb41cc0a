//! The files of a release: present, unchanged, and no others.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Component, Path, PathBuf};

use pellucid_model::error::{Error, Result};
use pellucid_model::manifest::{Manifest, PublishedFile};

use pellucid_model::words::counted;

use crate::publish::MANIFEST;

/// Reads the manifest of the release in `dir`.
pub fn read_manifest(dir: &Path) -> Result<Manifest> {
    let path = dir.join(MANIFEST);
    let text = fs::read(&path).map_err(|error| Error::io(path.display(), error))?;
    serde_json::from_slice(&text).map_err(|error| {
        // The reader's own words could quote what stands there.
        let (line, column) = (error.line(), error.column());
        Error::bad_input(format!("`{}` is no manifest (line {line}, column {column})", path.display()))
    })
}

/// Checks that the listed files are there and unchanged, and that there are no others.
pub(crate) fn check_files(dir: &Path, manifest: &Manifest) -> Result<String, String> {
    let mut listed = BTreeSet::new();
    let mut bytes = 0;
    for file in &manifest.files {
        check_file(dir, file)?;
        bytes += file.bytes;
        if !listed.insert(file.name.as_str()) {
            return Err(format!("the manifest lists `{}` twice", file.name));
        }
    }
    let mut unlisted = Vec::new();
    walk(dir, "", &mut |name| {
        if name != MANIFEST && !listed.contains(name) {
            unlisted.push(name.to_owned());
        }
    })?;
    unlisted.sort_unstable();
    if let Some(first) = unlisted.first() {
        let number = counted(unlisted.len() as u64, "file", "files");
        return Err(format!("{number} not listed in the manifest, first `{first}`; remove what is not published"));
    }
    let number = counted(listed.len() as u64, "file", "files");
    Ok(format!("{number} with {bytes} bytes, sizes and checksums as listed, none beside them"))
}

fn check_file(dir: &Path, file: &PublishedFile) -> Result<(), String> {
    let name = &file.name;
    let inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if name.is_empty() || !inside {
        return Err(format!("the manifest lists `{name}`, which does not lie in the release"));
    }
    let path = dir.join(name);
    let unreadable = |_| format!("`{name}` is listed in the manifest but cannot be read");
    let found = fs::symlink_metadata(&path).map_err(unreadable)?;
    if !found.is_file() {
        return Err(format!("`{name}` is not a regular file"));
    }
    let (found, stated) = (found.len(), file.bytes);
    if found != stated {
        return Err(format!("`{name}` has {found} bytes, the manifest states {stated}"));
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(&path).map_err(unreadable)?).map_err(unreadable)?;
    if hasher.finalize().to_hex().as_str() == file.blake3.to_ascii_lowercase() {
        Ok(())
    } else {
        Err(format!("`{name}` has another BLAKE3 checksum than the manifest states"))
    }
}

/// Calls `each` with every entry below `dir` that is no folder, its path written with slashes.
fn walk(dir: &Path, prefix: &str, each: &mut dyn FnMut(&str)) -> Result<(), String> {
    let unreadable = |_| format!("folder `{}` cannot be read", if prefix.is_empty() { "." } else { prefix });
    for entry in fs::read_dir(dir).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type().map_err(unreadable)?.is_dir() {
            walk(&entry.path(), &format!("{name}/"), each)?;
        } else {
            each(&name);
        }
    }
    Ok(())
}

/// The listed file that holds the table `stem`.
pub(crate) fn sheet_file<'a>(manifest: &'a Manifest, stem: &str) -> Result<&'a str, String> {
    let names = manifest.files.iter().map(|file| file.name.as_str());
    let mut found = names.filter(|name| {
        let end = name.strip_prefix(stem).and_then(|rest| rest.strip_prefix('.'));
        end.is_some_and(|end| ["csv", "parquet", "arrow"].contains(&end))
    });
    match (found.next(), found.next()) {
        (Some(name), None) => Ok(name),
        (None, _) => Err(format!("the manifest lists no table `{stem}.csv` or `{stem}.parquet`")),
        (Some(first), Some(second)) => Err(format!("the manifest lists both `{first}` and `{second}`")),
    }
}

/// The assignment in the private folder beside `dir`, when there is one.
pub(crate) fn find_assignment(dir: &Path) -> Option<PathBuf> {
    let dir = dir.canonicalize().ok()?;
    let mut private = OsString::from(dir.file_name()?);
    private.push("-private");
    let private = dir.with_file_name(private);
    let names = ["assignment.csv", "assignment.parquet", "assignment.arrow"];
    names.iter().map(|name| private.join(name)).find(|path| path.is_file())
}
