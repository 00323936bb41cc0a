//! Codes one column cell by cell.
//!
//! While cells arrive, each distinct value gets a provisional code by first sight; [`ColumnCoder::finish`] sorts the domain and
//! renumbers the codes. The domain of the column is therefore a function of the set of its cells, whatever the order of
//! the rows. A coder knows its column and the number of the row; the caller adds file and line to a [`CellFault`].

mod bulk;

use self::bulk::RecentCells;
use super::fault::fault_of;
use super::intern::{TextInterner, ValueInterner};
use super::number::{MAX_DIGITS, normalize_decimal, parse_date, parse_decimal, parse_integer, rescale};
use super::schema::{ColumnSpec, OnMissing, TableSchema};
use super::{Column, ColumnCodes, ColumnDomain, ColumnType, MISSING, Role, format_date, format_decimal};
use crate::error::{Error, ErrorKind, Result};

pub use super::fault::CellFault;

enum Values {
    Integer(ValueInterner<i64>),
    Decimal(ValueInterner<(i128, u32)>),
    Date(ValueInterner<i32>),
    Category(TextInterner),
}

/// How many cells of a sort were met, and in which row the first.
#[derive(Default)]
struct Tally {
    cells: usize,
    first_row: usize,
}

impl Tally {
    fn add(&mut self, row: usize) {
        if self.cells == 0 {
            self.first_row = row;
        }
        self.cells += 1;
    }

    fn error(&self, column: &str, what: &str, remedy: &str) -> Error {
        let cells = if self.cells == 1 { "cell" } else { "cells" };
        Error::bad_input(format!(
            "column `{column}` has {} {what} {cells} (first at row {}); {remedy}",
            self.cells, self.first_row
        ))
    }
}

/// Codes one column.
pub struct ColumnCoder {
    name: String,
    role: Role,
    values: Values,
    codes: ColumnCodes,
    /// Kept while cells come in bulk.
    recent: Option<Box<RecentCells>>,
    spellings: Vec<String>,
    on_missing: Option<OnMissing>,
    empty_is_text: bool,
    /// The provisional code of a missing cell: the number of values known when the first was met. Later values are one
    /// up, so that codes stay dense and as narrow as in the finished column.
    missing_code: Option<u32>,
    missing: Tally,
    empty: Tally,
}

impl ColumnCoder {
    /// A coder for `column` of `schema`, whose cells are of `kind`.
    pub fn new(schema: &TableSchema, column: &ColumnSpec, kind: ColumnType) -> Self {
        let values = match kind {
            ColumnType::Integer => Values::Integer(ValueInterner::new()),
            ColumnType::Decimal => Values::Decimal(ValueInterner::new()),
            ColumnType::Date => Values::Date(ValueInterner::new()),
            ColumnType::Category => Values::Category(TextInterner::new()),
        };
        Self {
            name: column.name.clone(),
            role: column.role,
            values,
            codes: ColumnCodes::U8(Vec::new()),
            recent: None,
            spellings: schema.spellings(column).to_vec(),
            on_missing: column.on_missing.or(schema.on_missing),
            empty_is_text: false,
            missing_code: None,
            missing: Tally::default(),
            empty: Tally::default(),
        }
    }

    /// A coder that takes every cell as the text it is, the empty one too.
    pub fn verbatim(name: impl Into<String>) -> Self {
        let column = ColumnSpec::new(name, Role::Keep);
        Self { empty_is_text: true, ..Self::new(&TableSchema::default(), &column, ColumnType::Category) }
    }

    /// The column's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of cells so far.
    pub fn rows(&self) -> usize {
        self.codes.len()
    }

    /// A cell of text, not yet known to be UTF-8.
    #[inline]
    pub fn push_bytes(&mut self, cell: &[u8]) -> Result<(), CellFault> {
        if self.spellings.iter().any(|spelling| spelling.as_bytes() == cell) {
            self.push_missing();
            return Ok(());
        }
        if cell.is_empty() && !self.empty_is_text {
            self.empty.add(self.codes.len() + 1);
            self.push_missing_code();
            return Ok(());
        }
        let index = match &mut self.values {
            Values::Category(known) => match known.find(cell) {
                Some(index) => Some(index),
                None => known.add(std::str::from_utf8(cell).map_err(|_| CellFault::NotUtf8)?),
            },
            Values::Integer(known) => {
                let value = parse_integer(cell)
                    .map_err(|why| fault_of(cell, why, CellFault::NotInteger, CellFault::IntegerRange))?;
                known.find_or_add(value)
            }
            Values::Decimal(known) => {
                let value = parse_decimal(cell)
                    .map_err(|why| fault_of(cell, why, CellFault::NotDecimal, CellFault::DecimalRange))?;
                known.find_or_add(value)
            }
            Values::Date(known) => {
                let value =
                    parse_date(cell).map_err(|why| fault_of(cell, why, CellFault::NotDate, CellFault::NoSuchDay))?;
                known.find_or_add(value)
            }
        };
        self.push_index(index)
    }

