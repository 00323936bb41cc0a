//! Natural logarithms with proved errors, and an exact test for products of powers.
//!
//! [`ln`] uses only the basic operations of IEEE 754, which round correctly everywhere, so that its error can be proved
//! and its value is the same on every machine; the mathematical functions of the platform promise neither.

use dashu_base::{BitTest, Gcd};
use dashu_int::{IBig, UBig};

/// The absolute error of [`ln`] is below this.
pub(super) const LN_ERROR: f64 = 1.0 / (1u64 << 44) as f64;

/// The natural logarithm of a positive integer, within [`LN_ERROR`].
///
/// With x = 2^k m and 1/sqrt(2) < m <= sqrt(2), up to rounding, and y = (m - 1) / (m + 1):
/// ln x = k ln 2 + 2 y (1 + z/3 + z^2/5 + ..), z = y^2. As |y| < 0.172, what is left out after z^11 is below 2^-60.
/// Rounding x costs 2^-53; m - 1 is exact, so y has a relative error below 2^-51 and 2 y (..), of size below 0.36, an
/// absolute one below 2^-48; k ln 2 < 45 is rounded twice, below 2^-46 together; the sum once, below 2^-47.
pub(super) fn ln(x: u64) -> f64 {
    let bits = (x as f64).to_bits();
    let mut exponent = (bits >> 52) as i32 - 1023;
    let mut mantissa = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa *= 0.5;
        exponent += 1;
    }
    let y = (mantissa - 1.0) / (mantissa + 1.0);
    let z = y * y;
    let series = (0..12u32).rev().fold(0.0, |sum, j| sum * z + 1.0 / f64::from(2 * j + 1));
    f64::from(exponent) * std::f64::consts::LN_2 + 2.0 * y * series
}

/// Integers that enclose 2^bits ln x for a positive integer x.
///
/// The series of [`ln`] in integers with the unit u = 2^-bits and 1 <= m <= 2, every step rounded down, so the sum is a
/// lower bound. y <= 1/3 is short by less than u, z by less than 2u; if y^(2j+1) is short by e, the next power is short
/// by less than e/9 + 2u/3 + u, so all by less than 2u; each summand by less than 3u; and the tail after the first
/// power that is 0 in units is below 3u. After j summands, doubled, less than 6 (j + 1) units are missing.
pub(super) fn ln_enclosed(x: &UBig, bits: usize) -> (UBig, UBig) {
    let exponent = x.bit_len() - 1;
    let (two_low, two_high) = half_open(&UBig::from(2u8), 0, bits);
    let (low, high) = half_open(x, exponent, bits);
    (low + two_low * exponent, high + two_high * exponent)
}

/// Encloses 2^bits ln(x / 2^exponent), which must lie between 0 and ln 2.
fn half_open(x: &UBig, exponent: usize, bits: usize) -> (UBig, UBig) {
    let power = UBig::ONE << exponent;
    let y = ((x - &power) << bits) / (x + &power);
    let z = (&y * &y) >> bits;
    let (mut term, mut sum, mut count) = (y, UBig::ZERO, 0usize);
    while term != UBig::ZERO {
        sum += &term / (2 * count + 1);
        term = (term * &z) >> bits;
        count += 1;
    }
    let low = sum * 2u8;
    let high = &low + UBig::from(6 * (count + 1));
    (low, high)
}

/// Whether the product of `base^exponent` over positive bases is exactly 1.
///
/// Splits the bases by common divisors until they are pairwise coprime; then a prime of one base divides no other, so
/// the product is 1 just when every base above 1 has exponent 0. Each split makes the product of all bases smaller, so
/// it ends.
pub(super) fn product_is_one(powers: Vec<(UBig, IBig)>) -> bool {
    let mut waiting = powers;
    let mut coprime: Vec<(UBig, IBig)> = Vec::new();
    while let Some((base, exponent)) = waiting.pop() {
        if base == UBig::ONE || exponent == IBig::ZERO {
            continue;
        }
        let common = |other: &(UBig, IBig)| Some((&base).gcd(&other.0)).filter(|divisor| divisor > &UBig::ONE);
        if let Some((at, divisor)) =
            coprime.iter().enumerate().find_map(|(at, other)| common(other).map(|divisor| (at, divisor)))
        {
            let (other, other_exponent) = coprime.swap_remove(at);
            waiting.push((base / &divisor, exponent.clone()));
            waiting.push((other / &divisor, other_exponent.clone()));
            waiting.push((divisor, exponent + other_exponent));
        } else {
            coprime.push((base, exponent));
        }
    }
    coprime.is_empty()
}

/// The sign of the sum of `factor * ln(base)`, which must not be 0; doubles the precision until it is plain.
pub(super) fn log_sum_is_positive(terms: &[(UBig, IBig)]) -> bool {
    let mut bits = 128;
    loop {
        let (mut low, mut high) = (IBig::ZERO, IBig::ZERO);
        for (base, factor) in terms {
            let (below, above) = ln_enclosed(base, bits);
            let (below, above) = (factor * IBig::from(below), factor * IBig::from(above));
            let swap = factor < &IBig::ZERO;
            let (below, above) = if swap { (above, below) } else { (below, above) };
            low += below;
            high += above;
        }
        if low > IBig::ZERO {
            return true;
        }
        if high < IBig::ZERO {
            return false;
        }
        bits *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_logarithm_lies_in_the_enclosure() {
        let mut x = 1u64;
        while x < u64::MAX / 3 {
            for x in [x, x + 1, x + 2] {
                let (low, high) = ln_enclosed(&UBig::from(x), 128);
                let scale = 2f64.powi(-128);
                let (low, high) = (low.to_f64().value() * scale, high.to_f64().value() * scale);
                assert!(ln(x) > low - LN_ERROR && ln(x) < high + LN_ERROR, "{x}");
                assert!((ln(x) - (x as f64).ln()).abs() < 2.0 * LN_ERROR, "{x}");
            }
            x = x * 3 / 2 + 1;
        }
    }

    #[test]
    fn enclosures_are_narrow() {
        let (low, high) = ln_enclosed(&UBig::from(10u8), 256);
        // ln 10 has the exponent 3, so four times the error of one series of about 256 / log2(9) = 81 summands.
        assert!(high - low < UBig::from(4u32 * 6 * 90));
    }

    #[test]
    fn products_of_powers_are_recognised() {
        let powers = |list: &[(u32, i32)]| list.iter().map(|&(b, e)| (UBig::from(b), IBig::from(e))).collect();
        // 6^2 * 4^-1 * 9^-1 = 36 / 36.
        assert!(product_is_one(powers(&[(6, 2), (4, -1), (9, -1)])));
        // 12^2 = 144 = 2^4 * 3^2.
        assert!(product_is_one(powers(&[(12, 2), (2, -4), (3, -2)])));
        assert!(!product_is_one(powers(&[(12, 2), (2, -4), (3, -1)])));
        assert!(!product_is_one(powers(&[(2, 1_000_000), (3, -630_930)])));
    }

    #[test]
    fn signs_of_near_ties_are_found() {
        // 2^19 = 524288 against 3^12 = 531441, and 2^485 against 3^306, which agree within 0.1 percent.
        let terms = |a: i32, b: i32| [(UBig::from(2u8), IBig::from(a)), (UBig::from(3u8), IBig::from(b))];
        assert!(!log_sum_is_positive(&terms(19, -12)));
        let larger = UBig::from(2u8).pow(485) > UBig::from(3u8).pow(306);
        assert_eq!(log_sum_is_positive(&terms(485, -306)), larger);
    }
}
