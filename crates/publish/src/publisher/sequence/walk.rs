//! The walk itself: asks the belief engine, and fills in the account.

use pellucid_inference::belief::{Belief, StrategyAdversary};
use pellucid_inference::budget::Budget;
use pellucid_inference::sequence::{NaiveStrategy, Sequence, Strategy};
use pellucid_model::error::{Error, ErrorKind, Result};

use super::account::{EvaluationRecord, NaiveLeak, SequenceAccount, SilenceAssumption, demand, fact, judge, unknown};
use super::{Function, SequencePublisher};
use crate::publisher::input::PublisherInput;

/// Walks along the functions that are left.
pub(super) struct SequenceWalker<'a> {
    pub plan: &'a PublisherInput<'a>,
    pub functions: &'a [Function],
    /// The places of the functions that are not ruled out.
    pub left: &'a [usize],
    /// Person p is row `order[p]`.
    pub order: &'a [u32],
}

impl SequenceWalker<'_> {
    /// Follows `strategy`, which is one for the functions that are left, and tells `account` what it saw.
    ///
    /// # Errors
    /// When the walk itself takes more than the budget; whatever else takes too much is left open in the account.
    pub fn walk(&self, strategy: &dyn Strategy, account: &mut SequenceAccount) -> Result<()> {
        let numbers: Vec<usize> = self.left.iter().map(|&place| place + 1).collect();
        let Some(goal) = self.plan.goals.iter().find(|goal| goal.principle.needs_sensitive()) else {
            // Group sizes are all that counts, and they pass.
            account.released = numbers.first().copied();
            return Ok(());
        };
        let condition = SequencePublisher::condition(self.plan);
        let values: Vec<u32> = self.order.iter().map(|&row| goal.column.code(row as usize)).collect();
        let labels = self.left.iter().map(|&place| self.functions[place].listed.labels.clone()).collect();
        let sequence = Sequence::from_labels(self.order.len(), labels)?;
        let adversary = |strategy: &dyn Strategy, budget: Budget| {
            debug_assert!(budget.seconds.is_none(), "what a publisher answers depends on no clock");
            Ok(StrategyAdversary::new(&sequence, strategy, &condition, &values, budget)?.numbered(&numbers))
        };
        let deciding = adversary(strategy, Budget::publisher()).map_err(with_remedy)?;
        let walk = deciding.walk().map_err(with_remedy)?;
        account.released = walk.release.map(|step| numbers[step - 1]);
        account.looks = walk.looks.iter().map(|look| EvaluationRecord::of(look, &numbers)).collect();
        // From here on nothing is decided, so a question that takes too long is left open and nothing fails.
        let demand = demand(self.plan, goal);
        let judge = |belief: Result<Belief>| judge(belief, &demand);
        let curious = adversary(strategy, Budget::account());
        let ask = |main: bool, question: &dyn Fn(&StrategyAdversary<'_>) -> Result<Belief>| match (&curious, main) {
            (_, true) => judge(question(&deciding)),
            (Ok(curious), false) => judge(question(curious)),
            (Err(error), false) => unknown(error),
        };
        for (step, &number) in (1..).zip(&numbers) {
            let looks = account.looks.iter().filter(|look| look.step == number);
            let seen = looks.fold((false, false), |(groups, disclosure), look| {
                (groups || !look.disclosure, disclosure || look.disclosure)
            });
            let told = &mut account.steps[number - 1];
            if seen.0 || self.plan.explain {
                told.permutation = Some(ask(seen.0, &|adversary| adversary.permutation(step)));
            }
            if seen.1 || self.plan.explain {
                told.disclosure = Some(ask(seen.1, &|adversary| adversary.disclosure(step)));
            }
        }
        let judged = account.silence == SilenceAssumption::Observable;
        account.given_nothing = Some(ask(judged, &|adversary| adversary.disclosure(sequence.len() + 1)));
        let leak = || -> Result<NaiveLeak> {
            let naive = adversary(&NaiveStrategy, Budget::account())?;
            let released = naive.walk()?.release;
            let belief = released.map(|step| judge(naive.disclosure(step)));
            Ok(NaiveLeak { released: released.map(|step| numbers[step - 1]), belief })
        };
        let leak = leak().unwrap_or_else(|error| NaiveLeak { released: None, belief: Some(unknown(&error)) });
        account.naive = Some(leak);
        Ok(())
    }
}

/// What to do when counting takes too much.
fn with_remedy(error: Error) -> Error {
    if error.kind() != ErrorKind::LimitExceeded {
        return error;
    }
    let message = format!(
        "the disclosure sets of `sequence` cannot be counted: {}; leave out the finest functions, use functions that nest or \
         strategy = \"exclusive\", add `k-anonymity` as a second principle, which rules small groups out beforehand, or \
         protect only the values that are harmful",
        fact(&error)
    );
    Error::new(ErrorKind::LimitExceeded, message)
}
