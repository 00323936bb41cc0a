#![allow(clippy::print_stdout, reason = "a child process says where it is")]

use std::cell::RefCell;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::*;

/// What a child process of [`killed_at`] is told: where to publish, whether over another release, and where to stop.
const CHILD: &str = "PELLUCID_TEST_STAGING";

thread_local! {
    static STOP: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Stops this thread for good where a test wants that.
pub(super) fn reached(step: &str) {
    if STOP.with_borrow(|stop| stop.as_deref() == Some(step)) {
        println!("reached {step}");
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Stages a release with one file, whose text is `data`.
fn staged_release(out: &Path, overwrite: bool, data: &str) -> Result<StagedFolders> {
    let staging = StagedFolders::begin(out, overwrite)?;
    write(&staging.public().join("data.csv"), data).unwrap();
    let (blake3, bytes) = crate::publish::checksum(&staging.public().join("data.csv")).unwrap();
    let manifest = serde_json::json!({
        "format": 1, "made_by": "pellucid 0.1.0", "for_publication": true, "rows": 1, "classes": 1, "columns": [], "privacy": [],
        "mechanism": { "publisher": "tailor", "publisher_reference": "", "publisher_parameters": {}, "function": "mbr",
            "function_reference": "", "ties": "", "randomness": "", "guarantee": "" },
        "measured": [], "utility": {}, "files": [{ "name": "data.csv", "blake3": blake3, "bytes": bytes }],
    });
    write(&staging.public().join("manifest.json"), manifest.to_string()).unwrap();
    write(
        &staging.private().join("private.json"),
        serde_json::json!({ "made_by": "pellucid 0.1.0", "job": data }).to_string(),
    )
    .unwrap();
    Ok(staging)
}

fn publish(out: &Path, overwrite: bool, data: &str) -> Result<()> {
    staged_release(out, overwrite, data)?.commit(SystemTime::UNIX_EPOCH)
}

fn message(result: Result<impl std::fmt::Debug>) -> String {
    result.unwrap_err().to_string()
}

/// The text of the release at `out` if its public and private folder are of one run.
fn text(out: &Path) -> String {
    let data = fs::read_to_string(out.join("data.csv")).unwrap();
    let record = fs::read_to_string(private_folder(out).join("private.json")).unwrap();
    assert!(record.contains(&format!("\"job\":\"{data}\"")), "{data} beside {record}");
    data
}

#[test]
fn folders_appear_together_and_private_is_private() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("release");
    let staging = staged_release(&out, false, "a").unwrap();
    assert!(!out.exists());
    staging.commit(SystemTime::UNIX_EPOCH).unwrap();
    assert_eq!(names(home.path()), ["release", "release-private"]);
    assert_eq!(text(&out), "a");
    let modified = fs::metadata(out.join("data.csv")).unwrap().modified().unwrap();
    assert_eq!(modified, SystemTime::UNIX_EPOCH);
    #[cfg(unix)]
    {
        let private = home.path().join("release-private");
        assert_eq!([&private, &private.join("private.json")].map(|path| mode(path)), [0o700, 0o600]);
        assert_eq!(mode(&out.join("data.csv")) & 0o600, 0o600);
    }
}

#[test]
fn what_is_not_committed_leaves_nothing() {
    let home = tempfile::tempdir().unwrap();
    drop(staged_release(&home.path().join("release"), false, "a").unwrap());
    assert!(names(home.path()).is_empty());
}

#[test]
fn only_an_earlier_release_with_its_own_files_is_overwritten() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("release");
    fs::create_dir(&out).unwrap();
    publish(&out, true, "a").unwrap();
    assert!(message(publish(&out, false, "b")).contains("--overwrite"));
    publish(&out, true, "b").unwrap();
    assert_eq!(text(&out), "b");
    fs::write(out.join("thesis.txt"), "years of work").unwrap();
    assert!(message(publish(&out, true, "c")).contains("`thesis.txt` is not part of it"));
    fs::rename(out.join("thesis.txt"), out.join("data.csv")).unwrap();
    assert!(message(publish(&out, true, "c")).contains("`data.csv` has changed since"));
    fs::write(out.join("data.csv"), "b").unwrap();
    fs::create_dir(private_folder(&out).join("more")).unwrap();
    fs::write(private_folder(&out).join("more/notes"), "").unwrap();
    assert!(message(publish(&out, true, "c")).contains("`more/notes` is not part of it"));
    fs::remove_file(private_folder(&out).join("more/notes")).unwrap();
    fs::write(out.join("manifest.json"), "{}").unwrap();
    assert!(message(publish(&out, true, "c")).contains("`manifest.json` is missing or cannot be read"));
    fs::remove_dir_all(&out).unwrap();
    fs::write(&out, "").unwrap();
    assert!(message(publish(&out, true, "c")).contains("no folder"));
    fs::remove_file(&out).unwrap();
    publish(&out, true, "c").unwrap();
    assert_eq!(
        (text(&out).as_str(), names(home.path())),
        ("c", vec!["release".to_owned(), "release-private".to_owned()])
    );
}

#[test]
fn what_changes_while_a_release_is_made_is_seen_before_it_is_replaced() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("release");
    publish(&out, false, "a").unwrap();
    let staging = staged_release(&out, true, "b").unwrap();
    fs::write(out.join("thesis.txt"), "years of work").unwrap();
    assert!(message(staging.commit(SystemTime::UNIX_EPOCH)).contains("thesis.txt"));
    // The private folder, which was moved first, is back.
    assert_eq!(text(&out), "a");
    let staging = staged_release(&home.path().join("other"), false, "b").unwrap();
    fs::create_dir(home.path().join("other")).unwrap();
    assert!(message(staging.commit(SystemTime::UNIX_EPOCH)).contains("exists already"));
    assert_eq!(names(home.path()), ["other", "release", "release-private"]);
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Publishes in another process until it reaches `step`, looks at the modes, and kills it.
#[cfg(unix)]
fn killed_at(step: &str, out: &Path, overwrite: bool) {
    use std::io::{BufRead, BufReader};
    let told = serde_json::json!([out, overwrite, step]).to_string();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "folders::tests::child", "--nocapture"]).env(CHILD, told).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(std::result::Result::ok);
    assert!(lines.into_iter().any(|line| line.ends_with(&format!("reached {step}"))), "{step} is not reached");
    for name in names(out.parent().unwrap()).iter().filter(|name| name.contains(PARTIAL)) {
        assert_eq!(mode(&out.with_file_name(name)), 0o700, "{step}: {name}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// What [`killed_at`] runs; nothing by itself.
#[test]
fn child() {
    let Ok(told) = std::env::var(CHILD) else { return };
    let (out, overwrite, step): (PathBuf, bool, String) = serde_json::from_str(&told).unwrap();
    STOP.set(Some(step));
    let staging = staged_release(&out, overwrite, "new").unwrap();
    reached("staged");
    staging.commit(SystemTime::UNIX_EPOCH).unwrap();
}

#[cfg(unix)]
#[test]
fn the_next_run_finishes_or_removes_what_a_killed_one_left() {
    let steps = ["staged", "settled", "intended", "private aside", "private moved", "public aside", "public moved"];
    for (at, step) in steps.into_iter().enumerate() {
        for overwrite in [false, true] {
            if step.ends_with("aside") && !overwrite {
                continue;
            }
            let home = tempfile::tempdir().unwrap();
            let out = home.path().join("release");
            if overwrite {
                publish(&out, false, "old").unwrap();
            }
            killed_at(step, &out, overwrite);
            // Another release in the same folder, so that nothing but the recovery changes this one.
            publish(&home.path().join("other"), false, "other").unwrap();
            let left = if at >= 2 { Some("new") } else { overwrite.then_some("old") };
            let expected: &[&str] = match left {
                Some(_) => &["other", "other-private", "release", "release-private"],
                None => &["other", "other-private"],
            };
            assert_eq!(names(home.path()), expected, "killed when {step}, overwrite {overwrite}");
            if let Some(left) = left {
                assert_eq!(text(&out), left, "killed when {step}, overwrite {overwrite}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn a_release_that_recovery_finishes_is_not_taken_for_an_old_one() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("release");
    killed_at("private moved", &out, false);
    let refusal = message(publish(&out, false, "again"));
    assert!(refusal.contains("made by a run that was interrupted"), "{refusal}");
    assert_eq!(text(&out), "new");
}

#[cfg(unix)]
#[test]
fn recovery_takes_nothing_that_came_in_the_meantime() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("release");
    killed_at("private moved", &out, false);
    fs::create_dir(&out).unwrap();
    fs::write(out.join("thesis.txt"), "years of work").unwrap();
    let refusal = message(publish(&out, true, "again"));
    assert!(refusal.contains("came into the way"), "{refusal}");
    assert_eq!(names(&out), ["thesis.txt"]);
    fs::rename(&out, home.path().join("mine")).unwrap();
    publish(&home.path().join("other"), false, "other").unwrap();
    assert_eq!(text(&out), "new");
}
