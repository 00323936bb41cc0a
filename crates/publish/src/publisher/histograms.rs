//! Tallies: the sensitive values of the group at hand, and how small a half of it may be.
//!
//! A [`GroupTally`] is filled with base positions and asked for the smallest number of rows that every half of a cut must
//! have. The answer depends on the group's multiset of sensitive values alone, which is what makes cuts transparent.

use dashu_int::UBig;
use pellucid_model::exact::Fraction;
use pellucid_model::histogram::{CountProfile, Histogram};
use pellucid_model::principle::{BoundPrinciple, ProfileTest};

use super::frame::TableFrame;
use super::input::{PrivacyGoal, PublisherInput};

/// Everything tallies share: the goals and the sensitive codes in base order.
pub struct GroupHistograms<'a> {
    columns: Vec<LedgerColumn<'a>>,
}

struct LedgerColumn<'a> {
    codes: Vec<u32>,
    cardinality: usize,
    /// Largest shares allowed, with the values they bound.
    shares: Vec<(Fraction, Option<&'a [bool]>)>,
    /// Tests that look at counts only.
    by_profile: Vec<&'a dyn ProfileTest>,
    /// All other tests.
    tests: Vec<&'a dyn BoundPrinciple>,
}

impl<'a> GroupHistograms<'a> {
    /// The goals of `plan` over the rows of `frame`; `bound` takes the place of every bound on shares.
    pub fn new(plan: &'a PublisherInput<'_>, frame: &TableFrame, bound: Option<&Fraction>) -> Self {
        let mut columns: Vec<(*const _, LedgerColumn<'a>)> = Vec::new();
        for goal in &plan.goals {
            let key = std::ptr::from_ref(goal.column);
            let at = columns.iter().position(|column| column.0 == key).unwrap_or_else(|| {
                let column = LedgerColumn {
                    codes: frame.in_base_order(goal.column),
                    cardinality: goal.column.cardinality(),
                    shares: Vec::new(),
                    by_profile: Vec::new(),
                    tests: Vec::new(),
                };
                columns.push((key, column));
                columns.len() - 1
            });
            let PrivacyGoal { share, protected, test, .. } = goal;
            let column = &mut columns[at].1;
            match (share, test.by_profile()) {
                (Some(share), _) => column.shares.push((bound.unwrap_or(share).clone(), protected.as_deref())),
                (None, Some(test)) => column.by_profile.push(test),
                (None, None) => column.tests.push(test.as_ref()),
            }
        }
        Self { columns: columns.into_iter().map(|column| column.1).collect() }
    }

    /// An empty tally.
    pub fn tally(&self) -> GroupTally<'_> {
        let columns = self.columns.iter().map(|column| Counts {
            column,
            by_code: vec![0; column.cardinality],
            touched: Vec::new(),
            shares: column.shares.iter().map(|_| CountProfile::default()).collect(),
            all: CountProfile::default(),
        });
        GroupTally { columns: columns.collect() }
    }
}

/// Counts of the sensitive values of one group.
pub struct GroupTally<'a> {
    columns: Vec<Counts<'a>>,
}

struct Counts<'a> {
    column: &'a LedgerColumn<'a>,
    by_code: Vec<u64>,
    touched: Vec<u32>,
    /// For each share, the profile of the values it bounds.
    shares: Vec<CountProfile>,
    /// The profile of all values, kept only when a test looks at it.
    all: CountProfile,
}

impl Counts<'_> {
    fn add(&mut self, code: u32) {
        let count = &mut self.by_code[code as usize];
        if *count == 0 {
            self.touched.push(code);
        }
        for (profile, (_, protected)) in self.shares.iter_mut().zip(&self.column.shares) {
            if protected.is_none_or(|flags| flags[code as usize]) {
                profile.rise(*count);
            }
        }
        if !self.column.by_profile.is_empty() {
            self.all.rise(*count);
        }
        *count += 1;
    }

    fn remove(&mut self, code: u32) {
        let count = &mut self.by_code[code as usize];
        for (profile, (_, protected)) in self.shares.iter_mut().zip(&self.column.shares) {
            if protected.is_none_or(|flags| flags[code as usize]) {
                profile.fall(*count);
            }
        }
        if !self.column.by_profile.is_empty() {
            self.all.fall(*count);
        }
        *count -= 1;
    }

    fn clear(&mut self) {
        for code in self.touched.drain(..) {
            self.by_code[code as usize] = 0;
        }
        self.shares.iter_mut().for_each(CountProfile::clear);
        self.all.clear();
    }

    fn histogram(&mut self) -> Histogram {
        self.touched.sort_unstable();
        self.touched.dedup();
        self.touched.retain(|&code| self.by_code[code as usize] > 0);
        Histogram::from_entries(self.touched.iter().map(|&code| (code, self.by_code[code as usize])))
    }
}

impl GroupTally<'_> {
    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.columns.iter_mut().for_each(Counts::clear);
    }

    /// Adds the rows at these base positions.
    pub fn add(&mut self, positions: impl Iterator<Item = u32> + Clone) {
        for counts in &mut self.columns {
            for position in positions.clone() {
                counts.add(counts.column.codes[position as usize]);
            }
        }
    }

    /// Takes the rows at these base positions out again.
    pub fn remove(&mut self, positions: impl Iterator<Item = u32> + Clone) {
        for counts in &mut self.columns {
            for position in positions.clone() {
                counts.remove(counts.column.codes[position as usize]);
            }
        }
    }

    /// The smallest number of rows with which every part of a group of `rows` rows passes all goals; `None` when the
    /// group itself does not.
    pub fn least(&mut self, rows: u64) -> Option<u64> {
        let mut least = 1;
        for counts in &mut self.columns {
            for (profile, (share, _)) in counts.shares.iter().zip(&counts.column.shares) {
                least = least.max(rows_for(profile.largest(), share));
            }
            for test in &counts.column.by_profile {
                least = least.max(test.robust_of(&counts.all)?);
            }
            if !counts.column.tests.is_empty() {
                let histogram = counts.histogram();
                for test in &counts.column.tests {
                    least = least.max(test.robust(&histogram)?);
                }
            }
        }
        (least <= rows).then_some(least)
    }
}

/// The smallest number of rows of which `count` are at most `share`.
fn rows_for(count: u64, share: &Fraction) -> u64 {
    let denominator = share.denominator() * UBig::from(count);
    let numerator: UBig = share.numerator().clone().try_into().unwrap_or(UBig::ONE);
    u64::try_from((denominator + &numerator - UBig::ONE) / numerator).unwrap_or(u64::MAX)
}
