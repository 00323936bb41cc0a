//! Hierarchies of intervals: each level cuts the number line into intervals of one width, from a common origin.

use serde_json::{Value, json};

use super::Hierarchy;
use super::draft::{HierarchyDraft, LeafPartition};
use super::leaves::{canonical_decimal, parse_day};
use super::spec::{SpecKeys, number_text};
use crate::error::{Error, Result};
use crate::table::{Column, ColumnDomain, ColumnType, format_date, format_decimal};

/// Where intervals begin: the start of one interval of every level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A number times `10^scale` of its [`WidthIntervals`]; for dates a whole number of days since 1970-01-01.
    Number(i128),
    /// A day, given as days since 1970-01-01; for dates only.
    Day(i32),
}

/// Interval widths, finest first: numbers for integer and decimal columns, days for date columns.
///
/// On the level of width `w`, the value `v` lies in the interval `[o + i w, o + (i + 1) w)` with origin `o` and `i` the
/// floor of `(v - o) / w`. Labels name the first and the last value of an interval, `[20, 24]`, for integers and dates;
/// between decimals there is no last one, so the upper end is left out: `[1.5, 2)`. A missing cell lies in no interval;
/// it joins the others only under [`super::ANY`].
///
/// # Guarantee
/// Each width is a multiple of the one before it and the origin is common, so levels are nested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WidthIntervals {
    scale: u32,
    /// The widths times `10^scale`, finest first.
    steps: Vec<i128>,
    origin: Origin,
}

impl WidthIntervals {
    /// Interval widths and an origin, each written like `5` or `0.25`; the origin may be a date.
    ///
    /// # Errors
    /// When there is no width, one is not above zero, or one is no larger multiple of the one before it.
    pub fn new<S: AsRef<str>>(widths: &[S], origin: &str) -> Result<Self> {
        let parsed =
            widths.iter().map(|width| parse_decimal("widths", width.as_ref())).collect::<Result<Vec<(i128, u32)>>>()?;
        let day = parse_day(origin);
        let start = if day.is_some() { (0, 0) } else { parse_decimal("origin", origin)? };
        let scale = parsed.iter().chain([&start]).map(|&(_, scale)| scale).max().unwrap_or(0);
        let too_long = || Error::bad_hierarchy("`widths` and `origin` of a hierarchy have too many digits; round them");
        let scaled = parsed.into_iter().map(|(unscaled, from)| rescale(unscaled, from, scale));
        let widths = scaled.collect::<Option<Vec<i128>>>().ok_or_else(too_long)?;
        if widths.is_empty() {
            return Err(Error::bad_hierarchy("`widths` of a hierarchy names no width; give some, like [5, 10, 20]"));
        }
        if let Some(&width) = widths.iter().find(|&&width| width <= 0) {
            let width = format_decimal(width, scale);
            return Err(Error::bad_hierarchy(format!("width {width} of a hierarchy must be above zero")));
        }
        if let Some(pair) = widths.windows(2).find(|pair| pair[1] <= pair[0] || pair[1] % pair[0] != 0) {
            let (fine, coarse) = (format_decimal(pair[0], scale), format_decimal(pair[1], scale));
            let next = format_decimal(pair[0].saturating_mul(2), scale);
            return Err(Error::bad_hierarchy(format!(
                "width {coarse} of a hierarchy must be a larger multiple of width {fine} before it; take {next} or so"
            )));
        }
        let origin = match day {
            Some(day) => Origin::Day(day),
            None => Origin::Number(rescale(start.0, start.1, scale).ok_or_else(too_long)?),
        };
        Ok(Self { scale, steps: widths, origin })
    }

    /// The widths, as text, finest first.
    pub fn widths(&self) -> Vec<String> {
        self.steps.iter().map(|&width| format_decimal(width, self.scale)).collect()
    }

    /// Where intervals begin, as text.
    pub fn origin(&self) -> String {
        match self.origin {
            Origin::Number(number) => format_decimal(number, self.scale),
            Origin::Day(day) => format_date(day),
        }
    }

    pub(super) fn from_options(options: &mut SpecKeys) -> Result<Self> {
        let widths = options.list("widths")?;
        let widths = widths.iter().map(|width| number_text("widths", width)).collect::<Result<Vec<String>>>()?;
        let origin = options.take("origin").map_or(Ok("0".to_owned()), |origin| number_text("origin", &origin))?;
        Self::new(&widths, &origin)
    }

    pub(super) fn to_value(&self) -> Value {
        let widths: Vec<Value> = self.widths().iter().map(|width| exact_value(width)).collect();
        json!({ "widths": widths, "origin": exact_value(&self.origin()) })
    }

