//! Judging belief from views.

use pellucid_model::distribution::Distribution;
use pellucid_model::error::Result;

use super::joint::DrawUntil;
use super::{SeenViews, View};
use crate::budget::Budget;
use crate::verdict::{BeliefRequirements, Verdict};

impl BeliefRequirements<'_> {
    /// Whether a view would be safe if nothing else had been shown.
    pub fn is_safe_alone(&self, view: &View) -> bool {
        Distribution::of(view.values()).is_some_and(|belief| self.holds_on(&belief))
    }
}

impl SeenViews {
    /// Judges what all views together tell, with the draws that it rests on where it was not counted.
    pub fn judge(&self, demand: &BeliefRequirements<'_>, budget: &Budget) -> Result<Verdict> {
        Ok(demand.judge(&self.belief(budget, DrawUntil::Settled(demand))?))
    }
}
