//! `pellucid publish` and `pellucid demo`: what is written, and what is not.

use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use pellucid_model::claim::{CellForm, EntryClaim};
use pellucid_model::registry::{ProofStatus, RegistryEntry};
use pellucid_publish::function::{FUNCTIONS, Function};
use pellucid_publish::publisher::PUBLISHERS;

use crate::common::{Desk, patients};

/// The names of the tables of a release that `function` shows.
fn sheets(function: &RegistryEntry<dyn Function>) -> &'static [&'static str] {
    if function.claims(EntryClaim::Cells(CellForm::Anatomy)) { &["quasi", "sensitive"] } else { &["data"] }
}

/// The publishers that are proved and need no parameters.
fn proved() -> impl Iterator<Item = &'static str> {
    let entries = PUBLISHERS.iter().filter(|entry| entry.status == ProofStatus::Proven && entry.params.is_empty());
    entries.map(|entry| entry.id)
}

/// What lies on a desk of the README before anything is published.
const BEFORE: [&str; 3] = ["job.toml", "patients.csv", "sex.csv"];
const AFTER: [&str; 5] = ["job.toml", "patients.csv", "release", "release-private", "sex.csv"];
const SEX: &str = "columns.sex.hierarchy=\"sex.csv\"";

#[test]
fn every_publisher_function_and_format_writes_a_whole_release() {
    for publisher in proved() {
        for entry in FUNCTIONS {
            let (function, sheets) = (entry.id, sheets(entry));
            for format in ["csv", "parquet"] {
                let desk = Desk::of_readme(120);
                let sets = [
                    format!("method.publisher={publisher}"),
                    format!("method.function={function}"),
                    format!("output.format={format}"),
                ];
                let [publisher_set, function_set, format_set] = sets.each_ref().map(String::as_str);
                let arguments = ["publish", "job.toml", "--set", SEX, "--set", publisher_set];
                let more = ["--set", function_set, "--set", format_set];
                desk.run(&[&arguments[..], &more].concat()).ended(0);
                assert_eq!(desk.names(), AFTER);
                let mut expected: Vec<String> = sheets.iter().map(|sheet| format!("{sheet}.{format}")).collect();
                expected
                    .extend(["hierarchies/3.csv", "manifest.json", "report.html", "summary.txt"].map(str::to_owned));
                expected.sort();
                // Hierarchy files are numbered by published column: age, zip, sex, disease.
                let found: Vec<String> = desk.bytes("release").into_keys().collect();
                assert_eq!(found, expected);
                let manifest: serde_json::Value = serde_json::from_str(&desk.read("release/manifest.json")).unwrap();
                assert_eq!(manifest["rows"], 120);
                assert_eq!(manifest["for_publication"], true);
                assert_eq!(manifest["mechanism"]["publisher"], publisher);
                let private: Vec<String> = desk.bytes("release-private").into_keys().collect();
                assert_eq!(private, [format!("assignment.{format}").as_str(), "private.json", "report.html"]);
                desk.run(&["verify", "release", "--source", "patients.csv"]).ended(0);
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn the_private_folder_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::of_readme(60);
    desk.run(&["publish", "job.toml"]).ended(0);
    let mode = |name: &str| fs::metadata(desk.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("release-private"), 0o700);
    assert_eq!(mode("release-private/assignment.csv"), 0o600);
    assert_eq!(mode("release"), 0o755);
}

#[test]
fn a_dry_run_writes_nothing() {
    let desk = Desk::of_readme(60);
    let outcome = desk.run(&["publish", "job.toml", "--dry-run"]).ended(0);
    assert!(outcome.out.contains("Dry run: nothing was written."), "{outcome:#?}");
    assert_eq!(desk.names(), BEFORE);
}

#[test]
fn keys_and_the_place_can_be_set() {
    let desk = Desk::of_readme(90);
    desk.run(&["publish", "job.toml", "--set", "privacy.l=4", "--out", "deep/l4"]).ended(0);
    assert_eq!(desk.names(), ["deep", "job.toml", "patients.csv", "sex.csv"]);
    let manifest: serde_json::Value = serde_json::from_str(&desk.read("deep/l4/manifest.json")).unwrap();
    assert_eq!(manifest["privacy"][0]["parameters"]["l"], "4");
    assert!(desk.path("deep/l4-private").is_dir());
}

#[test]
fn an_existing_release_stays_unless_it_may_be_replaced() {
    let desk = Desk::of_readme(90);
    desk.run(&["publish", "job.toml"]).ended(0);
    let before = desk.bytes("release");
    let refused = desk.run(&["publish", "job.toml", "--set", "privacy.l=2"]).ended(2);
    assert!(refused.err.contains("`release` exists already") && refused.err.contains("--overwrite"), "{refused:#?}");
    assert_eq!(desk.bytes("release"), before);
    desk.run(&["publish", "job.toml", "--set", "privacy.l=2", "--overwrite"]).ended(0);
    assert_ne!(desk.bytes("release"), before);
    assert_eq!(desk.names(), AFTER);
}

#[test]
fn what_is_no_release_is_never_replaced() {
    let desk = Desk::of_readme(60);
    fs::create_dir(desk.path("letters")).unwrap();
    desk.write("letters/dear.txt", "...");
    let refused = desk.run(&["publish", "job.toml", "--out", "letters", "--overwrite"]).ended(2);
    assert!(refused.err.contains("`letters` is no earlier release"), "{refused:#?}");
    assert_eq!(desk.read("letters/dear.txt"), "...");
}

#[test]
fn results_can_be_had_as_json() {
    let desk = Desk::of_readme(60);
    let done = desk.run(&["publish", "job.toml", "--json"]).ended(0).json();
    assert_eq!((&done["status"], &done["manifest"]["rows"]), (&"released".into(), &60.into()));
    let dry = desk.run(&["--json", "publish", "job.toml", "--dry-run"]).ended(0).json();
    assert_eq!(dry["status"], "dry-run");
    let nothing = desk.run(&["publish", "job.toml", "--json", "--out", "x", "--set", "privacy.l=50"]).ended(3).json();
    assert_eq!((&nothing["status"], &nothing["column"]), (&"nothing".into(), &"disease".into()));
    let wrong = desk.run(&["publish", "none.toml", "--json"]).ended(2).json();
    assert!(wrong["error"]["message"].as_str().unwrap().contains("none.toml"));
}

#[test]
fn the_job_of_the_readme_runs_as_printed() {
    let desk = Desk::of_readme(120);
    desk.write("job.toml", crate::common::readme_job());
    let told = desk.run(&["publish", "job.toml"]).ended(0).out;
    let first = told.lines().next().unwrap();
    assert!(first.contains("in a group with a single value") && first.contains("Highest share of one value"), "{told}");
    assert!(told.contains("Promise, of class coarsening-at-random:"), "{told}");
    desk.run(&["verify", "release", "--source", "patients.csv"]).ended(0);
}

#[test]
fn when_nothing_can_be_disclosed_it_is_said_why() {
    let desk = Desk::new();
    desk.write("job.toml", Desk::of_readme(1).read("job.toml"));
    // Two of four rows share a value: the table is 2-eligible.
    desk.write("patients.csv", "name,age,zip,sex,disease\na,1,1,F,x\nb,2,2,F,x\nc,3,3,M,y\nd,4,4,M,z\n");
    let outcome = desk.run(&["publish", "job.toml"]).ended(3);
    assert!(outcome.out.contains("column `disease`") && outcome.out.contains("just meets it at 2;"), "{outcome:#?}");
    assert_eq!(desk.names(), ["job.toml", "patients.csv"]);
    desk.run(&["publish", "job.toml", "--set", "privacy.l=2"]).ended(0);
}

#[test]
fn a_known_seed_repeats_a_release_that_is_not_for_publication() {
    for publisher in proved() {
        let desk = Desk::of_readme(90);
        let set = format!("method.publisher={publisher}");
        for out in ["one", "two"] {
            desk.run(&["publish", "job.toml", "--insecure-seed", "5", "--set", &set, "--out", out]).ended(0);
        }
        assert_eq!(desk.bytes("one"), desk.bytes("two"), "{publisher}");
        let manifest: serde_json::Value = serde_json::from_str(&desk.read("one/manifest.json")).unwrap();
        assert_eq!(manifest["for_publication"], false);
        let checked = desk.run(&["verify", "one"]).ended(4);
        assert!(checked.out.contains("publication"), "{}", checked.out);
        assert!(desk.read("one/summary.txt").contains("NOT FOR PUBLICATION"));
        assert!(desk.read("one-private/private.json").contains("\"insecure_seed\": 5"));
    }
}

#[test]
fn without_a_seed_random_choices_differ() {
    let desk = Desk::of_readme(90);
    desk.run(&["publish", "job.toml", "--out", "first"]).ended(0);
    let first = desk.bytes("first");
    let differs = (0..5).any(|_| {
        desk.run(&["publish", "job.toml", "--out", "again", "--overwrite"]).ended(0);
        desk.bytes("again") != first
    });
    assert!(differs, "six releases of the same table are the same");
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing_behind() {
    let desk = Desk::of_readme(0);
    desk.write("patients.csv", patients(300_000));
    let mut interrupted = 0;
    for wait in [5, 100, 400, 1000] {
        let mut run = desk.command(&["publish", "job.toml", "--set", SEX]);
        let mut child = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        for _ in 0..1000 {
            if desk.names().iter().any(|name| name.contains(".partial-")) {
                break;
            }
            sleep(Duration::from_millis(2));
        }
        sleep(Duration::from_millis(wait));
        let id = child.id().to_string();
        // The run may be over before the signal comes; then its release is whole.
        let _ = std::process::Command::new("kill").args(["-INT", &id]).stderr(Stdio::null()).status().unwrap();
        let status = child.wait().unwrap().code();
        // The signal may also come when both folders are in place already and nothing is left to do but to say so.
        if status == Some(0) || desk.names() == AFTER {
            assert_eq!(desk.names(), AFTER);
            fs::remove_dir_all(desk.path("release")).unwrap();
            fs::remove_dir_all(desk.path("release-private")).unwrap();
        } else {
            assert_eq!(status, Some(1));
            assert_eq!(desk.names(), BEFORE);
            interrupted += 1;
        }
    }
    assert!(interrupted > 0, "every run was over before it could be interrupted");
}

#[test]
fn the_demo_works_and_can_be_verified_as_it_says() {
    let desk = Desk::new();
    let outcome = desk.run(&["demo", "--rows", "600"]).ended(0);
    let line = outcome.out.lines().find_map(|line| line.strip_prefix("Check it:")).expect("it says how to check");
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    assert_eq!(words[..2], ["verify", "pellucid-demo/release"]);
    desk.run(&words).ended(0);
    // A second time it replaces the first.
    desk.run(&["demo", "--rows", "600"]).ended(0);
    assert_eq!(desk.names(), ["pellucid-demo"]);
    desk.run(&["publish", "pellucid-demo/job.toml", "--overwrite", "--set", "method.publisher=tailor"]).ended(0);
}

#[test]
fn the_demo_leaves_foreign_folders_alone() {
    let desk = Desk::of_readme(50);
    let before = desk.read("patients.csv");
    let refused = desk.run(&["demo", "--dir", "."]).ended(2);
    assert!(refused.err.contains("--dir"), "{}", refused.err);
    assert_eq!(desk.read("patients.csv"), before);
    desk.run(&["demo", "--dir", "example"]).ended(0);
    desk.run(&["demo", "--dir", "example"]).ended(0);
}

#[cfg(unix)]
#[test]
fn the_mask_of_the_user_is_kept() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::of_readme(200);
    let program = env!("CARGO_BIN_EXE_pellucid");
    let script = format!("umask 077 && '{program}' publish job.toml");
    let status = std::process::Command::new("sh").args(["-c", &script]).current_dir(desk.path("")).status().unwrap();
    assert!(status.success());
    for (name, mode) in [("release", 0o700), ("release/data.csv", 0o600), ("release-private", 0o700)] {
        let found = fs::metadata(desk.path(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!(found, mode, "{name}");
    }
}
