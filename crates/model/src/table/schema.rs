//! What is declared about the columns of a table before it is read.
//!
//! A [`TableSchema`] names every column of the file with its [`Role`]; [`TableSchema::resolve`] holds it against a file's header.
//! Nothing is guessed: a column without a declared kind holds words, or what the file's own types say.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{ColumnType, Role};
use crate::error::{Error, ErrorKind, Result};
use crate::registry::did_you_mean;
use crate::words::counted;

/// What becomes of missing cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnMissing {
    /// They are a value of their own, after all others.
    Category,
    /// The table is refused.
    Refuse,
}

/// One declared column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnSpec {
    /// The name in the header, exactly.
    pub name: String,
    /// What the column is to the publication.
    pub role: Role,
    /// The type of its values; without one, what the file's types say, and words where the file has only text.
    pub kind: Option<ColumnType>,
    /// Spellings of a missing cell in this column, instead of [`TableSchema::missing`].
    pub missing: Option<Vec<String>>,
    /// What becomes of missing cells in this column, instead of [`TableSchema::on_missing`].
    pub on_missing: Option<OnMissing>,
}

impl ColumnSpec {
    /// A column of which only the role is declared.
    pub fn new(name: impl Into<String>, role: Role) -> Self {
        Self { name: name.into(), role, kind: None, missing: None, on_missing: None }
    }

    /// The same column with values of `kind`.
    #[must_use]
    pub fn with_kind(mut self, kind: ColumnType) -> Self {
        self.kind = Some(kind);
        self
    }

    /// The same column with its own choice about missing cells.
    #[must_use]
    pub fn with_on_missing(mut self, choice: OnMissing) -> Self {
        self.on_missing = Some(choice);
        self
    }
}

/// The declared columns, and what counts as missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableSchema {
    /// Every column of the file, in any order.
    pub columns: Vec<ColumnSpec>,
    /// Cells that are exactly one of these are missing, as are nulls of typed files.
    pub missing: Vec<String>,
    /// What becomes of missing cells; without a choice a table that has some is refused.
    pub on_missing: Option<OnMissing>,
    /// Columns of role `drop` that are read nevertheless.
    pub read_dropped: BTreeSet<String>,
}

impl TableSchema {
    /// A schema of `columns` without spellings of missing cells.
    pub fn new(columns: Vec<ColumnSpec>) -> Self {
        Self { columns, ..Self::default() }
    }

    /// The same schema with these spellings of a missing cell.
    #[must_use]
    pub fn with_missing<S: Into<String>>(mut self, spellings: impl IntoIterator<Item = S>) -> Self {
        self.missing = spellings.into_iter().map(Into::into).collect();
        self
    }

    /// The same schema with this choice about missing cells.
    #[must_use]
    pub fn with_on_missing(mut self, choice: OnMissing) -> Self {
        self.on_missing = Some(choice);
        self
    }

    /// The spellings of a missing cell in `column`.
    pub fn spellings<'a>(&'a self, column: &'a ColumnSpec) -> &'a [String] {
        column.missing.as_deref().unwrap_or(&self.missing)
    }

    /// For each name of `header` its declared column, or `None` when it is left out.
    ///
    /// # Errors
    /// When a name occurs twice or is empty, a column of the file is not declared, a declared column is absent from the
    /// file, or every column is left out.
    pub fn resolve<'a>(&'a self, header: &[String]) -> Result<Vec<Option<&'a ColumnSpec>>> {
        self.check_declared()?;
        check_header(header)?;
        let in_file: BTreeSet<&str> = header.iter().map(String::as_str).collect();
        let absent: Vec<&str> =
            self.columns.iter().map(|column| column.name.as_str()).filter(|name| !in_file.contains(name)).collect();
        let mut undeclared = Vec::new();
        let mut resolved = Vec::with_capacity(header.len());
        for name in header {
            match self.columns.iter().find(|column| column.name == *name) {
                Some(column) => {
                    let read = column.role != Role::Drop || self.read_dropped.contains(name);
                    resolved.push(read.then_some(column));
                }
                None => undeclared.push(name.as_str()),
            }
        }
        if undeclared.len() == header.len() && !self.columns.is_empty() {
            // What was read as names may be the cells of somebody: none is repeated.
            return Err(Error::new(
                ErrorKind::UnknownColumn,
                format!(
                    "{} declared column; check that the file has a header line, and its separator",
                    match header.len() {
                        1 => "the only name in the first line is no".to_owned(),
                        names => format!("none of the {names} names in the first line is a"),
                    }
                ),
            ));
        }
        if !undeclared.is_empty() {
            return Err(undeclared_error(&undeclared, &absent));
        }
        if let [first, rest @ ..] = absent.as_slice() {
            let hint = did_you_mean(first, in_file);
            let more = if rest.is_empty() {
                String::new()
            } else {
                format!(" and {}", counted(rest.len(), "other declared one", "other declared ones"))
            };
            return Err(Error::new(
                ErrorKind::UnknownColumn,
                format!("no column `{first}`{more}{hint}; correct the name or remove it from the declared columns"),
            ));
        }
        if resolved.iter().all(Option::is_none) {
            return Err(Error::invalid("every column has role `drop`; give at least one another role"));
        }
        Ok(resolved)
    }

    fn check_declared(&self) -> Result<()> {
        let mut seen = BTreeSet::new();
        match self.columns.iter().find(|column| !seen.insert(&column.name)) {
            Some(column) => Err(Error::invalid(format!("column `{}` is declared twice; remove one", column.name))),
            None => Ok(()),
        }
    }
}

