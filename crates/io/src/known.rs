//! What an adversary has, as it is read: an external source of people, and a release of anybody's making.

use std::path::{Path, PathBuf};

use pellucid_app::host::{PopulationRegister, people_schema, register_job, table_lines};
use pellucid_model::error::{Error, Result};
use pellucid_model::table::{Table, TextTable};
use pellucid_publish::job::Job;
use pellucid_publish::lines::ReleasedLines;

use crate::{FileFormat, ReadOptions, read_header, read_strings, read_table};

/// Reads the external source with the columns, types and order of those of `table` that an adversary may know.
pub(crate) fn read_people(job: &Job, base_dir: &Path, path: &Path, table: &Table) -> Result<Table> {
    let order: Vec<String> = table.columns().iter().map(|column| column.name().to_owned()).collect();
    read_people_like(job, base_dir, path, Some(table), &order)
}

/// Reads the quasi columns of a register, typed as those of `table`; its other columns do not matter.
pub(crate) fn read_register(job: &Job, base_dir: &Path, path: &Path, table: &Table) -> Result<PopulationRegister> {
    let people = read_people(&register_job(job), base_dir, path, table)?;
    PopulationRegister::new(people, table, path.display().to_string())
}

/// Reads the external source, its columns typed as those of `table`; those in `order` come first.
pub(crate) fn read_people_like(
    job: &Job,
    base_dir: &Path,
    path: &Path,
    table: Option<&Table>,
    order: &[String],
) -> Result<Table> {
    let path = base_dir.join(path);
    let options = ReadOptions { format: None, separator: job.input.separator.filter(|_| is_text(&path)) };
    let header = read_header(&path, &options)?;
    people_schema(job, &header, table)?.in_order(order, &header, |schema| read_table(&path, &options, schema))
}

fn is_text(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    !matches!(extension, "parquet" | "arrow" | "feather" | "ipc")
}

/// The names of the tables of a release.
const TABLES: [&str; 3] = ["data", "quasi", "sensitive"];

/// The tables of a release by name: of a public folder, or the file of the only table.
pub(crate) fn release_files(path: &Path) -> Result<Vec<(&'static str, PathBuf, ReadOptions)>> {
    if !path.is_dir() {
        return Ok(vec![(TABLES[0], path.to_owned(), ReadOptions::default())]);
    }
    let mut files = Vec::new();
    for name in TABLES {
        for (extension, format) in [("csv", FileFormat::Csv), ("parquet", FileFormat::Parquet)] {
            let file = path.join(format!("{name}.{extension}"));
            if file.is_file() {
                files.push((name, file, ReadOptions { format: Some(format), separator: None }));
            }
        }
    }
    if files.is_empty() {
        return Err(Error::bad_input(format!(
            "{}: there is no table of a release in this folder; name the public folder that `publish` made",
            path.display()
        )));
    }
    Ok(files)
}

/// The tables of a release as text, by name.
pub(crate) fn read_release(path: &Path) -> Result<Vec<(&'static str, TextTable)>> {
    let files = release_files(path)?;
    files.iter().map(|(name, file, options)| Ok((*name, read_strings(file, options)?))).collect()
}

/// Makes tables comparable: columns by name, lines without order.
pub(crate) fn lines_of(tables: &[(&'static str, TextTable)]) -> ReleasedLines {
    ReleasedLines::new(tables.iter().map(|(name, table)| table_lines(name, table, |_| false)).collect())
}
