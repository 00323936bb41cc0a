//! Publishers of the registry as mechanisms: numeric quasi attributes, one sensitive column, groups shown by boxes.

use std::collections::BTreeMap;

use pellucid_inference::adversary::{BoxRelease, ExternalSource, Mechanism, World};
use pellucid_model::axis::QuasiAxis;
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::exact::Fraction;
use pellucid_model::principle::{Principle, SensitiveColumn};
use pellucid_model::progress::ProgressWatch;
use pellucid_model::randomness::{ChoiceScript, RandomSource, chances};
use pellucid_model::table::{Column, ColumnDomain, Role};
use pellucid_publish::publisher::{AlteredValues, PrivacyGoal, Publisher, PublisherInput, PublisherOutput};

/// Ways in which random choices may combine on one world.
const WAYS: u64 = 1_000_000;

/// How random choices are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawMode {
    /// At random, as the publisher says.
    Random,
    /// Always the first option, people in order of their identifiers: anybody can replay that.
    First,
}

/// Where the order on sensitive values comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueOrder {
    /// The public order of the codes.
    Public,
    /// First appearance in the table, people in order of their identifiers: that depends on the table.
    FirstAppearance,
}

/// A publisher with what it is asked for. The identifiers of people are declared, so ties go by them.
#[derive(Debug)]
pub struct PublisherMechanism {
    external: ExternalSource,
    publisher: Box<dyn Publisher>,
    principle: Box<dyn Principle>,
    /// Number of codes of sensitive values.
    values: u32,
    /// Ascending positions of every axis; all values of the external source are among them.
    axes: Vec<Vec<i64>>,
    draws: DrawMode,
    order: ValueOrder,
}

/// Groups of people.
type PeopleGroups = Vec<Vec<usize>>;

/// Groups of people with the code that is shown for each.
type ReleasedColumn = Vec<Vec<(usize, u32)>>;

impl PublisherMechanism {
    /// `publisher` asked for `principle` on sensitive values `0..values`; perimeters are normalised by the extents of the
    /// external source.
    pub fn new(
        external: ExternalSource,
        publisher: Box<dyn Publisher>,
        principle: Box<dyn Principle>,
        values: u32,
    ) -> Self {
        let axes = (0..external.attributes()).map(|attribute| external.domain(attribute)).collect();
        let (draws, order) = (DrawMode::Random, ValueOrder::Public);
        Self { external, publisher, principle, values, axes, draws, order }
    }

    /// The same with perimeters normalised by `norm`; see [`ExternalSource::axes`].
    pub fn with_norm(mut self, norm: &[u64]) -> Result<Self> {
        self.axes = self.external.axes(norm)?;
        Ok(self)
    }

    /// The same with random choices made in another way.
    #[must_use]
    pub fn drawing(self, draws: DrawMode) -> Self {
        Self { draws, ..self }
    }

    /// The same with another order on sensitive values.
    #[must_use]
    pub fn ordering(self, order: ValueOrder) -> Self {
        Self { order, ..self }
    }

    /// Whether everyone's own value is shown.
    pub fn keeps_values(&self) -> bool {
        self.publisher.keeps_values()
    }

    /// Every partition that may be made of `world` with its probability, groups and people in order; `None` is
    /// *nothing*.
    pub fn partitions(&self, world: &World) -> Result<BTreeMap<Option<PeopleGroups>, Fraction>> {
        let people =
            |shown: ReleasedColumn| shown.iter().map(|group| group.iter().map(|row| row.0).collect()).collect();
        let mut partitions = BTreeMap::new();
        for (shown, probability) in self.shown(world)? {
            *partitions.entry(shown.map(people)).or_insert(Fraction::ZERO) += probability;
        }
        Ok(partitions)
    }

    fn shown(&self, world: &World) -> Result<BTreeMap<Option<ReleasedColumn>, Fraction>> {
        if world.rows().is_empty() {
            return Ok(BTreeMap::from([(None, Fraction::ONE)]));
        }
        let columns = self.columns(world)?;
        let run = |randomness: RandomSource<'_>| self.run(&columns, world, randomness);
        match self.draws {
            DrawMode::Random => chances(WAYS, run),
            DrawMode::First => Ok(BTreeMap::from([(run(ChoiceScript::new().randomness())?, Fraction::ONE)])),
        }
    }

