//! Holds a sentence against the columns of a table, and evaluates it on rows.
//!
//! Types decide what a value means: whole and decimal numbers are compared exactly, dates by day, words only for being
//! equal. What a sentence says of a column is worked out once for each code, so that a row costs a look-up per statement.

use std::cmp::Ordering;

use super::{LogicSentence, ValueComparison};
use crate::error::{Error, ErrorKind, Result};
use crate::registry::did_you_mean;
use crate::table::{Column, ColumnType, Role, Table};
use crate::words::absent_values;

/// A sentence bound to the columns of a table.
#[derive(Debug)]
pub struct BoundSentence<'t>(Node<'t>);

#[derive(Debug)]
enum Node<'t> {
    /// By code of the column, whether the statement holds.
    Atom(&'t Column, Vec<bool>),
    Not(Box<Node<'t>>),
    All(Vec<Node<'t>>),
    Any(Vec<Node<'t>>),
}

impl BoundSentence<'_> {
    /// Whether the sentence holds for `row`.
    pub fn holds(&self, row: usize) -> bool {
        self.0.holds(row)
    }
}

impl Node<'_> {
    fn holds(&self, row: usize) -> bool {
        match self {
            Self::Atom(column, flags) => flags[column.code(row) as usize],
            Self::Not(inner) => !inner.holds(row),
            Self::All(parts) => parts.iter().all(|part| part.holds(row)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(row)),
        }
    }
}

impl LogicSentence {
    /// Binds the sentence to the sensitive columns of `table`.
    ///
    /// # Errors
    /// When a column is unknown or not sensitive, a value is not of its column's type, words are compared by order, or a
    /// value that is asked to be equal does not occur: a misspelt value would go unprotected.
    pub fn bind<'t>(&self, table: &'t Table) -> Result<BoundSentence<'t>> {
        self.node(table).map(BoundSentence)
    }

    fn node<'t>(&self, table: &'t Table) -> Result<Node<'t>> {
        let several = |parts: &[Self]| parts.iter().map(|part| part.node(table)).collect::<Result<Vec<_>>>();
        Ok(match self {
            Self::Atom { column, says } => {
                let column = sensitive(table, column)?;
                Node::Atom(column, says.flags(column)?)
            }
            Self::Not(inner) => Node::Not(Box::new(inner.node(table)?)),
            Self::All(parts) => Node::All(several(parts)?),
            Self::Any(parts) => Node::Any(several(parts)?),
        })
    }

    /// Fails when a column that the sentence names has another role than sensitive; `role` gives the role of a column,
    /// `known` names all.
    pub fn check_roles<'a>(
        &self,
        role: impl Fn(&str) -> Option<Role>,
        known: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<()> {
        self.columns().into_iter().try_for_each(|name| match role(name) {
            Some(Role::Sensitive) => Ok(()),
            Some(other) => Err(Error::invalid(format!(
                "column `{name}` has role `{other}`, and sentences speak of sensitive columns; give it role `sensitive` or \
                 leave it out of the sentence"
            ))),
            None => {
                let hint = did_you_mean(name, known.clone());
                let message = format!("no column `{name}`{hint}; name a column with role `sensitive`");
                Err(Error::new(ErrorKind::UnknownColumn, message))
            }
        })
    }
}

fn sensitive<'t>(table: &'t Table, name: &str) -> Result<&'t Column> {
    let find = |name: &str| table.columns().iter().find(|column| column.name() == name);
    let says = ValueComparison::Missing;
    let atom = LogicSentence::Atom { column: name.to_owned(), says };
    atom.check_roles(|name| find(name).map(Column::role), table.columns().iter().map(Column::name))?;
    table.column(name)
}

