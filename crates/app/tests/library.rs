//! The example program `examples/library` does what it says, and touches no file.

use std::path::PathBuf;
use std::process::Command;

/// The program, which is built with the tests.
fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().parent().unwrap().join("examples").join("library")
}

#[test]
fn the_program_uses_the_whole_door_without_a_file() {
    let folder = tempfile::TempDir::new().unwrap();
    let output = Command::new(program()).current_dir(folder.path()).env_clear().output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    for line in [
        "stopped: true",
        "table data: 8 rows",
        "2 equivalence classes, promise Some(CoarseningAtRandom)",
        "verified: true",
        "search: ",
        "attack, the table's people: at most 0.50, 0 certain",
        // The one whose disease is known beforehand.
        "attack, a release that was seen: at most 1.00, 1 certain",
        "attack, without the table: at most 0.50, 0 certain",
        "hybrid: 4 classes, attacked: true",
        "mondrian: 4 classes, attacked: true",
        "between 20 and 39: Released",
        // The difference of the two would be the value of the person of 36.
        "between 20 and 35: would be not private",
        "between 20 and 35: Refused, 0 values",
        "shown so far: 4 people, private",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "a file was written");
}

#[test]
fn the_program_needs_no_other_crate_of_this_project() {
    let text = include_str!("../../../examples/library/main.rs");
    let crates = ["model", "inference", "publish", "arrow", "io", "ledger", "report", "verify", "cases"];
    for name in crates {
        assert!(!text.contains(&format!("pellucid_{name}")), "pellucid_{name} is used");
    }
}
