//! Exact amounts of perimeter.
//!
//! Perimeters are compared as integers over the common denominator of all normalised extents. Small tables fit 64 bits;
//! wide numeric ranges need 128, and decimals of many digits need big integers. The engine is generic over which.

use dashu_int::UBig;

/// A non-negative exact integer that costs are computed in.
pub trait CostNumber: Clone + Ord + Send + Sync + std::fmt::Debug {
    /// The neutral element of addition.
    fn zero() -> Self;
    /// From a big integer known to fit.
    fn from_big(value: &UBig) -> Self;
    /// Adds `high - low`, which is not negative.
    fn add_difference(&mut self, high: &Self, low: &Self);
    /// `first * count_first + second * count_second`.
    fn combine(first: &Self, count_first: u64, second: &Self, count_second: u64) -> Self;
}

macro_rules! machine_amount {
    ($type:ty) => {
        impl CostNumber for $type {
            fn zero() -> Self {
                0
            }
            fn from_big(value: &UBig) -> Self {
                <$type>::try_from(value).unwrap_or(<$type>::MAX)
            }
            #[inline]
            fn add_difference(&mut self, high: &Self, low: &Self) {
                *self += high - low;
            }
            #[inline]
            fn combine(first: &Self, count_first: u64, second: &Self, count_second: u64) -> Self {
                first * <$type>::from(count_first) + second * <$type>::from(count_second)
            }
        }
    };
}

machine_amount!(u64);
machine_amount!(u128);

impl CostNumber for UBig {
    fn zero() -> Self {
        UBig::ZERO
    }
    fn from_big(value: &UBig) -> Self {
        value.clone()
    }
    fn add_difference(&mut self, high: &Self, low: &Self) {
        *self += high - low;
    }
    fn combine(first: &Self, count_first: u64, second: &Self, count_second: u64) -> Self {
        first * UBig::from(count_first) + second * UBig::from(count_second)
    }
}

/// Positions of the codes of each axis times the axis' weight, so that a perimeter is a sum of differences.
#[derive(Debug)]
pub enum WeightedPositions {
    /// Every cost of the table fits 64 bits.
    Small(Vec<Vec<u64>>),
    /// Every cost fits 128 bits.
    Wide(Vec<Vec<u128>>),
    /// Anything.
    Big(Vec<Vec<UBig>>),
}

impl WeightedPositions {
    /// Weighs `positions` (per axis, ascending) so that every axis' extent becomes the same integer: the least common
    /// multiple of all extents. An axis without extent weighs nothing.
    ///
    /// A cost is at most `rows` times the number of axes times that integer, which decides the width.
    pub fn new(positions: &[Vec<i128>], rows: usize) -> Self {
        let offsets: Vec<Vec<UBig>> = positions.iter().map(|axis| reduced(axis)).collect();
        let extents = offsets.iter().map(|axis| axis.last().cloned().unwrap_or(UBig::ZERO));
        let extents: Vec<UBig> = extents.collect();
        let common = extents.iter().filter(|extent| **extent != UBig::ZERO).fold(UBig::ONE, |common, extent| {
            let shared = dashu_base::Gcd::gcd(&common, extent);
            common / shared * extent
        });
        let weighted = |axis: usize, at: usize| {
            if extents[axis] == UBig::ZERO { UBig::ZERO } else { &offsets[axis][at] * (&common / &extents[axis]) }
        };
        let bits = (&common * UBig::from(rows.max(1)) * UBig::from(positions.len().max(1))).bit_len_of();
        if bits < 64 {
            Self::Small(table(&offsets, |axis, at| u64::from_big(&weighted(axis, at))))
        } else if bits < 128 {
            Self::Wide(table(&offsets, |axis, at| u128::from_big(&weighted(axis, at))))
        } else {
            Self::Big(table(&offsets, weighted))
        }
    }
}

fn table<A>(offsets: &[Vec<UBig>], weigh: impl Fn(usize, usize) -> A) -> Vec<Vec<A>> {
    (0..offsets.len()).map(|axis| (0..offsets[axis].len()).map(|at| weigh(axis, at)).collect()).collect()
}

/// Distances from the first position, divided by their greatest common divisor.
fn reduced(positions: &[i128]) -> Vec<UBig> {
    let Some(&first) = positions.first() else { return Vec::new() };
    let distances: Vec<u128> = positions.iter().map(|&position| position.abs_diff(first)).collect();
    let divisor = distances.iter().fold(0, |a, &b| gcd(a, b)).max(1);
    distances.into_iter().map(|distance| UBig::from(distance / divisor)).collect()
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Bit length of a big integer.
trait BitLength {
    fn bit_len_of(&self) -> usize;
}

impl BitLength for UBig {
    fn bit_len_of(&self) -> usize {
        dashu_base::BitTest::bit_len(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_axis_spans_the_common_multiple() {
        // Extents 39 and 53000 share no factor: 39 * 53000 = 2067000.
        let WeightedPositions::Small(axes) = WeightedPositions::new(&[vec![21, 27, 60], vec![10_000, 63_000]], 8)
        else {
            panic!("fits 64 bits")
        };
        // Distances 0, 6, 39 divided by 3 are 0, 2, 13; 0, 53000 become 0, 1: common multiple 13.
        assert_eq!(axes, [vec![0, 2, 13], vec![0, 13]]);
    }

    #[test]
    fn wide_ranges_take_wide_integers() {
        let primes = [vec![0, 1, i128::from(u64::MAX) - 58], vec![0, 1, i128::from(u64::MAX) - 82]];
        assert!(matches!(WeightedPositions::new(&primes, 1), WeightedPositions::Big(_)));
        assert!(matches!(WeightedPositions::new(&primes[..1], 1000), WeightedPositions::Wide(_)));
    }
}
