//! Release folders written by hand.

#![allow(dead_code, clippy::missing_panics_doc)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pellucid_io::verify::{VerifyOptions, verify_release};
use pellucid_model::manifest::{
    MANIFEST_FORMAT, Manifest, MeasuredPrinciple, PublishedColumn, PublishedFile, PublishedMechanism,
    PublishedPrinciple,
};
use pellucid_model::principle::make;
use pellucid_model::promise::PromiseClass;
use pellucid_model::registry::EntryArgs;
use pellucid_model::table::{ColumnType, Role};
use pellucid_verify::{CheckStatus, VerificationReport};
use tempfile::TempDir;

/// Part of every word of the source; must occur in no message.
pub const SECRET: &str = "QZX";

/// A release folder, its source and its private folder.
pub struct Fixture {
    folder: TempDir,
    pub manifest: Manifest,
}

/// A published column without anything special.
pub fn column(name: &str, role: Role, kind: ColumnType) -> PublishedColumn {
    PublishedColumn {
        name: name.to_owned(),
        role,
        kind,
        hierarchy: None,
        protect: None,
        aggregate: None,
        missing: Vec::new(),
        lost: None,
    }
}

fn principle(id: &str, name: &str, value: u64) -> PublishedPrinciple {
    let means = make(id, &EntryArgs::new().with(name, value)).unwrap().describe();
    let parameters = BTreeMap::from([(name.to_owned(), value.to_string())]);
    PublishedPrinciple { principle: id.to_owned(), parameters, means }
}

impl Fixture {
    /// A release of `columns` by `function`, with frequency 3-diversity and 3-anonymity of two classes of three.
    pub fn new(function: &str, columns: Vec<PublishedColumn>) -> Self {
        let measured = ["frequency-l-diversity", "k-anonymity"].map(|id| MeasuredPrinciple {
            principle: id.to_owned(),
            column: "disease".to_owned(),
            value: "3".to_owned(),
        });
        let manifest = Manifest {
            format: MANIFEST_FORMAT,
            made_by: "a test".to_owned(),
            for_publication: true,
            caveat: None,
            not_transparent: None,
            earlier_result: None,
            left_out: 0,
            rows: 6,
            classes: 2,
            columns,
            group_column: (function == "anatomy").then(|| "group".to_owned()),
            privacy: vec![principle("frequency-l-diversity", "l", 3), principle("k-anonymity", "k", 3)],
            mechanism: PublishedMechanism {
                publisher: "hybrid".to_owned(),
                publisher_reference: String::new(),
                publisher_parameters: BTreeMap::new(),
                function: function.to_owned(),
                function_reference: String::new(),
                search: None,
                levels: None,
                altered: None,
                sequence: None,
                ties: String::new(),
                randomness: String::new(),
                promise: Some(PromiseClass::RandomWorlds),
                guarantee: String::new(),
            },
            measured: measured.into(),
            utility: BTreeMap::new(),
            files: Vec::new(),
        };
        let fixture = Self { folder: tempfile::tempdir().unwrap(), manifest };
        fs::create_dir(fixture.dir()).unwrap();
        fs::create_dir(fixture.private()).unwrap();
        fixture
    }

    pub fn dir(&self) -> PathBuf {
        self.folder.path().join("release")
    }

    pub fn private(&self) -> PathBuf {
        self.folder.path().join("release-private")
    }

    pub fn source(&self) -> PathBuf {
        self.folder.path().join("source.csv")
    }

    /// Writes a file of the release.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.dir().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Replaces the one occurrence of `old` in a file of the release.
    pub fn replace(&self, name: &str, old: &str, new: &str) {
        replace(&self.dir().join(name), old, new);
    }

    /// Lists `names` with their checksums and writes the manifest.
    pub fn sign(&mut self, names: &[&str]) {
        let listed = names.iter().map(|name| {
            let bytes = fs::read(self.dir().join(name)).unwrap();
            let blake3 = blake3::hash(&bytes).to_hex().to_string();
            PublishedFile { name: (*name).to_owned(), blake3, bytes: bytes.len() as u64 }
        });
        self.manifest.files = listed.collect();
        self.write("manifest.json", &serde_json::to_string_pretty(&self.manifest).unwrap());
    }

    /// Verifies without the source.
    pub fn verify(&self) -> VerificationReport {
        spotless(verify_release(&self.dir(), &VerifyOptions::default()).unwrap())
    }

    /// Verifies with the source, and with the assignment where it is there.
    pub fn verify_with_source(&self) -> VerificationReport {
        let options = VerifyOptions { source: Some(self.source()), ..VerifyOptions::default() };
        spotless(verify_release(&self.dir(), &options).unwrap())
    }

    /// Takes the assignment away.
    pub fn forget_assignment(&self) {
        fs::remove_dir_all(self.private()).unwrap();
    }
}

/// Replaces the one occurrence of `old` in a file.
pub fn replace(path: &Path, old: &str, new: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert_eq!(text.matches(old).count(), 1, "`{old}` once in {text}");
    fs::write(path, text.replace(old, new)).unwrap();
}

/// The same report, in which no secret is.
pub fn spotless(report: VerificationReport) -> VerificationReport {
    let text = serde_json::to_string(&report).unwrap();
    assert!(!text.contains(SECRET), "{text}");
    report
}

/// The names of the checks that failed.
pub fn failed(report: &VerificationReport) -> Vec<&'static str> {
    report.failures().map(|check| check.name).collect()
}

/// The detail of the check `name`, which ended with `status`.
pub fn detail<'a>(report: &'a VerificationReport, name: &str, status: CheckStatus) -> &'a str {
    let found = report.checks.iter().find(|check| check.name == name && check.status == status);
    found.map_or_else(|| panic!("no check {name} that {status:?}: {report:#?}"), |check| &check.detail)
}
