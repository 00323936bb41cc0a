//! Hierarchies of intervals between borders that are written out; they need not be of equal width.

use serde_json::{Value, json};

use super::Hierarchy;
use super::draft::{HierarchyDraft, LeafPartition};
use super::leaves::parse_day;
use super::spec::{SpecKeys, number_text};
use super::widths::{exact_value, interval_label, parse_decimal, rescale};
use crate::error::{Error, Result};
use crate::table::{Column, ColumnDomain, ColumnType, format_decimal};
use crate::words::counted;

/// Borders in ascending order: level 1 has the intervals from each border to below the next, level 2 joins them.
///
/// Labels are those of [`super::WidthIntervals`]: `[30, 44]` for integers and dates, `[1.5, 2)` for decimals. A missing cell lies
/// in no interval.
///
/// # Guarantee
/// Every value of the column lies in exactly one interval; a column with a value outside is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BorderIntervals {
    /// As written, blanks removed.
    texts: Vec<String>,
}

impl BorderIntervals {
    /// Borders, each written like `5`, `0.25` or `2020-01-31`.
    ///
    /// # Errors
    /// When there are fewer than two, one is no number and no date, or they do not ascend.
    pub fn new<S: AsRef<str>>(borders: &[S]) -> Result<Self> {
        let texts: Vec<String> = borders.iter().map(|border| border.as_ref().trim().to_owned()).collect();
        if texts.len() < 2 {
            return Err(Error::bad_hierarchy(
                "`borders` enclose at least one interval; give two or more, like [0, 50]",
            ));
        }
        let made = Self { texts };
        made.positions(if parse_day(&made.texts[0]).is_some() { ColumnType::Date } else { ColumnType::Decimal })?;
        Ok(made)
    }

    /// The borders as text, ascending.
    pub fn borders(&self) -> &[String] {
        &self.texts
    }

    /// The borders on a number line for a column of `kind`, as `(positions, scale)`.
    fn positions(&self, kind: ColumnType) -> Result<(Vec<i128>, u32)> {
        let mut parsed = Vec::with_capacity(self.texts.len());
        for text in &self.texts {
            parsed.push(match (kind, parse_day(text)) {
                (ColumnType::Date, Some(day)) => (day.into(), 0),
                (ColumnType::Date, None) => {
                    return Err(Error::bad_hierarchy(format!(
                        "`borders` of dates must be dates, not `{text}`; write them like \"2020-01-31\""
                    )));
                }
                _ => parse_decimal("borders", text)?,
            });
        }
        let scale = parsed.iter().map(|&(_, scale)| scale).max().unwrap_or(0);
        let scaled = parsed.into_iter().map(|(unscaled, from)| rescale(unscaled, from, scale));
        let positions = scaled
            .collect::<Option<Vec<i128>>>()
            .ok_or_else(|| Error::bad_hierarchy("`borders` have too many digits; round them"))?;
        if let Some(at) = positions.windows(2).position(|pair| pair[0] >= pair[1]) {
            return Err(Error::bad_hierarchy(format!(
                "`borders` must ascend, but {} follows {}; sort them",
                self.texts[at + 1],
                self.texts[at]
            )));
        }
        Ok((positions, scale))
    }

    pub(super) fn from_options(options: &mut SpecKeys) -> Result<Self> {
        let borders = options.list("borders")?;
        let texts = borders.iter().map(|border| number_text("borders", border)).collect::<Result<Vec<String>>>()?;
        Self::new(&texts)
    }

    pub(super) fn to_value(&self) -> Value {
        json!({ "borders": self.texts.iter().map(|text| exact_value(text)).collect::<Vec<Value>>() })
    }

