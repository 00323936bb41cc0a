//! Releases of levels that were searched for, true ones and forged ones.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use pellucid_io::publish::{PublishOptions, PublishOutcome, publish};
use pellucid_io::verify::{VerifyOptions, verify_release};
use pellucid_model::manifest::Manifest;
use pellucid_model::randomness::RandomSource;
use pellucid_publish::function::FUNCTIONS;
use pellucid_publish::job::Job;
use pellucid_verify::{CheckStatus, VerificationReport};
use tempfile::TempDir;

use crate::common::{detail, failed, spotless};

const DIVERSE: &str = "principle = \"frequency-l-diversity\"\nl = 2\n";

/// Forty people, and three who are unlike all others and have the same disease.
fn source() -> String {
    let mut text = String::from("name,age,zip,disease,wish\n");
    for person in 0..40u32 {
        let (age, zip) = (20 + person * 7 % 40, 10_000 + person % 4 * 10);
        writeln!(text, "p-QZX{person},{age},{zip},d-QZX{},open", person * person % 5).unwrap();
    }
    for person in 40..43 {
        writeln!(text, "p-QZX{person},9{person},9999{},rare-QZX,careful", person - 40).unwrap();
    }
    text
}

/// A release folder that `publish` made, with its source.
struct Made {
    folder: TempDir,
    manifest: Manifest,
}

impl Made {
    /// By `function`, with this `[privacy]`.
    fn new(function: &str, privacy: &str) -> Self {
        Self::with(function, privacy, "0.1")
    }

    fn with(function: &str, privacy: &str, suppression: &str) -> Self {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("source.csv"), source()).unwrap();
        let job = format!(
            r#"
[input]
path = "source.csv"
[columns]
name = {{ role = "identifier" }}
age = {{ role = "quasi", type = "integer", hierarchy = {{ widths = [10, 20, 40] }} }}
zip = {{ role = "quasi", hierarchy = {{ mask = "suffix" }} }}
disease = {{ role = "sensitive" }}
wish = {{ role = "drop" }}
[privacy]
suppression = "{suppression}"
{privacy}
[method]
publisher = "search"
function = "{function}"
"#
        );
        let job = Job::read(&job, &[]).unwrap();
        let options = PublishOptions {
            base_dir: folder.path(),
            out: None,
            overwrite: false,
            dry_run: false,
            randomness: RandomSource::System,
            explain: false,
            started: SystemTime::UNIX_EPOCH,
            progress: &|_| Ok(()),
            command: "pellucid publish job.toml",
            note: &|_| (),
            earlier_result: None,
            inspect: &|_| Ok(true),
        };
        let PublishOutcome::Release(done) = publish(&job, &options).unwrap() else { panic!("nothing was released") };
        Self { manifest: done.output.manifest().clone(), folder }
    }

    fn dir(&self) -> PathBuf {
        self.folder.path().join("release")
    }

    fn assignment(&self) -> PathBuf {
        self.folder.path().join("release-private/assignment.csv")
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.dir().join(name)).unwrap()
    }

    /// Writes a file of the release anew, and the manifest that lists it.
    fn forge(&mut self, name: &str, text: &str) {
        fs::write(self.dir().join(name), text).unwrap();
        let file = self.manifest.files.iter_mut().find(|file| file.name == name).unwrap();
        (file.blake3, file.bytes) = (blake3::hash(text.as_bytes()).to_hex().to_string(), text.len() as u64);
        self.sign();
    }

    fn sign(&self) {
        fs::write(self.dir().join("manifest.json"), serde_json::to_string(&self.manifest).unwrap()).unwrap();
    }

    fn verify(&self) -> VerificationReport {
        spotless(verify_release(&self.dir(), &VerifyOptions::default()).unwrap())
    }

    fn verify_with_source(&self) -> VerificationReport {
        let options = VerifyOptions { source: Some(self.folder.path().join("source.csv")), ..VerifyOptions::default() };
        spotless(verify_release(&self.dir(), &options).unwrap())
    }

    fn forget_assignment(&self) {
        fs::remove_dir_all(self.folder.path().join("release-private")).unwrap();
    }
}

