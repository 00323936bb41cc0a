//! The answer about granulations, as JSON for programs and as tables for people.

use std::fmt::Write;

use pellucid_model::exact::{Fraction, format_fraction};
use pellucid_model::words::counted;
use pellucid_publish::search::GranulationLevels;
use serde_json::{Map, Value, json};

use super::answer::{
    GranulationAnswer, GranulationDetails, GranulationFindings, GranulationPart, ReportedNode, SecretsFinding,
};
use super::columns::RepresentativeValue;
use crate::CaseAnswer;
use crate::values::count;

/// Granulations that people are shown at most in one table.
const MOST_SHOWN: usize = 40;

impl CaseAnswer for GranulationAnswer {
    fn json(&self) -> Value {
        let mut answer = Map::new();
        match &self.answered {
            GranulationFindings::Secrets(found) => {
                answer.insert("lattice_size".into(), count(&self.lattice_size));
                answer.extend(found_json(found));
                answer.insert("taus".into(), found.nodes.iter().map(node_json).collect());
            }
            GranulationFindings::Sets { sets, closely, quality } => {
                for (name, found) in sets {
                    answer.insert(name.clone(), Value::Object(set_json(found)));
                }
                if let Some(closely) = closely {
                    answer.extend(closely_json(closely, &self.values));
                }
                let quality = quality.iter().map(|(levels, quality)| (tuple(levels), json!(quality)));
                answer.insert("ql".into(), Value::Object(quality.collect()));
                answer.insert("lattice_size".into(), count(&self.lattice_size));
            }
        }
        Value::Object(answer)
    }

    fn text(&self) -> String {
        let sizes: Vec<String> = self.columns.iter().map(|column| column.1.len().to_string()).collect();
        let mut text = format!(
            "{}, {}, {} ({})\n",
            counted(self.people, "person", "people"),
            counted(self.values.len(), "sensitive value", "sensitive values"),
            counted(&self.lattice_size, "granulation", "granulations"),
            sizes.join(" x ")
        );
        match &self.answered {
            GranulationFindings::Secrets(found) => {
                text.push_str(&self.found_text(found));
                let minimal = found.minimal.as_deref().unwrap_or_default();
                let is_minimal = |node: &ReportedNode| minimal.iter().any(|other| other.levels == node.levels);
                let mark = |node| (if is_minimal(node) { "most specific" } else { "" }, node);
                text.push_str(&self.table(&found.nodes.iter().map(mark).collect::<Vec<_>>()));
            }
            GranulationFindings::Sets { sets, closely, .. } => {
                if let Some(closely) = closely {
                    text.push_str(&self.closely_text(closely));
                }
                for (name, found) in sets {
                    let _ = writeln!(text, "\n  when everyone keeps {}:", name.replace(',', " and "));
                    text.push_str(&self.found_text(found));
                    let minimal = found.minimal.iter().flatten().map(|node| ("most specific", node));
                    let rows: Vec<_> = found.nodes.iter().map(|tau| ("tau", tau)).chain(minimal).collect();
                    text.push_str(&self.table(&rows));
                }
            }
        }
        text
    }
}

/// `(1, 3, 2)`
fn tuple(levels: &GranulationLevels) -> String {
    let levels: Vec<String> = levels.iter().map(ToString::to_string).collect();
    format!("({})", levels.join(", "))
}

fn refused<T>(part: &GranulationPart<T>, value: impl FnOnce(&T) -> Value) -> Value {
    part.as_ref().map_or_else(|words| json!({ "refused": words }), value)
}

/// What is said of given secrets and of sets alike.
fn found_json(found: &SecretsFinding) -> Map<String, Value> {
    let minimal = refused(&found.minimal, |minimal| minimal.iter().map(|node| json!(node.levels)).collect());
    let best = |node: &ReportedNode| json!({ "tau": node.levels, "sf": node.sf, "ql": node.ql, "sf*ql": node.sf * node.ql, "exact": found.exact });
    Map::from_iter([
        ("n_secure".to_owned(), refused(&found.secure, count)),
        ("minimal_secure".to_owned(), minimal),
        ("best".to_owned(), refused(&found.best, |node| node.as_ref().map_or(Value::Null, best))),
    ])
}

fn set_json(found: &SecretsFinding) -> Map<String, Value> {
    let mut object = found_json(found);
    let tau = found.nodes.first();
    object.extend(tau.map(|tau| ("tau_secure".to_owned(), json!(tau.secure))));
    object.extend(tau.map(|tau| ("sf_tau".to_owned(), json!(tau.sf))));
    let sf = refused(&found.minimal, |minimal| minimal.iter().map(|node| json!(node.sf)).collect());
    object.insert("sf_minimal".into(), sf);
    object
}

