//! Hierarchies read from a file in the format of ARX: one line per leaf value, without header; the first column is the
//! leaf, each further column a coarser label.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashbrown::HashMap;
use serde_json::{Value, json};

use super::draft::{HierarchyDraft, LeafPartition};
use super::leaves::{LeafIndex, remedy};
use super::spec::{SpecKeys, single_character};
use super::{Hierarchy, draft::NestingClash};
use crate::error::{Error, Result};
use crate::table::Column;
use crate::words::{counted, part_of_values};

/// The separator of ARX.
const SEPARATOR: char = ';';

/// A hierarchy in a file: UTF-8, any line ending, fields optionally in double quotes, empty lines skipped.
///
/// Leaves are matched with integers, decimals and dates by value, with categories by their exact text. All leaves of
/// the file count, also those that the table lacks; so the levels do not depend on the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelFile {
    path: PathBuf,
    separator: char,
    /// The bytes, where they are at hand.
    content: Option<Arc<[u8]>>,
}

impl LabelFile {
    /// The file at `path`, with fields separated by `;`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), separator: SEPARATOR, content: None }
    }

    /// The same file with another separator.
    ///
    /// # Errors
    /// When it is not ASCII, or a quote or a line ending.
    pub fn with_separator(mut self, separator: char) -> Result<Self> {
        if !separator.is_ascii() || ['"', '\r', '\n'].contains(&separator) {
            return Err(Error::bad_hierarchy(
                "`separator` of a hierarchy must be one ASCII character, no quote and no line ending; use `;` or `,`",
            ));
        }
        self.separator = separator;
        Ok(self)
    }

    /// The same file with these bytes; it is then not looked for on the disk.
    #[must_use]
    pub fn with_content(mut self, bytes: impl Into<Arc<[u8]>>) -> Self {
        self.content = Some(bytes.into());
        self
    }

    /// The bytes, where they were given.
    pub fn content(&self) -> Option<&[u8]> {
        self.content.as_deref()
    }

    /// The path, as given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What stands between two fields.
    pub fn separator(&self) -> char {
        self.separator
    }

    pub(super) fn from_options(options: &mut SpecKeys) -> Result<Self> {
        let file = Self::new(options.text("file")?);
        match options.take("separator") {
            Some(value) => file.with_separator(single_character("separator", &value)?),
            None => Ok(file),
        }
    }

    pub(super) fn to_value(&self) -> Value {
        let path = self.path.to_string_lossy();
        if self.separator == SEPARATOR {
            json!(path)
        } else {
            json!({ "file": path, "separator": self.separator.to_string() })
        }
    }

    pub(super) fn build(&self, column: &Column, base_dir: &Path) -> Result<Hierarchy> {
        self.bind(&self.read(base_dir)?, column)
    }

    /// The bytes of the file; a relative path is relative to `base_dir`.
    pub(super) fn read(&self, base_dir: &Path) -> Result<Arc<[u8]>> {
        if let Some(content) = &self.content {
            return Ok(Arc::clone(content));
        }
        let path = base_dir.join(&self.path);
        std::fs::read(&path).map(Arc::from).map_err(|error| Error::io(path.display(), error))
    }

    /// The bytes without a byte-order mark, when they are UTF-8.
    pub(super) fn decoded<'b>(&self, bytes: &'b [u8]) -> Result<&'b [u8]> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        match std::str::from_utf8(bytes) {
            Ok(_) => Ok(bytes),
            Err(error) => {
                let line = line_at(bytes, error.valid_up_to());
                Err(self.error(format!("is not UTF-8 at line {line}; save the file as UTF-8")))
            }
        }
    }

    /// A reader of the lines of the decoded file.
    pub(super) fn records<'b>(&self, bytes: &'b [u8]) -> csv::Reader<&'b [u8]> {
        let mut builder = csv::ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(self.separator as u8).from_reader(bytes)
    }

    /// Binds the content of the file to `column`.
    pub(super) fn bind(&self, bytes: &[u8], column: &Column) -> Result<Hierarchy> {
        let bytes = self.decoded(bytes)?;
        let mut index = LeafIndex::new(column.domain().kind());
        // Where each leaf's line starts, for messages.
        let mut starts: Vec<usize> = Vec::new();
        let mut levels: Vec<Interned> = Vec::new();
        let line_of = |starts: &[usize], leaf: usize| line_at(bytes, starts[leaf]);

        let mut reader = self.records(bytes);
        let mut record = csv::StringRecord::new();
        loop {
            let start = reader.position().byte() as usize;
            match reader.read_record(&mut record) {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) => return Err(self.error(format!("cannot be read at line {}", line_at(bytes, start)))),
            }
            let leaf = starts.len();
            starts.push(start);
            if leaf == 0 {
                levels.resize_with(record.len() - 1, Interned::default);
            } else if record.len() != levels.len() + 1 {
                let (line, columns) = (line_of(&starts, leaf), counted(record.len(), "column", "columns"));
                let (first, expected) = (line_of(&starts, 0), levels.len() + 1);
                return Err(self.error(format!(
                    "has {columns} at line {line} but {expected} at line {first}; give every line as many"
                )));
            }
            let mut fields = record.iter();
            if let Err(earlier) = index.push(fields.next().unwrap_or_default()) {
                let (line, earlier) = (line_of(&starts, leaf), line_of(&starts, earlier));
                return Err(self.error(format!("lists a value twice, at lines {earlier} and {line}; remove one")));
            }
            for (at, (label, level)) in fields.zip(&mut levels).enumerate() {
                if label.is_empty() {
                    let (line, level) = (line_of(&starts, leaf), at + 1);
                    return Err(self.error(format!("has no label for level {level} at line {line}; write one")));
                }
                level.push(label);
            }
        }
        if starts.is_empty() {
            return Err(self.error("is empty; write one line per value, coarser labels after the value"));
        }
        let leaf_of = index.bind(column).map_err(|lacking| self.lacking(lacking, levels.len(), column))?;
        let levels = levels.into_iter().map(Interned::partition).collect();
        HierarchyDraft { leaves: index.len(), leaf_of, levels, covering: true }.bind(column).map_err(|clash| {
            let NestingClash { level, first, second } = clash;
            let (first, second) = (line_of(&starts, first), line_of(&starts, second));
            self.error(format!(
                "is not nested: lines {first} and {second} share their label of level {level} but not of level {}; \
                 rename one of the labels",
                level + 1
            ))
        })
    }

    /// The file does not cover the column.
    fn lacking(&self, lacking: usize, levels: usize, column: &Column) -> Error {
        let (part, name) = (part_of_values(lacking, column.domain().len()), column.name());
        let remedy = if levels == 0 {
            format!("its lines have a single column, is its separator `{}`?", self.separator)
        } else {
            remedy(column.domain().kind()).to_owned()
        };
        self.error(format!("lacks {part} of column `{name}`; {remedy}"))
    }

    pub(super) fn error(&self, problem: impl std::fmt::Display) -> Error {
        Error::bad_hierarchy(format!("hierarchy `{}` {problem}", self.path.display()))
    }
}

/// A level under construction: labels numbered as they come.
#[derive(Default)]
struct Interned {
    blocks: Vec<u32>,
    labels: Vec<String>,
    block_of: HashMap<String, u32>,
}

impl Interned {
    fn push(&mut self, label: &str) {
        let next = self.labels.len() as u32;
        let labels = &mut self.labels;
        let block = *self.block_of.entry_ref(label).or_insert_with(|| {
            labels.push(label.to_owned());
            next
        });
        self.blocks.push(block);
    }

    fn partition(self) -> LeafPartition {
        LeafPartition { blocks: self.blocks, labels: self.labels }
    }
}

/// The number, from 1, of the line that holds the first byte at or after `offset` that ends no line.
///
/// Lines end with `\n`, `\r\n` or `\r`.
fn line_at(bytes: &[u8], offset: usize) -> usize {
    let is_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
    let skipped = bytes[offset..].iter().take_while(is_end).count();
    let before = &bytes[..offset + skipped];
    let ends = before.iter().enumerate().filter(|&(at, &byte)| match byte {
        b'\n' => true,
        b'\r' => before.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    1 + ends.count()
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
