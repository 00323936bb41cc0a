//! The three transparent publishers: Tailor, Ace and Hybrid, as registry entries.
//!
//! Hybrid (figure 10) cuts with Tailor and runs Ace on every group that Tailor leaves.

use dashu_base::UnsignedAbs;
use pellucid_inference::evidence::Evidence;
use pellucid_model::claim::EntryClaim;
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::exact::fraction;
use pellucid_model::partition::Partition;
use pellucid_model::principle::AchievedLevel;
use pellucid_model::promise::{self, PromiseClass};
use pellucid_model::randomness::RandomSource;
use pellucid_model::registry::{NO_PARAMETERS, ProofStatus, RegistryEntry};
use rayon::prelude::*;

use super::ace::SensitiveCodes;
use super::amount::{CostNumber, WeightedPositions};
use super::cells::CellTable;
use super::cut::CutEngine;
use super::frame::{CellStore, TableFrame};
use super::histograms::GroupHistograms;
use super::input::{IneligibleTable, NoRelease, PrivacyGoal, PublisherInput};
use super::{Publisher, PublisherAnswer, PublisherOutput, PublisherStatement, statement};

const REFERENCE: &str = "Xiao, Tao, Koudas: Transparent Anonymization, ACM TODS 35(2), 2010";

/// Cuts groups as long as both halves pass.
pub const TAILOR: RegistryEntry<dyn Publisher> = RegistryEntry {
    id: "tailor",
    summary: "cuts by quasi-identifiers and histograms; any principle closed under mixtures",
    reference: REFERENCE,
    status: ProofStatus::Proven,
    claims: &[
        promise::BLIND,
        promise::with(
            PromiseClass::CoarseningAtRandom,
            "other principles and function `anatomy`, or `mbr` where no identifier is declared or no two people have the same \
             quasi-identifiers",
        ),
        promise::with(PromiseClass::RandomWorlds, "other principles and other functions"),
        EntryClaim::Suggested { place: 1, words: "\"tailor\"" },
    ],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Transparent::Tailor)),
};

/// Deals rows into buckets, then slices the buckets.
pub const ACE: RegistryEntry<dyn Publisher> = RegistryEntry {
    id: "ace",
    summary: "deal values into buckets at random and slice the buckets; bounds on shares",
    reference: REFERENCE,
    status: ProofStatus::Proven,
    claims: &[promise::always(PromiseClass::RandomWorlds)],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Transparent::Ace)),
};

/// Tailor, then Ace inside every group that Tailor leaves.
pub const HYBRID: RegistryEntry<dyn Publisher> = RegistryEntry {
    id: "hybrid",
    summary: "Tailor, then Ace on every group; the finest groups; bounds on shares",
    reference: REFERENCE,
    status: ProofStatus::Proven,
    claims: &[promise::always(PromiseClass::RandomWorlds), EntryClaim::Suggested { place: 3, words: "\"hybrid\"" }],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Transparent::Hybrid)),
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transparent {
    Tailor,
    Ace,
    Hybrid,
}

impl Transparent {
    fn id(self) -> &'static str {
        match self {
            Self::Tailor => TAILOR.id,
            Self::Ace => ACE.id,
            Self::Hybrid => HYBRID.id,
        }
    }
}

/// Runs `$body` with `$engine` bound to the engine for the frame's width of codes and of amounts.
macro_rules! with_engine {
    ($frame:expr, $engine:ident => $body:expr) => {{
        let frame: &TableFrame = $frame;
        macro_rules! over {
            ($cells:expr, $weighted:expr) => {{
                let $engine =
                    CutEngine { cells: $cells, weighted: $weighted, codes: &frame.codes, identified: frame.identified };
                $body
            }};
        }
        macro_rules! width {
            ($cells:expr) => {
                match &frame.weighted {
                    WeightedPositions::Small(weighted) => over!($cells, weighted),
                    WeightedPositions::Wide(weighted) => over!($cells, weighted),
                    WeightedPositions::Big(weighted) => over!($cells, weighted),
                }
            };
        }
        match &frame.cells {
            CellStore::Bytes(cells) => width!(cells),
            CellStore::Few(cells) => width!(cells),
            CellStore::Many(cells) => width!(cells),
            CellStore::Any(cells) => width!(cells),
        }
    }};
}