    /// The hierarchy for `column`.
    ///
    /// # Errors
    /// When the column holds words, the borders are of another type, or a value lies outside them.
    pub fn build(&self, column: &Column) -> Result<Hierarchy> {
        let name = column.name();
        let kind = column.domain().kind();
        let (values, value_scale): (Vec<i128>, u32) = match column.domain() {
            ColumnDomain::Integer(values) => (values.iter().map(|&value| value.into()).collect(), 0),
            ColumnDomain::Decimal { scale, unscaled } => (unscaled.clone(), *scale),
            ColumnDomain::Date(days) => (days.iter().map(|&day| day.into()).collect(), 0),
            ColumnDomain::Category(_) => {
                return Err(Error::bad_hierarchy(format!(
                    "column `{name}` is a {kind} column, `borders` need integers, decimals or dates; declare its `type` or \
                     use levels of a hierarchy"
                )));
            }
        };
        let (borders, border_scale) = self.positions(kind)?;
        if kind == ColumnType::Integer && border_scale > 0 {
            return Err(Error::bad_hierarchy(format!(
                "column `{name}` is of type {kind}, so `borders` must be whole numbers"
            )));
        }
        let scale = border_scale.max(value_scale);
        let rescaled = |positions: Vec<i128>, from| {
            let rescaled: Option<Vec<i128>> = positions.into_iter().map(|at| rescale(at, from, scale)).collect();
            rescaled.ok_or_else(|| {
                Error::bad_hierarchy(format!("column `{name}` and `borders` together have too many digits; round them"))
            })
        };
        let (values, borders) = (rescaled(values, value_scale)?, rescaled(borders, border_scale)?);
        let outside = values.iter().filter(|&&value| value < borders[0] || value >= borders[borders.len() - 1]).count();
        if outside > 0 {
            return Err(Error::bad_hierarchy(format!(
                "column `{name}` has {} outside its `borders`, from {} to below {}; widen them",
                counted(outside, "distinct value", "distinct values"),
                format_decimal_or_day(kind, borders[0], scale),
                format_decimal_or_day(kind, borders[borders.len() - 1], scale),
            )));
        }
        let blocks = values.iter().map(|&value| borders.partition_point(|&border| border <= value) as u32 - 1);
        let labels = borders.windows(2).map(|ends| interval_label(kind, scale, ends[0], ends[1]));
        let partition = LeafPartition { blocks: blocks.collect(), labels: labels.collect() };
        HierarchyDraft::of_values(column, vec![partition]).nested(column)
    }
}

fn format_decimal_or_day(kind: ColumnType, position: i128, scale: u32) -> String {
    match (kind, i32::try_from(position)) {
        (ColumnType::Date, Ok(day)) => crate::table::format_date(day),
        _ => format_decimal(position, scale),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::tests::{age_column, labels};

    #[test]
    fn intervals_lie_between_neighbouring_borders() {
        let ages = age_column(ColumnDomain::Integer(vec![20, 29, 30, 44, 45, 69]));
        let hierarchy = BorderIntervals::new(&["20", "30", "45", "60", "70"]).unwrap().build(&ages).unwrap();
        // Nobody is 45 to 59 but the 45-year-old; intervals without a value have no node.
        assert_eq!(labels(&hierarchy, 1), ["[20, 29]", "[30, 44]", "[45, 59]", "[60, 69]"]);
        assert_eq!(labels(&hierarchy, 2), ["*"]);
        let days = age_column(ColumnDomain::Date(vec![18262, 18266]));
        let hierarchy =
            BorderIntervals::new(&["2020-01-01", "2020-01-05", "2020-02-01"]).unwrap().build(&days).unwrap();
        assert_eq!(labels(&hierarchy, 1), ["[2020-01-01, 2020-01-04]", "[2020-01-05, 2020-01-31]"]);
        let doses = age_column(ColumnDomain::Decimal { scale: 1, unscaled: vec![5, 12] });
        let hierarchy = BorderIntervals::new(&["0", "0.75", "2"]).unwrap().build(&doses).unwrap();
        assert_eq!(labels(&hierarchy, 1), ["[0, 0.75)", "[0.75, 2)"]);
    }

    #[test]
    fn borders_that_do_not_fit_are_refused() {
        for (borders, word) in [
            (&["5"][..], "two or more"),
            (&["5", "5"], "must ascend"),
            (&["5", "x"], "not a number"),
            (&[], "two or more"),
        ] {
            let message = BorderIntervals::new(borders).unwrap_err().to_string();
            assert!(message.contains(word), "{message}");
        }
        let build = |borders: &[&str], domain| {
            BorderIntervals::new(borders).unwrap().build(&age_column(domain)).unwrap_err().to_string()
        };
        let message = build(&["20", "30"], ColumnDomain::Integer(vec![19, 25, 30]));
        assert_eq!(
            message,
            "column `age` has 2 distinct values outside its `borders`, from 20 to below 30; widen them"
        );
        assert!(build(&["0", "1"], ColumnDomain::Category(vec!["a".into()])).contains("`borders` need integers"));
        assert!(build(&["0", "1.5"], ColumnDomain::Integer(vec![1])).contains("whole numbers"));
        assert!(build(&["0", "1"], ColumnDomain::Date(vec![0])).contains("must be dates"));
    }
}
