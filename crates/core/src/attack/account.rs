//! The account of an attack: what knowing the mechanism adds, person by person, and never a value.

use std::rc::Rc;

use serde::Serialize;

use super::weigh::{Cluster, Seen, Told};
use crate::belief::Interval;
use crate::distribution::Distribution;
use crate::exact::{Fraction, format_fraction, fraction};
use crate::histogram::Histogram;
use crate::release::decimal;

/// Rows that are named as the worst.
pub const WORST: usize = 10;

/// Bars of the histogram of beliefs.
pub const BARS: usize = 10;

/// A number of people: exact when both ends agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Span {
    /// At least so many.
    pub low: u64,
    /// At most so many.
    pub high: u64,
    /// Of what was counted, and of estimates by their means.
    pub about: u64,
}

impl Span {
    fn add(&mut self, people: u64, surely: bool, about: bool, possibly: bool) {
        self.low += if surely { people } else { 0 };
        self.about += if about { people } else { 0 };
        self.high += if possibly { people } else { 0 };
    }

    /// A number that is known.
    pub fn exactly(number: u64) -> Self {
        Self { low: number, high: number, about: number }
    }

    /// What is known of all of `people`.
    fn count(&mut self, people: u64, all: bool) {
        self.add(people, all, all, all);
    }

    /// Whether the number is known.
    pub fn is_exact(self) -> bool {
        self.low == self.high
    }
}

/// The bound on belief that people were promised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promise {
    /// No value is believed of anybody with more.
    pub bound: Fraction,
    /// Whether principles hold on a belief just when that is so.
    pub decides: bool,
}

/// What an adversary believes of everybody.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Beliefs {
    /// People of whom some value is believed with more than the bound.
    pub above: Span,
    /// People of whom everything is known.
    pub certain: Span,
    /// People for whom the principles do not hold on what is believed of them; bounds and estimates are judged where nothing
    /// but the bound decides.
    pub failing: Span,
    /// The highest belief in a value of anybody; for bounds and estimates the upper end.
    pub highest: f64,
    /// By tenth of the highest belief about each, people; 1 counts in the last. Estimates by their mean; people of whom nothing
    /// could be counted are not among them.
    pub histogram: [u64; BARS],
}

impl Beliefs {
    fn none() -> Self {
        let none = Span::exactly(0);
        Self { above: none, certain: none, failing: none, highest: 0.0, histogram: [0; BARS] }
    }
}

/// A person about whom much is believed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Worst {
    /// The row of the table, from 1.
    pub row: u64,
    /// The highest belief in a value of somebody who ignores the mechanism.
    pub blind: f64,
    /// The same of somebody who knows it: the lower end for bounds and estimates.
    pub knowing: f64,
    /// Whether it was counted, not bounded or estimated.
    pub exact: bool,
    /// The upper end.
    pub knowing_at_most: f64,
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
    /// By how much the knowing believes more than the blind in a value of a person, at most; of what was counted.
    pub largest_gain: f64,
    /// The worst, by the belief of the knowing.
    pub worst: Vec<Worst>,
}

/// The highest probability in a distribution.
fn highest(belief: &Distribution) -> Fraction {
    fraction(belief.max().clone(), belief.total().clone())
}

/// By how much a value is believed more than by the blind, at most.
fn gain(belief: &Distribution, blind: &Distribution) -> f64 {
    let codes = belief.weights().iter().map(|entry| entry.0);
    let gains = codes.map(|code| decimal(&(belief.probability(code) - blind.probability(code))));
    gains.fold(0.0, f64::max)
}