    /// The identifiers, the quasi columns and the sensitive column of `world`.
    fn columns(&self, world: &World) -> Result<(Column, Vec<Column>, Column)> {
        let rows = world.rows();
        let people = ColumnDomain::Integer((0..self.external.people() as i64).collect());
        let ids = Column::new("id", Role::Identifier, people, false, rows.iter().map(|row| row.0 as u32).collect())?;
        let quasi = self.axes.iter().enumerate().map(|(attribute, axis)| {
            let code = |row: &(usize, u32)| {
                let value = self.external.quasi(row.0)[attribute];
                axis.binary_search(&value).map_or(0, |code| code as u32)
            };
            let (name, domain) = (format!("quasi {}", attribute + 1), ColumnDomain::Integer(axis.clone()));
            Column::new(name, Role::Quasi, domain, false, rows.iter().map(code).collect())
        });
        let ranks = self.ranks(world);
        let domain = ColumnDomain::Category((0..self.values).map(|rank| format!("{rank:010}")).collect());
        let codes = rows.iter().map(|row| ranks[row.1 as usize]).collect();
        let sensitive = Column::new("value", Role::Sensitive, domain, false, codes)?;
        Ok((ids, quasi.collect::<Result<_>>()?, sensitive))
    }

    /// By code, where a value stands in the order on values.
    fn ranks(&self, world: &World) -> Vec<u32> {
        if self.order == ValueOrder::Public {
            return (0..self.values).collect();
        }
        let mut ranks = vec![None; self.values as usize];
        let mut next = 0..self.values;
        for value in world.rows().iter().map(|row| row.1).chain(0..self.values) {
            let rank = &mut ranks[value as usize];
            *rank = rank.or_else(|| next.next());
        }
        ranks.into_iter().flatten().collect()
    }

    fn run(
        &self,
        (ids, quasi, sensitive): &(Column, Vec<Column>, Column),
        world: &World,
        randomness: RandomSource<'_>,
    ) -> Result<Option<ReleasedColumn>> {
        let ranks = self.ranks(world);
        let test = self.principle.bind(SensitiveColumn {
            name: sensitive.name(),
            whole: &sensitive.histogram(),
            cardinality: sensitive.cardinality(),
            protected: None,
            hierarchy: None,
        })?;
        let principle = self.principle.as_ref();
        let plan = PublisherInput {
            rows: world.rows().len(),
            quasi: quasi.iter().map(|column| (column, QuasiAxis::new(column, None))).collect(),
            hierarchies: vec![None; quasi.len()],
            identifiers: vec![ids],
            goals: vec![PrivacyGoal {
                column: sensitive,
                principle,
                test,
                share: principle.share_bound(),
                protected: None,
            }],
            suppression: Fraction::ZERO,
            explain: false,
            watch: ProgressWatch::default(),
        };
        self.publisher.accepts(&plan)?;
        let mut codes: Vec<u32> = world.rows().iter().map(|row| row.1).collect();
        let Ok(PublisherOutput { groups, altered, .. }) = self.publisher.publish(&plan, randomness)? else {
            return Ok(None);
        };
        if let Some(AlteredValues { codes: altered, .. }) = altered {
            let value = |rank: &u32| (0..).zip(&ranks).find(|entry| entry.1 == rank).map_or(0, |entry| entry.0);
            codes = altered.iter().map(value).collect();
        }
        if groups.rows() != world.rows().len() {
            return Err(Error::new(ErrorKind::Internal, "a publisher left people out; please report it"));
        }
        let row = |&row: &u32| (world.rows()[row as usize].0, codes[row as usize]);
        let mut shown: ReleasedColumn = groups.iter().map(|rows| rows.iter().map(row).collect()).collect();
        shown.iter_mut().for_each(|group: &mut Vec<_>| group.sort_unstable());
        shown.sort_unstable();
        Ok(Some(shown))
    }
}

impl Mechanism for PublisherMechanism {
    type Seen = BoxRelease;

