//! Laws every principle obeys, checked over all histograms of up to 8 rows and 4 values.

use std::collections::BTreeMap;

use dashu_int::UBig;

use super::{AchievedLevel, BetterDirection, BoundPrinciple, Principle, SensitiveColumn, SufficientStatistic};
use crate::distribution::Distribution;
use crate::error::Result;
use crate::exact::Fraction;
use crate::hierarchy::Hierarchy;
use crate::histogram::Histogram;
use crate::table::{Column, ColumnDomain, Role, Table};

/// The most rows enumerated.
const ROWS: u64 = 8;
/// The most values enumerated.
const VALUES: usize = 4;

/// All count vectors of `values` values with at most `rows` rows, zeros included.
fn vectors(values: usize, rows: u64) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    for _ in 0..values {
        let longer = |vector: Vec<u64>| {
            let left = rows - vector.iter().sum::<u64>();
            (0..=left).map(move |count| vector.iter().copied().chain([count]).collect())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

/// Calls `check` for every histogram, the empty one left out.
pub(super) fn for_all(mut check: impl FnMut(&Histogram)) {
    for counts in vectors(VALUES, ROWS) {
        let group = Histogram::from_counts(counts);
        if group.total() > 0 {
            check(&group);
        }
    }
}

/// The principle on a column `x` of four values, `a` to `d`, with counts 4, 3, 2, 1.
pub(super) fn bind(principle: &dyn Principle) -> Box<dyn BoundPrinciple> {
    bind_on(principle, [4, 3, 2, 1], None).unwrap()
}

/// The principle on a column `x` of four values, `a` to `d`, with these counts, of which these are protected.
pub(super) fn bind_on(
    principle: &dyn Principle,
    counts: [u64; VALUES],
    protected: Option<&[bool]>,
) -> Result<Box<dyn BoundPrinciple>> {
    let values = ColumnDomain::Category(["a", "b", "c", "d"].map(str::to_owned).to_vec());
    let rows = (0u32..).zip(counts).flat_map(|(code, count)| std::iter::repeat_n(code, count as usize));
    let column = Column::new("x", Role::Sensitive, values, false, rows.collect())?;
    if let Some(joint) = principle.joint(&Table::new(vec![column.clone()])?)? {
        assert_eq!(joint.column.cardinality(), VALUES, "the laws are tried on as many codes; use other examples");
        return Ok(joint.test);
    }
    let (whole, hierarchy) = (Histogram::from_counts(counts), Hierarchy::flat(&column));
    let hierarchy = Some(&hierarchy);
    principle.bind(SensitiveColumn { name: "x", whole: &whole, cardinality: VALUES, protected, hierarchy })
}

/// The definition: the smallest m such that every sub-multiset of at least m rows passes.
pub(super) fn literal_robust(test: &dyn BoundPrinciple, group: &Histogram) -> Option<u64> {
    if !test.holds(group) {
        return None;
    }
    let mut subs = vec![Vec::new()];
    for code in 0..VALUES as u32 {
        let longer =
            |sub: Vec<u64>| (0..=group.count(code)).map(move |count| sub.iter().copied().chain([count]).collect());
        subs = subs.into_iter().flat_map(longer).collect();
    }
    let subs = subs.into_iter().map(Histogram::from_counts);
    Some(subs.filter(|sub| !test.holds(sub)).map(|sub| sub.total() + 1).max().unwrap_or(1))
}

/// Every part with at least `robust` rows passes, for all histograms.
pub(super) fn robust_is_enough(test: &dyn BoundPrinciple) {
    for counts in vectors(VALUES, ROWS) {
        let group = Histogram::from_counts(counts);
        let (robust, least) = (test.robust(&group), literal_robust(test, &group));
        assert!(robust.is_some() == least.is_some() && robust >= least, "{test:?} on {group:?}: {robust:?}, {least:?}");
    }
}

/// Whether `robust` is the literal definition for all histograms.
pub(super) fn robust_is_least(test: &dyn BoundPrinciple) -> bool {
    let least = |counts| {
        let group = Histogram::from_counts(counts);
        test.robust(&group) == literal_robust(test, &group)
    };
    vectors(VALUES, ROWS).into_iter().all(least)
}

/// `robust` is the literal definition on the example column.
pub(super) fn robust_is_literal(principle: &dyn Principle) {
    robust_is_literal_for(bind(principle).as_ref(), VALUES);
}

/// `robust` is the literal definition for all histograms over the first `values` codes.
pub(super) fn robust_is_literal_for(test: &dyn BoundPrinciple, values: usize) {
    for counts in vectors(values, ROWS) {
        let group = Histogram::from_counts(counts);
        assert_eq!(test.robust(&group), literal_robust(test, &group), "{test:?} on {group:?}");
    }
}

/// Mixtures of passing histograms pass on the example column.
pub(super) fn mixtures_pass(principle: &dyn Principle) {
    mixtures_pass_for(bind(principle).as_ref());
}

/// Mixtures of passing histograms of up to 5 rows pass, in several proportions.
pub(super) fn mixtures_pass_for(test: &dyn BoundPrinciple) {
    if let Some((a, b)) = failing_mixture(test) {
        panic!("{test:?}: {a:?} and {b:?} pass, and a mixture of them does not");
    }
}

/// Two passing histograms of up to 5 rows of which a mixture fails.
pub(super) fn failing_mixture(test: &dyn BoundPrinciple) -> Option<(Vec<u64>, Vec<u64>)> {
    let mut passing = vectors(VALUES, 5);
    passing.retain(|counts| test.holds(&Histogram::from_counts(counts.iter().copied())));
    for (at, a) in passing.iter().enumerate() {
        for b in &passing[..at] {
            for (weight_a, weight_b) in [(1, 1), (1, 2), (3, 1), (2, 5)] {
                let mixed = a.iter().zip(b).map(|(x, y)| weight_a * x + weight_b * y);
                if !test.holds(&Histogram::from_counts(mixed)) {
                    return Some((a.clone(), b.clone()));
                }
            }
        }
    }
    None
}

/// What the test says of growth is true: if it is closed under it, no passing histogram fails with one more row and so,
/// row by row, with any number of them; and otherwise one does.
pub(super) fn growth_is_literal_for(test: &dyn BoundPrinciple) {
    let fails_with_more = |counts: &Vec<u64>| {
        (0..VALUES).any(|code| {
            let more = counts.iter().enumerate().map(|(at, count)| count + u64::from(at == code));
            !test.holds(&Histogram::from_counts(more))
        })
    };
    let mut passing = vectors(VALUES, ROWS - 1);
    passing.retain(|counts| test.holds(&Histogram::from_counts(counts.iter().copied())));
    assert_eq!(test.is_closed_under_growth(), !passing.iter().any(fails_with_more), "{test:?}");
}

/// What the principle's test says of belief, symmetry and caps is true on the example column.
pub(super) fn claims_are_literal(principle: &dyn Principle) {
    let test = bind(principle);
    if principle.needs_sensitive() {
        claims_are_literal_for(test.as_ref());
    } else {
        least_is_true(test.as_ref());
        recall_decides(test.as_ref());
        slack_tells_what_fails(test.as_ref());
        symmetry_and_caps_are_literal(test.as_ref());
        for_all(|group| assert!(test.holds_on(&Distribution::of(group).unwrap()), "nothing is said of belief"));
    }
}

/// What a test of values says of belief, symmetry and caps is true.
pub(super) fn claims_are_literal_for(test: &dyn BoundPrinciple) {
    belief_is_judged_like_groups(test);
    symmetry_and_caps_are_literal(test);
    least_is_true(test);
    recall_decides(test);
    slack_tells_what_fails(test);
}

/// Checks on all small groups that just those which fail have no slack.
fn slack_tells_what_fails(test: &dyn BoundPrinciple) {
    for_all(|group| {
        let slack = test.slack(group);
        assert!(slack >= 0.0 && (slack > 0.0) == test.holds(group), "{test:?} on {group:?}: {slack}");
    });
}

/// Checks on all small groups that those of which a symmetric test recalls the same pass alike.
fn recall_decides(test: &dyn BoundPrinciple) {
    let mut verdicts: BTreeMap<(u64, Vec<u64>), bool> = BTreeMap::new();
    for_all(|group| {
        let mut counts = group.descending();
        let recalled = match test.recall() {
            SufficientStatistic::Size => (group.total(), Vec::new()),
            SufficientStatistic::Values(most) => ((group.distinct() as u64).min(most), Vec::new()),
            SufficientStatistic::Head(many) => {
                counts.truncate(many as usize);
                (group.total(), counts)
            }
            SufficientStatistic::Counts => (group.total(), counts),
        };
        let passes = test.holds(group);
        let alike = *verdicts.entry(recalled).or_insert(passes) == passes;
        assert!(alike || !test.is_symmetric(), "{test:?} on {group:?}");
    });
}

/// Belief with the shares of a group passes just when the group does, whatever number its weights are multiplied by.
fn belief_is_judged_like_groups(test: &dyn BoundPrinciple) {
    let factors = [UBig::ONE, UBig::from(3u8).pow(41), (UBig::ONE << 700) - UBig::ONE];
    for_all(|group| {
        let passes = test.holds(group);
        for factor in &factors {
            let weights = group.entries().iter().map(|&(code, count)| (code, factor * count));
            assert_eq!(test.holds_on(&Distribution::new(weights)), passes, "{test:?} on {factor} times {group:?}");
        }
    });
}

/// Checks on all small groups that what [`BoundPrinciple::least`] rules out fails.
fn least_is_true(test: &dyn BoundPrinciple) {
    let least = test.least();
    for_all(|group| {
        let short = group.total() < least.rows || (group.distinct() as u64) < least.values;
        assert!(!short || !test.holds(group), "{test:?} on {group:?}");
    });
}

/// If the test is symmetric, exchanging any two values changes nothing; and groups pass just when every count is at
/// most its cap, if there is one.
fn symmetry_and_caps_are_literal(test: &dyn BoundPrinciple) {
    for counts in vectors(VALUES, ROWS) {
        let group = Histogram::from_counts(counts.iter().copied());
        if group.total() == 0 {
            continue;
        }
        let passes = test.holds(&group);
        for at in 1..VALUES {
            let mut swapped = counts.clone();
            swapped.swap(at - 1, at);
            let alike = test.holds(&Histogram::from_counts(swapped)) == passes;
            assert!(alike || !test.is_symmetric(), "{test:?} on {group:?}");
        }
        let caps: Option<Vec<u64>> = (0..VALUES as u32).map(|code| test.cap(code, group.total())).collect();
        assert_eq!(caps.is_some(), test.cap(0, 0).is_some(), "caps exist always or never");
        if let Some(caps) = caps {
            assert!(caps.iter().all(|&cap| cap <= group.total()), "{test:?} on {group:?}");
            let within = counts.iter().zip(&caps).all(|(count, cap)| count <= cap);
            assert_eq!(passes, within, "{test:?} on {group:?} with caps {caps:?}");
        }
    }
}

/// Exact measures decide: of all small groups, each that passes measures better than each that fails.
pub(super) fn measure_decides(test: &dyn BoundPrinciple, better: BetterDirection) {
    let (mut passing, mut failing): (Vec<Fraction>, Vec<Fraction>) = (Vec::new(), Vec::new());
    for_all(|group| {
        let passes = test.holds(group);
        match test.measure(group) {
            AchievedLevel::Exact(value) => if passes { &mut passing } else { &mut failing }.push(value),
            AchievedLevel::Rounded(_) => {}
            AchievedLevel::Unbounded => assert!(passes, "{test:?} on {group:?}"),
            AchievedLevel::Never => assert!(!passes, "{test:?} on {group:?}"),
        }
    });
    let agree = match better {
        BetterDirection::Larger => {
            passing.iter().min().zip(failing.iter().max()).is_none_or(|(pass, fail)| pass > fail)
        }
        BetterDirection::Smaller => {
            passing.iter().max().zip(failing.iter().min()).is_none_or(|(pass, fail)| pass < fail)
        }
    };
    assert!(agree, "{test:?}: a group that fails measures as well as one that passes");
}

/// `holds` just when `parameter` is at most the measure.
pub(super) fn larger_measure_agrees(principle: &dyn Principle, parameter: &Fraction) {
    assert_eq!(principle.better(), BetterDirection::Larger);
    let test = bind(principle);
    for_all(|group| {
        let most = test.measure(group).value().unwrap();
        assert_eq!(test.holds(group), parameter <= &most, "{test:?} on {group:?}");
    });
}

/// `holds` just when `parameter` is at least the measure.
pub(super) fn smaller_measure_agrees(principle: &dyn Principle, parameter: &Fraction) {
    assert_eq!(principle.better(), BetterDirection::Smaller);
    let test = bind(principle);
    for_all(|group| {
        let least = test.measure(group).value().unwrap();
        assert_eq!(test.holds(group), parameter >= &least, "{test:?} on {group:?}");
    });
}
