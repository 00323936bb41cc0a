//! Worlds as matrices, and moves between them.
//!
//! A world of a cluster is how many people of each atom have each value. Given the multisets of the groups, a matrix with
//! entries n stands for a number of worlds that is proportional to the product of all 1 / n!. [`ClusterField`] draws matrices so, and
//! moves rows of two values between two atoms of a group such that this stays their distribution, weighed by how far
//! the rejected partitions are from being rejected ([`CountMatrix::short`]).

use pellucid_model::histogram::Histogram;
use pellucid_model::randomness::RandomStream;

use crate::belief::{Requirements, StepCells};
use crate::evidence::RejectedPartition;

/// People of one group whom no part tells apart.
#[derive(Debug)]
struct Atom {
    group: u32,
    size: u32,
    /// The first of its entries.
    first: usize,
    /// The parts they are in, ascending.
    parts: Vec<u32>,
}

/// A group in which something can move.
#[derive(Debug)]
struct Group {
    atoms: Vec<u32>,
    /// By person, the atom.
    people: Vec<u32>,
    /// Its codes, by number in the cluster.
    codes: Vec<u32>,
}

/// Part of a rejected partition.
#[derive(Debug)]
struct Part {
    partition: u32,
    /// By code, the largest count with which it passes, when that is all that counts.
    caps: Option<Vec<u32>>,
}

/// What all worlds of a cluster have in common.
#[derive(Debug)]
pub(super) struct ClusterField<'a> {
    cells: &'a StepCells,
    condition: &'a Requirements<'a>,
    atoms: Vec<Atom>,
    groups: Vec<Group>,
    /// By person of these groups, the group.
    movable: Vec<u32>,
    parts: Vec<Part>,
    /// By partition, the first of its parts and the one after the last.
    partitions: Vec<(u32, u32)>,
    /// The codes of the cluster, ascending.
    codes: Vec<u32>,
    /// Values by place: groups one after the other.
    values: Vec<u32>,
    /// The logarithm of n!, by n.
    factorials: Vec<f64>,
}

/// A world of a [`ClusterField`].
#[derive(Debug, Clone)]
pub(super) struct CountMatrix {
    /// By cell, how many people of the atom have the value.
    entries: Vec<u32>,
    /// By part and code, how often the code occurs in the part.
    counts: Vec<u32>,
    /// By part, how far it is from failing; at most 0 when it fails.
    slack: Vec<f64>,
    /// By partition, the least slack of its parts.
    least: Vec<f64>,
    /// The sum of these where they are positive.
    short: f64,
    /// The partitions that are not rejected.
    open: u32,
}

impl CountMatrix {
    /// How far all partitions together are from being rejected.
    pub(super) fn short(&self) -> f64 {
        if self.open == 0 { 0.0 } else { self.short.max(0.0) }
    }

    /// Whether all partitions are rejected.
    pub(super) fn is_possible(&self) -> bool {
        self.open == 0
    }

    /// By cell, how many people of the atom have the value.
    pub(super) fn entries(&self) -> &[u32] {
        &self.entries
    }
}

/// How strongly a partition that is not rejected counts against a world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Temperature {
    /// By this factor, as an exponent, for everything by which it is short.
    Some(f64),
    /// Such worlds do not count; there must be none.
    Full,
}

/// Memory of a move.
#[derive(Debug, Default)]
pub(super) struct MoveScratch {
    group: Histogram,
    /// Parts that gain and lose, with their slack before.
    parts: Vec<(u32, bool, f64)>,
    /// Partitions, with their least slack before.
    partitions: Vec<(u32, f64)>,
}

/// Some rows of two values that change places between two atoms.
#[derive(Debug, Clone, Copy)]
struct Move {
    /// The atom that gains rows of the first value and loses as many of the second.
    to: u32,
    from: u32,
    /// Ranks of the two values in the group.
    ranks: (usize, usize),
    /// Their codes, by number.
    codes: (usize, usize),
    rows: u32,
}

