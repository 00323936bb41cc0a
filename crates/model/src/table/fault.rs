//! What can be wrong with a cell, said without the cell.

use std::fmt;

use super::number::{MAX_DIGITS, UnreadableCell};

/// Why a cell cannot be coded; its text says so without the cell's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CellFault {
    /// The column holds whole numbers and this is none.
    NotInteger,
    /// A whole number that needs more than 64 bits.
    IntegerRange,
    /// The column holds decimal numbers and this is none.
    NotDecimal,
    /// A decimal number of too many digits.
    DecimalRange,
    /// The column holds dates and this is none.
    NotDate,
    /// The day does not exist.
    NoSuchDay,
    /// A date with a time of day other than midnight.
    TimeOfDay,
    /// The bytes are not UTF-8.
    NotUtf8,
    /// The column has more distinct values than codes.
    TooManyValues,
}

impl fmt::Display for CellFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const REMEDY: &str = "correct it, list its spelling under `missing`, or choose another `type`";
        match self {
            Self::NotInteger => write!(f, "not a whole number; {REMEDY}"),
            Self::IntegerRange => f.write_str("a whole number beyond 64 bits; set `type = \"decimal\"`"),
            Self::NotDecimal => write!(f, "not a decimal number such as 12.5; {REMEDY}"),
            Self::DecimalRange => {
                write!(f, "a decimal number of more than {MAX_DIGITS} digits; round it or set `type = \"category\"`")
            }
            Self::NotDate => write!(f, "not a date of the form YYYY-MM-DD; {REMEDY}"),
            Self::NoSuchDay => write!(f, "a date that is not in the calendar; {REMEDY}"),
            Self::TimeOfDay => f.write_str("a date with a time of day; cut the time off before reading"),
            Self::NotUtf8 => f.write_str("not UTF-8 text; save the file as UTF-8"),
            Self::TooManyValues => f.write_str("more distinct values than can be coded; split the table"),
        }
    }
}

/// The fault of `cell`; what is not text at all is reported as that.
pub(super) fn fault_of(cell: &[u8], why: UnreadableCell, form: CellFault, range: CellFault) -> CellFault {
    match why {
        _ if std::str::from_utf8(cell).is_err() => CellFault::NotUtf8,
        UnreadableCell::Form => form,
        UnreadableCell::Range => range,
    }
}
