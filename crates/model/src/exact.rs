//! Exact numbers: fractions of big integers, and how they are read and written.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::error::{Error, Result};

/// An exact fraction of big integers; every probability and every bound that decides something is one.
pub type Fraction = RBig;

/// Reads `3`, `2.5`, `1/3` or `-0.05` exactly.
pub fn parse_fraction(text: &str) -> Result<Fraction> {
    let fail = || Error::invalid(format!("`{text}` is not a number; write it like 3, 0.25 or 1/3"));
    if let Some((numerator, denominator)) = text.split_once('/') {
        let numerator: IBig = numerator.trim().parse().map_err(|_| fail())?;
        let denominator: UBig = denominator.trim().parse().map_err(|_| fail())?;
        if denominator == UBig::ZERO {
            return Err(fail());
        }
        return Ok(RBig::from_parts(numerator, denominator));
    }
    let text_trimmed = text.trim();
    let (whole, decimals) = text_trimmed.split_once('.').unwrap_or((text_trimmed, ""));
    if !decimals.bytes().all(|b| b.is_ascii_digit())
        || (whole.trim_start_matches('-').is_empty() && decimals.is_empty())
    {
        return Err(fail());
    }
    let digits: IBig = format!("{whole}{decimals}").parse().map_err(|_| fail())?;
    Ok(RBig::from_parts(digits, UBig::from(10u8).pow(decimals.len())))
}

/// The fraction `numerator / denominator`.
///
/// # Panics
/// When `denominator` is zero.
pub fn fraction(numerator: impl Into<IBig>, denominator: impl Into<UBig>) -> Fraction {
    RBig::from_parts(numerator.into(), denominator.into())
}

/// A fraction as `a/b`, or as an integer when `b` is 1.
pub fn format_fraction(value: &Fraction) -> String {
    if value.denominator() == &UBig::ONE { value.numerator().to_string() } else { value.to_string() }
}

/// A fraction as a decimal number, for reading.
pub fn decimal(number: &Fraction) -> f64 {
    number.to_f64().value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_exactly() {
        assert_eq!(parse_fraction("0.05").unwrap(), fraction(1, 20u8));
        assert_eq!(parse_fraction("-2.50").unwrap(), fraction(-5, 2u8));
        assert_eq!(parse_fraction("1/3").unwrap(), fraction(1, 3u8));
        assert_eq!(parse_fraction(".5").unwrap(), fraction(1, 2u8));
        assert_eq!(format_fraction(&parse_fraction("4/2").unwrap()), "2");
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", ".", "-", "1/0", "1e3", "abc", "1.2.3", "1.-2"] {
            assert!(parse_fraction(text).is_err(), "{text}");
        }
    }
}
