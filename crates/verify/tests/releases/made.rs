//! Releases as the library makes them, written out and verified.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use pellucid_io::verify::{VerifyOptions, verify_release};
use pellucid_io::{ReadOptions, read_table, write_csv, write_parquet};
use pellucid_model::claim::{CellForm, EntryClaim};
use pellucid_model::manifest::{Manifest, PublishedFile};
use pellucid_model::randomness::RandomSource;
use pellucid_model::table::ReleasedColumns;
use pellucid_model::table::Table;
use pellucid_publish::function::{FUNCTIONS, ReleasedTables};
use pellucid_publish::job::{Job, JobAnswer};
use pellucid_verify::CheckStatus;
use tempfile::TempDir;

use crate::common::{failed, spotless};

/// A table of 400 people with numbers, dates, words and missing cells.
fn source() -> String {
    let mut state = 11u64;
    let mut random = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let mut text = String::from("name,age,weight,born,town,disease,ward\n");
    for person in 0..400 {
        let age = if random(20) == 0 { "?".to_owned() } else { (18 + random(60)).to_string() };
        let (weight, tenth) = (50 + random(40), random(10));
        let born = format!("19{}-0{}-1{}", 40 + random(50), 1 + random(9), random(9));
        let town = ["york", "leeds", "bath, \"old\"", "[x]", "?"][random(5) as usize];
        let town = format!("\"{}\"", town.replace('"', "\"\""));
        let (disease, ward) = (random(7), random(3));
        writeln!(text, "p-QZX{person},{age},{weight}.{tenth},{born},{town},d-QZX{disease},{ward}").unwrap();
    }
    text
}

const JOB: &str = r#"
[input]
path = "source.csv"
missing = ["?"]
on_missing = "category"
[columns]
name = { role = "identifier" }
age = { role = "quasi", type = "integer", hierarchy = { widths = [5, 10, 20] } }
weight = { role = "quasi", type = "decimal", hierarchy = { widths = [0.5, 5] } }
born = { role = "quasi", type = "date", hierarchy = { truncate = ["month", "year", "decade"] } }
town = { role = "quasi", hierarchy = { mask = "suffix" } }
disease = { role = "sensitive" }
ward = { role = "keep", type = "integer" }
[privacy]
principle = "frequency-l-diversity"
l = 3
[method]
publisher = "hybrid"
"#;

fn write(folder: &Path, exhibit: &ReleasedTables, mut manifest: Manifest, packed: bool) {
    let dir = folder.join("release");
    fs::create_dir_all(&dir).unwrap();
    for sheet in &exhibit.sheets {
        let columns = ReleasedColumns::new(sheet.columns.clone()).unwrap();
        let name = format!("{}.{}", sheet.name, if packed { "parquet" } else { "csv" });
        let path = dir.join(&name);
        if packed { write_parquet(&path, &columns) } else { write_csv(&path, &columns) }.unwrap();
        let bytes = fs::read(&path).unwrap();
        let blake3 = blake3::hash(&bytes).to_hex().to_string();
        manifest.files.push(PublishedFile { name, blake3, bytes: bytes.len() as u64 });
    }
    fs::write(dir.join("manifest.json"), serde_json::to_string(&manifest).unwrap()).unwrap();
    let line_of = |sheet: usize| {
        let mut lines = vec![0; exhibit.sheets[sheet].row_of.len()];
        (1..).zip(&exhibit.sheets[sheet].row_of).for_each(|(line, &row)| lines[row as usize] = line);
        lines
    };
    let (first, last) = (line_of(0), line_of(exhibit.sheets.len() - 1));
    let two = exhibit.sheets.len() == 2;
    let mut text = String::from(if two { "row,quasi_line,sensitive_line\n" } else { "row,line\n" });
    for (row, (first, last)) in first.iter().zip(&last).enumerate() {
        let row = row + 1;
        if two { writeln!(text, "{row},{first},{last}") } else { writeln!(text, "{row},{first}") }.unwrap();
    }
    fs::create_dir_all(folder.join("release-private")).unwrap();
    fs::write(folder.join("release-private/assignment.csv"), text).unwrap();
}

#[test]
fn what_the_library_makes_passes() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("source.csv");
    fs::write(&path, source()).unwrap();
    for entry in FUNCTIONS {
        let function = entry.id;
        for packed in [false, true] {
            let job = Job::read(&format!("{JOB}function = \"{function}\"\n"), &[]).unwrap();
            let checked = job.check().unwrap();
            let table: Table = read_table(&path, &ReadOptions::default(), &job.schema().unwrap()).unwrap();
            let hierarchies: Vec<_> = table
                .columns()
                .iter()
                .map(|column| {
                    let spec = job.columns[column.name()].hierarchy.as_ref();
                    spec.map(|spec| spec.build(column, folder.path()).unwrap())
                })
                .collect();
            let answer = checked.run(&table, &hierarchies, RandomSource::System, &|_| Ok(())).unwrap();
            let JobAnswer::Release(release) = answer else { panic!("nothing was disclosed") };
            let here = TempDir::new().unwrap();
            write(here.path(), &release.exhibit, release.manifest, packed);
            let dir = here.path().join("release");
            let options = VerifyOptions { source: Some(path.clone()), ..VerifyOptions::default() };
            let report = spotless(verify_release(&dir, &options).unwrap());
            assert!(report.passed() && report.classes > 3, "{function}: {report:#?}");
            fs::remove_dir_all(here.path().join("release-private")).unwrap();
            let report = spotless(verify_release(&dir, &options).unwrap());
            assert_eq!(failed(&report), [""; 0], "{function}: {report:#?}");
            let matched = report.check("matching").unwrap().status;
            let open = [CellForm::Anatomy, CellForm::Statistics].map(|form| entry.claims(EntryClaim::Cells(form)));
            let open = open.contains(&true);
            assert!(matched == CheckStatus::Passed || open, "{function}: {report:#?}");
        }
    }
}
