//! The kinds `lp_vertex` and `lp_infeasible`: where the linear relaxation of views misleads.

use std::fmt::Write;

use dashu_int::UBig;
use pellucid_inference::views::{SeenViews, View};
use pellucid_model::error::Result;
use pellucid_model::exact::{Fraction, format_fraction};
use pellucid_model::histogram::Histogram;
use serde_json::{Map, Value, json};

use super::relaxation::LinearRelaxation;
use crate::object::{CaseObject, list, wrong};
use crate::values::{coded, count, ratio};
use crate::views::{NamedViews, numbers};
use crate::{AnswerOptions, CaseAnswer, CaseKind, CaseQuestion};

/// The registry entry of vertices.
pub const VERTEX: CaseKind = CaseKind {
    id: "lp_vertex",
    summary: "a vertex of the linear relaxation of views that is no world",
    example: r#"{"ids": [1, 2, 3, 4, 5, 6], "domain": ["a", "b", "c", "d"], "views": [{"members": [1, 2, 3, 4], "values": ["a", "b", "c", "d"]},
        {"members": [3, 4, 5, 6], "values": ["a", "b", "c", "d"]}], "fixed": []}"#,
    read: |input| Ok(Box::new(Vertex::read(input)?)),
};

/// The registry entry of feasibility.
pub const INFEASIBLE: CaseKind = CaseKind {
    id: "lp_infeasible",
    summary: "whether the linear relaxation of views has solutions where no world is left",
    example: r#"{"base": {"0": "c", "1": "a", "2": "c", "3": "b", "4": "c", "5": "a", "6": "b", "7": "c", "8": "b", "9": "c", "10": "a",
        "11": "b", "12": "a"}, "views": [[0, 1, 2, 3, 4, 5, 6], [7, 8], [9, 10, 11, 12], [1, 2], [3, 4], [2, 3, 4, 5, 6, 7],
        [8, 9, 10], [4, 5, 6, 7, 8, 9], [10, 11]], "fixed": [[5, "c"]]}"#,
    read: |input| Ok(Box::new(Feasible::read(input)?)),
};

#[derive(Debug)]
struct Vertex {
    shown: NamedViews,
    fixed: Vec<(u32, u32)>,
}

impl Vertex {
    fn read(input: &Value) -> Result<Self> {
        let input = CaseObject::new(input, &["ids", "domain", "views", "fixed"])
            .map_err(|error| error.context("key `input`"))?;
        input.refuse_misspelt()?;
        let shown = NamedViews::read(&input, "ids")?;
        let fixed = shown.fixed(&input)?;
        Ok(Self { shown, fixed })
    }
}

impl CaseQuestion for Vertex {
    fn answer(&self, options: &AnswerOptions) -> Result<Box<dyn CaseAnswer>> {
        let worlds = self.shown.worlds(&self.fixed, options)?;
        let vertex = LinearRelaxation::new(&self.shown, &self.fixed).and_then(|relaxation| relaxation.fractional());
        Ok(Box::new(Found { shown: self.shown.clone(), vertex, worlds }))
    }
}

#[derive(Debug)]
struct Found {
    shown: NamedViews,
    vertex: Option<Vec<Vec<Fraction>>>,
    worlds: UBig,
}

impl CaseAnswer for Found {
    fn json(&self) -> Value {
        let person = |(name, row): (&String, &Vec<Fraction>)| {
            let values = self.shown.values.iter().zip(row).map(|(value, share)| (value.clone(), json!(ratio(share))));
            (name.clone(), Value::Object(values.collect()))
        };
        let vertex =
            self.vertex.as_ref().map(|rows| self.shown.people.iter().zip(rows).map(person).collect::<Map<_, _>>());
        json!({ "fractional_vertex": vertex, "integer_points": count(&self.worlds) })
    }

    fn text(&self) -> String {
        let mut text = format!("{} worlds agree with all views\n", self.worlds);
        let Some(rows) = &self.vertex else {
            text.push_str("no vertex of the linear relaxation with fractions was found\n");
            return text;
        };
        text.push_str("a vertex of the linear relaxation that is no world:\n");
        for (name, row) in self.shown.people.iter().zip(rows) {
            let values = self.shown.values.iter().zip(row).filter(|entry| *entry.1 != Fraction::ZERO);
            let values = values.map(|(value, share)| format!("{value} {}", format_fraction(share)));
            let _ = writeln!(text, "  {name}: {}", values.collect::<Vec<_>>().join(", "));
        }
        text
    }
}

#[derive(Debug)]
struct Feasible {
    shown: NamedViews,
    fixed: Vec<(u32, u32)>,
}

impl Feasible {
    fn read(input: &Value) -> Result<Self> {
        let input =
            CaseObject::new(input, &["base", "views", "fixed"]).map_err(|error| error.context("key `input`"))?;
        input.refuse_misspelt()?;
        let base = input.get("base")?.as_object().ok_or_else(|| wrong("base", "an object: person to value"))?;
        let people: Vec<String> = base.keys().cloned().collect();
        let (values, codes) = coded("base", base.values())?;
        let mut views = Vec::new();
        for (number, members) in (1..).zip(input.list("views")?) {
            let read = || {
                let members = numbers("views", list("views", members)?, &people, "people of `base`")?;
                let shown = Histogram::of(members.iter().map(|&person| codes[person as usize]));
                View::new(members, shown)
            };
            views.push(read().map_err(|error| error.context(format!("view {number}")))?);
        }
        let views = SeenViews::new(people.len(), values.len() as u32, views)?;
        let shown = NamedViews { people, values, views };
        let fixed = shown.fixed(&input)?;
        Ok(Self { shown, fixed })
    }
}

impl CaseQuestion for Feasible {
    fn answer(&self, options: &AnswerOptions) -> Result<Box<dyn CaseAnswer>> {
        Ok(Box::new(Misled {
            worlds: self.shown.worlds(&[], options)?,
            completions: self.shown.worlds(&self.fixed, options)?,
            solvable: LinearRelaxation::new(&self.shown, &self.fixed).is_some(),
        }))
    }
}

#[derive(Debug)]
struct Misled {
    worlds: UBig,
    completions: UBig,
    solvable: bool,
}

impl CaseAnswer for Misled {
    fn json(&self) -> Value {
        json!({
            "pis_size": count(&self.worlds),
            "integer_completions": count(&self.completions),
            "lp_feasible": self.solvable,
        })
    }

    fn text(&self) -> String {
        let has = if self.solvable { "has solutions" } else { "has no solution" };
        format!(
            "{} worlds agree with all views, {} of them with what is fixed; the linear relaxation {has}\n",
            self.worlds, self.completions
        )
    }
}
