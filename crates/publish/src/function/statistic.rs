//! Statistics: one value that stands for many.
//!
//! All three keep their value when multisets that have it in common are joined: the mean of the whole lies between the
//! means of the parts and rounding keeps order; at least half of each part is not above the lower median and less than
//! half is below it; no value is commoner than the mode in any part, and ties go the same way in all. Groups that show
//! the same statistic are therefore one class whose statistic is the one shown.

use std::cmp::Ordering;

use dashu_int::ops::DivRemEuclid;
use dashu_int::{IBig, UBig};
use pellucid_model::error::Result;
use pellucid_model::statistic::{ColumnStatistic, MEAN_DIGITS};
use pellucid_model::table::{Column, ColumnDomain, ColumnType, MAX_DIGITS};

/// A statistic of the values of one column.
#[derive(Debug)]
pub(super) struct ColumnSummary<'a> {
    column: &'a Column,
    statistic: ColumnStatistic,
    /// Digits after the point beyond the column's own.
    digits: u32,
}

impl<'a> ColumnSummary<'a> {
    /// Fails where `column` is of a type that has no such statistic.
    pub fn new(column: &'a Column, statistic: ColumnStatistic) -> Result<Self> {
        statistic.check(column)?;
        let domain = column.domain();
        let codes = 0..domain.len() as u32;
        let largest = codes.map(|code| domain.position(code).unsigned_abs()).max().unwrap_or(0);
        let taken = largest.checked_ilog10().map_or(1, |digits| digits + 1).max(scale(domain));
        let digits = MEAN_DIGITS.min(MAX_DIGITS.saturating_sub(taken));
        Ok(Self { column, statistic, digits })
    }

    /// The statistic of `values`, codes of the column with how often they occur, ascending; missing cells are not
    /// counted, and `None` means that there is no other. In the order of statistics.
    pub fn of(&self, values: &[(u32, u64)]) -> Option<i128> {
        let present = match values {
            [present @ .., (last, _)] if self.column.missing() == Some(*last) => present,
            all => all,
        };
        let rows: u64 = present.iter().map(|&(_, count)| count).sum();
        if rows == 0 {
            return None;
        }
        match self.statistic {
            ColumnStatistic::Mean => Some(self.mean(present, rows)),
            ColumnStatistic::Median => lower_median(present).map(i128::from),
            ColumnStatistic::Mode => {
                let largest = present.iter().map(|&(_, count)| count).max();
                let first = present.iter().find(|&&(_, count)| Some(count) == largest);
                first.map(|&(code, _)| i128::from(code))
            }
        }
    }

    /// The mean in units of the last digit that is shown.
    fn mean(&self, values: &[(u32, u64)], rows: u64) -> i128 {
        let domain = self.column.domain();
        let total: IBig =
            values.iter().map(|&(code, count)| IBig::from(domain.position(code)) * IBig::from(count)).sum();
        let rows = UBig::from(rows);
        let day = domain.kind() == ColumnType::Date;
        let units = if day { IBig::ONE } else { IBig::from(10u8).pow(self.digits as usize) };
        let (below, rest) = (total * units).div_rem_euclid(IBig::from(rows.clone()));
        let odd = below.clone() % IBig::from(2u8) != IBig::ZERO;
        let up = match (rest * UBig::from(2u8)).cmp(&rows) {
            _ if day => false,
            Ordering::Less => false,
            Ordering::Equal => odd,
            Ordering::Greater => true,
        };
        let shown = if up { below + IBig::ONE } else { below };
        i128::try_from(shown).expect("a mean lies between values that have room for its digits")
    }

    /// The distinct statistics `keys`, ascending, as values.
    pub fn domain(&self, keys: &[i128]) -> ColumnDomain {
        let pick = |key: i128| key as usize;
        match (self.statistic, self.column.domain()) {
            (ColumnStatistic::Mean, ColumnDomain::Date(_)) => {
                ColumnDomain::Date(keys.iter().map(|&key| key as i32).collect())
            }
            (ColumnStatistic::Mean, domain) => {
                ColumnDomain::Decimal { scale: scale(domain) + self.digits, unscaled: keys.to_vec() }
            }
            (_, ColumnDomain::Integer(values)) => {
                ColumnDomain::Integer(keys.iter().map(|&key| values[pick(key)]).collect())
            }
            (_, ColumnDomain::Decimal { scale, unscaled }) => {
                let unscaled = keys.iter().map(|&key| unscaled[pick(key)]).collect();
                ColumnDomain::Decimal { scale: *scale, unscaled }
            }
            (_, ColumnDomain::Date(values)) => ColumnDomain::Date(keys.iter().map(|&key| values[pick(key)]).collect()),
            (_, ColumnDomain::Category(values)) => {
                ColumnDomain::Category(keys.iter().map(|&key| values[pick(key)].clone()).collect())
            }
        }
    }
}

