//! The belief engine of the product, asked the questions that the twin answers.

use std::collections::BTreeMap;

use pellucid_inference::belief::{self, Requirements, StrategyAdversary};
use pellucid_inference::budget::Budget;
use pellucid_inference::sequence::{self, Sequence};
use pellucid_model::error::Result;
use pellucid_model::exact::Fraction;
use pellucid_model::histogram::Histogram;
use pellucid_model::principle::{self, SensitiveColumn};

use crate::answer::{Answer, Belief};
use crate::literal::strategy::Strategy;
use crate::literal::worlds::Functions;
use crate::principle::Principle;

/// The engine's answer for one table with values of `0..domain`; belief given silence only when `silence` asks for it.
///
/// # Panics
/// When the engine's own summary of a belief contradicts its distributions.
pub fn answer(
    table: &[u32],
    domain: u32,
    functions: &Functions,
    strategy: &Strategy,
    principle: &Principle,
    silence: bool,
) -> Result<Answer> {
    let sequence = Sequence::from_groups(table.len(), functions)?;
    let (id, args) = principle.in_registry();
    let whole = Histogram::of(table.iter().copied());
    let cardinality = domain as usize;
    let protected = protected(principle, domain);
    let protected = protected.as_deref();
    let column = SensitiveColumn { name: "value", whole: &whole, cardinality, protected, hierarchy: None };
    let test = principle::make(id, &args)?.bind(column)?;
    let condition = Requirements::new([test.as_ref()]);
    let (id, args) = strategy.in_registry();
    let strategy = sequence::make(id, &args)?;
    let adversary = StrategyAdversary::new(&sequence, strategy.as_ref(), &condition, table, Budget::question())?;
    let plain = |belief: &belief::Belief| plain(belief, table.len(), &condition);
    let walk = adversary.walk()?;
    let (mut permutation, mut disclosure, mut reaches) = (Vec::new(), Vec::new(), Vec::new());
    for step in 1..=functions.len() {
        permutation.push(plain(&adversary.permutation(step)?));
        disclosure.push(plain(&adversary.disclosure(step)?));
        reaches.push(adversary.reaches(step)?);
    }
    let after = functions.len() + 1;
    let silence = if silence { Some(plain(&adversary.disclosure(after)?)) } else { None };
    let anything = plain(&adversary.permutation(after)?);
    let posterior = walk.release.map(|step| disclosure[step - 1].clone());
    Ok(Answer {
        release: walk.release,
        looks: walk.looks,
        permutation,
        disclosure,
        reaches,
        posterior,
        silence,
        anything,
    })
}

fn plain(belief: &belief::Belief, people: usize, condition: &Requirements<'_>) -> Belief {
    let marginal = |person: usize| -> BTreeMap<u32, Fraction> {
        let distribution = belief.distribution(person);
        assert_eq!(distribution.is_none(), belief.is_empty(), "there is belief exactly when there is a world");
        let codes = distribution.iter().flat_map(|distribution| distribution.weights().iter().map(|entry| entry.0));
        codes.map(|code| (code, distribution.as_ref().expect("it has weights").probability(code))).collect()
    };
    let plain = Belief {
        worlds: belief.worlds().expect("it was counted").clone(),
        marginals: (0..people).map(marginal).collect(),
        holds: belief.holds(condition),
    };
    assert_eq!(belief.highest().map(|highest| highest.exactly), plain.highest().map(Some));
    plain
}

/// By code of `0..domain`, whether the principle protects the value; `None` when it protects all.
pub fn protected(principle: &Principle, domain: u32) -> Option<Vec<bool>> {
    let Principle::Share { protect: Some(values), .. } = principle else { return None };
    Some((0..domain).map(|code| values.contains(&code)).collect())
}
