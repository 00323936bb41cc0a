//! All granulations of a random case looked at one after the other: which pass, what they cost, which is the best.

use std::cmp::Ordering;

use pellucid_model::exact::Fraction;

use super::lattice::{Granulation, Lattice};
use super::measure::{Damages, ql, sf};
use super::quality::Recoding;
use super::search::{Outcome, is_upward_closed, judged, minimal};
use super::secrets::Secrets;
use crate::principle::Principle;
use crate::random_lattice::LatticeCase;

/// What is asked of every class of a case.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Principles on the sensitive value.
    pub principles: Vec<Principle>,
    /// Whether nobody's confidential sentences may be deduced.
    pub secrets: bool,
    /// How many rows may be suppressed.
    pub limit: usize,
}

/// What a measure says of a granulation.
#[derive(Debug, Clone, PartialEq)]
pub enum Cost {
    /// A fraction, the better the smaller.
    Fraction(Fraction),
    /// Bits, the better the fewer.
    Bits(f64),
    /// A number, the better the larger.
    Benefit(f64),
}

impl Cost {
    /// The number itself.
    pub fn value(&self) -> f64 {
        match self {
            Self::Fraction(value) => value.to_f64().value(),
            Self::Bits(value) | Self::Benefit(value) => *value,
        }
    }
}

/// Numbers that are no fractions are as good as equal below this.
const EQUAL: f64 = 1e-10;

/// The granulations of a case.
#[derive(Debug)]
pub struct Survey<'a> {
    case: &'a LatticeCase,
    limit: usize,
    lattice: Lattice,
    secrets: Secrets,
    damages: Damages,
    priors: Vec<f64>,
    /// By granulation, in the order of their numbers.
    outcomes: Vec<Outcome>,
}

impl<'a> Survey<'a> {
    /// Looks at all granulations.
    pub fn new(case: &'a LatticeCase, asked: &Asked) -> Self {
        let (lattice, secrets) = (case.lattice(), case.secrets());
        let tests: Vec<_> =
            asked.principles.iter().map(|principle| judged(principle, &case.sensitive, case.domain)).collect();
        let holds =
            |class: &[usize]| tests.iter().all(|test| test(class)) && (!asked.secrets || secrets.is_kept(class));
        let outcome = |node: &Granulation| Outcome::new(&lattice, &case.rows, node, &holds);
        let outcomes = lattice.nodes().iter().map(outcome).collect();
        let (damages, priors) = (case.scaled_damages(), case.prior_shares());
        drop(tests);
        Self { case, limit: asked.limit, lattice, secrets, damages, priors, outcomes }
    }

    /// The granulations with their order.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// Every granulation with its outcome.
    pub fn outcomes(&self) -> impl Iterator<Item = (&Granulation, &Outcome)> {
        self.lattice.nodes().iter().zip(&self.outcomes)
    }

    /// The granulations that pass with their outcomes.
    pub fn passing(&self) -> impl Iterator<Item = (&Granulation, &Outcome)> {
        self.outcomes().filter(|(_, outcome)| outcome.passes(self.limit))
    }

    fn passing_nodes(&self) -> Vec<Granulation> {
        self.passing().map(|(node, _)| node.clone()).collect()
    }

    /// The most specific granulations that pass.
    pub fn minimal(&self) -> Vec<Granulation> {
        minimal(&self.lattice, &self.passing_nodes())
    }

    /// Whether with a granulation everything less specific passes.
    pub fn is_upward_closed(&self) -> bool {
        is_upward_closed(&self.lattice, &self.passing_nodes())
    }

    fn recoding<'s>(&'s self, node: &'s [usize], outcome: &'s Outcome) -> Recoding<'s> {
        Recoding { lattice: &self.lattice, rows: &self.case.rows, node, outcome, weights: &self.case.weights }
    }

    /// Sum of the levels of all columns.
    pub fn height(&self, node: &[usize]) -> usize {
        (0..node.len()).map(|column| self.lattice.level(column, node[column])).sum()
    }

    /// What the measure `id` says of a granulation.
    ///
    /// # Panics
    /// When there is no such measure.
    pub fn cost(&self, id: &str, node: &[usize], outcome: &Outcome) -> Cost {
        let recoding = self.recoding(node, outcome);
        let security = || sf(&outcome.kept, &self.secrets, &self.damages, &self.priors);
        let quality = || ql(&self.lattice, node, &self.case.scaled_weights());
        match id {
            "loss" => Cost::Fraction(recoding.loss()),
            "precision" => Cost::Fraction(recoding.precision_loss()),
            "height" => Cost::Fraction(Fraction::from(recoding.height())),
            "discernibility" => Cost::Fraction(Fraction::from(recoding.discernibility())),
            "average-class-size" => Cost::Fraction(recoding.average_class_size()),
            "non-uniform-entropy" => Cost::Bits(recoding.entropy_loss()),
            "sf" => Cost::Benefit(security()),
            "ql" => Cost::Benefit(quality()),
            "sf*ql" => Cost::Benefit(security() * quality()),
            _ => panic!("no measure `{id}`"),
        }
    }

    /// Of two granulations that pass, whether the first is better: by the measure, then by height, then by number.
    fn is_better(&self, a: (&Granulation, &Outcome, &Cost), b: (&Granulation, &Outcome, &Cost)) -> bool {
        let by_cost = match (a.2, b.2) {
            (Cost::Fraction(a), Cost::Fraction(b)) => a.cmp(b),
            (Cost::Bits(x), Cost::Bits(y)) if (x - y).abs() < EQUAL => {
                self.recoding(a.0, a.1).entropy_power().cmp(&self.recoding(b.0, b.1).entropy_power())
            }
            (Cost::Bits(a), Cost::Bits(b)) => a.total_cmp(b),
            (Cost::Benefit(a), Cost::Benefit(b)) if (a - b).abs() < EQUAL => Ordering::Equal,
            (Cost::Benefit(a), Cost::Benefit(b)) => b.total_cmp(a),
            _ => unreachable!("one measure gives one kind of cost"),
        };
        by_cost.then_with(|| self.height(a.0).cmp(&self.height(b.0))).then_with(|| a.0.cmp(b.0)).is_lt()
    }

    /// The best granulation that passes, and what the measure says of it.
    pub fn best(&self, id: &str) -> Option<(&Granulation, &Outcome, Cost)> {
        let mut best: Option<(&Granulation, &Outcome, Cost)> = None;
        for (node, outcome) in self.passing() {
            let cost = self.cost(id, node, outcome);
            if best.as_ref().is_none_or(|best| self.is_better((node, outcome, &cost), (best.0, best.1, &best.2))) {
                best = Some((node, outcome, cost));
            }
        }
        best
    }
}
