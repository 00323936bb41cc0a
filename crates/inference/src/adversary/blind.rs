//! Belief of an adversary who sees a release and ignores how it was made.

use pellucid_model::error::Result;
use pellucid_model::exact::Fraction;

use super::{BoxRelease, ExternalSource, Mechanism, PossibleWorlds, PosteriorBelief, World, reverse_engineer};

/// Belief when every world that fits `release` is held equally likely. A world fits when its people can be matched to
/// the rows of the release one to one, such that the box of a row covers its person and the value is the person's.
///
/// # Cost
/// A matching for every way to give the released values to people; `limit` worlds and `seconds` at most.
pub fn blind(
    external: &ExternalSource,
    release: &BoxRelease,
    limit: u64,
    seconds: Option<f64>,
) -> Result<PosteriorBelief> {
    let rows = release.iter().map(|(bounds, value)| {
        let inside = |person: usize| {
            let mut sides = external.quasi(person).iter().zip(bounds);
            sides.all(|(&quasi, side)| side.0 <= quasi && quasi <= side.1)
        };
        ReleaseRow { value: *value, covers: (0..external.people()).map(inside).collect() }
    });
    blind_rows(external.people(), rows.collect(), limit, seconds)
}

/// A row of a release as somebody sees it who ignores how it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseRow {
    /// The code of its value.
    pub value: u32,
    /// By person, whether it may be theirs.
    pub covers: Vec<bool>,
}

/// The same for `rows` of a release, of which each is one of `people` people.
pub fn blind_rows(people: usize, rows: Vec<ReleaseRow>, limit: u64, seconds: Option<f64>) -> Result<PosteriorBelief> {
    let multiset: Vec<u32> = rows.iter().map(|row| row.value).collect();
    let worlds = PossibleWorlds::of_multiset(people, &multiset).within(limit, seconds);
    reverse_engineer(&Fitting { rows }, &worlds, Some(&()))
}

/// Answers when a world fits a release.
struct Fitting {
    rows: Vec<ReleaseRow>,
}

impl Mechanism for Fitting {
    type Seen = ();

    fn answers(&self, world: &World) -> Result<Vec<(Option<()>, Fraction)>> {
        Ok(vec![(self.fits(world).then_some(()), Fraction::ONE)])
    }
}

impl Fitting {
    /// Whether everyone finds a row of their own (by augmenting paths).
    fn fits(&self, world: &World) -> bool {
        let mut taken = vec![None; self.rows.len()];
        (0..world.rows().len()).all(|at| self.place(world, at, &mut taken, &mut vec![false; self.rows.len()]))
    }

    fn place(&self, world: &World, at: usize, taken: &mut [Option<usize>], tried: &mut [bool]) -> bool {
        let (person, value) = world.rows()[at];
        for (row, shown) in self.rows.iter().enumerate() {
            if shown.value != value || !shown.covers[person] || std::mem::replace(&mut tried[row], true) {
                continue;
            }
            if taken[row].is_none_or(|other| self.place(world, other, taken, tried)) {
                taken[row] = Some(at);
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use pellucid_model::exact::fraction;

    use super::super::LIMIT;
    use super::*;

    fn line(positions: &[i64]) -> ExternalSource {
        ExternalSource::new(positions.iter().map(|&position| vec![position]).collect()).unwrap()
    }

    fn believed(external: &ExternalSource, release: &BoxRelease) -> PosteriorBelief {
        blind(external, release, LIMIT, None).unwrap()
    }

    #[test]
    fn values_of_a_group_are_equally_likely_for_its_people() {
        let belief = believed(
            &line(&[1, 2, 5, 6]),
            &vec![(vec![(1, 2)], 0), (vec![(1, 2)], 1), (vec![(5, 6)], 0), (vec![(5, 6)], 2)],
        );
        assert_eq!((belief.worlds, belief.max_risk()), (4, fraction(1, 2u8)));
    }

    #[test]
    fn people_outside_the_table_share_the_doubt() {
        // Two of three people, values 0 and 1: 3 * 2 worlds, each person has each value in two.
        let belief = believed(&line(&[1, 2, 3]), &vec![(vec![(1, 3)], 0), (vec![(1, 3)], 1)]);
        assert_eq!((belief.worlds, belief.probability(1, 0)), (6, fraction(1, 3u8)));
    }

    #[test]
    fn a_person_may_have_to_make_room_for_another() {
        // Both rows have value 0; the person at 5 fits only the wider box, so the other one moves to the narrow box.
        let belief = believed(&line(&[1, 5]), &vec![(vec![(1, 2)], 0), (vec![(1, 5)], 0)]);
        assert_eq!(belief.worlds, 1);
        assert_eq!(believed(&line(&[4, 5]), &vec![(vec![(1, 2)], 0), (vec![(1, 5)], 0)]).worlds, 0);
    }
}
