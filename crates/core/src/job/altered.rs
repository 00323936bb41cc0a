//! Releases that show values which are not the table's, for publishers that alter them.

use crate::error::Result;
use crate::histogram::Histogram;
use crate::publish::{Goal, Groups, Plan};
use crate::table::{Column, Domain, Table};
use crate::words::counted;

/// A table as it is shown, one sensitive column being altered.
#[derive(Debug)]
pub(super) struct Altered {
    /// The table that is shown.
    pub table: Table,
    /// The altered column.
    pub column: String,
    /// By row, the code shown, of the domain of the original column.
    codes: Vec<u32>,
}

impl Altered {
    /// `table` with `codes` in `column`.
    pub fn new(table: &Table, column: String, codes: Vec<u32>) -> Result<Self> {
        let shown = table
            .columns()
            .iter()
            .map(|original| if *original.name() == column { recoded(original, &codes) } else { Ok(original.clone()) });
        Ok(Self { table: Table::new(shown.collect::<Result<_>>()?)?, column, codes })
    }

    /// By row, the code that is shown of the goal's column, where that is altered.
    pub fn codes(&self, goal: &Goal<'_>) -> Option<&[u32]> {
        (goal.column.name() == self.column).then_some(&self.codes)
    }

    /// Why the release may not be published, when what is shown of some class does not meet a goal.
    pub fn caveat(&self, plan: &Plan<'_>, classes: &Groups) -> Option<String> {
        let fails = |goal: &Goal<'_>, rows: &[u32]| {
            let codes = self.codes(goal)?;
            Some(!goal.test.holds(&Histogram::of(rows.iter().map(|&row| codes[row as usize]))))
        };
        let of_goal = |goal: &Goal<'_>| classes.iter().filter(|rows| fails(goal, rows) == Some(true)).count();
        let failing = plan.goals.iter().map(of_goal).max().filter(|&failing| failing > 0)?;
        Some(format!(
            "{} not meet the principle, because a distribution that is copied to a group of another size is rounded; choose \
             another `k`, or another publisher",
            counted(failing, "class does", "classes do")
        ))
    }
}

/// `column` with other codes; values that no row has are left out of its domain.
fn recoded(column: &Column, codes: &[u32]) -> Result<Column> {
    fn kept<T: Clone>(values: &[T], used: &[bool]) -> Vec<T> {
        values.iter().zip(used).filter(|(_, used)| **used).map(|(value, _)| value.clone()).collect()
    }
    let mut used = vec![false; column.cardinality()];
    codes.iter().for_each(|&code| used[code as usize] = true);
    let domain = match column.domain() {
        Domain::Category(values) => Domain::Category(kept(values, &used)),
        Domain::Integer(values) => Domain::Integer(kept(values, &used)),
        Domain::Date(values) => Domain::Date(kept(values, &used)),
        Domain::Decimal { scale, unscaled } => Domain::Decimal { scale: *scale, unscaled: kept(unscaled, &used) },
    };
    let mut next = 0;
    let number = |&used: &bool| {
        next += u32::from(used);
        next - u32::from(used)
    };
    let numbers: Vec<u32> = used.iter().map(number).collect();
    let missing = column.missing().is_some_and(|missing| used[missing as usize]);
    let codes = codes.iter().map(|&code| numbers[code as usize]).collect();
    Column::new(column.name(), column.role(), domain, missing, codes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Role;

    #[test]
    fn values_that_nobody_is_shown_with_are_left_out() {
        let domain = Domain::Integer(vec![10, 20, 30]);
        let column = Column::new("s", Role::Sensitive, domain, true, vec![0, 1, 2, 3]).unwrap();
        let altered = recoded(&column, &[2, 0, 2, 3]).unwrap();
        assert_eq!(altered.domain(), &Domain::Integer(vec![10, 30]));
        assert_eq!(altered.codes().iter().collect::<Vec<_>>(), [1, 0, 1, 2]);
        assert_eq!(altered.missing(), Some(2));
        assert_eq!(recoded(&column, &[1, 1, 1, 1]).unwrap().missing(), None);
    }
}
