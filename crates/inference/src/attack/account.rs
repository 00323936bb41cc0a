//! The account of an attack: what knowing the mechanism adds, person by person, and never a value.

use std::rc::Rc;

use pellucid_model::distribution::Distribution;
use pellucid_model::exact::decimal;
use pellucid_model::exact::{Fraction, format_fraction, fraction};
use pellucid_model::histogram::Histogram;
use serde::Serialize;

use super::beliefs::{Beliefs, Most, Promise};
use super::weigh::{Cluster, Seen, Told};
use crate::belief::Interval;

/// Rows that are named as the worst.
pub const WORST: usize = 10;

/// A person about whom much is believed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Worst {
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
    /// Those for whom parts of the evidence were left aside to bound the work: anything may be believed of them by somebody
    /// who looks at all of it.
    pub partly: u64,
    /// Belief about these of somebody who looks at the rest of the evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<Beliefs>,
    /// With which probability all intervals hold together, when there are estimates.
    pub confidence: Option<f64>,
    /// Belief of somebody who ignores the mechanism.
    pub blind: Beliefs,
    /// Belief of somebody who knows it.
    pub knowing: Beliefs,
    /// By how much the knowing believes more than the blind in a value of a person, at most; where bounds and estimates decide, at
    /// least so much. `None` when nothing was counted or estimated.
    pub largest_gain: Option<f64>,
    /// The worst, by what the knowing believes at least; people of whom nothing was counted or estimated are not among them.
    pub worst: Vec<Worst>,
}

/// The highest probability in a distribution.
fn highest(belief: &Distribution) -> Fraction {
    fraction(belief.max().clone(), belief.total().clone())
}

/// Adds up what the clusters tell; `confidence` is that of all estimates together.
pub fn account(
    seen: Seen<'_>,
    column: &str,
    promise: Option<&Promise>,
    clusters: &[Cluster],
    confidence: Option<f64>,
) -> AttackAccount {
    let mut account = AttackAccount::new(column, promise, seen.groups.rows() as u64);
    let mut blind_of: Vec<Option<Fraction>> = vec![None; seen.values.len()];
    let mut shares: Vec<Option<Rc<Distribution>>> = vec![None; seen.values.len()];
    for group in seen.groups.iter() {
        let histogram = Histogram::of(group.iter().map(|&row| seen.values[row as usize]));
        let Some(belief) = Distribution::of(&histogram) else { continue };
        let most = highest(&belief);
        let holds = seen.condition.holds_on(&belief);
        let belief = Rc::new(belief);
        for &row in group {
            blind_of[row as usize] = Some(most.clone());
            shares[row as usize] = Some(Rc::clone(&belief));
        }
        account.blind.add(group.len() as u64, &Most::Exactly(most, holds), promise);
    }
    for cluster in clusters {
        let people = cluster.rows.len() as u64;
        if cluster.ignored > 0 {
            account.take_partly(seen, cluster, promise, &blind_of);
            continue;
        }
        match &cluster.told {
            Told::Nothing => account.take_blindly(cluster, promise, &blind_of),
            Told::Proven => {
                account.bounded += people;
                account.take(cluster.rows.iter().copied(), &Most::Proven, promise, &blind_of);
            }
            Told::Refused(_) => {
                account.refused += people;
                account.take(cluster.rows.iter().copied(), &Most::Unknown, promise, &blind_of);
            }
            Told::Exactly(belief) => {
                account.counted += people;
                for (people, belief) in belief.atoms() {
                    let holds = seen.condition.holds_on(&belief);
                    let rows = people.iter().map(|&person| cluster.rows[person as usize]);
                    account.gained(rows.clone(), &shares, |code| decimal(&belief.probability(code)));
                    account.take(rows, &Most::Exactly(highest(&belief), holds), promise, &blind_of);
                }
            }
            Told::Within(bounded) => {
                account.bounded += people;
                for (people, belief) in bounded.belief.atoms() {
                    let rows = people.iter().map(|&person| cluster.rows[person as usize]);
                    account.gained(rows.clone(), &shares, |code| bounded.interval(&belief.probability(code)).low);
                    account.take(rows, &Most::Within(bounded.interval(&highest(&belief))), promise, &blind_of);
                }
            }
            Told::About(estimate) => {
                account.estimated += people;
                account.confidence = confidence;
                let led = estimate.populations().is_some();
                for (people, interval) in estimate.atoms() {
                    if led {
                        account.led += people.len() as u64;
                        let above = promise.is_some_and(|promise| interval.low > decimal(&promise.bound));
                        account.led_above += if above { people.len() as u64 } else { 0 };
                    }
                    let rows = people.iter().map(|&person| cluster.rows[person as usize]);
                    let person = people[0] as usize;
                    account.gained(rows.clone(), &shares, |code| estimate.probability(person, code).low);
                    account.take(rows, &Most::About(interval), promise, &blind_of);
                }
            }
        }
    }
    account.finished()
}

/// What is believed of one person.
#[derive(Debug, Clone, PartialEq)]
pub enum Believed {
    /// The highest probability of a value, and whether the principles hold on the belief.
    Exactly {
        /// The highest probability of a value.
        risk: Fraction,
        /// Whether the principles hold.
        holds: bool,
    },
    /// Where the highest probability of a value lies.
    About(Interval),
}

