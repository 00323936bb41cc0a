//! Belief from samples, for evidence that cannot be counted with within the budget.
//!
//! An estimate is asked for by name, carries its intervals and the number of worlds they rest on, and is never called
//! exact. Nothing is released because of one.

use pellucid_model::error::{Error, Result};

use super::cells::{StepAtom, StepCells};
use super::interval::{ConfidenceLevel, UnitInterval};
use super::sample::{StepSampler, StepTally};
use super::{Belief, StrategyAdversary};
use crate::budget::SamplingPlan;
use crate::estimate::{Estimate, SampleMethod, SampleRecord};

/// The belief that follows from worlds that were drawn independently and uniformly, of which those were kept that agree with the
/// evidence.
///
/// # Method
/// Given their number, the worlds kept are uniform on those that agree with the evidence, and independent. All are worth the same, so
/// that the effective sample size is their number. With none, nothing is known.
///
/// People whom no function up to the step tells apart, an atom, have the same probability p of a value. In one world they
/// depend on each other, but the share of the atom's people who have the value is one number between 0 and 1 with mean p, and
/// independent from world to world. With m its average over k kept worlds, M cells (pairs of an atom and a value that
/// occurs, not alone, in its group) and the confidence c, the interval of every cell is
///
/// ```text
/// { q : k kl(m, q) <= ln(2 (M + 1) / (1 - c)) },   kl(a, b) = a ln(a / b) + (1 - a) ln((1 - a) / (1 - b))
/// ```
///
/// and that of the share of all worlds that is left is the same with the share of draws kept for m and the number
/// of draws for k. By Hoeffding's inequality (1963, theorem 1, for independent variables between 0 and 1) each of these M + 1
/// intervals fails with probability at most (1 - c) / (M + 1); by the union bound **all hold together** with probability
/// at least c. Then also the highest probability lies between the highest lower end and the highest upper end.
pub(crate) fn of_worlds(sampling: &SamplingPlan, cells: &StepCells, tally: &StepTally) -> Belief {
    let surety = ConfidenceLevel::new(sampling.confidence, cells.many as u64 + 1);
    let (draws, kept) = (sampling.draws, tally.kept);
    let record = SampleRecord {
        method: SampleMethod::Independent,
        draws,
        effective: kept as f64,
        confidence: sampling.confidence,
        share: Some(surety.interval(kept as f64 / draws as f64, draws)),
        views: None,
    };
    if kept == 0 {
        let none = format!("none of {draws} worlds that were drawn agrees with the evidence");
        return Belief::unknown(cells.atom_of.len(), none).with_samples(vec![record]);
    }
    let interval = |atom: &StepAtom, rank: usize| {
        let all = u128::from(kept) * atom.people.len() as u128;
        surety.interval(tally.counts[atom.first + rank] as f64 / all as f64, kept)
    };
    of_cells(cells, SampleMethod::Independent, interval).with_samples(vec![record])
}

/// The belief that follows from populations, each of so many worlds (`size`), that were led to the evidence independently of each
/// other: of each population the mean of every cell, and the share of all worlds that is left.
///
/// # Method
/// The means of R populations are independent and have one distribution. Where the probability that is asked for lies in the
/// middle of it, with at most 3/5 on either side, all are on the same side of it with probability at most 2 (3/5)^R, whatever
/// the distribution is: else it lies between the least and the greatest. R is chosen such ([`ConfidenceLevel::spread`]) that all
/// intervals hold together with the confidence asked for. The mean of few worlds is skewed where a value is rare, so that the
/// interval is widened to what as many independent worlds would leave open.
///
/// # Guarantee
/// None: whether the probability lies in the middle of what populations say depends on how well their worlds were stirred, which
/// their spread shows but does not prove.
pub(crate) fn of_populations(confidence: f64, size: u64, cells: &StepCells, populations: &[WorldPopulation]) -> Belief {
    let many = populations.len() as u64;
    let surety = ConfidenceLevel::new(confidence, cells.many as u64 + 1);
    let hull = |of: &dyn Fn(&WorldPopulation) -> f64| {
        let (low, sum, high) = populations
            .iter()
            .map(of)
            .fold((1.0f64, 0.0, 0.0f64), |(low, sum, high), mean| (low.min(mean), sum + mean, high.max(mean)));
        (low, sum / many as f64, high)
    };
    let interval = |atom: &StepAtom, rank: usize| {
        let (low, at, high) = hull(&|population| population.means[atom.first + rank]);
        let alone = surety.interval(at, size * many);
        UnitInterval { low: low.min(alone.low), at: Some(at), high: high.max(alone.high) }
    };
    let (low, at, high) = hull(&|population| population.share);
    let record = SampleRecord {
        method: SampleMethod::Populations,
        draws: size * many,
        effective: (size * many) as f64,
        confidence,
        share: Some(UnitInterval { low, at: Some(at), high }),
        views: None,
    };
    of_cells(cells, SampleMethod::Populations, interval).with_samples(vec![record])
}

