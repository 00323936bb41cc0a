//! What the two bounds on the share of one value have in common: frequency l-diversity and the highest ratio.
//!
//! # Robust
//! Let M be the largest count of a (protected) value in `h`. Among sub-multisets of s rows the largest share is
//! min(s, M) / s, which does not increase with s; it is 1 for s <= M, above every bound below 1, and M / s afterwards.
//! So all of s rows pass just when M / s <= bound, that is s >= M / bound. Without protected values every sub-multiset
//! of at least one row passes.
//!
//! # Mixtures
//! A value's share in a mixture is a mixture of its shares, so a common upper bound survives.

use dashu_int::UBig;

use super::{AchievedLevel, BoundPrinciple, MinimumSize, SensitiveColumn, SufficientStatistic};
use crate::distribution::Distribution;
use crate::exact::fraction;
use crate::histogram::Histogram;

/// Which parameter a share stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShareScale {
    /// The share itself.
    Ratio,
    /// Its inverse, the l of l-diversity.
    Inverse,
}

/// Every protected value has at most `numerator / denominator` of the group.
#[derive(Debug)]
pub(super) struct ShareTest {
    numerator: UBig,
    denominator: UBig,
    protected: Option<Vec<bool>>,
    scale: ShareScale,
}

impl ShareTest {
    /// A test with the bound `numerator / denominator`, in (0, 1), on the protected values of `column`.
    pub(super) fn new(numerator: UBig, denominator: UBig, scale: ShareScale, column: &SensitiveColumn<'_>) -> Self {
        Self { numerator, denominator, protected: column.protected.map(<[bool]>::to_vec), scale }
    }

    /// The largest count of a protected value; a code without a flag counts as protected.
    fn largest(&self, group: &Histogram) -> u64 {
        let Some(flags) = &self.protected else { return group.max() };
        let counted = |code: u32| flags.get(code as usize).copied().unwrap_or(true);
        group.entries().iter().filter(|entry| counted(entry.0)).map(|entry| entry.1).max().unwrap_or(0)
    }
}

impl BoundPrinciple for ShareTest {
    fn holds(&self, group: &Histogram) -> bool {
        // largest / total <= numerator / denominator
        group.total() > 0 && &self.denominator * self.largest(group) <= &self.numerator * group.total()
    }

    fn measure(&self, group: &Histogram) -> AchievedLevel {
        let (largest, total) = (self.largest(group), group.total());
        match self.scale {
            _ if total == 0 => AchievedLevel::Never,
            ShareScale::Ratio => AchievedLevel::Exact(fraction(largest, total)),
            ShareScale::Inverse if largest == 0 => AchievedLevel::Unbounded,
            ShareScale::Inverse => AchievedLevel::Exact(fraction(total, largest)),
        }
    }

    fn holds_on(&self, belief: &Distribution) -> bool {
        let counted =
            |code: u32| self.protected.as_ref().is_none_or(|flags| flags.get(code as usize).copied().unwrap_or(true));
        let bound = &self.numerator * belief.total();
        belief.weights().iter().all(|(code, weight)| !counted(*code) || weight * &self.denominator <= bound)
    }

    /// With m values, all of them protected, one has a share of at least 1/m.
    fn least(&self) -> MinimumSize {
        match self.protected {
            Some(_) => MinimumSize::ONE,
            None => MinimumSize::values(
                u64::try_from(fraction(self.denominator.clone(), self.numerator.clone()).ceil()).unwrap_or(u64::MAX),
            ),
        }
    }

    fn is_symmetric(&self) -> bool {
        self.protected.is_none()
    }

    fn recall(&self) -> SufficientStatistic {
        SufficientStatistic::Head(1)
    }

    fn cap(&self, code: u32, rows: u64) -> Option<u64> {
        let counted = self.protected.as_ref().is_none_or(|flags| flags.get(code as usize).copied().unwrap_or(true));
        if !counted {
            return Some(rows);
        }
        let most = &self.numerator * rows / &self.denominator;
        Some(u64::try_from(most).unwrap_or(rows).min(rows))
    }

    fn robust(&self, group: &Histogram) -> Option<u64> {
        if !self.holds(group) {
            return None;
        }
        // ceil(largest / bound); at most the total, because the group passes.
        let rows = (&self.denominator * self.largest(group) + &self.numerator - UBig::ONE) / &self.numerator;
        Some(u64::try_from(rows).unwrap_or(group.total()).max(1))
    }
}
