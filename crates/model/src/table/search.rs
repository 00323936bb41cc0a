//! Finding a written value in a domain.

use std::cmp::Ordering;

use super::ColumnDomain;
use super::fault::{CellFault, fault_of};
use super::number::{parse_date, parse_decimal, parse_integer};
use crate::exact::{Fraction, fraction};

impl ColumnDomain {
    /// The code of the value that `text` stands for, or the code it would have if it were added.
    ///
    /// # Errors
    /// When `text` is no value of this type.
    pub fn search(&self, text: &str) -> Result<Result<u32, u32>, CellFault> {
        let found = match self {
            Self::Integer(values) => values.binary_search(&integer(text)?),
            Self::Decimal { scale, unscaled } => {
                let wanted = decimal(text)?;
                unscaled.binary_search_by(|value| exact(*value, *scale).cmp(&wanted))
            }
            Self::Date(values) => values.binary_search(&date(text)?),
            Self::Category(values) => values.binary_search_by(|value| value.as_str().cmp(text)),
        };
        Ok(found.map(|at| at as u32).map_err(|at| at as u32))
    }

    /// How the value that `a` stands for compares with that of `b`.
    ///
    /// # Errors
    /// When one of them is no value of this type.
    pub fn compare(&self, a: &str, b: &str) -> Result<Ordering, CellFault> {
        Ok(match self {
            Self::Integer(_) => integer(a)?.cmp(&integer(b)?),
            Self::Decimal { .. } => decimal(a)?.cmp(&decimal(b)?),
            Self::Date(_) => date(a)?.cmp(&date(b)?),
            Self::Category(_) => a.cmp(b),
        })
    }
}

/// A whole number, which may be written with a point and zeros after it.
fn integer(text: &str) -> Result<i64, CellFault> {
    let cell = text.as_bytes();
    if let (Err(_), Ok((whole, 0))) = (parse_integer(cell), parse_decimal(cell)) {
        return i64::try_from(whole).map_err(|_| CellFault::IntegerRange);
    }
    parse_integer(cell).map_err(|why| fault_of(cell, why, CellFault::NotInteger, CellFault::IntegerRange))
}

fn decimal(text: &str) -> Result<Fraction, CellFault> {
    let cell = text.as_bytes();
    let (unscaled, scale) =
        parse_decimal(cell).map_err(|why| fault_of(cell, why, CellFault::NotDecimal, CellFault::DecimalRange))?;
    Ok(exact(unscaled, scale))
}

fn date(text: &str) -> Result<i32, CellFault> {
    let cell = text.as_bytes();
    parse_date(cell).map_err(|why| fault_of(cell, why, CellFault::NotDate, CellFault::NoSuchDay))
}

/// `unscaled / 10^scale`.
fn exact(unscaled: i128, scale: u32) -> Fraction {
    fraction(unscaled, dashu_int::UBig::from(10u8).pow(scale as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_however_they_are_written() {
        let integers = ColumnDomain::Integer(vec![-3, 7, 20]);
        assert_eq!(integers.search("007"), Ok(Ok(1)));
        assert_eq!(integers.search("8"), Ok(Err(2)));
        assert_eq!((integers.search("7.0"), integers.search("-3.00")), (Ok(Ok(1)), Ok(Ok(0))));
        assert_eq!(integers.search("7.5"), Err(CellFault::NotInteger));
        assert_eq!(integers.search("99999999999999999999.0"), Err(CellFault::IntegerRange));
        let decimals = ColumnDomain::Decimal { scale: 2, unscaled: vec![-5, 150, 200] };
        assert_eq!(decimals.search("1.500"), Ok(Ok(1)));
        assert_eq!(decimals.search("1.50000000001"), Ok(Err(2)));
        assert_eq!(decimals.search(&"9".repeat(38)), Ok(Err(3)));
        let dates = ColumnDomain::Date(vec![0, 59]);
        assert_eq!(dates.search("1970-03-01"), Ok(Ok(1)));
        assert_eq!(dates.search("1970-02-30"), Err(CellFault::NoSuchDay));
        assert_eq!(integers.compare("10", "9"), Ok(Ordering::Greater));
        assert_eq!(decimals.compare("1.10", "1.1"), Ok(Ordering::Equal));
        assert_eq!(dates.compare("1970-01-02", "1970-01-10"), Ok(Ordering::Less));
        let words = ColumnDomain::Category(vec!["HIV".into(), "flu".into()]);
        assert_eq!((words.search("flu"), words.search("Flu")), (Ok(Ok(1)), Ok(Err(0))));
    }
}
