//! What holds on the classes of a release.

use rayon::prelude::*;

use super::altered::Altered;
use crate::error::{Error, Result};
use crate::exact::{Fraction, fraction};
use crate::histogram::Histogram;
use crate::principle::worst;
use crate::publish::{Groups, Plan};
use crate::release::Measured;

/// Fails when groups that `function` shows alike are judged by a principle that need not hold when they are joined.
pub(super) fn check_classes(plan: &Plan<'_>, groups: &Groups, classes: &Groups, function: &str) -> Result<()> {
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

/// Measures every goal on every class: the worst parameter, and the largest share of one (protected) value or of a
/// confidential sentence; on what is shown of a column that is altered.
pub(super) fn measure(
    plan: &Plan<'_>,
    classes: &Groups,
    altered: Option<&Altered>,
) -> (Vec<Measured>, Option<Fraction>) {
    let mut measured = Vec::new();
    let mut highest: Option<Fraction> = None;
    for goal in &plan.goals {
        let flags = goal.protected.as_deref();
        let shown = altered.and_then(|altered| altered.codes(goal));
        let code = |row: usize| shown.map_or_else(|| goal.column.code(row), |codes| codes[row]);
        let of_class = |class: usize| {
            let rows = classes.group(class);
            let histogram = Histogram::of(rows.iter().map(|&row| code(row as usize)));
            let bounded = histogram.entries().iter().filter(|entry| flags.is_none_or(|flags| flags[entry.0 as usize]));
            let largest = bounded.map(|entry| entry.1).max().unwrap_or(0);
            (goal.test.measure(&histogram), (largest, histogram.total()))
        };
        let worst_of = (0..classes.len())
            .into_par_iter()
            .map(of_class)
            .reduce_with(|a, b| (worst(goal.principle.better(), a.0, b.0), larger_share(a.1, b.1)));
        let Some((value, (count, rows))) = worst_of else { continue };
        // Of sentences the measure itself is the largest share.
        let share = if goal.test.claims().is_some() { value.value() } else { Some(fraction(count, rows)) };
        if goal.principle.needs_sensitive() {
            highest = highest.max(share);
        }
        measured.push(Measured {
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