impl ValueComparison {
    /// By code of `column`, whether the statement holds; never for a missing cell, but for `is missing`.
    fn flags(&self, column: &Column) -> Result<Vec<bool>> {
        let values = column.domain().len();
        let place = Places { column };
        let from = |range: std::ops::Range<usize>| {
            let mut flags = vec![false; values];
            flags[range].fill(true);
            flags
        };
        let among = |listed: &[String], wanted: bool| -> Result<Vec<bool>> {
            let mut flags = vec![!wanted; values];
            for code in place.occurring(listed)? {
                flags[code] = wanted;
            }
            Ok(flags)
        };
        let mut flags = match self {
            Self::Equal(value) => among(std::slice::from_ref(value), true)?,
            Self::Different(value) => among(std::slice::from_ref(value), false)?,
            Self::In(listed) => among(listed, true)?,
            Self::NotIn(listed) => among(listed, false)?,
            Self::Less(value) => from(0..place.first_at_least(value)?),
            Self::AtMost(value) => from(0..place.first_above(value)?),
            Self::Greater(value) => from(place.first_above(value)?..values),
            Self::AtLeast(value) => from(place.first_at_least(value)?..values),
            Self::Between(low, high) => {
                let range = place.first_at_least(low)?..place.first_above(high)?;
                if column.domain().compare(low, high).is_ok_and(Ordering::is_gt) {
                    return Err(Error::invalid(format!(
                        "nothing lies between `{low}` and `{high}`, which is below it; exchange the two"
                    )));
                }
                from(range)
            }
            Self::Missing => vec![false; values],
            Self::Present => vec![true; values],
        };
        flags.extend(column.missing().map(|_| *self == Self::Missing));
        Ok(flags)
    }
}

/// Where written values lie among those of a column.
struct Places<'a> {
    column: &'a Column,
}

