//! Belief from views by trying every world.

use std::collections::BTreeMap;

use pellucid_inference::views::View;
use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::histogram::Histogram;

/// All ways to give people a code below `domain` that agree with all views.
pub fn worlds(people: usize, domain: u32, views: &[View]) -> Vec<Vec<u32>> {
    let all = (0..u64::from(domain).pow(people as u32)).map(|number| {
        (0..people as u32).map(|person| (number / u64::from(domain).pow(person) % u64::from(domain)) as u32).collect()
    });
    all.filter(|world: &Vec<u32>| views.iter().all(|view| shown(view.members(), world) == *view.values())).collect()
}

/// What a view of `members` shows of a world.
pub fn shown(members: &[u32], world: &[u32]) -> Histogram {
    Histogram::of(members.iter().map(|&person| world[person as usize]))
}

/// Person to code to the share of `worlds` in which the person has it.
pub fn belief(people: usize, worlds: &[Vec<u32>]) -> Vec<BTreeMap<u32, Fraction>> {
    let of_person = |person: usize| {
        let mut having: BTreeMap<u32, u64> = BTreeMap::new();
        worlds.iter().for_each(|world| *having.entry(world[person]).or_insert(0) += 1);
        having.into_iter().map(|(code, times)| (code, fraction(times, worlds.len() as u64))).collect()
    };
    (0..people).map(of_person).collect()
}

/// Whether nobody's code is believed with more than `gamma`.
pub fn is_private(people: usize, domain: u32, views: &[View], gamma: &Fraction) -> bool {
    let worlds = worlds(people, domain, views);
    belief(people, &worlds).iter().all(|of_person| of_person.values().all(|share| share <= gamma))
}
