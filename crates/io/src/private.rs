//! Files and folders that only their owner may use, from the moment they are made.
//!
//! What is temporary is locked by the process that made it, so that a later run can tell what a dead process left behind:
//! [`OwnFolder`] for folders, [`own_file`] for files. A lock ends with its process, however that ends.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile, TempDir};

/// The file by which a temporary folder is locked.
const LOCK: &str = "lock";

/// What the lock of a folder of ours holds.
const MARK: &str = "locked by pellucid\n";

/// What the names of temporary files begin and end with.
const NAMED: (&str, &str) = (".pellucid-tmp-", ".part");

/// Letters that are drawn for a temporary name.
const DRAWN: usize = 12;

/// Makes a new file that only its owner may use.
pub(crate) fn create_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Makes a new folder that only its owner may use.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Writes a new file that only its owner may use.
pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    create_file(path)?.write_all(content.as_ref())
}

/// Sets the permissions of a file or folder.
#[cfg(unix)]
pub(crate) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

/// Permissions are for Unix.
#[cfg(not(unix))]
pub(crate) fn set_mode(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

/// Whether this process's user owns what `path` names, which is no link.
#[cfg(unix)]
fn is_own(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::symlink_metadata(path).is_ok_and(|found| found.uid() == rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn is_own(path: &Path) -> bool {
    path.exists()
}

/// Locks `file` unless a living process has it; where a file system knows no locks, nobody is taken for dead.
fn lock(file: &File, making: bool) -> bool {
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => making,
    }
}

/// A temporary folder of this process, with everything in it for its owner only; removed with this value.
#[derive(Debug)]
pub(crate) struct OwnFolder {
    folder: Option<TempDir>,
    _lock: File,
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            clear(folder.path());
        }
    }
}

/// Removes everything in a folder of ours but its lock, so that it is known for ours until nothing else is left.
fn clear(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_name() != LOCK) {
        let path = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        // What cannot be removed is left for the next run.
        let _ = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
}

