//! Who is selected.
//!
//! A condition on one cell is decided once for every code of its column. Conditions on the same column are joined code by code;
//! only where columns meet are rows looked at.

use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::registry::did_you_mean;
use pellucid_model::table::coder::CellFault;
use pellucid_model::table::{Column, ColumnType, Role, Table};

use super::{ComparisonOperator, RowSelection};

/// A truth value of three: conjunction is the minimum, disjunction the maximum, negation the distance from [`TRUE`].
type Truth = u8;
const FALSE: Truth = 0;
const UNKNOWN: Truth = 1;
const TRUE: Truth = 2;

/// Truth values of a condition.
enum Truths<'a> {
    /// The same for everybody.
    Constant(Truth),
    /// One answer per code: the condition looks at this column alone.
    Codes(&'a Column, Vec<Truth>),
    /// One answer per row: the condition looks at several columns.
    Rows(Vec<Truth>),
}

impl RowSelection {
    /// Who is selected: the rows for which the condition is true, ascending.
    ///
    /// # Errors
    /// When a column is not in the table or not quasi, or a value is not of its column's type. A selection of nobody is no
    /// error.
    ///
    /// # Cost
    /// For each condition the codes of its column, and the rows once for each place where conditions on different columns meet.
    pub fn members(&self, table: &Table) -> Result<Vec<u32>> {
        let rows = 0..table.rows() as u32;
        Ok(match self.truths(table)? {
            Truths::Constant(TRUE) => rows.collect(),
            Truths::Constant(_) => Vec::new(),
            Truths::Codes(column, truths) => rows
                .zip(column.codes())
                .filter(|&(_, code)| truths[code as usize] == TRUE)
                .map(|(row, _)| row)
                .collect(),
            Truths::Rows(truths) => rows.zip(truths).filter(|&(_, truth)| truth == TRUE).map(|(row, _)| row).collect(),
        })
    }

    /// Whether [`RowSelection::members`] would fail, without looking at rows.
    pub fn check(&self, table: &Table) -> Result<()> {
        let mut fault = Ok(());
        self.each_leaf(&mut |leaf| {
            if fault.is_ok() {
                fault = leaf.truths(table).map(|_| ());
            }
        });
        fault
    }

    fn truths<'a>(&self, table: &'a Table) -> Result<Truths<'a>> {
        Ok(match self {
            Self::All => Truths::Constant(TRUE),
            Self::Not(inner) => match inner.truths(table)? {
                Truths::Constant(truth) => Truths::Constant(TRUE - truth),
                Truths::Codes(column, truths) => Truths::Codes(column, negated(truths)),
                Truths::Rows(truths) => Truths::Rows(negated(truths)),
            },
            Self::And(parts) => joined(parts, table, TRUE, Truth::min)?,
            Self::Or(parts) => joined(parts, table, FALSE, Truth::max)?,
            Self::Compare { column, comparison, value } => {
                let column = quasi(table, column)?;
                let bound = Bound::new(column, value)?;
                match comparison {
                    ComparisonOperator::Equal => by_code(column, |code| bound.is(code)),
                    ComparisonOperator::Unequal => by_code(column, |code| !bound.is(code)),
                    _ => {
                        ordered(column)?;
                        match comparison {
                            ComparisonOperator::Less => by_code(column, |code| code < bound.start),
                            ComparisonOperator::AtMost => by_code(column, |code| code < bound.end),
                            ComparisonOperator::Greater => by_code(column, |code| code >= bound.end),
                            _ => by_code(column, |code| code >= bound.start),
                        }
                    }
                }
            }
            Self::Between { column, from, to } => {
                let column = quasi(table, column)?;
                ordered(column)?;
                let (from, to) = (Bound::new(column, from)?, Bound::new(column, to)?);
                by_code(column, |code| code >= from.start && code < to.end)
            }
            Self::In { column, values } => {
                let column = quasi(table, column)?;
                if values.is_empty() {
                    return Err(Error::invalid(format!(
                        "`in` lists no value for column `{}`; list at least one",
                        column.name()
                    )));
                }
                let mut listed = vec![false; column.cardinality()];
                for value in values {
                    let bound = Bound::new(column, value)?;
                    (bound.start..bound.end).for_each(|code| listed[code as usize] = true);
                }
                by_code(column, |code| listed[code as usize])
            }
            Self::Missing { column } => {
                let column = quasi(table, column)?;
                let missing = column.missing();
                let truth = |code| if Some(code) == missing { TRUE } else { FALSE };
                Truths::Codes(column, (0..column.cardinality() as u32).map(truth).collect())
            }
        })
    }
}

/// A value among the codes of a column: `start` is the first code that is not less, `end` the first that is greater.
struct Bound {
    start: u32,
    end: u32,
}

