//! Measures of class sizes: discernibility and the average size of a class.

use pellucid_model::error::Result;
use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::registry::{NO_PARAMETERS, ProofStatus, RegistryEntry};

use super::{BoundMeasure, SearchMeasure};
use crate::search::instance::{GranulationView, SearchInstance};
use crate::search::score::MeasureScore;

/// Sum over classes of the square of their rows; a suppressed row counts n.
pub const DISCERNIBILITY: RegistryEntry<dyn SearchMeasure> = RegistryEntry {
    id: "discernibility",
    summary: "sum of the squared sizes of classes; a suppressed row counts as many as there are rows",
    reference: "Bayardo, Agrawal: Data Privacy through Optimal k-Anonymization, ICDE 2005",
    status: ProofStatus::Published,
    claims: &[],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Sizes::Discernibility)),
};

/// Rows divided by classes; all suppressed rows together are one more class.
pub const AVERAGE_SIZE: RegistryEntry<dyn SearchMeasure> = RegistryEntry {
    id: "average-class-size",
    summary: "rows divided by classes; the suppressed rows together are one class",
    reference: "LeFevre, DeWitt, Ramakrishnan: Mondrian, ICDE 2006 (not divided by k, as in ARX)",
    status: ProofStatus::Published,
    claims: &[],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Sizes::Average)),
};

#[derive(Debug, Clone, Copy)]
enum Sizes {
    Discernibility,
    Average,
}

impl SearchMeasure for Sizes {
    fn gauge(&self, _ground: &SearchInstance<'_>) -> Result<Box<dyn BoundMeasure>> {
        Ok(Box::new(*self))
    }
}

impl BoundMeasure for Sizes {
    fn floor(&self, _levels: &[u32]) -> f64 {
        f64::NEG_INFINITY
    }

    /// Joining classes adds to the sum of squares and takes from the number of classes; suppression costs more than the
    /// class did. So the value without suppression bounds all that is less specific.
    fn floor_seen(&self, view: &GranulationView<'_>) -> f64 {
        let floor = match self {
            Self::Discernibility => view.sizes().map(|(rows, _)| (rows * rows) as f64).sum(),
            Self::Average => view.rows() as f64 / view.classes() as f64,
        };
        floor * (1.0 - 1e-12)
    }

    fn score(&self, view: &GranulationView<'_>) -> MeasureScore {
        let all = u128::from(view.rows());
        MeasureScore::ratio(match self {
            Self::Discernibility => {
                let cost = |(rows, passes): (u64, bool)| u128::from(rows) * if passes { u128::from(rows) } else { all };
                Fraction::from(view.sizes().map(cost).sum::<u128>())
            }
            Self::Average => {
                let kept = view.sizes().filter(|size| size.1).count() as u64;
                fraction(view.rows(), kept + u64::from(view.suppressed() > 0))
            }
        })
    }
}
