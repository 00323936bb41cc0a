//! What is private is private from the moment it exists, and what a killed run leaves is gone after the next.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::Desk;

/// The command under the mask that lets everybody read, in the folder of `desk`.
fn under_usual_mask(desk: &Desk, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "umask 022; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_pellucid")]).args(arguments);
    command.current_dir(desk.path("."));
    command
}

fn mode(path: &Path) -> Option<u32> {
    fs::symlink_metadata(path).ok().map(|found| found.permissions().mode() & 0o777)
}

/// Everything below `folder` with its mode, `None` for what vanishes meanwhile.
fn modes(folder: &Path, found: &mut Vec<(String, u32)>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if let Some(mode) = mode(&path) {
            found.push((path.display().to_string(), mode));
        }
        modes(&path, found);
    }
}

fn staged(name: &str) -> bool {
    name.contains(".partial-")
}

/// A folder with the job of the README and a ledger in it.
fn desk(rows: u32) -> Desk {
    let desk = Desk::of_readme(rows);
    let job = desk.read("job.toml");
    desk.write("job.toml", job + "\n[views]\nledger = \"ledger.sqlite\"\n");
    desk
}

#[test]
fn nobody_else_can_look_into_a_release_that_is_made() {
    let desk = desk(6000);
    let mut child = under_usual_mask(&desk, &["publish", "job.toml", "--record-undecided", "--reason", "a test"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let (mut folders, mut files) = (0, 0);
    let status = loop {
        for name in desk.names().iter().filter(|name| staged(name)) {
            let folder = desk.path(name);
            // It may be moved to its place in between.
            if let Some(mode) = mode(&folder) {
                assert_eq!(mode, 0o700, "{name}");
                folders += 1;
            }
            let mut found = Vec::new();
            modes(&folder, &mut found);
            let moving = folder.join("intent.json").exists() || !folder.exists();
            for (path, mode) in found {
                // What is public gets its usual mode right before it is moved out of the folder that only its owner may enter.
                let settled = path.contains("/public") && (moving || mode & 0o077 == 0o055 || mode & 0o077 == 0o044);
                assert!(mode.trailing_zeros() >= 6 || settled, "{path} has mode {mode:o}");
                files += 1;
            }
        }
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
    };
    assert!(status.success(), "{status}");
    assert!(folders > 0 && files > 0, "{folders} folders and {files} files were seen");
    assert_eq!(mode(&desk.path("release")), Some(0o755));
    assert_eq!(mode(&desk.path("release/data.csv")), Some(0o644));
    for (path, expected) in
        [("release-private", 0o700), ("release-private/private.json", 0o600), ("ledger.sqlite", 0o600)]
    {
        assert_eq!(mode(&desk.path(path)), Some(expected), "{path}");
    }
}

#[test]
fn a_killed_run_leaves_nothing_that_others_can_read_and_the_next_one_cleans_up() {
    let desk = desk(3000);
    desk.run(&["publish", "job.toml", "--without-ledger"]).ended(0);
    let usual = Instant::now();
    desk.run(&["publish", "job.toml", "--without-ledger", "--overwrite"]).ended(0);
    let usual = usual.elapsed();
    let stages = pellucid_testkit::repeats(12u32);
    for stage in 0..stages {
        let arguments = ["publish", "job.toml", "--without-ledger", "--overwrite"];
        let mut child =
            under_usual_mask(&desk, &arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(usual * stage / stages);
        child.kill().unwrap();
        child.wait().unwrap();
        for name in desk.names().iter().filter(|name| staged(name)) {
            assert_eq!(mode(&desk.path(name)), Some(0o700), "stage {stage}");
        }
    }
    desk.run(&["publish", "job.toml", "--without-ledger", "--overwrite"]).ended(0);
    assert_eq!(desk.names(), ["job.toml", "patients.csv", "release", "release-private", "sex.csv"]);
    desk.run(&["verify", "release", "--source", "patients.csv"]).ended(0);
}

#[test]
fn files_that_commands_write_for_the_owner_are_the_owners() {
    let desk = Desk::of_views();
    // Empty, and readable by everybody: it is taken back before anything is written.
    desk.write("ledger.sqlite", "");
    fs::set_permissions(desk.path("ledger.sqlite"), fs::Permissions::from_mode(0o644)).unwrap();
    let view = "select condition from patients where age between 23 and 26";
    let run = |arguments: &[&str]| {
        let output = under_usual_mask(&desk, arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run(&["view", "add", "job.toml", view, "--out", "values.csv"]);
    run(&["view", "belief", "job.toml", "--plot", "belief.svg", "--beliefs", "beliefs.csv"]);
    for name in ["ledger.sqlite", "values.csv", "belief.svg", "beliefs.csv"] {
        assert_eq!(mode(&desk.path(name)), Some(0o600), "{name}");
    }
    // A ledger that its owner shares with a group stays shared, but not with everybody.
    fs::set_permissions(desk.path("ledger.sqlite"), fs::Permissions::from_mode(0o664)).unwrap();
    run(&["view", "list", "job.toml"]);
    assert_eq!(mode(&desk.path("ledger.sqlite")), Some(0o660));
}

#[test]
fn programs_that_are_attacked_get_tables_that_nobody_else_can_read() {
    let desk = Desk::of_small_job(&[(20, 0), (21, 0), (30, 1), (31, 1)]);
    let temporary = desk.path("tmp");
    fs::create_dir(&temporary).unwrap();
    // A run that was killed left this behind.
    let dead = temporary.join("pellucid-scratch-0123456789ab");
    fs::create_dir(&dead).unwrap();
    fs::write(dead.join("lock"), "locked by pellucid\n").unwrap();
    fs::write(dead.join("in.csv"), "a\n").unwrap();
    let program =
        "stat -c '%a %n' {in} $(dirname {in}) $(dirname $(dirname {in})) >> modes; cut -d, -f2,3 {in} > {out}";
    let arguments = ["attack", "job.toml", "--mechanism", program, "--beliefs", "beliefs.csv"];
    let output = under_usual_mask(&desk, &arguments).env("TMPDIR", &temporary).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let seen = desk.read("modes");
    assert!(seen.lines().count() >= 3);
    for line in seen.lines() {
        assert!(line.starts_with(if line.ends_with("in.csv") { "600 " } else { "700 " }), "{line}");
    }
    assert_eq!(mode(&desk.path("beliefs.csv")), Some(0o600));
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
}

#[test]
fn a_killed_attack_leaves_nothing_for_others_and_the_next_one_removes_it() {
    let desk = Desk::of_small_job(&[(20, 0), (21, 0), (30, 1), (31, 1)]);
    let temporary = desk.path("tmp");
    fs::create_dir(&temporary).unwrap();
    let slow = "touch begun; sleep 1; cut -d, -f2,3 {in} > {out}";
    let mut child = under_usual_mask(&desk, &["attack", "job.toml", "--mechanism", slow])
        .env("TMPDIR", &temporary)
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while !desk.path("begun").exists() && begun.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let left: Vec<_> = fs::read_dir(&temporary).unwrap().flatten().map(|entry| entry.path()).collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(mode(&left[0]), Some(0o700));
    let quick = "cut -d, -f2,3 {in} > {out}";
    let output = under_usual_mask(&desk, &["attack", "job.toml", "--mechanism", quick])
        .env("TMPDIR", &temporary)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!left[0].exists());
}