#[test]
fn true_releases_pass_with_every_function() {
    for function in FUNCTIONS.iter().map(|entry| entry.id) {
        for (privacy, transparent) in [(DIVERSE, false), ("principle = \"k-anonymity\"\nk = 4\n", true)] {
            if transparent && function == "anatomy" {
                // Exact quasi-identifiers and nothing asked of sensitive values: no job.
                continue;
            }
            let made = Made::new(function, privacy);
            assert_eq!((made.manifest.left_out, made.manifest.rows), (3, 40), "{function}");
            let report = made.verify();
            assert!(report.passed(), "{function}: {report:#?}");
            let told = detail(&report, "search", CheckStatus::Passed);
            assert!(told.contains("3 of 43 rows are left out, at most 4 may be"), "{told}");
            assert_eq!(told.contains("NOT TRANSPARENT"), !transparent, "{told}");
            let report = made.verify_with_source();
            assert!(report.passed(), "{function}: {report:#?}");
            let told = detail(&report, "left out", CheckStatus::Passed);
            assert!(told.contains("3 rows, exactly those"), "{told}");
            detail(&report, "search groups", CheckStatus::Passed);
            made.forget_assignment();
            let report = made.verify_with_source();
            assert_eq!(failed(&report), [""; 0], "{function}: {report:#?}");
            detail(&report, "left out", CheckStatus::Passed);
            if function != "mbr" && function != "anatomy" {
                assert!(report.passed(), "{function}: {report:#?}");
                detail(&report, "search groups", CheckStatus::Passed);
            }
        }
    }
}

#[test]
fn a_release_that_leaves_nobody_out_passes() {
    for function in FUNCTIONS.iter().map(|entry| entry.id) {
        let made = Made::with(function, DIVERSE, "0");
        assert_eq!(made.manifest.left_out, 0);
        let report = made.verify_with_source();
        assert!(report.passed(), "{function}: {report:#?}");
        assert!(detail(&report, "left out", CheckStatus::Passed).contains("no row is left out"));
    }
}

#[test]
fn a_level_that_is_not_the_released_one_is_found() {
    for function in FUNCTIONS.iter().map(|entry| entry.id) {
        for known in [true, false] {
            let mut made = Made::new(function, DIVERSE);
            let level = made.manifest.mechanism.search.as_mut().unwrap().levels.get_mut("age").unwrap();
            *level = if *level == 0 { 1 } else { *level - 1 };
            made.sign();
            if !known {
                made.forget_assignment();
            }
            assert!(!made.verify_with_source().passed(), "{function}");
            assert!(!failed(&made.verify_with_source()).is_empty() || function == "mbr", "{function}");
        }
    }
}

#[test]
fn a_level_must_exist() {
    for (name, level) in [("age", 5), ("age", 99)] {
        let mut made = Made::new("hierarchy", DIVERSE);
        made.manifest.mechanism.search.as_mut().unwrap().levels.insert(name.to_owned(), level);
        made.sign();
        assert!(detail(&made.verify(), "search", CheckStatus::Failed).contains("`age` has no level"));
    }
    // How many characters can be masked is known from the source alone.
    let mut made = Made::new("hierarchy", DIVERSE);
    made.manifest.mechanism.search.as_mut().unwrap().levels.insert("zip".to_owned(), 6);
    made.sign();
    assert!(made.verify().passed());
    assert!(detail(&made.verify_with_source(), "left out", CheckStatus::Failed).contains("`zip` has no level 6"));
    for (removed, added) in [(Some("zip"), None), (None, Some("disease"))] {
        let mut made = Made::new("hierarchy", DIVERSE);
        let levels = &mut made.manifest.mechanism.search.as_mut().unwrap().levels;
        levels.retain(|name, _| Some(name.as_str()) != removed);
        levels.extend(added.map(|name| (name.to_owned(), 0)));
        made.sign();
        assert!(verify_release(&made.dir(), &VerifyOptions::default()).is_err());
    }
}

