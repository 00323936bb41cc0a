//! Natural numbers of a fixed number of 64-bit limbs, in flat arrays: what the sweep counts with.
//!
//! A sweep knows beforehand how large its counts can become, so all of them have the same width and lie one after the
//! other without allocations of their own.

use dashu_int::UBig;

/// `sum += factor * weight`, all in limbs from the lowest; what does not fit must be zero.
#[inline]
pub(super) fn add_product(sum: &mut [u64], factor: &[u64], weight: &[u64]) {
    for (shift, &digit) in weight.iter().enumerate() {
        if digit != 0 {
            add_scaled(&mut sum[shift..], factor, digit);
        }
    }
}

/// `sum += factor * digit`; what does not fit must be zero.
#[inline]
pub(super) fn add_scaled(sum: &mut [u64], factor: &[u64], digit: u64) {
    let mut carry = 0u64;
    for (at, slot) in sum.iter_mut().enumerate() {
        let limb = factor.get(at).copied().unwrap_or(0);
        if limb == 0 && carry == 0 && at >= factor.len() {
            return;
        }
        let wide = u128::from(limb) * u128::from(digit) + u128::from(*slot) + u128::from(carry);
        *slot = wide as u64;
        carry = (wide >> 64) as u64;
    }
    debug_assert_eq!(carry, 0, "the width was bounded beforehand");
}

/// The limbs of `number`, at least one.
pub(super) fn limbs(number: &UBig) -> Vec<u64> {
    let bytes = number.to_le_bytes();
    let mut limbs: Vec<u64> = bytes
        .chunks(8)
        .map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        })
        .collect();
    if limbs.is_empty() {
        limbs.push(0);
    }
    limbs
}

/// The number with these limbs.
pub(super) fn number(limbs: &[u64]) -> UBig {
    let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    UBig::from_le_bytes(&bytes)
}

/// How many limbs a number below `2^bits` needs.
pub(super) fn width(bits: f64) -> usize {
    (bits / 64.0).floor() as usize + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_products_agree_with_big_integers() {
        let a = UBig::from(u64::MAX) * 12_345_678_901_234_567_890u64 + 7u8;
        let w = UBig::from(u64::MAX) * 3u8;
        let mut sum = vec![5, 0, 0, 0, 0, 0];
        add_product(&mut sum, &limbs(&a), &limbs(&w));
        assert_eq!(number(&sum), a * w + 5u8);
        assert_eq!(limbs(&UBig::ZERO), [0]);
    }
}
