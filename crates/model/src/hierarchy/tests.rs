//! Tests of hierarchies as such: walks, ancestors, nesting.

use std::time::Instant;

use proptest::prelude::*;

use super::*;
use crate::table::{ColumnDomain, MISSING, Role};

/// The labels of `level`, by node.
pub(super) fn labels(hierarchy: &Hierarchy, level: usize) -> Vec<&str> {
    (0..hierarchy.nodes(level) as u32).map(|node| hierarchy.label(level, node)).collect()
}

/// A quasi column `age` with a row for every value of `domain`.
pub(super) fn age_column(domain: ColumnDomain) -> Column {
    let codes = (0..domain.len() as u32).collect();
    Column::new("age", Role::Quasi, domain, false, codes).unwrap()
}

fn column(domain: ColumnDomain, missing: bool) -> Column {
    Column::new("c", Role::Quasi, domain, missing, vec![]).unwrap()
}

fn categories(count: usize, missing: bool) -> Column {
    column(ColumnDomain::Category((0..count).map(|at| format!("v{at:02}")).collect()), missing)
}

#[test]
fn a_flat_hierarchy_joins_everything_at_once() {
    let hierarchy = Hierarchy::flat(&categories(3, true));
    assert_eq!((hierarchy.levels(), hierarchy.top(), hierarchy.leaf_count()), (2, 1, 4));
    assert_eq!(hierarchy.label(0, 3), MISSING);
    assert_eq!(hierarchy.label(1, 0), ANY);
    assert_eq!(hierarchy.order(), [0, 1, 2, 3]);
    assert_eq!(hierarchy.parent(0, 2), Some(0));
    assert_eq!(hierarchy.parent(1, 0), None);
}

#[test]
fn a_single_value_needs_no_level_above() {
    assert_eq!(Hierarchy::flat(&categories(1, false)).levels(), 1);
    assert_eq!(Hierarchy::flat(&categories(1, true)).levels(), 2);
    assert_eq!(Hierarchy::flat(&categories(0, true)).levels(), 1);
}

#[test]
fn a_column_without_codes_has_a_hierarchy() {
    let empty = column(ColumnDomain::Integer(vec![]), false);
    let hierarchy = WidthIntervals::new(&["5"], "0").unwrap().build(&empty).unwrap();
    assert_eq!((hierarchy.levels(), hierarchy.nodes(1), hierarchy.leaf_count()), (2, 0, 0));
    assert_eq!(hierarchy.lowest_common_ancestor([]), None);
}

#[test]
fn the_lowest_common_ancestor_is_found() {
    let ages = column(ColumnDomain::Integer(vec![0, 4, 5, 12, 30]), true);
    let hierarchy = WidthIntervals::new(&["5", "10"], "0").unwrap().build(&ages).unwrap();
    assert_eq!(hierarchy.lowest_common_ancestor([3]), Some((0, 3)));
    assert_eq!(hierarchy.lowest_common_ancestor([3, 3]), Some((0, 3)));
    assert_eq!(hierarchy.lowest_common_ancestor([0, 1]), Some((1, 0)));
    assert_eq!(hierarchy.lowest_common_ancestor([2, 0, 1]), Some((2, 0)));
    assert_eq!(hierarchy.lowest_common_ancestor([0, 5]), Some((3, 0)));
    assert_eq!(hierarchy.lowest_common_ancestor([5]), Some((0, 5)));
    assert_eq!(hierarchy.lowest_common_ancestor([]), None);
}

#[test]
fn a_hundred_thousand_values_are_quick() {
    let count = 100_000_u32;
    let started = Instant::now();
    let integers = column(ColumnDomain::Integer((0..i64::from(count)).collect()), true);
    let hierarchy = WidthIntervals::new(&["5", "10", "100", "1000"], "0").unwrap().build(&integers).unwrap();
    assert_eq!(hierarchy.nodes(4), 101);
    let codes = column(ColumnDomain::Category((0..count).map(|code| format!("{code:05}")).collect()), false);
    let masked = CharacterMask::new(MaskSide::Prefix).build(&codes).unwrap();
    assert_eq!(masked.nodes(1), 10_000);
    let lines: Vec<String> = (0..count).rev().map(|at| format!("{at:05};{};{};*\n", at / 7, at / 70)).collect();
    let read = LabelFile::new("x").bind(lines.concat().as_bytes(), &codes).unwrap();
    assert_eq!(read.order()[0], count - 1);
    // Three builds in far less than a second each; the bound leaves room for a busy machine.
    assert!(started.elapsed().as_secs_f64() < 3.0, "{:?}", started.elapsed());
}

/// A nested table of labels: a row per leaf, a column per level from level 1.
fn nested_labels() -> impl Strategy<Value = Vec<Vec<usize>>> {
    let level = prop::collection::vec(0..4_usize, 14);
    (1..14_usize, prop::collection::vec(level, 0..5)).prop_map(|(leaves, maps)| {
        let row = |leaf: usize| {
            maps.iter()
                .scan(leaf, |block, map| {
                    *block = map[*block];
                    Some(*block)
                })
                .collect()
        };
        (0..leaves).map(row).collect()
    })
}

