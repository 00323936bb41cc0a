//! The test behind t-closeness: distances from the whole column, and how many rows keep every sub-multiset close.

use dashu_base::UnsignedAbs;
use dashu_int::IBig;

use super::ground::{GroundTree, TransportWeight};
use super::{AchievedLevel, BoundPrinciple};
use crate::distribution::Distribution;
use crate::exact::{Fraction, fraction};
use crate::histogram::Histogram;

/// Groups of more rows than this are counted in units.
const EXACT_ROWS: u64 = 1024;

/// A group's distance from the column is at most `t`, which is at least 0.
#[derive(Debug)]
pub(super) struct BoundCloseness {
    t: Fraction,
    tree: GroundTree,
}

impl BoundCloseness {
    /// The test for distances of at most `t` over `tree`.
    pub(super) fn new(t: Fraction, tree: GroundTree) -> Self {
        Self { t, tree }
    }

    /// Whether `spread` is at most `t` times the spread at distance 1.
    fn within(&self, spread: impl Into<IBig>, unit: impl Into<IBig>) -> bool {
        self.t.denominator() * spread.into() <= self.t.numerator() * unit.into()
    }

    /// Whether a group or belief with these entries, which add up to `total`, is close.
    fn is_close<W: TransportWeight>(&self, entries: &[(u32, W)], total: &W) -> bool {
        self.within(self.tree.spread(entries), self.tree.unit(total))
    }

    /// The smallest `s` up to `most`, which must pass, such that all of at least s pass; for a monotone `passes`.
    fn least(most: u64, passes: impl Fn(u64) -> bool) -> u64 {
        let (mut fails, mut good) = (0, most);
        while good - fails > 1 {
            let middle = fails + (good - fails) / 2;
            if passes(middle) { good = middle } else { fails = middle }
        }
        good
    }

    /// [`BoundPrinciple::robust`], exact up to `limit` rows and an upper bound beyond.
    ///
    /// Let W(h, s) be the largest distance of distributions x / s with `0 <= x_i <= h_i` and s rows in all. The
    /// distance is convex and the corners of this polytope are integral, so W is attained by a sub-multiset, and the
    /// tree's tables find it. A multiset of s + 1 rows, as a distribution, is the mean of those left when each of its
    /// rows in turn is removed; so, by convexity, W(h, s + 1) <= W(h, s), and the smallest s with W(h, s) <= t is found
    /// by halving.
    ///
    /// Beyond `limit` rows three bounds from above take its place:
    /// - In units: if `h_i <= u k_i`, then x / u of a sub-multiset x of u r rows lies in the polytope of k and r, so
    ///   W(h, u r) <= W(k, r). With u r <= n rows, W(k, r) <= t proves that u r rows suffice.
    /// - Values in bundles: if the rows of a bundle are thought to have the value of one of its members, each row moves
    ///   by at most d, the largest distance to it, and the earth mover's distance changes by at most d. So W(h, s) is
    ///   at most d + W of the bundled histogram.
    /// - Without tables: the n - s rows y that x leaves out make up h with it, so x / s is at distance
    ///   (n - s) / n * dist(x / s, y / (n - s)) <= (n - s) / n from h / n, and W(h, s) <= dist(h) + (n - s) / n. So
    ///   s >= n (1 - t + dist(h)) rows suffice; never more than n, as h passes.
    fn robust_up_to(&self, group: &Histogram, limit: u64) -> Option<u64> {
        if !self.holds(group) {
            return None;
        }
        let (rows, entries) = (group.total(), group.entries());
        if rows <= limit {
            let runs = self.tree.runs(entries);
            return Some(Self::least(rows, |s| self.within(self.tree.worst_spread(&runs, s), self.tree.unit(&s))));
        }
        let mut bound = self.untabled(group);
        if entries.len() as u64 <= limit / 2 {
            bound = bound.min(self.in_units(entries, 0, rows, limit));
        }
        // With b bundles d is about 1 / 2b and rounding up to units adds b / 2 of them, so few bundles may do better.
        let few = (limit / 16).max(2);
        if entries.len() as u64 > few {
            let (bundled, moved) = self.bundles(group, few);
            bound = bound.min(self.in_units(&bundled, moved, rows, limit));
        }
        Some(bound)
    }

