//! Outlooks: whether some rows pass whatever is not yet known of their values.

use pellucid_model::histogram::Histogram;

use crate::belief::Requirements;

/// How often one value occurs among some rows, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CountBounds {
    pub(super) code: u32,
    /// At least so often.
    pub(super) least: u64,
    /// At most so often.
    pub(super) most: u64,
}

/// What is known of whether rows pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Foregone {
    /// They pass in every world.
    Passes,
    /// They pass in no world.
    Fails,
    /// It depends, or cannot be told easily.
    Open,
}

/// Whether `rows` rows with values within `ranges`, each code once, pass.
///
/// # Guarantee
/// What is not [`Foregone::Open`] is so for every histogram of `rows` rows within the ranges. For bounds on single values that
/// is seen from every value. Otherwise, where all values are treated alike and mixtures of what passes pass, whatever passes
/// makes everything pass that it majorises, for that is a mixture of its permutations. Of all histograms within ranges the
/// one that fills values up evenly is majorised by all others. The other way round, the k largest counts add up to at
/// most the k largest upper ends, and to at most the rows that the lower ends of the others leave: the smaller of these two sums
/// is concave in k, and the histogram with just these sums majorises all others.
pub(super) fn outlook(condition: &Requirements<'_>, rows: u64, ranges: &[CountBounds]) -> Foregone {
    let caps = ranges.iter().map(|range| condition.cap(range.code, rows)).collect::<Option<Vec<u64>>>();
    if let Some(caps) = caps {
        let room: u64 = ranges.iter().zip(&caps).map(|(range, &cap)| range.most.min(cap)).sum();
        if room < rows || ranges.iter().zip(&caps).any(|(range, &cap)| range.least > cap) {
            return Foregone::Fails;
        }
        let fits = ranges.iter().zip(&caps).all(|(range, &cap)| range.most.min(rows) <= cap);
        return if fits { Foregone::Passes } else { Foregone::Open };
    }
    let (least, most) = ranges.iter().fold((0, 0), |sums, range| (sums.0 + range.least, sums.1 + range.most));
    if !condition.is_symmetric() || !condition.is_closed_under_mixtures() || !(least..=most).contains(&rows) {
        return Foregone::Open;
    }
    if !condition.holds(&Histogram::from_counts(even(rows, ranges))) {
        Foregone::Fails
    } else if condition.holds(&Histogram::from_counts(uneven(rows, ranges))) {
        Foregone::Passes
    } else {
        Foregone::Open
    }
}

/// The positive counts that fill the ranges up evenly.
fn even(rows: u64, ranges: &[CountBounds]) -> Vec<u64> {
    let filled = |level: u64| ranges.iter().map(|range| level.clamp(range.least, range.most)).sum::<u64>();
    // The highest level that does not take more than there is.
    let (mut low, mut high) = (0, rows + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if filled(middle) <= rows { low = middle } else { high = middle }
    }
    let mut over = rows.saturating_sub(filled(low));
    let counts = ranges.iter().map(|range| {
        let more = u64::from(over > 0 && range.least <= low && low < range.most);
        over -= more;
        low.clamp(range.least, range.most) + more
    });
    counts.filter(|&count| count > 0).collect()
}

/// The positive counts whose k largest add up to as much as the ranges may allow, for every k.
fn uneven(rows: u64, ranges: &[CountBounds]) -> Vec<u64> {
    let mut most: Vec<u64> = ranges.iter().map(|range| range.most).collect();
    let mut least: Vec<u64> = ranges.iter().map(|range| range.least).collect();
    most.sort_unstable_by(|a, b| b.cmp(a));
    least.sort_unstable_by(|a, b| b.cmp(a));
    let mut left = rows - least.iter().sum::<u64>();
    let (mut above, mut before) = (0, 0);
    let counts = most.into_iter().zip(least).map(|(most, least)| {
        above += most;
        left += least;
        let sum = above.min(left);
        let count = sum - before;
        before = sum;
        count
    });
    counts.filter(|&count| count > 0).collect()
}

#[cfg(test)]
mod tests {
    use pellucid_model::exact::fraction;
    use pellucid_model::principle::{
        BoundPrinciple, DistinctLDiversity, EntropyLDiversity, KAnonymity, RecursiveClDiversity,
    };

    use super::*;

    /// All histograms of `rows` rows within the ranges.
    fn within(rows: u64, ranges: &[CountBounds]) -> Vec<Vec<(u32, u64)>> {
        let Some((first, others)) = ranges.split_first() else {
            return if rows == 0 { vec![Vec::new()] } else { Vec::new() };
        };
        let mut all = Vec::new();
        for count in first.least..=first.most.min(rows) {
            for mut other in within(rows - count, others) {
                if count > 0 {
                    other.insert(0, (first.code, count));
                }
                all.push(other);
            }
        }
        all
    }

    #[test]
    fn what_is_not_open_is_so_in_every_world() {
        let tests: Vec<Box<dyn BoundPrinciple>> = vec![
            Box::new(DistinctLDiversity::new(3).unwrap()),
            Box::new(EntropyLDiversity::new(fraction(5, 2u8)).unwrap()),
            Box::new(RecursiveClDiversity::new(fraction(2, 1u8), 3).unwrap()),
            Box::new(RecursiveClDiversity::new(fraction(3, 2u8), 2).unwrap()),
        ];
        let size = KAnonymity::new(5).unwrap();
        let mut told = [0; 3];
        for test in &tests {
            let condition = Requirements::new([test.as_ref(), &size as &dyn BoundPrinciple]);
            for number in 0..4 * 4 * 4 * 4 * 8u32 {
                // Four ranges that start at 0 to 1 and are wide by 0 to 3.
                let digit = |place: u32, base: u32| u64::from(number / 4u32.pow(place) % base);
                let ranges: Vec<CountBounds> = (0..4)
                    .map(|code| {
                        let least = u64::from(number >> 8 & 1) * u64::from(code % 2);
                        CountBounds { code, least, most: least + digit(code, 4) }
                    })
                    .collect();
                let rows = 4 + u64::from(number / 512 % 4);
                let worlds = within(rows, &ranges);
                if worlds.is_empty() {
                    continue;
                }
                let passing =
                    worlds.iter().filter(|world| condition.holds(&Histogram::from_entries((*world).clone()))).count();
                let found = outlook(&condition, rows, &ranges);
                match found {
                    Foregone::Passes => assert_eq!(passing, worlds.len(), "{ranges:?}"),
                    Foregone::Fails => assert_eq!(passing, 0, "{ranges:?}"),
                    Foregone::Open => {}
                }
                // The even histogram is one of the worlds, so failing is always found.
                assert!(passing > 0 || found == Foregone::Fails, "{ranges:?}");
                told[found as usize] += 1;
            }
        }
        assert!(told.iter().all(|&times| times > 500), "{told:?}");
    }
}
