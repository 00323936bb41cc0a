//! Releases that show values which are not the table's, for publishers that alter them.

use pellucid_model::error::Result;
use pellucid_model::histogram::Histogram;
use pellucid_model::partition::Partition;
use pellucid_model::table::Table;
use pellucid_model::words::counted;

use crate::publisher::{PrivacyGoal, PublisherInput};

/// A table as it is shown, one sensitive column being altered.
#[derive(Debug)]
pub(super) struct AlteredTable {
    /// The table that is shown.
    pub table: Table,
    /// The altered column.
    pub column: String,
    /// By row, the code shown, of the domain of the original column.
    codes: Vec<u32>,
}

impl AlteredTable {
    /// `table` with `codes` in `column`.
    pub fn new(table: &Table, column: String, codes: Vec<u32>) -> Result<Self> {
        let shown = table
            .columns()
            .iter()
            .map(|original| if *original.name() == column { original.recoded(&codes) } else { Ok(original.clone()) });
        Ok(Self { table: Table::new(shown.collect::<Result<_>>()?)?, column, codes })
    }

    /// By row, the code that is shown of the goal's column, where that is altered.
    pub fn codes(&self, goal: &PrivacyGoal<'_>) -> Option<&[u32]> {
        (goal.column.name() == self.column).then_some(&self.codes)
    }

    /// Why the release may not be published, when what is shown of some class does not meet a goal.
    pub fn caveat(&self, plan: &PublisherInput<'_>, classes: &Partition) -> Option<String> {
        let fails = |goal: &PrivacyGoal<'_>, rows: &[u32]| {
            let codes = self.codes(goal)?;
            Some(!goal.test.holds(&Histogram::of(rows.iter().map(|&row| codes[row as usize]))))
        };
        let of_goal = |goal: &PrivacyGoal<'_>| classes.iter().filter(|rows| fails(goal, rows) == Some(true)).count();
        let failing = plan.goals.iter().map(of_goal).max().filter(|&failing| failing > 0)?;
        Some(format!(
            "{} not meet the principle, because a distribution that is copied to a group of another size is rounded; choose \
             another `k`, or another publisher",
            counted(failing, "class does", "classes do")
        ))
    }
}
