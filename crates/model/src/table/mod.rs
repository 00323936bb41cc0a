//! Tables: one row per person, columns coded to dense integers once.
//!
//! A [`Column`] holds a sorted [`ColumnDomain`] of distinct values and one narrow code per row; algorithms see only codes.
//! Reading files into tables is the business of the `pellucid-io` crate, which uses [`coder`].

mod alike;
pub mod coder;
mod distinct;
mod fault;
mod intern;
mod number;
pub mod reading;
mod recode;
mod released;
pub mod schema;
mod search;
mod text;

use std::fmt;

pub use alike::{sizes_alike, unique_rows};
pub use distinct::DistinctCodes;
pub use number::MAX_DIGITS;
pub use released::{ReleasedColumn, ReleasedColumns};
use serde::{Deserialize, Serialize};
pub use text::{TextColumn, TextTable};

use crate::error::{Error, ErrorKind, Result};
use crate::histogram::Histogram;
use crate::registry::did_you_mean;

/// What a column is to the publication; every column of a table has a declared role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Never published; presumed public, used to break ties.
    Identifier,
    /// Known to the adversary, published in groups.
    Quasi,
    /// What the adversary must not learn.
    Sensitive,
    /// Published as it is, beside the sensitive values; presumed unknown to the adversary and harmless.
    Keep,
    /// Left out.
    Drop,
}

impl Role {
    /// The word used in job files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Identifier => "identifier",
            Self::Quasi => "quasi",
            Self::Sensitive => "sensitive",
            Self::Keep => "keep",
            Self::Drop => "drop",
        }
    }
}

/// The type of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// Whole numbers of 64 bits.
    Integer,
    /// Decimal numbers, read exactly.
    Decimal,
    /// Days, `YYYY-MM-DD`.
    Date,
    /// Words.
    Category,
}

impl ColumnType {
    /// The word used in job files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Decimal => "decimal",
            Self::Date => "date",
            Self::Category => "category",
        }
    }
}

/// The distinct values of a column, ascending; a value's code is its index here.
///
/// When [`Column::missing`] is set, that code (always the last, `values.len()`) stands for a missing cell and has no
/// entry in the domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnDomain {
    /// Numeric order.
    Integer(Vec<i64>),
    /// Numeric order; each value is `unscaled / 10^scale`.
    Decimal {
        /// Digits after the decimal point.
        scale: u32,
        /// The values times `10^scale`.
        unscaled: Vec<i128>,
    },
    /// Days since 1970-01-01, in order of time.
    Date(Vec<i32>),
    /// Order of the UTF-8 bytes: public, and independent of the rows.
    Category(Vec<String>),
}

impl ColumnDomain {
    /// Number of distinct values, a missing value not counted.
    pub fn len(&self) -> usize {
        match self {
            Self::Integer(values) => values.len(),
            Self::Decimal { unscaled, .. } => unscaled.len(),
            Self::Date(values) => values.len(),
            Self::Category(values) => values.len(),
        }
    }

    /// Whether there is no value at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The type of the values.
    pub fn kind(&self) -> ColumnType {
        match self {
            Self::Integer(_) => ColumnType::Integer,
            Self::Decimal { .. } => ColumnType::Decimal,
            Self::Date(_) => ColumnType::Date,
            Self::Category(_) => ColumnType::Category,
        }
    }

    /// The value of `code` as published text.
    pub fn text(&self, code: u32) -> String {
        let at = code as usize;
        match self {
            Self::Integer(values) => values[at].to_string(),
            Self::Decimal { scale, unscaled } => format_decimal(unscaled[at], *scale),
            Self::Date(values) => format_date(values[at]),
            Self::Category(values) => values[at].clone(),
        }
    }

    /// Digits after the decimal point that [`ColumnDomain::position`] counts in.
    pub fn scale(&self) -> u32 {
        match self {
            Self::Decimal { scale, .. } => *scale,
            Self::Integer(_) | Self::Date(_) | Self::Category(_) => 0,
        }
    }

    /// The value of `code` on a number line: the number times `10^scale`, the day, or the rank of a category.
    pub fn position(&self, code: u32) -> i128 {
        let at = code as usize;
        match self {
            Self::Integer(values) => i128::from(values[at]),
            Self::Decimal { unscaled, .. } => unscaled[at],
            Self::Date(values) => i128::from(values[at]),
            Self::Category(_) => i128::from(code),
        }
    }
}

/// `unscaled / 10^scale` without trailing zeros.
pub fn format_decimal(unscaled: i128, scale: u32) -> String {
    let digits = unscaled.unsigned_abs().to_string();
    let scale = scale as usize;
    let padded = format!("{digits:0>width$}", width = scale + 1);
    let (whole, decimals) = padded.split_at(padded.len() - scale);
    let decimals = decimals.trim_end_matches('0');
    let sign = if unscaled < 0 { "-" } else { "" };
    if decimals.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{decimals}") }
}

/// Days since 1970-01-01 as `YYYY-MM-DD`.
pub fn format_date(days: i32) -> String {
    chrono::NaiveDate::from_epoch_days(days).map_or_else(|| format!("day {days}"), |date| date.to_string())
}

/// Codes of a column, as narrow as its domain allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnCodes {
    /// Up to 256 distinct values.
    U8(Vec<u8>),
    /// Up to 65,536 distinct values.
    U16(Vec<u16>),
    /// More.
    U32(Vec<u32>),
}

impl ColumnCodes {
    /// Codes below `bound`, stored as narrowly as `bound` allows.
    pub fn narrow(codes: Vec<u32>, bound: usize) -> Self {
        if bound <= 1 << 16 { Self::collect(codes.into_iter(), bound) } else { Self::U32(codes) }
    }