impl Publisher for Transparent {
    fn accepts(&self, plan: &PublisherInput<'_>) -> Result<()> {
        plan.check_groupable()?;
        plan.refuse_personal(self.id())?;
        if let Some(goal) = plan.goals.iter().find(|goal| !goal.test.is_closed_under_mixtures()) {
            return Err(Error::invalid(format!(
                "`{}` keeps its promise for principles that are closed under mixtures, and `{}` on column `{}` is not; \
                 use another principle, such as `highest-ratio`",
                self.id(),
                goal.principle.id(),
                goal.column.name()
            )));
        }
        if *self != Self::Tailor {
            ShareGoal::of(self.id(), plan)?;
        }
        Ok(())
    }

    fn statement(&self, plan: &PublisherInput<'_>) -> PublisherStatement {
        match self {
            Self::Tailor if plan.is_blind() => statement::by_sizes(true),
            Self::Tailor => statement::by_histograms(),
            Self::Ace | Self::Hybrid => statement::in_random_worlds(""),
        }
    }

    fn evidence(&self, _plan: &PublisherInput<'_>, _output: &PublisherOutput) -> Result<Evidence> {
        Ok(Evidence::Proven)
    }

    fn publish(&self, plan: &PublisherInput<'_>, randomness: RandomSource<'_>) -> Result<PublisherAnswer> {
        self.accepts(plan)?;
        let nothing = match self {
            Self::Tailor => plan.obstacle(),
            Self::Ace | Self::Hybrid => plan.obstacle().or_else(|| ShareGoal::of(self.id(), plan).ok()?.obstacle()),
        };
        if let Some(nothing) = nothing {
            return Ok(Err(nothing));
        }
        if *self == Self::Tailor && plan.is_uncuttable() {
            return Ok(Ok(Partition::single((0..plan.rows as u32).collect()).into()));
        }
        let frame = TableFrame::new(&plan.quasi, &plan.identifiers, plan.rows, randomness);
        let parts = with_engine!(&frame, engine => self.run(&engine, &frame, plan, randomness))?;
        Ok(Ok(Partition::gather(&parts, |position| frame.row(position)).into()))
    }
}

impl Transparent {
    fn run<C: CellTable, A: CostNumber>(
        self,
        engine: &CutEngine<'_, C, A>,
        frame: &TableFrame,
        plan: &PublisherInput<'_>,
        randomness: RandomSource<'_>,
    ) -> Result<Vec<Partition>> {
        let not_robust =
            || Error::new(ErrorKind::Internal, "a principle holds on the table but not robustly; please report it");
        if self == Self::Tailor {
            return engine.tailor(&frame.cell_of, &GroupHistograms::new(plan, frame, None)).ok_or_else(not_robust);
        }
        let ShareGoal { goal, l } = ShareGoal::of(self.id(), plan)?;
        let tailored = if self == Self::Ace || l.saturating_mul(goal.largest()).saturating_mul(2) > plan.rows as u64 {
            // Not even the whole table may be cut.
            vec![Partition::single((0..plan.rows as u32).collect())]
        } else {
            let ledger = GroupHistograms::new(plan, frame, Some(&fraction(1, l)));
            engine.tailor(&frame.cell_of, &ledger).ok_or_else(not_robust)?
        };
        let codes = frame.in_base_order(goal.column);
        let values = SensitiveCodes {
            codes: &codes,
            cardinality: goal.column.cardinality(),
            protected: goal.protected.as_deref(),
        };
        let mut first = 0;
        let numbered: Vec<(u64, Partition)> = tailored
            .into_iter()
            .map(|part| {
                first += part.len() as u64;
                (first - part.len() as u64, part)
            })
            .collect();
        let sliced: Vec<Vec<Partition>> = numbered
            .into_par_iter()
            .map(|(first, mut part)| {
                let mut done = Vec::new();
                for at in 0..part.len() {
                    let rows = part.group_mut(at);
                    rows.sort_unstable();
                    if (rows.len() as u64) < l {
                        // No value here is protected, or the group would not pass; there is nothing to deal.
                        done.push(Partition::single(rows.to_vec()));
                    } else {
                        let stream = first + at as u64;
                        done.append(&mut engine.ace(rows, &values, l, &frame.cell_of, randomness, stream));
                    }
                }
                done
            })
            .collect();
        Ok(sliced.into_iter().flatten().collect())
    }
}

