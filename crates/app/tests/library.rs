//! The example program `examples/library` does what it says, and touches no file.

use std::path::PathBuf;
use std::process::Command;

/// The program, which is built with the tests.
fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().parent().unwrap().join("examples").join("library")
}

#[test]
fn the_program_publishes_verifies_attacks_compares_and_answers_queries_without_a_file() {
    let folder = tempfile::TempDir::new().unwrap();
    let output = Command::new(program()).current_dir(folder.path()).env_clear().output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    for line in [
        "table data: 8 rows",
        "2 equivalence classes, promise Some(RandomWorlds)",
        "verified: true",
        "\"publisher\":\"tailor\"",
        "hybrid: ",
        "mondrian: ",
        "between 20 and 39: Released",
        "between 20 and 29: Refused",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "a file was written");
}
