//! One trial, and the table of all of them.

use std::ops::RangeInclusive;
use std::time::Instant;

use pellucid_inference::belief::{Requirements, StrategyAdversary};
use pellucid_inference::budget::Budget;
use pellucid_inference::sequence::{Sequence, Strategy};
use pellucid_model::error::{ErrorKind, Result};
use pellucid_model::histogram::Histogram;
use pellucid_model::principle::{self, BoundPrinciple, Principle, SensitiveColumn};
use pellucid_model::registry::EntryArgs;

use crate::MEMORY;
use crate::usage::{UserClock, note};

/// No question may take longer than a minute.
const BUDGET: Budget = Budget { states: 200_000_000, bytes: 4 << 30, seconds: Some(60.0), sampling: None };

/// Runs shorter than this are repeated, and the shortest counts.
const SHORT: f64 = 0.2;

/// What is timed.
pub struct Trial<'a> {
    case: String,
    table: &'a [u32],
    cardinality: usize,
    sequence: &'a Sequence,
    name: String,
    strategies: Vec<Box<dyn Strategy>>,
    principle: Box<dyn Principle>,
    every_step: bool,
    bar: Option<f64>,
    may_be_refused: bool,
}

impl<'a> Trial<'a> {
    /// Follows the strategies called `names` along `sequence`, looking at highest ratio 1/2.
    pub fn new(
        case: &str,
        table: &'a [u32],
        cardinality: usize,
        sequence: &'a Sequence,
        names: &[&str],
    ) -> Result<Self> {
        let strategies = names.iter().map(|name| super::strategy(name)).collect::<Result<_>>()?;
        let name = if let [one] = names { (*one).to_owned() } else { format!("all {}", names.len()) };
        let principle = principle::make("highest-ratio", &EntryArgs::new().with("ratio", "1/2"))?;
        let (case, every_step, bar, may_be_refused) = (case.to_owned(), false, None, false);
        Ok(Self { case, table, cardinality, sequence, name, strategies, principle, every_step, bar, may_be_refused })
    }

    /// Another principle.
    pub fn looking_at(self, principle: Box<dyn Principle>) -> Self {
        Self { principle, ..self }
    }

    /// Counts the disclosure set of every function, not only of the last.
    pub fn every_step(self) -> Self {
        Self { every_step: true, ..self }
    }

    /// Must not take longer than `bar` seconds.
    pub fn within(self, bar: f64) -> Self {
        self.within_if(Some(bar))
    }

    /// Must not take longer than `bar` seconds, if there is a bar.
    pub fn within_if(self, bar: Option<f64>) -> Self {
        Self { bar, ..self }
    }

    /// A refusal is an answer.
    pub fn or_refused(self) -> Self {
        Self { may_be_refused: true, ..self }
    }

    /// The last step whose disclosure set, like all before it, is counted within the budget.
    pub fn last_counted(&self) -> Option<usize> {
        let counted = |step: &usize| self.measure(*step..=*step).is_ok();
        (1..=self.sequence.len()).take_while(counted).last()
    }

    fn once(&self) -> Result<Measured> {
        let last = self.sequence.len();
        self.measure(if self.every_step { 1 } else { last }..=last)
    }

    /// Counts the disclosure sets of `steps`, and follows the strategies when these end with the last.
    fn measure(&self, steps: RangeInclusive<usize>) -> Result<Measured> {
        let whole = Histogram::of(self.table.iter().copied());
        let column = SensitiveColumn {
            name: "value",
            whole: &whole,
            cardinality: self.cardinality,
            protected: None,
            hierarchy: None,
        };
        let test: Box<dyn BoundPrinciple> = self.principle.bind(column)?;
        let condition = Requirements::new([test.as_ref()]);
        MEMORY.start();
        let (clock, user) = (Instant::now(), UserClock::start());
        let mut measured = Measured::default();
        for strategy in &self.strategies {
            let strategy = strategy.as_ref();
            let adversary = StrategyAdversary::new(self.sequence, strategy, &condition, self.table, BUDGET)?;
            for step in steps.clone() {
                let belief = adversary.disclosure(step)?;
                measured.highest = belief.highest().is_some();
                measured.states += belief.states();
                measured.power = belief.worlds().map_or(0, |worlds| worlds.to_string().len() - 1);
            }
            if *steps.end() == self.sequence.len() {
                measured.release = adversary.walk()?.release;
            }
        }
        measured.seconds = clock.elapsed().as_secs_f64();
        measured.user = user.seconds();
        measured.peak = MEMORY.peak();
        Ok(measured)
    }
}