#[test]
fn what_is_stated_must_fit_together() {
    let forged = |change: &dyn Fn(&mut Manifest)| {
        let mut made = Made::new("hierarchy", DIVERSE);
        change(&mut made.manifest);
        made.sign();
        detail(&made.verify(), "search", CheckStatus::Failed).to_owned()
    };
    let may = |rows| move |manifest: &mut Manifest| manifest.mechanism.search.as_mut().unwrap().may_leave_out = rows;
    assert!(forged(&may(2)).contains("3 rows are left out, and at most 2 may be"));
    assert!(forged(&may(44)).contains("more than there are"));
    assert!(forged(&|manifest| manifest.not_transparent = None).contains("does not say that it is not transparent"));
    assert!(forged(&|manifest| manifest.mechanism.publisher = "tailor".to_owned()).contains("another publisher"));
    assert!(
        forged(&|manifest| {
            manifest.mechanism.search.as_mut().unwrap().measure = "beauty".to_owned();
        })
        .contains("measure")
    );
}

/// Takes the lines of the last class out of the release; gives their numbers, from 1.
fn leave_out_class(made: &mut Made) -> BTreeSet<usize> {
    let data = made.read("data.csv");
    let class = |line: &str| line.rsplit_once(',').unwrap().0.to_owned();
    let last = class(data.lines().last().unwrap());
    let lines: Vec<&str> = data.lines().collect();
    let out: BTreeSet<usize> = (1..lines.len()).filter(|&at| class(lines[at]) == last).collect();
    let kept: Vec<&str> = lines.iter().copied().filter(|line| class(line) != last).collect();
    made.manifest.rows -= out.len() as u64;
    made.manifest.left_out += out.len() as u64;
    made.manifest.classes -= 1;
    made.manifest.mechanism.search.as_mut().unwrap().may_leave_out = 43;
    made.forge("data.csv", &(kept.join("\n") + "\n"));
    out
}

/// Writes the assignment anew, with another line for each row.
fn reassign(path: &Path, line: impl Fn(usize, &str) -> String) {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    let lines = lines.map(|line_text| {
        let (row, shown) = line_text.split_once(',').unwrap();
        format!("{row},{}\n", line(row.parse().unwrap(), shown))
    });
    let text = format!("{header}\n{}", lines.collect::<String>());
    fs::write(path, text).unwrap();
}

#[test]
fn nobody_is_left_out_at_will() {
    for function in ["mbr", "hierarchy", "microaggregation"] {
        let mut made = Made::new(function, DIVERSE);
        let out = leave_out_class(&mut made);
        // On its own, it is as good as any other.
        assert!(!failed(&made.verify()).contains(&"search"), "{function}");
        reassign(&made.assignment(), |_, line| match line.parse::<usize>() {
            Ok(line) if !out.contains(&line) => line.to_string(),
            _ => String::new(),
        });
        let told = made.verify_with_source();
        let told = detail(&told, "left out", CheckStatus::Failed);
        assert!(told.contains("is left out, and its group passes"), "{function}: {told}");
        made.forget_assignment();
        let told = made.verify_with_source();
        let told = detail(&told, "left out", CheckStatus::Failed);
        assert!(told.contains("3 rows are in groups that fail"), "{function}: {told}");
    }
}

#[test]
fn a_single_row_too_many_is_found() {
    let mut made = Made::new("hierarchy", DIVERSE);
    let data = made.read("data.csv");
    let lines: Vec<&str> = data.lines().collect();
    let last = lines.len() - 1;
    made.manifest.rows -= 1;
    made.manifest.left_out += 1;
    made.forge("data.csv", &(lines[..last].join("\n") + "\n"));
    reassign(&made.assignment(), |_, line| if line == last.to_string() { String::new() } else { line.to_owned() });
    let told = made.verify_with_source();
    assert!(detail(&told, "left out", CheckStatus::Failed).contains("left out whole or not at all"), "{told:#?}");
    made.forget_assignment();
    detail(&made.verify_with_source(), "left out", CheckStatus::Failed);
}