impl<'a> ClusterField<'a> {
    /// Of people with `values`, as `cells` lays them out, who are in the parts of `rejected`.
    pub(super) fn new(
        cells: &'a StepCells,
        values: &[u32],
        rejected: &[RejectedPartition],
        condition: &'a Requirements<'a>,
    ) -> Self {
        let mut codes = values.to_vec();
        codes.sort_unstable();
        codes.dedup();
        let mut parts_of: Vec<Vec<u32>> = vec![Vec::new(); values.len()];
        let (mut parts, mut partitions) = (Vec::new(), Vec::new());
        for (partition, rejected) in (0u32..).zip(rejected) {
            let first = parts.len() as u32;
            for people in &rejected.parts {
                people.iter().for_each(|&person| parts_of[person as usize].push(parts.len() as u32));
                let rows = people.len() as u64;
                let caps = codes.iter().map(|&code| condition.cap(code, rows).map(|cap| cap as u32)).collect();
                parts.push(Part { partition, caps });
            }
            partitions.push((first, parts.len() as u32));
        }
        let atoms: Vec<Atom> = cells
            .atoms
            .iter()
            .map(|atom| Atom {
                group: atom.group as u32,
                size: atom.people.len() as u32,
                first: atom.first,
                parts: parts_of[atom.people[0] as usize].clone(),
            })
            .collect();
        let number = |code: &u32| codes.binary_search(code).expect("all codes are listed") as u32;
        let mut groups: Vec<Group> = cells
            .groups
            .iter()
            .map(|group| Group {
                atoms: Vec::new(),
                people: Vec::new(),
                codes: group.codes.iter().map(number).collect(),
            })
            .collect();
        for (number, atom) in (0u32..).zip(&atoms) {
            let group = &mut groups[atom.group as usize];
            group.atoms.push(number);
            group.people.extend(std::iter::repeat_n(number, atom.size as usize));
        }
        let moves = (0u32..).zip(&groups).filter(|(_, group)| group.atoms.len() > 1 && group.codes.len() > 1);
        let movable = moves.flat_map(|(number, group)| std::iter::repeat_n(number, group.people.len())).collect();
        let values = cells.order.iter().map(|&person| number(&values[person as usize])).collect();
        let largest = groups.iter().map(|group| group.people.len()).max().unwrap_or(0);
        let mut factorials = vec![0.0; largest + 1];
        for n in 1..=largest {
            factorials[n] = factorials[n - 1] + (n as f64).ln();
        }
        Self { cells, condition, atoms, groups, movable, parts, partitions, codes, values, factorials }
    }

    /// Entries of a matrix and counts of its parts: its memory, in numbers.
    pub(super) fn size(&self) -> usize {
        self.cells.many + self.parts.len() * self.codes.len()
    }

    /// Sums of entries over so many worlds, as shares of the people of each atom.
    pub(super) fn shares(&self, sums: &[u64], worlds: u64) -> Vec<f64> {
        let mut shares: Vec<f64> = sums.iter().map(|&sum| sum as f64).collect();
        for atom in &self.atoms {
            let codes = self.groups[atom.group as usize].codes.len();
            let mine = if codes > 1 { &mut shares[atom.first..atom.first + codes] } else { &mut [] };
            mine.iter_mut().for_each(|share| *share /= f64::from(atom.size) * worlds as f64);
        }
        shares
    }

    /// A world, all equally likely.
    pub(super) fn draw(&self, source: &mut RandomStream<'_>, scratch: &mut MoveScratch) -> CountMatrix {
        let mut world = self.values.clone();
        self.cells.groups.iter().for_each(|group| source.shuffle(&mut world[group.range.clone()]));
        let mut entries = vec![0; self.cells.many];
        let mut counts = vec![0; self.parts.len() * self.codes.len()];
        for (&code, &person) in world.iter().zip(&self.cells.order) {
            let atom = &self.atoms[self.cells.atom_of[person as usize] as usize];
            let codes = &self.groups[atom.group as usize].codes;
            if codes.len() > 1 {
                entries[atom.first + codes.binary_search(&code).expect("all codes are listed")] += 1;
            }
            for &part in &atom.parts {
                counts[part as usize * self.codes.len() + code as usize] += 1;
            }
        }
        let mut slack = vec![0.0; self.parts.len()];
        for (part, slack) in slack.iter_mut().enumerate() {
            *slack = self.slack(part, &counts, scratch);
        }
        let least: Vec<f64> = self
            .partitions
            .iter()
            .map(|&(first, end)| slack[first as usize..end as usize].iter().copied().fold(f64::INFINITY, f64::min))
            .collect();
        let short = least.iter().map(|least| least.max(0.0)).sum();
        let open = least.iter().filter(|least| **least > 0.0).count() as u32;
        CountMatrix { entries, counts, slack, least, short, open }
    }

    /// The slack of a part with these counts.
    fn slack(&self, part: usize, counts: &[u32], scratch: &mut MoveScratch) -> f64 {
        let counts = &counts[part * self.codes.len()..(part + 1) * self.codes.len()];
        if let Some(caps) = &self.parts[part].caps {
            let margins = counts.iter().zip(caps).map(|(&count, &cap)| i64::from(cap) + 1 - i64::from(count));
            return margins.min().unwrap_or(0) as f64;
        }
        let entries = self.codes.iter().zip(counts).filter(|entry| *entry.1 > 0);
        scratch.group.refill(entries.map(|(&code, &count)| (code, u64::from(count))));
        self.condition.slack(&scratch.group)
    }

