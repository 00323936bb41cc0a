//! Natural logarithms with proved errors, and an exact comparison of products of powers.
//!
//! [`ln`] uses only the basic operations of IEEE 754, which round correctly everywhere, so that its error can be proved
//! and its value is the same on every machine; the mathematical functions of the platform promise neither.

use std::cmp::Ordering;

use dashu_base::{BitTest, Gcd, SquareRoot};
use dashu_int::{IBig, UBig};

/// The absolute error of [`ln`] is below this.
pub const LN_ERROR: f64 = 1.0 / (1u64 << 44) as f64;

/// The natural logarithm of a positive integer, within [`LN_ERROR`].
///
/// With x = 2^k m and 1/sqrt(2) < m <= sqrt(2), up to rounding, and y = (m - 1) / (m + 1):
/// ln x = k ln 2 + 2 y (1 + z/3 + z^2/5 + ..), z = y^2. As |y| < 0.172, what is left out after z^11 is below 2^-60.
/// Rounding x costs 2^-53; m - 1 is exact, so y has a relative error below 2^-51 and 2 y (..), of size below 0.36, an
/// absolute one below 2^-48; k ln 2 < 45 is rounded twice, below 2^-46 together; the sum once, below 2^-47.
pub fn ln(x: u64) -> f64 {
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
pub(super) fn ln_enclosed(x: &UBig, bits: usize) -> (UBig, UBig) {
    let exponent = x.bit_len() - 1;
    let (two_low, two_high) = ln_of_mantissa(&UBig::from(2u8), 0, bits);
    let (low, high) = ln_of_mantissa(x, exponent, bits);
    (low + two_low * exponent, high + two_high * exponent)
}

/// Encloses 2^bits ln(x / 2^exponent), which must lie between 0 and ln 2.
///
/// Takes k square roots, R = (x / 2^exponent)^(1/2^k), and uses ln x = 2^k ln R with the series of [`ln`]; k grows as
/// the square root of `bits`, so about that many operations on numbers of `bits` bits do. In integers with the unit
/// u = 2^-(bits + k + 8), every step rounded down, so the result is a lower bound:
/// - A number of at least 1 that is short by e has a root short by less than e/2 + u. So R is short by less than 2u,
///   and so is its logarithm.
/// - y <= 1/3 is short by less than u, z by less than 2u; if y^(2j+1) is short by e, the next power is short by less
///   than e/9 + 2u/3 + u, so all by less than 2u; each summand by less than 3u; and the tail after the first power that
///   is 0 in units is below 3u. After j summands, doubled, less than 6 (j + 1) units are missing.
fn ln_of_mantissa(x: &UBig, exponent: usize, bits: usize) -> (UBig, UBig) {
    const GUARD: usize = 8;
    let roots = (bits / 6).isqrt();
    let unit = bits + roots + GUARD;
    let mut root = (x << unit) >> exponent;
    for _ in 0..roots {
        root = (root << unit).sqrt();
    }
    let one = UBig::ONE << unit;
    let y = ((&root - &one) << unit) / (root + one);
    let z = (&y * &y) >> unit;
    let (mut term, mut sum, mut count) = (y, UBig::ZERO, 0usize);
    while term != UBig::ZERO {
        sum += &term / (2 * count + 1);
        term = (term * &z) >> unit;
        count += 1;
    }
    let low = sum * 2u8;
    let high = &low + UBig::from(6 * (count + 1) + 2);
    // One of these units times 2^k is 2^-(bits + GUARD).
    (low >> GUARD, (high >> GUARD) + UBig::ONE)
}

/// The order of the product of `base^exponent` over positive bases to 1, decided exactly and without any such power.
///
/// Logarithms of 128 bits decide all but near-ties. For these `product_is_one` settles whether there is a tie; if
/// not, the sum of logarithms is not 0, and doubling the precision must come to tell its sign.
pub fn compare_product_to_one(powers: &[(UBig, IBig)]) -> Ordering {
    const FIRST: usize = 128;
    if let Some(order) = compare_within(powers, FIRST) {
        return order;
    }
    if product_is_one(powers.to_vec()) {
        return Ordering::Equal;
    }
    let mut bits = FIRST;
    loop {
        bits *= 2;
        if let Some(order) = compare_within(powers, bits) {
            return order;
        }
    }
}

/// The sign of the sum of `exponent * ln(base)`, if enclosures with a precision of `bits` tell it.
fn compare_within(powers: &[(UBig, IBig)], bits: usize) -> Option<Ordering> {
    let (mut low, mut high, mut twos) = (IBig::ZERO, IBig::ZERO, IBig::ZERO);
    let mut add = |factor: &IBig, (below, above): (UBig, UBig)| {
        let (below, above) = (factor * IBig::from(below), factor * IBig::from(above));
        let (below, above) = if factor < &IBig::ZERO { (above, below) } else { (below, above) };
        low += below;
        high += above;
    };
    for (base, factor) in powers {
        let exponent = base.bit_len() - 1;
        twos += factor * IBig::from(exponent);
        add(factor, ln_of_mantissa(base, exponent, bits));
    }
    add(&twos, ln_of_mantissa(&UBig::from(2u8), 0, bits));
    if low > IBig::ZERO {
        Some(Ordering::Greater)
    } else if high < IBig::ZERO {
        Some(Ordering::Less)
    } else {
        None
    }
}

/// Whether the product of `base^exponent` over positive bases is exactly 1.
///
/// Splits the bases by common divisors until they are pairwise coprime; then a prime of one base divides no other, so
/// the product is 1 just when every base above 1 has exponent 0. A split takes all powers of a common divisor out of
/// two bases and adds it once, which makes the product of all bases smaller; so it ends.
fn product_is_one(powers: Vec<(UBig, IBig)>) -> bool {
    let mut waiting = powers;
    let mut coprime: Vec<(UBig, IBig)> = Vec::new();
    while let Some((mut base, exponent)) = waiting.pop() {
        if base == UBig::ONE || exponent == IBig::ZERO {
            continue;
        }
        let common = |other: &(UBig, IBig)| Some((&base).gcd(&other.0)).filter(|divisor| divisor > &UBig::ONE);
        if let Some((at, divisor)) =
            coprime.iter().enumerate().find_map(|(at, other)| common(other).map(|divisor| (at, divisor)))
        {
            let (mut other, other_exponent) = coprime.swap_remove(at);
            let (here, there) = (take_out(&mut base, &divisor), take_out(&mut other, &divisor));
            waiting.push((divisor, &exponent * IBig::from(here) + &other_exponent * IBig::from(there)));
            waiting.push((base, exponent));
            waiting.push((other, other_exponent));
        } else {
            coprime.push((base, exponent));
        }
    }
    coprime.is_empty()
}

/// Divides `value` by `divisor`, which is above 1, as often as it can; how often that was.
fn take_out(value: &mut UBig, divisor: &UBig) -> usize {
    value.remove(divisor).unwrap_or(0)
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
        for bits in [64, 256, 4096] {
            let (low, high) = ln_enclosed(&UBig::from(10u8), bits);
            // ln 10 has the exponent 3, so four times the error of one series: its few summands over 2^8, and two units.
            assert!(high - low < UBig::from(4u32 * 6), "{bits}");
        }
    }

    #[test]
    fn enclosures_of_more_bits_lie_in_those_of_fewer() {
        for x in [UBig::from(2u8), UBig::from(3u8), UBig::from(1_000_003u32), UBig::from(7u8).pow(1800) + UBig::ONE] {
            let (low, high) = ln_enclosed(&x, 3000);
            for bits in [1, 2, 6, 24, 54, 128, 256, 1024] {
                let (wide_low, wide_high) = ln_enclosed(&x, bits);
                let shift = 3000 - bits;
                assert!(wide_low << shift <= low && high <= wide_high << shift, "{bits}");
            }
        }
    }

    #[test]
    fn logarithms_of_products_are_sums() {
        // ln(x y) = ln x + ln y, whatever the number of roots taken.
        let (x, y) = (UBig::from(3u8).pow(900), UBig::from(5u8).pow(701) + UBig::ONE);
        for bits in [128, 1000] {
            let ((a, b), (c, d)) = (ln_enclosed(&x, bits), ln_enclosed(&y, bits));
            let (low, high) = ln_enclosed(&(&x * &y), bits);
            assert!(a + c <= high && low <= b + d);
        }
    }

    fn powers(list: &[(u32, i32)]) -> Vec<(UBig, IBig)> {
        list.iter().map(|&(base, exponent)| (UBig::from(base), IBig::from(exponent))).collect()
    }

    #[test]
    fn products_of_powers_are_recognised() {
        // 6^2 * 4^-1 * 9^-1 = 36 / 36.
        assert!(product_is_one(powers(&[(6, 2), (4, -1), (9, -1)])));
        // 12^2 = 144 = 2^4 * 3^2.
        assert!(product_is_one(powers(&[(12, 2), (2, -4), (3, -2)])));
        assert!(!product_is_one(powers(&[(12, 2), (2, -4), (3, -1)])));
        assert!(!product_is_one(powers(&[(2, 1_000_000), (3, -630_930)])));
    }

    #[test]
    fn products_of_huge_bases_are_recognised() {
        // With x = 3^2000 * 10^1000 and y = 3^1000 * 10^1000 of some thousand bits: x^2 / y^3 = 3^1000 / 10^1000.
        let (x, y) = (
            UBig::from(3u8).pow(2000) * UBig::from(10u8).pow(1000),
            UBig::from(3u8).pow(1000) * UBig::from(10u8).pow(1000),
        );
        let mut terms = vec![(x, IBig::from(2)), (y, IBig::from(-3))];
        terms.extend(powers(&[(3, -1000), (2, 1000), (5, 1000)]));
        assert!(product_is_one(terms.clone()));
        assert_eq!(compare_product_to_one(&terms), Ordering::Equal);
        for (more, order) in [(1, Ordering::Greater), (-1, Ordering::Less)] {
            terms[4].1 = IBig::from(1000 + more);
            assert!(!product_is_one(terms.clone()));
            assert_eq!(compare_product_to_one(&terms), order);
        }
    }

    #[test]
    fn signs_of_near_ties_are_found() {
        // 2^19 = 524288 against 3^12 = 531441, and 2^485 against 3^306, which agree within 0.1 percent.
        assert_eq!(compare_product_to_one(&powers(&[(2, 19), (3, -12)])), Ordering::Less);
        let order = UBig::from(2u8).pow(485).cmp(&UBig::from(3u8).pow(306));
        assert_eq!(compare_product_to_one(&powers(&[(2, 485), (3, -306)])), order);
        // x (x + 2) = (x + 1)^2 - 1: the logarithms differ by about x^-2, here 2^-6000.
        let x = UBig::from(7u8).pow(1069);
        let near = [(x.clone(), 1), (&x + UBig::from(2u8), 1), (x + UBig::ONE, -2)];
        let near = near.map(|(base, exponent)| (base, IBig::from(exponent)));
        assert_eq!(compare_product_to_one(&near), Ordering::Less);
    }
}