/// Values that do not occur in somebody's group are impossible, one that alone occurs there is certain, whatever is drawn; `interval`
/// is where the probability of any other lies, by atom and rank of the value in its group.
fn of_cells(cells: &StepCells, method: SampleMethod, interval: impl Fn(&StepAtom, usize) -> UnitInterval) -> Belief {
    let estimate = |atom: &StepAtom| {
        let codes = &cells.groups[atom.group].codes;
        let intervals = codes.iter().enumerate().map(|(rank, &code)| match codes.len() {
            1 => (code, UnitInterval::exactly(1.0)),
            _ => (code, interval(atom, rank)),
        });
        (atom.people.clone(), Estimate::Sampled(intervals.collect(), method))
    };
    Belief::of_atoms(cells.atom_of.len(), cells.atoms.iter().map(estimate).collect(), None)
}

/// What one population of worlds says.
#[derive(Debug, Clone)]
pub(crate) struct WorldPopulation {
    /// By cell, the share of the atom's people who have the value, on average.
    pub(crate) means: Vec<f64>,
    /// The share of the permutation set that is left.
    pub(crate) share: f64,
}

impl StrategyAdversary<'_> {
    /// Estimates the disclosure set of `step`, from 1, by samples; the step after the last is silence.
    ///
    /// Where the walk looks at an earlier disclosure set and what it sees there matters, the engine decides exactly, each time
    /// within the budget; fails with [`pellucid_model::error::ErrorKind::LimitExceeded`], naming that step, when it cannot.
    pub fn estimate(&self, step: usize, sampling: &SamplingPlan) -> Result<Belief> {
        sampling.check()?;
        let last = self.rules.len() + 1;
        if step == 0 || step > last {
            return Err(Error::invalid(format!("there is no step {step}; give one from 1 to {last}")));
        }
        let cells = StepCells::new(&self.engine, step - 1, self.values)?;
        let tally = StepSampler::new(self, step - 1, &cells).draw(sampling.draws, sampling.randomness()?)?;
        Ok(of_worlds(sampling, &cells, &tally))
    }
}

#[cfg(test)]
mod tests {
    use pellucid_model::error::ErrorKind;
    use pellucid_model::exact::{Fraction, fraction};
    use pellucid_model::histogram::Histogram;
    use pellucid_model::principle::{self, BoundPrinciple, SensitiveColumn};
    use pellucid_model::registry::EntryArgs;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::belief::Requirements;
    use crate::budget::Budget;
    use crate::sequence::{ExclusiveStrategy, JumpDistances, KJump, NaiveStrategy, SafeStrategy, Sequence, Strategy};

    fn bound(id: &str, args: &EntryArgs, values: &[u32]) -> Box<dyn BoundPrinciple> {
        let whole = Histogram::of(values.iter().copied());
        let cardinality = values.iter().max().map_or(0, |&last| last as usize + 1);
        let column = SensitiveColumn { name: "value", whole: &whole, cardinality, protected: None, hierarchy: None };
        principle::make(id, args).unwrap().bind(column).unwrap()
    }

    fn at_most_half(values: &[u32]) -> Box<dyn BoundPrinciple> {
        bound("highest-ratio", &EntryArgs::new().with("ratio", "1/2"), values)
    }

    fn decimal(value: &Fraction) -> f64 {
        value.to_f64().value()
    }

