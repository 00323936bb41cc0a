//! Cuts a line of weighted values into a given number of runs whose weights are as equal as can be.

/// What a prefix of the values costs at best, and in how many runs; the second decides between equal costs.
type Best = (u128, i64);

/// The ends of `runs` runs of neighbouring values, ascending: the last end is the number of values.
///
/// Among all ways to cut, the sum of the squares of the runs' weights is least; for a fixed number of runs that is the
/// least variance. Of several such ways the one whose last run has fewest values is taken, then the last but one, and so
/// on. `runs` lies between 1 and the number of values.
///
/// # Guarantee
/// The squares satisfy the quadrangle inequality, so the least sum is convex in the number of runs. Hence there is a
/// price per run, a whole number, at which the best ways of paying for cuts include one with exactly `runs` runs: for
/// every prefix the numbers of runs of its best ways form an interval, and walking back along tight steps within these
/// intervals finds it.
///
/// # Cost
/// A sweep of `n log n` comparisons for each bit of the square of the total weight.
pub(super) fn balanced_ends(weights: &[u64], runs: usize) -> Vec<usize> {
    let mut before = Vec::with_capacity(weights.len() + 1);
    before.push(0_u128);
    for &weight in weights {
        before.push(before[before.len() - 1] + u128::from(weight));
    }
    let last = weights.len();
    let wanted = runs as i64;
    // The smallest price at which a best way needs no more than the wanted number of runs.
    let (mut low, mut high) = (0, before[last] * before[last]);
    while low < high {
        let price = low + (high - low) / 2;
        if sweep(&before, price, 1)[last].1 <= wanted {
            high = price;
        } else {
            low = price + 1;
        }
    }
    let (fewest, most) = (sweep(&before, low, 1), sweep(&before, low, -1));
    let mut ends = vec![last];
    let (mut end, mut left) = (last, wanted);
    while left > 1 {
        left -= 1;
        let fits = |start: usize| {
            let tight = fewest[start].0 + square(&before, start, end) + low == fewest[end].0;
            tight && fewest[start].1 <= left && left <= -most[start].1
        };
        // One exists by the guarantee above; without it the rest stays one run.
        let Some(start) = (1..end).rev().find(|&start| fits(start)) else { break };
        ends.push(start);
        end = start;
    }
    ends.reverse();
    ends
}

/// The square of the weight of the values from `start` to below `end`.
fn square(before: &[u128], start: usize, end: usize) -> u128 {
    let weight = before[end] - before[start];
    weight * weight
}

/// For each prefix its best way when every run costs its square and `price`; `count` is added to the second component for
/// every run, so that 1 finds fewest runs among equals and -1 most.
///
/// The best start of the last run grows with the prefix, so the starts that are still of use form a queue, each with
/// the first prefix that it is best for.
fn sweep(before: &[u128], price: u128, count: i64) -> Vec<Best> {
    let last = before.len() - 1;
    let mut best: Vec<Best> = vec![(0, 0); last + 1];
    let mut queue: Vec<(usize, usize)> = vec![(0, 1)];
    let mut head = 0;
    for end in 1..=last {
        while queue.get(head + 1).is_some_and(|&(_, from)| from <= end) {
            head += 1;
        }
        let with = |best: &[Best], start: usize, end: usize| {
            let (cost, runs) = best[start];
            (cost + square(before, start, end) + price, runs + count)
        };
        best[end] = with(&best, queue[head].0, end);
        // The new start drives out those that it beats wherever they would be best.
        let mut from = last + 1;
        while queue.len() > head {
            let (start, since) = queue[queue.len() - 1];
            let since = since.max(end + 1);
            if since <= last && with(&best, end, since) < with(&best, start, since) {
                from = since;
                if queue.len() - 1 == head {
                    break;
                }
                queue.pop();
            } else {
                let (mut low, mut high) = (since.min(from), from);
                while low < high {
                    let middle = low + (high - low) / 2;
                    if with(&best, end, middle) < with(&best, start, middle) {
                        high = middle;
                    } else {
                        low = middle + 1;
                    }
                }
                from = low;
                break;
            }
        }
        if from <= last {
            queue.push((end, from));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All ways to cut `values` values into `runs` runs, as ends.
    fn all_ways(values: usize, runs: usize) -> Vec<Vec<usize>> {
        if runs == 1 {
            return if values == 0 { Vec::new() } else { vec![vec![values]] };
        }
        let with_last = |start: usize| {
            let mut ways = all_ways(start, runs - 1);
            ways.iter_mut().for_each(|way| way.push(values));
            ways
        };
        (1..values).flat_map(with_last).collect()
    }

    fn weights_of(weights: &[u64], ends: &[usize]) -> Vec<u64> {
        let starts = std::iter::once(&0).chain(ends);
        starts.zip(ends).map(|(&start, &end)| weights[start..end].iter().sum()).collect()
    }

    fn cost(weights: &[u64], ends: &[usize]) -> u64 {
        weights_of(weights, ends).iter().map(|weight| weight * weight).sum()
    }

    #[test]
    fn equal_weights_give_equal_runs() {
        assert_eq!(balanced_ends(&[1; 12], 4), [3, 6, 9, 12]);
        assert_eq!(balanced_ends(&[7], 1), [1]);
        assert_eq!(balanced_ends(&[5, 5, 5], 3), [1, 2, 3]);
    }

    #[test]
    fn a_heavy_value_stands_alone_and_the_rest_is_shared() {
        // 2 + 2, 90, 1 + 1, 1 + 1: no way to cut comes closer to equal rows.
        assert_eq!(balanced_ends(&[2, 2, 90, 1, 1, 1, 1], 4), [2, 3, 5, 7]);
    }

    #[test]
    fn among_equals_later_runs_are_shorter() {
        // 1 + 1, 1 and 1, 1 + 1 cost the same.
        assert_eq!(balanced_ends(&[1, 1, 1], 2), [2, 3]);
        assert_eq!(balanced_ends(&[1; 5], 3), [2, 4, 5]);
    }

    #[test]
    fn a_hundred_thousand_values_are_quick() {
        let weights: Vec<u64> = (0..100_000_u64).map(|at| 1 + at * at % 17).collect();
        let started = std::time::Instant::now();
        let ends = balanced_ends(&weights, 1024);
        assert_eq!(ends.len(), 1024);
        let sizes = weights_of(&weights, &ends);
        let average = weights.iter().sum::<u64>() / 1024;
        assert!(sizes.iter().all(|&size| size.abs_diff(average) <= 17), "{average}");
        // A few seconds without optimisation; the bound leaves room for a busy machine.
        assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    }

    proptest! {
        #[test]
        fn no_other_way_to_cut_is_better_balanced(
            (weights, runs) in prop::collection::vec(0_u64..9, 1..11).prop_flat_map(|weights| {
                let most = weights.len();
                (Just(weights), 1..=most)
            }),
        ) {
            let ends = balanced_ends(&weights, runs);
            let ways = all_ways(weights.len(), runs);
            let least = ways.iter().map(|way| cost(&weights, way)).min().unwrap();
            let best = ways.iter().filter(|way| cost(&weights, way) == least);
            // Shorter later runs are later ends, compared from the last.
            let expected = best.max_by_key(|way| way.iter().rev().copied().collect::<Vec<usize>>()).unwrap();
            prop_assert_eq!(&ends, expected);
        }
    }
}
