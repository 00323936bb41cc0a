//! What holds on the classes of a release.

use pellucid_model::error::{Error, Result};
use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::histogram::Histogram;
use pellucid_model::partition::Partition;
use pellucid_model::principle::worst;
use pellucid_model::table::Column;
use rayon::prelude::*;

use super::altered::AlteredTable;
use crate::publisher::PublisherInput;
use pellucid_model::manifest::MeasuredPrinciple;

/// Fails when groups that `function` shows alike are judged by a principle that need not hold when they are joined.
pub(super) fn check_classes(
    plan: &PublisherInput<'_>,
    groups: &Partition,
    classes: &Partition,
    function: &str,
) -> Result<()> {
    let alike = groups.len() - classes.len();
    match plan.goals.iter().find(|goal| !goal.test.is_closed_under_mixtures()) {
        Some(goal) if alike > 0 => Err(Error::invalid(format!(
            "function `{function}` shows {alike} of {} groups like others, and `{}` need not hold for groups that are \
             joined; use function = \"hierarchy\" or \"anatomy\"",
            groups.len(),
            goal.principle.id()
        ))),
        _ => Ok(()),
    }
}

/// What classes show of the sensitive columns, whatever the principles ask for.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ShownShares {
    /// The largest share of one value in a class; `None` without a sensitive column.
    pub highest: Option<Fraction>,
    /// The same of protected values alone.
    pub protected: Option<Fraction>,
    /// People in a class where all have one value of some sensitive column.
    pub single: u64,
}

/// What `classes` show of `columns`, each with whether a code is protected; codes that are missing are all protected.
pub(super) fn shown_shares(classes: &Partition, columns: &[(&Column, Option<Vec<bool>>)]) -> ShownShares {
    let of_class = |class: usize| {
        let rows = classes.group(class);
        let largest = columns.iter().map(|(column, flags)| {
            let histogram = Histogram::of(rows.iter().map(|&row| column.code(row as usize)));
            let is_protected = |code: u32| flags.as_ref().is_none_or(|flags| flags[code as usize]);
            let bounded = histogram.entries().iter().filter(|entry| is_protected(entry.0));
            [Histogram::max(&histogram), bounded.map(|entry| entry.1).max().unwrap_or(0)]
        });
        let [all, protected] = largest.fold([0, 0], |[a, b], [c, d]| [a.max(c), b.max(d)]);
        let total = rows.len() as u64;
        ([(all, total), (protected, total)], if all == total { total } else { 0 })
    };
    let found = (0..classes.len()).into_par_iter().map(of_class);
    let found =
        found.reduce_with(|([a, b], one), ([c, d], other)| ([larger_share(a, c), larger_share(b, d)], one + other));
    let Some((shares, single)) = found.filter(|_| !columns.is_empty()) else { return ShownShares::default() };
    let [highest, protected] = shares.map(|(count, rows)| Some(fraction(count, rows)));
    ShownShares { highest, protected, single }
}

/// Measures every goal on every class: the worst parameter, and the largest share of a confidential sentence; on what is shown
/// of a column that is altered.
pub(super) fn measure(
    plan: &PublisherInput<'_>,
    classes: &Partition,
    altered: Option<&AlteredTable>,
) -> (Vec<MeasuredPrinciple>, Option<Fraction>) {
    let mut measured = Vec::new();
    let mut highest: Option<Fraction> = None;
    for goal in &plan.goals {
        let shown = altered.and_then(|altered| altered.codes(goal));
        let code = |row: usize| shown.map_or_else(|| goal.column.code(row), |codes| codes[row]);
        let of_class = |class: usize| {
            let rows = classes.group(class);
            goal.test.measure(&Histogram::of(rows.iter().map(|&row| code(row as usize))))
        };
        let worst_of =
            (0..classes.len()).into_par_iter().map(of_class).reduce_with(|a, b| worst(goal.principle.better(), a, b));
        let Some(value) = worst_of else { continue };
        // Of sentences the measure itself is the largest share.
        if goal.test.claims().is_some() {
            highest = highest.max(value.value());
        }
        measured.push(MeasuredPrinciple {
            principle: goal.principle.id().to_owned(),
            column: goal.column.name().to_owned(),
            value: value.to_string(),
        });
    }
    (measured, highest)
}

/// The larger of two shares, each `(count, rows)`.
fn larger_share(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    if u128::from(a.0) * u128::from(b.1) >= u128::from(b.0) * u128::from(a.1) { a } else { b }
}
