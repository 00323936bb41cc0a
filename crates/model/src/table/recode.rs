//! Columns with other codes.

use super::{Column, ColumnDomain};
use crate::error::Result;

impl Column {
    /// The column with `codes` instead of its own, as many as there are rows; values that no row has are left out of its
    /// domain, as in a column that was read from a file.
    pub fn recoded(&self, codes: &[u32]) -> Result<Self> {
        fn kept<T: Clone>(values: &[T], used: &[bool]) -> Vec<T> {
            values.iter().zip(used).filter(|(_, used)| **used).map(|(value, _)| value.clone()).collect()
        }
        let mut used = vec![false; self.cardinality()];
        codes.iter().for_each(|&code| used[code as usize] = true);
        let domain = match self.domain() {
            ColumnDomain::Category(values) => ColumnDomain::Category(kept(values, &used)),
            ColumnDomain::Integer(values) => ColumnDomain::Integer(kept(values, &used)),
            ColumnDomain::Date(values) => ColumnDomain::Date(kept(values, &used)),
            ColumnDomain::Decimal { scale, unscaled } => {
                ColumnDomain::Decimal { scale: *scale, unscaled: kept(unscaled, &used) }
            }
        };
        let mut next = 0;
        let number = |&used: &bool| {
            next += u32::from(used);
            next - u32::from(used)
        };
        let numbers: Vec<u32> = used.iter().map(number).collect();
        let missing = self.missing().is_some_and(|missing| used[missing as usize]);
        let codes = codes.iter().map(|&code| numbers[code as usize]).collect();
        Self::new(self.name(), self.role(), domain, missing, codes)
    }

    /// The column of some of its rows.
    pub fn of_rows(&self, rows: &[u32]) -> Result<Self> {
        self.recoded(&rows.iter().map(|&row| self.code(row as usize)).collect::<Vec<u32>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Role;

    #[test]
    fn values_that_no_row_has_are_left_out() {
        let domain = ColumnDomain::Integer(vec![10, 20, 30]);
        let column = Column::new("s", Role::Sensitive, domain, true, vec![0, 1, 2, 3]).unwrap();
        let altered = column.recoded(&[2, 0, 2, 3]).unwrap();
        assert_eq!(altered.domain(), &ColumnDomain::Integer(vec![10, 30]));
        assert_eq!(altered.codes().iter().collect::<Vec<_>>(), [1, 0, 1, 2]);
        assert_eq!(altered.missing(), Some(2));
        assert_eq!(column.recoded(&[1, 1, 1, 1]).unwrap().missing(), None);
        assert_eq!(column.of_rows(&[3, 1]).unwrap().codes().iter().collect::<Vec<_>>(), [1, 0]);
    }
}
