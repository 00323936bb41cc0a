//! The belief engine of the core crate, asked the questions that the twin answers.

use std::collections::BTreeMap;

use pellucid_inference::belief::{self, Adversary, Condition};
use pellucid_inference::budget::Budget;
use pellucid_inference::sequence::{self, Sequence};
use pellucid_model::error::Result;
use pellucid_model::exact::{Fraction, format_fraction};
use pellucid_model::histogram::Histogram;
use pellucid_model::principle::{self, Sensitive};
use pellucid_model::registry::Args;

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
    let (id, args) = in_registry(principle);
    let whole = Histogram::of(table.iter().copied());
    let cardinality = domain as usize;
    let protected = protected(principle, domain);
    let protected = protected.as_deref();
    let column = Sensitive { name: "value", whole: &whole, cardinality, protected, hierarchy: None };
    let test = principle::make(id, &args)?.bind(column)?;
    let condition = Condition::new([test.as_ref()]);
    let (id, args) = strategy_in_registry(strategy);
    let strategy = sequence::make(id, &args)?;
    let adversary = Adversary::new(&sequence, strategy.as_ref(), &condition, table, Budget::question())?;
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

fn plain(belief: &belief::Belief, people: usize, condition: &Condition<'_>) -> Belief {
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

/// A principle's id and arguments in the core registry.
///
/// # Panics
/// For k-anonymity, which says nothing of belief, and for sentences, which speak of columns.
pub fn in_registry(principle: &Principle) -> (&'static str, Args) {
    let number = |name: &str, value: &Fraction| Args::new().with(name, format_fraction(value));
    match principle {
        Principle::Share { l, .. } => ("frequency-l-diversity", Args::new().with("l", l)),
        Principle::Ratio { ratio } => ("highest-ratio", number("ratio", ratio)),
        // r1 < ratio says that r1 < ratio / (1 - ratio) times the rest.
        Principle::Below { ratio } => {
            let c = ratio / (Fraction::ONE - ratio);
            ("recursive-cl-diversity", number("c", &c).with("l", 2))
        }
        Principle::Band { delta, eps } => ("band", number("delta", delta).with("eps", format_fraction(eps))),
        Principle::Distinct { l } => ("distinct-l-diversity", Args::new().with("l", l)),
        Principle::Entropy { l } => ("entropy-l-diversity", number("l", l)),
        Principle::Recursive { c, l } => ("recursive-cl-diversity", number("c", c).with("l", l)),
        Principle::EqualCloseness { t } => ("t-closeness", number("t", t).with("distance", "equal")),
        Principle::OrderedCloseness { t } => ("t-closeness", number("t", t).with("distance", "ordered")),
        Principle::KAnonymity { .. } | Principle::Logical { .. } => panic!("not a principle of belief in values"),
    }
}

/// By code of `0..domain`, whether the principle protects the value; `None` when it protects all.
pub fn protected(principle: &Principle, domain: u32) -> Option<Vec<bool>> {
    let Principle::Share { protect: Some(values), .. } = principle else { return None };
    Some((0..domain).map(|code| values.contains(&code)).collect())
}

/// A strategy's id and arguments in the core registry; equal distances are given as one.
pub fn strategy_in_registry(strategy: &Strategy) -> (&'static str, Args) {
    match strategy {
        Strategy::Naive => ("naive", Args::new()),
        Strategy::Safe => ("safe", Args::new()),
        Strategy::Exclusive => ("exclusive", Args::new()),
        Strategy::Jump(distances) => {
            let same = distances.windows(2).all(|pair| pair[0] == pair[1]);
            let words = distances.iter().take(if same { 1 } else { distances.len() }).map(ToString::to_string);
            ("k-jump", Args::new().with("jumps", words.collect::<Vec<String>>().join(",")))
        }
    }
}
