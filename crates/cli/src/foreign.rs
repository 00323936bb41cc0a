//! What the options of `pellucid verify` say about a table that another tool made.

use clap::Args;
use pellucid_io::ReadOptions;
use pellucid_model::error::{Error, Result};
use pellucid_model::hierarchy::{HierarchySpec, LabelFile};
use pellucid_model::manifest::PublishedColumn;
use pellucid_model::principle::PRINCIPLES;
use pellucid_model::registry::{self, ParamKind, did_you_mean, find};
use pellucid_model::table::{ColumnType, Role};
use pellucid_verify::DeclaredTable;

use crate::numbers::whole;

/// The types of values.
pub const KINDS: [ColumnType; 4] = [ColumnType::Integer, ColumnType::Decimal, ColumnType::Date, ColumnType::Category];

/// The options.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options for a table of another tool")]
pub struct ForeignOptions {
    /// The quasi-identifying columns
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    quasi: Vec<String>,
    /// The sensitive columns
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    sensitive: Vec<String>,
    /// A principle that must hold, with its parameters; may be given several times
    #[arg(long = "principle", value_name = "ID:NAME=VALUE,...")]
    principles: Vec<String>,
    /// The type of a column: integer, decimal, date or category (which it is when left out)
    #[arg(long = "type", value_name = "COLUMN=TYPE")]
    types: Vec<String>,
    /// The hierarchy whose labels a column shows: a file, or a table as in a job file such as '{ mask = "suffix" }'
    #[arg(long = "hierarchy", value_name = "COLUMN=FILE")]
    hierarchies: Vec<String>,
    /// The values of a sensitive column that are protected; all when left out
    #[arg(long = "protect", value_name = "COLUMN=VALUE,...")]
    protect: Vec<String>,
    /// A spelling of missing cells, in all columns
    #[arg(long = "missing", value_name = "SPELLING")]
    missing: Vec<String>,
    /// What a line shows in all quasi columns when its row was suppressed, such as '*'; such lines are left out and counted
    #[arg(long, value_name = "MARK", conflicts_with = "assignment")]
    suppressed: Option<String>,
    /// How many rows of the source the table may have no line for, because they were left out
    #[arg(long, value_name = "NUMBER", requires = "source", conflicts_with = "assignment", value_parser = whole::<u64>(..))]
    left_out: Option<u64>,
    /// What separates the cells of the table; detected when left out
    #[arg(long, value_name = "CHARACTER")]
    separator: Option<char>,
}

impl ForeignOptions {
    /// The first of these options that was given.
    pub fn first_given(&self) -> Option<&'static str> {
        let given = [
            (!self.quasi.is_empty(), "--quasi"),
            (!self.sensitive.is_empty(), "--sensitive"),
            (!self.principles.is_empty(), "--principle"),
            (!self.types.is_empty(), "--type"),
            (!self.hierarchies.is_empty(), "--hierarchy"),
            (!self.protect.is_empty(), "--protect"),
            (!self.missing.is_empty(), "--missing"),
            (self.suppressed.is_some(), "--suppressed"),
            (self.left_out.is_some(), "--left-out"),
            (self.separator.is_some(), "--separator"),
        ];
        given.into_iter().find(|(given, _)| *given).map(|(_, option)| option)
    }

    /// How the table is read.
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions { format: None, separator: self.separator }
    }

    /// What they say about the table.
    pub fn declared(&self) -> Result<DeclaredTable> {
        if self.quasi.is_empty() {
            return Err(Error::invalid("a table of another tool needs --quasi; name its quasi-identifying columns"));
        }
        if self.principles.is_empty() {
            return Err(Error::invalid("no principle is named; add e.g. --principle frequency-l-diversity:l=3"));
        }
        let mut columns = Vec::new();
        for (names, role) in [(&self.quasi, Role::Quasi), (&self.sensitive, Role::Sensitive)] {
            for name in names {
                if columns.iter().any(|column: &PublishedColumn| column.name == *name) {
                    return Err(Error::invalid(format!("column `{name}` is named twice; name it once")));
                }
                columns.push(PublishedColumn {
                    name: name.clone(),
                    role,
                    kind: ColumnType::Category,
                    hierarchy: None,
                    protect: None,
                    aggregate: None,
                    missing: self.missing.clone(),
                    lost: None,
                });
            }
        }
        for pair in &self.types {
            let (column, word) = split(&mut columns, "--type", pair)?;
            column.kind = kind(word).map_err(|error| error.context(format!("--type {pair}")))?;
        }
        for pair in &self.hierarchies {
            let (column, file) = split(&mut columns, "--hierarchy", pair)?;
            let spec =
                hierarchy(file).map_err(|error| error.context(format!("--hierarchy of column `{}`", column.name)));
            column.hierarchy = Some(spec?);
        }
        for pair in &self.protect {
            let (column, values) = split(&mut columns, "--protect", pair)?;
            if column.role != Role::Sensitive {
                let name = &column.name;
                return Err(Error::invalid(format!("--protect: column `{name}` is not sensitive; name it there")));
            }
            column.protect.get_or_insert_default().extend(values.split(',').map(str::to_owned));
        }
        let mut declared = DeclaredTable {
            columns,
            suppressed: self.suppressed.clone(),
            may_be_absent: self.left_out.unwrap_or(0),
            ..DeclaredTable::default()
        };
        for text in &self.principles {
            let (id, args) = principle(text).map_err(|error| error.context(format!("--principle {text}")))?;
            let made = find(PRINCIPLES, "principle", &id)?.make(&args);
            let made = made.map_err(|error| error.context(format!("--principle {text}")))?;
            if made.needs_sensitive() && self.sensitive.is_empty() {
                return Err(Error::invalid(format!("principle `{id}` needs a sensitive column; add --sensitive")));
            }
            declared = declared.with_principle(id, args);
        }
        Ok(declared)
    }
}

