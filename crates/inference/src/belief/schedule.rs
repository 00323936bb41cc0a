//! Schedules: which groups are open while a puzzle is swept, and where their counts lie in a state.
//!
//! A state of the sweep has a column of bits for every value; every open group has a slot in it that counts how often the
//! value occurred in the group so far. A slot is free again once its group, or the component whose class it decides, is
//! complete.

use pellucid_model::error::Result;

use super::problem::CountingProblem;
use super::requirements::Requirements;
use crate::meter::BudgetMeter;

/// Bits of a column that count a value in one group.
#[derive(Debug, Clone, Copy)]
pub(super) struct BitSlot {
    pub(super) offset: u32,
    pub(super) mask: u64,
}

impl BitSlot {
    /// The count in `column`.
    #[inline]
    pub(super) fn read(self, column: u64) -> u64 {
        (column >> self.offset) & self.mask
    }

    /// The slot's bits.
    fn bits(self) -> u64 {
        self.mask << self.offset
    }
}

/// A tracked group as one unit sees it.
#[derive(Debug, Clone)]
pub(super) struct GroupWatch {
    /// Its slot.
    pub(super) slot: BitSlot,
    /// By value, how often it may occur at most; empty when the principle is no bound on single values, or need not hold.
    pub(super) caps: Vec<u64>,
    /// By value, counts that cannot lead to a failure any more and may be forgotten: those up to this, -1 for none.
    pub(super) forget: Vec<i64>,
    /// Whether the group is complete with this unit and its histogram must be tested as a whole.
    pub(super) test: bool,
}

/// A component whose class is decided once a unit is swept.
#[derive(Debug, Clone)]
pub(super) struct ComponentCompletion {
    pub(super) step: u32,
    pub(super) shape: u32,
    /// The slots of its groups, by place.
    pub(super) slots: Vec<BitSlot>,
}

/// What happens when one unit is swept.
#[derive(Debug, Clone)]
pub(super) struct SweepStop {
    /// The slot of the outer group; `None` when the unit is all of it.
    pub(super) outer: Option<BitSlot>,
    /// Whether the unit is the last of its outer group: its values are then forced.
    pub(super) forced: bool,
    /// Adds one to every slot of the unit.
    pub(super) step: u64,
    /// The tracked groups of the unit that have a slot.
    pub(super) watches: Vec<GroupWatch>,
    /// Whether a tracked group that must pass is this unit alone.
    pub(super) alone: bool,
    /// Components complete with this unit.
    pub(super) completions: Vec<ComponentCompletion>,
    /// Bits to keep afterwards.
    pub(super) keep: u64,
    /// Tracked groups that stay open, with the counts that may be forgotten.
    pub(super) open: Vec<GroupWatch>,
}

/// The stops of a sweep, and how wide its columns are.
#[derive(Debug)]
pub(super) struct SweepSchedule {
    pub(super) stops: Vec<SweepStop>,
    pub(super) width: u32,
}

/// How long a slot is needed.
struct Span {
    outer: bool,
    number: usize,
    first: usize,
    last: usize,
    until: usize,
    bits: u32,
}

