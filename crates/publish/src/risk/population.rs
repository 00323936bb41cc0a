//! How many people of a register could be in each class of a release.
//!
//! Somebody who has a register sees of a class only what is published of it. A person could be in it whose values the cells leave open. A
//! value that no row of the table has is left open by a cell that stands for both of its neighbours, when values are numbers or dates;
//! a category that no row has is not. So people may be missed, never counted who could not be in the class: risks by these
//! counts are not below those of somebody who reads hierarchies more closely.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use pellucid_model::table::{Column, ColumnType};
use rayon::prelude::*;

use crate::function::{CellSupport, ReleaseSupport, ReleasedTables, SpanRule};

/// People that are looked at one by one.
const FEW: usize = 16;

/// By class, how many people of a register could be in it; `columns` are the quasi columns of the table, each with that of the register,
/// of the same kind. `None` where cells bound no values.
///
/// # Cost
/// For every class a walk down a tree of the distinct people, which skips those that are all inside or all outside.
pub fn could_be_in(
    exhibit: &ReleasedTables,
    spreads: &ReleaseSupport,
    columns: &[(&Column, &Column)],
) -> Option<Vec<u64>> {
    if exhibit.reach == SpanRule::Joined {
        return None;
    }
    let slots: Vec<Slots> = columns.iter().map(|(table, register)| Slots::new(table, register)).collect();
    let rows = columns.first().map_or(0, |(_, register)| register.codes().len());
    let mut people: HashMap<Vec<u32>, u64> = HashMap::new();
    for row in 0..rows {
        let vector =
            slots.iter().zip(columns).map(|(slots, (_, register))| slots.of_register[register.code(row) as usize]);
        if let Some(vector) = vector.collect::<Option<Vec<u32>>>() {
            *people.entry(vector).or_default() += 1;
        }
    }
    if spreads.by_line {
        return Some(by_line(exhibit, spreads, &people));
    }
    let mut points: Vec<(Vec<u32>, u64)> = people.into_iter().collect();
    points.sort_unstable();
    let tree = Tree::new(points, 0);
    let cells: Vec<Vec<Vec<(u32, u32)>>> = spreads
        .columns
        .iter()
        .zip(&slots)
        .map(|(spread, slots)| spread.cells.iter().map(|cell| slots.ranges(cell)).collect())
        .collect();
    let count = |class: usize| {
        let region: Vec<&[(u32, u32)]> =
            spreads.columns.iter().zip(&cells).map(|(spread, cells)| &cells[spread.of[class] as usize][..]).collect();
        tree.count(&region)
    };
    Some((0..exhibit.classes.len()).into_par_iter().map(count).collect())
}

/// Where lines show exact values: people who have those of some line of the class.
fn by_line(exhibit: &ReleasedTables, spreads: &ReleaseSupport, people: &HashMap<Vec<u32>, u64>) -> Vec<u64> {
    let mut start = 0;
    let of_class = |rows: &[u32]| {
        let lines = start..start + rows.len();
        start = lines.end;
        let mut vectors: Vec<Vec<u32>> = lines
            .map(|line| {
                spreads
                    .columns
                    .iter()
                    .map(|spread: &CellSupport| 2 * spread.cells[spread.of[line] as usize][0])
                    .collect()
            })
            .collect();
        vectors.sort_unstable();
        vectors.dedup();
        vectors.iter().filter_map(|vector| people.get(vector)).sum()
    };
    exhibit.classes.iter().map(of_class).collect()
}

/// Values of a column and gaps between them: code `c` has slot `2c`, what lies between it and the next code slot `2c + 1`.
struct Slots {
    /// By code of the register's column; `None` for what no cell leaves open.
    of_register: Vec<Option<u32>>,
    /// Whether gaps hold anything.
    has_gaps: bool,
}

impl Slots {
    fn new(table: &Column, register: &Column) -> Self {
        let has_gaps = table.domain().kind() != ColumnType::Category;
        let texts: BTreeMap<String, u32> =
            (0..table.cardinality() as u32).map(|code| (table.text(code), code)).collect();
        let own = table.domain();
        let scaled = |position: i128, digits: u32, other: u32| {
            10i128.checked_pow(other.saturating_sub(digits)).and_then(|factor| position.checked_mul(factor))
        };
        let slot = |code: u32| {
            if let Some(&code) = texts.get(&register.text(code)) {
                return Some(2 * code);
            }
            if !has_gaps || register.missing() == Some(code) {
                return None;
            }
            let (digits, others) = (own.scale(), register.domain().scale());
            let target = scaled(register.domain().position(code), others, digits)?;
            let codes: Vec<u32> = (0..own.len() as u32).collect();
            let above = codes
                .partition_point(|&code| scaled(own.position(code), digits, others).is_some_and(|own| own < target));
            (above > 0 && above < codes.len()).then(|| 2 * (above as u32 - 1) + 1)
        };
        Self { of_register: (0..register.cardinality() as u32).map(slot).collect(), has_gaps }
    }

    /// The slots of a cell that stands for `codes`, which ascend, as ranges with both ends.
    fn ranges(&self, codes: &[u32]) -> Vec<(u32, u32)> {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for &code in codes {
            match ranges.last_mut() {
                Some((_, last)) if self.has_gaps && *last + 2 == 2 * code => *last = 2 * code,
                _ => ranges.push((2 * code, 2 * code)),
            }
        }
        ranges
    }
}

/// People by their slots, halved again and again along one column after the other.
struct Tree {
    /// By column, the smallest and the largest slot.
    bounds: Vec<(u32, u32)>,
    people: u64,
    content: Content,
}

enum Content {
    Points(Vec<(Vec<u32>, u64)>),
    Halves(Box<(Tree, Tree)>),
}

impl Tree {
    fn new(mut points: Vec<(Vec<u32>, u64)>, column: usize) -> Self {
        let columns = points.first().map_or(0, |point| point.0.len());
        let bound = |at: usize| {
            let slots = points.iter().map(|point| point.0[at]);
            (slots.clone().min().unwrap_or(0), slots.max().unwrap_or(0))
        };
        let bounds: Vec<(u32, u32)> = (0..columns).map(bound).collect();
        let people = points.iter().map(|point| point.1).sum();
        if points.len() <= FEW {
            return Self { bounds, people, content: Content::Points(points) };
        }
        let middle = points.len() / 2;
        points.select_nth_unstable_by_key(middle, |point| point.0[column]);
        let upper = points.split_off(middle);
        let next = (column + 1) % columns;
        Self { bounds, people, content: Content::Halves(Box::new((Self::new(points, next), Self::new(upper, next)))) }
    }

    /// People whose slot in every column is in one of its ranges.
    fn count(&self, region: &[&[(u32, u32)]]) -> u64 {
        let mut inside = true;
        for (ranges, &(low, high)) in region.iter().zip(&self.bounds) {
            // The first range that does not end below.
            let at = ranges.partition_point(|range| range.1 < low);
            match ranges.get(at) {
                Some(&(from, to)) if from <= high => inside &= from <= low && high <= to,
                _ => return 0,
            }
        }
        if inside {
            return self.people;
        }
        match &self.content {
            Content::Halves(halves) => halves.0.count(region) + halves.1.count(region),
            Content::Points(points) => {
                let is_in = |slots: &[u32]| {
                    slots.iter().zip(region).all(|(&slot, ranges)| {
                        let at = ranges.partition_point(|range| range.1 < slot);
                        ranges.get(at).is_some_and(|range| range.0 <= slot)
                    })
                };
                points.iter().filter(|point| is_in(&point.0)).map(|point| point.1).sum()
            }
        }
    }
}