    /// One move, which may come to nothing.
    ///
    /// # Guarantee
    /// Leaves the distribution as it is that gives a world the weight e to the power of minus pressure times
    /// [`CountMatrix::short`]: what is proposed is as likely as its way back (counting worlds, not matrices), and it is taken with the
    /// probability of Metropolis.
    pub(super) fn step(
        &self,
        world: &mut CountMatrix,
        pressure: Temperature,
        source: &mut RandomStream<'_>,
        scratch: &mut MoveScratch,
    ) {
        if self.movable.is_empty() {
            return;
        }
        let group = &self.groups[self.movable[source.below(self.movable.len())] as usize];
        let proposed = if source.below(2) == 0 {
            self.swap(world, group, source).map(|proposed| (proposed, 0.0))
        } else {
            self.shift(world, group, source)
        };
        let Some((proposed, gain)) = proposed else { return };
        let before = (world.short, world.open);
        self.apply(world, &proposed, scratch);
        let taken = match pressure {
            Temperature::Full => world.open == 0 && (gain >= 0.0 || chance(source).ln() < gain),
            Temperature::Some(factor) => {
                let gain = gain - factor * (world.short - before.0);
                gain >= 0.0 || chance(source).ln() < gain
            }
        };
        if !taken {
            self.undo(world, &proposed, before, scratch);
        }
    }

    /// Two people change their values.
    fn swap(&self, world: &CountMatrix, group: &Group, source: &mut RandomStream<'_>) -> Option<Move> {
        let mut person = || {
            let atom = group.people[source.below(group.people.len())];
            let Atom { first, size, .. } = self.atoms[atom as usize];
            let mut left = source.below(size as usize) as u32;
            let entries = &world.entries[first..first + group.codes.len()];
            let rank = entries.iter().position(|&people| {
                let here = left < people;
                left = left.wrapping_sub(people);
                here
            });
            (atom, rank.expect("everybody has a value"))
        };
        let ((to, second), (from, first)) = (person(), person());
        let codes = (group.codes[first] as usize, group.codes[second] as usize);
        (to != from && first != second).then_some(Move { to, from, ranks: (first, second), codes, rows: 1 })
    }

    /// Several rows move, and the logarithm of how many more worlds the matrix then stands for.
    fn shift(&self, world: &CountMatrix, group: &Group, source: &mut RandomStream<'_>) -> Option<(Move, f64)> {
        let to = group.people[source.below(group.people.len())];
        let from = group.atoms[source.below(group.atoms.len())];
        let ranks = (source.below(group.codes.len()), source.below(group.codes.len()));
        if to == from || ranks.0 == ranks.1 {
            return None;
        }
        let entry = |atom: u32, rank: usize| world.entries[self.atoms[atom as usize].first + rank];
        let (gains, loses) = (entry(to, ranks.0), entry(to, ranks.1));
        let (gives, gets) = (entry(from, ranks.0), entry(from, ranks.1));
        // What the move leaves as it is: the way back has as many rows to choose from.
        let kept = (gains + loses).min(gives + gets).min(gains + gives).min(loses + gets);
        if kept == 0 {
            return None;
        }
        let rows = 1 + source.below(kept.isqrt() as usize) as u32;
        if rows > loses || rows > gives {
            return None;
        }
        let log = |n: u32| self.factorials[n as usize];
        let gain = log(gains) + log(loses) + log(gives) + log(gets)
            - log(gains + rows)
            - log(loses - rows)
            - log(gives - rows)
            - log(gets + rows);
        let codes = (group.codes[ranks.0] as usize, group.codes[ranks.1] as usize);
        Some((Move { to, from, ranks, codes, rows }, gain))
    }