    /// The first bound of [`robust_up_to`](Self::robust_up_to), for at most `limit / 2` entries whose rows were moved
    /// by up to `moved` edges; all `rows` when it proves nothing.
    fn in_units(&self, entries: &[(u32, u64)], moved: u64, rows: u64, limit: u64) -> u64 {
        // Rounding up adds at most one unit per value, so there are at most `limit` units of this size or larger; of
        // some such sizes the one that rounding changes least.
        let smallest = rows.div_ceil(limit - entries.len() as u64);
        let rounded = |unit: u64| entries.iter().map(|entry| entry.1.next_multiple_of(unit)).sum::<u64>() + unit;
        let unit =
            (0..16).map(|part| smallest + smallest * part / 16).min_by_key(|&unit| rounded(unit)).unwrap_or(smallest);
        let runs: Vec<_> = self.tree.runs(entries).into_iter().map(|run| run.in_units(unit)).collect();
        let passes = |s: u64| {
            let (at_one, extra) = (self.tree.unit(&s), self.tree.edge_spread(s) * i128::from(moved));
            self.within(extra, at_one) && self.within(self.tree.worst_spread(&runs, s) + extra, at_one)
        };
        let most = rows / unit;
        if passes(most) { unit * Self::least(most, passes) } else { rows }
    }

    /// The last bound of [`robust_up_to`](Self::robust_up_to): `ceil(n (1 - t + dist(h)))`, between 1 and n.
    fn untabled(&self, group: &Histogram) -> u64 {
        let rows = group.total();
        let slack = &self.t - self.distance(group);
        let spared = slack * Fraction::from(rows);
        let (numerator, denominator) = spared.into_parts();
        let spared = u64::try_from(numerator.unsigned_abs() / denominator).unwrap_or(rows);
        rows.saturating_sub(spared).max(1)
    }

    /// At most `count` bundles of neighbouring values, each at the place of its middle member and in order of the
    /// codes, and the largest number of edges from a member to that place.
    fn bundles(&self, group: &Histogram, count: u64) -> (Vec<(u32, u64)>, u64) {
        // Every bundle but the last has at least `full` rows, so there are at most n / full + 1.
        let full = group.total().div_ceil((count - 1).max(1));
        let sorted = self.tree.neighbours(group.entries());
        let (mut bundles, mut moved, mut start, mut held) = (Vec::new(), 0, 0, 0);
        for (at, entry) in sorted.iter().enumerate() {
            held += entry.1;
            if held >= full || at + 1 == sorted.len() {
                let members = &sorted[start..=at];
                let place = members[members.len() / 2].0;
                moved = members.iter().map(|member| self.tree.edges(place, member.0)).fold(moved, u64::max);
                bundles.push((place, held));
                (start, held) = (at + 1, 0);
            }
        }
        bundles.sort_unstable();
        (bundles, moved)
    }

    /// The distance of a group of at least one row.
    fn distance(&self, group: &Histogram) -> Fraction {
        fraction(self.tree.spread(group.entries()), self.tree.unit(&group.total()).unsigned_abs())
    }
}

impl BoundPrinciple for BoundCloseness {
    fn holds(&self, group: &Histogram) -> bool {
        group.total() > 0 && self.is_close(group.entries(), &group.total())
    }

    fn holds_on(&self, belief: &Distribution) -> bool {
        self.is_close(belief.weights(), belief.total())
    }

    fn measure(&self, group: &Histogram) -> AchievedLevel {
        if group.total() == 0 { AchievedLevel::Never } else { AchievedLevel::Exact(self.distance(group)) }
    }

    /// The smallest number for groups of up to 1024 rows, an upper bound of it for larger ones.
    fn robust(&self, group: &Histogram) -> Option<u64> {
        self.robust_up_to(group, EXACT_ROWS)
    }
}

#[cfg(test)]
mod tests {
    use dashu_int::UBig;

    use super::*;
    use crate::principle::laws;

    /// Two levels above four values: {0, 1}, {2}, {3}, then {0, 1, 2}, {3}, then all.
    fn levels() -> Vec<Vec<u32>> {
        vec![vec![0, 1, 2, 3], vec![5, 5, 6, 7], vec![1, 1, 1, 2], vec![0; 4]]
    }

    /// The three distances to the column with counts 4, 3, 2, 1.
    fn tests(a: i32, b: u8) -> [BoundCloseness; 3] {
        let whole = Histogram::from_counts([4, 3, 2, 1]);
        [GroundTree::equal(&whole, 4), GroundTree::ordered(&whole, 4), GroundTree::hierarchical(&levels(), &whole)]
            .map(|tree| BoundCloseness { t: fraction(a, b), tree })
    }