    pub(super) fn build(&self, column: &Column) -> Result<Hierarchy> {
        let name = column.name();
        let kind = column.domain().kind();
        let (mut positions, value_scale): (Vec<i128>, u32) = match column.domain() {
            ColumnDomain::Integer(values) => (values.iter().map(|&value| value.into()).collect(), 0),
            ColumnDomain::Decimal { scale, unscaled } => (unscaled.clone(), *scale),
            ColumnDomain::Date(days) => (days.iter().map(|&day| day.into()).collect(), 0),
            ColumnDomain::Category(_) => {
                return Err(Error::bad_hierarchy(format!(
                    "column `{name}` is a {kind} column, `widths` needs integers, decimals or dates; use `mask`, \
                     `tree` or a file"
                )));
            }
        };
        if kind != ColumnType::Decimal && self.scale > 0 {
            return Err(Error::bad_hierarchy(format!(
                "column `{name}` is of type {kind}, so `widths` and `origin` must be whole numbers"
            )));
        }
        let too_long =
            || Error::bad_hierarchy(format!("column `{name}` and `widths` together have too many digits; round them"));
        let scale = self.scale.max(value_scale);
        for position in &mut positions {
            *position = rescale(*position, value_scale, scale).ok_or_else(too_long)?;
        }
        let origin = match self.origin {
            Origin::Number(number) => rescale(number, self.scale, scale).ok_or_else(too_long)?,
            Origin::Day(day) if kind == ColumnType::Date => day.into(),
            Origin::Day(_) => {
                return Err(Error::bad_hierarchy(format!(
                    "column `{name}` is of type {kind}, so `origin` must be a number, not a date"
                )));
            }
        };
        let mut levels = Vec::with_capacity(self.steps.len());
        for &width in &self.steps {
            let width = rescale(width, self.scale, scale).ok_or_else(too_long)?;
            levels.push(
                cut(&positions, origin, width, |low, high| interval_label(kind, scale, low, high))
                    .ok_or_else(too_long)?,
            );
        }
        HierarchyDraft::of_values(column, levels).nested(column)
    }
}

/// Cuts ascending `positions` into intervals; `None` when an end does not fit into 128 bits.
fn cut(positions: &[i128], origin: i128, width: i128, label: impl Fn(i128, i128) -> String) -> Option<LeafPartition> {
    let mut partition = LeafPartition { blocks: Vec::with_capacity(positions.len()), labels: Vec::new() };
    let mut current = None;
    for &position in positions {
        let index = position.checked_sub(origin)?.div_euclid(width);
        if current != Some(index) {
            current = Some(index);
            let low = index.checked_mul(width)?.checked_add(origin)?;
            partition.labels.push(label(low, low.checked_add(width)?));
        }
        partition.blocks.push(partition.labels.len() as u32 - 1);
    }
    Some(partition)
}

/// The label of the interval from `low` to below `high`.
pub(super) fn interval_label(kind: ColumnType, scale: u32, low: i128, high: i128) -> String {
    let date = |day: i128| i32::try_from(day).map_or_else(|_| format!("day {day}"), format_date);
    match kind {
        ColumnType::Decimal => format!("[{}, {})", format_decimal(low, scale), format_decimal(high, scale)),
        ColumnType::Date => format!("[{}, {}]", date(low), date(high - 1)),
        ColumnType::Integer | ColumnType::Category => format!("[{low}, {}]", high - 1),
    }
}

/// `unscaled / 10^from` in units of `10^-to`, where `to` is not below `from`; `None` when it does not fit into 128 bits.
pub(super) fn rescale(unscaled: i128, from: u32, to: u32) -> Option<i128> {
    unscaled.checked_mul(10_i128.checked_pow(to - from)?)
}

/// Reads `12.5` as `(125, 1)`.
pub(super) fn parse_decimal(key: &str, text: &str) -> Result<(i128, u32)> {
    let canonical = canonical_decimal(text);
    let (whole, decimals) = canonical.split_once('.').unwrap_or((&canonical, ""));
    format!("{whole}{decimals}").parse().map(|unscaled| (unscaled, decimals.len() as u32)).map_err(|_| {
        Error::bad_hierarchy(format!("`{key}` of a hierarchy: `{text}` is not a number; write it like 5 or \"0.25\""))
    })
}