    /// Codes below `bound`, stored as narrowly as `bound` allows.
    pub fn collect(codes: impl Iterator<Item = u32>, bound: usize) -> Self {
        if bound <= 1 << 8 {
            Self::U8(codes.map(|code| code as u8).collect())
        } else if bound <= 1 << 16 {
            Self::U16(codes.map(|code| code as u16).collect())
        } else {
            Self::U32(codes.collect())
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(codes) => codes.len(),
            Self::U16(codes) => codes.len(),
            Self::U32(codes) => codes.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The code in `row`.
    #[inline]
    pub fn get(&self, row: usize) -> u32 {
        match self {
            Self::U8(codes) => u32::from(codes[row]),
            Self::U16(codes) => u32::from(codes[row]),
            Self::U32(codes) => codes[row],
        }
    }

    /// All codes in row order.
    pub fn iter(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match self {
            Self::U8(codes) => Box::new(codes.iter().map(|&code| u32::from(code))),
            Self::U16(codes) => Box::new(codes.iter().map(|&code| u32::from(code))),
            Self::U32(codes) => Box::new(codes.iter().copied()),
        }
    }
}

impl<'a> IntoIterator for &'a ColumnCodes {
    type Item = u32;
    type IntoIter = Box<dyn Iterator<Item = u32> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// How a missing cell is written in a release.
pub const MISSING: &str = "(missing)";

/// One column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    name: String,
    role: Role,
    domain: ColumnDomain,
    missing: bool,
    codes: ColumnCodes,
}

impl Column {
    /// A column whose codes lie below `domain.len()`, or `domain.len() + 1` when `missing` is set.
    pub fn new(
        name: impl Into<String>,
        role: Role,
        domain: ColumnDomain,
        missing: bool,
        codes: Vec<u32>,
    ) -> Result<Self> {
        let name = name.into();
        let bound = domain.len() + usize::from(missing);
        if codes.iter().any(|&code| code as usize >= bound) {
            return Err(Error::new(ErrorKind::Internal, format!("column `{name}` has a code outside its domain")));
        }
        Ok(Self { name, role, domain, missing, codes: ColumnCodes::narrow(codes, bound) })
    }

    /// The column's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The column's role.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The distinct values.
    pub fn domain(&self) -> &ColumnDomain {
        &self.domain
    }

    /// The code that stands for a missing cell, when there are such cells.
    pub fn missing(&self) -> Option<u32> {
        self.missing.then(|| self.domain.len() as u32)
    }

    /// Number of codes: distinct values, and one more when cells are missing.
    pub fn cardinality(&self) -> usize {
        self.domain.len() + usize::from(self.missing)
    }

    /// The codes in row order.
    pub fn codes(&self) -> &ColumnCodes {
        &self.codes
    }

    /// The code in `row`.
    #[inline]
    pub fn code(&self, row: usize) -> u32 {
        self.codes.get(row)
    }

    /// How often each code occurs.
    pub fn histogram(&self) -> Histogram {
        fn count<T: Copy + Into<u32> + Sync>(codes: &[T], cardinality: usize) -> Vec<u64> {
            let mut counts = vec![0; cardinality];
            for &code in codes {
                counts[code.into() as usize] += 1;
            }
            counts
        }
        Histogram::from_counts(match &self.codes {
            ColumnCodes::U8(codes) => count(codes, self.cardinality()),
            ColumnCodes::U16(codes) => count(codes, self.cardinality()),
            ColumnCodes::U32(codes) => count(codes, self.cardinality()),
        })
    }

    /// The value of `code` as published text; a missing cell is [`MISSING`].
    pub fn text(&self, code: u32) -> String {
        if self.missing() == Some(code) { MISSING.to_owned() } else { self.domain.text(code) }
    }
}

/// A table: columns of equal length, names unique.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    columns: Vec<Column>,
    rows: usize,
}

impl Table {
    /// A table of `columns`, which must have the same number of rows and distinct names.
    pub fn new(columns: Vec<Column>) -> Result<Self> {
        let rows = columns.first().map_or(0, |column| column.codes.len());
        for (at, column) in columns.iter().enumerate() {
            if column.codes.len() != rows {
                return Err(Error::bad_input(format!(
                    "column `{}` has another number of rows than the first",
                    column.name
                )));
            }
            if columns[..at].iter().any(|other| other.name == column.name) {
                return Err(Error::bad_input(format!("two columns are named `{}`; rename one", column.name)));
            }
        }
        Ok(Self { columns, rows })
    }

    /// The same table with one more column.
    pub fn with_column(mut self, column: Column) -> Result<Self> {
        self.columns.push(column);
        Self::new(self.columns)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// All columns, in the order of the file.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The columns of `role`, in the order of the file.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(move |column| column.role == role)
    }

    /// The column called `name`.
    pub fn column(&self, name: &str) -> Result<&Column> {
        self.columns.iter().find(|column| column.name == name).ok_or_else(|| {
            let hint = did_you_mean(name, self.columns.iter().map(|column| column.name.as_str()));
            Error::new(ErrorKind::UnknownColumn, format!("no column `{name}`{hint}"))
        })
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_written_without_trailing_zeros() {
        assert_eq!(format_decimal(1250, 2), "12.5");
        assert_eq!(format_decimal(-5, 2), "-0.05");
        assert_eq!(format_decimal(300, 2), "3");
        assert_eq!(format_decimal(7, 0), "7");
    }

    #[test]
    fn codes_are_as_narrow_as_the_domain() {
        assert!(matches!(ColumnCodes::narrow(vec![0, 255], 256), ColumnCodes::U8(_)));
        assert!(matches!(ColumnCodes::narrow(vec![0, 256], 257), ColumnCodes::U16(_)));
        assert_eq!(ColumnCodes::narrow(vec![0, 256], 257).get(1), 256);
    }
}
