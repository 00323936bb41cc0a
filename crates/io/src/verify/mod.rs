//! Verifying releases in folders, and tables of other tools in files.
//!
//! - `folder.rs`: the files of a release, present, unchanged, and no others; `bytes.rs`: CSV files are written as their cells are.

mod bytes;
mod folder;

use std::path::{Path, PathBuf};

use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::hierarchy::HierarchySpec;
use pellucid_model::manifest::PublishedColumn;
use pellucid_model::table::Table;
use pellucid_model::table::schema::TableSchema;
use pellucid_verify::{
    DEFAULT_COVER_TESTS, DeclaredTable, FileChecks, NamedTable, SourceTable, VerificationInputs, VerificationReport,
    table_stems,
};

use crate::{ReadOptions, read_header, read_strings, read_table};
use bytes::check_bytes;

pub use folder::read_manifest;

/// What to hold a release against, and how far to go.
#[derive(Debug, Clone)]
pub struct VerifyOptions {
    /// The private table that the release was made from.
    pub source: Option<PathBuf>,
    /// How the source is read.
    pub source_read: ReadOptions,
    /// The private assignment of rows to lines; by default the one in the folder `DIR-private` beside a release.
    pub assignment: Option<PathBuf>,
    /// Whether no assignment is used, not even one that lies beside the release.
    pub without_assignment: bool,
    /// Without an assignment, the most tests whether a class covers a vector of quasi values.
    pub max_cover_tests: u64,
}

impl Default for VerifyOptions {
    fn default() -> Self {
        Self {
            source: None,
            source_read: ReadOptions::default(),
            assignment: None,
            without_assignment: false,
            max_cover_tests: DEFAULT_COVER_TESTS,
        }
    }
}

/// A private table in a file.
struct SourceFile<'a> {
    path: &'a Path,
    options: &'a ReadOptions,
}

impl SourceTable for SourceFile<'_> {
    fn header(&self) -> Result<Vec<String>> {
        read_header(self.path, self.options)
    }

    fn read(&self, schema: &TableSchema) -> Result<Table> {
        read_table(self.path, self.options, schema)
    }
}

/// Verifies the release in the folder `dir`.
///
/// # Errors
/// When the folder or its manifest cannot be read, or a file that `options` names does not exist. All else is a check
/// that failed.
pub fn verify_release(dir: &Path, options: &VerifyOptions) -> Result<VerificationReport> {
    let mut manifest = read_manifest(dir)?;
    read_hierarchies(&mut manifest.columns, dir);
    let files = folder::check_files(dir, &manifest);
    let tables = table_stems(&manifest).iter().map(|stem| {
        let file = folder::sheet_file(&manifest, stem)?;
        let table = read_strings(&dir.join(file), &ReadOptions::default()).map_err(|error| error.to_string())?;
        Ok(NamedTable { file: file.to_owned(), table })
    });
    let tables: Result<Vec<NamedTable>, String> = tables.collect();
    let checked = tables.iter().flatten().filter(|table| is_text(&table.file));
    let bytes = checked.map(|table| check_bytes(&dir.join(&table.file), &table.file, &table.table)).reduce(Result::and);
    let all_text = tables.iter().flatten().all(|table| is_text(&table.file));
    let bytes = bytes.filter(|found| all_text || found.is_err());
    let beside = || if options.without_assignment { None } else { folder::find_assignment(dir) };
    let assignment = options.assignment.clone().or_else(beside);
    let assignment = options.read_assignment(assignment.as_deref())?;
    options.with_inputs(assignment.as_ref(), |inputs| {
        pellucid_verify::verify_release(&manifest, tables, FileChecks::Read { files, bytes }, inputs)
    })
}

/// Verifies the table at `path`, of which `declared` says what it is; paths of its hierarchies are relative to `base_dir`.
///
/// # Errors
/// When the table cannot be opened, or a file that `options` names does not exist. All else is a check that failed.
pub fn verify_table(
    path: &Path,
    read: &ReadOptions,
    mut declared: DeclaredTable,
    base_dir: &Path,
    options: &VerifyOptions,
) -> Result<VerificationReport> {
    if !path.is_file() {
        return Err(Error::io(path.display(), std::io::ErrorKind::NotFound.into()));
    }
    read_hierarchies(&mut declared.columns, base_dir);
    let table = read_strings(path, read).map(|table| NamedTable { file: name(path), table });
    let assignment = options.read_assignment(options.assignment.as_deref())?;
    options.with_inputs(assignment.as_ref(), |inputs| {
        pellucid_verify::verify_table(table.map_err(|error| error.to_string()), &declared, inputs)
    })
}

impl VerifyOptions {
    /// The assignment at `path`, where there is a source to hold it against; the inner error is a reason why a check fails.
    fn read_assignment(&self, path: Option<&Path>) -> Result<Option<Result<NamedTable, String>>> {
        let Some(path) = path.filter(|_| self.source.is_some()) else { return Ok(None) };
        match read_strings(path, &ReadOptions::default()) {
            Ok(table) => Ok(Some(Ok(NamedTable { file: name(path), table }))),
            Err(error) if error.kind() == ErrorKind::Io => Err(error),
            Err(error) => Ok(Some(Err(error.to_string()))),
        }
    }

    fn with_inputs<T>(
        &self,
        assignment: Option<&Result<NamedTable, String>>,
        work: impl FnOnce(&VerificationInputs<'_>) -> T,
    ) -> T {
        let source = self.source.as_deref().map(|path| SourceFile { path, options: &self.source_read });
        let source = source.as_ref().map(|source| source as &dyn SourceTable);
        work(&VerificationInputs { source, assignment, max_cover_tests: self.max_cover_tests })
    }
}

/// Reads the hierarchies that are files; one that cannot be read stays without content, which is a reason for a check to fail.
fn read_hierarchies(columns: &mut [PublishedColumn], base_dir: &Path) {
    for column in columns {
        if let Some(HierarchySpec::File(file)) = &mut column.hierarchy
            && let Ok(content) = std::fs::read(base_dir.join(file.path()))
        {
            *file = file.clone().with_content(content);
        }
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Whether a file is CSV.
fn is_text(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|extension| extension == "csv")
}