    /// Makes a move, and remembers what it changes.
    fn apply(&self, world: &mut CountMatrix, made: &Move, scratch: &mut MoveScratch) {
        self.turn(world, made);
        scratch.parts.clear();
        scratch.partitions.clear();
        let (to, from) = (&self.atoms[made.to as usize].parts, &self.atoms[made.from as usize].parts);
        let (mut a, mut b) = (0, 0);
        while a < to.len() || b < from.len() {
            // Parts that both are in keep their counts.
            let (part, gains) = match (to.get(a), from.get(b)) {
                (Some(x), Some(y)) if x == y => {
                    (a, b) = (a + 1, b + 1);
                    continue;
                }
                (Some(&x), y) if y.is_none_or(|&y| x < y) => {
                    a += 1;
                    (x, true)
                }
                (_, Some(&y)) => {
                    b += 1;
                    (y, false)
                }
                _ => break,
            };
            scratch.parts.push((part, gains, world.slack[part as usize]));
            self.count(world, part, made, gains);
            world.slack[part as usize] = self.new_slack(world, part as usize, made, gains, scratch);
        }
        // The parts of a partition follow each other.
        for touched in
            scratch.parts.chunk_by(|a, b| self.parts[a.0 as usize].partition == self.parts[b.0 as usize].partition)
        {
            let partition = self.parts[touched[0].0 as usize].partition;
            let before = world.least[partition as usize];
            let least = if touched.iter().all(|part| part.2 > before) {
                touched.iter().map(|part| world.slack[part.0 as usize]).fold(before, f64::min)
            } else {
                let (first, end) = self.partitions[partition as usize];
                world.slack[first as usize..end as usize].iter().copied().fold(f64::INFINITY, f64::min)
            };
            world.least[partition as usize] = least;
            world.short += least.max(0.0) - before.max(0.0);
            world.open = world.open + u32::from(least > 0.0) - u32::from(before > 0.0);
            scratch.partitions.push((partition, before));
        }
    }

    /// Moves rows between the entries of two atoms.
    fn turn(&self, world: &mut CountMatrix, made: &Move) {
        let (to, from) = (self.atoms[made.to as usize].first, self.atoms[made.from as usize].first);
        world.entries[to + made.ranks.0] += made.rows;
        world.entries[to + made.ranks.1] -= made.rows;
        world.entries[from + made.ranks.0] -= made.rows;
        world.entries[from + made.ranks.1] += made.rows;
    }

    /// Changes the counts of a part that gains rows of the first value, or loses them.
    fn count(&self, world: &mut CountMatrix, part: u32, made: &Move, gains: bool) {
        let counts = &mut world.counts[part as usize * self.codes.len()..];
        let (more, less) = if gains { made.codes } else { (made.codes.1, made.codes.0) };
        counts[more] += made.rows;
        counts[less] -= made.rows;
    }

    /// The slack of a part whose counts have just changed.
    fn new_slack(&self, world: &CountMatrix, part: usize, made: &Move, gains: bool, scratch: &mut MoveScratch) -> f64 {
        if let Some(caps) = &self.parts[part].caps {
            let before = world.slack[part];
            let margin = |code: usize| {
                (i64::from(caps[code]) + 1 - i64::from(world.counts[part * self.codes.len() + code])) as f64
            };
            let (more, less) = if gains { made.codes } else { (made.codes.1, made.codes.0) };
            // The value that became rarer decided nothing.
            if margin(less) - f64::from(made.rows) > before {
                return before.min(margin(more));
            }
        }
        self.slack(part, &world.counts, scratch)
    }

    /// Takes the last move back.
    fn undo(&self, world: &mut CountMatrix, made: &Move, before: (f64, u32), scratch: &MoveScratch) {
        let back = Move { ranks: (made.ranks.1, made.ranks.0), codes: (made.codes.1, made.codes.0), ..*made };
        self.turn(world, &back);
        for &(part, gains, slack) in &scratch.parts {
            self.count(world, part, &back, gains);
            world.slack[part as usize] = slack;
        }
        for &(partition, least) in &scratch.partitions {
            world.least[partition as usize] = least;
        }
        (world.short, world.open) = before;
    }
}

/// A number from 0 to 1, never 0.
fn chance(source: &mut RandomStream<'_>) -> f64 {
    (1 + source.below(1 << 53)) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
impl ClusterField<'_> {
    /// Fails unless everything that a world remembers follows from its entries.
    pub(super) fn assert_counted(&self, world: &CountMatrix, scratch: &mut MoveScratch) {
        let mut counts = vec![0; world.counts.len()];
        for atom in &self.atoms {
            let codes = &self.groups[atom.group as usize].codes;
            for (rank, &code) in codes.iter().enumerate() {
                let people = if codes.len() > 1 { world.entries[atom.first + rank] } else { atom.size };
                for &part in &atom.parts {
                    counts[part as usize * self.codes.len() + code as usize] += people;
                }
            }
        }
        assert_eq!(counts, world.counts);
        let (mut short, mut open) = (0.0, 0);
        for (&(first, end), &least) in self.partitions.iter().zip(&world.least) {
            let slack: Vec<f64> = (first..end).map(|part| self.slack(part as usize, &counts, scratch)).collect();
            assert_eq!(slack, world.slack[first as usize..end as usize]);
            assert!(slack.into_iter().fold(f64::INFINITY, f64::min).total_cmp(&least).is_eq());
            short += least.max(0.0);
            open += u32::from(least > 0.0);
        }
        assert_eq!(open, world.open);
        assert!((short - world.short).abs() < 1e-9, "{short} {}", world.short);
    }
}
