//! The account of an attack: what knowing the mechanism adds, person by person, and never a value.

use pellucid_model::exact::{decimal, format_fraction};
use serde::Serialize;

use super::weigh::{EvidenceCluster, SeenRelease};
use crate::belief::{Belief, UnitInterval};
use crate::estimate::{Estimate, SampleMethod};
use crate::verdict::{BeliefRequirements, Verdict};

/// Rows that are named as the worst.
pub const WORST: usize = 10;

/// Rows that are kept before the worst are picked again.
const KEPT: usize = 4096;

/// A person about whom much is believed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorstRow {
    /// The row of the table, from 1.
    pub row: u64,
    /// The highest belief in a value of somebody who ignores the mechanism.
    pub blind: f64,
    /// The same of somebody who knows it: the lower end for bounds and estimates.
    pub knowing_at_least: f64,
    /// The upper end.
    pub knowing_at_most: f64,
    /// Whether it was counted, not bounded or estimated.
    pub exact: bool,
}

/// What knowing the mechanism adds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttackAccount {
    /// The sensitive column.
    pub column: String,
    /// The bound on belief that people were promised, when the principles have one.
    pub bound: Option<String>,
    /// People in the release.
    pub people: u64,
    /// Those of whom the mechanism tells something, counted exactly.
    pub counted: u64,
    /// Those of whom it tells something that was counted but for what is very unlikely: where belief lies is known for sure.
    pub bounded: u64,
    /// Those of whom it may tell something, estimated.
    pub estimated: u64,
    /// Those of them for whom too few drawn worlds were possible, so that populations were led there: their intervals have no proof.
    pub led: u64,
    /// Those of these who are above the bound with all their interval.
    pub led_above: u64,
    /// Those of whom it may tell something that would take more than the budget to count: anything may be believed of them.
    pub refused: u64,
    /// With which probability all intervals hold together, when there are estimates.
    pub confidence: Option<f64>,
    /// Belief of somebody who ignores the mechanism.
    pub blind: Verdict,
    /// Belief of somebody who knows it.
    pub knowing: Verdict,
    /// By how much the knowing believes more than the blind in a value of a person, at most; where bounds and estimates decide, at
    /// least so much. `None` when nothing was counted or estimated.
    pub largest_gain: Option<f64>,
    /// The worst, by what the knowing believes at least; people of whom nothing was counted or estimated are not among them.
    pub worst: Vec<WorstRow>,
}

/// What is held against what, and what came of it so far.
struct Accounting<'a> {
    demand: &'a BeliefRequirements<'a>,
    blind: &'a Belief,
    account: AttackAccount,
}

/// Adds up what the clusters tell; `confidence` is that of all estimates together.
pub fn account(
    seen: SeenRelease<'_>,
    column: &str,
    demand: &BeliefRequirements<'_>,
    clusters: &[EvidenceCluster],
    confidence: Option<f64>,
) -> AttackAccount {
    let blind = Belief::of_groups(seen.groups.iter(), seen.values);
    let mut accounting = Accounting::new(column, demand, &blind, confidence);
    for cluster in clusters {
        match &cluster.belief {
            None => accounting.take_untold(&cluster.rows),
            Some(belief) => accounting.take_all(belief, |person| cluster.rows[person as usize]),
        }
    }
    accounting.finished()
}

/// The same where by a theorem what is demanded holds for everybody, so that nothing is counted.
pub fn account_of_proof(seen: SeenRelease<'_>, column: &str, demand: &BeliefRequirements<'_>) -> AttackAccount {
    let blind = Belief::of_groups(seen.groups.iter(), seen.values);
    let mut accounting = Accounting::new(column, demand, &blind, None);
    let people = accounting.account.people;
    accounting.account.bounded = people;
    let mut codes = seen.values.to_vec();
    codes.sort_unstable();
    codes.dedup();
    accounting.account.knowing.add_proven(people, &codes, demand);
    accounting.finished()
}

/// What somebody who knows the mechanism believes (`knowing`) beside somebody who ignores it (`blind`).
pub fn account_of_beliefs(
    column: &str,
    demand: &BeliefRequirements<'_>,
    blind: &Belief,
    knowing: &Belief,
    confidence: Option<f64>,
) -> AttackAccount {
    let mut accounting = Accounting::new(column, demand, blind, confidence);
    accounting.take_all(knowing, |person| person);
    accounting.finished()
}

impl AttackAccount {
    /// People of whom the mechanism tells nothing.
    pub fn untold(&self) -> u64 {
        self.people - self.counted - self.bounded - self.estimated - self.refused
    }