impl SweepSchedule {
    /// The schedule of `puzzle`; refuses columns that would be too wide.
    pub(super) fn new(puzzle: &CountingProblem, condition: &Requirements<'_>, meter: &BudgetMeter) -> Result<Self> {
        let spans = spans(puzzle);
        let mut slots = vec![None; spans.len()];
        let mut active: Vec<(u32, u32, usize)> = Vec::new(); // offset, bits, until
        let mut width = 1;
        for (at, span) in spans.iter().enumerate() {
            active.retain(|slot| slot.2 >= span.first);
            active.sort_unstable();
            let mut offset = 0;
            for &(start, bits, _) in &active {
                if offset + span.bits <= start {
                    break;
                }
                offset = offset.max(start + bits);
            }
            if offset + span.bits > u64::BITS {
                return Err(meter.unfit(&format!(
                    "{} bits or more to count one value in all groups that overlap at one place, where {} fit",
                    offset + span.bits,
                    u64::BITS
                )));
            }
            width = width.max(offset + span.bits);
            active.push((offset, span.bits, span.until));
            slots[at] = Some(BitSlot { offset, mask: (1u64 << span.bits) - 1 });
        }
        let slot_of = |outer: bool, number: usize| {
            let at = spans.iter().position(|span| span.outer == outer && span.number == number)?;
            slots[at]
        };
        let mut by_unit: Vec<Vec<usize>> = vec![Vec::new(); puzzle.units.len()];
        for (at, span) in spans.iter().enumerate() {
            by_unit[span.first].push(at);
        }
        let mut alive: Vec<usize> = Vec::new();
        let mut filled = vec![0u64; puzzle.tracked.len()];
        let mut last_of_outer = vec![0; puzzle.outers.len()];
        for (at, unit) in puzzle.units.iter().enumerate() {
            last_of_outer[unit.outer as usize] = at;
        }
        let mut stops = Vec::with_capacity(puzzle.units.len());
        for (at, unit) in puzzle.units.iter().enumerate() {
            alive.extend(&by_unit[at]);
            let find = |outer: bool, number: usize| {
                let found = alive.iter().find(|&&s| spans[s].outer == outer && spans[s].number == number);
                found.and_then(|&s| slots[s].map(|slot| (s, slot)))
            };
            let outer = find(true, unit.outer as usize).map(|found| found.1);
            let mut step = outer.map_or(0, |slot| 1u64 << slot.offset);
            let mut watches = Vec::new();
            let mut alone = false;
            for &number in &unit.tracked {
                let group = &puzzle.tracked[number as usize];
                filled[number as usize] += u64::from(unit.size);
                let Some((span, slot)) = find(false, number as usize) else {
                    alone |= group.pass;
                    continue;
                };
                step |= 1u64 << slot.offset;
                let caps = caps(puzzle, condition, number as usize);
                let complete = spans[span].last == at;
                let test = group.pass && complete && caps.is_empty();
                watches.push(GroupWatch { slot, caps, forget: Vec::new(), test });
            }
            let mut completions = Vec::new();
            for &span in &alive {
                if spans[span].outer || spans[span].until != at {
                    continue;
                }
                let Some(level) = puzzle.tracked[spans[span].number].level else { continue };
                if level.place != 0 {
                    continue;
                }
                let mut members: Vec<(u32, usize)> = (0..puzzle.tracked.len())
                    .filter_map(|number| {
                        let other = puzzle.tracked[number].level?;
                        (other.component == level.component).then_some((other.place, number))
                    })
                    .collect();
                members.sort_unstable();
                let slots = members.into_iter().map(|(_, number)| slot_of(false, number).expect("levels have slots"));
                completions.push(ComponentCompletion { step: level.step, shape: level.shape, slots: slots.collect() });
            }
            let mut keep = 0;
            let mut open = Vec::new();
            for &span in &alive {
                if spans[span].until <= at {
                    continue;
                }
                let slot = slots[span].expect("every span has a slot");
                keep |= slot.bits();
                let number = spans[span].number;
                if !spans[span].outer && puzzle.tracked[number].level.is_none() {
                    let left = i64::from(puzzle.tracked[number].size) - filled[number] as i64;
                    let caps = caps(puzzle, condition, number);
                    if !caps.is_empty() {
                        let forget = caps.iter().map(|&cap| (cap as i64 - left).max(-1)).collect();
                        open.push(GroupWatch { slot, caps: Vec::new(), forget, test: false });
                    }
                }
            }
            alive.retain(|&span| spans[span].until > at);
            let forced = last_of_outer[unit.outer as usize] == at;
            stops.push(SweepStop { outer, forced, step, watches, alone, completions, keep, open });
        }
        Ok(Self { stops, width })
    }
}

/// By value, the bound on its count in a tracked group that must pass; empty when there is none of that form.
fn caps(puzzle: &CountingProblem, condition: &Requirements<'_>, number: usize) -> Vec<u64> {
    let group = &puzzle.tracked[number];
    if !group.pass {
        return Vec::new();
    }
    let code = |value: usize| puzzle.codes.get(value).copied().unwrap_or(value as u32);
    let caps = (0..puzzle.values()).map(|value| condition.cap(code(value), u64::from(group.size)));
    caps.collect::<Option<Vec<u64>>>().unwrap_or_default()
}

/// The slots that are needed, by first use.
fn spans(puzzle: &CountingProblem) -> Vec<Span> {
    let most = |outer: usize| puzzle.outers[outer].iter().copied().max().unwrap_or(0);
    let mut outers: Vec<Option<(usize, usize)>> = vec![None; puzzle.outers.len()];
    let mut tracked: Vec<Option<(usize, usize)>> = vec![None; puzzle.tracked.len()];
    for (at, unit) in puzzle.units.iter().enumerate() {
        let see = |seen: &mut Option<(usize, usize)>| *seen = Some((seen.map_or(at, |seen| seen.0), at));
        see(&mut outers[unit.outer as usize]);
        unit.tracked.iter().for_each(|&number| see(&mut tracked[number as usize]));
    }
    let mut ends = vec![0; puzzle.tracked.len()];
    for (number, group) in puzzle.tracked.iter().enumerate() {
        let (_, last) = tracked[number].expect("every tracked group has a unit");
        ends[number] = last;
        if let Some(level) = group.level {
            let same = |other: usize| puzzle.tracked[other].level.is_some_and(|o| o.component == level.component);
            let all = (0..puzzle.tracked.len()).filter(|&other| same(other));
            ends[number] = all.filter_map(|other| tracked[other].map(|seen| seen.1)).max().unwrap_or(last);
        }
    }
    let mut spans = Vec::new();
    for (number, seen) in outers.iter().enumerate() {
        let (first, last) = seen.expect("every outer group has a unit");
        if first < last {
            spans.push(Span { outer: true, number, first, last, until: last, bits: bits(most(number)) });
        }
    }
    for (number, group) in puzzle.tracked.iter().enumerate() {
        let (first, last) = tracked[number].expect("every tracked group has a unit");
        if first < last || group.level.is_some() {
            let bits = bits(group.size);
            spans.push(Span { outer: false, number, first, last, until: ends[number], bits });
        }
    }
    spans.sort_by_key(|span| (span.first, span.outer, span.number));
    spans
}

/// Bits that hold counts up to `most`.
fn bits(most: u32) -> u32 {
    (32 - most.leading_zeros()).max(1)
}
