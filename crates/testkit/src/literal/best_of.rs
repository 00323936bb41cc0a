//! The best of several answers, written down as it is defined.

use pellucid_model::exact::{Fraction, fraction};

use crate::instance::{Output, Outputs};

/// Rows times extents of their boxes as shares of `norm`, summed: what a release costs.
pub fn perimeter(output: &Output, norm: &[i64]) -> Fraction {
    let mut cost = Fraction::ZERO;
    for (bounds, _) in output {
        for (&(low, high), &norm) in bounds.iter().zip(norm).filter(|(_, norm)| **norm > 0) {
            cost += fraction(high - low, norm as u64);
        }
    }
    cost
}

/// Every combination of the answers of all members, each drawing for itself, of which the one that costs least is kept, the
/// first of equally good ones; nothing costs more than anything.
pub fn best_of(members: &[Outputs], norm: &[i64]) -> Outputs {
    let mut kept = Outputs::from([(None, Fraction::ONE)]);
    for member in members {
        let mut next = Outputs::new();
        for (before, chance) in &kept {
            for (answer, probability) in member {
                let costs = (before.as_ref().map(|output| perimeter(output, norm)), answer.as_ref());
                let better = match costs {
                    (_, None) => false,
                    (None, Some(_)) => true,
                    (Some(least), Some(answer)) => perimeter(answer, norm) < least,
                };
                let best = if better { answer } else { before };
                *next.entry(best.clone()).or_insert(Fraction::ZERO) += chance * probability;
            }
        }
        kept = next;
    }
    kept
}
