//! Measures that add up over columns: loss, non-uniform entropy, precision and height.

use dashu_int::UBig;
use pellucid_model::error::{Error, Result};
use pellucid_model::exact::decimal;
use pellucid_model::exact::{Fraction, fraction, parse_fraction};
use pellucid_model::principle::{LN_ERROR, ln};
use pellucid_model::registry::{EntryArgs, NO_PARAMETERS, ProofStatus, RegistryEntry, did_you_mean};

use super::{BoundMeasure, SearchMeasure, WEIGHTS};
use crate::search::instance::{GranulationView, SearchInstance};
use crate::search::lattice::ColumnLattice;
use crate::search::score::MeasureScore;

/// Normalized certainty penalty: the mean over cells of (values under the label - 1) / (values of the column - 1); a
/// suppressed cell counts 1. ARX takes the geometric mean over columns instead where nothing else is said.
pub const LOSS: RegistryEntry<dyn SearchMeasure> = RegistryEntry {
    id: "loss",
    summary: "mean share of a column's values that a label hides (normalized certainty penalty)",
    reference: "Iyengar: Transforming Data to Satisfy Privacy Constraints, KDD 2002; Xu et al., KDD 2006",
    status: ProofStatus::Published,
    claims: &[],
    examples: NO_PARAMETERS,
    params: &[WEIGHTS],
    build: |args| Ok(Box::new(ColumnSum { kind: Kind::Loss, weights: weights(args)? })),
};

/// The sum over cells of -log2(rows with the value / rows with its label). A suppressed row costs, on top of that, what it
/// costs to join the labels of the suppressed rows into one: -log2(suppressed rows with the label / suppressed rows) for
/// every cell. This is ARX's definition with equal factors for generalization and suppression.
pub const ENTROPY: RegistryEntry<dyn SearchMeasure> = RegistryEntry {
    id: "non-uniform-entropy",
    summary: "bits lost when values become labels, by how often they occur",
    reference: "De Waal, Willenborg: Information Loss through Global Recoding and Local Suppression, 1999; Gionis, \
                Tassa: k-Anonymization with Minimal Loss of Information, TKDE 21(2), 2009",
    status: ProofStatus::Published,
    claims: &[],
    examples: NO_PARAMETERS,
    params: &[WEIGHTS],
    build: |args| Ok(Box::new(ColumnSum { kind: Kind::Entropy, weights: weights(args)? })),
};

/// The mean over cells of level / highest level; a suppressed cell counts 1. Sweeney's precision is 1 minus this.
pub const PRECISION: RegistryEntry<dyn SearchMeasure> = RegistryEntry {
    id: "precision",
    summary: "mean share of the way up the hierarchies (1 minus Sweeney's Prec)",
    reference: "Sweeney: Achieving k-Anonymity Privacy Protection Using Generalization and Suppression, IJUFKS 10(5), 2002",
    status: ProofStatus::Published,
    claims: &[],
    examples: NO_PARAMETERS,
    params: &[WEIGHTS],
    build: |args| Ok(Box::new(ColumnSum { kind: Kind::Precision, weights: weights(args)? })),
};

/// The sum of the levels; suppressed rows do not count.
pub const HEIGHT: RegistryEntry<dyn SearchMeasure> = RegistryEntry {
    id: "height",
    summary: "sum of the levels of all quasi columns",
    reference: "Samarati: Protecting Respondents' Identities in Microdata Release, IEEE TKDE 13(6), 2001",
    status: ProofStatus::Published,
    claims: &[],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(ColumnSum { kind: Kind::Height, weights: Vec::new() })),
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Loss,
    Entropy,
    Precision,
    Height,
}

#[derive(Debug)]
struct ColumnSum {
    kind: Kind,
    weights: Vec<(String, Fraction)>,
}