    fn sort_worst(&mut self) {
        let ends = |worst: &WorstRow| (worst.knowing_at_least, worst.knowing_at_most);
        self.worst.sort_by(|a, b| {
            let (a_ends, b_ends) = (ends(a), ends(b));
            b_ends.0.total_cmp(&a_ends.0).then(b_ends.1.total_cmp(&a_ends.1)).then(a.row.cmp(&b.row))
        });
        self.worst.truncate(WORST);
    }
}

impl<'a> Accounting<'a> {
    fn new(column: &str, demand: &'a BeliefRequirements<'a>, blind: &'a Belief, confidence: Option<f64>) -> Self {
        let blind_verdict = demand.judge(blind);
        let account = AttackAccount {
            column: column.to_owned(),
            bound: demand.promised.as_ref().map(format_fraction),
            people: blind.atoms().map(|(people, _)| people.len() as u64).sum(),
            counted: 0,
            bounded: 0,
            estimated: 0,
            led: 0,
            led_above: 0,
            refused: 0,
            confidence,
            blind: blind_verdict,
            knowing: Verdict::of_nobody(demand),
            largest_gain: None,
            worst: Vec::new(),
        };
        Self { demand, blind, account }
    }

    /// Takes a belief whose people are these rows.
    fn take_all(&mut self, belief: &Belief, row_of: impl Fn(u32) -> u32) {
        for (people, estimate) in belief.atoms() {
            let rows: Vec<u32> = people.iter().map(|&person| row_of(person)).collect();
            let many = people.len() as u64;
            match &estimate {
                Estimate::Exact(_) => self.account.counted += many,
                Estimate::Within(_) => self.account.bounded += many,
                Estimate::Sampled(_, method) => {
                    self.account.estimated += many;
                    if *method == SampleMethod::Populations {
                        self.account.led += many;
                        self.account.led_above += if self.is_above(&estimate) { many } else { 0 };
                    }
                }
                Estimate::Unknown(_) => self.account.refused += many,
            }
            self.take(&rows, &estimate);
        }
    }

    /// People of whom the mechanism tells nothing are believed to have what their groups show.
    fn take_untold(&mut self, rows: &[u32]) {
        self.account.largest_gain.get_or_insert(0.0);
        for rows in self.blind.alike(rows) {
            if let Some(blind) = self.blind.estimate(rows[0] as usize) {
                self.account.knowing.add(rows.len() as u64, &blind, self.demand);
                self.name(rows, &blind, &blind);
            }
        }
    }

    /// Takes what is believed of the people of `rows`.
    fn take(&mut self, rows: &[u32], estimate: &Estimate) {
        self.account.knowing.add(rows.len() as u64, estimate, self.demand);
        let Some(possible) = estimate.possible() else { return };
        for rows in self.blind.alike(rows) {
            let Some(blind) = self.blind.estimate(rows[0] as usize) else { continue };
            let gains = possible.iter().map(|(code, _)| gain(&blind, estimate, *code));
            self.account.largest_gain = Some(gains.fold(self.account.largest_gain.unwrap_or(0.0), f64::max));
            self.name(rows, &blind, estimate);
        }
    }

    /// Keeps rows as candidates for the worst.
    fn name(&mut self, rows: &[u32], blind: &Estimate, knowing: &Estimate) {
        let middle = |interval: UnitInterval| interval.at.unwrap_or(interval.high);
        let (blind, knowing) = (middle(blind.highest().within), knowing.highest());
        self.account.worst.extend(rows.iter().map(|&row| WorstRow {
            row: u64::from(row) + 1,
            blind,
            knowing_at_least: knowing.within.low,
            knowing_at_most: knowing.within.high,
            exact: knowing.exactly.is_some(),
        }));
        if self.account.worst.len() > KEPT {
            self.account.sort_worst();
        }
    }

    fn is_above(&self, estimate: &Estimate) -> bool {
        let low = estimate.highest().within.low;
        self.demand.promised.as_ref().is_some_and(|promised| low > decimal(promised))
    }

    fn finished(mut self) -> AttackAccount {
        self.account.sort_worst();
        self.account.confidence = self.account.confidence.filter(|_| self.account.estimated > 0);
        self.account
    }
}

/// By how much `knowing` gives the value `code` a higher probability than `blind`, at least.
fn gain(blind: &Estimate, knowing: &Estimate, code: u32) -> f64 {
    match (blind.counted(), knowing.counted()) {
        (Some(blind), Some(knowing)) => decimal(&(knowing.probability(code) - blind.probability(code))),
        _ => knowing.probability(code).low - blind.probability(code).high,
    }
}
