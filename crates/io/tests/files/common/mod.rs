//! Files in a fresh folder, and shorthands for schemas.

#![allow(dead_code)]

use std::path::PathBuf;

use pellucid_io::{ReadOptions, read_table};
use pellucid_model::error::Result;
use pellucid_model::table::schema::{ColumnSpec, TableSchema};
use pellucid_model::table::{ColumnType, Role, Table};
use tempfile::TempDir;

/// A token that must never be in a message.
pub const SECRET: &str = "xyzzy7Q";

/// A folder that vanishes with the test.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// The message of `error` with the folder cut off.
    pub fn message(&self, error: &pellucid_model::error::Error) -> String {
        let message = error.to_string().replace(&format!("{}/", self.0.path().display()), "");
        assert!(!message.contains(SECRET), "{message}");
        assert!(!format!("{error:?}").contains(SECRET), "{error:?}");
        message
    }
}

/// `ReleasedColumns` of role quasi, `name` or `name:kind`.
pub fn schema(columns: &[&str]) -> TableSchema {
    let spec = |text: &&str| {
        let (name, kind) = text.split_once(':').unwrap_or((text, ""));
        let kind = match kind {
            "integer" => Some(ColumnType::Integer),
            "decimal" => Some(ColumnType::Decimal),
            "date" => Some(ColumnType::Date),
            "category" => Some(ColumnType::Category),
            _ => None,
        };
        ColumnSpec { kind, ..ColumnSpec::new(name, Role::Quasi) }
    };
    TableSchema::new(columns.iter().map(spec).collect())
}

/// The cells of each row as published text.
pub fn rows(table: &Table) -> Vec<Vec<String>> {
    let cell = |row| move |column: &pellucid_model::table::Column| column.text(column.code(row));
    (0..table.rows()).map(|row| table.columns().iter().map(cell(row)).collect()).collect()
}

/// Reads `content` as a file called `name`.
pub fn read(name: &str, content: impl AsRef<[u8]>, schema: &TableSchema) -> Result<Table> {
    read_table(&Folder::new().file(name, content), &ReadOptions::default(), schema)
}

/// The message that reading `content` as `data.csv` ends with.
pub fn refused(content: impl AsRef<[u8]>, schema: &TableSchema) -> String {
    let folder = Folder::new();
    let path = folder.file("data.csv", content);
    folder.message(&read_table(&path, &ReadOptions::default(), schema).unwrap_err())
}
