//! Releases of publishers that are not transparent: they pass and are called so, and altered values are told apart from wrong
//! ones.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
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

/// Twenty-four people of whom the first four have the same disease, which is the protected one.
fn source() -> String {
    let mut text = String::from("name,age,zip,disease,ward\n");
    for person in 0..24u32 {
        let disease = if person < 4 { 0 } else { person % 4 };
        let (age, zip) = (20 + person * 2, 10_000 + person / 6 * 10);
        writeln!(text, "p-QZX{person:02},{age},{zip},d-QZX{disease},w-QZX{}", person % 2).unwrap();
    }
    text
}

/// A release folder that `publish` made, with its source.
struct Made {
    folder: TempDir,
    manifest: Manifest,
}

impl Made {
    fn new(method: &str, function: &str, privacy: &str) -> Self {
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
disease = {{ role = "sensitive", protect = ["d-QZX0"] }}
ward = {{ role = "keep" }}
[privacy]
{privacy}
[method]
function = "{function}"
{method}
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

    fn mask(function: &str) -> Self {
        Self::new("publisher = \"mask\"\nk = 4", function, DIVERSE)
    }

    fn dir(&self) -> PathBuf {
        self.folder.path().join("release")
    }

    /// Replaces `from` by `to` in a file of the release, once, and signs it again.
    fn forge(&mut self, name: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.dir().join(name)).unwrap();
        assert!(text.contains(from));
        let text = text.replacen(from, to, 1);
        fs::write(self.dir().join(name), &text).unwrap();
        let file = self.manifest.files.iter_mut().find(|file| file.name == name).unwrap();
        (file.blake3, file.bytes) = (blake3::hash(text.as_bytes()).to_hex().to_string(), text.len() as u64);
        self.sign();
    }

    fn sign(&self) {
        fs::write(self.dir().join("manifest.json"), serde_json::to_string(&self.manifest).unwrap()).unwrap();
    }

    fn verify(&self, without_assignment: bool) -> VerificationReport {
        let source = Some(self.folder.path().join("source.csv"));
        spotless(
            verify_release(&self.dir(), &VerifyOptions { source, without_assignment, ..VerifyOptions::default() })
                .unwrap(),
        )
    }
}

#[test]
fn releases_pass_and_say_what_they_are() {
    for method in ["publisher = \"mondrian\"", "publisher = \"vul-gen\"", "publisher = \"mask\"\nk = 4"] {
        for function in FUNCTIONS.iter().map(|entry| entry.id) {
            let made = Made::new(method, function, DIVERSE);
            assert!(made.manifest.for_publication, "{method} {:?}", made.manifest.caveat);
            assert!(made.manifest.classes > 1, "{method} {function}");
            let report = made.verify(false);
            assert_eq!(failed(&report), Vec::<&str>::new(), "{method} {function} {report:#?}");
            assert!(report.passed(), "{method} {function} {report:#?}");
            assert!(detail(&report, "mechanism", CheckStatus::Passed).contains("NOT TRANSPARENT"));
            if function != "microaggregation" {
                assert!(made.verify(true).passed(), "{method} {function} without the assignment");
            }
        }
    }
}

#[test]
fn sizes_alone_tell_nothing() {
    let made = Made::new("publisher = \"mondrian\"", "mbr", "principle = \"k-anonymity\"\nk = 3\n");
    assert_eq!(made.manifest.not_transparent, None);
    let report = made.verify(false);
    assert!(report.passed(), "{report:#?}");
    assert!(detail(&report, "mechanism", CheckStatus::Passed).contains("quasi-identifiers alone"));
}

#[test]
fn a_manifest_that_hides_it_is_refused() {
    let mut made = Made::new("publisher = \"mondrian\"", "mbr", DIVERSE);
    made.manifest.not_transparent = None;
    made.sign();
    assert!(
        detail(&made.verify(false), "mechanism", CheckStatus::Failed)
            .contains("does not say that it is not transparent")
    );
    made = Made::mask("mbr");
    assert_eq!(made.manifest.mechanism.altered.as_deref(), Some("disease"));
    let forged = |made: &mut Made, publisher: &str, altered: Option<&str>| {
        made.manifest.mechanism.publisher = publisher.to_owned();
        made.manifest.mechanism.altered = altered.map(str::to_owned);
        made.sign();
        detail(&made.verify(false), "mechanism", CheckStatus::Failed).to_owned()
    };
    assert!(forged(&mut made, "mask", None).contains("does not say of which column"));
    assert!(forged(&mut made, "mask", Some("age")).contains("no sensitive column"));
    made.manifest.mechanism.publisher_parameters.clear();
    assert!(forged(&mut made, "tailor", Some("disease")).contains("alters none"));
}

#[test]
fn altered_values_are_not_held_against_rows_but_against_the_sources_values() {
    let made = Made::mask("mbr");
    let report = made.verify(false);
    assert!(detail(&report, "mechanism", CheckStatus::Passed).contains("ALTERED values of column `disease`"));
    assert!(
        detail(&report, "source rows", CheckStatus::Passed)
            .contains("column `disease` are altered, the others the same")
    );
    // Everyone of the first four has the protected value in the source; in the release nobody's class shows it alone.
    let data = fs::read_to_string(made.dir().join("data.csv")).unwrap();
    assert!(data.matches("d-QZX0").count() < source().matches("d-QZX0").count());
    let mut forged = Made::mask("mbr");
    forged.forge("data.csv", "d-QZX3", "d-QZX9");
    let report = forged.verify(false);
    assert!(detail(&report, "source rows", CheckStatus::Failed).contains("a value that the source does not have"));
    let mut forged = Made::mask("mbr");
    forged.forge("data.csv", "w-QZX0", "w-QZX1");
    assert!(failed(&forged.verify(false)).contains(&"source rows"), "kept values are the source's");
}
