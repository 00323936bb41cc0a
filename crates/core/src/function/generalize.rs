//! Generalization: every quasi value of a group is replaced by what the group has in common.
//!
//! `mbr` shows the tightest interval of a number or date and the set of the categories that occur; `hierarchy` shows the
//! lowest label that covers the whole group.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::{Exhibit, Function, Scene, Sheet, Shown, plain_columns, sort_by_plain, values_of};
use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::notation::{interval, quoted, set};
use crate::publish::Groups;
use crate::registry::{Entry, Status};
use crate::table::{Codes, Column, Kind, MISSING, Role, Table};

/// Minimum bounding rectangles.
pub const MBR: Entry<dyn Function> = Entry {
    id: "mbr",
    summary: "tightest intervals of numbers and dates, sets of the categories that occur",
    reference: "Xiao, Tao, Koudas: Transparent Anonymization, ACM TODS 35(2), 2010, section 2.1",
    status: Status::Proven,
    params: &[],
    build: |_| Ok(Box::new(Generalize::Mbr)),
};

/// Labels of hierarchies.
pub const HIERARCHY: Entry<dyn Function> = Entry {
    id: "hierarchy",
    summary: "the lowest label of each column's hierarchy that covers the whole group",
    reference: "Samarati: Protecting Respondents' Identities in Microdata Release, IEEE TKDE 13(6), 2001",
    status: Status::Proven,
    params: &[],
    build: |_| Ok(Box::new(Generalize::Hierarchy)),
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Generalize {
    Mbr,
    Hierarchy,
}

/// What a group shows of one column; ordered as lines are.
type Key = Vec<u32>;

impl Function for Generalize {
    fn accepts(&self, table: &Table, hierarchies: &[Option<Hierarchy>]) -> Result<()> {
        if *self == Self::Mbr {
            return Ok(());
        }
        let lacking = table.columns().iter().zip(hierarchies);
        let mut lacking = lacking.filter(|(column, hierarchy)| column.role() == Role::Quasi && hierarchy.is_none());
        lacking.next().map_or(Ok(()), |(column, _)| {
            Err(Error::invalid(format!(
                "column `{}` has no hierarchy; give it one or use function = \"mbr\"",
                column.name()
            )))
        })
    }

    fn show(&self, scene: Scene<'_>) -> Result<Exhibit> {
        self.accepts(scene.table, scene.hierarchies)?;
        let quasi: Vec<_> = scene.columns(Role::Quasi).collect();
        let shown: Vec<(Vec<String>, Vec<u32>)> =
            quasi.par_iter().map(|&(column, hierarchy)| self.labels(column, hierarchy, scene.groups)).collect();
        // Groups in the order of their boxes, equal boxes together.
        let mut order: Vec<u32> = (0..scene.groups.len() as u32).collect();
        let of_group = |group: u32| shown.iter().map(move |(_, codes)| codes[group as usize]);
        order.par_sort_unstable_by(|&a, &b| of_group(a).cmp(of_group(b)));
        let plain = plain_columns(scene.table);
        let mut row_of: Vec<u32> = Vec::with_capacity(scene.groups.rows());
        let mut boxes: Vec<u32> = Vec::new();
        let mut ends = Vec::new();
        for alike in order.chunk_by(|&a, &b| of_group(a).eq(of_group(b))) {
            row_of.extend(alike.iter().flat_map(|&group| scene.groups.group(group as usize)));
            ends.push(row_of.len() as u32);
            boxes.push(alike[0]);
        }
        let mut classes = Groups::from_parts(row_of, ends);
        classes.each_mut(|rows| sort_by_plain(rows, &plain));
        let mut columns = Vec::new();
        let mut boxed = shown.into_iter();
        for column in scene.table.columns() {
            let cells = match column.role() {
                Role::Quasi => {
                    let (labels, codes) = boxed.next().expect("every quasi column was labelled");
                    let lines = boxes.iter().zip(classes.iter());
                    let lines = lines.flat_map(|(&group, rows)| std::iter::repeat_n(codes[group as usize], rows.len()));
                    let bound = labels.len();
                    Shown::Labels { labels, codes: Codes::narrow(lines.collect(), bound) }
                }
                Role::Sensitive | Role::Keep => values_of(column, classes.members()),
                Role::Identifier | Role::Drop => continue,
            };
            columns.push((column.name().to_owned(), cells));
        }
        let sheet = Sheet { name: "data", columns, row_of: classes.members().to_vec() };
        Ok(Exhibit { sheets: vec![sheet], classes, labelled: *self == Self::Hierarchy, group_column: None })
    }
}

impl Generalize {
    /// The labels of a column in the order of lines, and for each group the index of its label.
    fn labels(self, column: &Column, hierarchy: Option<&Hierarchy>, groups: &Groups) -> (Vec<String>, Vec<u32>) {
        let mut known: BTreeMap<Key, u32> = BTreeMap::new();
        let mut codes = Vec::with_capacity(groups.len());
        let mut distinct: Vec<u32> = Vec::new();
        for rows in groups.iter() {
            distinct.clear();
            distinct.extend(rows.iter().map(|&row| column.code(row as usize)));
            distinct.sort_unstable();
            distinct.dedup();
            let key = match (self, hierarchy) {
                (Self::Hierarchy, Some(hierarchy)) => lowest_label(hierarchy, &distinct),
                _ => bounds(column, &distinct),
            };
            let next = known.len() as u32;
            codes.push(*known.entry(key).or_insert(next));
        }
        let mut rank = vec![0; known.len()];
        let mut labels = Vec::with_capacity(known.len());
        for (key, at) in known {
            rank[at as usize] = labels.len() as u32;
            labels.push(match (self, hierarchy) {
                (Self::Hierarchy, Some(hierarchy)) => hierarchy.label(key[1] as usize, key[2]).to_owned(),
                _ => box_label(column, &key),
            });
        }
        codes.iter_mut().for_each(|code| *code = rank[*code as usize]);
        (labels, codes)
    }
}

/// `[first code under the node, level, node]` of the lowest common ancestor.
fn lowest_label(hierarchy: &Hierarchy, distinct: &[u32]) -> Key {
    let (level, node) = hierarchy.lowest_common_ancestor(distinct.iter().copied()).expect("groups have rows");
    let first = hierarchy.codes(level, node).iter().min().copied().unwrap_or(0);
    vec![first, level as u32, node]
}

/// Categories: all codes that occur. Numbers and dates: the smallest, the largest and, when a cell is missing, its code.
fn bounds(column: &Column, distinct: &[u32]) -> Key {
    if column.domain().kind() == Kind::Category {
        return distinct.to_vec();
    }
    let present: &[u32] = match column.missing() {
        Some(missing) if distinct.last() == Some(&missing) => &distinct[..distinct.len() - 1],
        _ => distinct,
    };
    let mut key: Key = present.first().into_iter().chain(present.last()).copied().collect();
    key.extend(&distinct[present.len()..]);
    key
}

fn box_label(column: &Column, key: &[u32]) -> String {
    let text = |code: u32| quoted(&column.text(code));
    if column.domain().kind() == Kind::Category {
        return match key {
            [only] => text(*only),
            several => set(&several.iter().map(|&code| text(code)).collect::<Vec<_>>()),
        };
    }
    let span = |low: u32, high: u32| if low == high { text(low) } else { interval(&text(low), &text(high)) };
    match *key {
        [low, high] => span(low, high),
        [low, high, _] => set(&[span(low, high), MISSING.to_owned()]),
        _ => MISSING.to_owned(),
    }
}