proptest! {
    #[test]
    fn masks_are_nested_whatever_the_lengths(
        values in prop::collection::btree_set("[ab*ä]{0,4}", 0..20),
        suffix: bool,
        missing: bool,
    ) {
        let side = if suffix { MaskSide::Suffix } else { MaskSide::Prefix };
        let column = column(ColumnDomain::Category(values.iter().cloned().collect()), missing);
        let hierarchy = CharacterMask::new(side).build(&column).unwrap();
        let longest = values.iter().map(|value| value.chars().count()).max().unwrap_or(0);
        // What remains of a value, blanks included, by definition.
        let remains = |level: usize, code: u32| -> Vec<char> {
            let value: Vec<char> = column.text(code).chars().collect();
            let blanks = vec![' '; longest - value.len()];
            if suffix { [value, blanks].concat()[..longest - level].to_vec() } else { [blanks, value].concat()[level..].to_vec() }
        };
        for level in 0..=longest {
            for a in 0..values.len() as u32 {
                for b in 0..values.len() as u32 {
                    let same = hierarchy.node(level, a) == hierarchy.node(level, b);
                    prop_assert_eq!(same, remains(level, a) == remains(level, b));
                }
            }
            let distinct: std::collections::BTreeSet<&str> = labels(&hierarchy, level).into_iter().collect();
            prop_assert_eq!(distinct.len(), hierarchy.nodes(level));
        }
    }

    #[test]
    fn levels_of_a_file_are_nested_and_ancestors_lowest(
        (rows, chosen) in nested_labels().prop_flat_map(|rows| {
            let leaves: Vec<usize> = (0..rows.len()).collect();
            (Just(rows.clone()), prop::sample::subsequence(leaves, 0..=rows.len()))
        }),
        shuffle in any::<prop::sample::Index>(),
        missing: bool,
        mask: u32,
    ) {
        // Lines in another order than the values.
        let mut lines: Vec<usize> = (0..rows.len()).collect();
        lines.rotate_left(shuffle.index(rows.len()));
        let line = |&leaf: &usize| {
            let labels = rows[leaf].iter().map(|label| format!("label {label}"));
            [vec![format!("v{leaf:02}")], labels.collect()].concat().join(";") + "\n"
        };
        let content: String = lines.iter().map(line).collect();
        let values = chosen.iter().map(|leaf| format!("v{leaf:02}")).collect();
        let column = column(ColumnDomain::Category(values), missing);
        let hierarchy = LabelFile::new("x").bind(content.as_bytes(), &column).unwrap();

        let depth = rows[0].len();
        let joins = depth > 0 && rows.iter().all(|row| row[depth - 1] == rows[0][depth - 1]);
        // The label of a code by definition.
        let naive = |level: usize, code: u32| -> String {
            match chosen.get(code as usize) {
                _ if level > depth => ANY.to_owned(),
                Some(&leaf) if level == 0 => format!("v{leaf:02}"),
                Some(&leaf) => format!("label {}", rows[leaf][level - 1]),
                None if joins && level == depth => format!("label {}", rows[0][depth - 1]),
                None => MISSING.to_owned(),
            }
        };
        let codes: Vec<u32> = (0..column.cardinality() as u32).collect();
        let order = hierarchy.order();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        prop_assert_eq!(&sorted, &codes);
        for level in 0..hierarchy.levels() {
            for &a in &codes {
                let node = hierarchy.node(level, a);
                prop_assert_eq!(hierarchy.label(level, node), naive(level, a));
                prop_assert!(hierarchy.codes(level, node).contains(&a));
                for &b in &codes {
                    let same = node == hierarchy.node(level, b);
                    prop_assert_eq!(same, naive(level, a) == naive(level, b));
                    if same && level < hierarchy.top() {
                        prop_assert_eq!(hierarchy.node(level + 1, a), hierarchy.node(level + 1, b));
                    }
                }
            }
            // Siblings are adjacent: each node is one run of the walk.
            let runs = order.chunk_by(|&a, &b| hierarchy.node(level, a) == hierarchy.node(level, b)).count();
            prop_assert_eq!(runs, hierarchy.nodes(level));
            if level > 0 && chosen.len() == rows.len() {
                let total: u64 = (0..hierarchy.nodes(level) as u32).map(|node| hierarchy.leaves(level, node)).sum();
                prop_assert_eq!(total, hierarchy.leaf_count());
            }
        }
        let some: Vec<u32> = codes.iter().copied().filter(|code| mask >> code & 1 == 1).collect();
        let lowest = (0..hierarchy.levels()).find(|&level| {
            some.iter().all(|&code| naive(level, code) == naive(level, some[0]))
        });
        let expected = if some.is_empty() { None } else { lowest };
        let found = hierarchy.lowest_common_ancestor(some.iter().copied());
        prop_assert_eq!(found.map(|(level, _)| level), expected);
    }
}