    fn answers(&self, world: &World) -> Result<Vec<(Option<BoxRelease>, Fraction)>> {
        let mut answers: BTreeMap<Option<BoxRelease>, Fraction> = BTreeMap::new();
        for (shown, probability) in self.shown(world)? {
            let release = shown.map(|groups| self.external.show(groups.iter().map(Vec::as_slice)));
            *answers.entry(release).or_insert(Fraction::ZERO) += probability;
        }
        Ok(answers.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use pellucid_inference::adversary::{PossibleWorlds, reverse_engineer_all};
    use pellucid_model::exact::fraction;
    use pellucid_model::principle;
    use pellucid_model::registry::{EntryArgs, ProofStatus, find};

    use super::*;
    use pellucid_publish::publisher::PUBLISHERS;

    fn published(publisher: &str, quasi: Vec<Vec<i64>>, values: u32) -> PublisherMechanism {
        let principle = principle::make("frequency-l-diversity", &EntryArgs::new().with("l", 2)).unwrap();
        let publisher = find(PUBLISHERS, "publisher", publisher).unwrap().make(&EntryArgs::new()).unwrap();
        PublisherMechanism::new(ExternalSource::new(quasi).unwrap(), publisher, principle, values)
    }

    #[test]
    fn half_is_never_exceeded_by_publishers_that_are_proved() {
        let mut answers = 0;
        for entry in PUBLISHERS.iter().filter(|entry| entry.status == ProofStatus::Proven && entry.params.is_empty()) {
            let mechanism = published(entry.id, vec![vec![0], vec![1], vec![1], vec![3], vec![7]], 3);
            let all = reverse_engineer_all(&mechanism, &PossibleWorlds::any(5, 3)).unwrap();
            answers += all.len();
            for (seen, belief) in &all {
                assert!(seen.is_none() || belief.max_risk() <= fraction(1, 2u8), "{}", entry.id);
            }
        }
        assert!(answers > 15, "{answers}");
    }

    #[test]
    fn choices_that_can_be_replayed_break_ace() {
        // People at 0, 1, 1, 1 with values 0, 0, 1, 2: the smallest table that a choice by identifier gives away.
        let ace = || published("ace", vec![vec![0], vec![1], vec![1], vec![1]], 3);
        let worst = |mechanism: PublisherMechanism| {
            let all = reverse_engineer_all(&mechanism, &PossibleWorlds::of_multiset(4, &[0, 0, 1, 2])).unwrap();
            all.values().map(pellucid_inference::adversary::PosteriorBelief::max_risk).max().unwrap()
        };
        assert_eq!(worst(ace()), fraction(1, 2u8));
        assert_eq!(worst(ace().drawing(DrawMode::First)), Fraction::ONE);
    }

    #[test]
    fn an_order_taken_from_the_table_breaks_ace() {
        let ace = published("ace", vec![vec![0], vec![1], vec![1], vec![1], vec![1]], 4);
        let ace = ace.ordering(ValueOrder::FirstAppearance);
        let all = reverse_engineer_all(&ace, &PossibleWorlds::of_multiset(5, &[0, 0, 1, 2, 3])).unwrap();
        assert_eq!(
            all.values().map(pellucid_inference::adversary::PosteriorBelief::max_risk).max().unwrap(),
            Fraction::ONE
        );
    }

    #[test]
    fn only_the_ratios_of_a_norm_matter() {
        let people = || vec![vec![0, 0], vec![3, 1], vec![1, 4], vec![4, 5]];
        let world = World::new(vec![(0, 0), (1, 1), (2, 2), (3, 3)]);
        let tailor = || published("tailor", people(), 4);
        let cut = |norm: &[u64]| tailor().with_norm(norm).unwrap().partitions(&world).unwrap();
        assert_eq!(cut(&[4, 5]), tailor().partitions(&world).unwrap());
        // A wide first attribute leaves the cut to the second one, and the other way round.
        assert_eq!(cut(&[1000, 5]).into_keys().next().unwrap().unwrap(), [[0, 1], [2, 3]]);
        assert_eq!(cut(&[4, 1000]).into_keys().next().unwrap().unwrap(), [[0, 2], [1, 3]]);
        assert_eq!(cut(&[2, 500]), cut(&[4, 1000]));
        assert_eq!(cut(&[8, 10]), cut(&[4, 5]));
    }

    #[test]
    fn a_norm_that_weighs_nothing_is_refused() {
        let people = || vec![vec![0, 7], vec![3, 7]];
        let refused = |norm: &[u64]| published("tailor", people(), 2).with_norm(norm).unwrap_err().to_string();
        assert!(refused(&[0, 1]).contains("is 0 for an attribute in which people differ"));
        assert!(refused(&[3]).contains("the norm has 1 number, people have 2 quasi values"));
        assert!(refused(&[u64::MAX, 1]).contains("too large for whole numbers"));
        assert!(published("tailor", people(), 2).with_norm(&[3, 0]).is_ok());
    }
}
