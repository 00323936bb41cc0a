//! The kinds `weights` and `alg2`: what the paper's way to draw a possible instance gives.

use std::fmt::Write;

use dashu_int::UBig;
use pellucid_inference::belief::Belief;
use pellucid_model::error::{Error, Result};
use pellucid_model::exact::{Fraction, format_fraction, fraction};
use serde_json::{Map, Value, json};

use super::tree::{DrawTree, SolverTrust};
use crate::object::CaseObject;
use crate::values::{count, ratio};
use crate::views::NamedViews;
use crate::{AnswerOptions, CaseAnswer, CaseKind, CaseQuestion};

/// The registry entry of weights.
pub const WEIGHTS: CaseKind = CaseKind {
    id: "weights",
    summary: "how far unweighted draws of possible instances are from the belief",
    example: r#"{"order": ["Alan", "Bob", "Cate", "Dan"], "views": [{"members": ["Alan", "Bob"], "values": ["flu", "gout"]},
        {"members": ["Bob", "Cate", "Dan"], "values": ["flu", "flu", "gout"]}], "domain": ["flu", "gout"]}"#,
    read: |input| Ok(Box::new(Order(read(input, "order")?))),
};

/// The registry entry of dead ends.
pub const DEAD_END: CaseKind = CaseKind {
    id: "alg2",
    summary: "how often draws that trust the linear relaxation come to a dead end",
    example: r#"{"ids": [0, 1, 2, 3, 4], "domain": ["a", "b"], "views": [{"members": [1, 2, 3], "values": ["a", "a", "b"]},
        {"members": [1, 2, 4], "values": ["a", "a", "b"]}, {"members": [1, 3, 4], "values": ["a", "a", "b"]}]}"#,
    read: |input| Ok(Box::new(Trusting(read(input, "ids")?))),
};

fn read(input: &Value, people: &'static str) -> Result<NamedViews> {
    let keys = [people, "domain", "views"];
    let input = CaseObject::new(input, &keys).map_err(|error| error.context("key `input`"))?;
    input.refuse_misspelt()?;
    NamedViews::read(&input, people)
}

#[derive(Debug)]
struct Order(NamedViews);

impl CaseQuestion for Order {
    fn answer(&self, options: &AnswerOptions) -> Result<Box<dyn CaseAnswer>> {
        let belief = self.0.counted(options.budget)?;
        let worlds = belief.worlds().filter(|worlds| **worlds != UBig::ZERO).cloned();
        let worlds = worlds.ok_or_else(|| Error::bad_input("no world agrees with all views; correct them"))?;
        let mut tree = DrawTree::new(&self.0);
        let spread = fraction(tree.square(), &worlds * &worlds);
        Ok(Box::new(Weighed { shown: self.0.clone(), spread, drawn: tree.shares(), worlds, belief }))
    }
}

#[derive(Debug)]
struct Weighed {
    shown: NamedViews,
    /// The mean square of the weight over the square of its mean: how many times more draws are needed than of equal weight.
    spread: Fraction,
    /// By person and code, how often it is drawn.
    drawn: Vec<Vec<Fraction>>,
    /// How many worlds there are: the mean weight of draws.
    worlds: UBig,
    /// What draws say when they are weighed.
    belief: Belief,
}

impl Weighed {
    /// Name, value, how often it is drawn and what is believed, for every person and value.
    fn cells(&self) -> impl Iterator<Item = (&String, &String, &Fraction, Fraction)> {
        let people = self.shown.people.iter().zip(&self.drawn).enumerate();
        people.flat_map(|(person, (name, drawn))| {
            let belief = self.belief.distribution(person);
            let cells = (0..).zip(self.shown.values.iter().zip(drawn));
            cells.map(move |(code, (value, drawn))| {
                let weighed = belief.as_ref().map_or(Fraction::ZERO, |belief| belief.probability(code));
                (name, value, drawn, weighed)
            })
        })
    }
}

impl CaseAnswer for Weighed {
    fn json(&self) -> Value {
        let mut all = Map::new();
        all.insert("E[w]".to_owned(), json!(format!("{}/1", self.worlds)));
        all.insert("E[w^2]/E[w]^2".to_owned(), json!(ratio(&self.spread)));
        for (name, value, drawn, weighed) in self.cells() {
            all.insert(format!("unweighted P({name}={value})"), json!(ratio(drawn)));
            all.insert(format!("weighted P({name}={value})"), json!(ratio(&weighed)));
        }
        Value::Object(all)
    }

    fn text(&self) -> String {
        let mut text = format!(
            "weights are {} on average, the number of worlds; draws of equal weight would be worth {} times as much\n",
            self.worlds,
            format_fraction(&self.spread)
        );
        for (name, value, drawn, weighed) in self.cells().filter(|cell| cell.3 != Fraction::ZERO) {
            let (drawn, weighed) = (format_fraction(drawn), format_fraction(&weighed));
            let _ = writeln!(text, "  {name} has {value}: drawn {drawn}, weighed {weighed}");
        }
        text
    }
}

#[derive(Debug)]
struct Trusting(NamedViews);

impl CaseQuestion for Trusting {
    fn answer(&self, options: &AnswerOptions) -> Result<Box<dyn CaseAnswer>> {
        let tree = DrawTree::new(&self.0);
        let worlds = self.0.worlds(&[], options)?;
        Ok(Box::new(DeadEnd {
            worlds,
            printed: tree.dead_end(SolverTrust::Found),
            worst: tree.dead_end(SolverTrust::Worst),
            untested: tree.dead_end(SolverTrust::Solvable),
        }))
    }
}

#[derive(Debug)]
struct DeadEnd {
    worlds: UBig,
    printed: Fraction,
    worst: Fraction,
    untested: Fraction,
}

impl CaseAnswer for DeadEnd {
    fn json(&self) -> Value {
        json!({
            "pis_size": count(&self.worlds),
            "dead_end_probability": ratio(&self.printed),
            "dead_end_probability_at_worst": ratio(&self.worst),
            "dead_end_probability_without_integrality_test": ratio(&self.untested),
        })
    }

    fn text(&self) -> String {
        format!(
            "{} worlds agree with all views; a draw that asks for a vertex without fractions comes to a dead end with probability {}, \
             or {} with a solver that finds fractions where it can; one that only asks for a solution with {}\n",
            self.worlds,
            format_fraction(&self.printed),
            format_fraction(&self.worst),
            format_fraction(&self.untested)
        )
    }
}