/// Removes a folder of ours, its lock last.
pub(crate) fn remove_folder(folder: &Path) -> io::Result<()> {
    clear(folder);
    match fs::remove_dir_all(folder) {
        // Whoever made it may be as fast.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

impl OwnFolder {
    /// Makes one in `parent`; its name begins with `prefix`.
    pub fn make(parent: &Path, prefix: &str) -> io::Result<Self> {
        let mut builder = Builder::new();
        builder.prefix(prefix).rand_bytes(DRAWN);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        loop {
            let folder = builder.tempdir_in(parent)?;
            let path = folder.path().join(LOCK);
            match create_file(&path) {
                // Until it was locked, another process could take it for left over and remove it.
                Ok(mut file) => {
                    if lock(&file, true) && path.exists() {
                        file.write_all(MARK.as_bytes())?;
                        return Ok(Self { folder: Some(folder), _lock: file });
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound && parent.is_dir() => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.as_ref().map_or(Path::new(""), TempDir::path)
    }

    /// Leaves it where it is.
    pub fn keep(mut self) {
        drop(self.folder.take().map(TempDir::keep));
    }
}

/// Whether the letters that were drawn for a temporary name stand at its end.
pub(crate) fn is_drawn(name: &str, prefix: &str) -> bool {
    let drawn = name.strip_prefix(prefix);
    drawn.is_some_and(|drawn| drawn.len() == DRAWN && drawn.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Whether a lock is one of ours: it says so, or its process died before it could.
fn is_ours(folder: &Path, mut lock: &File) -> bool {
    let mut held = String::new();
    let alone = || fs::read_dir(folder).is_ok_and(|entries| entries.count() == 1);
    lock.read_to_string(&mut held).is_ok() && (held == MARK || held.is_empty() && alone())
}

/// Gives `then` every folder in `parent` whose name `named` accepts and whose process is dead; it stays locked meanwhile.
pub(crate) fn left_over<E>(
    parent: &Path,
    named: impl Fn(&str) -> bool,
    mut then: impl FnMut(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let Ok(entries) = fs::read_dir(parent) else { return Ok(()) };
    for path in entries.flatten().map(|entry| entry.path()) {
        let is_named = path.file_name().and_then(|name| name.to_str()).is_some_and(&named);
        if !is_named || !fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir()) || !is_own(&path) {
            continue;
        }
        match File::open(path.join(LOCK)) {
            // A lock that is gone was held by a process that lived until then.
            Ok(file) if is_ours(&path, &file) && lock(&file, false) && path.join(LOCK).exists() => then(&path)?,
            // Not locked yet, or nearly removed; its maker makes another when it is gone.
            Err(error) if error.kind() == io::ErrorKind::NotFound => drop(fs::remove_dir(&path)),
            _ => {}
        }
    }
    Ok(())
}

/// Makes a temporary file in `folder` that only its owner may use, and removes those that dead processes left there.
pub fn own_file(folder: &Path) -> io::Result<NamedTempFile> {
    own_file_with(folder, 0o600)
}

/// The same with permissions `mode`, less the user's mask.
pub(crate) fn own_file_with(folder: &Path, mode: u32) -> io::Result<NamedTempFile> {
    remove_dead_files(folder);
    let mut builder = Builder::new();
    builder.prefix(NAMED.0).suffix(NAMED.1).rand_bytes(DRAWN);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    loop {
        let made = builder.tempfile_in(folder)?;
        if lock(made.as_file(), true) && made.path().exists() {
            return Ok(made);
        }
    }
}

fn remove_dead_files(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(NAMED.1));
        let is_named = name.is_some_and(|name| is_drawn(name, NAMED.0));
        let is_file = || fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
        if is_named && is_file() && is_own(&path) && File::open(&path).is_ok_and(|file| lock(&file, false)) {
            // Somebody else may be as fast.
            let _ = fs::remove_file(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lives_is_kept_and_what_is_dead_is_removed() {
        let home = tempfile::tempdir().unwrap();
        let named = |name: &str| name.starts_with(".x-");
        let living = OwnFolder::make(home.path(), ".x-").unwrap();
        let mine = "something of mine";
        for (name, locked) in
            [(".x-dead", MARK), (".x-young", ""), (".x-empty", ""), (".x-mine", mine), (".y-other", MARK)]
        {
            fs::create_dir(home.path().join(name)).unwrap();
            if name != ".x-empty" {
                fs::write(home.path().join(name).join(LOCK), locked).unwrap();
            }
        }
        let file = own_file(home.path()).unwrap();
        let dead = home.path().join(".pellucid-tmp-0123456789ab.part");
        let others = [".pellucid-ledger.sqlite", ".pellucid-tmp-notes.part", ".pellucid-tmp-0123456789ab"];
        others.iter().for_each(|name| fs::write(home.path().join(name), "").unwrap());
        fs::write(&dead, "").unwrap();
        let mut found = Vec::new();
        left_over(home.path(), named, |path| {
            found.push(path.to_owned());
            Ok::<(), ()>(())
        })
        .unwrap();
        found.sort();
        assert_eq!(found, [".x-dead", ".x-young"].map(|name| home.path().join(name)));
        assert!(!home.path().join(".x-empty").exists());
        drop(own_file(home.path()).unwrap());
        assert!(!dead.exists() && others.iter().all(|name| home.path().join(name).exists()));
        assert!(file.path().exists() && living.path().exists() && home.path().join(".y-other").exists());
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_use_what_is_made() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let folder = OwnFolder::make(home.path(), ".x-").unwrap();
        let (inner, file) = (folder.path().join("inner"), folder.path().join("file"));
        create_folder(&inner).unwrap();
        write(&file, "text").unwrap();
        assert_eq!([folder.path(), &inner, &file].map(mode), [0o700, 0o700, 0o600]);
        assert_eq!(mode(own_file(home.path()).unwrap().path()), 0o600);
        assert!(write(&file, "again").is_err());
    }
}
