//! Hierarchies of dates by the calendar: day, month, quarter, year, decade.

use chrono::{Datelike, NaiveDate};
use serde_json::{Value, json};

use super::Hierarchy;
use super::draft::{HierarchyDraft, LeafPartition};
use super::spec::SpecKeys;
use crate::error::{Error, Result};
use crate::registry::did_you_mean;
use crate::table::{Column, ColumnDomain};

/// A unit of the calendar that a date is truncated to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DatePart {
    /// `2021-03`
    Month,
    /// `2021-Q1`
    Quarter,
    /// `2021`
    Year,
    /// `2020s`: the ten years whose numbers differ in the last digit only.
    Decade,
}

impl DatePart {
    /// All units, finest first.
    pub const ALL: [Self; 4] = [Self::Month, Self::Quarter, Self::Year, Self::Decade];

    /// The word used in job files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
            Self::Decade => "decade",
        }
    }

    /// A number that equal units share and that grows with time.
    fn index(self, date: NaiveDate) -> i32 {
        match self {
            Self::Month => date.year() * 12 + date.month0() as i32,
            Self::Quarter => date.year() * 4 + date.month0() as i32 / 3,
            Self::Year => date.year(),
            Self::Decade => date.year().div_euclid(10),
        }
    }

    fn label(self, date: NaiveDate) -> String {
        let year = date.year();
        match self {
            Self::Month => format!("{year:04}-{:02}", date.month()),
            Self::Quarter => format!("{year:04}-Q{}", date.month0() / 3 + 1),
            Self::Year => format!("{year:04}"),
            Self::Decade => format!("{:04}s", year.div_euclid(10) * 10),
        }
    }
}

/// Truncation of dates to ever coarser units, a level each.
///
/// A missing cell lies in no unit; it joins the others only under [`super::ANY`].
///
/// # Guarantee
/// Each unit is made up of whole finer ones, so levels are nested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateTruncation {
    parts: Vec<DatePart>,
}

impl DateTruncation {
    /// Truncation to `parts`, finest first.
    ///
    /// # Errors
    /// When there are none, or a unit is not coarser than the one before it.
    pub fn new(parts: Vec<DatePart>) -> Result<Self> {
        if parts.is_empty() || parts.windows(2).any(|pair| pair[1] <= pair[0]) {
            return Err(Error::bad_hierarchy(format!(
                "`truncate` of a hierarchy must name ever coarser units; keep the order {}",
                known_words()
            )));
        }
        Ok(Self { parts })
    }

    /// The units, finest first.
    pub fn parts(&self) -> &[DatePart] {
        &self.parts
    }

    pub(super) fn from_options(options: &mut SpecKeys) -> Result<Self> {
        let mut parts = Vec::new();
        for value in options.list("truncate")? {
            let word = value.as_str().unwrap_or_default();
            let part = DatePart::ALL.into_iter().find(|part| part.as_str() == word).ok_or_else(|| {
                let hint = did_you_mean(word, DatePart::ALL.map(DatePart::as_str));
                Error::bad_hierarchy(format!(
                    "`truncate` of a hierarchy knows no unit {value}{hint}; the units are {}",
                    known_words()
                ))
            })?;
            parts.push(part);
        }
        Self::new(parts)
    }

    pub(super) fn to_value(&self) -> Value {
        json!({ "truncate": self.parts.iter().map(|part| part.as_str()).collect::<Vec<_>>() })
    }

    pub(super) fn build(&self, column: &Column) -> Result<Hierarchy> {
        let name = column.name();
        let ColumnDomain::Date(days) = column.domain() else {
            return Err(Error::bad_hierarchy(format!(
                "column `{name}` is of type {}, `truncate` needs dates; use `widths`, `mask`, `tree` or a file",
                column.domain().kind()
            )));
        };
        let dates = days.iter().map(|&day| NaiveDate::from_epoch_days(day)).collect::<Option<Vec<_>>>();
        let dates = dates.ok_or_else(|| {
            Error::bad_hierarchy(format!("column `{name}` has a date outside the calendar; use `widths` instead"))
        })?;
        let levels = self.parts.iter().map(|&part| level(&dates, part)).collect();
        HierarchyDraft::of_values(column, levels).nested(column)
    }
}

/// One level; `dates` ascend, so equal units are adjacent.
fn level(dates: &[NaiveDate], part: DatePart) -> LeafPartition {
    let mut partition = LeafPartition { blocks: Vec::with_capacity(dates.len()), labels: Vec::new() };
    let mut current = None;
    for &date in dates {
        let index = Some(part.index(date));
        if index != current {
            current = index;
            partition.labels.push(part.label(date));
        }
        partition.blocks.push(partition.labels.len() as u32 - 1);
    }
    partition
}

fn known_words() -> String {
    DatePart::ALL.map(|part| format!("`{}`", part.as_str())).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::leaves::parse_day;
    use crate::hierarchy::tests::labels;
    use crate::table::Role;

    fn column(dates: &[&str], missing: bool) -> Column {
        let days = dates.iter().map(|date| parse_day(date).unwrap()).collect();
        Column::new("birth", Role::Quasi, ColumnDomain::Date(days), missing, vec![0]).unwrap()
    }

    #[test]
    fn dates_are_truncated_along_the_calendar() {
        let column = column(&["2019-12-31", "2020-01-01", "2021-03-05", "2021-03-31", "2021-04-01"], false);
        let hierarchy = DateTruncation::new(DatePart::ALL.to_vec()).unwrap().build(&column).unwrap();
        assert_eq!(labels(&hierarchy, 0)[0], "2019-12-31");
        assert_eq!(labels(&hierarchy, 1), ["2019-12", "2020-01", "2021-03", "2021-04"]);
        assert_eq!(labels(&hierarchy, 2), ["2019-Q4", "2020-Q1", "2021-Q1", "2021-Q2"]);
        assert_eq!(labels(&hierarchy, 3), ["2019", "2020", "2021"]);
        assert_eq!(labels(&hierarchy, 4), ["2010s", "2020s"]);
        assert_eq!(labels(&hierarchy, 5), ["*"]);
    }

    #[test]
    fn a_missing_date_lies_in_no_year() {
        let hierarchy =
            DateTruncation::new(vec![DatePart::Year]).unwrap().build(&column(&["2020-05-05"], true)).unwrap();
        assert_eq!(labels(&hierarchy, 1), ["2020", "(missing)"]);
        assert_eq!(labels(&hierarchy, 2), ["*"]);
    }

    #[test]
    fn units_out_of_order_are_refused() {
        assert!(DateTruncation::new(vec![DatePart::Year, DatePart::Month]).is_err());
        assert!(DateTruncation::new(vec![DatePart::Year, DatePart::Year]).is_err());
        assert!(DateTruncation::new(vec![]).is_err());
    }

    #[test]
    fn only_dates_are_truncated() {
        let ages = Column::new("age", Role::Quasi, ColumnDomain::Integer(vec![1]), false, vec![0]).unwrap();
        let message = DateTruncation::new(vec![DatePart::Year]).unwrap().build(&ages).unwrap_err().to_string();
        assert!(message.starts_with("column `age` is of type integer, `truncate` needs dates; "), "{message}");
    }
}