/// `{ age = 2, zip = 1 }`, which arrives as JSON.
pub(super) fn weights(args: &EntryArgs) -> Result<Vec<(String, Fraction)>> {
    let Some(text) = args.given(WEIGHTS.name) else { return Ok(Vec::new()) };
    let wrong = || {
        Error::invalid("`weights` must name columns with numbers of at least 0; write them like { age = 2, zip = 1 }")
    };
    let table: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).map_err(|_| wrong())?;
    let weights = table.into_iter().map(|(name, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let weight = parse_fraction(&text).ok().filter(|weight| *weight >= Fraction::ZERO).ok_or_else(wrong)?;
        Ok((name, weight))
    });
    weights.collect()
}

/// By quasi column, its weight; 1 where none is given.
pub(super) fn by_column(weights: &[(String, Fraction)], ground: &SearchInstance<'_>) -> Result<Vec<Fraction>> {
    let columns = ground.lattice().columns();
    if let Some((unknown, _)) = weights.iter().find(|(name, _)| !columns.iter().any(|column| column.name() == name)) {
        let hint = did_you_mean(unknown, columns.iter().map(ColumnLattice::name));
        return Err(Error::invalid(format!("`weights` names `{unknown}`, which is no quasi column{hint}; correct it")));
    }
    let weight = |name: &str| {
        weights.iter().find(|(other, _)| other == name).map_or(Fraction::ONE, |(_, weight)| weight.clone())
    };
    let weights: Vec<Fraction> = columns.iter().map(|column| weight(column.name())).collect();
    if weights.iter().all(|weight| *weight == Fraction::ZERO) {
        return Err(Error::invalid("`weights` are all 0; give some quasi column a weight above 0"));
    }
    Ok(weights)
}

impl SearchMeasure for ColumnSum {
    fn gauge(&self, ground: &SearchInstance<'_>) -> Result<Box<dyn BoundMeasure>> {
        let weights = by_column(&self.weights, ground)?;
        let columns = 0..weights.len();
        let partitions = |column: usize| 0..ground.lattice().columns()[column].partitions().len() as u32;
        Ok(match self.kind {
            Kind::Entropy => Box::new(Entropy::new(ground, &weights)?),
            kind => {
                let costs: Vec<Vec<Fraction>> = columns
                    .map(|column| partitions(column).map(|at| mean_cost(kind, ground, column, at)).collect())
                    .collect();
                let total = weights.iter().fold(Fraction::ZERO, |sum, weight| sum + weight);
                let weights: Vec<Fraction> = match kind {
                    Kind::Height => weights,
                    _ => weights.into_iter().map(|weight| weight / &total).collect(),
                };
                let weigh = |(costs, weight): (&Vec<Fraction>, &Fraction)| {
                    costs.iter().map(|cost| decimal(&(cost * weight))).collect()
                };
                let floors = costs.iter().zip(&weights).map(weigh).collect();
                Box::new(Shares { kind, weights, costs, floors })
            }
        })
    }
}

/// What a partition of a column costs when no row is suppressed: a mean over rows, or a rank.
fn mean_cost(kind: Kind, ground: &SearchInstance<'_>, column: usize, partition: u32) -> Fraction {
    let admissible = &ground.lattice().columns()[column];
    match kind {
        Kind::Height => Fraction::from(admissible.rank(partition)),
        Kind::Precision => fraction(admissible.rank(partition), admissible.rank(admissible.top()).max(1)),
        Kind::Loss | Kind::Entropy => {
            let counts = ground.counts(column, partition).iter().copied();
            let shares = &admissible.partitions()[partition as usize];
            let lost: u128 = counts.zip(&shares.values).map(|(rows, values)| lost(rows, *values)).sum();
            fraction(lost, UBig::from(hidden(ground, column)) * UBig::from(ground.rows().max(1)))
        }
    }
}

/// Rows times the other values that their label might mean.
fn lost(rows: u64, values: u64) -> u128 {
    u128::from(rows) * u128::from(values.saturating_sub(1))
}

