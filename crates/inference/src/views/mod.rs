//! Views: what is believed by somebody who has seen the multisets of values of several sets of people.
//!
//! A [`View`] shows how often each value occurs among some people; views overlap as they like, and the groups of a release are
//! views too. [`SeenViews::belief`] counts the worlds that agree with all of them, and for every person and value in how many
//! of these the person has it. Worlds are never enumerated.
//!
//! - `atoms.rs`: people whom no view tells apart, in components that no view ties together;
//! - `order.rs`: in which order the atoms of a component are gone through, so that few views are open at a time;
//! - `count.rs`: counts a component along that order; `choices.rs`: what the people of an atom may have;
//! - `relaxation.rs`: draws worlds of a component that takes too much to be counted; `weighted.rs`: what such draws prove;
//! - `joint.rs`: what is believed of everybody, counted or estimated; `judge.rs`: whether that keeps to a demand;
//! - `restore.rs`: further views that make it do so again; `simulatable.rs`: decisions that tell nothing;
//! - `selection/`: conditions on quasi columns, which say whom a view shows.
//!
//! # Reference
//! Restoring compromised privacy in micro-data disclosure, ASIACCS 2010, section 3 (possible instance sets, gamma-privacy).

mod atoms;
mod choices;
mod count;
mod joint;
mod judge;
mod order;
mod relaxation;
mod restore;
pub mod selection;
mod simulatable;
mod weighted;

pub use joint::DrawUntil;
pub use restore::{RestorationLimits, RestorationResult, RestorationSearch, sub_intervals};
pub use simulatable::SimulatableVerdict;

use pellucid_model::error::{Error, Result};
use pellucid_model::histogram::Histogram;

use crate::meter::CountingSubject;

/// Some people, and how often each value occurs among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// Who they are, by number, ascending.
    members: Vec<u32>,
    /// How often each code occurs among them.
    values: Histogram,
}

impl View {
    /// The view of `members`, in any order, with the multiset `values`.
    ///
    /// Fails when it shows nobody, somebody twice, or not one value for everybody.
    pub fn new(mut members: Vec<u32>, values: Histogram) -> Result<Self> {
        members.sort_unstable();
        if members.is_empty() {
            return Err(Error::bad_input("a view shows nobody; select at least one person"));
        }
        if members.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Error::bad_input("a view shows somebody twice; name everybody once"));
        }
        if values.total() != members.len() as u64 {
            return Err(Error::bad_input(format!(
                "a view of {} people has {} values; give one value for everybody",
                members.len(),
                values.total()
            )));
        }
        Ok(Self { members, values })
    }

    /// Who is seen, ascending.
    pub fn members(&self) -> &[u32] {
        &self.members
    }

    /// How often each code occurs among the members.
    pub fn values(&self) -> &Histogram {
        &self.values
    }
}

/// Everything that was seen of one sensitive column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenViews {
    people: usize,
    domain: u32,
    shown: Vec<View>,
}

impl SeenViews {
    /// `views` of people numbered below `people`, each of whom has a code below `domain`.
    ///
    /// Fails when a view shows others, or other codes.
    pub fn new(people: usize, domain: u32, views: Vec<View>) -> Result<Self> {
        for view in &views {
            if view.members.last().is_some_and(|&last| last as usize >= people) {
                return Err(Error::bad_input(
                    "a view shows somebody who is not in the table; name people of the table",
                ));
            }
            if view.values.entries().last().is_some_and(|last| last.0 >= domain) {
                return Err(Error::bad_input("a view shows a value that is not possible; name possible values"));
            }
        }
        Ok(Self { people, domain, shown: views })
    }

    /// In the order in which they were seen.
    pub fn views(&self) -> &[View] {
        &self.shown
    }

    /// What a refusal to count them names.
    fn subject(&self) -> CountingSubject {
        CountingSubject::Views { people: self.people, views: self.shown.len() }
    }

    /// The views that tell something of `people` together: those with some of them, those with some of the people of these, and so on.
    #[must_use]
    pub fn tied_to(&self, people: &[u32]) -> Self {
        let mut reached = vec![false; self.people];
        people.iter().for_each(|&person| reached[person as usize] = true);
        let mut left: Vec<&View> = self.shown.iter().collect();
        let mut shown = Vec::new();
        loop {
            let (tied, others): (Vec<&View>, Vec<&View>) =
                left.iter().partition(|view| view.members.iter().any(|&person| reached[person as usize]));
            if tied.is_empty() {
                return Self { people: self.people, domain: self.domain, shown };
            }
            for view in tied {
                view.members.iter().for_each(|&person| reached[person as usize] = true);
                shown.push(view.clone());
            }
            left = others;
        }
    }
}
