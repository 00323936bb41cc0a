//! Average-benefit security `sf`, weighted-entropy quality `ql`, and their product.

use pellucid_model::error::{Error, Result};
use pellucid_model::exact::Fraction;
use pellucid_model::exact::decimal;
use pellucid_model::principle::SentenceClaims;
use pellucid_model::registry::{NO_PARAMETERS, ProofStatus, RegistryEntry};

use super::columns::{by_column, weights};
use super::{BoundMeasure, SearchMeasure, WEIGHTS};
use crate::search::instance::{GranulationView, SearchInstance};
use crate::search::score::MeasureScore;

const REFERENCE: &str =
    "Wang, Liau, Hsu: Granulation as a Privacy Protection Mechanism, TRS VII, 2007, sections 4.1 to 4.3";

/// 1 minus the mean risk of a person, which is the sum over their confidential sentences of the damage times the share of
/// uncertainty that the class takes away: `max(1 - ln P(sentence in the class) / ln P(sentence), 0)`. A sentence that
/// everybody satisfies, or nobody in the class, has risk 0. Suppressed rows are not shown and have risk 0.
pub const SECURITY: RegistryEntry<dyn SearchMeasure> = RegistryEntry {
    id: "sf",
    summary: "average-benefit security: how little classes tell about confidential sentences",
    reference: REFERENCE,
    status: ProofStatus::Published,
    claims: &[],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Benefit { security: true, quality: false, weights: Vec::new() })),
};

/// The weighted mean over columns of the entropy of the partition of the domain, as a share of the entropy of the domain;
/// weights are divided by their sum. A column whose domain has a single value counts 0. Suppressed rows do not count.
pub const QUALITY: RegistryEntry<dyn SearchMeasure> = RegistryEntry {
    id: "ql",
    summary: "weighted entropy of the partitions of the columns' domains; 1 is the original",
    reference: REFERENCE,
    status: ProofStatus::Published,
    claims: &[],
    examples: NO_PARAMETERS,
    params: &[WEIGHTS],
    build: |args| Ok(Box::new(Benefit { security: false, quality: true, weights: weights(args)? })),
};

/// `sf` times `ql`.
pub const PRODUCT: RegistryEntry<dyn SearchMeasure> = RegistryEntry {
    id: "sf*ql",
    summary: "security times quality, the objective of the genetic search",
    reference: REFERENCE,
    status: ProofStatus::Published,
    claims: &[],
    examples: NO_PARAMETERS,
    params: &[WEIGHTS],
    build: |args| Ok(Box::new(Benefit { security: true, quality: true, weights: weights(args)? })),
};

#[derive(Debug)]
struct Benefit {
    security: bool,
    quality: bool,
    weights: Vec<(String, Fraction)>,
}

impl SearchMeasure for Benefit {
    fn looks_at_sensitive_values(&self) -> bool {
        self.security
    }

    fn gauge(&self, ground: &SearchInstance<'_>) -> Result<Box<dyn BoundMeasure>> {
        let quality = self.quality.then(|| qualities(ground, &self.weights)).transpose()?;
        let mut security = None;
        if self.security {
            let claimed = ground.tests().iter().find_map(|(judged, test)| Some(((*judged)?, test.claims()?)));
            let (judged, claims) = claimed.ok_or_else(|| {
                Error::invalid(
                    "`sf` measures what classes tell about confidential sentences, and the job has none; add a [[privacy]] \
                     section with principle = \"logical-security\" or choose another measure",
                )
            })?;
            security = Some(Security::new(judged, claims));
        }
        Ok(Box::new(BenefitGauge { security, quality }))
    }
}

