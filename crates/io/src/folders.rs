//! Folders that appear whole or not at all.
//!
//! A release is staged in hidden folders beside its place and moved there by renaming. Whatever goes wrong before, an
//! error, a panic or an interrupt, the staged folders are removed and nothing is left.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use pellucid_core::error::{Error, Result};

/// Folders that are staged and not yet moved to their place.
static STAGED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn staged() -> MutexGuard<'static, Vec<PathBuf>> {
    STAGED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes everything that is staged and lets nothing be moved to its place any more; for a process about to exit.
///
/// A move that is under way is waited for, so that both folders or neither are in place.
pub fn abandon() {
    crate::program::stop_all();
    let paths = staged();
    for path in paths.iter() {
        // Another thread may be writing a file into the folder right now; it fails once the folder is gone.
        for _ in 0..10 {
            if fs::remove_dir_all(path).is_ok() || !path.exists() {
                break;
            }
        }
    }
    std::mem::forget(paths);
}

/// A public and a private folder being staged.
#[derive(Debug)]
pub struct Staging {
    public: Target,
    private: Target,
    overwrite: bool,
}

#[derive(Debug)]
struct Target {
    staged: tempfile::TempDir,
    place: PathBuf,
}

/// A folder for files that are not to stay; only its owner may look into it.
#[derive(Debug)]
pub(crate) struct Scratch(tempfile::TempDir);

impl Scratch {
    pub fn new() -> Result<Self> {
        let mut staged = staged();
        let made = tempfile::Builder::new().prefix("pellucid-").tempdir();
        let made = made.map_err(|error| Error::io(std::env::temp_dir().display(), error))?;
        staged.push(made.path().to_owned());
        Ok(Self(made))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        staged().retain(|path| path != self.0.path());
    }
}

/// Where the private folder of the release at `public` lies: beside it, with `-private` appended.
pub fn private_folder(public: &Path) -> PathBuf {
    let mut name = public.file_name().unwrap_or_default().to_owned();
    name.push("-private");
    public.with_file_name(name)
}

impl Staging {
    /// Begins staging a release at `public`.
    ///
    /// # Errors
    /// When something is there already and `overwrite` is not set or it is no release, or a folder cannot be made.
    pub fn begin(public: &Path, overwrite: bool) -> Result<Self> {
        let name = public.file_name().ok_or_else(|| {
            Error::invalid(format!("`{}` does not name a folder; give the release a name", public.display()))
        })?;
        let private = private_folder(public);
        for (place, mark) in [(public, "manifest.json"), (&private, "private.json")] {
            if overwrite && !may_replace(place, mark) {
                return Err(Error::invalid(format!(
                    "`{}` is no earlier release and is not overwritten; name another folder or remove it yourself",
                    place.display()
                )));
            }
            if !overwrite && place.symlink_metadata().is_ok() {
                return Err(Error::invalid(format!(
                    "`{}` exists already; name another folder or allow overwriting with --overwrite",
                    place.display()
                )));
            }
        }
        let parent = match public.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        if let Some(file) = parent.ancestors().find(|ancestor| ancestor.exists() && !ancestor.is_dir()) {
            return Err(Error::invalid(format!(
                "`{}` is a file and cannot hold the release; name another folder or move the file",
                file.display()
            )));
        }
        fs::create_dir_all(parent).map_err(|error| Error::io(parent.display(), error))?;
        let target = |place: &Path| -> Result<Target> {
            let prefix = format!(".{}.partial-", name.to_string_lossy());
            let mut paths = staged();
            let made = tempfile::Builder::new().prefix(&prefix).tempdir_in(parent);
            let made = made.map_err(|error| Error::io(parent.display(), error))?;
            paths.push(made.path().to_owned());
            Ok(Target { staged: made, place: place.to_owned() })
        };
        Ok(Self { public: target(public)?, private: target(&private)?, overwrite })
    }

    /// Where public files are to be written.
    pub fn public(&self) -> &Path {
        self.public.staged.path()
    }

    /// Where private files are to be written; readable by their owner only.
    pub fn private(&self) -> &Path {
        self.private.staged.path()
    }

    /// Moves both folders to their place. All public files get the time `stamp`, so that it does not tell how long
    /// anything took.
    pub fn commit(self, stamp: SystemTime) -> Result<()> {
        let mode = usual_mode(self.public())?;
        settle(self.public(), stamp, mode, mode & 0o666)?;
        settle(self.private(), stamp, 0o700, 0o600)?;
        let paths = staged();
        let mut moved: Vec<Move> = Vec::new();
        for target in [&self.private, &self.public] {
            match Move::make(target, self.overwrite) {
                Ok(done) => moved.push(done),
                Err(error) => {
                    moved.into_iter().rev().for_each(Move::undo);
                    return Err(error);
                }
            }
        }
        moved.into_iter().for_each(Move::finish);
        drop(paths);
        Ok(())
    }
}