/// Adds up what is believed of people one by one: of everybody, by somebody who ignores the mechanism, and by somebody who
/// knows it.
///
/// `confidence` is that of all intervals together.
pub fn account_of_people(
    column: &str,
    promise: Option<&Promise>,
    people: &[(Believed, Believed)],
    confidence: Option<f64>,
) -> AttackAccount {
    let mut account = AttackAccount::new(column, promise, people.len() as u64);
    let risk = |believed: &Believed| match believed {
        Believed::Exactly { risk, .. } => Some(risk.clone()),
        Believed::About(_) => None,
    };
    let blind_of: Vec<Option<Fraction>> = people.iter().map(|(blind, _)| risk(blind)).collect();
    for (row, (blind, knowing)) in (0..).zip(people) {
        let most = |believed: &Believed| match believed {
            Believed::Exactly { risk, holds } => Most::Exactly(risk.clone(), *holds),
            Believed::About(interval) => Most::About(*interval),
        };
        match knowing {
            Believed::Exactly { .. } => account.counted += 1,
            Believed::About(_) => account.estimated += 1,
        }
        account.blind.add(1, &most(blind), promise);
        account.take(std::iter::once(row), &most(knowing), promise, &blind_of);
    }
    account.confidence = confidence.filter(|_| account.estimated > 0);
    account.finished()
}

impl AttackAccount {
    /// People of whom the mechanism tells nothing.
    pub fn untold(&self) -> u64 {
        self.people - self.counted - self.bounded - self.estimated - self.refused - self.partly
    }

    fn new(column: &str, promise: Option<&Promise>, people: u64) -> Self {
        Self {
            column: column.to_owned(),
            bound: promise.map(|promise| format_fraction(&promise.bound)),
            people,
            counted: 0,
            bounded: 0,
            estimated: 0,
            led: 0,
            led_above: 0,
            refused: 0,
            partly: 0,
            partial: None,
            confidence: None,
            blind: Beliefs::none(),
            knowing: Beliefs::none(),
            largest_gain: None,
            worst: Vec::new(),
        }
    }

    fn finished(mut self) -> Self {
        self.sort_worst();
        self
    }

    fn sort_worst(&mut self) {
        let ends = |worst: &Worst| (worst.knowing_at_least, worst.knowing_at_most);
        self.worst.sort_by(|a, b| {
            let (a_ends, b_ends) = (ends(a), ends(b));
            b_ends.0.total_cmp(&a_ends.0).then(b_ends.1.total_cmp(&a_ends.1)).then(a.row.cmp(&b.row))
        });
        self.worst.truncate(WORST);
    }

    /// Takes by how much values are believed more of people who are alike, and so in one group, than by the blind (`shares`).
    fn gained(
        &mut self,
        mut rows: impl Iterator<Item = u32>,
        shares: &[Option<Rc<Distribution>>],
        believed: impl Fn(u32) -> f64,
    ) {
        let Some(blind) = rows.next().and_then(|row| shares[row as usize].as_ref()) else { return };
        let codes = blind.weights().iter().map(|entry| entry.0);
        let gains = codes.map(|code| believed(code) - decimal(&blind.probability(code)));
        self.largest_gain = Some(gains.fold(self.largest_gain.unwrap_or(0.0), f64::max));
    }

    /// Takes what is believed by somebody who looks at some of the evidence.
    fn take_partly(
        &mut self,
        seen: Seen<'_>,
        cluster: &Cluster,
        promise: Option<&Promise>,
        blind_of: &[Option<Fraction>],
    ) {
        self.partly += cluster.rows.len() as u64;
        self.take(cluster.rows.iter().copied(), &Most::Unknown, promise, blind_of);
        let partial = self.partial.get_or_insert_with(Beliefs::none);
        match &cluster.told {
            Told::Exactly(belief) => {
                for (people, belief) in belief.atoms() {
                    let holds = seen.condition.holds_on(&belief);
                    partial.add(people.len() as u64, &Most::Exactly(highest(&belief), holds), promise);
                }
            }
            Told::Within(bounded) => {
                for (people, belief) in bounded.belief.atoms() {
                    partial.add(people.len() as u64, &Most::Within(bounded.interval(&highest(&belief))), promise);
                }
            }
            Told::About(estimate) => {
                for (people, interval) in estimate.atoms() {
                    partial.add(people.len() as u64, &Most::About(interval), promise);
                }
            }
            Told::Nothing | Told::Proven | Told::Refused(_) => {
                partial.add(cluster.rows.len() as u64, &Most::Unknown, promise);
            }
        }
    }

    /// Groups of a release pass, and belief that ignores the mechanism is their histogram.
    fn take_blindly(&mut self, cluster: &Cluster, promise: Option<&Promise>, blind_of: &[Option<Fraction>]) {
        self.largest_gain.get_or_insert(0.0);
        for &row in &cluster.rows {
            if let Some(most) = &blind_of[row as usize] {
                self.take(std::iter::once(row), &Most::Exactly(most.clone(), true), promise, blind_of);
            }
        }
    }

    fn take(
        &mut self,
        rows: impl Iterator<Item = u32>,
        most: &Most,
        promise: Option<&Promise>,
        blind_of: &[Option<Fraction>],
    ) {
        let ends = match most {
            Most::Exactly(most, _) => Some((decimal(most), decimal(most), true)),
            Most::Within(interval) | Most::About(interval) => Some((interval.low, interval.high, false)),
            Most::Proven | Most::Unknown => None,
        };
        let mut people = 0;
        for row in rows {
            people += 1;
            let Some((knowing_at_least, knowing_at_most, exact)) = ends else { continue };
            let blind = blind_of[row as usize].as_ref().map_or(0.0, decimal);
            self.worst.push(Worst { row: u64::from(row) + 1, blind, knowing_at_least, knowing_at_most, exact });
        }
        if self.worst.len() > 4096 {
            self.sort_worst();
        }
        self.knowing.add(people, most, promise);
    }
}
