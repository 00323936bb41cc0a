//! The command and the library make the same bytes for the same job, table and seed.

use std::sync::Arc;

use crate::common::{Desk, patients};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use pellucid_app::host::released_files;
use pellucid_app::{Job, JobData, JobSession, Manifest, PublishAnswer, SeenAnswer};
use pellucid_io::{ReadOptions, read_strings, write_csv};

const ROWS: u32 = 120;

/// The table of the README's job as somebody has it in memory.
fn batches() -> Vec<RecordBatch> {
    let table = patients(ROWS);
    let header: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let lines: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let column = |at: usize| -> ArrayRef {
        let cells = lines.iter().map(|line| line[at]);
        if header[at] == "age" {
            Arc::new(Int64Array::from_iter_values(cells.map(|cell| cell.parse::<i64>().unwrap())))
        } else {
            Arc::new(StringArray::from_iter_values(cells))
        }
    };
    vec![RecordBatch::try_from_iter(header.iter().enumerate().map(|(at, name)| (*name, column(at)))).unwrap()]
}

#[test]
fn the_command_and_the_library_make_the_same_bytes() {
    let desk = Desk::of_readme(ROWS);
    desk.run(&["publish", "job.toml", "--insecure-seed", "7"]).ended(0);
    let made = desk.read("release/manifest.json");
    let mut manifest: Manifest = serde_json::from_str(&made).unwrap();

    let text = desk.read("job.toml");
    let job = Job::read(&text[text.find("[columns]").unwrap()..], &[]).unwrap();
    let data = JobData::from_batches(&job, &batches()).unwrap();
    let PublishAnswer::Release(release) = JobSession::new(&job, &data).with_insecure_seed(7).publish().unwrap() else {
        panic!("the command releases something")
    };

    // The tables: what is written of them byte by byte, and what is handed over cell by cell.
    let files = released_files(&release).unwrap();
    assert_eq!(files.len(), 1);
    write_csv(&desk.path("library.csv"), &files[0].columns).unwrap();
    assert_eq!(desk.read("library.csv"), desk.read("release/data.csv"));
    let written = read_strings(&desk.path("release/data.csv"), &ReadOptions::default()).unwrap();
    let handed_over = SeenAnswer::release(&job, &release.tables().unwrap()).unwrap();
    assert_eq!(handed_over, SeenAnswer::from_tables(&job, &[("data", written)]));

    // The report tells of all files but itself, and the library has no files.
    manifest.files.retain(|file| file.name != "report.html");
    let page = release.public_report_with(&manifest).unwrap().to_html();
    assert!(page == desk.read("release/report.html"), "the public reports differ");
    manifest.files.clear();
    assert_eq!(&manifest, release.manifest());
}