impl Places<'_> {
    fn search(&self, value: &str) -> Result<Result<usize, usize>> {
        let found = self.column.domain().search(value).map_err(|_| {
            let (name, kind) = (self.column.name(), self.column.domain().kind());
            let form = match kind {
                ColumnType::Integer => "a whole number",
                ColumnType::Decimal => "a number such as 12.5",
                ColumnType::Date => "a date as YYYY-MM-DD",
                ColumnType::Category => "a word",
            };
            Error::invalid(format!("`{value}` cannot be read as {kind}, the type of column `{name}`; write {form}"))
        })?;
        Ok(found.map(|at| at as usize).map_err(|at| at as usize))
    }

    fn ordered(&self, value: &str) -> Result<Result<usize, usize>> {
        if self.column.domain().kind() == ColumnType::Category {
            let name = self.column.name();
            return Err(Error::invalid(format!(
                "column `{name}` holds words, which have no order to compare `{value}` by; declare its `type` as integer, \
                 decimal or date, or list values with `in`"
            )));
        }
        self.search(value)
    }

    fn first_at_least(&self, value: &str) -> Result<usize> {
        Ok(match self.ordered(value)? {
            Ok(at) | Err(at) => at,
        })
    }

    fn first_above(&self, value: &str) -> Result<usize> {
        Ok(match self.ordered(value)? {
            Ok(at) => at + 1,
            Err(at) => at,
        })
    }

    /// The codes of `listed`, all of which must occur.
    fn occurring(&self, listed: &[String]) -> Result<Vec<usize>> {
        let found = listed.iter().map(|value| self.search(value)).collect::<Result<Vec<_>>>()?;
        let absent = found.iter().filter(|found| found.is_err()).count();
        if absent > 0 {
            return Err(Error::invalid(absent_values(absent, listed.len(), "it", self.column.name())));
        }
        Ok(found.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ColumnDomain;

    fn table() -> Table {
        let column = |name: &str, role, domain, missing, codes: [u32; 4]| {
            Column::new(name, role, domain, missing, codes.to_vec()).unwrap()
        };
        let words = |words: &[&str]| ColumnDomain::Category(words.iter().map(|&word| word.to_owned()).collect());
        Table::new(vec![
            column("disease", Role::Sensitive, words(&["HIV", "cold", "flu"]), false, [0, 1, 2, 2]),
            column("income", Role::Sensitive, ColumnDomain::Integer(vec![-5, 100, 400]), true, [0, 1, 2, 3]),
            column(
                "dose",
                Role::Sensitive,
                ColumnDomain::Decimal { scale: 1, unscaled: vec![5, 10, 25] },
                false,
                [0, 1, 2, 2],
            ),
            column("seen", Role::Sensitive, ColumnDomain::Date(vec![0, 1, 365]), false, [0, 1, 2, 2]),
            column("age", Role::Quasi, ColumnDomain::Integer(vec![20]), false, [0; 4]),
        ])
        .unwrap()
    }

    /// The rows, from 1, that satisfy the sentence.
    fn rows(text: &str) -> Vec<usize> {
        let table = table();
        let bound = text.parse::<LogicSentence>().unwrap();
        let bound = bound.bind(&table).unwrap_or_else(|error| panic!("{text}: {error}"));
        (0..table.rows()).filter(|&row| bound.holds(row)).map(|row| row + 1).collect()
    }

    fn message(text: &str) -> String {
        text.parse::<LogicSentence>().unwrap().bind(&table()).unwrap_err().to_string()
    }

    #[test]
    fn types_decide_comparisons() {
        for (text, expected) in [
            ("disease = flu", &[3, 4][..]),
            ("disease in (HIV, 'cold')", &[1, 2]),
            ("disease not in (HIV, cold)", &[3, 4]),
            ("income > 9", &[2, 3]),
            ("income >= 100", &[2, 3]),
            ("income < 0100", &[1]),
            ("income = 100.0", &[2]),
            ("income between -5.00 and 399.0", &[1, 2]),
            ("income <= 399", &[1, 2]),
            ("income between -5 and 100", &[1, 2]),
            ("income between 5 and 99", &[]),
            ("dose = 1.0", &[2]),
            ("dose > 0.99999999999999999999999", &[2, 3, 4]),
            ("dose <= 2.5", &[1, 2, 3, 4]),
            ("seen > 1970-01-02", &[3, 4]),
            ("seen = 1970-01-01 or disease = flu", &[1, 3, 4]),
            ("disease = flu and not income = 400", &[4]),
        ] {
            assert_eq!(rows(text), expected, "{text}");
        }
    }

    #[test]
    fn a_missing_cell_satisfies_no_comparison() {
        for (text, expected) in [
            ("income is missing", &[4][..]),
            ("income is not missing", &[1, 2, 3]),
            ("not income = 100", &[1, 3, 4]),
            ("income != 100", &[1, 3]),
            ("income not in (100, 400)", &[1]),
            ("not income in (100, 400)", &[1, 4]),
            ("disease is missing", &[]),
        ] {
            assert_eq!(rows(text), expected, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_a_remedy() {
        for (text, expected) in [
            ("diseases = flu", "no column `diseases`, did you mean `disease`?; name a column with role `sensitive`"),
            ("age = 20", "column `age` has role `quasi`, and sentences speak of sensitive columns; give it role"),
            (
                "disease > cold",
                "column `disease` holds words, which have no order to compare `cold` by; declare its `type`",
            ),
            ("income = 400K", "`400K` cannot be read as integer, the type of column `income`; write a whole number"),
            ("income < 1.5", "`1.5` cannot be read as integer"),
            ("seen < 1970-02-30", "`1970-02-30` cannot be read as date"),
            ("disease in (flu, Flu, hiv)", "2 of the 3 values that it lists for column `disease` do not occur in it"),
            (
                "income = 101",
                "the only value that it lists for column `income` does not occur in it; check its spelling",
            ),
            ("income between 7 and 6", "nothing lies between `7` and `6`, which is below it; exchange the two"),
        ] {
            let message = message(text);
            assert!(message.starts_with(expected), "{text}: {message}");
        }
    }
}