    /// Takes the next cell as it is written in a file; spellings of a missing cell are recognised here.
    #[inline]
    pub fn push_text(&mut self, cell: &str) -> Result<(), CellFault> {
        self.push_bytes(cell.as_bytes())
    }

    /// A cell that is a whole number in the file's own types.
    pub fn push_integer(&mut self, value: i64) -> Result<(), CellFault> {
        match &mut self.values {
            Values::Integer(known) => {
                let index = match known.find(value) {
                    Some(index) => Some(index),
                    None if is_spelled(&self.spellings, || value.to_string()) => {
                        self.push_missing();
                        return Ok(());
                    }
                    None => known.add(value),
                };
                self.push_index(index)
            }
            Values::Decimal(_) => self.push_decimal(i128::from(value), 0),
            Values::Date(_) => Err(CellFault::NotDate),
            Values::Category(_) => self.push_text(&value.to_string()),
        }
    }

    /// A cell that is `unscaled / 10^scale` in the file's own types.
    pub fn push_decimal(&mut self, unscaled: i128, scale: i32) -> Result<(), CellFault> {
        let (unscaled, scale) = normalize_decimal(unscaled, scale).ok_or(CellFault::DecimalRange)?;
        match &mut self.values {
            Values::Integer(_) if scale > 0 => Err(CellFault::NotInteger),
            Values::Integer(_) => self.push_integer(i64::try_from(unscaled).map_err(|_| CellFault::IntegerRange)?),
            Values::Decimal(known) => {
                let index = match known.find((unscaled, scale)) {
                    Some(index) => Some(index),
                    None if is_spelled(&self.spellings, || format_decimal(unscaled, scale)) => {
                        self.push_missing();
                        return Ok(());
                    }
                    None => known.add((unscaled, scale)),
                };
                self.push_index(index)
            }
            Values::Date(_) => Err(CellFault::NotDate),
            Values::Category(_) => self.push_text(&format_decimal(unscaled, scale)),
        }
    }

    /// A cell that is a day, counted from 1970-01-01, in the file's own types.
    pub fn push_days(&mut self, days: i32) -> Result<(), CellFault> {
        match &mut self.values {
            Values::Integer(_) => Err(CellFault::NotInteger),
            Values::Decimal(_) => Err(CellFault::NotDecimal),
            Values::Date(known) => {
                let index = match known.find(days) {
                    Some(index) => Some(index),
                    None if is_spelled(&self.spellings, || format_date(days)) => {
                        self.push_missing();
                        return Ok(());
                    }
                    None => known.add(days),
                };
                self.push_index(index)
            }
            Values::Category(_) => self.push_text(&format_date(days)),
        }
    }

    /// A missing cell.
    pub fn push_missing(&mut self) {
        self.missing.add(self.codes.len() + 1);
        self.push_missing_code();
    }

    fn push_missing_code(&mut self) {
        let code = match self.missing_code {
            Some(code) => code,
            None => *self.missing_code.insert(self.known()),
        };
        push_code(&mut self.codes, code);
    }

    #[inline]
    fn push_index(&mut self, index: Option<u32>) -> Result<(), CellFault> {
        let index = index.ok_or(CellFault::TooManyValues)?;
        let shift = self.missing_code.is_some_and(|missing| index >= missing);
        push_code(&mut self.codes, index + u32::from(shift));
        Ok(())
    }

    fn known(&self) -> u32 {
        let known = match &self.values {
            Values::Integer(known) => known.values().len(),
            Values::Decimal(known) => known.values().len(),
            Values::Date(known) => known.values().len(),
            Values::Category(known) => known.len(),
        };
        known as u32
    }