/// The other values that a cell might have when nothing is known; at least 1.
fn hidden(ground: &SearchInstance<'_>, column: usize) -> u64 {
    let admissible = &ground.lattice().columns()[column];
    admissible.partitions()[admissible.bottom() as usize].domain().max(2) - 1
}

/// Loss, precision and height: fractions.
#[derive(Debug)]
struct Shares {
    kind: Kind,
    weights: Vec<Fraction>,
    costs: Vec<Vec<Fraction>>,
    floors: Vec<Vec<f64>>,
}

impl BoundMeasure for Shares {
    /// A coarser partition hides no less, and a suppressed cell costs as much as a cell can.
    fn floor(&self, levels: &[u32]) -> f64 {
        sum_of(&self.floors, levels) * (1.0 - 1e-12)
    }

    /// A row that is suppressed anyway costs what is left from its label to the whole column, which is no less for the
    /// narrower label of a more specific granulation.
    fn excess(&self, view: &GranulationView<'_>) -> f64 {
        let short = view.short_by_block();
        let rows: u64 = short.first().map_or(0, |counts| counts.iter().sum());
        if rows == 0 || self.kind == Kind::Height {
            return 0.0;
        }
        let of_column = |(column, counts): (usize, &Vec<u64>)| {
            let weight = decimal(&self.weights[column]);
            let known: f64 = match self.kind {
                Kind::Loss | Kind::Entropy => {
                    let partition = &view.ground.lattice().columns()[column].partitions()[view.levels[column] as usize];
                    let known = counts.iter().zip(&partition.values);
                    known.map(|(&rows, &values)| lost(rows, values) as f64).sum::<f64>()
                        / hidden(view.ground, column) as f64
                }
                Kind::Precision | Kind::Height => {
                    rows as f64 * decimal(&self.costs[column][view.levels[column] as usize])
                }
            };
            weight * (rows as f64 - known)
        };
        let excess: f64 = short.iter().enumerate().map(of_column).sum();
        excess / view.rows() as f64 * (1.0 - 1e-9)
    }

    fn score(&self, view: &GranulationView<'_>) -> MeasureScore {
        let suppressed = view.suppressed();
        let by_block = if suppressed > 0 { view.suppressed_by_block() } else { Vec::new() };
        let of_column = |column: usize| {
            let cost = &self.costs[column][view.levels[column] as usize];
            let cost = match self.kind {
                _ if suppressed == 0 => cost.clone(),
                Kind::Height => cost.clone(),
                Kind::Precision => {
                    let share = fraction(suppressed, view.rows());
                    cost * (Fraction::ONE - &share) + share
                }
                Kind::Loss | Kind::Entropy => {
                    let partition = &view.ground.lattice().columns()[column].partitions()[view.levels[column] as usize];
                    let whole = hidden(view.ground, column);
                    let known = by_block[column].iter().zip(&partition.values);
                    let known: u128 = known.map(|(&rows, &values)| lost(rows, values)).sum();
                    let more = u128::from(suppressed) * u128::from(whole) - known;
                    cost + fraction(more, UBig::from(whole) * UBig::from(view.rows()))
                }
            };
            cost * &self.weights[column]
        };
        MeasureScore::ratio((0..self.weights.len()).fold(Fraction::ZERO, |sum, column| sum + of_column(column)))
    }
}

fn sum_of(by_level: &[Vec<f64>], levels: &[u32]) -> f64 {
    by_level.iter().zip(levels).map(|(by_level, &level)| by_level[level as usize]).sum()
}

/// Non-uniform entropy: sums of logarithms.
#[derive(Debug)]
struct Entropy {
    /// Weights as integers, times `unit`.
    weights: Vec<u64>,
    unit: f64,
    floors: Vec<Vec<f64>>,
    /// Bounds what rounding does to a sum.
    slack: f64,
}