/// Splits `COLUMN=REST` and finds the column.
fn split<'c, 't>(
    columns: &'c mut [PublishedColumn],
    option: &str,
    pair: &'t str,
) -> Result<(&'c mut PublishedColumn, &'t str)> {
    let Some((name, rest)) = pair.split_once('=') else {
        return Err(Error::invalid(format!("{option} {pair}: write it as COLUMN=...")));
    };
    let Some(at) = columns.iter().position(|column| column.name == name) else {
        let hint = did_you_mean(name, columns.iter().map(|column| column.name.as_str()));
        return Err(Error::invalid(format!(
            "{option}: column `{name}` is neither in --quasi nor in --sensitive{hint}"
        )));
    };
    Ok((&mut columns[at], rest))
}

/// The type called `word`.
pub fn kind(word: &str) -> Result<ColumnType> {
    KINDS.into_iter().find(|kind| kind.as_str() == word).ok_or_else(|| {
        let words = KINDS.map(ColumnType::as_str);
        Error::invalid(format!("no type `{word}`{}; choose one of {}", did_you_mean(word, words), words.join(", ")))
    })
}

/// A file, or what a job file would say in braces.
fn hierarchy(text: &str) -> Result<HierarchySpec> {
    if !text.starts_with('{') {
        return Ok(HierarchySpec::File(LabelFile::new(text)));
    }
    let table = toml::from_str::<toml::Table>(&format!("value = {text}"));
    let table = table.map_err(|error| Error::invalid(format!("cannot be read: {}", error.message().trim())))?;
    let value = serde_json::to_value(&table["value"]);
    HierarchySpec::from_value(value.map_err(|error| Error::invalid(format!("cannot be read: {error}")))?)
}

/// Reads `ID:NAME=VALUE,NAME=VALUE`; of a principle that takes text, commas belong to it unless a parameter follows.
fn principle(text: &str) -> Result<(String, registry::EntryArgs)> {
    let (id, parameters) = text.split_once(':').unwrap_or((text, ""));
    let params = PRINCIPLES.iter().find(|entry| entry.id == id).map_or(&[][..], |entry| entry.params);
    let takes_text = params.iter().any(|param| param.kind == ParamKind::Text);
    let begins = |piece: &str| {
        let name = piece.split_once('=').map(|(name, _)| name.trim());
        !takes_text || params.iter().any(|param| name == Some(param.name))
    };
    let mut pairs: Vec<String> = Vec::new();
    for piece in parameters.split(',').filter(|piece| !piece.is_empty()) {
        match pairs.last_mut() {
            Some(last) if !begins(piece) => *last = format!("{last},{piece}"),
            _ => pairs.push(piece.to_owned()),
        }
    }
    let args = pairs.iter().try_fold(registry::EntryArgs::new(), |args, pair| match pair.split_once('=') {
        Some((name, value)) => Ok(args.with(name.trim(), value.trim())),
        None => Err(Error::invalid(format!("`{pair}` is no parameter; write it as ID:NAME=VALUE,NAME=VALUE"))),
    })?;
    Ok((id.to_owned(), args))
}
