//! Finding a written value in a domain.

use std::cmp::Ordering;

use super::Domain;
use super::fault::{CellFault, fault_of};
use super::number::{parse_date, parse_decimal, parse_integer};
use crate::exact::{Fraction, fraction};

impl Domain {
    /// The code of the value that `text` stands for, or the code it would have if it were added.
    ///
    /// # Errors
    /// When `text` is no value of this type.
    pub fn search(&self, text: &str) -> Result<Result<u32, u32>, CellFault> {
        let cell = text.as_bytes();
        let found = match self {
            Self::Integer(values) => {
                let wanted = parse_integer(cell)
                    .map_err(|why| fault_of(cell, why, CellFault::NotInteger, CellFault::IntegerRange))?;
                values.binary_search(&wanted)
            }
            Self::Decimal { scale, unscaled } => {
                let (wanted, places) = parse_decimal(cell)
                    .map_err(|why| fault_of(cell, why, CellFault::NotDecimal, CellFault::DecimalRange))?;
                let wanted = exact(wanted, places);
                unscaled.binary_search_by(|value| exact(*value, *scale).cmp(&wanted))
            }
            Self::Date(values) => {
                let wanted =
                    parse_date(cell).map_err(|why| fault_of(cell, why, CellFault::NotDate, CellFault::NoSuchDay))?;
                values.binary_search(&wanted)
            }
            Self::Category(values) => values.binary_search_by(|value| -> Ordering { value.as_str().cmp(text) }),
        };
        Ok(found.map(|at| at as u32).map_err(|at| at as u32))
    }
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
        let integers = Domain::Integer(vec![-3, 7, 20]);
        assert_eq!(integers.search("007"), Ok(Ok(1)));
        assert_eq!(integers.search("8"), Ok(Err(2)));
        assert_eq!(integers.search("7.0"), Err(CellFault::NotInteger));
        let decimals = Domain::Decimal { scale: 2, unscaled: vec![-5, 150, 200] };
        assert_eq!(decimals.search("1.500"), Ok(Ok(1)));
        assert_eq!(decimals.search("1.50000000001"), Ok(Err(2)));
        assert_eq!(decimals.search(&"9".repeat(38)), Ok(Err(3)));
        let dates = Domain::Date(vec![0, 59]);
        assert_eq!(dates.search("1970-03-01"), Ok(Ok(1)));
        assert_eq!(dates.search("1970-02-30"), Err(CellFault::NoSuchDay));
        let words = Domain::Category(vec!["HIV".into(), "flu".into()]);
        assert_eq!((words.search("flu"), words.search("Flu")), (Ok(Ok(1)), Ok(Err(0))));
    }
}