/// The sum of `n log2 n`.
fn surprise(counts: impl Iterator<Item = u64>) -> f64 {
    counts.filter(|&count| count > 1).map(|count| count as f64 * ln(count)).sum::<f64>() / std::f64::consts::LN_2
}

impl Entropy {
    fn new(ground: &SearchInstance<'_>, weights: &[Fraction]) -> Result<Self> {
        let unit = weights.iter().fold(UBig::ONE, |unit, weight| {
            let more = weight.denominator() / dashu_base::Gcd::gcd(&unit, weight.denominator());
            unit * more
        });
        let whole = |weight: &Fraction| {
            let scaled = weight * Fraction::from(unit.clone());
            u32::try_from(scaled.numerator().clone())
                .map(u64::from)
                .map_err(|_| Error::invalid("`weights` have too many digits to be compared exactly; round them"))
        };
        let integers = weights.iter().map(whole).collect::<Result<Vec<u64>>>()?;
        let unit = decimal(&Fraction::from(unit.clone()));
        let floors = integers.iter().enumerate().map(|(column, &weight)| {
            let admissible = &ground.lattice().columns()[column];
            let values = surprise(ground.counts(column, admissible.bottom()).iter().copied());
            let cost = |at: u32| surprise(ground.counts(column, at).iter().copied()) - values;
            (0..admissible.partitions().len() as u32).map(|at| cost(at).max(0.0) * weight as f64 / unit).collect()
        });
        let floors = floors.collect();
        // Every cell enters four sums with at most its weight; their logarithms are below 45 and summed with a relative
        // error of at most 2^-53 for each of fewer than 2^12 summands, or of one summand for each row.
        let cells: f64 = integers.iter().map(|&weight| weight as f64 * ground.rows() as f64 / unit).sum();
        let slack = cells * 8.0 * (LN_ERROR + 45.0 * f64::EPSILON * ground.rows().min(1 << 20) as f64);
        Ok(Self { weights: integers, unit, floors, slack })
    }
}

impl BoundMeasure for Entropy {
    /// Joining labels loses information, and suppression joins more.
    fn floor(&self, levels: &[u32]) -> f64 {
        sum_of(&self.floors, levels) - self.slack
    }

    /// What it costs to join the labels of suppressed rows grows with each row (its derivative by the rows of a label is
    /// the logarithm of the inverse of the label's share) and with every label that is parted.
    fn excess(&self, view: &GranulationView<'_>) -> f64 {
        let joined = |(counts, &weight): (&Vec<u64>, &u64)| {
            let rows: u64 = counts.iter().sum();
            (surprise([rows].into_iter()) - surprise(counts.iter().copied())) * weight as f64 / self.unit
        };
        view.short_by_block().iter().zip(&self.weights).map(joined).sum::<f64>() - self.slack
    }

    fn score(&self, view: &GranulationView<'_>) -> MeasureScore {
        let mut near = sum_of(&self.floors, view.levels);
        let by_block = if view.suppressed() > 0 { view.suppressed_by_block() } else { Vec::new() };
        let mut powers: Vec<(u64, i128)> = Vec::new();
        for (column, &weight) in self.weights.iter().enumerate() {
            let mut add = |counts: &[u64], sign: i128| {
                powers.extend(counts.iter().map(|&count| (count, sign * i128::from(weight) * i128::from(count))));
            };
            let admissible = &view.ground.lattice().columns()[column];
            add(view.ground.counts(column, view.levels[column]), 1);
            add(view.ground.counts(column, admissible.bottom()), -1);
            if let Some(suppressed) = by_block.get(column) {
                let more = surprise([view.suppressed()].into_iter()) - surprise(suppressed.iter().copied());
                near += more * weight as f64 / self.unit;
                add(&[view.suppressed()], 1);
                add(suppressed, -1);
            }
        }
        powers.retain(|&(count, _)| count > 1);
        MeasureScore::logs(near, self.slack, powers)
    }
}
