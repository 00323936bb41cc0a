//! Further views of a recorded table that make belief private again.
//!
//! Candidates are refinements of what was shown: the condition of a view, and an interval of one or more quasi columns. Groups of
//! releases take part where ranges of quasi columns select exactly their people.
//!
//! # Reference
//! Restoring compromised privacy in micro-data disclosure, ASIACCS 2010, section 4.

use std::collections::BTreeMap;

use pellucid_inference::verdict::Verdict;
use pellucid_inference::views::selection::{ComparisonOperator, RowSelection};
use pellucid_inference::views::{RestorationLimits, RestorationResult, RestorationSearch, View, sub_intervals};
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::table::{Column, ColumnType, Role};

use super::known::{self, standing};
use super::records::{EvidenceKind, TableHistory};
use super::{Gate, GateSource, ViewRequest};

/// How many people all candidates together may have; each takes four bytes.
const MOST: usize = 1 << 27;

/// People, by number, and the condition that selects them.
type Base = (Vec<u32>, RowSelection);

/// How far to look for further views.
#[derive(Debug, Clone, Copy)]
pub struct RestorationRequest {
    /// How many there may be, and seconds after which the search ends.
    pub reach: RestorationLimits,
    /// On how many quasi columns a further view may be narrower.
    pub attributes: usize,
}

impl Default for RestorationRequest {
    /// One view, narrower on one column, found within a minute.
    fn default() -> Self {
        Self { reach: RestorationLimits { most: 1, seconds: 60.0 }, attributes: 1 }
    }
}

/// What a search for further views of one column found.
#[derive(Debug)]
pub struct RestorationReport {
    /// The sensitive column.
    pub column: String,
    /// What is believed without further views.
    pub before: Verdict,
    /// Why counting does not decide, so that nothing is known to restore privacy; empty where all that was shown is counted.
    pub gaps: Vec<String>,
    /// What the search ended with, and what it took.
    pub search: RestorationSearch,
    /// Refinements that there are, of how many groups that were shown.
    pub refinements: usize,
    /// Groups that were refined.
    pub refined: usize,
    /// Groups that no condition on quasi columns selects, so that they were not refined.
    pub passed_over: usize,
    /// The further views, when they were found, and what is believed with them.
    pub found: Option<(Vec<ViewRequest>, Verdict)>,
}

impl Gate {
    /// Looks for further views that make what was shown of `column`, and `asked` if that is given, private again; records nothing.
    ///
    /// # Errors
    /// [`ErrorKind::LimitExceeded`] when there are too many refinements to be held.
    ///
    /// # Cost
    /// That of [`pellucid_inference::views::SeenViews::restore`].
    pub fn restore(
        &mut self,
        column: &str,
        asked: Option<&ViewRequest>,
        wanted: &RestorationRequest,
        progress: &(dyn Fn(u64) -> Result<()> + Sync),
    ) -> Result<RestorationReport> {
        let history = self.history()?;
        let sensitive = self.source.table.column(column)?;
        let gaps = known::gaps(&self.sensitive(), history.as_ref(), column, None);
        let mut shown: Vec<View> = self.seen(history.as_ref(), sensitive)?.into_iter().map(|(_, view)| view).collect();
        if let Some(request) = asked {
            shown.push(self.source.view(sensitive, &request.people)?);
        }
        let (mut bases, passed_over) = self.bases(history.as_ref(), column)?;
        bases.extend(asked.map(|request| (request.people.clone(), request.asked.selection.clone())));
        let budget = &self.settings.budget;
        self.with_demand(column, |demand| {
            let views = self.views(sensitive, shown.clone())?;
            let before = views.judge(demand, budget)?;
            let private = before.conclusion.holds();
            let refinements =
                if private { BTreeMap::new() } else { refinements(&self.source, &bases, wanted.attributes)? };
            let candidates = refinements.keys().map(|people| self.source.view(sensitive, people));
            let candidates: Vec<View> = candidates.collect::<Result<_>>()?;
            let search = views.restore(&candidates, demand, budget, &wanted.reach, progress)?;
            let found = match &search.restored {
                RestorationResult::By(numbers) => {
                    let chosen: Vec<(&Vec<u32>, &RowSelection)> = refinements.iter().collect();
                    let request = |&at: &usize| self.source.request(column.to_owned(), chosen[at].1.clone());
                    let requests: Vec<ViewRequest> = numbers.iter().map(request).collect::<Result<_>>()?;
                    let mut all = shown;
                    all.extend(numbers.iter().map(|&at| candidates[at].clone()));
                    Some((requests, self.views(sensitive, all)?.judge(demand, budget)?))
                }
                _ => None,
            };
            let (column, refined, refinements) = (column.to_owned(), bases.len(), candidates.len());
            Ok(RestorationReport { column, before, gaps, search, refinements, refined, passed_over, found })
        })
    }