/// Whether nothing, an empty folder or an earlier release, which holds the file `mark`, is at `place`.
fn may_replace(place: &Path, mark: &str) -> bool {
    let empty = || fs::read_dir(place).is_ok_and(|mut entries| entries.next().is_none());
    place.symlink_metadata().is_err() || place.join(mark).is_file() || empty()
}

impl Drop for Target {
    fn drop(&mut self) {
        let path = self.staged.path();
        staged().retain(|other| other != path);
    }
}

/// A folder moved to its place, and what was there before.
struct Move {
    from: PathBuf,
    place: PathBuf,
    previous: Option<PathBuf>,
}

impl Move {
    fn make(target: &Target, overwrite: bool) -> Result<Self> {
        let from = target.staged.path().to_owned();
        let place = target.place.clone();
        let failed = |error| Error::io(place.display(), error);
        let mut previous = None;
        if overwrite && place.symlink_metadata().is_ok() {
            let mut aside = from.as_os_str().to_owned();
            aside.push("-previous");
            fs::rename(&place, &aside).map_err(failed)?;
            previous = Some(PathBuf::from(aside));
        }
        if let Err(error) = fs::rename(&from, &place) {
            if let Some(aside) = &previous {
                // The earlier folder goes back to where it was; if even that fails there is nothing better to do.
                let _ = fs::rename(aside, &place);
            }
            return Err(failed(error));
        }
        Ok(Self { from, place, previous })
    }

    fn undo(self) {
        let _ = fs::rename(&self.place, &self.from);
        if let Some(aside) = self.previous {
            let _ = fs::rename(aside, &self.place);
        }
    }

    fn finish(self) {
        if let Some(aside) = self.previous {
            let _ = if aside.is_dir() { fs::remove_dir_all(aside) } else { fs::remove_file(aside) };
        }
    }
}

/// Gives every file below `folder` the same time and fixed permissions.
fn settle(folder: &Path, stamp: SystemTime, folder_mode: u32, file_mode: u32) -> Result<()> {
    let failed = |error| Error::io(folder.display(), error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_type().map_err(failed)?.is_dir() {
            settle(&entry.path(), stamp, folder_mode, file_mode)?;
        } else {
            let file = fs::File::options().write(true).open(entry.path()).map_err(failed)?;
            file.set_modified(stamp).map_err(failed)?;
            set_mode(&entry.path(), file_mode).map_err(failed)?;
        }
    }
    set_mode(folder, folder_mode).map_err(failed)
}

/// The permissions that a new folder gets here, as the user's mask has it.
#[cfg(unix)]
fn usual_mode(below: &Path) -> Result<u32> {
    use std::os::unix::fs::PermissionsExt;
    let probe = below.join(".mode");
    let failed = |error| Error::io(probe.display(), error);
    fs::create_dir(&probe).map_err(failed)?;
    let mode = fs::metadata(&probe).map_err(failed)?.permissions().mode();
    fs::remove_dir(&probe).map_err(failed)?;
    Ok(mode & 0o777)
}

#[cfg(not(unix))]
fn usual_mode(_: &Path) -> Result<u32> {
    Ok(0o755)
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn folders_appear_together_and_private_is_private() {
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("release");
        let staging = Staging::begin(&out, false).unwrap();
        fs::write(staging.public().join("data.csv"), "a\n").unwrap();
        fs::write(staging.private().join("seed"), "1").unwrap();
        assert!(!out.exists());
        staging.commit(SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(names(home.path()), ["release", "release-private"]);
        let modified = fs::metadata(out.join("data.csv")).unwrap().modified().unwrap();
        assert_eq!(modified, SystemTime::UNIX_EPOCH);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(home.path().join("release-private")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700);
        }
    }

    #[test]
    fn what_is_not_committed_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let staging = Staging::begin(&home.path().join("release"), false).unwrap();
        fs::write(staging.public().join("data.csv"), "a\n").unwrap();
        drop(staging);
        assert!(names(home.path()).is_empty());
    }

    #[test]
    fn an_existing_folder_is_kept_unless_overwriting() {
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("release");
        fs::create_dir(&out).unwrap();
        fs::write(out.join("old"), "").unwrap();
        let message = Staging::begin(&out, true).unwrap_err().to_string();
        assert!(message.contains("no earlier release"), "{message}");
        fs::write(out.join("manifest.json"), "").unwrap();
        let message = Staging::begin(&out, false).unwrap_err().to_string();
        assert!(message.contains("--overwrite"), "{message}");
        Staging::begin(&out, true).unwrap().commit(SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(names(home.path()), ["release", "release-private"]);
        assert!(names(&out).is_empty());
    }
}
