//! How cells are read as numbers and days: byte by byte, exactly, and without allocating.

use chrono::NaiveDate;

/// Most digits of a decimal number, before and after the point together; what the decimal columns of Parquet hold.
pub const MAX_DIGITS: u32 = 38;

/// Why a cell is not of its column's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnreadableCell {
    /// It has another form.
    Form,
    /// It is beyond the range of the kind.
    Range,
}

/// A whole number: an optional sign and digits, ASCII spaces around it.
#[inline]
pub(super) fn parse_integer(cell: &[u8]) -> Result<i64, UnreadableCell> {
    let (negative, digits) = split_sign(trim(cell));
    if digits.is_empty() {
        return Err(UnreadableCell::Form);
    }
    let mut value = 0i64;
    let mut fits = true;
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return Err(UnreadableCell::Form);
        }
        // Downwards, so that the smallest number can be read as well.
        match value.checked_mul(10).and_then(|value| value.checked_sub(i64::from(digit))) {
            Some(next) => value = next,
            None => fits = false,
        }
    }
    let value = if negative { Some(value) } else { value.checked_neg() };
    value.filter(|_| fits).ok_or(UnreadableCell::Range)
}

/// A decimal number as `(unscaled, scale)`, trailing zeros after the point removed, ASCII spaces around it.
#[inline]
pub(super) fn parse_decimal(cell: &[u8]) -> Result<(i128, u32), UnreadableCell> {
    let (negative, digits) = split_sign(trim(cell));
    let point = digits.iter().position(|&byte| byte == b'.');
    let (whole, mut decimals) = match point {
        Some(at) => (&digits[..at], &digits[at + 1..]),
        None => (digits, &digits[digits.len()..]),
    };
    if whole.is_empty() && decimals.is_empty() {
        return Err(UnreadableCell::Form);
    }
    if !whole.iter().chain(decimals).all(u8::is_ascii_digit) {
        return Err(UnreadableCell::Form);
    }
    while let [rest @ .., b'0'] = decimals {
        decimals = rest;
    }
    let mut value = 0i128;
    for &byte in whole.iter().chain(decimals) {
        if value >= limit() / 10 {
            return Err(UnreadableCell::Range);
        }
        value = value * 10 + i128::from(byte - b'0');
    }
    if decimals.len() > MAX_DIGITS as usize {
        return Err(UnreadableCell::Range);
    }
    Ok((if negative { -value } else { value }, decimals.len() as u32))
}

/// `unscaled / 10^scale` with the smallest scale; `None` beyond [`MAX_DIGITS`].
pub(super) fn normalize_decimal(mut unscaled: i128, scale: i32) -> Option<(i128, u32)> {
    let mut scale = scale;
    while scale > 0 && unscaled % 10 == 0 {
        unscaled /= 10;
        scale -= 1;
    }
    let unscaled = rescale(unscaled, scale.min(0).unsigned_abs())?;
    let scale = scale.max(0).unsigned_abs();
    (scale <= MAX_DIGITS).then_some((unscaled, scale))
}

/// `unscaled * 10^places`; `None` beyond [`MAX_DIGITS`].
pub(super) fn rescale(unscaled: i128, places: u32) -> Option<i128> {
    let scaled = if unscaled == 0 { 0 } else { unscaled.checked_mul(10i128.checked_pow(places)?)? };
    (scaled.unsigned_abs() < limit().unsigned_abs()).then_some(scaled)
}

/// The smallest number of more than [`MAX_DIGITS`] digits.
const fn limit() -> i128 {
    10i128.pow(MAX_DIGITS)
}

/// A day of the calendar, `YYYY-MM-DD`, as days since 1970-01-01; ASCII spaces around it.
#[inline]
pub(super) fn parse_date(cell: &[u8]) -> Result<i32, UnreadableCell> {
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = trim(cell) else { return Err(UnreadableCell::Form) };
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0u32, |value, byte| byte.is_ascii_digit().then(|| value * 10 + u32::from(byte - b'0')))
    };
    let parts = number(&[y1, y2, y3, y4]).zip(number(&[m1, m2])).zip(number(&[d1, d2]));
    let ((year, month), day) = parts.ok_or(UnreadableCell::Form)?;
    let date = NaiveDate::from_ymd_opt(year as i32, month, day).ok_or(UnreadableCell::Range)?;
    Ok(date.to_epoch_days())
}

#[inline]
fn trim(mut cell: &[u8]) -> &[u8] {
    while let [b' ', rest @ ..] | [rest @ .., b' '] = cell {
        cell = rest;
    }
    cell
}

#[inline]
fn split_sign(cell: &[u8]) -> (bool, &[u8]) {
    match cell {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, cell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_a_sign_and_digits_only() {
        for (cell, value) in [("-12", -12), ("+7", 7), ("007", 7), (" 42  ", 42), ("-9223372036854775808", i64::MIN)] {
            assert_eq!(parse_integer(cell.as_bytes()), Ok(value), "{cell}");
        }
        for cell in ["", " ", "-", "1.0", "1e3", "1,000", "1 000", "--1", "\u{661}", "0x1f"] {
            assert_eq!(parse_integer(cell.as_bytes()), Err(UnreadableCell::Form), "{cell}");
        }
        assert_eq!(parse_integer(b"9223372036854775808"), Err(UnreadableCell::Range));
        assert_eq!(parse_integer(b"99999999999999999999x"), Err(UnreadableCell::Form));
    }

    #[test]
    fn decimals_are_exact_and_lose_trailing_zeros() {
        for (cell, value) in
            [("12.50", (125, 1)), ("-.5", (-5, 1)), ("3", (3, 0)), ("3.", (3, 0)), ("100", (100, 0)), ("-0.0", (0, 0))]
        {
            assert_eq!(parse_decimal(cell.as_bytes()), Ok(value), "{cell}");
        }
        for cell in ["", ".", "-", "1,5", "1e3", "1.2.3", "NaN", "inf"] {
            assert_eq!(parse_decimal(cell.as_bytes()), Err(UnreadableCell::Form), "{cell}");
        }
        let widest = "9".repeat(38);
        assert_eq!(parse_decimal(widest.as_bytes()), Ok((10i128.pow(38) - 1, 0)));
        assert_eq!(parse_decimal(format!("{widest}0").as_bytes()), Err(UnreadableCell::Range));
        assert_eq!(parse_decimal(format!("0.{}1", "0".repeat(38)).as_bytes()), Err(UnreadableCell::Range));
    }

    #[test]
    fn scales_are_normalized() {
        assert_eq!(normalize_decimal(1250, 2), Some((125, 1)));
        assert_eq!(normalize_decimal(12, -2), Some((1200, 0)));
        assert_eq!(normalize_decimal(0, 9), Some((0, 0)));
        assert_eq!(normalize_decimal(1, -38), None);
    }

    #[test]
    fn days_follow_the_calendar() {
        assert_eq!(parse_date(b"1970-01-02"), Ok(1));
        assert_eq!(parse_date(b" 2024-02-29 "), Ok(19782));
        assert_eq!(parse_date(b"2023-02-29"), Err(UnreadableCell::Range));
        for cell in ["", "2023-2-28", "20230228", "2023/02/28", "2023-02-28T00:00:00", "+023-02-28"] {
            assert_eq!(parse_date(cell.as_bytes()), Err(UnreadableCell::Form), "{cell}");
        }
    }
}
