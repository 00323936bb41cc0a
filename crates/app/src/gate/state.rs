//! What is believed from all that was shown.

use pellucid_inference::belief::Belief;
use pellucid_inference::estimate::HighestProbability;
use pellucid_inference::verdict::Verdict;
use pellucid_inference::views::DrawUntil;
use pellucid_model::error::Result;
use pellucid_model::exact::format_fraction;
use pellucid_model::words::magnitude;

use super::{Gate, known};

/// How many people are named as those of whom most is believed.
const WORST: usize = 10;

/// What is believed of one sensitive column.
#[derive(Debug)]
pub struct ColumnState {
    /// The sensitive column.
    pub column: String,
    /// How many groups of people were shown.
    pub groups: usize,
    /// How many people were in one of them.
    pub seen: usize,
    /// How many worlds agree with all that was shown, about where there are many; `None` when they were not counted.
    pub worlds: Option<String>,
    /// What was found about it, by what groups show.
    pub verdict: Verdict,
    /// Why that does not decide; empty where all that was shown is counted.
    pub gaps: Vec<String>,
    /// What is said with every verdict on the table.
    pub remarks: Vec<String>,
    /// Rows of those of whom most is believed, counted from 1, and how much.
    pub worst: Vec<(u32, HighestProbability)>,
    /// What is believed of people, of all in the same way who were always shown together.
    belief: Belief,
}

/// What is believed of one person and value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonBelief {
    /// The row, counted from 1.
    pub row: u32,
    /// The code of the value.
    pub code: u32,
    /// The probability: a fraction, or the two ends of an interval.
    pub probability: String,
}

impl Gate {
    /// What is believed of `column` from all that was shown.
    pub fn state(&mut self, column: &str) -> Result<ColumnState> {
        let basis = self.basis()?;
        let history = basis.history;
        let sensitive = self.source.table.column(column)?;
        let seen = self.seen(history.as_ref(), sensitive)?;
        let gaps = known::gaps(&self.sensitive(), history.as_ref(), column, None);
        let groups = seen.len();
        let views = self.views(sensitive, seen.into_iter().map(|(_, view)| view).collect())?;
        let (_, budget) = self.settings.shares();
        let belief = views.belief(&budget, DrawUntil::End)?;
        self.with_demand(column, |demand| {
            let mut worst: Vec<(u32, HighestProbability)> = Vec::new();
            for (people, estimate) in belief.atoms() {
                let highest = demand.highest(&estimate);
                let rows = people.iter().map(|&person| self.source.row_of(person) + 1);
                worst.extend(rows.map(|row| (row, highest.clone())));
                worst.sort_by(|a, b| b.1.within.high.total_cmp(&a.1.within.high).then(a.0.cmp(&b.0)));
                worst.truncate(WORST);
            }
            let mut everybody: Vec<u32> = views.views().iter().flat_map(|view| view.members().to_vec()).collect();
            everybody.sort_unstable();
            everybody.dedup();
            Ok(ColumnState {
                column: column.to_owned(),
                groups,
                seen: everybody.len(),
                worlds: belief.worlds().map(magnitude),
                verdict: demand.judge(&belief),
                gaps,
                remarks: basis.remarks,
                worst,
                belief: belief.clone(),
            })
        })
    }

    /// What is believed of everybody, by row and value; values that are impossible are left out.
    pub fn beliefs(&self, state: &ColumnState) -> Vec<PersonBelief> {
        let mut beliefs = Vec::new();
        for (people, estimate) in state.belief.atoms() {
            let probability = |code: u32| {
                if let Some(belief) = estimate.counted() {
                    return format_fraction(&belief.probability(code));
                }
                let interval = estimate.probability(code);
                format!("{:.6}..{:.6}", interval.low, interval.high)
            };
            let possible = estimate.possible().unwrap_or_default();
            let values: Vec<(u32, String)> = possible.into_iter().map(|(code, _)| (code, probability(code))).collect();
            for &person in people {
                let row = self.source.row_of(person) + 1;
                let of_person = values.iter().map(|(code, probability)| PersonBelief {
                    row,
                    code: *code,
                    probability: probability.clone(),
                });
                beliefs.extend(of_person);
            }
        }
        beliefs.sort_by_key(|belief| (belief.row, belief.code));
        beliefs
    }
}
