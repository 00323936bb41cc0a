//! Folders that appear whole or not at all.
//!
//! A release is staged in one hidden folder beside its place, which only its owner may enter, and moved from there by renaming.
//! Whatever goes wrong before, an error, a panic or an interrupt, the hidden folder is removed and nothing is left. A process
//! that is killed leaves it behind; the next one that stages in the same parent removes it.
//!
//! # Guarantee
//! The public and the private folder change together. Before the first of them is moved, an intent is written to the hidden folder; a
//! process that is killed afterwards has its moves finished by the next one. What an overwriting release replaces is an
//! earlier release with its own files alone (`earlier.rs`), seen again right before it is moved.

mod earlier;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use pellucid_model::error::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::private::{OwnFolder, create_folder, is_drawn, left_over, remove_folder, set_mode, write};
use earlier::check_replaceable;

/// In the name of a folder that is staged.
const PARTIAL: &str = ".partial-";

/// The file in a staged folder that says where its parts are to be moved.
const INTENT: &str = "intent.json";

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
            if remove_folder(path).is_ok() || !path.exists() {
                break;
            }
        }
    }
    std::mem::forget(paths);
}

/// A temporary folder that [`abandon`] knows of.
#[derive(Debug)]
struct Registered(Option<OwnFolder>);

impl Registered {
    fn make(parent: &Path, prefix: &str) -> Result<Self> {
        let mut staged = staged();
        let made = OwnFolder::make(parent, prefix).map_err(|error| Error::io(parent.display(), error))?;
        staged.push(made.path().to_owned());
        Ok(Self(Some(made)))
    }

    fn path(&self) -> &Path {
        self.0.as_ref().map_or(Path::new(""), OwnFolder::path)
    }

    /// Leaves the folder where it is.
    fn keep(mut self) {
        staged().retain(|path| path != self.path());
        if let Some(folder) = self.0.take() {
            folder.keep();
        }
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        staged().retain(|path| path != self.path());
    }
}

/// A folder for files that are not to stay; only its owner may look into it.
#[derive(Debug)]
pub(crate) struct ScratchFolder(Registered);

impl ScratchFolder {
    /// Makes one, and removes those that dead processes left behind.
    pub fn new() -> Result<Self> {
        const PREFIX: &str = "pellucid-scratch-";
        let parent = std::env::temp_dir();
        left_over(&parent, |name| is_drawn(name, PREFIX), remove_folder)
            .map_err(|error| Error::io(parent.display(), error))?;
        Registered::make(&parent, PREFIX).map(Self)
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

/// Where the private folder of the release at `public` lies: beside it, with `-private` appended.
pub fn private_folder(public: &Path) -> PathBuf {
    let mut name = public.file_name().unwrap_or_default().to_owned();
    name.push("-private");
    public.with_file_name(name)
}

/// A public and a private folder being staged.
#[derive(Debug)]
pub struct StagedFolders {
    folder: Registered,
    parts: [Part; 2],
    overwrite: bool,
    finished: Vec<String>,
}

/// One of the two folders, by its name while it is staged and where it is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Public,
    Private,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Private => "private",
        }
    }
}

/// A folder that is staged.
#[derive(Debug, Clone)]
struct Part {
    side: Side,
    staged: PathBuf,
    place: PathBuf,
}

/// What a process was about to do when it was killed; names are those of folders beside the staged one.
#[derive(Debug, Serialize, Deserialize)]
struct Intent {
    public: String,
    private: String,
    overwrite: bool,
}

