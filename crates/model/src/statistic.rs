//! Statistics that a release can show instead of several values.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
#[cfg(doc)]
use crate::table::MAX_DIGITS;
use crate::table::{Column, ColumnType};

/// Digits after the point that a mean has beyond those of its column.
pub const MEAN_DIGITS: u32 = 6;

/// What stands for several values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnStatistic {
    /// The arithmetic mean. Of numbers it is rounded half to even, computed exactly, to [`MEAN_DIGITS`] digits after
    /// the point more than the column has (fewer where the column's numbers would then need more than
    /// [`MAX_DIGITS`] digits); of dates it is rounded down to a day.
    Mean,
    /// The middle value in the order of values; of an even number the lower one of the two, so that it occurs.
    Median,
    /// The commonest value; of equally common ones the first in the order of values.
    Mode,
}

impl ColumnStatistic {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Mean, Self::Median, Self::Mode];

    /// What stands for values of `kind` when nothing is said: the mean of numbers, the median of dates, the mode of
    /// categories.
    pub fn usual(kind: ColumnType) -> Self {
        match kind {
            ColumnType::Integer | ColumnType::Decimal => Self::Mean,
            ColumnType::Date => Self::Median,
            ColumnType::Category => Self::Mode,
        }
    }

    /// The word used in job files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Median => "median",
            Self::Mode => "mode",
        }
    }

    /// Fails when the values of `column` have no such statistic.
    pub fn check(self, column: &Column) -> Result<()> {
        if self != Self::Mean || column.domain().kind() != ColumnType::Category {
            return Ok(());
        }
        let (name, kind) = (column.name(), ColumnType::Category.as_str());
        Err(Error::invalid(format!(
            "column `{name}` has aggregate = \"{}\" but type `{kind}`; use \"median\" or \"mode\", or give it the type of \
             a number or date",
            self.as_str()
        )))
    }
}