/// The middle one of `values`, codes with how often they occur, ascending; of an even number the lower one of the two.
pub fn lower_median(values: &[(u32, u64)]) -> Option<u32> {
    let rows: u64 = values.iter().map(|&(_, count)| count).sum();
    let mut before = 0;
    let middle = values.iter().find(|&&(_, count)| {
        before += count;
        before >= rows.div_ceil(2)
    });
    middle.map(|&(code, _)| code)
}

fn scale(domain: &ColumnDomain) -> u32 {
    if let ColumnDomain::Decimal { scale, .. } = domain { *scale } else { 0 }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use pellucid_model::exact::{Fraction, fraction, parse_fraction};
    use pellucid_model::histogram::Histogram;
    use pellucid_model::table::Role;
    use proptest::prelude::*;

    use super::*;

    /// A column with every value of `domain` once, and a missing cell.
    fn column(domain: ColumnDomain) -> Column {
        let codes = (0..=domain.len() as u32).collect();
        Column::new("q", Role::Quasi, domain, true, codes).unwrap()
    }

    /// What is shown of the codes `values` of `column`.
    fn shown(column: &Column, statistic: ColumnStatistic, values: &[u32]) -> Option<String> {
        let summary = ColumnSummary::new(column, statistic).unwrap();
        let key = summary.of(Histogram::of(values.iter().copied()).entries())?;
        Some(summary.domain(&[key]).text(0))
    }

    #[test]
    fn a_mean_is_exact_when_it_can_be_and_otherwise_rounded_half_to_even() {
        let heights = column(ColumnDomain::Integer(vec![-1, 0, 1, 160, 161, 163, 165, 167, 168]));
        let mean = |codes: &[u32]| shown(&heights, ColumnStatistic::Mean, codes).unwrap();
        assert_eq!(mean(&[3, 4, 5, 6, 7, 8]), "164");
        assert_eq!(mean(&[1, 2]), "0.5");
        assert_eq!(mean(&[1, 1, 2]), "0.333333");
        assert_eq!(mean(&[0, 1, 1]), "-0.333333");
        assert_eq!(mean(&[0, 0, 1]), "-0.666667");
        // 1/128 = 0.0078125, which ends in half a unit of the sixth digit; the seventh goes to the even 2.
        assert_eq!(mean(&[&[2][..], &[1; 127]].concat()), "0.007812");
        // 3/128 = 0.0234375 goes to the even 8.
        assert_eq!(mean(&[&[2, 2, 2][..], &[1; 125]].concat()), "0.023438");
        assert_eq!(mean(&[&[0][..], &[1; 127]].concat()), "-0.007812");
    }

    #[test]
    fn a_mean_has_six_digits_more_than_its_column_as_far_as_there_is_room() {
        let tenths = column(ColumnDomain::Decimal { scale: 1, unscaled: vec![1, 2] });
        assert_eq!(shown(&tenths, ColumnStatistic::Mean, &[0, 0, 1]).unwrap(), "0.1333333");
        let largest = 10i128.pow(38) - 1;
        let wide = column(ColumnDomain::Decimal { scale: 2, unscaled: vec![-largest, largest - 1, largest] });
        // No room for another digit: the mean of two neighbours goes to the even one.
        assert_eq!(shown(&wide, ColumnStatistic::Mean, &[1, 2]), shown(&wide, ColumnStatistic::Median, &[1]));
        assert_eq!(shown(&wide, ColumnStatistic::Mean, &[0, 2]).unwrap(), "0");
        let small = column(ColumnDomain::Decimal { scale: 36, unscaled: vec![1, 2] });
        assert_eq!(shown(&small, ColumnStatistic::Mean, &[0, 0, 1]).unwrap(), format!("0.{}133", "0".repeat(35)));
    }

    #[test]
    fn the_mean_of_dates_is_rounded_down_to_a_day() {
        let days = column(ColumnDomain::Date(vec![-2, -1, 0, 1]));
        let mean = |codes: &[u32]| shown(&days, ColumnStatistic::Mean, codes).unwrap();
        assert_eq!(mean(&[2, 3]), "1970-01-01");
        assert_eq!(mean(&[0, 1]), "1969-12-30");
        assert_eq!(mean(&[0, 1, 1, 1]), "1969-12-30");
    }

    #[test]
    fn the_median_of_an_even_number_of_values_is_one_that_occurs() {
        let days = column(ColumnDomain::Date(vec![0, 10, 20, 30]));
        assert_eq!(shown(&days, ColumnStatistic::Median, &[0, 1, 2, 3]).unwrap(), "1970-01-11");
        assert_eq!(shown(&days, ColumnStatistic::Median, &[1, 2, 3]).unwrap(), "1970-01-21");
        let zips = column(ColumnDomain::Category(["24126", "24129", "24133"].map(str::to_owned).to_vec()));
        assert_eq!(shown(&zips, ColumnStatistic::Median, &[2, 0, 1]).unwrap(), "24129");
        assert_eq!(shown(&zips, ColumnStatistic::Median, &[2, 0]).unwrap(), "24126");
    }

    #[test]
    fn the_mode_of_equally_common_values_is_the_first() {
        let words = column(ColumnDomain::Category(["a", "b", "c"].map(str::to_owned).to_vec()));
        assert_eq!(shown(&words, ColumnStatistic::Mode, &[2, 1, 2, 1, 0]).unwrap(), "b");
        assert_eq!(shown(&words, ColumnStatistic::Mode, &[2, 1, 2]).unwrap(), "c");
    }

    #[test]
    fn missing_cells_are_not_counted() {
        let numbers = column(ColumnDomain::Integer(vec![4, 8]));
        for statistic in ColumnStatistic::ALL {
            assert_eq!(shown(&numbers, statistic, &[2, 2]), None);
            assert_eq!(shown(&numbers, statistic, &[2, 1, 2, 2]).unwrap(), "8");
        }
        assert_eq!(shown(&numbers, ColumnStatistic::Mean, &[0, 1, 2]).unwrap(), "6");
    }

    #[test]
    fn words_have_no_mean() {
        let words = column(ColumnDomain::Category(vec!["QZX7".to_owned()]));
        let told = ColumnSummary::new(&words, ColumnStatistic::Mean).unwrap_err().to_string();
        assert!(told.contains("column `q`") && told.contains(';') && !told.contains("QZX7"), "{told}");
    }

    /// Statistics by their definitions, on sorted numbers.
    fn literal(statistic: ColumnStatistic, sorted: &[i64]) -> Fraction {
        match statistic {
            ColumnStatistic::Mean => fraction(sorted.iter().sum::<i64>(), sorted.len()),
            ColumnStatistic::Median => fraction(sorted[(sorted.len() - 1) / 2], 1u8),
            ColumnStatistic::Mode => {
                let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
                sorted.iter().for_each(|&value| *counts.entry(value).or_default() += 1);
                // The last of the largest in reverse order is the first in order.
                fraction(*counts.iter().rev().max_by_key(|(_, count)| **count).unwrap().0, 1u8)
            }
        }
    }

    proptest! {
        #[test]
        fn statistics_are_what_they_are_defined_to_be(values in prop::collection::vec(-9i64..9, 1..40)) {
            let domain: Vec<i64> = (-9..9).collect();
            let numbers = column(ColumnDomain::Integer(domain));
            let codes: Vec<u32> = values.iter().map(|value| (value + 9) as u32).collect();
            let mut sorted = values;
            sorted.sort_unstable();
            for statistic in ColumnStatistic::ALL {
                let found = parse_fraction(&shown(&numbers, statistic, &codes).unwrap()).unwrap();
                let off = found - literal(statistic, &sorted);
                let slack = if statistic == ColumnStatistic::Mean { fraction(1, 2_000_000u32) } else { Fraction::ZERO };
                prop_assert!(off <= slack && off >= -slack);
            }
        }

        #[test]
        fn parts_with_the_same_statistic_have_it_together(
            first in prop::collection::vec(0u32..5, 1..12),
            second in prop::collection::vec(0u32..5, 1..12),
        ) {
            let numbers = column(ColumnDomain::Integer(vec![1, 2, 3, 5, 8]));
            for statistic in ColumnStatistic::ALL {
                let of_first = shown(&numbers, statistic, &first);
                if of_first == shown(&numbers, statistic, &second) {
                    prop_assert_eq!(of_first, shown(&numbers, statistic, &[first.clone(), second.clone()].concat()));
                }
            }
        }
    }
}
