//! Numbers on the command line; what is refused is told with the range.

use std::ops::{Bound, RangeBounds};

/// Reads whole numbers that lie in `range`.
pub fn whole<T: TryFrom<u64>>(
    range: impl RangeBounds<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    let least = match range.start_bound() {
        Bound::Included(least) => *least,
        Bound::Excluded(below) => below.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let most = match range.end_bound() {
        Bound::Included(most) => *most,
        Bound::Excluded(above) => above.saturating_sub(1),
        Bound::Unbounded => u64::MAX,
    };
    move |text| {
        let number = text.parse::<u64>().ok().filter(|number| (least..=most).contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            if most == u64::MAX {
                format!("give a whole number, {least} or more")
            } else {
                format!("give a whole number from {least} to {most}")
            }
        })
    }
}

/// Reads a probability that can be reached: neither 0 nor 1.
pub fn probability(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number > 0.0 && *number < 1.0);
    number.ok_or_else(|| "give a probability strictly between 0 and 1, e.g. 0.95".to_owned())
}

/// Reads a share of something, which is not nothing.
pub fn share(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number > 0.0 && *number <= 1.0);
    number.ok_or_else(|| "give a share above 0 and up to 1, e.g. 0.06".to_owned())
}

/// Reads a time above 0.
pub fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| "give a number of seconds above 0, e.g. 60".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_lie_strictly_between_0_and_1() {
        assert_eq!(probability("0.9"), Ok(0.9));
        for text in ["-1", "0", "1", "nan", "inf", "half"] {
            assert!(probability(text).is_err_and(|told| told.contains("strictly between 0 and 1")), "{text}");
        }
    }

    #[test]
    fn what_is_refused_is_told_with_the_range() {
        let (open, closed) = (whole::<u64>(1..), whole::<u32>(1..=64));
        assert_eq!((open("7"), closed("64")), (Ok(7), Ok(64)));
        for text in ["-1", "0", "x", "1.5", "", "18446744073709551616"] {
            assert_eq!(open(text), Err("give a whole number, 1 or more".to_owned()), "{text}");
        }
        assert_eq!(closed("65"), Err("give a whole number from 1 to 64".to_owned()));
        assert_eq!(whole::<u64>(..)("-1"), Err("give a whole number, 0 or more".to_owned()));
        assert_eq!(whole::<u8>(..)("256"), Err("give a whole number, 0 or more".to_owned()), "beyond what fits");
    }
}