/// A number for a job file or manifest: as a number where that is exact, otherwise as text.
pub(super) fn exact_value(text: &str) -> Value {
    if let Ok(integer) = text.parse::<i64>() {
        return json!(integer);
    }
    match text.parse::<f64>() {
        Ok(float) if float.to_string() == text => json!(float),
        _ => json!(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::tests::{age_column, labels};
    use crate::table::Role;

    #[test]
    fn integers_fall_into_closed_intervals() {
        let ages = age_column(ColumnDomain::Integer(vec![-1, 0, 4, 5, 19, 20]));
        let hierarchy = WidthIntervals::new(&["5", "20"], "0").unwrap().build(&ages).unwrap();
        assert_eq!(labels(&hierarchy, 1), ["[-5, -1]", "[0, 4]", "[5, 9]", "[15, 19]", "[20, 24]"]);
        assert_eq!(labels(&hierarchy, 2), ["[-20, -1]", "[0, 19]", "[20, 39]"]);
        assert_eq!(labels(&hierarchy, 3), ["*"]);
        assert_eq!(hierarchy.leaves(2, 1), 4);
        assert_eq!(hierarchy.lowest_common_ancestor([1, 2]), Some((1, 1)));
    }

    #[test]
    fn the_origin_moves_the_intervals() {
        let ages = age_column(ColumnDomain::Integer(vec![17, 18, 26]));
        let hierarchy = WidthIntervals::new(&["10"], "17").unwrap().build(&ages).unwrap();
        assert_eq!(labels(&hierarchy, 1), ["[17, 26]"]);
        assert_eq!(hierarchy.levels(), 2);
    }

    #[test]
    fn decimals_fall_into_half_open_intervals() {
        // 1.25, 1.5, 1.99 and 2 in units of 0.01; widths finer than the values are exact too.
        let doses = age_column(ColumnDomain::Decimal { scale: 2, unscaled: vec![125, 150, 199, 200] });
        let hierarchy = WidthIntervals::new(&["0.125", "0.5"], "0").unwrap().build(&doses).unwrap();
        assert_eq!(labels(&hierarchy, 1), ["[1.25, 1.375)", "[1.5, 1.625)", "[1.875, 2)", "[2, 2.125)"]);
        assert_eq!(labels(&hierarchy, 2), ["[1, 1.5)", "[1.5, 2)", "[2, 2.5)"]);
    }

    #[test]
    fn dates_fall_into_intervals_of_days() {
        // 2020-01-01 is day 18262.
        let days = age_column(ColumnDomain::Date(vec![18262, 18266, 18267]));
        let hierarchy = WidthIntervals::new(&["5"], "2020-01-01").unwrap().build(&days).unwrap();
        assert_eq!(labels(&hierarchy, 1), ["[2020-01-01, 2020-01-05]", "[2020-01-06, 2020-01-10]"]);
        let by_number = WidthIntervals::new(&["5"], "18262").unwrap().build(&days).unwrap();
        assert_eq!(by_number, hierarchy);
    }

    #[test]
    fn a_missing_cell_lies_in_no_interval() {
        let ages = Column::new("age", Role::Quasi, ColumnDomain::Integer(vec![1, 2]), true, vec![0, 1, 2]).unwrap();
        let hierarchy = WidthIntervals::new(&["10"], "0").unwrap().build(&ages).unwrap();
        assert_eq!(labels(&hierarchy, 1), ["[0, 9]", "(missing)"]);
        assert_eq!(labels(&hierarchy, 2), ["*"]);
    }

    #[test]
    fn a_width_that_is_no_larger_multiple_is_refused() {
        let message = WidthIntervals::new(&["5", "12"], "0").unwrap_err().to_string();
        assert_eq!(message, "width 12 of a hierarchy must be a larger multiple of width 5 before it; take 10 or so");
        for widths in [vec!["5", "5"], vec!["10", "5"], vec!["0"], vec!["-1"], vec!["x"], vec!["0.3", "0.5"], vec![]] {
            assert!(WidthIntervals::new(&widths, "0").is_err(), "{widths:?}");
        }
    }

    #[test]
    fn widths_must_fit_the_type_of_the_column() {
        let half = WidthIntervals::new(&["0.5"], "0").unwrap();
        let message = half.build(&age_column(ColumnDomain::Integer(vec![1]))).unwrap_err().to_string();
        assert_eq!(message, "column `age` is of type integer, so `widths` and `origin` must be whole numbers");
        let message = half.build(&age_column(ColumnDomain::Category(vec!["a".into()]))).unwrap_err().to_string();
        assert!(message.contains("`widths` needs integers, decimals or dates"), "{message}");
        let dated = WidthIntervals::new(&["5"], "2020-01-01").unwrap();
        assert!(dated.build(&age_column(ColumnDomain::Integer(vec![1]))).is_err());
    }

    #[test]
    fn what_does_not_fit_into_128_bits_is_refused() {
        let wide = age_column(ColumnDomain::Decimal { scale: 0, unscaled: vec![i128::MAX] });
        assert!(WidthIntervals::new(&["5"], "-5").unwrap().build(&wide).is_err());
        assert!(WidthIntervals::new(&["0.5"], "0").unwrap().build(&wide).is_err());
        assert!(WidthIntervals::new(&["1e3"], "0").is_err());
    }
}