    #[test]
    fn salaries_of_the_paper_have_their_distances() {
        // The column is 3k to 11k; {3k, 4k, 5k} is at 0.375 and {6k, 8k, 11k} at 0.167 = 1/6.
        let whole = Histogram::from_counts([1; 9]);
        let tree = GroundTree::ordered(&whole, 9);
        let test = BoundCloseness { t: fraction(3, 8u8), tree };
        let low = Histogram::of([0, 1, 2]);
        assert_eq!(test.measure(&low), AchievedLevel::Exact(fraction(3, 8u8)));
        assert!(test.holds(&low), "t exactly at the distance passes");
        assert_eq!(test.measure(&Histogram::of([3, 5, 8])), AchievedLevel::Exact(fraction(1, 6u8)));
    }

    /// The three distances of `shares` from the column, as the paper defines them.
    fn literal(shares: [Fraction; 4]) -> [Fraction; 3] {
        let whole = [4, 3, 2, 1].map(|count| fraction(count, 10u8));
        let extra: Vec<Fraction> = shares.into_iter().zip(whole).map(|(share, whole)| share - whole).collect();
        let positive = |x: Fraction| if x > Fraction::ZERO { x } else { Fraction::ZERO };
        let sum = |codes: &[usize]| codes.iter().fold(Fraction::ZERO, |sum, &code| sum + &extra[code]);
        // Half the sum of absolute differences is the sum of the positive ones.
        let equal = extra.iter().fold(Fraction::ZERO, |total, x| total + positive(x.clone()));
        // The sum of |cumulative differences| over m - 1 = 3.
        let cumulative = [sum(&[0]), sum(&[0, 1]), sum(&[0, 1, 2])];
        let ordered = cumulative.iter().fold(Fraction::ZERO, |all, x| all + positive(x.clone()) + positive(-x));
        // At each inner node height / 3 times the smaller of the positive and the negative extras of its children.
        let cost = |height: u32, children: &[Fraction]| {
            let up = children.iter().fold(Fraction::ZERO, |all, x| all + positive(x.clone()));
            let down = children.iter().fold(Fraction::ZERO, |all, x| all + positive(-x));
            up.min(down) * fraction(height, 3u8)
        };
        let tree = cost(1, &[sum(&[0]), sum(&[1])])
            + cost(2, &[sum(&[0, 1]), sum(&[2])])
            + cost(3, &[sum(&[0, 1, 2]), sum(&[3])]);
        [equal, ordered / Fraction::from(3), tree]
    }

    #[test]
    fn trees_give_the_distances_of_the_definitions() {
        laws::for_all(|group| {
            let expected = literal([0, 1, 2, 3].map(|code| fraction(group.count(code), group.total())));
            assert_eq!(tests(1, 2).map(|test| test.distance(group)), expected, "{group:?}");
        });
    }

    #[test]
    fn belief_of_huge_weights_passes_just_at_its_distance() {
        // Weights of up to 6000 bits, some of them 0, in all proportions.
        for at in 0..200u32 {
            let weight = |code: u32| {
                let (step, bits) = ((at * 7 + code * 5) % 11, (at * code * 37) % 90);
                (UBig::from(step) * UBig::from(3u8 + code as u8).pow(2500)) >> bits as usize
            };
            let belief = Distribution::new((0..4).map(|code| (code, weight(code))));
            let mut tests = tests(1, 2);
            for (test, distance) in tests.iter_mut().zip(literal([0, 1, 2, 3].map(|code| belief.probability(code)))) {
                test.t = distance.clone();
                assert!(test.holds_on(&belief), "{at}");
                // One unit less than the distance, in the last of 20000 bits.
                test.t = distance - fraction(1, UBig::ONE << 20_000);
                assert!(!test.holds_on(&belief), "{at}");
            }
        }
    }

    #[test]
    fn robust_is_the_definition_and_mixtures_pass() {
        for (a, b) in [(0, 1u8), (1, 10), (1, 5), (3, 10), (1, 2), (2, 3), (9, 10)] {
            for test in tests(a, b) {
                laws::robust_is_literal_for(&test, 4);
                laws::mixtures_pass_for(&test);
                laws::claims_are_literal_for(&test);
            }
        }
    }

