//! Limits of memory hold: counting and estimating keep to the bytes of their budget.

use pellucid_inference::budget::{Budget, SamplingPlan};
use pellucid_inference::views::{DrawUntil, SeenViews, View};
use pellucid_memory::CountingAllocator;
use pellucid_model::error::ErrorKind;
use pellucid_model::histogram::Histogram;
use pellucid_testkit::random::generator;
use rand::RngExt;

#[global_allocator]
static MEMORY: CountingAllocator = CountingAllocator::new();

/// 84 people with one of 10 values, in 3 views of about 50 of them that overlap as chance has it.
fn overlapping() -> SeenViews {
    let mut rng = generator(1);
    let values: Vec<u32> = (0..84).map(|_| rng.random_range(0..10)).collect();
    let mut view = |_: u32| {
        let members: Vec<u32> = (0..84).filter(|_| rng.random_range(0..10) < 6).collect();
        let shown = Histogram::of(members.iter().map(|&person| values[person as usize]));
        View::new(members, shown).unwrap()
    };
    SeenViews::new(84, 10, (0..3).map(&mut view).collect()).unwrap()
}

/// The limit, and what an honest account of it may miss.
const LIMIT: u64 = 100 << 20;
const MOST: usize = (LIMIT + LIMIT / 2) as usize;

#[test]
fn views_keep_to_their_bytes() {
    let views = overlapping();
    let sampling = SamplingPlan { draws: 2_000, seed: Some(1), ..SamplingPlan::default() };
    let budget = Budget { states: 200_000_000, bytes: LIMIT, seconds: None, sampling: Some(sampling) };
    MEMORY.start();
    let refused = views.belief(&Budget { sampling: None, ..budget }, DrawUntil::End).unwrap_err();
    let peak = MEMORY.peak();
    assert_eq!(refused.kind(), ErrorKind::LimitExceeded);
    let words = refused.to_string();
    assert!(
        words.contains(" people in 3 overlapping views takes about 100.") && words.contains("limit 100.0 MiB"),
        "{words}"
    );
    assert!((LIMIT as usize / 2..MOST).contains(&peak), "refused at {} MiB", peak >> 20);
    MEMORY.start();
    let belief = views.belief(&budget, DrawUntil::End).unwrap();
    let peak = MEMORY.peak();
    assert!(!belief.samples().is_empty(), "what is too large to count is estimated");
    assert!(peak < MOST, "estimated with {} MiB", peak >> 20);
}
