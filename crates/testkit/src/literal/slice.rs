//! Slice (Figure 8 of Xiao, Tao, Koudas 2010) by canonical divisions (Definitions 11 and 12).

use std::collections::BTreeMap;

use pellucid_model::exact::Fraction;

use crate::instance::Row;
use crate::literal::assign::{Bucket, Label};
use crate::literal::cut::perimeter;
use crate::person::Person;

/// The columns of a bucket: its people by label.
fn columns(bucket: &Bucket) -> Vec<(Label, Vec<usize>)> {
    let mut columns: BTreeMap<Label, Vec<usize>> = BTreeMap::new();
    for &(person, label) in bucket {
        columns.entry(label).or_default().push(person);
    }
    columns.into_iter().collect()
}

/// The canonical division of a bucket: smallest perimeter, then smallest attribute, then smallest first half. `None`
/// when the bucket is not divisible.
pub fn canonical_division(external: &[Person], bucket: &Bucket, norm: &[i64]) -> Option<(Bucket, Bucket)> {
    let mut columns = columns(bucket);
    let height = columns.iter().map(|column| column.1.len()).min().unwrap_or(0);
    let plain = |half: &Bucket| -> Vec<Row> { half.iter().map(|row| (row.0, row.1.0)).collect() };
    let mut best: Option<(Fraction, Bucket, Bucket)> = None;
    for attribute in 0..external.first().map_or(0, |person| person.quasi.len()) {
        for column in &mut columns {
            column.1.sort_by(|&a, &b| external[a].compare_on(&external[b], attribute));
        }
        for size in 1..height {
            let (mut first, mut second) = (Bucket::new(), Bucket::new());
            for (label, people) in &columns {
                first.extend(people[..size].iter().map(|&person| (person, *label)));
                second.extend(people[size..].iter().map(|&person| (person, *label)));
            }
            let cost = perimeter(external, &plain(&first), norm) + perimeter(external, &plain(&second), norm);
            // Attributes and sizes ascend, so only a strictly smaller perimeter replaces what was found before.
            if best.as_ref().is_none_or(|best| cost < best.0) {
                best = Some((cost, first, second));
            }
        }
    }
    best.map(|(_, first, second)| (first, second))
}

/// Divides every bucket by its canonical division until none is divisible.
pub fn slice(external: &[Person], buckets: &[Bucket], norm: &[i64]) -> Vec<Bucket> {
    let mut waiting = buckets.to_vec();
    let mut sliced = Vec::new();
    while let Some(bucket) = waiting.pop() {
        match canonical_division(external, &bucket, norm) {
            Some((first, second)) => waiting.extend([first, second]),
            None => sliced.push(bucket),
        }
    }
    sliced
}
