//! A fresh folder and the real command for each test.

#![allow(dead_code)]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Part of every sensitive cell that the tests make; must occur in no message.
pub const SECRET: &str = "QZX7";

/// A job on names, ages and diseases, published by `mondrian` with l = 2.
pub const SMALL_JOB: &str = r#"[input]
path = "people.csv"

[columns]
name = { role = "identifier" }
age = { role = "quasi", type = "integer" }
disease = { role = "sensitive" }

[privacy]
principle = "frequency-l-diversity"
l = 2

[method]
publisher = "mondrian"
"#;

/// A folder in which the command runs.
pub struct Desk {
    folder: TempDir,
}

/// How the command ended.
#[derive(Debug)]
pub struct Outcome {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Outcome {
    /// Standard output as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// The same, if it ended with `status`.
    pub fn ended(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{self:#?}");
        self
    }
}

impl Desk {
    /// An empty folder.
    pub fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    /// A folder with [`SMALL_JOB`] and a person for every age and number of a disease.
    pub fn of_small_job(rows: &[(u32, u32)]) -> Self {
        let mut table = String::from("name,age,disease\n");
        for (at, (age, ill)) in rows.iter().enumerate() {
            let _ = writeln!(table, "p{at:02},{age},{SECRET}{ill}");
        }
        let desk = Self::new();
        desk.write("people.csv", table);
        desk.write("job.toml", SMALL_JOB);
        desk
    }

    /// A folder with the job of the README, but by `hybrid` with l = 3, and a table of `rows` patients for it.
    pub fn of_readme(rows: u32) -> Self {
        let desk = Self::new();
        let job = readme_job().replace("k-anonymity", "frequency-l-diversity").replace("k = 25", "l = 3");
        desk.write("job.toml", job.replace("tailor", "hybrid"));
        desk.write("patients.csv", patients(rows));
        desk.write("sex.csv", "F;*\nM;*\n");
        desk
    }

    /// A folder with the job and the table of `examples/views`.
    pub fn of_views() -> Self {
        let desk = Self::new();
        for name in ["job.toml", "patients.csv"] {
            desk.write(name, fs::read(root().join("examples/views").join(name)).unwrap());
        }
        desk
    }

    /// Where `name` lies.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    /// Reads a text file.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The command, to be run in this folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pellucid"));
        command.args(arguments).current_dir(self.folder.path());
        command
    }

    /// Runs the command.
    pub fn run(&self, arguments: &[&str]) -> Outcome {
        let output = self.command(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Outcome { status: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
    }

    /// What lies in the folder, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// All files of the folder `name` with their bytes.
    pub fn bytes(&self, name: &str) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.path(name), "", &mut files);
        files
    }
}

fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files);
        } else {
            files.insert(name, fs::read(&path).unwrap());
        }
    }
}

/// The groups of `release`, which was made of a CSV table by function `anatomy`: for each the places of its people in the table.
pub fn groups(desk: &Desk, release: &str) -> Vec<Vec<usize>> {
    let sensitive = desk.read(&format!("{release}/sensitive.csv"));
    let group_of_line: Vec<&str> = sensitive.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    let assignment = desk.read(&format!("{release}-private/assignment.csv"));
    let header: Vec<&str> = assignment.lines().next().unwrap().split(',').collect();
    let at = header.iter().position(|name| *name == "sensitive_line").unwrap();
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (row, line) in assignment.lines().skip(1).enumerate() {
        let line: usize = line.split(',').nth(at).unwrap().parse().unwrap();
        groups.entry(group_of_line[line - 1]).or_default().push(row);
    }
    groups.into_values().collect()
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The job that the README shows.
pub fn readme_job() -> String {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let job = readme.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    job.expect("the README shows a job").to_owned()
}

/// Numbers that look random and are the same every time (a linear congruential generator of Knuth).
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }

    /// Shuffles `items`.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

/// A table for the job of the README.
pub fn patients(rows: u32) -> String {
    let mut numbers = Numbers::new(7);
    let mut text = String::from("name,age,zip,sex,disease\n");
    for row in 0..rows {
        let (age, zip) = (18 + numbers.below(70), 10_000 + numbers.below(40) * 7);
        let (sex, disease) = (["F", "M"][numbers.below(2) as usize], numbers.below(9));
        let _ = writeln!(text, "N{row:06},{age},{zip},{sex},{SECRET}-{disease}");
    }
    text
}
