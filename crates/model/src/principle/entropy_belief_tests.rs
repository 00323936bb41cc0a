//! Entropy of belief whose weights have thousands of bits: ties, near-ties, and weights beyond floating point.

use dashu_base::SquareRoot;
use dashu_int::{IBig, UBig};

use super::{BoundPrinciple, EntropyLDiversity};
use crate::distribution::Distribution;
use crate::exact::{Fraction, fraction};

fn belief(weights: impl IntoIterator<Item = UBig>) -> Distribution {
    Distribution::new((0..).zip(weights))
}

fn passes(l: Fraction, weights: &Distribution) -> bool {
    EntropyLDiversity::new(l).unwrap().holds_on(weights)
}

/// Integers of 1, 60 and 5000 bits.
fn sizes() -> [UBig; 3] {
    [UBig::ONE, (UBig::ONE << 60) - UBig::from(93u8), (UBig::ONE << 5000) - UBig::from(7u8)]
}

/// `l` changed by `steps` units of `2^-bits`.
fn near(l: &Fraction, steps: i32, bits: usize) -> Fraction {
    l + fraction(steps, UBig::ONE << bits)
}

/// What is `small` of every weight, times `size`.
fn scaled(small: &[u32], size: &UBig) -> Distribution {
    belief(small.iter().map(|&count| size * count))
}

#[test]
fn equally_likely_values_tie_at_their_number() {
    for size in sizes() {
        for values in [2u32, 3, 7, 100] {
            let belief = scaled(&vec![1; values as usize], &size);
            let l = Fraction::from(values);
            assert!(passes(l.clone(), &belief) && passes(near(&l, -1, 300), &belief));
            assert!(!passes(near(&l, 1, 300), &belief));
        }
    }
}

#[test]
fn unequal_values_tie_at_whole_and_broken_numbers() {
    // Shares 1/2 and four times 1/8: ln 4. Shares 2/3 and four times 1/12: (2/3) ln(3/2) + (1/3) ln 12 = ln 3.
    // Counts 512 and 64 times 1, of 576: ln 576 - (512/576) ln 512 = ln 576 - 8 ln 2 = ln(9/4).
    let long: Vec<u32> = [512].into_iter().chain([1; 64]).collect();
    let ties =
        [(vec![4, 1, 1, 1, 1], fraction(4, 1u8)), (vec![8, 1, 1, 1, 1], fraction(3, 1u8)), (long, fraction(9, 4u8))];
    for (counts, l) in ties {
        for size in sizes() {
            let belief = scaled(&counts, &size);
            assert!(passes(l.clone(), &belief), "{l}");
            for bits in [40, 60, 400] {
                assert!(passes(near(&l, -1, bits), &belief) && !passes(near(&l, 1, bits), &belief), "{l} {bits}");
            }
        }
    }
}

#[test]
fn irrational_exponentials_are_told_from_their_neighbours() {
    // Shares 1/2, 1/4, 1/4: entropy (3/2) ln 2, whose exponential is the square root of 8, 2.828...
    for size in sizes() {
        let belief = scaled(&[2, 1, 1], &size);
        for digits in [3, 12, 30, 200] {
            let unit = UBig::from(10u8).pow(digits);
            let below = (UBig::from(8u8) * &unit * &unit).sqrt();
            assert!(passes(fraction(below.clone(), unit.clone()), &belief), "{digits}");
            assert!(!passes(fraction(below + UBig::ONE, unit), &belief), "{digits}");
        }
    }
}

#[test]
fn the_last_bit_of_a_weight_decides() {
    let four = fraction(4, 1u8);
    for bits in [60, 200, 2500] {
        let x = UBig::ONE << bits;
        let moved = |first: i32, second: i32, third: i32| {
            let shift = |by: i32| UBig::try_from(IBig::from(x.clone()) + by).unwrap();
            let first = UBig::try_from(IBig::from(&x * UBig::from(4u8)) + first).unwrap();
            belief([first, shift(second), shift(third), x.clone(), x.clone()])
        };
        assert!(passes(four.clone(), &moved(0, 0, 0)));
        // From the commonest to a rare value: entropy rises by about (ln 4) / 8x; the other way it falls.
        assert!(passes(four.clone(), &moved(-1, 1, 0)));
        assert!(!passes(four.clone(), &moved(1, -1, 0)));
        // Between two equal values: it falls by about 1 / 8x^2.
        assert!(!passes(four.clone(), &moved(0, 1, -1)));
    }
}

#[test]
fn values_of_vanishing_probability_count() {
    // Weights x, x, 1 with x = 2^200: the exponential of the entropy is 2 + e with e = about (200 ln 2 + 1) / 2^200,
    // that is 2^-193.
    let x = UBig::ONE << 200;
    let belief = belief([x.clone(), x, UBig::ONE]);
    let two = Fraction::from(2);
    assert!(passes(two.clone(), &belief));
    assert!(passes(near(&two, 1, 194), &belief) && !passes(near(&two, 1, 192), &belief));
}

#[test]
fn belief_in_hundreds_of_unrelated_values_is_judged() {
    // Weights 2^4000 + d k for k from 0 to 99, d of 3170 bits: they differ by a share of about 2^-825, so entropy is
    // below ln 100 by about the square of that, and more than a thousand bits are needed to see it.
    let step = UBig::from(3u8).pow(2000);
    let belief = belief((0..100u32).map(|at| (UBig::ONE << 4000) + &step * at));
    let l = Fraction::from(100);
    assert!(passes(near(&l, -1, 1000), &belief));
    assert!(!passes(near(&l, -1, 2000), &belief) && !passes(l, &belief));
}