    /// Whether everything that the estimate says is true of `exact`, out of `permutations`.
    fn true_of(estimate: &Belief, exact: &Belief, permutations: &Belief, people: usize, domain: u32) -> bool {
        let worlds = |belief: &Belief| belief.worlds().unwrap().clone();
        let share = estimate.samples()[0].share.unwrap();
        let share_holds = share.contains(decimal(&fraction(worlds(exact), worlds(permutations))));
        let found = estimate.highest().unwrap().within;
        let Some(highest) = exact.highest() else {
            assert_eq!((kept(estimate), found), (0, UnitInterval::ANY));
            return share_holds;
        };
        let everyone = (0..people).all(|person| {
            let (belief, estimate) = (exact.distribution(person).unwrap(), estimate.estimate(person).unwrap());
            (0..domain).all(|code| estimate.probability(code).contains(decimal(&belief.probability(code))))
        });
        everyone && share_holds && found.contains(decimal(&highest.exactly.unwrap()))
    }

    fn kept(estimate: &Belief) -> u64 {
        estimate.samples()[0].effective as u64
    }

    #[test]
    fn all_intervals_hold_together_as_often_as_they_say() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let (mut asked, mut missed, mut partly) = (0, 0, 0);
        for case in 0..200 {
            let (people, domain) = (rng.random_range(6..=10usize), rng.random_range(3..=4u32));
            let values: Vec<u32> = (0..people).map(|_| rng.random_range(0..domain)).collect();
            let steps = rng.random_range(2..=4usize);
            let labels = (0..steps).map(|_| {
                let groups = rng.random_range(2..=people as u32 / 3);
                (0..people).map(|_| rng.random_range(0..groups)).collect()
            });
            let sequence = Sequence::from_labels(people, labels.collect()).unwrap();
            let test = match case % 4 {
                0 | 1 => at_most_half(&values),
                2 => bound("recursive-cl-diversity", &EntryArgs::new().with("c", "3/2").with("l", 2), &values),
                _ => bound("band", &EntryArgs::new().with("delta", "2/3").with("eps", "1/5"), &values),
            };
            let condition = Requirements::new([test.as_ref()]);
            let strategy: Box<dyn Strategy> = match case % 5 {
                0 => Box::new(NaiveStrategy),
                1 => Box::new(SafeStrategy),
                2 => Box::new(ExclusiveStrategy),
                jump => Box::new(KJump::new(JumpDistances::Same(jump - 2)).unwrap()),
            };
            let adversary =
                StrategyAdversary::new(&sequence, strategy.as_ref(), &condition, &values, Budget::question()).unwrap();
            for step in 1..=steps + 1 {
                let (exact, all) = (adversary.disclosure(step).unwrap(), adversary.permutation(step).unwrap());
                let sampling = SamplingPlan { draws: 300, confidence: 0.9, seed: Some(case as u64) };
                let estimate = adversary.estimate(step, &sampling).unwrap();
                asked += 1;
                partly += i32::from(kept(&estimate) > 0 && kept(&estimate) < 300);
                missed += i32::from(!true_of(&estimate, &exact, &all, people, domain));
            }
        }
        assert!(asked > 600 && partly > 200, "{asked} {partly}");
        assert!(missed * 10 <= asked, "{missed} of {asked} miss");
    }

    /// Blocks of `sizes` of people in a row, one function for each size.
    fn blocks(people: usize, sizes: &[usize]) -> Sequence {
        let label = |size: usize| (0..people).map(|person| (person / size) as u32).collect();
        Sequence::from_labels(people, sizes.iter().map(|&size| label(size)).collect()).unwrap()
    }

    #[test]
    fn what_counting_refuses_is_estimated() {
        let values: Vec<u32> = (0..24).map(|person| person * person % 5).collect();
        let sequence = blocks(24, &[4, 6, 9, 12]);
        let test = at_most_half(&values);
        let condition = Requirements::new([test.as_ref()]);
        let of = |states: u64| {
            StrategyAdversary::new(
                &sequence,
                &NaiveStrategy,
                &condition,
                &values,
                Budget { states, ..Budget::question() },
            )
            .unwrap()
        };
        let (poor, rich) = (of(10), of(Budget::question().states));
        assert_eq!(poor.disclosure(4).unwrap_err().kind(), ErrorKind::LimitExceeded);
        let estimate =
            poor.estimate(4, &SamplingPlan { draws: 40_000, seed: Some(1), ..SamplingPlan::default() }).unwrap();
        assert!(kept(&estimate) > 500 && kept(&estimate) < 40_000, "{}", kept(&estimate));
        assert!(true_of(&estimate, &rich.disclosure(4).unwrap(), &rich.permutation(4).unwrap(), 24, 5));
    }

    #[test]
    fn earlier_disclosure_sets_are_decided_exactly_or_named() {
        let values: Vec<u32> = (0..12).map(|person| person * person % 5).collect();
        let sequence = blocks(12, &[3, 4, 6]);
        let test = at_most_half(&values);
        let condition = Requirements::new([test.as_ref()]);
        let of = |states: u64| {
            StrategyAdversary::new(
                &sequence,
                &SafeStrategy,
                &condition,
                &values,
                Budget { states, ..Budget::question() },
            )
            .unwrap()
        };
        let sampling = SamplingPlan { draws: 2_000, seed: Some(1), ..SamplingPlan::default() };
        let rich = of(Budget::question().states);
        let estimate = rich.estimate(3, &sampling).unwrap();
        assert!(kept(&estimate) > 100 && kept(&estimate) < 1_900, "{}", kept(&estimate));
        assert!(true_of(&estimate, &rich.disclosure(3).unwrap(), &rich.permutation(3).unwrap(), 12, 5));
        let error = of(1).estimate(3, &sampling).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        assert!(error.message().contains("the disclosure set of step 2 passes: counting"), "{error}");
    }

    #[test]
    fn a_seed_gives_the_same_on_any_number_of_threads() {
        let values: Vec<u32> = (0..12).map(|person| person * person % 5).collect();
        let sequence = blocks(12, &[3, 4, 6]);
        let test = at_most_half(&values);
        let condition = Requirements::new([test.as_ref()]);
        let counts = |strategy: &dyn Strategy, threads: usize, seed: u64| {
            let adversary =
                StrategyAdversary::new(&sequence, strategy, &condition, &values, Budget::question()).unwrap();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            // Several chunks: each holds 65,536 / 12 = 5,461 worlds.
            let sampling = SamplingPlan { draws: 20_000, seed: Some(seed), ..SamplingPlan::default() };
            let estimate = pool.install(|| adversary.estimate(3, &sampling)).unwrap();
            (kept(&estimate), estimate.atoms().map(|(_, estimate)| estimate).collect::<Vec<_>>())
        };
        for strategy in [&NaiveStrategy as &dyn Strategy, &SafeStrategy] {
            let one = counts(strategy, 1, 7);
            assert!(one.0 > 0);
            assert_eq!(counts(strategy, 3, 7), one);
            assert_ne!(counts(strategy, 3, 8), one);
        }
    }

    #[test]
    fn nothing_kept_says_so() {
        // Both functions are the same: where the second is come to, the first has failed; here it always passes.
        let values = [0, 1, 0, 1];
        let sequence = blocks(4, &[2, 2]);
        let test = at_most_half(&values);
        let condition = Requirements::new([test.as_ref()]);
        let adversary =
            StrategyAdversary::new(&sequence, &NaiveStrategy, &condition, &values, Budget::question()).unwrap();
        let estimate = adversary.estimate(2, &SamplingPlan { draws: 1_000, ..SamplingPlan::default() }).unwrap();
        assert_eq!((kept(&estimate), estimate.highest().unwrap().within), (0, UnitInterval::ANY));
        assert_eq!(estimate.estimate(0).unwrap().probability(0), UnitInterval::ANY);
        // Two atoms of two values: M = 4, 1 - (0.05 / 10)^(1 / 1000) = 0.00528.
        let share = estimate.samples()[0].share.unwrap();
        assert!(share.low == 0.0 && (share.high - 0.005_28).abs() < 1e-5, "{share:?}");
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let values = [0, 1];
        let sequence = blocks(2, &[2]);
        let test = at_most_half(&values);
        let condition = Requirements::new([test.as_ref()]);
        let adversary =
            StrategyAdversary::new(&sequence, &NaiveStrategy, &condition, &values, Budget::question()).unwrap();
        let refused = |step: usize, draws: u64, confidence: f64| {
            adversary.estimate(step, &SamplingPlan { draws, confidence, seed: None }).unwrap_err().to_string()
        };
        assert!(refused(1, 0, 0.95).contains("draws 0 worlds"));
        assert!(refused(1, 1, 1.0).contains("strictly between 0 and 1"));
        assert!(refused(1, 1, f64::NAN).contains("strictly between 0 and 1"));
        assert!(refused(3, 1, 0.95).contains("no step 3"));
    }
}
