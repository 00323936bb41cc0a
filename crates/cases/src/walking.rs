//! Tables and sequences as cases about strategies write them.

use dashu_int::UBig;
use pellucid_inference::belief::{Belief, Requirements, StrategyAdversary};
use pellucid_inference::budget::Budget;
use pellucid_inference::sequence::{JumpDistances, KJump, STRATEGIES, Sequence, Strategy};
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::exact::Fraction;
use pellucid_model::histogram::Histogram;
use pellucid_model::principle::{BoundPrinciple, Principle, SensitiveColumn};
use pellucid_model::registry::{EntryArgs, RegistryEntry, did_you_mean};
use pellucid_model::words::counted;
use serde_json::Value;

use super::object::{CaseObject, list, whole, wrong};
use super::{property, values};

/// How the names of k-jump strategies begin.
const JUMP: &str = "jump:";

/// A table, a sequence and what must hold.
#[derive(Debug)]
pub struct WalkSetting {
    /// Names of the values by code.
    pub names: Vec<String>,
    /// Whether the table is written in numbers.
    pub numeric: bool,
    /// The code of every person.
    pub codes: Vec<u32>,
    /// The functions.
    pub sequence: Sequence,
    principles: Vec<Box<dyn Principle>>,
    tests: Vec<Box<dyn BoundPrinciple>>,
}

impl WalkSetting {
    /// Reads `table`, `functions` and `property`.
    pub fn read(input: &CaseObject<'_>) -> Result<Self> {
        let table = input.list("table")?;
        let (names, codes) = values::coded("table", table.iter())?;
        if codes.is_empty() {
            return Err(Error::invalid("key `table` is empty; give a value for every person"));
        }
        let functions = input.list("functions")?.iter().map(groups).collect::<Result<Vec<_>>>()?;
        let sequence = Sequence::from_groups(codes.len(), &functions);
        let sequence = sequence.map_err(|error| error.context("key `functions`"))?;
        let principles = property::read(input.get("property")?)?;
        let whole = Histogram::of(codes.iter().copied());
        let column = SensitiveColumn {
            name: "table",
            whole: &whole,
            cardinality: names.len(),
            protected: None,
            hierarchy: None,
        };
        let tests = principles.iter().map(|principle| principle.bind(column)).collect::<Result<Vec<_>>>();
        let tests = tests.map_err(|error| error.context("key `property`"))?;
        Ok(Self { names, numeric: table.iter().all(Value::is_number), codes, sequence, principles, tests })
    }

    /// What must hold.
    pub fn condition(&self) -> Requirements<'_> {
        Requirements::new(self.tests.iter().map(AsRef::as_ref))
    }

    /// Somebody who knows `strategy`.
    pub fn adversary<'a>(
        &'a self,
        strategy: &dyn Strategy,
        condition: &'a Requirements<'a>,
        budget: Budget,
    ) -> Result<StrategyAdversary<'a>> {
        StrategyAdversary::new(&self.sequence, strategy, condition, &self.codes, budget)
    }

    /// How many people, values and functions there are, and the principles in words.
    pub fn heading(&self) -> String {
        let words: Vec<String> = self.principles.iter().map(|principle| principle.describe()).collect();
        let people = counted(self.codes.len(), "person", "people");
        let values = counted(self.names.len(), "value", "values");
        let functions = counted(self.sequence.len(), "function", "functions");
        format!("{people}, {values}, {functions}; {}", words.join("; "))
    }

    /// The value of a code, as the table writes it.
    pub fn value(&self, code: u32) -> Value {
        let name = &self.names[code as usize];
        let number = name.parse::<i64>().ok().filter(|_| self.numeric);
        number.map_or_else(|| name.as_str().into(), Value::from)
    }
}

/// What is asked about a set of worlds.
#[derive(Debug, Clone)]
pub struct WorldFacts {
    /// How many worlds there are.
    pub size: UBig,
    /// The highest probability of a value of a person; `None` when there is no world.
    pub highest: Option<Fraction>,
    /// Whether the principle holds; `None` when there is no world.
    pub holds: Option<bool>,
    /// States visited in counting.
    pub states: u64,
}

impl WorldFacts {
    /// What is asked about the worlds of `belief`.
    pub fn of(belief: &Belief, condition: &Requirements<'_>) -> Self {
        Self {
            size: belief.worlds().cloned().unwrap_or_default(),
            highest: belief.highest().and_then(|highest| highest.exactly),
            holds: belief.holds(condition),
            states: belief.states(),
        }
    }
}

/// Takes a refusal out of the errors: it spoils a part of the answer only.
pub fn part<T>(result: Result<T>) -> Result<std::result::Result<T, String>> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(error) if error.kind() == ErrorKind::LimitExceeded => Ok(Err(error.message().to_owned())),
        Err(error) => Err(error),
    }
}

/// One function: a list of groups of people.
fn groups(function: &Value) -> Result<Vec<Vec<usize>>> {
    let people = |group: &Value| list("functions", group)?.iter().map(|person| whole("functions", person)).collect();
    list("functions", function)?.iter().map(people).collect()
}

/// The strategies without parameters, which cases call as the registry does.
pub fn plain_strategies() -> impl Iterator<Item = &'static RegistryEntry<dyn Strategy>> {
    STRATEGIES.iter().filter(|entry| entry.params.is_empty())
}

/// The strategy that cases call `name`: `naive`, `safe`, `exclusive`, `jump:2` or `jump:1,3,1`, for a sequence of `steps`.
pub fn strategy(key: &str, name: &str, steps: usize) -> Result<Box<dyn Strategy>> {
    if let Some(entry) = plain_strategies().find(|entry| entry.id == name) {
        return entry.make(&EntryArgs::new());
    }
    let Some(distances) = name.strip_prefix(JUMP) else {
        let hint = did_you_mean(name, plain_strategies().map(|entry| entry.id));
        let known: Vec<String> = plain_strategies().map(|entry| format!("`{}`", entry.id)).collect();
        let known = known.join(", ");
        return Err(Error::invalid(format!(
            "key `{key}` names a strategy that is not known{hint}; there are {known}, `jump:2`, `jump:1,3,1`"
        )));
    };
    let distances: Vec<usize> = distances
        .split(',')
        .map(|distance| {
            distance.trim().parse().map_err(|_| wrong(key, "a strategy; write jumps like jump:2 or jump:1,3,1"))
        })
        .collect::<Result<_>>()?;
    let jumps = match distances[..] {
        [one] => JumpDistances::Same(one),
        _ => JumpDistances::Vector(distances),
    };
    k_jump(jumps, steps).map_err(|error| error.context(format!("key `{key}`")))
}

/// A k-jump strategy for a sequence of `steps`.
pub fn k_jump(jumps: JumpDistances, steps: usize) -> Result<Box<dyn Strategy>> {
    let strategy = KJump::new(jumps)?;
    strategy.rules(steps)?;
    Ok(Box::new(strategy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strategies_are_known_by_name() {
        for (name, id) in [
            ("naive", "naive"),
            ("safe", "safe"),
            ("exclusive", "exclusive"),
            ("jump:2", "k-jump"),
            ("jump:1,2,1", "k-jump"),
        ] {
            assert_eq!(strategy("rule", name, 3).unwrap().id(), id);
        }
        for (name, words) in [
            ("exclusiv", "key `rule` names a strategy that is not known, did you mean `exclusive`?"),
            ("jump:x", "key `rule` must be a strategy; write jumps like"),
            ("jump:4", "key `rule`: jumps must lie between 1 and 3"),
        ] {
            let message = strategy("rule", name, 3).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
    }
}