    #[test]
    fn coarse_bounds_are_never_too_small() {
        let mut tight = 0;
        for (a, b) in [(1, 10u8), (3, 10), (1, 2), (2, 3), (9, 10)] {
            for test in tests(a, b) {
                laws::for_all(|group| {
                    let exact = test.robust_up_to(group, 1024);
                    for limit in [4, 5, 7] {
                        let bound = test.robust_up_to(group, limit);
                        assert_eq!(bound.is_some(), exact.is_some());
                        assert!(bound >= exact && bound <= exact.map(|_| group.total()), "{limit} {group:?}");
                        tight += usize::from(group.total() > limit && bound.is_some() && bound == exact);
                    }
                });
            }
        }
        assert!(tight > 1000, "{tight}");
    }

    #[test]
    fn robust_is_the_definition_for_lopsided_columns_and_trees() {
        // A value the column lacks, a hierarchy without its root, and one of a single level.
        let whole = Histogram::from_counts([0, 5, 1, 2]);
        let codes = vec![0, 1, 2, 3];
        for t in [fraction(1, 4u8), fraction(1, 2u8), fraction(3, 4u8)] {
            let trees = [
                GroundTree::equal(&whole, 4),
                GroundTree::ordered(&whole, 4),
                GroundTree::hierarchical(&[codes.clone(), vec![4, 4, 8, 8]], &whole),
                GroundTree::hierarchical(std::slice::from_ref(&codes), &whole),
            ];
            for tree in trees {
                laws::robust_is_literal_for(&BoundCloseness { t: t.clone(), tree }, 4);
            }
        }
    }

    #[test]
    fn coarse_bounds_of_larger_groups_are_never_too_small() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let mut bounds = 0;
        for _ in 0..60 {
            let counts: Vec<u64> = (0..24).map(|_| random(6)).collect();
            let group = Histogram::from_counts(counts.iter().copied());
            let whole = Histogram::from_counts(counts.iter().map(|count| count * 10 + random(9)));
            let level = |width: u32| (0..24).map(|code| code / width).collect::<Vec<u32>>();
            let trees = [
                GroundTree::equal(&whole, 24),
                GroundTree::ordered(&whole, 24),
                GroundTree::hierarchical(&[level(1), level(3), level(12)], &whole),
            ];
            for tree in trees {
                let test = BoundCloseness { t: fraction(2 + random(5), 10u8), tree };
                let exact = test.robust_up_to(&group, 1024);
                for limit in [16, 32, 48] {
                    let bound = test.robust_up_to(&group, limit);
                    assert!(bound.is_some() == exact.is_some() && bound >= exact, "{limit} {group:?}");
                    bounds += usize::from(bound.is_some_and(|bound| bound < group.total()));
                }
            }
        }
        assert!(bounds > 200, "{bounds}");
    }

    #[test]
    fn measure_is_the_least_t_that_holds() {
        for (a, b) in [(0, 1u8), (1, 10), (1, 5), (3, 10), (1, 2)] {
            for test in tests(a, b) {
                laws::for_all(|group| {
                    assert_eq!(test.holds(group), test.measure(group).value().unwrap() <= fraction(a, b));
                });
            }
        }
    }

    #[test]
    fn large_groups_of_few_values_are_bounded_well() {
        // Equal shares of four values; from 2 s = n rows of two values the distance would be 1/2.
        let whole = Histogram::from_counts([100_000; 4]);
        let test = BoundCloseness { t: fraction(1, 2u8), tree: GroundTree::equal(&whole, 4) };
        let bound = test.robust(&whole).unwrap();
        // The worst of s rows takes values one after the other: distance 1/2 once two values make it up, at 200 000.
        assert!((100_001..=202_000).contains(&bound), "{bound}");
    }

    #[test]
    fn large_groups_of_many_ordered_values_are_bounded_well() {
        let whole = Histogram::from_counts(vec![2; 5000]);
        let test = BoundCloseness { t: fraction(3, 10u8), tree: GroundTree::ordered(&whole, 5000) };
        // Half the rows, from one end, are at distance about 1/4; 40 percent at 3/10.
        let bound = test.robust(&whole).unwrap();
        assert!((4000..=4200).contains(&bound), "{bound}");
    }

    #[test]
    fn one_value_is_close_to_itself() {
        let whole = Histogram::from_counts([3]);
        let trees = [
            GroundTree::equal(&whole, 1),
            GroundTree::ordered(&whole, 1),
            GroundTree::hierarchical(&[vec![0]], &whole),
            GroundTree::hierarchical(&[vec![0], vec![0]], &whole),
        ];
        for tree in trees {
            let test = BoundCloseness { t: Fraction::ZERO, tree };
            assert_eq!(test.robust(&whole), Some(1));
        }
    }
}