    /// Groups of `column` that were shown, with conditions that select them; and how many groups have none.
    fn bases(&self, history: Option<&TableHistory>, column: &str) -> Result<(Vec<Base>, usize)> {
        let mut bases = Vec::new();
        let mut passed_over = 0;
        for evidence in standing(history).filter(|evidence| evidence.column == column) {
            let asked = match evidence.kind {
                EvidenceKind::View => self.source.recorded(&evidence.statement),
                EvidenceKind::Release => Vec::new(),
            };
            for (at, group) in evidence.groups.iter().enumerate() {
                let selection = match evidence.kind {
                    EvidenceKind::View => asked.get(at).map(|asked| asked.selection.clone()),
                    EvidenceKind::Release => around(&self.source, &group.members),
                };
                match selection {
                    Some(selection) if self.source.selected(&selection)? == group.members => {
                        bases.push((group.members.clone(), selection));
                    }
                    _ => passed_over += 1,
                }
            }
        }
        Ok((bases, passed_over))
    }
}

/// Everybody who can be told apart inside the people of `bases` by intervals of up to `attributes` columns, with conditions.
fn refinements(source: &GateSource, bases: &[Base], attributes: usize) -> Result<BTreeMap<Vec<u32>, RowSelection>> {
    let mut found: BTreeMap<Vec<u32>, RowSelection> = BTreeMap::new();
    let mut held = 0;
    let mut last: Vec<Base> = bases.to_vec();
    for _ in 0..attributes {
        let mut next = Vec::new();
        for (people, selection) in &last {
            for column in source.table.with_role(Role::Quasi) {
                let code = |person: u32| Some(column.code(source.row_of(person) as usize));
                let rank = |person: u32| code(person).filter(|&code| Some(code) != column.missing());
                held += cost(people, rank);
                if held > MOST {
                    return Err(Error::new(
                        ErrorKind::LimitExceeded,
                        format!(
                            "what was shown of table `{}` has too many refinements to search; give fewer --attributes, or give \
                             quasi columns with many values another role",
                            source.name()
                        ),
                    ));
                }
                for (from, to, members) in sub_intervals(people, rank) {
                    if !found.contains_key(&members) {
                        let narrower = narrowed(selection, column, from, to);
                        found.insert(members.clone(), narrower.clone());
                        next.push((members, narrower));
                    }
                }
            }
        }
        last = next;
    }
    Ok(found)
}

/// About how many people all sub-intervals of `people` have together.
fn cost(people: &[u32], rank: impl Fn(u32) -> Option<u32>) -> usize {
    let mut ranks: Vec<u32> = people.iter().filter_map(|&person| rank(person)).collect();
    ranks.sort_unstable();
    ranks.dedup();
    (ranks.len() * (ranks.len() + 1) / 2).saturating_mul(people.len()) / 2
}

/// `selection` and an interval of `column`, whose ends people have whom `selection` selects.
fn narrowed(selection: &RowSelection, column: &Column, from: u32, to: u32) -> RowSelection {
    let interval = interval(column, from, to);
    // A condition that is an interval itself has this one in it.
    let implied = |part: &RowSelection| match part {
        RowSelection::Between { column: other, .. } => other == column.name(),
        RowSelection::Compare { column: other, comparison, .. } => {
            other == column.name() && *comparison != ComparisonOperator::Unequal
        }
        _ => false,
    };
    match selection {
        part if implied(part) => interval,
        RowSelection::And(parts) => {
            let kept = parts.iter().filter(|part| !implied(part)).cloned();
            kept.fold(RowSelection::All, RowSelection::and).and(interval)
        }
        other => other.clone().and(interval),
    }
}

/// People whose code in `column` is from `from` to `to`.
fn interval(column: &Column, from: u32, to: u32) -> RowSelection {
    let name = column.name();
    if from == to {
        return RowSelection::compare(name, ComparisonOperator::Equal, column.text(from));
    }
    match column.domain().kind() {
        ColumnType::Category => RowSelection::one_of(name, (from..=to).map(|code| column.text(code))),
        _ => RowSelection::between(name, column.text(from), column.text(to)),
    }
}

/// The ranges of quasi columns that `people` have; `None` where some cells are missing and others are not.
fn around(source: &GateSource, people: &[u32]) -> Option<RowSelection> {
    let mut all = RowSelection::All;
    for column in source.table.with_role(Role::Quasi) {
        let codes = || people.iter().map(|&person| column.code(source.row_of(person) as usize));
        let (from, to) = (codes().min()?, codes().max()?);
        let part = match column.missing() {
            Some(missing) if from == missing => RowSelection::missing(column.name()),
            Some(missing) if to == missing => return None,
            None if from == 0 && to as usize + 1 == column.cardinality() => continue,
            _ => interval(column, from, to),
        };
        all = all.and(part);
    }
    Some(all)
}