    /// The column, its domain sorted.
    ///
    /// # Errors
    /// When there are missing cells that were not declared to be a category of their own, undeclared empty cells, or
    /// decimal numbers that have no common scale.
    pub fn finish(self) -> Result<Column> {
        self.check_missing()?;
        let Self { name, role, values, mut codes, missing_code, .. } = self;
        let (domain, mut ranks) = match values {
            Values::Integer(known) => {
                let (values, ranks) = known.into_sorted();
                (ColumnDomain::Integer(values), ranks)
            }
            Values::Date(known) => {
                let (values, ranks) = known.into_sorted();
                (ColumnDomain::Date(values), ranks)
            }
            Values::Category(known) => {
                let (values, ranks) = known.into_sorted();
                (ColumnDomain::Category(values), ranks)
            }
            Values::Decimal(known) => {
                let (scale, known) = at_common_scale(&name, &known)?;
                let (unscaled, ranks) = known.into_sorted();
                (ColumnDomain::Decimal { scale, unscaled }, ranks)
            }
        };
        if let (Some(_), ColumnDomain::Category(values)) = (missing_code, &domain)
            && values.binary_search_by(|value| value.as_str().cmp(MISSING)).is_ok()
        {
            return Err(Error::bad_input(format!(
                "column `{name}` has missing cells and cells with the word that releases use for them; add \
                 \"{MISSING}\" to `missing`"
            )));
        }
        if let Some(code) = missing_code {
            ranks.insert(code as usize, domain.len() as u32);
        }
        renumber(&mut codes, &ranks);
        Ok(Column { name, role, domain, missing: missing_code.is_some(), codes })
    }

    fn check_missing(&self) -> Result<()> {
        if self.missing.cells > 0 && self.on_missing != Some(OnMissing::Category) {
            let remedy = "set `on_missing = \"category\"` or clean the file";
            return Err(self.missing.error(&self.name, "missing", remedy));
        }
        if self.empty.cells > 0 {
            let remedy = "declare `missing = [\"\"]` with `on_missing = \"category\"`, or clean the file";
            return Err(self.empty.error(&self.name, "empty", remedy));
        }
        Ok(())
    }
}

fn is_spelled(spellings: &[String], text: impl FnOnce() -> String) -> bool {
    !spellings.is_empty() && spellings.contains(&text())
}

/// The values as integers times one power of ten, in the same order.
fn at_common_scale(name: &str, known: &ValueInterner<(i128, u32)>) -> Result<(u32, ValueInterner<i128>)> {
    let scale = known.values().iter().map(|&(_, scale)| scale).max().unwrap_or(0);
    let mut scaled = ValueInterner::new();
    for &(unscaled, own) in known.values() {
        rescale(unscaled, scale - own).and_then(|value| scaled.add(value)).ok_or_else(|| {
            Error::new(
                ErrorKind::LimitExceeded,
                format!(
                    "column `{name}` needs more than {MAX_DIGITS} digits to hold its largest number with {scale} digits \
                     after the point; round it or set `kind = \"category\"`"
                ),
            )
        })?;
    }
    Ok((scale, scaled))
}

/// Appends `code`, widening the codes first when they are too narrow for it.
#[inline]
fn push_code(codes: &mut ColumnCodes, code: u32) {
    match codes {
        ColumnCodes::U8(narrow) if u8::try_from(code).is_ok() => narrow.push(code as u8),
        ColumnCodes::U16(narrow) if u16::try_from(code).is_ok() => narrow.push(code as u16),
        ColumnCodes::U32(wide) => wide.push(code),
        _ => push_wider(codes, code),
    }
}

#[cold]
fn push_wider(codes: &mut ColumnCodes, code: u32) {
    while let Some(wider) = widen(codes, code) {
        *codes = wider;
    }
    push_code(codes, code);
}

/// The codes one width up when they are too narrow for `code`.
fn widen(codes: &ColumnCodes, code: u32) -> Option<ColumnCodes> {
    match codes {
        ColumnCodes::U8(narrow) if code > u32::from(u8::MAX) => {
            Some(ColumnCodes::U16(narrow.iter().map(|&code| u16::from(code)).collect()))
        }
        ColumnCodes::U16(narrow) if code > u32::from(u16::MAX) => {
            Some(ColumnCodes::U32(narrow.iter().map(|&code| u32::from(code)).collect()))
        }
        _ => None,
    }
}

/// Replaces each code by its rank and gives back what was reserved for more rows.
fn renumber(codes: &mut ColumnCodes, ranks: &[u32]) {
    macro_rules! replace {
        ($codes:expr, $code:ty) => {{
            for code in $codes.iter_mut() {
                *code = ranks[*code as usize] as $code;
            }
            $codes.shrink_to_fit();
        }};
    }
    match codes {
        ColumnCodes::U8(codes) => replace!(codes, u8),
        ColumnCodes::U16(codes) => replace!(codes, u16),
        ColumnCodes::U32(codes) => replace!(codes, u32),
    }
}

#[cfg(test)]
#[path = "coder_tests.rs"]
mod tests;
