//! t-closeness: the values of every group are distributed almost as in the whole column.

use super::closeness::BoundCloseness;
use super::ground::GroundTree;
use super::{BetterDirection, BoundPrinciple, Principle, SensitiveColumn, refuse_protected};
use crate::claim::EntryClaim;
use crate::error::{Error, Result};
use crate::exact::{Fraction, format_fraction};
use crate::hierarchy::Hierarchy;
use crate::registry::{EntryArgs, ParamKind, ParamSpec, ProofStatus, RegistryEntry};

/// How far two values are from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueDistance {
    /// Different values are at distance 1.
    Equal,
    /// The i-th and the j-th of m values are at distance |i - j| / (m - 1).
    Ordered,
    /// The height of the lowest common ancestor in the column's hierarchy, over the height of the hierarchy.
    Hierarchical,
}

impl ValueDistance {
    /// The word used in job files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Ordered => "ordered",
            Self::Hierarchical => "hierarchical",
        }
    }
}

/// The earth mover's distance between a group's distribution and the whole column's is at most `t`.
///
/// The three ground distances are paths in a tree: a star, a line, and the hierarchy. So the distance of distributions
/// P and Q is the sum over edges of the edge's weight times |P(below) - Q(below)|, a fraction that is computed exactly.
/// The measure is that distance. Values are ordered by their codes; a missing cell, where there are any, comes last.
///
/// # Guarantee
/// What is learnt of a person beyond the column's distribution, by someone who knows only the group, is at most `t` in
/// earth mover's distance. Closed under mixtures: the distance is a sum of absolute values of linear functions of P,
/// hence convex in P.
/// # Cost
/// Proportional to the group's values times the height of the tree, or times a logarithm for the ordered distance.
/// `robust` takes the square of the group's rows, of at most 1024, times their logarithm.
/// # Reference
/// Li, Li, Venkatasubramanian, ICDE 2007, definition 2 and the three ground distances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TCloseness {
    t: Fraction,
    distance: ValueDistance,
}

impl TCloseness {
    /// Distances of at most `t`, which must be at least 0 and below 1.
    pub fn new(t: Fraction, distance: ValueDistance) -> Result<Self> {
        if t < Fraction::ZERO || t >= Fraction::ONE {
            return Err(Error::invalid(format!("t ({}) must be at least 0 and below 1", format_fraction(&t))));
        }
        Ok(Self { t, distance })
    }

    /// The largest distance allowed.
    pub fn t(&self) -> &Fraction {
        &self.t
    }

    /// The ground distance.
    pub fn distance(&self) -> ValueDistance {
        self.distance
    }
}

impl Principle for TCloseness {
    fn id(&self) -> &'static str {
        ENTRY.id
    }

    fn describe(&self) -> String {
        let (t, word) = (format_fraction(&self.t), self.distance.as_str());
        format!("every group is within {t} of the whole column ({word} distance)")
    }

    fn better(&self) -> BetterDirection {
        BetterDirection::Smaller
    }

    fn compares_with_column(&self) -> bool {
        true
    }

    fn bind(&self, column: SensitiveColumn<'_>) -> Result<Box<dyn BoundPrinciple>> {
        refuse_protected(ENTRY.id, &column)?;
        if column.whole.total() == 0 {
            return Err(Error::bad_input(format!("column `{}` has no rows to be close to; add some", column.name)));
        }
        let tree = match self.distance {
            ValueDistance::Equal => GroundTree::equal(column.whole, column.cardinality),
            ValueDistance::Ordered => GroundTree::ordered(column.whole, column.cardinality),
            ValueDistance::Hierarchical => {
                let hierarchy = column.hierarchy.ok_or_else(|| {
                    Error::invalid(format!(
                        "`t-closeness` with distance `hierarchical` needs a hierarchy on column `{}`; add one, or use \
                         `equal` or `ordered`",
                        column.name
                    ))
                })?;
                GroundTree::hierarchical(&levels_of(hierarchy, column.cardinality), column.whole)
            }
        };
        Ok(Box::new(BoundCloseness::new(self.t.clone(), tree)))
    }
}

/// `levels[k][code]`: the node of a value at level k.
fn levels_of(hierarchy: &Hierarchy, cardinality: usize) -> Vec<Vec<u32>> {
    let level = |level: usize| (0..cardinality as u32).map(|code| hierarchy.node(level, code)).collect();
    (0..hierarchy.levels()).map(level).collect()
}

/// The registry entry of t-closeness.
pub const ENTRY: RegistryEntry<dyn Principle> = RegistryEntry {
    id: "t-closeness",
    summary: "every group's values are distributed within t of the whole column's",
    reference: "Li, Li and Venkatasubramanian 2007, definition 2",
    status: ProofStatus::Proven,
    claims: &[EntryClaim::Mixtures, EntryClaim::LeastRobust],
    examples: &[
        &[("t", "1/5")],
        &[("t", "1/3")],
        &[("t", "1/4"), ("distance", "ordered")],
        &[("t", "1/3"), ("distance", "ordered")],
        &[("t", "1/3"), ("distance", "hierarchical")],
    ],
    params: &[
        ParamSpec {
            name: "t",
            kind: ParamKind::Number,
            default: None,
            help: "the largest earth mover's distance, at least 0 and below 1, e.g. 0.3",
        },
        ParamSpec {
            name: "distance",
            kind: ParamKind::Choice(&["equal", "ordered", "hierarchical"]),
            default: Some("equal"),
            help: "how far two values are from each other",
        },
    ],
    build: |args: &EntryArgs| {
        let distance = match args.text("distance")? {
            "ordered" => ValueDistance::Ordered,
            "hierarchical" => ValueDistance::Hierarchical,
            _ => ValueDistance::Equal,
        };
        Ok(Box::new(TCloseness::new(args.number("t")?, distance)?))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::fraction;
    use crate::histogram::Histogram;
    use crate::principle::laws;

    #[test]
    fn the_distance_is_chosen_by_its_word() {
        for distance in [ValueDistance::Equal, ValueDistance::Ordered, ValueDistance::Hierarchical] {
            let args = EntryArgs::new().with("t", "0.2").with("distance", distance.as_str());
            let principle = ENTRY.make(&args).unwrap();
            assert!(principle.describe().contains(&format!("within 1/5 of the whole column ({}", distance.as_str())));
        }
    }

    #[test]
    fn measure_is_the_least_t_that_holds() {
        for (a, b) in [(0, 1u8), (1, 10), (1, 5), (3, 10), (1, 2)] {
            for distance in [ValueDistance::Equal, ValueDistance::Ordered] {
                laws::smaller_measure_agrees(&TCloseness::new(fraction(a, b), distance).unwrap(), &fraction(a, b));
            }
        }
    }

    #[test]
    fn bad_parameters_are_refused() {
        let message = TCloseness::new(fraction(3, 2u8), ValueDistance::Equal).unwrap_err().to_string();
        assert_eq!(message, "t (3/2) must be at least 0 and below 1");
        assert!(TCloseness::new(fraction(-1, 2u8), ValueDistance::Equal).is_err());
        let whole = Histogram::from_counts([1, 1]);
        let column =
            SensitiveColumn { name: "income", whole: &whole, cardinality: 2, protected: None, hierarchy: None };
        let principle = TCloseness::new(fraction(1, 2u8), ValueDistance::Hierarchical).unwrap();
        let message = principle.bind(column).unwrap_err().to_string();
        assert!(message.contains("needs a hierarchy on column `income`"), "{message}");
    }
}
