//! The bytes of releases stay what they were: every publisher with every function and format, on bundled and generated tables.
//!
//! `release_bytes.tsv` has a checksum of every released table and of the manifest, made with a known seed, and says where
//! nothing is disclosed or the job is refused. Of the manifest what made it and the list of files are left aside: they change with every version and with the texts of
//! reports. Where a release is meant to change, `PELLUCID_WRITE_CHECKSUMS=1` writes the file again; its difference says which
//! releases changed.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use pellucid_io::publish::{MANIFEST, PublishOptions, PublishOutcome, publish};
use pellucid_model::randomness::RandomSource;
use pellucid_model::registry::PUBLISHER;
use pellucid_publish::function::FUNCTIONS;
use pellucid_publish::job::{Job, OutputFormat};
use pellucid_publish::publisher::PUBLISHERS;
use rayon::prelude::*;

/// The seed of all releases.
const SEED: u64 = 11;

/// Tables by name, each with a job.
fn tables(folder: &Path) -> Vec<(String, PathBuf, Job)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let jobs = [("quick-start", "textbook"), ("sequence", "job"), ("search", "job"), ("views", "job")];
    let bundled = jobs.map(|(name, job)| {
        let base = root.join("examples").join(name);
        let text = fs::read_to_string(base.join(format!("{job}.toml"))).unwrap();
        (name.to_owned(), base, text)
    });
    fs::write(folder.join("generated.csv"), generated(240)).unwrap();
    fs::write(folder.join("sex.csv"), "F;*\nM;*\nX;*\n").unwrap();
    let generated =
        PRINCIPLES.map(|(name, privacy)| (name.to_owned(), folder.to_owned(), GENERATED.to_owned() + privacy));
    let all = bundled.into_iter().chain(generated);
    all.map(|(name, base, text)| (name, base, Job::read(&text, &[]).unwrap())).collect()
}

/// A job on every kind of column, without `[privacy]`.
const GENERATED: &str = r#"
[input]
path = "generated.csv"
missing = ["?"]
on_missing = "category"
[columns]
id = { role = "identifier" }
age = { role = "quasi", type = "integer", hierarchy = { widths = [5, 10, 20] } }
zip = { role = "quasi", type = "category", hierarchy = { mask = "suffix" } }
sex = { role = "quasi", hierarchy = "sex.csv" }
born = { role = "quasi", type = "date", hierarchy = { truncate = ["month", "year"] } }
note = { role = "keep" }
ill = { role = "sensitive" }
"#;

/// Principles for the generated table: a bound on shares, group sizes alone, and several together.
const PRINCIPLES: [(&str, &str); 3] = [
    ("generated-l", "[privacy]\nprinciple = \"frequency-l-diversity\"\nl = 3\n"),
    ("generated-k", "[privacy]\nprinciple = \"k-anonymity\"\nk = 7\n"),
    (
        "generated-kt",
        "[[privacy]]\nprinciple = \"k-anonymity\"\nk = 4\n[[privacy]]\nprinciple = \"t-closeness\"\nt = \"0.4\"\n",
    ),
];

/// Rows that look random and are the same every time (a linear congruential generator of Knuth).
fn generated(rows: u32) -> String {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let mut text = String::from("id,age,zip,sex,born,note,ill\n");
    for row in 0..rows {
        let (age, zip) = (18 + below(60), 10_000 + below(12) * 37);
        let (sex, ill) = (["F", "M", "X"][below(3) as usize], below(9));
        let born =
            if below(20) == 0 { "?".to_owned() } else { format!("19{:02}-{:02}-11", 40 + below(50), 1 + below(12)) };
        let _ = writeln!(text, "p{row:03},{age},{zip},{sex},{born},n{},v{}", below(4), ill.min(6));
    }
    text
}

/// One release: its name, and the checksums of what it has or why it has nothing.
fn released(name: &str, base: &Path, job: &Job, out: &Path) -> Vec<String> {
    let options = PublishOptions {
        base_dir: base,
        out: Some(out),
        overwrite: false,
        dry_run: false,
        randomness: RandomSource::InsecureSeed(SEED),
        explain: false,
        started: SystemTime::UNIX_EPOCH,
        progress: &|_| Ok(()),
        command: "",
        note: &|_| (),
        earlier_result: None,
        inspect: &|_| Ok(true),
    };
    match publish(job, &options) {
        Ok(PublishOutcome::Release(_)) => {
            let mut files = BTreeMap::new();
            collect(out, out, &mut files);
            files
                .into_iter()
                .map(|(file, bytes)| format!("{name}\t{file}\t{}", blake3::hash(&bytes).to_hex()))
                .collect()
        }
        Ok(PublishOutcome::Nothing(_)) => vec![format!("{name}\t-\tnothing")],
        Ok(PublishOutcome::Refused) => panic!("{name}: nobody refuses"),
        Err(error) => vec![format!("{name}\t-\t{:?}", error.kind())],
    }
}

/// The files of a release whose bytes are recorded.
fn collect(folder: &Path, root: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
        if path.is_dir() {
            collect(&path, root, files);
        } else if name == MANIFEST {
            let mut manifest: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            let object = manifest.as_object_mut().unwrap();
            object.remove("made_by");
            object.remove("files");
            files.insert(name, serde_json::to_vec(&manifest).unwrap());
        } else if !["report.html", "summary.txt"].contains(&name.as_str()) {
            files.insert(name, fs::read(&path).unwrap());
        }
    }
}

#[test]
fn releases_have_the_bytes_that_are_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let mut cases = Vec::new();
    for (table, base, job) in tables(folder.path()) {
        for publisher in PUBLISHERS {
            for function in FUNCTIONS {
                for format in [OutputFormat::Csv, OutputFormat::Parquet] {
                    let keys = publisher.examples[0]
                        .iter()
                        .copied()
                        .chain([(PUBLISHER, publisher.id), ("function", function.id)]);
                    let keys: Vec<_> = keys.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
                    let mut job = job.clone();
                    job.method = job.other_method(&keys).unwrap();
                    job.output.format = format;
                    job.report = Some(pellucid_publish::job::ReportJob { queries: Some(0), ..Default::default() });
                    let name = format!("{table}\t{}\t{}\t{format:?}", publisher.id, function.id);
                    cases.push((name, base.clone(), job, folder.path().join(cases.len().to_string())));
                }
            }
        }
    }
    let lines = Mutex::new(BTreeMap::new());
    cases.par_iter().enumerate().for_each(|(at, (name, base, job, out))| {
        let found = released(name, base, job, out);
        lines.lock().unwrap().insert(at, found);
    });
    let lines: Vec<String> = lines.into_inner().unwrap().into_values().flatten().collect();
    let found = "table\tpublisher\tfunction\tformat\tfile\tblake3\n".to_owned() + &lines.join("\n") + "\n";
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/release_bytes.tsv");
    if std::env::var_os("PELLUCID_WRITE_CHECKSUMS").is_some() {
        fs::write(&file, &found).unwrap();
    }
    let recorded = fs::read_to_string(&file).unwrap_or_default();
    let made = lines.iter().filter(|line| line.ends_with(char::is_alphanumeric) && line.contains("\tdata.")).count();
    assert!(made >= 100, "only {made} releases were made");
    let differ: Vec<(&str, &str)> =
        recorded.lines().zip(found.lines()).filter(|(old, new)| old != new).take(5).collect();
    assert!(recorded == found, "releases have other bytes than recorded; the first are {differ:#?}");
}