impl Bound {
    fn new(column: &Column, text: &str) -> Result<Self> {
        match column.domain().search(text) {
            Ok(Ok(code)) => Ok(Self { start: code, end: code + 1 }),
            Ok(Err(code)) => Ok(Self { start: code, end: code }),
            Err(fault) => Err(other_type(column, fault)),
        }
    }

    fn is(&self, code: u32) -> bool {
        self.start == code && self.end > code
    }
}

/// What `holds` of every code; unknown of a missing cell.
fn by_code(column: &Column, holds: impl Fn(u32) -> bool) -> Truths<'_> {
    let truth = |code| if holds(code) { TRUE } else { FALSE };
    let mut truths: Vec<Truth> = (0..column.domain().len() as u32).map(truth).collect();
    truths.extend(column.missing().map(|_| UNKNOWN));
    Truths::Codes(column, truths)
}

fn negated(mut truths: Vec<Truth>) -> Vec<Truth> {
    truths.iter_mut().for_each(|truth| *truth = TRUE - *truth);
    truths
}

/// The truth values of all `parts` joined by `join`, for which `neutral` changes nothing.
fn joined<'a>(
    parts: &[RowSelection],
    table: &'a Table,
    neutral: Truth,
    join: fn(Truth, Truth) -> Truth,
) -> Result<Truths<'a>> {
    let mut constant = neutral;
    let mut columns: Vec<(&Column, Vec<Truth>)> = Vec::new();
    let mut rows: Option<Vec<Truth>> = None;
    for part in parts {
        match part.truths(table)? {
            Truths::Constant(truth) => constant = join(constant, truth),
            Truths::Codes(column, more) => match columns.iter_mut().find(|(known, _)| std::ptr::eq(*known, column)) {
                Some((_, truths)) => join_all(truths, more, join),
                None => columns.push((column, more)),
            },
            Truths::Rows(more) => match &mut rows {
                Some(truths) => join_all(truths, more, join),
                None => rows = Some(more),
            },
        }
    }
    if let (None, [_]) = (&rows, columns.as_slice())
        && let Some((column, mut truths)) = columns.pop()
    {
        truths.iter_mut().for_each(|truth| *truth = join(*truth, constant));
        return Ok(Truths::Codes(column, truths));
    }
    if rows.is_none() && columns.is_empty() {
        return Ok(Truths::Constant(constant));
    }
    let mut truths = rows.unwrap_or_else(|| vec![neutral; table.rows()]);
    truths.iter_mut().for_each(|truth| *truth = join(*truth, constant));
    for (column, by_code) in columns {
        for (truth, code) in truths.iter_mut().zip(column.codes()) {
            *truth = join(*truth, by_code[code as usize]);
        }
    }
    Ok(Truths::Rows(truths))
}

fn join_all(truths: &mut [Truth], more: Vec<Truth>, join: fn(Truth, Truth) -> Truth) {
    for (truth, other) in truths.iter_mut().zip(more) {
        *truth = join(*truth, other);
    }
}

/// The quasi column called `name`.
fn quasi<'a>(table: &'a Table, name: &str) -> Result<&'a Column> {
    let columns = || table.with_role(Role::Quasi).map(Column::name);
    let remedy = || match columns().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "give a column the role `quasi`".to_owned(),
        names => format!("select on {names}"),
    };
    let Some(column) = table.columns().iter().find(|column| column.name() == name) else {
        let hint = did_you_mean(name, columns());
        return Err(Error::new(ErrorKind::UnknownColumn, format!("no column `{name}`{hint}; {}", remedy())));
    };
    let why = match column.role() {
        Role::Quasi => return Ok(column),
        Role::Sensitive => format!("selecting on `{name}` would tell it"),
        Role::Identifier => format!("selecting on `{name}`, an identifier, would single people out"),
        role => format!("column `{name}` has role `{role}`"),
    };
    Err(Error::invalid(format!("a view selects on quasi columns only; {why}; {}", remedy())))
}

/// Refuses a column whose values have no order that people know.
fn ordered(column: &Column) -> Result<()> {
    if column.domain().kind() != ColumnType::Category {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "column `{}` is of type category, whose values are not compared by order; use `=`, `<>` or `in`, or give it a `type` \
         with an order",
        column.name()
    )))
}

/// That a value is not of its column's type; the value is left out, for somebody may have it.
fn other_type(column: &Column, fault: CellFault) -> Error {
    let kind = column.domain().kind();
    let remedy = match fault {
        CellFault::NoSuchDay => "write a day of the calendar",
        CellFault::IntegerRange => "write a whole number of 64 bits",
        CellFault::DecimalRange => "write a number of fewer digits",
        _ => match kind {
            ColumnType::Integer => "write a whole number such as 42",
            ColumnType::Decimal => "write a decimal number such as 12.5",
            ColumnType::Date => "write a date as 'YYYY-MM-DD'",
            ColumnType::Category => "write it as text in single quotes",
        },
    };
    Error::invalid(format!(
        "column `{}` is of type {kind}, and a value that it is compared with is not; {remedy}",
        column.name()
    ))
}
