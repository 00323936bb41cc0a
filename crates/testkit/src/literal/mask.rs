//! Mask (Wong, Fu, Wang, Pei 2007, as in Figure 1 of the electronic appendix of Xiao, Tao, Koudas 2010). Not transparent.

use std::collections::BTreeSet;

use pellucid_model::exact::{Fraction, fraction};

use crate::instance::{Group, Instance, Output, Outputs, certainly, histogram, publish};
use crate::person::Person;

/// `size` values distributed as those of `model`: shares are rounded by the largest remainder, ties to the smaller value.
pub fn copy_distribution(model: &[u32], size: usize) -> Vec<u32> {
    let histogram = pellucid_model::histogram::Histogram::of(model.iter().copied());
    let (size, total) = (size as u64, histogram.total());
    let mut parts: Vec<(u32, u64, u64)> =
        histogram.entries().iter().map(|&(value, count)| (value, count * size / total, count * size % total)).collect();
    let missing = size - parts.iter().map(|part| part.1).sum::<u64>();
    // Stable: parts with equal remainders stay in order of the value.
    parts.sort_by_key(|part| std::cmp::Reverse(part.2));
    for part in parts.iter_mut().take(missing as usize) {
        part.1 += 1;
    }
    let mut values: Vec<u32> = parts.iter().flat_map(|part| std::iter::repeat_n(part.0, part.1 as usize)).collect();
    values.sort_unstable();
    values
}

/// What Mask publishes of a table of everyone in `partition`: every group in which a value of `protect` has more than
/// one in `l` rows takes the distribution of a group drawn uniformly from the others; *nothing* when there are no others.
pub fn mask(
    external: &[Person],
    instance: &Instance,
    l: u64,
    partition: &[Vec<usize>],
    protect: &BTreeSet<u32>,
) -> Outputs {
    let groups: Vec<Group> = partition
        .iter()
        .map(|people| people.iter().map(|&person| (person, instance.value_of(person).expect("everyone"))).collect())
        .collect();
    let fails = |group: &Group| {
        let counts = histogram(group);
        protect.iter().any(|&value| counts.count(value) * l > counts.total())
    };
    let models: Vec<&Group> = groups.iter().filter(|group| !fails(group)).collect();
    if models.is_empty() {
        return certainly(None);
    }
    let mut outputs = certainly(Some(Output::new()));
    for group in &groups {
        let chosen: Vec<&Group> = if fails(group) { models.clone() } else { vec![group] };
        let mut longer = Outputs::new();
        for (output, so_far) in &outputs {
            for model in &chosen {
                let values: Vec<u32> = model.iter().map(|row| row.1).collect();
                let copied = group.iter().map(|row| row.0).zip(copy_distribution(&values, group.len())).collect();
                let mut rows = output.clone().expect("only releases are extended");
                rows.extend(publish(external, &[copied]));
                rows.sort_unstable();
                *longer.entry(Some(rows)).or_insert(Fraction::ZERO) += so_far * fraction(1, chosen.len() as u64);
            }
        }
        outputs = longer;
    }
    outputs
}