fn node_json(node: &ReportedNode) -> Value {
    json!({ "tau": node.levels, "secure": node.secure, "classes": node.classes, "sf": node.sf, "ql": node.ql })
}

fn closely_json(closely: &GranulationDetails, values: &[String]) -> Map<String, Value> {
    let classes = closely.classes.iter().map(|class| json!(people(class))).collect();
    let mut object = Map::from_iter([("classes_tau".to_owned(), classes)]);
    for (value, known) in values.iter().zip(&closely.known) {
        object.insert(format!("lower_H{value}"), json!(people(known)));
    }
    for (name, stands) in &closely.stands {
        object.insert(name.clone(), stands.iter().map(stand_json).collect());
    }
    object
}

fn stand_json(stand: &RepresentativeValue) -> Value {
    match stand {
        RepresentativeValue::Value(text) => json!(text),
        RepresentativeValue::Number(number) => {
            i64::try_from(number.clone()).map_or_else(|_| json!(ratio(number)), |whole| json!(whole))
        }
    }
}

fn ratio(number: &Fraction) -> String {
    format!("{}/{}", number.numerator(), number.denominator())
}

/// `u1`, `u2`, ..
fn people(class: &[usize]) -> Vec<String> {
    class.iter().map(|person| format!("u{}", person + 1)).collect()
}

impl GranulationAnswer {
    /// A granulation in the words of its levels.
    fn label(&self, levels: &GranulationLevels) -> String {
        let words = self.columns.iter().zip(levels).map(|(column, &level)| column.1[level as usize].as_str());
        format!("({})", words.collect::<Vec<_>>().join(", "))
    }

    /// How many are secure, and the best.
    fn found_text(&self, found: &SecretsFinding) -> String {
        let mut text = String::new();
        match (&found.secure, &found.minimal) {
            (Ok(secure), Ok(minimal)) => {
                let most = minimal.len();
                let _ = writeln!(text, "    {secure} secure, {most} of them most specific");
            }
            (Err(words), _) | (_, Err(words)) => drop(writeln!(text, "    how many are secure is refused: {words}")),
        }
        let _ = match &found.best {
            Ok(Some(best)) => {
                let word = if found.exact { "best" } else { "best that was seen" };
                let product = best.sf * best.ql;
                writeln!(text, "    {word} by sf*ql: {} with {product:.6}", self.label(&best.levels))
            }
            Ok(None) => writeln!(text, "    none is secure, so there is no best"),
            Err(words) => writeln!(text, "    the best is refused: {words}"),
        };
        text
    }

    fn closely_text(&self, closely: &GranulationDetails) -> String {
        let class = |class: &Vec<usize>| format!("{{{}}}", people(class).join(", "));
        let classes: Vec<String> = closely.classes.iter().map(class).collect();
        let mut text = format!("\n  tau = {}: classes {}\n", self.label(&closely.levels), classes.join(" "));
        for (value, known) in self.values.iter().zip(&closely.known) {
            if !known.is_empty() {
                let _ = writeln!(text, "    known to have H{value}: {}", people(known).join(", "));
            }
        }
        for (name, stands) in &closely.stands {
            let shown = stands.iter().map(|stand| match stand {
                RepresentativeValue::Value(text) => text.clone(),
                RepresentativeValue::Number(number) => format_fraction(number),
            });
            let _ = writeln!(text, "    {name}: {}", shown.collect::<Vec<_>>().join(", "));
        }
        text
    }

    /// Granulations one below the other, each with a remark.
    fn table(&self, nodes: &[(&str, &ReportedNode)]) -> String {
        if nodes.is_empty() {
            return String::new();
        }
        let shown = &nodes[..nodes.len().min(MOST_SHOWN)];
        let names: Vec<String> = shown.iter().map(|(_, node)| self.label(&node.levels)).collect();
        let title = "granulation";
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(title.len());
        let mut text = format!("    {title:<width$}  secure  classes        sf        ql\n");
        for (name, (remark, node)) in names.iter().zip(shown) {
            let secure = if node.secure { "yes" } else { "no" };
            let (classes, sf, ql) = (node.classes.len(), node.sf, node.ql);
            let line = format!("    {name:<width$}  {secure:<6}  {classes:>7}  {sf:>8.6}  {ql:>8.6}  {remark}");
            let _ = writeln!(text, "{}", line.trim_end());
        }
        if nodes.len() > shown.len() {
            let _ = writeln!(text, "    and {} more, which --json prints", nodes.len() - shown.len());
        }
        text
    }
}