/// Refuses a header with an empty name or with one name twice.
pub fn check_header(header: &[String]) -> Result<()> {
    let mut seen = BTreeSet::new();
    for (at, name) in header.iter().enumerate() {
        if name.is_empty() {
            return Err(Error::bad_input(format!("column {} has no name; name it in the header", at + 1)));
        }
        if !seen.insert(name) {
            return Err(Error::bad_input(format!("two columns are named `{name}`; rename one")));
        }
    }
    Ok(())
}

/// Lists the first ten of `undeclared`; a declared name that the file lacks may be what was meant.
fn undeclared_error(undeclared: &[&str], absent: &[&str]) -> Error {
    const SHOWN: usize = 10;
    let named = |name: &&str| {
        let hint = did_you_mean(name, absent.iter().copied());
        let hint = hint.trim_start_matches([',', ' ']);
        if hint.is_empty() { format!("`{name}`") } else { format!("`{name}` ({hint})") }
    };
    let mut list = undeclared.iter().take(SHOWN).map(named).collect::<Vec<_>>().join(", ");
    if undeclared.len() > SHOWN {
        list = format!("{list} and {} more", undeclared.len() - SHOWN);
    }
    let (subject, each) = if undeclared.len() == 1 { ("a column is", "it") } else { ("columns are", "each") };
    Error::new(
        ErrorKind::UnknownColumn,
        format!("{subject} not declared: {list}; declare {each}, with role `drop` to leave it out"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn schema(columns: &[&str]) -> TableSchema {
        TableSchema::new(columns.iter().map(|&name| ColumnSpec::new(name, Role::Quasi)).collect())
    }

    fn message(schema: &TableSchema, header: &[&str]) -> String {
        schema.resolve(&names(header)).unwrap_err().to_string()
    }

    #[test]
    fn dropped_columns_resolve_to_nothing() {
        let mut schema = schema(&["age", "name"]);
        schema.columns[1].role = Role::Drop;
        let header = names(&["name", "age"]);
        let resolved = schema.resolve(&header).unwrap();
        assert!(resolved[0].is_none());
        assert_eq!(resolved[1].unwrap().name, "age");
    }

    #[test]
    fn undeclared_columns_are_listed() {
        assert_eq!(
            message(&schema(&["age", "zipcode"]), &["age", "zip_code", "sex"]),
            "columns are not declared: `zip_code` (did you mean `zipcode`?), `sex`; declare each, with role `drop` to leave it out"
        );
        let many: Vec<String> = (0..13).map(|at| format!("column{at}")).collect();
        let error = schema(&["column0"]).resolve(&many).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnknownColumn);
        assert!(error.to_string().contains("`column10` and 2 more;"), "{error}");
    }

    #[test]
    fn absent_columns_get_a_hint() {
        assert_eq!(
            message(&schema(&["age", "agee"]), &["age"]),
            "no column `agee`, did you mean `age`?; correct the name or remove it from the declared columns"
        );
    }

    #[test]
    fn headers_have_distinct_names() {
        assert_eq!(message(&schema(&["age"]), &["age", "age"]), "two columns are named `age`; rename one");
        assert_eq!(message(&schema(&["age"]), &["age", ""]), "column 2 has no name; name it in the header");
        assert_eq!(message(&schema(&["age", "age"]), &["age"]), "column `age` is declared twice; remove one");
    }

    #[test]
    fn a_table_of_dropped_columns_only_is_refused() {
        let schema = TableSchema::new(vec![ColumnSpec::new("age", Role::Drop)]);
        assert!(message(&schema, &["age"]).starts_with("every column has role `drop`"));
    }
}