/// The one goal Ace can meet: no value has a larger share than `1/l`, on one column.
pub(super) struct ShareGoal<'a, 'p> {
    pub(super) goal: &'a PrivacyGoal<'p>,
    /// The smallest whole number with `1/l` at most the share asked for.
    pub(super) l: u64,
}

impl<'a, 'p> ShareGoal<'a, 'p> {
    /// Finds it on behalf of `publisher`; fails when the plan asks for something else.
    pub(super) fn of(publisher: &str, plan: &'a PublisherInput<'p>) -> Result<Self> {
        let [goal] = &plan.goals[..] else {
            return Err(Error::invalid(format!(
                "`{publisher}` takes one principle on one sensitive column, the job has {}; use publisher = \"tailor\"",
                plan.goals.len()
            )));
        };
        let share = goal.share.as_ref().ok_or_else(|| {
            Error::invalid(format!(
                "`{publisher}` meets `frequency-l-diversity` and `highest-ratio`, not `{}`; use publisher = \"tailor\"",
                goal.principle.id()
            ))
        })?;
        let inverse = share.denominator() / share.numerator().clone().unsigned_abs();
        let whole = &inverse * share.numerator() == share.denominator().clone().into();
        let l = u64::try_from(inverse).ok().and_then(|inverse| inverse.checked_add(u64::from(!whole)));
        let l = l.ok_or_else(|| Error::invalid("the share allowed is too small for any table; raise it"))?;
        Ok(Self { goal, l })
    }

    /// Why the table cannot be dealt into buckets of `l` values, when the share asked for lies above `1/l`.
    fn obstacle(&self) -> Option<NoRelease> {
        let (column, largest, rows) = (self.goal.column, self.goal.largest(), self.goal.column.codes().len());
        (largest.saturating_mul(self.l) > rows as u64).then(|| {
            NoRelease::Ineligible(IneligibleTable {
                column: Some(column.name().to_owned()),
                principle: format!("at most 1/{} of a group shares a value, the next unit fraction", self.l),
                eligible: AchievedLevel::Exact(fraction(largest, rows)),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use pellucid_model::axis::QuasiAxis;
    use pellucid_model::exact::Fraction;
    use pellucid_model::principle::{HighestRatio, Principle, SensitiveColumn, ShareBand};
    use pellucid_model::progress::ProgressWatch;
    use pellucid_model::table::{Column, ColumnDomain, Role};

    use super::*;

    #[test]
    fn principles_that_mixtures_can_break_are_refused() {
        let column = |name: &str, role| {
            let domain = ColumnDomain::Category(["a", "b", "c"].map(str::to_owned).to_vec());
            Column::new(name, role, domain, false, vec![0, 1, 2, 0, 1, 2]).unwrap()
        };
        let (place, income) = (column("place", Role::Quasi), column("income", Role::Sensitive));
        let whole = income.histogram();
        let band = ShareBand::new(fraction(1, 2u8), fraction(1, 4u8)).unwrap();
        let ratio = HighestRatio::new(fraction(1, 2u8)).unwrap();
        for publisher in [Transparent::Tailor, Transparent::Ace, Transparent::Hybrid] {
            let answer = |principle: &dyn Principle| {
                let sensitive =
                    SensitiveColumn { name: "income", whole: &whole, cardinality: 3, protected: None, hierarchy: None };
                let goal = PrivacyGoal {
                    column: &income,
                    principle,
                    test: principle.bind(sensitive).unwrap(),
                    share: principle.share_bound(),
                    protected: None,
                };
                let quasi = vec![(&place, QuasiAxis::new(&place, None))];
                publisher.accepts(&PublisherInput {
                    rows: 6,
                    quasi,
                    hierarchies: Vec::new(),
                    identifiers: Vec::new(),
                    goals: vec![goal],
                    suppression: Fraction::ZERO,
                    explain: false,
                    watch: ProgressWatch::default(),
                })
            };
            assert!(answer(&ratio).is_ok());
            let message = answer(&band).unwrap_err().to_string();
            let expected = "keeps its promise for principles that are closed under mixtures, and `band` on column \
                            `income` is not; use another principle, such as `highest-ratio`";
            assert_eq!(message, format!("`{}` {expected}", publisher.id()));
        }
    }
}
