//! The page of a comparison.
//!
//! - `tables.rs`: all figures, and those who released nothing;
//! - `charts.rs`: which charts there are;
//! - `draw.rs`: one chart with its data.

mod charts;
mod draw;
mod tables;

use maud::html;

use crate::compared::{ComparedMethod, ComparisonPage, MethodFigures, MethodOutcome};
use crate::page::{PagePart, PaperOrientation, copied, facts, page};
use crate::words::prose;

/// A method that released something.
#[derive(Clone, Copy)]
pub(crate) struct ReleasedMethod<'a> {
    pub method: &'a ComparedMethod,
    pub row: &'a MethodFigures,
}

impl ComparisonPage {
    /// The page, as HTML.
    pub fn to_html(&self) -> String {
        self.to_html_with_bounds(&[])
    }

    /// The page with lines in the chart of risk against cost, each with its name: the bound that a principle promises, say.
    ///
    /// # Guarantee
    /// The same value gives the same bytes.
    pub fn to_html_with_bounds(&self, bounds: &[(String, f64)]) -> String {
        let about: Vec<_> = self.about.iter().map(|(name, fact)| (name.as_str(), prose(fact))).collect();
        let part = |id, title, body| PagePart { id, title, body };
        let mut parts = vec![part("figures", "All figures", tables::figures(self))];
        let charts = charts::charts(self, bounds);
        if !charts.is_empty() {
            parts.push(part("charts", "Charts", html! { div.charts { @for chart in &charts { (chart) } } }));
        }
        parts.push(part("again", "Making it again", copied("The command", &self.command)));
        let head = html! {
            p.edition.internal { "For the data owner: keep it to yourself" }
            h1 { (self.title) }
            (facts(&about))
            div.callout {
                p { strong { "Do not choose by this page. " } (prose(&self.note)) }
            }
        };
        let foot = html! { p { "What stands here depends on sensitive values of the table that was compared on." } };
        page(&self.title, PaperOrientation::Across, head, &parts, foot)
    }

    /// The methods that released something, in order.
    fn released(&self) -> Vec<ReleasedMethod<'_>> {
        let mut list = Vec::new();
        for method in &self.methods {
            if let MethodOutcome::Released(row) = &method.outcome {
                list.push(ReleasedMethod { method, row });
            }
        }
        list
    }

    /// The value of the parameter that is varied, with its name.
    fn at(&self, method: &ComparedMethod) -> String {
        match (&self.vary, &method.at) {
            (Some(name), Some(value)) => format!("{name}\u{a0}=\u{a0}{value}"),
            (None, Some(value)) => value.clone(),
            (_, None) => String::new(),
        }
    }

    /// A method with the value of the parameter.
    fn label(&self, method: &ComparedMethod) -> String {
        let at = self.at(method);
        if at.is_empty() { method.name.clone() } else { format!("{}, {at}", method.name) }
    }
}