#[test]
fn a_class_that_fails_may_not_be_shown() {
    // The three who should be left out are shown as one more class.
    let mut made = Made::new("hierarchy", "principle = \"k-anonymity\"\nk = 4\n");
    let data = made.read("data.csv");
    let cells: Vec<String> = data.lines().last().unwrap().split(',').map(str::to_owned).collect();
    let zip = "9999".chars().chain("*****".chars()).take(cells[cells.len() - 2].len()).collect::<String>();
    let more = format!("\"[80, 119]\",{zip},rare-QZX\n").repeat(3);
    made.manifest.rows += 3;
    made.manifest.left_out = 0;
    made.manifest.classes += 1;
    made.forge("data.csv", &(data + &more));
    assert!(failed(&made.verify()).contains(&"principle"));
    let told = made.verify_with_source();
    assert!(failed(&told).contains(&"left out"), "{told:#?}");
    // Invented people do not fit the number of rows.
    made.manifest.left_out = 3;
    made.sign();
    made.forget_assignment();
    assert!(failed(&made.verify_with_source()).contains(&"source rows"));
}

#[test]
fn rows_left_out_of_another_mechanism_are_refused() {
    let mut made = Made::new("hierarchy", DIVERSE);
    made.manifest.mechanism.search = None;
    made.sign();
    let told = verify_release(&made.dir(), &VerifyOptions::default()).unwrap_err().to_string();
    assert!(told.contains("leaves rows out"), "{told}");
}

#[test]
fn a_comparison_with_all_rows_needs_the_source() {
    let made = Made::new("hierarchy", "principle = \"t-closeness\"\nt = 0.5\ndistance = \"equal\"\n");
    assert_eq!(made.manifest.left_out, 3);
    let report = made.verify();
    assert_eq!(failed(&report), [""; 0]);
    assert!(detail(&report, "principle", CheckStatus::Undecided).contains("give the source"));
    let report = made.verify_with_source();
    assert!(report.passed(), "{report:#?}");
    assert_eq!(report.measured, made.manifest.measured);
}

#[test]
fn sentences_on_values_of_those_left_out_need_the_source() {
    let sentences = "sentences = [\"disease = rare-QZX\"]";
    let made = Made::new("hierarchy", &format!("principle = \"logical-security\"\n{sentences}\n"));
    assert_eq!(made.manifest.left_out, 3);
    let report = verify_release(&made.dir(), &VerifyOptions::default()).unwrap();
    // Who is left out tells what must stay confidential, so the release is not for publication.
    assert_eq!(failed(&report), ["publication"], "{report:#?}");
    detail(&report, "principle", CheckStatus::Undecided);
    let options = VerifyOptions { source: Some(made.folder.path().join("source.csv")), ..VerifyOptions::default() };
    let report = verify_release(&made.dir(), &options).unwrap();
    assert_eq!(failed(&report), ["publication"], "{report:#?}");
    detail(&report, "principle", CheckStatus::Passed);
}

#[test]
fn whose_sentences_are_whose_decides_who_is_left_out() {
    let sets = "by = \"wish\"\nsentences = { careful = [\"disease = rare-QZX\"], open = [] }";
    let made = Made::new("hierarchy", &format!("principle = \"logical-security\"\n{sets}\n"));
    assert_eq!(made.manifest.left_out, 3);
    let options = VerifyOptions { source: Some(made.folder.path().join("source.csv")), ..VerifyOptions::default() };
    let report = verify_release(&made.dir(), &options).unwrap();
    assert_eq!(failed(&report), ["publication"], "{report:#?}");
    detail(&report, "left out", CheckStatus::Passed);
    // Without the column it is known from the assignment who is left out, and not whether that is right.
    let source = source();
    let lines: Vec<&str> = source.lines().map(|line| line.rsplit_once(',').unwrap().0).collect();
    fs::write(made.folder.path().join("source.csv"), lines.join("\n")).unwrap();
    let report = verify_release(&made.dir(), &options).unwrap();
    assert_eq!(failed(&report), ["publication"], "{report:#?}");
    detail(&report, "left out", CheckStatus::Undecided);
    detail(&report, "assignment", CheckStatus::Passed);
    made.forget_assignment();
    let report = verify_release(&made.dir(), &options).unwrap();
    assert_eq!(failed(&report), ["publication"], "{report:#?}");
    detail(&report, "left out", CheckStatus::Undecided);
    detail(&report, "source rows", CheckStatus::Skipped);
}