impl StagedFolders {
    /// Begins staging a release at `public`, after finishing or removing what dead processes left in the same folder.
    ///
    /// # Errors
    /// When something is there already and `overwrite` is not set or it is no release, or a folder cannot be made.
    pub fn begin(public: &Path, overwrite: bool) -> Result<Self> {
        let name = public.file_name().ok_or_else(|| {
            Error::invalid(format!("`{}` does not name a folder; give the release a name", public.display()))
        })?;
        let Some(name) = name.to_str() else {
            return Err(Error::invalid(format!("`{}` is no text; give the release another name", public.display())));
        };
        let private = private_folder(public);
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
        let turn = Turn::take(parent);
        let finished = recover(parent)?;
        drop(turn);
        for (side, place) in [(Side::Public, public), (Side::Private, &private)] {
            if overwrite {
                check_replaceable(side, place)?;
            } else if finished.iter().any(|finished| finished == name) {
                return Err(Error::invalid(format!(
                    "`{}` was made by a run that was interrupted, and has just been put in its place; look at it, then name another \
                     folder or allow overwriting with --overwrite",
                    public.display()
                )));
            } else if place.symlink_metadata().is_ok() {
                return Err(exists(place));
            }
        }
        fs::create_dir_all(parent).map_err(|error| Error::io(parent.display(), error))?;
        let folder = Registered::make(parent, &format!(".{name}{PARTIAL}"))?;
        let part = |side: Side, place: &Path| {
            let staged = folder.path().join(side.name());
            create_folder(&staged).map_err(|error| Error::io(staged.display(), error))?;
            Ok(Part { side, staged, place: place.to_owned() })
        };
        let parts = [part(Side::Private, &private)?, part(Side::Public, public)?];
        Ok(Self { folder, parts, overwrite, finished })
    }

    /// Names of releases beside this one that a run which was interrupted had made, and that were put in their place just now.
    pub fn finished(&self) -> &[String] {
        &self.finished
    }

    /// Where public files are to be written; until they are in place, they are for their owner only.
    pub fn public(&self) -> &Path {
        &self.parts[1].staged
    }

    /// Where private files are to be written.
    pub fn private(&self) -> &Path {
        &self.parts[0].staged
    }

    /// Moves both folders to their place. All public files get the time `stamp`, so that it does not tell how long
    /// anything took.
    pub fn commit(self, stamp: SystemTime) -> Result<()> {
        let mode = usual_mode(self.public())?;
        settle(self.private(), stamp, 0o700, 0o600)?;
        settle(self.public(), stamp, mode, mode & 0o666)?;
        let names = |part: &Part| part.place.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let [private, public] = &self.parts;
        let intent = Intent { public: names(public), private: names(private), overwrite: self.overwrite };
        let folder = self.folder.path().to_owned();
        let turn = folder.parent().map(Turn::take);
        let paths = staged();
        reached("settled");
        intend(&folder, &intent)?;
        let moved = move_parts(&folder, &self.parts, self.overwrite);
        if moved.is_ok() {
            // While an interrupt still waits: what is left of the staged folder is not left behind.
            let _ = fs::remove_dir_all(&folder);
        }
        drop(paths);
        drop(turn);
        let Err(error) = moved else { return Ok(()) };
        if self.parts.iter().any(|part| before(&folder, part.side).exists()) {
            // What was there before could not be put back, and must not be removed.
            self.folder.keep();
            return Err(error.context(format!("what was there before is kept in `{}`", folder.display())));
        }
        // Nothing was moved, or it was moved back.
        let _ = fs::remove_file(folder.join(INTENT));
        Err(error)
    }
}

/// Makes processes that move folders in the same parent take turns; where directories cannot be locked, they do not.
struct Turn {
    _parent: Option<File>,
}

impl Turn {
    fn take(parent: &Path) -> Self {
        let parent = File::open(parent).ok().filter(|parent| parent.lock().is_ok());
        Self { _parent: parent }
    }
}

/// Where what was at the place of a part is kept while the part is moved there.
fn before(folder: &Path, side: Side) -> PathBuf {
    folder.join(format!("{}-before", side.name()))
}

fn exists(place: &Path) -> Error {
    Error::invalid(format!(
        "`{}` exists already; name another folder or allow overwriting with --overwrite",
        place.display()
    ))
}

/// Writes down what is about to be done; it is there whole or not at all.
fn intend(folder: &Path, intent: &Intent) -> Result<()> {
    let path = folder.join(INTENT);
    let failed = |error| Error::io(path.display(), error);
    let text = serde_json::to_vec(intent).map_err(|error| failed(error.into()))?;
    let new = path.with_extension("new");
    write(&new, text).and_then(|()| File::open(&new)?.sync_all()).map_err(failed)?;
    fs::rename(&new, &path).map_err(failed)?;
    sync(folder);
    reached("intended");
    Ok(())
}