/// What a trial took and found.
#[derive(Debug, Default)]
struct Measured {
    seconds: f64,
    user: f64,
    states: u64,
    /// The number of worlds in the last disclosure set lies between this power of ten and the next.
    power: usize,
    highest: bool,
    release: Option<usize>,
    peak: usize,
}

/// The table.
#[derive(Debug, Default)]
pub struct Board {
    met: usize,
    refused: usize,
    missed: usize,
}

impl Board {
    /// Begins a new part.
    pub fn section(words: &str) {
        println!("\n{words}");
        println!(
            "{:<24} {:>7} {:>6} {:>9} {:<10} {:>8} {:>8} {:>12} {:>9} {:>8} {:>6}  ok",
            "case",
            "people",
            "values",
            "functions",
            "strategy",
            "releases",
            "worlds",
            "states",
            "seconds",
            "MiB",
            "bar"
        );
    }

    /// Says something between the lines.
    pub fn note(words: &str) {
        println!("  {words}");
    }

    /// A bar that is missed without a line of its own.
    pub fn miss(&mut self, words: &str) {
        self.missed += 1;
        Self::note(&format!("MISSED: {words}"));
    }

    /// Runs a trial and prints its line; the seconds, or `None` when it was refused.
    pub fn run(&mut self, trial: &Trial<'_>) -> Result<Option<f64>> {
        let mut best = match trial.once() {
            Ok(measured) => measured,
            Err(error) if error.kind() == ErrorKind::LimitExceeded => {
                let met = trial.bar.map(|_| trial.may_be_refused);
                self.line(trial, None, met);
                Self::note(&format!("refused: {error}"));
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        if best.seconds < SHORT {
            for _ in 0..4 {
                let again = trial.once()?;
                if again.seconds < best.seconds {
                    best = again;
                }
            }
        }
        let met = trial.bar.map(|bar| best.seconds <= bar);
        self.line(trial, Some(&best), met);
        let Trial { case, table, name, .. } = trial;
        note(&format!("{case}, {} people, {name}", table.len()), best.user, best.peak as u64)?;
        Ok(Some(best.seconds))
    }

    fn line(&mut self, trial: &Trial<'_>, measured: Option<&Measured>, met: Option<bool>) {
        match met {
            Some(true) if measured.is_none() => self.refused += 1,
            Some(true) => self.met += 1,
            Some(false) => self.missed += 1,
            None => {}
        }
        let [release, worlds, states, seconds, peak] = measured.map_or_else(
            || ["-"; 5].map(str::to_owned),
            |found| {
                [
                    found.release.map_or_else(|| "nothing".to_owned(), |step| format!("g{step}")),
                    if found.highest { format!("10^{}", found.power) } else { "0".to_owned() },
                    found.states.to_string(),
                    format!("{:.4}", found.seconds),
                    format!("{:.1}", found.peak as f64 / f64::from(1 << 20)),
                ]
            },
        );
        let bar = trial.bar.map_or_else(String::new, |bar| bar.to_string());
        let ok = match met {
            Some(true) if measured.is_none() => "refused",
            Some(true) => "met",
            Some(false) => "MISSED",
            None => "",
        };
        let line = format!(
            "{:<24} {:>7} {:>6} {:>9} {:<10} {release:>8} {worlds:>8} {states:>12} {seconds:>9} {peak:>8} {bar:>6}  {ok}",
            trial.case,
            trial.table.len(),
            trial.cardinality,
            trial.sequence.len(),
            trial.name,
        );
        println!("{}", line.trim_end());
    }

    /// Prints how many bars were missed; whether all were met.
    pub fn close(&self) -> bool {
        println!("\nbars: {} met, {} refused where that is allowed, {} missed", self.met, self.refused, self.missed);
        self.missed == 0
    }
}