/// By column and partition, its part of `ql`.
fn qualities(ground: &SearchInstance<'_>, weights: &[(String, Fraction)]) -> Result<Vec<Vec<f64>>> {
    let weights = by_column(weights, ground)?;
    let total = weights.iter().fold(Fraction::ZERO, |sum, weight| sum + weight);
    let of_column = |(column, weight): (usize, &Fraction)| {
        let partitions = ground.lattice().columns()[column].partitions();
        let share = decimal(&(weight / &total));
        partitions.iter().map(|partition| share * entropy_share(partition)).collect()
    };
    Ok(weights.iter().enumerate().map(of_column).collect())
}

/// The entropy of a partition over that of the domain.
fn entropy_share(partition: &crate::search::AdmissiblePartition) -> f64 {
    let domain = partition.domain() as f64;
    if domain <= 1.0 {
        return 0.0;
    }
    let sizes = partition.values.iter().chain(&partition.outside).filter(|&&size| size > 0);
    let entropy: f64 = sizes.map(|&size| -(size as f64 / domain) * (size as f64 / domain).ln()).sum();
    (entropy / domain.ln()).clamp(0.0, 1.0)
}

/// What is needed of [`SentenceClaims`], as floating-point numbers.
#[derive(Debug)]
struct Security {
    judged: usize,
    satisfied: Vec<Vec<bool>>,
    confidential: Vec<Vec<(usize, f64)>>,
    prior: Vec<f64>,
}

impl Security {
    fn new(judged: usize, claims: &SentenceClaims) -> Self {
        let damages = |of: &Vec<(usize, Fraction)>| of.iter().map(|(at, damage)| (*at, decimal(damage))).collect();
        Self {
            judged,
            satisfied: claims.satisfied.clone(),
            confidential: claims.confidential.iter().map(damages).collect(),
            prior: claims.prior.iter().map(decimal).collect(),
        }
    }

    fn of(&self, view: &GranulationView<'_>) -> f64 {
        let mut risk = 0.0;
        let mut gains = vec![0.0; self.prior.len()];
        for (entries, rows, passes) in view.tallies(self.judged) {
            if !passes {
                continue;
            }
            for (sentence, gain) in gains.iter_mut().enumerate() {
                let satisfying = entries.iter().filter(|entry| self.satisfied[entry.0 as usize][sentence]);
                let satisfying: u64 = satisfying.map(|entry| u64::from(entry.1)).sum();
                *gain = benefit(self.prior[sentence], satisfying as f64 / rows as f64);
            }
            for &(code, count) in entries {
                let own: f64 = self.confidential[code as usize].iter().map(|(at, damage)| damage * gains[*at]).sum();
                risk += f64::from(count) * own;
            }
        }
        1.0 - risk / view.rows().max(1) as f64
    }
}

/// The share of the uncertainty about a sentence that is taken away.
fn benefit(prior: f64, posterior: f64) -> f64 {
    if prior >= 1.0 || posterior <= 0.0 {
        0.0
    } else if prior <= 0.0 {
        1.0
    } else {
        (1.0 - posterior.ln() / prior.ln()).max(0.0)
    }
}

#[derive(Debug)]
struct BenefitGauge {
    security: Option<Security>,
    quality: Option<Vec<Vec<f64>>>,
}

impl BenefitGauge {
    fn quality(&self, levels: &[u32]) -> f64 {
        self.quality.as_ref().map_or(1.0, |by_column| {
            by_column.iter().zip(levels).map(|(by_level, &level)| by_level[level as usize]).sum()
        })
    }
}

impl BoundMeasure for BenefitGauge {
    /// Security is at most 1, and the quality of what is less specific is not higher.
    fn floor(&self, levels: &[u32]) -> f64 {
        -self.quality(levels) * (1.0 + 1e-9)
    }

    fn looks_at_histograms(&self) -> bool {
        self.security.is_some()
    }

    /// Classes that are joined tell less about their people.
    fn is_monotone(&self) -> bool {
        self.security.is_none()
    }

    fn score(&self, view: &GranulationView<'_>) -> MeasureScore {
        let security = self.security.as_ref().map_or(1.0, |security| security.of(view));
        MeasureScore::larger_is_better(security * self.quality(view.levels))
    }
}