/// Moves what is staged in `folder` to its place, what was there before into `folder`; moves everything back when that fails.
fn move_parts(folder: &Path, parts: &[Part], overwrite: bool) -> Result<()> {
    let moved = parts.iter().filter(|part| part.staged.exists()).try_for_each(|part| {
        let (side, place) = (part.side, part.place.as_path());
        let step = |from: &Path, to: &Path| fs::rename(from, to).map_err(|error| Error::io(place.display(), error));
        if place.symlink_metadata().is_ok() {
            if !overwrite {
                return Err(exists(place));
            }
            check_replaceable(side, place)?;
            let aside = before(folder, side);
            step(place, &aside)?;
            reached(&format!("{} aside", side.name()));
            // Something may have come in between.
            check_replaceable(side, &aside)?;
        }
        step(&part.staged, place)?;
        reached(&format!("{} moved", side.name()));
        Ok(())
    });
    if moved.is_err() {
        undo(folder, parts);
    } else if let Some(parent) = folder.parent() {
        sync(parent);
    }
    moved
}

/// Moves everything back, as far as it was moved.
fn undo(folder: &Path, parts: &[Part]) {
    for part in parts.iter().rev() {
        let aside = before(folder, part.side);
        if !part.staged.exists() {
            // If this fails too there is nothing better to do.
            let _ = fs::rename(&part.place, &part.staged);
        }
        if aside.exists() && part.place.symlink_metadata().is_err() {
            let _ = fs::rename(&aside, &part.place);
        }
    }
}

/// Finishes what dead processes in `parent` were about to do, and removes what else they left; gives the names of the releases that
/// are in place now.
fn recover(parent: &Path) -> Result<Vec<String>> {
    let mut finished = Vec::new();
    left_over(
        parent,
        |name| {
            let end = name.rfind(PARTIAL).map(|at| at + PARTIAL.len());
            name.starts_with('.') && end.is_some_and(|end| is_drawn(name, &name[..end]))
        },
        |folder| {
            if let Ok(text) = fs::read(folder.join(INTENT)) {
                let intent: Intent = serde_json::from_slice(&text).map_err(|_| {
                Error::bad_input(format!(
                    "`{}` was left by a run that was interrupted, and cannot be read; see what is in it, then remove it",
                    folder.display()
                ))
            })?;
                let part =
                    |side: Side, name: &str| Part { side, staged: folder.join(side.name()), place: parent.join(name) };
                let parts = [part(Side::Private, &intent.private), part(Side::Public, &intent.public)];
                finish(folder, &parts, intent.overwrite)?;
                finished.push(intent.public);
            }
            remove_folder(folder).map_err(|error| Error::io(folder.display(), error))
        },
    )?;
    Ok(finished)
}

/// Makes the moves that are still to be made; none is made back.
fn finish(folder: &Path, parts: &[Part], overwrite: bool) -> Result<()> {
    for part in parts.iter().filter(|part| part.staged.exists()) {
        let aside = before(folder, part.side);
        let step =
            |from: &Path, to: &Path| fs::rename(from, to).map_err(|error| Error::io(part.place.display(), error));
        if part.place.symlink_metadata().is_ok() {
            let replaceable = overwrite && !aside.exists() && check_replaceable(part.side, &part.place).is_ok();
            if !replaceable {
                return Err(Error::invalid(format!(
                    "`{}` came into the way of a release that an interrupted run had finished and was moving to its place; move it \
                     elsewhere and run again (until then the release, and what it replaces, are kept in `{}`)",
                    part.place.display(),
                    folder.display()
                )));
            }
            step(&part.place, &aside)?;
        }
        step(&part.staged, &part.place)?;
    }
    Ok(())
}

/// Has the entries of `folder` on the disk, where the system can do that.
fn sync(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// Gives every file below `folder` the same time and fixed permissions.
fn settle(folder: &Path, stamp: SystemTime, folder_mode: u32, file_mode: u32) -> Result<()> {
    let failed = |error| Error::io(folder.display(), error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_type().map_err(failed)?.is_dir() {
            settle(&entry.path(), stamp, folder_mode, file_mode)?;
        } else {
            let file = File::options().write(true).open(entry.path()).map_err(failed)?;
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

/// A step of a commit that tests stop at.
#[cfg(not(test))]
fn reached(_: &str) {}

#[cfg(test)]
use tests::reached;

#[cfg(test)]
mod tests;