/// What is believed at most of some people, and whether the principles hold on it.
enum Most {
    Exactly(Fraction, bool),
    /// Counted but for a bounded rest.
    Within(Interval),
    About(Interval),
    Unknown,
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
            Told::Refused(_) => {
                account.refused += people;
                account.take(cluster.rows.iter().copied(), &Most::Unknown, promise, &blind_of);
            }
            Told::Exactly(belief) => {
                account.counted += people;
                for (people, belief) in belief.atoms() {
                    let holds = seen.condition.holds_on(&belief);
                    let rows = people.iter().map(|&person| cluster.rows[person as usize]);
                    // People who are alike are in one group.
                    if let Some(blind) = rows.clone().next().and_then(|row| shares[row as usize].as_ref()) {
                        account.largest_gain = account.largest_gain.max(gain(&belief, blind));
                    }
                    account.take(rows, &Most::Exactly(highest(&belief), holds), promise, &blind_of);
                }
            }
            Told::Within(bounded) => {
                account.bounded += people;
                for (people, belief) in bounded.belief.atoms() {
                    let rows = people.iter().map(|&person| cluster.rows[person as usize]);
                    account.take(rows, &Most::Within(bounded.interval(&highest(&belief))), promise, &blind_of);
                }
            }
            Told::About(estimate) => {
                account.estimated += people;
                account.led += estimate.populations().map_or(0, |_| people);
                account.confidence = confidence;
                for (people, interval) in estimate.atoms() {
                    let rows = people.iter().map(|&person| cluster.rows[person as usize]);
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
            refused: 0,
            partly: 0,
            partial: None,
            confidence: None,
            blind: Beliefs::none(),
            knowing: Beliefs::none(),
            largest_gain: 0.0,
            worst: Vec::new(),
        }
    }

    fn finished(mut self) -> Self {
        self.worst.sort_by(|a, b| b.knowing.total_cmp(&a.knowing).then(a.row.cmp(&b.row)));
        self.worst.truncate(WORST);
        self
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
            Told::Nothing | Told::Refused(_) => partial.add(cluster.rows.len() as u64, &Most::Unknown, promise),
        }
    }

    /// Groups of a release pass, and belief that ignores the mechanism is their histogram.
    fn take_blindly(&mut self, cluster: &Cluster, promise: Option<&Promise>, blind_of: &[Option<Fraction>]) {
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
        let (knowing, knowing_at_most, exact) = match most {
            Most::Exactly(most, _) => (decimal(most), decimal(most), true),
            Most::Within(interval) | Most::About(interval) => (interval.low, interval.high, false),
            Most::Unknown => (0.0, 1.0, false),
        };
        let mut people = 0;
        for row in rows {
            people += 1;
            let blind = blind_of[row as usize].as_ref().map_or(0.0, decimal);
            self.worst.push(Worst { row: u64::from(row) + 1, blind, knowing, knowing_at_most, exact });
        }
        if self.worst.len() > 4096 {
            self.worst.sort_by(|a, b| b.knowing.total_cmp(&a.knowing).then(a.row.cmp(&b.row)));
            self.worst.truncate(WORST);
        }
        self.knowing.add(people, most, promise);
    }
}

impl Beliefs {
    fn add(&mut self, people: u64, most: &Most, promise: Option<&Promise>) {
        let at = match most {
            Most::Exactly(most, holds) => {
                self.above.count(people, promise.is_some_and(|promise| *most > promise.bound));
                self.certain.count(people, *most == Fraction::ONE);
                self.failing.count(people, !holds);
                let at = decimal(most);
                self.highest = self.highest.max(at);
                at
            }
            Most::Within(interval) | Most::About(interval) => {
                let at = interval.at.unwrap_or(interval.high);
                let above = |belief: f64| promise.is_some_and(|promise| belief > decimal(&promise.bound));
                let ends = (above(interval.low), above(at), above(interval.high));
                self.above.add(people, ends.0, ends.1, ends.2);
                self.certain.add(people, interval.low >= 1.0, at >= 1.0, interval.high >= 1.0);
                let judged = promise.is_some_and(|promise| promise.decides);
                let ends = if judged { ends } else { (false, false, true) };
                self.failing.add(people, ends.0, ends.1, ends.2);
                self.highest = self.highest.max(interval.high);
                at
            }
            Most::Unknown => {
                self.above.add(people, false, false, promise.is_some());
                self.certain.add(people, false, false, true);
                self.failing.add(people, false, false, true);
                self.highest = 1.0;
                return;
            }
        };
        self.histogram[((at * BARS as f64) as usize).min(BARS - 1)] += people;
    }
}
