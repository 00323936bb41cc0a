//! Selections: whom a view shows, said by a condition on quasi columns.
//!
//! A [`RowSelection`] is a boolean expression that knows no table. Its literals are text; [`RowSelection::members`] binds them to the
//! types of a table's columns and says who is selected.
//!
//! - `evaluate.rs`: who is selected, column by column, in the three-valued logic of SQL;
//! - `write.rs`: the same as the where-clause of SQL;
//! - `ranges.rs`: selections as data, for job files and calls.

mod evaluate;
mod ranges;
#[cfg(test)]
mod tests;
mod write;

use std::collections::BTreeSet;
use std::ops::Not;

pub use ranges::{WantedRange, WantedRanges};
pub use write::sql_name;

/// How a cell is compared with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparisonOperator {
    /// `=`
    Equal,
    /// `<>`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl ComparisonOperator {
    /// The sign in SQL.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::Unequal => "<>",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
        }
    }

    /// The comparison that says the same with both sides exchanged.
    #[must_use]
    pub fn turned(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::AtMost => Self::AtLeast,
            Self::Greater => Self::Less,
            Self::AtLeast => Self::AtMost,
            same => same,
        }
    }
}

/// A condition on quasi columns; values are text until they are bound to a table.
///
/// A comparison with a missing cell is neither true nor false, and neither is its negation: only people for whom the condition
/// is true are selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowSelection {
    /// Everybody.
    All,
    /// A cell compared with a value.
    Compare {
        /// The column's name, exactly.
        column: String,
        /// How.
        comparison: ComparisonOperator,
        /// As written; read as the column's type when it is bound to a table.
        value: String,
    },
    /// A cell that lies between two values, both included.
    Between {
        /// The column's name, exactly.
        column: String,
        /// The least value.
        from: String,
        /// The greatest value.
        to: String,
    },
    /// A cell that is one of some values.
    In {
        /// The column's name, exactly.
        column: String,
        /// The values, at least one.
        values: Vec<String>,
    },
    /// A missing cell: `is null`.
    Missing {
        /// The column's name, exactly.
        column: String,
    },
    /// The negation.
    Not(Box<Self>),
    /// All of these; everybody when there are none.
    And(Vec<Self>),
    /// At least one of these; nobody when there are none.
    Or(Vec<Self>),
}

impl RowSelection {
    /// People whose cell in `column` compares with `value` like this.
    pub fn compare(column: impl Into<String>, comparison: ComparisonOperator, value: impl Into<String>) -> Self {
        Self::Compare { column: column.into(), comparison, value: value.into() }
    }

    /// People whose cell in `column` lies between `from` and `to`, both included.
    pub fn between(column: impl Into<String>, from: impl Into<String>, to: impl Into<String>) -> Self {
        Self::Between { column: column.into(), from: from.into(), to: to.into() }
    }

    /// People whose cell in `column` is one of `values`, of which there must be one.
    pub fn one_of<S: Into<String>>(column: impl Into<String>, values: impl IntoIterator<Item = S>) -> Self {
        Self::In { column: column.into(), values: values.into_iter().map(Into::into).collect() }
    }

    /// People whose cell in `column` is missing.
    pub fn missing(column: impl Into<String>) -> Self {
        Self::Missing { column: column.into() }
    }

    /// People who are selected by both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, only) | (only, Self::All) => only,
            (Self::And(mut all), Self::And(more)) => {
                all.extend(more);
                Self::And(all)
            }
            (Self::And(mut all), one) => {
                all.push(one);
                Self::And(all)
            }
            (one, Self::And(mut all)) => {
                all.insert(0, one);
                Self::And(all)
            }
            (one, other) => Self::And(vec![one, other]),
        }
    }

    /// People who are selected by at least one of both.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Or(mut all), Self::Or(more)) => {
                all.extend(more);
                Self::Or(all)
            }
            (Self::Or(mut all), one) => {
                all.push(one);
                Self::Or(all)
            }
            (one, Self::Or(mut all)) => {
                all.insert(0, one);
                Self::Or(all)
            }
            (one, other) => Self::Or(vec![one, other]),
        }
    }

    /// The columns that are looked at, by name.
    pub fn columns(&self) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        self.each_leaf(&mut |leaf| {
            names.extend(leaf.column());
        });
        names
    }

    /// The column of a condition on one cell.
    fn column(&self) -> Option<&str> {
        match self {
            Self::Compare { column, .. }
            | Self::Between { column, .. }
            | Self::In { column, .. }
            | Self::Missing { column } => Some(column),
            Self::All | Self::Not(_) | Self::And(_) | Self::Or(_) => None,
        }
    }

    /// Calls `look` with every condition on one cell, in the order of writing.
    fn each_leaf<'a>(&'a self, look: &mut impl FnMut(&'a Self)) {
        match self {
            Self::All => {}
            Self::Not(inner) => inner.each_leaf(look),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.each_leaf(look)),
            leaf => look(leaf),
        }
    }
}

impl Not for RowSelection {
    type Output = Self;

    /// People for whom the condition is false; whoever has a missing cell may be selected by neither.
    fn not(self) -> Self {
        Self::Not(Box::new(self))
    }
}
