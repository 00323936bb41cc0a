//! The kinds `weights` and `alg2`: what the paper's way to draw a possible instance gives, analysed exactly.

use std::fmt::Write;

use dashu_int::UBig;
use pellucid_inference::views::{Sequential, Trust, Weights};
use pellucid_model::error::{Error, Result};
use pellucid_model::exact::{Fraction, format_fraction};
use serde_json::{Map, Value, json};

use super::object::Object;
use super::values::{count, ratio};
use super::views::Shown;
use super::{Answer, Kind, Options, Question};

/// The registry entry of weights.
pub const WEIGHTS: Kind = Kind {
    id: "weights",
    summary: "how far unweighted draws of possible instances are from the belief",
    example: r#"{"order": ["Alan", "Bob", "Cate", "Dan"], "views": [{"members": ["Alan", "Bob"], "values": ["flu", "gout"]},
        {"members": ["Bob", "Cate", "Dan"], "values": ["flu", "flu", "gout"]}], "domain": ["flu", "gout"]}"#,
    read: |input| Ok(Box::new(Order(read(input, "order")?))),
};

/// The registry entry of dead ends.
pub const DEAD_END: Kind = Kind {
    id: "alg2",
    summary: "how often draws that trust the linear relaxation come to a dead end",
    example: r#"{"ids": [0, 1, 2, 3, 4], "domain": ["a", "b"], "views": [{"members": [1, 2, 3], "values": ["a", "a", "b"]},
        {"members": [1, 2, 4], "values": ["a", "a", "b"]}, {"members": [1, 3, 4], "values": ["a", "a", "b"]}]}"#,
    read: |input| Ok(Box::new(Trusting(read(input, "ids")?))),
};

fn read(input: &Value, people: &'static str) -> Result<Shown> {
    let keys = [people, "domain", "views"];
    let input = Object::new(input, &keys).map_err(|error| error.context("key `input`"))?;
    input.refuse_misspelt()?;
    Shown::read(&input, people)
}

fn everybody(shown: &Shown) -> Vec<u32> {
    (0..shown.people.len() as u32).collect()
}

#[derive(Debug)]
struct Order(Shown);

impl Question for Order {
    fn answer(&self, _options: &Options) -> Result<Box<dyn Answer>> {
        let order = everybody(&self.0);
        let weights = Sequential::new(&self.0.views, &order).weights();
        let weights = weights.ok_or_else(|| Error::bad_input("no world agrees with all views; correct them"))?;
        Ok(Box::new(Weighed { shown: self.0.clone(), weights }))
    }
}

#[derive(Debug)]
struct Weighed {
    shown: Shown,
    weights: Weights,
}

impl Weighed {
    /// Name, value, how often it is drawn and what is believed, for everything that is possible.
    fn cells(&self) -> impl Iterator<Item = (&String, &String, &Fraction, &Fraction)> {
        let people = self.shown.people.iter().zip(self.weights.drawn.iter().zip(&self.weights.weighed));
        people.flat_map(|(name, (drawn, weighed))| {
            let cells = self.shown.values.iter().zip(drawn.iter().zip(weighed));
            cells.map(move |(value, (drawn, weighed))| (name, value, drawn, weighed))
        })
    }
}

impl Answer for Weighed {
    fn json(&self) -> Value {
        let mut all = Map::new();
        all.insert("E[w]".to_owned(), json!(ratio(&self.weights.mean)));
        all.insert("E[w^2]/E[w]^2".to_owned(), json!(ratio(&self.weights.spread)));
        for (name, value, drawn, weighed) in self.cells() {
            all.insert(format!("unweighted P({name}={value})"), json!(ratio(drawn)));
            all.insert(format!("weighted P({name}={value})"), json!(ratio(weighed)));
        }
        Value::Object(all)
    }

    fn text(&self) -> String {
        let mut text = format!(
            "weights are {} on average, the number of worlds; draws of equal weight would be worth {} times as much\n",
            format_fraction(&self.weights.mean),
            format_fraction(&self.weights.spread)
        );
        for (name, value, drawn, weighed) in self.cells().filter(|cell| *cell.3 != Fraction::ZERO) {
            let (drawn, weighed) = (format_fraction(drawn), format_fraction(weighed));
            let _ = writeln!(text, "  {name} has {value}: drawn {drawn}, weighed {weighed}");
        }
        text
    }
}

#[derive(Debug)]
struct Trusting(Shown);

impl Question for Trusting {
    fn answer(&self, options: &Options) -> Result<Box<dyn Answer>> {
        let order = everybody(&self.0);
        let tree = Sequential::new(&self.0.views, &order);
        let worlds = self.0.worlds(&[], options)?;
        Ok(Box::new(DeadEnd {
            worlds,
            printed: tree.dead_end(Trust::Found),
            worst: tree.dead_end(Trust::Worst),
            untested: tree.dead_end(Trust::Solvable),
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

impl Answer for DeadEnd {
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
